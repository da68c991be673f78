"""Recursive feature machines: an independent version, and what estimators say of them."""
import numpy as np
import pytest

import mercer


def exponential(x, z, ell):
    distance = np.sqrt((((x[:, None] - z[None]) / ell) ** 2).sum(axis=2))
    return np.exp(-distance), distance


def left_out(k, y, ridge):
    inverse = np.linalg.inv(k + ridge * np.eye(len(k)))
    alpha = inverse @ y
    return alpha, np.sqrt(((alpha / np.diag(inverse)) ** 2).mean())


def one_round(x, y, ell, ridge):
    """As the definition has it, by NumPy."""
    k, distance = exponential(x, x, ell)
    alpha, _ = left_out(k, y, ridge)
    weight = np.divide(k, distance, out=np.zeros_like(k), where=distance > 1e-10) * alpha[:, None]
    slope = (weight[:, :, None] * (x[:, None] - x[None])).sum(axis=0) / ell**2
    g, variance = (slope**2).mean(axis=0), x.var(axis=0)
    next_ell = np.sqrt((g * variance).sum() / (variance / ell**2).sum() / g)
    best = left_out(exponential(x, x, next_ell)[0], y, ridge)[1]
    for factor in (2.0, 0.5):
        better = False
        for _ in range(3):
            error = left_out(exponential(x, x, factor * next_ell)[0], y, ridge)[1]
            if not error < best:
                break
            next_ell, best, better = factor * next_ell, error, True
        if better:
            break
    return next_ell


@pytest.mark.parametrize("rounds", [1, 2, 3])
def test_lengths_are_those_of_numpy(rounds):
    rng = np.random.default_rng(rounds)
    x = rng.normal(size=(60, 3))
    y = np.sin(2 * x[:, 0]) + 0.3 * x[:, 1] + 0.1 * rng.normal(size=60)
    ell = np.full(3, 2.0)
    for _ in range(rounds):
        ell = one_round(x, y, ell, 0.1)
    m = mercer.RFMRegressor(alpha=0.1, kernel="exponential(ell=2)", rounds=rounds).fit(x, y)
    np.testing.assert_allclose(m.report_["tables"]["relevance"][1][:, 0], ell, rtol=1e-6)
    fresh = rng.normal(size=(20, 3))
    alpha, _ = left_out(exponential(x, x, ell)[0], y, 0.1)
    np.testing.assert_allclose(m.predict(fresh), exponential(fresh, x, ell)[0] @ alpha, atol=1e-6)


def test_what_it_found():
    rng = np.random.default_rng(0)
    x = rng.uniform(-1.5, 1.5, size=(150, 5))
    m = mercer.RFMRegressor().fit(x, x[:, 0] * x[:, 3])
    assert set(np.argsort(m.feature_importances_)[-2:]) == {0, 3}
    assert m.feature_importances_.sum() == pytest.approx(1) and m.rounds_ > 0 and m.alpha_ > 0
    classes = np.array(["no", "yes"])[(x[:, 0] * x[:, 3] > 0).astype(int)]
    c = mercer.RFMClassifier().fit(x[:100], classes[:100])
    assert c.score(x[100:], classes[100:]) > 0.85
    assert mercer.RFMRegressor(rounds=0).fit(x, x[:, 0]).rounds_ == 0
    with pytest.raises(AttributeError, match="no lengths of columns"):
        mercer.RFMRegressor(kernel="linear()").fit(x, x[:, 0]).feature_importances_
    with pytest.raises(ValueError, match="alpha must be above 0"):
        mercer.RFMClassifier(alpha=0).fit(x, classes)
