"""Gaussian process classification."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._arguments import class_names
from ._learning import Found, learnable
from ._matrix_process import MatrixClassification
from ._process import Process
from ._sklearn_kernels import NotInGrammar
from ._tasks import Classifier, Probabilities
from .kernels import Kernel

if TYPE_CHECKING:
    from typing_extensions import Self

    from ._types import ArrayLike, Callback, Inputs, KernelLike, Learnable, Numbers, Optimizer, RandomState, Weights


class GaussianProcessClassifier(Process, MatrixClassification, Probabilities, Classifier):
    """Gaussian process classification by the Laplace approximation, with hyper-parameters learnt from the data.

        two classes   P(classes_[1] | x) = 1 / (1 + exp(-f(x))),  or Phi(f(x)) with link="probit"
        several       P(c | x) = exp(f_c(x)) / sum_d exp(f_d(x)),  f_c ~ GP(0, signal k): one model of all classes

    Probabilities are averages over what f may be, not those of its mean.

    Parameters
    ----------
    kernel : None, Kernel, text of the grammar, name of the catalog, scikit-learn's kernel object, "precomputed", or \
function (X, Y) -> matrix
        None: rbf with a length scale for each column. A matrix or a function predicts classes, without probabilities.
        Given scikit-learn's object, signal="auto" is 1 as there, and kernel_ is such an object.
    link : "auto", "logistic", "probit" or "softmax"
        "auto": logistic for two classes, softmax for more.
    signal : "auto", a number to start from, fixed(1), bounded(1, 0.1, 100), or such a text
        What multiplies the kernel. "auto": 1 where the kernel has a free scale itself, else learnt.
    objective : "lml" or "none"
        What learning maximises: the log evidence, nothing.
    n_restarts_optimizer : int
        Random starts beside the numbers given.
    inducing : int
        So many of the points stand for all, chosen again as the kernel is learnt: some 10 n m^2 flops for an evaluation
        of two classes instead of 2 n^3, and n m numbers instead of n^2. 0: all points.
    multi_class : "softmax"
        One model of all classes. For scikit-learn's "one_vs_rest" and "one_vs_one" wrap the classifier into
        sklearn.multiclass.OneVsRestClassifier or OneVsOneClassifier.
    max_iter_predict : int
        Most factorisations on the way of Newton's method to the mode of f; a fit that needs more warns.
    warm_start : bool
        Makes no difference: Newton's method ends at the one mode wherever it begins; learning goes on from the last.
    n_jobs : None or int
        Threads, counted as scikit-learn does (-1: all), where `threads` is None.
    prior, optimizer, screen, max_iter, max_seconds, tol, copy_X_train, random_state, verbose, callback, threads
        As of GaussianProcessRegressor.

    Attributes
    ----------
    classes_, n_classes_
    base_estimator_ : the classifier itself, as all classes are one model
    kernel_ : Kernel, or scikit-learn's object where such a one was given
        With what was learnt.
    signal_ : float
    log_marginal_likelihood_value_ : float
    theta_, theta_names_
        Logarithms of all that is learnt: free numbers of the kernel, "signal".
    inducing_points_ : with `inducing`, those that stand for all
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
                 optimizer: Optimizer = "fmin_l_bfgs_b", n_restarts_optimizer: int = 0, screen: int = 400,
                 inducing: int = 0, max_iter: int = 200, max_seconds: float = 0, tol: float = 1e-7, max_iter_predict: int = 100,
                 warm_start: bool = False, multi_class: str = "softmax", copy_X_train: bool = True,
                 random_state: RandomState = None, verbose: int = 0, callback: Callback | None = None,
                 n_jobs: int | None = None, threads: int | None = None) -> None:
        self.kernel = kernel
        self.link = link
        self.signal = signal
        self.objective = objective
        self.prior = prior
        self.optimizer = optimizer
        self.n_restarts_optimizer = n_restarts_optimizer
        self.screen = screen
        self.inducing = inducing
        self.max_iter = max_iter
        self.max_seconds = max_seconds
        self.tol = tol
        self.max_iter_predict = max_iter_predict
        self.warm_start = warm_start
        self.multi_class = multi_class
        self.copy_X_train = copy_X_train
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback
        self.n_jobs = n_jobs
        self.threads = threads

    def _translated(self):
        translation = super()._translated()
        if translation.noise is not None:
            raise NotInGrammar("a WhiteKernel is noise of numbers, and classes have none: it is part of the matrix")
        return translation

    def _settings(self):
        return {**self._learn_settings(), "link": self.link, "newton": self.max_iter_predict,
                "inducing": self.inducing}

    @classmethod
    def _params_of(cls, settings):
        return {**cls._learn_params(settings), "link": settings["link"],
                "max_iter_predict": int(settings.get("newton", 100)), "inducing": int(settings.get("inducing", 0))}

    def fit(self, X: Inputs, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Learns. The log probability of a point is multiplied by its weight."""
        return self._fit_classes(X, y, sample_weight)

    def _fit_targets(self, X, weights, labels):
        if self.multi_class != "softmax" and (len(self.classes_) > 2 or
                                              self.multi_class not in ("one_vs_rest", "one_vs_one")):
            raise ValueError(f"multi_class={self.multi_class!r}: several classes are one model here, whose "
                             "probabilities belong together; leave it out, or wrap the classifier into "
                             "sklearn.multiclass.OneVsRestClassifier or OneVsOneClassifier")
        self._read_kernel()
        self._keep(X)
        self._train_codes, self._train_weights = labels[1], weights
        self._fit_process(X, weights, labels=labels)
        self._warn_of_notes()
        return self

    def _first(self):
        """Where a search in Python begins."""
        kernel, signal = self._chosen_kernel(self.X_train_), learnable(self.signal)
        if not self._as_theirs():
            if not isinstance(kernel, Kernel):
                raise ValueError("optimizer: a matrix or a function has no numbers to search for; give a kernel")
            kernel = kernel.resolve(self._points(self.X_train_))
        return Found(kernel, 0.0, 1.0 if signal is None else signal["value"])

    # ---- predictions ----

    def predict_proba(self, X: Inputs) -> Numbers:
        """The probability of each class, in the order of classes_; rows add to 1."""
        check_is_fitted(self, "model_")
        return self._matrix_probabilities(X) if self._matrices is not None else super().predict_proba(X)

    def latent(self, X: Inputs) -> tuple[Numbers, Numbers]:
        """Mean and standard deviation of f at X; of several classes one column for each."""
        check_is_fitted(self, "model_")
        if self._matrices is not None:
            mean, variance = self._matrix_latent(X)
            return mean, np.sqrt(variance)
        points, threads = self._points_with_kernel(X, "latent"), self._threads()
        mean, std = self.model_.scores(points, threads), np.sqrt(self.model_.variances(points, threads))
        return (mean[:, 0], std[:, 0]) if mean.shape[1] == 1 else (mean, std)

    def latent_mean_and_variance(self, X: Inputs) -> tuple[Numbers, Numbers]:
        """Mean and variance of f at X, of two classes, as in scikit-learn; `latent` is for several too."""
        check_is_fitted(self, "model_")
        if len(self.classes_) > 2:
            raise ValueError("Returning the mean and variance of the latent function f is only supported for binary "
                             f"classification, received {len(self.classes_)} classes; latent() has them for several")
        mean, std = self.latent(X)
        return mean, std**2

    # ---- what was learnt ----

    @property
    def n_classes_(self) -> int:
        check_is_fitted(self, "model_")
        return len(self.classes_)

    @property
    def base_estimator_(self) -> Self:
        """The process whose classes these are: this one, as all classes are one model."""
        check_is_fitted(self, "model_")
        return self

    @property
    def log_marginal_likelihood_value_(self) -> float:
        """The log evidence, by Laplace's approximation, at what was learnt."""
        return np.float64(self.report_["figures"]["log_evidence"])

    def _relative_noise(self):
        return 0.0

    def _relative_signal(self):
        return self.signal_

    def _extras(self):
        """What is learnt beside the numbers of a Mercer kernel, with its value."""
        return {"signal": self.signal_} if self._learns_signal(self.model_.kernel) else {}

    def log_marginal_likelihood(self, theta: ArrayLike | None = None, eval_gradient: bool = False,
                                clone_kernel: bool = True) -> Any:
        """The log evidence at exp(theta) instead of what was learnt, and with `eval_gradient` its derivatives.

        theta is in the order of theta_names_, or that of kernel_ alone; what is not in it stays as it is.
        clone_kernel=False also sets it in kernel_, which must be scikit-learn's.
        """
        return self._evidence(theta, eval_gradient, clone_kernel)

    def _evidence_at(self, at, eval_gradient):
        if self.inducing:
            raise ValueError("the log marginal likelihood elsewhere is that of all points, and inducing points stand for "
                             "them here; fit without inducing")
        if self._train_weights is not None:
            raise ValueError("the log marginal likelihood elsewhere knows no sample weights; fit with optimizer=None")
        value, by_kernel, by_signal = _core.gpc_evidence(
            at.kernel._core, at.signal, self._points(self.X_train_), class_names(self.classes_), self._train_codes,
            self.link, eval_gradient)
        return value, by_kernel, {"signal": by_signal}
