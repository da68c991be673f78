"""Distances and neighbours in feature space, and functions of the Hilbert space."""
import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

import mercer

X = np.random.RandomState(0).randn(60, 3)
Y = np.random.RandomState(1).randn(25, 3)


def test_distances_of_linear_are_those_of_the_points():
    plain = np.linalg.norm(X[:, None] - Y[None], axis=2)
    np.testing.assert_allclose(mercer.distances("linear()", X, Y), plain, rtol=1e-13)
    np.testing.assert_allclose(mercer.distances("linear()", X, Y, squared=True), plain**2, rtol=1e-13)
    own = mercer.distances(mercer.rbf(ell=2.0), X)
    assert (own == own.T).all() and (np.diag(own) == 0).all()
    np.testing.assert_allclose(own**2, 2 - 2 * mercer.rbf(ell=2.0)(X), atol=1e-14)


def test_close_points_keep_their_digits():
    d = mercer.distances("rbf(ell=2)", [[1.0]], [[1.0 + 2.0**-30]])
    assert d[0, 0] == pytest.approx(2.0**-31, rel=1e-14)


@pytest.mark.parametrize("kernel", ["linear()", "rbf(ell=0.5)", "exponential(ell=3)"])
def test_neighbours_are_scikit_learns(kernel):
    far, which = mercer.neighbours(kernel, Y, X, count=4)
    theirs = NearestNeighbors(n_neighbors=4).fit(X)
    assert (which == theirs.kneighbors(Y, return_distance=False)).all()
    own = mercer.neighbours(kernel, X, count=4, threads=1)[1]
    assert (own == theirs.kneighbors(return_distance=False)).all()
    if kernel == "linear()":
        np.testing.assert_allclose(far, theirs.kneighbors(Y)[0])


def test_neighbours_of_texts_and_tables():
    far, which = mercer.neighbours("spectrum(k=2)", ["abab"], ["bb", "baba", "abab"], count=2)
    assert which.tolist() == [[2, 1]] and far[0, 0] == 0
    with pytest.raises(ValueError, match="5 neighbours are asked for, and there are 2 other points"):
        mercer.neighbours("spectrum(k=2)", ["a", "b", "c"])
    with pytest.raises(ValueError, match="contains NaN"):
        mercer.distances("linear()", [[np.nan]])


def test_functions_reproduce():
    k = mercer.rbf(ell=1.5)
    f = mercer.rkhs.Function(k, X, np.sin(np.arange(60)))
    for point in Y[:5]:
        assert f.inner(mercer.rkhs.section(k, point)) == pytest.approx(f(point.reshape(1, -1))[0], abs=1e-12)
    g = 2 * f - f / 2
    np.testing.assert_allclose(g(Y), 1.5 * f(Y), atol=1e-12)
    assert len(np.float64(2.0) * f - 2 * f) == 0
    assert f.norm() ** 2 == pytest.approx(f.coefficients @ k(X) @ f.coefficients)
    x, y = mercer.rkhs.section(k, X[0]), mercer.rkhs.section(k, X[1])
    assert x.distance(y) == pytest.approx(mercer.distances(k, X[:1], X[1:2])[0, 0], rel=1e-13)


def test_projection_and_mean():
    k = mercer.rbf(ell=1.5)
    f = mercer.rkhs.mean(k, X)
    p = f.project(Y)
    assert p.rank == 25 and p.condition > 1
    np.testing.assert_allclose((f - p.value)(Y), 0, atol=1e-8)
    assert p.value.distance(f) <= f.distance(mercer.rkhs.mean(k, Y)) + 1e-12
    K, L, M = k(X), k(Y), k(X, Y)
    assert f.distance(mercer.rkhs.mean(k, Y)) ** 2 == pytest.approx(K.mean() + L.mean() - 2 * M.mean())


def test_function_of_an_estimator():
    ridge = mercer.KernelRidge(kernel=mercer.rbf(ell=1.0)).fit(X, X[:, 0])
    f = mercer.rkhs.function_of(ridge)
    np.testing.assert_allclose(f(Y), ridge.predict(Y), atol=1e-12)
    both = mercer.KernelRidge(kernel=mercer.rbf(ell=1.0)).fit(X, X[:, :2])
    for t in range(2):
        np.testing.assert_allclose(mercer.rkhs.function_of(both, t)(Y), both.predict(Y)[:, t], atol=1e-12)
    texts = mercer.rkhs.section("spectrum(k=1)", "aab")
    assert texts(["a", "b", "c"]).tolist() == [2, 1, 0]


def test_functions_of_different_kernels_do_not_mix():
    f = mercer.rkhs.section("rbf(ell=1)", [0.0])
    with pytest.raises(ValueError, match="different spaces"):
        f + mercer.rkhs.section("rbf(ell=2)", [0.0])
    with pytest.raises(TypeError, match="inner"):
        f * f
    with pytest.raises(ValueError, match="resolve"):
        mercer.rkhs.section("rbf(ell=auto)", [0.0])
