"""Ridge regression and tuning: Mercer beside scikit-learn and the bare LAPACK call, in one run.

`tune` needs the folder of data sets (bench/sets.py). Each time is the best of two or three runs, but for GridSearchCV,
which has one. Both sides have the same numbers, and what they find is compared. Run it on a machine that does nothing
else; it takes a few minutes, most of them scikit-learn's.
"""
import os
import pathlib
import tempfile

import numpy
import sets
from figures import best_of, chosen, lapack, run
from sets import add_case_options

CASES = ["ridge", "path", "tune", "costs"]
RIDGE, ELL = 0.1, 4.0  # scikit-learn: alpha, gamma = 1 / (2 ell^2)
GRID = {"C": [1, 4, 16, 64, 256], "gamma": [0.01, 0.03, 0.1, 0.3, 1]}


def regression(n, d, folder):
    """Smooth values of d inputs, with noise."""
    random = numpy.random.default_rng(1)
    x = random.uniform(-1.7, 1.7, (n, d))
    y = numpy.sin(x[:, 0]) + x[:, 1] * x[:, 2] + 0.1 * random.standard_normal(n)
    files = folder / "x.npy", folder / "y.npy"
    numpy.save(files[0], x)
    numpy.save(files[1], y)
    return x, y, files


def sklearn_ridge(x, y):
    from sklearn.kernel_ridge import KernelRidge
    return best_of(2, lambda: KernelRidge(alpha=RIDGE, kernel="rbf", gamma=0.5 / ELL**2).fit(x, y))


def ridge_case(program, figures, folder, shrink):
    n = 10000 // shrink
    x, y, files = regression(n, 20, folder)
    coefficients = folder / "alpha.npy"
    result = run(program, "machines", "ridge", *files, RIDGE, ELL, coefficients)
    memory = run(program, "machines", "ridge_memory", *files, RIDGE, ELL)["megabytes"]
    peer, machine = sklearn_ridge(x, y)
    factor = min(lapack(n)["potrf"], result["factor"])
    ratio = result["ours"] / factor
    figures.row(f"ridge, n={n:,} d=20: times the faster of OpenBLAS's threaded dpotrf and ours", f"{ratio:.2f}x",
                "<= 1.15x", ratio <= 1.15, f"{result['ours']:.2f} s, {factor:.2f} s")
    ratio = peer / result["ours"]
    figures.row("the same: faster than scikit-learn's KernelRidge", f"{ratio:.1f}x", ">= 2.5x", ratio >= 2.5,
                f"{result['ours']:.2f} s, {peer:.2f} s")
    share = memory * 2**20 / (8 * n * n)
    figures.row("the same: all memory of the process, in n^2 doubles", f"{share:.2f}", "<= 1.2", share <= 1.2,
                f"{memory:.0f} MB")
    theirs = machine.dual_coef_
    difference = numpy.abs(numpy.load(coefficients)[:, 0] - theirs).max() / numpy.abs(theirs).max()
    figures.row("the same: coefficients against scikit-learn's", f"{difference:.0e}", "<= 1e-9", difference <= 1e-9)


def path_case(program, figures, folder, shrink):
    n = 5000 // shrink
    x, y, files = regression(n, 20, folder)
    result = run(program, "machines", "path", *files, ELL)
    peer, _ = sklearn_ridge(x, y)
    ratio = result["ours"] / peer
    figures.row(f"path of {result['ridges']} ridges with leave-one-out, n={n:,}: times one scikit-learn fit",
                f"{ratio:.1f}x", "<= 4x", ratio <= 4,
                f"{result['ours']:.2f} s, {peer:.2f} s; ridge {result['ridge']:.2g}, "
                f"leave-one-out RMSE {result['leave_one_out_rmse']:.4f}")


def tune_case(program, figures, folder, shrink, data):
    from sklearn.model_selection import GridSearchCV, PredefinedSplit, StratifiedKFold
    from sklearn.svm import SVC
    n = 5000 // shrink
    x, y = sets.covtype(data, n)
    fold_of = numpy.zeros(n)
    for fold, (_, held_out) in enumerate(StratifiedKFold(5, shuffle=True, random_state=1).split(x, y)):
        fold_of[held_out] = fold
    files = {"x": x, "y": y, "folds": fold_of}
    for name, values in files.items():
        files[name] = folder / f"{name}.npy"
        numpy.save(files[name], values)
    grid = ",".join(f"{axis}={','.join(str(value) for value in values)}" for axis, values in GRID.items())
    result = run(program, "machines", "tune", files["x"], files["y"], files["folds"], grid)
    search = GridSearchCV(SVC(cache_size=4000, tol=1e-3), GRID, n_jobs=2, cv=PredefinedSplit(fold_of))
    peer, search = best_of(1, lambda: search.fit(x, y))
    ratio = peer / result["ours"]
    figures.row(f"tune svc, 5 folds, 5 x 5, {n:,} x {x.shape[1]}: faster than GridSearchCV", f"{ratio:.1f}x",
                ">= 20x", ratio >= 20, f"{result['ours']:.2f} s, {peer:.2f} s with 2 processes")
    # scikit-learn's candidates are in the same order: its last axis changes fastest too.
    theirs = search.cv_results_["mean_test_score"]
    ours = [candidate["mean"] for candidate in result["candidates"]]
    difference = max(abs(a - b) for a, b in zip(ours, theirs, strict=True))
    figures.row("the same: mean accuracies, the largest difference", f"{difference:.1e}", "<= 1e-3", difference <= 1e-3,
                f"best {max(ours):.4f} ({result['candidates'][result['best']]['values']}), "
                f"{search.best_score_:.4f} ({search.best_params_})")


def clusters(n, d):
    """Two classes of five clusters each, as TorchKM's example has them; a tenth of the labels is turned around."""
    random = numpy.random.default_rng(42)

    def side(count, first, shift):
        centres = 3 * random.standard_normal((5, d))
        centres[:, first:first + d // 2] += shift
        return centres[random.integers(0, 5, count)] + 3 * random.standard_normal((count, d))

    x = numpy.vstack([side(n // 2, d // 2, -2), side(n - n // 2, 0, 2)])
    y = numpy.repeat([0.0, 1.0], [n // 2, n - n // 2])
    order = random.permutation(n)
    x, y = x[order], y[order]
    y = numpy.where(random.random(n) < 0.1, 1 - y, y)
    return sets.standardised(x), y


def costs_case(command, figures, folder, shrink):
    """TorchKM's table: 37.7 s on a graphics processor, ThunderSVM on it 279.4, scikit-learn 14,322.8."""
    n, d = 10000 // shrink, 1000 // shrink
    files = folder / "x.npy", folder / "y.npy"
    for file, values in zip(files, clusters(n, d)):
        numpy.save(file, values)
    seconds, found = best_of(1, lambda: run(command, "tune", "svc", files[0], "--target", files[1], "--scale", "none", "--kernel",
                                            "rbf(ell=auto)", "--grid", "C=0.001:1000", "--points", 50, "--cv", 10, "--json"))
    done = all(candidate["converged"] for candidate in found["candidates"])
    best = max(candidate["mean"] for candidate in found["candidates"])
    figures.row(f"tune svc, 10 folds, 50 values of C, {n:,} x {d:,}: seconds of the whole command", f"{seconds:.1f} s", "<= 37.7 s",
                seconds <= 37.7 and done, f"accuracy {best:.4f}; wanted is what TorchKM states for a graphics processor")


def add_options(parser):
    add_case_options(parser, CASES)


def main(options, figures):
    names = chosen("--cases", options.cases, CASES)
    data = sets.folder(options) if "tune" in names else None
    print(f"cores: {os.cpu_count()}")
    with tempfile.TemporaryDirectory(prefix="mercer-bench-") as place:
        folder = pathlib.Path(place)
        if "ridge" in names:
            ridge_case(options.program, figures, folder, options.shrink)
        if "path" in names:
            path_case(options.program, figures, folder, options.shrink)
        if "tune" in names:
            tune_case(options.program, figures, folder, options.shrink, data)
        if "costs" in names:
            costs_case(options.command, figures, folder, options.shrink)
