"""The kernel perceptron."""
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from ._arguments import WEIGHTS_ARE_REPEATS, class_names, require_classes
from ._tasks import Classifier, Scores

if TYPE_CHECKING:
    from typing_extensions import Self

    from ._types import ArrayLike, Callback, Inputs, KernelLike, Weights


class KernelPerceptron(Scores, Classifier):
    """Learns from one point after the other, from its mistakes only.

        f = 0;  for each point i:  if y_i f(x_i) <= 0 then f += w_i y_i k(x_i, .)

    and its form for several classes, where the class that scores most loses what the right one gains. f has no bias:
    add a constant to the kernel, `1 + k`, to have one. Points are taken in their order: shuffle them if they are
    sorted.

    Parameters
    ----------
    kernel : Kernel, text of the grammar, name of the catalog, "precomputed", or function (X, Y) -> matrix
    max_iter : int
        Passes over the data at most; `fit` ends after one without a mistake. `partial_fit` always makes one.
    averaged : bool
        The mean of f over all visits of the fit, not the last f. `partial_fit` refuses it: the mean of a stream needs
        the f that is not averaged.
    budget : int
        Support points at most, the oldest is forgotten; 0: any number.
    verbose, callback, threads
        A progress bar; a function of (stage, fraction) that may return False to stop; threads to use (None: all).

    Attributes
    ----------
    classes_, n_features_in_, feature_names_in_, kernel_, model_, report_
    support_ : array
        Numbers of the points that f remembers, counted over all points seen.
    n_iter_ : int
        Passes made.

    >>> import numpy as np
    >>> X = np.array([[0.0, 0], [1, 1], [0, 1], [1, 0]])
    >>> m = KernelPerceptron("rbf(ell=0.5)", max_iter=10).fit(X, ["same", "same", "other", "other"])
    >>> m.predict([[0.1, 0.9]])
    array(['other'], dtype='<U5')
    """

    _machine = "perceptron"
    _expected_failures = dict.fromkeys(("check_sample_weights_invariance", *WEIGHTS_ARE_REPEATS),
                                       "points are taken in their order, which the check changes")
    _options = {"averaged": "averaged", "budget": "budget", "max_iter": "epochs"}

    def __init__(self, kernel: KernelLike = "rbf(ell=auto)", *, max_iter: int = 10, averaged: bool = False,
                 budget: int = 0, verbose: int = 0, callback: Callback | None = None,
                 threads: int | None = None) -> None:
        self.kernel = kernel
        self.max_iter = max_iter
        self.averaged = averaged
        self.budget = budget
        self.verbose = verbose
        self.callback = callback
        self.threads = threads

    def _settings(self):
        return {**super()._settings(), **({"epochs": 1} if self._going_on else {})}

    _going_on = False  # within partial_fit

    def fit(self, X: Inputs, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Begins with f = 0."""
        self._fit_classes(X, y, sample_weight)
        self.n_iter_ = int(self.report_["figures"]["passes"])
        return self

    def partial_fit(self, X: Inputs, y: ArrayLike, classes: ArrayLike | None = None,
                    sample_weight: Weights = None) -> Self:
        """One more pass, over these points; the first call needs all `classes` that will ever come."""
        if self.averaged:
            raise ValueError("partial_fit with averaged=True: the mean of a stream needs the f that is not averaged; "
                             "use fit, or averaged=False")
        first = not hasattr(self, "model_")
        if not isinstance(self.kernel, str) and callable(self.kernel) and not hasattr(self.kernel, "params"):
            raise ValueError("partial_fit with a kernel function: new points need a kernel object or a text")
        if not first and (self.model_.scaling != "none" or self.model_.prepare):
            raise ValueError("partial_fit of a model that scales its inputs: the command goes on with it, by --start")
        require_classes(y)
        X, y = self._checked(X, y, reset=first)
        check_classification_targets(y)
        y = column_or_1d(y)
        if first:
            if classes is None:
                raise ValueError("classes must be passed on the first call to partial_fit.")
            self.classes_ = np.unique(classes)
        elif classes is not None and not np.array_equal(self.classes_, np.unique(classes)):
            raise ValueError(f"`classes={classes!r}` is not the same as on last call to partial_fit, was: "
                             f"{self.classes_!r}")
        codes = np.searchsorted(self.classes_, y)
        unknown = [label for label, code in zip(y, codes)
                   if code == len(self.classes_) or self.classes_[code] != label]
        if unknown:
            raise ValueError(f"y contains classes that `classes` does not: {sorted(set(unknown))}")
        weights = self._weights(sample_weight, X)
        self._going_on = True
        try:
            self._fit_weighted(X, weights, labels=(class_names(self.classes_), codes),
                               start=None if first else self.model_)
        finally:
            del self._going_on
        self.n_iter_ = 1 if first else self.n_iter_ + 1
        return self

    def _chosen_kernel(self, X):
        """A later batch is not asked about numbers that were read off the first."""
        later = self._going_on and hasattr(self, "model_") and self._has_kernel()
        return self.kernel_ if later else super()._chosen_kernel(X)

    def _after_load(self):
        self.n_iter_ = int(self.report_["figures"]["passes"])

    def _warn_unless_converged(self):
        """A perceptron whose classes overlap makes mistakes in every pass: that is no failure."""
        if self.report_["stopped"] == "interrupted":
            super()._warn_unless_converged()

    @property
    def support_(self) -> np.ndarray:
        return self.model_.support
