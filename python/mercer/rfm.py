"""Recursive feature machines: ridge regression that learns a length for each column."""
from __future__ import annotations

from typing import TYPE_CHECKING

from ._tasks import Classifier, Regressor, Scores

if TYPE_CHECKING:
    from typing_extensions import Self

    from ._types import ArrayLike, Callback, ClassWeight, Inputs, KernelLike, Numbers, Weights


class _Rfm:
    """What both have in common."""

    _options = {"alpha": "ridge", "rounds": "rounds"}

    def _require_alpha(self):
        if self.alpha != "auto" and not self.alpha > 0:
            raise ValueError(f'alpha must be above 0, or "auto", not {self.alpha!r}')

    @property
    def alpha_(self) -> float:
        return self.report_["figures"]["ridge"]

    @property
    def rounds_(self) -> int:
        """How often the lengths were learnt anew; 0: the kernel is the one that was given."""
        return int(self.report_["figures"].get("rounds", 0))

    @property
    def feature_importances_(self) -> Numbers:
        """The share of each column in sum_c mean (df/dx_c)^2 var_c, which add to 1."""
        table = self.report_["tables"].get("relevance")
        if table is None:
            raise AttributeError(f"{self.kernel_} has no lengths of columns that could be learnt, or rounds is 0")
        return table[1][:, 2]


class RFMRegressor(_Rfm, Regressor):
    """Kernel ridge regression that learns how much each column matters (Radhakrishnan et al. 2024): a round fits, takes the
    mean squared slope of f along each column, and makes the column's length in the kernel inversely proportional to its root.

    Parameters
    ----------
    alpha : float > 0, or "auto"
        The price of |f|^2. "auto": chosen by the exact leave-one-out error in each round.
    kernel : Kernel, text of the grammar, name of the catalog, "precomputed", or function (X, Y) -> matrix
        rbf, exponential or laplace with one ell, or one for each column; others are left as they are.
    rounds : int >= 0, or "auto"
        "auto": 0 to 3, by the error of points held out in 5 folds, whose lengths are learnt without them.
    verbose, callback, threads
        A progress bar; a function of (stage, fraction) that may return False to stop; threads to use (None: all).

    Attributes
    ----------
    alpha_, rounds_ : as given or chosen
    feature_importances_ : the share of each column in the slopes of f
    kernel_ : with the lengths that were learnt
    n_features_in_, feature_names_in_, model_, report_

    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(150, 4))
    >>> m = RFMRegressor().fit(X, np.sin(2 * X[:, 1]))
    >>> int(m.feature_importances_.argmax()), m.rounds_ > 0
    (1, True)
    """

    _machine = "rfm"

    def __init__(self, alpha: float | str = "auto", *, kernel: KernelLike = "exponential(ell=auto)", rounds: int | str = "auto",
                 verbose: int = 0, callback: Callback | None = None, threads: int | None = None) -> None:
        self.alpha = alpha
        self.kernel = kernel
        self.rounds = rounds
        self.verbose = verbose
        self.callback = callback
        self.threads = threads

    def fit(self, X: Inputs, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Fits to X and y, of one column or of one for each target, which share one kernel."""
        self._require_alpha()
        return self._fit_numbers(X, y, sample_weight)


class RFMClassifier(_Rfm, Scores, Classifier):
    """Classes by RFMRegressor on codes +-1; of several classes an f for each against all others, with one kernel, and the class
    of the largest.

    Parameters
    ----------
    alpha, kernel, rounds
        As of RFMRegressor, by the errors of the codes.
    class_weight : None, "balanced", or {class: weight}
        Multiplies the weights of a class's points; "balanced" makes all classes weigh the same.
    verbose, callback, threads
        A progress bar; a function of (stage, fraction) that may return False to stop; threads to use (None: all).

    Attributes
    ----------
    alpha_, rounds_, feature_importances_, kernel_ : as of RFMRegressor
    classes_, n_features_in_, feature_names_in_, model_, report_

    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> bool(RFMClassifier().fit(X, y).score(X, y) > 0.95)
    True
    """

    _machine = "rfm_classifier"

    def __init__(self, alpha: float | str = "auto", *, kernel: KernelLike = "exponential(ell=auto)", rounds: int | str = "auto",
                 class_weight: ClassWeight = None, verbose: int = 0, callback: Callback | None = None,
                 threads: int | None = None) -> None:
        self.alpha = alpha
        self.kernel = kernel
        self.rounds = rounds
        self.class_weight = class_weight
        self.verbose = verbose
        self.callback = callback
        self.threads = threads

    def fit(self, X: Inputs, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Fits to X and its classes y; a point of weight 2 counts as two."""
        self._require_alpha()
        return self._fit_classes(X, y, sample_weight)
