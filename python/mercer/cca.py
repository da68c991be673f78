"""Canonical correlation in feature space."""
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.utils.validation import _num_samples, check_is_fitted

from . import _core
from ._arguments import is_function, is_objects, kernel_from, setting
from ._points import as_points
from ._tasks import TaskMachine, seed_of
from .kernels import Kernel

if TYPE_CHECKING:
    from typing_extensions import Self

    from ._types import ArrayLike, Callback, CentreCount, CentresBy, Inputs, KernelLike, Numbers, RandomState, Weights


class KernelCCA(TransformerMixin, TaskMachine):
    """Functions of x and of y that are as correlated as can be: two views of the same points, each with a kernel.

        maximise  cov(f(x), g(y))   subject to  var f(x) + kappa |f|^2 = 1  and  var g(y) + lambda |g|^2 = 1

    and each further pair uncorrelated with those before. kappa is `ridge` times the variance of the view in feature
    space (the mean of k(x,x) after centring). Without a ridge every correlation would be 1 wherever the matrices have
    full rank, so 0 is refused; with linear kernels and a tiny ridge it is the CCA of textbooks.

    Parameters
    ----------
    n_components : int or None
        None: two, or one where there is no second.
    kernel, target_kernel : Kernel, text of the grammar, name of the catalog, "precomputed", or function (X, Y) -> matrix
        Of the two views. Y may be inputs of any kind that target_kernel takes: numbers, texts, graphs, ...
    ridge : float > 0
    n_permutations : int
        Random pairings of x and y for p-values; 0 for none.
    random_state : int, RandomState or None
        Of the permutations; None is always the same.
    verbose, callback, threads
        A progress bar; a function of (stage, fraction) that may return False to stop; threads to use (None: all).
    centres, centres_by
        How many of the points stand for all (None: all points), and how they are chosen; as of KernelRidge. As many points
        of y stand for all of them, where target_kernel has no few features.

    Attributes
    ----------
    correlations_ : of f(x) and g(y) over the points, one for each component
    rhos_ : what was maximised, in which the ridge counts
    p_values_ : the share of pairings whose largest rho is at least as large; only with n_permutations
    model_, y_model_ : the functions of x and of y
    centres_ : the centres of x, where there are some
    kernel_, target_kernel_, report_, n_features_in_, feature_names_in_

    >>> import numpy as np
    >>> t = np.linspace(0, 6, 60)
    >>> m = KernelCCA(1, kernel="rbf(ell=1)", target_kernel="rbf(ell=0.5)", ridge=0.01)
    >>> m = m.fit(t.reshape(-1, 1), np.cos(t))
    >>> bool(m.correlations_[0] > 0.95)
    True
    """

    _machine = "kcca"

    def __init__(self, n_components: int | None = None, *, kernel: KernelLike = "rbf(ell=auto)",
                 target_kernel: KernelLike = "linear()", ridge: float = 0.1, n_permutations: int = 0,
                 random_state: RandomState = None, verbose: int = 0, callback: Callback | None = None,
                 threads: int | None = None, centres: CentreCount = None,
                 centres_by: CentresBy = "rpcholesky") -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.target_kernel = target_kernel
        self.ridge = ridge
        self.n_permutations = n_permutations
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback
        self.threads = threads
        self.centres = centres
        self.centres_by = centres_by

    @classmethod
    def _params_of(cls, settings):
        components = settings.get("components", "auto")
        return {"n_components": None if components == "auto" else int(components),
                "target_kernel": settings["target_kernel"], "ridge": float(settings["ridge"]),
                "n_permutations": int(settings["permutations"]), "random_state": int(settings["seed"])}

    def _more_tags(self):
        return {**super()._more_tags(), "requires_y": True}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def _targets(self, Y):
        """Y as its kernel takes it: a column where it is one number a point."""
        if not is_objects(Y) and not hasattr(Y, "columns") and not isinstance(Y, _core.Points):
            Y = np.asarray(Y, dtype=np.float64)
            return Y.reshape(-1, 1) if Y.ndim == 1 else Y
        return Y

    def fit(self, X: Inputs, y: Inputs, sample_weight: Weights = None) -> Self:
        """Fits to the views X and y, row by row of the same points; a point of weight 2 counts as two."""
        if y is None:
            raise ValueError(f"This {type(self).__name__} estimator requires y to be passed, but the target y is None.")
        X = self._checked(X, reset=True)
        Y = self._targets(y)
        if _num_samples(Y) != _num_samples(X):
            raise ValueError(f"Found input variables with inconsistent numbers of samples: "
                             f"{[_num_samples(X), _num_samples(Y)]}")
        weights = self._weights(sample_weight, X)
        self._count = None if weights is None else np.flatnonzero(weights)
        try:
            kernel = self._kernel_for(X)
        finally:
            del self._count
        other = self.target_kernel
        if not is_function(other):
            other = kernel_from(other)
        x, gram_x = self._view(kernel, X, self._points)
        y, gram_y = self._view(other, Y, lambda values: as_points(values, "y"))
        callback = self._callback()
        try:
            self.model_, self.y_model_ = _core.fit_kcca(
                self.n_components, float(self.ridge), int(self.n_permutations), seed_of(self.random_state),
                self._settings_beside(other), x, gram_x, y, gram_y, weights, self._centre_words(kernel),
                self._threads(), callback)
        finally:
            close = getattr(callback, "close", None)
            if close is not None:
                close()
        self._adopt(kernel)
        self._centres = X if self._callable is not None else None
        self._other = other if is_function(other) else None
        self._other_centres = Y if self._other is not None else None
        return self

    def _settings_beside(self, other):
        """What a file says of the fit; of a matrix or a function it has no more than that."""
        settings = {"components": "auto" if self.n_components is None else self.n_components, "ridge": float(self.ridge),
                    "target_kernel": other if isinstance(other, Kernel) else "precomputed",
                    "permutations": int(self.n_permutations), "seed": seed_of(self.random_state)}
        return {name: setting(value) for name, value in settings.items()}

    def _view(self, kernel, values, points):
        if isinstance(kernel, Kernel):
            return (kernel._core, points(values)), None
        matrix = self._called(kernel, values, values) if callable(kernel) else values
        return (None, None), np.ascontiguousarray(matrix, dtype=np.float64)

    def fit_transform(self, X: Inputs, y: Inputs, sample_weight: Weights = None) -> Numbers:
        return self.fit(X, y, sample_weight).transform(X)

    def transform(self, X: Inputs, Y: Inputs | None = None) -> Numbers | tuple[Numbers, Numbers]:
        """f at each row of X; with Y, a pair with g at each of Y."""
        of_x = self._scores(X)
        if Y is None:
            return of_x
        return of_x, self.transform_target(Y)

    def transform_target(self, Y: Inputs) -> Numbers:
        """g at each of Y."""
        check_is_fitted(self, "model_")
        if not hasattr(self, "y_model_"):
            raise ValueError("this model came from a file, which has the functions of x alone; pickle keeps both views")
        Y = self._targets(Y)
        if self._other is not None:
            return self.y_model_.scores_from_rows(self._called(self._other, Y, self._other_centres))
        if self.y_model_.kernel is None:
            return self.y_model_.scores_from_rows(np.ascontiguousarray(Y, dtype=np.float64))
        return self.y_model_.scores(as_points(Y, "y"), self._threads())

    @property
    def target_kernel_(self) -> Kernel | None:
        """The kernel of y, with its resolved numbers."""
        check_is_fitted(self, "y_model_")
        return None if self.y_model_.kernel is None else Kernel(self.y_model_.kernel)

    def _column(self, name):
        columns, rows = self.report_["tables"]["components"]
        return rows[:, columns.index(name)]

    @property
    def correlations_(self) -> Numbers:
        return self._column("correlation")

    @property
    def rhos_(self) -> Numbers:
        return self._column("rho")

    @property
    def p_values_(self) -> Numbers:
        check_is_fitted(self, "model_")
        if "p_value" not in self.report_["tables"]["components"][0]:
            raise AttributeError("p-values take permutations: KernelCCA(n_permutations=999)")
        return self._column("p_value")

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> np.ndarray:
        check_is_fitted(self, "model_")
        return np.asarray([f"kernelcca{i}" for i in range(self.model_.outputs)], dtype=object)
