"""Pictures of kernels and of what machines learn with them. Matplotlib axes in, the same axes out.

Every function takes `ax`; without one it makes a figure. Nothing is shown and no style is changed: what is drawn can
be found on the axes that come back (`ax.lines`, `ax.collections`, `ax.images`; labels say which is which), and changed.

    >>> import matplotlib; matplotlib.use("Agg")
    >>> import mercer
    >>> ax = mercer.plot.prior("rbf(ell=0.5)", draws=3)
    >>> [line.get_label() for line in ax.lines[:2]]
    ['draws', '_draw 2']
"""
from __future__ import annotations

from statistics import NormalDist

import numpy as np

from ._points import as_points
from .explain import explain_prediction
from .kernels import as_kernel

__all__ = ["contributions", "decision", "gp", "gram", "graph", "prior"]

# Okabe and Ito's colours, which people who are colour-blind can tell apart.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#F0E442", "#999999")
_INK = "#222222"


def _pyplot():
    try:
        import matplotlib.pyplot as pyplot
    except ImportError as error:
        raise ImportError("mercer.plot needs Matplotlib (pip: matplotlib, Debian: python3-matplotlib)") from error
    return pyplot


def _axes(ax, count=1, **figure):
    """The axes given, or new ones: a single one, or an array of `count`."""
    if ax is None:
        _, ax = _pyplot().subplots(**{"layout": "constrained", **figure})
    if count == 1:
        return ax
    ax = np.atleast_1d(np.asarray(ax, dtype=object)).ravel()
    if len(ax) != count:
        raise ValueError(f"ax: {count} axes are needed here, not {len(ax)}")
    return ax


def _numbers(X, columns, what):
    values = np.asarray(X, dtype=np.float64)
    if values.ndim == 1 and columns == 1:
        values = values.reshape(-1, 1)
    if values.ndim != 2 or values.shape[1] != columns:
        inputs = "1 input" if columns == 1 else f"{columns} inputs"
        raise ValueError(f"{what} draws over {inputs}, but X has shape {values.shape}")
    return values


def _like(X, values):
    """The numbers in the form of X: a model that learnt the names of columns wants to see them again."""
    if hasattr(X, "columns"):
        return type(X)(values, columns=X.columns)
    return values


def _widened(values, share):
    low, high = values.min(), values.max()
    room = share * (high - low) or 1.0
    return low - room, high + room


def _resolved(k, X):
    k = as_kernel(k)
    if any(parameter["auto"] for parameter in k.params):
        k = k.resolve(X)
    return k


def _band(ax, x, mean, std, z, **style):
    return ax.fill_between(x, mean - z * std, mean + z * std, linewidth=0, **style)


def gp(model, X, y=None, *, ax=None, at=None, components=False, draws=0, level=0.95, seed=1):
    """What a fitted Gaussian process of one input knows: its mean, and the band that holds f(x) with this probability.

    The band is mean(x) +- z std(x), z the normal quantile; a paler one around it, where there is noise, is for a new
    observation. `draws` are functions from the posterior. `at` are the inputs to draw at; by default X and a tenth more
    on either side.

    With `components=True` there is one more picture for each term of k = k1 + k2 + ... and for the mean function:
    what it contributes to f. `ax` is then a sequence of as many axes, and so is what comes back.

    >>> import numpy as np, mercer
    >>> X = np.linspace(0, 6, 30).reshape(-1, 1)
    >>> model = mercer.GaussianProcessRegressor("rbf(ell=1)").fit(X, np.sin(X[:, 0]))
    >>> ax = mercer.plot.gp(model, X, np.sin(X[:, 0]))
    >>> [line.get_label() for line in ax.lines]
    ['mean', 'data']
    """
    given = _numbers(X, 1, "plot.gp")[:, 0]
    x = np.linspace(*_widened(given, 0.1), 400) if at is None else np.sort(_numbers(at, 1, "plot.gp")[:, 0])
    points = _like(X, x.reshape(-1, 1))
    parts = model.components(points) if components else []
    axes = _axes(ax, 1 + len(parts), nrows=1 + len(parts), sharex=True, squeeze=not components,
                 figsize=(6.4, 3.2 + 1.2 * len(parts)))
    whole = axes[0] if components else axes

    z = NormalDist().inv_cdf(0.5 + level / 2)
    mean, std = model.predict(points, return_std=True, include_noise=False)
    if np.ndim(mean) != 1:
        raise ValueError("plot.gp draws one target; this model has several")
    percent = f"{100 * level:g} %"
    noise = model.noise_
    if noise > 0:
        _band(whole, x, mean, np.sqrt(std**2 + noise), z, color=_COLOURS[0], alpha=0.12,
              label=f"observations, {percent}")
    _band(whole, x, mean, std, z, color=_COLOURS[0], alpha=0.3, label=f"f, {percent}")
    if draws:
        paths = model.sample_y(points, n_samples=draws, random_state=seed)
        for i, path in enumerate(paths.T):
            whole.plot(x, path, color=_COLOURS[0], linewidth=0.7, alpha=0.7, label=f"_draw {i + 1}" if i else "draws")
    whole.plot(x, mean, color=_COLOURS[0], label="mean")
    if y is not None:
        whole.plot(given, np.asarray(y), ".", color=_INK, markersize=3, label="data")
    whole.legend(loc="best", frameon=False, fontsize="small")

    for part_ax, (kernel, part_mean, part_std), colour in zip(axes[1:] if components else (), parts, _cycle(1)):
        _band(part_ax, x, part_mean, part_std, z, color=colour, alpha=0.25, label=percent)
        part_ax.plot(x, part_mean, color=colour, label="mean")
        part_ax.set_title("mean function" if kernel is None else _short(kernel), fontsize="small", loc="left")
    return axes


def _cycle(start):
    position = start
    while True:
        yield _COLOURS[position % len(_COLOURS)]
        position += 1


def _short(kernel):
    """An expression with its numbers rounded, for a title."""
    import re

    return re.sub(r"\d+\.\d{3,}(e[+-]?\d+)?", lambda number: f"{float(number.group()):.3g}", repr(kernel))


def decision(model, X, y=None, *, ax=None, resolution=200, lines=True, support=True):
    """The regions a classifier, or a detector of novelties, makes of the plane.

    `lines` draws the boundary; of a support vector machine also its margins, where the decision function is -1 and 1
    (dashed); of other models of two classes with probabilities, where these are 0.1 and 0.9. `support` puts rings
    around the support vectors. Points are coloured by y; without y they are grey. `resolution` is the number of grid
    points along each axis.

    >>> from sklearn.datasets import make_moons
    >>> import mercer
    >>> X, y = make_moons(60, noise=0.1, random_state=0)
    >>> ax = mercer.plot.decision(mercer.SVC(C=10).fit(X, y), X, y, resolution=50)
    >>> ax.get_legend_handles_labels()[1]
    ['0', '1', 'support vectors']
    """
    values = _numbers(X, 2, "plot.decision")
    classes = getattr(model, "classes_", None)
    if classes is None:
        if not hasattr(model, "decision_function"):
            raise ValueError(f"plot.decision draws classifiers and detectors of novelties, not {type(model).__name__}")
        classes = np.array([-1, 1])
    ax = _axes(ax)
    across, up = (np.linspace(*_widened(values[:, c], 0.08), resolution) for c in (0, 1))
    grid = _like(X, np.stack([each.ravel() for each in np.meshgrid(across, up)], axis=1))
    codes = np.searchsorted(classes, model.predict(grid)).reshape(resolution, resolution)

    from matplotlib.colors import ListedColormap

    colours = [_COLOURS[i % len(_COLOURS)] for i in range(len(classes))]
    if not hasattr(model, "classes_"):
        colours = [_COLOURS[-1], _COLOURS[0]]  # what is new is grey
    ax.imshow(codes, origin="lower", extent=(across[0], across[-1], up[0], up[-1]), aspect="auto", alpha=0.25,
              interpolation="nearest", cmap=ListedColormap(colours), vmin=-0.5, vmax=len(classes) - 0.5)
    if lines:
        for heights, level, style in _lines(model, grid, codes, len(classes)):
            if heights.min() < level < heights.max():
                ax.contour(across, up, heights, levels=[level], colors=_INK, linewidths=0.9, linestyles=style)

    marks = dict(s=14, linewidths=0.4, edgecolors="white", zorder=3)
    if y is None:
        ax.scatter(*values.T, color=_COLOURS[-1], label="points", **marks)
    else:
        y = np.asarray(y)
        for name, colour in zip(classes, colours):
            ax.scatter(*values[y == name].T, color=colour, label=str(name), **marks)
    rings = getattr(model, "support_", None) if support else None
    if rings is not None:
        ax.scatter(*values[rings].T, s=42, facecolors="none", edgecolors=_INK, linewidths=0.7, zorder=4,
                   label="support vectors")
    ax.legend(loc="best", fontsize="small", framealpha=0.9)
    ax.set(xlim=(across[0], across[-1]), ylim=(up[0], up[-1]))
    if hasattr(X, "columns"):
        ax.set(xlabel=str(X.columns[0]), ylabel=str(X.columns[1]))
    return ax


def _lines(model, grid, codes, count):
    """What to draw contours of: heights over the grid, a level, its line style."""
    def over_grid(values):
        return values.reshape(codes.shape)

    if count != 2:
        return [(np.where(codes == code, 1.0, 0.0), 0.5, "solid") for code in range(count)]
    if not hasattr(model, "classes_"):  # a detector of novelties has one side, and no margins
        return [(over_grid(model.decision_function(grid)), 0, "solid")]
    probabilities = over_grid(model.predict_proba(grid)[:, 1]) if hasattr(model, "predict_proba") else None
    if hasattr(model, "n_support_"):
        scores = over_grid(model.decision_function(grid))
        boundary = (scores, 0) if probabilities is None else (probabilities, 0.5)  # predict goes by them
        return [(scores, -1, "dashed"), (*boundary, "solid"), (scores, 1, "dashed")]
    if probabilities is not None:
        return [(probabilities, 0.1, "dashed"), (probabilities, 0.5, "solid"), (probabilities, 0.9, "dashed")]
    return [(over_grid(model.decision_function(grid)), 0, "solid")]


def gram(k, X, *, ax=None, order=None):
    """The matrix K_ij = k(x_i, x_j) as a heat map, and its eigenvalues in descending order, over a logarithmic axis.

    `order` puts the points in another order first (`order=numpy.argsort(y)` shows classes as blocks). Eigenvalues
    below n eps lambda_1 (dotted) are rounding. `ax` is a pair of axes; a pair comes back.

    >>> import numpy as np, mercer
    >>> heat, spectrum = mercer.plot.gram("rbf(ell=1)", np.linspace(0, 5, 20).reshape(-1, 1))
    >>> heat.images[0].get_array().shape
    (20, 20)
    """
    points = as_points(X)
    K = _resolved(k, points)(points)
    if order is not None:
        K = K[np.ix_(order, order)]
    heat, spectrum = axes = _axes(ax, 2, ncols=2, figsize=(7.2, 3.2))

    largest = np.abs(K).max()
    signed = K.min() < 0
    image = heat.imshow(K, cmap="RdBu_r" if signed else "Blues", vmin=-largest if signed else 0, vmax=largest,
                        interpolation="nearest")
    heat.figure.colorbar(image, ax=heat, shrink=0.85)
    heat.set(xlabel="j", ylabel="i")

    values = np.linalg.eigvalsh(K)[::-1]
    rounding = len(K) * np.finfo(float).eps * np.abs(values).max()
    known = values > rounding
    which = np.arange(1, len(K) + 1)
    spectrum.semilogy(which[known], values[known], "o", color=_COLOURS[0], markersize=3, label="eigenvalues")
    if not known.all():
        spectrum.semilogy(which[~known], np.full((~known).sum(), rounding), "o", color=_COLOURS[0], markersize=3,
                          markerfacecolor="none", label="below rounding")
        spectrum.axhline(rounding, color=_INK, linewidth=0.8, linestyle="dotted", label="_rounding")
    spectrum.set(xlabel="index", title=f"numerical rank {known.sum()} of {len(K)}")
    spectrum.title.set_fontsize("small")
    spectrum.legend(loc="best", frameon=False, fontsize="small")
    return axes


def graph(nodes, scores=None, *, ax=None, at=None, labelled=None, seed=1):
    """A graph with a colour for each node: scores of a model, predictions, heights.

    nodes: all nodes of a graph, from `mercer.nodes`. scores: a number for each, or the name of a class. labelled: numbers
    of nodes to be ringed, such as those that a model was fitted to. at: where the nodes stand, a row (x, y) for each;
    without it springs along the edges decide, which takes seconds for a thousand nodes.

    >>> import numpy as np, mercer
    >>> ring = np.roll(np.eye(6), 1, axis=1) + np.roll(np.eye(6), -1, axis=1)
    >>> ax = mercer.plot.graph(mercer.nodes(ring), [0, 1, 2, 3, 2, 1])
    >>> [part.get_label() for part in ax.collections]
    ['edges', 'nodes']
    """
    core = nodes[0].graph
    if len(nodes) != len(core):
        raise ValueError(f"graph() draws all nodes of a graph, and these are {len(nodes)} of {len(core)}")
    order = np.argsort([node.id for node in nodes])  # back to the order of the graph
    rows, columns, weights = core.edges
    if at is None:
        places = _springs(len(core), rows, columns, weights, seed)
    else:
        places = np.asarray(at, dtype=np.float64)[order]
    from matplotlib.collections import LineCollection

    ax = _axes(ax, figsize=(4.2, 4.2))
    ax.add_collection(LineCollection(places[np.column_stack([rows, columns])], colors="#BBBBBB", linewidths=0.8,
                                     zorder=1, label="edges"))
    size = max(4.0, min(60.0, 6000 / len(core)))
    style = {"s": size, "zorder": 2, "edgecolors": _INK, "linewidths": 0.4}
    if scores is None:
        ax.scatter(*places.T, color=_COLOURS[0], label="nodes", **style)
    else:
        values = np.asarray(scores)[order]
        if values.dtype.kind in "fiu":
            shown = ax.scatter(*places.T, c=values, cmap="RdBu_r" if values.min() < 0 < values.max() else "viridis",
                               label="nodes", **style)
            if values.min() < 0 < values.max():
                shown.set_clim(-np.abs(values).max(), np.abs(values).max())
            ax.figure.colorbar(shown, ax=ax, shrink=0.8)
        else:
            for i, kind in enumerate(np.unique(values)):
                ax.scatter(*places[values == kind].T, color=_COLOURS[i % len(_COLOURS)], label=str(kind), **style)
            ax.legend(loc="best", frameon=False, fontsize="small")
    if labelled is not None:
        place = {int(i): places[int(nodes[i].id)] for i in labelled}
        ax.scatter(*np.array(list(place.values())).T, s=3.2 * size, facecolors="none", edgecolors=_INK, linewidths=1.2,
                   zorder=3, label="labelled")
    ax.set_aspect("equal")
    ax.set_axis_off()
    return ax


def _springs(count, rows, columns, weights, seed):
    """Fruchterman and Reingold 1991: edges pull, all pairs push, and moves get smaller."""
    random = np.random.default_rng(seed)
    angle = 2 * np.pi * np.arange(count) / count
    places = np.column_stack([np.cos(angle), np.sin(angle)]) + 0.05 * random.normal(size=(count, 2))
    length = 2 / np.sqrt(count)
    for step in np.linspace(0.3, 0.005, 120):
        apart = places[:, None] - places[None]
        squared = np.maximum((apart ** 2).sum(axis=2), 1e-6)
        force = (apart * (length ** 2 / squared)[:, :, None]).sum(axis=1)
        pull = (places[rows] - places[columns]) * (weights * np.sqrt(squared[rows, columns]) / length)[:, None]
        np.subtract.at(force, rows, pull)
        np.add.at(force, columns, pull)
        force -= 0.3 * places  # parts that are not connected stay in the picture
        size = np.linalg.norm(force, axis=1, keepdims=True)
        places += force / np.maximum(size, 1e-12) * np.minimum(size, step)
    return places


def prior(k, *, ax=None, at=None, draws=5, level=0.95, seed=1):
    """Functions drawn from the Gaussian process f ~ GP(0, k) over one input, and the band that holds f(x) with
    probability `level`: +- z sqrt(k(x, x)). `at` are the inputs, by default from -3 to 3.

    >>> import mercer
    >>> len(mercer.plot.prior("matern(nu=1.5, ell=1)", draws=4).lines)
    4
    """
    x = np.linspace(-3, 3, 301) if at is None else np.sort(_numbers(at, 1, "plot.prior")[:, 0])
    points = as_points(x.reshape(-1, 1))
    k = _resolved(k, points)
    ax = _axes(ax, figsize=(6.4, 3.2))
    z = NormalDist().inv_cdf(0.5 + level / 2)
    std = np.sqrt(k.diag(points))
    _band(ax, x, np.zeros_like(x), std, z, color=_COLOURS[-1], alpha=0.2, label=f"{100 * level:g} %")
    paths = k._core.sample_prior(points, draws, seed)
    for i, (path, colour) in enumerate(zip(paths.T, _cycle(0))):
        ax.plot(x, path, color=colour, linewidth=1, label=f"_draw {i + 1}" if i else "draws")
    ax.set_title(_short(k), fontsize="small", loc="left")
    return ax


def contributions(model, X, *, ax=None, output=None):
    """What each letter of the first of the texts X, or node of the first of the graphs, contributes to a score.

    Bars above the line speak for the score, those below against it. See `mercer.explain_prediction` for the kernels
    that this can be said of. Of several columns the first is drawn; of several scores `output`, or the one that decides.

    >>> import mercer
    >>> svc = mercer.SVC(kernel="normalize(spectrum(k=2))").fit(["abab", "baba", "aabb", "bbaa"], [0, 0, 1, 1])
    >>> ax = mercer.plot.contributions(svc, ["ababb"])
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['a', 'b', 'a', 'b', 'b']
    """
    parts, bias, scores = explain_prediction(model, X)
    part = parts[0]
    output = part.deciding if output is None else output
    values = part.values[:, output]
    axes = _axes(ax, figsize=(max(4.0, 0.14 * len(values)), 2.6))
    where = np.arange(len(values))
    axes.bar(where, values, color=np.where(values < 0, _COLOURS[1], _COLOURS[0]), width=0.9)
    axes.axhline(0, color=_INK, linewidth=0.8)
    axes.set_xticks(where, part.places, fontsize="small" if len(values) < 80 else 5, family="monospace")
    axes.set_ylabel("contribution")
    axes.set_title(f"score {scores[output]:.3g} = contributions {values.sum():.3g} + bias {bias[output]:.3g}"
                   if len(parts) == 1 else f"{part.column}: contributions {values.sum():.3g}", fontsize="small")
    return axes
