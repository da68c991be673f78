"""What the benchmark scripts share: a line per figure with what is wanted of it, and running our programs."""
import ctypes
import ctypes.util
import importlib.metadata
import json
import math
import os
import subprocess
import sys
import time

PEERS = ("numpy", "scipy", "scikit-learn", "scikit-learn-intelex", "torch", "gpytorch", "thundersvm")


class Figures:
    """Prints figures as they come and keeps them for a file."""

    def __init__(self):
        self.rows = []
        self.load = os.getloadavg()[1]  # of the five minutes before

    def row(self, what, figure, wanted, met, detail=""):
        self.rows.append({"what": what, "figure": figure, "wanted": wanted, "met": bool(met), "detail": detail})
        print(f"{what:<64} {figure:>10}   wanted {wanted:<12} {'met' if met else 'MISSED'}   {detail}", flush=True)

    def write(self, path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({**machine(), "load": self.load, "peers": peers(), "rows": self.rows}, indent=2) + "\n", encoding="utf-8")


def machine():
    """The CPU, how many cores of it this process may use, and the vector instructions that are in use."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        info = dict(line.split(":", 1) for line in file.read().split("\n\n")[0].splitlines() if ":" in line)
    info = {key.strip(): value.strip() for key, value in info.items()}
    best = "avx512" if "avx512f" in info.get("flags", "") else "avx2"
    return {"cpu": info.get("model name", "unknown"), "cores": len(os.sched_getaffinity(0)),
            "instructions": os.environ.get("MERCER_SIMD", best)}


def peers():
    """Names and versions of what Mercer is measured beside: of this Python, and of the one that MERCER_PEERS names."""
    found = {name: version for name in PEERS if (version := installed(name))}
    library = ctypes.util.find_library("svm")
    if library:
        number = ctypes.c_int.in_dll(ctypes.CDLL(library), "libsvm_version").value
        found["LIBSVM"] = f"{number // 100}.{number % 100}"
    if "MERCER_PEERS" in os.environ:
        code = (f"import importlib.metadata as m, json; names = {PEERS!r}\n"
                "print(json.dumps({d.metadata['Name']: d.version for d in m.distributions() if d.metadata['Name'] in names}))")
        for name, version in run(os.environ["MERCER_PEERS"], "-c", code).items():
            if found.setdefault(name, version) != version:
                found[name] += f" and {version}"
    return found


def installed(name):
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def run(*words, **environment):
    """One of our programs; what it prints is JSON."""
    words = [str(word) for word in words]
    done = subprocess.run(words, check=False, capture_output=True, text=True, env={**os.environ, **environment})
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}\nfailed with {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def with_peers():
    """The Pythons whose libraries Mercer is measured beside: this one, and that of MERCER_PEERS."""
    return [sys.executable, *filter(None, [os.environ.get("MERCER_PEERS")])]


def lapack(n, inverse=False):
    """Seconds of dpotrf, and of dpotri where `inverse`, by the threaded BLAS of the Python that has the faster one."""
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lapack_peer.py")
    words = [f"n={n}", f"rounds={2 if n > 8000 else 3}", *(["inverse=1"] if inverse else [])]
    return min((run(python, script, *words) for python in with_peers()), key=lambda times: sum(times.values()))


def best_of(rounds, work):
    """The least seconds of some rounds, and what the last one returned."""
    taken = []
    for _ in range(rounds):
        start = time.perf_counter()
        result = work()
        taken.append(time.perf_counter() - start)
    return min(taken), result


def chosen(option, given, known):
    """The names that a user gave, divided by commas."""
    names = given.split(",")
    if unknown := sorted(set(names) - set(known)):
        sys.exit(f"{option}: {', '.join(unknown)} is none of {', '.join(known)}")
    return names


def geometric_mean(values):
    return math.exp(sum(math.log(value) for value in values) / len(values))


def relative_difference(a, b):
    """The largest of |a_i - b_i| / |b_i| over two lists; where b_i is 0, |a_i|."""
    return max(abs(x - y) / (abs(y) or 1) for x, y in zip(a, b))
