"""Nodes of networkx, SciPy and igraph graphs as points."""
import networkx
import numpy as np
import pytest
import scipy.linalg
import scipy.sparse

import mercer



RING = np.roll(np.eye(6), 1, axis=1) + np.roll(np.eye(6), -1, axis=1)


def laplacian(weights):
    return np.diag(weights.sum(axis=1)) - weights


def test_values_are_the_matrix_exponential():
    graph = networkx.karate_club_graph()
    weights = networkx.to_numpy_array(graph)
    k = mercer.diffusion(t=0.1)(mercer.nodes(graph))
    np.testing.assert_allclose(k, scipy.linalg.expm(-0.1 * laplacian(weights)), atol=1e-12)


def test_graphs_of_all_makers_are_the_same():
    want = mercer.diffusion(t=1)(mercer.nodes(RING))
    for graph in (scipy.sparse.csr_matrix(RING), scipy.sparse.coo_array(RING), networkx.from_numpy_array(RING)):
        np.testing.assert_array_equal(mercer.diffusion(t=1)(mercer.nodes(graph)), want)
    igraph = pytest.importorskip("igraph")
    np.testing.assert_array_equal(mercer.diffusion(t=1)(mercer.nodes(igraph.Graph.Ring(6))), want)


def test_files_and_names(tmp_path):
    (tmp_path / "edges.txt").write_text("ann bob\nbob cy 2\n")
    some = mercer.nodes(tmp_path / "edges.txt", ["cy", "ann"])
    assert [one.name for one in some] == ["cy", "ann"]
    graph = networkx.Graph([("ann", "bob"), ("bob", "cy", {"weight": 2})])
    np.testing.assert_array_equal(mercer.walks(length=1)(mercer.nodes(graph, ["cy", "ann"])),
                                  mercer.walks(length=1)(some))
    with pytest.raises(ValueError, match="the graph has no node 'dan'"):
        mercer.nodes(graph, ["dan"])


def test_estimators_learn_from_some_nodes_and_predict_the_others():
    graph = networkx.karate_club_graph()
    nodes = mercer.nodes(graph)
    club = np.array([graph.nodes[one]["club"] for one in graph])
    labelled = [0, 33]
    model = mercer.SVC(kernel=mercer.diffusion(t=0.2), C=10).fit(nodes[labelled], club[labelled])
    assert (model.predict(nodes) == club).mean() > 0.9
    heights = np.cos(np.arange(34) / 5)
    process = mercer.GaussianProcessRegressor(kernel=mercer.diffusion(t=1)).fit(nodes[::2], heights[::2])
    assert process.kernel_.values["t"] != 1
    mean, deviation = process.predict(nodes, return_std=True)
    assert mean.shape == deviation.shape == (34,)
    ridge = mercer.KernelRidge(kernel=mercer.regularized_laplacian(sigma=1), alpha=0.1).fit(nodes[::2], heights[::2])
    assert np.isfinite(ridge.predict(nodes)).all()


def test_grid_search_over_the_time():
    from sklearn.model_selection import GridSearchCV

    nodes = mercer.nodes(networkx.planted_partition_graph(2, 15, 0.6, 0.05, seed=1))
    parts = np.repeat([0, 1], 15)
    search = GridSearchCV(mercer.SVC(kernel=mercer.diffusion(t=1)), {"kernel__t": [0.01, 0.3]}, cv=3).fit(nodes, parts)
    assert search.best_score_ > 0.9


def test_nodes_stand_in_tables():
    import pandas

    frame = pandas.DataFrame({"who": mercer.nodes(RING), "age": [20.0, 30, 40, 50, 60, 70]})
    k = mercer.on("who", mercer.diffusion(t=1)) * mercer.on("age", mercer.rbf(ell=20))
    want = mercer.diffusion(t=1)(mercer.nodes(RING)) * mercer.rbf(ell=20)(frame[["age"]].to_numpy())
    np.testing.assert_allclose(k(frame), want, rtol=1e-13)


def test_neighbours():
    X = np.random.default_rng(0).normal(size=(40, 3))
    graph = mercer.nearest_neighbours(X, k=4)
    distances = np.linalg.norm(X[:, None] - X[None], axis=2)
    near = np.argsort(distances, axis=1)[:, 1:5]
    want = np.zeros((40, 40))
    np.put_along_axis(want, near, 1, axis=1)
    np.testing.assert_array_equal(graph.toarray(), np.maximum(want, want.T))
    weighted = mercer.nearest_neighbours(X, k=4, ell=2.0).toarray()
    np.testing.assert_allclose(weighted[weighted > 0], np.exp(-distances[weighted > 0] ** 2 / 8))


@pytest.mark.parametrize("bad, words", [
    (np.ones((2, 3)), "square"),
    (np.array([[0, 1.0], [0, 0]]), "symmetric"),
    (networkx.MultiGraph([(0, 1), (0, 1)]), "at most one edge"),
])
def test_refuses_what_is_no_graph(bad, words):
    with pytest.raises(ValueError, match=words):
        mercer.nodes(bad)


@pytest.mark.parametrize("gap", [None, float("nan")])
def test_a_node_has_a_name(gap):
    with pytest.raises(ValueError, match="node 2 of the graph is called (None|nan), which is no name"):
        mercer.nodes([("a", gap), ("a", "b")])
    with pytest.raises(ValueError, match="node 2 of the graph is called"):
        mercer.nodes(networkx.DiGraph([("a", float("nan"))]))


def test_a_list_of_edges():
    edges = [("ann", "bob"), ("bob", "cy", 2.5), ("cy", "ann", 1)]
    graph = networkx.Graph()
    graph.add_weighted_edges_from([edge if len(edge) == 3 else (*edge, 1.0) for edge in edges])
    nodes = mercer.nodes(edges)
    assert [one.name for one in nodes] == ["ann", "bob", "cy"]
    np.testing.assert_array_equal(mercer.diffusion(t=1)(nodes), mercer.diffusion(t=1)(mercer.nodes(graph)))
    assert mercer.nodes([("a", "b")], ["b"])[0].name == "b"
    with pytest.raises(TypeError, match="edge 2 is 'b'"):
        mercer.nodes([("a", "b"), "b"])
    with pytest.raises(TypeError, match="not an empty list"):
        mercer.nodes([])


def test_refuses_what_kernels_cannot_take():
    with pytest.raises(TypeError, match="not int"):
        mercer.nodes(3)
    with pytest.raises(ValueError, match="undirected"):
        mercer.diffusion(t=1)(mercer.nodes(networkx.DiGraph([(0, 1)])))
    with pytest.raises(ValueError, match="several graphs"):
        mercer.diffusion(t=1)(list(mercer.nodes(RING)) + list(mercer.nodes(RING[:5, :5])))
    with pytest.raises(ValueError, match=">= 2"):
        mercer.p_step(p=3, a=1)
