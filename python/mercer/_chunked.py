"""Arrays that lie in chunks, in a file or elsewhere: zarr's, h5py's, dask's, or anything that has `shape`, `dtype`,
`chunks` and slices of rows. None of these packages is imported: what they have in common is enough."""
from __future__ import annotations

import math
import numbers

import numpy as np

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


def in_memory(x, name="X"):
    """Its numbers as an array of float64, or of float32 where they are such, read some chunks at a time."""
    shape = tuple(x.shape)
    if not all(isinstance(size, numbers.Integral) for size in shape):
        raise ValueError(f"{name} has the shape {shape}: how many rows there are must be known (dask: compute_chunk_sizes())")
    dtype = np.dtype(x.dtype)
    if dtype.kind not in "biuf":
        raise ValueError(f"{name} is a chunked array of {dtype}, and numbers are wanted: float64, float32 or integers")
    if len(shape) not in (1, 2):
        raise ValueError(f"{name} is a chunked array of {len(shape)} dimensions; a row for each point, 2 are wanted")
    out = np.empty(shape, dtype=np.float32 if dtype == np.float32 else np.float64)
    row_bytes = max(1, dtype.itemsize * math.prod(shape[1:]))
    step = max(1, _BLOCK // row_bytes)
    chunk = _rows_of_a_chunk(x)
    if chunk > 0:
        step = max(1, step // chunk) * chunk  # a chunk that is read in two parts is unpacked twice
    for first in range(0, shape[0], step):
        end = min(shape[0], first + step)
        block = np.asarray(x[first:end])
        if block.shape != (end - first, *shape[1:]):
            raise ValueError(f"{name} has the shape {shape}, and its rows {first} to {end} have {block.shape}: it has changed, "
                             "or does not slice as arrays do")
        out[first:end] = block
    return out
