#!/usr/bin/python3
"""Writes gpc.json: Gaussian process classification of two classes by scikit-learn (Debian: python3-sklearn).

    /usr/bin/python3 make_gpc.py > gpc.json

At fixed hyper-parameters: the log evidence of the Laplace approximation, its derivatives by the logarithms of the
parameters, mean and variance of the latent function at test points, and the probabilities there, which scikit-learn
computes by an approximation of its own that has some three digits. The optimum that its search reaches, too.
"""

import json

import numpy as np
from sklearn.datasets import load_iris, make_moons
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, Matern, RationalQuadratic

random = np.random.default_rng(4)


def plain(value):
    """Arrays as lists."""
    return value.tolist() if isinstance(value, np.ndarray) else value


def case(name, x, labels, test, text, kernel, order, learn=False):
    """order: where the parameters of Mercer's text stand among those of scikit-learn's kernel."""
    model = GaussianProcessClassifier(kernel, optimizer=None, max_iter_predict=1000).fit(x, labels)
    value, gradient = model.log_marginal_likelihood(kernel.theta, eval_gradient=True)
    base = model.base_estimator_
    # What predict_proba computes before its approximation.
    k = base.kernel_(base.X_train_, test)
    mean = k.T @ (base.y_train_ - base.pi_)
    v = np.linalg.solve(base.L_, base.W_sr_[:, None] * k)
    variance = base.kernel_.diag(test) - (v * v).sum(axis=0)
    out = {
        "name": name, "x": x, "labels": labels, "test": test, "kernel": text, "log_evidence": value,
        "gradient": gradient[order], "mean": mean, "variance": variance, "probabilities": model.predict_proba(test),
    }
    if learn:
        best = GaussianProcessClassifier(kernel, n_restarts_optimizer=3, random_state=1).fit(x, labels)
        out["best_log_evidence"] = best.log_marginal_likelihood_value_
        out["best_theta"] = best.kernel_.theta[order]
    return out


iris = load_iris()
petals = iris.data[50:, 2:], iris.target[50:]
moons_x, moons = make_moons(60, noise=0.25, random_state=1)
moons_x = np.round(moons_x, 3)
grid = np.round(random.uniform(-1.5, 2.5, size=(8, 2)), 2)
flowers = np.round(random.uniform([3, 1], [7, 2.5], size=(8, 2)), 2)
golden = [
    case("petals", *petals, flowers, "4*rbf(ell=1.2)", ConstantKernel(4.0) * RBF(1.2), [0, 1], True),
    case("moons", moons_x, moons, grid, "10*matern(nu=1.5, ell=[0.7, 1.3])",
         ConstantKernel(10.0) * Matern([0.7, 1.3], nu=1.5), [0, 1, 2], True),
    # scikit-learn has the parameters of rq by their names: alpha, length_scale.
    case("moons, far out", moons_x, moons, grid, "300*rq(ell=0.8, alpha=0.6)",
         ConstantKernel(300.0) * RationalQuadratic(0.8, 0.6), [0, 2, 1]),
    case("petals, sum", *petals, flowers, "2*rbf(ell=0.5) + 3*matern(nu=2.5, ell=4)",
         ConstantKernel(2.0) * RBF(0.5) + ConstantKernel(3.0) * Matern(4.0, nu=2.5), [0, 1, 2, 3]),
]
print(json.dumps(golden, default=plain, separators=(",", ":")).replace('},{', '},\n{').replace('":[{', '":[\n{'))
