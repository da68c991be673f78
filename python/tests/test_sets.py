"""Sets of classes, and intervals of machines that have no closed form: coverage, and the same as by hand."""
import pickle

import numpy as np
import pytest

import mercer
import mercer.svm


def drawn(rng, n):
    y = rng.choice(3, size=n, p=[0.5, 0.3, 0.2])
    X = rng.randn(n, 2) + np.array([[0, 0], [1.2, 0], [0, 1.2]])[y]
    return X, np.array(["a", "b", "c"])[y]


CLASSIFIERS = [lambda: mercer.svm.SVC(C=1.0), lambda: mercer.svm.SVC(probability=True), mercer.LinearSVC,
               mercer.KernelLogisticRegression, mercer.KernelRidgeClassifier, mercer.KernelKNNClassifier]


@pytest.mark.parametrize("make", CLASSIFIERS)
def test_sets_hold_what_is_predicted_and_about_as_many_truths_as_asked(make):
    X, y = drawn(np.random.RandomState(0), 300)
    fresh, truth = drawn(np.random.RandomState(1), 600)
    m = make().fit_with_intervals(X, y)
    np.testing.assert_array_equal(m.predict(fresh), make().fit(X, y).predict(fresh))
    sizes = []
    for coverage in (0.6, 0.8, 0.9, 0.98):
        found = pickle.loads(pickle.dumps(m)).predict_set(fresh, coverage=coverage)
        assert found.dtype == bool and found.shape == (600, 3)
        rows = np.arange(600)
        assert found[rows, np.searchsorted(m.classes_, m.predict(fresh))].all()
        inside = found[rows, np.searchsorted(m.classes_, truth)].mean()
        assert abs(inside - coverage) < 0.1 or inside > coverage  # three standard deviations, of 300 points and 600
        sizes.append(found.sum(axis=1).mean())
    assert sizes == sorted(sizes) and sizes[-1] > sizes[0]


def test_sets_are_those_of_the_errors_held_out():
    X, y = drawn(np.random.RandomState(3), 80)
    m = mercer.KernelLogisticRegression().fit_with_intervals(X, y)
    kept = m.report_["tables"]["held_out"][1]
    assert kept.shape == (80, 2) and (kept[:, 0] == 1).all()
    most = np.sort(kept[:, 1])[int(np.ceil(0.9 * 81)) - 1]
    p = m.predict_proba(X)
    above = np.array([[row[row > one + 1e-12].sum() for one in row] for row in p])
    np.testing.assert_array_equal(m.predict_set(X, coverage=0.9), above <= most + 1e-9)


def test_sets_know_what_they_cannot():
    X, y = drawn(np.random.RandomState(0), 12)
    m = mercer.svm.SVC().fit(X, y)
    with pytest.raises(ValueError, match="fit_with_intervals"):
        m.predict_set(X)
    m.fit_with_intervals(X, y)
    with pytest.raises(ValueError, match="above 0 and below 1"):
        m.predict_set(X, coverage=90)
    with pytest.warns(UserWarning, match="so few points tell no end"):
        assert m.predict_set(X, coverage=0.99).all()
    K = X @ X.T
    with pytest.raises(ValueError, match="fit with a kernel"):
        mercer.svm.SVC(kernel="precomputed").fit_with_intervals(K, y).predict_set(K)
    with pytest.raises(ValueError, match="fit_with_intervals"):
        m.fit(X, y).predict_set(X)  # the flag is gone with the fit it was for


@pytest.mark.parametrize("make", [mercer.svm.SVR, mercer.KernelKNNRegressor, mercer.NadarayaWatson,
                                  lambda: mercer.KernelRidge(alpha=0.1, kernel="rbf(ell=1)", centres=8)])
def test_intervals_of_machines_without_a_closed_form(make):
    rng = np.random.RandomState(0)
    X = rng.rand(200, 1) * 6
    y = np.sin(X[:, 0]) + 0.2 * rng.randn(200)
    fresh = rng.rand(500, 1) * 6
    with pytest.raises(ValueError, match="fit_with_intervals"):
        make().fit(X, y).predict_interval(X)
    m = make().fit_with_intervals(X, y)
    low, high = m.predict_interval(fresh, coverage=0.8)
    assert low.shape == (500,)
    truth = np.sin(fresh[:, 0]) + 0.2 * rng.randn(500)
    assert abs(((low <= truth) & (truth <= high)).mean() - 0.8) < 0.1
    errors = np.sort(np.abs(m.report_["tables"]["held_out"][1][:, 1]))
    np.testing.assert_allclose(high - low, 2 * errors[int(np.ceil(0.8 * 201)) - 1])


def test_auto_keeps_what_intervals_need():
    X, y = drawn(np.random.RandomState(0), 60)
    m = mercer.Auto(time=10, intervals=True).fit(X, y)
    assert m.predict_set(X).shape == (60, 3)
    with pytest.raises(AttributeError, match=r"won, and has no predict_set; Auto\(intervals=True\)"):
        mercer.Auto(time=10).fit(X, y).predict_set(X)
