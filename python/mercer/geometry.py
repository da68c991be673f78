"""Distances in feature space, |phi(x) - phi(y)|^2 = k(x,x) + k(y,y) - 2 k(x,y), and who is nearest by them."""
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from . import _core
from ._arguments import kernel_from, thread_count
from ._points import as_points

if TYPE_CHECKING:
    from ._types import Inputs, KernelLike, Numbers


def distances(kernel: KernelLike, X: Inputs, Y: Inputs | None = None, *, squared: bool = False,
              threads: int | None = None) -> Numbers:
    """d(x, y) for all pairs of X, or of X and Y: inputs of any kind that the kernel takes.

    Never negative, 0 for equal points, and symmetric. For inner products of features and for kernels of distances all
    digits count; for others d^2 has an absolute error of some 1e-16 (k(x,x) + k(y,y)).

    >>> import mercer
    >>> mercer.distances("linear()", [[0.0, 0.0], [3.0, 4.0]])
    array([[0., 5.],
           [5., 0.]])
    >>> mercer.distances("spectrum(k=2)", ["abab"], ["abab", "ba"], squared=True)
    array([[0., 4.]])
    """
    y = None if Y is None else as_points(Y, "Y")
    return _core.distances(kernel_from(kernel)._core, as_points(X), y, squared, thread_count(threads))


def neighbours(kernel: KernelLike, X: Inputs, Y: Inputs | None = None, *, count: int = 5,
               threads: int | None = None) -> tuple[Numbers, np.ndarray]:
    """The `count` nearest points of Y to each of X, in feature space: distances and row numbers, the nearest first.

    Without Y, the nearest others of X. Of equal distances the first row wins. All pairs are looked at, in memory of the
    answer's size.

    >>> import mercer
    >>> d, which = mercer.neighbours("rbf(ell=1)", [[0.0], [1.0], [5.0]], count=1)
    >>> which.ravel()
    array([1, 0, 1])
    """
    y = None if Y is None else as_points(Y, "Y")
    return _core.neighbours(kernel_from(kernel)._core, as_points(X), y, int(count), thread_count(threads))
