"""Densities of the inputs."""
from __future__ import annotations

import numbers
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import logsumexp
from sklearn.utils import check_random_state
from sklearn.utils.validation import _num_samples, check_is_fitted

from . import _core
from ._arguments import is_function
from ._tasks import TaskMachine
from .kernels import Kernel, parse

if TYPE_CHECKING:
    from typing_extensions import Self

    from ._types import Callback, Inputs, KernelLike, Numbers, RandomState, Weights

# scikit-learn's names, and what they mean in the catalog at each power of the distance.
_NAMES = {"gaussian": {2: "rbf(ell=1)"}, "exponential": {1: "laplace(ell=1)", 2: "exponential(ell=1)"}}
_POWERS = {"euclidean": 2, "l2": 2, "manhattan": 1, "l1": 1, "cityblock": 1}
_NO_KERNELS = {
    "tophat": "the indicator of a ball",
    "epanechnikov": "1 - |x-y|^2/h^2 within h",
    "linear": "1 - |x-y|/h within h, a kernel of one column alone,",
    "cosine": "a half wave of a cosine",
}
_SMALLEST = 1e-280  # densities below it have lost digits, or all
_ROWS = 1000  # whose distances from all points are in memory at once


class KernelDensity(TaskMachine):
    """The density of the inputs: f(x) = sum_i w_i k(x_i, x) / (Z sum_i w_i), Z the integral of k.

    Sums go over all points and are exact: no tree, no tolerance.

    Parameters
    ----------
    bandwidth : float, "loo", "scott" or "silverman", default=1.0
        The width: `ell` of the kernel of that name, and of a kernel that is given a factor of its own widths. "loo" is the
        width at which the points are likeliest, each by the density of the others; the rules are scikit-learn's, for inputs
        of unit variance.
    kernel : "gaussian", "exponential", or a Kernel or text that has an integral, default="gaussian"
        scikit-learn's other shapes (tophat, epanechnikov, linear, cosine) are not positive semi-definite: they are refused.
    metric : "euclidean" or "manhattan", default="euclidean"
        Of the kernels of a name. "minkowski" with its p is one of them or refused, "l2", "l1" and "cityblock" are their other
        names. exp(-distance) is a kernel for both, exp(-distance^2) for the Euclidean one alone: "gaussian" refuses
        "manhattan".
    metric_params : None or dict, default=None
        {"p": 1} or {"p": 2}, of "minkowski".
    algorithm : "auto", "kd_tree" or "ball_tree", leaf_size : int, breadth_first : bool
        How scikit-learn finds the points that a sum may leave out. No sum here leaves out any, so that every choice has the
        same answer; what is none of them is refused.
    atol, rtol : float, default=0
        How far from the sum over all points a density may be. It is that sum, so that any tolerance is met.
    verbose, callback, threads
        A progress bar; a function of (stage, fraction) that may return False to stop; threads to use (None: all).

    Attributes
    ----------
    bandwidth_ : float
    loo_ : float
        The mean over the points of the logarithm of their density by the others.

    >>> import numpy as np
    >>> X = np.random.RandomState(0).normal(size=(200, 1))
    >>> kde = KernelDensity(bandwidth="loo").fit(X)
    >>> round(float(kde.bandwidth_), 1)
    0.3
    >>> kde.score_samples([[0.0]]).round(1)
    array([-1.1])
    """

    _machine = "kde"
    _kernel_names = (*_NAMES, *_NO_KERNELS)

    def __init__(self, *, bandwidth: float | str = 1.0, algorithm: str = "auto", kernel: KernelLike = "gaussian",
                 metric: str = "euclidean", atol: float = 0, rtol: float = 0, breadth_first: bool = True,
                 leaf_size: int = 40, metric_params: dict[str, Any] | None = None, verbose: int = 0,
                 callback: Callback | None = None, threads: int | None = None) -> None:
        self.bandwidth = bandwidth
        self.algorithm = algorithm
        self.kernel = kernel
        self.metric = metric
        self.atol = atol
        self.rtol = rtol
        self.breadth_first = breadth_first
        self.leaf_size = leaf_size
        self.metric_params = metric_params
        self.verbose = verbose
        self.callback = callback
        self.threads = threads

    def _chosen_kernel(self, X):
        if isinstance(self.kernel, str):
            if self.kernel in _NO_KERNELS:
                raise ValueError(f"kernel={self.kernel!r}: {_NO_KERNELS[self.kernel]} is not positive semi-definite in every "
                                 "dimension, so it is no kernel; use 'gaussian', 'exponential', or a Kernel with an integral")
            if self.kernel in _NAMES:
                return parse(_NAMES[self.kernel][self._power()])
        if self._power() != 2:
            raise ValueError(f"metric={self.metric!r}: {self.kernel} has its own distance; leave the metric out")
        return super()._chosen_kernel(X)

    def _power(self):
        """p of the distance (sum_j |x_j - y_j|^p)^1/p: 1 or 2."""
        params = dict(self.metric_params or {})
        power = params.pop("p", 2) if self.metric == "minkowski" else _POWERS.get(self.metric)
        if power not in (1, 2) or params:
            raise ValueError(f"invalid metric {self.metric!r} with metric_params={self.metric_params!r}: densities here are "
                             "of the Euclidean or the Manhattan distance")
        if power == 1 and self.kernel == "gaussian":
            raise ValueError(f"metric={self.metric!r}: exp(-d^2/2) of this distance is not positive semi-definite, so it is "
                             "no kernel; use kernel='exponential', or the Euclidean distance")
        return power

    def _require_choices(self):
        """What is about trees changes no answer here, but a slip of the pen is told."""
        if self.algorithm not in ("auto", "kd_tree", "ball_tree"):
            raise ValueError(f"algorithm={self.algorithm!r}: 'auto', 'kd_tree' or 'ball_tree'")
        if not isinstance(self.leaf_size, numbers.Integral) or self.leaf_size < 1:
            raise ValueError(f"leaf_size={self.leaf_size!r}: a whole number from 1 on")
        if not isinstance(self.breadth_first, (bool, np.bool_)):
            raise ValueError(f"breadth_first={self.breadth_first!r}: True or False")

    def _kernel_for(self, X):
        kernel = super()._kernel_for(X)
        if any(one["auto"] for one in kernel.params):
            self._warn_of_equal_inputs(kernel, X)
            kernel = kernel.resolve(self._points(X))
        if isinstance(self.bandwidth, str) and self.bandwidth == "loo":
            return self._likeliest(kernel, X)
        self.bandwidth_ = self._width(X)
        widths = {name: np.multiply(self.bandwidth_, value).tolist() for name, value in kernel.values.items() if _is_width(name)}
        return kernel.with_params(**widths)

    def _width(self, X):
        if isinstance(self.bandwidth, str):
            if self._structured:
                raise ValueError(f"bandwidth={self.bandwidth!r} is a rule for columns of numbers; give a number")
            n, d = _num_samples(X), self.n_features_in_
            rules = {"scott": n, "silverman": n * (d + 2) / 4}
            if self.bandwidth not in rules:
                raise ValueError(f"bandwidth={self.bandwidth!r}: give a number above 0, 'loo', 'scott' or 'silverman'")
            return rules[self.bandwidth] ** (-1 / (d + 4))
        if not isinstance(self.bandwidth, numbers.Real) or not 0 < self.bandwidth < np.inf:
            raise ValueError(f"bandwidth={self.bandwidth!r}: give a number above 0, 'loo', 'scott' or 'silverman'")
        return float(self.bandwidth)

    def _likeliest(self, kernel, X):
        """The kernel with the ell that the core chooses, and that ell over the one it had."""
        before = {name: value for name, value in kernel.values.items() if _is_width(name)}
        if len(before) != 1 or np.ndim(next(iter(before.values()))) > 0:
            raise ValueError(f"bandwidth='loo' is for kernels of one width, and {kernel} is none; give a number")
        points = self._points(X)
        automatic = next(iter(parse("rbf(ell=auto)").resolve(points).values.values()))
        found = _core.choose("kde", {}, kernel=kernel.with_params(**{name: automatic for name in before})._core, points=points,
                             weights=self._given_weights, threads=self._threads())
        if found["words"].startswith("nothing"):
            raise ValueError(f"bandwidth='loo': {found['words'].partition(': ')[2].partition(';')[0]}")
        kernel = Kernel(found["kernel"])
        self.bandwidth_ = next(kernel.values[name] / value for name, value in before.items())
        return kernel

    def fit(self, X: Inputs, y: None = None, sample_weight: Weights = None) -> Self:
        """Remembers the points; y is there for scikit-learn's conventions."""
        self._power()
        self._require_choices()
        if self._wants_matrix() or is_function(self._kernel_meant()):
            raise ValueError("a density needs a kernel that has an integral, not a matrix or a function of Python")
        X = self._checked(X, reset=True)
        weights = self._weights(sample_weight, X)
        self._given_weights = weights
        try:
            return self._fit_weighted(X, weights)
        finally:
            del self._given_weights

    def _after_load(self):
        self.bandwidth_ = 1.0

    @property
    def loo_(self) -> float:
        return self.report_["figures"]["leave_one_out_log_likelihood"]

    def score_samples(self, X: Inputs) -> Numbers:
        """The logarithm of the density at each row of X."""
        density = self._ask(X, "predict")[:, 0]
        with np.errstate(divide="ignore"):
            logs = np.log(density)
        small = np.flatnonzero(density < _SMALLEST)
        if len(small) and self._leaf() in _LOGARITHMS:
            logs[small] = self._far_away(_numbers_in(self._points(self._checked(X))[small]))
        return logs if self._inputs is None else logs + np.log(self._inputs.volume)

    def _leaf(self):
        """The catalog's name of the kernel, where it is one with one width; models that scale their inputs have none."""
        name, _, rest = repr(self.kernel_).partition("(")
        plain = rest.startswith("ell=") and "(" not in rest and "[" not in rest and self.model_.scaling == "none"
        return name if plain else None

    def _far_away(self, X):
        """Where densities are beyond floating point, their logarithms are not."""
        ell = self.kernel_.values["ell"]
        distance, logarithm = _LOGARITHMS[self._leaf()]
        centres = _numbers_in(self.model_.centres)
        coefficients = self.model_.alpha[:, 0]
        return np.concatenate([logsumexp(logarithm(cdist(X[i:i + _ROWS], centres, distance) / ell), b=coefficients, axis=1)
                               for i in range(0, len(X), _ROWS)])

    def score(self, X: Inputs, y: None = None) -> float:
        """The sum of `score_samples`."""
        return float(np.sum(self.score_samples(X)))

    def sample(self, n_samples: int = 1, random_state: RandomState = None) -> Numbers:
        """Points drawn from the density; of kernels that are rbf, exponential or laplace."""
        check_is_fitted(self, "model_")
        leaf = self._leaf()
        if leaf not in _DRAWS:
            raise NotImplementedError(f"sample: draws from {self.kernel_} are not known; they are for rbf, exponential and "
                                      "laplace of one width")
        random = check_random_state(random_state)
        u = random.uniform(0, 1, size=n_samples)
        share = np.cumsum(self.model_.alpha[:, 0])
        which = np.minimum(np.searchsorted(share, u * share[-1]), len(share) - 1)
        return _DRAWS[leaf](random, _numbers_in(self.model_.centres)[which], self.kernel_.values["ell"])


def _numbers_in(points):
    """x.e_j, the columns of the identity: the numbers that the points hold, exactly."""
    return _core.parse("linear()").cross(points, _core.dense_points(np.eye(points.dimension)))


def _is_width(name):
    return name.rpartition(".")[2].partition("[")[0] == "ell"


def _normal(random, around, ell):
    return random.normal(around, ell)


def _on_spheres(random, around, ell):
    """exp(-r/ell): the radius is a gamma variable, the direction anything."""
    direction = random.normal(size=around.shape)
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    return around + direction * random.gamma(around.shape[1], ell, size=(len(around), 1))


def _in_each_column(random, around, ell):
    return random.laplace(around, ell)


# log k as a function of a distance over ell.
_LOGARITHMS = {
    "rbf": ("euclidean", lambda r: -r * r / 2),
    "exponential": ("euclidean", np.negative),
    "laplace": ("cityblock", np.negative),
}
_DRAWS = {"rbf": _normal, "exponential": _on_spheres, "laplace": _in_each_column}
