"""The Python of the guide and of the README runs as it stands: top to bottom, in a fresh interpreter."""
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

# What follows >>> must answer as shown; other blocks must run. All share one namespace, as a reader's session does.
READER = """
import doctest, sys
names, parser, runner = {"__name__": "__main__"}, doctest.DocTestParser(), doctest.DocTestRunner(verbose=False)
for number, block in enumerate(sys.stdin.read().split("\\0"), 1):
    if ">>>" not in block:
        exec(compile(block, f"block {number}", "exec"), names)
        continue
    test = parser.get_doctest(block, names, f"block {number}", None, 0)
    runner.run(test, clear_globs=False)
    names.update(test.globs)
sys.exit(runner.failures > 0)
"""


def python_blocks(text):
    return re.findall(r"^```python\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)


def read(blocks, cwd):
    return subprocess.run([sys.executable, "-c", READER], input="\0".join(blocks), cwd=cwd, text=True,
                          capture_output=True, env={**os.environ, "MPLBACKEND": "Agg"})


@pytest.mark.parametrize("page", ["README.md", "docs/python.md", "docs/tables.md"])
def test_python_of_the_page_runs(page, tmp_path):
    blocks = python_blocks((ROOT / page).read_text())
    assert blocks
    done = read(blocks, tmp_path)
    assert done.returncode == 0 and done.stderr == "", done.stdout + done.stderr


def test_a_page_that_lies_is_noticed(tmp_path):
    assert read(["x = 1\n", ">>> x\n2\n"], tmp_path).returncode == 1
    assert "NameError" in read(["missing\n"], tmp_path).stderr
    assert read(["x = 1\n", ">>> x\n1\n", "assert x == 1\n"], tmp_path).returncode == 0
