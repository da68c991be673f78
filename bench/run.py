#!/usr/bin/env python3
"""Runs one bench: installs and builds what it needs, then measures.

usage: run.py NAME [options]      run.py --list      run.py NAME --help

`make bench` is run.py engine, and `make bench-NAME` is run.py NAME. A bench is a module with `main(options, figures)` and,
where it has options of its own, `add_options(parser)`; what it says of itself is on top of it.
"""
import argparse
import importlib
import os
import pathlib
import subprocess
import sys
from typing import NamedTuple

from figures import Figures, machine

ROOT = pathlib.Path(__file__).resolve().parent.parent


class Bench(NamedTuple):
    name: str
    module: str
    builds: str  # targets of CMake
    what: str
    packages: str = "bench"  # groups of scripts/packages.txt
    environment: dict = {}


ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1"}  # of scikit-learn: processor seconds are compared

BENCHES = [
    Bench("engine", "engine", "mercer_bench", "Gram matrices, their gradients and products, and reading"),
    Bench("machines", "machines", "mercer_bench mercer_cli", "ridge regression and tuning"),
    Bench("large", "large", "mercer_bench mercer_cli", "many points, all of them and by centres; --all: larger ones"),
    Bench("gp", "gp", "mercer_bench", "Gaussian process regression (a quarter of an hour)"),
    Bench("gp-many", "gp_many", "mercer_bench mercer_cli", "Gaussian processes of many points"),
    Bench("svm", "svm", "mercer_bench", "support vector classifiers (an hour)"),
    Bench("svm-linear", "svm_linear", "mercer_cli mercer_python", "linear support vector classifiers, beside LIBLINEAR",
          "bench python"),
    Bench("strings", "strings", "mercer_bench", "matrices of string kernels, beside kernlab of R", "bench bench-strings"),
    Bench("graphs", "graphs", "mercer_bench", "matrices between graphs; MERCER_GRAKEL names a Python that has GraKeL"),
    Bench("nodes", "nodes", "mercer_bench", "diffusion on the nodes of a large graph"),
    Bench("clusters", "clusters", "mercer_bench mercer_cli mercer_python", "clusters, and how well they meet classes",
          "bench python"),
    Bench("pca", "pca", "mercer_python", "principal components", "bench python"),
    Bench("statistics", "kernel_statistics", "mercer_python", "tests and what else is asked of samples", "bench python"),
    Bench("neighbours", "neighbours", "mercer_python", "nearest neighbours", "bench python"),
    Bench("growth", "growth", "mercer_cli", "exponents of time and memory of every machine"),
    Bench("python", "python", "mercer_python", "whole Python programs", "bench python"),
    Bench("svm-forms", "svm_forms", "mercer_python", "support vector classifiers on float32, Fortran order, bytes, frames",
          "bench python"),
    Bench("busy", "busy", "mercer_bench mercer_cli mercer_python", "beside busy loops, which it starts and ends",
          "bench python"),
    Bench("studio", "studio", "mercer_cli", "dragging a slider of the page"),
    Bench("build", "build", "", "what a newcomer waits for: make demo and make test in a fresh clone", "bench test python"),
    Bench("defaults", "defaults", "mercer_cli", "what the plainest call gives (an hour)", environment=ONE_THREAD),
    Bench("auto", "auto", "mercer_cli", "mercer auto on raw tables and small sets, beside trees, forests and searches (an hour)",
          environment=ONE_THREAD),
    # The pages of docs/results.md, whole and in parts.
    Bench("results", "results", "mercer_cli mercer_python", "docs/results.md, on standard output (more than an hour)",
          "bench python", ONE_THREAD),
    Bench("structured", "structured", "mercer_cli mercer_python", "its part on strings, graphs and bags", "bench python"),
    Bench("mixtures", "mixtures", "mercer_python", "its part on mixtures", "bench python"),
]


def prepare(bench):
    """What comes out of it is no figure, so it goes where messages go."""
    def script(name, *words):
        if subprocess.run([ROOT / "scripts" / name, *words], stdout=sys.stderr, check=False).returncode != 0:
            sys.exit(f"run.py {bench.name}: scripts/{name} {' '.join(words)} failed")

    script("setup.sh", "build", *bench.packages.split())
    if bench.builds:
        script("build.sh", "release", *bench.builds.split())


def main():
    names = {bench.name: bench for bench in BENCHES}
    given = sys.argv[1] if len(sys.argv) > 1 else ""
    if given in ("--list", "-h", "--help"):
        lines = [f"{bench.name:<12} {bench.what}" for bench in BENCHES]
        print(*lines if given == "--list" else [__doc__, *lines], sep="\n")
        return
    if given not in names:
        sys.exit(f"run.py: which bench? One of {', '.join(names)} (run.py --list says what they are)")
    bench, words = names[given], sys.argv[2:]

    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--build", metavar="DIR", help="a folder in which all is built, and nothing is then installed or built")
    common.add_argument("--json", metavar="FILE", help="also write the figures there")
    common.add_argument("--figures", metavar="DIR", help="also write them there, as NAME.INSTRUCTIONS.json")
    folder = common.parse_known_args(words)[0].build
    if not folder and not {"-h", "--help"} & set(words):
        prepare(bench)
    folder = pathlib.Path(folder or ROOT / "build").resolve()
    os.environ.update(bench.environment)
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(folder / "python"), os.environ.get("PYTHONPATH")]))
    sys.path.insert(1, str(folder / "python"))

    module = importlib.import_module(bench.module)
    parser = argparse.ArgumentParser(prog=f"run.py {bench.name}", description=module.__doc__, parents=[common],
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    getattr(module, "add_options", lambda _: None)(parser)
    options = parser.parse_args(words)
    options.program, options.command = folder / "mercer_bench", folder / "mercer"
    # The same bench in a process of its own.
    options.again = [sys.executable, __file__, bench.name, "--build", str(folder)]

    figures = Figures()
    module.main(options, figures)
    if options.json:
        figures.write(pathlib.Path(options.json))
    if options.figures:
        figures.write(pathlib.Path(options.figures) / f"{bench.name}.{machine()['instructions']}.json")


if __name__ == "__main__":
    main()
