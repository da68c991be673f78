"""A table and no opinion: machines race, and the best is the estimator."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_array, column_or_1d
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from . import _core
from ._arguments import require_classes
from ._base import all_estimators
from ._tables import Frame, is_frame

if TYPE_CHECKING:
    from typing_extensions import Self

    from ._types import ArrayLike, Callback, Inputs, Numbers


def _best_has(method, knows=None):
    """Before the race nobody knows who wins, and so whether there will be such answers. `knows`: and whether its model does."""
    def asked(self):
        best = self._fitted()
        if hasattr(best, method) and (knows is None or getattr(best.model_, knows)):
            return True
        hint = "; Auto(intervals=True) keeps what it takes" if knows and hasattr(best, method) else ""
        raise AttributeError(f"{type(best).__name__} won, and has no {method}{hint}")
    return available_if(asked)


class Auto(BaseEstimator):
    """The best of several machines for X and y, by a race on rows held out; what `mercer auto` does, to the same model.

    The mean (or the largest class), a linear machine, nearest neighbours and then kernel machines by cost are compared on the
    same folds, for two thirds of the time; the best is fitted to all rows. What they do not know is chosen once, on all
    rows, so that the errors are a little too good: judge by rows set aside. Inputs are scaled, gaps filled and categories
    coded as a part of the model.

    Parameters
    ----------
    time : float
        Seconds, of all.
    task : "classification", "regression" or None
        None: by the look of y: names are classes, and so are few whole numbers that come often.
    intervals : bool
        Keep what `predict_interval` and `predict_set` need, by five more fits of the best, beyond `time`.
    callback, threads
        A function of (stage, fraction) that may return False to end the race; threads to use (None: all).

    Attributes
    ----------
    best_estimator_ : the fitted estimator, such as SVC or KernelRidge
    race_ : list of dicts, one for each machine: name, machine, baseline, score, standard_error, seconds, failure
    metric_, task_, why_ : what they were compared by ("accuracy", "rmse"); what is predicted, and why so

    >>> X = np.linspace(0, 6, 40).reshape(-1, 1)
    >>> m = Auto(time=4).fit(X, np.sin(X[:, 0]))
    >>> m.task_, bool(abs(m.predict([[1.5]])[0] - np.sin(1.5)) < 0.05)
    ('regression', True)
    """

    def __init__(self, *, time: float = 60, task: str | None = None, intervals: bool = False,
                 callback: Callback | None = None, threads: int | None = None) -> None:
        self.time = time
        self.task = task
        self.intervals = intervals
        self.callback = callback
        self.threads = threads

    def fit(self, X: Inputs, y: ArrayLike) -> Self:
        """Lets them race. X: an array of numbers, or a frame of pandas, polars or pyarrow."""
        if not is_frame(X):
            X = check_array(X, dtype=np.float64)
            points, types = _core.dense_points(X), {}
        else:
            frame = Frame(X)
            read = frame.read(plain=not frame.is_raw(words_are=True))
            if read is None:
                raise ValueError("X has a column of objects that are no numbers, texts or dates; leave it out")
            points, types = read
        if np.asarray(y).dtype.kind not in "iuf":
            require_classes(y)
        y = column_or_1d(y, warn=True)
        check_consistent_length(X, y)
        numbers = y.astype(np.float64) if y.dtype.kind in "iuf" else None
        names = None if numbers is not None else [str(one) for one in y]
        threads = 0 if self.threads is None else self.threads
        model, race = _core.race(points, types, numbers, names, self.task or "", float(self.time), threads, self.callback,
                                 bool(self.intervals))
        self.best_estimator_ = next(one for one in all_estimators() if one._reads(model))._from_model(model)
        self.race_ = race["runners"]
        self.metric_, self.task_, self.why_ = race["metric"], race["task"], race["why"]
        return self

    def _fitted(self):
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_

    def predict(self, X: Inputs) -> Numbers:
        """What the best says: classes, or numbers."""
        return self._fitted().predict(X)

    @_best_has("predict_proba")
    def predict_proba(self, X: Inputs) -> Numbers:
        """The probability of each class, in the order of classes_, where the best has them."""
        return self._fitted().predict_proba(X)

    @_best_has("predict_interval", "knows_intervals")
    def predict_interval(self, X: Inputs, coverage: float = 0.9) -> tuple[Numbers, Numbers]:
        """The lower and upper ends of intervals in which that share of new observations lies; of kernel ridge and processes,
        and with `intervals` of all."""
        return self._fitted().predict_interval(X, coverage)

    @_best_has("predict_set", "knows_sets")
    def predict_set(self, X: Inputs, coverage: float = 0.9) -> np.ndarray:
        """Which of classes_ are in a set that holds the true class about as often as that, with `intervals`."""
        return self._fitted().predict_set(X, coverage)

    def score(self, X: Inputs, y: ArrayLike) -> float:
        """Its own score: the accuracy, or R^2."""
        return self._fitted().score(X, y)

    @property
    def classes_(self) -> Any:
        """The classes, where these are predicted."""
        return self._fitted().classes_

    def save(self, path: str) -> None:
        """Writes the model as a .mercer file, which `mercer.load` and the command read."""
        self._fitted().save(path)
