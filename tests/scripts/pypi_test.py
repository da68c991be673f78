"""scripts/test-pypi.sh runs what needs PyPI, and .ci/run does so only where something that it depends on has changed."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
STAMP = "python/tests/pypi.txt"


class PypiTests(unittest.TestCase):
    def setUp(self):
        """A tree with these two scripts; what they start prints its name and ends as `ends` says."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = pathlib.Path(folder.name) / "tree with a space"
        for name in ("scripts/test-pypi.sh", ".ci/run"):
            self.write(name, "")
            shutil.copy(ROOT / name, self.tree / name)
        for name in ("CMakeLists.txt", "CMakePresets.json", "pyproject.toml", "cmake/a.cmake", "licences/a.txt", "python/a b.py",
                     "python/tests/stand_in/svm.txt", "scripts/build.sh", "scripts/packages.txt", "scripts/smoke.py", "src/a.cpp"):
            self.write(name, name)
        self.ends("setup", 0)
        self.ends("test-package", 0)
        self.ends("test-sklearn", 0)
        self.make(0, "12 passed, 0 failed, 3 skipped")

    def write(self, name, text):
        (self.tree / name).parent.mkdir(parents=True, exist_ok=True)
        (self.tree / name).write_text(text)

    def script(self, name, text):
        self.write(name, f"#!/bin/sh\n{text}\n")
        (self.tree / name).chmod(0o755)

    def ends(self, name, status):
        """The status is no part of the script, which test-pypi.sh looks at."""
        self.script(f"scripts/{name}.sh", f'echo {name} >>../ran; exit "$(cat ../{name})"')
        self.write(f"../{name}", str(status))

    def make(self, status, count):
        self.script("../bin/make", f"mkdir -p build; echo x >build/tests.log; echo '{count}'; exit {status}")

    def run_one(self, *command):
        """What it prints last, whether it succeeded, and which of the tests it started."""
        self.write("../ran", "")
        path = f"{self.tree / '../bin'}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(command, cwd="/", env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False)
        ran = [line for line in (self.tree / "../ran").read_text().split() if line != "setup"]
        return done.stdout.splitlines()[-1], done.returncode == 0, ran

    def run_pypi(self):
        return self.run_one(self.tree / "scripts/test-pypi.sh")

    def run_if_changed(self):
        return self.run_one(self.tree / "scripts/test-pypi.sh", "--changed")

    def ci(self):
        return self.run_one(self.tree / ".ci/run")

    def test_what_has_passed_runs_again_only_after_a_change(self):
        both = ["test-package", "test-sklearn"]
        self.assertEqual(self.run_if_changed(), ("2 passed, 0 failed", True, both))
        self.assertEqual(self.run_if_changed()[1:], (True, []))
        for change in ("python/a b.py", "python/tests/stand_in/svm.txt", "python/new.py", "cmake/a.cmake", "CMakeLists.txt",
                       "pyproject.toml", "licences/a.txt", "scripts/smoke.py", "scripts/packages.txt"):
            self.write(change, "other")
            self.assertEqual(self.run_if_changed(), ("2 passed, 0 failed", True, both), change)
        (self.tree / "python/new.py").unlink()
        self.assertEqual(self.run_if_changed()[2], both)
        self.write("src/a.cpp", "other")
        self.write("python/__pycache__/a.pyc", "other")
        self.assertEqual(self.run_if_changed()[1:], (True, []))
        self.assertEqual(self.run_pypi(), ("2 passed, 0 failed", True, both))  # asked for by name it always runs

    def test_another_place_changes_nothing(self):
        self.run_pypi()
        moved = self.tree.parent / "elsewhere"
        self.tree.rename(moved)
        self.tree = moved
        self.assertEqual(self.run_if_changed()[1:], (True, []))

    @unittest.skipUnless(shutil.which("git"), "needs git")
    def test_of_a_repository_only_what_it_has_counts(self):
        self.run_pypi()
        for words in (["init", "-q"], ["add", "."]):
            subprocess.run(["git", *words], cwd=self.tree, check=True)
        self.assertEqual(self.run_if_changed()[1:], (True, []))  # the same files, the same hash
        self.write("python/beside.log", "left there")
        self.assertEqual(self.run_if_changed()[1:], (True, []))
        self.write("cmake/a.cmake", "other")
        self.assertEqual(self.run_if_changed()[2], ["test-package", "test-sklearn"])

    def test_nothing_is_kept_of_what_failed(self):
        for name, count in (("test-package", "1 passed, 1 failed"), ("test-sklearn", "1 passed, 1 failed")):
            self.ends(name, 1)
            self.assertEqual(self.run_pypi(), (count, False, ["test-package", "test-sklearn"]))
            self.assertFalse((self.tree / STAMP).exists())
            self.ends(name, 0)
        self.run_pypi()
        before = (self.tree / STAMP).read_text()
        self.write("python/a b.py", "other")
        self.ends("test-package", 1)
        self.ends("test-sklearn", 1)
        self.assertEqual(self.run_pypi()[:2], ("0 passed, 2 failed", False))
        self.assertEqual((self.tree / STAMP).read_text(), before)

    def test_a_change_while_it_runs_is_not_taken_for_what_passed(self):
        self.script("scripts/test-sklearn.sh", "echo test-sklearn >>../ran; echo other >>'python/a b.py'")
        self.assertEqual(self.run_pypi()[:2], ("2 passed, 0 failed", True))
        self.assertEqual(self.run_if_changed()[2], ["test-package", "test-sklearn"])

    def test_without_pypi_both_are_skipped(self):
        self.ends("test-package", 3)
        self.assertEqual(self.run_pypi(), ("0 passed, 0 failed, 2 skipped", True, ["test-package"]))
        self.assertFalse((self.tree / STAMP).exists())
        self.assertEqual(self.ci()[:2], ("12 passed, 0 failed, 5 skipped", True))

    def test_ci_adds_them_to_the_tests(self):
        self.assertEqual(self.ci(), ("14 passed, 0 failed, 3 skipped", True, ["test-package", "test-sklearn"]))
        self.assertEqual(self.ci(), ("12 passed, 0 failed, 3 skipped", True, []))
        self.make(2, "11 passed, 1 failed")
        self.assertEqual(self.ci(), ("11 passed, 1 failed", False, []))
        self.make(0, "12 passed, 0 failed")
        self.write("cmake/a.cmake", "other")
        self.ends("test-sklearn", 1)
        self.assertEqual(self.ci(), ("13 passed, 1 failed", False, ["test-package", "test-sklearn"]))

    def test_ci_fails_where_nothing_was_built(self):
        for status in (0, 2):
            self.script("../bin/make", f"echo no compiler; exit {status}")
            self.assertEqual(self.ci(), ("0 passed, 1 failed", False, []))


if __name__ == "__main__":
    unittest.main()
