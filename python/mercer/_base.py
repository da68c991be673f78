"""What all estimators do: check inputs, turn arguments into a kernel and settings, fit by name, and ask the model."""
from __future__ import annotations

import numbers
import warnings

import numpy as np
from joblib import effective_n_jobs
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples, check_is_fitted

from . import _core
from ._arguments import classes_from_names, from_setting, is_function, kernel_from, numbers_of, setting, thread_count
from ._chunked import RowsInPieces, blocks, is_chunked
from ._input_checks import InputChecks
from ._sklearn_kernels import NotInGrammar, from_sklearn, is_mixed, is_sklearn_kernel
from .kernels import Kernel, parse


def _all_equal(X):
    if sparse.issparse(X):
        return (X.max(axis=0) - X.min(axis=0)).nnz == 0
    return bool((X == X[0]).all())


class KernelMachine(InputChecks, BaseEstimator):
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
        if isinstance(count, str) and count == "auto":
            count = 0  # as many as help
        elif isinstance(count, (bool, np.bool_)) or not isinstance(count, numbers.Integral) or count < 1:
            raise ValueError(f"centres is {count!r}; give a whole number from 1, 'auto', or None for all points")
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
        work = _core.fit_with_intervals if getattr(self, "_keeps_errors", False) else _core.fit
        return work(self._machine, settings, **options)

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
    package, _, module = base.__module__.partition(".")
    ours = package == __name__.partition(".")[0] and not base.__name__.startswith("_")
    ours = ours and module != "dask"  # which has some of them again
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
