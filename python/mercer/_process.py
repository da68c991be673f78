"""What Gaussian processes for numbers and for classes share."""
from __future__ import annotations

import copy
import warnings
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._base import kernel_from
from ._kernel import Kernel, argument_text, parse
from ._matrix_process import MatrixKernel
from ._points import _is_texts
from ._sklearn_kernels import NotInGrammar, Translation, from_sklearn, is_mixed, is_sklearn_kernel
from ._tasks import seed_of

_DEFAULT_KERNEL = "rbf(ell=[auto])"


class Found(NamedTuple):
    """All that is learnt: where a search of its own begins or has ended."""

    kernel: Kernel | MatrixKernel
    noise: float
    signal: float
    translation: Translation | None = None


def learnable(option):
    """What an option such as "0.3 in [0.01, 10]" says: value, lower, upper, fixed; None for "auto"."""
    if isinstance(option, str) and option == "auto":
        return None
    return parse(f"const(c={argument_text(option)})").params[0]


def _require_finite(bounds):
    if not np.isfinite(bounds).all():
        raise ValueError("Multiple optimizer restarts (n_restarts_optimizer>0) requires that all bounds are finite.")


class Process:
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
            _require_finite(self.kernel.bounds)
        try:
            self._theirs = self._translated()
        except NotInGrammar:
            self._matrices = MatrixKernel(clone(self.kernel))
            self._refuse_beside_matrices()

    def _translated(self):
        return Translation(self.kernel, self._width(), bounds=self._learns())

    def _width(self):
        return getattr(self, "n_features_in_", 1)

    def _as_theirs(self):
        return self._theirs is not None or self._matrices is not None

    def _keeps_structure(self, X):
        """Texts stay as they are for a kernel object of scikit-learn's, too."""
        return _is_texts(X) if is_sklearn_kernel(self.kernel) else super()._keeps_structure(X)

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
            return kernel_from(_DEFAULT_KERNEL)
        if is_mixed(self.kernel):
            return from_sklearn(self.kernel, self._width())
        return super()._chosen_kernel(X)

    @property
    def kernel_(self):
        """The fitted kernel, of the kind that was given, with what was learnt."""
        check_is_fitted(self, "model_")
        return super().kernel_ if self._their_kernel is None else self._their_kernel

    def _kernel_with_numbers(self):
        kernel = self.__dict__.get("kernel")
        return from_sklearn(kernel) if is_mixed(kernel) else super()._kernel_with_numbers()

    def get_params(self, deep=True):
        if deep and is_mixed(self.kernel):
            numbers = self._kernel_with_numbers().values
            return {**super().get_params(deep=False), **{f"kernel__{name}": value for name, value in numbers.items()}}
        return super().get_params(deep=deep)

    def set_params(self, **params):
        """scikit-learn's kernel objects know their own parameters: kernel__k1__length_scale."""
        if is_sklearn_kernel(params.get("kernel", self.kernel)):
            return BaseEstimator.set_params(self, **params)
        return super().set_params(**params)

    # ---- learning ----

    def _learn_settings(self):
        if self.optimizer not in (None, "fmin_l_bfgs_b") and not callable(self.optimizer):
            raise ValueError('optimizer: "fmin_l_bfgs_b", None to learn nothing, or a function (objective, theta, '
                             f"bounds) -> (theta, value) is needed, not {self.optimizer!r}")
        if self._starts() < 1:
            raise ValueError(f"n_restarts_optimizer must be 0 or more, not {self.n_restarts_optimizer!r}")
        prior = self.prior
        if isinstance(prior, dict):
            prior = "; ".join(f"{path}={density}" for path, density in prior.items())
        if prior and self._searches():
            raise ValueError("prior: an optimizer of one's own, or a kernel known by its matrices alone, maximises the "
                             "evidence as it is; leave the prior out")
        learns_now = self._learns() and self._found is None and not self._searches()
        signal = self.signal if self._found is None else f"fixed({self._found.signal!r})"
        if self._as_theirs() and isinstance(signal, str) and signal == "auto":
            signal = "fixed(1)"
        return {"objective": self.objective if learns_now else "none", "prior": prior or "",
                "signal": signal, "starts": self._starts(), "screen": self.screen,
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

    def _starts(self):
        return 1 + self.n_restarts_optimizer

    def _learns(self):
        return self.optimizer is not None and self.objective != "none"

    def _searches(self):
        """Whether Python looks for the best numbers, and not the core."""
        return self._learns() and (callable(self.optimizer) or
                                   (self._matrices is not None and self.kernel.n_dims > 0))

    def _fit_process(self, X, weights, **targets):
        """Learns in the core; where that cannot be, by `log_marginal_likelihood` in Python."""
        if self._searches():
            if self.objective != "lml":
                raise ValueError(f'objective={self.objective!r}: an optimizer of one\'s own, or a kernel known by its '
                                 'matrices alone, maximises the evidence; use objective="lml"')
            self._found = self._first()
            self._fit_weighted(X, weights, **targets)
            self._their_kernel = self._kernel_learnt()
            self._found = self._at(self._search())
        self._fit_weighted(X, weights, **targets)
        self._their_kernel = self._kernel_learnt()
        if self._learns():
            self._warn_of_bounds()

    def _search(self):
        """theta where the log evidence is largest, from the numbers given and from random ones within the bounds."""

        def objective(theta, eval_gradient=True):
            found = self.log_marginal_likelihood(theta, eval_gradient=eval_gradient)
            return (-found[0], -found[1]) if eval_gradient else -found

        bounds = self._bounds()
        if self._starts() > 1:
            _require_finite(bounds)
        random = check_random_state(self.random_state)
        starts = [self.theta_] + [random.uniform(*bounds.T) for _ in range(self._starts() - 1)]
        if callable(self.optimizer):
            ends = [self.optimizer(objective, start, bounds=bounds) for start in starts]
        else:
            runs = [minimize(objective, np.clip(start, *bounds.T), jac=True, method="L-BFGS-B", bounds=bounds,
                             options={"maxiter": self.max_iter}) for start in starts]
            ends = [(run.x, run.fun) for run in runs]
        return min(ends, key=lambda end: end[1])[0]

    def _kernel_learnt(self):
        """scikit-learn's object at what was learnt; None where none was given."""
        if self._matrices is not None:
            return clone(self._callable.theirs)
        if self._theirs is None:
            return None
        if self._found is not None and self._found.translation is not None:
            return clone(self._found.translation.theirs)
        if self._found is None and self._learns():
            return self._theirs.learnt(self.model_.kernel, self._relative_noise())
        return clone(self._theirs.theirs)

    def _at(self, theta):
        """What theta stands for; numbers that are not in it stay as they are."""
        given = dict(zip(self.theta_names_, theta))
        noise, signal = (float(np.exp(given[name])) if name in given else value
                         for name, value in (("noise", self._relative_noise()), ("signal", self._relative_signal())))
        if self._matrices is not None:
            return Found(MatrixKernel(self._matrices.theirs.clone_with_theta(theta)), noise, signal)
        if self._theirs is not None:
            there = self._theirs.at(theta)
            return Found(there.kernel, noise if there.noise is None else there.level, signal, there)
        kernel = self.kernel_
        return Found(kernel.clone_with_theta(theta[:len(kernel.theta)]), noise, signal)

    def _slopes(self, at, by_kernel, **by_others):
        """From derivatives by all numbers to those by the logarithms of theta_names_."""
        if at.translation is not None:
            return at.translation.slopes(by_kernel, by_others.get("noise", 0.0))
        slopes = [one["value"] * slope for one, slope in zip(at.kernel.params, by_kernel) if not one["fixed"]]
        names = self.theta_names_
        return np.array(slopes + [getattr(at, name) * slope for name, slope in by_others.items() if name in names])

    def _checked_theta(self, theta, clone_kernel):
        """theta in full: of scikit-learn's habit, it may be that of kernel_ alone."""
        theta = self.theta_ if theta is None else np.asarray(theta, dtype=float)
        whole = self.theta_
        if self._their_kernel is None and theta.shape == self.kernel_.theta.shape:
            theta = np.append(theta, whole[len(theta):])
        if theta.shape != whole.shape:
            raise ValueError(f"theta: {len(whole)} logarithms are needed, of {', '.join(self.theta_names_)}; "
                             f"not an array of shape {theta.shape}")
        if not clone_kernel:
            if self._their_kernel is None:
                raise ValueError("clone_kernel=False changes kernel_, and a Mercer kernel never changes; leave it out")
            self._their_kernel.theta = theta
        return theta

    @property
    def theta_(self):
        """Logarithms of what is learnt, in the order of theta_names_."""
        self._need_kernel()
        extras = [] if self._their_kernel is not None else np.log(list(self._extras().values()))
        return np.append(self.kernel_.theta, extras)

    @property
    def theta_names_(self):
        self._need_kernel()
        if self._their_kernel is None:
            return [one["path"] for one in self.kernel_.params if not one["fixed"]] + list(self._extras())
        names = [(one.name, one.n_elements) for one in self._their_kernel.hyperparameters if not one.fixed]
        return [name if size == 1 else f"{name}[{i + 1}]" for name, size in names for i in range(size)]

    def _bounds(self):
        """Logarithms of the bounds of theta_, a row for each."""
        if self._their_kernel is not None:
            return self._their_kernel.bounds.reshape(-1, 2)
        with np.errstate(divide="ignore"):
            ends = [np.log([one["lower"], one["upper"]]) for one in map(self._range_of, self._extras())]
        return np.vstack([self.kernel_.bounds, *ends])

    def _range_of(self, name):
        return learnable(getattr(self, name)) or {"lower": 0.0, "upper": np.inf}

    def _learns_signal(self, kernel):
        return not str(self.signal).startswith("fixed") and not _core.has_free_scale(kernel)

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
