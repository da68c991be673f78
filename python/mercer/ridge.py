"""Kernel ridge regression."""
from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from ._named_kernels import NamedKernels
from ._tasks import Regressor

if TYPE_CHECKING:
    from typing_extensions import Self

    from ._types import ArrayLike, Callback, CentreCount, CentresBy, Inputs, KernelLike, Numbers, Weights


class _Ridge(NamedKernels, Regressor):
    """What both have in common."""

    def fit(self, X: Inputs, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Fits to X and y, of one column or of one for each target."""
        self._fit_numbers(X, y, sample_weight)
        self._warn_of_digits()
        return self

    def predict_interval(self, X: Inputs, coverage: float = 0.9) -> tuple[Numbers, Numbers]:
        """The lower and upper ends of intervals in which that share of new observations lies, whatever their distribution.

        Jackknife+ in closed form: from fits without each training point, for one matrix of all pairs and n^2 operations a
        row of X. At least 2 coverage - 1 of new points like the training points lie inside, about `coverage` as a rule;
        approximately, where kernel or alpha come from the same points. Ends are infinite, with a warning, where
        (1 - coverage) (n + 1) < 1.
        """
        return self._intervals(X, coverage)

    def _fit_core(self, X, **options):
        self.X_fit_ = X
        return super()._fit_core(X, **options)

    def _warn_of_digits(self):
        for note in self.report_["notes"]:
            if "condition number" in note or "singular" in note:
                warnings.warn(f"{type(self).__name__}: {note}", stacklevel=3)

    @property
    def dual_coef_(self) -> Numbers:
        """alpha in f(x) = sum_i alpha_i k(x_i, x): one row for each training point, one column for each target.

        With `centres` the x_i are `centres_`, and there is one row for each of these.
        """
        return self._training_coefficients()


class KernelRidge(_Ridge):
    """Kernel ridge regression: f = argmin sum_i w_i (y_i - f(x_i))^2 + alpha |f|^2, by one Cholesky factor or, for many
    points, by conjugate gradients on as much of K as finds room; or among functions of few centres, sum_j beta_j k(z_j, .).

    Takes scikit-learn's arguments as they are.

    Parameters
    ----------
    alpha : float
        The price of |f|^2. 0 is least squares, of smallest norm where K is singular. One number for all targets.
    kernel : "linear", "rbf", "poly", "laplacian", "cosine" or "chi2", Kernel, text of the grammar, "precomputed", or \
function
        A function takes two rows and gives a number, as in scikit-learn; `features(phi)` and others are faster.
    gamma, degree, coef0
        rbf: exp(-gamma |x-y|^2); poly: (gamma x.y + coef0)^degree; laplacian: exp(-gamma |x-y|_1). None: 1 / columns.
    kernel_params : dict
        More arguments of a kernel that is a function.
    solver : "auto", "cholesky", "pcg", "normal" or "falkon"
        "cholesky" has all pairs in memory; "pcg", preconditioned conjugate gradients, n rank numbers and, as far as there
        is room, half of the pairs in single precision, which changes time and no answer. "auto" takes few features where the kernel has them, pcg beyond 20,000 points, else cholesky.
        With centres: "normal" equations, 2 n m^2 flops for m of them, or "falkon", conjugate gradients of some 25
        passes over n m pairs; "auto" takes the one that is less work. Both have m^2 numbers in memory.
    tol : float or None
        pcg: ends when |y - (K + alpha I) dual_coef_| is at most tol |y|, measured from K itself. falkon: the same of
        its equations. None: 1e-6 for pcg, 1e-4 for falkon.
    rank : int
        pcg: of the preconditioner. 0: as many as save time.
    max_steps : int
        pcg, falkon: at most so many; report_ tells how many it took.
    centres : int, "auto" or None
        So many of the points stand for all: f is made of them alone, and still fitted to all. "auto": as many as help
        points held out. None: all points.
    centres_by : "rpcholesky", "uniform", "kmeans++" or "thinning"
        How they are chosen: by what those before leave of k(x, x), alike, by distance, or with a mean near that of all.
    verbose, callback, threads
        A progress bar; a function of (stage, fraction) that may return False to stop; threads to use (None: all).

    Attributes
    ----------
    dual_coef_ : array, one row for each training point; with centres one for each centre
    X_fit_ : the training points
    centres_ : the centres, where there are some; report_["figures"] has `centres`, how many, `trace_left_out`, the
        share of tr K that they leave out, and `effective_dimension`
    n_features_in_, feature_names_in_, kernel_, model_, report_

    >>> import numpy as np
    >>> X = np.linspace(-3, 3, 40).reshape(-1, 1)
    >>> m = KernelRidge(alpha=1e-3, kernel="rbf(ell=1)").fit(X, np.sinc(X[:, 0]))
    >>> bool(m.score(X, np.sinc(X[:, 0])) > 0.999)
    True
    """

    _machine = "ridge"

    def __init__(self, alpha: float | ArrayLike = 1.0, *, kernel: KernelLike = "linear", gamma: float | None = None,
                 degree: int = 3, coef0: float = 1, kernel_params: dict[str, Any] | None = None, solver: str = "auto",
                 tol: float | None = None, rank: int = 0, max_steps: int = 1000, verbose: int = 0,
                 callback: Callback | None = None, threads: int | None = None, centres: CentreCount = None,
                 centres_by: CentresBy = "rpcholesky") -> None:
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.solver = solver
        self.tol = tol
        self.rank = rank
        self.max_steps = max_steps
        self.verbose = verbose
        self.callback = callback
        self.threads = threads
        self.centres = centres
        self.centres_by = centres_by

    def fit(self, X: Inputs, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Fits to X and y, of one column or of one for each target."""
        self._machine = "ols" if self._price() == 0 else "ridge"
        if self._machine == "ols" and self.solver in ("pcg", "normal", "falkon"):
            raise ValueError(f"solver: {self.solver} needs an alpha above 0")
        return super().fit(X, y, sample_weight)

    def _price(self):
        different = np.unique(np.asarray(self.alpha, dtype=float))
        if len(different) != 1:
            raise ValueError("alpha: one number for all targets; for one per target fit an estimator for each")
        if not different[0] >= 0:
            raise ValueError(f"alpha must be 0 or more, not {self.alpha!r}")
        return float(different[0])

    def _settings(self):
        if self._machine == "ols":
            return {}
        return {"ridge": self._price(), "solver": self.solver, "tolerance": self.tol, "rank": self.rank,
                "max_iterations": self.max_steps}

    @classmethod
    def _reads(cls, model):
        return model.machine == "ols" or (model.machine == "ridge" and model.settings["ridge"] != "auto")

    @classmethod
    def _params_of(cls, settings):
        found = {"alpha": float(settings.get("ridge", 0))}
        for name, option, kind in (("solver", "solver", str), ("tol", "tolerance", float), ("rank", "rank", int),
                                   ("max_steps", "max_iterations", int)):
            if option in settings and settings[option] != "auto":
                found[name] = kind(float(settings[option])) if kind is not str else settings[option]
        return found


class KernelRidgeCV(_Ridge):
    """Kernel ridge regression whose alpha is chosen by exact leave-one-out, from one reduction of K for all alphas.

        error of point i without it:  (y_i - f(x_i)) / (1 - H_ii),   H = K (K + alpha I)^-1

    Points that are equal are left out together: they count as one, with their weight and the mean of their targets.

    Parameters
    ----------
    alphas : sequence of floats, or None
        Those to try. None: `path_size` of them, evenly spread in their logarithms from 1e-8 to 100 times the mean of
        K's diagonal.
    kernel, gamma, degree, coef0, kernel_params, verbose, callback, threads, centres, centres_by
        As of KernelRidge.
    scoring : "loo" or "gcv"
        What is minimised: the mean squared leave-one-out error, or generalised cross-validation.
    path_size : int
        How many alphas there are when none are given.

    Attributes
    ----------
    alpha_ : float
    best_score_ : float
        Minus the mean squared leave-one-out error (or minus GCV) at alpha_.
    path_ : dict of arrays
        "alpha", "loo_mse" and "gcv" of everything tried; errors are means over the points, of all targets. A model that
        `mercer fit` made with centres and the criterion gcv has no "loo_mse".
    dual_coef_, X_fit_, centres_, n_features_in_, feature_names_in_, kernel_, model_, report_

    >>> import numpy as np
    >>> rng = np.random.RandomState(0)
    >>> X = np.linspace(-3, 3, 60).reshape(-1, 1)
    >>> m = KernelRidgeCV(kernel="rbf(ell=1)", alphas=[1e-3, 1, 1e3]).fit(X, np.sin(X[:, 0]) + 0.5 * rng.randn(60))
    >>> m.alpha_
    1.0
    """

    _machine = "ridge"

    def __init__(self, alphas: ArrayLike | None = None, *, kernel: KernelLike = "linear", gamma: float | None = None,
                 degree: int = 3, coef0: float = 1, kernel_params: dict[str, Any] | None = None, scoring: str = "loo",
                 path_size: int = 50, verbose: int = 0, callback: Callback | None = None,
                 threads: int | None = None, centres: CentreCount = None, centres_by: CentresBy = "rpcholesky") -> None:
        self.alphas = alphas
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.scoring = scoring
        self.path_size = path_size
        self.verbose = verbose
        self.callback = callback
        self.threads = threads
        self.centres = centres
        self.centres_by = centres_by

    def fit(self, X: Inputs, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Tries every alpha and keeps the best; of equals the largest."""
        super().fit(X, y, sample_weight)
        self._read_path()
        return self

    def _settings(self):
        if self.scoring not in ("loo", "gcv"):
            raise ValueError(f'scoring: "loo" or "gcv" is needed, not {self.scoring!r}')
        path = None
        if self.alphas is not None:
            alphas = np.atleast_1d(np.asarray(self.alphas, dtype=float))
            if alphas.size == 0 or not (alphas > 0).all():
                raise ValueError(f"alphas must all be above 0, and there must be some; not {self.alphas!r}")
            path = ",".join(repr(float(one)) for one in alphas.ravel())
        return {"ridge": "auto", "criterion": self.scoring, "loo": self.centres is not None,
                "path_size": self.path_size, "path": path}

    @classmethod
    def _reads(cls, model):
        return model.machine == "ridge" and model.settings["ridge"] == "auto"

    @classmethod
    def _params_of(cls, settings):
        path = settings.get("path")
        return {"scoring": settings["criterion"], "path_size": int(settings["path_size"]),
                "alphas": [float(one) for one in path.split(",")] if path else None}

    def _after_load(self):
        super()._after_load()
        self._read_path()

    def _read_path(self):
        report = self.report_
        columns, rows = report["tables"]["path"]
        found, targets = dict(zip(columns, rows.T)), self.model_.outputs
        self.path_ = {"alpha": found["ridge"], "gcv": found["gcv"] / targets}
        if "leave_one_out_rmse" in found:  # a model of centres that the command fitted by gcv has no such column
            self.path_["loo_mse"] = found["leave_one_out_rmse"] ** 2 / targets
        self.alpha_ = report["figures"]["ridge"]
        best = np.flatnonzero(self.path_["alpha"] == self.alpha_)[-1]
        self.best_score_ = -float(self.path_["loo_mse" if self.scoring == "loo" else "gcv"][best])
