"""KernelFDA beside scikit-learn's LinearDiscriminantAnalysis."""
import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris, load_wine, make_circles
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mercer
from mercer import KernelFDA


@pytest.fixture(scope="module", params=[load_iris, load_wine], ids=["iris", "wine"])
def data(request):
    X, y = request.param(return_X_y=True)
    return StandardScaler().fit_transform(X), y


def test_linear_is_linear_discriminant_analysis(data):
    X, y = data
    ours = KernelFDA(1e-8, kernel="linear()", priors="shares").fit(X, y)
    theirs = LinearDiscriminantAnalysis(solver="eigen").fit(X, y)
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-5)
    assert (ours.predict(X) == theirs.predict(X)).all()
    assert_allclose(ours.explained_variance_ratio_, theirs.explained_variance_ratio_, rtol=1e-5)
    a, b = ours.transform(X), theirs.transform(X)
    b = b - b.mean(axis=0)
    assert_allclose(a, b * np.sign((a * b).sum(axis=0)), atol=1e-4)


def test_shrinkage_is_a_ridge(data):
    X, y = data
    shrinkage = 0.3
    within = sum((y == c).mean() * np.cov(X[y == c].T, bias=True) for c in np.unique(y))
    ridge = shrinkage / (1 - shrinkage) * np.trace(within) / X.shape[1]
    # Theirs is (1 - shrinkage) times ours, so that the scores are proportional but for the priors.
    theirs = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=shrinkage).fit(X, y)
    ours = KernelFDA(ridge, kernel="linear()").fit(X, y)
    scores = (1 - shrinkage) * (theirs.decision_function(X) - np.log(theirs.priors_))
    assert_allclose(np.diff(ours.decision_function(X), axis=1), np.diff(scores, axis=1), rtol=1e-6, atol=1e-6)


def test_rings_and_other_readings():
    X, y = make_circles(200, factor=0.4, noise=0.05, random_state=0)
    model = KernelFDA(kernel="rbf(ell=0.4)").fit(X, np.where(y, "in", "out"))
    assert model.score(X, np.where(y, "in", "out")) == 1
    z = model.transform(X)
    assert z.shape == (200, 1) and list(model.get_feature_names_out()) == ["kernelfda0"]
    nearest = np.abs(z - model.means_.T).argmin(axis=1)
    assert (model.classes_[nearest] == model.predict(X)).all()
    assert ((model.decision_function(X) > 0) == (model.predict(X) == "out")).all()
    matrix = KernelFDA(kernel="precomputed").fit(model.kernel_(X), y)
    assert_allclose(np.abs(matrix.transform(model.kernel_(X))), np.abs(z), rtol=1e-6, atol=1e-8)


def test_coordinates_help_others_and_predict_well(data):
    X, y = data
    assert cross_val_score(KernelFDA(0.01, kernel="rbf(ell=auto)"), X, y, cv=5).mean() > 0.93
    assert KernelFDA(0.01, n_components=1).fit_transform(X, y).shape == (len(X), 1)
    pipe = make_pipeline(KernelFDA(0.01), mercer.SVC())
    assert cross_val_score(pipe, X, y, cv=5).mean() > 0.93


def test_saved_and_loaded(tmp_path, data):
    X, y = data
    model = KernelFDA(0.02).fit(X, y)
    model.save(tmp_path / "m.mercer")
    again = mercer.load(tmp_path / "m.mercer")
    assert isinstance(again, KernelFDA) and again.ridge == 0.02
    assert (again.transform(X) == model.transform(X)).all() and (again.predict(X) == model.predict(X)).all()


@pytest.mark.parametrize("arguments, words", [
    ({"ridge": 0}, "ridge"), ({"priors": "mine"}, "priors"), ({"n_components": 3}, "1 to 2"),
    ({"kernel": "const(c=1)"}, "same mean"),
])
def test_what_cannot_be_is_refused(arguments, words):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=words):
        KernelFDA(**arguments).fit(X, y)
