#!/usr/bin/env python3
"""The pages say what is there: links, paths, versions, C++ that compiles, and the commands of the README.

usage: docs_test.py [MERCER]; without the command only what needs no command. CXX names the compiler.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]
MERCER = str(pathlib.Path(sys.argv.pop(1)).resolve()) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else None


def anchors(text):
    """Of the headings of a page, as they are linked to."""
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in re.findall(r"(?m)^#+ (.*)$", text)}


def shell_commands(text):
    """The lines of the blocks marked sh, those that end in a backslash joined with the next."""
    blocks = re.findall(r"^```sh\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.replace("\\\n", " ").splitlines() if line.strip()]


class Pages(unittest.TestCase):
    def test_links_lead_somewhere(self):
        for page in PAGES:
            for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
                if link.startswith(("http:", "https:")):
                    continue
                name, _, anchor = link.partition("#")
                target = page.parent / name if name else page
                self.assertTrue(target.exists(), f"{page.name}: {link}")
                if anchor and target.suffix == ".md":
                    self.assertIn(anchor, anchors(target.read_text()), f"{page.name}: {link}")

    def test_files_that_are_named_exist(self):
        places = ("src", "include", "tests", "python", "cli", "studio", "scripts", "bench", "cmake", "examples", "docs", "data", "web")
        for page in PAGES:
            if page.name == "CHANGELOG.md":  # history
                continue
            for path in re.findall(rf"`((?:{'|'.join(places)})/[\w./-]+)`", page.read_text()):
                if not re.search(r"NAME|KIND", path):
                    self.assertTrue((ROOT / path).exists(), f"{page.name}: {path}")

    def test_the_newest_version_is_that_of_the_program(self):
        newest = re.search(r"(?m)^## \[(\d[\d.]*)\]", (ROOT / "CHANGELOG.md").read_text()).group(1)
        cmake = re.search(r"project\(Mercer VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
        self.assertEqual(newest, cmake)
        asked = re.findall(r"find_package\(Mercer ([\d.]+)", "".join(page.read_text() for page in PAGES))
        self.assertEqual(set(asked), {cmake.rsplit(".", 1)[0]})

    def test_their_cpp_compiles(self):
        """All blocks of a page as one program, without the lines that say that they do not."""
        for page in PAGES:
            code = "".join(re.findall(r"^```cpp\n(.*?)^```", page.read_text(), flags=re.MULTILINE | re.DOTALL))
            lines = [line for line in code.splitlines() if not re.match(r"#include|using namespace mercer;|.*= .*// does not compile", line)]
            if not lines:
                continue
            program = "\n".join(["#include <mercer/mercer.hpp>", "#include <cstdio>", "using namespace mercer;", "int main() {", *lines, "}"])
            done = subprocess.run([os.environ.get("CXX", "c++"), "-std=c++20", "-fsyntax-only", "-I", str(ROOT / "include"), "-x", "c++", "-"],
                                  input=program, text=True, capture_output=True)
            self.assertEqual(done.returncode, 0, f"{page.name}\n{done.stderr}")

    def test_what_was_measured_to_decide_stands_in_performance(self):
        self.assertTrue((ROOT / "docs/performance.md").read_text().endswith((ROOT / "bench/decisions.md").read_text()))


def transcripts(text):
    """Of the blocks that show commands after `$`: each command, and the lines below it."""
    for block in re.findall(r"(?m)(?:^    .*\n)+", text):
        shown = []
        for line in block.splitlines():
            if line.startswith("    $ "):
                shown.append((line[6:], []))
            elif shown:
                shown[-1][1].append(line[4:])
        if shown:
            yield shown


@unittest.skipIf(MERCER is None, "no command given")
class Commands(unittest.TestCase):
    def setUp(self):
        """A folder that has the data of the repository and three files of a reader's own."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.place = pathlib.Path(folder.name)
        (self.place / "bin").mkdir()
        (self.place / "bin/mercer").symlink_to(MERCER)
        shutil.copytree(ROOT / "data", self.place / "data")
        moons = (self.place / "data/toys/two_moons.csv").read_text().splitlines()
        (self.place / "new.csv").write_text("\n".join(line.rsplit(",", 1)[0] for line in moons[:10]) + "\n")
        (self.place / "before.csv").write_text("\n".join(moons[0:1] + moons[1::2]) + "\n")
        (self.place / "after.csv").write_text("\n".join(moons[0:1] + moons[2::2]) + "\n")

    def run_line(self, line):
        path = f"{self.place / 'bin'}{os.pathsep}{os.environ['PATH']}"
        return subprocess.run(["sh", "-c", line], cwd=self.place, env={**os.environ, "PATH": path}, text=True,
                              capture_output=True, timeout=120)

    def test_those_of_the_readme_run(self):
        ran = 0
        for line in shell_commands((ROOT / "README.md").read_text()):
            if "mercer " not in line or line.startswith(("make ", "mercer studio")):
                continue
            done = self.run_line(line)
            self.assertEqual(done.returncode, 1 if "# not a kernel" in line else 0, f"{line}\n{done.stdout}{done.stderr}")
            ran += 1
        self.assertGreater(ran, 10)

    def test_the_readme_names_every_kernel_and_machine(self):
        named = set(re.findall(r"`([a-z_0-9]+)[`(]", (ROOT / "README.md").read_text()))
        for catalog, written_otherwise in (("kernels", {"sum", "product", "scale", "power"}), ("machines", set())):
            rows = {row["name"] for row in json.loads(self.run_line(f"mercer {catalog} --json").stdout)}
            self.assertEqual(rows - named - written_otherwise, set(), catalog)

    def test_what_a_page_shows_is_what_they_print(self):
        ran = 0
        for page in PAGES:
            for block in transcripts(page.read_text()):
                for command, shown in block:
                    done = self.run_line(command)
                    self.assertEqual(done.stdout.splitlines(), shown, f"{page.name}: {command}\n{done.stderr}")
                    ran += 1
        self.assertGreater(ran, 0)


if __name__ == "__main__":
    unittest.main()
