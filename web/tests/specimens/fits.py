#!/usr/bin/env python3
"""Writes the sample data of charts, KIND.json beside this file: python3 web/tests/specimens/fits.py"""
import base64
import json
import math
from pathlib import Path

import numpy as np

here = Path(__file__).parent
rng = np.random.default_rng(7)


def numbers(values):
    values = np.asarray(values, float).ravel()
    if values.size > 400:
        return {"f32": base64.b64encode(values.astype("<f4").tobytes()).decode()}
    return [None if not math.isfinite(v) else float(f"{v:.7g}") for v in values]


def u8(values):
    values = np.asarray(values, float).ravel()
    low, high = values.min(), values.max()
    packed = np.rint((values - low) / ((high - low) or 1) * 255).astype(np.uint8)
    return {"u8": base64.b64encode(packed.tobytes()).decode(), "min": float(low), "max": float(high)}


def write(kind, *exhibits):
    full = [{"id": f"{kind}-{i}", "kind": kind, **exhibit} for i, exhibit in enumerate(exhibits)]
    (here / f"{kind}.json").write_text(json.dumps(full, ensure_ascii=False) + "\n")


def rbf(a, b, ell):
    return np.exp(-0.5 * (a[:, None] - b[None, :]) ** 2 / ell**2)


def normal_cdf(z):
    return 0.5 * (1 + np.vectorize(math.erf)(z / math.sqrt(2)))


# ---- curve: a Gaussian process, a tube, an eigenvector, draws of a prior
def truth(x):
    return np.sin(1.7 * x) + 0.35 * x


n = 28
x = np.sort(np.r_[rng.uniform(0, 3.6, 18), rng.uniform(5.4, 8.5, 10)])
y = truth(x) + 0.25 * rng.standard_normal(n)
grid = np.linspace(-0.4, 9.4, 300)
K = rbf(x, x, 0.95) * 1.6 + 0.0625 * np.eye(n)
L = np.linalg.cholesky(K)
cross = 1.6 * rbf(grid, x, 0.95)
mean = cross @ np.linalg.solve(K, y)
V = np.linalg.solve(L, cross.T)
cov = 1.6 * rbf(grid, grid, 0.95) - V.T @ V
sd = np.sqrt(np.clip(np.diag(cov), 0, None))
sdy = np.sqrt(sd**2 + 0.0625)
draws = mean[:, None] + np.linalg.cholesky(cov + 1e-6 * np.eye(300)) @ rng.standard_normal((300, 6))
gp = {
    "x": {"label": "time", "unit": "s"},
    "y": {"label": "signal", "unit": "mV"},
    "at": numbers(grid),
    "lines": [{"name": "mean", "y": numbers(mean)}]
    + [{"name": "draws of the posterior", "y": numbers(draws[:, i]), "faint": True, "group": 7} for i in range(6)],
    "bands": [
        {"level": 0.5, "of": "f", "low": numbers(mean - 0.674 * sd), "high": numbers(mean + 0.674 * sd)},
        {"level": 0.95, "of": "f", "low": numbers(mean - 1.96 * sd), "high": numbers(mean + 1.96 * sd)},
        {"level": 0.95, "of": "y", "low": numbers(mean - 1.96 * sdy), "high": numbers(mean + 1.96 * sdy)},
    ],
    "points": {"x": numbers(x), "y": numbers(y), "rows": list(range(1, n + 1))},
}
ridge = rbf(grid, x, 0.8) @ np.linalg.solve(rbf(x, x, 0.8) + 0.05 * np.eye(n), y)
at_x = np.interp(x, grid, ridge)
outside = np.abs(y - at_x) > 0.2
tube = {
    "x": {"label": "dose"},
    "y": {"label": "response"},
    "at": numbers(grid),
    "lines": [{"name": "fit", "y": numbers(ridge)}],
    "tube": 0.2,
    "points": {"x": numbers(x), "y": numbers(y), "alpha": numbers(np.where(outside, rng.uniform(0.2, 1, n), 0))},
}
path20 = np.arange(1, 21)
eigen = {
    "x": {"label": "node"},
    "y": {"label": "entry"},
    "at": numbers(path20),
    "lines": [{"name": "third eigenvector", "y": numbers(np.cos(3 * np.pi * (path20 - 0.5) / 20) * math.sqrt(0.1)), "stems": True}],
}
r = np.linspace(0, 4, 200)
kernels = {
    "x": {"label": "distance r"},
    "y": {"label": "k(0, r)"},
    "at": numbers(r),
    "lines": [
        {"name": "Gaussian", "y": numbers(np.exp(-r**2 / 2)), "group": 0},
        {"name": "Laplacian", "y": numbers(np.exp(-r)), "group": 1},
        {"name": "Matérn 3/2", "y": numbers((1 + math.sqrt(3) * r) * np.exp(-math.sqrt(3) * r)), "group": 2},
    ],
    "marks": [{"x": 1, "label": "ell"}],
}
write(
    "curve",
    {"title": "The fitted function", "finding": "Between 3.6 and 5.4 s there are no points: the 95 % band of the function is 2.6 mV wide there, 0.4 mV elsewhere.", "data": gp},
    {"title": "The tube", "finding": f"{int(outside.sum())} of 28 points lie outside the tube of ± 0.2 and hold the fit.", "data": tube},
    {"title": "An eigenvector of a path", "finding": "The third eigenvector changes its sign three times.", "data": eigen},
    {"title": "Three kernels as functions", "finding": "At one length scale the Gaussian kernel has fallen to 0.61, the Laplacian one to 0.37.", "data": kernels},
)


# ---- curves: prior draws over sigma, partial dependence
def prior(ell):
    at = np.linspace(0, 10, 150)
    chol = np.linalg.cholesky(rbf(at, at, ell) + 1e-6 * np.eye(150))
    return {
        "x": {"label": "x"},
        "y": {"label": ""},
        "at": numbers(at),
        "lines": [{"name": "", "y": numbers(chol @ rng.standard_normal(150)), "group": g} for g in range(4)],
    }


def dependence(name, unit, f, low, high):
    at = np.linspace(low, high, 60)
    m, s = f(at), 0.5 + 1.8 * np.abs((at - (low + high) / 2) / (high - low)) ** 2 * 4
    return {
        "title": name,
        "curve": {
            "x": {"label": name, "unit": unit} if unit else {"label": name},
            "y": {"label": "price", "unit": "k$"},
            "at": numbers(at),
            "lines": [{"name": "mean prediction", "y": numbers(m)}],
            "bands": [{"level": 0.95, "of": "f", "low": numbers(m - 2 * s), "high": numbers(m + 2 * s)}],
        },
    }


write(
    "curves",
    {
        "title": "Draws of the prior",
        "finding": "The larger sigma, the smoother the functions that are thought likely before any data.",
        "data": {"sharedY": True, "columns": 3, "panels": [{"title": f"sigma = {ell}", "curve": prior(ell)} for ell in (0.5, 2, 10)]},
    },
    {
        "title": "What each column does",
        "finding": "More rooms raise the price most: from 17 to 38 thousand dollars over their range, the other columns as they are.",
        "data": {
            "sharedY": True,
            "panels": [
                dependence("rooms", "", lambda t: 17 + 21 / (1 + np.exp(-2.2 * (t - 6.8))), 3.6, 8.8),
                dependence("share of poor households", "%", lambda t: 31 - 9 * np.log1p(t / 4), 1.7, 38),
                dependence("distance to work", "km", lambda t: 24 - 1.2 * np.sqrt(t), 1.1, 12.1),
                dependence("nitric oxides", "ppm", lambda t: 24 - 8 * (t - 0.38), 0.38, 0.87),
                dependence("tax rate", "", lambda t: 24 - (t - 180) / 120, 187, 711),
            ],
        },
    },
)

# ---- calibration
m = 240
z = np.sort(1.12 * rng.standard_normal(m))
probit = np.sort(rng.standard_normal(200000))[((np.arange(m) + 0.5) / m * 200000).astype(int)]
pit = normal_cdf(z)
counts, edges = np.histogram(pit, 12, (0, 1))
nominal = np.linspace(0.02, 0.98, 49)
observed = np.array([np.mean(np.abs(2 * pit - 1) <= level) for level in nominal])
half = 1.96 * np.sqrt(observed * (1 - observed) / m)
write(
    "calibration",
    {
        "title": "Are the error bars right?",
        "finding": f"Intervals that state 95 % hold {100 * np.mean(np.abs(2 * pit - 1) <= 0.95):.1f} % of the left-out points: a little too narrow.",
        "data": {
            "z": {"theoretical": numbers(probit), "observed": numbers(z), "rows": [int(i) for i in rng.permutation(m) + 1]},
            "pit": {"edges": [float(e) for e in edges], "counts": [int(c) for c in counts], "band": [12, 29]},
            "coverage": {"nominal": numbers(nominal), "observed": numbers(observed), "low": numbers(np.clip(observed - half, 0, 1)), "high": numbers(np.clip(observed + half, 0, 1))},
        },
    },
)

# ---- surface: the evidence of the process above over length scale and noise
ells = np.geomspace(0.1, 10, 60)
noises = np.geomspace(0.02, 2, 50)
evidence = np.empty((50, 60))
for j, noise in enumerate(noises):
    for i, ell in enumerate(ells):
        chol = np.linalg.cholesky(1.6 * rbf(x, x, ell) + noise**2 * np.eye(n))
        w = np.linalg.solve(chol, y)
        evidence[j, i] = -0.5 * w @ w - np.log(np.diag(chol)).sum() - n / 2 * math.log(2 * math.pi)
best = np.unravel_index(evidence.argmax(), evidence.shape)
top = evidence.max()
course = np.array([[3.5, 1.2], [2.6, 0.8], [1.3, 0.5], [1.05, 0.3], [ells[best[1]], noises[best[0]]]])
rosen_x, rosen_y = np.linspace(-2, 2, 80), np.linspace(-1, 3, 70)
error = np.log10(1 + (1 - rosen_x[None]) ** 2 + 20 * (rosen_y[:, None] - rosen_x[None] ** 2) ** 2)
error[:12, :10] = np.nan
write(
    "surface",
    {
        "title": "The evidence",
        "finding": f"The evidence is largest, {top:.1f}, at ell = {ells[best[1]]:.2g} and a noise of {noises[best[0]]:.2g}; the optimiser went there in four steps.",
        "data": {
            "x": {"label": "length scale ell", "unit": "s", "log": True},
            "y": {"label": "noise", "unit": "mV", "log": True},
            "at": {"x": numbers(ells), "y": numbers(noises)},
            "z": numbers(evidence),
            "name": "log evidence",
            "larger_is_better": True,
            "levels": [float(round(top - d, 2)) for d in (1, 2, 4, 8, 16, 32)],
            "path": {"x": course[:, 0].tolist(), "y": course[:, 1].tolist()},
            "best": {"x": float(ells[best[1]]), "y": float(noises[best[0]]), "label": f"{top:.1f}"},
        },
    },
    {
        "title": "An error over two parameters",
        "finding": "A narrow valley; the lower left corner was not computed.",
        "data": {
            "x": {"label": "a"},
            "y": {"label": "b"},
            "at": {"x": numbers(rosen_x), "y": numbers(rosen_y)},
            "z": numbers(error),
            "name": "log error",
            "larger_is_better": False,
        },
    },
)

# ---- tuning
cs, gammas = [0.1, 1, 10, 100, 1000], [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1]
cells = []
for c in cs:
    for g in gammas:
        score = 0.97 - 0.035 * (math.log10(c) - 1.4) ** 2 - 0.06 * (math.log10(g) + 1.3 + 0.3 * (math.log10(c) - 1)) ** 2 + 0.004 * rng.standard_normal()
        cells.append({"x": g, "y": c, "value": round(score, 4), "se": 0.009, "label": f"C = {c}, gamma = {g}"})
at_best = max(range(len(cells)), key=lambda k: cells[k]["value"])
for cell in cells:
    cell["within"] = cell["value"] >= cells[at_best]["value"] - 0.009
cells[3]["value"] = None
lambdas = np.geomspace(1e-6, 1e2, 17)
losses = [0.31 + 0.02 * (math.log10(v) + 2.2) ** 2 + 0.006 * rng.standard_normal() for v in lambdas]
least = int(np.argmin(losses))
write(
    "tuning",
    {
        "title": "The search",
        "finding": f"Best: {cells[at_best]['label']} with an accuracy of {cells[at_best]['value']:.3f}; {sum(c['within'] for c in cells) - 1} other candidates are within one standard error of it.",
        "data": {
            "x": {"label": "gamma", "log": True},
            "y": {"label": "C", "log": True},
            "name": "accuracy",
            "larger_is_better": True,
            "cells": cells,
            "best": at_best,
        },
    },
    {
        "title": "One parameter",
        "finding": f"The error is least, {losses[least]:.3f}, at lambda = {lambdas[least]:.1g}.",
        "data": {
            "x": {"label": "lambda", "log": True},
            "name": "mean squared error",
            "larger_is_better": False,
            "cells": [
                {"x": float(v), "value": float(e), "se": 0.03, "within": e <= losses[least] + 0.03, "label": f"lambda = {v:.3g}"}
                for v, e in zip(lambdas, losses)
            ],
            "best": least,
        },
    },
)

# ---- predicted and actual, residuals
m = 506
actual = np.clip(22 + 9 * rng.standard_normal(m) + 6 * rng.exponential(1, m) - 6, 5, 50)
predicted = actual * 0.92 + 1.8 + (1.6 + 0.04 * actual) * rng.standard_normal(m)
width = 1.96 * (1.7 + 0.035 * predicted)
inside = np.mean(np.abs(actual - predicted) <= width)
rows = [int(i) for i in range(1, m + 1)]
write(
    "predicted_actual",
    {
        "title": "Predicted and observed prices",
        "finding": f"The 95 % intervals hold {100 * inside:.1f} % of the 506 left-out points; the dearest houses are predicted too low.",
        "data": {
            "x": {"label": "predicted price", "unit": "k$"},
            "y": {"label": "observed price", "unit": "k$"},
            "predicted": numbers(predicted),
            "actual": numbers(actual),
            "low": numbers(predicted - width),
            "high": numbers(predicted + width),
            "level": 0.95,
            "rows": rows,
        },
    },
)
rest = actual - predicted
counts, edges = np.histogram(rest, 24)
write(
    "residuals",
    {
        "title": "What is left over",
        "finding": f"The residuals have a deviation of {rest.std():.2f} k$; {100 * np.mean(np.abs(rest) > 2 * rest.std()):.1f} % lie beyond two of them.",
        "data": {
            "x": {"label": "predicted price", "unit": "k$"},
            "y": {"label": "residual", "unit": "k$"},
            "at": numbers(predicted),
            "residual": numbers(rest),
            "rows": rows,
            "histogram": {"edges": [float(e) for e in edges], "counts": [int(c) for c in counts]},
            "spread": float(2 * rest.std()),
        },
    },
)

# ---- path: leave-one-out error over lambda
lambdas = np.geomspace(1e-8, 1e2, 120)
t = np.log10(lambdas)
loo = 0.26 + 0.03 * (t + 3) ** 2 / (1 + 0.1 * np.abs(t + 3)) + 0.6 / (1 + np.exp(-2 * (t - 0.4)))
train = 0.02 + 1.4 / (1 + np.exp(-1.1 * (t - 0.2)))
write(
    "path",
    {
        "title": "The choice of lambda",
        "finding": "The leave-one-out error is least, 0.262, at lambda = 0.001, where the fit has 11 effective degrees of freedom.",
        "data": {
            "x": {"label": "lambda", "log": True},
            "at": numbers(lambdas),
            "panels": [
                {
                    "y": {"label": "mean squared error"},
                    "lines": [
                        {"name": "leave-one-out", "y": numbers(loo), "low": numbers(loo * 0.88), "high": numbers(loo * 1.12)},
                        {"name": "training", "y": numbers(train), "dash": True},
                    ],
                },
                {"y": {"label": "effective degrees of freedom"}, "lines": [{"name": "", "y": numbers(28 / (1 + np.exp(0.55 * (t + 3.4))))}]},
            ],
            "chosen": {"x": 1e-3, "label": "lambda = 0.001"},
        },
    },
)


# ---- regions: two moons, three classes, level sets
def moons(count):
    angle = rng.uniform(0, np.pi, count)
    side = (np.arange(count) % 2).astype(int)
    px = np.where(side, 1 - np.cos(angle), np.cos(angle)) + 0.17 * rng.standard_normal(count)
    py = np.where(side, 0.5 - np.sin(angle), np.sin(angle)) + 0.17 * rng.standard_normal(count)
    return np.c_[px, py], side


def plane(points, size=100, room=0.35):
    (lx, ly), (hx, hy) = points.min(0) - room, points.max(0) + room
    gx, gy = np.meshgrid(np.linspace(lx, hx, size), np.linspace(ly, hy, size))
    return [float(v) for v in (lx, hx, ly, hy)], np.c_[gx.ravel(), gy.ravel()]


def gauss(a, b, sigma):
    return np.exp(-((a[:, None] - b[None]) ** 2).sum(2) / (2 * sigma**2))


P, side = moons(160)
sign = 2 * side - 1
box, cellsxy = plane(P)
coefficients = np.linalg.solve(gauss(P, P, 0.5) + 0.6 * np.eye(160), sign)
f = 1.5 * gauss(cellsxy, P, 0.5) @ coefficients
own = 1.5 * gauss(P, P, 0.5) @ coefficients
support = np.where(sign * own < 1, 0.2 + np.clip(1 - sign * own, 0, 1), 0)
support[(sign * own > 1.0)] = 0
wrong = np.flatnonzero(sign * own < 0)
C = np.r_[rng.normal([0, 0], 0.5, (60, 2)), rng.normal([2, 0.4], 0.5, (60, 2)), rng.normal([0.9, 1.9], 0.5, (60, 2))]
kind = np.repeat([0, 1, 2], 60)
box3, cells3 = plane(C)
logits = np.stack([-2.2 * ((cells3 - C[kind == g].mean(0)) ** 2).sum(1) for g in range(3)], 1)
probability = np.exp(logits - logits.max(1, keepdims=True))
probability /= probability.sum(1, keepdims=True)
own3 = np.stack([((C - C[kind == g].mean(0)) ** 2).sum(1) for g in range(3)], 1).argmin(1)
D = np.r_[rng.normal([0, 0], [0.9, 0.4], (150, 2)), rng.normal([2.5, 1.5], 0.5, (80, 2)), rng.uniform([-3, -2], [5, 4], (8, 2))]
boxd, cellsd = plane(D, 90, 0.6)
density = gauss(cellsd, D, 0.35).mean(1) / (2 * np.pi * 0.35**2)
write(
    "regions",
    {
        "title": "Who wins where",
        "finding": f"{int((support > 0).sum())} of 160 points are support vectors; {wrong.size} lie on the wrong side of the line.",
        "data": {
            "x": {"label": "x1"},
            "y": {"label": "x2"},
            "nx": 100,
            "ny": 100,
            "box": box,
            "classes": ["upper moon", "lower moon"],
            "winner": u8((f > 0).astype(float)),
            "sure": u8(np.clip(np.abs(f), 0, 1)),
            "field": numbers(f),
            "levels": [{"value": 0, "name": "boundary"}, {"value": -1, "name": "margin", "dash": True}, {"value": 1, "name": "margin", "dash": True}],
            "points": {"x": numbers(P[:, 0]), "y": numbers(P[:, 1]), "group": side.tolist(), "alpha": numbers(support), "wrong": wrong.tolist()},
        },
    },
    {
        "title": "Three species",
        "finding": f"{int((own3 != kind).sum())} of 180 points are taken for another species.",
        "data": {
            "x": {"label": "petal length", "unit": "cm"},
            "y": {"label": "petal width", "unit": "cm"},
            "plane": "Components 1 and 2 of the inputs, the others at their mean.",
            "nx": 100,
            "ny": 100,
            "box": box3,
            "classes": ["setosa", "versicolor", "virginica"],
            "winner": {**u8(np.r_[probability.argmax(1)]), "min": 0, "max": 2},
            "sure": u8((probability.max(1) - 1 / 3) * 1.5),
            "points": {"x": numbers(C[:, 0]), "y": numbers(C[:, 1]), "group": kind.tolist(), "wrong": np.flatnonzero(own3 != kind).tolist()},
        },
    },
    {
        "title": "Level sets of a density",
        "finding": "95 % of the points lie inside the outermost line.",
        "data": {
            "x": {"label": "length", "unit": "mm"},
            "y": {"label": "weight", "unit": "g"},
            "nx": 90,
            "ny": 90,
            "box": boxd,
            "field": numbers(density),
            "levels": [{"value": float(v), "name": name} for v, name in zip(np.quantile(gauss(D, D, 0.35).mean(1) / (2 * np.pi * 0.35**2), [0.05, 0.5, 0.75]), ["95 %", "50 %", "25 %"])],
            "points": {"x": numbers(D[:, 0]), "y": numbers(D[:, 1])},
        },
    },
)
