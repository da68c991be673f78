"""What other work on the machine does to Mercer: each case quiet, beside one busy loop for every core, and on one thread beside them.

A case should take at most 2.5 times its quiet time (two threads on two cores that they share with two busy loops get half
of them), and not more than 1.15 times what one thread takes beside the same loops. Times are medians. The busy loops are
children of this program, in its session: where a system divides its processors among sessions first (autogroup of
Linux), loops of another session would take more. `svc` needs the folder of data sets (bench/sets.py).
"""
import argparse
import contextlib
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy
import sets
from figures import chosen, run

CORES = len(os.sched_getaffinity(0))
RUNS = 5


@contextlib.contextmanager
def busy_loops():
    loops = [subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"]) for _ in range(CORES)]
    try:
        time.sleep(0.3)
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def svc(options):
    import mercer
    x, y = sets.libsvm(sets.folder(options) / "a9a" / "a9a.gz")
    return lambda: mercer.SVC(C=1, gamma=0.05).fit(x, y)


def ridge(_):
    import mercer
    x, y = sets.regression(4000, 20)
    return lambda: mercer.KernelRidge(alpha=0.01, kernel="rbf", gamma=0.05).fit(x, y)


def gp(_):
    import mercer
    x, y = sets.regression(240, 4)
    return lambda: mercer.GaussianProcessRegressor(kernel="rbf(ell=[1, 1, 1, 1])").fit(x, y)


def evidence(_):
    import mercer
    x, y = sets.regression(2000, 20)
    kernel = f"rbf(ell={[2.0] * 20})"
    machine = mercer.GaussianProcessRegressor(kernel=kernel, alpha=0.05, optimizer=None).fit(x, y)
    theta = machine.kernel_.theta
    return lambda: machine.log_marginal_likelihood(theta, eval_gradient=True)


def gram(_):
    import mercer
    kernel, (x, _) = mercer.parse("rbf(ell=4)"), sets.regression(8000, 20)
    return lambda: kernel(x)


def command(*words):
    def work():
        subprocess.run([str(word) for word in words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return work


def tune(options):
    x, y = sets.regression(2000, 10)
    path = pathlib.Path(tempfile.mkdtemp()) / "tune.csv"
    numpy.savetxt(path, numpy.column_stack([x, y > 0]), delimiter=",")
    return command(options.command, "tune", "svc", path, "--grid", "C=1:100,ell=1:10", "-o", path.with_suffix(".mercer"))


def demo(options):
    return command(options.command, "demo", "-o", tempfile.mkdtemp())


CASES = {"svc": ("SVC on a9a", svc, 3), "ridge": ("KernelRidge, n=4,000", ridge, RUNS),
         "gp": ("GaussianProcessRegressor, n=240, fit", gp, RUNS),
         "evidence": ("evidence and gradient, n=2,000 d=20", evidence, RUNS),
         "gram": ("rbf Gram, n=8,000 d=20", gram, RUNS), "tune": ("mercer tune svc, n=2,000", tune, 3),
         "demo": ("mercer demo", demo, 3)}


def seconds(name, options, **environment):
    """Of a case in a process of its own, which prints them."""
    data = ["--data", options.data] if options.data else []
    return run(*options.again, "--one", name, *data, **environment)


def pool(program):
    """What a loop on all cores costs beyond its work: our pool beside those of others."""
    for loop in run(program, "pool", "loops")["loops"]:
        taken = "".join(f"  {name} {value:8.1f} us" for name, value in loop["microseconds"].items())
        print(f"{loop['busy_loops'] or 'no'} busy loops, {loop['work']:36}{taken}", flush=True)


def add_options(parser):
    parser.add_argument("--cases", default=",".join(CASES), help="[%(default)s]")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    sets.add_data_option(parser)


def main(options, figures):
    if options.one:
        _, prepare, rounds = CASES[options.one]
        work, taken = prepare(options), []
        work()
        for _ in range(rounds):
            start = time.perf_counter()
            work()
            taken.append(time.perf_counter() - start)
        print(statistics.median(taken))
        return

    names = chosen("--cases", options.cases, CASES)
    pool(options.program)
    for name in names:
        what = CASES[name][0]
        quiet = seconds(name, options)
        with busy_loops():
            beside = seconds(name, options)
            alone = seconds(name, options, MERCER_NUM_THREADS="1")
        detail = f"{quiet:.3f} s quiet, {beside:.3f} s beside {CORES} busy loops, {alone:.3f} s there on one thread"
        figures.row(f"{what}: beside busy loops, times quiet", f"{beside / quiet:.2f}x", "<= 2.5x", beside <= 2.5 * quiet, detail)
        figures.row(f"{what}: beside busy loops, times one thread", f"{beside / alone:.2f}x", "<= 1.15x", beside <= 1.15 * alone)
