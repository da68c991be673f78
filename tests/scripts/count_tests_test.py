"""scripts/test.sh closes with the numbers of cases that passed, failed and were skipped, whatever became of the programs."""
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def gtest(cases, *lines):
    """A program that prints as gtest does."""
    return [f"[==========] Running {cases} tests from 1 test suite.", *lines]


class CountTests(unittest.TestCase):
    def count(self, **programs):
        """What test.sh prints last of tests by name, each the lines that it prints and the shell command that ends it."""
        with tempfile.TemporaryDirectory() as folder:
            tests = []
            for name, (lines, end) in programs.items():
                script = pathlib.Path(folder) / f"{name}.sh"
                script.write_text("\n".join([f"echo '{line}'" for line in lines] + [end]))
                tests.append(f'add_test({name} sh "{script}")\nset_tests_properties({name} PROPERTIES TIMEOUT 1)\n')
            (pathlib.Path(folder) / "CTestTestfile.cmake").write_text("".join(tests))
            done = subprocess.run([ROOT / "scripts/test.sh", folder], capture_output=True, text=True, check=False)
        ended = [line for line in done.stdout.splitlines() if line.startswith("failed")]
        return done.returncode == 0, ended, done.stdout.splitlines()[-1]

    def test_cases_are_counted_beside_plain_tests(self):
        cases = gtest(3, "[       OK ] A.a (1 ms)", "half a line[       OK ] A.b (0 ms)", "[  SKIPPED ] A.c (0 ms)",
                      "[  PASSED  ] 2 tests.", "[  SKIPPED ] 1 test, listed below:", "[  SKIPPED ] A.c")
        self.assertEqual(self.count(many=(cases, "true"), plain=([], "true")), (True, [], "3 passed, 0 failed, 1 skipped"))

    def test_a_failed_case_is_named(self):
        cases = gtest(2, "[ RUN      ] A.a", "[       OK ] A.a (1 ms)", "[ RUN      ] A.b",
                      "[  FAILED  ] A.b, where GetParam() = 7 (0 ms)", "[  FAILED  ] A.b, where GetParam() = 7")
        self.assertEqual(self.count(many=(cases, "false"), plain=([], "false")),
                         (False, ["failed: A.b"], "1 passed, 2 failed"))

    def test_cases_after_a_crash_have_failed(self):
        cases = gtest(5, "[ RUN      ] A.a", "[       OK ] A.a (1 ms)", "[ RUN      ] A.b")
        for end in ("kill -SEGV $$", "exec sleep 20"):
            self.assertEqual(self.count(many=(cases, end)),
                             (False, ["failed, and ended its program: A.b"], "1 passed, 4 failed"))

    def test_a_program_that_fails_after_its_cases_has_failed(self):
        self.assertEqual(self.count(many=(gtest(1, "[       OK ] A.a (1 ms)"), "kill -ABRT $$")),
                         (False, [], "1 passed, 1 failed"))

    def test_cases_of_pytest(self):
        self.assertEqual(self.count(many=(["..s.", "12 passed, 1 skipped, 3 warnings in 1.20s"], "true"), plain=([], "true")),
                         (True, [], "13 passed, 0 failed, 1 skipped"))
        self.assertEqual(self.count(many=(["F.x", "2 failed, 5 passed, 1 xfailed, 1 error in 61.20s (0:01:01)"], "false")),
                         (False, [], "6 passed, 3 failed"))
        self.assertEqual(self.count(many=(["ERROR x.py", "1 error in 0.20s"], "exit 2")), (False, [], "0 passed, 1 failed"))

    def test_no_test_at_all_is_a_failure(self):
        self.assertEqual(self.count(), (False, [], "0 passed, 0 failed"))


if __name__ == "__main__":
    unittest.main()
