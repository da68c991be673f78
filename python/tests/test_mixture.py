"""KernelGaussianMixture beside scikit-learn's GaussianMixture."""
import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.datasets import load_iris, make_circles
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture

import mercer
from mercer import KernelGaussianMixture


@pytest.fixture(scope="module")
def clouds():
    random = np.random.RandomState(3)
    return np.concatenate([random.normal(size=(60, 3)) @ random.normal(size=(3, 3)) + 5 * random.normal(size=3)
                           for _ in range(3)])


@pytest.fixture(scope="module")
def rings():
    return make_circles(200, factor=0.4, noise=0.05, random_state=0)


def test_linear_is_the_ordinary_mixture(clouds):
    ours = KernelGaussianMixture(3, kernel="linear()", reg_covar=1e-9, tol=1e-12, max_iter=10000).fit(clouds)
    theirs = GaussianMixture(3, reg_covar=0, tol=1e-12, max_iter=10000, n_init=5, random_state=0).fit(clouds)
    order = np.argsort(-theirs.weights_)
    assert_allclose(ours.weights_, theirs.weights_[order], rtol=1e-5)
    assert_allclose(ours.score_samples(clouds), theirs.score_samples(clouds), rtol=1e-5)
    assert_allclose(ours.predict_proba(clouds), theirs.predict_proba(clouds)[:, order], atol=1e-6)
    assert (order[ours.predict(clouds)] == theirs.predict(clouds)).all()
    assert ours.lower_bound_ == pytest.approx(theirs.lower_bound_, rel=1e-8)
    assert ours.score(clouds) == pytest.approx(theirs.score(clouds), rel=1e-8)
    assert ours.bic(clouds) == pytest.approx(theirs.bic(clouds), rel=1e-8)
    assert ours.aic(clouds) == pytest.approx(theirs.aic(clouds), rel=1e-8)
    assert_allclose(np.linalg.eigvalsh(ours.covariances_), np.linalg.eigvalsh(theirs.covariances_[order]), rtol=1e-3)
    assert ours.converged_ and ours.n_iter_ > 1


def test_separates_rings(rings):
    X, y = rings
    assert adjusted_rand_score(y, KernelGaussianMixture(2, kernel="rbf(ell=0.3)").fit_predict(X)) == 1
    assert adjusted_rand_score(y, KernelGaussianMixture(2, kernel="linear()").fit_predict(X)) < 0.1
    assert adjusted_rand_score(y, GaussianMixture(2, random_state=0).fit_predict(X)) < 0.1


def test_the_number_is_chosen_by_bic(clouds):
    found = KernelGaussianMixture("auto", kernel="linear()").fit(clouds)
    assert len(found.weights_) == 3
    by_hand = [KernelGaussianMixture(k, kernel="linear()").fit(clouds).bic(clouds) for k in range(1, 6)]
    assert np.argmin(by_hand) == 2
    assert found.bic(clouds) == pytest.approx(min(by_hand), rel=1e-6)


def test_weights_are_repetitions(clouds):
    weights = np.random.RandomState(0).randint(0, 3, len(clouds)).astype(float)
    weighted = KernelGaussianMixture(3, kernel="linear()", tol=1e-10).fit(clouds, sample_weight=weights)
    repeated = KernelGaussianMixture(3, kernel="linear()", tol=1e-10).fit(np.repeat(clouds, weights.astype(int), axis=0))
    assert_allclose(weighted.score_samples(clouds), repeated.score_samples(clouds), rtol=1e-5)


def test_a_seed_gives_the_same_bits(rings):
    X, _ = rings
    one, two = (KernelGaussianMixture(4, random_state=5, n_init=2).fit(X) for _ in range(2))
    assert (one.predict_proba(X) == two.predict_proba(X)).all()


def test_precomputed_and_functions_and_texts(rings):
    X, y = rings
    k = mercer.rbf(ell=0.3)
    by_kernel = KernelGaussianMixture(2, kernel=k).fit(X)
    by_matrix = KernelGaussianMixture(2, kernel="precomputed").fit(k(X))
    assert_allclose(by_matrix.predict_proba(k(X[:9], X)), by_kernel.predict_proba(X[:9]), atol=1e-8)
    by_function = KernelGaussianMixture(2, kernel=lambda a, b: k(a, b)).fit(X)
    assert_allclose(by_function.score_samples(X[:9]), by_kernel.score_samples(X[:9]), rtol=1e-8)
    words = ["aaab", "aaba", "abaa", "aaaa", "zzyz", "zyzz", "zzzz", "yzzz"] * 3
    labels = KernelGaussianMixture(2, kernel=mercer.normalize(mercer.spectrum(k=2)), dimension=2).fit_predict(words)
    assert len(set(labels[:4])) == 1 and len(set(labels)) == 2


def test_fewer_directions(rings):
    X, _ = rings
    few = KernelGaussianMixture(2, kernel="rbf(ell=auto)", dimension=6, directions=2).fit(X)
    spectrum = np.linalg.eigvalsh(few.covariances_)
    assert_allclose(spectrum[:, 0], spectrum[:, 3], rtol=1e-6)  # the four smallest are one number
    assert few.report_["figures"]["parameters"] == 1 + 2 * (6 + 2 * 6 - 1 + 1)


def test_saved_loaded_and_cloned(tmp_path):
    X = load_iris().data
    model = KernelGaussianMixture(3, directions=2).fit(X)
    model.save(tmp_path / "m.mercer")
    again = mercer.load(tmp_path / "m.mercer")
    assert isinstance(again, KernelGaussianMixture) and again.n_components == 3 and again.directions == 2
    assert again.dimension is None
    assert (again.predict_proba(X) == model.predict_proba(X)).all()
    assert_allclose(clone(again).fit(X).score_samples(X), model.score_samples(X), rtol=1e-6)


@pytest.mark.parametrize("arguments, words", [
    ({"n_components": 0}, "components"), ({"n_components": 500}, "500 components for 150 points"),
    ({"reg_covar": 0}, "floor"), ({"kernel": "const(c=1)"}, "same to the kernel"), ({"dimension": 999}, "differ in"),
    ({"kernel": "precomputed", "n_components": "auto"}, "needs a kernel"),
])
def test_what_cannot_be_is_refused(arguments, words):
    X = load_iris().data
    if arguments.get("kernel") == "precomputed":
        X = X @ X.T
    with pytest.raises(ValueError, match=words):
        KernelGaussianMixture(**arguments).fit(X)
