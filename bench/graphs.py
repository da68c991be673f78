"""Gram matrices between graphs: Mercer beside GraKeL, where MERCER_GRAKEL names a Python that has it.

The sets are the folders graphs/NAME of the folder of data sets, as the TU Dortmund collection has them. Times are the
best of some rounds and do not count the reading of files. Both matrices are compared, where both can be made: GraKeL
0.1.11 raises KeyError for shortest paths of graphs with isolated nodes, as NCI1 and ENZYMES have them, and its random
walks of ENZYMES take hours.
"""
import os
import pathlib
import subprocess
import tempfile

import numpy
import sets
from figures import run

ROUNDS = 3


def grakel(folder, words, matrix):
    """GraKeL's seconds and matrix; None where it is not there or fails."""
    python = os.environ.get("MERCER_GRAKEL")
    if not python or subprocess.run([python, "-c", "import grakel"], check=False, capture_output=True).returncode:
        return None
    try:
        return run(python, pathlib.Path(__file__).with_name("grakel_peer.py"), folder, words, "1", matrix)
    except SystemExit:
        return None


def difference(a, b):
    a, b = numpy.load(a), numpy.load(b)
    return abs(a - b).max() / abs(b).max()


def add_options(parser):
    sets.add_data_option(parser)


def main(options, figures):
    data = sets.folder(options) / "graphs"

    def ours(name, kernel, most, rounds=ROUNDS, matrix=None):
        got = run(options.program, "graphs", "gram", data / name, kernel, rounds, *([matrix] if matrix else []))
        figures.row(f"{kernel} of {name}, {got['graphs']} graphs", f"{got['seconds']:.3g} s", f"<= {most} s",
                    got["seconds"] <= most)
        return got["seconds"]

    def beside(name, kernel, words, seconds, matrix, folder, least):
        peer = grakel(data / name, words, folder / "peer.npy")
        if peer is None:
            print(f"{kernel} of {name}: GraKeL is not there, or fails")
            return
        ratio = peer["seconds"] / seconds
        figures.row(f"{kernel} of {name} beside GraKeL {peer['version']}", f"{ratio:.3g}x", f">= {least}x",
                    ratio >= least, f"{peer['seconds']:.3g} s; matrices differ by "
                    f"{difference(matrix, folder / 'peer.npy'):.1e}")

    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        own = folder / "own.npy"
        seconds = ours("NCI1", "wl(h=5)", 0.7, matrix=own)
        beside("NCI1", "wl(h=5)", "wl:5", seconds, own, folder, 15)
        ours("ENZYMES", "random_walk(lambda=0.01)", 2)
        ours("NCI1", "shortest_path()", 5)
        seconds = ours("MUTAG", "shortest_path()", 0.1, matrix=own)
        beside("MUTAG", "shortest_path()", "shortest_path", seconds, own, folder, 15)
        seconds = ours("MUTAG", "random_walk(lambda=0.01)", 0.1, matrix=own)
        beside("MUTAG", "random_walk(lambda=0.01)", "random_walk:0.01", seconds, own, folder, 15)
