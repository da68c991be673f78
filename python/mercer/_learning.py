"""How Gaussian processes learn: settings of the core, a search in Python, and theta, the coordinates of it all."""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._kernel import Kernel, parse
from ._number import argument_text
from ._matrix_process import MatrixKernel
from ._sklearn_kernels import Translation, is_sklearn_kernel
from ._tasks import seed_of


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


def require_finite(bounds):
    if not np.isfinite(bounds).all():
        raise ValueError("Multiple optimizer restarts (n_restarts_optimizer>0) requires that all bounds are finite.")


class Learning:
    """Of a process that says by `_extras` what it learns beside the numbers of a Mercer kernel.

    `_theirs`, `_matrices`, `_their_kernel` and `_found` are those of Process.
    """

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

    def _may_learn(self):
        return self.optimizer is not None and self.objective != "none"

    def _learns(self):
        nothing_free = is_sklearn_kernel(self.kernel) and self.kernel.n_dims == 0
        return self._may_learn() and not nothing_free

    def _searches(self):
        """Whether Python looks for the best numbers, and not the core."""
        in_python = callable(self.optimizer) or self._matrices is not None or self._has_one_point()
        return self._learns() and in_python

    def _has_one_point(self):
        """Whether there is one point, of which the core learns nothing."""
        return False

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
            require_finite(bounds)
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
        """From derivatives by all numbers to those by the coordinates of theta_names_."""
        if at.translation is not None:
            return at.translation.slopes(by_kernel, by_others.get("noise", 0.0))
        free = [slope for one, slope in zip(at.kernel.params, by_kernel) if not one["fixed"]]
        slopes = list(at.kernel._coordinates()[:, 3] * free)
        names = self.theta_names_
        return np.array(slopes + [getattr(at, name) * slope for name, slope in by_others.items() if name in names])

    def _checked_theta(self, theta, clone_kernel):
        """theta in full: of scikit-learn's habit, it may be that of kernel_ alone."""
        theta = self.theta_ if theta is None else np.asarray(theta, dtype=float)
        whole = self.theta_
        if self._their_kernel is None and theta.shape == self.kernel_.theta.shape:
            theta = np.append(theta, whole[len(theta):])
        if theta.shape != whole.shape:
            raise ValueError(f"theta: {len(whole)} numbers are needed, of {', '.join(self.theta_names_)}; "
                             f"not an array of shape {theta.shape}")
        if not clone_kernel:
            if self._their_kernel is None:
                raise ValueError("clone_kernel=False changes kernel_, and a Mercer kernel never changes; leave it out")
            self._their_kernel.theta = theta
        return theta

    def _evidence(self, theta, eval_gradient, clone_kernel):
        """What log_marginal_likelihood returns; `_evidence_at` has the value and the derivatives by all numbers."""
        check_is_fitted(self, "model_")
        if theta is None and not eval_gradient:
            return self.log_marginal_likelihood_value_
        self._need_training_data()
        asked = len(self.theta_ if theta is None else np.ravel(theta))
        at = self._at(self._checked_theta(theta, clone_kernel))
        if self._matrices is not None:
            return self._matrix_evidence(at.kernel.theirs, eval_gradient)
        value, by_kernel, by_others = self._evidence_at(at, eval_gradient)
        value = np.float64(value)
        return (value, self._slopes(at, by_kernel, **by_others)[:asked]) if eval_gradient else value

    @property
    def theta_(self):
        """Coordinates of what is learnt, in the order of theta_names_."""
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
        """Coordinates of the bounds of theta_, a row for each."""
        if self._their_kernel is not None:
            return self._their_kernel.bounds.reshape(-1, 2)
        with np.errstate(divide="ignore"):
            ends = [np.log([one["lower"], one["upper"]]) for one in map(self._range_of, self._extras())]
        return np.vstack([self.kernel_.bounds, *ends])

    def _range_of(self, name):
        return learnable(getattr(self, name)) or {"lower": 0.0, "upper": np.inf}

    def _learns_signal(self, kernel):
        return not str(self.signal).startswith("fixed") and not _core.has_free_scale(kernel)
