"""Kernel statistics from Python: values, kinds of input, errors."""
import numpy as np
import pandas
import pytest

import mercer
from mercer import statistics

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(60, 2)), RNG.normal(size=(50, 2)) + 0.8


def naive_mmd(K, n):
    xx, yy, xy = K[:n, :n], K[n:, n:], K[:n, n:]
    m = len(K) - n
    return ((xx.sum() - np.trace(xx)) / (n * (n - 1)) + (yy.sum() - np.trace(yy)) / (m * (m - 1)) - 2 * xy.mean())


def test_values_by_numpy():
    k = mercer.rbf(ell=0.7)
    both = np.vstack([X, Y])
    assert statistics.mmd(X, Y, k) == pytest.approx(naive_mmd(k(both), len(X)), rel=1e-12)
    n, H = len(X), np.eye(len(X)) - 1 / len(X)
    K, L = k(X), mercer.linear()(X**2)
    wanted = np.trace(K @ H @ L @ H) / n**2
    assert statistics.hsic(X, X**2, k, "linear()", estimate="biased") == pytest.approx(wanted, rel=1e-12)
    Kc, Lc = H @ K @ H, H @ L @ H
    wanted = (Kc * Lc).sum() / np.linalg.norm(Kc) / np.linalg.norm(Lc)
    np.testing.assert_allclose(statistics.alignments(X, [k, mercer.rbf(ell=0.7)]), np.ones((2, 2)), rtol=1e-13)
    y = X[:, 0] ** 2
    Lc = H @ np.outer(y, y) @ H
    wanted = (Kc * Lc).sum() / np.linalg.norm(Kc) / np.linalg.norm(Lc)
    assert statistics.alignment(X, y, k) == pytest.approx(wanted, rel=1e-12)


def test_two_samples():
    result = statistics.mmd_test(X, Y)
    assert result.rejected and 0 < result.p <= result.alpha
    assert len(result.parts) == 20 and result.parts[0].kernel.startswith("laplace")
    assert [part.kernel for part in result.parts[:1]] != [str(statistics.bandwidths(X)[0])]  # those of scaled columns
    assert result == statistics.mmd_test(X, Y)
    assert result.p == statistics.mmd_test(Y[::-1], X).p
    assert result != statistics.mmd_test(X, Y, seed=2)
    for more in ({"null": "signs"}, {"statistic": "biased"}, {"kernel": ["rbf(ell=1)", mercer.laplace(ell=2)]}):
        assert statistics.mmd_test(X[:50], Y, resamples=199, **more).rejected
    assert statistics.mmd_test(np.repeat(X, 20, 0), np.repeat(Y, 20, 0), statistic="linear").resamples == 0


def test_tables_texts_and_sparse_rows():
    import scipy.sparse
    frame, other = pandas.DataFrame(X, columns=["u", "v"]), pandas.DataFrame(Y, columns=["u", "v"])
    plain = statistics.mmd_test(frame, other, resamples=99)
    assert statistics.mmd_test(frame, other[["v", "u"]], resamples=99) == plain
    assert statistics.mmd_test(X, Y, resamples=99) == plain
    with pytest.raises(ValueError, match="v missing, w too many"):
        statistics.mmd_test(frame, other.rename(columns={"v": "w"}))
    assert statistics.mmd_test(["abab", "baba", "abba"] * 4, ["cdcd", "dcdc", "cddc"] * 4, "spectrum(k=2)").rejected
    assert statistics.mmd_test(scipy.sparse.csr_matrix(X), scipy.sparse.csr_matrix(Y), resamples=99).rejected


def test_dependence_on_words():
    words = np.where(X[:, 0] > 0, "high", "low")
    assert statistics.hsic_test(X, words.tolist(), kernel_y="equal()").rejected
    assert not statistics.hsic_test(X[:, 1:], words.tolist(), kernel_y="equal()").rejected
    assert len(statistics.hsic_test(X, X, ["rbf(ell=1)", "linear()"], ["rbf(ell=1)"], resamples=99).parts) == 2


def test_densities():
    scores = statistics.ksd_test(X, -X)
    assert scores == statistics.ksd_test(X, lambda x: -x)
    assert not scores.rejected
    assert statistics.ksd_test(Y, lambda x: -x).rejected
    assert not statistics.normality_test(Y, resamples=99).rejected
    assert statistics.normality_test(np.exp(Y), resamples=99).rejected
    with pytest.raises(ValueError, match="laplace"):
        statistics.ksd(X, -X, "laplace(ell=1)")


def test_representatives():
    few = statistics.thinning(X, 8)
    assert len(set(few)) == 8
    np.testing.assert_array_equal(few, statistics.thinning(X, 8))
    assert statistics.distance_to_all(X, few) < statistics.distance_to_all(X, np.arange(8))
    assert len(set(statistics.herding(X, 8))) == 8
    with pytest.raises(ValueError, match="61 of 60"):
        statistics.herding(X, 61)


def test_bad_words():
    with pytest.raises(ValueError, match="at least 19"):
        statistics.mmd_test(X, Y, resamples=5)
    with pytest.raises(ValueError, match="unbiased"):
        statistics.mmd(X, Y, estimate="mean")
    with pytest.raises(ValueError, match="linear"):
        statistics.mmd_test(X, Y, statistic="lineal")
    with pytest.raises(ValueError, match="signs"):
        statistics.mmd_test(X, Y, null="wild")
    with pytest.raises(ValueError, match="NaN"):
        statistics.mmd_test(X, [[np.nan, 1.0]])
    with pytest.raises(ValueError, match="precomputed"):
        statistics.mmd(X, Y, "precomputed")
