"""Classes by kernel ridge regression on codes."""
from __future__ import annotations

from typing import TYPE_CHECKING

from ._tasks import Classifier, Scores

if TYPE_CHECKING:
    from typing_extensions import Self

    from ._types import ArrayLike, Callback, CentreCount, CentresBy, ClassWeight, Inputs, KernelLike, Numbers, Weights


class KernelRidgeClassifier(Scores, Classifier):
    """The class by the sign of f = argmin sum_i w_i (y_i - f(x_i))^2 + alpha |f|^2 for codes y_i = +-1; of several classes
    an f for each against all others, and the class of the largest.

    Squared loss is a poorer loss for classes than those of SVC and KernelLogisticRegression, and far cheaper: all classes
    come from one system, by each of the solvers of KernelRidge, and with `centres` of millions of points.

    Parameters
    ----------
    alpha : float > 0, or "auto"
        The price of |f|^2. "auto": chosen by the exact leave-one-out error of the codes.
    kernel : Kernel, text of the grammar, name of the catalog, "precomputed", or function (X, Y) -> matrix
    class_weight : None, "balanced", or {class: weight}
        Multiplies the weights of a class's points; "balanced" makes all classes weigh the same.
    solver, tol, rank, max_steps, centres, centres_by
        As of KernelRidge.
    verbose, callback, threads
        A progress bar; a function of (stage, fraction) that may return False to stop; threads to use (None: all).

    Attributes
    ----------
    alpha_ : float
        As it was given or chosen.
    dual_coef_ : array, one row for each training point or centre, one column for each output
    centres_ : the centres, where there are some
    classes_, n_features_in_, feature_names_in_, kernel_, model_, report_

    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> m = KernelRidgeClassifier(alpha=0.1, kernel="rbf(ell=2)").fit(X, y)
    >>> bool(m.score(X, y) > 0.95)
    True
    """

    _machine = "ridge_classifier"
    _options = {"alpha": "ridge", "solver": "solver", "tol": "tolerance", "rank": "rank", "max_steps": "max_iterations"}

    def __init__(self, alpha: float | str = 1.0, *, kernel: KernelLike = "rbf(ell=auto)", class_weight: ClassWeight = None,
                 solver: str = "auto", tol: float | None = None, rank: int = 0, max_steps: int = 1000, verbose: int = 0,
                 callback: Callback | None = None, threads: int | None = None, centres: CentreCount = None,
                 centres_by: CentresBy = "rpcholesky") -> None:
        self.alpha = alpha
        self.kernel = kernel
        self.class_weight = class_weight
        self.solver = solver
        self.tol = tol
        self.rank = rank
        self.max_steps = max_steps
        self.verbose = verbose
        self.callback = callback
        self.threads = threads
        self.centres = centres
        self.centres_by = centres_by

    @classmethod
    def _params_of(cls, settings):
        found = super()._params_of(settings)
        if found.get("tol") == "auto":
            found["tol"] = None
        return found

    def fit(self, X: Inputs, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Fits to X and its classes y; a point of weight 2 counts as two."""
        if self.alpha != "auto" and not self.alpha > 0:
            raise ValueError(f'alpha must be above 0, or "auto", not {self.alpha!r}')
        return self._fit_classes(X, y, sample_weight)

    @property
    def alpha_(self) -> float:
        return self.report_["figures"]["ridge"]

    @property
    def dual_coef_(self) -> Numbers:
        """The coefficients of f(x) = sum_i alpha_i k(x_i, x); with `centres` the x_i are `centres_`."""
        return self._training_coefficients()
