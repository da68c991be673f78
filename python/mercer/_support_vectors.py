"""What the support vector machines have in common: kernels by scikit-learn's names, limits, attributes, words."""
from __future__ import annotations

import math
import numbers
import re
import warnings

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _check_sample_weight, check_consistent_length, check_is_fitted, column_or_1d

from ._arguments import documented, is_function, kernel_from, named_kernel, numbers_of
from ._base import KernelMachine
from .kernels import Kernel
from .maps import copy_maps, map_texts, mapped_rows

_NAMES = ("linear", "poly", "rbf", "sigmoid")
_LINEAR = re.compile(r"((fixed\([^()]+\)|\([^()]+\)|[^()*]+)\*)?linear\(\)")  # with a number before it, or without
_BLOCK = 1 << 20  # numbers at a time, where a copy of X would be large

_COMMON = """
    kernel : a Kernel, "linear", "poly", "rbf", "precomputed", a text of the grammar, or a callable, default="rbf"
        "rbf" is exp(-gamma |x-y|^2) and "poly" is (gamma x.y + coef0)^degree. A Kernel such as `mercer.matern(ell=2.0)`
        and a text such as "2*rbf(ell=0.5) + linear()" have their numbers themselves, which are the parameters
        `kernel__ell`, ...; gamma, degree and coef0 are not theirs. "precomputed": X is the matrix of kernel values, in
        `predict` one row for each new point and one column for each training point. A callable takes two arrays and
        returns such a matrix; `predict` asks it about the support vectors alone. "sigmoid" is refused: it is no kernel.
    degree : int, default=3
        Of "poly".
    gamma : "scale", "auto" or a number of at least 0, default="scale"
        Of "rbf" and "poly": "scale" is 1 / (n_features X.var()), a point of weight 2 counting as two; "auto" is
        1 / n_features.
    coef0 : float, default=0.0
        Of "poly"; at least 0, since the formula is no kernel below.
    tol : float, default=1e-3
        The largest violation of the KKT conditions at the end.
    shrinking : bool, default=True
        Is there so that programs written for scikit-learn run: the solver always works on the points that matter, and
        the result is the same either way.
    cache_size : float, default=None
        Megabytes for kernel values, at most. None: planned from the memory that is free.
    verbose : int, default=0
        1 shows a progress bar.
    max_iter : int, default=-1
        Pair updates of each problem, at most; -1: no limit.
    callback : callable, default=None
        Called with the stage and the fraction of it that is done, a few times a second. Returning False ends the fit
        with what it has found so far.
    threads : int, default=None
        None: MERCER_NUM_THREADS, else OMP_NUM_THREADS, else all cores.
    centres : int or "auto", default=None
        So many of the points stand for all: f is made of them alone, and still fitted to all. "auto": as many as help
        points held out. None: all points.
    centres_by : "rpcholesky", "uniform", "kmeans++" or "thinning", default="rpcholesky"
        How they are chosen: by what those before leave of k(x, x), alike, by distance, or with a mean near that of
        all.
    prepare : str or list of str, default=None
        Maps of rows that come before the kernel, in their order, such as "deskew(28x28), unit_norm"; the model keeps
        them, and `predict` takes rows as they came. gamma="scale" is of what they give.
    invariance : str, function or list of these, default=None
        Maps that make copies of a row that mean the same, such as "shift(28x28, 1)": the machine is fitted, then again
        to its support vectors and copies of them. A function takes an array of rows and returns one of the same shape.
        Copies are made behind "deskew" and before other maps of `prepare`. Excludes probability, centres and matrices
        of kernel values."""

_CLASSIFIER = """
    probability : bool, default=False
        Fit probabilities to scores of points held out in five folds. `predict` is then the most probable class.
    class_weight : dict or "balanced", default=None
        Factors of the weights of the points of each class; "balanced" is n_samples / (n_classes n_samples_of_class).
    decision_function_shape : "ovr" or "ovo", default="ovr"
        Whether `decision_function` has a column for each class, or one for each pair of classes.
    break_ties : bool, default=False
        Whether `predict` decides between classes with the same number of votes by `decision_function`, which must be
        "ovr". Where probability=True there are no ties.
    random_state : int, RandomState or None, default=None
        Is there so that programs written for scikit-learn run: nothing here is random."""

_FITTED = """
    support_, support_vectors_ : numbers of the support vectors, and they themselves
    n_support_ : how many there are (of each class)
    dual_coef_, intercept_ : f(x) = sum_i dual_coef_[0, i] k(support_vectors_[i], x) + intercept_[0]
    centres_ : with `centres`, and with `invariance`, f(x) = sum_j dual_coef_[0, j] k(centres_[j], x) + intercept_[0], and there are no support_,
        support_vectors_ and n_support_; of several classes dual_coef_ has a row for each pair
    coef_ : the weights of the features, for the linear kernel
    n_iter_ : pair updates
    fit_status_ : 0 when converged, else 1
    shape_fit_ : shape of the training data
    kernel_ : the Kernel, with the numbers that it had
    report_ : objectives, gap, why the fit ended, time
    model_ : the model of the core"""


_documented = documented(common=_COMMON, classifier=_CLASSIFIER, fitted=_FITTED)


def _variance(X, weights=None):
    """Of all numbers of X, each as often as its row's weight says, without a copy of X."""
    if weights is None and not sparse.issparse(X) and X.size <= _BLOCK:
        return float(X.var(dtype=np.float64))
    weights = np.ones(X.shape[0]) if weights is None else weights
    count = weights.sum() * X.shape[1]
    if sparse.issparse(X):
        of_row = np.repeat(weights, np.diff(X.indptr))
        mean = of_row @ X.data.astype(np.float64) / count
        return of_row @ np.square(X.data, dtype=np.float64) / count - mean**2
    rows = max(1, _BLOCK // X.shape[1])
    parts = [slice(begin, begin + rows) for begin in range(0, X.shape[0], rows)]
    mean = sum(float(weights[part] @ X[part].sum(axis=1, dtype=np.float64)) for part in parts) / count
    squares = (np.square(X[part].astype(np.float64) - mean).sum(axis=1) for part in parts)
    return sum(float(weights[part] @ square) for part, square in zip(parts, squares)) / count


class _SupportVectorMachine(KernelMachine):
    """What the five have in common."""

    _kernel_names = _NAMES

    def __init__(self, *, kernel, degree, gamma, coef0, shrinking, tol, cache_size, verbose, max_iter, callback, threads,
                 centres, centres_by, prepare, invariance):
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.tol = tol
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.callback = callback
        self.threads = threads
        self.centres = centres
        self.centres_by = centres_by
        self.prepare = prepare
        self.invariance = invariance

    def _kernel_for(self, X):
        kernel = self._kernel_meant()
        if isinstance(kernel, str) and kernel in _NAMES:
            return named_kernel(kernel, gamma=self._gamma, degree=self._degree(), coef0=float(self.coef0))
        return kernel if is_function(kernel) else kernel_from(kernel)

    def _gamma_for(self, X, weights):
        gamma = self.gamma
        if isinstance(gamma, str):
            if gamma == "auto":
                return 1.0 / X.shape[1]
            if gamma == "scale":
                variance = _variance(X, weights)
                return 1.0 / (X.shape[1] * variance) if variance > 0 else 1.0
        elif isinstance(gamma, numbers.Real) and gamma >= 0 and np.isfinite(gamma):
            return float(gamma)
        raise ValueError(f"gamma is {gamma!r}; give 'scale', 'auto' or a finite number of at least 0")

    def _degree(self):
        if not isinstance(self.degree, numbers.Integral) or self.degree < 0:
            raise ValueError(f"degree is {self.degree!r}; give a whole number of at least 0")
        return int(self.degree)

    def _settings(self):
        limit = self.max_iter
        if not isinstance(limit, numbers.Integral) or (limit != -1 and limit < 1):
            raise ValueError(f"max_iter is {limit!r}; give a whole number from 1, or -1 for no limit")
        texts, _ = copy_maps(self.invariance)
        return {"tolerance": self.tol, "max_iterations": 0 if limit == -1 else int(limit),
                "invariance": ", ".join(texts) or None}

    def _map_options(self, kernel):
        """What the core is told of maps, beside the settings."""
        maps, (texts, functions) = map_texts(self.prepare, "prepare"), copy_maps(self.invariance)
        if (maps or texts or functions) and (self._structured or self._inputs is not None or not isinstance(kernel, Kernel)):
            raise ValueError("prepare and invariance are for rows of numbers and a kernel of Mercer's; leave them out, or "
                             "map the rows before")
        if (texts or functions) and self.centres is not None:
            raise ValueError("invariance makes copies of support vectors, and with centres there are none; give one of "
                             "them")
        return {**({"prepare": maps} if maps else {}), **({"copies": functions} if functions else {})}

    def _prepared(self, X):
        """The rows of X as the kernel sees them."""
        maps = map_texts(self.prepare, "prepare")
        if not maps or self._structured:
            return X
        return mapped_rows(X, maps)

    def _memory(self):
        if self.cache_size is None:
            return 0
        if not isinstance(self.cache_size, numbers.Real) or not self.cache_size > 0:
            raise ValueError(f"cache_size is {self.cache_size!r}; give megabytes, above 0, or None")
        return max(1, int(self.cache_size * 2**20))

    @classmethod
    def _params_of(cls, settings):
        params = super()._params_of(settings)
        if "tolerance" in settings:
            params["tol"] = float(settings["tolerance"])
        if "max_iterations" in settings:
            params["max_iter"] = int(settings["max_iterations"]) or -1
        if "invariance" in settings:
            params["invariance"] = settings["invariance"] or None
        return params

    def _weights(self, sample_weight, X):
        """The weights of the points; gamma is read off the data with them."""
        weights = None if sample_weight is None else self._checked_weights(sample_weight, X)
        scaled = isinstance(self.kernel, str) and self.kernel in ("rbf", "poly")
        self._gamma = self._gamma_for(self._prepared(X), weights) if scaled else 1.0
        return weights

    def _checked_weights(self, sample_weight, X):
        """Below 0 counts as 0, as in scikit-learn, though not without a word."""
        weights = np.asarray(sample_weight, dtype=np.float64)
        if (weights <= 0).all():
            raise ValueError("Invalid input - all samples have zero or negative weights.")
        if self._structured:
            weights = column_or_1d(weights)
            check_consistent_length(X, weights)
        else:
            weights = _check_sample_weight(weights, X, dtype=np.float64)
        negative = np.count_nonzero(weights < 0)
        if negative:
            warnings.warn(f"sample_weight: {negative} of {len(weights)} are below 0 and count as 0", stacklevel=4)
            weights = np.maximum(weights, 0)
        return weights

    def _after_fit(self, X):
        """Fitted attributes that every one of them has."""
        report = self.model_.report
        self.fit_status_ = 0 if report["converged"] else 1
        self._n_iter = report["iterations"]
        self.shape_fit_ = X.shape if hasattr(X, "shape") else (len(X),)
        self._sparse = sparse.issparse(X)
        for name in ("support_", "support_vectors_", "n_support_"):
            self.__dict__.pop(name, None)
        if self._has_centres():
            self._set_centres()
            return
        self._set_expansion()
        self.support_vectors_ = self._support_vectors_of(X)

    def _has_centres(self):
        """Whether f is made of other points than training points: of centres, or of copies."""
        return self._on_centres() or "invariance" in self.model_.report["tables"]

    def _support_vectors_of(self, X):
        if self._precomputed:
            return np.empty((0, 0))
        return X[self.support_] if hasattr(X, "shape") and not hasattr(X, "iloc") else _safe_indexing(X, self.support_)

    def _set_expansion(self):
        self.support_ = self.model_.support.astype(np.int32)
        self.dual_coef_ = self._matrix(self.model_.alpha.T)
        self.intercept_ = self.model_.bias
        self.n_support_ = np.array([len(self.support_)], dtype=np.int32)

    def _set_centres(self):
        """f in terms of centres, none of which belongs to a class or to a training point."""
        self.dual_coef_ = np.ascontiguousarray(self.model_.alpha.T)
        self.intercept_ = self.model_.bias

    def _matrix(self, values):
        """Coefficients are sparse where the inputs were, as in scikit-learn."""
        return sparse.csr_matrix(values) if self._sparse else np.ascontiguousarray(values)

    def _after_load(self):
        report = self.model_.report
        self.fit_status_ = 0 if report["converged"] else 1
        self._n_iter = report["iterations"]
        self._sparse = False
        self.shape_fit_ = (self.model_.training_size, self.n_features_in_)
        self.prepare = self.model_.prepare or None
        if self._has_centres():
            self._set_centres()
            return
        self._set_expansion()
        self.support_vectors_ = np.empty((0, 0))
        centres = self.model_.centres
        if centres is not None and centres.kind == "reals":
            ordered = np.searchsorted(self.model_.support, self.support_)
            self.support_vectors_ = numbers_of(centres)[ordered]

    @property
    def n_iter_(self):
        """Pair updates of the solver."""
        check_is_fitted(self, "model_")
        return self._n_iter

    @property
    def coef_(self):
        """Weights of the features, for a linear kernel: f(x) = coef_ x + intercept_."""
        check_is_fitted(self, "model_")
        if not _LINEAR.fullmatch(repr(self.kernel_)) or self.model_.scaling != "none" or self.model_.prepare:
            raise AttributeError("coef_ is there for linear kernels of inputs as they come, not for "
                                 f"{self.kernel_ or self.kernel!r}")
        scale = math.prod(one["value"] for one in self.kernel_.params)
        if self._has_centres():
            weights = scale * self.dual_coef_ @ numbers_of(self.model_.centres)
        else:
            alpha = self.model_.alpha[np.searchsorted(self.model_.support, self.support_)].T * scale
            weights = (sparse.csr_matrix(alpha) if self._sparse else alpha) @ self.support_vectors_
        # The model does not follow changes made here, so none can be made.
        (weights.data if sparse.issparse(weights) else weights).flags.writeable = False
        return weights

    def _warn_unless_converged(self):
        report = self.model_.report
        if report["converged"]:
            return
        if report["stopped"] == "iteration limit":
            text = (f"Solver terminated early (max_iter={self.max_iter}).  Consider pre-processing your data with "
                    "StandardScaler or MinMaxScaler.")
        else:
            text = (f"not converged: {report['stopped']}, after {report['iterations']} steps; the optimality conditions "
                    f"are violated by {report['figures']['gap']:.3g}, tol is {self.tol}. A smaller C or nu, a kernel "
                    "with a shorter reach, or scaled inputs (StandardScaler) may help.")
        warnings.warn(f"{type(self).__name__}: {text}", ConvergenceWarning, stacklevel=5)
