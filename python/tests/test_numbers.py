"""Numbers that are none: what a kernel function or a matrix may not hold, and what is refused by name."""

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import Matern
from sklearn.svm import OneClassSVM as TheirOneClassSVM

import mercer

X = np.random.default_rng(1).normal(size=(30, 2))
y = np.sin(X[:, 0])
classes = np.where(X[:, 1] > 0, "up", "down")
MACHINES = [mercer.SVR, mercer.GaussianProcessRegressor, mercer.RVR]


def gaussian(A, B):
    return np.exp(-((A[:, None, :] - B[None, :, :]) ** 2).sum(axis=2) / 2)


def spoilt(value, i, j):
    def kernel(A, B):
        K = gaussian(A, B)
        if K.shape[0] > i and K.shape[1] > j:
            K[i, j] = value
        return K

    return kernel


@pytest.mark.parametrize("machine", MACHINES, ids=lambda m: m.__name__)
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_kernel_function_that_gives_no_number_is_refused_by_name(machine, value):
    with pytest.raises(ValueError, match=f"gave {value} for row 4 of its first argument and row 8 of its second"):
        machine(kernel=spoilt(value, 3, 7)).fit(X, y)


def test_a_kernel_function_that_gives_no_number_at_new_points():
    def kernel(A, B):
        return gaussian(A, B) if A.shape == B.shape else np.full((A.shape[0], B.shape[0]), np.nan)

    model = mercer.SVR(kernel=kernel).fit(X, y)
    with pytest.raises(ValueError, match="gave nan for row 1"):
        model.predict(X[:3])


def test_a_function_of_two_rows_that_gives_no_number():
    def kernel(a, b):
        return np.nan if a[0] == X[2, 0] and b[0] == X[4, 0] else float(np.exp(-((a - b) ** 2).sum()))

    with pytest.raises(ValueError, match="gave nan for row 3 of its first argument and row 5"):
        mercer.KernelRidge(kernel=kernel).fit(X, y)


def test_a_kernel_function_of_the_wrong_shape():
    with pytest.raises(ValueError, match=r"shape \(30,\), not \(30, 30\)"):
        mercer.SVC(kernel=lambda A, B: gaussian(A, B)[:, 0]).fit(X, classes)


@pytest.mark.parametrize("machine", MACHINES + [mercer.KernelRidge], ids=lambda m: m.__name__)
def test_an_asymmetric_precomputed_matrix_is_refused_by_name(machine):
    K = gaussian(X, X)
    K[2, 5] += 1e-3
    with pytest.raises(ValueError, match=r"not symmetric: K\(6, 3\)"):
        machine(kernel="precomputed").fit(K, y)


def test_an_asymmetric_kernel_function_is_refused():
    with pytest.raises(ValueError, match="not symmetric"):
        mercer.SVR(kernel=lambda A, B: A[:, :1] - B[:, :1].T).fit(X, y)


def test_rounding_to_single_precision_is_no_asymmetry():
    K = gaussian(X, X)
    K = K + 1e-8 * np.triu(np.random.default_rng(2).normal(size=K.shape))
    mercer.KernelRidge(kernel="precomputed").fit(K, y)


def test_predictions_beyond_double_precision_are_refused():
    for machine, target in ((mercer.KernelRidge, y), (mercer.SVC, classes), (mercer.GaussianProcessRegressor, y)):
        model = machine(kernel=mercer.parse("exp(linear())")).fit(X, target)
        with pytest.raises(ValueError, match="row 2"):
            model.predict([[0, 0], [1e4, 1e4]])


@pytest.mark.parametrize("nu", [0.05, 0.3, 0.8, 1.0, 2.2, 3.5, 7.7, 30.0])
def test_matern_of_any_order(nu):
    k = mercer.matern(nu=nu, ell=0.7)
    np.testing.assert_allclose(k(X), Matern(length_scale=0.7, nu=nu)(X), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("nu", [0.02, 0.1, 0.2, 0.5])
def test_at_most_nu_of_the_training_points_are_novel(nu):
    for seed in range(5):
        points = np.random.default_rng(seed).normal(size=(50, 2))
        ours = mercer.OneClassSVM(kernel="rbf(ell=1)", nu=nu).fit(points)
        theirs = TheirOneClassSVM(kernel="rbf", gamma=0.5, nu=nu, tol=1e-7).fit(points)
        assert (ours.predict(points) == -1).sum() <= nu * 50
        np.testing.assert_allclose(ours.decision_function(points), theirs.decision_function(points), atol=1e-3)
