"""SVC, NuSVC, SVR, NuSVR, OneClassSVM: the same answers as scikit-learn's classes."""
import numpy as np
import pytest
import sklearn.svm as peer
from scipy import sparse
from sklearn import datasets
from sklearn.metrics.pairwise import laplacian_kernel, polynomial_kernel, rbf_kernel
from sklearn.model_selection import cross_val_score
from sklearn.preprocessing import StandardScaler

import mercer
from mercer.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM

ALL = [SVC, NuSVC, SVR, NuSVR, OneClassSVM]
TOL = 1e-5  # both sides this close to the optimum, so that answers can be compared


def scaled(loader):
    X, y = loader(return_X_y=True)
    return StandardScaler().fit_transform(X), y


def text_labels():
    X, y = scaled(datasets.load_wine)
    return X, np.array(["Barolo", "Grignolino", "Barbera"])[y]


def sparse_counts():
    rng = np.random.default_rng(0)
    X = sparse.random(200, 60, density=0.1, random_state=0, format="csr")
    return X, (X @ rng.standard_normal(60) > 0).astype(int)


CLASSES = {
    "iris": lambda: datasets.load_iris(return_X_y=True),
    "wine": lambda: scaled(datasets.load_wine),
    "breast cancer": lambda: scaled(datasets.load_breast_cancer),
    "digits": lambda: tuple(part[:600] for part in datasets.load_digits(return_X_y=True)),
    "moons": lambda: datasets.make_moons(200, noise=0.2, random_state=0),
    "circles": lambda: datasets.make_circles(150, noise=0.1, factor=0.4, random_state=0),
    "five classes": lambda: datasets.make_classification(300, 20, n_informative=8, n_classes=5, random_state=1),
    "text labels": text_labels,
    "sparse": sparse_counts,
    "float labels": lambda: (lambda X, y: (X, np.where(y == 0, -1.0, 2.0)))(*datasets.make_moons(100, random_state=1)),
    "bool labels": lambda: (lambda X, y: (X, y == 1))(*datasets.make_moons(100, noise=0.3, random_state=1)),
}
NUMBERS = {
    "diabetes": lambda: (lambda X, y: (20 * X[:200], y[:200] / 50))(*datasets.load_diabetes(return_X_y=True)),
    "regression": lambda: (lambda X, y: (X, y / 100))(*datasets.make_regression(150, 6, noise=5, random_state=0)),
    "friedman": lambda: datasets.make_friedman1(150, random_state=0),
    "sparse": lambda: (sparse_counts()[0], np.asarray(sparse_counts()[0].sum(axis=1)).ravel()),
}
KERNELS = [{}, {"kernel": "linear"}, {"kernel": "poly", "coef0": 1.0, "degree": 2}, {"gamma": "auto"}]


def dense(a):
    return a.toarray() if sparse.issparse(a) else a


def same_expansion(ours, theirs, atol):
    """Coefficients of the same points; points that only one side has must hardly count."""
    full = [np.zeros((dense(m.dual_coef_).shape[0], m.shape_fit_[0])) for m in (ours, theirs)]
    for values, machine in zip(full, (ours, theirs)):
        values[:, machine.support_] = dense(machine.dual_coef_)
    np.testing.assert_allclose(full[0], full[1], atol=atol)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=atol)


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("name", CLASSES)
def test_svc_answers_as_scikit_learn_does(name, kernel):
    X, y = CLASSES[name]()
    ours = SVC(tol=TOL, **kernel).fit(X, y)
    theirs = peer.SVC(tol=TOL, **kernel).fit(X, y)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    assert ours.predict(X).dtype == theirs.predict(X).dtype
    np.testing.assert_array_equal(ours.classes_, theirs.classes_)
    assert abs(ours.n_support_ - theirs.n_support_).max() <= 2
    several_optima = name == "iris" or (kernel.get("kernel") == "linear" and name in ("five classes", "float labels"))
    if not several_optima:
        same_expansion(ours, theirs, 5e-3)
    for shape in ("ovr", "ovo"):
        ours.set_params(decision_function_shape=shape)
        theirs.set_params(decision_function_shape=shape)
        a, b = ours.decision_function(X), theirs.decision_function(X)
        assert a.shape == b.shape
        if shape == "ovo" or len(ours.classes_) == 2:
            np.testing.assert_allclose(a, b, atol=2e-3)
        else:  # a score at 0 of one pair moves a vote
            assert np.mean(np.abs(a - b).max(axis=1) < 1e-3) > 0.99


@pytest.mark.parametrize("name", ["iris", "wine", "moons", "digits", "sparse", "text labels"])
def test_nusvc_answers_as_scikit_learn_does(name):
    X, y = CLASSES[name]()
    ours, theirs = (cls(nu=0.2, tol=TOL).fit(X, y) for cls in (NuSVC, peer.NuSVC))
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=5e-3)
    same_expansion(ours, theirs, 2e-2)


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("name", NUMBERS)
def test_regression_answers_as_scikit_learn_does(name, kernel):
    X, y = NUMBERS[name]()
    for ours, theirs, options in ((SVR, peer.SVR, {"epsilon": 0.05}), (NuSVR, peer.NuSVR, {"nu": 0.3})):
        a, b = (cls(C=5, tol=TOL, **options, **kernel).fit(X, y) for cls in (ours, theirs))
        np.testing.assert_allclose(a.predict(X), b.predict(X), atol=2e-3)
        np.testing.assert_allclose(a.intercept_, b.intercept_, atol=2e-3)
        assert dense(a.dual_coef_).shape[0] == 1 and a.n_support_.shape == (1,)


@pytest.mark.parametrize("name", ["iris", "moons", "sparse"])
def test_one_class_answers_as_scikit_learn_does(name):
    X = CLASSES[name]()[0]
    ours, theirs = (cls(nu=0.2, tol=TOL).fit(X) for cls in (OneClassSVM, peer.OneClassSVM))
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-3)
    np.testing.assert_allclose(ours.score_samples(X), theirs.score_samples(X), atol=1e-3)
    np.testing.assert_allclose(ours.offset_, theirs.offset_, atol=1e-3)
    sure = abs(theirs.decision_function(X)) > 1e-3
    np.testing.assert_array_equal(ours.predict(X)[sure], theirs.predict(X)[sure])
    assert set(ours.fit_predict(X)) == {-1, 1}


@pytest.mark.parametrize("cls", ALL)
def test_precomputed_matrix_is_the_kernel(cls):
    X, y = datasets.load_iris(return_X_y=True)
    K = rbf_kernel(X, gamma=0.3)
    direct = cls(gamma=0.3, tol=1e-6).fit(X, y)
    given = cls(kernel="precomputed", tol=1e-6).fit(K, y)
    called = cls(kernel=lambda a, b: rbf_kernel(a, b, gamma=0.3), tol=1e-6).fit(X, y)
    new = X[::7] + 0.05
    score = "predict" if cls in (SVR, NuSVR) else "decision_function"
    wanted = getattr(direct, score)(new)
    np.testing.assert_allclose(getattr(given, score)(rbf_kernel(new, X, gamma=0.3)), wanted, atol=1e-3)
    np.testing.assert_allclose(getattr(called, score)(new), wanted, atol=1e-3)
    np.testing.assert_allclose(called.support_vectors_, X[called.support_])
    with pytest.raises(ValueError, match="square"):
        cls(kernel="precomputed").fit(K[:, :-1], y)
    with pytest.raises(ValueError, match="features"):
        given.predict(K[:, :-1])
    if cls in (SVC, NuSVC):
        np.testing.assert_array_equal(given.predict(K), peer_class(cls)(kernel="precomputed").fit(K, y).predict(K))


def peer_class(cls):
    return getattr(peer, cls.__name__)


def test_callable_kernel_is_asked_about_support_vectors_alone():
    X, y = datasets.make_moons(200, noise=0.1, random_state=0)
    asked = []

    def kernel(a, b):
        asked.append((len(a), len(b)))
        return laplacian_kernel(a, b, gamma=1)

    machine = SVC(kernel=kernel, C=10).fit(X, y)
    machine.predict(X[:5])
    assert asked == [(200, 200), (5, len(machine.support_))]
    with pytest.raises(ValueError, match=r"shape \(200,\), not \(200, 200\)"):
        SVC(kernel=lambda a, b: a[:, 0]).fit(X, y)


@pytest.mark.parametrize("kernel", ["rbf(ell=0.5)", "2*rbf(ell=0.5) + linear()", "matern", "rbf(ell=auto)",
                                    mercer.parse("matern(nu=2.5)")], ids=str)
def test_mercer_kernels(kernel):
    X, y = datasets.make_moons(120, noise=0.1, random_state=0)
    machine = SVC(kernel=kernel, C=10).fit(X, y)
    assert machine.score(X, y) > 0.95
    f = machine.kernel_(X, machine.support_vectors_) @ machine.dual_coef_[0] + machine.intercept_[0]
    np.testing.assert_allclose(machine.decision_function(X), f, atol=1e-9)


def test_named_kernels_have_scikit_learns_formulas():
    X, y = datasets.make_moons(60, noise=0.1, random_state=0)
    poly = SVC(kernel="poly", gamma=0.7, coef0=1.5, degree=3).fit(X, y).kernel_
    np.testing.assert_allclose(poly(X), polynomial_kernel(X, gamma=0.7, coef0=1.5, degree=3))
    np.testing.assert_allclose(SVC().fit(X, y).kernel_(X), rbf_kernel(X, gamma=1 / (2 * X.var())))
    np.testing.assert_allclose(SVC(gamma="auto").fit(X, y).kernel_(X), rbf_kernel(X, gamma=0.5))
    assert SVC(gamma=0).fit(X, y).kernel_ == mercer.parse("const(c=1)")
    large = np.repeat(X, 9000, axis=0)
    np.testing.assert_allclose(mercer._support_vectors._variance(large), X.var())
    np.testing.assert_allclose(mercer._support_vectors._variance(sparse.csr_matrix(X)), X.var())


def test_texts_and_tables_of_texts():
    texts = ["abab", "baba", "abba", "xyxy", "yxyx", "xyyx"] * 5
    y = np.array(["ab", "ab", "ab", "xy", "xy", "xy"] * 5)
    machine = SVC(kernel="normalize(spectrum(k=2))").fit(texts, y)
    assert list(machine.predict(["aab", "xxy"])) == ["ab", "xy"]
    assert cross_val_score(SVC(kernel="spectrum(k=2)"), texts, y, cv=3).mean() == 1
    pandas = pytest.importorskip("pandas")
    assert list(machine.predict(pandas.Series(["aab", "xxy"]))) == ["ab", "xy"]
    assert SVC(kernel="spectrum(k=2)").fit(np.array(texts), y).score(pandas.Series(texts), y) == 1
    frame = pandas.DataFrame({"text": texts, "age": np.arange(30.0)})
    both = SVC(kernel="on(text, spectrum(k=2)) + on(age, rbf(ell=10))").fit(frame, y)
    assert both.score(frame, y) == 1
    assert list(both.feature_names_in_) == ["text", "age"] and both.n_features_in_ == 2
    with pytest.raises(ValueError):
        both.predict(frame[["age"]])
    numbers = pandas.DataFrame({"a": np.arange(30.0), "b": np.tile([0.0, 1.0], 15)})
    machine = SVC(kernel="on(b, rbf(ell=1))").fit(numbers, numbers.b)
    assert machine.score(numbers, numbers.b) == 1
    with pytest.raises(ValueError, match="feature names"):
        machine.predict(numbers[["b", "a"]])
    with pytest.warns(UserWarning, match="feature names"):
        machine.predict(numbers.to_numpy())


def test_dual_coefficients_of_three_classes_give_the_pair_scores():
    X, y = datasets.load_iris(return_X_y=True)
    machine = SVC(decision_function_shape="ovo").fit(X, y)
    K = machine.kernel_(X, machine.support_vectors_)
    ends = np.cumsum(machine.n_support_)
    of = [slice(end - count, end) for end, count in zip(ends, machine.n_support_)]
    assert machine.dual_coef_.shape == (2, ends[-1])
    for pair, (a, b) in enumerate([(0, 1), (0, 2), (1, 2)]):
        f = K[:, of[a]] @ machine.dual_coef_[b - 1, of[a]] + K[:, of[b]] @ machine.dual_coef_[a, of[b]]
        np.testing.assert_allclose(machine.decision_function(X)[:, pair], f + machine.intercept_[pair], atol=1e-9)
    for c in range(3):
        assert (y[machine.support_[of[c]]] == c).all()
    assert machine.n_iter_.shape == (3,) and machine.fit_status_ == 0 and machine.shape_fit_ == X.shape


@pytest.mark.parametrize("cls", [SVC, SVR, OneClassSVM])
@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_matrix], ids=["dense", "sparse"])
def test_linear_coefficients(cls, convert):
    X, y = scaled(datasets.load_wine)
    machine = cls(kernel="linear").fit(convert(X), y)
    f = X @ dense(machine.coef_).T + machine.intercept_
    scores = machine.predict(X) if cls is SVR else machine.set_params(
        **({"decision_function_shape": "ovo"} if cls is SVC else {})).decision_function(X)
    np.testing.assert_allclose(np.squeeze(f), scores, atol=1e-8)
    assert dense(machine.coef_).shape == dense(peer_class(cls)(kernel="linear").fit(convert(X), y).coef_).shape
    with pytest.raises(AttributeError):
        cls().fit(X, y).coef_


@pytest.mark.parametrize("cls", [SVC, NuSVC])
def test_sigmoids_are_those_behind_the_probabilities(cls):
    X, y = datasets.load_iris(return_X_y=True)
    for kinds in (2, 3):
        machine = cls(probability=True, decision_function_shape="ovo").fit(X[y < kinds], y[y < kinds])
        assert machine.probA_.shape == machine.probB_.shape == (kinds * (kinds - 1) // 2,) and (machine.probA_ < 0).all()
    machine = cls(probability=True).fit(X[y > 0], y[y > 0])
    of_first = 1 / (1 + np.exp(-machine.probA_ * machine.decision_function(X) + machine.probB_))  # LIBSVM's f is minus it
    np.testing.assert_allclose(machine.predict_proba(X)[:, 0], of_first)
    assert cls().fit(X, y).probA_.shape == (0,)


def test_weights_of_features_cannot_be_changed():
    X, y = datasets.load_iris(return_X_y=True)
    for convert in (np.asarray, sparse.csr_matrix):
        machine = SVC(kernel="linear").fit(convert(X), y)
        with pytest.raises(ValueError, match="read-only"):
            machine.coef_[0, 0] = 0
        with pytest.raises(AttributeError):
            machine.coef_ = 0


def test_break_ties():
    X, y = datasets.make_blobs(300, centers=6, cluster_std=4, random_state=3)
    machine = SVC(break_ties=True, gamma=0.1).fit(X, y)
    np.testing.assert_array_equal(machine.predict(X), machine.classes_[machine.decision_function(X).argmax(axis=1)])
    assert (machine.predict(X) != SVC(gamma=0.1).fit(X, y).predict(X)).any()
    with pytest.raises(ValueError, match="break_ties"):
        machine.set_params(decision_function_shape="ovo").predict(X)
    assert SVC(break_ties=True).fit(X[y < 2], y[y < 2]).score(X[y < 2], y[y < 2]) > 0.5


@pytest.mark.parametrize("cls", [SVC, NuSVC])
@pytest.mark.parametrize("name", ["iris", "moons", "text labels"])
def test_probabilities_agree_with_predictions(cls, name):
    X, y = CLASSES[name]()
    machine = cls(probability=True).fit(X, y)
    p = machine.predict_proba(X)
    assert p.shape == (len(y), len(machine.classes_))
    np.testing.assert_allclose(p.sum(axis=1), 1)
    np.testing.assert_array_equal(machine.classes_[p.argmax(axis=1)], machine.predict(X))
    np.testing.assert_array_equal(machine.predict(X[:1].copy()), machine.predict(X)[:1])
    np.testing.assert_allclose(np.exp(machine.predict_log_proba(X)), p)
    again = cls(probability=True, random_state=7).fit(X, y)
    np.testing.assert_array_equal(again.predict_proba(X), p)
    plain = cls().fit(X, y)
    assert not hasattr(plain, "predict_proba")
    for asked in (False, True):  # asked for after the fit is too late
        with pytest.raises(AttributeError) as refusal:
            plain.set_params(probability=asked).predict_proba(X)
        assert "probability=False" in f"{refusal.value} {refusal.value.__cause__}"  # newer releases: in the cause


@pytest.mark.parametrize("weights", ["balanced", {0: 3.0, 1: 0.5}])
def test_class_weights(weights):
    X, y = datasets.make_classification(300, weights=[0.85], random_state=0, flip_y=0.1)
    ours, theirs = (cls(class_weight=weights, tol=TOL).fit(X, y) for cls in (SVC, peer.SVC))
    np.testing.assert_allclose(ours.class_weight_, theirs.class_weight_)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-3)
    multiplied = SVC(tol=TOL, gamma=1 / X.var() / 20).fit(X, y, sample_weight=ours.class_weight_[y])
    np.testing.assert_allclose(ours.decision_function(X), multiplied.decision_function(X), atol=1e-3)
    odd = SVC(class_weight={"a, b": 3.0, "c=d": 0.5} if isinstance(weights, dict) else weights, tol=TOL)
    odd.fit(X, np.array(["a, b", "c=d"])[y])
    np.testing.assert_allclose(ours.decision_function(X), odd.decision_function(X), atol=1e-3)


def test_balanced_classes_make_nu_feasible():
    X, y = datasets.make_classification(200, weights=[0.9], random_state=0)
    with pytest.raises(ValueError, match="infeasible"):
        NuSVC(nu=0.5).fit(X, y)
    assert NuSVC(nu=0.5, class_weight="balanced").fit(X, y).score(X, y) > 0.8


@pytest.mark.parametrize("cls", ALL)
def test_sample_weights(cls):
    X, y = datasets.make_moons(60, noise=0.3, random_state=0)
    rng = np.random.default_rng(1)
    weight = rng.integers(0, 4, 60).astype(float)
    repeated = np.repeat(np.arange(60), weight.astype(int))
    options = {}  # at the usual tolerance: small problems are solved exactly, and gamma="scale" counts weights
    score = "predict" if cls in (SVR, NuSVR) else "decision_function"
    weighted = cls(**options).fit(X, y, sample_weight=weight)
    counted = cls(**options).fit(X[repeated], y[repeated])
    np.testing.assert_allclose(getattr(weighted, score)(X), getattr(counted, score)(X), atol=1e-10)
    ones = cls(**options).fit(X, y, sample_weight=np.ones(60))
    np.testing.assert_allclose(getattr(ones, score)(X), getattr(cls(**options).fit(X, y), score)(X), atol=1e-12)
    with pytest.raises(ValueError, match="all samples have zero or negative weights"):
        cls().fit(X, y, sample_weight=np.full(60, -1.0))
    with pytest.warns(UserWarning, match="1 of 60 are below 0 and count as 0"):
        negative = cls(**options).fit(X, y, sample_weight=np.where(np.arange(60) == 7, -2.0, weight))
    nothing = cls(**options).fit(X, y, sample_weight=np.where(np.arange(60) == 7, 0.0, weight))
    np.testing.assert_array_equal(getattr(negative, score)(X), getattr(nothing, score)(X))
    with pytest.raises(ValueError):
        cls().fit(X, y, sample_weight=np.ones(59))
