#!/usr/bin/env python3
"""arrows.py [ROOT [OBJECTS]]: checks that the rooms of the house (docs/design.md) see only what they may.

MAY_SEE is the graph: a file may include its own room and the rooms named there. A folder within a room, at any depth, sees
what is above and below it, and of the folders beside it those in FOLDERS. Public headers belong to the room that implements
them, and include nothing but each other and the standard library. With OBJECTS, a file that lists the library's object files,
also what is only linked is held to the graph: a function may be declared in a room and defined above it, and whoever calls it
then leans on the room above (LINKED lists the few that do, with the reason).

The page (web/src) has rooms too: charts/types.ts <- kit <- charts <- report <- studio <- main.ts, and of others' packages
it takes the modules of D3. Modules of the Python package import each other in one direction.
"""
import ast
import pathlib
import re
import subprocess
import sys

# What each room may include and call, beside itself.
MAY_SEE = {room: set(sees.split()) for room, sees in {
    "base": "",
    "file": "base",
    "simd": "base",
    "linalg": "base simd",
    "check": "base",
    "distributed": "base",
    "points": "base file distributed",
    "kernel": "base distributed simd linalg check points",
    "domains": "base distributed file simd linalg points kernel",
    "state_space": "base simd points kernel",
    "gram": "base simd linalg points kernel state_space",
    "solve": "base linalg points kernel gram state_space",
    "statistics": "base simd linalg points kernel gram",
    "centres": "base distributed simd linalg points kernel gram solve statistics",
    "model": "base simd linalg points kernel domains state_space gram solve centres",
    "selection": "base linalg points kernel state_space gram solve centres model",
    "machines": "base simd linalg points kernel domains state_space gram solve centres model selection",
    "io": "base file points kernel domains model",
    "data": "base file points domains io model",
    "workflow": "base distributed file points kernel domains gram centres model selection machines io data",
    "report": "base file linalg points kernel domains gram centres model selection machines statistics io data workflow",
    "testing": "base linalg points kernel domains gram centres model selection io",
    "studio": "base file kernel check model io data workflow report",
    "cli": "base distributed file simd points kernel domains check gram model selection machines statistics io data workflow report "
           "studio all",
    "mpi": "distributed cli",
    "python": "base file points kernel domains gram solve centres model selection machines io data workflow report all",
    "bench": "base file simd linalg points kernel domains centres model selection machines io all",
    "all": "base points kernel check domains gram solve centres model selection machines statistics io data workflow",
}.items()}

# Folders of a room that see folders beside them.
FOLDERS = {
    "machines/clusters": {"machines/embeddings"},                                # mixtures are fitted along principal axes
    "machines/discriminants": {"machines/embeddings", "machines/least_squares"},
    "machines/least_squares": {"machines/clusters"},                             # rbf_network: centres by k-means
    "machines/processes": {"machines/risk"},                                     # Newton's steps
    "machines/svm/linear": {"machines/risk"},
}

# Functions that are called from below the room that defines them: lists of rows that are put together above those who read
# them, and what a Gram returns.
LINKED = {
    ("kernel", "domains"): {"detail::entries"},
    ("points", "domains"): {"detail::load_points", "detail::save_points"},
    ("gram", "model"): {"Expansion::Expansion"},
    ("centres", "model"): {"Expansion::Expansion"},
    ("model", "machines"): {"machine", "machines"},
    ("selection", "machines"): {"machine"},
}

# include/mercer/NAME.hpp -> its room; those in include/mercer/machines and statistics are of these. "all" stands for headers that
# gather others: the doors may use them, no source of the library does.
PUBLIC = {
    "error": "base", "matrix": "base", "monitor": "base", "wording": "base", "checkpoints": "base",
    "check": "check", "formula": "check",
    "points": "points", "scaling": "points", "row_maps": "points", "bags": "domains", "dataset": "points", "graph": "points", "nodes": "domains",
    "kernel": "kernel", "kernels": "kernel", "similarity": "kernel", "params": "kernel", "value_range": "kernel", "proof": "kernel",
    "evaluate": "kernel", "single": "kernel",
    # A Gram makes expansions; model/expansion.cpp evaluates them, by whatever is fast.
    "gram": "gram", "require_gram": "gram", "distances": "gram", "expansion": "gram",
    # machines.hpp is what every machine agrees to; who selects among them knows no more. src/machines/catalog.cpp lists them.
    "centres": "centres",
    "report": "model", "recipe": "model", "plan": "solve", "reading": "model", "likelihood": "model", "task": "model", "model": "model", "rkhs": "model", "machines": "model", "explain": "model", "posterior": "model", "invariance": "model",
    "metrics": "selection", "tune": "selection", "choose": "selection", "intervals": "selection", "prior": "machines",
    "tables": "data",
    "io": "io", "grouping": "io", "model_file": "io", "points_file": "io", "libsvm_model": "io",
    "source": "data", "workflow": "workflow", "auto": "workflow",
    "testing": "testing",
    "mercer": "all",
}
# Libraries that take a compiler seconds: the one file that includes each.
ONLY = {"nlohmann": "src/base/json.cpp", "boost": "studio/transport.cpp"}

INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]', re.MULTILINE)
SOURCES = {".cpp", ".hpp", ".h"}


def room_of_public(name):
    """`name` is the path below include/mercer, without .hpp."""
    return name.split("/")[0] if name.startswith(("machines/", "statistics/")) else PUBLIC.get(name)


def room_of_file(path):
    """`path` is seen from the root of the project."""
    parts = path.parts
    if parts[0] == "include":
        return room_of_public("/".join(parts[2:]).removesuffix(".hpp"))
    return parts[1] if parts[0] == "src" else parts[0]


def folders_of(path):
    """The folders within a room of src that a file is in; none in the room itself."""
    return path.parts[2:-1] if path.parts[0] == "src" else ()


def beside(a, b):
    """Whether neither of two folders is within the other."""
    shared = min(len(a), len(b))
    return a[:shared] != b[:shared]


def target_of(root, path, text):
    """The file of ours that an include in quotes names, seen from the root; None where there is none."""
    for at in (root / path.parent / text, root / "src" / text, root / "include" / text, root / text):
        if at.is_file():
            return at.resolve().relative_to(root)
    return None


def problems_of(root, path, bracket, text):
    room = room_of_file(path)
    if path.parts[0] == "include":
        standard = bracket == "<" and re.fullmatch(r"[a-z_0-9]+", text)
        if not (standard or text.startswith("mercer/")):
            yield f"{path}: a public header includes {text}; only the standard library and mercer/ may be"
    if bracket == "<":
        holder = ONLY.get(text.split("/")[0], path.as_posix())
        if holder != path.as_posix():
            yield f"{path}: includes {text}; only {holder} may"
        return
    target = target_of(root, path, text)
    if target is None:
        yield f"{path}: includes {text}, which is no file"
        return
    to = room_of_file(target)
    if to is None:  # said of the file itself
        return
    if to != room and to not in MAY_SEE[room]:
        yield f"{path}: {room} must not include {text} ({to})"
    own = folders_of(path)
    here, there = "/".join((room, *own)), "/".join((to, *folders_of(target)))
    if to == room and beside(own, folders_of(target)) and there not in FOLDERS.get(here, ()):
        yield f"{path}: {here} must not include {text}, of the folder beside it"


IMPORT = re.compile(r"""(?:^|[;\s])(?:import|from)\s*\(?\s*["']([^"']+)["']""")
PAGE_SEES = {"types": set()}
for below, room in (("types", "kit"), ("kit", "charts"), ("charts", "report"), ("report", "studio"), ("studio", "main")):
    PAGE_SEES[room] = PAGE_SEES[below] | {below}


def room_of_page(path):
    """`path` is seen from web/src, without its ending."""
    if path.as_posix() == "charts/types":
        return "types"
    return path.parts[0]


def page_problems(root):
    """(how many files were read, what is wrong with them), of web/src without its tests."""
    top = root / "web" / "src"
    files = [f for f in sorted(top.rglob("*.ts")) if not f.name.endswith(".test.ts")]
    found = []
    for file in files:
        path = file.relative_to(top).with_suffix("")
        room, where = room_of_page(path), file.relative_to(root)
        if room not in PAGE_SEES:
            found.append(f"{where}: belongs to no room of the page; name it in scripts/arrows.py")
            continue
        for text in IMPORT.findall(file.read_text()):
            if not text.startswith("."):
                if not text.startswith("d3-"):
                    found.append(f"{where}: imports {text}; of others' packages only the modules of D3 are taken")
                continue
            target = (file.parent / text).resolve()
            if not target.is_relative_to(top):
                found.append(f"{where}: imports {text}, which is not of the page")
                continue
            to = room_of_page(target.relative_to(top))
            if to != room and not to.endswith(".css") and to not in PAGE_SEES[room]:
                found.append(f"{where}: {room} must not import {text} ({to})")
    return len(files), found


def imports_of(file, names):
    """The modules of the package that a module imports when it is loaded itself, not inside its functions."""
    out = set()
    for node in ast.parse(file.read_text()).body:
        if not isinstance(node, ast.ImportFrom) or node.level == 0:
            continue
        wanted = [node.module] if node.module else [alias.name for alias in node.names]
        out |= {name.split(".")[0] for name in wanted} & names
    return out


def python_problems(root):
    """(how many modules were read, the circles in which they import each other)."""
    files = {f.stem: f for f in sorted((root / "python" / "mercer").glob("*.py")) if f.stem != "__init__"}
    edges = {name: imports_of(file, set(files)) for name, file in files.items()}
    found, done = [], set()

    def visit(name, path):
        if name in path:
            found.append(f"python/mercer: {' -> '.join(path[path.index(name):] + [name])} import each other in a circle")
            return
        if name in done:
            return
        for to in sorted(edges[name]):
            visit(to, path + [name])
        done.add(name)

    for name in edges:
        visit(name, [])
    return len(files), found


def room_of_object(path):
    """Of .../TARGET.dir/src/ROOM/..., or of a batch of files of one folder; None: of no room."""
    found = re.search(r"/unity_batch_src_([a-z_]+)_\d|\.dir/(?:\./)?src/([a-z_]+)/", path.as_posix())
    if not found or found.group(2):
        return found and found.group(2)
    folder = found.group(1) + "_"
    return next(room for room in MAY_SEE if folder.startswith(room + "_"))


def symbols_of(file):
    """(functions and variables of ours that an object defines, those that it asks for), in words without arguments."""
    defines, asks = set(), set()
    for line in subprocess.run(["nm", "-C", file], check=True, capture_output=True, text=True).stdout.splitlines():
        kind, name = line[17], line[19:]
        if name.startswith("mercer::"):
            word = re.sub(r"\[abi:\w+\]", "", name.removeprefix("mercer::").split("(")[0])
            (asks if kind == "U" else defines if kind in "TDBR" else set()).add(word)
    return defines, asks


def link_problems(objects):
    """(how many objects were read, what is wrong with them)."""
    files = {f: room_of_object(f) for f in map(pathlib.Path, objects.read_text().split("\n"))}
    holders, asked = {}, {}
    for file, room in files.items():
        if room is not None:
            defines, asks = symbols_of(file)
            for word in defines:
                holders.setdefault(word, set()).add(room)
            for word in asks:
                asked.setdefault((room, word), file.name)
    found = []
    for (room, word), name in sorted(asked.items()):
        rooms = holders.get(word, set())
        if rooms and room not in rooms and not any(to in MAY_SEE[room] or word in LINKED.get((room, to), ()) for to in rooms):
            found.append(f"{name}: {room} must not call {word} ({', '.join(sorted(rooms))})")
    return len(files), found


def problems(root):
    """(how many files were read, what is wrong with them)."""
    root = root.resolve()
    found = [f"scripts/arrows.py lists include/mercer/{name}.hpp, which does not exist"
             for name in PUBLIC if not (root / "include" / "mercer" / f"{name}.hpp").is_file()]
    files = [f.relative_to(root) for top in ("include", "src", "studio", "cli", "mpi", "python/src", "bench")
             for f in sorted((root / top).rglob("*")) if f.suffix in SOURCES]
    for path in files:
        if room_of_file(path) not in MAY_SEE:
            found.append(f"{path}: belongs to no room; name it in scripts/arrows.py")
            continue
        for bracket, text in INCLUDE.findall((root / path).read_text()):
            found.extend(problems_of(root, path, bracket, text))
    count = len(files)
    for look in (page_problems, python_problems):
        more, problems_there = look(root)
        count += more
        found += problems_there
    return count, found


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent
    count, found = problems(root)
    if len(sys.argv) > 2:
        more, links = link_problems(pathlib.Path(sys.argv[2]))
        count += more
        found += links
    for problem in found:
        print(problem, file=sys.stderr)
    print(f"arrows: {count} files, {len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
