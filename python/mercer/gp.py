"""Gaussian process regression."""
from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._base import thread_count
from ._process import Process
from ._sklearn_kernels import from_sklearn, is_sklearn_kernel
from ._tasks import WEIGHTS_ARE_REPEATS, Bayesian, Regressor, seed_of
from .kernels import Kernel

if TYPE_CHECKING:
    from typing_extensions import Self

    from ._types import ArrayLike, Callback, Inputs, KernelLike, Learnable, Numbers, RandomState, Weights


class Component(NamedTuple):
    """What one addend of the kernel contributes to f; kernel is None for the mean function."""

    kernel: Kernel | None
    mean: np.ndarray
    std: np.ndarray


class GaussianProcessRegressor(Process, Bayesian, Regressor):
    """Gaussian process regression: a mean, how sure it is, and hyper-parameters learnt from the data.

        y_i = h(x_i)'b + f(x_i) + e_i,   f ~ GP(0, signal k),   e_i ~ N(0, noise / w_i)

    Every number of the kernel that is not fixed, the noise and the signal are learnt by maximising the log marginal
    likelihood, by L-BFGS from several starts with exact derivatives. Mean, variance and evidence are exact.

    Parameters
    ----------
    kernel : None, Kernel, text of the grammar, name of the catalog, scikit-learn's kernel object, "precomputed", or \
function (X, Y) -> matrix
        None: rbf with a length scale for each column. Of scikit-learn's objects, WhiteKernel is the noise.
        A matrix or a function has a mean and no variances.
    alpha : None, float, or one for each point
        Variances of noise that are known; with noise="auto" they are all the noise there is, as in scikit-learn, else
        they are added to the noise.
    noise : "auto", a number to start from, fixed(0.1), bounded(0.3, 0.01, 10), or such a text: "0.3 in [0.01, 10]"
    signal : likewise
        What multiplies the kernel. "auto": 1 where the kernel has a free scale itself, else learnt. fixed(1): the
        kernel as it is.
    mean : "zero", "constant" or "linear"
        The mean function h(x)'b; b is estimated with the rest, and std accounts for it.
    objective : "lml", "loo" or "none"
        What learning maximises: the log marginal likelihood, the leave-one-out log density, nothing.
    prior : None, dict or text
        Beliefs about what is learnt: {"rbf.ell": "lognormal(0, 1)", "noise": "gamma(2, 0.1)"}; also halfnormal(s).
    optimizer : "fmin_l_bfgs_b" or None
        None learns nothing, as objective="none".
    n_restarts_optimizer : int
        Random starts beside the numbers given.
    screen : int
        Points on which the starts are compared, when there are more.
    normalize_y : bool
        Learn on targets of mean 0 and variance 1, and answer in their own units; alpha, noise, signal and the evidence
        are of the former, noise_ and signal_ of the latter.
    max_iter, max_seconds, tol
        Limits of the search; max_seconds=0: none.
    copy_X_train : bool
        Whether X_train_ is a copy.
    random_state : None, int or RandomState
        Of the random starts; None: the same every time.
    verbose, callback, threads
        A progress bar; a function of (stage, fraction) that may return False to stop; threads to use (None: all).

    Attributes
    ----------
    kernel_ : Kernel
        With what was learnt.
    noise_, signal_ : float, or one for each target
    log_marginal_likelihood_value_ : float
    theta_, theta_names_
        Logarithms of all that is learnt: free numbers of the kernel, "noise", "signal".
    X_train_, y_train_, n_features_in_, feature_names_in_, n_iter_, model_, report_

    >>> import numpy as np
    >>> X = np.linspace(0, 6, 30).reshape(-1, 1)
    >>> m = GaussianProcessRegressor("rbf(ell=1)", noise="fixed(1e-4)").fit(X, np.sin(X[:, 0]))
    >>> mean, std = m.predict([[1.55], [9.0]], return_std=True)
    >>> bool(abs(mean[0] - np.sin(1.55)) < 0.01), bool(std[1] > 10 * std[0])
    (True, True)
    """

    _machine = "gp"
    _expected_failures = dict.fromkeys(
        WEIGHTS_ARE_REPEATS, "a weight says how exact an observation is: two of them that agree tell of less noise")

    def __init__(self, kernel: KernelLike | None = None, *, alpha: float | ArrayLike | None = None,
                 noise: Learnable = "auto", signal: Learnable = "auto", mean: str = "constant", objective: str = "lml",
                 prior: dict[str, str] | str | None = None, optimizer: str | None = "fmin_l_bfgs_b",
                 n_restarts_optimizer: int = 7, screen: int = 400, normalize_y: bool = False, max_iter: int = 200,
                 max_seconds: float = 0, tol: float = 1e-7, copy_X_train: bool = True, random_state: RandomState = None,
                 verbose: int = 0, callback: Callback | None = None, threads: int | None = None) -> None:
        self.kernel = kernel
        self.alpha = alpha
        self.noise = noise
        self.signal = signal
        self.mean = mean
        self.objective = objective
        self.prior = prior
        self.optimizer = optimizer
        self.n_restarts_optimizer = n_restarts_optimizer
        self.screen = screen
        self.normalize_y = normalize_y
        self.max_iter = max_iter
        self.max_seconds = max_seconds
        self.tol = tol
        self.copy_X_train = copy_X_train
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback
        self.threads = threads

    def _settings(self):
        return {**self._learn_settings(), "noise": self._noise(), "mean": self.mean}

    def _given_noise(self):
        """The option `noise` as the user gives it, or a WhiteKernel; None for "auto"."""
        white = from_sklearn(self.kernel, self.n_features_in_)[1] if is_sklearn_kernel(self.kernel) else None
        if isinstance(self.noise, str) and self.noise == "auto":
            return white
        if white is not None:
            raise ValueError(f"the noise is given twice: by a WhiteKernel and by noise={self.noise!r}")
        return self.noise

    def _noise(self):
        """The option `noise`, which a number alpha stands for where nothing else is said."""
        given = self._given_noise()
        if given is not None:
            return given
        if self.alpha is None:
            return "auto"
        return "fixed(0)" if np.ndim(self.alpha) else f"fixed({float(self.alpha)!r})"

    def _known_noise(self, n):
        """Variances of n points beside the option `noise`; None where there are none."""
        if self.alpha is None or (np.ndim(self.alpha) == 0 and self._given_noise() is None):
            return None
        alpha = np.asarray(self.alpha, dtype=float)
        if alpha.ndim > 1 or (alpha.ndim == 1 and len(alpha) != n):
            raise ValueError(f"alpha must be a number, or an array with as many entries as y: ({alpha.size} != {n})")
        return np.broadcast_to(alpha, n)

    @classmethod
    def _params_of(cls, settings):
        return {**cls._learn_params(settings), "noise": settings["noise"], "mean": settings["mean"]}

    def fit(self, X: Inputs, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Learns. A weight w divides the variance of a point's noise."""
        X, y = self._checked(X, y, reset=True, multi_output=True, y_numeric=True,
                             ensure_min_samples=2 if self._learns() else 1)
        y = np.asarray(y, dtype=np.float64)
        self._flat = y.ndim == 1
        weights = self._weights(sample_weight, X)
        self._centre, self._spread = self._units(y)
        self._point_variances = self._known_noise(len(y))
        self._fit_weighted(X, weights, y=(y - self._centre) / self._spread)
        if self.normalize_y:
            self.model_ = self.model_.rescaled(np.atleast_1d(self._centre), np.atleast_1d(self._spread))
        self._keep(X)
        self.y_train_, self._train_weights = y, weights
        self._theta = None
        self._warn_of_digits()
        return self

    def _units(self, y):
        if not self.normalize_y:
            return 0.0, 1.0
        spread = np.std(y, axis=0)
        return np.mean(y, axis=0), np.where(spread == 0, 1.0, spread)

    def _run_core(self, settings, options):
        if self._point_variances is None:
            return super()._run_core(settings, options)
        known = ("kernel", "points", "gram", "y", "weights", "callback", "threads")
        options = {name: value for name, value in options.items() if name in known}
        return _core.fit_gp(settings, self._point_variances, **options)

    def _after_load(self):
        super()._after_load()
        self._theta = None

    def predict(self, X: Inputs, return_std: bool = False, return_cov: bool = False,
                include_noise: bool = False) -> Any:
        """The mean of f(x), and with `return_std` its standard deviation, or with `return_cov` the covariance of f.

        `include_noise` makes them those of observations, which the noise of a point of weight 1 moves about f.
        Several targets: one column each, and covariances of shape (points, points, targets).
        """
        if return_std and return_cov:
            raise RuntimeError("At most one of return_std or return_cov can be requested.")
        mean = super().predict(X)
        if return_std:
            return mean, self._deviations(X, include_noise)
        if return_cov:
            return mean, self._covariance(X, include_noise)
        return mean

    def _covariance(self, X, include_noise):
        points = self._points_with_kernel(X, "return_cov")
        parts = []
        for target, noise in enumerate(self.model_.noise):
            part = self.model_.covariance(points, target, thread_count(self.threads))
            if include_noise:
                part[np.diag_indices_from(part)] += noise
            parts.append(part)
        return parts[0] if self._flat else np.stack(parts, axis=-1)

    def sample_y(self, X: Inputs, n_samples: int = 1, random_state: RandomState = 0,
                 include_noise: bool = False) -> Numbers:
        """Draws of f from the posterior: one row for each point, one column for each draw.

        Several targets: shape (points, targets, draws). `include_noise` draws observations. random_state=None draws
        others each time.
        """
        points = self._points_with_kernel(X, "sample_y")
        seed = seed_of(check_random_state(None) if random_state is None else random_state)
        draws = [self.model_.sample(points, n_samples, seed + target, with_noise=include_noise, output=target)
                 for target in range(self.model_.outputs)]
        return draws[0] if self._flat else np.stack(draws, axis=1)

    def components(self, X: Inputs) -> list[Component]:
        """For k = k1 + k2 + ...: what the mean function and each addend contribute to f, as (kernel, mean, std)."""
        points = self._points_with_kernel(X, "components")
        return [Component(None if kernel is None else Kernel(kernel), self._shaped(mean),
                          self._shaped(np.sqrt(np.maximum(variance, 0))))
                for kernel, mean, variance in self.model_.components(points)]

    def condition(self, X: Inputs, y: ArrayLike) -> Self:
        """A new regressor that has seen more observations; hyper-parameters stay as they are. O(n^2) for a point."""
        points = self._points_with_kernel(X, "condition")
        y = np.asarray(y, dtype=np.float64)
        if (y.ndim == 1) != self._flat:
            raise ValueError(f"y has {y.ndim} dimension(s); in the fit it was {'one' if self._flat else 'two'}")
        more = copy.copy(self)
        more.model_ = self.model_.condition(points, y)
        for name in ("X_train_", "y_train_", "_train_weights", "_point_variances"):
            more.__dict__.pop(name, None)  # they tell of the first fit alone
        return more

    @property
    def signal_(self) -> float | Numbers:
        """What multiplies the kernel: a number, or one for each target."""
        check_is_fitted(self, "model_")
        if not self._has_kernel():
            return self.report_["figures"]["signal"]
        return float(self.model_.signal[0]) if self._flat else self.model_.signal

    @property
    def log_marginal_likelihood_value_(self) -> float:
        """Of the targets the machine saw, at what was learnt."""
        return self.report_["figures"]["log_marginal_likelihood"]

    @property
    def theta_(self) -> Numbers:
        """Logarithms of what is learnt, in the order of theta_names_."""
        return self._theta_and_names()[0]

    @property
    def theta_names_(self) -> list[str]:
        return self._theta_and_names()[1]

    def _theta_and_names(self):
        check_is_fitted(self, "model_")
        if self._theta is None:
            self._need_training_data()
            if not self._flat:
                raise ValueError("theta_ and the log marginal likelihood elsewhere are for one target, not for several")
            values = {one["path"]: one["value"] for one in self._free()}
            unit = float(self._spread) ** 2
            noise, signal = self.noise_ / unit, self.signal_ / unit
            if not str(self._noise()).startswith("fixed"):
                values["noise"] = noise
            if self._learns_signal():
                values["signal"] = signal
            self._theta = np.log(list(values.values())), list(values)
        return self._theta

    def _evidence(self, kernel, noise, signal, gradient):
        settings = {"noise": repr(noise), "signal": repr(signal), "mean": self.mean, "objective": "none"}
        y = (self.y_train_ - self._centre) / self._spread
        return _core.gp_evidence(settings, kernel, self._points(self.X_train_), y, self._train_weights,
                                 self._point_variances, gradient)

    def log_marginal_likelihood(self, theta: ArrayLike | None = None, eval_gradient: bool = False) -> Any:
        """log p(y) at exp(theta) instead of what was learnt, and with `eval_gradient` its derivatives by theta.

        theta is in the order of theta_names_; what is not in it stays as it is.
        """
        check_is_fitted(self, "model_")
        if theta is None and not eval_gradient:
            return self.log_marginal_likelihood_value_
        self._need_training_data()
        theta = self._checked_theta(theta)
        unit = float(self._spread) ** 2
        at = dict(zip(self.theta_names_, np.exp(theta)))
        kernel = self._kernel_at(theta)
        noise, signal = (float(at.get(name, value / unit))
                         for name, value in (("noise", self.noise_), ("signal", self.signal_)))
        value, by_kernel, by_noise, by_signal = self._evidence(kernel, noise, signal, eval_gradient)
        if not eval_gradient:
            return value
        slopes = self._slopes(kernel, by_kernel)
        slopes += [at[name] * slope for name, slope in (("noise", by_noise), ("signal", by_signal)) if name in at]
        return value, np.array(slopes)
