#!/usr/bin/python3
"""Writes clusters.json: measures of clusters and k-means by scikit-learn (Debian: python3-sklearn).

    /usr/bin/python3 make_clusters.py > clusters.json
"""

import json

import numpy as np
from sklearn import cluster, metrics

random = np.random.default_rng(4)


def plain(value):
    """Arrays as lists."""
    return value.tolist() if isinstance(value, np.ndarray) else value


def agreement(truth, clusters):
    return {
        "truth": truth, "clusters": clusters,
        "nmi": metrics.normalized_mutual_info_score(truth, clusters),
        "ari": metrics.adjusted_rand_score(truth, clusters),
        "purity": metrics.cluster.contingency_matrix(truth, clusters).max(axis=0).sum() / len(truth),
    }


def agreements():
    truth = random.integers(0, 4, 50)
    yield agreement(truth, np.where(random.random(50) < 0.3, random.integers(0, 5, 50), truth))
    yield agreement(truth, random.integers(0, 3, 50))
    yield agreement(truth, (truth + 2) % 4)
    yield agreement(truth, np.zeros(50, dtype=int))
    yield agreement(np.arange(6), np.arange(6) // 2)
    yield agreement(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]))  # less than chance


def separation():
    x = np.round(random.normal(size=(40, 3)), 2)
    clusters = random.integers(0, 4, 40)
    clusters[7] = 9  # alone
    squares = ((x[:, None] - x[None]) ** 2).sum(axis=2)
    for kernel, distance in [("linear()", np.sqrt(squares)), ("rbf(ell=1)", np.sqrt(2 - 2 * np.exp(-squares / 2)))]:
        yield {
            "x": x, "clusters": clusters, "kernel": kernel,
            "silhouettes": metrics.silhouette_samples(distance, clusters, metric="precomputed"),
        }


def k_means():
    blobs = np.round(np.concatenate([random.normal(size=(25, 3)) + 3 * centre for centre in random.normal(size=(4, 3))]), 3)
    for x, weights, k in [(blobs, np.ones(100), 4), (blobs, random.integers(0, 4, 100).astype(float), 4),
                          (blobs[:30], np.ones(30), 7)]:
        best = cluster.KMeans(k, n_init=500, tol=0, random_state=0).fit(x, sample_weight=weights)
        yield {"x": x, "weights": weights, "k": k, "inertia": best.inertia_, "labels": best.labels_}


cases = {"agreement": agreements(), "separation": separation(), "k_means": k_means()}
print(json.dumps({name: [{key: plain(value) for key, value in case.items()} for case in each]
                  for name, each in cases.items()}, indent=None))
