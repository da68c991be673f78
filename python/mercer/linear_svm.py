"""Support vector machines on features, with scikit-learn's arguments: LinearSVC and LinearSVR."""
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._arguments import documented
from ._points import as_points
from ._tasks import Classifier, Regressor, Scores, TaskMachine, seed_of

if TYPE_CHECKING:
    from typing_extensions import Self

    from ._types import ArrayLike, Callback, Inputs, KernelLike, Numbers, Weights

_COMMON = """
    tol : float
        The largest violation of the optimality conditions at the end.
    fit_intercept, intercept_scaling : bool, float
        The bias is intercept_scaling times a weight that is penalised as all others are: a large number leaves it free.
        Without an intercept it is 0.
    dual : "auto" or bool
        Is there so that programs written for scikit-learn run: the answer is the same either way.
    random_state : int, RandomState or None
        Of the order of the steps, which changes the answer within `tol` only.
    max_iter : int
        Passes over the points, at most.
    kernel : Kernel or text
        Any kernel whose features are few, such as `poly(degree=2)` of few columns; "linear()" takes the inputs
        themselves, dense or sparse.
    verbose, callback, threads
        A progress bar; a function of (stage, fraction) that may return False to stop; threads to use (None: all).

    Attributes
    ----------
    coef_, intercept_ : f(x) = coef_ x + intercept_; coef_ of `linear()` alone
    n_iter_ : passes made
    n_features_in_, feature_names_in_, kernel_, model_, report_"""


_documented = documented(common=_COMMON)


class _LinearMachine(TaskMachine):
    _options = {"C": "C", "loss": "loss", "tol": "tolerance", "max_iter": "max_iterations"}

    def _settings(self):
        if self.dual not in (True, False, "auto"):
            raise ValueError(f"dual is {self.dual!r}; give 'auto', True or False")
        if self.fit_intercept and not self.intercept_scaling > 0:
            raise ValueError(f"intercept_scaling is {self.intercept_scaling!r}; give a number above 0, or "
                             "fit_intercept=False")
        scale = float(self.intercept_scaling) if self.fit_intercept else 0.0
        return {**super()._settings(), "bias_scale": scale, "seed": seed_of(self.random_state)}

    @classmethod
    def _params_of(cls, settings):
        params = super()._params_of(settings)
        scale = float(settings.get("bias_scale", 1))
        params.update({"fit_intercept": scale > 0, "intercept_scaling": scale or 1})
        if "seed" in settings:
            params["random_state"] = int(settings["seed"])
        return params

    @property
    def n_iter_(self) -> int:
        check_is_fitted(self, "model_")
        return int(self.model_.report["iterations"])

    def _weights_of_columns(self):
        """One row for each output."""
        check_is_fitted(self, "model_")
        if repr(self.kernel_) != "linear()" or self.model_.scaling != "none" or self.model_.prepare:
            raise AttributeError(f"coef_ is there for linear() of inputs as they come, not for {self.kernel_!r}")
        centres = self.model_.centres
        axes = as_points(sparse.identity(self.n_features_in_, format="csr"))
        return self.model_.alpha.T @ _core.parse("linear()").cross(centres, axes)


@_documented
class LinearSVC(Scores, Classifier, _LinearMachine):
    """Support vector classification on features at hand, for many points: one class against the rest.

        min 1/2 |f|^2 + b^2 / (2 s^2) + C sum_i w_i max(0, 1 - y_i (f(x_i) + b))^p,  y_i = -1 or 1

    by dual coordinate descent. SVC solves it with a bias that is free, for any kernel.

    Parameters
    ----------
    penalty : "l2"
        Of the weights; "l1" is no norm of a kernel's space, and is refused.
    loss : "squared_hinge" (p = 2) or "hinge" (p = 1)
    C : float
        The price of a violation of the margin.
    multi_class : "ovr"
        "crammer_singer" is refused: it is another problem.
    class_weight : dict or "balanced"
        Factors of the weights of the points of each class, also where they are the rest. (LIBLINEAR weighs a class
        only where it is the one against the rest; of two classes both are the same.)
    {common}
    classes_ : the classes, in order

    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> bool(LinearSVC(max_iter=10000).fit(X, y).score(X, y) > 0.95)
    True
    """

    _machine = "linear_svc"

    def __init__(self, penalty: str = "l2", loss: str = "squared_hinge", *, dual: bool | str = "auto",
                 tol: float = 1e-4, C: float = 1.0, multi_class: str = "ovr", fit_intercept: bool = True,
                 intercept_scaling: float = 1, class_weight: dict | str | None = None, verbose: int = 0,
                 random_state=None, max_iter: int = 1000, kernel: KernelLike = "linear()",
                 callback: Callback | None = None, threads: int | None = None) -> None:
        self.penalty = penalty
        self.loss = loss
        self.dual = dual
        self.tol = tol
        self.C = C
        self.multi_class = multi_class
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.verbose = verbose
        self.random_state = random_state
        self.max_iter = max_iter
        self.kernel = kernel
        self.callback = callback
        self.threads = threads

    def _settings(self):
        for name, wanted in (("penalty", "l2"), ("multi_class", "ovr")):
            if getattr(self, name) != wanted:
                raise ValueError(f"{name} is {getattr(self, name)!r}; LinearSVC solves the problem of {wanted!r} alone")
        return super()._settings()

    def fit(self, X: Inputs, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """sample_weight : one number for each point, at least 0; a point of weight 2 counts as two."""
        return self._fit_classes(X, y, sample_weight)

    @property
    def coef_(self) -> Numbers:
        """A row of weights for each class; of two classes one row."""
        return self._weights_of_columns()

    @property
    def intercept_(self) -> Numbers:
        check_is_fitted(self, "model_")
        return self.model_.bias


@_documented
class LinearSVR(Regressor, _LinearMachine):
    """Support vector regression on features at hand, for many points.

        min 1/2 |f|^2 + b^2 / (2 s^2) + C sum_i w_i max(0, |y_i - f(x_i) - b| - epsilon)^p

    by dual coordinate descent. SVR solves it with a bias that is free, for any kernel.

    Parameters
    ----------
    epsilon : float
        Errors up to this are free.
    loss : "epsilon_insensitive" (p = 1) or "squared_epsilon_insensitive" (p = 2)
    C : float
        The price of a violation.
    {common}

    >>> import numpy as np
    >>> x = np.linspace(-1, 1, 50).reshape(-1, 1)
    >>> m = LinearSVR(C=100).fit(x, 3 * x[:, 0] + 1)
    >>> np.round([m.coef_[0], m.intercept_[0]], 3)
    array([3., 1.])
    """

    _machine = "linear_svr"
    _options = {**_LinearMachine._options, "epsilon": "epsilon"}

    def __init__(self, *, epsilon: float = 0.0, tol: float = 1e-4, C: float = 1.0, loss: str = "epsilon_insensitive",
                 fit_intercept: bool = True, intercept_scaling: float = 1.0, dual: bool | str = "auto",
                 verbose: int = 0, random_state=None, max_iter: int = 1000, kernel: KernelLike = "linear()",
                 callback: Callback | None = None, threads: int | None = None) -> None:
        self.epsilon = epsilon
        self.tol = tol
        self.C = C
        self.loss = loss
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.dual = dual
        self.verbose = verbose
        self.random_state = random_state
        self.max_iter = max_iter
        self.kernel = kernel
        self.callback = callback
        self.threads = threads

    def fit(self, X: Inputs, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """sample_weight : one number for each point, at least 0; a point of weight 2 counts as two."""
        return self._fit_numbers(X, y, sample_weight)

    @property
    def coef_(self) -> Numbers:
        """The weights of the columns; of several targets a row for each."""
        weights = self._weights_of_columns()
        return weights[0] if self._flat else weights

    @property
    def intercept_(self) -> Numbers:
        check_is_fitted(self, "model_")
        return self.model_.bias
