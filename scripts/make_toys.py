#!/usr/bin/env python3
"""Writes the toy sets of data/toys. The same run gives the same bytes on every machine: one seed, the standard
library's generator, four decimals."""
import math
import pathlib
import random

TOYS = pathlib.Path(__file__).resolve().parent.parent / "data" / "toys"


def write(name, header, rows):
    text = [header, *rows]
    rows = [",".join(f"{v:.4f}" if isinstance(v, float) else str(v) for v in row) for row in text]
    (TOYS / name).write_text("\n".join(rows) + "\n")


def two_moons(rng, n=200, noise=0.1):
    """Two interleaved half circles, one for each label; not separable by a line."""
    for i in range(n):
        label, angle = i % 2, math.pi * rng.random()
        x, y = math.cos(angle), math.sin(angle)
        if label:
            x, y = 1 - x, 0.5 - y
        yield x + noise * rng.gauss(0, 1), y + noise * rng.gauss(0, 1), label


def sinc(rng, n=100, noise=0.1):
    """y = sin(x)/x + noise on [-10, 10], x at random and in order."""
    for x in sorted(rng.uniform(-10, 10) for _ in range(n)):
        yield x, (math.sin(x) / x if x else 1.0) + noise * rng.gauss(0, 1)


def mixed(rng, n=60):
    """Buyers of a camping shop (label 1) and of a book shop (0): two numbers and a short text. Neither the numbers nor
    the words decide alone; some texts are quoted because they hold a comma."""
    words = {
        1: ["warm tent", "new boots", "rope and stove", "a map, a lamp", "dry socks", "river trip", "hill walk"],
        0: ["old novel", "short poems", "a pen, some ink", "quiet evening", "long story", "paper maps", "first print"],
    }
    openings = ["looking for", "thanks for", "asked about", "sent back", "likes", "wants"]
    for _ in range(n):
        label = int(rng.random() < 0.5)
        age = round(rng.gauss(34 if label else 47, 9))
        income = round(rng.gauss(41000 if label else 46000, 9000), -2)
        topic = label if rng.random() < 0.85 else 1 - label
        text = f"{rng.choice(openings)} {rng.choice(words[topic])}"
        yield max(age, 18), int(max(income, 12000)), f'"{text}"' if "," in text else text, label


def main():
    TOYS.mkdir(parents=True, exist_ok=True)
    write("two_moons.csv", ("x1", "x2", "label"), two_moons(random.Random(1)))
    write("sinc.csv", ("x", "y"), sinc(random.Random(2)))
    write("mixed.csv", ("age", "income", "text", "label"), mixed(random.Random(3)))


if __name__ == "__main__":
    main()
