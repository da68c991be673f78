"""Nearest neighbours in feature space: Mercer beside scikit-learn's NearestNeighbors, brute force and k-d tree.

All look for the K nearest others of each of N points. Times are the best of three; neighbours are compared. Trees win
where columns are few, or points lie in few directions; on 20 columns of independent numbers there is nothing to prune.
"""
import pathlib
import tempfile

import numpy
from figures import best_of, run, with_peers

import mercer

ROUNDS = 3


def add_options(parser):
    parser.add_argument("--points", type=int, default=20_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--count", type=int, default=5)


def main(options, figures):
    X = numpy.random.RandomState(0).randn(options.points, options.columns)
    size = f"{options.points:,} points, {options.columns} columns, {options.count} neighbours"
    script = pathlib.Path(__file__).with_name("neighbours_peer.py")
    with tempfile.TemporaryDirectory() as folder:
        points, found = pathlib.Path(folder) / "points.npy", pathlib.Path(folder) / "found.npy"
        numpy.save(points, X)
        all_peers = [run(python, script, points, options.count, ROUNDS, found) for python in with_peers()]
        theirs = numpy.load(found)
    best = {name: min(one[name] for one in all_peers) for name in ("brute", "kd_tree")}
    for kernel in ("linear()", "rbf(ell=3)"):
        seconds, (_, ours) = best_of(ROUNDS, lambda: mercer.neighbours(kernel, X, count=options.count))
        for name, taken in best.items():
            ratio = taken / seconds
            figures.row(f"{kernel}, {size}: faster than {name}", f"{ratio:.1f}x", ">= 1x", ratio >= 1,
                        f"{seconds:.2f} s, {taken:.2f} s")
        differing = float((ours != theirs).mean())
        figures.row(f"{kernel}: neighbours that differ from scikit-learn's", f"{differing:.0e}", "<= 1e-5",
                    differing <= 1e-5)
