"""How long a newcomer waits: CPU seconds of `make demo` and `make test` in a fresh clone, without a compiler cache.

The clone is of what is committed, in a temporary folder. User and system time of all processes counts, so that other work
on the machine matters little.
"""
import collections
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time

# What each compilation took, by what it made.
LAUNCHER = """#!/bin/bash
TIMEFORMAT='%U %S'
made=
for word; do [ "$before" = -o ] && made=$word; before=$word; done
exec 3>&1 4>&2
spent=$( { time "$@" >&3 2>&4; } 2>&1 ); status=$?
echo "$spent $made" >>"$MERCER_SPENT"
exit $status
"""
PARTS = (("fuzzers", r"^tests/fuzz/"), ("thread tests", r"mercer_thread_tests"), ("tests", r"^tests/"), ("studio", r"^studio/"),
         ("command", r"^cli/"), ("Python", r"^python/"), ("library", r"."))


def spent(*words, **options):
    """CPU and wall seconds of a command and all that it starts."""
    def cpu():
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    before, begun = cpu(), time.monotonic()
    done = subprocess.run(words, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{done.stdout[-4000:]}\n{' '.join(words)} failed with {done.returncode}")
    return cpu() - before, time.monotonic() - begun


def parts(log):
    """CPU seconds and objects of each part of the sources."""
    found = collections.defaultdict(lambda: [0.0, 0])
    for line in log.read_text(encoding="utf-8").splitlines():
        user, system, made = line.split(" ", 2)
        part = next(name for name, pattern in PARTS if re.search(pattern, made))
        found[part][0] += float(user) + float(system)
        found[part][1] += 1
    return found


def told(log):
    each = sorted(parts(log).items(), key=lambda part: -part[1][0])
    return ", ".join(f"{name} {seconds:.0f} s ({objects})" for name, (seconds, objects) in each)


def main(_, figures):
    root = pathlib.Path(__file__).resolve().parent.parent
    with tempfile.TemporaryDirectory() as folder:
        clone, log, launcher = (pathlib.Path(folder) / name for name in ("clone", "spent", "launcher"))
        launcher.write_text(LAUNCHER, encoding="utf-8")
        launcher.chmod(0o755)
        spent("git", "clone", "--quiet", str(root), str(clone))
        there = {"cwd": clone, "env": {**os.environ, "CMAKE_CXX_COMPILER_LAUNCHER": str(launcher), "MERCER_SPENT": str(log)}}

        demo, _ = spent("make", "demo", **there)
        figures.row("make demo", f"{demo:.0f} s", "<= 420 s", demo <= 420, told(log))
        test, _ = spent("make", "test", **there)
        figures.row("make demo && make test", f"{demo + test:.0f} s", "<= 1,000 s", demo + test <= 1000, told(log))
        again, _ = spent("make", "test", **there)
        figures.row("make test, everything built: the tests", f"{again:.0f} s", "<= 240 s", again <= 240)

        machine = clone / "src/machines/least_squares/ridge.cpp"
        machine = machine if machine.exists() else next((clone / "src/machines").rglob("ridge.cpp"))
        with machine.open("a", encoding="utf-8") as file:
            file.write("// One line more.\n")
        one, waited = spent("sh", "-c", "scripts/build.sh release mercer_tests && build/mercer_tests --gtest_filter='Ridge*'",
                            **there)
        figures.row("a line of a machine: its tests again", f"{waited:.0f} s", "<= 20 s", waited <= 20, f"{one:.0f} s of CPU")
