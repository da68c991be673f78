"""Embeddings: kernel principal components and maps from distances."""
from __future__ import annotations

import copy
import functools
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import NotFittedError
from sklearn.metrics import pairwise_distances
from sklearn.utils import check_array, check_symmetric
from sklearn.utils.validation import _num_samples, check_is_fitted

from . import _core
from ._named_kernels import NamedKernels
from ._tasks import TaskMachine, seed_of
from .kernels import parse
from .ridge import KernelRidge

if TYPE_CHECKING:
    from typing_extensions import Self

    from ._types import ArrayLike, Callback, CentreCount, CentresBy, Inputs, KernelLike, Numbers, RandomState, Weights

_SOLVERS = {"auto": "auto", "dense": "dense", "krylov": "krylov", "arpack": "krylov", "randomized": "krylov"}


class _Embedder(ClassNamePrefixFeaturesOutMixin, TransformerMixin, TaskMachine):
    """What pca and mds share: the number of components, the solver, and coordinates."""

    _at_most = False

    def _components(self):
        return "all" if self.n_components is None else self.n_components

    def _settings(self):
        if self.eigen_solver not in _SOLVERS:
            raise ValueError(f"eigen_solver must be one of {', '.join(_SOLVERS)}, not {self.eigen_solver!r}")
        settings = {"components": self._components(), "at_most": self._at_most, "solver": _SOLVERS[self.eigen_solver]}
        if settings["components"] == "all":
            settings["solver"] = "auto"  # products give a few of them
        if self.tol:
            settings["tolerance"] = self.tol
        return settings

    @classmethod
    def _params_of(cls, settings):
        components = settings["components"]
        number = None if components == "all" else float(components)
        return {"n_components": int(number) if number and number >= 1 else number,
                "eigen_solver": settings["solver"], "tol": float(settings["tolerance"])}

    def _fit_points(self, X, sample_weight):
        if _num_samples(X) == 1:
            raise ValueError(f"{type(self).__name__} needs points that differ, and there is only 1 sample")
        self._fit_weighted(X, self._weights(sample_weight, X))
        self._after_load()
        return self

    @property
    def _eigenvalues(self):
        columns, rows = self.report_["tables"]["components"]
        return rows[:, columns.index("eigenvalue")]

    @property
    def _n_features_out(self):
        return self.eigenvalues_.shape[0]

    def _coordinates(self, X):
        """As many columns as the model has."""
        return self._scores(X)[:, :self._eigenvalues.shape[0]]


class KernelPCA(NamedKernels, _Embedder):
    """Kernel principal components: coordinates along the directions of feature space in which the points differ most.

    Takes scikit-learn's arguments. Few components of many points take about ten products with K, whose values are computed on the way: no
    n x n matrix is made unless it is small, or costs more to compute than to keep (up to 2 GB).

    Parameters
    ----------
    n_components : int, float or None
        So many; below 1: as few as explain this share of the variance; None: all of them whose variance is not 0.
    kernel, gamma, degree, coef0, kernel_params
        As of KernelRidge: "linear", "rbf", ..., a Kernel, a text of the grammar, "precomputed" or a function of two rows.
    alpha : float
        The ridge of the inverse transform that is learnt.
    fit_inverse_transform : bool
        Learn the way back from coordinates to inputs: a ridge regression with the same kernel between coordinates.
    eigen_solver : "auto", "dense" or "krylov"
        All eigenvalues of K, or few by products with it; "arpack" and "randomized" mean the latter.
    tol : float
        Of krylov: |K v - lambda v| <= tol lambda_1, K centred. 0: 1e-9.
    remove_zero_eig : bool
        Leave out components of variance 0; else there are n_components columns, the last of them 0.
    random_state : int, RandomState or None
        Where krylov begins; it shows in the last digits only.
    max_iter : None, iterated_power : "auto"
        Limits of ARPACK and of the randomized solver. Here `tol` is the end, and other values are refused.
    copy_X : bool
        Whether X_fit_ is a copy of X; the model has one of its own anyway.
    n_jobs : None or int
        Threads, counted as scikit-learn does (-1: all), where `threads` is None.
    verbose, callback, threads
        A progress bar; a function of (stage, fraction) that may return False to stop; threads to use (None: all).
    centres, centres_by
        How many of the points stand for all (None: all points), and how they are chosen; as of KernelRidge.

    Attributes
    ----------
    eigenvalues_ : array, decreasing
        Of the centred K.
    eigenvectors_ : array, one column for each component
        Of length 1; the entry of largest size is positive.
    explained_variance_, explained_variance_ratio_ : arrays
    gamma_ : float
    X_fit_ : the training points
    dual_coef_, X_transformed_fit_ : arrays
        Of the inverse transform.
    centres_ : the centres, where there are some
    n_features_in_, feature_names_in_, kernel_, model_, report_

    >>> import numpy as np
    >>> angle = np.linspace(0, 6, 40)
    >>> rings = np.vstack([r * np.column_stack([np.cos(angle), np.sin(angle)]) for r in (1, 3)])
    >>> y = KernelPCA(2, kernel="rbf", gamma=0.5).fit_transform(rings)
    >>> bool(y[:40, 0].min() > y[40:, 0].max() or y[:40, 0].max() < y[40:, 0].min())
    True
    """

    _machine = "pca"
    _at_most = True

    def __init__(self, n_components: float | None = None, *, kernel: KernelLike = "linear", gamma: float | None = None,
                 degree: int = 3, coef0: float = 1, kernel_params: dict[str, Any] | None = None, alpha: float = 1.0,
                 fit_inverse_transform: bool = False, eigen_solver: str = "auto", tol: float = 0,
                 max_iter: None = None, iterated_power: str = "auto", remove_zero_eig: bool = False,
                 random_state: RandomState = None, copy_X: bool = True, n_jobs: int | None = None, verbose: int = 0,
                 callback: Callback | None = None, threads: int | None = None, centres: CentreCount = None,
                 centres_by: CentresBy = "rpcholesky") -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.alpha = alpha
        self.fit_inverse_transform = fit_inverse_transform
        self.eigen_solver = eigen_solver
        self.tol = tol
        self.max_iter = max_iter
        self.iterated_power = iterated_power
        self.remove_zero_eig = remove_zero_eig
        self.random_state = random_state
        self.copy_X = copy_X
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback
        self.threads = threads
        self.centres = centres
        self.centres_by = centres_by

    def _settings(self):
        return {**super()._settings(), "seed": seed_of(self.random_state)}

    def fit(self, X: Inputs, y: Any = None, sample_weight: Weights = None) -> Self:
        """Finds the components of X. y is not looked at; a weight of 2 is the point twice."""
        if self.fit_inverse_transform and self._wants_matrix():
            raise ValueError("Cannot fit_inverse_transform with a precomputed kernel.")
        if self.max_iter is not None or self.iterated_power != "auto":
            raise ValueError(f"max_iter={self.max_iter!r}, iterated_power={self.iterated_power!r}: eigenvectors are as exact "
                             "as `tol` says, however many steps that takes; leave both out, or end the fit by callback=")
        X = self._checked(X, reset=True)
        self.gamma_ = self._gamma(X)
        self.X_fit_ = copy.deepcopy(X) if self.copy_X and not isinstance(X, _core.Points) else X
        self._fit_points(X, sample_weight)
        self._weights_fitted = self._weights(sample_weight, X)
        if self.fit_inverse_transform:
            self._learn_inverse(X)
        return self

    def fit_transform(self, X: Inputs, y: Any = None, sample_weight: Weights = None) -> Numbers:
        """The coordinates of X, after `fit`."""
        return self._filled(self.fit(X, y, sample_weight).model_.fitted)

    def transform(self, X: Inputs) -> Numbers:
        """The coordinates of each row of X."""
        check_is_fitted(self, "model_")
        return self._filled(self._coordinates(X))

    def reconstruction_errors(self, X: Inputs) -> Numbers:
        """What the components leave out of each row: its squared distance from them in feature space.

        Large for rows that are unlike the training points. For a kernel, not for a matrix or a function.
        """
        self._points_with_kernel(X, "reconstruction_errors")
        scores = self._scores(X)
        return np.maximum(scores[:, -1] - (scores[:, :-1] ** 2).sum(axis=1), 0)

    def inverse_transform(self, X: ArrayLike) -> Numbers:
        """Inputs from coordinates, as learnt by `fit_inverse_transform`."""
        if not hasattr(self, "_inverse"):
            raise NotFittedError("The fit_inverse_transform parameter was not set to True when instantiating and hence "
                                 "the inverse transform is not available.")
        return self._inverse.predict(X)

    def pre_images(self, X: ArrayLike) -> Numbers:
        """Inputs from coordinates, for the kernel rbf: those whose features are nearest, by a fixed point."""
        check_is_fitted(self, "model_")
        given = check_array(X, dtype=np.float64, order="C")[:, :self._eigenvalues.shape[0]]
        return self.model_.pre_images(np.ascontiguousarray(given), self._threads())

    def _learn_inverse(self, X):
        if hasattr(X, "toarray"):
            raise ValueError("fit_inverse_transform: inputs are found as dense rows; give X.toarray()")
        kernel = self.kernel_ if self.kernel_ is not None else self.kernel
        self._inverse = KernelRidge(alpha=self.alpha, kernel=kernel, kernel_params=self.kernel_params,
                                    threads=self.threads)
        self.X_transformed_fit_ = self._filled(self.model_.fitted)
        self._inverse.fit(self.X_transformed_fit_, X)
        self.dual_coef_ = self._inverse.dual_coef_

    def _filled(self, columns):
        """Zeros for components that were asked for and are not there."""
        missing = self.eigenvalues_.shape[0] - columns.shape[1]
        return columns if missing == 0 else np.hstack([columns, np.zeros((columns.shape[0], missing))])

    @property
    def eigenvalues_(self) -> Numbers:
        check_is_fitted(self, "model_")
        found = self._eigenvalues
        number = self.n_components
        if self.remove_zero_eig or number is None or number < 1 or number <= found.shape[0]:
            return found
        return np.append(found, np.zeros(int(number) - found.shape[0]))

    @property
    def eigenvectors_(self) -> Numbers:
        """Of the centred K; with weights, of W^1/2 K W^1/2."""
        vectors = self.model_.fitted / np.sqrt(self._eigenvalues)
        weights = self.__dict__.get("_weights_fitted")
        return self._filled(vectors if weights is None else np.sqrt(weights)[:, None] * vectors)

    @property
    def explained_variance_(self) -> Numbers:
        """The mean square of each coordinate."""
        return self._figures("variance")

    @property
    def explained_variance_ratio_(self) -> Numbers:
        """The share of each component in the variance of the points in feature space."""
        return self._figures("share")

    def _figures(self, name):
        columns, rows = self.report_["tables"]["components"]
        figures = rows[:, columns.index(name)]
        return np.append(figures, np.zeros(self.eigenvalues_.shape[0] - figures.shape[0]))


class ClassicalMDS(_Embedder):
    """Classical scaling: the map in few dimensions that keeps distances best, and the places of new points in it.

    Parameters
    ----------
    n_components : int, float or None
        So many; below 1: as few as explain this share; None: all of positive eigenvalues.
    metric : str or function
        "euclidean", "precomputed" (X is the matrix of distances) or what scikit-learn's `pairwise_distances` takes.
    metric_params : dict
        More arguments of the metric.
    kernel : Kernel, text of the grammar, or None
        Distances between features instead: d^2 = k(x,x) + k(y,y) - 2 k(x,y), for any data that the kernel takes.
    eigen_solver, tol, verbose, callback, threads
        As of KernelPCA.

    Attributes
    ----------
    embedding_ : array, one row for each point
    eigenvalues_ : array, decreasing
    negative_eigenvalues_, negative_share_ : int, float
        How far distances that were given are from Euclidean: how many eigenvalues are negative, and their share of the
        sum of the sizes of all. None where that was not computed: more than 2,000 points; 0 for a kernel.
    n_features_in_, feature_names_in_, kernel_, model_, report_

    >>> import numpy as np
    >>> m = ClassicalMDS(1, metric="precomputed").fit([[0, 1, 3], [1, 0, 2], [3, 2, 0]])
    >>> np.ptp(m.embedding_).round(6)
    3.0
    >>> m.transform([[2, 1, 1]]).round(6) - m.embedding_[1].round(6)
    array([[1.]])
    """

    _machine = "mds"

    def __init__(self, n_components: float | None = 2, *, metric: Any = "euclidean",
                 metric_params: dict[str, Any] | None = None, kernel: KernelLike | None = None,
                 eigen_solver: str = "auto", tol: float = 0, verbose: int = 0, callback: Callback | None = None,
                 threads: int | None = None) -> None:
        self.n_components = n_components
        self.metric = metric
        self.metric_params = metric_params
        self.kernel = kernel
        self.eigen_solver = eigen_solver
        self.tol = tol
        self.verbose = verbose
        self.callback = callback
        self.threads = threads

    def _wants_matrix(self):
        return "precomputed" == (self.metric if self.kernel is None else self.kernel)

    def _chosen_kernel(self, X):
        if self._wants_matrix():
            return "precomputed"
        if self.kernel is not None:
            if self.metric != "euclidean" or self.metric_params:
                raise ValueError("ClassicalMDS: a kernel or a metric, not both")
            return super()._chosen_kernel(X)
        if self.metric == "euclidean" and not self.metric_params:
            return parse("linear()")
        return functools.partial(pairwise_distances, metric=self.metric, **(self.metric_params or {}))

    def fit(self, X: Inputs, y: Any = None, sample_weight: Weights = None) -> Self:
        """Places the points of X. y is not looked at; a weight of 2 is the point twice."""
        if self._wants_matrix():
            X = check_symmetric(check_array(X, dtype=np.float64), tol=1e-6, raise_exception=True)
        return self._fit_points(self._checked(X, reset=True), sample_weight)

    def fit_transform(self, X: Inputs, y: Any = None, sample_weight: Weights = None) -> Numbers:
        """The places of the points of X."""
        return self.fit(X, y, sample_weight).embedding_

    def transform(self, X: Inputs) -> Numbers:
        """The places of new points, by Gower's rule: rows of X, or of their distances from the old points."""
        check_is_fitted(self, "model_")
        return self._coordinates(X)

    @property
    def embedding_(self) -> Numbers:
        check_is_fitted(self, "model_")
        return self.model_.fitted

    @property
    def eigenvalues_(self) -> Numbers:
        check_is_fitted(self, "model_")
        return self._eigenvalues

    def _negative(self, name):
        figures = self.report_["figures"]
        return figures.get(name, None if "smallest_eigenvalue" in figures else 0.0)

    @property
    def negative_eigenvalues_(self) -> int | None:
        count = self._negative("negative_eigenvalues")
        return None if count is None else int(count)

    @property
    def negative_share_(self) -> float | None:
        return self._negative("negative_share")
