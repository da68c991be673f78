#!/usr/bin/env python3
"""Times evidence and gradient of a Gaussian process by GPyTorch and prints one JSON line: seconds and values.

usage: gpytorch_peer.py x=X.npy y=Y.npy ell=1.0[,2.0,...] scale=1.5 noise=0.05 [rounds=3]

In double precision, once by Cholesky and once by its default above 800 points, conjugate gradients and random probes.
"""
import contextlib
import json
import sys
import time
import warnings

import gpytorch
import numpy
import torch


class Process(gpytorch.models.ExactGP):
    def __init__(self, x, y, likelihood, columns):
        super().__init__(x, y, likelihood)
        self.mean_module = gpytorch.means.ZeroMean()
        self.covar_module = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel(ard_num_dims=columns))

    def forward(self, points):
        return gpytorch.distributions.MultivariateNormal(self.mean_module(points), self.covar_module(points))


def main():
    warnings.simplefilter("ignore")
    options = dict(word.split("=", 1) for word in sys.argv[1:])
    x, y = (torch.from_numpy(numpy.load(options[name])) for name in ("x", "y"))
    ell = [float(value) for value in options["ell"].split(",")]
    likelihood = gpytorch.likelihoods.GaussianLikelihood().double()
    process = Process(x, y, likelihood, len(ell) if len(ell) > 1 else None).double()
    likelihood.noise = float(options["noise"])
    process.covar_module.outputscale = float(options["scale"])
    process.covar_module.base_kernel.lengthscale = torch.tensor(ell, dtype=torch.double)
    process.train()
    likelihood.train()
    marginal = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, process)
    out = {}
    for name, way in (("cholesky", lambda: gpytorch.settings.fast_computations(False, False, False)),
                      ("iterative", contextlib.nullcontext)):
        taken = []
        for _ in range(int(options.get("rounds", 3))):
            torch.manual_seed(1)
            process.zero_grad()
            start = time.perf_counter()
            with way():
                value = marginal(process(x), y)
                value.backward()
            taken.append(time.perf_counter() - start)
        out[name] = {"seconds": min(taken), "value": value.item() * len(y)}
    print(json.dumps(out))


if __name__ == "__main__":
    main()
