#!/usr/bin/env python3
"""NearestNeighbors of scikit-learn on given points, for bench/neighbours.py.

usage: neighbours_peer.py POINTS.npy COUNT ROUNDS OUT.npy

Prints the seconds of each algorithm, fit and search together, the best of ROUNDS; OUT.npy gets the neighbours.
"""
import json
import sys
import time

import numpy
from sklearn.neighbors import NearestNeighbors


def search(algorithm, X, count):
    return NearestNeighbors(n_neighbors=count, algorithm=algorithm, n_jobs=-1).fit(X).kneighbors(return_distance=False)


def main():
    path, count, rounds, out = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    X = numpy.load(path)
    seconds = {}
    for algorithm in ("brute", "kd_tree"):
        taken = []
        for _ in range(rounds):
            start = time.perf_counter()
            found = search(algorithm, X, count)
            taken.append(time.perf_counter() - start)
        seconds[algorithm] = min(taken)
    numpy.save(out, found)
    print(json.dumps(seconds))


if __name__ == "__main__":
    main()
