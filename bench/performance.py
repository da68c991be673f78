#!/usr/bin/env python3
"""Writes docs/performance.md from the figures of the benches.

usage: performance.py FOLDER [--measure | --into PAGE] > docs/performance.md

FOLDER holds what the benches wrote with --figures: NAME.INSTRUCTIONS.json, as in svm.avx2.json. With --measure they are run first,
every one with every instruction set of this CPU, which takes hours. With --into sections without figures stay as they are in a page
that was written before. A "note" in such a file, put there by hand, is printed above its table.
The last section is decisions.md beside this file, written by hand.
"""
import argparse
import contextlib
import io
import json
import os
import pathlib
import subprocess
import sys

from figures import machine

SECTIONS = {
    "engine": ("The engine", "make bench", "Gram matrices, their gradients and products, and reading."),
    "svm": ("Support vectors", "make bench-svm",
            "Training and prediction, all sides stopping at the same tolerance; objectives are compared in double precision."),
    "svm-forms": ("Support vectors: forms of data", "make bench-svm-forms",
                  "The same numbers as NumPy and pandas hold them, in processor seconds of fit and of predict."),
    "svm-linear": ("Linear support vectors", "make bench-svm-linear",
                   "Dual coordinate descent beside LIBLINEAR's: of each the first fit that comes within 1e-4 of the least objective; "
                   "processor seconds on one thread."),
    "machines": ("Ridge and tuning", "make bench-machines", "Beside scikit-learn and the bare LAPACK calls."),
    "large": ("Many points", "bench/run.py large --all",
              "Whole processes of `mercer fit`, reading and writing counted: user and system seconds, and the most memory held beside "
              "what `--plan` foretells. \"All given\" has kernel and ridge given, \"everything chosen\" is the plainest call. Gradient "
              "boosting is scikit-learn's HistGradientBoostingRegressor; only its fit counts, on one thread. `make bench-large` leaves "
              "out what takes longest."),
    "gp": ("Gaussian processes", "make bench-gp",
           "Beside scikit-learn, GPyTorch and the bare LAPACK calls; values and derivatives are compared."),
    "gp-many": ("Gaussian processes of many points", "make bench-gp-many",
                "Processor seconds; along a line beside celerite2 and tinygp, whose values are compared."),
    "python": ("Python", "make bench-python",
               "Whole Python programs, a class of scikit-learn's beside Mercer's, with the same arguments and data."),
    "busy": ("Beside other work", "make bench-busy",
             "Each case quiet, beside one busy loop for every core, and on one thread beside them."),
    "strings": ("Strings", "make bench-strings",
                "Beside kernlab of R, whose values are compared; its spectrum kernel is timed on 800 strings."),
    "graphs": ("Graphs", "make bench-graphs",
               "Beside GraKeL (MERCER_GRAKEL names its Python), whose matrices are compared."),
    "nodes": ("Nodes of a large graph", "make bench-nodes", "Rows of exp(-t L), t = 1, of a random graph, by series."),
    "clusters": ("Clusters", "make bench-clusters",
                 "An iteration of kernel k-means beside one product K V of that size; agreement of clusters of digits with their "
                 "classes beside scikit-learn's SpectralClustering of the same matrix."),
    "neighbours": ("Nearest neighbours", "make bench-neighbours",
                   "Beside NearestNeighbors of scikit-learn, whose neighbours are compared."),
    "statistics": ("Kernel statistics", "make bench-statistics", "Tests beside NumPy, and how often true hypotheses are "
                   "rejected."),
    "pca": ("Principal components", "make bench-pca",
            "Beside scikit-learn's KernelPCA with the fastest of its solvers, whose eigenvalues are compared."),
    "build": ("Building", "make bench-build",
              "User and system seconds in a fresh clone, without a compiler cache; in brackets, how many objects."),
    "growth": ("Growth", "make bench-growth", "How time and memory grow with the number of points: n to this power."),
}

HEAD = """# How fast

Written by `make performance` from what the benches measured; only the reasons and the last section are written by hand. Every figure is
a ratio, or a time beside that of another program, measured side by side in one run by the command named above it, with the other program
at its best settings; seconds are in the last column. Times on another computer differ; run the command to get yours. Accuracies are in
[results.md](results.md).
"""

# Why a figure misses what is wanted, where that is known: how it begins, and the reason.
REASONS = {
    "rbf Gram, double, n=8000": "nearly half of the time goes to the system, which clears the 512 MB of pages that the result lies in.",
    "2*rbf + matern*linear": "three exponentials, a root and 60 columns stand against one exponential and 20 columns, each at the "
                             "speed of its loop, the one rbf below the line too.",
    "evidence and gradient, n=2,000 d=20 ARD: faster than scikit-learn": "dpotrf and dpotri alone take four fifths of our time.",
    "bound by 500 inducing points": "the bound alone takes 2 n m^2 flops, its derivatives 3 n m^2 more: at the 60 GFLOP/s of dgemm on one "
                                    "core 0.34 and 0.51 processor seconds.",
    "mean and deviation": "n^2 m = 16.8 GFLOP of the triangular solve take 0.17 s at the peak of this machine, however they are "
                          "arranged; an inverse made once has as many.",
    "the same: faster than scikit-learn's KernelRidge": "2.5x would be less than the bare dpotrf takes here.",
    "pca, 10 components, n=8,000": "its randomized solver ends with four digits of the eigenvalues, ours with fifteen; three quarters of "
                                   "our time are values of the kernel, n^2/2 for each of twelve products.",
    "tune svc, 5 folds": "half of the time are steps, which wait for rows of K, a sixth is f in double precision, and a twentieth fresh "
                         "pages; fits already begin at the solution for the last C (below, *What was measured to decide*).",
    "digits over 255: fit": "as float32 these multiples of 1/255 are rounded: rows go as bytes all the same, but f in double precision, which says "
                            "when a fit ends, is that of the inputs as they are, 784 products for a value instead of a byte row's.",
    "conjugate gradients of all points, n=100,000 d=9, to 1e-6: seconds": "the plan counts steps by constants from one rough kernel (protein, "
                                                                          "matern 1/2); this smooth one takes far fewer.",
    "keggundirected": "3,000 uniform centres do no better (0.1188). Most of the time is choosing, which takes as long with either.",
    "path of 50 ridges": "the reduction to a band alone has four times the flops of the factorisation in that fit, and lower speed.",
}

# Processes of others for each core, from which on a page says so.
BUSY = 0.5

# Options of a bench that a page wants.
OPTIONS = {"large": ["--all"]}

NAMES = {"avx512": "AVX-512", "avx2": "AVX2", "scalar": "no vectors"}

TAIL = """
## Threads

Results do not depend on the number of threads, to the last bit. There are as many threads as processors that the process may use
(affinity, quota of a container); `--threads`, `MERCER_NUM_THREADS` and `threads=` limit them. `MERCER_SIMD` forces an instruction set;
columns for a set below the CPU's best were measured that way, with `OPENBLAS_CORETYPE` set to match for both sides.
"""


def cell(text):
    return str(text).replace("|", "\\|")


def numbered(rows):
    """Rows by what they are; of those that say "the same: ..." in the same words the first, the second, ..."""
    table, seen = {}, {}
    for row in rows:
        seen[row["what"]] = seen.get(row["what"], 0) + 1
        table[row["what"], seen[row["what"]]] = row
    return table


def section(title, command, intro, runs):
    """`runs`: what one bench wrote, by instruction set."""
    busy = max(run.get("load", 0) / run["cores"] for run in runs.values())
    beside = f" Measured beside other work, {busy:.1f} busy processes for a core: times are too long." if busy > BUSY else ""
    notes = "".join(f" {run['note']}" for run in runs.values() if run.get("note"))
    print(f"\n## {title}\n\n`{command}`. {intro}{beside}{notes}\n")
    names = [NAMES.get(name, name) for name in runs]
    print(f"| what | wanted | {' | '.join(names)} | in numbers{'' if len(runs) == 1 else f' ({names[0]})'} |")
    print("|---" * (3 + len(runs)) + "|")
    tables = [numbered(run["rows"]) for run in runs.values()]
    every = list(dict.fromkeys(key for table in tables for key in table))
    for key in every:
        what, rows = key[0], [table.get(key) for table in tables]
        first = next(row for row in rows if row)
        shown = ["" if row is None else cell(row["figure"]) + ("" if row["met"] else ", **missed**") for row in rows]
        print(f"| {cell(what)} | {cell(first['wanted'])} | {' | '.join(shown)} | {cell(first['detail'])} |")
    missed = {row["what"] for run in runs.values() for row in run["rows"] if not row["met"]}
    reasons = [(what, why) for start, why in REASONS.items() for what in sorted(missed) if what.startswith(start)]
    if reasons:
        print("\nWhat is missed, and why:\n")
        for what, why in reasons:
            print(f"- {what}: {why}")


def measure(folder):
    """Runs the benches; what they print goes where messages go."""
    # What the shell says of BLAS would hold our column of the best instructions, and the peers, to its words.
    plain = {name: value for name, value in os.environ.items() if name not in ("MERCER_SIMD", "OPENBLAS_CORETYPE")}
    lesser = {"MERCER_SIMD": "avx2", "OPENBLAS_CORETYPE": "Haswell"}
    for bench in SECTIONS:
        # What a compiler takes does not depend on the instructions of our loops.
        for more in ({}, lesser) if machine()["instructions"] == "avx512" and bench != "build" else ({},):
            words = [sys.executable, pathlib.Path(__file__).with_name("run.py"), bench, "--figures", folder,
                     *OPTIONS.get(bench, [])]
            if subprocess.run(words, stdout=sys.stderr, env={**plain, **more}, check=False).returncode != 0:
                sys.exit(f"performance.py: run.py {bench} failed")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--measure", action="store_true", help="run the benches first")
    parser.add_argument("--into", type=pathlib.Path, metavar="PAGE", help="keep what this page says of other benches")
    options = parser.parse_args()
    if options.measure:
        measure(options.folder)
    found = {}
    for path in sorted(options.folder.glob("*.*.json"), reverse=True):  # avx512 before avx2
        bench, instructions, _ = path.name.split(".")
        found.setdefault(bench, {})[instructions] = json.loads(path.read_text(encoding="utf-8"))
    if not found:
        sys.exit(f"{options.folder}: no figures; make performance writes them")
    found = {bench: dict(sorted(runs.items(), key=lambda run: list(NAMES).index(run[0]))) for bench, runs in found.items()}

    known = sections_of(options.into.read_text(encoding="utf-8")) if options.into else {"": page_head(found)}
    print(known[""], end="")
    for bench, (title, command, intro) in SECTIONS.items():
        if bench in found:
            section(title, command, intro, found[bench])
        elif title in known:
            print("\n" + known[title], end="")
    print(TAIL, end="")
    print((pathlib.Path(__file__).parent / "decisions.md").read_text(encoding="utf-8"), end="")


def page_head(found):
    """What stands before the first section."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        print(HEAD)
        machines = {(run["cpu"], run["cores"]) for runs in found.values() for run in runs.values()}
        print("Machine: " + "; ".join(f"{cores} cores of an {cpu}" for cpu, cores in sorted(machines)) + ".")
        versions = {}
        for runs in found.values():
            for run in runs.values():
                versions.update(run["peers"])
        names = sorted(versions.items(), key=lambda v: v[0].lower())
        print("Peers: " + ", ".join(f"{name} {version}" for name, version in names) + ".")
    return out.getvalue()


def sections_of(page):
    """The sections of a page by their titles; what stands before them has none."""
    parts = page.split("\n## ")
    return {"": parts[0], **{part.split("\n", 1)[0]: "## " + part for part in parts[1:]}}


if __name__ == "__main__":
    main()
