"""Targets and inputs without spread, as a fold of a search may have them."""
import warnings

import numpy as np
import pytest
from sklearn.base import OutlierMixin, is_classifier
from sklearn.model_selection import GridSearchCV, KFold

import mercer
from mercer._base import all_estimators

rng = np.random.RandomState(0)
X, T = rng.randn(20, 2), rng.randn(5, 2)
same = np.full((20, 2), 3.0)
y = X[:, 0] + 0.1 * rng.randn(20)
side = np.arange(20) % 2
# Directions, groups and correlations of points that are all the same do not exist.
NEED_SPREAD = [one for one in all_estimators() if (hasattr(one, "transform") and one is not mercer.Nystroem)
               or (hasattr(one, "fit_predict") and not issubclass(one, OutlierMixin))
               or one is mercer.NuSVC]  # no nu is feasible where both classes are in one place
AUTO = [one for one in all_estimators() if "kernel" in one._get_param_names()]


@pytest.mark.parametrize("estimator", [mercer.GaussianProcessRegressor, mercer.RVR])
@pytest.mark.parametrize("level", [4.5, 0.1, 0.0])
def test_a_constant_target_is_predicted_and_said(estimator, level):
    with pytest.warns(UserWarning, match="the target is constant"):
        m = estimator().fit(X, np.full(20, level))
    mean, std = m.predict(T, return_std=True)
    assert np.allclose(mean, level) and np.isfinite(std).all()


def test_one_constant_target_of_several():
    with pytest.warns(UserWarning, match="constant in 1 of 2 columns"):
        m = mercer.GaussianProcessRegressor("rbf(ell=1)").fit(X, np.column_stack([y, np.full(20, 7.0)]))
    assert np.allclose(m.predict(T)[:, 1], 7)
    alone = mercer.GaussianProcessRegressor("rbf(ell=1)").fit(X, y)
    assert np.allclose(m.predict(T)[:, 0], alone.predict(T), atol=1e-5)


@pytest.mark.parametrize("estimator", AUTO, ids=lambda one: one.__name__)
def test_constant_inputs_have_no_scale_and_need_none(estimator):
    m = estimator(kernel="rbf(ell=auto)")
    if estimator in NEED_SPREAD:
        with warnings.catch_warnings(), pytest.raises(ValueError, match="the same|apart|varies|no spread|overlap"):
            warnings.simplefilter("ignore")
            m.fit(same, side if is_classifier(m) else y)
        return
    if estimator is mercer.Nystroem:  # features of equal points are equal
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            features = m.fit_transform(same)
        assert np.isfinite(features).all() and np.allclose(features, features[0])
        return
    with pytest.warns(UserWarning, match="all inputs are equal"):
        m.fit(same, side if is_classifier(m) else y)
    answers = m.predict(same[:3]) if hasattr(m, "predict") else m.score_samples(same[:3])
    assert len(set(answers.tolist())) == 1 and np.isfinite(answers).all()


def test_a_fold_without_spread_does_not_break_a_search():
    inputs, targets = np.vstack([same[:10], X[:10]]), np.hstack([np.ones(10), y[:10]])
    for estimator in (mercer.GaussianProcessRegressor("rbf(ell=auto)"), mercer.RVR(), mercer.NadarayaWatson()):
        name = "tol" if hasattr(estimator, "tol") else "kernel"
        grid = {"tol": [1e-4, 1e-3]} if name == "tol" else {"kernel": ["rbf(ell=auto)", "rbf(ell=1)"]}
        search = GridSearchCV(estimator, grid, cv=KFold(2), error_score="raise", scoring="neg_mean_squared_error")
        with pytest.warns(UserWarning, match="all inputs are equal"):
            search.fit(inputs, targets)
        assert np.isfinite(search.cv_results_["mean_test_score"]).all()
