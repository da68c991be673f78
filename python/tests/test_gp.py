"""Gaussian processes against scikit-learn's, and what they have beyond it."""
import pickle

import numpy as np
import pytest
from sklearn import datasets
from sklearn.base import clone
from sklearn.datasets import load_iris, make_moons
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.gaussian_process import GaussianProcessClassifier as TheirClassifier
from sklearn.gaussian_process import GaussianProcessRegressor as Theirs
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, DotProduct, Matern, RationalQuadratic, WhiteKernel
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mercer
from mercer import GaussianProcessClassifier, GaussianProcessRegressor

rng = np.random.RandomState(0)
X = rng.randn(40, 2)
y = np.sin(X[:, 0]) + 0.1 * rng.randn(40) + 3
T = rng.randn(7, 2)
wave = np.linspace(0, 10, 60).reshape(-1, 1)
moons, side = make_moons(60, noise=0.2, random_state=0)

THEIR_KERNELS = [
    RBF(0.8), ConstantKernel(2.0) * RBF([0.7, 1.5]), Matern(1.3, nu=1.5), Matern([1.0, 2.0], nu=2.5),
    Matern(1.0, nu=0.5), Matern(1.2, nu=0.8), Matern([0.7, 2.0], nu=3.2), Matern(2.0, nu=np.inf), RationalQuadratic(0.9, 1.7), DotProduct(0.5) ** 2 + RBF(1.0),
    0.3 * RBF(1.0) * (1 + DotProduct(2.0))]


@pytest.mark.parametrize("kernel", THEIR_KERNELS, ids=str)
@pytest.mark.parametrize("normalize_y", [False, True])
def test_scikit_learns_numbers_at_a_fixed_kernel(kernel, normalize_y):
    options = dict(alpha=0.02, optimizer=None, normalize_y=normalize_y)
    theirs = Theirs(kernel, **options).fit(X, y)
    ours = GaussianProcessRegressor(kernel, mean="zero", **options).fit(X, y)
    assert np.allclose(ours.predict(T), theirs.predict(T), atol=1e-6)
    for what in ("return_std", "return_cov"):
        assert np.allclose(ours.predict(T, **{what: True})[1], theirs.predict(T, **{what: True})[1], atol=1e-6)
    assert ours.log_marginal_likelihood_value_ == pytest.approx(theirs.log_marginal_likelihood_value_, abs=1e-6)


def test_noise_of_each_point_as_in_scikit_learn():
    alpha = 0.01 + 0.2 * rng.rand(40)
    k = ConstantKernel(2.0) * RBF(0.9)
    theirs = Theirs(k, alpha=alpha, optimizer=None).fit(X, y)
    ours = GaussianProcessRegressor(k, alpha=alpha, optimizer=None, mean="zero").fit(X, y)
    assert np.allclose(ours.predict(T, return_std=True), theirs.predict(T, return_std=True), atol=1e-8)
    assert ours.log_marginal_likelihood_value_ == pytest.approx(theirs.log_marginal_likelihood_value_)
    assert ours.noise_ == 0
    with pytest.raises(ValueError, match=r"\(3 != 40\)"):
        GaussianProcessRegressor(alpha=[1, 2, 3]).fit(X, y)
    both = GaussianProcessRegressor("rbf(ell=1)", alpha=alpha, noise="0.1").fit(X, y)  # some known, some learnt
    assert both.noise_ > 0 and "noise" in both.theta_names_


def test_the_likelihood_elsewhere_and_its_derivatives_as_in_scikit_learn():
    k = ConstantKernel(2.0) * RBF([0.7, 1.5])
    theirs = Theirs(k, alpha=0.02, optimizer=None).fit(X, y)
    ours = GaussianProcessRegressor(k, alpha=0.02, optimizer=None, mean="zero").fit(X, y)
    assert np.allclose(ours.theta_, theirs.kernel_.theta)
    for theta in (theirs.kernel_.theta, theirs.kernel_.theta + [0.3, -0.2, 0.1]):
        value, slope = theirs.log_marginal_likelihood(theta, eval_gradient=True)
        assert ours.log_marginal_likelihood(theta) == pytest.approx(value, abs=1e-6)
        assert np.allclose(ours.log_marginal_likelihood(theta, eval_gradient=True)[1], slope, atol=1e-6)
    with pytest.raises(ValueError, match="3 numbers are needed"):
        ours.log_marginal_likelihood([0.0])


@pytest.mark.parametrize("options", [{}, {"mean": "linear"}, {"kernel": "2*rbf(ell=1)"}, {"alpha": np.full(40, 0.01),
                                     "noise": "0.1"}, {"normalize_y": True}], ids=str)
def test_the_slope_is_nothing_where_learning_ended_and_a_difference_elsewhere(options):
    weights = rng.rand(40) + 0.5
    m = GaussianProcessRegressor(tol=1e-10, **options).fit(X, y, weights)
    value, slope = m.log_marginal_likelihood(m.theta_, eval_gradient=True)
    assert value == pytest.approx(m.log_marginal_likelihood_value_, rel=1e-8)
    free = np.abs(np.array(m.theta_)) < 8  # others have gone to a bound
    assert np.abs(slope[free]).max() < 0.05
    theta = m.theta_ + 0.1
    _, slope = m.log_marginal_likelihood(theta, eval_gradient=True)
    for i in range(len(theta)):
        step = np.eye(len(theta))[i] * 1e-5
        difference = (m.log_marginal_likelihood(theta + step) - m.log_marginal_likelihood(theta - step)) / 2e-5
        assert slope[i] == pytest.approx(difference, rel=1e-4, abs=1e-4)


def test_numbers_of_any_sign_are_learnt_on_themselves():
    tasks = mercer.coregion(a=mercer.bounded([1, -0.5], -3, 3), v=[0.1, 0.3])
    k = mercer.on(1, mercer.rbf(ell=1)) * mercer.on(2, tasks)
    assert k.theta == pytest.approx([0, 1, -0.5, np.log(0.1), np.log(0.3)], abs=1e-15)
    assert k.bounds[1:3].tolist() == [[-3, 3], [-3, 3]] and k.bounds[3].tolist() == [-np.inf, np.inf]
    assert k.clone_with_theta(k.theta).theta == pytest.approx(k.theta, abs=1e-15)
    assert k.clone_with_theta([0, -2, 3, 0, 0]).values["a"] == [-2.0, 3.0]
    inputs = np.column_stack([X[:, 0], 1 + (X[:, 1] > 0)])
    target = np.where(inputs[:, 1] == 1, 1, -0.8) * np.sin(2 * X[:, 0]) + 0.1 * np.random.RandomState(1).randn(40)
    begun = mercer.on(1, mercer.rbf(ell=1)) * mercer.on(2, mercer.coregion(a=[1, 1], v=[0.1, 0.3]))
    m = GaussianProcessRegressor(begun, noise="0.01", mean="zero", signal="fixed(1)").fit(inputs, target)
    a = m.kernel_.values["a"]
    assert a[0] * a[1] < 0
    theta = m.theta_ + 0.05
    _, slope = m.log_marginal_likelihood(theta, eval_gradient=True)
    for i in range(len(theta)):
        step = np.eye(len(theta))[i] * 1e-5
        difference = (m.log_marginal_likelihood(theta + step) - m.log_marginal_likelihood(theta - step)) / 2e-5
        assert slope[i] == pytest.approx(difference, rel=1e-4, abs=1e-4)


def test_learning_finds_at_least_what_scikit_learn_finds():
    k = ConstantKernel(1.0) * RBF([1.0, 1.0]) + WhiteKernel(0.1)
    theirs = Theirs(k, n_restarts_optimizer=2, random_state=0).fit(X, y)
    ours = GaussianProcessRegressor(k, n_restarts_optimizer=2, random_state=0, mean="zero").fit(X, y)
    assert ours.log_marginal_likelihood_value_ > theirs.log_marginal_likelihood_value_ - 1e-3
    assert np.allclose(ours.predict(T), theirs.predict(T), atol=1e-2)
    assert ours.noise_ == pytest.approx(theirs.kernel_.k2.noise_level, rel=0.02)


def test_draws_have_the_mean_and_the_covariance_of_the_posterior():
    m = GaussianProcessRegressor("rbf(ell=1)", noise="fixed(0.05)", signal="fixed(1)").fit(X, y)
    mean, cov = m.predict(T, return_cov=True)
    draws = m.sample_y(T, n_samples=20000, random_state=1)
    assert draws.shape == (7, 20000)
    assert np.allclose(draws.mean(axis=1), mean, atol=0.03) and np.allclose(np.cov(draws), cov, atol=0.03)
    noisy = m.sample_y(T, n_samples=20000, random_state=1, include_noise=True)
    assert np.allclose(np.cov(noisy), cov + 0.05 * np.eye(7), atol=0.03)
    assert np.array_equal(m.sample_y(T, 3, random_state=5), m.sample_y(T, 3, random_state=5))
    assert not np.array_equal(m.sample_y(T, random_state=None), m.sample_y(T, random_state=None))
    _, wide = m.predict(T, return_std=True, include_noise=True)
    assert np.allclose(wide**2, np.diag(cov) + 0.05)


def test_several_targets():
    Y = np.column_stack([y, 2 * y + X[:, 1], X[:, 0] ** 2])
    m = GaussianProcessRegressor("rbf(ell=1)").fit(X, Y)
    mean, std = m.predict(T, return_std=True)
    assert mean.shape == std.shape == (7, 3) and m.noise_.shape == m.signal_.shape == (3,)
    assert m.predict(T, return_cov=True)[1].shape == (7, 7, 3)
    assert np.allclose(np.diagonal(m.predict(T, return_cov=True)[1]).T, std**2)
    assert m.sample_y(T, 4).shape == (7, 3, 4)
    fixed = dict(optimizer=None, noise=0.1, mean="zero")
    assert np.allclose(GaussianProcessRegressor("rbf(ell=1)", **fixed).fit(X, Y).predict(T)[:, 1],
                       GaussianProcessRegressor("rbf(ell=1)", **fixed).fit(X, Y[:, 1]).predict(T))
    with pytest.raises(ValueError, match="one target"):
        m.log_marginal_likelihood(eval_gradient=True)


def test_components_add_up_to_the_mean():
    trend = np.sin(2 * wave[:, 0]) + 0.3 * wave[:, 0] + 0.05 * rng.randn(60)
    m = GaussianProcessRegressor("4*rbf(ell=20) + 1*periodic(period=3.14159, ell=1)").fit(wave, trend)
    parts = m.components(wave)
    assert np.allclose(sum(part.mean for part in parts), m.predict(wave))
    assert parts[-1].kernel is None and all(part.std.shape == (60,) for part in parts)


def test_conditioning_on_more_points_is_a_fit_with_the_same_numbers():
    m = GaussianProcessRegressor("rbf(ell=1)", noise="fixed(0.05)", signal="fixed(2)", optimizer=None)
    m.fit(X[:30], y[:30])
    before = m.predict(T)
    more = m.condition(X[30:], y[30:])
    whole = clone(m).fit(X, y)
    assert np.allclose(more.predict(T, return_std=True), whole.predict(T, return_std=True))
    assert np.array_equal(m.predict(T), before)
    assert more.log_marginal_likelihood() == pytest.approx(whole.log_marginal_likelihood())
    with pytest.raises(ValueError, match="training data"):
        more.log_marginal_likelihood(eval_gradient=True)


def test_normalised_targets_change_units_and_nothing_else(tmp_path):
    m = GaussianProcessRegressor("rbf(ell=1)", normalize_y=True).fit(X, y)
    far = GaussianProcessRegressor("rbf(ell=1)", normalize_y=True).fit(X, 1000 * y - 7)
    assert np.allclose(far.predict(T), 1000 * m.predict(T) - 7)
    assert np.allclose(far.predict(T, return_std=True)[1], 1000 * m.predict(T, return_std=True)[1])
    assert far.noise_ == pytest.approx(1e6 * m.noise_)
    assert np.allclose(far.condition(T, far.predict(T)).predict(T), far.predict(T), rtol=1e-6)
    far.save(tmp_path / "far.mercer")
    again = mercer.load(tmp_path / "far.mercer")
    assert np.array_equal(again.predict(T, return_std=True), far.predict(T, return_std=True))
    assert again.noise_ == far.noise_


def test_priors_bounds_objectives_and_starts():
    held = GaussianProcessRegressor("rbf(ell=1 in [0.9, 1.1])", noise="0.05 in [0.04, 0.06]").fit(X, y)
    assert 0.9 <= held.kernel_.params[0]["value"] <= 1.1 and 0.04 <= held.noise_ <= 0.06
    as_objects = GaussianProcessRegressor(mercer.rbf(ell=mercer.bounded(1, 0.9, 1.1)),
                                          noise=mercer.bounded(0.05, 0.04, 0.06))
    assert clone(as_objects).fit(X, y).kernel_ == held.kernel_
    narrow = GaussianProcessRegressor("rbf(ell=1)", prior={"rbf.ell": "lognormal(-2, 0.01)"}).fit(X, y)
    assert narrow.kernel_.params[0]["value"] == pytest.approx(np.exp(-2), rel=0.05)
    loo = GaussianProcessRegressor("rbf(ell=1)", objective="loo").fit(X, y)
    assert np.sqrt(np.mean((loo.predict(X) - y) ** 2)) < 0.2
    a, b = (GaussianProcessRegressor("rbf(ell=1)", random_state=3).fit(X, y) for _ in range(2))
    assert a.kernel_ == b.kernel_ and a.n_iter_ > 0
    with pytest.warns(ConvergenceWarning, match="GaussianProcessRegressor has not converged"):
        GaussianProcessRegressor(max_iter=1, n_restarts_optimizer=0).fit(X, y)


def test_files_hold_all_that_predictions_need(tmp_path):
    m = GaussianProcessRegressor("rbf(ell=1)", mean="linear").fit(X, y)
    m.save(tmp_path / "m.mercer")
    again = mercer.load(tmp_path / "m.mercer")
    for other in (again, pickle.loads(pickle.dumps(m))):
        assert isinstance(other, GaussianProcessRegressor)
        assert np.allclose(other.predict(T, return_cov=True)[1], m.predict(T, return_cov=True)[1], rtol=1e-10)
        assert other.log_marginal_likelihood_value_ == m.log_marginal_likelihood_value_
    assert again.mean == "linear" and again.n_restarts_optimizer == 7
    with pytest.raises(ValueError, match="training data"):
        again.log_marginal_likelihood(again.theta_)


def test_matrices_and_functions_have_a_mean_alone():
    k = mercer.rbf(ell=1)
    expected = GaussianProcessRegressor(k, noise=0.1, optimizer=None).fit(X, y).predict(T)
    by_matrix = GaussianProcessRegressor("precomputed", noise=0.1, optimizer=None).fit(k(X), y)
    by_function = GaussianProcessRegressor(lambda A, B: k(A, B), noise=0.1, optimizer=None).fit(X, y)
    assert np.allclose(by_matrix.predict(k(T, X)), expected) and np.allclose(by_function.predict(T), expected)
    for ask in (lambda: by_matrix.predict(k(T, X), return_std=True), lambda: by_function.sample_y(T)):
        with pytest.raises(ValueError, match="fit with a kernel"):
            ask()


# As in scikit-learn: the only target is met, nothing is learnt, and f is as wide as the prior far away.
@pytest.mark.parametrize("arguments", [{}, {"normalize_y": True}, {"kernel": "rbf(ell=1)"}, {"noise": 0.1}])
@pytest.mark.parametrize("mean", ["auto", "zero"])
def test_one_point(arguments, mean):
    one = GaussianProcessRegressor(**arguments, mean=mean).fit([[1.0]], [2.0])
    alpha = arguments.get("noise", 1e-10)
    theirs = Theirs(normalize_y="normalize_y" in arguments, alpha=alpha).fit([[1.0]], [2.0])
    at = [[1.0], [1.5], [1e6]]
    (mean_here, std), (mean_there, wide) = (m.predict(at, return_std=True) for m in (one, theirs))
    assert np.isfinite(std).all() and str(one.kernel_) == "rbf(ell=1)"
    if mean == "zero":
        np.testing.assert_allclose(mean_here, mean_there, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(std, wide, rtol=1e-6, atol=1e-5)
    else:  # the mean function is that of one target
        np.testing.assert_allclose(mean_here, 2, rtol=1e-9)
    assert one.sample_y([[1.0]]).shape == (1, 1)


def test_what_makes_no_sense_is_refused():
    with pytest.raises(ValueError, match="optimizer"):
        GaussianProcessRegressor(optimizer="adam").fit(X, y)
    with pytest.raises(ValueError, match="mean"):
        GaussianProcessRegressor(mean="cubic").fit(X, y)
    with pytest.raises(ValueError, match="n_restarts_optimizer"):
        GaussianProcessRegressor(n_restarts_optimizer=-1).fit(X, y)
    with pytest.raises(RuntimeError, match="At most one"):
        GaussianProcessRegressor("rbf(ell=1)").fit(X, y).predict(T, return_std=True, return_cov=True)
    with pytest.raises(NotFittedError):
        GaussianProcessRegressor().log_marginal_likelihood()
    with pytest.raises(ValueError, match="prior"):
        GaussianProcessRegressor(prior={"rbf.ell": "cauchy(1)"}).fit(X, y)
    with pytest.warns(UserWarning, match="positive definite|condition number"):
        GaussianProcessRegressor("rbf(ell=1)", alpha=0, optimizer=None).fit(np.linspace(0, 1, 40).reshape(-1, 1),
                                                                            np.linspace(0, 1, 40))


def test_pipelines_and_grids():
    pipe = make_pipeline(StandardScaler(), GaussianProcessRegressor("rbf(ell=fixed(1))", noise="fixed(0.05)"))
    assert cross_val_score(pipe, X, y, cv=3, n_jobs=2).mean() > 0.5
    search = GridSearchCV(GaussianProcessRegressor(mercer.rbf(ell=1.0), noise=0.05, optimizer=None),
                          {"kernel__ell": [0.01, 1.0]}, cv=3)
    assert search.fit(X, y).best_params_ == {"kernel__ell": 1.0}


@pytest.mark.parametrize("kernel", [RBF(0.6), 3.0 * RBF([0.5, 0.9]), 2.0 * Matern(0.8, nu=2.5)], ids=str)
def test_classes_as_in_scikit_learn(kernel):
    theirs = TheirClassifier(kernel, optimizer=None).fit(moons, side)
    ours = GaussianProcessClassifier(kernel, optimizer=None).fit(moons, side)
    assert ours.log_marginal_likelihood_value_ == pytest.approx(theirs.log_marginal_likelihood_value_, abs=1e-6)
    assert np.allclose(ours.predict_proba(T), theirs.predict_proba(T), atol=1e-3)  # theirs is a sum of five errfs
    assert (ours.predict(T) == theirs.predict(T)).all()
    theta = theirs.kernel_.theta + 0.2
    value, slope = theirs.log_marginal_likelihood(theta, eval_gradient=True)
    more = np.append(theta, 0.0) if "signal" in ours.theta_names_ else theta
    assert ours.log_marginal_likelihood(more) == pytest.approx(value, abs=1e-6)
    assert np.allclose(ours.log_marginal_likelihood(more, eval_gradient=True)[1][: len(theta)], slope, atol=1e-6)


def numbers(name):
    if name == "friedman":
        return datasets.make_friedman1(80, random_state=0)
    if name == "roll":
        return datasets.make_swiss_roll(80, random_state=0)
    A, b = getattr(datasets, f"load_{name}")(return_X_y=True)
    return StandardScaler().fit_transform(A[:120]), b[:120]


@pytest.mark.parametrize("name", ["diabetes", "linnerud", "friedman", "roll"])
def test_regressions_as_in_scikit_learn(name):
    A, b = numbers(name)
    k = 50.0 * RBF(2.0) + Matern(3.0, nu=1.5)
    theirs = Theirs(k, alpha=0.5, optimizer=None).fit(A[::2], b[::2])
    ours = GaussianProcessRegressor(k, alpha=0.5, optimizer=None, mean="zero").fit(A[::2], b[::2])
    mean, std = theirs.predict(A, return_std=True)
    assert np.allclose(ours.predict(A), mean, atol=1e-6 * np.abs(b).max())
    assert np.allclose(ours.predict(A, return_std=True)[1].T, std.T, atol=1e-6)


@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer", "circles", "blobs", "quantiles"])
def test_classifications_as_in_scikit_learn(name):
    made = {"circles": lambda: datasets.make_circles(90, noise=0.1, random_state=0),
            "blobs": lambda: datasets.make_blobs(90, centers=2, random_state=0),
            "quantiles": lambda: datasets.make_gaussian_quantiles(n_samples=90, n_classes=2, random_state=0)}
    A, b = made[name]() if name in made else getattr(datasets, f"load_{name}")(return_X_y=True)
    A, b = StandardScaler().fit_transform(A[b < 2][:160]), b[b < 2][:160]
    k = 4.0 * RBF(1.5)
    theirs = TheirClassifier(k, optimizer=None).fit(A[::2], b[::2])
    ours = GaussianProcessClassifier(k, optimizer=None).fit(A[::2], b[::2])
    assert (ours.predict(A) == theirs.predict(A)).all()
    assert np.allclose(ours.predict_proba(A), theirs.predict_proba(A), atol=1e-3)
    assert ours.log_marginal_likelihood_value_ == pytest.approx(theirs.log_marginal_likelihood_value_, abs=1e-6)


def test_learnt_evidence_of_classes_is_at_least_theirs():
    theirs = TheirClassifier(1.0 * RBF(1.0)).fit(moons, side)
    ours = GaussianProcessClassifier(1.0 * RBF(1.0)).fit(moons, side)
    assert ours.log_marginal_likelihood_value_ > theirs.log_marginal_likelihood_value_ - 1e-3


def test_several_classes_are_one_model_with_averaged_probabilities(tmp_path):
    iris, kind = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[kind]
    m = GaussianProcessClassifier("rbf(ell=2)", max_iter=20).fit(iris[::2], names[::2])
    p = m.predict_proba(iris)
    assert np.allclose(p.sum(axis=1), 1) and (m.classes_[p.argmax(axis=1)] == m.predict(iris)).all()
    assert m.score(iris, names) > 0.95 and m.signal_ > 0
    mean, std = m.latent(iris[:5])
    assert mean.shape == std.shape == (5, 3) and (std > 0).all()
    assert np.allclose(np.exp(m.predict_log_proba(iris)), p)
    m.save(tmp_path / "m.mercer")
    again = mercer.load(tmp_path / "m.mercer")
    assert (again.predict(iris) == m.predict(iris)).all() and np.allclose(again.predict_proba(iris), p)


def test_options_of_the_classifier():
    probit = GaussianProcessClassifier("rbf(ell=0.6)", link="probit", optimizer=None).fit(moons, side)
    assert probit.score(moons, side) > 0.85
    assert probit.log_marginal_likelihood(probit.theta_) == pytest.approx(probit.log_marginal_likelihood_value_)
    with pytest.raises(ValueError, match="link"):
        GaussianProcessClassifier(link="cloglog").fit(moons, side)
    k = mercer.rbf(ell=0.6)
    by_matrix = GaussianProcessClassifier("precomputed", optimizer=None).fit(k(moons), side)
    by_kernel = GaussianProcessClassifier(k, optimizer=None).fit(moons, side)
    assert (by_matrix.predict(k(moons)) == by_kernel.predict(moons)).all()
    with pytest.raises(ValueError, match="kernel"):
        by_matrix.latent(k(moons))
    with pytest.raises(ValueError):
        by_matrix.predict_proba(k(moons))


def test_of_several_ends_of_an_optimizer_the_best_is_kept():
    ends = iter([(np.log([2.0]), 5.0), (np.log([0.7]), -3.0), (np.log([4.0]), 1.0)])
    m = GaussianProcessRegressor(RBF(1.0), alpha=0.1, n_restarts_optimizer=2, random_state=0,
                                 optimizer=lambda objective, start, bounds: next(ends)).fit(X, y)
    assert m.kernel_.length_scale == pytest.approx(0.7)
