"""Numbers as arguments and factors of kernels: plain ones, and those that say what learning may do with them."""
from __future__ import annotations

import math
import numbers
import re
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def is_number(value):
    return isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_))


def argument_text(value) -> str:
    """A number, a list of numbers, a Number or a word as the grammar writes it."""
    if isinstance(value, str) and not re.fullmatch(r'(fixed|bounded)\([^()]*\)|[^()"]*', value):
        raise ValueError(f'a number, "auto" or a range such as "bounded(0.3, 0.01, 10)" is needed, not {value!r}')
    if isinstance(value, (Number, str)):
        return str(value)
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(argument_text(one) for one in value) + "]"
    if not is_number(value):
        raise TypeError(f'a number, a list of numbers, "auto", fixed(...) or bounded(...) is needed, not {value!r}')
    if not abs(value) < math.inf:
        raise ValueError(f"must be a finite number, not {value}")
    return str(int(value)) if isinstance(value, numbers.Integral) else repr(float(value))


class Number:
    """A number of a kernel and what learning may do with it: made by `fixed` and `bounded`."""

    __slots__ = ("_text", "_standing")
    __array_ufunc__ = None

    def __init__(self, text, standing):
        self._text = text
        self._standing = standing  # as a factor it needs parentheses, as an argument none

    def __str__(self):
        return self._text

    __repr__ = __str__


def fixed(value: ArrayLike | str) -> Number:
    """A number that learning leaves as it is: an argument, or a factor of a kernel.

    >>> from mercer import fixed, linear, rbf
    >>> rbf(ell=fixed(2))
    rbf(ell=fixed(2))
    >>> fixed(0.5) * (linear() + 1)
    fixed(0.5)*(linear() + 1)
    """
    text = f"fixed({argument_text(value)})"
    return Number(text, text)


def bounded(value: ArrayLike | str, lower: float, upper: float) -> Number:
    """A number, a list or "auto" that learning keeps between two ends: an argument, or a factor of a kernel.

    >>> from mercer import bounded, linear, rbf
    >>> rbf(ell=bounded(0.3, 0.01, 10))
    rbf(ell=0.3 in [0.01, 10])
    >>> bounded(2, 1, 4) * linear()
    (2 in [1, 4])*linear()
    """
    low, high = (("-inf" if end < 0 else "inf") if is_number(end) and math.isinf(end) else argument_text(end)
                 for end in (lower, upper))
    text = f"{argument_text(value)} in [{low}, {high}]"
    return Number(text, f"({text})")
