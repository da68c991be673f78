"""Intervals of numbers and sets of classes that hold the truth as often as asked for."""
from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np
from sklearn.utils.validation import check_is_fitted

if TYPE_CHECKING:
    from typing_extensions import Self

    from ._types import ArrayLike, Inputs, Numbers, Weights


class ErrorsHeldOut:
    """What both kinds share."""

    _keeps_errors = False  # while fit_with_intervals goes on

    def fit_with_intervals(self, X: Inputs, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """`fit`, and then five fits more, each without a fifth of the points, whose errors are kept for intervals or sets.

        The fit itself is the same. Where weights are given, or classes have some, coverage is a share of the weight.
        """
        self._keeps_errors = True
        try:
            return self.fit(X, y) if sample_weight is None else self.fit(X, y, sample_weight=sample_weight)
        finally:
            del self._keeps_errors

    def _points_for(self, X, what):
        check_is_fitted(self, "model_")
        if not self._has_kernel():
            raise ValueError(f"{what} needs k(x, x') of new points: fit with a kernel, not a matrix or a function")
        return self._points(self._checked(X))


class Intervals(ErrorsHeldOut):
    """For regressors."""

    def predict_interval(self, X: Inputs, coverage: float = 0.9) -> tuple[Numbers, Numbers]:
        """The lower and upper ends of intervals in which about that share of new observations lies, approximately.

        From the errors that `fit_with_intervals` keeps, of points held out: as wide everywhere. Ends are infinite, with a
        warning, where (1 - coverage) (n + 1) < 1.
        """
        return self._intervals(X, coverage)

    def _intervals(self, X, coverage, adaptive=False):
        points = self._points_for(X, "predict_interval")
        if not self.model_.knows_intervals:
            raise ValueError(f"predict_interval: this {type(self).__name__} holds no errors of points held out, and cannot leave "
                             "its points out in closed form; fit it by fit_with_intervals")
        low, high, words = self.model_.intervals(points, float(coverage), bool(adaptive), self._threads())
        if "no end" in words:
            warnings.warn(words, stacklevel=3)
        flat = getattr(self, "_flat", True)
        return (low[:, 0], high[:, 0]) if flat else (low, high)


class Sets(ErrorsHeldOut):
    """For classifiers."""

    def predict_set(self, X: Inputs, coverage: float = 0.9) -> np.ndarray:
        """For each row of X a set of classes that holds the true one about as often as that: True where a class is in it.

        One column for each of classes_; the predicted class is always in. From the errors that `fit_with_intervals` keeps,
        of points held out: a class is in where the likelier ones together are not more probable than they were above the
        truth of the held-out points, in that share of these (adaptive prediction sets; without probabilities the same of
        the distance below the largest score). Classes that are equally likely are in together. All classes are in, with
        a warning, where (1 - coverage) (n + 1) < 1.
        """
        check_is_fitted(self, "model_")
        if not self.model_.knows_sets:
            raise ValueError(f"predict_set: this {type(self).__name__} holds no errors of points held out; fit it by "
                             "fit_with_intervals")
        found, words = self.model_.class_sets(self._points_for(X, "predict_set"), float(coverage), self._threads())
        if "no end" in words:
            warnings.warn(words, stacklevel=2)
        return found
