"""Kernels that are functions of the user's: of dense and sparse rows, of texts and other objects; what is refused."""
import numpy as np
import pandas
import pytest
from scipy import sparse
from sklearn.utils.extmath import safe_sparse_dot

import mercer
from mercer import (RVR, SVC, SVR, KernelLogisticRegression, KernelPerceptron, KernelRidge, NadarayaWatson, NuSVC, NuSVR,
                    OneClassSVM)

rng = np.random.default_rng(0)
X = rng.random((40, 6)) * (rng.random((40, 6)) > 0.5)
T = X[::3] + 0.1
y = (X[:, 0] + X[:, 1] > 0.7).astype(int)
WORDS = ["abab", "ab", "babb", "xy", "xyxy", "yxx", "aab", "xyy"] * 3
KINDS = np.array([0, 0, 0, 1, 1, 1, 0, 1] * 3)
OF_MATRICES = [SVC, NuSVC, SVR, NuSVR, OneClassSVM, KernelLogisticRegression, KernelPerceptron, NadarayaWatson, RVR]


def squared(a, b):
    """(1 + x.y)^2, with a sparse answer to sparse questions where SciPy gives one."""
    products = safe_sparse_dot(a, b.T, dense_output=True)
    return (1 + products) ** 2


def shared_letters(a, b):
    return sum(min(a.count(letter), b.count(letter)) for letter in set(a))


def letters(A, B):
    return np.array([[shared_letters(a, b) for b in B] for a in A], dtype=float)


@pytest.mark.parametrize("cls", OF_MATRICES)
@pytest.mark.parametrize("container", [sparse.csr_matrix, sparse.csc_matrix, sparse.lil_matrix])
def test_sparse_rows_answer_as_dense_ones(cls, container):
    dense = cls(kernel=squared).fit(X, y)
    given = cls(kernel=squared).fit(container(X), y)
    np.testing.assert_allclose(given.predict(container(T)), dense.predict(T), rtol=1e-6)


def test_a_kernel_may_answer_with_a_sparse_matrix():
    product = SVC(kernel=lambda a, b: a @ b.T).fit(sparse.csr_matrix(X), y)
    np.testing.assert_allclose(product.decision_function(sparse.csr_matrix(T)),
                               SVC(kernel="linear").fit(X, y).decision_function(T), atol=1e-6)


@pytest.mark.parametrize("cls", OF_MATRICES)
@pytest.mark.parametrize("form", [list, tuple, np.array, pandas.Series, lambda words: [w.encode() for w in words]])
def test_texts(cls, form):
    def kernel(A, B):
        return letters([w.decode() if isinstance(w, bytes) else w for w in A],
                       [w.decode() if isinstance(w, bytes) else w for w in B])

    by_function = cls(kernel=kernel).fit(form(WORDS), KINDS)
    by_matrix = cls(kernel="precomputed").fit(letters(WORDS, WORDS), KINDS)
    new = ["abx", "yy", "ba"]
    np.testing.assert_allclose(by_function.predict(form(new)), by_matrix.predict(letters(new, WORDS)), atol=1e-6)


def test_other_objects():
    sets = [frozenset(word) for word in WORDS]
    assert SVC(kernel=lambda A, B: np.array([[len(a & b) for b in B] for a in A], dtype=float)).fit(
        sets, KINDS).score(sets, KINDS) == 1


def test_ridge_takes_functions_of_two_texts_and_of_two_sparse_rows():
    by_pairs = KernelRidge(kernel=shared_letters, alpha=0.1).fit(WORDS, KINDS)
    by_matrix = KernelRidge(kernel="precomputed", alpha=0.1).fit(letters(WORDS, WORDS), KINDS)
    np.testing.assert_allclose(by_pairs.predict(["abx", "yy"]), by_matrix.predict(letters(["abx", "yy"], WORDS)))
    of_rows = KernelRidge(kernel=lambda a, b: float((a @ b.T).sum()), alpha=0.1).fit(sparse.csr_matrix(X), y)
    np.testing.assert_allclose(of_rows.predict(sparse.csr_matrix(T)), KernelRidge(alpha=0.1).fit(X, y).predict(T))


@pytest.mark.parametrize("cls", [*OF_MATRICES, mercer.GaussianProcessRegressor])
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_values_that_are_not_finite_are_refused(cls, bad):
    def kernel(a, b):
        K = a @ b.T
        K[min(3, len(K) - 1), 1] = bad
        return K

    with pytest.raises(ValueError, match=rf"kernel.* {bad} .*row 4 .*row 2"):
        cls(kernel=kernel).fit(X, y)


def test_values_that_are_not_finite_are_refused_in_predict():
    m = SVC(kernel=lambda a, b: a @ b.T * (np.nan if len(a) == 2 else 1.0)).fit(X, y)
    assert m.predict(X[:3]).shape == (3,)
    with pytest.raises(ValueError, match="nan for row 1 of its first argument"):
        m.predict(X[:2])


def test_ridge_refuses_them_too():
    with pytest.raises(ValueError, match="kernel.* nan "):
        KernelRidge(kernel=lambda a, b: np.nan).fit(X, y)
