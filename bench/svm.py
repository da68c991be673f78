"""Support vector classifiers: Mercer beside LIBSVM, scikit-learn and oneDAL, one after the other on the same data.

Peers: Debian's LIBSVM (svm_train, cache of 4000 MB) and scikit-learn's SVC(cache_size=4000), which take one thread; and,
where MERCER_PEERS names a Python that has scikit-learn-intelex, oneDAL's SVC(cache_size=4000) on dense rows of float32
and of float64, which takes all threads, as Mercer does. All stop at a tolerance of 1e-3, and the dual objectives of all,
computed from their coefficients in double precision, must agree to 1e-4. Only training and prediction are timed, the
data being in memory. scikit-learn is given dense or sparse rows, whichever is faster for it on the first 4,000 of them.
Run it on a machine that does nothing else; all of it takes most of an hour, of which Mercer has a minute. Where others
work, --processor compares processor seconds, every side having one core.
"""
import os
import pathlib
import sys
import tempfile

import numpy
import scipy.sparse
import sets
from figures import chosen, geometric_mean, relative_difference, run

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
ONEDAL = ("oneDAL float32", "oneDAL float64")
PEERS = ("LIBSVM", "scikit-learn", *ONEDAL)
WANTED = {  # peer: geometric mean and the least, of training and of prediction
    "LIBSVM": ((12, 5), (25, 10)),
    "scikit-learn": ((15, 5), (25, 10)),
    "oneDAL float32": ((5, 5), (3, 2)),
    "oneDAL float64": ((5, 5), (3, 2)),
}


class Prepared:
    """A data set in files: words for Mercer's program, and dense and sparse ones for svc_peer.py."""

    def __init__(self, x, y, folder, stem="train", word="data"):
        dense = numpy.ascontiguousarray(x.toarray() if scipy.sparse.issparse(x) else x, dtype=float)
        target = "target" if word == "data" else f"{word}_target"
        files = {kind: folder / f"{stem}{ending}" for kind, ending in
                 (("dense", ".npy"), ("sparse", ".npz"), ("target", "_target.npy"), ("libsvm", ".libsvm"))}
        numpy.save(files["dense"], dense)
        numpy.save(files["target"], numpy.asarray(y, dtype=float))
        scipy.sparse.save_npz(files["sparse"], scipy.sparse.csr_matrix(x))
        self.dense = {word: files["dense"], target: files["target"]}
        self.sparse = {word: files["sparse"], target: files["target"]}
        self.words = self.dense
        if scipy.sparse.issparse(x):
            from sklearn.datasets import dump_svmlight_file
            self.words = {word: files["libsvm"], "columns": x.shape[1]}
            dump_svmlight_file(x, y, str(files["libsvm"]), zero_based=False)


def load(name, data):
    """Training rows and classes, test rows and classes."""
    if name == "covtype":
        return sets.covtype_split(data)
    if name == "mnist":
        return *sets.mnist(data, "train"), *sets.mnist(data, "t10k")
    x, y = sets.libsvm(data / name / f"{name}.gz")
    return x, y, *sets.libsvm(data / name / f"{name}.t.gz", x.shape[1])


def call(program, *words, **named):
    return run(*program, *words, *(f"{key}={value}" for key, value in named.items()))


class Side:
    """The best of several runs of one side, with the objectives of its coefficients."""

    def __init__(self, program, words, objective, repeat):
        results = [call(program, **words) for _ in range(repeat)]
        self.result = min(results, key=lambda result: result["seconds"])
        self.seconds = self.result["seconds"]
        self.predict = min(result["predict_seconds"] / result["predicted"] for result in results)  # of one point
        self.objectives = objective()


def better_storage(program, train, words):
    """Rows as scikit-learn is faster with them, and their name."""
    taken = {name: call(program, **{**words, **files, "rows": TRIAL})["seconds"]
             for name, files in (("dense", train.dense), ("sparse", train.sparse))}
    return min(taken, key=taken.get)


def run_case(program, name, options, data, folder):
    set_name, C, gamma = CASES[name]
    x, y, test_x, test_y = load(set_name, data)
    if options.rows:
        x, y = x[:options.rows], y[:options.rows]
    train, test = Prepared(x, y, folder), Prepared(test_x, test_y, folder, "test", "test")
    clock = {"clock": "processor"} if options.processor else {}
    common = {"C": C, "gamma": repr(gamma), "coefficients": folder / "coefficients.npy", **clock}
    own = {**train.words, **test.words, **common}
    script = pathlib.Path(__file__).with_name("svc_peer.py")
    sides = {}

    def add(name, command, words):
        sides[name] = Side(command, words, lambda: call([program, "svm", "objective"], **own)["objectives"], options.repeat)

    add("Mercer", [program, "svm", "train"], {**own, "side": "mercer"})
    if "LIBSVM" in options.peers:
        add("LIBSVM", [program, "svm", "train"], {**own, "side": "libsvm"})
    if "scikit-learn" in options.peers:
        python = [sys.executable, script]
        words = {"side": "scikit-learn", "C": C, "gamma": repr(gamma)}
        storage = better_storage(python, train, words)
        add("scikit-learn", python, {**common, **words, **getattr(train, storage), **getattr(test, storage)})
        sides["scikit-learn"].result["storage"] = storage
    for peer in ONEDAL:
        if peer in options.peers:
            words = {**common, **train.dense, **test.dense, "side": "oneDAL", "type": peer.split()[1]}
            add(peer, [os.environ["MERCER_PEERS"], script], words)
    return sides


def describe(name, sides):
    set_name, C, gamma = CASES[name]
    ours = sides["Mercer"]
    text = f"{set_name + f' (C={C}, gamma={gamma:.4g})':<28} {ours.seconds:>9.2f}"
    for side in list(sides.values())[1:]:
        text += f" {side.seconds:>9.2f} {side.seconds / ours.seconds:>6.1f}x"
    text += f"   {ours.result['support_vectors']} support vectors, objective {sum(ours.objectives):.6g}"
    if "scikit-learn" in sides:
        text += f"; scikit-learn on {sides['scikit-learn'].result['storage']} rows"
    text += f"\n{f'  predicting one point, in us':<28} {1e6 * ours.predict:>9.2f}"
    for side in list(sides.values())[1:]:
        text += f" {1e6 * side.predict:>9.2f} {side.predict / ours.predict:>6.1f}x"
    text += f"   errors on {ours.result['predicted']:,} test points: " + ", ".join(
        f"{100 * side.result['error']:.2f} %" for side in sides.values())
    return text if ours.result["converged"] else text + "; NOT CONVERGED"


def check_objectives(figures, name, sides):
    ours = sides["Mercer"].objectives
    for peer, side in list(sides.items())[1:]:
        theirs = side.objectives
        total = abs(sum(ours) - sum(theirs)) / abs(sum(theirs))
        worst = f", in the worst pair {relative_difference(ours, theirs):.1e}" if len(ours) > 1 else ""
        figures.row(f"{name}: the objective, relative to that of {peer}", f"{total:.1e}", f"<= {AGREEMENT:g}",
                    total <= AGREEMENT, f"{sum(ours):.8g}, {sum(theirs):.8g}{worst}")


def check_ratios(figures, done, peers):
    def check(what, ratios, mean_wanted, least_wanted):
        mean, worst = geometric_mean(ratios.values()), min(ratios, key=ratios.get)
        each = ", ".join(f"{name} {ratio:.1f}" for name, ratio in ratios.items())
        figures.row(f"{what}, geometric mean of {len(ratios)}", f"{mean:.1f}x", f">= {mean_wanted}x",
                    mean >= mean_wanted, each)
        figures.row(f"{what}, the least", f"{ratios[worst]:.1f}x", f">= {least_wanted}x",
                    ratios[worst] >= least_wanted, worst)
    for peer in peers:
        train, predict = WANTED[peer]
        check(f"training: faster than {peer}",
              {name: sides[peer].seconds / sides["Mercer"].seconds for name, sides in done.items()}, *train)
        check(f"prediction: faster than {peer}",
              {name: sides[peer].predict / sides["Mercer"].predict for name, sides in done.items()}, *predict)


def check_mnist(figures, sides):
    ours = sides["Mercer"]
    figures.row("MNIST: seconds of training", f"{ours.seconds:.1f} s", "<= 45 s", ours.seconds <= 45,
                f"cores: {len(os.sched_getaffinity(0))}; {ours.predict * ours.result['predicted']:.2f} s for "
                f"{ours.result['predicted']:,} test digits")
    error = ours.result["error"]
    figures.row("MNIST: errors on the 10,000 test digits", f"{100 * error:.2f} %", "<= 1.5 %", error <= 0.015)
    if "LIBSVM" in sides:
        ratio = sides["LIBSVM"].predict / ours.predict
        figures.row("MNIST: prediction, faster than LIBSVM", f"{ratio:.1f}x", ">= 25x", ratio >= 25)


def run_small(options, figures, data, folder):
    clock = {"clock": "processor"} if options.processor else {}
    print("\nsmall sets, standardised, C=10, gamma=1/columns: best of several fits, in milliseconds, turn by turn")
    print(f"{'':<28} {'Mercer':>9} {'LIBSVM':>9}")
    ratios = {}
    worst = 0
    for name in sets.small_names(data):
        x, y = sets.small(data, name)
        prepared = Prepared(sets.standardised(x), y, folder)
        result = call([options.program, "svm", "turns"], **prepared.words, C=10, gamma=repr(1 / x.shape[1]), **clock)
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


def available_peers():
    peers = ["LIBSVM", "scikit-learn"]
    if python := os.environ.get("MERCER_PEERS"):
        code = "import importlib.util as u, json; print(json.dumps(u.find_spec('sklearnex') is not None))"
        if run(python, "-c", code):
            peers += ONEDAL
    return peers


def add_options(parser):
    sets.add_data_option(parser)
    parser.add_argument("--cases", default=",".join([*CASES, "small"]), help="[%(default)s]")
    parser.add_argument("--peers", help=f"of the large cases: some of {', '.join(PEERS)}, or none [all there are]")
    parser.add_argument("--repeat", type=int, default=1, help="runs of every side, of which the best counts [1]")
    parser.add_argument("--processor", action="store_true", help="processor seconds, on one core")
    parser.add_argument("--rows", type=int, help="only the first rows of every large set: a trial, no benchmark")


def main(options, figures):
    names = chosen("--cases", options.cases, [*CASES, "small"])
    available = available_peers()
    options.peers = available if options.peers is None else [p for p in options.peers.split(",") if p != "none"]
    if missing := set(options.peers) - set(available):
        sys.exit(f"--peers: {', '.join(sorted(missing))} is none of {', '.join(available)}, or MERCER_PEERS names no Python "
                 "that has it")
    data = sets.folder(options)
    if options.processor:
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

    done = {}
    with tempfile.TemporaryDirectory(prefix="mercer-bench-") as place:
        folder = pathlib.Path(place)
        large = [name for name in names if name in CASES]
        if large:
            print(f"{'processor ' if options.processor else ''}seconds of training, one run after the other; "
                  f"cores: {len(os.sched_getaffinity(0))}"
                  + (f"; ONLY THE FIRST {options.rows} ROWS" if options.rows else ""))
            print(f"{'':<28} {'Mercer':>9}" + "".join(f" {peer:>17}" for peer in options.peers))
        for name in large:
            done[name] = run_case(options.program, name, options, data, folder)
            print(describe(name, done[name]), flush=True)
        for name, sides in done.items():
            check_objectives(figures, name, sides)
        if done:
            check_ratios(figures, done, options.peers)
        if "mnist" in done:
            check_mnist(figures, done["mnist"])
        if "small" in names:
            run_small(options, figures, data, folder)
