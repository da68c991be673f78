"""Feature maps: Nystroem and RBFSampler are scikit-learn's, for every kernel and every kind of input."""
import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn import kernel_approximation as theirs
from sklearn.base import clone

import mercer

RNG = np.random.RandomState(3)
X = RNG.rand(60, 4)
NEW = RNG.rand(7, 4)


@pytest.mark.parametrize("arguments", [
    {}, {"gamma": 0.7}, {"kernel": "linear"}, {"kernel": "cosine"}, {"kernel": "chi2"}, {"kernel": "chi2", "gamma": 0.3},
    {"kernel": "laplacian"}, {"kernel": "poly"}, {"kernel": "polynomial", "degree": 2, "coef0": 0.5, "gamma": 0.2},
    {"kernel": "polynomial", "degree": 2.5}, {"kernel": "rbf", "kernel_params": {"gamma": 2.0}}, {"kernel": "rbf", "gamma": 0},
    {"kernel": "sigmoid", "gamma": 0.1}])
def test_nystroem_is_scikit_learns(arguments):
    few = 3 if arguments.get("kernel") in ("linear", "cosine") or arguments.get("gamma") == 0 else 12
    if arguments.get("gamma") == 0:
        few = 1
    ours = mercer.Nystroem(n_components=few, random_state=5, **arguments).fit(X)
    other = theirs.Nystroem(n_components=few, random_state=5, **arguments).fit(X)
    np.testing.assert_array_equal(ours.component_indices_, other.component_indices_)
    np.testing.assert_array_equal(ours.components_, other.components_)
    np.testing.assert_allclose(ours.normalization_, other.normalization_, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(ours.transform(NEW), other.transform(NEW), rtol=1e-5, atol=1e-7)
    assert list(ours.get_feature_names_out()) == list(other.get_feature_names_out())


def test_sparse_float32_and_blocks_are_the_same_features(monkeypatch):
    ours = mercer.Nystroem(n_components=10, random_state=0).fit(X)
    dense = ours.transform(NEW)
    np.testing.assert_allclose(ours.transform(sparse.csr_matrix(NEW)), dense, atol=1e-12)
    single = mercer.Nystroem(n_components=10, random_state=0).fit(X.astype(np.float32)).transform(NEW.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, dense, atol=2e-3)
    many = RNG.rand(300, 4)
    whole = ours.transform(many)
    monkeypatch.setattr("mercer.approximation._BLOCK", 1)
    np.testing.assert_allclose(ours.transform(many), whole, atol=1e-13)
    for threads in (1, 2):
        np.testing.assert_array_equal(clone(ours).set_params(threads=threads).fit(X).transform(many), ours.transform(many))


def test_any_kernel_on_any_input():
    texts = ["ACGTACGT", "ACGTTTTT", "TTTTACGA", "GGGGACGT", "ACGTACGA"]
    phi = mercer.Nystroem("spectrum(k=3)", n_components=5, random_state=1).fit(texts)
    np.testing.assert_allclose(phi.transform(texts) @ phi.transform(texts).T, mercer.parse("spectrum(k=3)")(texts),
                               atol=1e-6)
    value = mercer.Nystroem(mercer.matern(nu=1.5, ell="auto"), n_components=60).fit(X)
    assert "auto" not in str(value.kernel_)
    np.testing.assert_allclose(value.transform(X) @ value.transform(X).T, value.kernel_(X), atol=1e-6)
    again = pickle.loads(pickle.dumps(value))
    np.testing.assert_array_equal(again.transform(NEW), value.transform(NEW))


def test_centres_by_rpcholesky():
    """Two far clusters of few points are found, and fewer centres do than of uniform draws."""
    points = np.vstack([RNG.normal(size=(500, 2)) * 0.3, RNG.normal(size=(3, 2)) + 50, RNG.normal(size=(2, 2)) - 50])
    k = mercer.rbf(ell=3)
    chosen = mercer.Nystroem(k, n_components=12, centres_by="rpcholesky", random_state=2).fit(points)
    assert len(set(chosen.component_indices_)) == len(chosen.component_indices_) == 12
    assert (chosen.component_indices_ >= 500).sum() == 5
    np.testing.assert_allclose(chosen.transform(points) @ chosen.transform(points).T, k(points), atol=1e-3)
    again = mercer.Nystroem(k, n_components=12, centres_by="rpcholesky", random_state=2).fit(points)
    np.testing.assert_array_equal(again.component_indices_, chosen.component_indices_)
    of_matrix = mercer.Nystroem("precomputed", n_components=12, centres_by="rpcholesky", random_state=2).fit(k(points))
    np.testing.assert_array_equal(of_matrix.component_indices_, chosen.component_indices_)
    np.testing.assert_allclose(of_matrix.transform(k(points)), chosen.transform(points), atol=1e-4)
    few = mercer.Nystroem(mercer.linear(), n_components=20, centres_by="rpcholesky").fit(X)
    assert few.transform(NEW).shape == (7, 4) and len(few.get_feature_names_out()) == 4  # nothing is left after four


def test_nystroem_of_points_that_repeat_is_the_kernel():
    """K of the centres is singular: what has no eigenvalue adds nothing, and all numbers are finite."""
    twice = np.vstack([X[:8], X[:8], X[:3]])
    for kernel in (mercer.rbf(ell=1), mercer.linear()):
        phi = mercer.Nystroem(kernel, n_components=len(twice), random_state=0).fit_transform(twice)
        np.testing.assert_allclose(phi @ phi.T, kernel(twice), atol=1e-6)


def test_precomputed_takes_some_of_the_points():
    K = mercer.rbf(ell=1)(X)
    ours = mercer.Nystroem("precomputed", n_components=20, random_state=4).fit(K)
    direct = mercer.Nystroem(mercer.rbf(ell=1), n_components=20, random_state=4).fit(X)
    np.testing.assert_allclose(ours.transform(mercer.rbf(ell=1)(NEW, X)), direct.transform(NEW), atol=1e-7)


@pytest.mark.parametrize("arguments, words", [
    ({"centres_by": "luck"}, 'must be "uniform" or "rpcholesky"'),
    ({"n_components": 0}, "whole number from 1"),
    ({"n_components": 2.5}, "whole number from 1"),
    ({"kernel": "rbf(ell=1)", "gamma": 2.0}, "numbers inside"),
    ({"kernel": "rfb"}, "rbf"),
    ({"kernel": lambda x, y: x @ y, "centres_by": "rpcholesky"}, "and not a function"),
    ({"kernel": "precomputed", "degree": 2}, "Don't pass gamma, coef0 or degree")])
def test_nystroem_refuses(arguments, words):
    with pytest.raises(ValueError, match=words):
        mercer.Nystroem(**{"n_components": 5, **arguments}).fit(X[:4] if arguments.get("kernel") == "precomputed" else X)


def test_memory_mapped_arrays_are_read_where_they_are(tmp_path):
    big = np.lib.format.open_memmap(tmp_path / "x.npy", mode="w+", dtype=np.float64, shape=(2000, 4))
    big[:] = RNG.rand(2000, 4)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    for one in (mercer.Nystroem(n_components=5, random_state=0), mercer.RBFSampler(n_components=6, random_state=0)):
        checked = one.fit(mapped)._checked(mapped)
        assert np.shares_memory(checked, mapped)
        np.testing.assert_array_equal(one.transform(mapped), clone(one).fit(np.array(mapped)).transform(np.array(mapped)))


@pytest.mark.parametrize("gamma", [1.0, 0.2, "scale", 0])
@pytest.mark.parametrize("kind", [np.float64, np.float32, "sparse"])
def test_rbf_sampler_is_scikit_learns(gamma, kind):
    data = sparse.csr_matrix(X) if kind == "sparse" else X.astype(kind)
    new = sparse.csr_matrix(NEW) if kind == "sparse" else NEW.astype(kind)
    ours = mercer.RBFSampler(gamma=gamma, n_components=30, random_state=9).fit(data)
    other = theirs.RBFSampler(gamma=gamma, n_components=30, random_state=9).fit(data)
    np.testing.assert_array_equal(ours.random_weights_, other.random_weights_)
    np.testing.assert_array_equal(ours.random_offset_, other.random_offset_)
    assert ours.transform(new).dtype == other.transform(new).dtype
    np.testing.assert_allclose(ours.transform(new), other.transform(new), rtol=1e-5, atol=1e-6)


def test_rbf_sampler_takes_many_rows_in_blocks():
    many = RNG.rand(20000, 3)
    ours = mercer.RBFSampler(n_components=50, random_state=1).fit(many)
    other = theirs.RBFSampler(n_components=50, random_state=1).fit(many)
    np.testing.assert_allclose(ours.transform(many), other.transform(many), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("arguments", [{"gamma": -1.0}, {"gamma": "auto"}, {"n_components": 0}])
def test_rbf_sampler_refuses(arguments):
    with pytest.raises(ValueError):
        mercer.RBFSampler(**arguments).fit(X)


def test_feature_maps_have_no_model_file(tmp_path):
    with pytest.raises(ValueError, match="pickle it"):
        mercer.RBFSampler().fit(X).save(tmp_path / "m.mercer")


def test_random_features_is_a_kernel():
    k = mercer.parse("random_features(rbf(ell=0.8), count=2000, seed=2)")
    assert abs(k(X) - mercer.rbf(ell=0.8)(X)).max() < 0.1
    assert mercer.random_features(mercer.rbf(ell=0.8), count=2000, seed=2) == k
    assert "Rahimi" in str(k.proof())
