"""What programs written for scikit-learn do, with the imports changed."""
import inspect
import warnings

import numpy as np
import pandas
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.feature_selection import RFE
from sklearn.gaussian_process import GaussianProcessClassifier as TheirClassifier
from sklearn.gaussian_process import GaussianProcessRegressor as Theirs
from sklearn.gaussian_process.kernels import (RBF, ConstantKernel, DotProduct, ExpSineSquared, PairwiseKernel,
                                              RationalQuadratic, WhiteKernel)
from sklearn.kernel_ridge import KernelRidge as TheirRidge
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC as TheirSVC
from sklearn.svm import OneClassSVM as TheirOneClass

import mercer
from mercer import GaussianProcessClassifier, GaussianProcessRegressor, KernelRidge, OneClassSVM, SVC
from mercer._base import all_estimators

rng = np.random.RandomState(0)
X = rng.normal(size=(40, 3))
T = rng.normal(size=(9, 3))
y = X[:, 0] + np.sin(X[:, 1]) + 0.1 * rng.normal(size=40)
side = (y > 0).astype(int)
WITH_KERNEL = [cls for cls in all_estimators() if "kernel" in inspect.signature(cls).parameters]


class Doubled(RBF):
    """A class of the user's own, which no text of the grammar means."""

    def __call__(self, X, Y=None, eval_gradient=False):
        assert not eval_gradient
        return 2 * super().__call__(X, Y)

    def diag(self, X):
        return 2 * super().diag(X)


# ---- kernel objects ----


@pytest.mark.parametrize("cls", WITH_KERNEL, ids=lambda cls: cls.__name__)
def test_numbers_of_a_kernel_object_are_parameters(cls):
    machine = clone(cls(kernel=1.0 * RBF(2.0))).set_params(kernel__k2__length_scale=3.0)
    assert machine.get_params()["kernel__k2__length_scale"] == 3.0
    assert machine.kernel == 1.0 * RBF(3.0)
    machine.set_params(kernel=RBF(1.0), kernel__length_scale=4.0)
    assert machine.kernel == RBF(4.0)
    if "n_components" in inspect.signature(cls).parameters:
        machine.set_params(n_components=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of convergence, and of a process at its bounds
        machine.fit(X, side)
    assert isinstance(machine.kernel_, RBF) or repr(machine.kernel_).startswith("rbf(ell=")


@pytest.mark.parametrize("kernel", [RBF(1.5), RBF([1.0, 2.0, 3.0]), RationalQuadratic(1.2, 0.7),
                                    0.5 * DotProduct(0.3) + RBF(2.0), Doubled(1.5)], ids=str)
def test_machines_take_kernel_objects(kernel):
    ridge = KernelRidge(kernel=kernel, alpha=0.3).fit(X, y)
    np.testing.assert_allclose(ridge.predict(T), TheirRidge(kernel=kernel, alpha=0.3).fit(X, y).predict(T), rtol=1e-9)
    svc = SVC(kernel=kernel, tol=1e-9).fit(X, side)
    theirs = TheirSVC(kernel=kernel, tol=1e-9).fit(X, side)
    np.testing.assert_allclose(svc.decision_function(T), theirs.decision_function(T), atol=1e-6)
    assert (svc.kernel_ is None) == isinstance(kernel, Doubled)  # others have a text, and a proof


def test_a_search_over_the_numbers_of_a_kernel_object():
    search = GridSearchCV(KernelRidge(kernel=ExpSineSquared(1.0, 1.0)), {"kernel__periodicity": [1.0, 2 * np.pi]}, cv=3)
    t = rng.uniform(0, 20, size=(60, 1))
    assert search.fit(t, np.sin(t[:, 0])).best_params_["kernel__periodicity"] == 2 * np.pi


def test_noise_is_no_kernel_for_other_machines():
    for cls in (SVC, KernelRidge):
        with pytest.raises(ValueError, match="WhiteKernel is noise"):
            cls(kernel=RBF() + WhiteKernel()).fit(X, side)


def test_one_length_in_a_list_is_that_of_all_columns():
    ours, theirs = (cls(1.0 * RBF([1.0]), optimizer=None).fit(X, side)
                    for cls in (GaussianProcessClassifier, TheirClassifier))
    # Theirs integrates by an approximation that is good to about 1e-3.
    np.testing.assert_allclose(ours.predict_proba(T), theirs.predict_proba(T), atol=2e-3)
    learnt = GaussianProcessRegressor(1.0 * RBF([1.0]) + WhiteKernel()).fit(X, y)
    reference = Theirs(1.0 * RBF([1.0]) + WhiteKernel()).fit(X, y)
    assert learnt.log_marginal_likelihood_value_ >= reference.log_marginal_likelihood_value_ - 1e-4
    assert np.ndim(learnt.kernel_.k1.k2.length_scale) == np.ndim(reference.kernel_.k1.k2.length_scale)


@pytest.mark.parametrize("metric", ["rbf", "laplacian", "linear", "cosine", "poly", "chi2"])
def test_pairwise_kernels(metric):
    inputs, kernel = abs(X), PairwiseKernel(gamma=0.4, metric=metric) + WhiteKernel(0.2)
    theirs = Theirs(kernel, optimizer=None).fit(inputs, y)
    ours = GaussianProcessRegressor(kernel, optimizer=None).fit(inputs, y)
    for have, want in zip(ours.predict(abs(T), return_std=True), theirs.predict(abs(T), return_std=True)):
        np.testing.assert_allclose(have, want, rtol=1e-8)
    theta = theirs.kernel_.theta + [0.3, -0.2]
    value, slope = theirs.log_marginal_likelihood(theta, eval_gradient=True)
    found = ours.log_marginal_likelihood(theta, eval_gradient=True)
    assert found[0] == pytest.approx(value)
    np.testing.assert_allclose(found[1], slope, rtol=1e-4, atol=1e-6)  # theirs is by differences
    learnt = GaussianProcessRegressor(kernel).fit(inputs, y)
    assert learnt.log_marginal_likelihood_value_ >= Theirs(kernel).fit(inputs, y).log_marginal_likelihood_value_ - 1e-4
    there = learnt.log_marginal_likelihood(learnt.kernel_.theta)  # kernel_ has what was learnt
    assert there == pytest.approx(learnt.log_marginal_likelihood_value_, rel=1e-8)


@pytest.mark.parametrize("metric", ["sigmoid", "additive_chi2"])
def test_pairwise_kernels_that_are_none(metric):
    with pytest.raises(ValueError, match=f"metric='{metric}' need not be positive semi-definite"):
        GaussianProcessRegressor(PairwiseKernel(metric=metric)).fit(abs(X), y)


def test_a_function_in_a_sum_is_told_what_to_do():
    def function(A, B):
        return A @ B.T

    for make in (lambda: mercer.linear() + function, lambda: function + mercer.linear(), lambda: function * mercer.linear()):
        with pytest.raises(TypeError, match="nothing proves it"):
            make()
    whole = SVC(kernel=lambda A, B: mercer.rbf(ell=1)(A, B) + function(A, B)).fit(X, side)
    proved = SVC(kernel="rbf(ell=1) + linear()").fit(X, side)
    np.testing.assert_allclose(whole.decision_function(T), proved.decision_function(T), atol=1e-3)


def test_an_unknown_kernel_is_named_whatever_the_inputs():
    table = pandas.DataFrame({"word": ["ab", "ba", "xy", "yx"] * 3, "size": range(12)})
    for cls in (SVC, KernelRidge, mercer.KernelKNN, mercer.KernelPCA, GaussianProcessRegressor):
        with pytest.raises(ValueError, match='no kernel or rule is called "spektrum"'):
            cls(kernel="on(word, spektrum(k=2))").fit(table, [0, 1] * 6)
        with pytest.raises(ValueError, match='no kernel or rule is called "spektrum"'):
            cls(kernel="spektrum").fit(table, [0, 1] * 6)


# ---- Gaussian processes ----


@pytest.mark.parametrize("kernel", [RBF(1.0), 2.0 * RBF(1.0), ConstantKernel(2.0, "fixed") * RBF(1.0, "fixed"),
                                    1.0 * RBF(1.0) + WhiteKernel()], ids=str)
@pytest.mark.parametrize("target", [[1.5], [[1.5, 2.0]]])
def test_a_process_of_one_point(kernel, target):
    ours, theirs = (cls(kernel).fit([[0.0]], target) for cls in (GaussianProcessRegressor, Theirs))
    np.testing.assert_allclose(ours.kernel_.theta, theirs.kernel_.theta, atol=1e-4)
    for have, want in zip(ours.predict([[0.3]], return_std=True), theirs.predict([[0.3]], return_std=True)):
        np.testing.assert_allclose(have, want, rtol=1e-4)


@pytest.mark.parametrize("kernel", [1.0 * RBF(1.0) + WhiteKernel(0.1), Doubled(1.0) + WhiteKernel(0.1)], ids=str)
@pytest.mark.parametrize("normalize_y", [False, True])
@pytest.mark.parametrize("targets", [y, np.column_stack([y, 3 + y**2])], ids=["one", "two"])
def test_the_factor_and_the_coefficients_are_scikit_learns(kernel, normalize_y, targets):
    ours, theirs = (cls(kernel, optimizer=None, normalize_y=normalize_y).fit(X, targets)
                    for cls in (GaussianProcessRegressor, Theirs))
    np.testing.assert_allclose(ours.L_, theirs.L_, atol=1e-12)
    assert ours.alpha_.shape == theirs.alpha_.shape
    np.testing.assert_allclose(ours.alpha_, theirs.alpha_, rtol=1e-9, atol=1e-9)


def test_the_factor_and_the_coefficients_of_a_mercer_kernel():
    weights = rng.uniform(0.5, 2, size=40)
    weights[3] = 0
    model = GaussianProcessRegressor("rbf(ell=1)", noise="fixed(0.1)", mean="zero", alpha=np.full(40, 0.05),
                                     optimizer=None).fit(X, y, sample_weight=weights)
    counted = np.flatnonzero(weights)
    covariance = (model.signal_ * mercer.rbf(ell=1)(X) + np.diag(0.1 / np.where(weights > 0, weights, 1) + 0.05))[np.ix_(counted, counted)]
    np.testing.assert_allclose(model.L_ @ model.L_.T, covariance, atol=1e-12)
    np.testing.assert_allclose(model.alpha_[counted], np.linalg.solve(covariance, y[counted]), rtol=1e-8)
    assert model.alpha_[3] == 0


def test_known_variances_are_not_weighted_whatever_the_kernel():
    weights, known = rng.uniform(0.5, 2, size=40), rng.uniform(0.1, 0.3, size=40)
    by_text, by_matrices = (GaussianProcessRegressor(kernel, alpha=known, mean="zero", optimizer=None)
                            .fit(X, y, sample_weight=weights) for kernel in (2 * RBF(1.0), Doubled(1.0)))
    for have, want in zip(by_matrices.predict(T, return_std=True), by_text.predict(T, return_std=True)):
        np.testing.assert_allclose(have, want, rtol=1e-9)


@pytest.mark.parametrize("kernel", [None, "rbf(ell=1)", "2*rbf(ell=1) + 1"])
def test_without_an_optimizer_nothing_is_learnt(kernel):
    """The noise is then what it is in scikit-learn."""
    model = GaussianProcessRegressor(kernel, optimizer=None).fit(X, y)
    assert model.noise_ == 1e-10 and model.signal_ == 1
    np.testing.assert_allclose(model.predict(X), y, atol=1e-6)
    if kernel is None:
        assert model.kernel_.theta.size == 0
    else:
        assert model.kernel_ == mercer.parse(kernel)
    assert GaussianProcessRegressor(kernel, optimizer=None, noise=0.3).fit(X, y).noise_ == 0.3
    assert GaussianProcessRegressor(kernel, optimizer=None, alpha=0.2).fit(X, y).noise_ == 0.2
    assert GaussianProcessClassifier(kernel, optimizer=None).fit(X, side).signal_ == 1


def test_a_matrix_that_is_not_positive_definite_is_told_in_their_words():
    with pytest.raises(np.linalg.LinAlgError, match="increasing the 'alpha' parameter"):
        GaussianProcessRegressor(DotProduct(), alpha=0.0).fit(np.arange(12).reshape(6, -1), np.ones(6))


def test_classifiers_have_their_attributes():
    inputs, kinds = load_iris(return_X_y=True)
    model = GaussianProcessClassifier(1.0 * RBF(1.0), optimizer=None).fit(inputs[::5], kinds[::5])
    assert model.n_classes_ == 3
    assert model.base_estimator_.kernel_ == model.kernel_
    with pytest.raises(AttributeError):
        GaussianProcessClassifier().n_classes_


# ---- support vectors ----


@pytest.mark.parametrize("kernel", [mercer.linear(), "linear()", 2 * mercer.linear(), mercer.fixed(2) * mercer.linear(),
                                    mercer.bounded(2, 1, 3) * mercer.linear()], ids=str)
def test_linear_kernels_have_coefficients(kernel):
    factor = mercer.SVC(kernel=kernel).fit(X, side).kernel_([[1.0]])[0, 0]
    model = SVC(kernel=kernel, C=1 / factor, tol=1e-9).fit(X, side)
    np.testing.assert_allclose(model.coef_ @ T.T + model.intercept_, [model.decision_function(T)], atol=1e-10)
    np.testing.assert_allclose(model.coef_, TheirSVC(kernel="linear", tol=1e-9).fit(X, side).coef_, atol=1e-6)


def test_features_are_eliminated():
    inputs = np.column_stack([rng.normal(size=(60, 3)), np.zeros(60)])
    kinds = (inputs[:, 0] - 2 * inputs[:, 2] > 0).astype(int)
    for kernel in ("linear", mercer.linear()):
        assert RFE(SVC(kernel=kernel), n_features_to_select=2).fit(inputs, kinds).support_.tolist() == [True, False, True, False]


def test_other_kernels_have_no_coefficients(tmp_path):
    for kernel in ("rbf", mercer.linear() + 1, mercer.linear() * mercer.linear(), "poly", lambda A, B: A @ B.T):
        assert not hasattr(SVC(kernel=kernel).fit(X, side), "coef_")
    assert not hasattr(SVC(kernel="linear"), "coef_")  # before the fit


def test_the_offset_of_one_class_has_their_shape():
    ours, theirs = (cls(gamma=0.3, tol=1e-8).fit(X) for cls in (OneClassSVM, TheirOneClass))
    assert ours.offset_.shape == theirs.offset_.shape == (1,)
    np.testing.assert_allclose(ours.offset_, theirs.offset_, atol=1e-5)
    np.testing.assert_allclose(ours.score_samples(T) - ours.offset_, ours.decision_function(T), atol=1e-12)


@pytest.mark.parametrize("cls", [SVC, mercer.NuSVC])
def test_probability_may_say_that_it_is_deprecated_there(cls):
    model = clone(cls(probability="deprecated")).fit(X, side)
    assert not hasattr(model, "predict_proba")
    np.testing.assert_array_equal(model.predict(T), cls(probability=False).fit(X, side).predict(T))
    with pytest.raises(ValueError, match="probability is 'yes'"):
        cls(probability="yes").fit(X, side)


# ---- texts ----


def test_bounded_is_a_word_of_texts_too():
    by_text = mercer.parse("rbf(ell=bounded(0.3, 0.01, 10)) + bounded(2, 1, 4)*linear()")
    assert by_text == mercer.rbf(ell=mercer.bounded(0.3, 0.01, 10)) + mercer.bounded(2, 1, 4) * mercer.linear()
    assert mercer.rbf(ell="bounded(0.3, 0.01, 10)") == mercer.rbf(ell=mercer.bounded(0.3, 0.01, 10))
    noisy = GaussianProcessRegressor("rbf(ell=1)", noise="bounded(0.5, 0.4, 0.6)").fit(X, y)
    assert 0.4 <= noisy.noise_ <= 0.6
