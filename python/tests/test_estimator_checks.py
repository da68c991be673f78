"""scikit-learn's own checks, on every estimator of the package."""
import inspect
import re
import warnings

import pytest
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks

import mercer
from mercer._base import all_estimators

ESTIMATORS = all_estimators()
NAMES = [estimator.__name__ for estimator in ESTIMATORS]


def test_all_estimators_of_the_package_are_checked():
    public = [getattr(mercer, name) for name in mercer.__all__]
    assert {one for one in public if inspect.isclass(one) and hasattr(one, "fit")} == set(ESTIMATORS)
    assert {"SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM"} <= set(NAMES)


if "expected_failed_checks" in inspect.signature(check_estimator).parameters:  # since scikit-learn 1.6
    checks = parametrize_with_checks([estimator() for estimator in ESTIMATORS],
                                     expected_failed_checks=lambda estimator: estimator._expected_failures)
else:
    checks = parametrize_with_checks([estimator() for estimator in ESTIMATORS])


@checks
def test_scikit_learns_checks(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=NAMES)
def test_arguments_are_documented(estimator):
    for name in inspect.signature(estimator).parameters:
        assert re.search(rf"\b{name}\b", estimator.__doc__), name
    assert ">>> " in estimator.__doc__
