"""Explicit features whose inner products are near a kernel's: from some of the points, or from random frequencies."""
from __future__ import annotations

import functools
import numbers
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import linalg, sparse
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import _num_samples, check_is_fitted

from . import _core
from ._arguments import is_function
from ._base import KernelMachine
from ._named_kernels import NamedKernels
from ._tasks import TaskMachine
from .kernels import Kernel, parse

if TYPE_CHECKING:
    from typing_extensions import Self

    from ._types import Inputs, KernelLike, Numbers, RandomState

_BLOCK = 1 << 22  # numbers of the kernel that are in memory beside the features
_CACHED = 1 << 16  # numbers that stay in a core's cache from one step to the next


class _FeatureMap(ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """What both share: float32 stays float32, and there is no model of the core behind them."""

    def _require_components(self):
        count = self.n_components
        if isinstance(count, (bool, np.bool_)) or not isinstance(count, numbers.Integral) or count < 1:
            raise ValueError(f"n_components must be a whole number from 1, not {count!r}")

    def _more_tags(self):
        return {"preserves_dtype": [np.float64, np.float32]}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def save(self, path):
        """Feature maps are no models, and have no file of their own."""
        raise ValueError(f"{type(self).__name__} is no model of the core, and no .mercer file holds it: pickle it, or "
                         'fit a machine with a kernel such as "random_features(rbf(ell=1), count=1000)"')


class Nystroem(NamedKernels, _FeatureMap, TaskMachine):
    """Features from the kernel's values at some of the training points, the centres z_j:

        phi(x) = K_zz^-1/2 k(z, x),  so that  phi(x).phi(y) = k(x, z) K_zz^-1 k(z, y),

    which is k where x or y is a centre, and nowhere above it for x = y. Takes scikit-learn's arguments and gives its
    features; any kernel of Mercer's, on texts, graphs, ... too. n m values of the kernel and 2 n m^2 flops for m centres,
    block by block: beside the features no more than 32 MB. Arrays, memory-mapped ones too, are read where they are.

    Parameters
    ----------
    kernel, gamma, degree, coef0, kernel_params
        "rbf", "linear", "poly", ..., a Kernel, a text of the grammar, "precomputed" or a function of two rows. Names and
        numbers of scikit-learn's that make no kernel ("sigmoid", a degree of 3.1) are functions like any other: nothing
        is proved of them. Precomputed: K(X, X) in `fit`, K(x, X) in `transform`.
    n_components : int, default=100
        How many centres.
    random_state : int, RandomState or None
        Which points they are.
    n_jobs : None or int
        Threads, counted as scikit-learn does (-1: all), where `threads` is None.
    centres_by : "uniform" or "rpcholesky", default="uniform"
        All points alike, or each next one with a chance in proportion to what the centres before leave of k(x, x):
        pivots of a randomly pivoted Cholesky factor, which find small clusters and need fewer centres. They end early
        where nothing is left. Needs a kernel or a matrix.
    threads : int, default=None
        To use; None: all.

    Attributes
    ----------
    components_ : the centres; precomputed: their rows of K
    component_indices_ : which of the training points these are
    normalization_ : K_zz^-1/2, eigenvalues below 1e-12 counted as that
    kernel_ : the Kernel with its resolved numbers, None for functions and matrices
    n_features_in_, feature_names_in_

    >>> import numpy as np
    >>> X = np.random.RandomState(0).rand(200, 3)
    >>> phi = Nystroem("rbf(ell=1)", n_components=40, centres_by="rpcholesky", random_state=0).fit_transform(X)
    >>> phi.shape, bool(abs(phi @ phi.T - parse("rbf(ell=1)")(X)).max() < 1e-3)
    ((200, 40), True)
    """

    def __init__(self, kernel: KernelLike = "rbf", *, gamma: float | None = None, coef0: float | None = None,
                 degree: float | None = None, kernel_params: dict[str, Any] | None = None, n_components: int = 100,
                 random_state: RandomState = None, n_jobs: int | None = None, centres_by: str = "uniform",
                 threads: int | None = None):
        self.kernel = kernel
        self.gamma = gamma
        self.coef0 = coef0
        self.degree = degree
        self.kernel_params = kernel_params
        self.n_components = n_components
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.centres_by = centres_by
        self.threads = threads

    def fit(self, X: Inputs, y: object = None) -> Self:
        """Chooses the centres. y is not looked at."""
        self._require_components()
        X = self._checked(X, reset=True)
        count = _num_samples(X)
        if self.n_components > count:
            warnings.warn("n_components > n_samples. This is not possible.\nn_components was set to n_samples, which "
                          "results in inefficient evaluation of the full kernel.", stacklevel=2)
        kernel = self._kernel_for(X)
        if isinstance(kernel, Kernel) and any(one["auto"] for one in kernel.params):
            self._warn_of_equal_inputs(kernel, X)
            kernel = kernel.resolve(self._points(X))
        self._kernel = kernel
        which = self._choose_centres(X, min(count, self.n_components))
        self.components_ = _safe_indexing(X, which)
        self.component_indices_ = which
        values = self._between_centres()
        levels, axes = linalg.eigh(np.asarray(values, dtype=np.float64))
        roots = np.where(levels < -1e-12, -1, 1) / np.sqrt(np.maximum(abs(levels), 1e-12))
        self.normalization_ = ((axes * roots) @ axes.T).astype(values.dtype, copy=False)
        self._n_features_out = len(which)
        return self

    def transform(self, X: Inputs) -> Numbers:
        """phi of each point, a row of `n_components` numbers."""
        check_is_fitted(self, "components_")
        X = self._checked(X)
        count, m = _num_samples(X), self._n_features_out
        rows = self._rows_of(X)
        step = max(64, _BLOCK // m)
        out = None
        for start in range(0, count, step):
            block = rows(slice(start, min(count, start + step)))
            if out is None:
                out = np.empty((count, m), dtype=np.result_type(block.dtype, self.normalization_.dtype))
            np.dot(block, self.normalization_.T, out=out[start:start + step])
        return out

    @property
    def kernel_(self) -> Kernel | None:
        """The kernel with its resolved numbers; None where it is a function or a matrix."""
        check_is_fitted(self, "components_")
        return self._kernel if isinstance(self._kernel, Kernel) else None

    def _choose_centres(self, X, count):
        """The one place where centres are chosen: indices of distinct points."""
        random = check_random_state(self.random_state)
        if self.centres_by == "uniform":
            return random.permutation(_num_samples(X))[:count]
        if self.centres_by != "rpcholesky":
            raise ValueError(f'centres_by must be "uniform" or "rpcholesky", not {self.centres_by!r}')
        if is_function(self._kernel):
            raise ValueError('centres_by="rpcholesky" chooses by values of the kernel among all points: give a kernel or '
                             'kernel="precomputed", and not a function')
        seed = int(random.randint(2**31 - 1))
        if isinstance(self._kernel, Kernel):
            return _core.rpcholesky(self._kernel._core, self._points(X), count, seed, self._threads())
        return _core.rpcholesky_of(X, count, seed, self._threads())

    def _between_centres(self):
        """K of the centres."""
        if isinstance(self._kernel, Kernel):
            return self._kernel._core.gram(self._points(self.components_), threads=self._threads())
        if is_function(self._kernel):
            return self._called(self._kernel, self.components_, self.components_)
        return self.components_[:, self.component_indices_]

    def _rows_of(self, X):
        """A function from a slice of checked X to its rows of K(X, centres)."""
        if isinstance(self._kernel, Kernel):
            points, centres, core = self._points(X), self._points(self.components_), self._kernel._core
            return lambda some: core.cross(points[some], centres, threads=self._threads())
        if is_function(self._kernel):
            return lambda some: self._called(self._kernel, _safe_indexing(X, some), self.components_)
        return lambda some: X[some][:, self.component_indices_]

    def _chosen_kernel(self, X):
        kernel = self._kernel_meant()
        own = {name: value for name in ("gamma", "coef0", "degree") if (value := getattr(self, name)) is not None}
        if not isinstance(kernel, str) or kernel not in self._kernel_names:
            if own and not isinstance(kernel, Kernel) and (is_function(kernel) or kernel == "precomputed"):
                raise ValueError("Don't pass gamma, coef0 or degree to Nystroem if using a callable or precomputed kernel")
            if own:
                raise ValueError(f"{', '.join(own)} belong to the kernels that scikit-learn names; {kernel!r} has its "
                                 "numbers inside")
            return super()._chosen_kernel(X)
        return _named(kernel, X.shape[1], {**(self.kernel_params or {}), **own})


def _named(name, width, params):
    """What scikit-learn calls so: a Kernel where it is one, else its function of two arrays."""
    gamma = params.get("gamma")
    gamma = 1 / width if gamma is None else gamma
    degree, coef0 = params.get("degree", 3), params.get("coef0", 1)
    known = {"linear": set(), "cosine": set(), "rbf": {"gamma"}, "laplacian": {"gamma"}, "chi2": {"gamma"},
             "poly": {"gamma", "degree", "coef0"}, "polynomial": {"gamma", "degree", "coef0"}}.get(name, set())
    if set(params) <= known or name in ("linear", "cosine"):
        if name in ("linear", "cosine"):
            return parse(f"{name}()")
        if name == "chi2":
            return parse(f"chi2(gamma={float(params.get('gamma', 1.0))!r})")
        if name == "rbf" and gamma > 0:
            return parse(f"rbf(gamma={float(gamma)!r})")
        if name == "laplacian" and gamma > 0:
            return parse(f"laplace(ell={1 / float(gamma)!r})")
        if name in ("poly", "polynomial") and gamma > 0 and degree >= 1 and degree == int(degree) and coef0 >= 0:
            return parse(f"{float(gamma) ** degree!r}*poly(degree={int(degree)}, c={float(coef0 / gamma)!r})")
    return functools.partial(pairwise_kernels, metric=name, filter_params=True, **params)


class RBFSampler(_FeatureMap, KernelMachine):
    """Random Fourier features of exp(-gamma |x-y|^2): sqrt(2/D) cos(x.w_j + b_j) with w_j normal and b_j uniform.

    Takes scikit-learn's arguments and gives its features, to the same random numbers. The error falls with
    1/sqrt(D). The kernel `random_features(rbf(ell=1), count=1000)` has orthogonal frequencies and both cosine and sine,
    which is nearer to k for the same D, and is a kernel of its own: machines take it, and models hold it.

    Parameters
    ----------
    gamma : float or "scale", default=1.0
        "scale" is 1 / (n_features X.var()).
    n_components : int, default=100
        D, the number of features.
    random_state : int, RandomState or None

    Attributes
    ----------
    random_weights_ : array of n_features x n_components
    random_offset_ : array of n_components
    n_features_in_, feature_names_in_

    >>> import numpy as np
    >>> X = np.random.RandomState(0).rand(5, 3)
    >>> phi = RBFSampler(n_components=10000, random_state=0).fit_transform(X)
    >>> phi.shape, bool(abs(phi @ phi.T - parse("rbf(gamma=1)")(X)).max() < 0.03)
    ((5, 10000), True)
    """

    def __init__(self, *, gamma: float | str = 1.0, n_components: int = 100, random_state: RandomState = None):
        self.gamma = gamma
        self.n_components = n_components
        self.random_state = random_state

    def fit(self, X: Inputs, y: object = None) -> Self:
        """Draws the frequencies, of as many columns as X has. y is not looked at."""
        self._require_components()
        X = self._checked(X, reset=True)
        random = check_random_state(self.random_state)
        self._gamma = self._gamma_of(X)
        weights = (2.0 * self._gamma) ** 0.5 * random.normal(size=(X.shape[1], self.n_components))
        dtype = np.float32 if X.dtype == np.float32 else np.float64
        self.random_weights_ = weights.astype(dtype, copy=False)
        self.random_offset_ = random.uniform(0, 2 * np.pi, size=self.n_components).astype(dtype, copy=False)
        self._n_features_out = self.n_components
        return self

    def transform(self, X: Inputs) -> Numbers:
        """The features of each row of X."""
        check_is_fitted(self, "random_weights_")
        X = self._checked(X)
        weights, offset = self.random_weights_, self.random_offset_
        out = safe_sparse_dot(X, weights)
        step = max(1, _CACHED // weights.shape[1])
        for start in range(0, len(out), step):
            block = out[start:start + step]
            block += offset
            np.cos(block, out=block)
            block *= (2.0 / weights.shape[1]) ** 0.5
        return out

    def _gamma_of(self, X):
        if isinstance(self.gamma, str) and self.gamma == "scale":
            variance = X.multiply(X).mean() - X.mean() ** 2 if sparse.issparse(X) else X.var()
            return 1.0 / (X.shape[1] * variance) if variance != 0 else 1.0
        if not isinstance(self.gamma, numbers.Real) or isinstance(self.gamma, bool) or not 0 <= self.gamma < np.inf:
            raise ValueError(f'gamma must be "scale" or a number from 0, not {self.gamma!r}')
        return self.gamma

    def _keeps_structure(self, X):
        return False
