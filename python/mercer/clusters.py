"""Clusters: k-means in feature space, and normalised cuts."""
from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.neighbors import NearestNeighbors, kneighbors_graph
from sklearn.utils.validation import _num_samples, check_is_fitted

from ._arguments import kernel_from, named_kernel
from ._tasks import TaskMachine, seed_of
from .kernels import Kernel

if TYPE_CHECKING:
    from typing_extensions import Self

    from ._types import ArrayLike, Callback, CentreCount, CentresBy, Inputs, KernelLike, Numbers, Weights


class _Clusters(ClusterMixin, TaskMachine):
    """Of a machine that finds clusters. They are numbered from 0, the largest first."""

    def _settings(self):
        return {**super()._settings(), "seed": seed_of(self.random_state)}

    def _fit_points(self, X, sample_weight, **checks):
        X = self._checked(X, reset=True, **checks)
        if _num_samples(X) < self.n_clusters:
            raise ValueError(f"n_samples={_num_samples(X)} should be >= n_clusters={self.n_clusters}.")
        self._fit_weighted(X, self._weights(sample_weight, X))
        if len(self.model_.classes) < self.n_clusters:
            warnings.warn(f"{type(self).__name__}: the kernel tells only {len(self.model_.classes)} different points apart, "
                          f"fewer than n_clusters={self.n_clusters}", ConvergenceWarning, stacklevel=3)
        return self

    @property
    def labels_(self) -> np.ndarray:
        check_is_fitted(self, "model_")
        return self.model_.fitted[:, 0].astype(np.intp)

    @property
    def n_iter_(self) -> int:
        return self.report_["iterations"] + 1  # the last finds nothing to move


class KernelKMeans(ClassNamePrefixFeaturesOutMixin, TransformerMixin, _Clusters):
    """Clusters around means in feature space: minimises sum_i w_i |phi(x_i) - mean of its cluster|^2.

    With the linear kernel this is plain k-means. No kernel needs real vectors: strings, graphs and tables have clusters
    too. Clusters are numbered from 0, the one of the largest weight first.

    Parameters
    ----------
    n_clusters : int, default=8
        Fewer where there are fewer distinct points; it warns then.
    kernel : Kernel, text of the grammar, name of the catalog, "precomputed", or function (X, Y) -> matrix
    n_init : int, default=10
        Starts, each by k-means++ in feature space; the best is taken. They share the products with the kernel's matrix.
    max_iter : int, default=300
        Iterations of each start.
    tol : float, default=0
        Ends when the sum of squares falls by less than this part of it; 0: when no point is nearer to another mean.
    random_state : int, RandomState or None
        None is always the same seed.
    verbose, callback, threads
        A progress bar; a function of (stage, fraction) that may return False to stop; threads to use (None: all).
    centres, centres_by
        How many of the points stand for all (None: all points), and how they are chosen; as of KernelRidge.

    Attributes
    ----------
    labels_ : array of the cluster of each training point
    inertia_ : float
        The sum of squares.
    silhouette_ : float or None
        How well the clusters are apart in feature space, at most 1; of more than 2,000 points, over a sample. None of one
        cluster.
    n_iter_ : int
    centres_ : the centres, where there are some

    >>> import numpy as np
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1]])
    >>> m = KernelKMeans(n_clusters=2, kernel="linear()").fit(X)
    >>> m.labels_, m.predict([[4.0]])
    (array([0, 0, 0, 1, 1]), array([1]))
    """

    _machine = "kmeans"
    _options = {"n_clusters": "clusters", "n_init": "starts", "max_iter": "max_iterations", "tol": "tolerance"}

    def __init__(self, n_clusters: int = 8, kernel: KernelLike = "rbf(ell=auto)", *, n_init: int = 10, max_iter: int = 300,
                 tol: float = 0.0, random_state: int | np.random.RandomState | None = None, verbose: int = 0,
                 callback: Callback | None = None, threads: int | None = None, centres: CentreCount = None,
                 centres_by: CentresBy = "rpcholesky") -> None:
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback
        self.threads = threads
        self.centres = centres
        self.centres_by = centres_by

    def fit(self, X: Inputs, y: None = None, sample_weight: Weights = None) -> Self:
        """Finds the clusters of the rows of X. y is not looked at."""
        return self._fit_points(X, sample_weight)

    @property
    def inertia_(self) -> float:
        return self.report_["figures"]["objective"]

    @property
    def silhouette_(self) -> float | None:
        return self.report_["figures"].get("silhouette")

    @property
    def _n_features_out(self):
        return len(self.model_.classes)

    def _squared_distances(self, X, whole=True):
        """One column per cluster. Without `whole`, less k(x, x) where that is not known."""
        check_is_fitted(self, "model_")
        if self._has_kernel():
            return self._scores(X)
        X = self._checked(X)
        if self._precomputed:
            if whole:
                raise ValueError("distances need k(x, x) of new points, which rows of k(x, X) do not say: fit with a "
                                 "kernel or a function")
            rows, own = np.ascontiguousarray(X, dtype=np.float64), np.zeros(_num_samples(X))
        else:
            rows = self._rows(X)
            own = np.array([self._called(self._callable, X[i:i + 1], X[i:i + 1])[0, 0] for i in range(_num_samples(X))])
        return self.model_.scores_from_rows(np.column_stack([rows, own]))

    def predict(self, X: Inputs) -> np.ndarray:
        """The cluster of the nearest mean, for each row of X."""
        return np.argmin(self._squared_distances(X, whole=False), axis=1)

    def transform(self, X: Inputs) -> Numbers:
        """The distance in feature space of each row of X from the mean of each cluster."""
        return np.sqrt(np.maximum(self._squared_distances(X), 0))

    def score(self, X: Inputs, y: None = None, sample_weight: Weights = None) -> float:
        """Less the sum of squared distances from the nearest means: larger is better."""
        nearest = np.maximum(self._squared_distances(X), 0).min(axis=1)
        return -float(nearest.sum() if sample_weight is None else nearest @ self._weights(sample_weight, X))


class SpectralClustering(_Clusters):
    """Clusters of any shape: the division of the points that cuts least of what they have in common.

    Minimises the normalised cut, sum over clusters of cut / degree, with k(x, y) for what two points have in common (and
    nothing of a point with itself): begun at eigenvectors, as scikit-learn's class does it, then refined on the cut itself.
    The arguments are scikit-learn's.

    Parameters
    ----------
    n_clusters : int, default=8
    eigen_solver : None, "arpack", "lobpcg" or "amg"
        Which eigenvectors are meant does not depend on it; block Lanczos finds them, whichever is named.
    n_components : int or None
        Eigenvectors to begin with; None: n_clusters.
    random_state : int, RandomState or None
        None is always the same seed.
    n_init : int, default=10
        Starts of k-means among the eigenvectors.
    gamma : float, default=1.0
        Of "rbf" and of the names of scikit-learn's that take it: exp(-gamma |x-y|^2).
    affinity : default="rbf"
        A Kernel, a text of the grammar such as "rbf(ell=auto)" or "wl(3)"; "rbf", "poly", "nearest_neighbors",
        "precomputed", "precomputed_nearest_neighbors" or another name of scikit-learn's; or a function of two rows. Of numbers
        that are given only their sums need be above 0.
    n_neighbors : int, default=10
        Of "nearest_neighbors".
    eigen_tol : "auto"
        The eigenvectors are exact to 1e-9 of the largest eigenvalue; another tolerance is refused.
    assign_labels : "kmeans", "discretize" or "cluster_qr"
        How eigenvectors become the clusters to begin with.
    degree, coef0 : of "poly"
    kernel_params : dict, for a function
    n_jobs : for "nearest_neighbors"
    verbose, callback, threads
        A progress bar; a function of (stage, fraction) that may return False to stop; threads to use (None: all).
    centres, centres_by
        How many of the points stand for all (None: all points), and how they are chosen; as of KernelRidge.
    refine : bool, default=True
        Whether to go on from the eigenvectors by lowering the cut itself.

    Attributes
    ----------
    labels_ : array of the cluster of each training point, the largest cluster being 0
    affinity_matrix_ : what the points have in common; computed when asked for, and not with centres
    normalised_cut_ : float
    n_iter_ : int
    centres_ : the centres, where there are some

    >>> import numpy as np
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1]])
    >>> m = SpectralClustering(n_clusters=2).fit(X)
    >>> m.labels_, m.predict([[4.0]])
    (array([0, 0, 0, 1, 1]), array([1]))
    """

    _machine = "spectral"
    _kernel_argument = "affinity"
    _options = {"n_clusters": "clusters", "n_components": "components", "n_init": "starts", "assign_labels": "assign",
                "refine": "refine"}

    def __init__(self, n_clusters: int = 8, *, eigen_solver: str | None = None, n_components: int | None = None,
                 random_state: int | np.random.RandomState | None = None, n_init: int = 10, gamma: float = 1.0,
                 affinity: KernelLike = "rbf", n_neighbors: int = 10, eigen_tol: str = "auto",
                 assign_labels: str = "kmeans", degree: float = 3, coef0: float = 1, kernel_params: dict | None = None,
                 n_jobs: int | None = None, verbose: int = 0, refine: bool = True, callback: Callback | None = None,
                 threads: int | None = None, centres: CentreCount = None,
                 centres_by: CentresBy = "rpcholesky") -> None:
        self.n_clusters = n_clusters
        self.eigen_solver = eigen_solver
        self.n_components = n_components
        self.random_state = random_state
        self.n_init = n_init
        self.gamma = gamma
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.eigen_tol = eigen_tol
        self.assign_labels = assign_labels
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.refine = refine
        self.callback = callback
        self.threads = threads
        self.centres = centres
        self.centres_by = centres_by

    def _settings(self):
        return {**super()._settings(), "neighbours": 0}  # what points have in common is what the affinity says

    def _is_given(self):
        return isinstance(self.affinity, str) and self.affinity.startswith("precomputed")

    def _wants_matrix(self):
        return self._is_given()

    def _kernel_with_numbers(self):
        if isinstance(self.affinity, str):
            return kernel_from(self.affinity) if "(" in self.affinity else None
        return self.affinity if isinstance(self.affinity, Kernel) else None

    def _chosen_kernel(self, X):
        kernel = self._kernel_with_numbers()
        if kernel is not None:
            return kernel
        if self.affinity in ("rbf", "poly", "polynomial", "linear"):
            return named_kernel(self.affinity[:4] if self.affinity.startswith("poly") else self.affinity,
                                gamma=self.gamma if self.affinity == "rbf" else self._poly_gamma(X),
                                degree=self.degree, coef0=self.coef0)
        return "precomputed" if self._is_given() else self._numbers

    def _poly_gamma(self, X):
        return self.gamma if self.gamma is not None else 1 / X.shape[1]

    def _numbers(self, X, Y):
        """What points have in common, as scikit-learn computes it."""
        if self.affinity == "nearest_neighbors":
            joined = kneighbors_graph(X, n_neighbors=self.n_neighbors, include_self=True, n_jobs=self.n_jobs)
            return 0.5 * (joined + joined.T)
        params = dict(self.kernel_params or {})
        if not callable(self.affinity):
            params.update(gamma=self.gamma, degree=self.degree, coef0=self.coef0)
        return pairwise_kernels(X, Y, metric=self.affinity, filter_params=True, **params)

    def fit(self, X: Inputs, y: None = None, sample_weight: Weights = None) -> Self:
        """Finds the clusters of the rows of X, or of a matrix of what they have in common. y is not looked at."""
        if self.eigen_solver not in (None, "arpack", "lobpcg", "amg"):
            raise ValueError(f"eigen_solver is {self.eigen_solver!r}; it stands for scikit-learn's 'arpack', 'lobpcg' or "
                             "'amg', or None")
        if self.eigen_tol != "auto":
            raise ValueError(f"eigen_tol is {self.eigen_tol!r}; the eigenvectors are exact to 1e-9, leave it 'auto'")
        return self._fit_points(self._given(X), sample_weight)

    def _given(self, X):
        if not self._is_given():
            return X
        if self.affinity == "precomputed_nearest_neighbors":
            near = NearestNeighbors(n_neighbors=self.n_neighbors, n_jobs=self.n_jobs, metric="precomputed").fit(X)
            joined = near.kneighbors_graph(X=X, mode="connectivity")
            X = 0.5 * (joined + joined.T)
        elif self.affinity != "precomputed":
            raise ValueError(f"affinity={self.affinity!r}: there are 'precomputed' and 'precomputed_nearest_neighbors'")
        return X.toarray() if sparse.issparse(X) else X

    def _fit_core(self, X, **options):
        self._affinity = X if self._is_given() else None
        return super()._fit_core(X, **options)

    def _called(self, kernel, X, Y):
        self._affinity = super()._called(kernel, X, Y)
        return self._affinity

    def _after_load(self):
        self._affinity = None

    @property
    def affinity_matrix_(self) -> Numbers:
        check_is_fitted(self, "model_")
        if self._affinity is not None:
            return self._affinity
        if self._on_centres():
            raise AttributeError("affinity_matrix_: with centres what all points have in common is not computed")
        if not self._has_kernel():
            raise AttributeError("affinity_matrix_: the matrix that was given is not kept in a file")
        return self.kernel_(self.model_.centres)

    @property
    def normalised_cut_(self) -> float:
        return self.report_["figures"]["normalised_cut"]

    def predict(self, X: Inputs) -> np.ndarray:
        """The cluster of each row of X, in the geometry of the cut; X goes to where it has most in common.

        Of a precomputed affinity, rows of what new points have in common with those of the fit.
        """
        check_is_fitted(self, "model_")
        if self._callable is not None:
            raise ValueError(f"affinity={self.affinity!r} says nothing of new points; use a kernel of Mercer's")
        return self._ask(X, "predict")[:, 0].astype(np.intp)
