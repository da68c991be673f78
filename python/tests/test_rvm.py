"""Relevance vector machines."""
import pickle

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_moons
from sklearn.model_selection import GridSearchCV, cross_val_score

import mercer
from mercer import RVC, RVR

rng = np.random.RandomState(1)
X = np.linspace(-10, 10, 100).reshape(-1, 1)
sinc = np.sinc(X[:, 0] / np.pi)
noisy = sinc + 0.1 * rng.randn(100)


def test_sinc_needs_a_handful_of_points_and_finds_its_noise():
    m = RVR("rbf(ell=1.6)").fit(X, noisy)
    assert 3 <= len(m.relevance_) <= 12
    assert m.noise_ == pytest.approx(0.01, rel=0.5)
    assert np.sqrt(np.mean((m.predict(X) - sinc) ** 2)) < 0.05
    mean, std = m.predict(X, return_std=True)
    assert np.array_equal(mean, m.predict(X)) and std.shape == (100,) and (std > 0).all()
    _, wide = m.predict(X, return_std=True, include_noise=True)
    assert np.allclose(wide**2, std**2 + m.noise_)
    assert m.n_iter_ > 0 and np.isfinite(m.log_marginal_likelihood_value_)


def test_several_targets_each_by_itself():
    both = RVR("rbf(ell=1.6)").fit(X, np.column_stack([noisy, 2 * noisy]))
    assert both.predict(X).shape == (100, 2) and both.noise_.shape == (2,)
    assert np.allclose(both.predict(X)[:, 0], RVR("rbf(ell=1.6)").fit(X, noisy).predict(X))


def test_matrices_functions_and_objects_agree():
    k = mercer.rbf(ell=1.6)
    expected = RVR(k).fit(X, noisy).predict(X)
    by_matrix = RVR("precomputed").fit(k(X), noisy)
    assert np.allclose(by_matrix.predict(k(X)), expected, atol=1e-6)
    assert np.allclose(RVR(lambda A, B: k(A, B)).fit(X, noisy).predict(X), expected, atol=1e-6)
    with pytest.raises(ValueError, match="return_std needs"):
        by_matrix.predict(k(X), return_std=True)


def test_classes_with_probabilities():
    A, a = make_moons(200, noise=0.2, random_state=0)
    m = RVC("rbf(ell=0.5)").fit(A, np.array(["no", "yes"])[a])
    p = m.predict_proba(A)
    assert np.allclose(p.sum(axis=1), 1) and (m.classes_[p.argmax(axis=1)] == m.predict(A)).all()
    assert len(m.relevance_) < 20 and m.score(A, np.array(["no", "yes"])[a]) > 0.9
    iris, kind = load_iris(return_X_y=True)
    assert cross_val_score(RVC("rbf(ell=2)"), iris, kind, cv=3).mean() > 0.9


def test_files_pickles_and_grids(tmp_path):
    m = RVR("rbf(ell=1.6)", noise="0.02", fit_intercept=False).fit(X, noisy)
    m.save(tmp_path / "m.mercer")
    again = mercer.load(tmp_path / "m.mercer")
    assert isinstance(again, RVR) and again.noise == "0.02" and again.fit_intercept is False
    for other in (again, pickle.loads(pickle.dumps(m))):
        assert np.array_equal(other.predict(X, return_std=True)[1], m.predict(X, return_std=True)[1])
    order = rng.permutation(100)
    search = GridSearchCV(RVR(mercer.rbf(ell=1.0)), {"kernel__ell": [0.01, 1.6]}, cv=3).fit(X[order], noisy[order])
    assert search.best_params_ == {"kernel__ell": 1.6}


def test_options_that_cannot_be_are_refused():
    with pytest.raises(ValueError, match="noise"):
        RVR(noise="loud").fit(X, noisy)
    with pytest.raises(ValueError, match="tolerance"):
        RVR(tol=-1).fit(X, noisy)
