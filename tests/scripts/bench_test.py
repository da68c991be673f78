#!/usr/bin/env python3
"""The list of benches, and that their modules call what there is: they run for hours, and only where their peers are."""
import ast
import contextlib
import inspect
import io
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import performance  # noqa: E402
import run  # noqa: E402
from figures import Figures  # noqa: E402


def cases():
    """(bench, case) of mercer_bench, as the rows in the sources have them."""
    out = set()
    for file in (ROOT / "bench").glob("*_bench.cpp"):
        row = re.search(r"Bench \w+_bench\(\) \{(.*)", file.read_text(), re.DOTALL)
        names = re.findall(r'\{+\s*"(\w+)"', row.group(1)) if row else []
        out |= {(names[0], case) for case in names[1:]}
    return out


def calls(module):
    return [node for node in ast.walk(ast.parse((ROOT / "bench" / f"{module}.py").read_text())) if isinstance(node, ast.Call)]


def name_of(function):
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", None)


class BenchTest(unittest.TestCase):
    def test_every_row_has_its_module(self):
        for bench in run.BENCHES:
            tree = ast.parse((ROOT / "bench" / f"{bench.module}.py").read_text())
            self.assertIn("main", [node.name for node in tree.body if isinstance(node, ast.FunctionDef)], bench.name)

    def test_the_page_takes_what_benches_write(self):
        self.assertLessEqual(set(performance.SECTIONS), {bench.name for bench in run.BENCHES})

    def test_cases_of_the_program_are_there(self):
        known, asked = cases(), set()
        for bench in run.BENCHES:
            for call in calls(bench.module):
                words = [word.value if isinstance(word, ast.Constant) else ast.unparse(word) for word in call.args]
                if name_of(call.func) == "run" and words[0] in ("program", "options.program"):
                    asked.add(tuple(words[1:3]))
        self.assertGreater(len(asked), 15)
        self.assertLessEqual(asked, known)

    def test_figures_have_what_a_row_takes(self):
        most = len(inspect.signature(Figures().row).parameters)
        for bench in run.BENCHES:
            for call in calls(bench.module):
                if name_of(call.func) == "row":
                    self.assertTrue(4 <= len(call.args) <= most, f"{bench.module}.py, line {call.lineno}")

    def test_names_are_listed_and_others_refused(self):
        for words, expected in (["--list"], "busy loops"), (["nonsense"], None):
            out = io.StringIO()
            sys.argv = ["run.py", *words]
            with contextlib.redirect_stdout(out):
                if expected is None:
                    with self.assertRaisesRegex(SystemExit, "which bench"):
                        run.main()
                else:
                    run.main()
                    self.assertIn(expected, out.getvalue())


if __name__ == "__main__":
    unittest.main()
