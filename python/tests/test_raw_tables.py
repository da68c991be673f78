"""Tables as people have them: gaps, categories, dates, truth values, ids, in frames of any library."""
import copy
import datetime
import os
import pickle
import subprocess
import types
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

import mercer


def raw(n=60, seed=0):
    random = np.random.default_rng(seed)
    age = random.normal(40, 12, size=n).round(1)
    town = random.choice(["Oslo", "Rome", "Lima"], size=n)
    member = random.random(n) < 0.5
    since = pd.Timestamp("2015-01-01") + pd.to_timedelta(random.integers(0, 1500, size=n), unit="D")
    size = pd.Categorical(random.choice(["S", "M", "XL"], size=n), categories=["S", "M", "XL"], ordered=True)
    frame = pd.DataFrame({"id": np.arange(1, n + 1), "age": age, "town": town, "member": member, "since": since,
                          "size": size, "visits": pd.array(random.integers(0, 9, size=n), dtype="Int64")})
    score = (age - 40) / 12 + 2.0 * (town == "Rome") - member + 0.5 * size.codes
    frame.loc[3, "age"] = np.nan
    frame.loc[5, "visits"] = pd.NA
    frame.loc[7, "town"] = None
    return frame, score


def fitted(estimator, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return estimator.fit(X, y)


@pytest.fixture
def command():
    program = Path(os.environ.get("MERCER_BUILD", "")) / "mercer"
    if not program.is_file():
        pytest.skip("MERCER_BUILD does not name a folder with the command")
    return lambda *words: subprocess.run([program, *map(str, words)], check=True, capture_output=True, text=True).stdout


def test_a_raw_frame_is_fitted_and_what_is_left_out_is_said_once():
    X, score = raw()
    with pytest.warns(UserWarning, match="columns left out: id, id") as said:
        model = mercer.SVC(C=10).fit(X, np.where(score > 0.5, "high", "low"))
    assert len(said) == 1
    assert model.score(X, np.where(score > 0.5, "high", "low")) > 0.9
    assert list(model.feature_names_in_) == list(X.columns) and model.n_features_in_ == 7
    kinds = {name: kind for name, kind, _, _ in model._inputs.columns}
    assert kinds == {"id": "id", "age": "number", "town": "category", "member": "yes/no", "since": "date",
                     "size": "ordered", "visits": "count"}


# What the inputs are, worked out here by hand.
def test_inputs_are_those_that_the_rules_say():
    frame = pd.DataFrame({"a": [1.0, 2.0, np.nan, 4.0], "c": pd.Categorical(["x", "y", "z", "x"])})
    model = fitted(mercer.KernelRidge(kernel="linear"), frame, [0.0, 1, 2, 3])
    X = model.X_fit_
    filled = np.array([1, 2, 7 / 3, 4])
    root = 1 / np.sqrt(2)
    expected = np.column_stack([(filled - filled.mean()) / filled.std(), [0, 0, 1, 0],
                                np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]) * root])
    np.testing.assert_allclose(X, expected, atol=1e-15)


def test_numbers_alone_are_fitted_as_before_bit_for_bit():
    random = np.random.default_rng(1)
    frame = pd.DataFrame({"id": np.arange(40), "b": random.random(40) < 0.5, "x": random.normal(size=40) * 100})
    y = random.normal(size=40)
    ours = mercer.KernelRidge(kernel="rbf", gamma=0.01).fit(frame, y)
    plain = mercer.KernelRidge(kernel="rbf", gamma=0.01).fit(frame.to_numpy(dtype=float), y)
    np.testing.assert_array_equal(ours.predict(frame), plain.predict(frame.to_numpy(dtype=float)))
    assert ours._inputs is None


@pytest.mark.parametrize("estimator", mercer._base.all_estimators(), ids=lambda one: one.__name__)
@pytest.mark.filterwarnings("ignore")
def test_every_estimator_takes_raw_frames(estimator):
    X, score = raw(40)
    one = estimator()
    y = np.where(score > 0.5, "high", "low") if getattr(one, "_estimator_type", "") == "classifier" else score
    one.fit(X, y.reshape(-1, 1) if isinstance(one, mercer.KernelCCA) else y)
    assert one._inputs is not None and one.n_features_in_ == 7
    ask = next(getattr(one, name) for name in ("predict", "transform", "score_samples") if hasattr(one, name))
    np.testing.assert_array_equal(ask(X[X.columns[::-1]]), ask(X))


def test_other_orders_columns_levels_and_gaps_are_said_and_not_refused():
    X, score = raw()
    model = fitted(mercer.KernelRidge(kernel="rbf", gamma=0.1, alpha=0.1), X, score)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # gaps where the training table had some are nothing new
        plain = model.predict(X)
        np.testing.assert_array_equal(model.predict(X[X.columns[::-1]]), plain)
    new = X.assign(note="hello")
    new.loc[0, "town"] = "Paris"
    new.loc[1, "size"] = None
    with pytest.warns(UserWarning) as said:
        other = model.predict(new)
    assert len(said) == 1 and "\n" not in str(said[0].message)
    for words in ("1 gap filled from the training data, of numbers by the mean: 1 in size", '1 in town (such as "Paris")', "passed over: note"):
        assert words in str(said[0].message)
    np.testing.assert_array_equal(other[2:], plain[2:])
    with pytest.raises(ValueError, match='column "town" is missing'):
        model.predict(X.drop(columns="town"))
    with pytest.raises(ValueError, match="fitted to a table"):
        model.predict(np.zeros((2, 7)))


def test_dtypes_say_what_a_column_is():
    n = 30
    frame = pd.DataFrame({
        "code": pd.Categorical(np.arange(n) % 5), "flag": pd.array([True, False, None] * 10, dtype="boolean"),
        "level": pd.Categorical(np.array(["lo", "hi", "mid"])[np.arange(n) % 3], ["lo", "mid", "hi"], ordered=True),
        "day": [datetime.date(2020, 1, 1) + datetime.timedelta(days=i) for i in range(n)],
        "wait": pd.to_timedelta(np.arange(n) * 12, unit="h"), "real": pd.array(np.arange(n) / 7, dtype="Float64"),
        "zone": pd.date_range("2021-03-01", periods=n, freq="D", tz="Europe/Oslo"),
        "once": [datetime.date(2020, 1, 1)] * n, "word": pd.array(["a b", "c"] * 15, dtype="string")})
    model = fitted(mercer.KernelRidge(), frame, np.arange(n, dtype=float))
    kinds = {name: kind for name, kind, _, _ in model._inputs.columns}
    assert kinds == {"code": "category", "flag": "yes/no", "level": "ordered", "day": "date", "wait": "number",
                     "real": "number", "zone": "date", "once": "constant", "word": "yes/no"}
    assert dict((name, why) for name, _, why, _ in model._inputs.columns)["level"].endswith("lo < mid < hi")


def test_scikit_learns_contract_holds():
    X, score = raw()
    y = np.where(score > 0.5, "high", "low")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        search = GridSearchCV(mercer.SVC(), {"C": [1, 10]}, cv=3, error_score="raise").fit(X, y)
        assert search.best_score_ > 0.6
        piped = make_pipeline("passthrough", mercer.KernelRidge(kernel="rbf", gamma=0.1)).fit(X, score)
        assert np.isfinite(cross_val_score(piped, X, score, cv=3, error_score="raise")).all()
        model = search.best_estimator_
        again = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(again.predict(X), model.predict(X))
        np.testing.assert_array_equal(copy.deepcopy(model).predict(X), model.predict(X))
        assert not hasattr(clone(model), "model_") and clone(model)._inputs is None
        model.fit(X[["age"]].fillna(1.0), y)  # numbers alone now
        assert model._inputs is None and list(model.feature_names_in_) == ["age"]


def test_files_hold_the_table_for_the_command_and_back(command, tmp_path):
    X, score = raw()
    X = X.drop(columns="since")
    X.assign(score=score).to_csv(tmp_path / "d.csv", index=False)
    model = fitted(mercer.KernelRidge(kernel="rbf", gamma=0.1, alpha=0.1), X, score)
    model.save(tmp_path / "m.mercer")
    said = [float(line) for line in command("predict", tmp_path / "m.mercer", tmp_path / "d.csv").split()[1:]]
    np.testing.assert_allclose(said, model.predict(X), rtol=1e-9)
    again = mercer.load(tmp_path / "m.mercer")
    np.testing.assert_allclose(again.predict(X), model.predict(X), rtol=1e-12)
    command("fit", "ridge", tmp_path / "d.csv", "--target", "score", "-o", tmp_path / "c.mercer")
    theirs = [float(line) for line in command("predict", tmp_path / "c.mercer", tmp_path / "d.csv").split()[1:]]
    np.testing.assert_allclose(mercer.load(tmp_path / "c.mercer").predict(X), theirs, rtol=1e-9)


def test_a_kernel_may_name_columns_as_the_frame_does():
    X, score = raw()
    X["note"] = [f"word{i % 7} and some{i % 5} more" for i in range(len(X))]
    kernel = "on(age, rbf(ell=1)) + on(town, rbf(ell=1)) + on(note, normalize(spectrum(k=3)))"
    model = fitted(mercer.KernelRidge(kernel=kernel, alpha=0.1), X, score)
    assert model.score(X, score) > 0.7
    whole = pd.DataFrame({"age": np.arange(30.0), "town": ["u", "v", "w"] * 10, "note": [f"a{i} b{i % 4}" for i in range(30)]})
    assert fitted(mercer.KernelRidge(kernel=kernel, alpha=0.1), whole, np.arange(30.0))._inputs is not None  # without gaps
    with pytest.warns(UserWarning, match="note, dropped .*the kernel takes numbers"):
        mercer.KernelRidge(kernel="rbf").fit(X, score)


# Frames of other libraries, as far as they are asked: pyarrow's and polars' own methods, from lists of Python.
class Arrow:
    def __init__(self, columns):
        self._columns = columns
        self.column_names, self.num_rows = list(columns), len(next(iter(columns.values())))

    def __len__(self):
        return self.num_rows

    def column(self, i):
        values = self._columns[self.column_names[i]]
        return types.SimpleNamespace(to_pylist=lambda: values, type=None)

    def to_pydict(self):
        return self._columns


class Polars:
    def __init__(self, columns):
        self._columns = columns
        self.columns = list(columns)

    def __len__(self):
        return len(next(iter(self._columns.values())))

    def get_columns(self):
        return [types.SimpleNamespace(to_list=lambda values=values: values, dtype=None) for values in self._columns.values()]

    def to_dict(self):
        return self._columns


@pytest.mark.parametrize("library", [Arrow, Polars])
def test_frames_of_other_libraries_give_the_same_model(library):
    X, score = raw()
    X = X.drop(columns="size")  # categories have types of their own there
    lists = {name: [None if pd.isna(one) else one for one in X[name].astype(object)] for name in X.columns}
    lists["since"] = [one.to_pydatetime() for one in X["since"]]
    ours = fitted(mercer.KernelRidge(kernel="rbf", gamma=0.1), X, score)
    other = fitted(mercer.KernelRidge(kernel="rbf", gamma=0.1), library(lists), score)
    np.testing.assert_array_equal(other.predict(library(lists)), ours.predict(X))
    np.testing.assert_array_equal(ours.predict(library(lists)), ours.predict(X))


def test_what_cannot_be_decided_is_one_line():
    X, score = raw()
    with pytest.raises(ValueError, match="one row"):
        mercer.SVC().fit(X[:1], ["a"])
    slip = pd.DataFrame({"a": [str(i) for i in range(30)] + ["x1"], "b": ["u", "v", "w"] * 10 + ["u"]})
    with pytest.raises(ValueError, match=r"\"x1\" is not a number.*X.replace\('x1', None\)") as told:
        mercer.KernelRidge().fit(slip, np.arange(31.0))
    assert "\n" not in str(told.value)
    twice = X.rename(columns={"age": "town"})
    with pytest.raises(ValueError, match='two columns called "town"'):
        mercer.KernelRidge().fit(twice, score)
