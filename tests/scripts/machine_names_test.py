#!/usr/bin/env python3
"""What a machine can do is asked of its row, its model or its reading: no room above the machines compares their names.

usage: machine_names_test.py MERCER
"""
import json
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
MERCER = sys.argv.pop(1)
ROOMS = ["src/model", "src/selection", "src/data", "src/workflow", "src/report", "studio", "cli"]


def names():
    listed = subprocess.run([MERCER, "machines", "--json"], check=True, capture_output=True, text=True).stdout
    return [one["name"] for one in json.loads(listed)]


def comparisons(text, known):
    """Lines of a source that compare with one of the names, or look one up in what is no catalog."""
    name = f'"(?:{"|".join(map(re.escape, known))})"'
    compare = re.compile(rf"(?:[=!]=\s*(?:std::string(?:_view)?\()?{name})|(?:{name}\s*[=!]=)|"
                         rf"(?:machine\b[^;]*\.(?:starts_with|ends_with|compare|find)\(\s*{name})")
    return [line.strip() for line in text.splitlines() if compare.search(line)]


class MachineNames(unittest.TestCase):
    def test_nobody_compares_them(self):
        known = names()
        self.assertGreater(len(known), 20)
        for room in ROOMS:
            files = [f for f in sorted((ROOT / room).rglob("*")) if f.suffix in {".cpp", ".hpp"}]
            self.assertTrue(files, room)
            for file in files:
                self.assertEqual(comparisons(file.read_text(), known), [], str(file.relative_to(ROOT)))

    def test_a_comparison_is_seen(self):
        for line in ('if (model.parts().machine == "gp") {', 'return name != "svr";', 'x = "ridge" == name;',
                     'machine.starts_with("svc")', 'name == std::string_view("kde")'):
            self.assertEqual(comparisons(f"a;\n  {line}\nb;", ["gp", "svr", "ridge", "svc", "kde"]), [line])
        for line in ('fit("ridge", {})', 'report.figure("ridge")', 'loss == "hinge"'):
            self.assertEqual(comparisons(line, ["gp", "ridge"]), [])


if __name__ == "__main__":
    unittest.main()
