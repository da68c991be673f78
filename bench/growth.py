"""How the time and the memory of every machine grow with the number of points: exponents.

`mercer fit MACHINE` as a whole process, on made-up tables of n, 2n and 4n rows, with the settings it has where nothing is
given and nothing chosen (--plain), less what a process takes that does nothing. The exponent is that of the last doubling;
of a time below a tenth of a second there is no telling.

With --choose: the seconds of the plainest call, which chooses what is not given, on one table.
"""
import math
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import numpy
from figures import chosen, run

# What a machine of its kind may take: n^2 pairs, or n^3 where it factors.
MOST = {"time": 3.3, "memory": 2.2}
# What the plainest call may take, of so many points.
MOST_SECONDS, CHOOSING_POINTS = 5, 2000


def table(path, n, kind, classes=2):
    """Five inputs, and a target of the kind that the machine predicts."""
    random = numpy.random.default_rng(1)
    x = random.uniform(-1.7, 1.7, (n, 5))
    smooth = numpy.sin(2 * x[:, 0]) + x[:, 1] * x[:, 2] + 0.2 * random.standard_normal(n)
    columns = [f"x{k + 1}" for k in range(5)]
    rows = [",".join(f"{value:.5f}" for value in row) for row in x]
    if kind in ("numbers", "classes"):
        columns.append("y")
        target = [f"{v:.5f}" for v in smooth] if kind == "numbers" else classes_of(smooth, classes)
        rows = [f"{row},{value}" for row, value in zip(rows, target)]
    path.write_text("\n".join([",".join(columns), *rows]) + "\n", encoding="utf-8")


def classes_of(values, classes):
    """As many of each, from the smallest values to the largest; of two, those below 0 and above."""
    ends = [0] if classes == 2 else numpy.quantile(values, numpy.arange(1, classes) / classes)
    return [chr(ord("a") + c) for c in numpy.searchsorted(ends, values)]


def peak_megabytes(pid):
    """The most memory a process has held so far. What wait4 says would count its parent's as well."""
    try:
        for line in pathlib.Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    except FileNotFoundError:
        pass
    return 0


def measured(words):
    """Seconds and megabytes of a process. One that has reached its limit of iterations counts too."""
    with tempfile.TemporaryFile("w+") as messages:
        start = time.perf_counter()
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=messages)
        memory = 0
        while process.poll() is None:
            memory = max(memory, peak_megabytes(process.pid))
            time.sleep(0.002)
        taken = time.perf_counter() - start
        messages.seek(0)
        said = messages.read()
    if process.returncode != 0 and "not converged" not in said:
        sys.exit(f"{' '.join(words)}\nfailed: {said.strip()}")
    return taken, memory


def add_options(parser):
    parser.add_argument("--machines", help="[all of the catalog]")
    parser.add_argument("--points", type=int, metavar="N",
                        help=f"the smallest table [1000]; with --choose the only one [{CHOOSING_POINTS}]")
    parser.add_argument("--choose", action="store_true", help="the plainest call, which chooses")
    parser.add_argument("--classes", type=int, default=2, metavar="C", help="of machines that predict some [%(default)s]")


def add_choosing(options, catalog, figures):
    n = options.points or CHOOSING_POINTS
    with tempfile.TemporaryDirectory(prefix="mercer-bench-") as place:
        folder = pathlib.Path(place)
        for machine in catalog:
            file = folder / f"{machine['predicts']}.csv"
            if not file.exists():
                table(file, n, machine["predicts"], options.classes)
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            taken, _ = measured([str(options.command), "fit", machine["name"], str(file), "-o", str(folder / "model.mercer")])
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            figures.row(f"{machine['name']}: `mercer fit`, n={n:,}, nothing given", f"{taken:.2f} s", f"<= {MOST_SECONDS} s",
                        taken <= MOST_SECONDS, f"{used:.2f} s of the processor")


def main(options, figures):
    catalog = run(options.command, "machines", "--json")
    known = [machine["name"] for machine in catalog]
    wanted = chosen("--machines", options.machines, known) if options.machines else known
    if options.choose:
        add_choosing(options, [machine for machine in catalog if machine["name"] in wanted], figures)
        return
    sizes = [(options.points or 1000) * k for k in (1, 2, 4)]
    with tempfile.TemporaryDirectory(prefix="mercer-bench-") as place:
        folder = pathlib.Path(place)
        nothing_time, nothing_memory = measured([str(options.command), "--version"])
        for machine in catalog:
            if machine["name"] not in wanted:
                continue
            times, memories = [], []
            for n in sizes:
                file = folder / f"{machine['predicts']}{n}.csv"
                if not file.exists():
                    table(file, n, machine["predicts"], options.classes)
                taken, memory = measured([str(options.command), "fit", machine["name"], str(file), "--plain", "-o",
                                          str(folder / "model.mercer")])
                times.append(max(taken - nothing_time, 1e-3))
                memories.append(max(memory - nothing_memory, 1.0))
            for what, values, unit in (("time", times, "s"), ("memory", memories, "MB")):
                if what == "time" and times[-1] < 0.1:
                    grows, met = "fast", True
                else:
                    slope = math.log2(values[-1] / values[-2])
                    grows, met = f"n^{slope:.2f}", slope <= MOST[what]
                figures.row(f"{machine['name']}: growth of {what}, n={', '.join(f'{n:,}' for n in sizes)}", grows,
                            f"<= n^{MOST[what]}", met, ", ".join(f"{v:.3g} {unit}" for v in values))
