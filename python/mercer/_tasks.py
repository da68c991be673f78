"""Regressors and classifiers: targets, classes and weights on their way in, answers in their shapes on the way out."""
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils import _safe_indexing, check_random_state, column_or_1d
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, _num_samples, check_is_fitted

from ._arguments import class_names, from_setting, is_function, require_classes
from ._base import KernelMachine
from ._chunked import RowsInPieces
from ._held_out import Intervals, Sets
from .kernels import Kernel

if TYPE_CHECKING:
    from ._types import Inputs, Numbers


def seed_of(random_state):
    """A seed of the core; None is always the same one, so that a fit can be repeated."""
    if random_state is None:
        return 1
    if isinstance(random_state, (int, np.integer)) and random_state >= 0:
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))


class TaskMachine(KernelMachine):
    """What both kinds share. `_options` are the names of the machine's settings by the names of arguments."""

    _options = {}
    _count = None  # of the rows whose weight is not 0, while a fit with weights goes on

    def _settings(self):
        return {name: getattr(self, argument) for argument, name in self._options.items()}

    @classmethod
    def _params_of(cls, settings):
        return {argument: from_setting(settings[name]) for argument, name in cls._options.items() if name in settings}

    def _chosen_kernel(self, X):
        """What `_kernel_for` begins with: a Kernel, "precomputed", or a callable (X, Y) -> matrix."""
        kernel = self._kernel_meant()
        return kernel if is_function(kernel) else super()._kernel_for(X)

    def _kernel_for(self, X):
        """Where a number is read off the data, points of weight 0 are none of them."""
        kernel = self._chosen_kernel(X)
        if not isinstance(kernel, Kernel) or not any(one["auto"] for one in kernel.params):
            return kernel
        if (_num_samples(X) if self._count is None else len(self._count)) == 1:
            raise ValueError(f"{kernel} reads a number off the data, and there is only 1 sample; give the number")
        if self._count is None:
            return kernel
        if isinstance(X, RowsInPieces):
            raise ValueError(f"{kernel} reads a number off the points that count, and these are read in pieces; give the number")
        counted = _safe_indexing(X, self._count)
        self._warn_of_equal_inputs(kernel, counted)
        return kernel.resolve(self._points(counted))

    def _fit_weighted(self, X, sample_weight, **targets):
        if sample_weight is None:
            return self._fit_core(X, **targets)
        self._count = np.flatnonzero(sample_weight)
        try:
            return self._fit_core(X, sample_weight=sample_weight, **targets)
        finally:
            del self._count

    def _fit_targets(self, X, weights, **targets):
        """What a fit does once inputs, targets and weights are checked."""
        return self._fit_weighted(X, weights, **targets)

    def _weights(self, sample_weight, X):
        if sample_weight is None:
            return None
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64)
        if (weights < 0).any():
            raise ValueError(f"Negative values in data passed to `sample_weight`: {weights.min():g}")
        if not weights.any():
            raise ValueError("Sample weights must contain at least one non-zero number.")
        return weights

    def _training_coefficients(self):
        """One row for each training point, zero for those that f does without, or one for each centre; a column for each output."""
        if self._on_centres():
            return self.model_.alpha
        full = np.zeros((self.model_.training_size, self.model_.outputs))
        full[self.model_.support] = self.model_.alpha
        return full

    def _points_with_kernel(self, X, what):
        check_is_fitted(self, "model_")
        if not self._has_kernel():
            raise ValueError(f"{what} needs k(x, x') of new points: fit with a kernel, not a matrix or a function")
        return self._points(self._checked(X))


class Intercept:
    """Of a machine whose f has a b unless `fit_intercept` is False; it stands before TaskMachine."""

    def _settings(self):
        return {**super()._settings(), "no_bias": not self.fit_intercept}

    @classmethod
    def _params_of(cls, settings):
        return {**super()._params_of(settings), "fit_intercept": settings.get("no_bias") != "true"}


class Regressor(RegressorMixin, Intervals, TaskMachine):
    """Of one target or several: y of one column or many, and predictions of the same shape."""

    def _more_tags(self):
        return {"multioutput": True}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def _fit_numbers(self, X, y, sample_weight, **checks):
        X, y = self._checked(X, y, reset=True, multi_output=True, y_numeric=True, **checks)
        y = np.asarray(y, dtype=np.float64)
        weights = self._weights(sample_weight, X)
        self._flat = y.ndim == 1
        return self._fit_weighted(X, weights, y=y)

    def _after_load(self):
        self._flat = self.model_.outputs == 1

    def _shaped(self, columns):
        return columns[:, 0] if self._flat else columns

    def predict(self, X: Inputs) -> Numbers:
        """f(x) of each row of X: one number, or one for each target."""
        return self._shaped(self._ask(X, "predict"))

    def _training_coefficients(self):
        return self._shaped(super()._training_coefficients())


class Classifier(ClassifierMixin, Sets, TaskMachine):
    """Of two classes or more, of any type that can be sorted."""

    def _encoded(self, y):
        """Sets classes_; each point's class by its number."""
        check_classification_targets(y)
        self.classes_, codes = np.unique(column_or_1d(y, warn=True), return_inverse=True)
        return codes

    def _fit_classes(self, X, y, sample_weight, **checks):
        require_classes(y)
        X, y = self._checked(X, y, reset=True, **checks)
        codes = self._encoded(y)
        weights = self._class_weights(y, self._weights(sample_weight, X))
        seen = codes if weights is None else codes[weights > 0]
        if len(np.unique(seen)) < 2:
            raise ValueError(f"{type(self).__name__} needs samples of at least 2 classes in the data, but the data "
                             f"contains only one class: {self.classes_[seen[0]]!r}")
        return self._fit_targets(X, weights, labels=(class_names(self.classes_), codes))

    def _class_weights(self, y, weights):
        wanted = getattr(self, "class_weight", None)
        if wanted is None:
            return weights
        by_class = compute_sample_weight(wanted, y)
        return by_class if weights is None else weights * by_class

    def predict(self, X: Inputs) -> np.ndarray:
        """The class of each row of X; where there are probabilities, the most probable one."""
        codes = self._ask(X, "predict")[:, 0].astype(np.intp)
        return self.classes_[codes]


class Probabilities:
    """For classifiers that have them always."""

    def predict_proba(self, X: Inputs) -> Numbers:
        """The probability of each class, in the order of classes_; rows add to 1."""
        return self._ask(X, "probabilities")

    def predict_log_proba(self, X: Inputs) -> Numbers:
        """The logarithms of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


class Scores:
    """For classifiers that go by the scores alone."""

    def decision_function(self, X: Inputs) -> Numbers:
        """f(x): for two classes one number, positive for classes_[1]; for more the score of each class."""
        scores = self._scores(X)
        return scores[:, 0] if len(self.classes_) == 2 else scores


class Bayesian:
    """For regressors that know how sure they are."""

    @property
    def noise_(self) -> float | Numbers:
        """The variance of an observation about f: a number, or one for each target."""
        check_is_fitted(self, "model_")
        return float(self.model_.noise[0]) if self._flat else self.model_.noise

    def _deviations(self, X, include_noise):
        variances = self.model_.variances(self._points_with_kernel(X, "return_std"), self._threads())
        return self._shaped(np.sqrt(variances + self.model_.noise if include_noise else variances))
