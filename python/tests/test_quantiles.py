"""KernelQuantileRegressor: beside a linear programme, several quantiles that do not cross, and files."""
import pickle

import numpy as np
import pytest
from sklearn.linear_model import QuantileRegressor

import mercer
from mercer import KernelQuantileRegressor

random = np.random.default_rng(3)
x = random.uniform(0, 6, size=(150, 1))
y = np.sin(x[:, 0]) + (0.2 + 0.2 * x[:, 0]) * random.standard_normal(150)


def pinball(y, f, tau):
    return np.mean(np.maximum(tau * (y - f), (tau - 1) * (y - f)))


@pytest.mark.parametrize("tau", [0.2, 0.5, 0.9])
def test_with_hardly_a_price_it_is_the_best_of_all_lines(tau):
    # scikit-learn's solves the linear programme; the kernel has the slope and a constant beside b.
    theirs = QuantileRegressor(quantile=tau, alpha=0, solver="highs").fit(x, y)
    ours = KernelQuantileRegressor(tau, alpha=1e-3, kernel="1 + linear()").fit(x, y)
    assert pinball(y, ours.predict(x), tau) == pytest.approx(pinball(y, theirs.predict(x), tau), rel=1e-3)


def test_the_objective_is_the_least():
    # It is convex: what no step makes less is the minimum.
    k = mercer.rbf(ell=1)
    m = KernelQuantileRegressor(0.3, alpha=0.2, kernel=k, tol=1e-10).fit(x, y)
    K, alpha, b = k(x), m._training_coefficients(), np.quantile(y, 0.3, method="inverted_cdf")
    np.testing.assert_allclose(m.predict(x), b + K @ alpha, atol=1e-10)
    spread = np.mean(np.abs(y - b))

    def cost(a):
        return 150 * pinball(y - b, K @ a, 0.3) + 0.2 / spread * a @ K @ a

    least = cost(alpha)
    for step in (1e-3, 1e-2, 0.1):
        for _ in range(50):
            assert cost(alpha + step * random.standard_normal(150)) >= least - 1e-9


def test_several_quantiles_hold_their_shares_and_do_not_cross():
    m = KernelQuantileRegressor([0.9, 0.1, 0.5], alpha=0.01, kernel="rbf(ell=1)").fit(x, y)
    np.testing.assert_array_equal(m.quantiles_, [0.1, 0.5, 0.9])
    far = np.linspace(-2, 12, 300).reshape(-1, 1)
    found = m.predict(far)
    assert found.shape == (300, 3) and (np.diff(found, axis=1) >= 0).all()
    for column, tau in enumerate(m.quantiles_):
        assert abs(np.mean(y < m.predict(x)[:, column]) - tau) < 0.06
        alone = KernelQuantileRegressor(tau, alpha=0.01, kernel="rbf(ell=1)").fit(x, y)
        assert alone.predict(x).shape == (150,)
    # Lines that cross between the points: put in order, the loss over the points where they do is no larger.
    steep = KernelQuantileRegressor([0.45, 0.5, 0.55], alpha=1e-3, kernel="rbf(ell=0.1)").fit(x, y)
    raw = np.column_stack([model.scores(steep._points(far), 0)[:, 0] for model in steep.models_])
    assert (np.diff(raw, axis=1) < 0).any() and (np.diff(steep.predict(far), axis=1) >= 0).all()
    np.testing.assert_array_equal(steep.predict(far), np.sort(raw, axis=1))


@pytest.mark.parametrize("factor, shift", [(1e6, 0), (1e-6, 0), (1, 1e5)])
def test_units_and_places_of_the_target_change_nothing(factor, shift):
    plain = KernelQuantileRegressor([0.2, 0.8], tol=1e-9).fit(x, y).predict(x)
    moved = KernelQuantileRegressor([0.2, 0.8], tol=1e-9).fit(x, factor * y + shift).predict(x)
    np.testing.assert_allclose((moved - shift) / factor, plain, atol=1e-3)


def test_weights_count_as_so_many_points_and_a_high_price_leaves_the_quantile():
    times = np.arange(150) % 3
    weighted = KernelQuantileRegressor(0.7, tol=1e-10).fit(x, y, sample_weight=times)
    repeated = KernelQuantileRegressor(0.7, kernel=weighted.kernel_, tol=1e-10).fit(x.repeat(times, axis=0), y.repeat(times))
    np.testing.assert_allclose(weighted.predict(x), repeated.predict(x), atol=1e-4)
    dear = KernelQuantileRegressor(0.7, alpha=1e9).fit(x, y, sample_weight=times)
    np.testing.assert_allclose(dear.predict(x), np.quantile(y.repeat(times), 0.7, method="inverted_cdf"), atol=1e-3)


def test_files_pickles_and_bad_input(tmp_path):
    m = KernelQuantileRegressor(0.25, kernel="rbf(ell=1)").fit(x, y)
    m.save(tmp_path / "m.mercer")
    read = mercer.load(tmp_path / "m.mercer")
    assert isinstance(read, KernelQuantileRegressor) and read.quantile == 0.25
    np.testing.assert_array_equal(read.predict(x), m.predict(x))
    several = KernelQuantileRegressor([0.25, 0.75], kernel="rbf(ell=1)").fit(x, y)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(several)).predict(x), several.predict(x))
    np.testing.assert_array_equal(several.predict(x)[:, 0], np.minimum(several.predict(x)[:, 0], m.predict(x)))
    with pytest.raises(ValueError, match="one quantile"):
        several.save(tmp_path / "s.mercer")
    assert not (tmp_path / "s.mercer").exists()
    for wrong in (0, 1, [0.5, 1.5], [], "half", np.nan):
        with pytest.raises(ValueError, match="quantile"):
            KernelQuantileRegressor(wrong).fit(x, y)
    for wrong in (0, -1, np.inf, "auto"):
        with pytest.raises(ValueError, match="alpha"):
            KernelQuantileRegressor(alpha=wrong).fit(x, y)
