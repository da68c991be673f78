"""Relevance vector machines."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted

from ._tasks import Bayesian, Classifier, Intercept, Probabilities, Regressor

if TYPE_CHECKING:
    import numpy as np
    from typing_extensions import Self

    from ._types import ArrayLike, Callback, Inputs, KernelLike, Learnable, Weights


class _Relevance(Intercept):
    """What both relevance vector machines take, and tell about their points."""

    _options = {"tol": "tolerance", "max_iter": "max_iterations"}

    @property
    def relevance_(self) -> np.ndarray:
        """Numbers of the training points in f: the relevance vectors."""
        check_is_fitted(self, "model_")
        return self.model_.support

    @property
    def n_iter_(self) -> int:
        return max(1, self.report_["iterations"])

    @property
    def log_marginal_likelihood_value_(self) -> float:
        return self.report_["figures"]["log_marginal_likelihood"]


class RVR(_Relevance, Bayesian, Regressor):
    """Sparse regression with error bars, by Bayes' rule: a relevance vector machine.

        y_i = sum_j w_j k(x_j, x_i) + b + e_i,   w_j ~ N(0, 1/alpha_j),   e_i ~ N(0, noise / weight_i)

    The alphas and the noise maximise the evidence (Tipping & Faul 2003); most alphas are infinite there, and the points
    of the others are the relevance vectors. The kernel's numbers are not learnt: tune them.

    Parameters
    ----------
    kernel : Kernel, text of the grammar, name of the catalog, "precomputed", or function (X, Y) -> matrix
    noise : "auto", a number to start from, fixed(0.1), bounded(0.3, 0.01, 10), or such a text: "0.3 in [0.01, 10]"
        The variance of e.
    fit_intercept : bool
        Whether there is a b.
    tol : float
        What one more function must gain of the log evidence.
    max_iter : int
        Functions added at most.
    verbose, callback, threads
        A progress bar; a function of (stage, fraction) that may return False to stop; threads to use (None: all).

    Attributes
    ----------
    relevance_ : array
        Numbers of the relevance vectors among the training points.
    noise_ : float, or one for each target
    log_marginal_likelihood_value_, n_iter_, n_features_in_, feature_names_in_, kernel_, model_, report_

    >>> import numpy as np
    >>> X = np.linspace(-10, 10, 100).reshape(-1, 1)
    >>> m = RVR("rbf(ell=1.5)").fit(X, np.sinc(X[:, 0] / np.pi))
    >>> len(m.relevance_) < 20
    True
    """

    _machine = "rvm"

    def __init__(self, kernel: KernelLike = "rbf(ell=auto)", *, noise: Learnable = "auto", fit_intercept: bool = True,
                 tol: float = 1e-4, max_iter: int = 20000, verbose: int = 0, callback: Callback | None = None,
                 threads: int | None = None) -> None:
        self.kernel = kernel
        self.noise = noise
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose
        self.callback = callback
        self.threads = threads

    def _settings(self):
        return {**super()._settings(), "noise": self.noise}

    @classmethod
    def _params_of(cls, settings):
        return {**super()._params_of(settings), "noise": settings["noise"]}

    def fit(self, X: Inputs, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Fits to X and y; several targets each by itself."""
        return self._fit_numbers(X, y, sample_weight)

    def predict(self, X: Inputs, return_std: bool = False, include_noise: bool = False) -> Any:
        """The mean of f(x), and with `return_std` its standard deviation; `include_noise` makes that of an observation.

        Far from all relevance vectors f is sure of its bias, which is no certainty.
        """
        mean = super().predict(X)
        return (mean, self._deviations(X, include_noise)) if return_std else mean


class RVC(_Relevance, Probabilities, Classifier):
    """Sparse classification with probabilities, by Bayes' rule: P(+1 | x) = 1 / (1 + exp(-f(x))), f as of RVR.

    By Laplace's approximation; probabilities are averages over what f may be. Several classes: each against the rest,
    probabilities divided by their sum.

    Parameters
    ----------
    kernel, fit_intercept, tol, max_iter, verbose, callback, threads
        As of RVR.

    Attributes
    ----------
    classes_
    relevance_ : array
        Numbers of the relevance vectors among the training points.
    log_marginal_likelihood_value_, n_iter_, n_features_in_, feature_names_in_, kernel_, model_, report_

    >>> from sklearn.datasets import make_moons
    >>> X, y = make_moons(200, noise=0.2, random_state=0)
    >>> m = RVC("rbf(ell=0.5)").fit(X, y)
    >>> len(m.relevance_) < 20, bool(m.score(X, y) > 0.9)
    (True, True)
    """

    _machine = "rvc"

    def __init__(self, kernel: KernelLike = "rbf(ell=auto)", *, fit_intercept: bool = True, tol: float = 1e-4,
                 max_iter: int = 20000, verbose: int = 0, callback: Callback | None = None,
                 threads: int | None = None) -> None:
        self.kernel = kernel
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose
        self.callback = callback
        self.threads = threads

    def fit(self, X: Inputs, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Fits to X and its classes y."""
        return self._fit_classes(X, y, sample_weight)
