"""KernelDensity beside scikit-learn's."""
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist
from scipy.special import logsumexp
from sklearn.model_selection import GridSearchCV, LeaveOneOut
from sklearn.neighbors import KernelDensity as Theirs

import mercer
from mercer import KernelDensity


@pytest.fixture
def X():
    random = np.random.RandomState(0)
    return np.concatenate([random.normal(size=(60, 2)), random.normal(size=(30, 2)) * 0.4 + 3])


@pytest.mark.parametrize("kernel", ["gaussian", "exponential"])
@pytest.mark.parametrize("bandwidth", [0.2, 1.5, "scott", "silverman"])
@pytest.mark.parametrize("weighted", [False, True])
def test_log_densities_are_scikit_learns(X, kernel, bandwidth, weighted):
    weights = np.random.RandomState(1).uniform(0.1, 3, len(X)) if weighted else None
    at = np.random.RandomState(2).normal(size=(40, 2))  # near the data: farther out scikit-learn's trees are wrong
    ours = KernelDensity(kernel=kernel, bandwidth=bandwidth).fit(X, sample_weight=weights)
    theirs = Theirs(kernel=kernel, bandwidth=bandwidth).fit(X, sample_weight=weights)
    assert_allclose(ours.score_samples(at), theirs.score_samples(at), rtol=1e-10)
    assert ours.score(at) == pytest.approx(theirs.score(at), rel=1e-10)
    assert ours.bandwidth_ == pytest.approx(theirs.bandwidth_)


@pytest.mark.parametrize("kernel", ["gaussian", "exponential"])
def test_logarithms_reach_where_densities_underflow(X, kernel):
    # The last ones lead through densities that floating point still holds, of which it has lost digits.
    far = np.vstack([[[1e4, -2e3], [60.0, 80.0], [7.0, 7.0], [0.1, 0.1]],
                     X.max(axis=0) + np.linspace(2, 5 if kernel == "gaussian" else 80, 200)[:, None]])
    h, r = 0.1, cdist(far, X) / 0.1
    logs, Z = (-r * r / 2, 2 * np.pi * h**2) if kernel == "gaussian" else (-r, 2 * np.pi * h**2)
    expected = logsumexp(logs, axis=1) - np.log(len(X) * Z)
    assert_allclose(KernelDensity(kernel=kernel, bandwidth=h).fit(X).score_samples(far), expected, rtol=1e-10)


@pytest.mark.parametrize("kernel", ["gaussian", "exponential"])
def test_leave_one_out_finds_what_a_grid_search_finds(X, kernel):
    widths = np.geomspace(0.05, 2, 60)
    search = GridSearchCV(Theirs(kernel=kernel), {"bandwidth": widths}, cv=LeaveOneOut()).fit(X)
    ours = KernelDensity(kernel=kernel, bandwidth="loo").fit(X)
    assert ours.loo_ >= search.best_score_ - 1e-4  # between the grid's widths it may be a little better
    assert ours.bandwidth_ == pytest.approx(search.best_params_["bandwidth"], rel=0.08)


def test_leave_one_out_counts_weights(X):
    weights = np.ones(len(X))
    weights[60:] = 0
    assert KernelDensity(bandwidth="loo").fit(X, sample_weight=weights).bandwidth_ == pytest.approx(
        KernelDensity(bandwidth="loo").fit(X[:60]).bandwidth_, rel=0.01)


def test_a_kernel_has_its_own_widths_and_the_bandwidth_is_a_factor(X):
    narrow = KernelDensity(kernel=mercer.rbf(ell=0.25), bandwidth=2.0).fit(X)
    assert_allclose(narrow.score_samples(X), Theirs(bandwidth=0.5).fit(X).score_samples(X), rtol=1e-10)
    columns = KernelDensity(kernel=mercer.rbf(ell=[0.25, 0.5]), bandwidth=2.0).fit(X)
    assert columns.kernel_ == mercer.rbf(ell=[0.5, 1.0])
    chosen = KernelDensity(kernel="matern(nu=1.5, ell=1)", bandwidth="loo").fit(X)
    assert chosen.kernel_.values["ell"] == pytest.approx(chosen.bandwidth_)


def test_samples_are_scikit_learns(X):
    ours, theirs = KernelDensity(bandwidth=0.3).fit(X), Theirs(bandwidth=0.3).fit(X)
    assert_allclose(ours.sample(50, random_state=3), theirs.sample(50, random_state=3))
    assert ours.sample().shape == (1, 2)


@pytest.mark.parametrize("kernel, variance", [("exponential", 3 * 4.0), ("laplace(ell=2)", 2 * 4.0), ("gaussian", 4.0)])
def test_samples_have_the_spread_of_the_kernel(kernel, variance):
    bandwidth = 1.0 if "(" in kernel else 2.0
    drawn = KernelDensity(kernel=kernel, bandwidth=bandwidth).fit(np.zeros((1, 2))).sample(200_000, random_state=0)
    # exp(-r/ell) in the plane: r is gamma of shape 2, E r^2 = 6 ell^2, half of it in each column.
    assert_allclose(drawn.var(axis=0), variance, rtol=0.02)
    assert_allclose(drawn.mean(axis=0), 0, atol=0.03)


@pytest.mark.parametrize("kernel", ["tophat", "epanechnikov", "linear", "cosine"])
def test_shapes_that_are_no_kernels_are_refused(X, kernel):
    with pytest.raises(ValueError, match="is no kernel; use 'gaussian'"):
        KernelDensity(kernel=kernel).fit(X)


@pytest.mark.parametrize("arguments, words", [
    ({"bandwidth": 0}, "above 0"), ({"bandwidth": "wide"}, "'scott'"), ({"metric": "manhattan"}, "Euclidean"),
    ({"kernel": "precomputed"}, "integral"), ({"kernel": "poly(degree=2)"}, "normalised"),
    ({"kernel": mercer.rbf(ell=[1, 2]), "bandwidth": "loo"}, "one width"),
])
def test_what_cannot_be_is_refused(X, arguments, words):
    with pytest.raises(ValueError, match=words):
        KernelDensity(**arguments).fit(X)


def test_no_draws_are_known_of_some_kernels(X):
    with pytest.raises(NotImplementedError, match="rbf, exponential and laplace"):
        KernelDensity(kernel="matern(nu=1.5)").fit(X).sample()


def test_saved_and_loaded(X, tmp_path):
    kde = KernelDensity(bandwidth="loo").fit(X)
    kde.save(tmp_path / "d.mercer")
    again = mercer.load(tmp_path / "d.mercer")
    assert isinstance(again, KernelDensity)
    assert_allclose(again.score_samples(X), kde.score_samples(X))
