#!/usr/bin/env python3
"""Kernel ridge regression of scikit-learn on small problems, for tests/machines/ridge_test.cpp.

    python3 tests/golden/make_ridge.py > tests/golden/ridge.json
"""
import json

import numpy as np
from sklearn.kernel_ridge import KernelRidge


def problem(name, kernel, text, ridge, weights, n=14, d=3, targets=2, tests=5):
    random = np.random.RandomState(len(name))
    x = random.uniform(-2, 2, (n, d))
    y = np.column_stack([np.sin(x[:, 0]) + 0.1 * random.randn(n), x[:, 1] * x[:, 2]])[:, :targets]
    w = random.uniform(0.2, 3, n) if weights else np.ones(n)
    new = random.uniform(-2, 2, (tests, d))
    model = KernelRidge(alpha=ridge, **kernel).fit(x, y, sample_weight=w if weights else None)
    return {"name": name, "kernel": text, "ridge": ridge, "x": x.tolist(), "y": y.tolist(),
            "weights": w.tolist() if weights else [], "new": new.tolist(),
            "alpha": model.dual_coef_.tolist(), "prediction": model.predict(new).tolist()}


problems = [
    problem("rbf", dict(kernel="rbf", gamma=0.5), "rbf(gamma=0.5)", 0.1, False),
    problem("laplace", dict(kernel="laplacian", gamma=0.4), "laplace(ell=2.5)", 0.01, False),
    problem("cubic", dict(kernel="poly", degree=3, gamma=1, coef0=1), "poly(degree=3, c=1)", 1.0, False),
    problem("weighted", dict(kernel="rbf", gamma=0.5), "rbf(gamma=0.5)", 0.3, True),
]
print("[" + ",\n".join(json.dumps(p) for p in problems) + "]")
