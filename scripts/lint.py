#!/usr/bin/env python3
"""lint.py alone|tidy: reads the sources by clang, without making code of them.

alone: every public header, and every file of the library, the command, the studio and the Python package, by itself and
       without a warning: each says what it needs. Tests are left out: nobody includes them, and the sanitizers' build
       reads them in batches with the same warnings, at a tenth of the cost.
tidy:  clang-tidy over the library and the command, in the batches of cmake/unity.cmake: most of its time goes into what the
       files include, which it then reads once for a dozen of them.

What passed is known by the text that the compiler sees: build/alone/passed and build/tidy/passed have a file for each, named
by a hash of the preprocessed text, of the command, of .clang-tidy and of the lines that tell clang-tidy to be silent, in any
header or in these files. So a comment, or a change that was taken back, costs nothing.
"""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TIDIED = ("src", "cli")


def configure(part, *settings):
    """The compiler's commands in a folder of their own, without headers read ahead, which would hide what a file lacks."""
    folder = ROOT / "build" / part
    (folder / "passed").mkdir(parents=True, exist_ok=True)
    subprocess.run(["cmake", "--preset", "clang", "-B", folder, "-DMERCER_DEVELOPER=OFF",
                    "-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON", *settings], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return folder, json.loads((folder / "compile_commands.json").read_text())


def members(command):
    """The source files of a batch, or the file itself."""
    file = pathlib.Path(command["file"])
    if "Unity" not in file.parts:
        return [file]
    return [pathlib.Path(path) for path in re.findall(r'#include "(.*)"', file.read_text())]


def silenced(files):
    return "\n".join(line for file in files for line in file.read_text().splitlines() if "NOLINT" in line)


def compiler(command, *mode):
    """The command, made to write to standard output or nothing at all."""
    words = shlex.split(command["command"])
    at = words.index("-o")
    del words[at:at + 2]
    at = words.index("-c")
    words[at:at + 1] = mode
    return words


def look_at(command, tool, folder, common):
    """What the tool complains of; nothing where it passes, or has passed."""
    run = {"cwd": command["directory"], "capture_output": True}
    seen = subprocess.run(compiler(command, "-E", "-P"), **run)
    if seen.returncode != 0:
        return seen.stderr.decode()
    words = tool(command)
    beside = common + silenced(members(command))
    stamp = folder / "passed" / hashlib.sha256("\0".join([*words, beside, ""]).encode() + seen.stdout).hexdigest()
    if stamp.exists():
        return ""
    found = subprocess.run(words, **run)
    if found.returncode != 0:
        return (found.stdout or found.stderr).decode()
    stamp.touch()
    return ""


def main(part):
    if part == "alone":
        folder, commands = configure(part, "-DMERCER_UNITY=OFF", "-DMERCER_PYTHON=AUTO",
                                     "-DCMAKE_VERIFY_INTERFACE_HEADER_SETS=ON")
        tool, common = lambda command: compiler(command, "-fsyntax-only"), ""
    else:
        folder, commands = configure(part, "-DMERCER_UNITY=ON")
        tool = lambda command: ["clang-tidy-14", "--quiet", "-p", str(folder), command["file"]]
        headers = (file for room in ("include", *TIDIED) for file in sorted((ROOT / room).rglob("*.hpp")))
        common = (ROOT / ".clang-tidy").read_text() + silenced(headers)
        commands = [command for command in commands
                    if any(file.is_relative_to(ROOT / room) for file in members(command) for room in TIDIED)]
    commands = [command for command in commands if not command["file"].startswith(str(folder / "embedded"))]

    failed = 0
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", "2"))) as pool:
        for complaints in pool.map(lambda command: look_at(command, tool, folder, common), commands):
            failed += complaints != ""
            if complaints:
                print(complaints, flush=True)
    files = sum(len(members(command)) for command in commands)
    print(f"{part}: {files} files, {failed} {'batches ' if part == 'tidy' else ''}with complaints")
    return failed != 0


if __name__ == "__main__":
    if sys.argv[1:] not in (["alone"], ["tidy"]):
        sys.exit(__doc__.splitlines()[0])
    sys.exit(main(sys.argv[1]))
