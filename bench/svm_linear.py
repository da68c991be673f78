"""Linear support vector classifiers: dual coordinate descent of Mercer's beside LIBLINEAR's (scikit-learn's LinearSVC).

linear_svc has LIBLINEAR's problem, its penalised bias included. Both go through tolerances from loose to tight; of each the first fit
counts whose objective, computed here from its weights, is within 1e-4 of the least that either has found. Columns are those of
the set, or features of a kernel by centres (scikit-learn's Nystroem, the same for both). svc has a free bias, and is given as a
process of its own. Processor seconds, on one thread where that is asked. Run it on a machine that does nothing else.
"""
import os
import pathlib
import sys
import tempfile
import time
import warnings

import numpy
import sets
from figures import chosen, run

CASES = ["a9a", "w8a", "covtype", "centres", "svc"]
TOLERANCES = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5)
NEAR = 1e-4  # of the least objective
CENTRES = 300
SVC_ROWS = (100_000, 1_000_000)
SVC_PEER = """
import json, sys, time, warnings
import numpy
from sklearn.svm import LinearSVC
warnings.simplefilter("ignore")
x, y = numpy.load(sys.argv[1]), numpy.load(sys.argv[2])
before = time.process_time()
model = LinearSVC(loss="hinge", C=1, tol=1e-3, max_iter=5000).fit(x, y)
print(json.dumps({"seconds": time.process_time() - before, "passes": int(model.n_iter_), "error": 1 - model.score(x, y)}))
"""


def columns(name, data, rows):
    """Rows and classes, -1 and 1."""
    if name in ("a9a", "w8a"):
        x, y = sets.libsvm(data / name / f"{name}.gz")
        return x[:rows], numpy.where(y[:rows] > 0, 1, -1)
    x, y = sets.covtype(data, rows or 20000)
    if name == "centres":
        from sklearn.kernel_approximation import Nystroem
        x = Nystroem(gamma=0.1, n_components=CENTRES, random_state=1).fit_transform(x)
    return x, numpy.where(y > 0, 1, -1)


def objective(machine, x, y, power):
    weights, bias = machine.coef_.ravel(), float(numpy.ravel(machine.intercept_)[0])
    losses = numpy.maximum(0, 1 - y * (x @ weights + bias))
    return (weights @ weights + bias * bias) / 2 + (losses**power).sum()


def fits(make, x, y, power):
    """Processor seconds and objective of each tolerance."""
    out = []
    for tolerance in TOLERANCES:
        machine = make(tolerance)
        before = time.process_time()
        machine.fit(x, y)
        out.append((time.process_time() - before, objective(machine, x, y, power)))
    return out


def features_case(figures, name, x, y):
    import mercer
    from sklearn.svm import LinearSVC
    for loss, power in (("squared_hinge", 2), ("hinge", 1)):
        common = {"loss": loss, "C": 1.0, "max_iter": 2000, "random_state": 0}
        ours = fits(lambda tol: mercer.LinearSVC(**common, tol=tol, threads=1), x, y, power)
        theirs = fits(lambda tol: LinearSVC(**common, tol=tol, dual=True), x, y, power)
        least = min(value for _, value in ours + theirs)

        def first(side):
            return next((seconds for seconds, value in side if value <= least * (1 + NEAR)), None)

        mine, peer = first(ours), first(theirs)
        what = f"linear_svc, {name}, {x.shape[0]:,} x {x.shape[1]}, {loss}: faster than LIBLINEAR"
        if mine is None or peer is None:
            late = "LIBLINEAR does" if mine is not None else "it does"
            figures.row(what, "inf" if mine is not None else "0.0x", ">= 1x", mine is not None,
                        f"{late} not come within {NEAR:g} of the least objective, {least:.8g}, in {common['max_iter']} passes")
        else:
            figures.row(what, f"{peer / mine:.1f}x", ">= 1x", peer >= mine, f"{mine:.3f} s, {peer:.3f} s; objective {least:.8g}")


def svc_case(command, figures, folder, rows):
    """svc with linear() beside LIBLINEAR (scikit-learn's LinearSVC, whose bias is penalised), in processor seconds of fits."""
    for n in [rows] if rows else SVC_ROWS:
        random = numpy.random.default_rng(0)
        x = random.normal(size=(n, 20))
        y = numpy.where(x @ random.normal(size=20) + 1 + random.normal(size=n) > 0, 1, -1)
        files = folder / "linear.npy", folder / "linear_target.npy"
        for file, values in zip(files, (x, y)):
            numpy.save(file, values)
        before = os.times()
        ours = run(command, "fit", "svc", files[0], "--target", files[1], "--kernel", "linear()", "--scale", "none", "--C", "1",
                   "--plain", "--json", "-o", folder / "linear.mercer")
        after = os.times()
        seconds = after.children_user + after.children_system - before.children_user - before.children_system
        peer = run(sys.executable, "-c", SVC_PEER, *files)
        figures.row(f"svc, linear(), {n:,} x 20: faster than LIBLINEAR", f"{peer['seconds'] / seconds:.1f}x", ">= 1x",
                    peer["seconds"] >= seconds and ours["report"]["converged"],
                    f"{seconds:.1f} s with reading, {peer['seconds']:.1f} s without ({peer['passes']} passes of 5000)")


def add_options(parser):
    sets.add_data_option(parser)
    parser.add_argument("--cases", default=",".join(CASES), help="[%(default)s]")
    parser.add_argument("--rows", type=int, help="only the first rows of every set: a trial, no benchmark")


def main(options, figures):
    names = chosen("--cases", options.cases, CASES)
    warnings.simplefilter("ignore")  # passes that have run out are part of what is measured
    for name in names:
        if name != "svc":
            features_case(figures, name, *columns(name, sets.folder(options), options.rows))
    if "svc" in names:
        with tempfile.TemporaryDirectory(prefix="mercer-bench-") as place:
            svc_case(options.command, figures, pathlib.Path(place), options.rows)
