"""KernelRidgeClassifier beside scikit-learn's RidgeClassifier."""
import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import RidgeClassifier
from sklearn.preprocessing import StandardScaler

import mercer
from mercer import KernelRidgeClassifier


@pytest.fixture(scope="module", params=[load_iris, load_breast_cancer], ids=["iris", "two classes"])
def data(request):
    X, y = request.param(return_X_y=True)
    return StandardScaler().fit_transform(X), y


@pytest.mark.parametrize("weighted", [False, True])
def test_linear_is_ridge_classifier(data, weighted):
    X, y = data
    weights = np.arange(len(y)) % 3 if weighted else None
    ours = KernelRidgeClassifier(2.0, kernel="linear()").fit(X, y, weights)
    theirs = RidgeClassifier(2.0, fit_intercept=False).fit(X, y, weights)
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-8)
    assert (ours.predict(X) == theirs.predict(X)).all()
    assert ours.alpha_ == 2.0


def test_classes_weigh_as_asked(data):
    X, y = data
    ours = KernelRidgeClassifier(2.0, kernel="linear()", class_weight="balanced").fit(X, y)
    theirs = RidgeClassifier(2.0, fit_intercept=False, class_weight="balanced").fit(X, y)
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-8)


def test_solvers_and_centres_give_the_same(data):
    X, y = data
    plain = KernelRidgeClassifier(0.5, kernel="rbf(ell=2)").fit(X, y)
    steps = KernelRidgeClassifier(0.5, kernel="rbf(ell=2)", solver="pcg", tol=1e-10).fit(X, y)
    assert_allclose(steps.decision_function(X), plain.decision_function(X), atol=1e-6)
    few = KernelRidgeClassifier(0.5, kernel="rbf(ell=2)", centres=100).fit(X, y)
    assert len(few.centres_) == 100 and len(few.dual_coef_) == 100
    assert (few.predict(X) == plain.predict(X)).mean() > 0.97


def test_alpha_is_chosen_by_leaving_out(data, tmp_path):
    X, y = data
    chosen = KernelRidgeClassifier("auto", kernel="rbf(ell=3)").fit(X, y)
    codes = np.where(y[:, None] == chosen.classes_, 1.0, -1.0)
    by_numbers = mercer.KernelRidgeCV(kernel="rbf(ell=3)").fit(X, codes if codes.shape[1] > 2 else codes[:, 1])
    assert chosen.alpha_ == pytest.approx(by_numbers.alpha_)
    chosen.save(tmp_path / "m.mercer")
    again = mercer.load(tmp_path / "m.mercer")
    assert isinstance(again, KernelRidgeClassifier) and again.alpha == "auto" and again.tol is None
    assert (again.predict(X).astype(y.dtype) == chosen.predict(X)).all()


@pytest.mark.parametrize("alpha", [0, -1, float("nan")])
def test_alpha_is_above_zero(alpha, data):
    with pytest.raises(ValueError, match="alpha must be above 0"):
        KernelRidgeClassifier(alpha).fit(*data)
