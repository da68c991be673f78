"""Pictures: what is on the axes, and that they look as they did when somebody last looked (tests/images)."""
import io
import os
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.image
import matplotlib.pyplot as plt
import numpy as np
import pandas
import pytest
from sklearn.datasets import make_blobs, make_moons

import mercer
from mercer import plot

IMAGES = Path(__file__).parent / "images"
# Mean absolute difference of the colours, of 1. Text and lines drawn a little differently make some thousandths.
TOLERANCE = 0.01


@pytest.fixture(autouse=True)
def fixed_style():
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update({"font.family": "DejaVu Sans", "font.size": 8, "figure.dpi": 60, "savefig.dpi": 60})
        yield
    plt.close("all")


def pixels(figure):
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    buffer.seek(0)
    return matplotlib.image.imread(buffer)[:, :, :3]


def difference(figure, name):
    """From the stored picture; MERCER_RENEW_IMAGES=1 stores it anew, to be looked at."""
    if not matplotlib.__version__.startswith("3.6."):
        pytest.skip("the stored pictures are by Matplotlib 3.6, which places things a little differently from others")
    path = IMAGES / name
    seen = pixels(figure)
    if os.environ.get("MERCER_RENEW_IMAGES"):
        matplotlib.image.imsave(path, seen)
    stored = matplotlib.image.imread(path)[:, :, :3]
    assert seen.shape == stored.shape
    return np.abs(seen - stored).mean()


def waves():
    X = np.concatenate([np.linspace(0, 4, 18), np.linspace(6, 8, 8)]).reshape(-1, 1)
    return X, np.sin(2 * X[:, 0]) + 0.3 * X[:, 0] + 0.1 * np.cos(37 * X[:, 0])


def fitted_gp(kernel="rbf(ell=1)"):
    X, y = waves()
    return mercer.GaussianProcessRegressor(kernel, random_state=0).fit(X, y), X, y


def moons():
    return make_moons(80, noise=0.15, random_state=3)


def test_gp_looks_as_before():
    model, X, y = fitted_gp()
    ax = plot.gp(model, X, y, ax=plt.subplots(figsize=(5, 3))[1])
    assert difference(ax.figure, "gp.png") < TOLERANCE


def test_gp_components_look_as_before():
    model, X, y = fitted_gp("rbf(ell=1) + linear()")
    axes = plot.gp(model, X, y, components=True)
    assert len(axes) == 1 + len(model.components(X))
    assert difference(axes[0].figure, "gp_components.png") < TOLERANCE


def test_gp_draws_the_mean_and_the_band_it_says():
    model, X, y = fitted_gp()
    at = np.array([[0.5], [5.0]])
    ax = plot.gp(model, X, y, at=at, level=0.95)
    line = next(line for line in ax.lines if line.get_label() == "mean")
    mean, std = model.predict(at, return_std=True)
    np.testing.assert_allclose(line.get_ydata(), mean)
    band = next(c for c in ax.collections if c.get_label() == "f, 95 %").get_paths()[0].vertices
    for x, m, s in zip(at[:, 0], mean, std):
        heights = band[np.isclose(band[:, 0], x), 1]
        assert heights.min() == pytest.approx(m - 1.959964 * s)
        assert heights.max() == pytest.approx(m + 1.959964 * s)
    paler = next(c for c in ax.collections if c.get_label() == "observations, 95 %").get_paths()[0].vertices
    for x, m, s in zip(at[:, 0], mean, std):
        heights, whole = paler[np.isclose(paler[:, 0], x), 1], np.hypot(s, np.sqrt(model.noise_))
        assert heights.min() == pytest.approx(m - 1.959964 * whole)
        assert heights.max() == pytest.approx(m + 1.959964 * whole)


def test_gp_components_sum_to_the_mean():
    model, X, y = fitted_gp("rbf(ell=1) + linear()")
    axes = plot.gp(model, X, y, components=True)
    whole = next(line for line in axes[0].lines if line.get_label() == "mean").get_ydata()
    parts = sum(ax.lines[0].get_ydata() for ax in axes[1:])
    np.testing.assert_allclose(parts, whole, atol=1e-6)


def test_gp_draws_and_tables():
    model, X, y = fitted_gp()
    assert len(plot.gp(model, X, y, draws=3).lines) == 3 + 2
    frame = pandas.DataFrame(X, columns=["time"])
    named = mercer.GaussianProcessRegressor("rbf(ell=1)", random_state=0).fit(frame, y)
    line = plot.gp(named, frame, y).lines[0]
    np.testing.assert_allclose(line.get_ydata(), plot.gp(model, X, y).lines[0].get_ydata(), rtol=1e-6)


def test_inputs_that_are_all_the_same_have_room_around_them():
    model = mercer.GaussianProcessRegressor("rbf(ell=1)", optimizer=None).fit([[3.0], [3.0]], [1.0, 1.0])
    across = plot.gp(model, [[3.0], [3.0]]).lines[0].get_xdata()
    assert across[0] == 2 and across[-1] == 4
    X, y = moons()
    flat = np.column_stack([X[:, 0], np.full(len(X), 5.0)])
    ax = plot.decision(mercer.SVC().fit(flat, y), flat, y)
    low, high = ax.get_ylim()
    assert low <= 4 and high >= 6


def test_decision_looks_as_before():
    X, y = moons()
    ax = plot.decision(mercer.SVC(C=10, gamma=1.0).fit(X, y), X, y, ax=plt.subplots(figsize=(4, 3))[1])
    assert difference(ax.figure, "decision.png") < TOLERANCE


def test_decision_of_three_classes_looks_as_before():
    X, y = make_blobs(90, centers=3, cluster_std=1.6, random_state=2)
    names = np.array(["ash", "birch", "cedar"])[y]
    ax = plot.decision(mercer.SVC().fit(X, names), X, names, ax=plt.subplots(figsize=(4, 3))[1])
    assert [text.get_text() for text in ax.get_legend().get_texts()][:3] == ["ash", "birch", "cedar"]
    assert difference(ax.figure, "decision_three.png") < TOLERANCE


def test_decision_rings_are_the_support_vectors():
    X, y = moons()
    model = mercer.SVC(C=10).fit(X, y)
    ax = plot.decision(model, X, y, resolution=40)
    rings = next(c for c in ax.collections if c.get_label() == "support vectors")
    np.testing.assert_array_equal(np.asarray(rings.get_offsets()), X[model.support_])
    assert not any(c.get_label() == "support vectors"
                   for c in plot.decision(model, X, y, resolution=40, support=False).collections)


@pytest.mark.parametrize("probability", [False, True])
def test_decision_regions_are_the_predictions(probability):
    X, y = moons()
    model = mercer.SVC(C=10, probability=probability).fit(X, y)
    ax = plot.decision(model, X, y, resolution=30)
    left, right, bottom, top = ax.images[0].get_extent()
    across, up = np.meshgrid(np.linspace(left, right, 30), np.linspace(bottom, top, 30))
    grid = np.stack([across.ravel(), up.ravel()], axis=1)
    np.testing.assert_array_equal(np.asarray(ax.images[0].get_array()).ravel(), model.predict(grid))


def test_decision_of_probabilities_of_novelties_and_of_tables():
    X, y = moons()
    frame = pandas.DataFrame(X, columns=["length", "width"])
    ax = plot.decision(mercer.KernelLogisticRegression(kernel="rbf(ell=0.5)").fit(frame, y), frame, y, resolution=30)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("length", "width")
    ax = plot.decision(mercer.OneClassSVM(nu=0.1).fit(X), X, resolution=30)
    assert ax.get_legend_handles_labels()[1] == ["points", "support vectors"]
    perceptron = mercer.KernelPerceptron("rbf(ell=0.5)").fit(X, y)
    assert plot.decision(perceptron, X, y, resolution=30).images


def test_decision_without_lines():
    X, y = moons()
    model = mercer.SVC(C=10).fit(X, y)
    drawn = [len(plot.decision(model, X, y, resolution=30, lines=lines).collections) for lines in (True, False)]
    assert drawn[0] - drawn[1] == 3  # the boundary and two margins


def test_boundary_of_probabilities_is_where_they_are_equal():
    X, y = moons()
    model = mercer.SVC(C=10, probability=True).fit(X, y)
    ax = plot.decision(model, X, y, resolution=120)
    solid = ax.collections[1].get_paths()[0].vertices
    np.testing.assert_allclose(model.predict_proba(solid)[:, 1], 0.5, atol=0.02)


def test_gram_looks_as_before():
    X = np.linspace(0, 5, 40).reshape(-1, 1)
    axes = plot.gram("rbf(ell=1)", X, ax=plt.subplots(ncols=2, figsize=(5, 2.2), layout="constrained")[1])
    assert difference(axes[0].figure, "gram.png") < TOLERANCE


def test_gram_is_the_matrix_and_its_eigenvalues():
    X = np.random.default_rng(0).normal(size=(25, 3))
    k = mercer.parse("rbf(ell=auto) + 0.5*linear()")
    heat, spectrum = plot.gram(k, X)
    K = k.resolve(X)(X)
    np.testing.assert_array_equal(np.asarray(heat.images[0].get_array()), K)
    np.testing.assert_allclose(spectrum.lines[0].get_ydata(), np.linalg.eigvalsh(K)[::-1])
    order = np.argsort(X[:, 0])
    ordered = plot.gram(k, X, order=order)[0].images[0].get_array()
    np.testing.assert_array_equal(np.asarray(ordered), K[np.ix_(order, order)])


def test_gram_of_texts():
    heat, spectrum = plot.gram("normalize(spectrum(k=2))", ["abab", "baba", "cccc"])
    assert heat.images[0].get_array().shape == (3, 3)
    assert spectrum.get_title() == "numerical rank 3 of 3"


def test_prior_looks_as_before():
    ax = plot.prior("rbf(ell=0.5) + 0.2*periodic(period=1)", ax=plt.subplots(figsize=(5, 2.5))[1])
    assert difference(ax.figure, "prior.png") < TOLERANCE


def test_prior_band_is_that_of_the_kernel():
    ax = plot.prior("4*linear()", at=[-1, 0, 2], draws=2)
    band = ax.collections[0].get_paths()[0].vertices
    assert band[:, 1].max() == pytest.approx(1.959964 * 2 * 2)
    assert len(ax.lines) == 2


def test_a_wrong_picture_is_noticed():
    model, X, y = fitted_gp()
    ax = plot.gp(model, X, y, level=0.5, ax=plt.subplots(figsize=(5, 3))[1])
    stored = matplotlib.image.imread(IMAGES / "gp.png")[:, :, :3]
    assert np.abs(pixels(ax.figure) - stored).mean() > 2 * TOLERANCE


def test_axes_come_back():
    _, ax = plt.subplots()
    assert plot.prior("rbf(ell=1)", ax=ax) is ax
    with pytest.raises(ValueError, match="2 axes are needed"):
        plot.gram("rbf(ell=1)", np.zeros((3, 1)), ax=ax)


def test_what_cannot_be_drawn():
    X, y = moons()
    model = mercer.SVC().fit(X, y)
    with pytest.raises(ValueError, match="draws over 2 inputs"):
        plot.decision(model, np.zeros((4, 3)), [0, 1, 0, 1])
    with pytest.raises(ValueError, match="not KernelRidge"):
        plot.decision(mercer.KernelRidge().fit(X, y), X, y)
    with pytest.raises(ValueError, match="draws over 1 input,"):
        plot.gp(model, X, y)


def test_a_graph_shows_scores_and_what_was_known():
    two = np.zeros((8, 8))
    for i, j in [(0, 1), (1, 2), (2, 0), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (3, 4)]:
        two[i, j] = two[j, i] = 1
    nodes = mercer.nodes(two)
    model = mercer.SVC(kernel="diffusion(t=0.5)").fit(nodes[[0, 6]], ["left", "right"])
    ax = plot.graph(nodes, model.decision_function(nodes), labelled=[0, 6])
    assert [part.get_label() for part in ax.collections] == ["edges", "nodes", "labelled"]
    assert len(ax.collections[0].get_segments()) == 10
    assert len(ax.collections[2].get_offsets()) == 2
    ax = plot.graph(nodes[::-1], np.repeat(["right", "left"], 4), at=np.column_stack([np.arange(8), np.zeros(8)]))
    assert [part.get_label() for part in ax.collections] == ["edges", "left", "right"]
    np.testing.assert_array_equal(np.sort(ax.collections[1].get_offsets()[:, 0]), [4, 5, 6, 7])  # reversed, and back
    with pytest.raises(ValueError, match="these are 3 of 8"):
        plot.graph(nodes[:3])


def test_contributions_of_letters_and_of_nodes():
    texts = ["abcabc", "cabcab", "bcabca", "cbacba", "acbacb", "bacbac"]
    model = mercer.SVC(kernel="normalize(spectrum(k=2))").fit(texts, ["up"] * 3 + ["down"] * 3)
    ax = plot.contributions(model, ["abcxcba"])
    heights = [bar.get_height() for bar in ax.patches]
    (part,), bias, scores = mercer.explain_prediction(model, ["abcxcba"])
    np.testing.assert_allclose(heights, part.values[:, 0])
    assert heights[3] == 0 and np.isclose(sum(heights) + bias[0], model.decision_function(["abcxcba"])[0])
    assert heights[1] * heights[5] < 0
    three = mercer.SVC(kernel="spectrum(k=1)").fit(["aab", "aba", "bbc", "bcb", "cca", "cac"], [1, 1, 2, 2, 3, 3])
    (part,), bias, scores = mercer.explain_prediction(three, ["ccc"])
    assert part.names == ["1 against 2", "1 against 3", "2 against 3"] and three.predict(["ccc"]) == [3]
    assert part.deciding == 1 + int(abs(scores[2]) < abs(scores[1]))
    drawn = [bar.get_height() for bar in plot.contributions(three, ["ccc"]).patches]
    np.testing.assert_allclose(drawn, part.values[:, part.deciding])
    with pytest.raises(ValueError, match="is an inner product of counts"):
        other = mercer.SVC(kernel="exp(normalize(spectrum(k=2)))").fit(texts, ["up"] * 3 + ["down"] * 3)
        plot.contributions(other, ["abc"])
