#!/usr/bin/env python3
"""Checks that includes point one way through the rooms of the house (docs/design.md).

base <- simd <- linalg <- check <- points <- kernel <- gram <- machines, testing <- io <- cli

A file may include its own room and the rooms named in MAY_SEE. Public headers belong to the room that
implements them, and include nothing but each other and the standard library.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

MAY_SEE = {"base": set(), "simd": {"base"}, "linalg": {"base", "simd"}, "check": {"base", "linalg"}}
MAY_SEE["points"] = {"base", "simd", "linalg", "check"}
for below, room in (("points", "kernel"), ("kernel", "gram"), ("gram", "machines"), ("machines", "io"), ("io", "cli")):
    MAY_SEE[room] = MAY_SEE[below] | {below}
MAY_SEE["testing"] = MAY_SEE["machines"] | {"machines"}

# include/mercer/NAME.hpp -> its room. "all" stands for headers that gather others: the command
# may use them, no source of the library does.
PUBLIC = {
    "error": "base", "matrix": "base", "monitor": "base", "version": "base", "random": "base", "parallel": "base",
    "check": "check", "formula": "check",
    "points": "points",
    "kernel": "kernel", "kernels": "kernel", "similarity": "kernel", "params": "kernel", "parse": "kernel",
    "proof": "kernel", "catalog": "kernel", "negative_type": "kernel", "evaluate": "kernel",
    "gram": "gram",
    "scaling": "points", "report": "machines", "expansion": "machines", "model": "machines", "machines": "machines",
    "metrics": "machines", "tune": "machines", "posterior": "machines", "prior": "machines",
    "model_file": "io", "libsvm_model": "io",
    "testing": "testing",
    "io": "io",
    "mercer": "all",
}
MAY_SEE["all"] = set(MAY_SEE) - {"cli"}
MAY_SEE["cli"].add("all")

INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]', re.MULTILINE)


def room_of_public(name):
    """`name` is the path below include/mercer, without .hpp."""
    return "machines" if name.startswith("machines/") else PUBLIC.get(name)


def room_of_file(path):
    parts = path.relative_to(ROOT).parts
    if parts[0] == "include":
        return room_of_public("/".join(parts[2:]).removesuffix(".hpp"))
    return parts[1] if parts[0] == "src" else "cli"


def room_of_include(path, text):
    """The room an include names, or None when it is not one of ours."""
    if text.startswith("mercer/"):
        return room_of_public(text.removeprefix("mercer/").removesuffix(".hpp"))
    first = text.split("/")[0]
    if "/" in text and first in MAY_SEE:
        return first
    return room_of_file(path) if (path.parent / text).exists() else None


def main():
    problems = []
    files = [f for top in ("include", "src", "cli") for f in sorted((ROOT / top).rglob("*.[ch]pp"))]
    for path in files:
        where = path.relative_to(ROOT)
        room = room_of_file(path)
        if room not in MAY_SEE:
            problems.append(f"{where}: belongs to no room; name it in scripts/arrows.py")
            continue
        for bracket, text in INCLUDE.findall(path.read_text()):
            if where.parts[0] == "include":
                standard = bracket == "<" and re.fullmatch(r"[a-z_0-9]+", text)
                if not (standard or text.startswith("mercer/")):
                    problems.append(f"{where}: a public header includes {text}; only the standard library and mercer/ may be")
            target = room_of_include(path, text)
            if text.startswith("mercer/") and target is None:
                problems.append(f"{where}: includes {text}, which belongs to no room; name it in scripts/arrows.py")
            elif target is not None and target != room and target not in MAY_SEE[room]:
                problems.append(f"{where}: {room} must not include {text} ({target})")
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"arrows: {len(files)} files, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
