"""What the benchmark scripts share: a line per figure with what is wanted of it, and running our programs."""
import json
import math
import os
import subprocess
import sys


class Figures:
    """Prints figures as they come and keeps them for a file."""

    def __init__(self):
        self.rows = []

    def row(self, what, figure, wanted, met, detail=""):
        self.rows.append({"what": what, "figure": figure, "wanted": wanted, "met": bool(met), "detail": detail})
        print(f"{what:<64} {figure:>10}   wanted {wanted:<12} {'met' if met else 'MISSED'}   {detail}", flush=True)

    def write(self, path):
        if path:
            with open(path, "w", encoding="utf-8") as file:
                json.dump(self.rows, file, indent=2)
                file.write("\n")


def run(*words, **environment):
    """One of our programs; what it prints is JSON."""
    words = [str(word) for word in words]
    done = subprocess.run(words, check=False, capture_output=True, text=True, env={**os.environ, **environment})
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}\nfailed with {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def geometric_mean(values):
    return math.exp(sum(math.log(value) for value in values) / len(values))


def relative_difference(a, b):
    """The largest of |a_i - b_i| / |b_i| over two lists; where b_i is 0, |a_i|."""
    return max(abs(x - y) / (abs(y) or 1) for x, y in zip(a, b))
