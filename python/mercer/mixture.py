"""Mixtures of Gaussians in feature space."""
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import logsumexp
from sklearn.base import DensityMixin
from sklearn.utils.validation import _num_samples, check_is_fitted

from . import _core
from ._arguments import setting
from ._tasks import TaskMachine, seed_of
from .kernels import Kernel

if TYPE_CHECKING:
    from typing_extensions import Self

    from ._types import Callback, Inputs, KernelLike, Numbers, RandomState, Weights


class KernelGaussianMixture(DensityMixin, TaskMachine):
    """A mixture of Gaussians in the leading principal directions of feature space (Wang, Lee & Zhang 2003).

        max sum_i w_i log sum_c pi_c N(z(x_i); m_c, S_c),  z(x): kernel principal components of x

    With the linear kernel and all directions it is scikit-learn's GaussianMixture with full covariances. The likelihood
    never falls from one iteration to the next.

    Parameters
    ----------
    n_components : int or "auto", default=1
        How many Gaussians; "auto": up to 9, by the Bayesian information criterion.
    kernel : Kernel, text of the grammar, name of the catalog, "precomputed", or function (X, Y) -> matrix
    dimension : int, default=None
        Of the space of the Gaussians: how many principal directions. None: all where there are at most 20, else those with 0.9
        of the variance, at most 20.
    directions : int, default=None
        In which a Gaussian has variances of its own; the others share one. None: all of them, full covariances.
    reg_covar : float, default=None
        The least variance of a Gaussian in any direction, as a share of that of all points: in the same direction where the
        principal directions are all there are, as those of the linear kernel, and covariances are full, so that units change
        nothing; else of their mean variance. None: 1e-4 where they are all there are, else 0.05: images of points lie on curved
        sheets, which many thin Gaussians would follow. (scikit-learn adds its own to all variances, and its likelihood may fall.)
    tol : float, default=1e-6
        A start ends when an iteration adds less than this to the mean log likelihood of a point.
    max_iter : int, default=1000
        Iterations of each start.
    n_init : int, default=5
        Starts from k-means; the likeliest is kept.
    random_state : int, RandomState or None, default=None
        Of the starts; None is always the same.
    verbose, callback, threads
        A progress bar; a function of (stage, fraction) that may return False to stop; threads to use (None: all).

    Attributes
    ----------
    weights_ : the shares of the Gaussians, the largest first
    means_, covariances_ : of the Gaussians, in the principal directions
    labels_ : the likeliest Gaussian of each training point
    converged_, n_iter_ : whether the likeliest start has converged, and in how many iterations
    lower_bound_ : the mean log likelihood of a training point

    >>> import numpy as np
    >>> angle = np.linspace(0, 2 * np.pi, 100, endpoint=False)
    >>> ring = np.c_[np.cos(angle), np.sin(angle)]
    >>> m = KernelGaussianMixture(2, kernel="rbf(ell=0.3)").fit(np.concatenate([ring, 0.4 * ring]))
    >>> bool((m.labels_[:100] != m.labels_[100:]).all())
    True
    """

    _machine = "gmm"
    _expected_failures = dict.fromkeys(
        ("check_estimator_sparse_data", "check_estimator_sparse_matrix", "check_estimator_sparse_array"),
        "the check expects a column of probabilities for each of its classes, and here there is one for each Gaussian")
    _options = {"n_components": "components", "dimension": "dimension", "directions": "directions", "reg_covar": "floor",
                "tol": "tolerance", "max_iter": "max_iterations", "n_init": "starts"}

    def __init__(self, n_components: int | str = 1, *, kernel: KernelLike = "linear()", dimension: int | None = None,
                 directions: int | None = None, reg_covar: float | None = None, tol: float = 1e-6, max_iter: int = 1000,
                 n_init: int = 5, random_state: RandomState = None, verbose: int = 0, callback: Callback | None = None,
                 threads: int | None = None) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.dimension = dimension
        self.directions = directions
        self.reg_covar = reg_covar
        self.tol = tol
        self.max_iter = max_iter
        self.n_init = n_init
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback
        self.threads = threads

    def _settings(self):
        settings = {**super()._settings(), "seed": seed_of(self.random_state)}
        if self._chosen is not None:
            settings["components"] = self._chosen
        return settings

    @classmethod
    def _params_of(cls, settings):
        params = super()._params_of(settings)
        return {name: None if value in ("auto", "all") else value for name, value in params.items()}

    _chosen = None  # the number of components, while a fit that chooses it goes on

    def fit(self, X: Inputs, y: None = None, sample_weight: Weights = None) -> Self:
        """Fits to the rows of X; y is there for scikit-learn's conventions."""
        X = self._checked(X, reset=True)
        if _num_samples(X) == 1:
            raise ValueError(f"{type(self).__name__} needs points that differ, and there is only 1 sample")
        weights = self._weights(sample_weight, X)
        try:
            if isinstance(self.n_components, str) and self.n_components == "auto":
                self._chosen = self._best_number(X, weights)
            self._fit_weighted(X, weights)
        finally:
            self.__dict__.pop("_chosen", None)
        self.labels_ = self.predict(X)
        return self

    def _best_number(self, X, weights):
        """By the core's own search, which takes points and a kernel."""
        kernel = self._kernel_for(X)
        if not isinstance(kernel, Kernel):
            raise ValueError("n_components='auto' needs a kernel and points, not a matrix or a function; give a number")
        points = self._points(X)
        given = {name: setting(value) for name, value in TaskMachine._settings(self).items() if value is not None}
        del given["components"]
        found = _core.choose("gmm", {**given, "seed": setting(seed_of(self.random_state))},
                             kernel=kernel.resolve(points)._core, points=points, weights=weights,
                             threads=self._threads())
        if "components" not in found["settings"]:
            raise ValueError(f"n_components='auto': {found['words']}")
        return found["settings"]["components"]

    def fit_predict(self, X: Inputs, y: None = None, sample_weight: Weights = None) -> np.ndarray:
        """Fits, and the likeliest Gaussian of each row of X."""
        return self.fit(X, sample_weight=sample_weight).labels_

    def predict(self, X: Inputs) -> np.ndarray:
        """The likeliest Gaussian of each row of X."""
        return self._ask(X, "predict")[:, 0].astype(np.intp)

    def predict_proba(self, X: Inputs) -> Numbers:
        """How likely each Gaussian is for each row of X; rows add to 1."""
        return self._ask(X, "probabilities")

    def score_samples(self, X: Inputs) -> Numbers:
        """The logarithm of the density at each row of X, in the space of the Gaussians."""
        return logsumexp(self._scores(X), axis=1)

    def score(self, X: Inputs, y: None = None) -> float:
        """The mean of `score_samples`."""
        return float(np.mean(self.score_samples(X)))

    def bic(self, X: Inputs) -> float:
        """Bayesian information criterion of the mixture on X: the lower the better."""
        return self._parameters() * np.log(_num_samples(X)) - 2 * float(np.sum(self.score_samples(X)))

    def aic(self, X: Inputs) -> float:
        """Akaike's information criterion of the mixture on X: the lower the better."""
        return 2 * self._parameters() - 2 * float(np.sum(self.score_samples(X)))

    def _parameters(self):
        return self.report_["figures"]["parameters"]

    def _in_readout(self):
        """Shares, log normalisers, means and whitening matrices: see src/model/gaussians.hpp."""
        check_is_fitted(self, "model_")
        numbers, D = self.model_.readout, self.model_.outputs
        return numbers[:, 0], numbers[:, 2:2 + D], numbers[:, 2 + D:].reshape(-1, D, D)

    @property
    def weights_(self) -> Numbers:
        return self._in_readout()[0]

    @property
    def means_(self) -> Numbers:
        return self._in_readout()[1]

    @property
    def covariances_(self) -> Numbers:
        whitening = self._in_readout()[2]
        return np.linalg.inv(np.swapaxes(whitening, 1, 2) @ whitening)

    @property
    def converged_(self) -> bool:
        return self.report_["converged"]

    @property
    def n_iter_(self) -> int:
        return self.report_["iterations"]

    @property
    def lower_bound_(self) -> float:
        weights = self.report_["tables"]["components"][1][:, 1]
        return float(self.report_["figures"]["log_likelihood"] / weights.sum())
