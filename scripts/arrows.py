#!/usr/bin/env python3
"""Checks that includes point one way through the rooms of the house (docs/design.md).

base <- file <- simd <- linalg <- check <- points <- kernel <- domains <- gram <- model <- selection <- machines
<- statistics <- io <- workflow <- report <- studio <- cli; io <- testing; report <- python; cli, testing <- bench

A file may include its own room and the rooms named in MAY_SEE. A folder within a room sees the room and itself, not
the folders beside it. Public headers belong to the room that implements them, and include nothing but each other and
the standard library.
"""
import pathlib
import re
import sys

MAY_SEE = {"base": set(), "file": {"base"}, "simd": {"base"}, "linalg": {"base", "simd"}, "check": {"base", "linalg"}}
MAY_SEE["points"] = {"base", "file", "simd", "linalg", "check"}
for below, room in (("points", "kernel"), ("kernel", "domains"), ("domains", "gram"), ("gram", "model"),
                    ("model", "selection"), ("selection", "machines"), ("machines", "statistics"), ("statistics", "io"),
                    ("io", "workflow"), ("workflow", "report"), ("report", "studio"),
                    ("io", "testing"), ("report", "python"), ("studio", "cli")):
    MAY_SEE[room] = MAY_SEE[below] | {below}

# include/mercer/NAME.hpp -> its room; those in include/mercer/machines and statistics are of these. "all" stands for headers that
# gather others: the doors may use them, no source of the library does.
PUBLIC = {
    "error": "base", "matrix": "base", "monitor": "base",
    "check": "check", "formula": "check",
    "points": "points", "scaling": "points", "bags": "domains", "dataset": "points", "graph": "points", "nodes": "domains",
    "kernel": "kernel", "kernels": "kernel", "similarity": "kernel", "params": "kernel", "proof": "kernel",
    "evaluate": "kernel", "single": "kernel",
    # A Gram makes expansions; model/expansion.cpp evaluates them, by whatever is fast.
    "gram": "gram", "require_gram": "gram", "distances": "gram", "expansion": "gram",
    # machines.hpp is what every machine agrees to; who selects among them knows no more. src/machines/catalog.cpp lists them.
    "report": "model", "reading": "model", "task": "model", "model": "model", "rkhs": "model", "machines": "model", "explain": "model", "posterior": "model",
    "metrics": "selection", "tune": "selection", "choose": "selection", "prior": "machines",
    "io": "io", "grouping": "io", "model_file": "io", "points_file": "io", "libsvm_model": "io",
    "workflow": "workflow",
    "testing": "testing",
    "mercer": "all",
}
MAY_SEE["all"] = set(MAY_SEE) - {"cli", "python"}
for door in ("cli", "python"):
    MAY_SEE[door].add("all")
MAY_SEE["bench"] = MAY_SEE["cli"] | {"testing"}

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


def folder_of(path):
    """The folder within a room of src that a file is in; None in the room itself."""
    return path.parts[2] if path.parts[0] == "src" and len(path.parts) > 3 else None


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
        return
    target = target_of(root, path, text)
    if target is None:
        yield f"{path}: includes {text}, which is no file"
        return
    to = room_of_file(target)
    if to != room and to not in MAY_SEE[room]:
        yield f"{path}: {room} must not include {text} ({to})"
    if to == room and folder_of(path) and folder_of(target) not in (None, folder_of(path)):
        yield f"{path}: {room}/{folder_of(path)} must not include {text}, of the folder beside it"


def problems(root):
    """(how many files were read, what is wrong with them)."""
    root = root.resolve()
    found = [f"scripts/arrows.py lists include/mercer/{name}.hpp, which does not exist"
             for name in PUBLIC if not (root / "include" / "mercer" / f"{name}.hpp").is_file()]
    files = [f.relative_to(root) for top in ("include", "src", "studio", "cli", "python/src", "bench")
             for f in sorted((root / top).rglob("*")) if f.suffix in SOURCES]
    for path in files:
        if room_of_file(path) not in MAY_SEE:
            found.append(f"{path}: belongs to no room; name it in scripts/arrows.py")
            continue
        for bracket, text in INCLUDE.findall((root / path).read_text()):
            found.extend(problems_of(root, path, bracket, text))
    return len(files), found


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent
    count, found = problems(root)
    for problem in found:
        print(problem, file=sys.stderr)
    print(f"arrows: {count} files, {len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
