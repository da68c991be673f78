"""Gaussian processes whose kernel is known by its matrices alone, as one of a class of the user's own is."""
from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, cho_solve, cholesky, solve_triangular
from scipy.special import expit, ndtr

from . import _core
from ._arguments import class_names


class MatrixKernel:
    """A kernel object of scikit-learn's as a function (X, Y) -> matrix; of X and X itself it has the noise in it."""

    def __init__(self, theirs):
        self.theirs = theirs

    def __call__(self, X, Y):
        return self.theirs(X) if X is Y else self.theirs(X, Y)


class MatrixPosterior:
    """What is known of f beside its mean: cov(f(x), f(x')) = k(x, x') - (S k_x)' (S K S + N)^-1 (S k_x')."""

    def __init__(self, K, noise, scale=1.0):
        self._scale = scale
        A = K * np.multiply.outer(scale, scale)
        A[np.diag_indices_from(A)] += noise
        self.lower = cholesky(A, lower=True)

    def variances(self, rows, prior):
        """Of points whose k(x, x_i) are `rows` and whose k(x, x) are `prior`."""
        return np.maximum(prior - (self._explained(rows) ** 2).sum(axis=0), 0)

    def covariance(self, rows, prior):
        half = self._explained(rows)
        return prior - half.T @ half

    def _explained(self, rows):
        return solve_triangular(self.lower, (rows * self._scale).T, lower=True)


def regression_evidence(K, y, noise):
    """log N(y; 0, K + noise), summed over the columns of y, and its derivative by K; -inf where K is not definite."""
    try:
        lower = cholesky(K + np.diag(np.broadcast_to(noise, len(K))), lower=True)
    except LinAlgError:
        return -np.inf, np.zeros_like(K)
    n, targets = y.shape
    alpha = cho_solve((lower, True), y)
    value = -0.5 * (y * alpha).sum() - targets * (np.log(np.diag(lower)).sum() + 0.5 * n * np.log(2 * np.pi))
    return value, 0.5 * (alpha @ alpha.T - targets * cho_solve((lower, True), np.eye(n)))


def _curvature(f, weights):
    p = expit(f)
    return p, weights * p * (1 - p)


def class_posterior(K, alpha, weights):
    """Of two classes with the logistic link, by Laplace's approximation at the mode f = K alpha."""
    return MatrixPosterior(K, 1.0, np.sqrt(_curvature(K @ alpha, weights)[1]))


def class_slope(K, alpha, weights):
    """The derivative by K of the log evidence of two classes (Rasmussen & Williams 2006, algorithm 5.1)."""
    p, W = _curvature(K @ alpha, weights)
    s = np.sqrt(W)
    lower = cholesky(np.eye(len(K)) + K * np.outer(s, s), lower=True)
    R = np.outer(s, s) * cho_solve((lower, True), np.eye(len(K)))
    variances = np.diag(K) - (solve_triangular(lower, s[:, None] * K, lower=True) ** 2).sum(axis=0)
    by_mode = -0.5 * variances * W * (1 - 2 * p)
    return 0.5 * (np.outer(alpha, alpha) - R) + np.outer(by_mode - R @ (K @ by_mode), alpha)


def averaged_logistic(mean, variance):
    """The mean of 1 / (1 + exp(-f)) over f ~ N(mean, variance), by the trapezoidal rule, exact to twelve digits.

    It is also the mean of Phi((mean - l) / std) over a logistic l, whose integrand is smooth where std is large.
    """
    mean, std = mean[:, None], np.sqrt(variance)[:, None]
    z, l = np.arange(-9, 9, 0.2), np.arange(-40, 40, 0.4)
    narrow = 0.2 * (np.exp(-0.5 * z**2) / np.sqrt(2 * np.pi) * expit(mean + std * z)).sum(axis=1)
    wide = 0.4 * (expit(l) * expit(-l) * ndtr((mean - l) / np.maximum(std, 1))).sum(axis=1)
    return np.where(std[:, 0] < 1, narrow, wide)


class MatrixRegression:
    """What GaussianProcessRegressor does with such a kernel."""

    def _refuse_beside_matrices(self):
        if (self.noise, self.signal) != ("auto", "auto") or self.mean not in ("auto", "zero"):
            raise ValueError(f"{self.kernel}: a kernel known by its matrices alone takes neither noise, signal nor "
                             "mean; put a WhiteKernel or a ConstantKernel into it, or give alpha")

    def _matrix_deviations(self, X):
        rows, X = self._matrix_rows(X)
        return self._in_units(np.sqrt(self._matrix_posterior().variances(rows, self._callable.theirs.diag(X))), 1)

    def _matrix_covariance(self, X):
        rows, X = self._matrix_rows(X)
        return self._in_units(self._matrix_posterior().covariance(rows, self._callable.theirs(X)), 2)

    def _matrix_rows(self, X):
        X = self._checked(X)
        return self._callable.theirs(X, self.X_train_), X

    def _matrix_posterior(self):
        return MatrixPosterior(self._callable.theirs(self.X_train_), self._matrix_noise())

    def _matrix_noise(self):
        """A weight divides the noise, and not the variances that are known of each point."""
        known = self._known_noise(len(self.y_train_))
        return (self._alpha() / (1.0 if self._train_weights is None else self._train_weights)) if known is None else known

    def _in_units(self, one, power):
        """What is the same for all targets, for each in its own units."""
        spread = np.asarray(self._y_train_std) ** power
        return one * spread if self._flat else np.multiply.outer(one, np.broadcast_to(spread, self.y_train_.shape[1:]))

    def _matrix_evidence(self, kernel, eval_gradient):
        y = self._normalised().reshape(len(self.y_train_), -1)
        if not eval_gradient:
            return regression_evidence(kernel(self.X_train_), y, self._matrix_noise())[0]
        K, slopes = kernel(self.X_train_, eval_gradient=True)
        value, by_K = regression_evidence(K, y, self._matrix_noise())
        return value, np.einsum("ij,ijk->k", by_K, slopes)


class MatrixClassification:
    """What GaussianProcessClassifier does with such a kernel."""

    def _refuse_beside_matrices(self):
        if self.signal != "auto" or self.link not in ("auto", "logistic") or len(self.classes_) > 2:
            raise ValueError(f"{self.kernel}: a kernel known by its matrices alone is for two classes, the logistic "
                             'link and signal="auto"; put a ConstantKernel into it, leave WhiteKernels out, or give a '
                             "Mercer kernel")

    def _matrix_probabilities(self, X):
        p = averaged_logistic(*self._matrix_latent(X))
        return np.column_stack([1 - p, p])

    def _matrix_latent(self, X):
        X = self._checked(X)
        kernel, alpha = self._callable.theirs, self._training_alpha(self.model_)
        posterior = class_posterior(kernel(self.X_train_), alpha, self._matrix_weights())
        rows = kernel(X, self.X_train_)
        return rows @ alpha, posterior.variances(rows, kernel.diag(X))

    def _matrix_weights(self):
        return 1.0 if self._train_weights is None else self._train_weights

    @staticmethod
    def _training_alpha(model):
        alpha = np.zeros(model.training_size)
        alpha[model.support] = model.alpha[:, 0]
        return alpha

    def _matrix_evidence(self, kernel, eval_gradient):
        K, slopes = kernel(self.X_train_, eval_gradient=True) if eval_gradient else (kernel(self.X_train_), None)
        model = _core.fit("gpc", {"objective": "none", "signal": "fixed(1)", "newton": str(self.max_iter_predict)},
                          gram=np.ascontiguousarray(K), weights=self._train_weights,
                          labels=(class_names(self.classes_), self._train_codes))
        value = np.float64(model.report["figures"]["log_evidence"])
        if not eval_gradient:
            return value
        by_K = class_slope(K, self._training_alpha(model), self._matrix_weights())
        return value, np.einsum("ij,ijk->k", by_K, slopes)
