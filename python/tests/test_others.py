"""Logistic regression, the perceptron, local means, and what all estimators do with bad input and files."""
import os
import pickle
import subprocess
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, make_moons
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mercer
from mercer import (RVC, RVR, GaussianProcessClassifier, GaussianProcessRegressor, KernelLogisticRegression,
                    KernelPerceptron, KernelRidge, KernelRidgeCV, NadarayaWatson)

iris, kind = load_iris(return_X_y=True)
moons, side = make_moons(150, noise=0.15, random_state=0)
REGRESSORS = [KernelRidge, KernelRidgeCV, GaussianProcessRegressor, RVR, NadarayaWatson]
CLASSIFIERS = [KernelLogisticRegression, KernelPerceptron, GaussianProcessClassifier, RVC]
TOYS = Path(__file__).resolve().parents[2] / "data" / "toys"


@pytest.mark.parametrize("classes", [2, 3])
def test_logistic_with_a_linear_kernel_is_logistic_regression(classes):
    X, y = iris[kind < classes], kind[kind < classes]
    weights = np.random.RandomState(0).rand(len(y)) + 0.5
    theirs = LogisticRegression(C=0.5, tol=1e-10, max_iter=10000).fit(X, y, weights)
    ours = KernelLogisticRegression(C=0.5, kernel="linear").fit(X, y, weights)
    assert np.allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-4)
    assert (ours.predict(X) == theirs.predict(X)).all()
    if classes == 2:
        assert np.allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-3)
    assert ours.decision_function(X).shape == theirs.decision_function(X).shape


def test_class_weights_multiply_sample_weights():
    X, y = iris[50:], kind[50:]
    balanced = KernelLogisticRegression(kernel="linear", class_weight={1: 3, 2: 1}).fit(X, y)
    by_hand = KernelLogisticRegression(kernel="linear").fit(X, y, np.where(y == 1, 3.0, 1.0))
    assert np.allclose(balanced.predict_proba(X), by_hand.predict_proba(X))


@pytest.mark.parametrize("classes", [2, 3])
def test_logistic_counts_a_weight_as_so_many_points(classes):
    X, y, times = iris[::5], kind[::5] % classes, np.arange(30) % 4
    weighted = KernelLogisticRegression(kernel="rbf(ell=2)").fit(X, y, sample_weight=times)
    repeated = KernelLogisticRegression(kernel="rbf(ell=2)").fit(X.repeat(times, axis=0), y.repeat(times))
    np.testing.assert_allclose(weighted.decision_function(X), repeated.decision_function(X), atol=1e-12)


def test_logistic_says_when_it_has_not_converged():
    with pytest.warns(ConvergenceWarning, match="KernelLogisticRegression has not converged"):
        KernelLogisticRegression(C=1e4, kernel="rbf(ell=1)", max_iter=1).fit(iris, kind)


def test_perceptron_follows_the_textbook():
    k = mercer.rbf(ell=0.5)
    K, y = k(moons), 2 * side - 1
    alpha = np.zeros(len(y))
    for i in range(len(y)):
        if y[i] * (K[i] @ alpha) <= 0:
            alpha[i] += y[i]
    m = KernelPerceptron(k, max_iter=1).fit(moons, side)
    assert np.allclose(m.decision_function(moons), K @ alpha)
    assert (m.support_ == np.flatnonzero(alpha)).all() and m.n_iter_ == 1


def test_partial_fit_of_two_halves_is_one_pass_over_all():
    for X, y in ((moons, side), (iris[::2], kind[::2])):
        order = np.random.RandomState(0).permutation(len(y))
        X, y = X[order], np.array(["a", "b", "c"])[y[order]]
        whole = KernelPerceptron("rbf(ell=0.5)", max_iter=1).fit(X, y)
        m = KernelPerceptron("rbf(ell=0.5)")
        m.partial_fit(X[:40], y[:40], classes=np.unique(y)).partial_fit(X[40:], y[40:])
        assert np.allclose(m.decision_function(X), whole.decision_function(X))
        assert m.n_iter_ == 2 and list(m.classes_) == list(np.unique(y))


def test_partial_fit_may_see_one_class_at_a_time_and_keeps_its_width():
    m = KernelPerceptron("1 + rbf(ell=auto)")
    m.partial_fit(moons[side == 0], side[side == 0], classes=[0, 1])
    width = m.kernel_
    m.partial_fit(100 * moons[side == 1], side[side == 1])
    assert m.kernel_ == width
    m.partial_fit(moons, side).partial_fit(moons, side)
    assert m.score(moons, side) > 0.8


def test_partial_fit_refuses_what_it_cannot_do():
    with pytest.raises(ValueError, match="classes must be passed"):
        KernelPerceptron().partial_fit(moons, side)
    with pytest.raises(ValueError, match="averaged"):
        KernelPerceptron(averaged=True).partial_fit(moons, side, classes=[0, 1])
    m = KernelPerceptron().partial_fit(moons, side, classes=[0, 1])
    with pytest.raises(ValueError, match="does not"):
        m.partial_fit(moons, side + 1)
    with pytest.raises(ValueError, match="not the same"):
        m.partial_fit(moons, side, classes=[0, 1, 2])
    with pytest.raises(ValueError, match="features"):
        m.partial_fit(iris, side[:150])


def test_partial_fit_goes_on_with_a_file(tmp_path):
    m = KernelPerceptron("rbf(ell=0.5)", max_iter=1).fit(moons[:100], side[:100] > 0)
    m.save(tmp_path / "m.mercer")
    again = mercer.load(tmp_path / "m.mercer").partial_fit(moons[100:], side[100:] > 0)
    assert again.classes_.dtype == bool and again.n_iter_ == 2
    assert np.array_equal(again.predict(moons), m.partial_fit(moons[100:], side[100:] > 0).predict(moons))


def test_averages_and_budgets():
    order = np.random.RandomState(0).permutation(len(side))
    X, y = moons[order], side[order]
    assert len(KernelPerceptron("rbf(ell=0.5)", budget=5).fit(X, y).support_) <= 5
    assert KernelPerceptron("rbf(ell=0.5)", averaged=True).fit(X, y).score(X, y) > 0.9
    with pytest.raises(ValueError, match="choose one"):
        KernelPerceptron(averaged=True, budget=5).fit(X, y)


def test_local_means_by_their_formula():
    X = np.linspace(0, 6, 40).reshape(-1, 1)
    Y = np.column_stack([np.sin(X[:, 0]), X[:, 0]])
    k, T = mercer.rbf(ell=0.3), np.array([[0.5], [4.1]])
    weights = np.random.RandomState(0).rand(40)
    near = k(T, X) * weights
    expected = near @ Y / near.sum(axis=1, keepdims=True)
    m = NadarayaWatson(k).fit(X, Y, weights)
    assert np.allclose(m.predict(T), expected)
    assert np.allclose(NadarayaWatson("precomputed").fit(k(X), Y[:, 0], weights).predict(k(T, X)), expected[:, 0])
    K = k(X) - np.eye(40)
    left_out = K @ Y[:, 0] / K.sum(axis=1)
    assert NadarayaWatson(k).fit(X, Y[:, 0]).loo_rmse_ == pytest.approx(np.sqrt(np.mean((left_out - Y[:, 0]) ** 2)))


def test_mixed_tables_by_column_name():
    frame = pd.read_csv(TOYS / "mixed.csv")
    k = mercer.on("age", mercer.rbf(ell=10)) + mercer.on("text", mercer.normalize(mercer.spectrum(k=3)))
    inputs = frame.drop(columns="label")
    for estimator in (KernelLogisticRegression(10, kernel=k), KernelPerceptron(k), RVC(k),
                      GaussianProcessClassifier(k, optimizer=None)):
        m = estimator.fit(inputs, frame.label)
        assert m.score(inputs, frame.label) > 0.75
        assert list(m.feature_names_in_) == ["age", "income", "text"]
        again = pickle.loads(pickle.dumps(m))
        assert (again.predict(inputs) == m.predict(inputs)).all()
    regressor = GaussianProcessRegressor(k, noise="fixed(1)").fit(inputs, frame.income / 1000)
    assert regressor.predict(inputs, return_std=True)[1].shape == (len(frame),)
    with pytest.raises(ValueError, match="text"):
        m.predict(inputs.drop(columns="text"))
    with pytest.warns(UserWarning, match="text, dropped .*the kernel takes numbers"):
        KernelLogisticRegression(kernel="rbf(ell=1)").fit(inputs, frame.label)


def test_lists_of_texts():
    words = ["kitten", "mitten", "sitting", "knitting", "boat", "goat", "float", "coat"]
    m = KernelLogisticRegression(C=100, kernel="normalize(spectrum(k=2))").fit(words, [0, 0, 0, 0, 1, 1, 1, 1])
    assert list(m.predict(["smitten", "moat"])) == [0, 1]


@pytest.mark.parametrize("make", REGRESSORS + CLASSIFIERS, ids=lambda c: c.__name__)
def test_bad_input_is_refused_in_scikit_learns_words(make):
    target = kind if make in CLASSIFIERS else iris[:, 0]
    X = iris[:, 1:]

    def holes(value):
        out = X.copy()
        out[3, 1] = value
        return out

    with pytest.raises(ValueError, match="could not convert string to float"):
        make().fit(np.full((150, 3), "word"), target)
    with pytest.raises((ValueError, TypeError)):
        make().fit(np.full((150, 3), object()), target)
    with pytest.raises(ValueError, match="contains NaN"):
        make().fit(holes(np.nan), target)
    with pytest.raises(ValueError, match="contains infinity"):
        make().fit(holes(np.inf), target)
    with pytest.raises(ValueError, match="Expected 2D array, got 1D array"):
        make().fit(X[:, 0], target)
    with pytest.raises(ValueError, match="Complex data not supported"):
        make().fit(X + 1j, target)
    with pytest.raises(ValueError, match="Found array with 0 sample"):
        make().fit(X[:0], target[:0])
    with pytest.raises(ValueError, match="Found array with 0 feature"):
        make().fit(X[:, :0], target)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        make().fit(X, target[:-1])
    with pytest.raises(ValueError, match="y"):
        make().fit(X, None)
    if not isinstance(make(), mercer.GaussianProcessRegressor):  # which answers by its prior
        with pytest.raises(NotFittedError):
            make().predict(X)
    with pytest.raises(ValueError, match="(?i)sample.weight"):
        make().fit(X, target, np.ones(3))
    with pytest.raises(ValueError, match="(?i)sample.weight"):
        make().fit(X, target, -np.ones(150))
    with pytest.raises(ValueError, match="Sample weights must contain at least one non-zero"):
        make().fit(X, target, np.zeros(150))
    few = np.r_[0:10, 60:70]
    m = make().fit(X[few], target[few])
    with pytest.raises(ValueError, match="X has 2 features, but"):
        m.predict(X[:, :2])
    with pytest.raises(ValueError, match="contains NaN"):
        m.predict(holes(np.nan))
    with pytest.raises(ValueError, match="Expected 2D array, got 1D array"):
        m.predict(X[0])


@pytest.mark.parametrize("make", CLASSIFIERS, ids=lambda c: c.__name__)
def test_classifiers_refuse_numbers_and_single_classes(make):
    with pytest.raises(ValueError, match="(Unknown label type|continuous)"):
        make().fit(iris, iris[:, 0] + 0.01)
    with pytest.raises(ValueError, match="one class"):
        make().fit(iris, np.zeros(150))
    with pytest.raises(ValueError, match="one class"):
        make().fit(iris, kind, (kind == 1).astype(float))


@pytest.mark.parametrize("make", REGRESSORS + CLASSIFIERS, ids=lambda c: c.__name__)
def test_files_keep_predictions_arguments_and_names(make, tmp_path):
    few = np.r_[0:15, 60:75]
    frame = pd.DataFrame(iris[few][:, :3], columns=["a", "b", "c"])
    target = kind[few] if make in CLASSIFIERS else iris[few, 3]
    m = make(kernel="rbf(ell=1.5)").fit(frame, target)
    m.save(tmp_path / "m.mercer")
    again = mercer.load(tmp_path / "m.mercer")
    assert type(again) is make and np.array_equal(again.predict(frame), m.predict(frame))
    assert list(again.feature_names_in_) == ["a", "b", "c"] and again.n_features_in_ == 3
    assert again.kernel == m.kernel_
    if make in CLASSIFIERS:
        assert np.array_equal(again.classes_, m.classes_) and again.classes_.dtype == m.classes_.dtype
    fresh = clone(again).fit(frame, target)  # its arguments make sense
    assert fresh.predict(frame).shape == m.predict(frame).shape


@pytest.mark.parametrize("machine, make, table", [
    ("ridge --ridge 0.1", KernelRidge, "sinc"), ("ridge --ridge auto", KernelRidgeCV, "sinc"),
    ("ols", KernelRidge, "sinc"), ("gp", GaussianProcessRegressor, "sinc"), ("rvm", RVR, "sinc"),
    ("nadaraya_watson", NadarayaWatson, "sinc"),
    ("logistic", KernelLogisticRegression, "two_moons"), ("gpc", GaussianProcessClassifier, "two_moons"),
    ("ridge_classifier", mercer.KernelRidgeClassifier, "two_moons"),
    ("rvc", RVC, "two_moons"), ("perceptron", KernelPerceptron, "two_moons")], ids=str)
def test_files_of_the_command_are_read_and_ours_by_the_command(machine, make, table, tmp_path):
    command = Path(os.environ.get("MERCER_BUILD", "")) / "mercer"
    if not command.is_file():
        pytest.skip("MERCER_BUILD does not name a folder with the command")

    def run(*words):
        return subprocess.run([command, *words], check=True, capture_output=True, text=True).stdout

    data, theirs, ours = TOYS / f"{table}.csv", tmp_path / "theirs.mercer", tmp_path / "ours.mercer"
    target = {"sinc": "y", "two_moons": "label"}[table]
    run("fit", *machine.split(), data, "--target", target, "-o", theirs)
    m = mercer.load(theirs)
    frame = pd.read_csv(data)
    inputs = frame.drop(columns=target)
    said = run("predict", theirs, data)
    assert type(m) is make and m.score(inputs, frame[target]) > 0
    assert np.allclose([float(line) for line in said.split()[1:]], m.predict(inputs), rtol=1e-12)
    m.save(ours)
    assert said == run("predict", ours, data)
    if make is KernelPerceptron:
        with pytest.raises(ValueError, match="scales its inputs"):
            m.partial_fit(inputs, frame[target])


def test_pipelines_and_searches_in_two_processes():
    pipe = make_pipeline(StandardScaler(), KernelLogisticRegression(kernel=mercer.rbf(ell=1.0)))
    search = GridSearchCV(pipe, {"kernellogisticregression__kernel__ell": [0.01, 2.0]}, cv=3, n_jobs=2)
    assert search.fit(iris, kind).best_params_ == {"kernellogisticregression__kernel__ell": 2.0}
    assert cross_val_score(KernelPerceptron("1 + rbf(ell=1)"), moons, side, cv=3, n_jobs=2).mean() > 0.8


@pytest.mark.parametrize("make", REGRESSORS + CLASSIFIERS, ids=lambda c: c.__name__)
def test_weights_of_nothing_are_points_left_out(make):
    few = np.r_[0:15, 60:75]
    X, target = iris[few], (kind if make in CLASSIFIERS else iris[:, 3])[few]
    keep = np.arange(30) % 3 > 0
    part = make(kernel="rbf(ell=auto)").fit(X[keep], target[keep])
    whole = make(kernel="rbf(ell=auto)").fit(X, target, keep.astype(float))
    assert np.allclose(whole.predict(X), part.predict(X), atol=1e-4)


def test_a_callback_sees_progress_and_an_ordinary_fit_is_silent(capsys):
    seen = []
    X = np.random.RandomState(0).randn(300, 5)
    GaussianProcessRegressor(callback=lambda stage, fraction: seen.append((stage, fraction))).fit(X, X[:, 0])
    assert seen and all(0 <= fraction <= 1 for _, fraction in seen)
    with pytest.warns(ConvergenceWarning, match="interrupted"):
        stopped = GaussianProcessRegressor(callback=lambda stage, fraction: False).fit(X, X[:, 0])
    assert stopped.predict(X).shape == (300,)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        KernelLogisticRegression().fit(iris, kind)
    assert capsys.readouterr() == ("", "")
