"""Canonical correlation in feature space."""
import pickle

import numpy as np
import pytest
from sklearn.cross_decomposition import CCA

import mercer
from mercer import KernelCCA

rng = np.random.RandomState(0)
common = rng.randn(120, 1)
X = np.hstack([common + 0.5 * rng.randn(120, 1), rng.randn(120, 2)])
Y = np.hstack([rng.randn(120, 1), -common + 0.7 * rng.randn(120, 1)])


def closed_form(X, Y):
    bases = [np.linalg.qr(Z - Z.mean(0))[0] for Z in (X, Y)]
    return np.linalg.svd(bases[0].T @ bases[1])[1]


def test_linear_kernels_give_cca():
    m = KernelCCA(2, kernel="linear()", ridge=1e-11).fit(X, Y)
    np.testing.assert_allclose(m.correlations_, closed_form(X, Y), atol=1e-8)
    f, g = m.transform(X, Y)
    a, b = CCA(2, scale=False, max_iter=5000, tol=1e-12).fit(X, Y).transform(X, Y)
    for c in range(2):
        assert abs(np.corrcoef(f[:, c], g[:, c])[0, 1] - np.corrcoef(a[:, c], b[:, c])[0, 1]) < 1e-6
        assert abs(np.corrcoef(f[:, c], a[:, c])[0, 1]) > 1 - 1e-6
        assert f[np.abs(f[:, c]).argmax(), c] > 0


def test_what_is_not_linear_is_found():
    t = rng.uniform(-2, 2, (150, 1))
    other = np.hstack([t**2 + 0.1 * rng.randn(150, 1), rng.randn(150, 1)])
    assert closed_form(t, other)[0] < 0.3
    m = KernelCCA(1, kernel="rbf(ell=1)", target_kernel="rbf(ell=2)", n_permutations=99).fit(t, other)
    assert m.correlations_[0] > 0.9 and m.p_values_[0] == 0.01
    new = rng.uniform(-2, 2, (80, 1))
    pair = m.transform(new, np.hstack([new**2, rng.randn(80, 1)]))
    assert np.corrcoef(pair[0][:, 0], pair[1][:, 0])[0, 1] > 0.85
    unrelated = KernelCCA(1, n_permutations=99).fit(X, rng.randn(120, 1))
    assert unrelated.p_values_[0] > 0.01


def test_any_inputs_matrices_and_functions():
    words = ["ab" * (1 + i % 4) + "c" * (i % 3) for i in range(40)]
    lengths = np.array([[len(word)] for word in words], dtype=float)
    m = KernelCCA(1, kernel="spectrum(k=1)", ridge=0.01).fit(words, lengths)
    assert m.correlations_[0] > 0.99
    turned = KernelCCA(1, kernel="linear()", target_kernel="spectrum(k=1)", ridge=0.01).fit(lengths, words)
    np.testing.assert_allclose(turned.rhos_, m.rhos_, atol=1e-10)
    assert turned.transform(lengths, words)[1].shape == (40, 1)
    k, l = mercer.rbf(ell=2.0), mercer.rbf(ell=1.0)
    by_kernels = KernelCCA(2, kernel=k, target_kernel=l).fit(X, Y)
    by_numbers = KernelCCA(2, kernel="precomputed", target_kernel="precomputed").fit(k(X), l(Y))
    by_functions = KernelCCA(2, kernel=lambda a, b: k(a, b), target_kernel=lambda a, b: l(a, b)).fit(X, Y)
    expected = by_kernels.transform(X[:9], Y[:9])
    for got in (by_numbers.transform(k(X[:9], X), l(Y[:9], Y)), by_functions.transform(X[:9], Y[:9])):
        for mine, other in zip(got, expected):
            np.testing.assert_allclose(mine, other, atol=1e-9)


def test_weights_are_multiplicities():
    times = np.arange(120) % 3
    weighted = KernelCCA(2).set_params(kernel="rbf(ell=2)").fit(X, Y, times)
    repeated = KernelCCA(2, kernel="rbf(ell=2)").fit(X.repeat(times, axis=0), Y.repeat(times, axis=0))
    np.testing.assert_allclose(weighted.transform(X), repeated.transform(X), atol=1e-8)


def test_files_pickles_and_errors(tmp_path):
    m = KernelCCA(2, kernel="rbf(ell=2)").fit(X, Y)
    again = pickle.loads(pickle.dumps(m))
    assert (again.transform(X, Y)[1] == m.transform(X, Y)[1]).all()
    for ridge in (0, -1):
        with pytest.raises(ValueError, match="ridge must be a finite number > 0"):
            KernelCCA(ridge=ridge).fit(X, Y)
    with pytest.raises(ValueError, match="3 components are asked for, and there are 2"):
        KernelCCA(3).fit(X, Y)
    with pytest.raises(ValueError, match="nothing varies"):
        KernelCCA().fit(X, np.ones(120))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        KernelCCA().fit(X, Y[:50])
    with pytest.raises(AttributeError, match="n_permutations"):
        m.p_values_
