"""The kernel language in Python: the catalog's functions, closure rules, texts, numbers, proofs, checks."""
import ast
import copy
import inspect
import math
import pickle
from pathlib import Path

import numpy as np
import pandas
import pytest

import mercer
from mercer import _core

X = np.random.default_rng(1).uniform(0.1, 2, size=(7, 3))
CATALOG = _core.catalog()
AXIOMS = [row["name"] for row in CATALOG if not row["is_rule"]]
EXAMPLES = [row["example"] for row in CATALOG if row["example"]]


# ---- the catalog ----


@pytest.mark.parametrize("name", AXIOMS)
def test_every_axiom_is_a_function_with_the_words_of_the_catalog(name):
    function = getattr(mercer, name)
    row = next(row for row in CATALOG if row["name"] == name)
    assert function.__name__ == name
    arguments = [] if name == "features" else row["arguments"]
    for words in (row["formula"], row["conditions"], row["because"], row["citation"], *arguments, ">>> "):
        assert words in function.__doc__
    written = row["signature"].partition("(")[2].rstrip(")")
    names = [part.partition("=")[0].strip() for part in written.split(",") if part]
    parameters = [one.rstrip("_") for one in inspect.signature(function).parameters]  # lambda_, as Python needs it
    assert [one for one in parameters if one in names] == names


def test_signatures_have_names_defaults_and_other_spellings():
    assert str(inspect.signature(mercer.rbf)) == "(ell=1.0, *, gamma=None, sigma=None) -> 'Kernel'"
    assert str(inspect.signature(mercer.matern)) == "(nu=1.5, ell=1.0) -> 'Kernel'"
    assert str(inspect.signature(mercer.poly)) == "(degree=2, c=1.0) -> 'Kernel'"
    assert str(inspect.signature(mercer.linear)) == "() -> 'Kernel'"


def test_defaults_are_those_of_the_catalog():
    for name in AXIOMS:
        if all(p.default is not p.empty for p in inspect.signature(getattr(mercer, name)).parameters.values()):
            assert getattr(mercer, name)() == mercer.parse(f"{name}()")


def test_stars_leave_the_builtin_min_alone():
    names = {}
    exec("from mercer import *", names)
    assert "min" not in names and repr(names["rbf"]()) == "rbf(ell=1)" and repr(mercer.min()) == "min()"


ARGUMENTS = [
    (lambda: mercer.rbf(0.5), "rbf(ell=0.5)"),
    (lambda: mercer.rbf(ell=np.float32(0.5)), "rbf(ell=0.5)"),
    (lambda: mercer.rbf(ell=np.array(2)), "rbf(ell=2)"),
    (lambda: mercer.rbf(ell=[1, 2.5]), "rbf(ell=[1, 2.5])"),
    (lambda: mercer.rbf(ell=np.array([1.0, 2.5])), "rbf(ell=[1, 2.5])"),
    (lambda: mercer.rbf(ell=(1, 2)), "rbf(ell=[1, 2])"),
    (lambda: mercer.rbf(ell="auto"), "rbf(ell=auto)"),
    (lambda: mercer.rbf(ell=["auto"]), "rbf(ell=[auto])"),
    (lambda: mercer.rbf(gamma=0.02), "rbf(ell=5)"),
    (lambda: mercer.rbf(sigma=3), "rbf(ell=3)"),
    (lambda: mercer.rbf(ell=mercer.fixed(2)), "rbf(ell=fixed(2))"),
    (lambda: mercer.rbf(ell=mercer.fixed([1, 2])), "rbf(ell=fixed([1, 2]))"),
    (lambda: mercer.rbf(ell=mercer.fixed("auto")), "rbf(ell=fixed(auto))"),
    (lambda: mercer.rbf(ell=mercer.bounded(0.3, 0.01, 10)), "rbf(ell=0.3 in [0.01, 10])"),
    (lambda: mercer.rbf(ell=mercer.bounded([1, 2], 0.5, math.inf)), "rbf(ell=[1, 2] in [0.5, inf])"),
    (lambda: mercer.rbf(ell=mercer.bounded("auto", 0.1, 10)), "rbf(ell=auto in [0.1, 10])"),
    (lambda: mercer.rbf(ell="0.3 in [0.01, 10]"), "rbf(ell=0.3 in [0.01, 10])"),
    (lambda: mercer.rbf(ell=0.1 + 0.2), "rbf(ell=0.30000000000000004)"),
    (lambda: mercer.matern(2.5, [1, 2]), "matern(nu=2.5, ell=[1, 2])"),
    (lambda: mercer.poly(degree=np.int64(3), c=0), "poly(degree=3, c=0)"),
    (lambda: mercer.quadratic(np.eye(2)), "quadratic(A=[[1, 0], [0, 1]])"),
    (lambda: mercer.fixed(2) * mercer.rbf(), "fixed(2)*rbf(ell=1)"),
    (lambda: mercer.rbf() * mercer.bounded(2, 1, 3), "(2 in [1, 3])*rbf(ell=1)"),
    (lambda: mercer.fixed(2) * (mercer.rbf() + 1), "fixed(2)*(rbf(ell=1) + 1)"),
    (lambda: mercer.on("age", mercer.rbf()), "on(age, rbf(ell=1))"),
    (lambda: mercer.on(2, mercer.rbf()), "on(2, rbf(ell=1))"),
    (lambda: mercer.on("x1:x5, dose", mercer.rbf()), "on([x1:x5, dose], rbf(ell=1))"),
    (lambda: mercer.on(["age", 3, "a b"], mercer.rbf()), 'on([age, 3, "a b"], rbf(ell=1))'),
    (lambda: mercer.on(['"a", b:c'], mercer.rbf()), 'on("\\"a\\", b:c", rbf(ell=1))'),
    (lambda: mercer.on(pandas.Index(["a", "b"]), mercer.rbf()), "on([a, b], rbf(ell=1))"),
    (lambda: mercer.polynomial([1, 0, 2], mercer.linear()), "polynomial([1, 0, 2], linear())"),
    (lambda: mercer.warp("log", mercer.rbf()), "warp(log, rbf(ell=1))"),
    (lambda: mercer.scaled("norm", mercer.rbf()), "scaled(norm, rbf(ell=1))"),
    (lambda: mercer.exp(mercer.normalize(mercer.linear())), "exp(normalize(linear()))"),
    (lambda: mercer.assume_psd("tanh(dot(x,y))", 'a "reason"'), 'assume_psd(tanh(dot(x, y)), "a \\"reason\\"")'),
]


@pytest.mark.parametrize("number", range(len(ARGUMENTS)))
def test_arguments_become_the_grammar_and_come_back(number):
    make, text = ARGUMENTS[number]
    k = make()
    assert repr(k) == text
    assert mercer.parse(repr(k)) == k and hash(mercer.parse(repr(k))) == hash(k)
    assert pickle.loads(pickle.dumps(k)) == k


@pytest.mark.parametrize("text", EXAMPLES)
def test_texts_come_back(text):
    k = mercer.parse(text)
    assert mercer.parse(repr(k)) == k


REFUSED = [
    (lambda: mercer.rbf(ell=-1), ValueError, r"KernelError: rbf\(\): ell must be a finite number > 0, not -1"),
    (lambda: mercer.rbf(ell=math.nan), ValueError, r"rbf\(\): ell: must be a finite number, not nan"),
    (lambda: mercer.rbf(ell=math.inf), ValueError, "not inf"),
    (lambda: mercer.rbf(ell=10**400), ValueError, "too large"),
    (lambda: mercer.rbf(ell=[1, -2]), ValueError, "not -2"),
    (lambda: mercer.rbf(ell=[]), ValueError, "empty list"),
    (lambda: mercer.rbf(gamma=0), ValueError, "must be > 0"),
    (lambda: mercer.rbf(1, gamma=2), ValueError, r"rbf\(\) has its ell already"),
    (lambda: mercer.rbf(elll=1), TypeError, r"rbf\(\) got an unexpected keyword argument 'elll'"),
    (lambda: mercer.rbf(1, 2), TypeError, "too many positional"),
    (lambda: mercer.rbf(ell=None), TypeError, "number"),
    (lambda: mercer.rbf(ell=True), TypeError, "number"),
    (lambda: mercer.rbf(ell={}), TypeError, "number"),
    (lambda: mercer.rbf(ell="1) + linear("), ValueError, "range"),
    (lambda: mercer.rbf(ell="atuo"), ValueError, "expected a number for ell"),
    (lambda: mercer.rbf(ell=mercer.bounded(0.3, 1, 10)), ValueError, r"lies outside its range \[1, 10\]"),
    (lambda: mercer.matern(nu=0), ValueError, "nu must be a number > 0 and at most 10000, not 0"),
    (lambda: mercer.poly(degree=2.5), ValueError, "whole number"),
    (lambda: mercer.spectrum(k=0), ValueError, "whole number from 1"),
    (lambda: mercer.quadratic([[1, 2], [2, 1]]), ValueError, "smallest eigenvalue is -1"),
    (lambda: mercer.quadratic([1, 2]), ValueError, "Expected 2D array"),
    (lambda: mercer.polynomial([1, -1], mercer.linear()), ValueError, ">= 0"),
    (lambda: mercer.warp("lg", mercer.linear()), ValueError, "did you mean log"),
    (lambda: mercer.warp(3, mercer.linear()), TypeError, "function"),
    (lambda: mercer.features("log"), TypeError, "function"),
    (lambda: mercer.features(abs, name="a b"), ValueError, "identifier"),
    (lambda: mercer.warp(abs, mercer.linear(), name="tanh"), ValueError, "other than"),
    (lambda: mercer.exp(3), TypeError, "a Kernel is needed"),
    (lambda: mercer.on(0, mercer.linear()), ValueError, "counted from 1"),
    (lambda: mercer.on([], mercer.linear()), ValueError, "at least one"),
    (lambda: mercer.on([1.5], mercer.linear()), TypeError, "a name or a number"),
    (lambda: mercer.parse("rbf("), ValueError, "GrammarError: column 5"),
    (lambda: mercer.parse("rbff()"), ValueError, "did you mean rbf"),
    (lambda: mercer.parse(3), TypeError, "a text"),
    (lambda: mercer.linear() - mercer.rbf(), TypeError, "a difference of kernels need not be positive semi-definite"),
    (lambda: 1 - mercer.linear(), TypeError, "a difference"),
    (lambda: -mercer.linear(), TypeError, "a negative multiple"),
    (lambda: -2 * mercer.linear(), ValueError, ">= 0, not -2"),
    (lambda: math.nan * mercer.linear(), ValueError, "not nan"),
    (lambda: mercer.linear() + -1, ValueError, ">= 0, not -1"),
    (lambda: 1 / mercer.linear(), TypeError, "a quotient"),
    (lambda: mercer.linear() / 0, TypeError, "a quotient"),
    (lambda: mercer.linear() ** 0, ValueError, "whole number from 1"),
    (lambda: mercer.linear() ** 0.5, TypeError, "whole number"),
    (lambda: mercer.linear() * "a", TypeError, ""),
    (lambda: mercer.linear() + True, TypeError, ""),
    (lambda: np.ones(3) * mercer.linear(), TypeError, ""),
    (lambda: setattr(mercer.linear(), "ell", 2), AttributeError, "do not change"),
]


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_refusals(number):
    make, error, words = REFUSED[number]
    with pytest.raises(error, match=words):
        make()


# ---- numbers ----


def test_sums_products_and_powers():
    a, b = mercer.rbf(ell=2), mercer.linear()
    A, B = a(X), b(X)
    for k, expected in ((a + b, A + B), (a * b, A * B), (3 * a, 3 * A), (a * np.float32(3), 3 * A), (a / 4, A / 4),
                        (b**3, B**3), (a + 2, A + 2), (np.int64(2) + a, A + 2), (mercer.exp(b), np.exp(B)),
                        (mercer.polynomial([1, 0, 2], b), 1 + 2 * B**2),
                        (mercer.normalize(b), B / np.sqrt(np.outer(np.diag(B), np.diag(B)))),
                        (mercer.on([3, 1], b), X[:, [2, 0]] @ X[:, [2, 0]].T),
                        (mercer.warp("log", b), np.log(X) @ np.log(X).T)):
        np.testing.assert_allclose(k(X), expected, rtol=1e-12, err_msg=repr(k))
    assert sum([a, b]) == a + b


def test_gram_cross_and_diagonal_agree():
    k = 2 * mercer.rbf(ell=1) + mercer.matern(2.5) * mercer.linear()
    K = k(X)
    np.testing.assert_array_equal(K, K.T)
    np.testing.assert_allclose(k(X, X[:2]), K[:, :2], rtol=1e-13)
    np.testing.assert_allclose(k.diag(X), np.diag(K), rtol=1e-13)


def test_gradients_are_slopes():
    k = 2 * mercer.rbf(ell=[1, 2, 3]) + mercer.periodic(period=0.7, ell=1.5)
    W = np.random.default_rng(2).normal(size=(7, 7))
    step, found = 1e-6, k.gradient(X, W)
    assert len(found) == len(k.params)
    for one, slope in zip(k.params, found):
        up, down = (k.with_params(**{one["path"]: one["value"] + sign * step}) for sign in (1, -1))
        assert slope == pytest.approx(np.sum(W * (up(X) - down(X))) / (2 * step), rel=1e-5, abs=1e-7)
    np.testing.assert_allclose(k.gradient(X, W[:, :2], X[:2]), k.gradient(X, np.pad(W[:, :2], ((0, 0), (0, 5)))),
                               rtol=1e-10)
    by_input = k.input_gradient(X, X[:2], W[:, :2])
    moved = X.copy()
    moved[3, 1] += step
    assert by_input[3, 1] == pytest.approx(np.sum(W[:, :2] * (k(moved, X[:2]) - k(X, X[:2]))) / step, rel=1e-4)


def test_wrong_shapes_of_weights():
    with pytest.raises(ValueError, match="a 7 x 7 matrix is needed, 2 x 2 was given"):
        mercer.linear().gradient(X, np.ones((2, 2)))
    with pytest.raises(ValueError, match="Expected 2D array"):
        mercer.linear().gradient(X, 1)


# ---- parameters ----


def test_parameters_by_name_and_by_path():
    k = 2 * mercer.rbf(ell=[1, 3]) + mercer.matern(nu=1.5, ell="auto")
    assert k.values == {"scale": 2.0, "rbf.ell": [1.0, 3.0], "matern.ell": "auto", "nu": 1.5}
    assert repr(k.with_params(scale=5, **{"rbf.ell": [4, 6], "matern.ell": 2})) == (
        "5*rbf(ell=[4, 6]) + matern(nu=1.5, ell=2)")
    assert repr(k.with_params(**{"rbf.ell[2]": 9})) == "2*rbf(ell=[1, 9]) + matern(nu=1.5, ell=auto)"
    assert repr(k).startswith("2*")
    for values, words in ((dict(ell=1), "name one whole"), (dict(elll=1), "the kernel has"), (dict(scale=-1), ">= 0"),
                          ({"rbf.ell": [1, 2, 3]}, "no list of 3 numbers")):
        with pytest.raises(ValueError, match=words):
            k.with_params(**values)
    with pytest.raises(TypeError, match="number"):
        k.with_params(scale="auto")


def test_resolve_reads_the_data():
    k = mercer.rbf(ell="auto") + mercer.linear()
    assert k.resolve([[0.0], [1.0], [3.0]]) == mercer.rbf(ell=0.6 * 2) + mercer.linear()
    assert mercer.linear().resolve(X) == mercer.linear()


def test_copies_are_the_same_object():
    k = mercer.rbf(ell=2)
    assert copy.copy(k) is k and copy.deepcopy([k])[0] is k
    assert k != "rbf(ell=2)" and len({k, mercer.rbf(ell=2)}) == 1


# ---- Python functions inside ----


def two_features(x):
    return [x[0] * x[1], math.sin(x[2])]


def first(x):
    return x[0]


def test_features_of_a_python_function():
    k = 2 * mercer.features(two_features) + mercer.rbf(ell=1)
    F = np.array([two_features(x) for x in X])
    np.testing.assert_allclose(k(X), 2 * F @ F.T + mercer.rbf(ell=1)(X), rtol=1e-12)
    assert repr(k) == "2*features(two_features) + rbf(ell=1)"
    assert "inner product of features" in repr(k.proof())
    np.testing.assert_allclose(mercer.warp(two_features, mercer.rbf())(X), mercer.rbf()(F), rtol=1e-12)
    np.testing.assert_allclose(mercer.scaled(first, mercer.rbf())(X), np.outer(X[:, 0], X[:, 0]) * mercer.rbf()(X))
    assert repr(mercer.features(lambda x: x)) == "features(phi)"
    assert repr(mercer.warp(np.log, mercer.linear())) == "warp(my_log, linear())"  # no text may mistake it for another
    with pytest.raises(ValueError, match="cannot be read from text"):
        mercer.parse(repr(k))
    with pytest.raises(ValueError, match="plain number"):
        mercer.fixed(2) * k


@pytest.mark.parametrize("k", [
    mercer.features(two_features),
    2 * mercer.features(two_features) ** 2 + mercer.rbf(ell=1) + 1,
    mercer.on("1:3", mercer.exp(mercer.normalize(mercer.features(two_features)))),
    mercer.polynomial([1, 2], mercer.warp(two_features, mercer.linear())) * mercer.scaled(first, mercer.linear()),
    (mercer.features(two_features) + mercer.rbf(ell=1)).with_params(ell=3),
    (mercer.features(two_features) + mercer.rbf(ell="auto")).resolve(X),
])
def test_kernels_with_python_functions_pickle(k):
    again = pickle.loads(pickle.dumps(k))
    assert repr(again) == repr(k)
    np.testing.assert_array_equal(again(X), k(X))


def test_functions_of_one_name_are_not_confused():
    one, other = mercer.features(lambda x: x[:1]), mercer.features(lambda x: x[1:2] ** 2)
    assert one != other and one == one
    np.testing.assert_allclose((one + other)(X), one(X) + other(X), rtol=1e-12)


def test_what_cannot_be_pickled_says_so_at_once():
    k = (mercer.features(two_features) + mercer.rbf(ell=["auto"])).resolve(X)
    assert len(k.values["ell"]) == 3
    with pytest.raises(ValueError, match="cannot be read from text"):
        pickle.dumps(k)


def test_bad_python_functions():
    for phi, error, words in ((lambda x: [x[7]], IndexError, "out of bounds"),
                              (lambda x: ["a"], ValueError, "could not convert"),
                              (lambda x: np.ones(int(10 * x[0]) + 1), ValueError, "one length"),
                              (lambda x: [math.nan], ValueError, "is nan")):
        with pytest.raises(error, match=words):
            mercer.features(phi)(X)


# ---- proofs and checks ----


def test_proof():
    proof = (2 * mercer.rbf(ell=1) + mercer.linear()).proof()
    assert proof.tree["rule"] == "sum" and [p["rule"] for p in proof.tree["premises"]] == ["scale", "linear"]
    assert "Schoenberg 1938" in repr(proof)
    html = proof._repr_html_()
    assert html.count("<li>") == html.count("</li>") == 4 and html.count("<ul>") == html.count("</ul>")
    assert "&lt;" not in mercer.rbf()._repr_html_() and "<code>rbf(ell=1)</code>" in mercer.rbf()._repr_html_()


def test_check_disproves():
    answer = mercer.check("exp(-abs(x-y)^3)")
    assert not answer and answer.kernel is False
    found = answer.counterexample
    weights, gram = np.array(found["weights"]), np.array(found["gram"])
    assert weights @ gram @ weights == pytest.approx(found["value"]) and found["value"] < 0
    assert repr(answer).startswith("not a kernel: with these 3 points")
    html = answer._repr_html_()
    assert html.count("<tr>") == 4 and "-2" in html


def test_check_of_what_may_be_a_kernel():
    answer = mercer.check("exp(-norm(x-y)^2/4)*exp(-norm(x-y)^2/4) + 0*norm(x)")
    assert answer and answer.kernel is None and answer.match == mercer.rbf(ell=1) and answer.tries > 100
    assert "not a proof" in repr(answer) and "<pre>" in answer._repr_html_()


def test_check_proves_formulas_that_are_kernels_by_their_form():
    answer = mercer.check("(1+x*y)^2")
    assert answer and answer.kernel is True and answer.counterexample is None
    assert answer.proof.tree["rule"] == mercer.parse("(1 + linear())^2").proof().tree["rule"]
    assert repr(answer).startswith("a kernel: by its form it is") and "<ul>" in answer._repr_html_()


@pytest.mark.parametrize("kernel", ["rbf(ell=1)*linear() + 3", mercer.rbf(ell=1)])
def test_check_proves_kernels(kernel):
    answer = mercer.check(kernel)
    assert answer and answer.kernel is True and answer.proof is not None
    assert repr(answer).startswith("a kernel: proved") and "<ul>" in answer._repr_html_()


def test_check_looks_into_assumptions():
    answer = mercer.check(mercer.linear() + mercer.assume_psd("tanh(dot(x,y))", "so I was told"))
    assert not answer and answer.kernel is None and answer.counterexample["value"] < 0


def test_check_of_python_functions():
    assert not mercer.check(lambda x, y: -(x @ y))
    assert mercer.check(lambda x, y: float(x @ y), dimension=2, tries=50)
    assert mercer.check("min(x, y)", inputs="nonnegative") and not mercer.check("min(x, y)", inputs="reals")
    with pytest.raises(ZeroDivisionError):
        mercer.check(lambda x, y: 1 / 0)


@pytest.mark.parametrize("bad, error, words", [
    ("x +", ValueError, "GrammarError: column"), ("rbff()", ValueError, "did you mean rbf"), (3, TypeError, "a text"),
    ("sin(x)*sin(y)", ValueError, "inputs"),
])
def test_check_refuses(bad, error, words):
    with pytest.raises(error, match=words):
        mercer.check(bad, inputs="everywhere" if words == "inputs" else "automatic")


# ---- in scikit-learn ----


def test_kernel_numbers_in_estimators():
    from sklearn.base import clone
    from sklearn.model_selection import GridSearchCV

    y = np.where(X[:, 0] > X[:, 0].mean(), 1, 0)
    for kernel in (mercer.rbf(ell=1), "rbf(ell=1)"):
        machine = mercer.SVC(kernel=kernel)
        copied = clone(machine).set_params(kernel__ell=2.0)
        assert repr(copied.kernel) in ("rbf(ell=2)", "'rbf(ell=2)'")
        assert machine.kernel is kernel and machine.get_params()["kernel__ell"] == 1.0
        search = GridSearchCV(machine, {"kernel__ell": [0.5, 5.0], "C": [1, 10]}, cv=2).fit(X, y)
        assert search.best_params_["kernel__ell"] in (0.5, 5.0)
        assert search.best_estimator_.kernel_ == mercer.rbf(ell=search.best_params_["kernel__ell"])
    with pytest.raises(ValueError, match="the kernel has rbf.ell"):
        mercer.SVC(kernel=mercer.rbf(ell=1)).set_params(kernel__elll=2.0)


def fitted_to_features():
    k = mercer.features(two_features) + mercer.rbf(ell="auto")
    y = X[:, 0] * X[:, 1]
    yield mercer.KernelRidge(kernel=k).fit(X, y)
    yield mercer.GaussianProcessRegressor(kernel=k).fit(X, y)
    yield mercer.SVC(kernel=k).fit(X, np.where(y > y.mean(), "high", "low"))


def test_estimators_with_python_functions_pickle():
    from sklearn.base import clone

    for machine in fitted_to_features():
        again = pickle.loads(pickle.dumps(machine))
        np.testing.assert_array_equal(again.predict(X), machine.predict(X))
        assert again.kernel_ == machine.kernel_ and "features(two_features)" in repr(again.kernel_)
        assert again.kernel_.values["ell"] != "auto"
        np.testing.assert_array_equal(clone(again).fit(X, machine.predict(X)).predict(X).shape, (7,))


# ---- type stubs ----

PACKAGE = Path(inspect.getfile(mercer)).parent


def stub(name):
    return ast.parse((PACKAGE / name).read_text())


def test_stub_of_the_catalog_is_up_to_date():
    functions = {node.name: node for node in stub("kernels.pyi").body if isinstance(node, ast.FunctionDef)}
    assert set(AXIOMS) <= set(functions)
    for name, node in functions.items():
        parameters = inspect.signature(getattr(mercer.kernels, name)).parameters
        written = node.args.args + node.args.kwonlyargs
        defaults = [ast.literal_eval(one) for one in node.args.defaults + node.args.kw_defaults]
        assert [one.arg for one in written] == list(parameters), name
        assert defaults == [one.default for one in parameters.values() if one.default is not one.empty], name
    stars = next(node for node in stub("kernels.pyi").body if isinstance(node, ast.Assign)
                 and node.targets[0].id == "__all__")
    assert set(ast.literal_eval(stars.value)) == set(mercer.kernels.__all__)


def test_stub_of_the_core_has_all_its_names():
    nodes = stub("_core.pyi").body
    classes = {node.name: {one.name for one in node.body if isinstance(one, ast.FunctionDef)}
               for node in nodes if isinstance(node, ast.ClassDef)}
    functions = {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    public = {name: value for name, value in vars(_core).items() if not name.startswith("_")}
    assert functions | set(classes) == set(public)
    for name, members in classes.items():
        own = {one for one in vars(public[name]) if not one.startswith("_")}
        assert {one for one in members if not one.startswith("_")} == own, name
    assert (PACKAGE / "py.typed").exists()
