#!/usr/bin/python3
"""Writes mixtures.json: mixtures, discriminants and densities by scikit-learn and SciPy (Debian: python3-sklearn).

    /usr/bin/python3 make_mixtures.py > mixtures.json
"""

import json
import sys

import numpy as np
from scipy.linalg import eigh
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import LeaveOneOut, cross_val_score
from sklearn.neighbors import KernelDensity

random = np.random.default_rng(5)


def mixture(x, components):
    """The likeliest of many starts, to the last digits: no regularisation."""
    found = GaussianMixture(components, tol=1e-13, max_iter=20000, reg_covar=0, n_init=10, random_state=0).fit(x)
    order = np.argsort(-found.weights_)
    return {
        "components": components, "x": x, "weights": found.weights_[order], "log_density": found.score_samples(x),
        "probabilities": found.predict_proba(x)[:, order], "bic": found.bic(x), "aic": found.aic(x),
        "log_likelihood": found.score(x) * len(x),
    }


def three_clouds():
    """Of different shapes and sizes, that overlap a little."""
    parts = []
    for count, mean in ((30, [0, 0, 0]), (45, [4, 1, -2]), (60, [-1, 4, 2])):
        shape = random.normal(size=(3, 3))
        parts.append(random.normal(size=(count, 3)) @ shape + mean)
    return np.round(np.concatenate(parts), 4)


def discriminant(x, y, ridge):
    """S_B v = ratio (S_W + ridge) v, v'(S_W + ridge) v = 1, and discriminant analysis without a ridge."""
    classes = np.unique(y)
    mean = x.mean(axis=0)
    within, between = np.zeros((x.shape[1],) * 2), np.zeros((x.shape[1],) * 2)
    for c in classes:
        own = x[y == c]
        step = own - own.mean(axis=0)
        within += step.T @ step / len(x)
        between += len(own) / len(x) * np.outer(own.mean(axis=0) - mean, own.mean(axis=0) - mean)
    ratios, directions = eigh(between, within + ridge * np.eye(x.shape[1]))
    count = len(classes) - 1
    plain = LinearDiscriminantAnalysis(solver="lsqr").fit(x, y)
    return {
        "x": x, "y": y, "ridge": ridge, "ratios": ratios[::-1][:count],
        "coordinates": ((x - mean) @ directions)[:, ::-1][:, :count],
        "probabilities": plain.predict_proba(x), "predicted": plain.predict(x),
    }


def density(x, kernel):
    """The width that leave-one-out likes best, on a fine grid."""
    widths = np.geomspace(0.05, 2, 150)
    scores = [cross_val_score(KernelDensity(bandwidth=h, kernel=kernel), x, cv=LeaveOneOut()).mean() for h in widths]
    best = int(np.argmax(scores))
    return {"x": x, "kernel": kernel, "width": widths[best], "log_likelihood": scores[best]}


def plain(value):
    """Arrays as lists."""
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


iris = load_iris()
sample = np.round(np.concatenate([random.normal(size=(40, 2)), random.normal(size=(20, 2)) * 0.3 + 3]), 4)
overlapping = np.round(iris.data[:, :3] + 0.4 * random.normal(size=(150, 3)), 4)  # so that not everything is certain
json.dump({
    "mixtures": [mixture(three_clouds(), 3), mixture(iris.data, 2)],
    "discriminants": [discriminant(overlapping, iris.target, 0.05), discriminant(overlapping[50:], iris.target[50:], 0.2)],
    "densities": [density(sample, "gaussian"), density(sample[:, :1], "exponential")],
}, default=plain, fp=sys.stdout, separators=(",", ":"))
