"""What a wheel holds runs where Mercer's libraries are not installed."""
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

BUILD = Path(os.environ["MERCER_BUILD"])
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


def test_the_installed_extension_computes(package):
    (extension,) = package.glob("_core*.so")
    program = ("import importlib.util as u; s = u.spec_from_file_location('_core', %r); m = u.module_from_spec(s); "
               "s.loader.exec_module(m); print(m.parse('2*rbf(ell=0.5)'))" % str(extension))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "rbf(ell=0.5)" in done.stdout
