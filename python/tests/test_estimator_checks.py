"""scikit-learn's own checks, on every estimator of the package."""
import inspect
import re
import warnings
from pathlib import Path

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import mercer
from mercer._base import all_estimators

ESTIMATORS = [*all_estimators(), mercer.RowMaps]  # which alone has no model
NAMES = [estimator.__name__ for estimator in ESTIMATORS]


def test_all_estimators_of_the_package_are_checked():
    public = [getattr(mercer, name) for name in mercer.__all__]
    assert {one for one in public if inspect.isclass(one) and hasattr(one, "fit")} == {*ESTIMATORS, mercer.Auto}  # another once it is fitted
    assert {"SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM"} <= set(NAMES)


KNOWN = inspect.signature(parametrize_with_checks).parameters
options = {}
if "expected_failed_checks" in KNOWN:  # since scikit-learn 1.6; before it reads them off the estimator
    options["expected_failed_checks"] = lambda estimator: estimator._expected_failures
if "xfail_strict" in KNOWN:  # what no longer fails must leave the list
    options["xfail_strict"] = True
checks = parametrize_with_checks([estimator() for estimator in ESTIMATORS], **options)


@checks
def test_scikit_learns_checks(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


def test_the_guide_lists_the_checks_that_fail():
    guide = (Path(__file__).parents[2] / "docs" / "python.md").read_text()
    table = guide.partition("### scikit-learn's checks")[2].partition("\n\n`make")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if line.startswith("| `")]
    listed = {(name, check, why) for names, checks, why in rows
              for name in re.findall(r"`(\w+)`", names) for check in re.findall(r"`(\w+)`", checks)}
    assert listed == {(one.__name__, check, why) for one in ESTIMATORS for check, why in one._expected_failures.items()}


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=NAMES)
def test_arguments_are_documented(estimator):
    for name in inspect.signature(estimator).parameters:
        assert re.search(rf"\b{name}\b", estimator.__doc__), name
    assert ">>> " in estimator.__doc__
