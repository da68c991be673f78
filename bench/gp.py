"""Gaussian process regression: Mercer beside scikit-learn, LAPACK, and GPyTorch where MERCER_PEERS names a Python with it.

`fit`, `co2` and `splits` need the folder of data sets (bench/sets.py). Each time is the best of some runs. Both sides
have the same numbers, starts, bounds and limits, and what they find is compared. Run it on a machine that does nothing
else; it takes a quarter of an hour, most of it scikit-learn's.
"""
import math
import os
import pathlib
import subprocess
import tempfile
import warnings

import numpy
import sets
from figures import best_of, chosen, lapack, relative_difference, run
from sets import add_case_options

CASES = ["evidence", "growth", "fit", "predict", "co2", "splits"]
NOISE = 0.05
ITERATIONS = 200


def saved(folder, **arrays):
    files = []
    for name, values in arrays.items():
        files.append(folder / f"{name}.npy")
        numpy.save(files[-1], numpy.asarray(values, dtype=float))
    return files


def machine(kernel, noise, **options):
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import WhiteKernel
    return GaussianProcessRegressor(kernel + WhiteKernel(noise), alpha=1e-300, **options)


def scaled_rbf(scale, ell):
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel
    return ConstantKernel(scale) * RBF(ell)


def sklearn_evidence(x, y, ell, rounds):
    fitted = machine(scaled_rbf(1.5, ell), NOISE, optimizer=None).fit(x, y)
    return best_of(rounds, lambda: fitted.log_marginal_likelihood(fitted.kernel_.theta, eval_gradient=True))


def gpytorch_evidence(files, ell, rounds):
    """Value and gradient in double precision by the Python of MERCER_PEERS; None where that has no GPyTorch."""
    python = os.environ.get("MERCER_PEERS")
    if not python or subprocess.run([python, "-c", "import gpytorch"], check=False, capture_output=True).returncode:
        return None
    x, y = files
    numbers = [ell] if numpy.isscalar(ell) else ell
    return run(python, pathlib.Path(__file__).with_name("gpytorch_peer.py"), f"x={x}", f"y={y}",
               f"ell={','.join(map(str, numbers))}", "scale=1.5", f"noise={NOISE}", f"rounds={rounds}")


def kernel_text(ell):
    return f"1.5*rbf(ell={ell if numpy.isscalar(ell) else '[' + ', '.join(map(str, ell)) + ']'})"


def evidence(program, figures, folder, x, y, ell, wanted, most, rounds):
    """One size: against scikit-learn, GPyTorch and the bare calls of LAPACK. Returns the files."""
    what = f"evidence and gradient, n={len(y):,} d={x.shape[1]}{'' if numpy.isscalar(ell) else ' ARD'}"
    files = saved(folder, x=x, y=y)
    ours = run(program, "gp", "evidence", *files, kernel_text(ell), NOISE, rounds)
    peer, (value, gradient) = sklearn_evidence(x, y, ell, rounds)
    ratio = peer / ours["ours"]
    figures.row(f"{what}: faster than scikit-learn", f"{ratio:.1f}x", f">= {wanted}x", ratio >= wanted,
                f"{ours['ours']:.3f} s, {peer:.3f} s")
    difference = relative_difference([ours["value"]], [value])
    figures.row("the same: value against scikit-learn's", f"{difference:.0e}", "<= 1e-9", difference <= 1e-9,
                f"{ours['value']:.6f}")
    largest = numpy.abs(gradient).max()
    difference = numpy.abs(numpy.array(ours["gradient"]) - gradient).max() / largest
    figures.row(f"the same: its {len(gradient)} derivatives", f"{difference:.0e}", "<= 1e-7", difference <= 1e-7)
    for way, theirs in (gpytorch_evidence(files, ell, rounds) or {}).items():
        ratio = theirs["seconds"] / ours["ours"]
        figures.row(f"the same: faster than GPyTorch ({way}, double)", f"{ratio:.1f}x", ">= 1x", ratio >= 1,
                    f"{ours['ours']:.3f} s, {theirs['seconds']:.3f} s; its value is off by "
                    f"{theirs['value'] - ours['value']:+.2g}")
    bare = lapack(len(y), inverse=True)
    bare = min(bare["potrf"] + bare["potri"], ours["bare"])
    ratio = ours["ours"] / bare
    figures.row("the same: times the faster of OpenBLAS's threaded dpotrf + dpotri and ours", f"{ratio:.2f}x",
                f"<= {most}x", ratio <= most, f"{ours['ours']:.3f} s, {bare:.3f} s")
    return files


def evidence_case(program, figures, folder, shrink):
    d = 20
    x, y = sets.regression(2000 // shrink, d)
    evidence(program, figures, folder, x, y, [float(2 + k) for k in range(d)], 20, 1.2, 3)
    n = 4096 // shrink
    x, y = sets.regression(n, 2)
    files = evidence(program, figures, folder, x, y, 1.0, 3, 1.1, 3)
    memory = run(program, "gp", "evidence_memory", *files, kernel_text(1.0), NOISE)["megabytes"]
    share = memory * 2**20 / (8 * n * n)
    figures.row("the same: all memory of the process, in n^2 doubles", f"{share:.2f}", "<= 2.2", share <= 2.2,
                f"{memory:.0f} MB")


def growth_case(program, figures, folder, shrink):
    sizes, times = [n // shrink for n in (1000, 2000, 4000, 8000)], []
    for n in sizes:
        x, y = sets.regression(n, 2)
        times.append(run(program, "gp", "evidence", *saved(folder, x=x, y=y), kernel_text(1.0), NOISE, 2)["ours"])
    exponent = numpy.polyfit(numpy.log(sizes), numpy.log(times), 1)[0]
    figures.row(f"evidence and gradient, n={', '.join(f'{n:,}' for n in sizes)}: exponent", f"{exponent:.2f}",
                "<= 3.2", exponent <= 3.2, ", ".join(f"{t:.3f} s" for t in times))


def limited(objective, start, bounds):
    """scikit-learn's own optimiser, with the same limit of iterations as ours."""
    from scipy.optimize import minimize
    found = minimize(objective, start, method="L-BFGS-B", jac=True, bounds=bounds, options={"maxiter": ITERATIONS})
    return found.x, found.fun


def sklearn_fit(kernel, x, y, rounds, **options):
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.gaussian_process import GaussianProcessRegressor
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # of parameters near a bound
        return best_of(rounds, lambda: GaussianProcessRegressor(kernel, alpha=1e-300, **options).fit(x, y))


def fit_case(program, figures, folder, data):
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
    x, y, mask = sets.uci(data, "energy_20splits")
    train = mask[:, 0] == 0
    x, y = sets.standardised(x[train]), sets.standardised(y[train])
    d = x.shape[1]
    # Both start from the median distances in each column, as Mercer finds them.
    ours = run(program, "gp", "fit", *saved(folder, x=x, y=y), "(1 in [0.001, 1000])*rbf(ell=[auto] in [0.01, 1000])",
               "0.1 in [0.00001, 10]", ITERATIONS, 3)
    start = [ours["start"][f"rbf.ell[{k + 1}]"] for k in range(d)]
    kernel = ConstantKernel(1.0, (1e-3, 1e3)) * RBF(start, (1e-2, 1e3)) + WhiteKernel(0.1, (1e-5, 10))
    peer, fitted = sklearn_fit(kernel, x, y, 2, optimizer=limited)
    ratio, theirs = peer / ours["ours"], fitted.log_marginal_likelihood_value_
    figures.row(f"fit, energy, n={len(y)} d={d} ARD: faster than scikit-learn", f"{ratio:.1f}x", ">= 8x", ratio >= 8,
                f"{ours['ours']:.2f} s, {peer:.2f} s; {ours['evaluations']:.0f} evaluations, {ours['stopped']}")
    figures.row("the same: log marginal likelihood less scikit-learn's", f"{ours['lml'] - theirs:+.2g}", ">= -0.001",
                ours["lml"] >= theirs - 1e-3, f"{ours['lml']:.4f}, {theirs:.4f}")


def predict(program, figures, folder, what, x, y, fresh, text, kernel):
    from sklearn.gaussian_process import GaussianProcessRegressor
    out = folder / "predicted.npy"
    x_file, y_file, fresh_file = saved(folder, x=x, y=y, fresh=fresh)
    ours = run(program, "gp", "predict", x_file, y_file, text, NOISE, fresh_file, out)
    peer = GaussianProcessRegressor(kernel, alpha=NOISE, optimizer=None).fit(x, y)
    mean_time, mean = best_of(5, lambda: peer.predict(fresh))
    both_time, (_, deviation) = best_of(3, lambda: peer.predict(fresh, return_std=True))
    for asked, own, theirs in (("mean", ours["mean"], mean_time), ("mean and deviation", ours["both"], both_time)):
        ratio = theirs / own
        figures.row(f"{asked} of {len(fresh):,} points, n={len(y):,}, {what}: faster than scikit-learn",
                    f"{ratio:.1f}x", ">= 2x", ratio >= 2, f"{1e3 * own:.1f} ms, {1e3 * theirs:.1f} ms")
    predicted = numpy.load(out)
    difference = max(numpy.abs(predicted[:, 0] - mean).max(), numpy.abs(predicted[:, 1]**0.5 - deviation).max())
    figures.row("the same: against scikit-learn's", f"{difference:.0e}", "<= 1e-7", difference <= 1e-7)


def predict_case(program, figures, folder, shrink):
    """A plain kernel, whose values cost the peer next to nothing beside the triangular solve, and a sum."""
    from sklearn.gaussian_process.kernels import RBF, ExpSineSquared, RationalQuadratic
    n = 4096 // shrink
    random = numpy.random.default_rng(2)
    x, y = sets.regression(n, 2)
    predict(program, figures, folder, "rbf", x, y, random.uniform(-1.7, 1.7, (1000, 2)), kernel_text(1.0),
            scaled_rbf(1.5, 1.0))
    x, y = sets.regression(n, 1)
    predict(program, figures, folder, "sum of 3", x, y, random.uniform(-1.7, 1.7, (1000, 1)),
            "2*rbf(ell=1) + 0.7*periodic(period=1, ell=1.2)*rbf(ell=3) + 0.3*rq(ell=0.5, alpha=1)",
            2.0 * RBF(1.0) + 0.7 * ExpSineSquared(1.2, 1.0) * RBF(3.0) + 0.3 * RationalQuadratic(0.5, 1.0))


def co2_case(program, figures, folder, data):
    """The kernel and start of scikit-learn's example; the scales of both are shown as deviations."""
    from sklearn.gaussian_process.kernels import RBF, ExpSineSquared, RationalQuadratic, WhiteKernel
    x, y = sets.monthly_co2(data)
    y = y - y.mean()
    text = ("2500*rbf(ell=50) + 4*rbf(ell=100)*periodic(period=fixed(1), ell=1) + 0.25*rq(ell=1, alpha=1) "
            "+ 0.01*rbf(ell=0.1)")
    ours = run(program, "gp", "fit", *saved(folder, x=x, y=y), text, "0.01", ITERATIONS, 1)
    season = 2.0**2 * RBF(100.0) * ExpSineSquared(1.0, 1.0, periodicity_bounds="fixed")
    kernel = (50.0**2 * RBF(50.0) + season + 0.5**2 * RationalQuadratic(1.0, 1.0) + 0.1**2 * RBF(0.1)
              + WhiteKernel(0.1**2, (1e-5, 1e5)))
    peer, fitted = sklearn_fit(kernel, x, y, 1)
    theirs = fitted.log_marginal_likelihood_value_
    figures.row(f"CO2, n={len(y)}: log marginal likelihood less scikit-learn's", f"{ours['lml'] - theirs:+.2g}", ">= 0",
                ours["lml"] >= theirs - 1e-6,
                f"{ours['lml']:.4f} in {ours['ours']:.2f} s, {theirs:.4f} in {peer:.2f} s")
    theta = numpy.exp(fitted.kernel_.theta)
    names = [p.name for p in fitted.kernel_.hyperparameters if not p.fixed]
    values = dict(zip(names, theta))
    trend, seasonal, medium, short = ("k1__k1__k1__k1", "k1__k1__k1__k2", "k1__k1__k2", "k1__k2")
    pairs = {
        "rbf.scale": f"{trend}__k1__constant_value", "rbf.ell": f"{trend}__k2__length_scale",
        "rbf2.scale": f"{seasonal}__k1__k1__constant_value", "rbf2.ell": f"{seasonal}__k1__k2__length_scale",
        "periodic.ell": f"{seasonal}__k2__length_scale", "rq.scale": f"{medium}__k1__constant_value",
        "rq.ell": f"{medium}__k2__length_scale", "rq.alpha": f"{medium}__k2__alpha",
        "rbf3.scale": f"{short}__k1__constant_value", "rbf3.ell": f"{short}__k2__length_scale",
        "noise": "k2__noise_level",
    }
    worst = 0
    for ours_name, theirs_name in pairs.items():
        own, other = ours["parameters"][ours_name], values[theirs_name]
        if ours_name.endswith("scale") or ours_name == "noise":
            own, other = math.sqrt(own), math.sqrt(other)
        worst = max(worst, abs(own / other - 1))
        print(f"    {ours_name:<14} {own:10.5g} {other:10.5g}")
    figures.row("the same: optima, the largest relative difference", f"{worst:.1e}", "<= 1e-2", worst <= 1e-2)


def splits_case(program, figures, folder, data):
    for name, wanted in (("yacht", 0.45), ("energy", 0.49)):
        x, y, mask = sets.uci(data, f"{name}_20splits")
        splits = run(program, "gp", "splits", *saved(folder, x=x, y=y, mask=mask), "rbf(ell=[auto])")["splits"]
        mean = {what: numpy.mean([split[what] for split in splits]) for what in ("rmse", "nlpd", "coverage", "seconds")}
        error = numpy.std([split["rmse"] for split in splits], ddof=1) / math.sqrt(len(splits))
        figures.row(f"{name}, {len(splits)} splits, rbf(ell=[auto]): mean test RMSE", f"{mean['rmse']:.3f}",
                    f"<= {wanted}", mean["rmse"] <= wanted,
                    f"standard error {error:.3f}, NLPD {mean['nlpd']:.3f}, 95 % band holds {mean['coverage']:.3f}, "
                    f"{mean['seconds']:.2f} s a fit")


def add_options(parser):
    add_case_options(parser, CASES)


def main(options, figures):
    names = chosen("--cases", options.cases, CASES)
    data = sets.folder(options) if set(names) & {"fit", "co2", "splits"} else None
    print(f"cores: {os.cpu_count()}")
    with tempfile.TemporaryDirectory(prefix="mercer-bench-") as place:
        folder = pathlib.Path(place)
        for name, case, last in (("evidence", evidence_case, options.shrink), ("growth", growth_case, options.shrink),
                                 ("fit", fit_case, data), ("predict", predict_case, options.shrink),
                                 ("co2", co2_case, data), ("splits", splits_case, data)):
            if name in names:
                case(options.program, figures, folder, last)
