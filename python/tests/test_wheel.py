"""What a wheel holds runs where Mercer's libraries are not installed."""
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

BUILD = Path(os.environ["MERCER_BUILD"])
ROOT = Path(__file__).parents[2]
EVERY_LINUX_HAS = re.compile(r"^(libc|libm|libdl|librt|libpthread|libgcc_s|libstdc\+\+)\.so|^ld-linux|^/lib.*/ld-linux|^linux-vdso")


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    prefix = tmp_path_factory.mktemp("wheel")
    subprocess.run(["cmake", "--install", BUILD, "--component", "python", "--prefix", prefix], check=True,
                   capture_output=True)
    return prefix / "mercer"


def test_every_library_comes_along(package):
    (extension,) = package.glob("_core*.so")
    lines = subprocess.run(["ldd", extension], check=True, capture_output=True, text=True).stdout.splitlines()
    outside = []
    for line in lines:
        name, _, where = line.strip().partition(" => ")
        name = name.split(" (")[0]
        if not EVERY_LINUX_HAS.match(name) and not where.startswith(str(package / "lib")):
            outside.append(line.strip())
    assert any("libfmt" in line for line in lines)  # the list is the extension's
    assert outside == []


def test_no_library_is_there_twice(package):
    files = sorted((package / "lib").iterdir())
    assert not [file.name for file in files if file.is_symlink()]  # which a wheel turns into copies
    contents = [file.read_bytes() for file in files]
    assert len(set(contents)) == len(contents)
    families = [file.name.partition(".so")[0] for file in files]
    assert sorted(set(families)) == families


def test_every_library_has_its_licence(package):
    """Those beside the extension, and those that are compiled into it."""
    told = {path.stem: path.read_text() for path in (ROOT / "licences").glob("*.txt")}
    for name in (file.name.partition(".so")[0] for file in (package / "lib").iterdir()):
        assert [text for text in told.values() if f"mercer/lib/{name})" in text], name
    assert {"OpenBLAS", "LAPACK", "nlohmann_json", "pybind11", "d3"} <= told.keys()
    assert not [name for name, text in told.items() if "copyright" not in text.lower() or len(text) < 500]


def test_the_page_of_the_registry_links_to_nothing_beside_it():
    """There is no folder there in which a relative link could lead anywhere."""
    settings = (ROOT / "pyproject.toml").read_text()
    page = ROOT / re.search(r'^readme = "(.*)"', settings, re.MULTILINE)[1]
    links = re.findall(r"\]\(([^)]*)\)", page.read_text())
    assert [link for link in links if not link.startswith(("https://", "#"))] == []


def test_the_installed_extension_computes(package):
    (extension,) = package.glob("_core*.so")
    program = ("import importlib.util as u; s = u.spec_from_file_location('_core', %r); m = u.module_from_spec(s); "
               "s.loader.exec_module(m); print(m.parse('2*rbf(ell=0.5)'))" % str(extension))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "rbf(ell=0.5)" in done.stdout
