"""Memory, threads and Ctrl-C: what a long call on large data does to the rest of the process."""
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import mercer

# The peak of each piece of work beyond what there was before, in multiples of the matrix X; VmHWM counts what C++
# allocates too. Work is text, so that nothing of it is there before its turn.
PEAKS = """
import sys
import numpy as np, pandas, mercer
from mercer._points import as_points

def status(key):
    return 1024 * int(next(line for line in open("/proc/self/status") if line.startswith(key)).split()[1])

X = np.ones((150_000, 100), dtype=sys.argv[1], order=sys.argv[2])
mercer.linear()(X[:5])
for work in sys.argv[3:]:
    open("/proc/self/clear_refs", "w").write("5")
    before = status("VmRSS")
    eval(work)
    print((status("VmHWM") - before) / X.nbytes)
"""

needs_linux = pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="needs Linux's /proc")


def peaks(works, dtype, order="C"):
    run = subprocess.run([sys.executable, "-c", PEAKS, dtype, order, *works], check=True, text=True,
                         capture_output=True)
    return dict(zip(works, map(float, run.stdout.split())))


@needs_linux
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_large_matrix_is_not_copied(dtype):
    works = ["as_points(X)", "as_points(X[::2])", "as_points(X[:, 10:90])", "as_points(pandas.DataFrame(X))",
             "mercer.on(1, mercer.rbf(ell=1)).diag(X)", "mercer.on('2:3', mercer.rbf(ell=1))(X[:10], X[:1000])"]
    found = peaks(works, dtype)
    assert {work: peak for work, peak in found.items() if peak > 0.15} == {}


@needs_linux
def test_fortran_order_is_copied_once_in_its_own_precision():
    assert 0.9 < peaks(["as_points(X)"], "float32", "F")["as_points(X)"] < 1.15


@needs_linux
@pytest.mark.parametrize("dtype, copies", [("float64", 1), ("float32", 4)])
def test_what_evaluation_needs_beside_the_matrix(dtype, copies):
    """Tiles read centred rows in double precision: one such copy, and for single precision one more of the rows."""
    work = "mercer.rbf(ell=1)(X[:10], X)"
    assert peaks([work], dtype)[work] < copies + 0.5


# ---- threads ----

SLOW = mercer.ntk(depth=60)  # some microseconds for each value


def test_other_threads_go_on():
    numbers = np.random.default_rng(0).normal(size=(1500, 3))
    worker = threading.Thread(target=SLOW, args=(numbers,))
    worker.start()
    ticks = 0
    while worker.is_alive():
        time.sleep(0.001)
        ticks += 1
    assert ticks > 20  # a call that kept the interpreter would leave one


def test_two_threads_give_what_one_gives():
    numbers = np.random.default_rng(0).normal(size=(400, 5))
    k = mercer.rbf(ell=1) + mercer.features(lambda x: [x[0], x[1] ** 2], name="two")
    alone, found = k(numbers), [None] * 4

    def work(i):
        found[i] = k(numbers)

    workers = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    for one in found:
        np.testing.assert_array_equal(one, alone)


# ---- Ctrl-C ----

# Whole, every one of these takes half a minute and more. What is asked is the time that the process itself computes
# between the signal and the end: other programs do not count.
INTERRUPTED = """
import os, signal, threading, time
import numpy as np, mercer
X = np.random.default_rng(0).normal(size=(20_000, 3))
W = np.zeros((1, 20_000))
k = mercer.ntk(depth=60)
sent = []
def send():
    sent.append(time.process_time())
    os.kill(os.getpid(), signal.SIGINT)
threading.Timer(0.5, send).start()
try:
    {work}
    print("finished")
except KeyboardInterrupt:
    print(time.process_time() - sent[0])
assert mercer.rbf(ell=1)(X[:1]).tolist() == [[1.0]]  # and the interpreter goes on
"""


@pytest.mark.parametrize("work", [
    "k(X)",
    "k(X[:4000], X)",
    "[k(X[:300]) for _ in range(1000)]",
    "mercer.features(lambda x: time.sleep(0.002) or x)(X)",
    "mercer.check(lambda x, y: time.sleep(0.001) or 1.0)",
])
def test_ctrl_c_is_heard_long_before_the_end(work):
    run = subprocess.run([sys.executable, "-c", INTERRUPTED.replace("{work}", work)], check=True, text=True,
                         capture_output=True)
    assert float(run.stdout) < 2.0  # "finished" is no number


def test_an_error_in_a_feature_map_comes_out_as_it_is():
    class Mine(Exception):
        pass

    def broken(x):
        raise Mine("my words")

    with pytest.raises(Mine, match="my words"):
        mercer.features(broken)(np.zeros((1000, 2)))
