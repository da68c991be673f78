"""From what Python users hold to the points of the engine.

What is borrowed and what is copied:

==================================================  ======================================================
float32 and float64 arrays, rows with any stride    borrowed, and kept alive; do not change them meanwhile
the same in Fortran order, or every second column   one copy, in their own precision
whole numbers, truth values, float16, longdouble    one copy, as float64
SciPy's sparse matrices, tables, texts              copied
arrays in chunks (zarr, h5py, dask, ...)            one copy, read some chunks at a time; where that would take more than
                                                    a quarter of free memory, and centres stand for all points, none:
                                                    read again in every pass
==================================================  ======================================================

Errors use the words of scikit-learn's own checks, and say where.
"""
from __future__ import annotations

import numpy as np

from . import _core
from ._chunked import RowsInPieces, in_memory, is_chunked
from ._domains import domain_of, require_one_kind

_NUMBERS = "fiub"  # kinds of NumPy types that are numbers


def as_points(x, name="X"):
    """Points from an array, a sparse matrix, a table with named columns, texts, ...; `name` is for errors.

    >>> points = as_points([[1.0, 2.0], [3.0, 4.0]])
    >>> len(points), points.kind, points.dimension
    (2, 'reals', 2)
    >>> as_points(["ACGT", "TTGA"]).kind
    'strings'
    >>> as_points([[1.0, float("nan")]])
    Traceback (most recent call last):
        ...
    ValueError: Input X contains NaN: row 1, column 2. Remove or fill missing values.
    """
    if isinstance(x, _core.Points):
        return x
    if type(x) is np.ndarray and x.dtype.kind == "f" and x.ndim == 2:
        return _from_array(x, name)
    if isinstance(x, RowsInPieces):
        return _from_pieces(x, name)
    if is_chunked(x):
        return _from_array(in_memory(x, name), name)
    domain = domain_of(x)
    if domain is not None:
        return domain.points(x, name)
    if _is_sparse(x):
        return _from_sparse(x, name)
    table = _table(x)
    if table is not None:
        return _from_table(table, name)
    if isinstance(x, (list, tuple)) or (getattr(x, "ndim", 0) == 1 and getattr(x.dtype, "kind", "O") == "O"):
        require_one_kind(x, name)
    return _from_array(_array_of(x, name), name)


# ---- arrays ----


def _array_of(x, name):
    """An array of numbers or of texts; anything else is refused."""
    if isinstance(x, np.ma.MaskedArray) and np.ma.is_masked(x):
        row = ", ".join(str(i + 1) for i in np.argwhere(np.ma.getmaskarray(x))[0])
        raise ValueError(f"Input {name} contains masked values, the first at {row}. Remove or fill missing values.")
    array = np.asarray(x)
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{array}\n")
    if array.dtype.kind in "mM":
        raise TypeError(f"Input {name} holds dates or times: give numbers, such as days since a day of your choice")
    if array.dtype.kind == "O" and not (array.ndim == 1 and domain_of(array)):
        array = array.astype(np.float64)  # ValueError or TypeError, in NumPy's words, where something is no number
    return array


def _from_array(array, name):
    domain = domain_of(array.tolist()) if array.dtype.kind in "USO" and array.ndim == 1 else None
    if domain is not None:
        return domain.points(array.tolist(), name)
    if array.dtype.kind not in _NUMBERS:
        raise ValueError(f"Input {name} is an array of {array.ndim} dimensions of bytes/strings where numbers are "
                         "expected: convert it to numbers, give one text for each point, or a table with named columns")
    _require_shape(array, name)
    _require_finite(array, name)
    return _core.dense_points(array)


def _require_shape(x, name):
    if x.ndim == 0:
        raise ValueError(f"Expected 2D array, got scalar array instead:\narray={x}.\n{_RESHAPE}")
    if x.ndim == 1:
        raise ValueError(f"Expected 2D array, got 1D array instead:\narray={x}.\n{_RESHAPE}")
    if x.ndim > 2:
        raise ValueError(f"Found array with dim {x.ndim}. Input {name} must have a row for each point, so dim <= 2.")
    for count, what in zip(x.shape, ("sample", "feature")):
        if count == 0:
            raise ValueError(f"Found array with 0 {what}(s) (shape={x.shape}) while a minimum of 1 is required.")


_RESHAPE = ("Reshape your data using array.reshape(-1, 1) if it has a single feature or array.reshape(1, -1) if it is "
            "a single sample.")


_HEAD = 1000  # rows that show what all are like


def _from_pieces(rows, name):
    _require_shape(rows, name)

    def read(first, end):
        block = rows.read(first, end)
        _require_finite(block, name, first=first)
        return block

    return _core.streamed_points(len(rows), read(0, min(len(rows), _HEAD)), read, rows.elsewhere)


def _require_finite(array, name, columns=(), first=0):
    """One pass, without memory of the array's size; only a sum that is not finite asks for a closer look."""
    if array.dtype.kind != "f":
        return
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(array.sum()):
            return
    step = max(1, 1_000_000 // max(1, array.shape[1]))
    for start in range(0, array.shape[0], step):
        bad = np.argwhere(~np.isfinite(array[start:start + step]))
        if len(bad):
            row, column = start + int(bad[0, 0]), int(bad[0, 1])
            raise ValueError(_not_finite(array[row, column], first + row, column, name, columns))


def _not_finite(value, row, column, name, columns=()):
    where = f"row {row + 1}, column " + (f'"{columns[column]}"' if len(columns) else str(column + 1))
    if np.isnan(value):
        return f"Input {name} contains NaN: {where}. Remove or fill missing values."
    return f"Input {name} contains infinity or a value too large for {np.asarray(value).dtype!r}: {where}."


# ---- sparse matrices ----


def _is_sparse(x):
    return hasattr(x, "tocsr") and hasattr(x, "nnz")


def _from_sparse(x, name):
    if x.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{x}\n")
    if x.dtype.kind not in _NUMBERS:
        raise ValueError(f"Input {name} is a sparse matrix of {x.dtype}, where numbers are expected")
    _require_shape(x, name)
    csr = x.tocsr()
    if not csr.has_canonical_format:
        csr = csr.copy() if csr is x else csr  # the caller's matrix stays as it is
        csr.sum_duplicates()
    bad = np.flatnonzero(~np.isfinite(csr.data))
    if len(bad):
        row = int(np.searchsorted(csr.indptr, bad[0], side="right")) - 1
        raise ValueError(_not_finite(csr.data[bad[0]], row, int(csr.indices[bad[0]]), name))
    if csr.shape[1] > np.iinfo(np.int32).max:
        raise ValueError(f"Input {name} has {csr.shape[1]} columns; a sparse matrix may have {np.iinfo(np.int32).max}")
    return _core.sparse_points(csr.data, csr.indices, csr.indptr, csr.shape[1])


# ---- tables ----


def _table(x):
    """A pandas frame, and as one other tables that speak __dataframe__ and structured arrays; None for others."""
    if hasattr(x, "iloc") and hasattr(x, "columns"):
        return x
    if isinstance(x, np.ndarray):
        if x.dtype.names is None:
            return None
        import pandas

        return pandas.DataFrame({field: x[field] for field in x.dtype.names})
    if hasattr(x, "__dataframe__"):
        import pandas

        return pandas.api.interchange.from_dataframe(x)
    if hasattr(x, "__array__") and hasattr(x, "columns"):
        import pandas

        return pandas.DataFrame(np.asarray(x), columns=list(x.columns))
    return None


def _from_table(frame, name):
    """Number columns side by side keep their names; columns of texts, graphs, ... become points of their domains.

    Names that are no texts, such as the numbers that pandas gives columns without names, are left out.
    """
    _require_shape(frame, name)
    titles = [str(title) for title in frame.columns]
    if len(set(titles)) < len(titles):
        twice = next(title for title in titles if titles.count(title) > 1)
        raise ValueError(f'Input {name} has two columns called "{twice}": give each column a name of its own')
    if all(kind in (np.float32, np.float64) and kind == frame.dtypes.iloc[0] for kind in frame.dtypes):
        return _from_numbers(frame.to_numpy(), frame.columns, titles, name)  # a frame around one array gives it back
    columns = [_column(frame.iloc[:, i], title, name) for i, title in enumerate(titles)]
    if all(isinstance(column, np.ndarray) for column in columns):
        return _from_numbers(np.column_stack(columns), frame.columns, titles, name)
    parts = []
    for title, column in zip(titles, columns):
        if isinstance(column, np.ndarray):
            column = column.reshape(-1, 1)
            _require_finite(column, name, [title])
            parts.append((title, _core.dense_points(column)))
        else:
            parts.append((title, domain_of(column).points(column, name)))
    return _core.table_points(parts)


def _from_numbers(array, names, titles, name):
    _require_finite(array, name, titles)
    points = _core.dense_points(array)
    return _core.named_points(points, titles) if all(isinstance(one, str) for one in names) else points


def _column(series, title, name):
    """An array of numbers, or a list of objects of some domain."""
    from pandas.api import types

    if types.is_complex_dtype(series.dtype):
        raise ValueError(f"Complex data not supported\n{series}\n")
    if types.is_bool_dtype(series.dtype) or types.is_numeric_dtype(series.dtype):
        if isinstance(series.dtype, np.dtype):
            return series.to_numpy()
        return series.to_numpy(dtype=np.float64, na_value=np.nan)
    if types.is_datetime64_any_dtype(series.dtype) or types.is_timedelta64_dtype(series.dtype):
        raise TypeError(f'Input {name}, column "{title}" holds dates or times: give numbers, such as days since a day '
                        "of your choice")
    values = series.tolist()
    if domain_of(values) is not None:
        return values
    require_one_kind(values, name, title)
    return np.asarray(values, dtype=np.float64)  # numbers as objects; others are refused in NumPy's words
