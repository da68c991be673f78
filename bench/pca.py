"""Kernel principal components beside scikit-learn's, of this Python and of the one that MERCER_PEERS names.

Ten components of points drawn from a normal distribution in 20 dimensions, rbf with gamma = 1/20: the first twenty
eigenvalues are close together, which is hard for every solver. Peers are tried with each solver that finds a few
components; the fastest counts, though its eigenvalues are good to four digits only. `make results` also has the errors
of nearest neighbours among the components of digits (add_part).
"""
import json
import resource
import time

import numpy
import sets
from figures import run, with_peers

COMPONENTS = 10
LARGE = 50_000
KERNELS = {"linear": {}, "rbf": {"gamma": 0.001}, "poly": {"degree": 3, "gamma": 0.001, "coef0": 1}}
COUNTS = (2, 5, 10, 20, 40, 64)

PEER = """
import json, sys, time, numpy
from sklearn.decomposition import KernelPCA
x = numpy.random.RandomState(0).randn(int(sys.argv[1]), 20)
taken = []
for _ in range(2):
    start = time.perf_counter()
    fitted = KernelPCA(int(sys.argv[2]), kernel="rbf", gamma=1 / 20, eigen_solver=sys.argv[3], random_state=0).fit(x)
    taken.append(time.perf_counter() - start)
print(json.dumps({"seconds": min(taken), "eigenvalues": fitted.eigenvalues_.tolist()}))
"""


def points(n):
    return numpy.random.RandomState(0).randn(n, 20)


def fit(x, **arguments):
    import mercer
    start = time.perf_counter()
    fitted = mercer.KernelPCA(COMPONENTS, kernel="rbf", gamma=1 / 20, **arguments).fit(x)
    return time.perf_counter() - start, fitted


def speed(figures):
    x = points(8000)
    fit(x[:500])  # what is done once
    taken, ours = min((fit(x) for _ in range(3)), key=lambda run: run[0])
    tried = [(solver, python, run(python, "-c", PEER, len(x), COMPONENTS, solver))
             for python in with_peers() for solver in ("arpack", "randomized")]
    solver, _, best = min(tried, key=lambda one: one[2]["seconds"])
    exact = min((one[2] for one in tried if one[0] == "arpack"), key=lambda peer: peer["seconds"])
    error = max(abs(ours.eigenvalues_ / exact["eigenvalues"] - 1))
    ratio = best["seconds"] / taken
    figures.row(f"pca, {COMPONENTS} components, n=8,000 d=20: faster than scikit-learn's best solver", f"{ratio:.1f}x", ">= 5x",
                ratio >= 5, f"{taken:.2f} s, {solver} {best['seconds']:.2f} s; {ours.report_['iterations']} products")
    ratio = exact["seconds"] / taken
    figures.row("the same: faster than its arpack, which has as many digits", f"{ratio:.1f}x", ">= 5x", ratio >= 5,
                f"{taken:.2f} s, {exact['seconds']:.2f} s")
    figures.row("the same: eigenvalues differ from arpack's by", f"{error:.0e}", "<= 1e-8", error <= 1e-8)


def accuracy(figures):
    from sklearn.decomposition import KernelPCA
    x = points(2000)
    theirs = KernelPCA(COMPONENTS, kernel="rbf", gamma=1 / 20, eigen_solver="dense").fit(x)
    dense, few = (fit(x, eigen_solver=solver)[1] for solver in ("dense", "krylov"))
    places = theirs.transform(x)
    off = max(abs(abs(dense.transform(x)) - abs(places)).max(axis=0) / abs(places).max(axis=0))
    figures.row("pca, n=2,000, dense: coordinates differ from scikit-learn's by", f"{off:.0e}", "<= 1e-8", off <= 1e-8)
    cosines = numpy.linalg.svd(few.eigenvectors_.T @ dense.eigenvectors_, compute_uv=False)
    # The sine from what is left: the cosine of a small angle is 1 in floating point.
    rest = few.eigenvectors_ - dense.eigenvectors_ @ (dense.eigenvectors_.T @ few.eigenvectors_)
    angle = numpy.linalg.norm(rest, 2) if cosines.min() > 0.9 else numpy.arccos(cosines.min())
    figures.row("pca, n=2,000, krylov: angle between its subspace and that of dense", f"{angle:.0e}", "<= 1e-5", angle <= 1e-5)


def large():
    """In a process of its own, for its memory."""
    taken, fitted = fit(points(LARGE))
    print(json.dumps({"seconds": taken, "gigabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6,
                      "products": fitted.report_["iterations"], "residual": fitted.report_["figures"]["residual"]}))


def memory(figures, again):
    got = run(*again, "--large")
    figures.row(f"pca, {COMPONENTS} components, n={LARGE:,} d=20: memory of the process", f"{got['gigabytes']:.2f} GB", "<= 2 GB",
                got["gigabytes"] <= 2, f"{got['seconds']:.0f} s, {got['products']} products, residual {got['residual']:.0e}")


def nearest_neighbour_error(train, labels, test, truth):
    squares = (train ** 2).sum(axis=1) - 2 * test @ train.T
    return 100 * numpy.mean(labels[squares.argmin(axis=1)] != truth)


def add_part(data):
    """The section of docs/results.md."""
    import mercer
    from sklearn.decomposition import KernelPCA
    x, y = sets.table(data / "small_classification" / "digits_8x8.csv.gz")
    held = numpy.arange(len(y)) % 3 == 0
    print("""
## Principal components

Digits of 8 x 8 pixels, two thirds to find the components and every third to test: the error in per cent of the nearest
neighbour among so many coordinates, by Mercer's `KernelPCA` and scikit-learn's (`bench/pca.py`). The last column is the
largest difference between their coordinates of the test points, signs apart, over the largest coordinate.

| kernel | """ + " | ".join(str(count) for count in COUNTS) + """ | scikit-learn | coordinates differ by |
|---""" + "|---" * (len(COUNTS) + 2) + "|")
    for kernel, arguments in KERNELS.items():
        count = 61 if kernel == "linear" else max(COUNTS)  # three pixels are the same everywhere
        ours = mercer.KernelPCA(count, kernel=kernel, **arguments).fit(x[~held])
        theirs = KernelPCA(count, kernel=kernel, eigen_solver="dense", **arguments).fit(x[~held])
        sides = [(one.transform(x[~held]), one.transform(x[held])) for one in (ours, theirs)]
        curves = [[nearest_neighbour_error(train[:, :c], y[~held], test[:, :c], y[held]) for c in COUNTS]
                  for train, test in sides]
        off = abs(abs(sides[0][1]) - abs(sides[1][1])).max() / abs(sides[1][1]).max()
        same = "the same" if numpy.allclose(*curves) else ", ".join(f"{error:.1f}" for error in curves[1])
        print(f"| {kernel} | " + " | ".join(f"{error:.1f}" for error in curves[0]) + f" | {same} | {off:.0e} |")


def add_options(parser):
    sets.add_data_option(parser)
    parser.add_argument("--large", action="store_true", help="only the large case, as JSON")
    parser.add_argument("--results", action="store_true", help="only the section of docs/results.md")


def main(options, figures):
    if options.large:
        large()
    elif options.results:
        add_part(sets.folder(options))
    else:
        accuracy(figures)
        speed(figures)
        memory(figures, options.again)
