"""Gaussian processes of many points: along a line beside celerite2 and tinygp (a Python with them is named by MERCER_LINE_PEERS), by
neighbours, by inducing points, whole fits along a line, and plain fits of tables.

Processor seconds, so that what else the machine does matters little. `inducing`, `sizes` and `plain` need the folder of data sets (bench/sets.py).
"""
import json
import os
import pathlib
import resource
import subprocess
import tempfile

import numpy
import sets
from figures import chosen, run
from gp import NOISE, kernel_text, saved
from sets import add_case_options

CASES = ["line", "fit", "series", "nearest", "inducing", "sizes", "plain"]

# The larger sets of bench/sets.py. Root mean squared error and negative log density of a held-out target, in its
# deviations: the worst of what is published for the exact process, SGPR and SVGP (Wang et al. 2019, of four ninths of the
# rows). None: nothing is published of these files.
PLAIN = {"gas": None, "pumadyn32nm": None, "kin8nm": None, "power_plant": None, "pol": (0.217, -0.001), "elevators": (0.437, 0.619),
         "bike": (0.362, 0.291), "kin40k": (0.273, 0.236), "protein": (0.668, 1.035), "keggundirected": (0.118, -0.419)}


def line_case(program, figures, folder, shrink):
    random = numpy.random.default_rng(0)

    def series(n):
        x = numpy.sort(random.uniform(0, n / 100, n))[:, None]
        return saved(folder, x=x, y=numpy.sin(x[:, 0]) + random.uniform(size=n))

    n = 100_000 // shrink
    files = series(n)
    peer = pathlib.Path(__file__).with_name("line_peer.py")
    python = os.environ.get("MERCER_LINE_PEERS")
    taken, theirs = [], {}
    for _ in range(3):  # turn by turn
        taken.append(run(program, "gp", "line", *files, "matern(nu=1.5, ell=1)", NOISE, 5))
        for name, one in (run(python, peer, f"x={files[0]}", f"y={files[1]}", "ell=1", f"noise={NOISE}") if python else {}).items():
            theirs[name] = min(theirs.get(name, one), one, key=lambda found: found["seconds"])
    value, both = (min(one[what] for one in taken) for what in ("value_seconds", "both_seconds"))
    figures.row(f"along a line, matern 3/2, n={n:,}: log p(y), ns a point", f"{value / n * 1e9:.1f}", "<= 20", value <= 20e-9 * n)
    figures.row("the same with its gradient, ns a point", f"{both / n * 1e9:.1f}", "<= 100", both <= 100e-9 * n)
    for name, one in theirs.items():
        ratio = one["seconds"] / value
        figures.row(f"log p(y): faster than {name}", f"{ratio:.1f}x", ">= 1x", ratio >= 1,
                    f"{one['seconds'] / n * 1e9:.1f} ns; its value is off by {abs(one['value'] / taken[0]['value'] - 1):.0e}")
        if "with_gradient" in one:
            ratio = one["with_gradient"] / both
            figures.row(f"with its gradient: faster than {name}", f"{ratio:.1f}x", ">= 1x", ratio >= 1,
                        f"{one['with_gradient'] / n * 1e9:.1f} ns")
    n = 1_000_000 // shrink
    ours = run(program, "gp", "line", *series(n), "matern(nu=1.5, ell=1) + periodic(period=3, ell=1)", NOISE, 1)
    for what, seconds, wanted in (("log p(y)", ours["value_seconds"], 2 / shrink), ("with its gradient", ours["both_seconds"], 10 / shrink)):
        figures.row(f"matern 3/2 + periodic, n={n:,}: {what}, processor seconds", f"{seconds:.2f}", f"<= {wanted:g}", seconds <= wanted,
                    f"{ours['megabytes']:.0f} MB at most")


def timed(*words):
    """Standard error, processor seconds and the most megabytes of a process; the latter of all so far."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.stderr, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, after.ru_maxrss / 1024


def walk(n, step, ell, random):
    """A process with matern 3/2 at times in equal steps."""
    rate = numpy.sqrt(3) / ell
    u, e = rate * step, numpy.exp(-rate * step)
    phi = e * numpy.array([[1 + u, step], [-rate * u, 1 - u]])
    root = numpy.linalg.cholesky(numpy.diag([1, rate**2]) - phi @ numpy.diag([1, rate**2]) @ phi.T)
    (a, b), (c, d) = phi.tolist()
    f, g, out = 0.0, 0.0, []
    for p, q in (random.normal(size=(n, 2)) @ root.T).tolist():
        f, g = a * f + b * g + p, c * f + d * g + q
        out.append(f)
    return numpy.array(out)


def fit_case(command, figures, folder, shrink):
    """What is learnt: ell, period and ell of the cycle, their scales, the noise."""
    random = numpy.random.default_rng(1)
    n = 1_000_000 // shrink
    t = 0.05 * numpy.arange(n)
    cycle = 1.5 * numpy.sin(2 * numpy.pi * t / 7) + 0.5 * numpy.cos(6 * numpy.pi * t / 7)
    series = folder / "series.csv"
    numpy.savetxt(series, numpy.c_[t, walk(n, 0.05, 2, random) + cycle + 0.3 * random.normal(size=n)], delimiter=",",
                  header="t,y", comments="", fmt="%.9g")
    for what, words in (("with a kernel", ["--scale", "none", "--kernel", "matern(nu=1.5, ell=3) + periodic(period=7.0002, ell=1)"]),
                        ("a plain call", [])):
        said, seconds, megabytes = timed(command, "fit", "gp", series, "-o", folder / "line.mercer", *words)
        learnt = [line for line in said.splitlines() if "learnt:" in line]
        figures.row(f"mercer fit gp along a line, n={n:,}, {what}: processor seconds", f"{seconds:.0f}", f"<= {120 / shrink:g}",
                    seconds <= 120 / shrink, f"{megabytes:.0f} MB at most; {learnt[0].partition('learnt: ')[2] if learnt else ''}")


def series_case(command, figures, folder, shrink):
    random = numpy.random.default_rng(2)
    count, n = 100, 10_000 // shrink
    rows = [(0.05 * i, s, value) for s in range(count) for i, value in enumerate(walk(n, 0.05, 2, random) + 0.3 * random.normal(size=n))]
    table = folder / "table.csv"
    numpy.savetxt(table, rows, delimiter=",", header="t,sensor,y", comments="", fmt="%.9g")
    said, seconds, megabytes = timed(command, "fit", "gp", table, "--series-by", "sensor", "--scale", "none", "--kernel",
                                     "matern(nu=1.5, ell=3)", "-o", folder / "series.mercer")
    learnt = [line for line in said.splitlines() if "learnt:" in line]
    figures.row(f"mercer fit gp --series-by, {count} series of {n:,}: processor seconds", f"{seconds:.0f}", f"<= {120 / shrink:g}",
                seconds <= 120 / shrink, f"{megabytes:.0f} MB at most; {learnt[0].partition('learnt: ')[2] if learnt else ''}")


def nearest_case(program, figures, folder, shrink):
    random = numpy.random.default_rng(3)
    n = 1_000_000 // shrink
    x = random.uniform(0, 100, (n, 2))
    y = numpy.sin(x[:, 0]) * numpy.cos(x[:, 1] / 2) + 0.3 * random.normal(size=n)
    ours = run(program, "gp", "nearest", *saved(folder, x=x, y=y), "matern(nu=1.5, ell=[3, 5])", 0.1, 30)
    figures.row(f"log p(y) by 30 neighbours with its gradient, n={n:,} d=2: processor seconds", f"{ours['both_seconds']:.1f}",
                f"<= {40 / shrink:g}", ours["both_seconds"] <= 40 / shrink, f"{ours['megabytes']:.0f} MB at most")


def inducing_case(program, figures, folder, data):
    """GPyTorch takes 3.5 processor seconds a step and 1.7 GB for the same."""
    x, y, mask = sets.uci(data, "protein")
    rows = mask[:, 0] == 0
    x, y = x[rows], y[rows]
    x, y = (x - x.mean(0)) / x.std(0), (y - y.mean()) / y.std()
    ours = run(program, "gp", "inducing", *saved(folder, x=x, y=y), kernel_text([2.0] * x.shape[1]), 0.4, 500, 3)
    figures.row(f"bound by 500 inducing points with its gradient, n={len(y):,} d=9: processor seconds", f"{ours['processor']:.2f}",
                "<= 0.35", ours["processor"] <= 0.35, f"{ours['ours']:.2f} s; GPyTorch 3.5 processor seconds")
    figures.row("the same: all memory of the process", f"{ours['megabytes']:.0f} MB", "<= 200 MB",
                ours["megabytes"] <= 200, "GPyTorch 1.7 GB")


def scored(command, folder, x, y, train, test):
    """Of a plain call: processor seconds, RMSE and negative log density in deviations of the target, and what it said."""
    mean, deviation = y[train].mean(), y[train].std()
    names = ",".join([f"x{column}" for column in range(x.shape[1])] + ["y"])
    for name, rows in (("train.csv", train), ("test.csv", test)):
        numpy.savetxt(folder / name, numpy.c_[x[rows], (y[rows] - mean) / deviation], delimiter=",", header=names, comments="", fmt="%.9g")
    said, seconds, _ = timed(command, "fit", "gp", folder / "train.csv", "-o", folder / "plain.mercer")
    marks = json.loads(subprocess.run([str(command), "score", str(folder / "plain.mercer"), str(folder / "test.csv"), "--json"],
                                      check=True, capture_output=True, text=True).stdout)
    way = [line.partition("approximated: ")[2].split(",")[0] for line in said.splitlines() if "approximated: " in line]
    return seconds, marks["rmse"], -marks["mean_log_density"], way[0] if way else "exact"


def sizes_case(command, figures, folder, data):
    x, y, mask = sets.uci(data, "protein")
    train = numpy.random.default_rng(0).permutation(numpy.flatnonzero(mask[:, 0] == 0))
    for n, wanted in ((3_000, 8), (5_000, 20), (10_000, 60)):
        seconds, error, loss, way = scored(command, folder, x, y, train[:n], mask[:, 0] == 1)
        figures.row(f"a plain mercer fit gp, n={n:,} d=9: processor seconds", f"{seconds:.1f}", f"<= {wanted}", seconds <= wanted,
                    f"RMSE {error:.3f}, NLL {loss:.3f}; {way}")


def plain_case(command, figures, folder, data):
    for name, published in PLAIN.items():
        x, y, mask = sets.uci(data, name)
        train, test = mask[:, 0] == 0, mask[:, 0] == 1
        seconds, error, loss, way = scored(command, folder, x, y, train, test)
        within = published is None or (error <= published[0] and loss <= published[1])
        bound = f"RMSE <= {published[0]:g}, NLL <= {published[1]:g}" if published else "300 s"
        figures.row(f"a plain mercer fit gp, {name}, n={train.sum():,} d={x.shape[1]}", f"RMSE {error:.3f}, NLL {loss:.3f}", bound,
                    within and seconds <= 300, f"{seconds:.0f} processor seconds; {way}")


def add_options(parser):
    add_case_options(parser, CASES)


def main(options, figures):
    names = chosen("--cases", options.cases, CASES)
    data = sets.folder(options) if {"inducing", "sizes", "plain"} & set(names) else None
    with tempfile.TemporaryDirectory(prefix="mercer-bench-") as place:
        folder = pathlib.Path(place)
        for name, case, by, last in (("line", line_case, options.program, options.shrink), ("fit", fit_case, options.command, options.shrink),
                                     ("series", series_case, options.command, options.shrink),
                                     ("nearest", nearest_case, options.program, options.shrink),
                                     ("inducing", inducing_case, options.program, data),
                                     ("sizes", sizes_case, options.command, data), ("plain", plain_case, options.command, data)):
            if name in names:
                case(by, figures, folder, last)
