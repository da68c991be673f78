"""Quantiles of y given x."""
from __future__ import annotations

import numbers
from typing import TYPE_CHECKING

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ._tasks import Regressor

if TYPE_CHECKING:
    from typing_extensions import Self

    from ._types import ArrayLike, Callback, Inputs, KernelLike, Numbers, Weights


class KernelQuantileRegressor(Regressor):
    """The value below which a share of the observations at x lies: of each quantile tau

        f = b + g,  g = argmin sum_i w_i l(y_i - b - g(x_i)) + alpha s |g|^2,  l(r) = tau r where r >= 0, else (tau - 1) r

    with b the quantile tau of the targets. s is 1 over their mean distance from b, so that alpha means the same in all units
    of y. Several quantiles are fitted one by one; where their f cross at some x, which finite
    data allow, the predictions there are put in order, which never costs more of the loss (Chernozhukov et al. 2010).

    Parameters
    ----------
    quantile : float or list of floats
        Between 0 and 1; 0.5 is the median.
    alpha : float
        The price of |g|^2, above 0. A high one leaves b.
    kernel : Kernel, text of the grammar, name of the catalog, "precomputed", or function (X, Y) -> matrix
    tol, max_iter
        Of the duality gap, relative to the objective; Newton's steps for each quantile at most.
    verbose, callback, threads
        A progress bar; a function of (stage, fraction) that may return False to stop; threads to use (None: all).

    Attributes
    ----------
    quantiles_ : array, in ascending order
    models_ : list, one model of the core for each of them
    n_features_in_, feature_names_in_, kernel_, n_iter_

    >>> import numpy as np
    >>> x = np.linspace(0, 6, 200).reshape(-1, 1)
    >>> y = np.sin(x[:, 0]) + np.random.default_rng(0).uniform(-1, 1, 200)
    >>> m = KernelQuantileRegressor([0.1, 0.9], kernel="rbf(ell=1)").fit(x, y)
    >>> low, high = m.predict([[1.5]])[0]
    >>> bool(abs(low - 0.2) < 0.2 and abs(high - 1.8) < 0.2)
    True
    """

    _machine = "rrm"
    _options = {"alpha": "ridge", "tol": "tolerance", "max_iter": "max_iterations"}

    def __init__(self, quantile: float | ArrayLike = 0.5, *, alpha: float = 0.1, kernel: KernelLike = "rbf(ell=auto)",
                 tol: float = 1e-6, max_iter: int = 1000, verbose: int = 0, callback: Callback | None = None,
                 threads: int | None = None) -> None:
        self.quantile = quantile
        self.alpha = alpha
        self.kernel = kernel
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose
        self.callback = callback
        self.threads = threads

    def _settings(self):
        return {"loss": "quantile", "offset": True, "tau": self._tau, **super()._settings()}

    @classmethod
    def _reads(cls, model):
        return super()._reads(model) and model.settings.get("loss") == "quantile" and model.settings.get("offset") == "true"

    @classmethod
    def _params_of(cls, settings):
        return {**super()._params_of(settings), "quantile": float(settings.get("tau", 0.5))}

    def _wanted(self):
        one = isinstance(self.quantile, numbers.Real)
        try:
            wanted = np.atleast_1d(np.asarray(self.quantile, dtype=np.float64))
        except (TypeError, ValueError):
            wanted = np.array([])
        if wanted.ndim != 1 or wanted.size == 0 or not ((wanted > 0) & (wanted < 1)).all():
            raise ValueError(f"quantile is {self.quantile!r}; give a number between 0 and 1, or a list of them")
        if not isinstance(self.alpha, numbers.Real) or not 0 < self.alpha < np.inf:
            raise ValueError(f"alpha is {self.alpha!r}; give a finite number above 0")
        return one, np.unique(wanted)

    def _more_tags(self):
        return {"multioutput": False}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = False
        return tags

    def fit(self, X: Inputs, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Fits each quantile to X and the numbers y."""
        self._one, self.quantiles_ = self._wanted()
        X, y = self._checked(X, y, reset=True, y_numeric=True)
        y = np.asarray(y, dtype=np.float64)
        weights = self._weights(sample_weight, X)
        self._flat = True
        self.models_ = []
        for self._tau in self.quantiles_:
            self._fit_weighted(X, weights, y=y)
            self.models_.append(self.model_)
        return self

    def _after_load(self):
        super()._after_load()
        self._one, self.quantiles_, self.models_ = True, np.array([self.quantile]), [self.model_]

    @property
    def n_iter_(self) -> int:
        """Newton's steps, of all quantiles."""
        check_is_fitted(self, "models_")
        return max(1, sum(model.report["iterations"] for model in self.models_))

    def predict(self, X: Inputs) -> Numbers:
        """Of each row of X its quantile; of several quantiles one column each, in the order of `quantiles_`."""
        check_is_fitted(self, "models_")
        found = np.column_stack([self._scores(X, model)[:, 0] for model in self.models_])
        return found[:, 0] if self._one else np.sort(found, axis=1)

    def save(self, path: str) -> None:
        """Writes the model of one quantile as a .mercer file, which `mercer.load` and the command read."""
        if len(self.models_) > 1:
            raise ValueError(f"a file holds the model of one quantile: fit {self.quantiles_.tolist()} one by one, or pickle them")
        super().save(path)
