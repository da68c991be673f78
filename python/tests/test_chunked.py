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


STREAMED = [
    (lambda: mercer.KernelRidge(0.1, kernel="rbf(ell=7)", centres=40), False),
    (lambda: mercer.KernelRidge(0.1, kernel="rbf(ell=auto)", centres=40, solver="falkon"), False),
    (lambda: mercer.KernelRidgeCV(kernel="rbf(ell=7)", centres=40), False),
    (lambda: mercer.KernelRidgeClassifier(0.1, kernel="rbf(ell=7)", centres=40), True),
    (lambda: mercer.KernelLogisticRegression(kernel="rbf(ell=7)", centres=40), True)]


@pytest.mark.parametrize("make, classes", STREAMED)
@pytest.mark.parametrize("weighted", [False, True])
def test_arrays_larger_than_memory_are_read_in_every_pass(data, make, classes, weighted, monkeypatch):
    X, y = data
    if classes:
        y = np.where(y > 0, "in", "out")
    weights = np.arange(len(y)) % 3.0 if weighted and "auto" not in str(make().kernel) else None
    of_array = make().fit(X, y, weights)
    monkeypatch.setattr(_chunked, "most_in_memory", lambda: 8 * X.size)
    there = Chunked(X, 100)
    of_chunks = make().fit(there, y, weights)
    assert sum(end - first for first, end in there.read) > 2 * len(X)  # again and again
    assert of_chunks.n_features_in_ == X.shape[1]
    monkeypatch.setattr(_chunked, "_BLOCK", 4000)
    assert (of_chunks.predict(there) == of_array.predict(X)).all()
    assert (of_chunks.model_.alpha == of_array.model_.alpha).all()


def test_what_is_not_in_memory_is_looked_at_when_it_is_read(monkeypatch):
    monkeypatch.setattr(_chunked, "most_in_memory", lambda: 0)
    X = np.random.default_rng(1).normal(size=(20000, 3))  # more than are read at a time
    machine = mercer.KernelRidge(0.1, kernel="rbf(ell=1)", centres=20)
    y = X[:, 0]
    with pytest.raises(ValueError, match="19999"):
        machine.fit(Chunked(X, 100), y[1:])
    X[18000, 1] = np.nan
    with pytest.raises(ValueError, match="NaN: row 18001, column 2"):
        machine.fit(Chunked(X, 100), y)
    X[18000, 1] = 0
    broken = Chunked(X, 100)
    broken.shape = (21000, 3)  # the last thousand rows are not there
    with pytest.raises(ValueError, match="it has changed"):
        machine.fit(broken, np.zeros(21000))
    with pytest.raises(ValueError, match="give the number"):
        mercer.KernelRidge(0.1, kernel="rbf(ell=auto)", centres=20).fit(Chunked(X, 100), y, np.ones(20000))


def test_several_targets_and_a_target_in_chunks(monkeypatch):
    X = np.random.default_rng(1).normal(size=(1000, 3))
    y = np.column_stack([X[:, 0], np.sin(X[:, 1])])
    of_array = mercer.KernelRidge(0.1, kernel="rbf(ell=1)", centres=20).fit(X, y)
    monkeypatch.setattr(_chunked, "most_in_memory", lambda: 0)
    of_chunks = mercer.KernelRidge(0.1, kernel="rbf(ell=1)", centres=20).fit(Chunked(X, 100), Chunked(y, 64))
    assert (of_chunks.predict(X) == of_array.predict(X)).all()


def test_machines_of_all_rows_bring_them_into_memory(monkeypatch):
    monkeypatch.setattr(_chunked, "most_in_memory", lambda: 0)
    X = np.random.default_rng(1).normal(size=(300, 3))
    for machine in (mercer.KernelRidge(0.1, kernel="rbf(ell=1)"), mercer.SVR(kernel="rbf(ell=1)", centres=20)):
        there = Chunked(X, 100)
        machine.fit(there, X[:, 0])
        assert sum(end - first for first, end in there.read) == len(X)
