"""Every example runs to its end, says something, and draws its picture."""
import os
import subprocess
import sys
from pathlib import Path

import matplotlib.image
import pytest

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))


@pytest.mark.parametrize("script", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs(script, tmp_path):
    picture = tmp_path / "picture.png"
    done = subprocess.run([sys.executable, script, picture], cwd=tmp_path, text=True,
                          capture_output=True, env={**os.environ, "MPLBACKEND": "Agg"})
    assert done.returncode == 0, done.stderr
    assert "Warning" not in done.stderr, done.stderr
    assert len(done.stdout.splitlines()) >= 3
    assert matplotlib.image.imread(picture).std() > 0.05


def test_there_are_examples():
    assert len(EXAMPLES) >= 5
