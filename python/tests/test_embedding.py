"""Kernel principal components and maps from distances, beside scikit-learn's and by their definitions."""
import pickle

import numpy as np
import pytest
from sklearn import decomposition
from sklearn.datasets import load_iris, make_circles
from sklearn.exceptions import NotFittedError
from sklearn.metrics import pairwise_distances

import mercer
from mercer import ClassicalMDS, KernelPCA

X = load_iris().data
NEW = X[::7] + 0.1


@pytest.mark.parametrize("arguments", [{"kernel": "linear"}, {"kernel": "rbf", "gamma": 0.3}, {"kernel": "poly", "degree": 2},
                                       {"kernel": "cosine"}])
@pytest.mark.parametrize("solver", ["dense", "arpack"])
def test_the_same_components_as_scikit_learn(arguments, solver):
    ours = KernelPCA(3, eigen_solver=solver, **arguments).fit(X)
    theirs = decomposition.KernelPCA(3, eigen_solver="dense", **arguments).fit(X)
    np.testing.assert_allclose(ours.eigenvalues_, theirs.eigenvalues_, rtol=1e-8)
    np.testing.assert_allclose(abs(ours.eigenvectors_), abs(theirs.eigenvectors_), atol=1e-8)
    np.testing.assert_allclose(abs(ours.transform(NEW)), abs(theirs.transform(NEW)), atol=1e-7)
    np.testing.assert_allclose(ours.fit_transform(X), ours.transform(X), atol=1e-8)


def test_a_share_of_the_variance():
    fitted = KernelPCA(0.95).fit(X)
    shares = decomposition.PCA().fit(X).explained_variance_ratio_
    np.testing.assert_allclose(fitted.explained_variance_ratio_, shares[:2])
    assert fitted.transform(NEW).shape[1] == 2
    np.testing.assert_allclose(fitted.explained_variance_, fitted.eigenvalues_ / len(X))


def test_components_that_are_not_there_are_columns_of_zeros():
    fitted = KernelPCA(6).fit(X)  # four columns
    assert fitted.transform(NEW).shape == (len(NEW), 6)
    assert not fitted.transform(NEW)[:, 4:].any() and not fitted.eigenvalues_[4:].any()
    assert KernelPCA(6, remove_zero_eig=True).fit_transform(X).shape[1] == 4
    assert KernelPCA().fit_transform(X).shape[1] == 4


def test_weights_are_repeats():
    weights = np.arange(len(X)) % 3
    weighted = KernelPCA(2, kernel="rbf").fit(X, sample_weight=weights)
    repeated = KernelPCA(2, kernel="rbf").fit(np.repeat(X, weights, axis=0))
    np.testing.assert_allclose(weighted.transform(NEW), repeated.transform(NEW), atol=1e-10)
    np.testing.assert_allclose((weighted.eigenvectors_ ** 2).sum(axis=0), 1)


def test_texts_have_components():
    texts = ["abab", "ababab", "cdcd", "cdcdcd", "abcd"]
    y = KernelPCA(2, kernel=mercer.normalize(mercer.spectrum(k=2))).fit_transform(texts)
    assert y[0, 0] * y[2, 0] < 0 < y[0, 0] * y[1, 0]


def test_pre_images_take_noise_out():
    ring, _ = make_circles(200, factor=0.999, noise=0.1, random_state=0)
    spread = np.linalg.norm(ring, axis=1).std()
    fitted = KernelPCA(2, kernel="rbf", gamma=1, fit_inverse_transform=True, alpha=0.01).fit(ring)
    for way in (fitted.pre_images, fitted.inverse_transform):
        assert np.linalg.norm(way(fitted.transform(ring)), axis=1).std() < 0.5 * spread
    with pytest.raises(NotFittedError):
        KernelPCA(2).fit(ring).inverse_transform(ring)
    with pytest.raises(ValueError, match="fixed point is that of rbf"):
        KernelPCA(2).fit(ring).pre_images(ring)


def test_what_the_components_leave_out():
    fitted = KernelPCA(2).fit(X)
    linear = decomposition.PCA(2).fit(X)
    rest = NEW - linear.inverse_transform(linear.transform(NEW))
    np.testing.assert_allclose(fitted.reconstruction_errors(NEW), (rest ** 2).sum(axis=1), atol=1e-9)
    with pytest.raises(ValueError, match="fit with a kernel"):
        KernelPCA(2, kernel="precomputed").fit(X @ X.T).reconstruction_errors(NEW @ X.T)


def test_files_and_pickles(tmp_path):
    fitted = KernelPCA(2, kernel="rbf").fit(X)
    fitted.save(tmp_path / "m.mercer")
    loaded = mercer.load(tmp_path / "m.mercer")
    assert isinstance(loaded, KernelPCA) and loaded.n_components == 2
    np.testing.assert_array_equal(loaded.transform(NEW), fitted.transform(NEW))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(fitted)).transform(NEW), fitted.transform(NEW))


def test_components_that_mean_nothing():
    for number in (0, -1, 2.5):
        with pytest.raises(ValueError, match="components"):
            KernelPCA(number).fit(X)
    with pytest.raises(ValueError, match="eigen_solver must be one of"):
        KernelPCA(2, eigen_solver="lobpcg").fit(X)
    with pytest.raises(ValueError, match="all points are the same"):
        KernelPCA(2).fit(np.ones((5, 2)))


@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "precomputed"])
def test_a_map_and_new_points_in_it(metric):
    given, new = (X, NEW) if metric != "precomputed" else (pairwise_distances(X), pairwise_distances(NEW, X))
    fitted = ClassicalMDS(2, metric=metric).fit(given)
    np.testing.assert_allclose(fitted.transform(given), fitted.embedding_, atol=1e-9)
    assert fitted.transform(new).shape == (len(NEW), 2)
    if metric != "cityblock":
        np.testing.assert_allclose(abs(fitted.transform(new)), abs(decomposition.PCA(2).fit(X).transform(NEW)), atol=1e-9)
        assert fitted.negative_eigenvalues_ == 0
    else:
        assert fitted.negative_eigenvalues_ > 0 and 0 < fitted.negative_share_ < 0.2


def test_a_map_of_a_kernel_is_that_of_pca():
    k = mercer.rbf(ell=2.0)
    np.testing.assert_allclose(ClassicalMDS(3, kernel=k).fit(X).transform(NEW), KernelPCA(3, kernel=k).fit(X).transform(NEW),
                               atol=1e-9)
    with pytest.raises(ValueError, match="a kernel or a metric, not both"):
        ClassicalMDS(kernel=k, metric="cityblock").fit(X)


def test_numbers_that_are_no_distances():
    d = pairwise_distances(X[:5])
    d[1, 1] = 1
    with pytest.raises(ValueError, match="point 2 from itself"):
        ClassicalMDS(metric="precomputed").fit(d)
    d[1, 1], d[0, 1] = 0, 7
    with pytest.raises(ValueError, match="symmetric"):
        ClassicalMDS(metric="precomputed").fit(d)
    with pytest.raises(ValueError, match="1 direction only"):
        ClassicalMDS(metric="precomputed").fit(pairwise_distances([[0.0], [1.0], [5.0]]))
