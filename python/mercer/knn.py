"""The nearest neighbours in feature space."""
from __future__ import annotations

import numbers
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import _num_samples, check_is_fitted

from . import _core
from ._arguments import documented
from ._tasks import Classifier, Probabilities, Regressor, TaskMachine

if TYPE_CHECKING:
    from typing_extensions import Self

    from ._types import ArrayLike, Callback, Inputs, KernelLike, Numbers, Weights

_COMMON = """
    n_neighbors : int
    kernel : Kernel, text of the grammar, name of the catalog, "precomputed", or function (X, Y) -> matrix
    weights : "uniform" or "distance"
        What a neighbour counts: 1, or 1 over its distance; where some are at distance 0, these alone count.
    algorithm : "auto", "brute", "kd_tree" or "ball_tree", leaf_size : int
        How scikit-learn finds neighbours. They are the same whichever is named; here all distances are computed.
    metric, p, metric_params
        Those of the Euclidean distance ("minkowski" with p=2, or "euclidean"), which linear() has: other distances are
        those of other kernels, and other values are refused.
    n_jobs : None or int
        Threads, counted as scikit-learn does (-1: all), where `threads` is None.
    verbose, callback, threads
        A progress bar; a function of (stage, fraction) that may return False to stop; threads to use (None: all)."""

_documented = documented(common=_COMMON)

_VOTES = {"uniform": "equal", "distance": "distance"}


class _Neighbours(TaskMachine):
    """What both share. d(x, y)^2 = k(x,x) + k(y,y) - 2 k(x,y)."""

    def __init__(self, n_neighbors: int = 5, *, kernel: KernelLike = "linear()", weights: str = "uniform",
                 algorithm: str = "auto", leaf_size: int = 30, p: float = 2, metric: str = "minkowski",
                 metric_params: dict[str, Any] | None = None, n_jobs: int | None = None, verbose: int = 0,
                 callback: Callback | None = None, threads: int | None = None) -> None:
        self.n_neighbors = n_neighbors
        self.kernel = kernel
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.metric_params = metric_params
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback
        self.threads = threads

    def _settings(self):
        if self.weights not in _VOTES:
            raise ValueError(f"weights is {self.weights!r}; \"uniform\" or \"distance\"")
        euclidean = self.metric in ("euclidean", "l2") or (self.metric == "minkowski" and self.p == 2)
        if not euclidean or self.metric_params:
            raise ValueError(f"metric={self.metric!r}, p={self.p!r}, metric_params={self.metric_params!r}: distances are "
                             "those of the kernel, with linear() the Euclidean ones; give another kernel, such as "
                             "laplace(ell=1), whose neighbours are those of the Manhattan distance")
        if self.algorithm not in ("auto", "brute", "kd_tree", "ball_tree"):
            raise ValueError(f"algorithm is {self.algorithm!r}; \"auto\", \"brute\", \"kd_tree\" or \"ball_tree\"")
        if not isinstance(self.leaf_size, numbers.Integral) or self.leaf_size < 1:
            raise ValueError(f"leaf_size is {self.leaf_size!r}; give a whole number from 1 on")
        return {"neighbours": self.n_neighbors, "votes": _VOTES[self.weights]}

    @classmethod
    def _params_of(cls, settings):
        weights = {there: here for here, there in _VOTES.items()}[settings.get("votes", "equal")]
        return {"n_neighbors": int(settings["neighbours"]), "weights": weights}

    def _fit_weighted(self, X, sample_weight, **targets):
        count = _num_samples(X)
        if sample_weight is None and isinstance(self.n_neighbors, numbers.Integral) and self.n_neighbors > count:
            raise ValueError(f"Expected n_neighbors <= n_samples, but n_neighbors = {self.n_neighbors}, "
                             f"n_samples = {count}")
        return super()._fit_weighted(X, sample_weight, **targets)

    def _rows(self, X):
        rows = super()._rows(X)
        if self.weights != "distance":
            return rows
        own = [float(self._called(self._callable, X[i:i + 1], X[i:i + 1])[0, 0]) for i in range(len(rows))]
        return np.column_stack([rows, own])

    def _scores(self, X):
        if self.weights == "distance" and getattr(self, "_precomputed", False):
            raise ValueError('weights="distance" needs k(x, x) of new points, which a matrix of k(x, X) does not hold; '
                             'fit with a kernel, or take weights="uniform"')
        return super()._scores(X)

    def kneighbors(self, X: Inputs | None = None, n_neighbors: int | None = None,
                   return_distance: bool = True) -> tuple[Numbers, np.ndarray] | np.ndarray:
        """The nearest training points of each row of X, by distance in feature space: distances and row numbers.

        Without X, of each training point among the others (of weight above 0). Of equal distances the first row wins.
        """
        check_is_fitted(self, "model_")
        count = self.n_neighbors if n_neighbors is None else n_neighbors
        model = self.model_
        if not self._has_kernel():
            raise ValueError("kneighbors needs the kernel and the points: fit with a kernel, not a matrix or a function")
        x, among = (model.centres, None) if X is None else (self._points(self._checked(X)), model.centres)
        far, which = _core.neighbours(model.kernel, x, among, count, self._threads())
        which = model.support[which]
        return (far, which) if return_distance else which


@_documented
class KernelKNNClassifier(Probabilities, _Neighbours, Classifier):
    """The class that most of the nearest points in feature space have: d(x, y)^2 = k(x,x) + k(y,y) - 2 k(x,y).

    With `linear()` these are the neighbours of scikit-learn's KNeighborsClassifier, and with rbf of any width too. Of
    classes with equal votes the one that comes nearest wins. Points that are equally far, and of which only some can be
    among the nearest, share the places that are left: the order of the rows decides nothing.

    Parameters
    ----------
    {common}

    Attributes
    ----------
    classes_, n_features_in_, feature_names_in_, kernel_, model_, report_

    >>> m = KernelKNNClassifier(1, kernel="spectrum(k=2)").fit(["abab", "baba", "ccc", "cccc"], [0, 0, 1, 1])
    >>> m.predict(["ab", "cc"])
    array([0, 1])
    """

    _machine = "knn"

    def fit(self, X: Inputs, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Remembers the points and their classes; a point of weight 2 counts as two neighbours."""
        return self._fit_classes(X, y, sample_weight)


@_documented
class KernelKNNRegressor(_Neighbours, Regressor):
    """The mean of the nearest points' targets, by distance in feature space: d(x, y)^2 = k(x,x) + k(y,y) - 2 k(x,y).

    Parameters
    ----------
    {common}

    Attributes
    ----------
    n_features_in_, feature_names_in_, kernel_, model_, report_

    >>> m = KernelKNNRegressor(2).fit([[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 4.0, 9.0])
    >>> m.predict([[0.4], [2.6]])
    array([0.5, 6.5])
    """

    _machine = "knn_regression"

    def fit(self, X: Inputs, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Remembers the points and their targets; a point of weight 2 counts as two neighbours."""
        return self._fit_numbers(X, y, sample_weight)

    def _after_load(self):
        self._flat = self.model_.outputs == 2  # the last output is the weight


KernelKNN = KernelKNNClassifier
