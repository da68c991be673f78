"""Runs the examples of scikit-learn's gallery that use classes Mercer has, with only the imports changed.

usage: gallery.py [NAME...]     of the release of scikit-learn that this Python has; NAMEs are parts of paths

The examples come with its source distribution, which is fetched from where pip fetches (PyPI, or PIP_INDEX_URL). Those that
download data are left out. What fails must be in gallery.txt, under the reason, and what is there must fail; so must what takes more
than SECONDS of the processor. The three that take longest are told.
"""
import ast
import contextlib
import importlib
import io
import os
import re
import resource
import signal
import subprocess
import sys
import tarfile
import tempfile
import types
import urllib.parse
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).parent
SECONDS = 600  # of the processor, for one example

# What Mercer has, by the module of scikit-learn that has it; names that Mercer lacks stay scikit-learn's.
CLASSES = {
    "sklearn.svm": ("SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM", "LinearSVC", "LinearSVR"),
    "sklearn.kernel_ridge": ("KernelRidge",),
    "sklearn.cluster": ("SpectralClustering",),
    "sklearn.decomposition": ("KernelPCA",),
    "sklearn.manifold": ("ClassicalMDS",),
    "sklearn.neighbors": ("KernelDensity",),
    "sklearn.gaussian_process": ("GaussianProcessRegressor", "GaussianProcessClassifier"),
}


# ---- one example ----


class Imports(ast.NodeTransformer):
    """`from sklearn.svm import SVC` becomes `from mercer import SVC`, and `from sklearn import svm` a module with ours."""

    def visit_ImportFrom(self, node):
        import mercer

        if node.module in CLASSES:
            ours = [one for one in node.names if one.name in CLASSES[node.module] and hasattr(mercer, one.name)]
            rest = [one for one in node.names if one not in ours]
            made = [ast.ImportFrom("mercer", ours, 0)] if ours else []
            return made + ([ast.ImportFrom(node.module, rest, 0)] if rest else [])
        if node.module == "sklearn":
            taken = [one for one in node.names if f"sklearn.{one.name}" in CLASSES]
            rest = [one for one in node.names if one not in taken]
            made = [ast.parse(f"{one.asname or one.name} = __with_ours__('sklearn.{one.name}')").body[0] for one in taken]
            return made + ([ast.ImportFrom("sklearn", rest, 0)] if rest else [])
        return node


def with_ours(name):
    import mercer

    theirs = importlib.import_module(name)
    ours = {one: getattr(mercer, one) for one in CLASSES[name] if hasattr(mercer, one)}
    return types.SimpleNamespace(**{**vars(theirs), **ours})


def run_one(path):
    tree = ast.fix_missing_locations(Imports().visit(ast.parse(path.read_text(encoding="utf-8"))))
    exec(compile(tree, str(path), "exec"), {"__name__": "__main__", "__file__": str(path), "__with_ours__": with_ours})


# ---- all of them ----


def examples(folder):
    """The folder of the examples, unpacked from the source distribution of the release that is installed."""
    import sklearn

    index = os.environ.get("PIP_INDEX_URL") or subprocess.run(
        [sys.executable, "-m", "pip", "config", "get", "global.index-url"], capture_output=True, text=True, check=False
    ).stdout.strip() or "https://pypi.org/simple"
    page = f"{index.rstrip('/')}/scikit-learn/"
    with urllib.request.urlopen(page) as answer:
        links = re.findall(r'href="([^"#]+)', answer.read().decode())
    named = re.compile(rf"scikit[-_]learn-{re.escape(sklearn.__version__)}\.tar\.gz$")
    link = next(one for one in links if named.search(one))
    with urllib.request.urlopen(urllib.parse.urljoin(page, link)) as answer:
        archive = tarfile.open(fileobj=io.BytesIO(answer.read()))
    wanted = [one for one in archive.getmembers() if "/examples/" in one.name and ".." not in one.name]
    archive.extractall(folder, wanted)
    return next(Path(folder).glob("*/examples"))


def uses_ours(text):
    imports = ast.walk(ast.parse(text))
    for node in (node for node in imports if isinstance(node, ast.ImportFrom)):
        if node.module in CLASSES and any(one.name in CLASSES[node.module] for one in node.names):
            return True
        if node.module == "sklearn":
            for one in node.names:
                attributes = CLASSES.get(f"sklearn.{one.name}", ())
                if any(re.search(rf"\b{one.asname or one.name}\.{name}\b", text) for name in attributes):
                    return True
    return False


def outcome(path):
    """None where it runs to its end, else the last line of what it says; and the seconds of the processor it took."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))

    environment = {**os.environ, "MPLBACKEND": "Agg", "PYTHONWARNINGS": "ignore", "OPENBLAS_NUM_THREADS": "1"}
    # What it says goes to a file: a pipe would stay open as long as a process that it started and left behind.
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile("w+", encoding="utf-8") as said:
        process = subprocess.Popen([sys.executable, __file__, "--one", path], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=said, cwd=folder, env=environment,
                                   preexec_fn=limit, start_new_session=True)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        said.seek(0)
        lines = said.read().strip().splitlines()
    seconds = usage.ru_utime + usage.ru_stime
    if process.returncode == 0:
        return None, seconds
    if process.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return f"ended after {seconds:.0f} s of the processor, {SECONDS} are allowed", seconds
    return (lines or [f"exit {process.returncode}"])[-1], seconds


def read_list(path):
    """The reason of each example in the list."""
    reasons, reason = {}, None
    for line in path.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            if line[0].isspace():
                reasons[line.strip()] = reason
            else:
                reason = line.strip()
    return reasons


def main(names):
    known = read_list(HERE / "gallery.txt")
    with tempfile.TemporaryDirectory() as folder:
        root = examples(folder)
        paths = sorted(path for path in root.rglob("*.py") if uses_ours(path.read_text(encoding="utf-8")))
        paths = [path for path in paths if not names or any(name in str(path) for name in names)]
        offline = [path for path in paths if not re.search(r"\bfetch_\w+\(", path.read_text(encoding="utf-8"))]
        ran, failures, times = 0, 0, []
        with ThreadPoolExecutor(2) as pool:
            for path, (words, seconds) in zip(offline, pool.map(outcome, offline)):
                name = str(path.relative_to(root))
                ran += words is None
                times.append((seconds, name))
                if (words is None) == (name in known):
                    failures += 1
                    print(f"{name}: " + (f"runs, but gallery.txt says: {known[name]}" if words is None else words), flush=True)
    longest = ", ".join(f"{name} {seconds:.0f} s" for seconds, name in sorted(times, reverse=True)[:3])
    print(f"gallery: of {len(offline)} examples {ran} run with the imports changed, {len(offline) - ran} do not; "
          f"{len(paths) - len(offline)} more download their data and are left out; {failures} not as listed; "
          f"longest, of the processor: {longest}")
    return failures != 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        run_one(Path(sys.argv[2]))
    else:
        sys.exit(main(sys.argv[1:]))
