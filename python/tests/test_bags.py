"""Bags, Gaussians and series from what Python users hold."""
import numpy as np
import pandas
import pytest
from sklearn.model_selection import GridSearchCV, cross_val_score

import mercer

RNG = np.random.default_rng(0)
BAGS = [RNG.normal(size=(n, 3)) + (n % 2) for n in (1, 4, 2, 7, 3, 5, 2, 6, 3, 4)]
LABELS = np.array([n % 2 for n in map(len, BAGS)])


def test_mean_embedding_is_the_mean_over_pairs():
    k = mercer.mean_embedding(mercer.rbf(ell=0.7))
    K = k(mercer.bags(BAGS))
    for i, a in enumerate(BAGS):
        for j, b in enumerate(BAGS):
            assert K[i, j] == pytest.approx(mercer.rbf(ell=0.7)(a, b).mean(), rel=1e-13)


@pytest.mark.parametrize("form", [list, tuple, mercer.bags, lambda x: np.array([*x, None], dtype=object)[:-1]])
def test_forms_of_bags(form):
    k = mercer.mean_embedding(mercer.rbf(ell=1))
    np.testing.assert_array_equal(k(form(BAGS)), k(mercer.bags(BAGS)))


def test_tables_and_texts_in_bags():
    frames = [pandas.DataFrame({"x": [1.0, 2.0], "word": ["a", "b"]}), pandas.DataFrame({"x": [3.0], "word": ["ab"]})]
    k = mercer.mean_embedding(mercer.on("word", mercer.spectrum(k=1)))
    np.testing.assert_array_equal(k(frames), [[0.5, 1], [1, 2]])
    np.testing.assert_array_equal(mercer.mean_embedding(mercer.spectrum(k=1))([["a", "b"], ["ab"]]), [[0.5, 1], [1, 2]])


def test_estimators_take_bags():
    model = mercer.SVC(kernel=mercer.mean_embedding(mercer.rbf(ell="auto")), C=10).fit(BAGS, LABELS)
    again = mercer.SVC(kernel=mercer.mean_embedding(mercer.rbf(ell="auto")), C=10).fit(mercer.bags(BAGS), LABELS)
    np.testing.assert_array_equal(model.decision_function(BAGS), again.decision_function(mercer.bags(BAGS[:])))
    search = GridSearchCV(mercer.SVC(kernel=mercer.mean_embedding(mercer.rbf(ell=1))), {"kernel__ell": [0.5, 2]}, cv=2)
    assert set(search.fit(BAGS, LABELS).predict(BAGS)) <= {0, 1}
    assert len(cross_val_score(again, mercer.bags(BAGS), LABELS, cv=2)) == 2


def test_saved_models_predict_the_same(tmp_path):
    model = mercer.KernelRidge(kernel="mean_embedding(rbf(ell=1))", alpha=0.1).fit(BAGS, LABELS)
    model.save(tmp_path / "bags.mercer")
    np.testing.assert_array_equal(mercer.load(tmp_path / "bags.mercer").predict(BAGS), model.predict(BAGS))


def test_gaussians():
    pairs = [(np.array([0.0]), np.array([[1.0]])), (np.array([1.0]), np.array([[4.0]]))]
    assert mercer.bhattacharyya()(pairs)[0, 1] == pytest.approx(0.8508054622, abs=1e-10)
    product = mercer.expected_likelihood()(mercer.gaussians([(0, 1), (1, 4)]))
    assert product[0, 1] == pytest.approx(0.1614342259, abs=1e-10)
    with pytest.raises(ValueError, match="covariance of number 2 is not positive semi-definite.*-1"):
        mercer.gaussians([(0, 1), (1, -1)])
    with pytest.raises(ValueError, match="Gaussian 2"):
        mercer.gaussians([(0, 1), ([1, 2], np.eye(2))])


def test_series():
    x = mercer.series([[1, 2, 3], [1, 2, 2, 3]])
    assert mercer.gak(sigma=2)(x)[0, 1] == pytest.approx(15.3581899985, abs=1e-9)
    arrays = [np.array([1.0, 2, 3]), np.array([1.0, 2, 2, 3])]  # of one dimension: series
    np.testing.assert_array_equal(mercer.gak(sigma=2)(arrays), mercer.gak(sigma=2)(x))
    long = mercer.series([np.sin(np.arange(900) / 30), np.cos(np.arange(800) / 30)])
    K = mercer.normalize(mercer.gak(sigma=1))(long)
    assert np.isfinite(K).all() and K[0, 0] == 1


@pytest.mark.parametrize("items, message", [
    ([np.ones((2, 2)), np.ones((0, 2))], "bag 2 is empty"),
    ([np.ones((2, 2)), np.ones((1, 3))], "bag 2 has 3 columns, the first has 2"),
    ([np.ones((2, 2)), np.array([[1, np.nan]])], "NaN"),
    ([["a"], []], "bag 2"),
    ([], "no bag"),
])
def test_bad_bags(items, message):
    with pytest.raises(ValueError, match=message):
        mercer.bags(items)
