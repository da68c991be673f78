"""What a fit would take, before it begins."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn.base import clone

from . import _core

if TYPE_CHECKING:
    from ._types import Inputs


class _Planned(Exception):
    """Ends a fit where the core would begin."""

    def __init__(self, plan):
        super().__init__()
        self.plan = plan


def plan(estimator, X: Inputs, y=None, **fit_params) -> dict[str, Any]:
    """How `estimator.fit(X, y)` would hold and solve the kernel matrix, without fitting: a dictionary.

    `form` is how K is held (lazy, cached, exact, factor, given), `solver` how it is solved, `bytes` the memory of the
    process at the peak and `parts` what it is made of, `seconds` about how long, by rates measured here and now,
    `approximates` what is approximated ("" : nothing), and `why` the reason. What does not fit is an error that says
    what would. Inputs are checked and kernels resolved as in a fit; the estimator stays as it is.

    >>> import mercer, numpy as np
    >>> mercer.plan(mercer.KernelRidge(kernel="rbf(ell=1)"), np.eye(50), np.arange(50.0))["solver"]
    'Cholesky'
    """
    trial = clone(estimator)

    def end(settings, options):
        raise _Planned(_core.plan(trial._machine, settings, **options))

    trial._run_core = end
    try:
        trial.fit(X, y, **fit_params)
    except _Planned as planned:
        return planned.plan
    raise TypeError(f"{type(estimator).__name__} does not fit by a machine that plans")
