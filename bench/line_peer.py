#!/usr/bin/env python3
"""Times log p(y) of a process with matern 3/2 along a line by celerite2 and tinygp and prints one JSON line: processor seconds and
values of those that are installed.

usage: line_peer.py x=X.npy y=Y.npy ell=1.0 noise=0.05 [rounds=5]

x is in order. celerite2's matern is an approximation, with its default eps; tinygp's is exact, compiled beforehand, in double
precision, with its derivatives once more.
"""
import importlib.util
import json
import sys
import time

import numpy


def best_of(rounds, work):
    taken = []
    for _ in range(rounds):
        start = time.process_time()
        value = work()
        taken.append(time.process_time() - start)
    return min(taken), value


def by_celerite2(x, y, ell, noise, rounds):
    import celerite2

    def value():
        gp = celerite2.GaussianProcess(celerite2.terms.Matern32Term(sigma=1.0, rho=ell), mean=0.0)
        gp.compute(x, diag=numpy.full(len(x), noise))
        return float(gp.log_likelihood(y))

    seconds, found = best_of(rounds, value)
    return {"seconds": seconds, "value": found}


def by_tinygp(x, y, ell, noise, rounds):
    import jax
    jax.config.update("jax_enable_x64", True)
    import tinygp

    @jax.jit
    def value(numbers):
        kernel = tinygp.kernels.quasisep.Matern32(scale=numbers[0])
        return tinygp.GaussianProcess(kernel, x, diag=numbers[1]).log_probability(y)

    numbers = jax.numpy.array([ell, noise])
    both = jax.jit(jax.value_and_grad(value))
    value(numbers).block_until_ready()
    jax.block_until_ready(both(numbers))
    seconds, found = best_of(rounds, lambda: float(value(numbers)))
    with_gradient, _ = best_of(max(1, rounds // 3), lambda: jax.block_until_ready(both(numbers)))
    return {"seconds": seconds, "value": found, "with_gradient": with_gradient}


def main():
    options = dict(word.split("=", 1) for word in sys.argv[1:])
    x, y = (numpy.load(options[name]).ravel() for name in ("x", "y"))
    words = x, y, float(options["ell"]), float(options["noise"]), int(options.get("rounds", 5))
    print(json.dumps({name: way(*words) for name, way in (("celerite2", by_celerite2), ("tinygp", by_tinygp))
                      if importlib.util.find_spec(name)}))


if __name__ == "__main__":
    main()
