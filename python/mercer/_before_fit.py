"""What a Gaussian process answers before its fit: f ~ GP(0, signal k), of which nothing has been seen."""
from __future__ import annotations

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import _num_samples, check_is_fitted

from ._kernel import Kernel
from ._learning import learnable
from ._points import as_points
from ._sklearn_kernels import Translation, is_sklearn_kernel


def normal_draws(mean, covariance, count, random_state):
    """Draws of N(mean, covariance), one column for each; of several targets the middle axis is theirs."""
    random = check_random_state(random_state)

    def draw(m, C):
        return random.multivariate_normal(m, C, count, check_valid="ignore").T

    if mean.ndim == 1:
        return draw(mean, covariance)
    return np.stack([draw(mean[:, t], covariance[..., t]) for t in range(mean.shape[1])], axis=1)


class Prior:
    """For regressors; "auto" is 1, as nothing tells it, and targets are as many as n_targets says."""

    def _prior_answers(self, X, return_std, return_cov, include_noise):
        kernel, signal, noise, X = self._prior_parts(X, include_noise)
        count = _num_samples(X)
        mean = np.zeros(count)
        if return_cov:
            covariance = signal * kernel(X)
            covariance[np.diag_indices_from(covariance)] += noise
            return self._for_each_target(mean), self._for_each_target(covariance)
        if return_std:
            return self._for_each_target(mean), self._for_each_target(np.sqrt(signal * kernel.diag(X) + noise))
        return self._for_each_target(mean)

    def _prior_parts(self, X, include_noise):
        """A kernel, what multiplies it, the noise beside it, and X as the kernel takes it."""
        if is_sklearn_kernel(self.kernel):
            X = self._checked(X)
            of_f = include_noise is False
            return Translation(self.kernel, bounds=False).kernel if of_f else self.kernel, 1.0, 0.0, X
        kernel = self._own_kernel(X)
        if not isinstance(kernel, Kernel):
            check_is_fitted(self, "model_")
        X = self._checked(X)
        if any(one["auto"] for one in kernel.params):
            kernel = kernel.resolve(np.zeros((2, as_points(X).dimension)))
        signal, noise = learnable(self.signal), learnable(self._wanted_noise())
        if include_noise and noise is None:
            raise ValueError("include_noise: before the fit nothing is known of the noise; give noise=")
        return kernel, 1.0 if signal is None else signal["value"], noise["value"] if include_noise else 0.0, X

    def _for_each_target(self, one):
        targets = self.n_targets or 1
        return one if targets == 1 else np.repeat(one[..., None], targets, axis=-1)
