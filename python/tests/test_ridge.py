"""KernelRidge and KernelRidgeCV against scikit-learn's KernelRidge and against brute force."""
import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_ridge import KernelRidge as Theirs
from sklearn.model_selection import GridSearchCV, LeaveOneOut, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mercer
from mercer import KernelRidge, KernelRidgeCV

rng = np.random.RandomState(0)
X = rng.rand(60, 4)
y = np.sin(3 * X[:, 0]) + X[:, 1] + 0.05 * rng.randn(60)
Y = np.column_stack([y, X[:, 2] ** 2, X[:, 3]])
T = rng.rand(9, 4)
weights = rng.rand(60) + 0.5


@pytest.mark.parametrize("options", [
    {}, {"kernel": "rbf"}, {"kernel": "rbf", "gamma": 2.0}, {"kernel": "poly"},
    {"kernel": "polynomial", "degree": 2, "gamma": 0.5, "coef0": 0.3}, {"kernel": "laplacian", "gamma": 1.3},
    {"kernel": "cosine"}, {"kernel": "chi2", "gamma": 0.7}], ids=str)
def test_kernels_by_scikit_learns_names_give_its_numbers(options):
    for targets in (y, Y):
        theirs = Theirs(alpha=0.1, **options).fit(X, targets, weights)
        ours = KernelRidge(alpha=0.1, **options).fit(X, targets, weights)
        assert np.allclose(ours.predict(T), theirs.predict(T), atol=1e-9)
        assert np.allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-7)
        assert ours.predict(T).shape == theirs.predict(T).shape


def test_coefficients_stand_at_their_rows():
    times = np.arange(60.0) % 3
    there = np.flatnonzero(times)
    for targets in (y, Y):
        some = KernelRidge(alpha=0.1, kernel="rbf").fit(X[there], targets[there], times[there])
        all_of_them = KernelRidge(alpha=0.1, kernel="rbf").fit(X, targets, times)
        np.testing.assert_allclose(all_of_them.dual_coef_[there], some.dual_coef_, atol=1e-9)
        assert (all_of_them.dual_coef_[times == 0] == 0).all()


def test_functions_matrices_and_kernel_objects_agree():
    k = mercer.rbf(ell=0.5)
    expected = KernelRidge(alpha=0.1, kernel=k).fit(X, y).predict(T)

    def of_two_rows(a, b, width):
        return np.exp(-((a - b) ** 2).sum() / (2 * width**2))

    by_rows = KernelRidge(alpha=0.1, kernel=of_two_rows, kernel_params={"width": 0.5}).fit(X, y)
    by_matrix = KernelRidge(alpha=0.1, kernel="precomputed").fit(k(X), y)
    assert np.allclose(by_rows.predict(T), expected)
    assert np.allclose(by_matrix.predict(k(T, X)), expected)
    assert np.allclose(KernelRidge(alpha=0.1, kernel="rbf(ell=0.5)").fit(X, y).predict(T), expected)
    sparse = KernelRidge(alpha=0.1, kernel=k).fit(scipy.sparse.csr_matrix(X), y)
    assert np.allclose(sparse.predict(scipy.sparse.csr_matrix(T)), expected)


def test_without_a_price_it_is_least_squares_of_smallest_norm(tmp_path):
    with pytest.warns(UserWarning, match="singular"):
        m = KernelRidge(alpha=0, kernel="1 + linear()").fit(X, y)
    design = np.column_stack([np.ones(60), X])
    assert np.allclose(m.predict(X), design @ np.linalg.lstsq(design, y, rcond=None)[0])
    m.save(tmp_path / "least.mercer")
    again = mercer.load(tmp_path / "least.mercer")
    assert isinstance(again, KernelRidge) and again.alpha == 0
    assert np.array_equal(again.predict(T), m.predict(T))


def test_the_leave_one_out_path_is_what_brute_force_finds():
    alphas = [10.0, 0.01, 0.1, 1.0]
    m = KernelRidgeCV(alphas, kernel="rbf(ell=0.5)").fit(X, y)
    assert np.allclose(m.path_["alpha"], sorted(alphas))
    for alpha, error in zip(m.path_["alpha"], m.path_["loo_mse"]):
        left_out = cross_val_predict(KernelRidge(alpha=alpha, kernel="rbf(ell=0.5)"), X, y, cv=LeaveOneOut())
        assert np.mean((y - left_out) ** 2) == pytest.approx(error, rel=1e-8)
    best = np.argmin(m.path_["loo_mse"])
    assert m.alpha_ == m.path_["alpha"][best] and m.best_score_ == pytest.approx(-m.path_["loo_mse"][best])
    assert np.allclose(m.predict(T), KernelRidge(alpha=m.alpha_, kernel="rbf(ell=0.5)").fit(X, y).predict(T))


def test_errors_of_the_path_are_means_over_targets():
    for count in (1, 3):
        m = KernelRidgeCV([0.1, 1.0], kernel="rbf(ell=0.5)").fit(X, Y[:, :count])
        for alpha, error in zip(m.path_["alpha"], m.path_["loo_mse"]):
            left_out = cross_val_predict(KernelRidge(alpha=alpha, kernel="rbf(ell=0.5)"), X, Y[:, :count], cv=LeaveOneOut())
            assert np.mean((Y[:, :count] - left_out.reshape(60, count)) ** 2) == pytest.approx(error, rel=1e-8)
        assert m.best_score_ == pytest.approx(-m.path_["loo_mse"].min())


def test_generalised_cross_validation_by_its_formula():
    m = KernelRidgeCV([0.01, 0.3], kernel="rbf(ell=0.5)", scoring="gcv").fit(X, Y)
    K = mercer.rbf(ell=0.5)(X)
    for alpha, value in zip(m.path_["alpha"], m.path_["gcv"]):
        inverse = np.linalg.inv(K + alpha * np.eye(60))
        gcv = np.mean([60 * (inverse @ t) @ (inverse @ t) / np.trace(inverse) ** 2 for t in Y.T])
        assert value == pytest.approx(gcv, rel=1e-8)
    assert m.best_score_ == -m.path_["gcv"].min()


def test_without_alphas_a_path_is_tried_and_survives_a_file(tmp_path):
    m = KernelRidgeCV(kernel="rbf(ell=0.5)", path_size=20).fit(X, Y)
    assert len(m.path_["alpha"]) == 20 and m.predict(T).shape == (9, 3)
    m.save(tmp_path / "m.mercer")
    again = mercer.load(tmp_path / "m.mercer")
    assert isinstance(again, KernelRidgeCV) and again.alpha_ == m.alpha_ and again.path_size == 20
    assert np.array_equal(again.predict(T), m.predict(T))


def test_grid_search_over_the_numbers_of_a_kernel():
    search = GridSearchCV(KernelRidge(alpha=0.1, kernel=mercer.rbf(ell=1.0)), {"kernel__ell": [0.3, 30.0]}, cv=3)
    assert search.fit(X, y).best_params_ == {"kernel__ell": 0.3}
    pipe = make_pipeline(StandardScaler(), KernelRidgeCV(kernel=mercer.rbf(ell=1.0)))
    assert pipe.set_params(kernelridgecv__kernel__ell=2.0).fit(X, y).score(X, y) > 0.9


def test_pickling_cloning_and_tables_by_column_name():
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    k = mercer.on("a", mercer.rbf(ell=0.5)) + mercer.on("b", mercer.linear())
    m = KernelRidge(alpha=0.1, kernel=k).fit(frame, y)
    assert list(m.feature_names_in_) == ["a", "b", "c", "d"]
    again = pickle.loads(pickle.dumps(m))
    assert np.array_equal(again.predict(frame), m.predict(frame))
    assert clone(m).get_params()["alpha"] == 0.1
    with pytest.raises(ValueError, match="feature names"):
        m.predict(frame.rename(columns={"a": "z"}))


def test_what_makes_no_sense_is_refused():
    for alpha in (-1.0, [0.1, 0.2], np.nan):
        with pytest.raises(ValueError, match="alpha"):
            KernelRidge(alpha=alpha).fit(X, Y[:, :2])
    assert KernelRidge(alpha=[0.1, 0.1]).fit(X, Y[:, :2]).predict(T).shape == (9, 2)
    with pytest.raises(ValueError, match="semi-definite"):
        KernelRidge(kernel="sigmoid").fit(X, y)
    with pytest.raises(ValueError, match="semi-definite"):
        KernelRidge(kernel="additive_chi2").fit(X, y)
    with pytest.raises(ValueError, match="gamma"):
        KernelRidge(kernel="rbf(ell=1)", gamma=1.0).fit(X, y)
    with pytest.raises(ValueError, match="kernel_params"):
        KernelRidge(kernel="rbf", kernel_params={"gamma": 2}).fit(X, y)
    with pytest.raises(ValueError, match="coef0"):
        KernelRidge(kernel="poly", coef0=-1).fit(X, y)
    for alphas in ([], [0.0, 1.0], [-1.0]):
        with pytest.raises(ValueError, match="alphas"):
            KernelRidgeCV(alphas).fit(X, y)
    with pytest.raises(ValueError, match="scoring"):
        KernelRidgeCV(scoring="r2").fit(X, y)


def test_few_correct_digits_are_a_warning():
    with pytest.warns(UserWarning, match="condition number"):
        KernelRidge(alpha=1e-13, kernel="rbf(ell=5)").fit(X, y)


def test_conjugate_gradients(tmp_path):
    """Without K in memory the answer is the same, to the tolerance."""
    rng = np.random.RandomState(0)
    X, Z = rng.uniform(size=(400, 3)), rng.uniform(size=(30, 3))
    y = np.stack([np.sin(5 * X[:, 0]), X[:, 1] * X[:, 2]], axis=1) + 0.1 * rng.randn(400, 2)
    weights = rng.randint(0, 3, 400)
    direct = KernelRidge(alpha=0.1, kernel="rbf(ell=0.5)", solver="cholesky").fit(X, y, weights)
    steps = KernelRidge(alpha=0.1, kernel="rbf(ell=0.5)", solver="pcg", tol=1e-9, rank=30).fit(X, y, weights)
    np.testing.assert_allclose(steps.predict(Z), direct.predict(Z), atol=1e-6)
    assert steps.report_["iterations"] > 0
    assert steps.report_["figures"]["residual"] <= 1e-9
    steps.save(tmp_path / "m.mercer")
    again = mercer.load(tmp_path / "m.mercer")
    assert (again.predict(Z) == steps.predict(Z)).all()
    assert {name: again.get_params()[name] for name in ("alpha", "solver", "tol", "rank", "max_steps")} == {
        "alpha": 0.1, "solver": "pcg", "tol": 1e-9, "rank": 30, "max_steps": 1000}
    with pytest.warns(ConvergenceWarning, match="limit of steps after 2"):
        KernelRidge(alpha=1e-6, kernel="rbf(ell=0.5)", solver="pcg", rank=1, max_steps=2).fit(X, y)
    with pytest.raises(ValueError, match="alpha above 0"):
        KernelRidge(alpha=0, solver="pcg").fit(X, y)
    with pytest.raises(ValueError, match="must be one of auto, cholesky, pcg"):
        KernelRidge(solver="lu").fit(X, y)


# ---- intervals ----

def by_refits(make, X, y, fresh, coverage):
    """Jackknife+ as it is written down."""
    low, high = [], []
    for i in range(len(X)):
        rest = np.arange(len(X)) != i
        fit = make().fit(X[rest], y[rest])
        error = np.abs(y[i] - fit.predict(X[i:i + 1])[0])
        low.append(fit.predict(fresh) - error)
        high.append(fit.predict(fresh) + error)
    n = len(X) + 1
    return (np.sort(low, axis=0)[int(np.floor((1 - coverage) * n + 1e-9)) - 1],
            np.sort(high, axis=0)[int(np.ceil(coverage * n - 1e-9)) - 1])


@pytest.mark.parametrize("targets", [1, 2])
def test_intervals_are_those_of_refits(targets):
    rng = np.random.RandomState(0)
    X, y, fresh = rng.randn(30, 2), rng.randn(30, targets), rng.randn(7, 2)
    y = y[:, 0] if targets == 1 else y
    X[4] = X[9]
    makes = [lambda: mercer.KernelRidge(alpha=0.3, kernel="rbf(ell=1)"),
             lambda: Theirs(alpha=0.3, kernel="rbf", gamma=0.5),
             lambda: mercer.GaussianProcessRegressor("rbf(ell=1)", noise=0.3, signal=1.0, objective="none", mean="zero")]
    wanted = by_refits(makes[1], X, y, fresh, 0.8)
    for make in (makes[0], makes[2]):
        for got, want in zip(pickle.loads(pickle.dumps(make().fit(X, y))).predict_interval(fresh, coverage=0.8), wanted):
            assert got.shape == want.shape
            np.testing.assert_allclose(got, want, atol=1e-9)


def test_intervals_know_what_they_cannot():
    rng = np.random.RandomState(0)
    X, y = rng.randn(30, 2), rng.randn(30)
    m = mercer.KernelRidge(alpha=0.3, kernel="rbf(ell=1)").fit(X, y)
    for coverage in (0, 1, 90):
        with pytest.raises(ValueError, match="above 0 and below 1"):
            m.predict_interval(X, coverage=coverage)
    with pytest.warns(UserWarning, match="so few points tell no end"):
        low, high = m.predict_interval(X, coverage=0.99)
    assert np.isinf(low).all() and np.isinf(high).all()
    for other in (mercer.KernelRidge(alpha=0.3, kernel="rbf(ell=1)", centres=5), mercer.KernelRidge(alpha=0, kernel="rbf(ell=1)")):
        with pytest.raises(ValueError, match="fit_with_intervals"):
            other.fit(X, y).predict_interval(X)
    K = X @ X.T
    with pytest.raises(ValueError, match="fit with a kernel"):
        mercer.KernelRidge(alpha=0.3, kernel="precomputed").fit(K, y).predict_interval(K)
    gp = mercer.GaussianProcessRegressor("rbf(ell=1)").fit(X, y)
    narrow, wide = gp.predict_interval([[0.0, 0.0]], adaptive=True), gp.predict_interval([[9.0, 9.0]], adaptive=True)
    assert narrow[1] - narrow[0] < wide[1] - wide[0] + 1e-9
