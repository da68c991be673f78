"""LinearSVC and LinearSVR beside scikit-learn's, which is LIBLINEAR, and beside the problems they state."""
import numpy as np
import pytest
from scipy import sparse
from sklearn import svm as peer
from sklearn.datasets import load_iris, make_classification, make_regression

import mercer

TIGHT = {"tol": 1e-9, "max_iter": 200_000}


def classes(count):
    X, y = make_classification(200, 6, n_informative=4, n_classes=count, class_sep=0.7, random_state=3)
    return X, np.array(["a", "b", "c"])[y]


@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("more", [{}, {"fit_intercept": False}, {"intercept_scaling": 5.0},
                                  {"class_weight": "balanced"}, {"class_weight": {"a": 3.0}}])
def test_weights_are_those_of_liblinear(count, loss, more):
    X, y = classes(count)
    if "class_weight" in more and count > 2:  # LIBLINEAR weighs a class only where it is the one against the rest
        y = np.where(y == "a", "a", "b")
    ours = mercer.LinearSVC(C=0.3, loss=loss, **more, **TIGHT).fit(X, y)
    theirs = peer.LinearSVC(C=0.3, loss=loss, dual=True, random_state=0, **more, **TIGHT).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)
    bias = np.broadcast_to(theirs.intercept_, len(ours.coef_))
    np.testing.assert_allclose(ours.intercept_, bias, atol=1e-5)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-4)
    scores = ours.decision_function(X)
    assert (ours.predict(X) == ours.classes_[scores.argmax(axis=1) if scores.ndim > 1 else (scores > 0).astype(int)]).all()
    np.testing.assert_allclose(scores, np.squeeze(X @ ours.coef_.T + ours.intercept_), atol=1e-12)


@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
def test_regression_is_that_of_liblinear(loss):
    X, y = make_regression(150, 5, noise=3.0, random_state=1)
    ours = mercer.LinearSVR(C=2.0, epsilon=0.5, loss=loss, **TIGHT).fit(X, y)
    theirs = peer.LinearSVR(C=2.0, epsilon=0.5, loss=loss, dual=True, random_state=0, **TIGHT).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=2e-4)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=2e-4)
    np.testing.assert_allclose(ours.predict(X), X @ ours.coef_ + ours.intercept_, atol=1e-10)


def test_sparse_rows_are_the_same_rows():
    X, y = classes(3)
    X[np.abs(X) < 0.6] = 0
    dense = mercer.LinearSVC(**TIGHT).fit(X, y)
    thin = mercer.LinearSVC(**TIGHT).fit(sparse.csr_matrix(X), y)
    np.testing.assert_allclose(thin.coef_, dense.coef_, atol=1e-7)


def test_weights_are_multiplicities():
    X, y = classes(2)
    weights = np.random.default_rng(0).integers(0, 3, len(y))
    weighted = mercer.LinearSVC(**TIGHT).fit(X, y, sample_weight=weights)
    repeated = mercer.LinearSVC(**TIGHT).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-6)


@pytest.mark.parametrize("wrong, words", [({"penalty": "l1"}, "penalty"), ({"multi_class": "crammer_singer"}, "multi_class"),
                                          ({"dual": "maybe"}, "dual"), ({"loss": "l3"}, "loss"), ({"C": -1}, "C"),
                                          ({"intercept_scaling": 0}, "intercept_scaling")])
def test_what_cannot_be_done_is_refused_by_name(wrong, words):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=words):
        mercer.LinearSVC(**wrong).fit(X, y)


def test_other_kernels_and_files(tmp_path):
    X, y = load_iris(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    squares = mercer.LinearSVC(kernel="poly(degree=2, c=1)", max_iter=20_000).fit(X, y)
    assert squares.score(X, y) > 0.96
    with pytest.raises(AttributeError, match="coef_"):
        squares.coef_
    for machine in (squares, mercer.LinearSVC(fit_intercept=False, C=3.0, random_state=4).fit(X, y)):
        machine.save(tmp_path / "m.mercer")
        again = mercer.load(tmp_path / "m.mercer")
        assert isinstance(again, mercer.LinearSVC)
        assert {name: getattr(again, name) for name in ("C", "fit_intercept", "tol")} == {
            name: getattr(machine, name) for name in ("C", "fit_intercept", "tol")}
        assert (again.decision_function(X) == machine.decision_function(X)).all()
