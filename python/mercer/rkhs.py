"""Functions of the Hilbert space that a kernel has, as values: f + g, inner products, norms, projections.

>>> import mercer
>>> k = mercer.rbf(ell=1.0)
>>> f = mercer.rkhs.section(k, [0.0]) - 0.5 * mercer.rkhs.section(k, [1.0])
>>> f([[0.0], [1.0]]).round(6)
array([0.696735, 0.106531])
>>> round(f.inner(mercer.rkhs.section(k, [1.0])), 6)  # the reproducing property: <f, k(x, .)> = f(x)
0.106531
"""
from __future__ import annotations

import numbers
from typing import TYPE_CHECKING

from . import _core
from ._arguments import is_objects, kernel_from
from ._points import as_points
from .kernels import Kernel

if TYPE_CHECKING:
    from ._types import ArrayLike, Inputs, KernelLike, Numbers


class Function:
    """f = sum_i alpha_i k(x_i, .).

    Functions of one kernel are added, subtracted and multiplied by numbers; equal centres are one. `f(X)` evaluates.
    Functions of different kernels live in different spaces, and are refused with a ValueError.

    Parameters
    ----------
    kernel : Kernel, text of the grammar, or name of the catalog
        With numbers: what is "auto" must be resolved first (`kernel.resolve(X)`).
    centres : inputs of any kind
    coefficients : one number for each centre
    """

    __slots__ = ("_core",)
    __array_ufunc__ = None  # a NumPy number times a function is a function

    def __init__(self, kernel: KernelLike, centres: Inputs, coefficients: ArrayLike) -> None:
        self._core = _core.Function(kernel_from(kernel)._core, as_points(centres, "centres"), coefficients)

    @classmethod
    def _of(cls, core):
        made = cls.__new__(cls)
        made._core = core
        return made

    @property
    def kernel(self) -> Kernel:
        return Kernel(self._core.kernel)

    @property
    def centres(self) -> _core.Points:
        """The points x_i, as the engine holds them; kernels, estimators and f itself take them."""
        return self._core.centres

    @property
    def coefficients(self) -> Numbers:
        return self._core.coefficients

    def __len__(self) -> int:
        return len(self._core)

    def __repr__(self) -> str:
        return f"<function of {self.kernel} with {len(self)} centres>"

    def __call__(self, X: Inputs) -> Numbers:
        """f at each point of X."""
        return self._core(as_points(X))

    def norm(self) -> float:
        """sqrt(<f, f>)."""
        return self._core.norm()

    def inner(self, other: Function) -> float:
        """<f, g>."""
        return self._core.inner(_function(other)._core)

    def distance(self, other: Function) -> float:
        """|f - g|."""
        return (self - other).norm()

    def project(self, points: Inputs) -> Projection:
        """The nearest function in the span of k(z, .) of these points."""
        return Projection(*self._core.project(as_points(points, "points")))

    def __add__(self, other: Function) -> Function:
        if not isinstance(other, Function):
            return NotImplemented
        return Function._of(self._core.plus(other._core))

    def __sub__(self, other: Function) -> Function:
        if not isinstance(other, Function):
            return NotImplemented
        return self + -other

    def __neg__(self) -> Function:
        return self * -1.0

    def __mul__(self, factor: float) -> Function:
        if isinstance(factor, Function):
            raise TypeError("the product of two functions need not be in the space; f.inner(g) is a number")
        return Function._of(self._core.times(float(factor)))

    __rmul__ = __mul__

    def __truediv__(self, factor: float) -> Function:
        return self * (1.0 / float(factor))


class Projection:
    """What `Function.project` returns: `value`, a function; `rank` of the points; `condition` of what was solved."""

    __slots__ = ("value", "rank", "condition")

    def __init__(self, core, rank, condition) -> None:
        self.value: Function = Function._of(core)
        self.rank: int = rank
        self.condition: float = condition

    def __repr__(self) -> str:
        return f"<projection: {self.value!r}, rank {self.rank}, condition {self.condition:.3g}>"


def _function(value):
    if not isinstance(value, Function):
        raise TypeError(f"a function of a kernel's space is needed, not {type(value).__name__}")
    return value


def _one(x):
    """One point: a row of numbers, a text, a graph, ..., or inputs that hold one."""
    if isinstance(x, _core.Points):
        return x
    if getattr(x, "ndim", None) == 1 and x.dtype.kind in "fiub":
        return as_points(x.reshape(1, -1), "x")
    if isinstance(x, (list, tuple)) and len(x) and all(isinstance(one, numbers.Number) for one in x):
        return as_points([x], "x")
    many = hasattr(x, "iloc") or getattr(x, "ndim", 0) == 2 or isinstance(x, (list, tuple)) or is_objects(x)
    return as_points(x if many else [x], "x")


def section(kernel: KernelLike, x: object) -> Function:
    """k(x, .) of one point: a row of numbers, a text, a graph, ..."""
    return Function._of(_core.section(kernel_from(kernel)._core, _one(x)))


def mean(kernel: KernelLike, X: Inputs, weights: ArrayLike | None = None) -> Function:
    """The mean embedding of points: sum_i w_i k(x_i, .) / sum_i w_i.

    The distance of two of them is the maximum mean discrepancy of the two samples.
    """
    return Function._of(_core.mean_function(kernel_from(kernel)._core, as_points(X), weights))


def function_of(estimator: object, output: int = 0) -> Function:
    """The f of a fitted estimator, or one output of it, without its bias, which is no part of the space."""
    return Function._of(_core.function_of(estimator.model_, output))
