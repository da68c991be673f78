"""Graphs of networkx, igraph and SciPy as inputs."""
import networkx
import numpy as np
import pytest
import scipy.sparse
from sklearn.model_selection import GridSearchCV, cross_val_score

import mercer


def ring(n):
    i = np.arange(n)
    half = scipy.sparse.coo_matrix((np.ones(n), (i, (i + 1) % n)), shape=(n, n))
    return (half + half.T).tocsr()


def path(n):
    return scipy.sparse.diags([np.ones(n - 1), np.ones(n - 1)], [-1, 1]).tocsr()


GRAPHS = [ring(n) if n % 2 else path(n) for n in range(3, 23)]
CLASSES = [n % 2 for n in range(3, 23)]


def test_sparse_matrices_are_graphs():
    closed = mercer.random_walk(0.1)([path(3), ring(3)])
    np.testing.assert_allclose(closed[0], [(9 + 1.6) / (1 - 0.04), (9 + 2.4) / (1 - 0.08)])
    directed = scipy.sparse.csr_matrix([[0, 1.0], [0, 0]])
    with pytest.raises(ValueError, match="graph 1 is directed"):
        mercer.random_walk(0.1)([directed])
    assert mercer.shortest_path()([directed]) == 1


def test_numbers_of_a_matrix_are_weights():
    heavy = mercer.random_walk(0.1, kind="steps", steps=1)([2 * path(2)])
    np.testing.assert_allclose(heavy, 4 + 0.1 * 4 * 4)


def test_machines_take_lists_of_graphs():
    model = mercer.SVC(kernel=mercer.wl(h=1), C=10).fit(GRAPHS, CLASSES)
    assert model.score(GRAPHS, CLASSES) == 1
    assert list(model.predict(GRAPHS[:3])) == CLASSES[:3]
    assert len(cross_val_score(mercer.SVC(kernel="wl(h=1)"), GRAPHS, CLASSES, cv=3)) == 3


def test_folds_over_the_rounds():
    search = GridSearchCV(mercer.SVC(kernel=mercer.wl(h=0), C=10), {"kernel__h": [0, 1, 2]}, cv=3).fit(GRAPHS, CLASSES)
    assert search.best_params_["kernel__h"] > 0


def test_models_keep_their_graphs(tmp_path):
    model = mercer.KernelRidge(kernel="random_walk(lambda=0.05)").fit(GRAPHS, np.sin(CLASSES))
    model.save(tmp_path / "m.mercer")
    np.testing.assert_array_equal(mercer.load(tmp_path / "m.mercer").predict(GRAPHS), model.predict(GRAPHS))


def molecule():
    graph = networkx.Graph([(0, 1, {"bond": 2, "length": 1.5}), (1, 2, {"bond": 1, "length": 1.0})])
    networkx.set_node_attributes(graph, {0: "C", 1: "O", 2: "C"}, "element")
    return graph


@pytest.mark.parametrize("given, words", [
    ({"node_label": "elemnt"}, 'no node has "elemnt", which node_label names; nodes have "element"'),
    ({"attributes": "charge"}, 'no node has "charge", which attributes names; nodes have "element"'),
    ({"edge_label": "bnd"}, 'no edge has "bnd", which edge_label names; edges have "bond", "length"'),
    ({"weight": "lenght"}, 'no edge has "lenght", which weight names; edges have "bond", "length"'),
    ({"node_label": "label"}, 'no node has "label"'),
])
def test_a_name_that_nothing_has(given, words):
    with pytest.raises(ValueError, match=words):
        mercer.graphs([molecule()], **given)
    igraph = pytest.importorskip("igraph")
    with pytest.raises(ValueError, match=words):
        mercer.graphs([igraph.Graph.from_networkx(molecule())] if "label" not in given.values() else [molecule()], **given)
    with pytest.raises(ValueError, match="have nothing"):
        mercer.graphs([ring(3)], **given)


def test_names_that_some_graphs_have():
    X = mercer.graphs([molecule(), networkx.path_graph(2)], node_label="element", edge_label="bond", weight="length")
    K = mercer.wl(h=0)(X)
    assert K.tolist() == [[5, 0], [0, 4]]
    assert mercer.wl(h=0)(mercer.graphs([molecule()])).tolist() == [[9]]  # "label" is there for none


def test_what_is_no_graph():
    with pytest.raises(ValueError, match=r"graph 2: its matrix has the shape \(2, 3\)"):
        mercer.graphs([path(2), scipy.sparse.csr_matrix(np.ones((2, 3)))])
    with pytest.raises(TypeError, match="graph 1 is a str"):
        mercer.graphs(["CCO"])
    with pytest.raises(ValueError, match="weights must be finite"):
        mercer.graphs([scipy.sparse.csr_matrix([[0, np.nan], [np.nan, 0]])])


def test_networkx():
    water = networkx.Graph([("o", "a"), ("o", "b")])
    networkx.set_node_attributes(water, {"o": "O", "a": "H", "b": "H"}, "label")
    hydronium = networkx.star_graph(3)
    networkx.set_node_attributes(hydronium, {0: "O", 1: "H", 2: "H", 3: "H"}, "label")
    np.testing.assert_array_equal(mercer.wl(h=2)([water, hydronium]), [[15, 13], [13, 30]])
    np.testing.assert_array_equal(mercer.shortest_path()([water, hydronium]), [[12, 24], [24, 54]])
    np.testing.assert_array_equal(mercer.wl(h=0, labels="none")([water, hydronium]), [[9, 12], [12, 16]])
    del water.nodes["a"]["label"]
    with pytest.raises(ValueError, match='graph 1: 2 of 3 nodes have "label"'):
        mercer.wl(h=2)([water])
    with pytest.raises(ValueError, match="multigraph"):
        mercer.wl(h=2)([networkx.MultiGraph()])
    assert mercer.wl(h=0)([networkx.DiGraph([(1, 2)])]) == 4


@pytest.mark.parametrize("gap", [None, float("nan"), np.float64("nan")])
def test_a_label_that_is_missing_is_no_label(gap):
    graph = networkx.path_graph(3)
    networkx.set_node_attributes(graph, {0: "x", 1: gap, 2: "nan"}, "e")
    networkx.set_edge_attributes(graph, {(0, 1): "single", (1, 2): gap}, "b")
    with pytest.raises(ValueError, match=r'graph 1: the "e" of node 2 is (None|nan|np.float64\(nan\))'):
        mercer.graphs([graph], node_label="e")
    with pytest.raises(ValueError, match='graph 1: the "b" of edge 2 is'):
        mercer.graphs([graph], edge_label="b")
    igraph = pytest.importorskip("igraph")
    water = igraph.Graph([(0, 1), (0, 2)])
    water.vs["label"] = ["O", "H", float("nan")]
    with pytest.raises(ValueError, match='graph 1: the "label" of node 3 is nan'):
        mercer.graphs([water])


def test_networkx_in_a_table():
    pandas = pytest.importorskip("pandas")
    graphs = [networkx.cycle_graph(n) if n % 2 else networkx.path_graph(n) for n in range(3, 15)]
    table = pandas.DataFrame({"molecule": graphs, "dose": np.linspace(0, 1, 12)})
    k = mercer.on("molecule", mercer.normalize(mercer.wl(h=2))) * mercer.on("dose", mercer.rbf(ell=1))
    model = mercer.SVC(kernel=k, C=100).fit(table, [n % 2 for n in range(3, 15)])
    assert model.score(table, [n % 2 for n in range(3, 15)]) == 1


def test_igraph():
    igraph = pytest.importorskip("igraph")
    water = igraph.Graph([(0, 1), (0, 2)])
    water.vs["label"] = ["O", "H", "H"]
    assert mercer.wl(h=3)([water]) == 20
    water.es["weight"] = [1.0, 2.0]
    np.testing.assert_allclose(mercer.random_walk(0.1, kind="steps", steps=1)([water]), 9 + 0.1 * 36)


def test_sparse_matrices_in_a_table():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"dose": np.linspace(0, 1, 20)})
    table["molecule"] = GRAPHS
    k = mercer.on("molecule", mercer.normalize(mercer.wl(h=2))) + mercer.on("dose", mercer.rbf(ell=1))
    assert mercer.SVC(kernel=k, C=100).fit(table, CLASSES).score(table, CLASSES) == 1


def test_attributes_of_nodes_go_through_a_kernel():
    graphs = [networkx.path_graph(n) for n in (2, 3)]
    for graph in graphs:
        networkx.set_node_attributes(graph, {i: [float(i), 1.0] for i in graph}, "attributes")
    k = mercer.wl(h=0, base=mercer.rbf(ell=1))
    same, near, far = 1, np.exp(-0.5), np.exp(-2)
    np.testing.assert_allclose(k(graphs)[0], [2 * same + 2 * near, 2 * same + 3 * near + far])
