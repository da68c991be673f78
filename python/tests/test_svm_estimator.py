"""SVC, NuSVC, SVR, NuSVR, OneClassSVM as estimators: limits, arguments, inputs, processes, files."""
import ast
import inspect
import os
import pathlib
import pickle
import subprocess
import sys
import textwrap
import warnings

import numpy as np
import pytest
import sklearn.svm as peer
from sklearn import datasets
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mercer
from mercer.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM

ALL = [SVC, NuSVC, SVR, NuSVR, OneClassSVM]


def test_limits_warn():
    X, y = datasets.make_classification(500, flip_y=0.3, random_state=0)
    with pytest.warns(ConvergenceWarning, match=r"terminated early \(max_iter=3\)"):
        machine = SVC(C=100, max_iter=3).fit(X, y)
    assert machine.fit_status_ == 1 and not machine.report_["converged"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert SVC().fit(X, y).fit_status_ == 0


def test_nusvc_without_a_margin_is_infeasible():
    X, y = datasets.make_moons(300, noise=0.2, random_state=0)
    with pytest.raises(ValueError, match="nu = 0.05 is infeasible"):
        NuSVC(nu=0.05, kernel="linear").fit(X, y)
    assert NuSVC(nu=0.5, kernel="linear").fit(X, y).score(X, y) > 0.8
    X, y = datasets.load_iris(return_X_y=True)  # a pair of three classes
    with pytest.raises(ValueError, match='infeasible for "1" against "2"'):
        NuSVC(nu=0.02, kernel="linear").fit(X[:, :2], y)


def test_huge_c_ends_and_what_is_not_converged_says_why():
    # The corners of scikit-learn's plot_rbf_parameters, where pairs of variables alone take millions of steps.
    X, y = datasets.load_iris(return_X_y=True)
    X, y = StandardScaler().fit_transform(X[y > 0, :2]), y[y > 0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for C in (1e-2, 1e4, 1e10):
            for gamma in (1e-9, 1e-3, 1e3):
                assert SVC(C=C, gamma=gamma).fit(X, y).n_iter_[0] < 100_000
    with pytest.warns(ConvergenceWarning, match="rounding|too slow") as caught:
        SVC(C=1e18, gamma=1e-3).fit(X, y)
    assert "max_iter" not in str(caught[0].message) and "smaller C" in str(caught[0].message)


def test_cache_size_limits_memory_and_leaves_the_result():
    X, y = datasets.make_classification(2000, flip_y=0.2, random_state=0)
    small, large = SVC(cache_size=1, tol=1e-6).fit(X, y), SVC(tol=1e-6).fit(X, y)
    np.testing.assert_allclose(small.decision_function(X), large.decision_function(X), atol=1e-4)
    assert small.report_["figures"]["kernel_rows_computed"] > large.report_["figures"]["kernel_rows_computed"]


def test_threads_do_not_change_results():
    X, y = datasets.make_classification(1500, n_informative=5, n_classes=3, random_state=0)
    one, two = (SVC(threads=n).fit(X, y).decision_function(X) for n in (1, 2))
    np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("options, words", [
    ({"kernel": "sigmoid"}, "no kernel"),
    ({"kernel": "rbff"}, "rbff"),
    ({"kernel": "rbf(ell=-1)"}, "ell"),
    ({"kernel": "poly", "coef0": -1.0}, "poly"),
    ({"gamma": "big"}, "gamma"),
    ({"gamma": -1.0}, "gamma"),
    ({"C": -1.0}, "C"),
    ({"C": "x"}, "C"),
    ({"tol": 0.0}, "tolerance"),
    ({"max_iter": 0}, "max_iter"),
    ({"cache_size": -1}, "cache_size"),
    ({"threads": 0}, "threads"),
    ({"decision_function_shape": "all"}, "decision_function_shape"),
    ({"class_weight": {0: -1.0}}, "class weight"),
    ({"degree": 1.5, "kernel": "poly"}, "degree"),
])
def test_bad_arguments_are_refused_in_fit(options, words):
    X, y = datasets.make_moons(20, random_state=0)
    machine = SVC(**options)
    with pytest.raises(ValueError, match=words):
        machine.fit(X, y)


@pytest.mark.parametrize("cls", ALL)
def test_bad_inputs_are_refused_in_scikit_learns_words(cls):
    X, y = datasets.make_moons(20, random_state=0)
    machine = cls()
    with pytest.raises(NotFittedError):
        machine.predict(X)
    machine.fit(X, y)
    for bad, words in [(X[0], "Expected 2D array"), (X[:, :1], "features"), (X * 1j, "Complex data"),
                       (np.full_like(X, np.nan), "NaN"), (np.full_like(X, np.inf), "infinity"), (X[:0], "0 sample"),
                       ([["a", "b"]], "could not convert|Unable to convert")]:
        with pytest.raises(ValueError, match=words):
            machine.predict(bad)
    for bad in (X[0], X * 1j, np.where(X > 0, np.nan, X), X[:0]):
        with pytest.raises(ValueError):
            cls().fit(bad, y[:len(bad)])
    if cls is not OneClassSVM:
        with pytest.raises(ValueError, match="y"):
            cls().fit(X, None)
        with pytest.raises(ValueError, match="inconsistent"):
            cls().fit(X, y[:-1])


@pytest.mark.parametrize("layout", [np.float32, np.asfortranarray, lambda X: np.repeat(X, 2, axis=1)[:, ::2], list,
                                    lambda X: np.round(X * 100).astype(int)])
def test_layouts_of_inputs(layout):
    X, y = datasets.make_moons(100, noise=0.1, random_state=0)
    given = layout(X)
    plain = np.array(given, dtype=np.float64)
    options = {"gamma": 1.0 if plain.max() < 10 else 1e-4}
    np.testing.assert_allclose(SVC(**options).fit(given, y).decision_function(given),
                               SVC(**options).fit(plain, y).decision_function(plain), atol=2e-3)


def test_pipeline_and_grid_search():
    X, y = datasets.load_iris(return_X_y=True)
    pipeline = make_pipeline(StandardScaler(), SVC())
    assert cross_val_score(pipeline, X, y, n_jobs=2).mean() > 0.94
    search = GridSearchCV(pipeline, {"svc__C": [1, 10], "svc__gamma": ["scale", 0.1]}, cv=3).fit(X, y)
    theirs = GridSearchCV(make_pipeline(StandardScaler(), peer.SVC()), search.param_grid, cv=3).fit(X, y)
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"], atol=0.011)
    search = GridSearchCV(SVC(kernel=mercer.parse("rbf(ell=1)")), {"C": [1, 10], "kernel__ell": [0.1, 1.0, 100.0]},
                          cv=3, n_jobs=2).fit(X, y)
    assert search.best_params_["kernel__ell"] == 1.0
    assert search.best_estimator_.kernel_ == mercer.parse("rbf(ell=1)")
    K = rbf_kernel(X)
    assert GridSearchCV(SVC(kernel="precomputed"), {"C": [1, 10]}, cv=3).fit(K, y).best_score_ > 0.94


def test_kernel_numbers_are_parameters():
    machine = SVC(kernel="rbf(ell=1) + 2*matern(ell=3)")
    assert machine.get_params()["kernel__rbf.ell"] == 1 and machine.get_params()["kernel__matern.ell"] == 3
    copy = clone(machine).set_params(**{"kernel__matern.ell": 4.0}, C=3)
    assert copy.C == 3 and copy.get_params()["kernel__matern.ell"] == 4
    assert machine.kernel == "rbf(ell=1) + 2*matern(ell=3)"
    with pytest.raises(ValueError, match="kernel__ell"):
        SVC().set_params(kernel__ell=1.0)
    with pytest.raises(ValueError):
        machine.set_params(kernel__nothing=1.0)
    assert clone(SVC(kernel=mercer.parse("rbf(ell=2)"))).kernel == mercer.parse("rbf(ell=2)")


@pytest.mark.parametrize("cls", ALL)
def test_pickles(cls):
    X, y = datasets.load_iris(return_X_y=True)
    machine = cls(kernel=mercer.parse("rbf(ell=1.5)")).fit(X, y)
    again = pickle.loads(pickle.dumps(machine))
    np.testing.assert_array_equal(again.predict(X), machine.predict(X))
    np.testing.assert_array_equal(again.dual_coef_, machine.dual_coef_)


def test_models_cross_processes():
    from joblib import Parallel, delayed

    X, y = datasets.load_iris(return_X_y=True)
    machine = SVC().fit(X, y)
    for answer in Parallel(n_jobs=2)(delayed(machine.predict)(part) for part in np.array_split(X, 3)):
        assert set(answer) <= {0, 1, 2}
    fits = Parallel(n_jobs=2)(delayed(SVC(C=C).fit)(X, y) for C in (1, 10, 100))
    np.testing.assert_array_equal(fits[0].decision_function(X), machine.decision_function(X))


FORKED = """
    import multiprocessing
    import numpy as np
    import mercer

    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((2000, 10)), rng.integers(0, 2, 2000)

    def work(threads):
        machine = mercer.SVC(threads=threads).fit(X, y)
        return machine.decision_function(X).sum() + mercer.parse("rbf(ell=1)")(X).sum()

    wanted = work(2)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map_async(work, [None, 2]).get(timeout=30) == [wanted, wanted]
    print("done")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_children_of_a_fork_work_too():
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(FORKED)], capture_output=True, text=True, timeout=60)
    assert done.stdout == "done\n", done.stderr


@pytest.mark.parametrize("cls", ALL)
def test_files(cls, tmp_path):
    X, y = datasets.load_wine(return_X_y=True)
    options = {"tol": 1e-4, "kernel": "rbf(ell=300)"}
    machine = cls(**options).fit(X, y)
    path = tmp_path / "machine.mercer"
    machine.save(path)
    loaded = mercer.load(path)
    assert type(loaded) is cls and loaded.tol == 1e-4 and loaded.kernel_ == machine.kernel_ and loaded.max_iter == -1
    np.testing.assert_array_equal(loaded.predict(X), machine.predict(X))
    for name in ("support_", "n_support_", "dual_coef_", "intercept_", "support_vectors_", "fit_status_"):
        np.testing.assert_array_equal(getattr(loaded, name), getattr(machine, name))
    with pytest.raises(ValueError):
        loaded.predict(X[:, 1:])
    with pytest.raises(OSError):
        mercer.load(tmp_path / "nothing.mercer")


def test_files_keep_classes_and_columns(tmp_path):
    pandas = pytest.importorskip("pandas")
    X, y = datasets.load_wine(return_X_y=True)
    X, y = StandardScaler().fit_transform(X), np.array(["Barolo", "Grignolino", "Barbera"])[y]
    frame = pandas.DataFrame(X, columns=[f"column {i}" for i in range(X.shape[1])])
    machine = SVC(class_weight={"Barolo": 2.0}, probability=True).fit(frame, y)
    machine.save(tmp_path / "wine.mercer")
    loaded = mercer.load(tmp_path / "wine.mercer")
    np.testing.assert_array_equal(loaded.classes_, machine.classes_)
    np.testing.assert_array_equal(loaded.class_weight_, machine.class_weight_)
    np.testing.assert_array_equal(loaded.predict_proba(frame), machine.predict_proba(frame))
    np.testing.assert_array_equal(loaded.feature_names_in_, machine.feature_names_in_)
    with pytest.raises(ValueError):
        loaded.predict(frame.iloc[:, ::-1])


def run_command(*words):
    """The command beside the package, in the same build."""
    program = pathlib.Path(os.environ.get("MERCER_BUILD", "")) / "mercer"
    if not program.is_file():
        pytest.skip("MERCER_BUILD does not name a folder with the command")
    done = subprocess.run([program, *words], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_command_and_the_package_share_files(tmp_path):
    pandas = pytest.importorskip("pandas")
    X, y = datasets.make_moons(150, noise=0.2, random_state=0)
    frame = pandas.DataFrame(X, columns=["east", "north"])
    kind = np.array(["lower", "upper"])[y]
    frame.to_csv(tmp_path / "points.csv", index=False)
    frame.assign(kind=kind).to_csv(tmp_path / "labelled.csv", index=False)

    ours = SVC(C=10).fit(frame, kind)
    ours.save(tmp_path / "ours.mercer")
    answers = run_command("predict", tmp_path / "ours.mercer", tmp_path / "points.csv").split()
    assert answers[-len(y):] == list(ours.predict(frame))

    run_command("fit", "svc", tmp_path / "labelled.csv", "--target", "kind", "--C", "10", "--probability", "-o",
                tmp_path / "theirs.mercer")  # scales its inputs, which stays with the model
    theirs = mercer.load(tmp_path / "theirs.mercer")
    assert type(theirs) is SVC and theirs.C == 10 and theirs.probability
    answers = run_command("predict", tmp_path / "theirs.mercer", tmp_path / "points.csv").split()
    assert answers[-len(y):] == list(theirs.predict(frame))
    assert theirs.score(frame, kind) > 0.85 and theirs.support_vectors_.shape == (len(theirs.support_), 2)


def test_fast_path_is_the_careful_one():
    X, y = datasets.load_iris(return_X_y=True)
    machine = SVC().fit(X, y)
    assert machine._plain_points(X[:1]) is not None
    for other in (X[:1].tolist(), X[:1].astype(np.float32), np.asfortranarray(X[:2]), X[:, :3], X[:0],
                  np.full((1, 4), np.nan), np.full((1, 4), 1e200)):
        assert machine._plain_points(other) is None
    np.testing.assert_array_equal(machine.predict(X), machine.predict(X.tolist()))
    np.testing.assert_array_equal([machine.predict(row.reshape(1, -1))[0] for row in X], machine.predict(X))
    np.testing.assert_array_equal(machine.predict(np.full((1, 4), 1e120)), machine.predict([[1e120] * 4]))


def test_stubs_have_the_same_arguments():
    stub = ast.parse(pathlib.Path(mercer.svm.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    classes = {node.name: node for node in stub.body if isinstance(node, ast.ClassDef)}
    for cls in ALL:
        init = next(node for node in classes[cls.__name__].body if getattr(node, "name", "") == "__init__")
        told = {arg.arg: ast.literal_eval(default) for arg, default in zip(init.args.kwonlyargs, init.args.kw_defaults)}
        assert told == {name: one.default for name, one in inspect.signature(cls).parameters.items()}


@pytest.mark.parametrize("cls", [SVC, NuSVC, OneClassSVM])
def test_classes_do_not_wait_for_scores_in_double_precision(cls, monkeypatch):
    X, y = datasets.load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    machine = cls(nu=0.1) if cls is not SVC else cls()
    machine.fit(X, y)
    f = machine.decision_function(X)
    monkeypatch.delattr(next(c for c in cls.__mro__ if "_scores" in vars(c)), "_scores")
    expected = np.where(f >= 0, 1, -1) if cls is OneClassSVM else (f > 0).astype(int)
    np.testing.assert_array_equal(machine.predict(X), expected)


LONG_FIT = """
    import os, signal, sys, threading, time
    import numpy as np
    from mercer.svm import {name}

    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((3000, 30)), rng.integers(0, 2, 3000)
    sent = []
    def send():
        sent.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)
    threading.Timer(0.7, send).start()
    try:
        {name}(kernel="linear", C=1e7, tol=1e-9).fit(X, y)
    except KeyboardInterrupt:
        print("interrupted", time.process_time() - sent[0])
    print({name}().fit(X[:200], y[:200]).n_support_.sum() > 0)
"""


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
@pytest.mark.parametrize("name", ["SVC", "SVR"])
def test_ctrl_c_ends_a_fit_and_leaves_python_healthy(name):
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(LONG_FIT.format(name=name))], capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stderr
    words = done.stdout.split()
    assert words[0] == "interrupted" and words[2] == "True"
    assert float(words[1]) < 2.0  # of the process itself, whatever else runs
