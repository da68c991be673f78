"""What Gaussian processes for numbers and for classes share."""
from __future__ import annotations

import copy
import warnings

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._arguments import kernel_from, numbers_of
from ._learning import Learning, learnable, require_finite
from ._matrix_process import MatrixKernel
from ._sklearn_kernels import NotInGrammar, Translation, is_sklearn_kernel

_DEFAULT_KERNEL = "rbf(ell=[auto])"
_UNLEARNT_KERNEL = "rbf(ell=fixed([auto]))"


class Process(Learning):
    """What both processes share: how they learn, and their log evidence as a function of what was learnt.

    Given a kernel object of scikit-learn's, what is "auto" or None means what it means there, and `kernel_` is such an
    object. One that no text of the grammar expresses is known by its matrices alone (`_matrices`).
    """

    _theirs = None  # the Translation of scikit-learn's kernel object
    _matrices = None  # the MatrixKernel of one that has none
    _their_kernel = None  # scikit-learn's object with what was learnt
    _found = None  # what a fit shall take without learning

    def _read_kernel(self):
        """Sets how the kernel is to be understood; after the inputs have been checked."""
        self._theirs = self._matrices = self._their_kernel = self._found = None
        if not is_sklearn_kernel(self.kernel):
            return
        if self._starts() > 1:
            require_finite(self.kernel.bounds)
        try:
            self._theirs = self._translated()
        except NotInGrammar:
            self._matrices = MatrixKernel(clone(self.kernel))
            self._refuse_beside_matrices()

    def _translated(self):
        return Translation(self.kernel, self._width(), bounds=self._may_learn())

    def _width(self):
        return getattr(self, "n_features_in_", 1)

    def _as_theirs(self):
        return self._theirs is not None or self._matrices is not None

    def _chosen_kernel(self, X):
        if self._found is not None:
            return self._found.kernel
        if self._theirs is not None:
            return self._theirs.kernel
        if self._matrices is not None:
            return self._matrices
        return self._own_kernel(X)

    def _own_kernel(self, X):
        if self.kernel is None:
            return kernel_from(_DEFAULT_KERNEL if self._learns() else _UNLEARNT_KERNEL)
        return super()._chosen_kernel(X)

    def _kernel_meant(self):
        """An object of scikit-learn's may have noise in it: `_read_kernel` says what it means."""
        return self.kernel if is_sklearn_kernel(self.kernel) else super()._kernel_meant()

    @property
    def kernel_(self):
        """The fitted kernel, of the kind that was given, with what was learnt."""
        check_is_fitted(self, "model_")
        return super().kernel_ if self._their_kernel is None else self._their_kernel

    # ---- what a fit has to say ----

    def _keep(self, X):
        points_do_not_change = isinstance(X, _core.Points)
        self.X_train_ = copy.deepcopy(X) if self.copy_X_train and not points_do_not_change else X

    def _warn_of_bounds(self):
        """Where learning has ended at a bound that the user has set."""
        if self._their_kernel is not None:
            if len(self._their_kernel.theta):
                self._their_kernel._check_bounds_params()
            if self._theirs is not None:
                self._theirs.warn_of_starts(self._their_kernel, stacklevel=4)
            return
        if not self._has_kernel():
            return
        found = [(one["path"], one["value"], one) for one in self.kernel_.params]
        for name, value in (("noise", self._relative_noise), ("signal", self._relative_signal)):
            given = learnable(getattr(self, name, "auto"))
            found += [] if given is None else [(name, value(), given)]
        for name, value, given in found:
            for which in ("lower", "upper"):
                if not given["fixed"] and np.isclose(value, given[which], rtol=1e-6, atol=0) and value > 0:
                    warnings.warn(f"{name} = {value:.6g} has ended at its {which} bound; beyond it there may be a "
                                  "better value", ConvergenceWarning, stacklevel=4)

    def _warn_of_notes(self):
        for note in self.report_["notes"]:
            if any(words in note for words in ("positive definite", "condition number")):
                warnings.warn(f"{type(self).__name__}: {note}", stacklevel=3)

    def _on_centres(self):
        return "inducing" in self.model_.report["figures"]

    @property
    def inducing_points_(self):
        """The points that stand for all: an array, or Points where inputs are no numbers."""
        check_is_fitted(self, "model_")
        if not self._on_centres():
            raise AttributeError("inducing_points_: there are none, f is made of all points; fit with `inducing`")
        return numbers_of(self.model_.centres)

    @property
    def n_iter_(self):
        """Steps of the search for the best hyper-parameters."""
        return self.report_["iterations"]

    @property
    def signal_(self):
        """What multiplies the kernel."""
        return self.report_["figures"]["signal"]

    def _need_kernel(self):
        check_is_fitted(self, "model_")
        if not self._has_kernel() and self._matrices is None:
            raise ValueError("theta_ and the log marginal likelihood elsewhere need a kernel, not a matrix or function")

    def _need_training_data(self):
        self._need_kernel()
        if not hasattr(self, "X_train_"):
            raise ValueError("the log marginal likelihood elsewhere needs the training data of the fit, which neither "
                             "a file nor condition() keeps")
