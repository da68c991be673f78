"""Kernel logistic regression."""
from __future__ import annotations

from typing import TYPE_CHECKING

from ._tasks import Classifier, Intercept, Probabilities, Scores

if TYPE_CHECKING:
    from typing_extensions import Self

    from ._types import ArrayLike, Callback, CentreCount, CentresBy, ClassWeight, Inputs, KernelLike, Weights


class KernelLogisticRegression(Intercept, Probabilities, Scores, Classifier):
    """Probabilities of classes, by regularised maximum likelihood. Several classes: softmax, all at once.

    Two classes y = +-1, with P(+1 | x) = 1 / (1 + exp(-f(x) - b)):

        minimise  C sum_i w_i log(1 + exp(-y_i (f(x_i) + b))) + 1/2 |f|^2

    Parameters
    ----------
    C : float > 0
        The price of a mistake; the machine's lambda is 1 / C.
    kernel : Kernel, text of the grammar, name of the catalog, "precomputed", or function (X, Y) -> matrix
    fit_intercept : bool
        Whether there is a b, which is not penalised.
    class_weight : None, "balanced", or {class: weight}
        Multiplies the weights of a class's points; "balanced" makes all classes weigh the same.
    tol : float
        Of the gradient, for each unit of weight.
    max_iter : int
        Newton steps at most.
    verbose, callback, threads
        A progress bar; a function of (stage, fraction) that may return False to stop; threads to use (None: all).
    centres, centres_by
        How many of the points stand for all (None: all points), and how they are chosen; as of KernelRidge.

    Attributes
    ----------
    centres_ : the centres, where there are some
    classes_, n_features_in_, feature_names_in_, kernel_, model_, report_
    n_iter_ : int
        Newton steps taken.

    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> m = KernelLogisticRegression(C=10, kernel="rbf(ell=2)").fit(X, y)
    >>> m.predict_proba(X[:1]).round(1)
    array([[1., 0., 0.]])
    """

    _machine = "logistic"
    _options = {"tol": "tolerance", "max_iter": "max_iterations"}

    def __init__(self, C: float = 1.0, *, kernel: KernelLike = "rbf(ell=auto)", fit_intercept: bool = True,
                 class_weight: ClassWeight = None, tol: float = 1e-10, max_iter: int = 200, verbose: int = 0,
                 callback: Callback | None = None, threads: int | None = None, centres: CentreCount = None,
                 centres_by: CentresBy = "rpcholesky") -> None:
        self.C = C
        self.kernel = kernel
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose
        self.callback = callback
        self.threads = threads
        self.centres = centres
        self.centres_by = centres_by

    def _settings(self):
        if not self.C > 0:
            raise ValueError(f"C must be above 0, not {self.C!r}")
        return {**super()._settings(), "lambda": 1 / float(self.C)}

    @classmethod
    def _params_of(cls, settings):
        return {**super()._params_of(settings), "C": 1 / float(settings["lambda"])}

    def fit(self, X: Inputs, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Fits to X and its classes y; a point of weight 2 counts as two."""
        return self._fit_classes(X, y, sample_weight)

    @property
    def n_iter_(self) -> int:
        return self.report_["iterations"]
