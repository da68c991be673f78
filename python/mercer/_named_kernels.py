"""scikit-learn's way of naming kernels and their numbers."""
from __future__ import annotations

import functools

import numpy as np
from sklearn.metrics.pairwise import chi2_kernel, pairwise_kernels

from ._arguments import is_function, is_objects, named_kernel
from .kernels import Kernel, parse


def _of_pairs(X, Y, function, **params):
    """A function of two rows, or of two texts or other objects, for all pairs."""
    if is_objects(X):
        return np.array([[function(x, y, **params) for y in Y] for x in X], dtype=np.float64)
    return pairwise_kernels(X, Y, metric=function, **params)


class NamedKernels:
    """For estimators with the arguments kernel, gamma, degree, coef0 and kernel_params. Stands before the task."""

    _kernel_names = ("linear", "rbf", "poly", "polynomial", "laplacian", "cosine", "chi2", "additive_chi2", "sigmoid")

    def _gamma(self, X):
        return 1 / X.shape[1] if self.gamma is None and getattr(X, "ndim", 1) == 2 else self.gamma

    def _chosen_kernel(self, X):
        kernel = self._kernel_meant()
        if is_function(kernel):
            return functools.partial(_of_pairs, function=kernel, **(self.kernel_params or {}))
        if self.kernel_params:
            raise ValueError("kernel_params go to a kernel that is a function; others have their numbers inside, as "
                             "rbf(ell=2)")
        gamma = self._gamma(X)
        if kernel in ("rbf", "linear", "sigmoid"):
            return named_kernel(kernel, gamma=gamma)
        if kernel in ("poly", "polynomial"):
            if int(self.degree) != self.degree or self.degree < 1 or self.coef0 < 0 or not gamma > 0:
                raise ValueError(f"(gamma x.y + coef0)^degree is a kernel for gamma > 0, coef0 >= 0 and a whole "
                                 f"degree, not for gamma={gamma}, coef0={self.coef0}, degree={self.degree}")
            return named_kernel("poly", gamma=gamma, degree=int(self.degree), coef0=self.coef0)
        if kernel in ("laplacian", "laplace"):
            return parse(f"laplace(ell={1 / float(gamma)!r})")
        if kernel == "chi2":
            return functools.partial(chi2_kernel, gamma=1.0 if self.gamma is None else self.gamma)
        if kernel == "additive_chi2":
            raise ValueError("kernel='additive_chi2' is not positive semi-definite, so it is no kernel; 'chi2' is one")
        if self.gamma is not None:
            raise ValueError(f"gamma belongs to the kernels that scikit-learn names; {kernel!r} has its numbers inside")
        return super()._chosen_kernel(X)
