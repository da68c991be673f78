"""Mercer beside its peers, in one run: ratios, the wanted ones, and whether they are met.

Peers: scikit-learn's rbf_kernel (Debian python3-sklearn) and the bare BLAS call on all cores, from this Python's SciPy or
that of the Python that MERCER_PEERS names, whichever is faster. Each time is the best of several runs. Ratios are what
carries over to another machine; seconds are printed beside them. MERCER_SIMD=avx2 with OPENBLAS_CORETYPE=Haswell stands
for a CPU without AVX-512, for both sides.
"""
import os
import sys

from figures import best_of, run


def sklearn_rbf(rounds=5):
    import numpy
    from sklearn.metrics.pairwise import rbf_kernel
    x = numpy.random.default_rng(1).uniform(-1.7, 1.7, (8000, 20))
    return best_of(rounds, lambda: rbf_kernel(x, gamma=1 / 32))[0]


DSYRK = """
import json, os, time
import numpy
from scipy.linalg import blas
x = numpy.random.default_rng(1).uniform(-1.7, 1.7, (8000, 784))
a, c = numpy.asfortranarray(x), numpy.zeros((8000, 8000), order="F")
best = float("inf")
for lower in (0, 1) * 3:
    start = time.perf_counter()
    blas.dsyrk(1.0, a, 0.0, c, lower=lower, overwrite_c=1)
    best = min(best, time.perf_counter() - start)
maps = {line.split()[-1] for line in open("/proc/self/maps") if "blas" in line}
names = sorted(name for name in map(os.path.basename, map(os.path.realpath, maps)) if name.startswith("lib"))
names = [name for name in names if "openblas" in name] or names
print(json.dumps({"seconds": best, "library": names[0] if names else "BLAS"}))
"""


def dsyrk():
    """The bare BLAS call of the shape of K, on all cores, either triangle: the fastest of the libraries there are."""
    pythons = [sys.executable] + [os.environ[name] for name in ("MERCER_PEERS",) if name in os.environ]
    return min((run(python, "-c", DSYRK) for python in pythons), key=lambda found: found["seconds"])


def main(options, figures):
    row = figures.row

    peer = sklearn_rbf()
    result = run(options.program, "engine", "gram")
    peer = min(peer, sklearn_rbf())
    print(f"instruction set: {result['target']}, BLAS: {os.environ.get('OPENBLAS_CORETYPE', 'its own choice')}, "
          f"cores: {len(os.sched_getaffinity(0))}")
    ratio = peer / result["ours"]
    row("rbf Gram, double, n=8000 d=20: faster than scikit-learn", f"{ratio:.1f}x", ">= 9x", ratio >= 9,
        f"{result['ours']:.3f} s, {peer:.3f} s")

    peer = dsyrk()
    result = run(options.program, "engine", "wide")
    peer = min(peer, dsyrk(), key=lambda found: found["seconds"])
    ratio = result["ours"] / peer["seconds"]
    row("the same with d=784: times the bare dsyrk on all cores", f"{ratio:.2f}x", "<= 1.3x", ratio <= 1.3,
        f"{result['ours']:.3f} s, {peer['seconds']:.3f} s ({peer['library']})")

    result = run(options.program, "engine", "single")
    ratio = result["peer"] / result["ours"]
    row(f"the same of float32 points, in {result['precision']}: faster than double", f"{ratio:.2f}x", ">= 1.7x", ratio >= 1.7,
        f"{result['ours']:.3f} s, {result['peer']:.3f} s, entries within {result['error']:.1g}")

    result = run(options.program, "engine", "composite")
    ratio = result["ours"] / result["peer"]
    row("2*rbf + matern*linear + periodic*rbf: times one rbf", f"{ratio:.2f}x", "<= 2.5x", ratio <= 2.5,
        f"{result['ours']:.3f} s, {result['peer']:.3f} s")

    result = run(options.program, "engine", "gradient")
    ratio = result["ours"] / result["peer"]
    row(f"all {result['parameters']} gradients of it, given W: times its value", f"{ratio:.2f}x", "<= 3x", ratio <= 3,
        f"{result['ours']:.3f} s, {result['peer']:.3f} s")
    row("memory of these gradients", f"{result['megabytes']:.0f} MB", "a few tiles", result["megabytes"] < 64,
        "beyond data, K and W")

    result = run(options.program, "engine", "lazy")
    ratio = result["ours"] / result["peer"]
    row("lazy K v, n=50,000 d=20: times the bare pair loop", f"{ratio:.2f}x", "<= 1.3x", ratio <= 1.3,
        f"{result['ours']:.2f} s, {result['peer']:.2f} s (inner products alone {result['inner_products']:.2f} s)")
    row("lazy K v, n=50,000 d=20: memory beyond the data", f"{result['megabytes']:.0f} MB", "< 64 MB",
        result["megabytes"] < 64, f"{result['first']:.2f} s the first time")

    result = run(options.program, "engine", "csv", MERCER_NUM_THREADS="1", OMP_NUM_THREADS="1")
    speed = result["megabytes"] / result["ours"]
    row("CSV of a million rows, ten columns, one core", f"{speed:.0f} MB/s", "> 100 MB/s", speed > 100,
        f"{result['megabytes']:.0f} MB in {result['ours']:.2f} s")
