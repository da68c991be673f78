"""KernelKMeans and SpectralClustering."""
import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn import cluster, datasets, metrics
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel

import mercer

rng = np.random.default_rng(0)
BLOBS = np.concatenate([rng.normal(size=(40, 3)), rng.normal(size=(30, 3)) + 6, rng.normal(size=(20, 3)) - 6])
TRUTH = np.repeat([0, 1, 2], [40, 30, 20])


def test_linear_kernel_is_plain_k_means():
    weights = rng.integers(0, 4, 90).astype(float)
    for given in (None, weights):
        ours = mercer.KernelKMeans(5, "linear()", n_init=500).fit(BLOBS, sample_weight=given)
        theirs = cluster.KMeans(5, n_init=60, tol=0, random_state=0).fit(BLOBS, sample_weight=given)
        assert ours.inertia_ <= theirs.inertia_ * (1 + 1e-9)
        centres = np.stack([np.average(BLOBS[ours.labels_ == c], axis=0,
                                       weights=None if given is None else given[ours.labels_ == c]) for c in range(5)])
        np.testing.assert_allclose(ours.transform(BLOBS), np.linalg.norm(BLOBS[:, None] - centres, axis=2), atol=1e-6)
        np.testing.assert_array_equal(ours.predict(BLOBS), ours.labels_)
        assert ours.score(BLOBS, sample_weight=given) == pytest.approx(-ours.inertia_)


def test_clusters_are_numbered_by_size():
    for made in (mercer.KernelKMeans(3), mercer.SpectralClustering(3, affinity="rbf(ell=2)")):
        np.testing.assert_array_equal(made.fit_predict(BLOBS), TRUTH)
        np.testing.assert_array_equal(made.predict(BLOBS[::-1]), TRUTH[::-1])
    assert mercer.KernelKMeans(3).fit(BLOBS).silhouette_ > 0.5
    assert mercer.KernelKMeans(1).fit(BLOBS).silhouette_ is None


def test_matrices_functions_and_kernels_agree():
    kernel = mercer.rbf(ell=2.0)
    by_kernel = mercer.KernelKMeans(4, kernel).fit(BLOBS)
    by_matrix = mercer.KernelKMeans(4, "precomputed").fit(kernel(BLOBS))
    by_function = mercer.KernelKMeans(4, kernel=lambda X, Y: rbf_kernel(X, Y, gamma=1 / 8)).fit(BLOBS)
    for other in (by_matrix, by_function):
        np.testing.assert_array_equal(other.labels_, by_kernel.labels_)
    np.testing.assert_array_equal(by_matrix.predict(kernel(BLOBS[:9], BLOBS)), by_kernel.labels_[:9])
    np.testing.assert_array_equal(by_function.predict(BLOBS[:9]), by_kernel.labels_[:9])
    np.testing.assert_allclose(by_function.transform(BLOBS[:9]), by_kernel.transform(BLOBS[:9]), atol=1e-9)
    with pytest.raises(ValueError, match="k\\(x, x\\) of new points"):
        by_matrix.transform(kernel(BLOBS[:9], BLOBS))


def test_texts_have_clusters():
    words = ["banana", "bananas", "ananas", "bandana", "zebra", "zebras", "zebroid"]
    for made in (mercer.KernelKMeans(2, "normalize(spectrum(k=2))"),
                 mercer.SpectralClustering(2, affinity="normalize(spectrum(k=2))")):
        np.testing.assert_array_equal(made.fit_predict(words), [0, 0, 0, 0, 1, 1, 1])
        np.testing.assert_array_equal(made.predict(["zeb", "nana"]), [1, 0])


@pytest.mark.parametrize("affinity", ["rbf", "nearest_neighbors", "laplacian",
                                      lambda x, y: np.exp(-np.sum((x - y) ** 2) / 10)])
def test_affinities_are_scikit_learns(affinity):
    theirs = cluster.SpectralClustering(3, affinity=affinity, gamma=0.1, random_state=0).fit(BLOBS)
    ours = mercer.SpectralClustering(3, affinity=affinity, gamma=0.1).fit(BLOBS)
    expected = theirs.affinity_matrix_
    expected = expected.toarray() if sparse.issparse(expected) else expected
    np.testing.assert_allclose(ours.affinity_matrix_, expected, atol=1e-12)
    assert metrics.adjusted_rand_score(ours.labels_, theirs.labels_) == pytest.approx(1)


def test_defaults_on_scaled_wine_find_what_scikit_learn_finds():
    """A kernel so narrow (gamma = 1 in 13 columns) that k(x, x) alone would decide, were it part of the degree."""
    x, y = datasets.load_wine(return_X_y=True)
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    ours, theirs = (made.fit_predict(x) for made in (mercer.SpectralClustering(3), cluster.SpectralClustering(3, random_state=0)))
    assert sorted(np.bincount(ours)) == sorted(np.bincount(theirs)) == [3, 54, 121]
    assert metrics.adjusted_rand_score(ours, theirs) == pytest.approx(1)
    assert metrics.adjusted_rand_score(y, ours) == pytest.approx(0.4446, abs=1e-4)


def test_given_affinities_dense_or_sparse():
    K = rbf_kernel(BLOBS, gamma=0.1)
    K[K < 1e-3] = 0
    dense = mercer.SpectralClustering(3, affinity="precomputed").fit(K)
    np.testing.assert_array_equal(mercer.SpectralClustering(3, affinity="precomputed").fit(sparse.csr_matrix(K)).labels_,
                                  dense.labels_)
    np.testing.assert_array_equal(dense.predict(K[:5]), dense.labels_[:5])


def test_refining_lowers_the_cut():
    x, _ = datasets.load_digits(return_X_y=True)
    plain, refined = (mercer.SpectralClustering(10, affinity="rbf(ell=auto)", refine=refine).fit(x[:600])
                      for refine in (False, True))
    assert refined.normalised_cut_ < plain.normalised_cut_


def test_files_and_pickles_keep_the_clusters(tmp_path):
    for made in (mercer.KernelKMeans(3), mercer.SpectralClustering(3, affinity="rbf(ell=2)")):
        fitted = made.fit(BLOBS)
        fitted.save(tmp_path / "m.mercer")
        for again in (pickle.loads(pickle.dumps(fitted)), mercer.load(tmp_path / "m.mercer")):
            assert type(again) is type(made)
            np.testing.assert_array_equal(again.labels_, fitted.labels_)
            np.testing.assert_array_equal(again.predict(BLOBS), fitted.labels_)
            assert again.n_clusters == 3


def test_bad_input_is_refused_in_one_line():
    with pytest.raises(ValueError, match="n_samples=90 should be >= n_clusters=91"):
        mercer.KernelKMeans(91).fit(BLOBS)
    with pytest.warns(ConvergenceWarning, match="2 different points"):
        assert len(np.unique(mercer.KernelKMeans(3, "rbf(ell=1)").fit_predict([[0.0], [1.0], [0.0], [1.0]]))) == 2
    with pytest.raises(ValueError, match="tell any two"):
        mercer.KernelKMeans(2, "rbf(ell=1)").fit(np.ones((5, 2)))
    with pytest.raises(ValueError, match="eigen_tol"):
        mercer.SpectralClustering(2, eigen_tol=1e-3).fit(BLOBS)
    with pytest.raises(ValueError, match="without negative values"):
        mercer.SpectralClustering(2, affinity="linear").fit(BLOBS - 2)
    with pytest.raises(ValueError, match="says nothing of new points"):
        mercer.SpectralClustering(2, affinity="nearest_neighbors").fit(BLOBS).predict(BLOBS)
