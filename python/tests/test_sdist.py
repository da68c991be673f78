"""The files that pyproject.toml puts into a source distribution are all that its build needs.

`make test-package` makes it with pip, which takes minutes; here the same files are found by git, whose patterns these are,
and CMake and Ninja say what they miss.
"""
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
tomllib = pytest.importorskip("tomllib", reason="needs Python 3.11")
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text())

needs_git = pytest.mark.skipif(not shutil.which("git") or not shutil.which("ninja"), reason="needs git and ninja")


def run(*words, **options):
    done = subprocess.run([str(word) for word in words], text=True, capture_output=True, check=False, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Of the distribution, as paths within the project."""
    folder = tmp_path_factory.mktemp("git")
    excluded = folder / "excluded"
    excluded.write_text("\n".join([*SETTINGS["tool"]["scikit-build"]["sdist"]["exclude"], ".git"]) + "\n")
    run("git", "init", "-q", folder)
    found = run("git", f"--git-dir={folder / '.git'}", f"--work-tree={ROOT}", "ls-files", "--others", "-z",
                "--exclude-per-directory=.gitignore", f"--exclude-from={excluded}", cwd=ROOT)
    return found.split("\0")[:-1]


@needs_git
def test_the_build_of_a_source_distribution_misses_no_file(files, tmp_path):
    source, build = tmp_path / "source", tmp_path / "build"
    for file in files:
        (source / file).parent.mkdir(parents=True, exist_ok=True)
        (source / file).symlink_to(ROOT / file)
    settings = SETTINGS["tool"]["scikit-build"]
    defines = [f"-D{name}={value}" for name, value in settings["cmake"]["define"].items()]
    run("cmake", "-S", source, "-B", build, "-G", "Ninja", f"-DPython_EXECUTABLE={sys.executable}", *defines)
    run("ninja", "-n", "-C", build, *settings["build"]["targets"])


@needs_git
def test_it_leaves_out_what_no_build_needs(files):
    folders = {Path(file).parts[0] for file in files if "/" in file}
    assert folders == {"cmake", "data", "docs", "include", "licences", "python", "src", "web"}
    assert {file for file in files if file.startswith("web/")} == {"web/dist/mercer.html"}
    assert not [file for file in files if file.startswith(("docs/img/", "python/tests/"))]
    assert {"LICENSE", "pyproject.toml", SETTINGS["project"]["readme"]} <= set(files)
