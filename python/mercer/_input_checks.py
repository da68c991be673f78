"""What estimators do with their inputs before the core sees them: arrays, objects, raw tables, and rows read in pieces."""
from __future__ import annotations

import math
import warnings

import numpy as np
from scipy import sparse
from sklearn.utils import validation
from sklearn.utils.validation import _check_y, check_array, check_consistent_length

from . import _core
from ._arguments import is_function, is_objects, kernel_from, numbers_of
from ._chunked import RowsInPieces, in_memory, is_chunked, is_large
from ._domains import domain_of, some_are_objects
from ._points import _table, as_points
from ._tables import Frame, is_frame
from .kernels import Kernel

_FLOAT64 = np.dtype(np.float64)
_SMALL = 4096  # numbers, for which checks take longer than the machine, and for which BLAS wakes no other thread


def _validate_data(estimator, X, y, **checks):
    """scikit-learn's own checks, wherever its release keeps them."""
    if hasattr(validation, "validate_data"):  # since 1.6
        return validation.validate_data(estimator, X, y, **checks)
    return estimator._validate_data(X, y, **checks)


class InputChecks:
    """The part of a KernelMachine that stands between X, as users have it, and points of the core."""

    _counted_names = None  # x1, x2, ...: those of a model that was fitted to a file without a header
    _inputs = None  # how they are made of a raw table, where the estimator was fitted to one

    def _keeps_structure(self, X):
        """Whether X is texts, graphs, ... or a table with such columns, for a kernel that takes such inputs.

        A kernel that is a function may take objects of any type: what is no array of numbers is left to it.
        """
        kernel = self._kernel_meant()
        if is_function(kernel):
            return is_objects(X)
        if isinstance(X, _core.Points):
            return True
        if hasattr(X, "dtypes") and hasattr(X, "columns"):
            objects = not all(getattr(one, "kind", "O") in "biuf" for one in X.dtypes)
        elif is_frame(X):
            objects = True
        else:
            objects = (domain_of(X) is not None or some_are_objects(X)
                       or (getattr(X, "ndim", 0) == 1 and getattr(X.dtype, "kind", "O") in "UO"))
        if not objects:
            return False
        if isinstance(kernel, str) and kernel not in self._kernel_names:
            kernel = kernel_from(kernel)  # a name that none has is said now, and not that a text is no number
        return isinstance(kernel, Kernel) and kernel._core.kind != "reals"

    def _checked(self, X, y="no_validation", *, reset=False, **checks):
        """X, or (X, y), as `_fit_core` and `_scores` take them; what cannot be used is refused in scikit-learn's words.

        `checks` are those of scikit-learn's check_array. Objects and tables with objects stay as they are.
        """
        if is_chunked(y):
            y = in_memory(y, "y")
        if reset:
            self._inputs = None
        raw = self._raw_table(X, reset)
        if raw is not None:
            return self._checked_raw(raw, X, y, reset, checks)
        if self._inputs is not None:
            return self._already_made(X)
        if hasattr(X, "__dataframe__"):
            X = _table(X)
        if is_chunked(X):
            if reset and self._may_stream() and is_large(X):
                return self._checked_pieces(RowsInPieces(X), y, checks)
            X = in_memory(X)
        if reset:
            self._structured = self._keeps_structure(X)
            self._counted_names = None
        structured = self._structured if hasattr(self, "_structured") else self._keeps_structure(X)  # not fitted yet
        if structured:
            return self._checked_structure(X, y, reset)
        if self._wants_matrix():
            if sparse.issparse(X):
                raise TypeError("Sparse precomputed kernels are not supported.")
            checks = {"dtype": np.float64, "order": "C", **checks}
        else:
            checks = {"accept_sparse": "csr", "dtype": [np.float64, np.float32], **checks}
        checked = _validate_data(self, X, y, reset=reset, **checks)
        first = checked[0] if isinstance(checked, tuple) else checked
        if reset and self._wants_matrix() and first.shape[0] != first.shape[1]:
            raise ValueError("Precomputed matrix must be a square matrix. "
                             f"Input is a {first.shape[0]}x{first.shape[1]} matrix.")
        return checked

    def _raw_table(self, X, reset):
        """The points of a table that takes a recipe to make inputs of it, as they stand there; None of other inputs.

        In a fit the recipe is made, and what it leaves out is warned of.
        """
        if not reset and self._inputs is None:
            return None
        if not is_frame(X) or self._wants_matrix() or len(X) == 0:
            return None
        frame = Frame(X)
        structured = reset and self._keeps_structure(X)
        kernel = kernel_from(self._kernel_meant())._core if structured else None
        raw = not reset or frame.is_raw(words_are=not structured)
        if not raw and not structured and frame.is_known():
            return None
        read = frame.read(plain=not raw)
        if read is None:
            return None
        points, types = read
        if structured and not raw and frame.is_known():
            raw = points.kind == "table" and _core.TableInputs.needed(kernel, points)
            if not raw:
                return None
            points, types = frame.read(plain=False)
        if reset:
            self._make_inputs(points, types, raw, kernel, frame)
        return points

    def _make_inputs(self, points, types, scale, kernel, frame):
        if len(points) == 1 and scale:
            raise ValueError("X: one row, which does not tell what its columns are; add rows")
        self._inputs = _core.TableInputs(points, types, kernel, scale)
        self._structured = kernel is not None
        self._counted_names = None
        self.n_features_in_ = len(frame.titles)
        self.feature_names_in_ = np.array([str(title) for title in frame.titles], dtype=object)
        left_out = [f"{name}, {kind} ({why})" for name, kind, why, out in self._inputs.columns if out]
        if left_out:
            warnings.warn(f"{type(self).__name__}: columns left out: {'; '.join(left_out)}", stacklevel=5)

    def _already_made(self, X):
        """Inputs that were made of a raw table before, such as those that a fit hands on."""
        if isinstance(X, _core.Points):
            return X
        if isinstance(X, np.ndarray) and X.dtype.kind in "fiu" and X.ndim == 2 and X.shape[1] == len(self._inputs.names):
            return check_array(X, dtype=np.float64)
        raise ValueError(f"X: {type(self).__name__} was fitted to a table with columns of several types; give one with such "
                         "columns and at least one row, a pandas frame for example")

    def _checked_raw(self, raw, X, y, reset, checks):
        """The inputs that are made of a raw table, and checked y."""
        points, remarks = self._inputs.points(raw)
        if remarks and not reset:
            warnings.warn(f"{type(self).__name__}: {'; '.join(remarks)}", stacklevel=4)
        made = points if self._structured else numbers_of(points)
        if isinstance(y, str) and y == "no_validation":
            return made
        if y is None:
            raise ValueError(f"This {type(self).__name__} estimator requires y to be passed, but the target y is None.")
        y = _check_y(y, multi_output=checks.get("multi_output", False), y_numeric=checks.get("y_numeric", False))
        check_consistent_length(X, y)
        return made, y

    def _whole_points(self, X):
        """A raw table as `_whole_model` takes it."""
        return self._inputs.points(self._raw_table(X, reset=False), scaled=False)[0]

    def _may_stream(self):
        """Whether the fit goes through its rows pass by pass, and keeps none but centres."""
        return getattr(self, "centres", None) is not None and not self._wants_matrix() and _core.streams(self._machine)

    def _checked_pieces(self, X, y, checks):
        """X and y of rows that stay where they are: their numbers are looked at when they are read."""
        self._structured = False
        self._counted_names = None
        self.__dict__.pop("feature_names_in_", None)
        self.n_features_in_ = X.shape[1]
        if y is None:
            raise ValueError(f"This {type(self).__name__} estimator requires y to be passed, but the target y is None.")
        y = _check_y(y, multi_output=checks.get("multi_output", False), y_numeric=checks.get("y_numeric", False))
        check_consistent_length(X, y)
        return X, y

    def _checked_structure(self, X, y, reset):
        table = _table(X)
        if reset:
            for name in ("n_features_in_", "feature_names_in_"):
                self.__dict__.pop(name, None)
            if table is not None:
                self.n_features_in_ = table.shape[1]
                self.feature_names_in_ = np.asarray(table.columns, dtype=object)
        if isinstance(y, str) and y == "no_validation":
            return X
        if y is None:
            raise ValueError(f"This {type(self).__name__} estimator requires y to be passed, but the target y is None.")
        y = np.asarray(y)
        check_consistent_length(X, y)
        return X, y

    def _points(self, X):
        """The points of checked X, with the names that its columns had in the fit."""
        counted = self._counted_names
        if self._inputs is not None:
            return X if isinstance(X, _core.Points) else self._inputs.named(as_points(X))
        if self._structured:
            table = None if counted is None else _table(X)
            return as_points(X if table is None or len(counted) != table.shape[1] else table.set_axis(counted, axis=1))
        points = as_points(X)
        names = getattr(self, "feature_names_in_", counted)
        return points if names is None else _core.named_points(points, list(names))

    def _plain_points(self, X):
        """The points of a small array that needs none of the checks above but one for finite numbers; None for others.

        Checks in full cost more than the answer of a model to a single point.
        """
        if (type(X) is np.ndarray and X.dtype is _FLOAT64 and X.ndim == 2 and 0 < X.size <= _SMALL
                and self.__dict__.get("_plain_width") == X.shape[1] and X.flags.c_contiguous
                and math.isfinite(np.vdot(X, X))):
            return _core.dense_points(X)
        return None
