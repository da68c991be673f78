"""Many points: ridge regression by conjugate gradients and by centres, classes by centres, beside scikit-learn.

Each fit is `mercer fit` as a whole process, reading and writing counted: user and system seconds, the most memory it held
beside what `mercer fit --plan` foretold, and the root mean squared error on test rows over the standard deviation of the
target in the training rows. Peers get the same rows in memory, one thread (which takes the fewest processor seconds), and
only their fit counts.

A few minutes; --all adds the large cases, most of an hour more, of which one wants 14 GB and is left out where they are not
free. Run it on a machine that does nothing else.
"""
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple

import numpy
import sets
from defaults import processor_seconds, scaled, written
from figures import chosen, run
from growth import peak_megabytes

NOISE = 0.2  # deviation, of made-up targets


class Fit(NamedTuple):
    processor: float  # seconds
    wall: float
    gigabytes: float
    planned: float  # gigabytes
    foretold: float  # seconds of the wall
    model: pathlib.Path


def fit(command, model, *words):
    """`mercer fit` with these words."""
    words = [str(word) for word in (command, "fit", *words)]
    plan = run(*words, "--plan", "--json")
    before, start, memory = processor_seconds(), time.perf_counter(), 0
    with tempfile.TemporaryFile("w+") as messages:
        process = subprocess.Popen([*words, "-o", str(model)], stdout=subprocess.DEVNULL, stderr=messages)
        while process.poll() is None:
            memory = max(memory, peak_megabytes(process.pid))
            time.sleep(0.01)
        wall = time.perf_counter() - start
        if process.returncode != 0:
            messages.seek(0)
            sys.exit(f"{' '.join(words)}\nfailed with {process.returncode}: {messages.read().strip()}")
    return Fit(processor_seconds() - before, wall, memory * 2**20 / 1e9, plan["bytes"] / 1e9,
               plan["seconds"], model)


def seconds_row(figures, what, one, most):
    figures.row(f"{what}: processor seconds", f"{one.processor:.1f} s", f"<= {most} s", one.processor <= most,
                f"{one.wall:.1f} s on {os.cpu_count()} cores")


def foretold_row(figures, what, one):
    ratio = one.wall / one.foretold
    figures.row(f"{what}: seconds over those planned", f"{ratio:.2f}x", "0.5x to 2x", 0.5 <= ratio <= 2,
                f"{one.wall:.1f} s, {one.foretold:.1f} s")


def memory_row(figures, what, one, most=math.inf):
    """At most 1.1 times what was planned, and at most so many gigabytes."""
    most = min(most, 1.1 * one.planned)
    figures.row(f"{what}: memory", f"{one.gigabytes:.2f} GB", f"<= {most:.2f} GB", one.gigabytes <= most,
                f"planned {one.planned:.2f} GB")


class Regression:
    """Training and test rows, in memory and as files."""

    def __init__(self, folder, train, test):
        self.train, self.test, self.spread = train, test, train[1].std()
        self.files = {name: written(folder, name, *rows) for name, rows in (("train", train), ("test", test))}

    def error(self, command, one):
        """The root mean squared error of a model, in units of the target's deviation."""
        return run(command, "score", one.model, self.files["test"], "--json")["rmse"] / self.spread

    def boosting(self, **options):
        """Gradient boosting of scikit-learn: its error in these units, and processor seconds."""
        from sklearn.ensemble import HistGradientBoostingRegressor
        machine = HistGradientBoostingRegressor(random_state=0, **options)
        seconds = of_peer(lambda: machine.fit(*self.train))
        return numpy.sqrt(numpy.mean((machine.predict(self.test[0]) - self.test[1]) ** 2)) / self.spread, seconds


def of_peer(work):
    """Processor seconds of a peer, on one thread."""
    from threadpoolctl import threadpool_limits
    with threadpool_limits(1):
        before = time.process_time()
        work()
        return time.process_time() - before


def of_split(options, name, folder):
    """The first split of a set of uci_regression."""
    x, y, mask = sets.uci(sets.folder(options), name)
    out = mask[:, 0] == 1
    return Regression(folder, (x[~out][::options.shrink], y[~out][::options.shrink]), (x[out], y[out]))


def error_row(figures, what, error, most):
    figures.row(f"{what}: test error over the deviation", f"{error:.4f}", f"<= {most:.4g}", error <= most)


def boosting_row(figures, what, error, name, peer, most=1):
    ratio = error / peer[0]
    figures.row(f"{what}: test error over that of {name}", f"{ratio:.3f}", f"<= {most}", ratio <= most,
                f"{error:.4f}, {peer[0]:.4f} in {peer[1]:.1f} s")


GIVEN = ("--kernel", "matern(nu=0.5,ell=1)", "--ridge", 0.3)


def protein_case(options, figures, folder):
    rows = of_split(options, "protein", folder)
    train, model = rows.files["train"], folder / "m.mercer"
    n = f"protein, n={len(rows.train[1]):,} d=9"
    steps = fit(options.command, model, "ridge", train, *GIVEN, "--tolerance", 1e-3)
    what = f"{n}, all given"
    error_row(figures, what, rows.error(options.command, steps), 0.541)
    seconds_row(figures, what, steps, 35)
    memory_row(figures, what, steps)
    foretold_row(figures, what, steps)
    if options.all:
        beside_cholesky(options, figures, rows, steps, what)

    plain = fit(options.command, model, "ridge", train)
    what = f"{n}, everything chosen"
    error = rows.error(options.command, plain)
    error_row(figures, what, error, 0.541)
    seconds_row(figures, what, plain, 120)
    memory_row(figures, what, plain)
    foretold_row(figures, what, plain)
    boosting_row(figures, what, error, "gradient boosting", rows.boosting())
    boosting_row(figures, what, error, "gradient boosting of 600 trees", rows.boosting(max_iter=600))


def beside_cholesky(options, figures, rows, steps, what):
    words = ("ridge", rows.files["train"], *GIVEN, "--solver", "cholesky")
    needed = run(options.command, "fit", *words, "--plan", "--json")["bytes"]
    if needed > free_bytes():
        print(f"protein by Cholesky is left out: {needed / 1e9:.1f} GB are needed, {free_bytes() / 1e9:.1f} GB free")
        return
    error = rows.error(options.command, steps)
    whole = fit(options.command, steps.model, *words)
    ratio = whole.processor / steps.processor
    figures.row(f"{what}: faster than Cholesky", f"{ratio:.1f}x", ">= 10x", ratio >= 10,
                f"{steps.processor:.1f} s, {whole.processor:.1f} s in {whole.gigabytes:.1f} GB; test errors {error:.4f}, "
                f"{rows.error(options.command, whole):.4f}")


def free_bytes():
    with open("/proc/meminfo", encoding="utf-8") as file:
        return next(1024 * int(line.split()[1]) for line in file if line.startswith("MemAvailable:"))


def kegg_case(options, figures, folder):
    rows = of_split(options, "keggundirected", folder)
    train, model = rows.files["train"], folder / "m.mercer"
    words = ("ridge", train)
    n = f"keggundirected, n={len(rows.train[1]):,} d={rows.train[0].shape[1]}"
    few = fit(options.command, folder / "few.mercer", *words, "--centres", 300)
    error = rows.error(options.command, few)
    many = fit(options.command, model, *words, "--centres", 3000, "--centres-by", "uniform")
    other = rows.error(options.command, many)
    what = f"{n}, 300 centres by rpcholesky, the rest chosen"
    error_row(figures, what, error, 0.138)
    figures.row(f"{what}: test error over that of 3,000 uniform ones", f"{error / other:.3f}", "<= 1", error <= other,
                f"{error:.4f}, {other:.4f}")
    ratio = many.processor / few.processor
    figures.row(f"{what}: faster than 3,000 uniform ones", f"{ratio:.1f}x", ">= 10x", ratio >= 10,
                f"{few.processor:.1f} s, {many.processor:.1f} s")
    # With what was chosen given, for choosing takes as long with either.
    found = run(options.command, "show", few.model, "--json")
    given = (*words, "--kernel", found["kernel"], "--ridge", found["settings"]["ridge"])
    pair = []
    for centres in (("--centres", 300), ("--centres", 3000, "--centres-by", "uniform")):
        one = fit(options.command, model, *given, *centres)
        pair.append((one.processor, rows.error(options.command, one)))
    ratio = pair[1][0] / pair[0][0]
    figures.row(f"{what}, then given: faster than 3,000 uniform ones", f"{ratio:.1f}x", ">= 10x", ratio >= 10,
                f"{pair[0][0]:.1f} s, {pair[1][0]:.1f} s; test errors {pair[0][1]:.4f}, {pair[1][1]:.4f}")
    memory_row(figures, what, few)
    boosting_row(figures, what, error, "gradient boosting", rows.boosting())
    memory_row(figures, f"{n}, 3,000 uniform centres", many)


def flights_case(options, figures, folder):
    x, y = sets.flights(sets.folder(options))
    cut = len(y) * 9 // 10
    rows = Regression(folder, (x[:cut:options.shrink], y[:cut:options.shrink]), (x[cut:], y[cut:]))
    plain = fit(options.command, folder / "m.mercer", "ridge", rows.files["train"])
    what = f"hflights, n={len(rows.train[1]):,} d={x.shape[1]}, everything chosen"
    boosting_row(figures, what, rows.error(options.command, plain), "gradient boosting", rows.boosting(), 1.01)
    seconds_row(figures, what, plain, 60)
    memory_row(figures, what, plain)
    foretold_row(figures, what, plain)


# set: kernel's ell, lambda
CLASSES = {"covtype": (2.0, 0.1), "a9a": (math.sqrt(10), 1.0)}
CENTRES = 1000


def classes_case(options, figures, folder):
    data = sets.folder(options)
    for name, (ell, price) in CLASSES.items():
        if name == "a9a":
            train, test, scale = data / "a9a" / "a9a.gz", data / "a9a" / "a9a.t.gz", "none"
            x, y = sets.libsvm(train)
            x_test, truth = sets.libsvm(test, x.shape[1])
        else:
            parts = [sets.table(data / "covtype" / f"covtype_{part}.csv.gz") for part in ("train20k", "test10k")]
            train, test = (written(folder, stem, *part) for stem, part in zip(("train", "test"), parts))
            (x, y), (x_test, truth) = parts
            x, x_test = scaled(x, x_test)
            scale = "standard"  # most columns are 0 or 1, and whole numbers alone would be left as they are
        one = fit(options.command, folder / "m.mercer", "logistic", train, "--kernel", f"rbf(ell={ell!r})", "--lambda", price,
                  "--centres", CENTRES, "--scale", scale)
        ours = run(options.command, "score", one.model, test, "--json")["accuracy"]
        theirs, seconds = logistic_peer(x, y, x_test, truth, ell, price)
        what = f"logistic of {CENTRES:,} centres, {name}, n={len(y):,}"
        figures.row(f"{what}: accuracy", f"{ours:.4f}", f">= {theirs - 0.002:.4f}", ours >= theirs - 0.002,
                    f"scikit-learn {theirs:.4f}")
        ratio = seconds / one.processor
        figures.row(f"{what}: faster than scikit-learn's Nystroem and LogisticRegression", f"{ratio:.1f}x", ">= 1x", ratio >= 1,
                    f"{one.processor:.1f} s, {seconds:.1f} s")
        memory_row(figures, what, one)


def logistic_peer(x, y, x_test, truth, ell, price):
    """Accuracy, and processor seconds of the fit, of the same loss and norm."""
    from sklearn.kernel_approximation import Nystroem
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    machine = make_pipeline(Nystroem(gamma=0.5 / ell**2, n_components=CENTRES, random_state=0),
                            LogisticRegression(C=1 / price, max_iter=1000))
    seconds = of_peer(lambda: machine.fit(x, y))
    return machine.score(x_test, truth), seconds


def pass_case(options, figures, _):
    n = 200_000 // options.shrink
    result = run(options.program, "large", "pass", n, 2000, 20)
    ratio = result["ours"] / result["peer"]
    what = f"a pass K'(K u), n={n:,} d=20, 2,000 centres"
    figures.row(f"{what}: times the bare pair loop", f"{ratio:.2f}x", "<= 1.15x", ratio <= 1.15,
                f"{result['ours']:.2f} s, {result['peer']:.2f} s of CPU")
    figures.row(f"{what}: memory beyond the data", f"{result['megabytes']:.0f} MB", "< 64 MB", result["megabytes"] < 64)


def made(n, d):
    """Smooth values of d inputs, with noise: training rows and a tenth as many test rows."""
    random = numpy.random.default_rng(1)
    x = random.uniform(-1.7, 1.7, (n + n // 10, d))
    y = numpy.sin(x[:, 0]) + x[:, 1] * x[:, 2] + NOISE * random.standard_normal(len(x))
    return (x[:n], y[:n]), (x[n:], y[n:])


def noise_row(figures, what, rmse):
    figures.row(f"{what}: test error over the noise", f"{rmse / NOISE:.3f}", "<= 1.1", rmse <= 1.1 * NOISE)


def steps_case(options, figures, folder):
    n = 100_000 // options.shrink
    rows = Regression(folder, *made(n, 9))
    one = fit(options.command, folder / "m.mercer", "ridge", rows.files["train"], "--kernel", "rbf(ell=3)", "--ridge", NOISE**2,
              "--solver", "pcg", "--tolerance", 1e-6)
    what = f"conjugate gradients of all points, n={n:,} d=9, to 1e-6"
    noise_row(figures, what, rows.error(options.command, one) * rows.spread)
    seconds_row(figures, what, one, 300)
    memory_row(figures, what, one)
    foretold_row(figures, what, one)


def million_case(options, figures, folder):
    n, centres = 1_000_000 // options.shrink, 10_000 // options.shrink
    train, test = made(n, 20)
    files = {}
    for stem, (x, y) in (("train", train), ("test", test)):
        files[stem] = folder / f"{stem}_x.npy", folder / f"{stem}_y.npy"
        numpy.save(files[stem][0], x.astype(numpy.float32))
        numpy.save(files[stem][1], y)
    x, y = files["train"]
    one = fit(options.command, folder / "m.mercer", "ridge", x, "--target", y, "--kernel", "rbf(ell=4)", "--ridge", NOISE**2,
              "--centres", centres, "--solver", "falkon")
    what = f"falkon, {centres:,} centres, n={n:,} d=20, float32"
    x, y = files["test"]
    noise_row(figures, what, run(options.command, "score", one.model, x, "--target", y, "--json")["rmse"])
    seconds_row(figures, what, one, 600)
    memory_row(figures, what, one, 6)
    foretold_row(figures, what, one)

    rows = Regression(folder, train, test)
    plain = fit(options.command, folder / "m.mercer", "ridge", rows.files["train"])
    what = f"{n:,} rows of 20 columns as CSV, everything chosen"
    noise_row(figures, what, rows.error(options.command, plain) * rows.spread)
    figures.row(f"{what}: seconds until there is a model", f"{plain.wall:.0f} s", "<= 300 s", plain.wall <= 300,
                f"{plain.processor:.0f} s of CPU on {os.cpu_count()} cores")
    memory_row(figures, what, plain)
    foretold_row(figures, what, plain)


CASES = {"pass": pass_case, "protein": protein_case, "kegg": kegg_case, "flights": flights_case, "classes": classes_case,
         "steps": steps_case, "million": million_case}
LARGE = ("steps", "million")


def add_options(parser):
    sets.add_data_option(parser)
    parser.add_argument("--cases", metavar="NAMES", help=f"of {','.join(CASES)} [all but {','.join(LARGE)}]")
    parser.add_argument("--all", action="store_true", help="the large cases too, and protein by Cholesky")
    parser.add_argument("--shrink", type=int, default=1, metavar="N", help="sets of regression N times smaller: a trial")


def main(options, figures):
    usual = [name for name in CASES if options.all or name not in LARGE]
    for name in chosen("--cases", options.cases, CASES) if options.cases else usual:
        with tempfile.TemporaryDirectory(prefix="mercer-bench-") as place:
            CASES[name](options, figures, pathlib.Path(place))
