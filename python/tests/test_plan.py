"""Plans: what a fit says before it begins, and afterwards in its report."""
import numpy as np
import pytest

import mercer

X = np.random.default_rng(0).normal(size=(200, 3))
y = X[:, 0] - X[:, 1] ** 2
CLASSES = np.where(y > 0, "up", "down")


@pytest.mark.parametrize("estimator, target, form, solver", [
    (mercer.KernelRidge(kernel="rbf(ell=1)"), y, "exact", "Cholesky"),
    (mercer.KernelRidge(kernel="linear() + 1"), y, "factor", "Woodbury"),
    (mercer.SVC(kernel="laplace(ell=1)"), CLASSES, "cached", "working sets, or an interior-point method"),
    (mercer.GaussianProcessRegressor("rbf(ell=1)"), y, "exact", "Cholesky at each step of learning"),
    (mercer.KernelPCA(2, kernel="rbf(ell=1)"), None, "exact", "all eigenvalues"),
    (mercer.KernelKMeans(3, kernel="rbf(ell=1)"), None, "exact", "Lloyd's iterations"),
])
def test_a_plan_is_what_the_fit_then_does(estimator, target, form, solver):
    plan = mercer.plan(estimator, X, target)
    assert (plan["form"], plan["solver"], plan["approximates"]) == (form, solver, "")
    assert plan["bytes"] == pytest.approx(sum(plan["parts"].values()))
    assert plan["seconds"] > 0
    assert not hasattr(estimator, "model_")
    report = estimator.fit(X, target).report_["plan"]
    assert (report["form"], report["solver"], report["why"]) == (form, solver, plan["why"])


def test_inputs_are_checked_as_in_a_fit():
    with pytest.raises(ValueError, match="NaN"):
        mercer.plan(mercer.KernelRidge(), np.full((3, 1), np.nan), np.arange(3.0))


def test_a_given_matrix_needs_no_values_of_a_kernel():
    plan = mercer.plan(mercer.SVC(kernel="precomputed"), X @ X.T, CLASSES)
    assert plan["form"] == "given"
