"""Maps of rows and copies that mean the same, beside NumPy."""
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC as TheirSVC
from sklearn.utils.estimator_checks import check_estimator

import mercer
from mercer import _core

SHAPE = (7, 9)


@pytest.fixture
def pictures():
    return np.random.default_rng(0).uniform(-1, 2, size=(12, *SHAPE))


def looked_up(picture, rows, columns):
    """Bilinear, one pixel after the other; the smallest pixel outside."""
    ground, out = picture.min(), np.empty(picture.shape)
    padded = np.pad(picture, 40, constant_values=ground)
    for place in np.ndindex(picture.shape):
        row, column = rows[place] + 40, columns[place] + 40
        top, left = int(np.floor(row)), int(np.floor(column))
        down, right = row - top, column - left
        four = padded[top:top + 2, left:left + 2]
        out[place] = np.array([1 - down, down]) @ four @ np.array([1 - right, right])
    return out


def deskewed(picture):
    ink = picture - picture.min()
    r, c = np.indices(picture.shape).astype(float)
    r0, c0 = np.average(r, weights=ink), np.average(c, weights=ink)
    covariance = np.cov(np.stack([r.ravel(), c.ravel()]), aweights=ink.ravel(), bias=True)
    slope = covariance[0, 1] / covariance[0, 0]
    middle = (np.array(picture.shape) - 1) / 2
    return looked_up(picture, r - middle[0] + r0, c - middle[1] + c0 + slope * (r - middle[0]))


def rotated(picture, degrees):
    middle = (np.array(picture.shape) - 1) / 2
    there = (np.indices(picture.shape).astype(float).transpose(1, 2, 0) - middle) @ np.array(
        [[np.cos(np.radians(degrees)), -np.sin(np.radians(degrees))],
         [np.sin(np.radians(degrees)), np.cos(np.radians(degrees))]])
    return looked_up(picture, there[..., 0] + middle[0], there[..., 1] + middle[1])


def mapped(pictures, text):
    return mercer.RowMaps(text).fit_transform(pictures.reshape(len(pictures), -1)).reshape(pictures.shape)


def test_deskew_is_that_of_numpy(pictures):
    theirs = np.array([deskewed(picture) for picture in pictures])
    np.testing.assert_allclose(mapped(pictures, "deskew(7x9)"), theirs, atol=1e-12)


def test_unit_norm_is_that_of_numpy(pictures):
    rows = pictures.reshape(len(pictures), -1)
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    np.testing.assert_allclose(mapped(pictures, "unit_norm").reshape(rows.shape), unit, rtol=1e-14)
    np.testing.assert_array_equal(mapped(pictures, "unit_norm(100)").reshape(rows.shape), np.rint(unit * 100) / 100)


def copies_seen(pictures, **arguments):
    """All rows that a fit with copies was made of: as many as there are training rows, since each is a support vector."""
    X, y = pictures.reshape(len(pictures), -1), np.arange(len(pictures)) % 2
    machine = mercer.SVC(C=1e6, kernel="rbf(ell=0.5)", **arguments).fit(X, y)
    return machine, {row.tobytes(): row for row in machine.centres_}


def expected_in(rows, seen, atol=1e-12):
    all_seen = np.array(list(seen.values()))
    for row in rows:
        assert np.abs(all_seen - row).max(axis=1).min() < atol


def test_copies_are_those_of_numpy(pictures):
    machine, seen = copies_seen(pictures, invariance=["rotate(7x9, 15)", "shift(7x9, 1)"])
    turned = [rotated(picture, degrees).ravel() for picture in pictures for degrees in (15, -15)]
    moved = []
    for picture in pictures:
        padded = np.pad(picture, 1, constant_values=picture.min())
        moved += [padded[r:r + 7, c:c + 9].ravel() for r in range(3) for c in range(3)]
    assert len(seen) == 12 * 11
    expected_in(turned, seen)
    expected_in(moved, seen, 1e-300)
    columns, table = machine.report_["tables"]["invariance"]
    assert columns == ["points", "copies", "support_vectors", "support_copies"]
    np.testing.assert_array_equal(table, [[12, 0, 12, 0], [132, 120, 132, 120]])


def test_functions_are_called_with_rows_behind_deskew(pictures):
    def mirrored(rows):
        return rows.reshape(-1, *SHAPE)[:, :, ::-1].reshape(len(rows), -1)

    machine, seen = copies_seen(pictures, prepare=["deskew(7x9)", "unit_norm"], invariance=mirrored)
    _, named = copies_seen(pictures, prepare="deskew(7x9), unit_norm", invariance="flip(7x9)")
    assert seen.keys() == named.keys()
    assert "12 by mirrored" in machine.report_["notes"][0]


def test_prepare_is_a_step_before(pictures):
    X, y = pictures.reshape(12, -1), np.arange(12) % 2
    inside = mercer.SVC(prepare="deskew(7x9), unit_norm").fit(X, y)
    outside = make_pipeline(mercer.RowMaps("deskew(7x9), unit_norm"), mercer.SVC()).fit(X, y)
    np.testing.assert_array_equal(inside.decision_function(X), outside.decision_function(X))
    theirs = make_pipeline(mercer.RowMaps(["deskew(7x9)", "unit_norm"]), TheirSVC()).fit(X, y)
    np.testing.assert_allclose(inside.decision_function(X), theirs.decision_function(X), atol=2e-3)


@pytest.mark.parametrize("machine", [mercer.SVC(), mercer.NuSVC(nu=0.3), mercer.SVR(), mercer.NuSVR(), mercer.OneClassSVM()])
def test_files_keep_maps(machine, pictures, tmp_path):
    X, y = pictures.reshape(12, -1), np.arange(12) % 2
    machine = clone(machine).set_params(prepare="unit_norm", invariance="flip(7x9)").fit(X, y)
    machine.save(tmp_path / "m.mercer")
    loaded = mercer.load(tmp_path / "m.mercer")
    assert (loaded.prepare, loaded.invariance) == ("unit_norm", "flip(7x9)")
    np.testing.assert_array_equal(loaded.predict(X), machine.predict(X))
    assert not hasattr(machine, "support_") and machine.centres_.shape[1] == 63


def test_linear_weights_of_copies(pictures):
    X, y = pictures.reshape(12, -1), np.arange(12) % 2
    machine = mercer.SVC(kernel="linear", invariance="flip(7x9)").fit(X, y)
    np.testing.assert_allclose(X @ machine.coef_[0] + machine.intercept_[0], machine.decision_function(X), atol=1e-10)


def test_plans_count_maps(pictures):
    X, y = pictures.reshape(12, -1), np.arange(12) % 2
    plan = mercer.plan(mercer.SVC(prepare="unit_norm", invariance="flip(7x9)"), X, y)
    assert any("copies" in what for what in plan["parts"])


def test_what_cannot_be_is_refused(pictures):
    X, y = pictures.reshape(12, -1), np.arange(12) % 2

    def wider(rows):
        return np.column_stack([rows, rows])

    def refused(words, **arguments):
        with pytest.raises(ValueError, match=words):
            mercer.SVC(**arguments).fit(X, y)

    refused("784 pixels, and the inputs have 63 columns", prepare="deskew(28x28)")
    refused("give it as an invariance", prepare="shift(7x9, 1)")
    refused("it prepares inputs", invariance="unit_norm")
    refused("from 1 to 6", invariance="shift(7x9, 7)")
    refused("prepare is 3", prepare=3)
    refused("invariance is 3", invariance=3)
    refused("rows of 126 numbers out of", invariance=wider)
    refused("give one of them", invariance="flip(7x9)", centres=3)
    refused("probability", invariance="flip(7x9)", probability=True)
    refused("a kernel of Mercer's", prepare="unit_norm", kernel=lambda a, b: a @ b.T)
    with pytest.raises(ValueError, match="a kernel of Mercer's"):
        mercer.SVC(prepare="unit_norm", kernel="precomputed").fit(np.eye(12), y)

    def broken(rows):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        mercer.SVC(invariance=broken).fit(X, y)


def test_row_maps_are_a_transformer(pictures):
    check_estimator(mercer.RowMaps())
    X = pictures.reshape(12, -1)
    np.testing.assert_array_equal(mercer.RowMaps("deskew(7x9)").fit(X).transform(X[3:4]), mapped(pictures, "deskew(7x9)")
                                  .reshape(12, -1)[3:4])
    assert _core.mapped(_core.dense_points(X), []).shape == X.shape
