"""The package as it is built and installed."""
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import mercer

ROOT = Path(__file__).parents[2]
PACKAGE = Path(mercer.__file__).parent


def run(code, **environment):
    return subprocess.run([sys.executable, "-c", code], env={**os.environ, **environment}, cwd=ROOT, check=True,
                          text=True, capture_output=True).stdout


def test_version_is_that_of_the_library():
    cmake = (ROOT / "CMakeLists.txt").read_text()
    assert mercer.__version__ == re.search(r"project\(Mercer VERSION ([0-9.]+)", cmake).group(1)


def test_all_names_are_there_once():
    assert len(set(mercer.__all__)) == len(mercer.__all__)
    assert [name for name in mercer.__all__ if not hasattr(mercer, name)] == []


def test_every_public_name_says_what_it_is():
    assert [name for name in mercer.__all__ if not (getattr(mercer, name).__doc__ or "").strip()] == []


def test_import_leaves_matplotlib_and_pandas_alone():
    alone = run("import sklearn.base, sklearn.utils.validation, sys; print(*sys.modules)").split()
    with_mercer = run("import mercer, sys; print(*sys.modules)").split()
    extra = {name.split(".")[0] for name in set(with_mercer) - set(alone)}
    assert not extra & {"matplotlib", "pandas", "tqdm"}


@pytest.fixture
def build():
    if "MERCER_BUILD" not in os.environ:
        pytest.skip("needs the folder of the build (MERCER_BUILD)")
    return Path(os.environ["MERCER_BUILD"])


def test_no_flag_asks_for_one_processor(build):
    rules = (build / "build.ninja").read_text()
    assert re.findall(r"-march=\S+|-mtune=\S+|-mavx\S*|-mfma", rules) == []


def test_the_component_of_the_wheel_is_an_importable_package(build, tmp_path):
    subprocess.run(["cmake", "--install", build, "--component", "python", "--prefix", tmp_path], check=True,
                   capture_output=True)
    assert {path.name for path in (tmp_path / "mercer").iterdir()} == {"_core" + sysconfig.get_config_var("EXT_SUFFIX"),
                                                                       "lib"}
    shutil.copytree(PACKAGE, tmp_path / "mercer", dirs_exist_ok=True, ignore=shutil.ignore_patterns("_core*", "lib"))
    said = run("import mercer; print(mercer.__file__, mercer.parse('rbf(ell=1)')([[0.0], [0.0]])[0, 1])",
               PYTHONPATH=str(tmp_path))
    assert said.split() == [str(tmp_path / "mercer" / "__init__.py"), "1.0"]


def test_all_files_of_the_package_are_built(build):
    def modules(package):
        return {str(path.relative_to(package)) for path in package.rglob("*.py*") if "__pycache__" not in path.parts}

    assert modules(build / "python" / "mercer") == modules(ROOT / "python" / "mercer")
    assert importlib.util.find_spec("mercer._core").origin.startswith(str(PACKAGE))
