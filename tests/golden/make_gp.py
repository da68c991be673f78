#!/usr/bin/env python3
"""Gaussian processes of scikit-learn on small problems, for tests/machines/gp_golden_test.cpp.

    python3 tests/golden/make_gp.py co2/mauna_loa_keeling_monthly_mean_1958_2001.csv > tests/golden/gp.json

Hyper-parameters are given, nothing is learnt. A gradient is that by the logarithm of each parameter, under its path in
our grammar; the noise is a parameter too. Mean, deviation and covariance are those of f without noise. `george` and
`mauna_loa` are the data of published examples.
"""
import json
import sys

import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import (RBF, ConstantKernel, DotProduct, ExpSineSquared, Matern,
                                              RationalQuadratic, WhiteKernel)


def points(name, n, d, low=-2.0, high=2.0):
    random = np.random.RandomState(sum(name.encode()))
    x = random.uniform(low, high, (n, d))
    y = np.sin(1.5 * x[:, 0]) + 0.3 * x[:, -1] + 0.1 * random.randn(n)
    return x, y, random.uniform(low, high, (6, d))


def problem(name, text, kernel, paths, noise, n=18, d=1, per_point=False, targets=1):
    """`paths` are our names for the entries of theta, in scikit-learn's order; None: not compared."""
    x, y, new = points(name, n, d)
    if targets == 2:
        y = np.column_stack([y, np.cos(x[:, 0])])
    point_noise = np.linspace(0.01, 0.2, n) if per_point else np.zeros(n)
    with_noise = kernel + WhiteKernel(noise)
    machine = GaussianProcessRegressor(with_noise, alpha=point_noise if per_point else 1e-300, optimizer=None)
    machine.fit(x, y)
    value, gradient = machine.log_marginal_likelihood(machine.kernel_.theta, eval_gradient=True)
    # The white part would count at new points too.
    latent = GaussianProcessRegressor(kernel, alpha=noise + point_noise, optimizer=None).fit(x, y)
    mean, covariance = latent.predict(new, return_cov=True)
    _, deviation = latent.predict(new, return_std=True)
    if targets == 2:
        covariance, deviation = covariance[..., 0], deviation[:, 0]
    assert len(paths) + 1 == len(gradient), (name, machine.kernel_.hyperparameters)
    return {"name": name, "kernel": text, "noise": noise, "point_noise": point_noise.tolist() if per_point else [],
            "x": x.tolist(), "y": y.reshape(n, -1).tolist(), "new": new.tolist(), "lml": float(value),
            "gradient": {path: float(g) for path, g in zip(paths + ["noise"], gradient) if path},
            "mean": mean.reshape(len(new), -1).tolist(), "deviation": deviation.tolist(),
            "covariance": covariance.tolist()}


def constant(value):
    return ConstantKernel(value)


def george():
    """dfm/george, docs/tutorials/scaling: the first hundred of 50,000 sorted points."""
    np.random.seed(1234)
    x = np.sort(np.random.uniform(0, 10, 50000))
    return {"x": x[:100].tolist(), "scale": float(np.var(np.sin(x)))}


def mauna_loa(path):
    """The monthly means of scikit-learn's example, at the optimum that its documentation prints."""
    table = np.loadtxt(path, delimiter=",", skiprows=1)
    year, ppm = table[:, 0] + table[:, 1] / 12, table[:, 3]
    kernel = (44.8**2 * RBF(51.6) + 2.64**2 * RBF(91.5) * ExpSineSquared(1.48, 1.0)
              + 0.536**2 * RationalQuadratic(0.968, 2.89) + 0.188**2 * RBF(0.122) + WhiteKernel(0.0367))
    machine = GaussianProcessRegressor(kernel, alpha=0, optimizer=None).fit(year[:, None], ppm - ppm.mean())
    return {"kernel": "2007.04*rbf(ell=51.6) + 6.9696*rbf(ell=91.5)*periodic(period=1, ell=1.48) "
                      "+ 0.287296*rq(ell=0.968, alpha=2.89) + 0.035344*rbf(ell=0.122)", "noise": 0.0367,
            "months": (12 * year).round().tolist(), "ppm": ppm.tolist(),
            "lml": float(machine.log_marginal_likelihood_value_)}


ARD = [0.7, 1.9, 4.0]
PROBLEMS = [
    problem("rbf", "rbf(ell=0.8)", RBF(0.8), ["rbf.ell"], 0.01),
    problem("scaled rbf", "2.5*rbf(ell=0.8)", constant(2.5) * RBF(0.8), ["rbf.scale", "rbf.ell"], 0.05, d=2),
    problem("ard", "1.7*rbf(ell=[0.7, 1.9, 4])", constant(1.7) * RBF(ARD),
            ["rbf.scale", "rbf.ell[1]", "rbf.ell[2]", "rbf.ell[3]"], 0.02, n=25, d=3),
    problem("matern 1/2", "matern(nu=0.5, ell=1.3)", Matern(1.3, nu=0.5), ["matern.ell"], 0.1, d=2),
    problem("matern 3/2", "0.6*matern(nu=1.5, ell=1.3)", constant(0.6) * Matern(1.3, nu=1.5),
            ["matern.scale", "matern.ell"], 0.1, d=2),
    problem("matern 5/2", "matern(nu=2.5, ell=[0.7, 1.9, 4])", Matern(ARD, nu=2.5),
            ["matern.ell[1]", "matern.ell[2]", "matern.ell[3]"], 0.001, d=3),
    problem("rq", "1.2*rq(ell=0.9, alpha=0.7)", constant(1.2) * RationalQuadratic(0.9, 0.7),
            ["rq.scale", "rq.alpha", "rq.ell"], 0.03, d=2),
    problem("periodic", "periodic(period=1.7, ell=0.9)*rbf(ell=3)", ExpSineSquared(0.9, 1.7) * RBF(3.0),
            ["periodic.ell", "periodic.period", "rbf.ell"], 0.02),
    problem("co2", "4*rbf(ell=3) + 2*periodic(period=1, ell=1.3)*rbf(ell=5) + 0.5*rq(ell=0.6, alpha=0.8)",
            constant(4.0) * RBF(3.0) + constant(2.0) * RBF(5.0) * ExpSineSquared(1.3, 1.0)
            + constant(0.5) * RationalQuadratic(0.6, 0.8),
            ["rbf.scale", "rbf.ell", "periodic.scale", "rbf2.ell", "periodic.ell", "periodic.period", "rq.scale",
             "rq.alpha", "rq.ell"], 0.01, n=30),
    problem("linear", "1.5*linear() + 0.4 + rbf(ell=1)",
            constant(1.5) * DotProduct(1e-12, "fixed") + constant(0.4) + RBF(1.0),
            ["linear.scale", "const.c", "rbf.ell"], 0.05, d=2),
    problem("per point", "2*rbf(ell=0.8)", constant(2.0) * RBF(0.8), ["rbf.scale", "rbf.ell"], 0.02, per_point=True),
    problem("two targets", "2*matern(nu=2.5, ell=1.1)", constant(2.0) * Matern(1.1, nu=2.5),
            ["matern.scale", "matern.ell"], 0.04, d=2, targets=2),
]
REST = {"george": george(), "mauna_loa": mauna_loa(sys.argv[1])}
print('{"problems": [\n' + ",\n".join(json.dumps(p) for p in PROBLEMS) + "],")
print(",\n".join(f'"{name}": {json.dumps(value)}' for name, value in REST.items()) + "}")
