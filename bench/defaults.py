"""What the plainest call gives: `mercer fit MACHINE data.csv` beside scikit-learn's class without an argument.

Two tables of Markdown on standard output, and the goals they are held to. Seconds are of the processor, of one fit.
scikit-learn gets standardised inputs (and targets, for regression), as Mercer makes them itself. With its Gaussian
process, which takes most of the time, all of it is an hour; without peers some minutes.
"""
import pathlib
import resource
import statistics
import tempfile
import time
import warnings

import numpy
import sets
from figures import run

FOLDS = 5
LARGEST = 2000  # points of a regression set
GOAL_ACCURACY, GOAL_RATIO = 0.912, 1.10
NUMBERS = ["gp", "ridge", "svr"]


def processor_seconds(who=resource.RUSAGE_CHILDREN):
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def written(folder, name, x, y):
    path = folder / f"{name}.csv"
    numpy.savetxt(path, numpy.column_stack([x, y]), delimiter=",", fmt="%.17g")
    return path


def of_mercer(mercer, folder, machine, train, test, figure):
    """A figure of `mercer score` after the plainest fit, and the seconds of that fit."""
    model = folder / f"{machine}.mercer"
    before = processor_seconds()
    run(mercer, "fit", machine, written(folder, "train", *train), "-o", model, "--json")
    seconds = processor_seconds() - before
    return run(mercer, "score", model, written(folder, "test", *test), "--json")[figure], seconds


def scaled(train, other):
    centre, spread = train.mean(axis=0), train.std(axis=0)
    spread = numpy.where(spread > 0, spread, 1)
    return (train - centre) / spread, (other - centre) / spread


def of_peer(machine, train, test, figure):
    (x, y), (x_test, y_test) = train, test
    x, x_test = scaled(x, x_test)
    before = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        machine.fit(x, y)
    return figure(machine.predict(x_test), y_test), time.process_time() - before


def mean_of(rows, column):
    return statistics.mean(row[column] for row in rows)


def classes_part(mercer, data, folder, names, peers):
    from sklearn.svm import SVC
    print("""
## Without an option: classes

`mercer fit svc train.csv`, which chooses kernel, ell and C, and scikit-learn's `SVC()` on standardised inputs; accuracy on five
folds (pairs of the ten given ones), and processor seconds of one fit.

| set | points | columns | classes | `mercer fit svc` | `SVC()` | seconds | of `SVC()` |
|---|---|---|---|---|---|---|---|""")
    rows = []
    for name in names:
        x, y = sets.small(data, name)
        fold_of = sets.small_folds(data, name) // 2
        ours, theirs = [], []
        for fold in range(FOLDS):
            out = fold_of == fold
            train, test = (x[~out], y[~out]), (x[out], y[out])
            ours.append(of_mercer(mercer, folder, "svc", train, test, "accuracy"))
            if peers:
                theirs.append(of_peer(SVC(), train, test, lambda f, truth: float(numpy.mean(f == truth))))
        row = [statistics.mean(values) for pairs in (ours, theirs) if pairs for values in zip(*pairs)]
        row += [float("nan")] * (4 - len(row))
        rows.append(row)
        print(f"| {name} | {len(y):,} | {x.shape[1]} | {len(set(y))} | {row[0]:.3f} | {row[2]:.3f} | {row[1]:.2f} | "
              f"{row[3]:.2f} |", flush=True)
    print(f"| mean | | | | {mean_of(rows, 0):.4f} | {mean_of(rows, 2):.4f} | {mean_of(rows, 1):.2f} | "
          f"{mean_of(rows, 3):.2f} |")
    print(f"\nWanted: a mean of at least {GOAL_ACCURACY} for `mercer fit svc`.")


def regression_peers(columns):
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
    from sklearn.kernel_ridge import KernelRidge
    from sklearn.svm import SVR
    ard = ConstantKernel() * RBF(numpy.ones(columns)) + WhiteKernel()
    return {"gp": GaussianProcessRegressor(ard), "ridge": KernelRidge(kernel="rbf"), "svr": SVR()}


def regression_names(data):
    return sorted(path.parent.name for path in (data / "uci_regression").glob("*/data.csv.gz")
                  if len(sets.uci(data, path.parent.name)[1]) <= LARGEST)


def numbers_part(mercer, data, folder, names, splits, peers):
    print(f"""
## Without an option: numbers

`mercer fit gp|ridge|svr train.csv`, and scikit-learn's `GaussianProcessRegressor` with a length scale per column and
noise, `KernelRidge(kernel="rbf")` and `SVR()` on standardised inputs and targets. Root mean squared error over the
standard deviation of the target, mean of the first {splits} of the given splits; processor seconds of one fit.

| set | points | columns | `gp` | `ridge` | `svr` | GPR, ARD | `KernelRidge` | `SVR` | seconds: `gp` | `ridge` | `svr` | GPR |
|---|---|---|---|---|---|---|---|---|---|---|---|---|""")
    rows = []
    for name in names:
        x, y, mask = sets.uci(data, name)
        ours, theirs = {machine: [] for machine in NUMBERS}, {machine: [] for machine in NUMBERS}
        for split in range(min(splits, mask.shape[1])):
            out = mask[:, split] == 1
            spread = y[~out].std()
            z, z_test = scaled(y[~out], y[out])
            for machine in NUMBERS:
                rmse, seconds = of_mercer(mercer, folder, machine, (x[~out], y[~out]), (x[out], y[out]), "rmse")
                ours[machine].append((rmse / spread, seconds))
                if peers:
                    theirs[machine].append(of_peer(
                        regression_peers(x.shape[1])[machine], (x[~out], z), (x[out], z_test),
                        lambda f, truth: float(numpy.sqrt(numpy.mean((f - truth) ** 2)))))
        mean = [[statistics.mean(values) for values in zip(*of[machine])] if of[machine] else [float("nan")] * 2
                for of in (ours, theirs) for machine in NUMBERS]
        row = [error for error, _ in mean] + [seconds for _, seconds in mean[:4]]
        rows.append(row)
        print(f"| {name} | {len(y):,} | {x.shape[1]} | " + " | ".join(f"{value:.3f}" for value in row[:6]) + " | " +
              " | ".join(f"{value:.1f}" for value in row[6:]) + " |", flush=True)
    print("| mean | | | " + " | ".join(f"{mean_of(rows, c):.4f}" for c in range(6)) + " | " +
          " | ".join(f"{mean_of(rows, c):.1f}" for c in range(6, 10)) + " |")
    print(f"\nWanted: `ridge` and `svr` at most {GOAL_RATIO:.2f} times `gp` (here "
          f"{mean_of(rows, 1) / mean_of(rows, 0):.3f} and {mean_of(rows, 2) / mean_of(rows, 0):.3f}), `gp` no worse than "
          f"scikit-learn's (here {mean_of(rows, 0) / mean_of(rows, 3):.3f} of it).")


def add_parts(mercer, data, folder, wanted=None, parts=("classes", "numbers"), splits=3, peers=True):
    if "classes" in parts:
        names = [name for name in sets.small_names(data) if not wanted or name in wanted]
        classes_part(mercer, data, folder, names, peers)
    if "numbers" in parts:
        names = [name for name in regression_names(data) if not wanted or name in wanted]
        numbers_part(mercer, data, folder, names, splits, peers)


def add_options(parser):
    sets.add_data_option(parser)
    parser.add_argument("--parts", default="classes,numbers", help="[%(default)s]")
    parser.add_argument("--sets", help="only these")
    parser.add_argument("--splits", type=int, default=3, help="of the regression sets [%(default)s]")
    parser.add_argument("--no-peers", action="store_true", help="Mercer alone")


def main(options, _):
    with tempfile.TemporaryDirectory(prefix="mercer-defaults-") as place:
        add_parts(options.command, sets.folder(options), pathlib.Path(place),
                  options.sets.split(",") if options.sets else None, options.parts.split(","), options.splits,
                  not options.no_peers)
