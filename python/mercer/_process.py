"""What Gaussian processes for numbers and for classes share."""
from __future__ import annotations

import copy
import warnings

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._base import kernel_from
from ._sklearn_kernels import from_sklearn, is_sklearn_kernel
from ._tasks import seed_of

_DEFAULT_KERNEL = "rbf(ell=[auto])"


class Process:
    """What both processes share: how they learn, and their log evidence as a function of what was learnt."""

    def _chosen_kernel(self, X):
        if self.kernel is None:
            return kernel_from(_DEFAULT_KERNEL)
        if is_sklearn_kernel(self.kernel):
            return from_sklearn(self.kernel, self.n_features_in_)[0]
        return super()._chosen_kernel(X)

    def set_params(self, **params):
        """scikit-learn's kernel objects know their own parameters: kernel__k1__length_scale."""
        if is_sklearn_kernel(params.get("kernel", self.kernel)):
            return BaseEstimator.set_params(self, **params)
        return super().set_params(**params)

    def _learn_settings(self):
        if self.optimizer not in (None, "fmin_l_bfgs_b"):
            raise ValueError(f'optimizer: "fmin_l_bfgs_b", or None to learn nothing, is needed, not {self.optimizer!r}')
        if self.n_restarts_optimizer < 0:
            raise ValueError(f"n_restarts_optimizer must be 0 or more, not {self.n_restarts_optimizer!r}")
        prior = self.prior
        if isinstance(prior, dict):
            prior = "; ".join(f"{path}={density}" for path, density in prior.items())
        return {"objective": "none" if self.optimizer is None else self.objective, "prior": prior or "",
                "signal": self.signal, "starts": 1 + self.n_restarts_optimizer, "screen": self.screen,
                "max_iterations": self.max_iter, "max_seconds": self.max_seconds, "tolerance": self.tol,
                "seed": seed_of(self.random_state)}

    @staticmethod
    def _learn_params(settings):
        """`_learn_settings` backwards; which generator a seed came from is not known."""
        return {"objective": settings["objective"], "prior": settings.get("prior") or None,
                "signal": settings["signal"], "n_restarts_optimizer": int(settings["starts"]) - 1,
                "screen": int(settings["screen"]),
                "max_iter": int(settings["max_iterations"]), "max_seconds": float(settings["max_seconds"]),
                "tol": float(settings["tolerance"]), "random_state": int(settings["seed"])}

    def _keep(self, X):
        points_do_not_change = isinstance(X, _core.Points)
        self.X_train_ = copy.deepcopy(X) if self.copy_X_train and not points_do_not_change else X

    def _learns(self):
        return self.optimizer is not None and self.objective != "none"

    def _warn_of_digits(self):
        for note in self.report_["notes"]:
            if "positive definite" in note or "condition number" in note:
                warnings.warn(f"{type(self).__name__}: {note}", stacklevel=3)

    @property
    def n_iter_(self):
        """Steps of the search for the best hyper-parameters."""
        return self.report_["iterations"]

    @property
    def signal_(self):
        """What multiplies the kernel."""
        return self.report_["figures"]["signal"]

    def _learns_signal(self):
        return not str(self.signal).startswith("fixed") and not _core.has_free_scale(self.model_.kernel)

    def _free(self):
        return [one for one in self.kernel_.params if not one["fixed"]]

    def _kernel_at(self, logs):
        """The kernel with its free numbers at exp(logs)."""
        kernel = self.kernel_._core
        for one, log in zip(self._free(), logs):
            kernel = kernel.with_value(one["path"], float(np.exp(log)))
        return kernel

    def _slopes(self, kernel, by_kernel):
        """From derivatives by all numbers of a kernel to those by the logarithms of the free ones."""
        return [one["value"] * slope for one, slope in zip(kernel.params(), by_kernel) if not one["fixed"]]

    def _checked_theta(self, theta):
        theta = self.theta_ if theta is None else np.asarray(theta, dtype=float)
        if theta.shape != self.theta_.shape:
            raise ValueError(f"theta: {len(self.theta_)} logarithms are needed, of {', '.join(self.theta_names_)}; "
                             f"not an array of shape {theta.shape}")
        return theta

    def _need_kernel(self):
        check_is_fitted(self, "model_")
        if not self._has_kernel():
            raise ValueError("theta_ and the log marginal likelihood elsewhere need a kernel, not a matrix or function")

    def _need_training_data(self):
        self._need_kernel()
        if not hasattr(self, "X_train_"):
            raise ValueError("the log marginal likelihood elsewhere needs the training data of the fit, which neither "
                             "a file nor condition() keeps")
