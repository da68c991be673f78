"""Inducing points of the Gaussian processes, against NumPy and against all points."""
import mercer
import numpy as np
import pytest


def made(n, seed=0):
    random = np.random.default_rng(seed)
    X = random.uniform(-2, 2, (n, 2))
    return X, np.sin(1.5 * X[:, 0]) + 0.5 * X[:, 1] + 0.1 * random.normal(size=n)


def rbf(A, B, ell):
    return np.exp(-0.5 * ((A[:, None] - B[None]) ** 2).sum(-1) / ell**2)


def test_mean_std_and_bounds_are_those_of_numpy():
    X, y = made(120)
    new = made(9, 1)[0]
    m = mercer.GaussianProcessRegressor("rbf(ell=0.9)", noise="fixed(0.05)", signal="fixed(1)", mean="zero",
                                        optimizer=None, inducing=15).fit(X, y)
    Z = np.asarray(m.inducing_points_)
    noise, Kzz, Kxz, Ksz = 0.05, rbf(Z, Z, 0.9), rbf(X, Z, 0.9), rbf(new, Z, 0.9)
    Q = Kxz @ np.linalg.solve(Kzz, Kxz.T)
    S = Q + noise * np.eye(len(y))
    q = Ksz @ np.linalg.solve(Kzz, Kxz.T)
    mean, std = m.predict(new, return_std=True)
    np.testing.assert_allclose(mean, q @ np.linalg.solve(S, y), atol=1e-7)
    np.testing.assert_allclose(std**2, 1 - np.einsum("ij,ji->i", q, np.linalg.solve(S, q.T)), atol=1e-7)
    rest = len(y) - np.trace(Q)
    constant = len(y) * np.log(2 * np.pi) + np.linalg.slogdet(S)[1]
    low = -0.5 * (y @ np.linalg.solve(S, y) + constant + rest / noise)
    high = -0.5 * (y @ np.linalg.solve(S + rest * np.eye(len(y)), y) + constant)
    np.testing.assert_allclose(m.log_marginal_likelihood_bounds_, (low, high), rtol=1e-7)
    assert m.log_marginal_likelihood_value_ == m.log_marginal_likelihood_bounds_[0]
    assert m.alpha_.shape == (15,)


def test_learning_comes_near_that_of_all_points():
    X, y = made(500, 2)
    few = mercer.GaussianProcessRegressor("rbf(ell=auto)", inducing=60).fit(X, y)
    full = mercer.GaussianProcessRegressor("rbf(ell=auto)").fit(X, y)
    low, high = few.log_marginal_likelihood_bounds_
    # Both searches end where steps gain less than 1e-5 nats a point.
    assert low <= full.log_marginal_likelihood_value_ + 2e-5 * len(y)
    given = dict(kernel=few.kernel_, noise=few.noise_, signal=few.signal_, optimizer=None)
    exact = mercer.GaussianProcessRegressor(**given).fit(X, y).log_marginal_likelihood_value_
    assert low <= exact <= high
    assert abs(low - full.log_marginal_likelihood_value_) < 1
    assert high >= low
    assert full.log_marginal_likelihood_bounds_[0] == full.log_marginal_likelihood_bounds_[1]
    some = mercer.GaussianProcessRegressor("rbf(ell=auto)", learn_on=450).fit(X, y)
    assert abs(some.log_marginal_likelihood_value_ - full.log_marginal_likelihood_value_) < 5


def test_files_keep_it(tmp_path):
    X, y = made(80, 3)
    m = mercer.GaussianProcessRegressor("rbf(ell=1)", inducing=10, fitc=True).fit(X, y)
    m.save(str(tmp_path / "m.mercer"))
    loaded = mercer.load(str(tmp_path / "m.mercer"))
    assert loaded.inducing == 10 and loaded.fitc
    np.testing.assert_array_equal(loaded.predict(X, return_std=True)[1], m.predict(X, return_std=True)[1])


def test_what_cannot_be_is_refused():
    X, y = made(20, 4)
    with pytest.raises(ValueError, match="21 inducing points of 20"):
        mercer.GaussianProcessRegressor("rbf(ell=1)", inducing=21).fit(X, y)
    m = mercer.GaussianProcessRegressor("rbf(ell=1)", inducing=5).fit(X, y)
    with pytest.raises(AttributeError, match="no such matrix"):
        m.L_  # noqa: B018
    with pytest.raises(ValueError, match="fit it without inducing"):
        m.components(X)


@pytest.mark.parametrize("classes", [2, 3])
def test_classes_by_inducing_points(classes, tmp_path):
    X, f = made(300, 5)
    y = np.digitize(f, [0] if classes == 2 else [-0.4, 0.4])
    few = mercer.GaussianProcessClassifier("rbf(ell=auto)", inducing=40).fit(X, y)
    full = mercer.GaussianProcessClassifier("rbf(ell=auto)").fit(X, y)
    assert few.inducing_points_.shape == (40, 2)
    assert abs(few.log_marginal_likelihood_value_ - full.log_marginal_likelihood_value_) < 2
    new = made(50, 6)[0]
    np.testing.assert_allclose(few.predict_proba(new), full.predict_proba(new), atol=0.05)
    assert few.latent(new)[1].shape == ((50,) if classes == 2 else (50, 3))
    few.save(str(tmp_path / "m.mercer"))
    loaded = mercer.load(str(tmp_path / "m.mercer"))
    assert loaded.inducing == 40
    np.testing.assert_array_equal(loaded.predict_proba(new), few.predict_proba(new))
    with pytest.raises(ValueError, match="fit without inducing"):
        few.log_marginal_likelihood([0.0, 0.0])
    with pytest.raises(AttributeError, match="there are none"):
        full.inducing_points_  # noqa: B018
    with pytest.raises(ValueError, match="301 inducing points of 300"):
        mercer.GaussianProcessClassifier(inducing=301).fit(X, y)
