"""Estimators whose f is made of few centres: against the command, against scikit-learn on Nystroem's features."""
import os
import pickle
import subprocess
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.decomposition import PCA as TheirPCA
from sklearn.kernel_approximation import Nystroem as TheirFeatures
from sklearn.kernel_ridge import KernelRidge as TheirRidge
from sklearn.svm import SVC as TheirSVC
from sklearn.svm import SVR as TheirSVR

import mercer
from mercer import (SVC, SVR, KernelCCA, KernelFDA, KernelKMeans, KernelLogisticRegression, KernelPCA, KernelRidge,
                    KernelRidgeClassifier, KernelRidgeCV, NuSVC, NuSVR, OneClassSVM, SpectralClustering)

GAMMA = 2.0
rng = np.random.RandomState(0)
X = rng.rand(300, 3)
y = np.sin(4 * X[:, 0]) + X[:, 1] + 0.05 * rng.randn(300)
Y = np.column_stack([y, X[:, 2] ** 2])
classes = (X[:, 0] + X[:, 1] ** 2 > 0.8).astype(int)
three = np.digitize(X[:, 0] + X[:, 1], [0.7, 1.2])
T = rng.rand(20, 3)
weights = rng.randint(0, 4, 300).astype(float)


def features_of(centres):
    """scikit-learn's features of these centres alone."""
    return TheirFeatures(kernel="rbf", gamma=GAMMA, n_components=len(centres), random_state=0).fit(centres)


@pytest.fixture
def command():
    program = Path(os.environ.get("MERCER_BUILD", "")) / "mercer"
    if not program.is_file():
        pytest.skip("MERCER_BUILD does not name a folder with the command")
    return lambda *words: subprocess.run([program, *map(str, words)], check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize("solver, digits", [("normal", 1e-9), ("falkon", 1e-7)])
@pytest.mark.parametrize("targets", [y, Y], ids=["one", "two"])
@pytest.mark.parametrize("sample_weight", [None, weights], ids=["alike", "weighted"])
def test_ridge_is_scikit_learns_on_the_features_of_the_centres(solver, digits, targets, sample_weight):
    ours = KernelRidge(0.1, kernel="rbf", gamma=GAMMA, solver=solver, tol=1e-12 if solver == "falkon" else None,
                       centres=25).fit(X, targets, sample_weight)
    map_ = features_of(ours.centres_)
    theirs = TheirRidge(alpha=0.1).fit(map_.transform(X), targets, sample_weight)
    expected = theirs.predict(map_.transform(T))
    assert ours.predict(T).shape == expected.shape
    np.testing.assert_allclose(ours.predict(T), expected, atol=digits)
    values = np.exp(-GAMMA * ((T[:, None] - ours.centres_) ** 2).sum(axis=2))
    assert len(ours.dual_coef_) == len(ours.centres_) == 25
    np.testing.assert_allclose(values @ ours.dual_coef_, ours.predict(T), atol=1e-9)


def test_the_default_tolerance_is_that_of_the_solver():
    by_steps = KernelRidge(0.1, kernel="rbf", gamma=GAMMA, solver="falkon", centres=25).fit(X, y)
    assert by_steps.model_.settings["tolerance"] == "auto"
    assert 1e-6 < by_steps.report_["figures"]["residual"] <= 1e-4
    all_points = KernelRidge(0.1, kernel="rbf", gamma=GAMMA, solver="pcg").fit(X, y)
    assert all_points.report_["figures"]["residual"] <= 1e-6


def test_all_points_as_centres_are_the_machine_itself():
    all_points = KernelRidge(0.1, kernel="rbf", gamma=GAMMA).fit(X, y)
    centres = KernelRidge(0.1, kernel="rbf", gamma=GAMMA, solver="normal", centres=300).fit(X, y)
    np.testing.assert_allclose(centres.predict(T), all_points.predict(T), atol=1e-7)
    assert not hasattr(all_points, "centres_") and all_points.dual_coef_.shape == (300,)


def test_the_best_alpha_is_that_of_leaving_points_out():
    alphas = [1e-3, 0.1, 10]
    found = KernelRidgeCV(alphas, kernel="rbf", gamma=GAMMA, centres=20).fit(X, y)
    phi = features_of(found.centres_).transform(X)
    for alpha, error in zip(found.path_["alpha"], found.path_["loo_mse"]):
        hat = phi @ np.linalg.solve(phi.T @ phi + alpha * np.eye(20), phi.T)
        left = (y - hat @ y) / (1 - np.diag(hat))
        np.testing.assert_allclose(error, (left**2).mean(), rtol=1e-8)
    assert found.alpha_ == alphas[np.argmin(found.path_["loo_mse"])] and len(found.dual_coef_) == 20


def test_gcv_has_both_errors_and_a_model_of_the_command_the_one_it_went_by(command, tmp_path):
    alphas = [1e-3, 0.1, 10]
    found = KernelRidgeCV(alphas, kernel="rbf", gamma=GAMMA, centres=20, scoring="gcv").fit(X, y)
    by_loo = KernelRidgeCV(alphas, kernel="rbf", gamma=GAMMA, centres=20).fit(X, y)
    phi = features_of(found.centres_).transform(X)
    for alpha, gcv in zip(found.path_["alpha"], found.path_["gcv"]):
        hat = phi @ np.linalg.solve(phi.T @ phi + alpha * np.eye(20), phi.T)
        np.testing.assert_allclose(gcv, 300 * ((y - hat @ y)**2).sum() / (300 - np.trace(hat))**2, rtol=1e-8)
    np.testing.assert_array_equal(found.path_["loo_mse"], by_loo.path_["loo_mse"])
    assert found.alpha_ == alphas[np.argmin(found.path_["gcv"])] and found.best_score_ == -found.path_["gcv"].min()

    np.savetxt(tmp_path / "rows.csv", np.column_stack([X, y]), delimiter=",", fmt="%.17g")
    command("fit", "ridge", tmp_path / "rows.csv", "--kernel", f"rbf(ell={(0.5 / GAMMA)**0.5!r})", "--ridge", "auto", "--criterion",
            "gcv", "--path", "0.001,0.1,10", "--centres", "20", "--scale", "none", "-o", tmp_path / "model")
    read = mercer.load(tmp_path / "model")
    assert set(read.path_) == {"alpha", "gcv"} and read.alpha_ == found.alpha_
    np.testing.assert_allclose(read.path_["gcv"], found.path_["gcv"], rtol=1e-9)


def test_support_vector_machines_are_scikit_learns_on_these_features():
    ours = SVC(C=5, gamma=GAMMA, tol=1e-8, centres=25).fit(X, classes, weights)
    map_ = features_of(ours.centres_)
    theirs = TheirSVC(C=5, kernel="linear", tol=1e-8).fit(map_.transform(X), classes, weights)
    np.testing.assert_allclose(ours.decision_function(T), theirs.decision_function(map_.transform(T)), atol=1e-5)
    values = np.exp(-GAMMA * ((T[:, None] - ours.centres_) ** 2).sum(axis=2))
    np.testing.assert_allclose(values @ ours.dual_coef_[0] + ours.intercept_, ours.decision_function(T), atol=1e-8)
    assert not hasattr(ours, "support_") and not hasattr(ours, "n_support_")

    ours = SVR(C=5, gamma=GAMMA, tol=1e-8, centres=25).fit(X, y)
    theirs = TheirSVR(C=5, kernel="linear", tol=1e-8).fit(features_of(ours.centres_).transform(X), y)
    np.testing.assert_allclose(ours.predict(T), theirs.predict(features_of(ours.centres_).transform(T)), atol=1e-5)


@pytest.mark.parametrize("estimator", [
    SVC(gamma=GAMMA, probability=True), NuSVC(nu=0.2, gamma=GAMMA), KernelLogisticRegression(kernel="rbf(ell=0.5)")],
    ids=lambda one: type(one).__name__)
def test_several_classes(estimator):
    found = clone(estimator).set_params(centres=30).fit(X, three)
    assert found.score(X, three) > 0.9 and len(found.centres_) == 30
    if hasattr(found, "predict_proba"):
        assert (found.predict_proba(T).argmax(axis=1) == found.predict(T)).all()


def test_the_others_take_them_too():
    assert np.corrcoef(NuSVR(gamma=GAMMA, centres=30).fit(X, y).predict(X), y)[0, 1] > 0.95
    one = OneClassSVM(nu=0.1, gamma=GAMMA, centres=30).fit(X)
    assert 0.05 < (one.predict(X) == -1).mean() < 0.15 and one.offset_ == -one.intercept_


def test_components_are_those_of_the_features_of_the_centres():
    ours = KernelPCA(3, kernel="rbf", gamma=GAMMA, centres=25).fit(X)
    map_ = features_of(ours.centres_)
    theirs = TheirPCA(3).fit(map_.transform(X))
    np.testing.assert_allclose(ours.explained_variance_ * 300 / 299, theirs.explained_variance_, rtol=1e-9)
    np.testing.assert_allclose(np.abs(ours.transform(T)), np.abs(theirs.transform(map_.transform(T))), atol=1e-9)
    np.testing.assert_allclose(ours.eigenvectors_.T @ ours.eigenvectors_, np.eye(3), atol=1e-9)


def test_clusters_are_those_of_the_features_of_the_centres():
    ours = KernelKMeans(3, kernel=mercer.rbf(gamma=GAMMA), centres=25).fit(X)
    phi = features_of(ours.centres_).transform(X)
    means = np.array([phi[ours.labels_ == c].mean(axis=0) for c in range(3)])
    squares = ((phi[:, None] - means) ** 2).sum(axis=2)
    assert (squares.argmin(axis=1) == ours.labels_).all() and (ours.predict(X) == ours.labels_).all()
    np.testing.assert_allclose(ours.inertia_, squares.min(axis=1).sum(), rtol=1e-9)


def test_cuts_are_those_of_the_features_of_the_centres():
    ours = SpectralClustering(3, affinity=mercer.rbf(gamma=GAMMA), centres=25).fit(X)
    phi = features_of(ours.centres_).transform(X)
    given = SpectralClustering(3, affinity="precomputed").fit(phi @ phi.T)
    np.testing.assert_array_equal(ours.labels_, given.labels_)
    np.testing.assert_allclose(ours.normalised_cut_, given.normalised_cut_, rtol=1e-9)
    with pytest.raises(AttributeError, match="with centres"):
        ours.affinity_matrix_


def test_discriminants_are_those_of_the_features_of_the_centres():
    ours = KernelFDA(kernel=mercer.rbf(gamma=GAMMA), centres=25).fit(X, three, weights)
    map_ = features_of(ours.centres_)
    linear = KernelFDA(kernel="linear()").fit(map_.transform(X), three, weights)
    np.testing.assert_allclose(ours.decision_function(T), linear.decision_function(map_.transform(T)), atol=1e-8)


def test_correlations_are_those_of_the_features_of_the_centres(tmp_path):
    ours = KernelCCA(2, kernel=mercer.rbf(gamma=GAMMA), centres=25).fit(X, Y, weights)
    map_ = features_of(ours.centres_)
    linear = KernelCCA(2, kernel="linear()").fit(map_.transform(X), Y, weights)
    np.testing.assert_allclose(ours.correlations_, linear.correlations_, atol=1e-9)
    np.testing.assert_allclose(np.abs(ours.transform(T)), np.abs(linear.transform(map_.transform(T))), atol=1e-8)
    both = KernelCCA(1, kernel="rbf(ell=0.5)", target_kernel="rbf(ell=1)", centres=15).fit(X, Y)
    assert len(both.centres_) == len(both.y_model_.centres) == 15
    assert not hasattr(KernelCCA(1).fit(X, Y), "centres_")
    both.save(tmp_path / "m.mercer")
    assert mercer.load(tmp_path / "m.mercer").centres == 15
    with pytest.raises(ValueError, match="with a matrix or a function give centres=None"):
        KernelCCA(kernel="precomputed", centres=5).fit(X @ X.T, Y)
    with pytest.raises(ValueError, match="a matrix of numbers for all pairs"):
        KernelCCA(target_kernel="precomputed", centres=5).fit(X, X @ X.T)


@pytest.mark.parametrize("machine", [KernelPCA(2, kernel="rbf(ell=0.5)"), KernelKMeans(3, kernel="rbf(ell=0.5)"),
                                     SpectralClustering(3, affinity="rbf(ell=0.5)"), KernelFDA(kernel="rbf(ell=0.5)")],
                         ids=lambda one: type(one).__name__)
def test_centres_of_what_has_no_targets_are_in_its_file(machine, tmp_path):
    machine = clone(machine).set_params(centres=10, centres_by="uniform").fit(X, three)
    machine.save(tmp_path / "m.mercer")
    loaded = mercer.load(tmp_path / "m.mercer")
    assert loaded.centres == 10
    np.testing.assert_array_equal(loaded.centres_, machine.centres_)
    with pytest.raises(ValueError, match="400 of 300 points"):
        machine.set_params(centres=400).fit(X, three)


def test_a_fit_again_without_centres_has_support_vectors_and_one_with_them_none():
    machine = SVC(gamma=GAMMA).fit(X, classes)
    assert len(machine.set_params(centres=10).fit(X, classes).centres_) == 10 and not hasattr(machine, "support_")
    machine.set_params(centres=None).fit(X, classes)
    assert len(machine.support_) == machine.n_support_.sum() and not hasattr(machine, "centres_")


@pytest.mark.parametrize("by", ["rpcholesky", "uniform", "kmeans++", "thinning"])
def test_the_model_is_the_commands(by, command, tmp_path):
    table = tmp_path / "data.csv"
    np.savetxt(table, np.column_stack([X, y]), delimiter=",", header="a,b,c,y", comments="", fmt="%.17g")
    made = tmp_path / "made.mercer"
    command("fit", "ridge", table, "--target", "y", "--kernel", "rbf(ell=0.5)", "--ridge", "0.1", "--scale", "none",
            "--centres", "20", "--centres-by", by, "-o", made)
    theirs = mercer.load(made)
    ours = KernelRidge(0.1, kernel="rbf(ell=0.5)", centres=20, centres_by=by).fit(X, y)
    assert theirs.centres == 20 and theirs.tol is None
    np.testing.assert_array_equal(ours.centres_, theirs.centres_)
    np.testing.assert_array_equal(ours.dual_coef_, theirs.dual_coef_)
    assert ours.report_["notes"] == theirs.report_["notes"]


def test_models_of_support_vector_machines_come_back_from_files(tmp_path):
    for labels in (classes, three):
        found = SVC(gamma=GAMMA, centres=20).fit(X, labels)
        found.save(tmp_path / "few.mercer")
        for back in (mercer.load(tmp_path / "few.mercer"), pickle.loads(pickle.dumps(found))):
            np.testing.assert_array_equal(back.decision_function(T), found.decision_function(T))
            np.testing.assert_array_equal(back.dual_coef_, found.dual_coef_)
            np.testing.assert_array_equal(back.centres_, found.centres_)
            assert back.centres == 20


def test_linear_machines_have_weights_of_the_columns():
    found = SVC(kernel="linear", centres=3).fit(X, classes)
    np.testing.assert_allclose(T @ found.coef_[0] + found.intercept_, found.decision_function(T), atol=1e-9)


def test_texts_have_centres():
    words = ["".join(rng.choice(list("abc"), 6)) for _ in range(60)]
    counts = np.array([word.count("ab") for word in words], dtype=float)
    found = KernelRidge(0.1, kernel="spectrum(k=2)", centres=9).fit(words, counts)
    values = mercer.spectrum(k=2)(words, found.centres_)
    np.testing.assert_allclose(values @ found.dual_coef_, found.predict(words), atol=1e-9)
    assert len(found.centres_) == 9 and found.score(words, counts) > 0.95


def test_sparse_rows_are_the_same_as_dense_ones():
    few = np.where(rng.rand(100, 8) < 0.3, rng.rand(100, 8), 0.0)
    dense = KernelRidge(0.1, kernel="rbf(ell=1)", centres=12).fit(few, few[:, 0])
    sparse = KernelRidge(0.1, kernel="rbf(ell=1)", centres=12).fit(scipy.sparse.csr_matrix(few), few[:, 0])
    np.testing.assert_array_equal(sparse.centres_, dense.centres_)
    np.testing.assert_allclose(sparse.predict(few), dense.predict(few), atol=1e-9)


def test_points_of_weight_0_are_no_centres():
    far = np.vstack([X, X + 50])
    counts = np.repeat([1.0, 0.0], 300)
    found = KernelRidge(0.1, kernel="rbf(ell=auto)", centres=40).fit(far, np.tile(y, 2), counts)
    alone = KernelRidge(0.1, kernel="rbf(ell=auto)", centres=40).fit(X, y)
    np.testing.assert_array_equal(found.centres_, alone.centres_)
    np.testing.assert_allclose(found.predict(T), alone.predict(T), atol=1e-8)
    found = SVC(kernel="rbf(ell=0.5)", centres=40).fit(far, np.tile(classes, 2), counts)
    np.testing.assert_array_equal(found.centres_, SVC(kernel="rbf(ell=0.5)", centres=40).fit(X, classes).centres_)


def test_the_report_says_what_is_left_out():
    found = KernelRidge(0.1, kernel="rbf", gamma=GAMMA, centres=25).fit(X, y)
    phi = features_of(found.centres_).transform(X)
    figures = found.report_["figures"]
    assert figures["centres"] == 25
    np.testing.assert_allclose(figures["trace_left_out"], 1 - (phi**2).sum() / len(X), atol=1e-9)
    assert any("25 centres, chosen by rpcholesky from 300 of 300 points" in note for note in found.report_["notes"])


def test_auto_takes_as_many_as_the_command(command, tmp_path):
    rng = np.random.RandomState(1)
    A = np.round(rng.rand(1500, 2), 4)
    b = np.round(np.sin(25 * A[:, 0]) * np.cos(20 * A[:, 1]) + 0.1 * rng.randn(1500), 4)
    np.savetxt(tmp_path / "data.csv", np.column_stack([A, b]), delimiter=",", header="a,b,y", comments="", fmt="%.4f")
    command("fit", "ridge", tmp_path / "data.csv", "--target", "y", "--kernel", "matern(nu=1.5, ell=0.2)", "--ridge",
            0.01, "--scale", "none", "--centres", "auto", "-o", tmp_path / "m.mercer")
    theirs = mercer.load(tmp_path / "m.mercer")
    ours = KernelRidge(0.01, kernel="matern(nu=1.5, ell=0.2)", centres="auto").fit(A, b)
    assert 250 <= len(ours.centres_) < 1500
    np.testing.assert_array_equal(ours.centres_, theirs.centres_)
    np.testing.assert_allclose(ours.predict(A), theirs.predict(A), rtol=1e-9)
    tried = ours.report_["tables"]["centres"]
    assert "centres" in str(tried) and any("points held out" in note for note in ours.report_["notes"])


@pytest.mark.parametrize("estimator, target", [
    (KernelRidgeCV, y), (KernelRidgeClassifier, three), (KernelLogisticRegression, three), (SVC, three), (NuSVC, three),
    (SVR, y), (NuSVR, y), (OneClassSVM, None), (KernelFDA, three), (KernelPCA, None), (KernelCCA, Y), (KernelKMeans, None),
    (SpectralClustering, None)], ids=lambda value: getattr(value, "__name__", ""))
def test_every_estimator_knows_auto(estimator, target):
    kernel = {"affinity" if estimator is SpectralClustering else "kernel": "rbf(ell=0.5)"}
    found = estimator(**kernel, centres="auto").fit(X, target)
    assert 1 <= len(found.centres_) <= 300
    few = estimator(**kernel, centres=20).fit(X, target)
    assert 0 < few.report_["figures"]["effective_dimension"] < 20


def test_auto_counts_points_of_positive_weight_alone():
    counts = np.repeat([1.0, 0.0], [40, 260])
    found = KernelRidge(0.1, kernel="rbf", gamma=GAMMA, centres="auto").fit(X, y, counts)
    assert len(found.centres_) <= 40


def test_the_plan_says_so_too():
    plan = mercer.plan(KernelRidge(0.1, kernel="rbf", solver="falkon", centres=25), X, y)
    assert plan["form"] == "centres" and "25 centres" in plan["approximates"] and "0.0001" in plan["solver"]
    assert mercer.plan(SVC(centres=25), X, classes)["form"] == "centres"


@pytest.mark.parametrize("estimator, words", [
    (KernelRidge(kernel="rbf", centres=301), "centres: 301 of 300 points; choose at most all"),
    (KernelRidge(kernel="rbf", centres=0), "centres is 0; give a whole number from 1, 'auto', or None for all points"),
    (KernelRidge(kernel="rbf", centres=2.5), "centres is 2.5; give a whole number"),
    (KernelRidge(kernel="rbf", centres="many"), "centres is 'many'; give a whole number"),
    (KernelRidge(kernel="rbf", centres=True), "centres is True; give a whole number"),
    (KernelRidge(kernel="rbf", centres=10, centres_by="chance"), "chosen by rpcholesky, uniform, .* not by 'chance'"),
    (KernelRidge(kernel=lambda a, b: a @ b, centres=10), "centres are points of a kernel"),
    (KernelRidge(kernel="rbf", solver="normal"), "normal"),
    (KernelRidge(kernel="rbf", solver="cholesky", centres=10), "with centres there are normal and falkon"),
    (KernelRidge(0, kernel="rbf", solver="falkon", centres=10), "solver: falkon needs an alpha above 0"),
    (SVR(centres=301), "centres: 301 of 300 points; choose at most all"),
    (SVR(centres=-1), "centres is -1; give a whole number from 1")], ids=str)
def test_what_cannot_be_is_refused(estimator, words):
    with pytest.raises(ValueError, match=words):
        estimator.fit(X, y)


def test_matrices_have_none():
    with pytest.raises(ValueError, match="centres are points of a kernel"):
        KernelRidge(kernel="precomputed", centres=10).fit(X @ X.T, y)


@pytest.mark.parametrize("kind", [KernelRidge, KernelRidgeCV, KernelRidgeClassifier, KernelLogisticRegression, SVC, NuSVC, SVR,
                                  NuSVR, OneClassSVM])
def test_they_are_parameters_like_others(kind):
    made = kind(centres=7, centres_by="uniform")
    assert {"centres": 7, "centres_by": "uniform"}.items() <= clone(made).get_params().items()
    assert kind().set_params(centres=9).centres == 9 and kind().centres is None and kind().centres_by == "rpcholesky"
