"""Kernel statistics: times beside NumPy and other packages, and how often true hypotheses are rejected.

The NumPy references do what a careful user would: kernels by SciPy's distances, all resamples as columns of one product,
by the threaded BLAS of this Python. MMDAgg's is the published algorithm (two sets of 2000 resamples, the level by
bisection); ours gets as many resamples in one set. MERCER_GOODPOINTS names the Python that has goodpoints, for thinning.
"""
import math
import os
import pathlib
import subprocess
import tempfile

import numpy as np
from scipy.spatial.distance import cdist

from figures import best_of
from mercer import statistics

RNG = np.random.default_rng(1)


def indicators(n, m, count, rng):
    """Who is of the first sample: in the first column as it is, in the others by chance."""
    z = np.zeros((n + m, count + 1))
    z[:n, 0] = 1
    for b in range(1, count + 1):
        z[rng.permutation(n + m)[:n], b] = 1
    return z


def numpy_statistics(K, z, n, m):
    """The unbiased MMD^2 of every column of z."""
    q, r, d = np.einsum("ib,ib->b", z, K @ z), K.sum(1) @ z, np.diag(K) @ z
    other = K.sum() - 2 * r + q
    return ((q - d) / (n * (n - 1)) + (other - (np.trace(K) - d)) / (m * (m - 1)) - 2 * (r - q) / (n * m))


def numpy_mmd(X, Y, ell, resamples):
    both = np.vstack([X, Y])
    K = np.exp(-cdist(both, both, "sqeuclidean") / (2 * ell**2))
    found = numpy_statistics(K, indicators(len(X), len(Y), resamples, np.random.default_rng(0)), len(X), len(Y))
    return found[0], np.mean(found >= found[0])


def numpy_mmdagg(X, Y, alpha=0.05, resamples=2000, steps=10):
    n, m, both = len(X), len(Y), np.vstack([X, Y])
    z = indicators(n, m, 2 * resamples, np.random.default_rng(0))
    found = []
    for metric in ("cityblock", "euclidean"):
        across, all_pairs = np.sort(cdist(X, Y, metric).ravel()), cdist(both, both, metric)
        least = max(across[len(across) // 20], 0.1) / 2 if across[0] < 0.1 else across[0] / 2
        for ell in np.geomspace(least, 2 * max(across[-1], 0.3), steps):
            K = np.exp(-all_pairs / ell) if metric == "cityblock" else np.exp(-(all_pairs / ell) ** 2)
            found.append(numpy_statistics(K, z, n, m))
    found, weight = np.array(found), 1 / (2 * steps)
    first, second = np.sort(found[:, :resamples + 1]), found[:, resamples + 1:]

    def quantiles(u):
        return first[:, math.ceil((resamples + 1) * (1 - u * weight)) - 1]

    low, high = 0.0, 1 / weight
    for _ in range(50):
        u = (low + high) / 2
        exceeded = np.mean(np.max(second - quantiles(u)[:, None], axis=0) > 0)
        low, high = (u, high) if exceeded <= alpha else (low, u)
    return bool(np.any(found[:, 0] > quantiles(low)))


def numpy_hsic(X, Y, ell, resamples):
    K, L = (np.exp(-cdist(a, a, "sqeuclidean") / (2 * ell**2)) for a in (X, Y))
    n = len(X)
    K = K - K.mean(0) - K.mean(1)[:, None] + K.mean()
    own, rng, reached = (K * L).sum(), np.random.default_rng(0), 1
    for _ in range(resamples):
        order = rng.permutation(n)
        reached += (K * L[np.ix_(order, order)]).sum() >= own
    return own / n**2, reached / (resamples + 1)


def times(figures):
    X, Y = RNG.normal(size=(2000, 10)), RNG.normal(size=(2000, 10)) + 0.03
    ours, result = best_of(3, lambda: statistics.mmd_test(X, Y, "rbf(ell=3)", resamples=1000))
    theirs, (value, p) = best_of(1, lambda: numpy_mmd(X, Y, 3, 1000))
    figures.row("mmd, 2,000 and 2,000 points in 10 columns, 1,000 permutations", f"{ours:.2f} s", "<= 5 s", ours <= 5,
                f"NumPy {theirs:.2f} s")
    figures.row("the same: statistic against NumPy's", f"{abs(result.statistic - value):.0e}", "<= 1e-12",
                abs(result.statistic - value) <= 1e-12, f"p {result.p:.3f}, {p:.3f}")
    X, Y = X[:500], Y[:500] + 0.1
    ours, result = best_of(3, lambda: statistics.mmd_test(X, Y, resamples=4000))
    theirs, rejected = best_of(1, lambda: numpy_mmdagg(X, Y))
    figures.row("mmd on all scales (MMDAgg), 500 and 500 points, 4,000 permutations", f"{ours:.2f} s", "<= 2 s", ours <= 2,
                f"NumPy {theirs:.2f} s; {'as' if rejected == result.rejected else 'not as'} it decides")
    X, Y = RNG.normal(size=(1000, 5)), RNG.normal(size=(1000, 5))
    ours, result = best_of(3, lambda: statistics.hsic_test(X, Y, "rbf(ell=2)", "rbf(ell=2)", estimate="biased", resamples=1000))
    theirs, (value, p) = best_of(1, lambda: numpy_hsic(X, Y, 2, 1000))
    figures.row("hsic, 1,000 points, 1,000 permutations: faster than NumPy", f"{theirs / ours:.1f}x", ">= 1x",
                theirs >= ours, f"{ours:.2f} s, {theirs:.2f} s; p {result.p:.3f}, {p:.3f}")


def distances(figures, peer):
    """How much closer to all points thinned ones are than as many by chance, the mean of ten sets."""
    ratios, peers, seconds, peer_seconds = [], [], 0.0, 0.0
    for seed in range(10):
        X = np.random.default_rng(seed).normal(size=(4096, 2))
        took, few = best_of(1, lambda: statistics.thinning(X, 64, "rbf(ell=1)", seed=seed + 1))
        seconds += took / 10
        by_chance = statistics.distance_to_all(X, range(64), "rbf(ell=1)")
        ratios.append(by_chance / statistics.distance_to_all(X, few, "rbf(ell=1)"))
        if peer:
            took, few = peer(X)
            peer_seconds += took / 10
            peers.append(by_chance / statistics.distance_to_all(X, few, "rbf(ell=1)"))
    figures.row("64 of 4,096 points by thinning: closer to all than by chance", f"{np.mean(ratios):.1f}x", ">= 4x",
                np.mean(ratios) >= 4, f"{1e3 * seconds:.0f} ms"
                + (f"; goodpoints {np.mean(peers):.1f}x in {1e3 * peer_seconds:.0f} ms" if peers else ""))


def levels(figures, seeds=500, alpha=0.05):
    wanted = alpha + 3 * math.sqrt(alpha * (1 - alpha) / seeds)

    def share(name, test):
        rejected = np.mean([test(np.random.default_rng(seed), seed) for seed in range(1, seeds + 1)])
        figures.row(f"{name}: rejected of {seeds} true hypotheses", f"{100 * rejected:.1f} %", f"<= {100 * wanted:.1f} %",
                    rejected <= wanted)

    share("mmd, rbf", lambda rng, seed: statistics.mmd_test(rng.normal(size=(40, 3)), rng.normal(size=(30, 3)),
                                                            "rbf(ell=auto)", resamples=199, seed=seed).rejected)
    share("mmd, signs", lambda rng, seed: statistics.mmd_test(rng.normal(size=(40, 3)), rng.normal(size=(40, 3)),
                                                              "rbf(ell=auto)", null="signs", resamples=199,
                                                              seed=seed).rejected)
    share("mmd, linear time", lambda rng, seed: statistics.mmd_test(rng.normal(size=(500, 3)), rng.normal(size=(500, 3)),
                                                                    statistic="linear", seed=seed).rejected)
    share("mmd on all scales", lambda rng, seed: statistics.mmd_test(rng.normal(size=(40, 3)), rng.normal(size=(30, 3)),
                                                                     resamples=199, seed=seed).rejected)
    share("hsic", lambda rng, seed: statistics.hsic_test(rng.normal(size=(40, 2)), rng.normal(size=(40, 2)),
                                                         resamples=199, seed=seed).rejected)
    share("ksd, signs", lambda rng, seed: statistics.ksd_test(rng.normal(size=(60, 2)), lambda x: -x, resamples=199,
                                                              seed=seed).rejected)
    share("normality", lambda rng, seed: statistics.normality_test(rng.normal(size=(40, 2)) @ np.array([[3.0, 1], [0, 1]]),
                                                                   resamples=199, seed=seed).rejected)


GOODPOINTS = """
import sys, time, numpy as np
from goodpoints import kt
X = np.load(sys.argv[1])
def kernel(y, X):
    return np.exp(-0.5 * ((X - y) ** 2).sum(-1))
start = time.perf_counter()
few = kt.thin(X, 6, kernel, kernel, delta=0.5, seed=1)
np.save(sys.argv[1], few)
print(time.perf_counter() - start)
"""


def goodpoints(folder):
    """Its thinning of an array to a 64th, or None where nobody says where it is."""
    python = os.environ.get("MERCER_GOODPOINTS")
    if not python:
        return None

    def thin(X):
        path = pathlib.Path(folder) / "points.npy"
        np.save(path, X)
        done = subprocess.run([python, "-c", GOODPOINTS, str(path)], check=True, capture_output=True, text=True)
        return float(done.stdout.split()[-1]), np.load(path)
    return thin


def main(_, figures):
    times(figures)
    with tempfile.TemporaryDirectory() as folder:
        distances(figures, goodpoints(folder))
    levels(figures)
