"""`mercer auto FILE` beside untuned boosted trees and forests, and beside searches that are given the same seconds.

Raw tables as they are published, on the division that is given, and sets of numbers, on the first of theirs. Accuracy, or
the root mean squared error over the deviation of the target; a rank on each set, equal figures share one, and the means. The
searches (SVC and GPR of scikit-learn, on standardised columns) go on until they have had the processor seconds that
`mercer auto` took. The rivals need scikit-learn and pandas; LightGBM and CatBoost run where the Python has them, which
MERCER_PEERS may name. Tables of Markdown on standard output; an hour with everything, some minutes with --parts tables.
"""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import numpy
import sets
from defaults import processor_seconds, written
from figures import run

RIVALS = ["hist_gradient_boosting", "random_forest", "lightgbm", "catboost", "tuned"]
TITLES = ["`mercer auto`", "HGB", "forest", "LightGBM", "CatBoost", "tuned SVC or GPR"]
LARGEST = 800  # rows of a set of numbers
# The targets, and columns that are not to be used: logwage is the target under another name.
TABLES = {"ames": ("price", ""), "car": ("class", ""), "crx": ("class", ""), "mushroom": ("class", ""),
          "penguins": ("species", ""), "sick": ("Class", ""), "titanic": ("survived", ""), "wage": ("wage", "logwage"),
          "weather": ("temp_max", "")}
GOALS = {"accuracy": 0.890, "rmse": 0.380}  # on held-out sets of these kinds


def raced(*words):
    """What `mercer auto` tells; a best that has not converged is one, too."""
    done = subprocess.run([str(word) for word in words], check=False, capture_output=True, text=True)
    if done.returncode > 1 or not done.stdout:
        sys.exit(f"{' '.join(map(str, words))}\nfailed with {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def of_mercer(options, folder, train, test, target, drop):
    model = folder / "m.mercer"
    named = ["--target", target, *(["--drop", drop] if drop else [])]
    before = processor_seconds()
    told = raced(options.command, "auto", train, *named, "--time", options.time, "-o", model, "--json")
    seconds = processor_seconds() - before
    metrics = run(options.command, "score", model, test, "--target", target, "--json")
    return "rmse" if told["race"]["metric"] == "rmse" else "accuracy", metrics, seconds


def rivals(train, test, target, drop, kind, seconds):
    """Their figures by name; None for one that this Python does not have."""
    peer = os.environ.get("MERCER_PEERS", sys.executable)
    return run(peer, pathlib.Path(__file__).with_name("auto_peer.py"), f"train={train}", f"test={test}", f"target={target}",
               f"drop={drop}", f"kind={kind}", f"seconds={seconds}", OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")


def one(options, folder, train, test, target, drop=""):
    kind, metrics, seconds = of_mercer(options, folder, train, test, target, drop)
    found = rivals(train, test, target, drop, kind, seconds)
    ours = metrics["accuracy"] if kind == "accuracy" else metrics["rmse"] / found["deviation"]
    return kind, [ours, *(found.get(name) for name in RIVALS)], seconds


def ranks(figures, kind):
    """1 is best; equal ones share the mean of their places."""
    values = {i: -v if kind == "accuracy" else v for i, v in enumerate(figures) if v is not None}
    return [None if i not in values else
            sum(other < values[i] for other in values.values()) + (sum(o == values[i] for o in values.values()) + 1) / 2
            for i in range(len(figures))]


def cell(value):
    return "-" if value is None else f"{value:.3f}"


def table(title, cases):
    print(f"\n## {title}\n\n| set | | {' | '.join(TITLES)} | s |\n|---|---{'|---' * len(TITLES)}|---|")
    rows = []
    for name, (kind, figures, seconds) in cases:
        rows.append((kind, figures, ranks(figures, kind)))
        print(f"| {name} | {kind} | {' | '.join(map(cell, figures))} | {seconds:.1f} |", flush=True)
    for kind in ("accuracy", "rmse"):
        of_kind = [row for row in rows if row[0] == kind]
        if not of_kind:
            continue
        for words, place in (("mean", 1), ("mean rank", 2)):
            columns = [[row[place][i] for row in of_kind if row[place][i] is not None] for i in range(len(TITLES))]
            shown = [cell(statistics.mean(column)) if column else "-" for column in columns]
            print(f"| {words} | {kind} | {' | '.join(shown)} | |")
    return rows


def tables_part(options, folder, wanted):
    found = options.data / "tables"
    cases = ((name, one(options, folder, found / f"{name}_tr.csv.gz", found / f"{name}_te.csv.gz", target, drop))
             for name, (target, drop) in TABLES.items() if not wanted or name in wanted)
    rows = table("Raw tables", cases)
    beside = [figures for _, figures, _ in rows if figures[4] is not None]
    better = sum(figures[0] >= figures[4] if kind == "accuracy" else figures[0] <= figures[4]
                 for kind, figures, _ in rows if figures[4] is not None)
    print(f"\nAt least as good as CatBoost's plain call on {better} of {len(beside)}.")


def of_numbers(options, folder, x, y, out, names):
    """A set of numbers as two files; `names`: the target is a class."""
    def file(name, rows):
        path = written(folder, name, x[rows], y[rows])
        columns = [f"x{c + 1}" for c in range(x.shape[1])] + ["y"]
        lines = path.read_text(encoding="utf-8").splitlines()
        if names:
            lines = [",".join([*line.split(",")[:-1], f"c{float(line.split(',')[-1]):g}"]) for line in lines]
        path.write_text("\n".join([",".join(columns), *lines]) + "\n", encoding="utf-8")
        return path
    return one(options, folder, file("train", ~out), file("test", out), "y")


def numbers_part(options, folder, wanted):
    def cases():
        for name in sets.small_names(options.data):
            x, y = sets.small(options.data, name)
            if len(y) <= LARGEST and (not wanted or name in wanted):
                yield name, of_numbers(options, folder, x, y, sets.small_folds(options.data, name) < 2, True)
        for path in sorted((options.data / "uci_regression").glob("*/data.csv.gz")):
            name = path.parent.name
            x, y, mask = sets.uci(options.data, name)
            if len(y) <= LARGEST and (not wanted or name in wanted):
                yield name, of_numbers(options, folder, x, y, mask[:, 0] == 1, False)
    rows = table(f"Sets of numbers, to {LARGEST} rows", cases())
    for kind, goal in GOALS.items():
        ours = [figures[0] for which, figures, _ in rows if which == kind]
        if ours:
            print(f"\n{kind}: {numpy.mean(ours):.4f}, wanted {'at least' if kind == 'accuracy' else 'at most'} {goal}.")


def add_options(parser):
    sets.add_data_option(parser)
    parser.add_argument("--parts", default="tables,numbers", help="[%(default)s]")
    parser.add_argument("--sets", help="only these")
    parser.add_argument("--time", default="60s", help="of each race [%(default)s]")


def main(options, _):
    options.data = sets.folder(options)
    wanted = options.sets.split(",") if options.sets else None
    with tempfile.TemporaryDirectory(prefix="mercer-auto-") as place:
        for part, run_part in (("tables", tables_part), ("numbers", numbers_part)):
            if part in options.parts.split(","):
                run_part(options, pathlib.Path(place), wanted)
