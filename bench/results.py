"""Writes docs/results.md: what the `mercer` command reaches on public data sets, beside published figures.

The page is on standard output, how far it is on standard error. All of it takes an hour, most of that bench/defaults.py.
"""
import gzip
import math
import pathlib
import statistics
import sys
import tempfile

import clusters
import defaults
import numpy
import pca
import pictures
import results_bags
import semi_supervised
import sets
import structured
from figures import run

PARTS = ["defaults", "folds", "splits", "pictures", "calibration", "structured", "clusters", "pca", "bags", "nodes", "mixtures"]

# Orientation, not a contest: protocols differ.
PUBLISHED = {
    "iris": "95-97, usual", "wine": "98-99, usual", "breast_cancer_wdbc": "97-98, usual",
    "digits_8x8": "98.9-99.1, usual", "spambase": "93-94, usual, of logarithms of the inputs", "sonar": "86-89, usual",
    "ionosphere": "94-95, usual", "pima": "76-78, usual", "glass": "70-72, usual", "vehicle": "86-87, Hsu & Lin",
    "vowel": "98-99, usual", "dna_statlog": "95.4, Hsu & Lin, by the statlog split",
}
COSTS = ["0.5", "4", "32", "256"]
WIDTHS = [1 / 16, 1 / 4, 1 / 2, 1, 2, 4]  # gamma, in units of 1 / number of columns
CALIBRATED = ["breast_cancer_wdbc", "ionosphere", "pima", "sonar", "spambase"]


def say(text):
    print(text, file=sys.stderr, flush=True)


class Folds:
    """The rows of a small set as they stand in its file, and each fold of them as a pair of files."""

    def __init__(self, data, name, folder):
        with gzip.open(data / "small_classification" / f"{name}.csv.gz", "rt") as file:
            self.lines = file.read().splitlines()
        self.fold_of = sets.small_folds(data, name)
        self.columns = self.lines[0].count(",")
        self.classes = len({line.rsplit(",", 1)[1] for line in self.lines})
        self.folder = folder

    def write(self, stem, chosen):
        path = self.folder / f"{stem}.csv"
        path.write_text("".join(line + "\n" for line, take in zip(self.lines, chosen) if take), encoding="utf-8")
        return path

    def __iter__(self):
        for fold in sorted(set(self.fold_of)):
            yield self.write("train", self.fold_of != fold), self.write("test", self.fold_of == fold)


def grid(columns):
    widths = ",".join(f"{width / columns:.6g}" for width in WIDTHS)
    return f"C={','.join(COSTS)},gamma={widths}"


def tuned_accuracies(mercer, folds):
    model = folds.folder / "best.mercer"
    for train, test in folds:
        run(mercer, "tune", "svc", train, "--kernel", "rbf(ell=1)", "--grid", grid(folds.columns), "-o", model,
            "--json")
        yield run(mercer, "score", model, test, "--json")["accuracy"]


def folds_part(mercer, data, folder, names):
    print("""
## Small sets, ten folds

`svc` with an rbf kernel. Each of the ten given folds is predicted by a model that has not seen it: C and gamma are
chosen among 24 pairs by cross-validation within the other nine (`mercer tune svc train.csv --kernel 'rbf(ell=1)'
--grid 'C=0.5,4,32,256,gamma=...'`, gamma from 1/16 to 4 over the number of columns), and so is the scale of the inputs.
Accuracy in per cent, mean and standard deviation over the folds. The published figures are for orientation, quoted
second-hand: their folds, scales and grids are other ones. Hsu & Lin: A comparison of methods for multiclass support
vector machines, IEEE Transactions on Neural Networks 13 (2002); "usual" has no single source.

| set | points | columns | classes | accuracy | published |
|---|---|---|---|---|---|""")
    for name in names:
        folds = Folds(data, name, folder)
        scores = [100 * score for score in tuned_accuracies(mercer, folds)]
        print(f"| {name} | {len(folds.lines):,} | {folds.columns} | {folds.classes} | "
              f"{statistics.mean(scores):.1f} ± {statistics.stdev(scores):.1f} | {PUBLISHED.get(name, '')} |",
              flush=True)
        say(f"folds: {name} done")


def given_files(data, name, folder):
    """The words that name the training files, and those that name the test files."""
    if name == "MNIST":
        return [[data / "mnist" / f"{part}-images-idx3-ubyte.gz", "--target",
                 data / "mnist" / f"{part}-labels-idx1-ubyte.gz"] for part in ("train", "t10k")]
    if name == "USPS":
        return [[data / "usps" / f"usps.{part}.csv.gz"] for part in ("train", "test")]
    stem, train_size = {"dna": ("dna_statlog", 2000), "vowel": ("vowel", 528)}[name]
    whole = Folds(data, stem, folder)
    first = numpy.arange(len(whole.lines)) < train_size
    return [[whole.write("train", first)], [whole.write("test", ~first)]]


SPLITS = [  # set, options of fit, published error in per cent
    ("MNIST", ["--kernel", "rbf(ell=1275)", "--C", "10"], "1.4, LeCun et al. 1998, Gaussian kernel"),
    ("USPS", ["--kernel", "rbf(ell=8)", "--C", "10", "--scale", "none"], "4.0-4.7, usual"),
    ("dna", ["--kernel", "rbf(gamma=0.015625)", "--C", "8", "--scale", "none"], "4.55, Hsu & Lin"),
    ("vowel", ["--kernel", "rbf(gamma=0.2)", "--C", "10"], "39, the best of Hastie et al., table 12.3"),
]


def splits_part(mercer, data, folder):
    print("""
## Given splits

Pixels of MNIST are bytes, so that rbf(ell=1275) is rbf(gamma=0.02) of pixels from 0 to 1. The test set of vowel has
other speakers than the training set. Hastie et al.: T. Hastie, R. Tibshirani, J. Friedman, The Elements of Statistical
Learning.

| set | `mercer fit svc` with | training points | test points | error, % | published, % |
|---|---|---|---|---|---|""")
    model = folder / "split.mercer"
    for name, words, published in SPLITS:
        train, test = given_files(data, name, folder)
        fitted = run(mercer, "fit", "svc", *train, *words, "-o", model, "--json")
        score = run(mercer, "score", model, *test, "--json")
        count = sum(sum(row) for row in score["confusion"])
        print(f"| {name} | `{' '.join(words)}` | {fitted['points']:,} | {count:,} | "
              f"{100 * (1 - score['accuracy']):.2f} | {published} |", flush=True)
        say(f"splits: {name} done")


def brier_of_mercer(mercer, train, test, gamma, folder):
    model = folder / "calibrated.mercer"
    run(mercer, "fit", "svc", train, "--kernel", f"rbf(gamma={gamma:.17g})", "--C", "1", "--probability", "-o", model,
        "--json")
    return run(mercer, "score", model, test, "--json")["brier"]


def brier_of_sklearn(train, test, gamma, ensemble):
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.metrics import brier_score_loss
    from sklearn.model_selection import StratifiedKFold
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC
    x, y = sets.table(train)
    folds = StratifiedKFold(5, shuffle=True, random_state=1)
    machine = make_pipeline(StandardScaler(),
                            CalibratedClassifierCV(SVC(C=1, gamma=gamma), cv=folds, ensemble=ensemble))
    machine.fit(x, y)
    x, y = sets.table(test)
    last = machine.classes_[1]
    return brier_score_loss(y == last, machine.predict_proba(x)[:, 1])


def calibration_part(mercer, data, folder, names):
    print("""
## Probabilities

The Brier score, mean squared error of the probability of one class, of `svc --probability` with C=1 and gamma = 1 over
the number of columns, held out in the ten given folds; beside it scikit-learn's `CalibratedClassifierCV(SVC, cv=5)` of
the same machine on shuffled folds, in its two ways: one machine fitted to all points, calibrated like Mercer's by
held-out scores (`ensemble=False`), and the mean of five machines, each fitted to four fifths of them (`ensemble=True`).
The difference is Mercer's less the better of the two, with the standard error of its mean over the folds; below zero is
in Mercer's favour.

| set | Mercer | one machine | mean of five | difference |
|---|---|---|---|---|""")
    for name in names:
        folds = Folds(data, name, folder)
        gamma = 1 / folds.columns
        ours, theirs = [], {False: [], True: []}
        for train, test in folds:
            ours.append(brier_of_mercer(mercer, train, test, gamma, folder))
            for ensemble, scores in theirs.items():
                scores.append(brier_of_sklearn(train, test, gamma, ensemble))
        better = min(theirs.values(), key=statistics.mean)
        differences = [a - b for a, b in zip(ours, better)]
        error = statistics.stdev(differences) / math.sqrt(len(differences))
        figures = " | ".join(f"{statistics.mean(scores):.4f}" for scores in (ours, theirs[False], theirs[True]))
        print(f"| {name} | {figures} | {statistics.mean(differences):+.4f} ± {error:.4f} |", flush=True)
        say(f"calibration: {name} done")


def add_options(parser):
    sets.add_data_option(parser)
    parser.add_argument("--parts", default=",".join(PARTS), help="[%(default)s]")
    parser.add_argument("--sets", help="of the small sets only these")


def main(options, _):
    data = sets.folder(options)
    parts = options.parts.split(",")
    chosen = options.sets.split(",") if options.sets else sets.small_names(data)

    print("""# Results on public data

Written by `make results` (bench/results.py), which runs the `mercer` command on public data sets.
bench/sets.py says where their files are expected.""")
    with tempfile.TemporaryDirectory(prefix="mercer-results-") as place:
        folder = pathlib.Path(place)
        if "defaults" in parts:
            defaults.add_parts(options.command, data, folder)
            say("defaults: done")
        if "folds" in parts:
            folds_part(options.command, data, folder, chosen)
        if "splits" in parts:
            splits_part(options.command, data, folder)
        if "pictures" in parts:
            pictures.add_part(options.command, folder, lambda name: given_files(data, name, folder), ["MNIST", "USPS"], say)
        if "calibration" in parts:
            calibration_part(options.command, data, folder, [name for name in CALIBRATED if name in chosen])
        if "structured" in parts:
            structured.add_part(options.command, data, folder, [*structured.GRAPHS, *structured.STRINGS])
        if "clusters" in parts:
            clusters.add_part(options.command, data, folder)
        if "pca" in parts:
            pca.add_part(data)
        if "bags" in parts:
            results_bags.add_part(options.command, data, folder)
            say("bags: done")
        if "nodes" in parts:
            semi_supervised.add_part(options.command, data, folder, say)
        if "mixtures" in parts:
            import mixtures  # needs the package mercer

            mixtures.add_part()
