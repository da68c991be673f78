#!/usr/bin/env python3
"""Support vector classifiers: Mercer beside LIBSVM and scikit-learn, one after the other on the same data.

usage: svm.py build/mercer_svm_bench --data DIR [--cases a9a,mnist] [--skip-peers] [--repeat N] [--rows N] [--json FILE]

Peers: Debian's LIBSVM (svm_train, cache of 4000 MB) and scikit-learn's SVC(cache_size=4000), which take one thread;
Mercer takes all. All stop at a tolerance of 1e-3, and the dual objectives of all, computed from their coefficients
in double precision, must agree to 1e-4. Only training is timed, the data being in memory. scikit-learn is given dense
or sparse rows, whichever is faster for it on the first 4,000 of them. Run it on a machine that does nothing else; all
of it takes most of an hour, of which Mercer has a minute.
"""
import argparse
import os
import pathlib
import tempfile
import time

import numpy
import scipy.sparse
import sets
from figures import Figures, geometric_mean, relative_difference, run

AGREEMENT = 1e-4
TRIAL = 4000  # rows on which scikit-learn's dense and sparse ways are compared

CASES = {  # name: set, C, gamma
    "a9a": ("a9a", 1, 0.05),
    "a9a-2": ("a9a", 32, 2**-7),
    "w8a": ("w8a", 10, 0.05),
    "ijcnn1": ("ijcnn1", 32, 2),
    "covtype": ("covtype", 10, 0.1),
    "mnist": ("mnist", 10, 0.02),
}


class Prepared:
    """A data set in memory for scikit-learn, and in files for the other sides."""

    def __init__(self, x, y, folder, stem="train"):
        self.x, self.y = x, y
        self.words = {"data": folder / f"{stem}.npy", "target": folder / f"{stem}_target.npy"}
        if scipy.sparse.issparse(x):
            from sklearn.datasets import dump_svmlight_file
            self.words = {"data": folder / f"{stem}.libsvm"}
            dump_svmlight_file(x, y, str(self.words["data"]), zero_based=False)
        else:
            numpy.save(self.words["data"], numpy.ascontiguousarray(x, dtype=float))
            numpy.save(self.words["target"], numpy.asarray(y, dtype=float))


def load(name, data):
    if name == "covtype":
        return sets.covtype(data)
    if name == "mnist":
        return sets.mnist(data, "train")
    return sets.libsvm(data / name / f"{name}.gz")


def call(program, case, words):
    return run(program, case, *(f"{key}={value}" for key, value in words.items()))


def fit_sklearn(x, y, C, gamma):
    from sklearn.svm import SVC
    machine = SVC(C=C, gamma=gamma, cache_size=4000, tol=1e-3)
    start = time.perf_counter()
    machine.fit(x, y)
    return time.perf_counter() - start, machine


def pair_coefficients(machine, n):
    """y_i alpha_i of every training point: one column per pair of classes."""
    k = len(machine.classes_)
    out = numpy.zeros((n, k * (k - 1) // 2))
    ends = numpy.cumsum(machine.n_support_)
    class_of = numpy.searchsorted(ends, numpy.arange(ends[-1]), side="right")
    dual = machine.dual_coef_.toarray() if scipy.sparse.issparse(machine.dual_coef_) else machine.dual_coef_
    column = 0
    for a in range(k):
        for b in range(a + 1, k):
            for mine, row in ((a, b - 1), (b, a)):
                chosen = class_of == mine
                out[machine.support_[chosen], column] = dual[row, chosen]
            column += 1
    return out


def better_storage(x, y, C, gamma):
    """Rows as scikit-learn is faster with them, and their name."""
    part = slice(0, TRIAL)
    forms = {"dense": x.toarray() if scipy.sparse.issparse(x) else x, "sparse": scipy.sparse.csr_matrix(x)}
    taken = {name: fit_sklearn(form[part], y[part], C, gamma)[0] for name, form in forms.items()}
    name = min(taken, key=taken.get)
    return forms[name], name


class Side:
    """The best of several runs of one side, with the objectives of its coefficients."""

    def __init__(self):
        self.seconds = float("inf")
        self.result = {}
        self.objectives = []


def run_program(program, side, words, repeat):
    out = Side()
    for _ in range(repeat):
        result = call(program, "train", {**words, "side": side})
        if result["seconds"] < out.seconds:
            out.seconds, out.result = result["seconds"], result
    out.objectives = call(program, "objective", words)["objectives"]
    return out


def run_sklearn(program, prepared, C, gamma, words, repeat):
    x, storage = better_storage(prepared.x, prepared.y, C, gamma)
    out = Side()
    for _ in range(repeat):
        taken, machine = fit_sklearn(x, prepared.y, C, gamma)
        if taken < out.seconds:
            out.seconds, out.result = taken, {"storage": storage, "support_vectors": len(machine.support_)}
    numpy.save(words["coefficients"], pair_coefficients(machine, x.shape[0]))
    out.objectives = call(program, "objective", words)["objectives"]
    return out


def run_case(program, name, options, data, folder):
    set_name, C, gamma = CASES[name]
    x, y = load(set_name, data)
    if options.rows:
        x, y = x[:options.rows], y[:options.rows]
    prepared = Prepared(x, y, folder)
    words = {**prepared.words, "C": C, "gamma": repr(gamma), "coefficients": folder / "coefficients.npy"}
    test = {}
    if name == "mnist":
        files = Prepared(*sets.mnist(data, "t10k"), folder, "test").words
        test = {"test": files["data"], "test_target": files["target"]}
    sides = {"Mercer": run_program(program, "mercer", {**words, **test}, options.repeat)}
    if not options.skip_peers:
        sides["LIBSVM"] = run_program(program, "libsvm", {**words, **test}, options.repeat)
        sides["scikit-learn"] = run_sklearn(program, prepared, C, gamma, words, options.repeat)
    return sides


def describe(name, sides):
    set_name, C, gamma = CASES[name]
    ours = sides["Mercer"]
    text = f"{set_name + f' (C={C}, gamma={gamma:.4g})':<28} {ours.seconds:>9.2f}"
    for peer in ("LIBSVM", "scikit-learn"):
        if peer in sides:
            text += f" {sides[peer].seconds:>9.2f} {sides[peer].seconds / ours.seconds:>6.1f}x"
    text += f"   {ours.result['support_vectors']} support vectors, objective {sum(ours.objectives):.6g}"
    if "scikit-learn" in sides:
        text += f"; scikit-learn on {sides['scikit-learn'].result['storage']} rows"
    return text if ours.result["converged"] else text + "; NOT CONVERGED"


def check_objectives(figures, name, sides):
    ours = sides["Mercer"].objectives
    for peer in ("LIBSVM", "scikit-learn"):
        if peer in sides:
            theirs = sides[peer].objectives
            total = abs(sum(ours) - sum(theirs)) / abs(sum(theirs))
            worst = f", in the worst pair {relative_difference(ours, theirs):.1e}" if len(ours) > 1 else ""
            figures.row(f"{name}: the objective, relative to that of {peer}", f"{total:.1e}", f"<= {AGREEMENT:g}",
                        total <= AGREEMENT, f"{sum(ours):.8g}, {sum(theirs):.8g}{worst}")


def check_ratios(figures, done):
    for peer, wanted in (("LIBSVM", 12), ("scikit-learn", 15)):
        ratios = {name: sides[peer].seconds / sides["Mercer"].seconds for name, sides in done.items()}
        mean = geometric_mean(ratios.values())
        figures.row(f"training: faster than {peer}, geometric mean of {len(ratios)}", f"{mean:.1f}x", f">= {wanted}x",
                    mean >= wanted)
        worst = min(ratios, key=ratios.get)
        figures.row(f"training: faster than {peer}, the least", f"{ratios[worst]:.1f}x", ">= 5x", ratios[worst] >= 5,
                    worst)


def check_mnist(figures, sides):
    ours = sides["Mercer"]
    figures.row("MNIST: seconds of training", f"{ours.seconds:.1f} s", "<= 45 s", ours.seconds <= 45,
                f"{os.cpu_count()} cores")
    error = ours.result["error"]
    figures.row("MNIST: errors on the 10,000 test digits", f"{100 * error:.2f} %", "<= 1.5 %", error <= 0.015)
    if "LIBSVM" not in sides:
        return
    theirs = sides["LIBSVM"].result
    each = [side["predict_seconds"] / side["predicted"] for side in (ours.result, theirs)]
    scaled = "" if theirs["predicted"] == ours.result["predicted"] else \
        f", LIBSVM's time scaled up from {theirs['predicted']:,} digits"
    total = [one * ours.result["predicted"] for one in each]
    figures.row(f"MNIST: predicting {ours.result['predicted']:,} digits, faster than LIBSVM",
                f"{each[1] / each[0]:.1f}x", ">= 25x", each[1] >= 25 * each[0],
                f"{total[0]:.2f} s, {total[1]:.1f} s{scaled}; LIBSVM errs on {100 * theirs['error']:.2f} %")


def run_small(program, figures, data, folder):
    print("\nsmall sets, standardised, C=10, gamma=1/columns: best of several fits, in milliseconds, turn by turn")
    print(f"{'':<28} {'Mercer':>9} {'LIBSVM':>9}")
    ratios = {}
    worst = 0
    for name in sets.small_names(data):
        x, y = sets.small(data, name)
        prepared = Prepared(sets.standardised(x), y, folder)
        result = call(program, "turns", {**prepared.words, "C": 10, "gamma": repr(1 / x.shape[1])})
        ratios[name] = result["peer"] / result["ours"]
        difference = abs(sum(result["our_objectives"]) / sum(result["peer_objectives"]) - 1)
        worst = max(worst, difference)
        print(f"{name:<28} {1e3 * result['ours']:>9.2f} {1e3 * result['peer']:>9.2f} {ratios[name]:>6.1f}x"
              f"   {len(y)} x {x.shape[1]}, {len(set(y))} classes, best of {result['rounds']}", flush=True)
    least = min(ratios, key=ratios.get)
    figures.row(f"small sets: faster than LIBSVM, the least of {len(ratios)}", f"{ratios[least]:.2f}x", ">= 1x",
                ratios[least] >= 1, least)
    figures.row("small sets: the objectives, relative to those of LIBSVM", f"{worst:.1e}", f"<= {AGREEMENT:g}",
                worst <= AGREEMENT)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    sets.add_data_option(parser)
    parser.add_argument("--cases", default=",".join([*CASES, "small"]), help="[%(default)s]")
    parser.add_argument("--skip-peers", action="store_true", help="of the large cases")
    parser.add_argument("--repeat", type=int, default=1, help="runs of every side, of which the best counts [1]")
    parser.add_argument("--rows", type=int, help="only the first rows of every large set: a trial, no benchmark")
    parser.add_argument("--json", help="also write the figures there")
    options = parser.parse_args()
    names = options.cases.split(",")
    unknown = set(names) - set(CASES) - {"small"}
    if unknown:
        parser.error(f"--cases: {', '.join(sorted(unknown))} is none of {', '.join(CASES)}, small")
    data = sets.folder(options)

    figures = Figures()
    done = {}
    with tempfile.TemporaryDirectory(prefix="mercer-bench-") as place:
        folder = pathlib.Path(place)
        large = [name for name in names if name != "small"]
        if large:
            print(f"seconds of training, one run after the other; {os.cpu_count()} cores"
                  + (f"; ONLY THE FIRST {options.rows} ROWS" if options.rows else ""))
            print(f"{'':<28} {'Mercer':>9}" + ("" if options.skip_peers else f" {'LIBSVM':>9} {'':>7} {'sklearn':>9}"))
        for name in large:
            done[name] = run_case(options.program, name, options, data, folder)
            print(describe(name, done[name]), flush=True)
        for name, sides in done.items():
            check_objectives(figures, name, sides)
        if done and not options.skip_peers:
            check_ratios(figures, done)
        if "mnist" in done:
            check_mnist(figures, done["mnist"])
        if "small" in names:
            run_small(options.program, figures, data, folder)
    figures.write(options.json)


if __name__ == "__main__":
    main()
