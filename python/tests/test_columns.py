"""Names of columns: those that data have are held to, those that only count columns are not."""
import os
import subprocess
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import mercer
from mercer import _core
from mercer._points import as_points


@pytest.fixture
def command():
    program = Path(os.environ.get("MERCER_BUILD", "")) / "mercer"
    if not program.is_file():
        pytest.skip("MERCER_BUILD does not name a folder with the command")
    return lambda *words: subprocess.run([program, *map(str, words)], check=True, capture_output=True, text=True).stdout


def points(n=30):
    X = np.random.default_rng(1).normal(size=(n, 2)) * [5, 1] + [100, 0]
    return X, np.where(X[:, 0] > 100, "b", "a")


def test_names_of_the_form_x1_are_names():
    X, y = points()
    frame = pd.DataFrame(X, columns=["x1", "x2"])
    fitted = mercer.SVC(kernel="rbf(ell=2)").fit(frame, y)
    with pytest.raises(ValueError, match="(?i)feature names"):
        fitted.predict(frame[["x2", "x1"]])
    with pytest.raises(ValueError, match="(?i)feature names"):
        fitted.predict(frame.rename(columns={"x1": "x3", "x2": "x7"}))


def test_names_of_mixed_tables_are_held_to():
    frame = pd.DataFrame({"x1": ["ab", "ba", "aa", "bb"] * 3, "x2": np.arange(12.0)})
    kernel = "on(x1, spectrum(k=1)) + on(x2, rbf(ell=2))"
    fitted = mercer.SVC(kernel=kernel).fit(frame, ["p", "q"] * 6)
    with pytest.raises(ValueError, match="where the model expects"):
        fitted.predict(frame[["x2", "x1"]])
    with pytest.raises(ValueError, match='"x1" is missing'):
        fitted.predict(frame.rename(columns={"x1": "x9"}))


def test_two_tables_of_one_kernel_have_one_order():
    a, b = pd.DataFrame({"a": [1.0, 3], "b": [2.0, 5]}), pd.DataFrame({"b": [2.0, 5], "a": [1.0, 3]})
    with pytest.raises(ValueError):
        mercer.linear()(a, b)
    with pytest.raises(ValueError, match='column 1 is "a"'):
        mercer.linear()._core.cross(as_points(a), as_points(b))


def test_a_model_of_a_file_without_header_takes_arrays_and_frames(command, tmp_path):
    X, y = points()
    lines = [f"{label},{a!r},{b!r}" for (a, b), label in zip(X.tolist(), y)]
    (tmp_path / "d.csv").write_text("\n".join(lines) + "\n")
    command("fit", "svc", tmp_path / "d.csv", "--target", "1", "--kernel", "on(x2, rbf(ell=1)) + on(x3, linear())",
            "-o", tmp_path / "m.mercer")
    said = command("predict", tmp_path / "m.mercer", tmp_path / "d.csv").split()[1:]
    loaded = mercer.load(tmp_path / "m.mercer")
    assert not hasattr(loaded, "feature_names_in_")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(loaded.predict(X), said)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.testing.assert_array_equal(loaded.predict(pd.DataFrame(X, columns=["u", "v"])), said)


def test_a_density_is_one_in_the_units_of_the_data(command, tmp_path):
    (tmp_path / "d.csv").write_text("x\n" + "".join(f"{1000 * i}\n" for i in range(1, 10)))
    command("fit", "kde", tmp_path / "d.csv", "--kernel", "rbf(ell=0.4)", "-o", tmp_path / "m.mercer")
    model = _core.Model.load(str(tmp_path / "m.mercer"))
    grid = np.arange(-8000.0, 18000.0, 20).reshape(-1, 1)
    for density in (model.predict(as_points(grid)), model.scores(as_points(grid))):
        assert density.sum() * 20 == pytest.approx(1, abs=1e-6)
