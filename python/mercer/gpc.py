"""Gaussian process classification."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._base import class_names, thread_count
from ._process import Process
from ._sklearn_kernels import from_sklearn, is_sklearn_kernel
from ._tasks import Classifier, Probabilities

if TYPE_CHECKING:
    from typing_extensions import Self

    from ._types import ArrayLike, Callback, Inputs, KernelLike, Learnable, Numbers, RandomState, Weights


class GaussianProcessClassifier(Process, Probabilities, Classifier):
    """Gaussian process classification by the Laplace approximation, with hyper-parameters learnt from the data.

        two classes   P(classes_[1] | x) = 1 / (1 + exp(-f(x))),  or Phi(f(x)) with link="probit"
        several       P(c | x) = exp(f_c(x)) / sum_d exp(f_d(x)),  f_c ~ GP(0, signal k): one model of all classes

    Probabilities are averages over what f may be, not those of its mean.

    Parameters
    ----------
    kernel : None, Kernel, text of the grammar, name of the catalog, scikit-learn's kernel object, "precomputed", or \
function (X, Y) -> matrix
        None: rbf with a length scale for each column. A matrix or a function predicts classes, without probabilities.
    link : "auto", "logistic", "probit" or "softmax"
        "auto": logistic for two classes, softmax for more.
    signal : "auto", a number to start from, fixed(1), bounded(1, 0.1, 100), or such a text
        What multiplies the kernel. "auto": 1 where the kernel has a free scale itself, else learnt.
    objective : "lml" or "none"
        What learning maximises: the log evidence, nothing.
    prior, optimizer, n_restarts_optimizer, screen, max_iter, max_seconds, tol, copy_X_train, random_state, verbose, \
callback, threads
        As of GaussianProcessRegressor.

    Attributes
    ----------
    classes_
    kernel_ : Kernel
        With what was learnt.
    signal_ : float
    log_marginal_likelihood_value_ : float
    theta_, theta_names_
        Logarithms of all that is learnt: free numbers of the kernel, "signal".
    X_train_, n_features_in_, feature_names_in_, n_iter_, model_, report_

    >>> from sklearn.datasets import make_moons
    >>> X, y = make_moons(60, noise=0.2, random_state=0)
    >>> m = GaussianProcessClassifier("rbf(ell=1)").fit(X, y)
    >>> bool(m.score(X, y) > 0.9), m.predict_proba(X[:3]).shape
    (True, (3, 2))
    """

    _machine = "gpc"

    def __init__(self, kernel: KernelLike | None = None, *, link: str = "auto", signal: Learnable = "auto",
                 objective: str = "lml", prior: dict[str, str] | str | None = None,
                 optimizer: str | None = "fmin_l_bfgs_b", n_restarts_optimizer: int = 0, screen: int = 400,
                 max_iter: int = 200, max_seconds: float = 0, tol: float = 1e-7, copy_X_train: bool = True,
                 random_state: RandomState = None, verbose: int = 0, callback: Callback | None = None,
                 threads: int | None = None) -> None:
        self.kernel = kernel
        self.link = link
        self.signal = signal
        self.objective = objective
        self.prior = prior
        self.optimizer = optimizer
        self.n_restarts_optimizer = n_restarts_optimizer
        self.screen = screen
        self.max_iter = max_iter
        self.max_seconds = max_seconds
        self.tol = tol
        self.copy_X_train = copy_X_train
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback
        self.threads = threads

    def _chosen_kernel(self, X):
        if is_sklearn_kernel(self.kernel) and from_sklearn(self.kernel, self.n_features_in_)[1] is not None:
            raise ValueError("a WhiteKernel is noise of numbers; classes have none: leave it out")
        return super()._chosen_kernel(X)

    def _settings(self):
        return {**self._learn_settings(), "link": self.link}

    @classmethod
    def _params_of(cls, settings):
        return {**cls._learn_params(settings), "link": settings["link"]}

    def fit(self, X: Inputs, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Learns. The log probability of a point is multiplied by its weight."""
        return self._fit_classes(X, y, sample_weight)

    def _fit_core(self, X, **options):
        super()._fit_core(X, **options)
        self._keep(X)
        self._train_codes, self._train_weights = options["labels"][1], options.get("sample_weight")
        return self

    def latent(self, X: Inputs) -> tuple[Numbers, Numbers]:
        """Mean and standard deviation of f at X; of several classes one column for each."""
        points, threads = self._points_with_kernel(X, "latent"), thread_count(self.threads)
        mean, std = self.model_.scores(points, threads), np.sqrt(self.model_.variances(points, threads))
        return (mean[:, 0], std[:, 0]) if mean.shape[1] == 1 else (mean, std)

    @property
    def log_marginal_likelihood_value_(self) -> float:
        """The log evidence, by Laplace's approximation, at what was learnt."""
        return self.report_["figures"]["log_evidence"]

    @property
    def theta_(self) -> Numbers:
        """Logarithms of what is learnt, in the order of theta_names_."""
        self._need_kernel()
        values = [one["value"] for one in self._free()] + ([self.signal_] if self._learns_signal() else [])
        return np.log(values)

    @property
    def theta_names_(self) -> list[str]:
        self._need_kernel()
        return [one["path"] for one in self._free()] + (["signal"] if self._learns_signal() else [])

    def log_marginal_likelihood(self, theta: ArrayLike | None = None, eval_gradient: bool = False) -> Any:
        """The log evidence at exp(theta) instead of what was learnt, and with `eval_gradient` its derivatives."""
        check_is_fitted(self, "model_")
        if theta is None and not eval_gradient:
            return self.log_marginal_likelihood_value_
        self._need_training_data()
        if self._train_weights is not None:
            raise ValueError("the log marginal likelihood elsewhere knows no sample weights; fit with optimizer=None")
        theta = self._checked_theta(theta)
        signal = float(np.exp(theta[-1])) if self._learns_signal() else self.signal_
        kernel = self._kernel_at(theta)
        value, by_kernel, by_signal = _core.gpc_evidence(
            kernel, signal, self._points(self.X_train_), class_names(self.classes_), self._train_codes, self.link,
            eval_gradient)
        if not eval_gradient:
            return value
        slopes = self._slopes(kernel, by_kernel) + ([signal * by_signal] if self._learns_signal() else [])
        return value, np.array(slopes)
