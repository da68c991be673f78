"""Graphs: those of networkx and igraph, and square SciPy sparse matrices of their edges."""
from __future__ import annotations

import numpy as np

from .. import _core
from ._missing import is_missing


def takes(values):
    return all(_reader_of(one) is not None for one in values)


def points(values, name="X"):
    return graphs(values, name=name)


_CALLED = {"node_label": "label", "edge_label": "label", "weight": "weight", "attributes": "attributes"}


def graphs(items, *, node_label=None, edge_label=None, weight=None, attributes=None, name="X"):
    """Graphs as points: networkx or igraph graphs, or square SciPy sparse matrices, an entry for each edge.

    Nodes and edges of networkx and igraph may have labels, weights and real attributes, called "label", "weight" and
    "attributes" unless the arguments say otherwise. What no node (or edge) of a graph has is not there; what only some
    have is refused, and so is an argument that names what no graph has. A label is what `str` makes of it. A symmetric
    matrix means an undirected graph, another one a directed graph, and its numbers are weights. A list of such graphs
    means them anyway, with the names above.

    >>> import scipy.sparse
    >>> X = graphs([scipy.sparse.csr_matrix([[0, 1], [1, 0]])])
    >>> len(X), X.kind
    (1, 'graphs')
    """
    given = {"node_label": node_label, "edge_label": edge_label, "weight": weight, "attributes": attributes}
    names = {key: _CALLED[key] if value is None else value for key, value in given.items()}
    items, parts = list(items), []
    for i, item in enumerate(items):
        reader = _reader_of(item)
        if reader is None:
            raise TypeError(f"Input {name}: graph {i + 1} is a {type(item).__name__}; graphs of networkx or igraph and "
                            "SciPy sparse matrices are taken")
        try:
            parts.append(reader(item, **names))
        except ValueError as error:
            raise ValueError(f"Input {name}: graph {i + 1}: {error}") from None
    _require_known({key: value for key, value in given.items() if value is not None}, items, name)
    return _core.graph_points(parts)


def _require_known(given, items, name):
    """What an argument names, some node (or edge) must have: a slip of the pen would leave all without."""
    of_nodes, of_edges = (set().union(*sets) for sets in zip((set(), set()), *map(_attribute_names, items)))
    for key, value in given.items():
        what, there = ("node", of_nodes) if key in ("node_label", "attributes") else ("edge", of_edges)
        if value not in there:
            known = ", ".join(f'"{one}"' for one in sorted(map(str, there))) or "nothing"
            raise ValueError(f'Input {name}: no {what} has "{value}", which {key} names; {what}s have {known}')


def _attribute_names(item):
    """What nodes have, and what edges have."""
    reader = _reader_of(item)
    if reader is _from_networkx:
        return ({key for _, data in item.nodes(data=True) for key in data},
                {key for *_, data in item.edges(data=True) for key in data})
    return (set(item.vs.attributes()), set(item.es.attributes())) if reader is _from_igraph else (set(), set())


def _reader_of(item):
    kinds = {one.__module__.partition(".")[0] for one in type(item).__mro__}
    if "networkx" in kinds and hasattr(item, "is_directed"):
        return _from_networkx
    if "igraph" in kinds and hasattr(item, "get_edgelist"):
        return _from_igraph
    return _from_sparse if hasattr(item, "tocsr") and hasattr(item, "nnz") else None


def _from_networkx(graph, node_label, edge_label, weight, attributes):
    if graph.is_multigraph():
        raise ValueError("it is a multigraph; join its parallel edges: networkx.Graph(g) keeps one of each")
    number = {node: i for i, node in enumerate(graph.nodes)}
    edges = [(number[a], number[b], data) for a, b, data in graph.edges(data=True)]
    nodes = [data for _, data in graph.nodes(data=True)]
    links = [data for _, _, data in edges]
    return _parts(len(number), [edge[:2] for edge in edges], graph.is_directed(), _column(nodes, node_label, "node"),
                  _column(links, edge_label, "edge"), _column(links, weight, "edge"),
                  _column(nodes, attributes, "node"))


def _from_igraph(graph, node_label, edge_label, weight, attributes):
    def values(sequence, key, what):
        if key not in sequence.attributes():
            return None
        found = sequence[key]
        return _column([{} if one is None else {key: one} for one in found], key, what)

    return _parts(graph.vcount(), graph.get_edgelist(), graph.is_directed(), values(graph.vs, node_label, "node"),
                  values(graph.es, edge_label, "edge"), values(graph.es, weight, "edge"),
                  values(graph.vs, attributes, "node"))


def _from_sparse(matrix, **_):
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"its matrix has the shape {matrix.shape}; a row and a column for each node are needed")
    entries = matrix.tocoo()
    entries.sum_duplicates()
    keep = entries.data != 0
    row, column, value = entries.row[keep], entries.col[keep], entries.data[keep]
    directed = abs(matrix - matrix.T).nnz > 0
    if not directed:
        upper = row <= column
        row, column, value = row[upper], column[upper], value[upper]
    return _parts(matrix.shape[0], np.column_stack([row, column]), directed, None, None, value, None)


def _column(items, key, what):
    """What all have under this key, None where none has it."""
    having = sum(key in one for one in items)
    if having == 0:
        return None
    if having < len(items):
        raise ValueError(f'{having} of {len(items)} {what}s have "{key}"; give it to all, or to none')
    values = [one[key] for one in items]
    for i, value in enumerate(values):
        if is_missing(value):
            raise ValueError(f'the "{key}" of {what} {i + 1} is {value!r}, which says nothing; give all {what}s a value')
    return values


def _parts(nodes, edges, directed, node_labels, edge_labels, weights, attributes):
    ends = np.asarray(edges, dtype=np.int64).reshape(-1, 2)
    weights = np.ones(len(ends)) if weights is None else np.asarray(weights, dtype=np.float64)
    if attributes is not None:
        attributes = np.asarray(attributes, dtype=np.float64).reshape(nodes, -1)
    return (nodes, ends, weights, bool(directed), _texts(node_labels), _texts(edge_labels), attributes)


def _texts(labels):
    return [] if labels is None else [str(label) for label in labels]
