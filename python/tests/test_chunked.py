"""Arrays in chunks (zarr, h5py, dask, ...) are read block by block; what cannot be read so is refused in one line."""
import numpy as np
import pytest

import mercer
from mercer import _chunked


class Chunked:
    """What those arrays have in common, and nothing else: no __array__, no iteration, no fancy indices."""

    def __init__(self, values, rows, listed=False):
        self._values = values
        self.shape, self.dtype = values.shape, values.dtype
        count = -(-len(values) // rows)
        sizes = tuple(min(rows, len(values) - i * rows) for i in range(count))
        self.chunks = (sizes if listed else rows, *values.shape[1:])
        self.read = []

    def __getitem__(self, rows):
        assert isinstance(rows, slice) and rows.step is None
        self.read.append((rows.start, rows.stop))
        return self._values[rows]

    def __len__(self):
        return len(self._values)


@pytest.fixture(params=["float64", "float32", "int16"])
def data(request):
    rng = np.random.default_rng(0)
    X = (20 * rng.uniform(-1, 1, (1025, 4))).astype(request.param)
    return X, np.sin(X[:, 0].astype(float))


@pytest.mark.parametrize("make", [
    lambda: mercer.KernelRidge(0.1, kernel="rbf(ell=7)"), lambda: mercer.KernelRidge(0.1, kernel="rbf(ell=7)", centres=40),
    lambda: mercer.KernelRidgeClassifier(0.1, kernel="rbf(ell=7)", centres=40),
    lambda: mercer.KernelLogisticRegression(kernel="rbf(ell=7)", centres=40), lambda: mercer.SVC(kernel="rbf(ell=7)"),
    lambda: mercer.KernelKMeans(3, kernel="rbf(ell=7)")])
def test_fits_and_predictions_are_those_of_the_array(data, make, monkeypatch):
    monkeypatch.setattr(_chunked, "_BLOCK", 4000)  # so that there are many
    X, y = data
    if not isinstance(make(), mercer.KernelRidge):
        y = (y > 0).astype(int)
    there = Chunked(X, 100, listed=X.dtype == np.float32)
    of_array, of_chunks = make().fit(X, y), make().fit(there, Chunked(y, 64))
    assert (of_chunks.predict(there) == of_array.predict(X)).all()


def test_whole_chunks_are_read_once_and_in_order(monkeypatch):
    X = np.arange(1025 * 3, dtype=np.float32).reshape(1025, 3)
    for rows, block, step in ((100, 12 * 250, 200), (100, 12, 100), (2000, 12, 2000), (7, 1 << 24, None)):
        monkeypatch.setattr(_chunked, "_BLOCK", block)
        there = Chunked(X, rows)
        got = _chunked.in_memory(there)
        assert got.dtype == np.float32 and (got == X).all()
        ends = [0, *range(step, 1025, step), 1025] if step else [0, 1025]
        assert there.read == list(zip(ends[:-1], ends[1:]))


def test_kernels_and_features_take_them_too(data):
    X, _ = data
    k = mercer.rbf(ell=7.0)
    assert (k(Chunked(X, 100), X[:5]) == k(X, X[:5])).all()
    ours = mercer.Nystroem("rbf", gamma=0.01, n_components=20, random_state=0)
    assert (ours.fit_transform(Chunked(X, 100)) == ours.fit_transform(X)).all()


def refused(x, words):
    with pytest.raises(ValueError, match=words) as caught:
        mercer.KernelRidge(0.1, kernel="rbf(ell=1)").fit(x, np.zeros(6))
    assert "\n" not in str(caught.value)


def test_what_cannot_be_read_is_one_line():
    X = np.arange(12.0).reshape(6, 2)
    unknown = Chunked(X, 2)
    unknown.shape = (float("nan"), 2)
    refused(unknown, "how many rows there are must be known")
    refused(Chunked(X.astype(complex), 2), "complex128, and numbers are wanted")
    refused(Chunked(np.array([["a", "b"]] * 6), 2), "numbers are wanted")
    refused(Chunked(X.reshape(6, 2, 1), 2), "3 dimensions")
    shrunk = Chunked(X, 2)
    shrunk.shape = (8, 2)
    refused(shrunk, r"rows 0 to 8 have \(6, 2\)")
    bad = X.copy()
    bad[5, 1] = np.nan
    with pytest.raises(ValueError, match="contains NaN"):
        mercer.KernelRidge(0.1, kernel="rbf(ell=1)").fit(Chunked(bad, 2), np.zeros(6))
    contiguous = Chunked(X, 2)  # h5py says so of arrays without chunks
    contiguous.chunks = None
    mercer.KernelRidge(0.1, kernel="rbf(ell=1)").fit(contiguous, np.zeros(6))
