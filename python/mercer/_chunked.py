"""Arrays that lie in chunks, in a file or elsewhere: zarr's, h5py's, dask's, or anything that has `shape`, `dtype`,
`chunks` and slices of rows. None of these packages is imported: what they have in common is enough."""
from __future__ import annotations

import math
import numbers
import threading

import numpy as np

from . import _core

# Bytes that are read at a time, beside the array they go to.
_BLOCK = 1 << 24


def is_chunked(x):
    """Whether x is such an array. One of NumPy's, mapped ones too, is none: it is read where it is."""
    return (not isinstance(x, np.ndarray) and hasattr(x, "chunks") and hasattr(x, "shape") and hasattr(x, "dtype")
            and hasattr(x, "__getitem__"))


def _rows_of_a_chunk(x):
    """How many rows stand together; 0: the array does not say."""
    first = x.chunks[0] if isinstance(x.chunks, (tuple, list)) and len(x.chunks) > 0 else x.chunks
    sizes = first if isinstance(first, (tuple, list)) else [first]  # dask lists each chunk, the others say one size
    whole = [int(size) for size in sizes if isinstance(size, numbers.Integral) and size > 0]
    return max(whole, default=0)


def _checked_shape(x, name):
    shape = tuple(x.shape)
    if not all(isinstance(size, numbers.Integral) for size in shape):
        raise ValueError(f"{name} has the shape {shape}: how many rows there are must be known (dask: compute_chunk_sizes())")
    dtype = np.dtype(x.dtype)
    if dtype.kind not in "biuf":
        raise ValueError(f"{name} is a chunked array of {dtype}, and numbers are wanted: float64, float32 or integers")
    if len(shape) not in (1, 2):
        raise ValueError(f"{name} is a chunked array of {len(shape)} dimensions; a row for each point, 2 are wanted")
    return shape


def _type_of(x):
    return np.float32 if np.dtype(x.dtype) == np.float32 else np.float64


def blocks(x, name="X"):
    """Its rows some chunks at a time, in order: where they begin, and an array."""
    shape = _checked_shape(x, name)
    row_bytes = max(1, np.dtype(x.dtype).itemsize * math.prod(shape[1:]))
    step = max(1, _BLOCK // row_bytes)
    chunk = _rows_of_a_chunk(x)
    if chunk > 0:
        step = max(1, step // chunk) * chunk  # a chunk that is read in two parts is unpacked twice
    for first in range(0, shape[0], step):
        yield first, _rows(x, first, min(shape[0], first + step), name)


def _rows(x, first, end, name):
    block = np.asarray(x[first:end])
    if block.shape != (end - first, *x.shape[1:]):
        raise ValueError(f"{name} has the shape {tuple(x.shape)}, and its rows {first} to {end} have {block.shape}: it has "
                         "changed, or does not slice as arrays do")
    return block


def in_memory(x, name="X"):
    """Its numbers as an array of float64, or of float32 where they are such, read some chunks at a time."""
    out = np.empty(_checked_shape(x, name), dtype=_type_of(x))
    for first, block in blocks(x, name):
        out[first:first + len(block)] = block
    return out


def most_in_memory():
    """Bytes that rows and their copies may take: as `mercer fit` has it, a quarter of what is free."""
    return _core.available_memory() / 4


class RowsInPieces:
    """A chunked array that is not brought into memory: a fit that goes through its rows reads them in every pass."""

    elsewhere = None  # who goes through the rows where they are, if not this process

    def __init__(self, x, name="X"):
        self.shape = _checked_shape(x, name)
        self.dtype = np.dtype(_type_of(x))
        self._x, self._name = x, name
        self._lock = threading.Lock()  # not every such array may be read by two threads

    def __len__(self):
        return self.shape[0]

    @property
    def ndim(self):
        return len(self.shape)

    def read(self, first, end):
        with self._lock:
            return np.ascontiguousarray(_rows(self._x, first, end, self._name), dtype=self.dtype)


def is_large(x):
    """Whether its rows, with the copies that a fit makes of them, are too much for memory."""
    copies = 3
    return len(tuple(x.shape)) == 2 and copies * 8 * math.prod(_checked_shape(x, "X")) > most_in_memory()
