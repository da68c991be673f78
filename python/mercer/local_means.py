"""Local means."""
from __future__ import annotations

from typing import TYPE_CHECKING

from ._tasks import Regressor

if TYPE_CHECKING:
    from typing_extensions import Self

    from ._types import ArrayLike, Callback, Inputs, KernelLike, Weights


class NadarayaWatson(Regressor):
    """The mean of the targets, weighted by the kernel: f(x) = sum_i w_i k(x_i, x) y_i / sum_i w_i k(x_i, x).

    For kernels that are never negative. Where every k(x_i, x) underflows to 0, it is the mean of all targets.

    Parameters
    ----------
    kernel : Kernel, text of the grammar, name of the catalog, "precomputed", or function (X, Y) -> matrix
        With `ell=auto` the width is 0.6 of the median distance, which is safe and far too smooth: tune it, by `loo_rmse_`.
    verbose, callback, threads
        A progress bar; a function of (stage, fraction) that may return False to stop; threads to use (None: all).

    Attributes
    ----------
    loo_rmse_ : float
        The leave-one-out error, in closed form, over the points that have any neighbour; equal points are left out
        together.

    >>> import numpy as np
    >>> X = np.linspace(0, 6, 50).reshape(-1, 1)
    >>> m = NadarayaWatson("rbf(ell=0.2)").fit(X, np.sin(X[:, 0]))
    >>> bool(abs(m.predict([[1.5]])[0] - np.sin(1.5)) < 0.05)
    True
    """

    _machine = "nadaraya_watson"

    def __init__(self, kernel: KernelLike = "rbf(ell=auto)", *, verbose: int = 0, callback: Callback | None = None,
                 threads: int | None = None) -> None:
        self.kernel = kernel
        self.verbose = verbose
        self.callback = callback
        self.threads = threads

    def _more_tags(self):
        return {"poor_score": True}  # the median distance is far too wide for a local mean; the width is to be tuned

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags

    def fit(self, X: Inputs, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Remembers the points. y of several columns has as many targets."""
        return self._fit_numbers(X, y, sample_weight)

    def _after_load(self):
        self._flat = self.model_.outputs == 2  # the last output is the sum of the weights

    @property
    def loo_rmse_(self) -> float:
        return self.report_["figures"]["leave_one_out_rmse"]
