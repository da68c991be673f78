"""What all estimators do: check inputs, turn arguments into a kernel and settings, fit by name, and ask the model."""
from __future__ import annotations

import math
import numbers
import warnings

import numpy as np
from joblib import effective_n_jobs
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import _safe_indexing, validation
from sklearn.utils.validation import _check_y, _num_samples, check_array, check_consistent_length, check_is_fitted

from . import _core
from ._arguments import (classes_from_names, from_setting, is_function, is_objects, kernel_from, numbers_of, setting,
                         thread_count)
from ._chunked import RowsInPieces, blocks, in_memory, is_chunked, is_large
from ._domains import domain_of, some_are_objects
from ._points import _table, as_points
from ._sklearn_kernels import NotInGrammar, from_sklearn, is_mixed, is_sklearn_kernel
from ._tables import Frame, is_frame
from .kernels import Kernel, parse

_FLOAT64 = np.dtype(np.float64)
_SMALL = 4096  # numbers, for which checks take longer than the machine, and for which BLAS wakes no other thread


def _validate_data(estimator, X, y, **checks):
    """scikit-learn's own checks, wherever its release keeps them."""
    if hasattr(validation, "validate_data"):  # since 1.6
        return validation.validate_data(estimator, X, y, **checks)
    return estimator._validate_data(X, y, **checks)


def _all_equal(X):
    if sparse.issparse(X):
        return (X.max(axis=0) - X.min(axis=0)).nnz == 0
    return bool((X == X[0]).all())


class KernelMachine(BaseEstimator):
    """An estimator that is a machine of the core, by its name in `_machine`.

    Subclasses say their kernel by `_kernel_for(X)` (a Kernel, "precomputed", or a callable (X, Y) -> matrix), their
    options by `_settings()`, and call `_checked` and then `_fit_core` in their fit.
    After a fit, `model_` is the core's model, the same that the command `mercer` writes and reads.

    The numbers of a kernel are parameters of the estimator: `set_params(kernel__ell=2.0)`. Kernels do not change, so
    the estimator gets a new one.
    """

    _machine = ""
    _kernel_argument = "kernel"  # what the kernel is called among the arguments
    _kernel_names = ()  # scikit-learn's names for kernels of numbers, where the estimator takes them
    _counted_names = None  # x1, x2, ...: those of a model that was fitted to a file without a header
    _inputs = None  # how they are made of a raw table, where the estimator was fitted to one
    _expected_failures = {}  # names of scikit-learn's checks that cannot hold, and why

    def _kernel_for(self, X):
        return kernel_from(self._kernel_meant())

    def _kernel_meant(self):
        """The kernel as it was given, but of scikit-learn's objects the Kernel that means the same; one that no text of
        the grammar expresses is a function of two arrays, as scikit-learn takes it."""
        kernel = getattr(self, self._kernel_argument)
        if not is_sklearn_kernel(kernel) and not is_mixed(kernel):
            return kernel
        try:
            return from_sklearn(kernel, getattr(self, "n_features_in_", 1))
        except NotInGrammar:
            return kernel

    def _settings(self):
        return {}

    def _threads(self):
        """How many threads the core may use; n_jobs counts them as scikit-learn does, where there is no other word."""
        threads, jobs = getattr(self, "threads", None), getattr(self, "n_jobs", None)
        return thread_count(effective_n_jobs(jobs) if threads is None and jobs is not None else threads)

    def _memory(self):
        """Bytes that the fit may use for kernel values; 0: planned from what is free."""
        return 0

    def _centre_words(self, kernel):
        """How many centres stand for all points and how they are chosen, as the core takes them; None: all points.

        Of estimators that have the arguments `centres` and `centres_by`.
        """
        count = getattr(self, "centres", None)
        if count is None:
            return None
        if isinstance(count, (bool, np.bool_)) or not isinstance(count, numbers.Integral) or count < 1:
            raise ValueError(f"centres is {count!r}; give a whole number from 1, or None for all points")
        if not isinstance(kernel, Kernel):
            raise ValueError("centres are points of a kernel: with a matrix or a function give centres=None, or take "
                             "Nystroem's features")
        return int(count), str(self.centres_by)

    def _on_centres(self):
        """Whether the fitted f is made of centres instead of training points."""
        return "centres" in self.model_.report["figures"]

    def _has_centres(self):
        """The same of f that is made of any other points than those it was fitted to."""
        return self._on_centres()

    def _map_options(self, kernel):
        """What the core is told of maps of rows, by estimators that take them."""
        return {}

    @property
    def centres_(self):
        """The points that f is made of, where `centres` were asked for: an array, or Points where inputs are no numbers."""
        check_is_fitted(self, "model_")
        if not hasattr(self, "centres") or not self._has_centres():
            raise AttributeError(f"centres_ is there after a fit with centres; this {type(self).__name__} took all points")
        return numbers_of(self.model_.centres)

    def get_params(self, deep=True):
        params = super().get_params(deep=deep and not is_mixed(getattr(self, "kernel", None)))
        kernel = self._kernel_with_numbers() if deep else None
        if kernel is not None:
            params.update({f"kernel__{name}": value for name, value in kernel.values.items()})
        return params

    def set_params(self, **params):
        if is_sklearn_kernel(params.get("kernel", getattr(self, "kernel", None))):
            return super().set_params(**params)  # such an object knows its own: kernel__k1__length_scale
        numbers = {name[len("kernel__"):]: value for name, value in params.items() if name.startswith("kernel__")}
        super().set_params(**{name: value for name, value in params.items() if not name.startswith("kernel__")})
        if numbers:
            kernel = self._kernel_with_numbers()
            if kernel is None:
                raise ValueError(f"Invalid parameter 'kernel__{next(iter(numbers))}' for estimator {self}: this kernel "
                                 "has no numbers of its own; give a kernel object such as mercer.rbf(ell=1.0)")
            self.kernel = kernel.with_params(**numbers)
        return self

    def _kernel_with_numbers(self):
        """The kernel where it is an object or a text with arguments, else None."""
        kernel = getattr(self, "kernel", None)
        if is_mixed(kernel):
            kernel = self._kernel_meant()
        if isinstance(kernel, str) and "(" in kernel:
            try:
                return parse(kernel)
            except ValueError:
                return None  # fit says what is wrong with it
        return kernel if isinstance(kernel, Kernel) else None

    def _more_tags(self):
        return {"pairwise": self._wants_matrix(), "_xfail_checks": dict(self._expected_failures)}

    def __sklearn_tags__(self):  # what newer releases of scikit-learn ask instead
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._wants_matrix()
        tags.input_tags.sparse = True
        return tags

    def _wants_matrix(self):
        kernel = getattr(self, "kernel", None)
        return isinstance(kernel, str) and kernel == "precomputed"

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

    def _fit_core(self, X, *, y=None, labels=None, sample_weight=None, start=None):
        """X is checked already. Sets model_, and warns where the machine has not converged."""
        kernel = self._kernel_for(X)
        options = dict(y=y, labels=labels, weights=sample_weight, start=start, callback=self._callback(),
                       threads=self._threads(), memory=self._memory())
        centres = self._centre_words(kernel)
        if centres is not None:
            options["centres"] = centres
        options.update(self._map_options(kernel))
        if isinstance(kernel, Kernel):
            self._warn_of_equal_inputs(kernel, X)
            options["points"] = self._points(X)
            options["kernel"] = kernel._core
        elif callable(kernel):
            options["gram"] = self._called(kernel, X, X)
        else:
            options["gram"] = np.ascontiguousarray(X, dtype=np.float64)
        settings = {name: setting(value) for name, value in self._settings().items() if value is not None}
        try:
            self.model_ = self._run_core(settings, options)
        finally:
            close = getattr(options["callback"], "close", None)
            if close is not None:
                close()
        self._adopt(kernel)
        if self._callable is not None:
            self._centres = _safe_indexing(X, self.model_.support)
        self._warn_unless_converged()
        self._warn_of_constants()
        return self

    def _run_core(self, settings, options):
        return _core.fit(self._machine, settings, **options)

    def _adopt(self, kernel):
        """Remembers how inputs reach the model."""
        self._precomputed = isinstance(kernel, str)
        self._callable = kernel if is_function(kernel) else None
        self._with_functions = kernel if isinstance(kernel, Kernel) and kernel._recipe else None
        nameless = self._counted_names is None and not hasattr(self, "feature_names_in_")
        plain = isinstance(kernel, Kernel) and not self._structured and nameless
        self._plain_width = self.n_features_in_ if plain else None

    @staticmethod
    def _called(kernel, X, Y):
        matrix = kernel(X, Y)
        matrix = np.ascontiguousarray(matrix.toarray() if sparse.issparse(matrix) else matrix, dtype=np.float64)
        wanted = (_num_samples(X), _num_samples(Y))
        if matrix.shape != wanted:
            raise ValueError(f"the kernel function gave an array of shape {matrix.shape}, not {wanted}: one row for "
                             "each row of its first argument, one column for each of its second")
        if not np.isfinite(matrix).all():
            i, j = np.argwhere(~np.isfinite(matrix))[0]
            raise ValueError(f"the kernel function gave {matrix[i, j]} for row {i + 1} of its first argument and row "
                             f"{j + 1} of its second: a kernel's values are finite numbers")
        return matrix

    def _warn_unless_converged(self):
        report = self.model_.report
        if report["converged"]:
            return
        gap = report["figures"].get("gap")
        left = "" if gap is None else f", with {gap:.3g} left of what the tolerance limits"
        warnings.warn(f"{type(self).__name__} has not converged: {report['stopped']} after {report['iterations']} "
                      f"iterations{left}. Scaled inputs (StandardScaler) or higher limits may help.",
                      ConvergenceWarning, stacklevel=4)

    def _warn_of_equal_inputs(self, kernel, X):
        if isinstance(X, RowsInPieces):
            return
        if not self._structured and any(one["auto"] for one in kernel.params) and _all_equal(X):
            warnings.warn(f"{type(self).__name__}: all inputs are equal and have no scale; {kernel} takes 1 for it",
                          stacklevel=5)

    def _warn_of_constants(self):
        for note in self.model_.report["notes"]:
            if note.startswith("the target is constant"):
                warnings.warn(f"{type(self).__name__}: {note}", stacklevel=5)

    def _callback(self):
        from ._progress import callback_of

        return callback_of(self)

    def _scores(self, X, model=None):
        """What the model, or the same one read in another way, says at X: one column per score. Checks X."""
        if is_chunked(X) and len(X.shape) == 2 and X.shape[0] != 0:
            return np.concatenate([self._scores(block, model) for _, block in blocks(X)])
        points = self._plain_points(X)
        if points is None:
            check_is_fitted(self, "model_")
            X = self._checked(X)
            if self._precomputed:
                return (model or self.model_).scores_from_rows(np.ascontiguousarray(X, dtype=np.float64))
            if self._callable is not None:
                return (model or self.model_).scores_from_rows(self._rows(X))
            points = self._points(X)
        return (model or self.model_).scores(points, self._threads())

    def _has_kernel(self):
        return not self._precomputed and self._callable is None

    def _ask(self, X, question):
        """What the model says at X: "predict" (classes by number) or "probabilities"."""
        if is_chunked(X) and len(X.shape) == 2 and X.shape[0] != 0:
            return np.concatenate([self._ask(block, question) for _, block in blocks(X)])
        points = self._plain_points(X)
        if points is None:
            check_is_fitted(self, "model_")
            if not self._has_kernel():
                given = {"predict": self.model_.targets_of, "probabilities": self.model_.probabilities_of}
                return given[question](self._scores(X))
            points = self._points(self._checked(X))
        return getattr(self.model_, question)(points, self._threads())

    def _rows(self, X):
        """The user's kernel function between checked X and the centres: it is not asked about other points."""
        if len(self.model_.support) == 0:
            return np.zeros((_num_samples(X), 0))
        return self._called(self._callable, X, self._centres)

    @property
    def kernel_(self):
        """The fitted kernel, with its learnt or resolved numbers."""
        check_is_fitted(self, "model_")
        if self.model_.kernel is None:
            return None
        given = self.__dict__.get("_with_functions")
        return Kernel(self.model_.kernel) if given is None else given._at(self.model_.kernel)

    def __getstate__(self):
        """What pickle keeps. Python functions inside the kernel have no place in a model, and go beside it."""
        state = super().__getstate__()
        if state.get("_with_functions") is None:
            return state
        plain = self.model_.with_kernel(_core.parse("linear()"))
        return {**state, "_with_functions": self.kernel_, "model_": plain}

    def __setstate__(self, state):
        super().__setstate__(state)
        kernel = self.__dict__.get("_with_functions")
        if kernel is not None:
            self.model_ = self.model_.with_kernel(kernel._core)

    @property
    def report_(self):
        """How the fit went: converged, why it stopped, figures, notes."""
        check_is_fitted(self, "model_")
        return self.model_.report

    def save(self, path):
        """Writes the model as a .mercer file, which `mercer.load` and the command read."""
        check_is_fitted(self, "model_")
        self._whole_model().save(str(path))

    def _whole_model(self):
        """The model of what users have: of raw tables, which `model_` gets as numbers."""
        return self.model_ if self._inputs is None else self._inputs.completed(self.model_)

    @classmethod
    def _reads(cls, model):
        """Whether a file's model is one of this estimator's."""
        return model.machine == cls._machine

    @classmethod
    def _params_of(cls, settings):
        """The arguments that mean a model's settings: what `_settings` did, backwards."""
        known = cls._get_param_names()
        return {name: from_setting(text) for name, text in settings.items() if name in known}

    @classmethod
    def _from_model(cls, model):
        """A fitted estimator around a model of the core."""
        kernel = "precomputed" if model.kernel is None else Kernel(model.kernel)
        inputs = _core.TableInputs.of(model)
        if inputs is not None:
            model = _core.TableInputs.bare(model)
        estimator = cls(**{**cls._params_of(model.settings), cls._kernel_argument: kernel})
        estimator.model_ = model
        if hasattr(estimator, "centres") and estimator._on_centres():
            estimator.centres = len(model.centres)
        estimator._structured = model.kind not in ("reals", "any")
        estimator.n_features_in_ = model.training_size if model.kernel is None else model.dimension
        if inputs is not None:
            estimator._inputs = inputs
            estimator.feature_names_in_ = np.array([name for name, *_ in inputs.columns], dtype=object)
            estimator.n_features_in_ = len(estimator.feature_names_in_)
        elif model.counted:
            estimator._counted_names = model.columns
        elif model.columns:
            estimator.feature_names_in_ = np.asarray(model.columns, dtype=object)
        if model.classes:
            estimator.classes_ = classes_from_names(model.classes)
        estimator._adopt(kernel)
        estimator._after_load()
        return estimator

    def _after_load(self):
        """Sets the fitted attributes that come from the model alone."""


def all_estimators(base=KernelMachine):
    """Every estimator of the package, in the order of their names."""
    ours = base.__module__.partition(".")[0] == __name__.partition(".")[0] and not base.__name__.startswith("_")
    found = [base] if ours and hasattr(base, "fit") else []
    for subclass in base.__subclasses__():
        found += [one for one in all_estimators(subclass) if one not in found]
    return sorted(found, key=lambda one: one.__name__)


def load(path):
    """The fitted estimator in a .mercer file, written by `save` or by the command.

    Scaling is part of such a model: `predict` takes inputs as they came. Classes whose names are all numbers come back
    as numbers. Arguments that a file has no place for (verbose, threads, ...) have their defaults.
    """
    model = _core.Model.load(str(path))
    for estimator in all_estimators():
        if estimator._reads(model):
            return estimator._from_model(model)
    raise ValueError(f"{path}: no estimator here is a {model.machine!r} machine")
