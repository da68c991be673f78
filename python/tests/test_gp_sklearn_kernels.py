"""Kernel objects of scikit-learn mean in Mercer's Gaussian processes what they mean in its own."""
import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessClassifier as TheirClassifier
from sklearn.gaussian_process import GaussianProcessRegressor as Theirs
from sklearn.gaussian_process.kernels import (RBF, CompoundKernel, ConstantKernel, DotProduct, ExpSineSquared, Matern,
                                              PairwiseKernel, RationalQuadratic, WhiteKernel)
from sklearn.model_selection import GridSearchCV

import mercer
from mercer import GaussianProcessClassifier, GaussianProcessRegressor
from mercer._sklearn_kernels import Translation, from_sklearn

rng = np.random.RandomState(0)
X = rng.uniform(0, 5, (60, 1))
y = np.sin(2 * X[:, 0]) + 0.4 * rng.randn(60)
T = np.linspace(0, 5, 200).reshape(-1, 1)
moons, side = make_moons(60, noise=0.2, random_state=0)


class Own(RBF):
    """A class that no text of the grammar knows."""


def test_the_noise_of_a_white_kernel_is_part_of_what_is_predicted():
    k = ConstantKernel(1.0) * RBF(1.0) + WhiteKernel(0.1)
    theirs, ours = Theirs(k).fit(X, y), GaussianProcessRegressor(k).fit(X, y)
    assert ours.log_marginal_likelihood_value_ == pytest.approx(theirs.log_marginal_likelihood_value_, abs=1e-4)
    assert np.allclose(ours.kernel_.theta, theirs.kernel_.theta, atol=1e-2)
    assert np.allclose(ours.predict(T, return_std=True), theirs.predict(T, return_std=True), atol=5e-3)
    assert np.allclose(ours.predict(T, return_cov=True)[1], theirs.predict(T, return_cov=True)[1], atol=5e-3)
    many = np.random.RandomState(1).uniform(0, 5, (2000, 1))
    seen = np.sin(2 * many[:, 0]) + 0.4 * np.random.RandomState(2).randn(2000)
    mean, std = ours.predict(many, return_std=True)
    assert 0.92 < np.mean(np.abs(seen - mean) < 1.96 * std) < 0.98
    assert np.allclose(ours.sample_y(T[:3], 20000).var(axis=1), ours.predict(T[:3], return_std=True)[1] ** 2, rtol=0.05)
    of_f = ours.predict(T, return_std=True, include_noise=False)[1]
    assert np.allclose(of_f**2 + ours.noise_, ours.predict(T, return_std=True)[1] ** 2)


def test_a_file_does_not_know_where_noise_came_from_and_says_so(tmp_path):
    ours = GaussianProcessRegressor(RBF(1.0) + WhiteKernel(0.1), optimizer=None).fit(X, y)
    with pytest.warns(UserWarning, match="include_noise"):
        ours.save(tmp_path / "m.mercer")
    again = mercer.load(tmp_path / "m.mercer")
    for include in (False, True):
        stds = [m.predict(T, return_std=True, include_noise=include)[1] for m in (ours, again)]
        assert np.allclose(*stds)


def test_alpha_is_no_part_of_what_is_predicted():
    for k in (RBF(1.0), RBF(1.0) + WhiteKernel(0.1)):
        options = dict(alpha=0.3, optimizer=None)
        theirs, ours = Theirs(k, **options).fit(X, y), GaussianProcessRegressor(k, **options).fit(X, y)
        assert np.allclose(ours.predict(T, return_std=True), theirs.predict(T, return_std=True), atol=1e-8)
        assert ours.log_marginal_likelihood() == pytest.approx(theirs.log_marginal_likelihood())


def test_nothing_is_learnt_beside_the_kernel():
    k = RBF(1.0)  # no signal, no mean, no noise but 1e-10
    few = X[:8]
    theirs, ours = Theirs(k).fit(few, np.sin(few[:, 0])), GaussianProcessRegressor(k).fit(few, np.sin(few[:, 0]))
    assert np.allclose(ours.kernel_.theta, theirs.kernel_.theta, atol=1e-2)
    assert ours.signal_ == 1 and np.allclose(ours.model_.bias, 0)
    assert np.allclose(ours.predict(T), theirs.predict(T), atol=1e-3)


def test_several_white_kernels_add_up():
    k = RBF(1.0) + WhiteKernel(0.1, (0.05, 0.2)) + WhiteKernel(0.3, (1e-3, 1.0)) + WhiteKernel(0.01, "fixed")
    theirs, ours = Theirs(k, optimizer=None).fit(X, y), GaussianProcessRegressor(k, optimizer=None).fit(X, y)
    assert np.allclose(ours.predict(T, return_std=True), theirs.predict(T, return_std=True), atol=1e-7)
    theta = theirs.kernel_.theta + [0.1, 0.2, -0.3]
    expected = theirs.log_marginal_likelihood(theta, eval_gradient=True)
    found = ours.log_marginal_likelihood(theta, eval_gradient=True)
    assert np.allclose(np.hstack(found), np.hstack(expected), atol=1e-6)
    learnt = GaussianProcessRegressor(k).fit(X, y)
    levels = [learnt.kernel_.k1.k1.k2, learnt.kernel_.k1.k2, learnt.kernel_.k2]
    assert sum(one.noise_level for one in levels) == pytest.approx(learnt.noise_)
    assert (learnt.kernel_.bounds[:, 0] <= learnt.kernel_.theta).all()
    assert (learnt.kernel_.theta <= learnt.kernel_.bounds[:, 1]).all()


@pytest.mark.parametrize("kernel", [
    RationalQuadratic(0.9, 1.7) + 0.5 * ExpSineSquared(1.3, 2.0), DotProduct(0.7) * RBF(1.0) + WhiteKernel(0.2),
    (ConstantKernel(0.3, "fixed") + Matern(0.8, nu=2.5)) * DotProduct(2.0) ** 2], ids=str)
def test_theta_is_in_their_order(kernel):
    theirs = Theirs(kernel, alpha=0.1, optimizer=None).fit(X, y)
    ours = GaussianProcessRegressor(kernel, alpha=0.1, optimizer=None).fit(X, y)
    theta = theirs.kernel_.theta + 0.1 * np.arange(len(theirs.kernel_.theta))
    value, slope = theirs.log_marginal_likelihood(theta, eval_gradient=True)
    found = ours.log_marginal_likelihood(theta, eval_gradient=True)
    assert found[0] == pytest.approx(value) and np.allclose(found[1], slope, atol=1e-6)
    assert len(ours.theta_names_) == len(theta) and np.allclose(ours.theta_, theirs.kernel_.theta)
    learnt = GaussianProcessRegressor(kernel, alpha=0.1).fit(X, y)
    best = learnt.log_marginal_likelihood(learnt.kernel_.theta)
    assert best == pytest.approx(learnt.log_marginal_likelihood_value_, rel=1e-8)
    assert best > ours.log_marginal_likelihood_value_


def test_kernels_that_mean_the_same():
    assert repr(from_sklearn(RBF(0.5, "fixed"))) == "rbf(ell=fixed(0.5))"
    assert Translation(RBF(1.0, (0.1, 10.0)) + WhiteKernel(0.2, "fixed")).noise == "fixed(0.2)"
    k = from_sklearn(ExpSineSquared(1.3, 2.0))
    assert np.allclose(k(T), ExpSineSquared(1.3, 2.0)(T))
    for kernel, why in ((RBF() + WhiteKernel(), "noise"), (PairwiseKernel(metric="sigmoid"), "PairwiseKernel"), (RBF() ** 1.5, "power"),
                        (RBF() * WhiteKernel(), "WhiteKernel"), (CompoundKernel([RBF()]), "CompoundKernel")):
        with pytest.raises(ValueError, match=why):
            from_sklearn(kernel)
    with pytest.raises(ValueError, match="several columns"):
        GaussianProcessRegressor(ExpSineSquared()).fit(moons, side)
    with pytest.raises(ValueError, match="given twice"):
        GaussianProcessRegressor(RBF() + WhiteKernel(), noise=0.1).fit(X, y)
    m = GaussianProcessRegressor(1.0 * RBF()).set_params(kernel__k2__length_scale=3.0)
    assert clone(m).kernel.k2.length_scale == 3.0


def test_kernels_of_both_kinds_add_and_multiply():
    ours, theirs = mercer.rbf(ell=2), RBF(0.5)
    expected = ours(X) + theirs(X)
    assert np.allclose((ours + theirs)(X), expected) and np.allclose((theirs + ours)(X), expected)
    assert np.allclose((ours * theirs)(X), ours(X) * theirs(X)) and np.allclose((theirs * ours)(X), ours(X) * theirs(X))
    assert isinstance(ours + theirs, mercer.Kernel)
    both = [GaussianProcessRegressor(k, noise=0.1, optimizer=None) for k in (ours + theirs, theirs + ours)]
    assert np.allclose(both[0].fit(X, y).predict(T), both[1].fit(X, y).predict(T))
    assert "rbf(ell=2)" in repr(both[1]) and clone(both[1]).fit(X, y).kernel_ == both[1].kernel_
    search = GridSearchCV(both[1], {"kernel__rbf2.ell": [1.0, 2.0]}, cv=2).fit(X, y)
    assert isinstance(search.best_estimator_.kernel, mercer.Kernel)
    with pytest.raises(ValueError, match="noise"):
        ours + WhiteKernel()


# ---- bounds ----


def test_a_start_outside_its_bounds_is_moved_and_said():
    k = ConstantKernel(1.0) * RBF(0.01, (0.3, 10.0)) + WhiteKernel(0.1)
    with pytest.warns(UserWarning, match="length_scale=0.01 .* outside its bounds"):
        m = GaussianProcessRegressor(k).fit(X, y)
    inside = GaussianProcessRegressor(clone(k).set_params(k1__k2__length_scale=0.3)).fit(X, y)
    assert np.allclose(m.kernel_.theta, inside.kernel_.theta, atol=1e-3)
    assert GaussianProcessRegressor(k, optimizer=None).fit(X, y).kernel_.k1.k2.length_scale == 0.01


@pytest.mark.parametrize("estimator, inputs, targets", [(GaussianProcessRegressor, X, np.sin(X[:, 0])),
                                                        (GaussianProcessClassifier, moons, side)])
def test_a_bound_that_is_reached_is_a_warning(estimator, inputs, targets):
    with pytest.warns(ConvergenceWarning, match="length_scale is close to the specified upper bound 0.2"):
        estimator(RBF(0.1, (1e-3, 0.2))).fit(inputs, targets)
    with pytest.warns(ConvergenceWarning, match="rbf.ell = 0.2 has ended at its upper bound"):
        m = estimator("rbf(ell=0.1 in [0.001, 0.2])").fit(inputs, targets)
    at_the_bound = m.log_marginal_likelihood(m.theta_)
    assert at_the_bound == pytest.approx(m.log_marginal_likelihood_value_)
    assert m.log_marginal_likelihood(m.kernel_.theta) == at_the_bound
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        estimator("rbf(ell=1)").fit(inputs, targets)


def test_a_bound_whose_logarithm_has_lost_a_digit():
    for bound in (0.1, 1 / 3, 1e-5, 7.3, 123.456, 1e5):  # of some exp(log(b)) is not b
        k = mercer.rbf(ell=mercer.bounded(bound, bound, 2 * bound))
        assert k.clone_with_theta(k.theta) == k
        k = mercer.rbf(ell=mercer.bounded(bound, bound / 2, bound))
        assert k.clone_with_theta(k.bounds[:, 1]) == k
    with pytest.raises(ValueError, match="1 numbers"):
        k.clone_with_theta([1, 2])
    with pytest.raises(ValueError, match="auto"):
        mercer.rbf(ell="auto").theta


# ---- before the fit ----


def test_predictions_before_the_fit_are_those_of_the_prior():
    for k in (2.0 * RBF(0.7) + WhiteKernel(0.3), RBF(1.2)):
        theirs, ours = Theirs(k), GaussianProcessRegressor(k)
        for what in ("return_std", "return_cov"):
            assert np.allclose(ours.predict(T, **{what: True})[1], theirs.predict(T, **{what: True})[1])
        assert (ours.predict(T) == 0).all()
        assert np.allclose(ours.predict(T, return_std=True, include_noise=False)[1] ** 2, k(T, T).diagonal())
        assert np.allclose(ours.sample_y(T[:4], 20000).var(axis=1), k.diag(T[:4]), rtol=0.05)
    of_text = GaussianProcessRegressor("2*rbf(ell=0.7)", signal=3.0, noise=0.5)
    assert np.allclose(of_text.predict(T, return_cov=True)[1], 6 * RBF(0.7)(T))
    assert np.allclose(of_text.predict(T, return_std=True, include_noise=True)[1], np.sqrt(6.5))
    assert np.allclose(GaussianProcessRegressor().predict(T, return_cov=True)[1], RBF(1.0)(T))  # auto is 1
    many = np.zeros((100000, 1))  # of which a matrix would not fit into memory
    assert GaussianProcessRegressor(RBF(1.2)).predict(many, return_std=True)[1].shape == (100000,)
    three = GaussianProcessRegressor(n_targets=3)
    assert three.predict(T).shape == (200, 3) and three.predict(T, return_cov=True)[1].shape == (200, 200, 3)
    assert three.sample_y(T[:5], 2).shape == (5, 3, 2)
    with pytest.raises(ValueError, match="number of targets"):
        three.fit(X, y)


# ---- an optimizer of one's own ----


def coarse(objective, theta, bounds):
    """The best of some places around the start."""
    random = np.random.RandomState(0)
    places = [theta] + [np.clip(theta + random.randn(len(theta)), *bounds.T) for _ in range(30)]
    values = [objective(place, eval_gradient=False) for place in places]
    value, slope = objective(places[0])
    assert np.allclose(value, values[0]) and slope.shape == theta.shape
    return places[int(np.argmin(values))], np.min(values)


@pytest.mark.parametrize("kernel", [1.0 * RBF(2.0) + WhiteKernel(0.5), Own(2.0) + WhiteKernel(0.5), "2*rbf(ell=2)",
                                    None], ids=str)
def test_a_function_may_learn_numbers(kernel):
    fixed = dict(optimizer=None, **({} if kernel is not None and not isinstance(kernel, str) else {"noise": 0.1}))
    before = GaussianProcessRegressor(kernel, **fixed).fit(X, y)
    m = GaussianProcessRegressor(kernel, optimizer=coarse, n_restarts_optimizer=0).fit(X, y)
    assert m.log_marginal_likelihood_value_ > before.log_marginal_likelihood_value_
    assert m.log_marginal_likelihood(m.theta_) == pytest.approx(m.log_marginal_likelihood_value_)
    assert np.isfinite(m.predict(T, return_std=True)).all()
    with pytest.raises(ValueError, match="bounds are finite"):
        GaussianProcessRegressor("rbf(ell=1)", optimizer=coarse, n_restarts_optimizer=2).fit(X, y)


@pytest.mark.parametrize("kernel", [1.0 * RBF(2.0), Own(2.0), "2*rbf(ell=2)", None], ids=str)
def test_a_function_may_learn_classes(kernel):
    before = GaussianProcessClassifier(kernel, optimizer=None).fit(moons, side)
    m = GaussianProcessClassifier(kernel, optimizer=coarse).fit(moons, side)
    assert m.log_marginal_likelihood_value_ > before.log_marginal_likelihood_value_
    assert m.log_marginal_likelihood(m.theta_) == pytest.approx(m.log_marginal_likelihood_value_)


# ---- classes of the user's own ----


@pytest.mark.parametrize("nu", [0.8, 2.0])
def test_matern_of_any_smoothness(nu):
    k = Matern(0.8, nu=nu) + WhiteKernel(0.1)
    for options in ({"optimizer": None}, {}):
        theirs, ours = (one(k, **options).fit(X, y) for one in (Theirs, GaussianProcessRegressor))
        assert np.allclose(ours.kernel_.theta, theirs.kernel_.theta, atol=1e-2)
        atol = 5e-3 if options == {} else 1e-6
        assert np.allclose(ours.predict(T, return_std=True), theirs.predict(T, return_std=True), atol=atol)
    theirs, ours = (one(Matern(0.6, nu=nu), optimizer=None).fit(moons, side) for one in (TheirClassifier,
                                                                                         GaussianProcessClassifier))
    assert np.allclose(ours.predict_proba(moons), theirs.predict_proba(moons), atol=1e-3)


def test_several_targets_share_the_kernel():
    k, Y = 1.0 * RBF(1.0) + WhiteKernel(0.1), np.column_stack([y, X[:, 0] ** 2, np.cos(X[:, 0])])
    theirs, ours = Theirs(k).fit(X, Y), GaussianProcessRegressor(k).fit(X, Y)
    assert np.allclose(ours.kernel_.theta, theirs.kernel_.theta, atol=0.05)
    assert ours.log_marginal_likelihood_value_ == pytest.approx(theirs.log_marginal_likelihood_value_, abs=1e-3)
    theta = theirs.kernel_.theta + 0.1
    for found, expected in zip(*(m.log_marginal_likelihood(theta, eval_gradient=True) for m in (ours, theirs))):
        assert np.allclose(found, expected)
    assert np.allclose(ours.predict(T, return_std=True), theirs.predict(T, return_std=True), atol=0.02)


def test_a_kernel_that_is_noise_or_a_constant_alone():
    for k in (WhiteKernel(0.5), ConstantKernel(2.0), ConstantKernel(2.0) + WhiteKernel(0.3)):
        theirs = Theirs(k, alpha=0.1, optimizer=None).fit(X, y)
        ours = GaussianProcessRegressor(k, alpha=0.1, optimizer=None).fit(X.tolist(), y)
        assert np.allclose(ours.predict(T, return_std=True), theirs.predict(T, return_std=True))


def test_a_kernel_of_an_unknown_class_gives_the_numbers_of_the_known_one():
    for own, known in ((Own(0.7), RBF(0.7)), (2.0 * Own(0.7) * WhiteKernel(0.5) + RBF(1.0), None)):
        theirs = Theirs(known or own, alpha=0.05).fit(X, y)
        ours = GaussianProcessRegressor(own, alpha=0.05).fit(X, y)
        assert np.allclose(ours.kernel_.theta, theirs.kernel_.theta, atol=1e-3)
        assert np.allclose(ours.predict(T, return_std=True), theirs.predict(T, return_std=True), atol=1e-3)
        assert np.allclose(ours.predict(T, return_cov=True)[1], theirs.predict(T, return_cov=True)[1], atol=1e-3)
        theta = theirs.kernel_.theta + 0.1
        for one in (0, 1):
            found, expected = (m.log_marginal_likelihood(theta, eval_gradient=True)[one] for m in (ours, theirs))
            assert np.allclose(found, expected)
        assert ours.sample_y(T, 3).shape == (200, 3)
    Y = np.column_stack([y, 3 * y + 1])
    options = dict(alpha=0.05, normalize_y=True, optimizer=None)
    theirs, ours = Theirs(RBF(0.7), **options).fit(X, Y), GaussianProcessRegressor(Own(0.7), **options).fit(X, Y)
    assert np.allclose(ours.predict(T, return_std=True), theirs.predict(T, return_std=True))
    assert np.allclose(ours.predict(T, return_cov=True)[1], theirs.predict(T, return_cov=True)[1])
    weights = np.arange(60) % 3  # 0: not there
    ours = GaussianProcessRegressor(Own(0.7), alpha=0.05, optimizer=None).fit(X, y, weights)
    theirs = Theirs(RBF(0.7), alpha=0.05 / weights[weights > 0], optimizer=None).fit(X[weights > 0], y[weights > 0])
    assert np.allclose(ours.predict(T, return_std=True), theirs.predict(T, return_std=True))
    with pytest.raises(ValueError, match="neither noise, signal nor mean"):
        GaussianProcessRegressor(Own(), mean="linear").fit(X, y)
    again = pickle.loads(pickle.dumps(ours))
    assert np.array_equal(again.predict(T, return_std=True), ours.predict(T, return_std=True))


def test_classes_with_a_kernel_of_an_unknown_class():
    k = ConstantKernel(2.0) * Own(0.6)
    theirs = TheirClassifier(k).fit(moons, side)
    ours = GaussianProcessClassifier(k).fit(moons, side)
    known = GaussianProcessClassifier(ConstantKernel(2.0) * RBF(0.6)).fit(moons, side)
    assert np.allclose(ours.kernel_.theta, theirs.kernel_.theta, atol=1e-2)
    assert np.allclose(ours.predict_proba(moons), known.predict_proba(moons), atol=1e-4)
    assert np.allclose(ours.latent(moons), known.latent(moons), atol=1e-2)
    theta = theirs.kernel_.theta + 0.2
    value, slope = theirs.log_marginal_likelihood(theta, eval_gradient=True)
    found = ours.log_marginal_likelihood(theta, eval_gradient=True)
    assert found[0] == pytest.approx(value, abs=1e-6) and np.allclose(found[1], slope, atol=1e-5)
    white = RBF(0.6) + WhiteKernel(0.1)
    theirs, ours = (one(white, optimizer=None).fit(moons, side) for one in (TheirClassifier, GaussianProcessClassifier))
    assert np.allclose(ours.predict_proba(moons), theirs.predict_proba(moons), atol=1e-3)
    with pytest.raises(ValueError, match="two classes"):
        GaussianProcessClassifier(white).fit(moons, np.arange(60) % 3)


# ---- arguments ----


def test_arguments_of_their_classifier():
    m = GaussianProcessClassifier(RBF(0.6), optimizer=None)
    expected = m.fit(moons, side).predict_proba(moons)
    for options in ({"n_jobs": 2}, {"n_jobs": -1}, {"warm_start": True}, {"multi_class": "one_vs_rest"}):
        assert np.allclose(clone(m).set_params(**options).fit(moons, side).predict_proba(moons), expected)
    with pytest.warns(ConvergenceWarning, match="Newton"):
        clone(m).set_params(max_iter_predict=1, kernel=100.0 * RBF(0.6)).fit(moons, side)
    with pytest.raises(ValueError, match="OneVsRestClassifier"):
        clone(m).set_params(multi_class="one_vs_one").fit(moons, np.arange(60) % 3)
    mean, variance = m.latent_mean_and_variance(moons)
    assert np.allclose(mean, m.latent(moons)[0]) and np.allclose(np.sqrt(variance), m.latent(moons)[1])
    with pytest.raises(ValueError, match="binary"):
        clone(m).fit(moons, np.arange(60) % 3).latent_mean_and_variance(moons)


def test_the_kernel_may_be_moved_by_the_likelihood():
    for m in (GaussianProcessRegressor(RBF(0.6), alpha=0.1).fit(X, y),
              GaussianProcessClassifier(RBF(0.6)).fit(moons, side)):
        before = m.predict(m.X_train_)
        m.log_marginal_likelihood([0.25], clone_kernel=False)
        assert np.allclose(m.kernel_.theta, [0.25]) and np.array_equal(m.predict(m.X_train_), before)
        m.log_marginal_likelihood([0.5])
        assert np.allclose(m.kernel_.theta, [0.25])
    with pytest.raises(ValueError, match="clone_kernel"):
        GaussianProcessRegressor("rbf(ell=1)").fit(X, y).log_marginal_likelihood([0.1, 0.2, 0.3], clone_kernel=False)


def test_one_column_of_targets_is_predicted_as_in_scikit_learn():
    k, column = RBF(1.0) + WhiteKernel(0.1), y.reshape(-1, 1)
    theirs, ours = (one(k, normalize_y=True).fit(X, column) for one in (Theirs, GaussianProcessRegressor))
    for what in ({}, {"return_std": True}, {"return_cov": True}):
        shapes = [np.shape(m.predict(T, **what)[1 if what else slice(None)]) for m in (theirs, ours)]
        assert shapes[0] == shapes[1]
    assert ours.sample_y(T, 4).shape == theirs.sample_y(T, 4).shape == (200, 4)
    assert ours.condition(T[:3], np.zeros((3, 1))).predict(T).shape == (200,)
