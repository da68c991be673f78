"""One Gram matrix by GraKeL, for bench/graphs.py: prints a JSON line with the best time of some rounds.

usage: grakel_peer.py FOLDER wl:H|shortest_path|random_walk:LAMBDA ROUNDS [K.npy]

The folder is one of the TU collection; reading it is not timed. A round makes a kernel anew and calls fit_transform.
"""
import gzip
import json
import pathlib
import sys
import time

import grakel
import numpy


def lines(folder, part):
    file = folder / f"{folder.name}_{part}.txt"
    if file.exists():
        return file.read_text().split("\n")
    file = file.with_name(file.name + ".gz")
    return gzip.open(file, "rt").read().split("\n") if file.exists() else None


def read(folder):
    """GraKeL's graphs: edges as a dictionary of weights, labels as a dictionary."""
    graph_of = [int(line) for line in lines(folder, "graph_indicator") if line]
    labels = lines(folder, "node_labels")
    edges, nodes = {}, {}
    for i, graph in enumerate(graph_of, 1):
        nodes.setdefault(graph, {})[i] = labels[i - 1].strip() if labels else "1"
        edges.setdefault(graph, {})
    for line in lines(folder, "A"):
        if line:
            a, b = map(int, line.split(","))
            edges[graph_of[a - 1]][(a, b)] = 1
    return [grakel.Graph(edges[g], node_labels=nodes[g]) for g in sorted(nodes)]


def kernel(words):
    name, _, number = words.partition(":")
    if name == "wl":
        return grakel.WeisfeilerLehman(n_iter=int(number), base_graph_kernel=grakel.VertexHistogram)
    if name == "shortest_path":
        return grakel.ShortestPath(with_labels=True)
    return grakel.RandomWalk(lamda=float(number), kernel_type="geometric")


def main():
    folder, words, rounds = pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    best = float("inf")
    for _ in range(rounds):
        graphs = read(folder)
        start = time.perf_counter()
        matrix = kernel(words).fit_transform(graphs)
        best = min(best, time.perf_counter() - start)
    if len(sys.argv) > 4:
        numpy.save(sys.argv[4], matrix)
    print(json.dumps({"seconds": best, "version": grakel.__version__}))


if __name__ == "__main__":
    main()
