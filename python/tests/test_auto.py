"""mercer.Auto: the race, and the estimator it ends with."""
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import mercer


def table(n=90, seed=0):
    random = np.random.default_rng(seed)
    x = random.uniform(0, 6, size=n)
    town = random.choice(["Oslo", "Rome", None], size=n)
    frame = pd.DataFrame({"id": np.arange(1, n + 1), "x": x, "town": town})
    frame.loc[4, "x"] = np.nan
    return frame, np.sin(x) + (town == "Rome") + 0.05 * random.normal(size=n)


def test_numbers_of_a_raw_frame(tmp_path):
    X, y = table()
    m = mercer.Auto(time=4).fit(X[:60], y[:60])
    assert m.task_ == "regression" and m.metric_ == "rmse" and "different numbers" in m.why_
    done = [one for one in m.race_ if one["failure"] is None]
    best = min(done, key=lambda one: one["score"])
    assert best["machine"] == m.best_estimator_.model_.machine
    assert m.score(X[60:], y[60:]) > 0.8
    m.save(tmp_path / "m.mercer")
    wanted = m.predict(X[60:])
    np.testing.assert_array_equal(mercer.load(tmp_path / "m.mercer").predict(X[60:]), wanted)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(m)).predict(X[60:]), wanted)


@pytest.mark.parametrize("kind", [str, bool, int])
def test_classes_come_back_as_they_were(kind):
    random = np.random.default_rng(1)
    X = random.normal(size=(80, 2))
    up = X[:, 0] > 0
    y = np.where(up, "up", "down") if kind is str else up.astype(kind)
    m = mercer.Auto(time=4).fit(X, y)
    assert m.task_ == "classification" and m.metric_ == "accuracy"
    assert m.predict(X).dtype.kind == y.dtype.kind and m.score(X, y) > 0.9
    np.testing.assert_array_equal(m.classes_, np.unique(y))


def test_a_task_is_taken_as_told_and_bad_input_is_refused():
    X, y = table()
    assert mercer.Auto(task="regression", time=4).fit(X, (y > 0).astype(int)).task_ == "regression"
    for target, words in ((np.zeros(90), "same in all rows"), ([f"n{i}" for i in range(90)], "all different")):
        with pytest.raises(ValueError, match=words):
            mercer.Auto().fit(X, target)
    with pytest.raises(ValueError, match="classification or regression"):
        mercer.Auto(task="guess").fit(X, y)
    with pytest.raises(ValueError, match="above 0"):
        mercer.Auto(time=0).fit(X, y)
    with pytest.raises(ValueError, match="5 rows"):
        mercer.Auto().fit(X[:5], y[:5])
    assert clone(mercer.Auto(time=3)).get_params()["time"] == 3



def test_probabilities_and_intervals_are_those_of_the_best():
    assert not hasattr(mercer.Auto(), "predict_proba")
    random = np.random.default_rng(2)
    x = random.uniform(0, 6, size=(120, 1))
    y = np.sin(x[:, 0]) + 0.1 * random.normal(size=120)
    m = mercer.Auto(time=20, intervals=True).fit(x[:80], y[:80])
    assert m.best_estimator_.model_.machine in ("ridge", "gp", "svr")  # the others cannot follow a sine
    assert not hasattr(m, "predict_proba")
    low, high = m.predict_interval(x[80:], coverage=0.9)
    inside = (low <= y[80:]) & (y[80:] <= high)
    assert 0.7 < inside.mean() and (high - low).mean() < 0.6  # 3.3 deviations of the noise are 0.33
    m.best_estimator_ = mercer.SVR().fit(x, y)
    with pytest.raises(AttributeError, match=r"won, and has no predict_interval; Auto\(intervals=True\)"):
        m.predict_interval(x)
    # Classes that overlap, for which a machine with probabilities is put in the place of the best.
    side = x[:, 0] + 0.5 * random.normal(size=120) > 3
    m = mercer.Auto(time=4).fit(x, side)
    m.best_estimator_ = mercer.KernelLogisticRegression(kernel="rbf(ell=2)").fit(x, side)
    np.testing.assert_array_equal(m.predict_proba(x), m.best_estimator_.predict_proba(x))
    with pytest.raises(AttributeError, match="KernelLogisticRegression won, and has no predict_interval"):
        m.predict_interval(x)
