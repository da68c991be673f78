#!/usr/bin/env python3
"""Times LAPACK's dpotrf and dpotri as the numpy of this Python has them, with all its threads, and prints one JSON line.

usage: lapack_peer.py n=10000 [inverse=1] [rounds=3]

The matrix is a kernel matrix with something added to its diagonal; both triangles are tried, and the faster counts.
"""
import json
import sys
import time

import numpy
from scipy.linalg import lapack


def matrix(n):
    x = numpy.random.default_rng(1).uniform(-1.7, 1.7, (n, 20))
    squares = (x * x).sum(axis=1)
    out = numpy.asfortranarray(numpy.exp((2 * x @ x.T - squares[:, None] - squares) / 32))
    out[numpy.diag_indices(n)] += 0.1
    return out


def timed(work):
    start = time.perf_counter()
    result, info = work()
    if info != 0:
        sys.exit(f"lapack_peer.py: LAPACK returned {info}")
    return time.perf_counter() - start, result


def main():
    options = dict(word.split("=", 1) for word in sys.argv[1:])
    k = matrix(int(options["n"]))
    best = {}
    for _ in range(int(options.get("rounds", 3))):
        for lower in (1, 0):
            a = k.copy(order="F")
            times = {}
            times["potrf"], a = timed(lambda a=a, lower=lower: lapack.dpotrf(a, lower=lower, overwrite_a=1, clean=0))
            if options.get("inverse"):
                times["potri"], a = timed(lambda a=a, lower=lower: lapack.dpotri(a, lower=lower, overwrite_c=1))
            for name, value in times.items():
                best[name] = min(value, best.get(name, value))
    print(json.dumps(best))


if __name__ == "__main__":
    main()
