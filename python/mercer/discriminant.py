"""Directions that separate classes."""
from __future__ import annotations

from typing import TYPE_CHECKING

from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ._tasks import Classifier, Probabilities

if TYPE_CHECKING:
    from typing_extensions import Self

    from ._types import ArrayLike, Callback, CentreCount, CentresBy, Inputs, KernelLike, Numbers, Weights


class KernelFDA(Probabilities, ClassNamePrefixFeaturesOutMixin, TransformerMixin, Classifier):
    """Fisher's discriminant in feature space: coordinates that separate the classes, and the class of the nearest mean.

        max tr (V' (S_W + ridge) V)^-1 V' S_B V,  S_B and S_W the scatter between and within the classes

    With the linear kernel it is linear discriminant analysis, whose covariance has the ridge added.

    Parameters
    ----------
    ridge : float, default=1e-3
        Added to the variance within the classes, in every direction.
    kernel : Kernel, text of the grammar, name of the catalog, "precomputed", or function (X, Y) -> matrix
    priors : "equal" or "shares", default="equal"
        Of the classes: all the same (the nearest mean wins), or their shares of the training points.
    n_components : int, default=None
        How many coordinates `transform` gives, at most one less than there are classes; None: all of them. Predictions use
        all.
    verbose, callback, threads
        A progress bar; a function of (stage, fraction) that may return False to stop; threads to use (None: all).
    centres, centres_by
        How many of the points stand for all (None: all points), and how they are chosen; as of KernelRidge.

    Attributes
    ----------
    classes_ : the classes, sorted
    means_ : of the classes, in all coordinates
    ratios_ : scatter between the classes over that within them (with the ridge), in each coordinate
    explained_variance_ratio_ : their shares of the sum
    centres_ : the centres, where there are some

    >>> import numpy as np
    >>> X = np.array([[0.0], [0.1], [1.0], [1.1], [2.0], [2.1]])
    >>> m = KernelFDA(kernel="rbf(ell=1)").fit(X, ["ends", "ends", "middle", "middle", "ends", "ends"])
    >>> m.predict([[0.05], [1.05]])
    array(['ends', 'middle'], dtype='<U6')
    >>> m.transform(X).shape
    (6, 1)
    """

    _machine = "kfda"
    _options = {"ridge": "ridge", "priors": "priors"}

    def __init__(self, ridge: float = 1e-3, *, kernel: KernelLike = "rbf(ell=auto)", priors: str = "equal",
                 n_components: int | None = None, verbose: int = 0, callback: Callback | None = None,
                 threads: int | None = None, centres: CentreCount = None,
                 centres_by: CentresBy = "rpcholesky") -> None:
        self.ridge = ridge
        self.kernel = kernel
        self.priors = priors
        self.n_components = n_components
        self.verbose = verbose
        self.callback = callback
        self.threads = threads
        self.centres = centres
        self.centres_by = centres_by

    def fit(self, X: Inputs, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Fits to the rows of X and their classes."""
        self._fit_classes(X, y, sample_weight)
        if self.n_components is not None and not 1 <= self.n_components <= len(self.classes_) - 1:
            raise ValueError(f"n_components={self.n_components}: {len(self.classes_)} classes are separated in 1 to "
                             f"{len(self.classes_) - 1} coordinates")
        return self

    def transform(self, X: Inputs) -> Numbers:
        """The rows of X in the coordinates that separate the classes, the best one first."""
        check_is_fitted(self, "model_")
        return self._scores(X, self.model_.as_embedding())[:, :self.n_components]

    def decision_function(self, X: Inputs) -> Numbers:
        """The score of each class, -|z - mean|^2/2 + log prior up to a number for each row; of two classes their difference."""
        scores = self._scores(X)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    @property
    def _n_features_out(self):
        return self.model_.outputs if self.n_components is None else min(self.n_components, self.model_.outputs)

    @property
    def means_(self) -> Numbers:
        check_is_fitted(self, "model_")
        return self.model_.readout[:, :-1]

    @property
    def ratios_(self) -> Numbers:
        return self.report_["tables"]["directions"][1][:, 0]

    @property
    def explained_variance_ratio_(self) -> Numbers:
        return self.report_["tables"]["directions"][1][:, 1]
