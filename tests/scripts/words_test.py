#!/usr/bin/env python3
"""The library names arguments in back quotes (mercer/wording.hpp); how users write them is said by the doors alone.

Reports are a door: reproduce.cpp and worries.cpp tell what to type.
"""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOR_SHELLS = {"src/report/reproduce.cpp", "src/report/worries.cpp"}
OPTION = re.compile(r'"(?:[^"\\]|\\.)*(?<![\w-])--[a-z](?:[^"\\]|\\.)*"')
QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
ARGUMENT = re.compile(r"`([a-z_]+)(?:=[^`]*)?`")


def sources():
    for folder in ("src", "include"):
        for file in sorted((ROOT / folder).rglob("*")):
            if file.suffix in {".cpp", ".hpp"}:
                yield str(file.relative_to(ROOT)), [re.sub(r"//.*", "", line) for line in file.read_text().splitlines()]


class Words(unittest.TestCase):
    def test_the_library_knows_no_option_of_the_command(self):
        for name, lines in sources():
            if name not in FOR_SHELLS:
                self.assertEqual([line.strip() for line in lines if OPTION.search(line)], [], name)

    def test_an_option_is_seen(self):
        for line in ('fail("--target: none")', 'x + ": --weights"', '"say --header yes"'):
            self.assertTrue(OPTION.search(line), line)
        for line in ('"a--b"', 'i--; "x"', '"mercer --1"'):
            self.assertFalse(OPTION.search(line), line)

    def test_what_is_in_back_quotes_is_spelled(self):
        text = (ROOT / "src/base/wording.cpp").read_text()
        known = set(re.findall(r'"([a-z_]+)"', text[text.index("kArguments"):text.index("}  // namespace")]))
        self.assertIn("target", known)
        named = set()
        for name, lines in sources():
            for line in lines:
                for literal in QUOTED.findall(line):
                    named.update(ARGUMENT.findall(literal))
        named -= {"depth"}  # of ntk(), in its theorem
        self.assertEqual(named - known, set())
        self.assertGreater(len(named), 15)


if __name__ == "__main__":
    unittest.main()
