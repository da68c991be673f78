"""Gaussian process regression."""
from __future__ import annotations

import copy
import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.linalg import cholesky
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils.validation import _num_samples, check_is_fitted

from . import _core
from ._arguments import WEIGHTS_ARE_REPEATS, kernel_from
from ._before_fit import Prior, normal_draws
from ._learning import Found, learnable
from ._matrix_process import MatrixRegression
from ._process import Process
from ._sklearn_kernels import is_sklearn_kernel
from ._tasks import Bayesian, Regressor, seed_of
from .kernels import Kernel

if TYPE_CHECKING:
    from typing_extensions import Self

    from ._types import ArrayLike, Callback, Inputs, KernelLike, Learnable, Numbers, Optimizer, RandomState, Weights


class Component(NamedTuple):
    """What one term of the kernel contributes to f; kernel is None for the mean function."""

    kernel: Kernel | None
    mean: np.ndarray
    std: np.ndarray


class GaussianProcessRegressor(Process, MatrixRegression, Prior, Bayesian, Regressor):
    """Gaussian process regression: a mean, how sure it is, and hyper-parameters learnt from the data.

        y_i = h(x_i)'b + f(x_i) + e_i,   f ~ GP(0, signal k),   e_i ~ N(0, noise / w_i)

    Every number of the kernel that is not fixed, the noise and the signal are learnt by maximising the log marginal
    likelihood, by L-BFGS from several starts with exact derivatives. Mean, variance and evidence are exact.

    Parameters
    ----------
    kernel : None, Kernel, text of the grammar, name of the catalog, scikit-learn's kernel object, "precomputed", or \
function (X, Y) -> matrix
        None: rbf with a length scale for each column. A matrix or a function has a mean and no variances.
        Given scikit-learn's object, all that is left "auto" or None means what it means there: no mean, no signal, no
        noise but alpha=1e-10 and that of WhiteKernels, one start. std, cov and draws have the WhiteKernels' noise in
        them, and kernel_ is such an object.
    alpha : None, float, or one for each point
        Variances of noise that are known; with noise="auto" they are all the noise there is, as in scikit-learn, else
        they are added to the noise. None is 1e-10 where nothing is learnt (optimizer=None).
    noise : "auto", a number to start from, fixed(0.1), bounded(0.3, 0.01, 10), or such a text: "0.3 in [0.01, 10]"
    signal : likewise
        What multiplies the kernel. "auto": 1 where the kernel has a free scale itself, else learnt. fixed(1): the
        kernel as it is.
    mean : "auto" (constant), "zero", "constant" or "linear"
        The mean function h(x)'b; b is estimated with the rest, and std accounts for it.
    objective : "lml", "loo" or "none"
        What learning maximises: the log marginal likelihood, the leave-one-out log density (equal points are left out
        together), nothing.
    solver : "auto", "dense", "state_space" or "iterative"
        All exact. "state_space" is for one column of numbers and sums, products and multiples of matern (nu = 0.5,
        1.5, ... 4.5), exponential, laplace, sho, periodic, wave, linear, poly and const: a Kalman filter, whose time and
        memory grow as n, not n^3 and n^2; of "on(t, k)*on(sensor, equal())" along each series. "auto" takes it where it is less work than "dense". "iterative" has no
        matrix: conjugate gradients, means exact to 1e-6 of the targets, and an evidence that is an interval.
    prior : None, dict or text
        Beliefs about what is learnt: {"rbf.ell": "lognormal(0, 1)", "noise": "gamma(2, 0.1)"}; also halfnormal(s)
        and normal(m, s).
    optimizer : "fmin_l_bfgs_b", None, or function (objective, theta, bounds) -> (theta, value)
        None learns nothing, as objective="none". A function minimises objective(theta, eval_gradient=True), the negated
        log marginal likelihood and its derivatives.
    n_restarts_optimizer : None (7) or int
        Random starts beside the numbers given.
    screen : int
        Points on which the starts are compared, when there are more; the best goes on on more and more points.
    inducing : int
        So many of the points stand for all, chosen again as the kernel is learnt: 5 n m^2 flops for an evaluation
        instead of n^3, and no n x n matrix. What is learnt maximises a bound below the evidence (Titsias 2009);
        `log_marginal_likelihood_bounds_` has that and one above it. 0: all points.
    fitc : bool
        With inducing points: each point keeps its own variance (FITC), and there is no bound.
    learn_on : int
        Points to learn from, when there are more; mean and variance are of all points. 0: all.
    nearest : int
        0: exact. K: each point given the K nearest of those before it in a random order, for the evidence, and new points
        given 2K (Vecchia's approximation): n K^3/3 flops and n K numbers instead of n^3/3 and n^2. The report says how far
        twice as many neighbours would move the evidence. 20 to 60 for few columns and kernels that are not too smooth.
    normalize_y : bool
        Learn on targets of mean 0 and variance 1, and answer in their own units; alpha, noise, signal and the evidence
        are of the former, noise_ and signal_ of the latter.
    max_iter, max_seconds, tol
        Limits of the search; max_seconds=0: none. It ends when the log evidence grows by less than tol for each point,
        or 100 tol where there are more points than screen.
    copy_X_train : bool
        Whether X_train_ is a copy.
    n_targets : None or int
        How many targets predictions before the fit are of; the fit must see as many.
    random_state : None, int or RandomState
        Of the random starts; None: the same every time.
    verbose, callback, threads
        A progress bar; a function of (stage, fraction) that may return False to stop; threads to use (None: all).

    Attributes
    ----------
    kernel_ : Kernel, or scikit-learn's object where such a one was given
        With what was learnt.
    noise_, signal_ : float, or one for each target
    log_marginal_likelihood_value_ : float
    log_marginal_likelihood_bounds_ : (float, float)
        Between which it is at what was learnt; equal where it is exact.
    inducing_points_ : with `inducing`, those that stand for all
    theta_, theta_names_
        Logarithms of all that is learnt: free numbers of the kernel, "noise", "signal".
    L_, alpha_ : arrays
        The lower Cholesky factor of what was solved with, the covariance of the observations, and its solution
        (f + e's covariance)^-1 (y - h'b); of the targets that the machine saw (normalize_y).
    X_train_, y_train_, n_features_in_, feature_names_in_, n_iter_, model_, report_

    >>> import numpy as np
    >>> X = np.linspace(0, 6, 30).reshape(-1, 1)
    >>> m = GaussianProcessRegressor("rbf(ell=1)", noise="fixed(1e-4)").fit(X, np.sin(X[:, 0]))
    >>> mean, std = m.predict([[1.55], [9.0]], return_std=True)
    >>> bool(abs(mean[0] - np.sin(1.55)) < 0.01), bool(std[1] > 10 * std[0])
    (True, True)
    """

    _machine = "gp"
    _rescaled_by = 1.0  # what the model's answers have been multiplied with after the fit
    _expected_failures = dict.fromkeys(
        WEIGHTS_ARE_REPEATS, "a weight says how exact an observation is: two of them that agree tell of less noise")

    def __init__(self, kernel: KernelLike | None = None, *, alpha: float | ArrayLike | None = None,
                 noise: Learnable = "auto", signal: Learnable = "auto", mean: str = "auto", objective: str = "lml",
                 solver: str = "auto",
                 prior: dict[str, str] | str | None = None, optimizer: Optimizer = "fmin_l_bfgs_b",
                 n_restarts_optimizer: int | None = None, screen: int = 400, inducing: int = 0, fitc: bool = False,
                 learn_on: int = 0, nearest: int = 0, normalize_y: bool = False,
                 max_iter: int = 200, max_seconds: float = 0, tol: float = 1e-7, copy_X_train: bool = True,
                 n_targets: int | None = None, random_state: RandomState = None, verbose: int = 0,
                 callback: Callback | None = None, threads: int | None = None) -> None:
        self.kernel = kernel
        self.alpha = alpha
        self.noise = noise
        self.signal = signal
        self.mean = mean
        self.objective = objective
        self.solver = solver
        self.prior = prior
        self.optimizer = optimizer
        self.n_restarts_optimizer = n_restarts_optimizer
        self.screen = screen
        self.inducing = inducing
        self.fitc = fitc
        self.learn_on = learn_on
        self.nearest = nearest
        self.normalize_y = normalize_y
        self.max_iter = max_iter
        self.max_seconds = max_seconds
        self.tol = tol
        self.copy_X_train = copy_X_train
        self.n_targets = n_targets
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback
        self.threads = threads

    _one_point = False  # whether there is no more to learn from

    def _more_tags(self):
        return {"requires_fit": False}  # before the fit, predictions are those of the prior

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        return tags

    # ---- what is left to the machine ----

    def _settings(self):
        return {**self._learn_settings(), "noise": self._noise(), "mean": self._mean(), "inducing": self.inducing,
                "fitc": self.fitc, "learn_on": self.learn_on, "nearest": self.nearest, "solver": self.solver}

    def _starts(self):
        if self.n_restarts_optimizer is None:
            return 1 if is_sklearn_kernel(self.kernel) else 8
        return super()._starts()

    def _mean(self):
        if self.mean != "auto":
            return self.mean
        return "zero" if self._as_theirs() else "constant"

    def _alpha(self):
        as_there = self._as_theirs() or not self._learns()
        return 1e-10 if self.alpha is None and as_there else self.alpha

    def _given_noise(self):
        """The option `noise` as the user gives it, or by WhiteKernels; None for "auto"."""
        white = None if self._theirs is None else self._theirs.noise
        if isinstance(self.noise, str) and self.noise == "auto":
            return white
        if white is not None:
            raise ValueError(f"the noise is given twice: by a WhiteKernel and by noise={self.noise!r}")
        return self.noise

    def _noise(self):
        """The option `noise`, which a number alpha stands for where nothing else is said."""
        return self._wanted_noise() if self._found is None else f"fixed({self._found.noise!r})"

    def _wanted_noise(self):
        given, alpha = self._given_noise(), self._alpha()
        if given is not None:
            return given
        if alpha is None:
            return "auto"
        return "fixed(0)" if np.ndim(alpha) else f"fixed({float(alpha)!r})"

    def _known_noise(self, n):
        """Variances of n points beside the option `noise`; None where there are none."""
        alpha = self._alpha()
        if alpha is None or (np.ndim(alpha) == 0 and self._given_noise() is None):
            return None
        alpha = np.asarray(alpha, dtype=float)
        if alpha.ndim > 1 or (alpha.ndim == 1 and len(alpha) not in (1, n)):
            raise ValueError("alpha must be a scalar or an array with same number of entries as y. "
                             f"({alpha.size} != {n})")
        return np.broadcast_to(alpha, n)

    @classmethod
    def _params_of(cls, settings):
        return {**cls._learn_params(settings), "noise": settings["noise"], "mean": settings["mean"],
                "inducing": int(settings.get("inducing", 0)), "fitc": settings.get("fitc") == "true",
                "learn_on": int(settings.get("learn_on", 0)), "nearest": int(settings.get("nearest", 0)),
                "solver": settings.get("solver", "auto")}

    # ---- fitting ----

    def fit(self, X: Inputs, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Learns. A weight w divides the variance of a point's noise."""
        X, y = self._checked(X, y, reset=True, multi_output=True, y_numeric=True)
        self._one_point = _num_samples(X) == 1
        y = np.asarray(y, dtype=np.float64)
        targets = 1 if y.ndim == 1 else y.shape[1]
        if self.n_targets is not None and targets != self.n_targets:
            raise ValueError("The number of targets seen in `y` is different from the parameter `n_targets`. Got "
                             f"{targets} != {self.n_targets}.")
        if targets == 1:
            y = y.ravel()  # as in scikit-learn, one column is predicted as numbers
        self._flat = targets == 1
        self._read_kernel()
        weights = self._weights(sample_weight, X)
        if self._matrices is not None and weights is not None:
            counted = np.flatnonzero(weights)
            X, y, weights = _safe_indexing(X, counted), y[counted], weights[counted]
        self._y_train_mean, self._y_train_std = self._units(y)
        self._point_variances = self._known_noise(len(y))
        self._keep(X)
        self.y_train_, self._train_weights = y, weights
        self._rescaled_by = 1.0
        self._fit_process(X, weights, y=self._normalised())
        if self.normalize_y:
            self.model_ = self.model_.rescaled(np.atleast_1d(self._y_train_mean), np.atleast_1d(self._y_train_std))
            self._rescaled_by = self._y_train_std
        self._warn_of_notes()
        return self

    def _has_one_point(self):
        return self._theirs is not None and self._one_point

    def _learns(self):
        """One point says nothing of lengths, noise and signal: they are as given, or as where nothing is learnt."""
        return super()._learns() and (self._as_theirs() or not self._one_point)

    def _own_kernel(self, X):
        """There is no distance that could be ell's."""
        return kernel_from("rbf(ell=1)") if self.kernel is None and self._one_point else super()._own_kernel(X)

    def _units(self, y):
        if not self.normalize_y:
            return 0.0, 1.0
        spread = np.std(y, axis=0)
        return np.mean(y, axis=0), np.where(spread == 0, 1.0, spread)

    def _normalised(self):
        return (self.y_train_ - self._y_train_mean) / self._y_train_std

    def _first(self):
        """Where a search in Python begins: a tenth of the variance of y is noise."""
        y = self._normalised()
        kernel = self._chosen_kernel(self.X_train_)
        if self._as_theirs():
            noise = self._theirs.level if self._theirs is not None and self._theirs.noise is not None else None
            return Found(kernel, learnable(self._wanted_noise())["value"] if noise is None else noise,
                         1.0 if self.signal == "auto" else learnable(self.signal)["value"])
        if not isinstance(kernel, Kernel):
            raise ValueError("optimizer: a matrix or a function has no numbers to search for; give a kernel")
        kernel = kernel.resolve(self._points(self.X_train_))
        spread = float(np.mean(np.var(y, axis=0))) or 1.0
        noise, signal = learnable(self._wanted_noise()), learnable(self.signal)
        first_signal = spread if self._learns_signal(kernel._core) else 1.0
        return Found(kernel, 0.1 * spread if noise is None else noise["value"],
                     first_signal if signal is None else signal["value"])

    def _run_core(self, settings, options):
        try:
            return self._run_with_noise(settings, options)
        except ValueError as error:
            if not self._as_theirs() or "positive definite" not in str(error):
                raise
            raise np.linalg.LinAlgError(
                f"The kernel, {self.kernel}, is not returning a positive definite matrix. Try gradually increasing the "
                f"'alpha' parameter of your GaussianProcessRegressor estimator. ({error})") from None

    def _run_with_noise(self, settings, options):
        if self._point_variances is None:
            return super()._run_core(settings, options)
        known = ("kernel", "points", "gram", "y", "weights", "callback", "threads")
        options = {name: value for name, value in options.items() if name in known}
        return _core.fit_gp(settings, self._point_variances, **options)

    # ---- predictions ----

    def predict(self, X: Inputs, return_std: bool = False, return_cov: bool = False,
                include_noise: bool | None = None) -> Any:
        """The mean of f(x), and with `return_std` its standard deviation, or with `return_cov` the covariance of f.

        `include_noise` makes them those of observations, which the noise of a point of weight 1 moves about f; None: as
        in scikit-learn where the noise is that of its WhiteKernel, else not.
        Several targets: one column each, and covariances of shape (points, points, targets).
        Before the fit all this is of the prior, whose mean is 0.
        """
        if return_std and return_cov:
            raise RuntimeError("At most one of return_std or return_cov can be requested.")
        if not hasattr(self, "model_"):
            return self._prior_answers(X, return_std, return_cov, include_noise)
        mean = super().predict(X)
        if return_std:
            return mean, self._deviations(X, self._with_noise(include_noise))
        if return_cov:
            return mean, self._covariance(X, self._with_noise(include_noise))
        return mean

    def predict_interval(self, X: Inputs, coverage: float = 0.9, adaptive: bool = False) -> tuple[Numbers, Numbers]:
        """The lower and upper ends of intervals in which that share of new observations lies, whatever their distribution.

        Jackknife+ in closed form, at the hyper-parameters of the fit: from processes without each training point. About
        `coverage` of new points like the training points lie inside, also where the noise is not normal; at least
        2 coverage - 1 for certain, if nothing was learnt from the same points. `adaptive`: wide where the process knows
        little. Ends are infinite, with a warning, where (1 - coverage) (n + 1) < 1.
        """
        return self._intervals(X, coverage, adaptive)

    def _with_noise(self, include_noise):
        if self._matrices is not None and include_noise is not None:
            raise ValueError("include_noise: the noise of this kernel is part of its matrices; leave it out")
        if include_noise is None:
            return self._theirs is not None and self._theirs.noise is not None
        return include_noise

    def _deviations(self, X, include_noise):
        return self._matrix_deviations(X) if self._matrices is not None else super()._deviations(X, include_noise)

    def _covariance(self, X, include_noise):
        if self._matrices is not None:
            return self._matrix_covariance(X)
        points = self._points_with_kernel(X, "return_cov")
        parts = []
        for target, noise in enumerate(self.model_.noise):
            part = self.model_.covariance(points, target, self._threads())
            if include_noise:
                part[np.diag_indices_from(part)] += noise
            parts.append(part)
        return parts[0] if self._flat else np.stack(parts, axis=-1)

    def sample_y(self, X: Inputs, n_samples: int = 1, random_state: RandomState = 0,
                 include_noise: bool | None = None) -> Numbers:
        """Draws of f from the posterior, before the fit from the prior: one row for each point, one column a draw.

        Several targets: shape (points, targets, draws). `include_noise` as of `predict`: draws of observations.
        random_state=None draws others each time.
        """
        if not hasattr(self, "model_") or self._matrices is not None:
            return normal_draws(*self.predict(X, return_cov=True, include_noise=include_noise), n_samples, random_state)
        points = self._points_with_kernel(X, "sample_y")
        seed = seed_of(check_random_state(None) if random_state is None else random_state)
        draws = [self.model_.sample(points, n_samples, seed + target, with_noise=self._with_noise(include_noise),
                                    output=target) for target in range(self.model_.outputs)]
        return draws[0] if self._flat else np.stack(draws, axis=1)

    def components(self, X: Inputs) -> list[Component]:
        """For k = k1 + k2 + ...: what the mean function and each term contribute to f, as (kernel, mean, std)."""
        points = self._points_with_kernel(X, "components")
        return [Component(None if kernel is None else Kernel(kernel), self._shaped(mean),
                          self._shaped(np.sqrt(np.maximum(variance, 0))))
                for kernel, mean, variance in self.model_.components(points)]

    def condition(self, X: Inputs, y: ArrayLike) -> Self:
        """A new regressor that has seen more observations; hyper-parameters stay as they are. O(n^2) for a point."""
        points = self._points_with_kernel(X, "condition")
        y = np.asarray(y, dtype=np.float64)
        if self._flat and y.ndim == 2 and y.shape[1] == 1:
            y = y[:, 0]
        if (y.ndim == 1) != self._flat:
            raise ValueError(f"y has {y.ndim} dimension(s); in the fit it was {'one' if self._flat else 'two'}")
        more = copy.copy(self)
        more.model_ = self.model_.condition(points, y)
        for name in ("X_train_", "y_train_", "_train_weights", "_point_variances"):
            more.__dict__.pop(name, None)  # they tell of the first fit alone
        return more

    def save(self, path):
        """Writes the model as a .mercer file, which `mercer.load` and the command read."""
        super().save(path)
        if self._with_noise(None):
            warnings.warn("a file holds f and its noise, and not that a WhiteKernel made it: what mercer.load reads "
                          "predicts the std of f unless include_noise=True", stacklevel=2)

    # ---- what was learnt ----

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
        return np.float64(self.report_["figures"]["log_marginal_likelihood"])

    @property
    def log_marginal_likelihood_bounds_(self) -> tuple[float, float]:
        """Between which the log marginal likelihood is: the same number twice where it is exact."""
        low = self.log_marginal_likelihood_value_
        return low, np.float64(self.report_["figures"].get("log_marginal_likelihood_at_most", low))

    @property
    def L_(self) -> Numbers:
        """The lower Cholesky factor of the covariance of the observations of weight above 0; computed when asked for."""
        self._need_training_data()
        if self.inducing:
            raise AttributeError("L_: inducing points stand for all, and there is no such matrix")
        if self._matrices is not None:
            return self._matrix_posterior().lower
        noise, signal = (np.atleast_1d(one / self._unit()) for one in (self.noise_, self.signal_))
        if not np.allclose(noise, noise[0], rtol=1e-12, atol=0) or not np.allclose(signal, signal[0], rtol=1e-12, atol=0):
            raise AttributeError("L_: every target has a noise and a signal of its own here, so that there is not one")
        K = signal[0] * self.model_.kernel.gram(self._points(self.X_train_)).astype(np.float64)
        weights = np.ones(len(K)) if self._train_weights is None else self._train_weights
        with np.errstate(divide="ignore"):
            K[np.diag_indices_from(K)] += noise[0] / weights + (0 if self._point_variances is None else self._point_variances)
        counted = np.flatnonzero(weights)
        return cholesky(K[np.ix_(counted, counted)], lower=True)

    @property
    def alpha_(self) -> Numbers:
        """The coefficients of the training points, or of the inducing ones: f(x) = h(x)'b + signal sum_i alpha_i k(x_i, x), in the machine's units."""
        check_is_fitted(self, "model_")
        known_by_matrices = self._matrices is not None
        return self._training_coefficients() / (self._rescaled_by if known_by_matrices else self.signal_ / self._rescaled_by)

    def _unit(self):
        """The variance in which the model counts that is 1 for the machine."""
        return self._rescaled_by ** 2

    def _relative_noise(self):
        if self._matrices is not None:
            return learnable(self._wanted_noise())["value"]
        return float(np.mean(self.noise_ / self._unit()))

    def _relative_signal(self):
        return 1.0 if self._matrices is not None else float(np.mean(self.signal_ / self._unit()))

    def _extras(self):
        """What is learnt beside the numbers of a Mercer kernel, with its value."""
        self._need_training_data()
        if not self._flat:
            raise ValueError("theta_ and the log marginal likelihood elsewhere are for one target, not for several")
        out = {}
        if not str(self._wanted_noise()).startswith("fixed"):
            out["noise"] = self._relative_noise()
        if self._learns_signal(self.model_.kernel):
            out["signal"] = self._relative_signal()
        return out

    def log_marginal_likelihood(self, theta: ArrayLike | None = None, eval_gradient: bool = False,
                                clone_kernel: bool = True) -> Any:
        """log p(y) at exp(theta) instead of what was learnt, and with `eval_gradient` its derivatives by theta.

        theta is in the order of theta_names_, or that of kernel_ alone; what is not in it stays as it is.
        clone_kernel=False also sets it in kernel_, which must be scikit-learn's.
        """
        return self._evidence(theta, eval_gradient, clone_kernel)

    def _evidence_at(self, at, eval_gradient):
        settings = {"noise": repr(at.noise), "signal": repr(at.signal), "mean": self._mean(), "objective": "none"}
        value, by_kernel, by_noise, by_signal = _core.gp_evidence(
            settings, at.kernel._core, self._points(self.X_train_), self._normalised(), self._train_weights,
            self._point_variances, eval_gradient)
        return value, by_kernel, {"noise": by_noise, "signal": by_signal}
