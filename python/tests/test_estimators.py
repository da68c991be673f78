"""Laws of all estimators: files, texts, arguments, weights."""
import inspect
import warnings

import numpy as np
import pytest
import sklearn.cluster
import sklearn.decomposition
import sklearn.gaussian_process
import sklearn.kernel_ridge
import sklearn.neighbors
import sklearn.svm
from sklearn.datasets import load_iris

import mercer
from mercer._base import all_estimators

rng = np.random.default_rng(0)
X = rng.normal(size=(40, 3))
y = np.where(X[:, 0] + 0.3 * rng.normal(size=40) > 0, 1, 2)
T = rng.normal(size=(7, 3))
WORDS = ["abab", "ab", "babb", "xy", "xyxy", "yxx", "aab", "xyy", "ba", "yx"] * 3
KINDS = np.array([1, 1, 1, 2, 2, 2, 1, 2, 1, 2] * 3)
NEW = ["abba", "xyx", "b"]
STRINGS = "normalize(spectrum(k=2)) + fixed(0.1)"
# Maps of the inputs, and no models of the core: they are pickled, and have tests of their own (test_approximation.py).
MAPS = (mercer.Nystroem, mercer.RBFSampler)
ESTIMATORS = [one for one in all_estimators() if one not in MAPS]
ANSWERS = ("predict", "predict_proba", "decision_function", "transform", "score_samples")

each = pytest.mark.parametrize("cls", ESTIMATORS, ids=lambda cls: cls.__name__)


def fitted(cls, inputs, targets, **arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of iterations and of constants: small sets are not easy ones
        return cls(**arguments).fit(inputs, targets)


def few(cls):
    """Arguments that a set of forty points is large enough for."""
    names = inspect.signature(cls).parameters
    return {name: count for name, count in {"n_clusters": 2, "n_components": 1}.items() if name in names}


def answers(model, inputs):
    return {name: getattr(model, name)(inputs) for name in ANSWERS if hasattr(model, name)}


def same(model, again, inputs):
    there = answers(again, inputs)
    here = answers(model, inputs)
    assert here and here.keys() == there.keys()
    for name, numbers in here.items():
        np.testing.assert_array_equal(there[name], numbers, err_msg=name)


def kernel_argument(cls, kernel):
    return {cls._kernel_argument: kernel, **({"target_kernel": kernel} if cls is mercer.KernelCCA else {})}


@each
def test_what_is_saved_comes_back(cls, tmp_path):
    model = fitted(cls, X, y, **few(cls))
    model.save(tmp_path / "m.mercer")
    again = mercer.load(tmp_path / "m.mercer")
    assert type(again) is cls
    same(model, again, T)
    assert again.kernel_ == model.kernel_
    assert again.report_["figures"].keys() == model.report_["figures"].keys()
    again.save(tmp_path / "again.mercer")
    same(model, mercer.load(tmp_path / "again.mercer"), T)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        again.fit(X, y)  # its arguments are such that it can be fitted
    assert answers(again, T).keys() == answers(model, T).keys()


@pytest.mark.parametrize("cls", MAPS)
def test_a_map_says_that_no_file_holds_it(cls, tmp_path):
    with pytest.raises(ValueError, match="no model of the core"):
        cls(n_components=2).fit(X).save(tmp_path / "m.mercer")
    assert not list(tmp_path.iterdir())


@each
def test_arguments_come_back(cls, tmp_path):
    """Those that a file has a place for: some numbers unlike their defaults."""
    changes = {"C": 2.5, "nu": 0.3, "epsilon": 0.2, "alpha": 0.7, "alphas": [0.1, 2.0], "n_clusters": 3, "n_components": 1,
               "n_neighbors": 3, "ridge": 0.3, "n_init": 3, "tol": 1e-4, "max_iter": 77, "noise": "fixed(0.2)",
               "probability": True, "mean": "zero", "weights": "distance", "n_permutations": 5, "averaged": True}
    elsewhere = {mercer.KernelPCA: ("max_iter", "alpha"),  # of no solver here; of the way back
                 mercer.GaussianProcessRegressor: ("alpha",),  # is in the noise
                 mercer.KernelFDA: ("n_components",),  # of `transform` alone
                 mercer.SpectralClustering: ("n_neighbors",)}  # of a graph, which is a matrix
    given = {name: value for name, value in changes.items()
             if name in inspect.signature(cls).parameters and name not in elsewhere.get(cls, ())}
    model = fitted(cls, X, y, **given)
    model.save(tmp_path / "m.mercer")
    told = mercer.load(tmp_path / "m.mercer").get_params()
    assert {name: told[name] for name in given} == given


@each
def test_texts(cls, tmp_path):
    arguments = {**few(cls), **kernel_argument(cls, STRINGS)}
    targets = WORDS if cls is mercer.KernelCCA else KINDS
    if cls is mercer.KernelDensity:
        with pytest.raises(ValueError, match="a density is over real vectors, and the inputs are strings"):
            fitted(cls, WORDS, targets, **arguments)
        return
    model = fitted(cls, WORDS, targets, **arguments)
    assert model.kernel_ == mercer.parse(STRINGS)
    model.save(tmp_path / "m.mercer")
    same(model, mercer.load(tmp_path / "m.mercer"), NEW)
    as_array = fitted(cls, np.array(WORDS), targets, **arguments)
    same(model, as_array, np.array(NEW))


@each
def test_a_kernel_that_is_none_is_named(cls):
    """Also beside texts, which are no numbers."""
    for inputs in (X, WORDS):
        with pytest.raises(ValueError, match="no kernel or rule is called \"spektrum\"|spektrum.*no kernel has this name"):
            fitted(cls, inputs, y if inputs is X else KINDS, **kernel_argument(cls, "spektrum(k=2)"))


# ---- scikit-learn's arguments ----

PEERS = {
    mercer.SVC: sklearn.svm.SVC, mercer.NuSVC: sklearn.svm.NuSVC, mercer.SVR: sklearn.svm.SVR,
    mercer.NuSVR: sklearn.svm.NuSVR, mercer.OneClassSVM: sklearn.svm.OneClassSVM,
    mercer.KernelRidge: sklearn.kernel_ridge.KernelRidge, mercer.KernelPCA: sklearn.decomposition.KernelPCA,
    mercer.KernelDensity: sklearn.neighbors.KernelDensity, mercer.SpectralClustering: sklearn.cluster.SpectralClustering,
    mercer.GaussianProcessRegressor: sklearn.gaussian_process.GaussianProcessRegressor,
    mercer.GaussianProcessClassifier: sklearn.gaussian_process.GaussianProcessClassifier,
    mercer.KernelKNNClassifier: sklearn.neighbors.KNeighborsClassifier,
    mercer.KernelKNNRegressor: sklearn.neighbors.KNeighborsRegressor,
}
# docs/python.md says why.
OTHER_DEFAULTS = {"cache_size", "verbose", "probability", "kernel", "alpha", "n_restarts_optimizer", "multi_class"}


@pytest.mark.parametrize("ours", PEERS, ids=lambda cls: cls.__name__)
def test_arguments_keep_their_names_and_defaults(ours):
    theirs = inspect.signature(PEERS[ours]).parameters
    told = inspect.signature(ours).parameters
    assert [name for name in theirs if name not in told] == []
    different = {name for name in theirs if theirs[name].default != told[name].default
                 and not isinstance(theirs[name].default, float)}
    assert different <= OTHER_DEFAULTS


@pytest.mark.parametrize("cls, bad", [
    (mercer.KernelPCA, {"max_iter": 5}), (mercer.KernelPCA, {"iterated_power": 3}),
    (mercer.KernelDensity, {"algorithm": "tree"}), (mercer.KernelDensity, {"leaf_size": 0}),
    (mercer.KernelDensity, {"breadth_first": "no"}), (mercer.KernelDensity, {"metric": "haversine"}),
    (mercer.KernelDensity, {"metric": "minkowski", "metric_params": {"p": 3}}),
    (mercer.KernelDensity, {"metric": "manhattan"}),
    (mercer.KernelDensity, {"metric": "manhattan", "kernel": "rbf(ell=1)"}),
    (mercer.KernelKNNClassifier, {"metric": "manhattan"}), (mercer.KernelKNNClassifier, {"p": 1}),
    (mercer.KernelKNNRegressor, {"metric_params": {"w": [1, 2, 3]}}), (mercer.KernelKNNRegressor, {"algorithm": "hash"}),
    (mercer.KernelKNNRegressor, {"leaf_size": 0}), (mercer.SVC, {"probability": "maybe"}),
    (mercer.SpectralClustering, {"eigen_tol": 1e-3}),
])
def test_what_cannot_be_honoured_is_refused_by_name(cls, bad):
    with pytest.raises(ValueError, match="|".join(bad)):
        cls(**bad).fit(X, y)


def test_threads_are_counted_as_scikit_learn_counts_jobs():
    from joblib import effective_n_jobs

    assert mercer.KernelPCA(n_jobs=2)._threads() == 2
    assert mercer.KernelPCA(n_jobs=-1)._threads() == effective_n_jobs(-1)
    assert mercer.KernelKNN(n_jobs=2, threads=1)._threads() == 1
    assert mercer.KernelKNN()._threads() == 0


def test_the_manhattan_distance_has_an_exponential_density():
    """The mean of products of Laplace densities; scikit-learn's is this one times (2h)^3 / (8 pi h^3), as it divides by
    the integral of the Euclidean distance whatever the metric."""
    theirs = sklearn.neighbors.KernelDensity(kernel="exponential", metric="manhattan", bandwidth=0.7).fit(X)
    exact = np.log(np.exp(-abs(T[:, None] - X).sum(axis=2) / 0.7).mean(axis=1) / (2 * 0.7) ** 3)
    for options in ({"metric": "manhattan"}, {"metric": "minkowski", "metric_params": {"p": 1}}, {"metric": "l1"}):
        ours = mercer.KernelDensity(kernel="exponential", bandwidth=0.7, **options).fit(X)
        np.testing.assert_allclose(ours.score_samples(T), exact, atol=1e-12)
    np.testing.assert_allclose(theirs.score_samples(T) + np.log(np.pi), exact, atol=1e-12)


def test_a_copy_of_the_inputs_is_kept_where_it_is_asked_for():
    given = X.copy()
    copied, borrowed = (mercer.KernelPCA(2, copy_X=copy).fit(given) for copy in (True, False))
    places = copied.transform(T), borrowed.transform(T)
    given *= 2
    np.testing.assert_array_equal(copied.X_fit_, X)
    np.testing.assert_array_equal(borrowed.X_fit_, given)
    for model, before in zip((copied, borrowed), places):
        np.testing.assert_array_equal(model.transform(T), before)  # the model's points are its own


# ---- weights ----

WITH_CLASS_WEIGHT = [cls for cls in ESTIMATORS if "class_weight" in inspect.signature(cls).parameters]


@pytest.mark.parametrize("cls", WITH_CLASS_WEIGHT, ids=lambda cls: cls.__name__)
@pytest.mark.parametrize("named", [False, True])
def test_weights_of_points_and_of_classes_are_multiplied(cls, named):
    inputs, kinds = load_iris(return_X_y=True)
    inputs = inputs[::2]
    kinds = np.array(["a, b", "c", "d"])[kinds[::2]] if named else kinds[::2]  # a name that no setting can hold
    of_class = dict(zip(np.unique(kinds), (1.0, 4.0, 0.5)))
    of_point = np.random.default_rng(1).integers(1, 4, len(kinds)).astype(float)
    together = of_point * [of_class[kind] for kind in kinds]
    arguments = {"kernel": "rbf(ell=1)"}  # "scale" is read off the data, of which points are weighted and classes are not
    arguments.update({"tol": 1e-8} if "tol" in inspect.signature(cls).parameters else {})
    if cls is mercer.NuSVC:
        arguments["nu"] = 0.1
    both = cls(class_weight=of_class, **arguments).fit(inputs, kinds, sample_weight=of_point)
    apart = {"classes": cls(class_weight=of_class, **arguments).fit(inputs, kinds),
             "points": cls(**arguments).fit(inputs, kinds, sample_weight=of_point)}
    one = cls(**arguments).fit(inputs, kinds, sample_weight=together)
    scores = both.decision_function(inputs) if hasattr(both, "decision_function") else both.predict_proba(inputs)
    expected = one.decision_function(inputs) if hasattr(one, "decision_function") else one.predict_proba(inputs)
    np.testing.assert_allclose(scores, expected, atol=1e-5)
    for what, other in apart.items():
        found = other.decision_function(inputs) if hasattr(other, "decision_function") else other.predict_proba(inputs)
        assert abs(found - scores).max() > 1e-3, what


# NumPy makes the text "nan" of what is missing among texts.
@pytest.mark.parametrize("cls", [mercer.SVC, mercer.KernelRidgeClassifier, mercer.KernelKNNClassifier,
                                 mercer.GaussianProcessClassifier, mercer.KernelPerceptron, mercer.Auto])
def test_a_missing_class_is_named_with_its_row(cls):
    pandas = pytest.importorskip("pandas")
    nan = float("nan")
    for y in (["a", nan, "a", "b"], ["a", None, "a", "b"], np.array(["a", nan, "a", "b"], dtype=object),
              pandas.Series(["a", None, "a", "b"]), pandas.Series(["a", pandas.NA, "a", "b"], dtype="string"),
              pandas.Categorical(["a", None, "a", "b"]), ["a", np.float64("nan"), "a", "b"]):
        with pytest.raises(ValueError, match="Input y contains NaN: row 2 is .*, which is no class"):
            cls().fit(np.arange(8.0).reshape(4, 2), y)
    if cls is not mercer.Auto:
        with pytest.raises(ValueError, match="row 3 is nan, which is no class"):
            cls().fit(np.arange(8.0).reshape(4, 2), [0, 1.0, nan, 1])


def test_a_text_that_says_nan_is_a_class():
    fitted = mercer.SVC().fit(np.arange(8.0).reshape(4, 2), ["nan", "b", "nan", "None"])
    assert list(fitted.classes_) == ["None", "b", "nan"]
