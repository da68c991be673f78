"""Nodes of a graph: networkx, SciPy and igraph objects, a list or a file of edges."""
from __future__ import annotations

import numpy as np

from .. import _core
from ._missing import is_missing


class Node:
    """A node of a graph, as `mercer.nodes` makes them: a point for kernels such as `mercer.diffusion`."""

    __slots__ = ("graph", "id")

    def __init__(self, graph, id):
        self.graph = graph
        self.id = id

    @property
    def name(self):
        return self.graph.name(self.id)

    def __repr__(self):
        return f"Node({self.name})"

    def __eq__(self, other):
        return isinstance(other, Node) and self.graph is other.graph and self.id == other.id

    def __hash__(self):
        return hash((id(self.graph), self.id))


def takes(values):
    return all(isinstance(one, Node) for one in values)


def points(values, name="X"):
    graph = values[0].graph
    if any(one.graph is not graph for one in values):
        raise ValueError(f"Input {name} holds nodes of several graphs: take all of them from one call of mercer.nodes, "
                         "or from nodes of one graph")
    return graph.points([one.id for one in values])


def nodes(graph, ids=None):
    """Nodes of a graph as points: an array of them, to be indexed, split and put into tables as any other.

    graph: a networkx graph, a SciPy sparse matrix or a square array of weights, an igraph graph, a list of edges
    (from, to) or (from, to, weight), or the path of a file of edges. Edges weigh what their attribute "weight" says, or
    1. ids: which nodes, as the graph calls them; all, in its
    order, where left out. Take all nodes once and index them where you can: what kernels ask of a graph is then asked
    once.

    >>> import numpy as np, mercer
    >>> ring = mercer.nodes(np.roll(np.eye(4), 1, axis=1) + np.roll(np.eye(4), -1, axis=1))
    >>> print(mercer.diffusion(t=0.5)(ring[:2], ring).round(6))
    [[0.467774 0.216166 0.099894 0.216166]
     [0.216166 0.467774 0.216166 0.099894]]
    """
    made, names = _graph_of(graph)
    if ids is None:
        which = range(len(made))
    else:
        place = {name: i for i, name in enumerate(names)}
        missing = next((one for one in ids if one not in place), None)
        if missing is not None:
            raise ValueError(f"the graph has no node {missing!r}")
        which = [place[one] for one in ids]
    out = np.empty(len(which), dtype=object)
    out[:] = [Node(made, int(i)) for i in which]
    return out


def nearest_neighbours(X, k=10, ell=None):
    """The graph of the nearest neighbours of points, as a symmetric SciPy matrix: an edge between two points where one
    of them is among the k nearest of the other. Edges weigh 1, or exp(-|x-y|^2 / (2 ell^2)).

    >>> import mercer
    >>> mercer.nearest_neighbours([[0.0], [1.0], [5.0]], k=1).toarray()
    array([[0., 1., 0.],
           [1., 0., 1.],
           [0., 1., 0.]])
    """
    import scipy.sparse

    from .._points import as_points

    made = _core.nearest_neighbours(as_points(X), k, ell or 0.0)
    rows, columns, weights = made.edges
    half = scipy.sparse.coo_matrix((weights, (rows, columns)), shape=(len(made), len(made)))
    return (half + half.T).tocsr()


def _graph_of(graph):
    """The engine's graph, and what its nodes are called."""
    if isinstance(graph, np.ndarray) and graph.dtype == object and graph.ndim == 1 and len(graph) and takes(graph):
        graph = graph[0].graph
    if isinstance(graph, _core.NodeGraph):
        return graph, [graph.name(i) for i in range(len(graph))]
    if isinstance(graph, (str, bytes)) or hasattr(graph, "__fspath__"):
        made = _core.read_edges(str(graph))
        return made, [made.name(i) for i in range(len(made))]
    if hasattr(graph, "adj") and hasattr(graph, "is_directed"):
        return _from_networkx(graph)
    if hasattr(graph, "get_edgelist") and hasattr(graph, "vcount"):
        return _from_igraph(graph)
    if hasattr(graph, "tocoo") or isinstance(graph, np.ndarray):
        return _from_matrix(graph)
    if isinstance(graph, (list, tuple)) and len(graph):
        return _from_edges(graph)
    raise TypeError("nodes() takes a networkx or igraph graph, a SciPy sparse matrix, a square array, a list of edges or "
                    f"the path of a file of them, not {'an empty ' * (graph in ([], ()))}{type(graph).__name__}")


def _make(count, edges, directed, names):
    rows, columns, weights = edges
    for i, name in enumerate(names):
        if is_missing(name):
            raise ValueError(f"node {i + 1} of the graph is called {name!r}, which is no name; give it one, or leave out "
                             "its edges")
    texts = [] if names == list(range(count)) else [str(name) for name in names]
    return _core.NodeGraph(count, np.asarray(rows, dtype=np.int64), np.asarray(columns, dtype=np.int64),
                           np.asarray(weights, dtype=np.float64), directed, texts), names


def _from_edges(edges):
    for i, edge in enumerate(edges):
        if not isinstance(edge, (list, tuple)) or len(edge) not in (2, 3):
            raise TypeError(f"nodes() takes edges (from, to) or (from, to, weight), and edge {i + 1} is {edge!r}")
    names = list(dict.fromkeys(end for edge in edges for end in edge[:2]))
    place = {name: i for i, name in enumerate(names)}
    weights = [edge[2] if len(edge) == 3 else 1.0 for edge in edges]
    return _make(len(names), ([place[edge[0]] for edge in edges], [place[edge[1]] for edge in edges], weights), False,
                 names)


def _from_networkx(graph):
    if graph.is_multigraph():
        raise ValueError("nodes() takes graphs with at most one edge between two nodes; networkx.Graph(graph) is one")
    names = list(graph.nodes)
    place = {name: i for i, name in enumerate(names)}
    edges = [(place[u], place[v], w) for u, v, w in graph.edges(data="weight", default=1.0)]
    return _make(len(names), tuple(zip(*edges)) or ((), (), ()), graph.is_directed(), names)


def _from_igraph(graph):
    named = "name" in graph.vs.attributes()
    names = list(graph.vs["name"]) if named else list(range(graph.vcount()))
    pairs = graph.get_edgelist()
    weights = graph.es["weight"] if "weight" in graph.es.attributes() else [1.0] * len(pairs)
    return _make(graph.vcount(), ([u for u, _ in pairs], [v for _, v in pairs], weights), graph.is_directed(), names)


def _from_matrix(matrix):
    import scipy.sparse

    matrix = scipy.sparse.coo_matrix(matrix)
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"the weights of a graph are a square matrix, and this one is {matrix.shape[0]} x "
                         f"{matrix.shape[1]}")
    if (abs(matrix - matrix.T) > 0).nnz:
        raise ValueError("the weights of an undirected graph are a symmetric matrix, and this one is not: A + A.T is, "
                         "or (A + A.T) / 2")
    matrix.sum_duplicates()
    upper = (matrix.row <= matrix.col) & (matrix.data != 0)
    return _make(matrix.shape[0], (matrix.row[upper], matrix.col[upper], matrix.data[upper]), False,
                 list(range(matrix.shape[0])))
