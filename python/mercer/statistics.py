"""Kernel statistics: tests of distributions, alignment of kernels, points that stand for many.

Inputs are whatever the estimators take: arrays, sparse matrices, tables, texts, graphs, bags. A kernel is a Kernel or a
text of the grammar; where several are taken, a list of them is tried together, and p is that of all.

>>> import numpy as np
>>> from mercer import statistics
>>> rng = np.random.default_rng(0)
>>> result = statistics.mmd_test(rng.normal(size=(100, 2)), rng.normal(size=(80, 2)) + 1)
>>> result.rejected, result.p < 0.01, len(result.parts)
(True, True, 20)
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, NamedTuple, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._kernel import Kernel, as_kernel
from ._points import as_points

__all__ = ["Part", "TestResult", "alignment", "alignments", "bandwidths", "distance_to_all", "herding", "hsic",
           "hsic_test", "ksd", "ksd_test", "mmd", "mmd_test", "normality_test", "thinning"]

KernelLike = Union[Kernel, str]
Kernels = Union[Kernel, str, Sequence[KernelLike]]
_Callback = Union[Callable[[str, float], Any], None]


class Part(NamedTuple):
    """What one kernel, or one pair of kernels, found alone."""

    kernel: str
    statistic: float
    p: float


@dataclass(frozen=True)
class TestResult:
    """What a test found. `p` never is 0: it is (1 + resamples that reach the statistic) / (1 + resamples).

    With several kernels `p` is of all together, `statistic` that of the kernel with the smallest p, and `parts` has what
    each found. `remarks` says what a reader should know, such as samples too small for any p to be small.
    """

    __test__ = False  # pytest: this is no test of ours

    statistic: float
    p: float
    alpha: float
    rejected: bool
    null: str
    resamples: int
    seed: int
    parts: list[Part]
    remarks: list[str]


def _result(found):
    return TestResult(**{**found, "parts": [Part(*part) for part in found["parts"]]})


def _kernel(kernel):
    kernel = as_kernel(kernel)
    if isinstance(kernel, str):
        raise ValueError('kernel: "precomputed" has no points to resample; give a kernel')
    return kernel._core


def _kernels(kernel):
    return [_kernel(one) for one in ([kernel] if isinstance(kernel, (str, Kernel)) else kernel)]


def _is_unbiased(estimate):
    if estimate not in ("unbiased", "biased"):
        raise ValueError(f'estimate: "unbiased" or "biased", not {estimate!r}')
    return estimate == "unbiased"


def mmd(X, Y, kernel: KernelLike = "rbf(ell=auto)", *, estimate: str = "unbiased") -> float:
    """The squared maximum mean discrepancy of two samples: the distance of their means in feature space.

    >>> round(mmd([[-1.0], [0], [0.5], [2]], [[0.0], [1], [1.5], [3], [-0.5]], "rbf(ell=1)", estimate="biased"), 12)
    0.046928334279
    """
    return _core.mmd2(_kernel(kernel), as_points(X), as_points(Y, "Y"), _is_unbiased(estimate))


def mmd_test(X, Y, kernel: Kernels | None = None, *, statistic: str = "unbiased", null: str = "permutations",
             scale: str | None = None, resamples: int = 2000, alpha: float = 0.05, seed: int = 1,
             callback: _Callback = None) -> TestResult:
    """Are X and Y samples of one distribution?

    Parameters
    ----------
    kernel : None tries ten laplace and ten rbf kernels of all scales at once (numbers only); or one kernel, or several.
    statistic : "unbiased", "biased", or "linear": in linear time, for very many points, with p from the normal
        distribution.
    null : "permutations", which is exact; or "signs" for samples of one size: points are paired, and pairs change sides.
    scale : "none", "centred", "standard" or "minmax", of the columns, by both samples together. By default "standard" without a
        kernel, and "none" with one, or where X is sparse.
    resamples, alpha, seed : p is at least 1/(resamples + 1); rejected is p <= alpha.

    Neither the order of the rows nor which sample comes first matters to p. Columns of tables are matched by name.
    """
    if statistic not in ("unbiased", "biased", "linear"):
        raise ValueError(f'statistic: "unbiased", "biased" or "linear", not {statistic!r}')
    if null not in ("permutations", "signs"):
        raise ValueError(f'null: "permutations" or "signs", not {null!r}')
    if statistic == "linear" and kernel is None:
        kernel = "rbf(ell=auto)"
    if scale is None:
        scale = "standard" if kernel is None and not hasattr(X, "tocsr") else "none"
    found = _core.test_mmd([] if kernel is None else _kernels(kernel), as_points(X), as_points(Y, "Y"),
                           statistic != "biased", "normal" if statistic == "linear" else null, scale, resamples, alpha,
                           seed, callback)
    return _result(found)


def bandwidths(X) -> list[Kernel]:
    """The kernels that mmd_test tries when it is given none, for these points."""
    return [Kernel(one) for one in _core.bandwidths(as_points(X))]


def hsic(X, Y, kernel_x: KernelLike = "rbf(ell=auto)", kernel_y: KernelLike = "rbf(ell=auto)", *,
         estimate: str = "unbiased") -> float:
    """The Hilbert-Schmidt independence criterion: the squared norm of the covariance of two features.

    >>> x, z = [[-1.0], [0], [0.5], [2]], [[1.0], [-1], [0.3], [2.5]]
    >>> round(hsic(x, z, "rbf(ell=1)", "rbf(ell=1)", estimate="biased"), 12)
    0.08366711451
    """
    return _core.hsic(_kernel(kernel_x), as_points(X), _kernel(kernel_y), as_points(Y, "Y"), _is_unbiased(estimate))


def hsic_test(X, Y, kernel_x: Kernels = "rbf(ell=auto)", kernel_y: Kernels = "rbf(ell=auto)", *,
              estimate: str = "unbiased", resamples: int = 1000, alpha: float = 0.05, seed: int = 1,
              callback: _Callback = None) -> TestResult:
    """Does Y depend on X? Row i of both is one observation; resamples pair them anew. Any kernel on each side.

    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(100, 1))
    >>> hsic_test(x, x**2 + 0.1 * rng.normal(size=(100, 1))).rejected    # no correlation, and dependence
    True
    """
    return _result(_core.test_hsic(_kernels(kernel_x), as_points(X), _kernels(kernel_y), as_points(Y, "Y"),
                                   _is_unbiased(estimate), resamples, alpha, seed, callback))


def _scores(score, X):
    """A matrix as it is; a function is called with X as an array, and must return an array of the same shape."""
    if not callable(score):
        return score
    return np.asarray(score(np.asarray(X, dtype=np.float64)), dtype=np.float64)


def ksd(X, score: ArrayLike | Callable[..., ArrayLike], kernel: KernelLike = "rq(ell=auto, alpha=0.5)", *,
        estimate: str = "unbiased") -> float:
    """The squared kernel Stein discrepancy of points to a density given by its score, the gradient of its logarithm.

    >>> x = np.array([[-1.0], [0], [0.5], [2]])
    >>> round(ksd(x, lambda x: -x, "rq(ell=1, alpha=0.5)", estimate="biased"), 12)    # to N(0, 1)
    0.236235370053
    """
    return _core.ksd2(_kernel(kernel), as_points(X), _scores(score, X), _is_unbiased(estimate))


def ksd_test(X, score: ArrayLike | Callable[..., ArrayLike], kernel: KernelLike = "rq(ell=auto, alpha=0.5)", *,
             estimate: str = "unbiased", resamples: int = 2000, alpha: float = 0.05, seed: int = 1,
             callback: _Callback = None) -> TestResult:
    """Do the points come from the density with this score?

    `score` is a function of an array of points that returns the scores of all of them, or these scores. The density must
    not be fitted to the same points. The kernel is rbf or rq with one ell, or a sum of multiples of these.
    """
    return _result(_core.test_ksd(_kernel(kernel), as_points(X), _scores(score, X), _is_unbiased(estimate), resamples,
                                  alpha, seed, callback))


def normality_test(X, *, resamples: int = 500, alpha: float = 0.05, seed: int = 1,
                   callback: _Callback = None) -> TestResult:
    """Are the points normal, with whatever mean and covariance? Exact, and the same in all units and after rotations.

    >>> normality_test(np.random.default_rng(0).exponential(size=(200, 2))).rejected
    True
    """
    return _result(_core.test_normality(as_points(X), resamples, alpha, seed, callback))


def alignments(X, kernels: Sequence[KernelLike]) -> NDArray[np.float64]:
    """How alike kernels are on these points: the cosines between their matrices with the mean taken out."""
    points = as_points(X)
    return _core.alignments([(_kernel(kernel), points) for kernel in kernels])


def alignment(X, y, kernel: KernelLike = "rbf(ell=auto)", *, classes: bool | None = None) -> float:
    """How well a kernel goes with what is to be predicted, from 0 to 1.

    y are numbers or classes; `classes` says which, and by default texts and truth values are classes.

    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> alignment(X, y, "rbf(ell=auto)", classes=True) > 0.5 > alignment(X[:, 1:2], y, "linear()", classes=True)
    True
    """
    y = np.asarray(y)
    if y.ndim != 1:
        raise ValueError(f"y has {y.ndim} dimensions; give one value for each point")
    if classes is None:
        classes = y.dtype.kind not in "iuf"
    target = (as_kernel("equal()"), as_points([str(one) for one in y.tolist()])) if classes else \
        (as_kernel("linear()"), as_points(y.reshape(-1, 1).astype(np.float64), "y"))
    return float(_core.alignments([(_kernel(kernel), as_points(X)), (target[0]._core, target[1])])[0, 1])


def herding(X, count: int, kernel: KernelLike = "rbf(ell=auto)", *, callback: _Callback = None) -> NDArray[np.int64]:
    """Numbers of `count` points that stand for all, the first ones already: each is like all and unlike those before.

    >>> herding([[0.0], [0.1], [-0.1], [3], [3.1]], 2, "rbf(ell=1)")
    array([0, 3])
    """
    return _core.herding(_kernel(kernel), as_points(X), count, callback)


def thinning(X, count: int, kernel: KernelLike = "rbf(ell=auto)", *, seed: int = 1,
             callback: _Callback = None) -> NDArray[np.int64]:
    """Numbers of `count` points that stand for all, by kernel thinning: halves again and again, then exchanges."""
    return _core.thinning(_kernel(kernel), as_points(X), count, seed, callback)


def distance_to_all(X, chosen: ArrayLike, kernel: KernelLike = "rbf(ell=auto)") -> float:
    """How far the mean of the chosen points is from that of all, in feature space.

    >>> X = np.random.default_rng(0).normal(size=(256, 2))
    >>> distance_to_all(X, thinning(X, 16)) < distance_to_all(X, range(16)) / 2
    True
    """
    return _core.distance_to_all(_kernel(kernel), as_points(X), [int(one) for one in np.asarray(chosen)])
