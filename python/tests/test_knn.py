"""Nearest neighbours in feature space, beside scikit-learn's."""
import pickle

import numpy as np
import pytest
from sklearn.datasets import load_digits, make_moons
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

import mercer
from mercer import KernelKNN, KernelKNNClassifier, KernelKNNRegressor

moons, side = make_moons(200, noise=0.2, random_state=0)
grid = np.random.RandomState(1).uniform(-1, 2, (80, 2))


@pytest.mark.parametrize("kernel", ["linear()", "rbf(ell=0.3)"])
@pytest.mark.parametrize("n_neighbors", [1, 5, 12])
def test_equals_scikit_learns(kernel, n_neighbors):
    theirs = KNeighborsClassifier(n_neighbors).fit(moons, side)
    ours = KernelKNNClassifier(n_neighbors, kernel=kernel).fit(moons, side)
    np.testing.assert_allclose(ours.predict_proba(grid), theirs.predict_proba(grid), atol=1e-14)
    if n_neighbors % 2:
        assert (ours.predict(grid) == theirs.predict(grid)).all()
    regressor = KernelKNNRegressor(n_neighbors, kernel=kernel).fit(moons, grid[:, :1].repeat(5, axis=0)[:200])
    other = KNeighborsRegressor(n_neighbors).fit(moons, grid[:, :1].repeat(5, axis=0)[:200])
    np.testing.assert_allclose(regressor.predict(grid), other.predict(grid), atol=1e-12)


def test_votes_by_distance():
    theirs = KNeighborsClassifier(7, weights="distance").fit(moons, side)
    for given in (grid, moons[:20]):
        ours = KernelKNNClassifier(7, weights="distance").fit(moons, side)
        np.testing.assert_allclose(ours.predict_proba(given), theirs.predict_proba(given), atol=1e-10)
        by_function = KernelKNNClassifier(7, kernel=lambda a, b: a @ b.T, weights="distance").fit(moons, side)
        np.testing.assert_allclose(by_function.predict_proba(given), theirs.predict_proba(given), atol=1e-10)
    with pytest.raises(ValueError, match="uniform"):
        KernelKNNClassifier(weights="near").fit(moons, side)
    matrix = KernelKNNClassifier(weights="distance", kernel="precomputed").fit(moons @ moons.T, side)
    with pytest.raises(ValueError, match="k\\(x, x\\) of new points"):
        matrix.predict(grid @ moons.T)


def test_kneighbors():
    ours, theirs = KernelKNN(4).fit(moons, side), KNeighborsClassifier(4).fit(moons, side)
    for X in (grid, None):
        for mine, other in zip(ours.kneighbors(X), theirs.kneighbors(X)):
            np.testing.assert_allclose(mine, other, atol=1e-12)
    assert ours.kneighbors(grid, 2, return_distance=False).shape == (80, 2)


def test_neighbours_are_numbered_as_the_rows_of_the_fit():
    times = np.arange(200) % 3
    there = np.flatnonzero(times)
    ours, theirs = KernelKNN(4).fit(moons, side, times), KNeighborsClassifier(4).fit(moons[there], side[there])
    for X, count in ((grid, 4), (None, 2)):
        far, which = theirs.kneighbors(X, count)
        np.testing.assert_array_equal(ours.kneighbors(X, count)[1], there[which])
        np.testing.assert_allclose(ours.kneighbors(X, count)[0], far, atol=1e-12)


def test_far_from_the_origin():
    moved = moons + 1e6
    theirs = KNeighborsClassifier(5).fit(moved, side)
    assert (KernelKNN(5).fit(moved, side).predict(grid + 1e6) == theirs.predict(grid + 1e6)).all()


def test_numbers_weights_files_and_pickles(tmp_path):
    ours = KernelKNN(5, kernel="rbf(ell=1)").fit(moons, side)
    k = mercer.rbf(ell=1.0)
    matrix = KernelKNN(5, kernel="precomputed").fit(k(moons), side)
    np.testing.assert_allclose(matrix.predict_proba(k(grid, moons)), ours.predict_proba(grid))
    times = np.arange(200) % 3
    weighted = KernelKNN(5).fit(moons, side, times)
    repeated = KernelKNN(5).fit(moons.repeat(times, axis=0), side.repeat(times))
    np.testing.assert_allclose(weighted.predict_proba(grid), repeated.predict_proba(grid), atol=1e-14)
    ours.save(tmp_path / "m.mercer")
    for again in (mercer.load(tmp_path / "m.mercer"), pickle.loads(pickle.dumps(ours))):
        assert (again.predict_proba(grid) == ours.predict_proba(grid)).all()
    with pytest.raises(ValueError, match="n_samples = 200"):
        KernelKNN(201).fit(moons, side)


def test_digits_and_grid_search():
    X, y = load_digits(return_X_y=True)
    ours = KernelKNN(3).fit(X[:1000], y[:1000])
    theirs = KNeighborsClassifier(3).fit(X[:1000], y[:1000])
    assert abs(ours.score(X[1000:], y[1000:]) - theirs.score(X[1000:], y[1000:])) < 0.005  # ties
    search = GridSearchCV(KernelKNN(), {"n_neighbors": [1, 5]}, cv=3).fit(moons, side)
    assert search.best_score_ > 0.9
