#!/usr/bin/env python3
"""The numbers of src/simd/exp-inl.h: prints them with the error they leave, and fails where the source has others.

e^x = 2^n e^r with n the integer nearest to x / log 2, and e^r = 1 + r + r^2 q(r). q interpolates (e^r - 1 - r) / r^2 at
the ten Chebyshev points of |r| <= 1.0001 log(2)/2: the little more than half of log 2 is what rounding n can cost.
Sixty-digit arithmetic of the standard library; nothing to install.
"""
import decimal
import pathlib
import re
import sys
from decimal import Decimal

SOURCE = pathlib.Path(__file__).resolve().parent.parent / "src" / "simd" / "exp-inl.h"
DEGREE = 9
LOG2_BITS = 33  # of the first part of log 2: n has at most 11 more, so that their product is exact in 53

decimal.getcontext().prec = 60
LOG2 = Decimal(2).ln()
REACH = LOG2 / 2 * Decimal("1.0001")


def cosine(x):
    term = total = Decimal(1)
    k = 0
    while abs(term) > Decimal(10) ** -58:
        k += 2
        term *= -x * x / (k * (k - 1))
        total += term
    return total


def pi():
    """Machin: pi = 16 atan(1/5) - 4 atan(1/239)."""
    def atan_of_inverse(m):
        total, power, k = Decimal(0), Decimal(1) / m, 0
        while power > Decimal(10) ** -62:
            total += power / (2 * k + 1) * (-1) ** k
            power /= m * m
            k += 1
        return total
    return 16 * atan_of_inverse(5) - 4 * atan_of_inverse(239)


def tail(r):
    """(e^r - 1 - r) / r^2 by its series."""
    term = total = Decimal(1) / 2
    k = 2
    while abs(term) > Decimal(10) ** -58:
        k += 1
        term *= r / k
        total += term
    return total


def interpolated(f, nodes):
    """Coefficients, constant first, of the polynomial through f at the nodes: Newton's differences, multiplied out."""
    differences = [f(x) for x in nodes]
    for level in range(1, len(nodes)):
        for i in range(len(nodes) - 1, level - 1, -1):
            differences[i] = (differences[i] - differences[i - 1]) / (nodes[i] - nodes[i - level])
    out = [Decimal(0)]
    for difference, node in zip(reversed(differences), reversed(nodes)):
        shifted = [Decimal(0)] + out
        out = [a - node * b for a, b in zip(shifted, out + [Decimal(0)])]
        out[0] += difference
    return out[:len(nodes)]


def split_log2():
    """log 2 as a double of LOG2_BITS bits and the double nearest to the rest."""
    unit = Decimal(2) ** -LOG2_BITS  # log 2 is in [1/2, 1)
    first = float((LOG2 / unit).to_integral_value(decimal.ROUND_FLOOR) * unit)
    return first, float(LOG2 - Decimal(first))


def largest_error(q):
    """Of 1 + r + r^2 q(r), relative to e^r, over the range and in exact arithmetic."""
    worst = Decimal(0)
    for step in range(-2000, 2001):
        r = REACH * step / 2000
        value = Decimal(0)
        for c in reversed(q):
            value = value * r + Decimal(c)
        worst = max(worst, abs((1 + r + r * r * value) / r.exp() - 1))
    return worst


def main():
    nodes = [REACH * cosine(pi() * (2 * k + 1) / (2 * DEGREE + 2)) for k in range(DEGREE + 1)]
    q = [float(c) for c in interpolated(tail, nodes)]
    first, rest = split_log2()
    wanted = {f"q[{k}]": c for k, c in enumerate(q)}
    wanted |= {"1 / log 2": float(1 / LOG2), "log 2, first part": first, "log 2, the rest": rest,
               "lowest": float(-1022 * LOG2), "highest": float(Decimal(sys.float_info.max).ln())}
    text = SOURCE.read_text()
    there = {float(number) for number in re.findall(r"(?<![\w.])-?\d+\.?\d*(?:[eE][-+]?\d+)?", text)}
    missing = [name for name, value in wanted.items() if value not in there]
    for name, value in wanted.items():
        print(f"{name:18} {value!r}{'   not in the source' if name in missing else ''}")
    print(f"1 + r + r^2 q(r) is within {largest_error(q):.2e} of e^r, relative, for |r| <= {REACH:.6f}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
