"""Raw tables: frames whose columns are dates, categories, texts, truth values or have gaps.

The core decides what a column is and makes inputs of it, by the same rules for everybody (docs/tables.md). Here stands
only how its cells are read: numbers, with NaN for a gap, or words; and what the type of a column says of it.
"""
from __future__ import annotations

import datetime
import decimal
import importlib.util
import numbers

import numpy as np

from . import _core
from ._domains import is_missing

_DATE = "date(y-m-d)"


def is_frame(x):
    """Whether it is a table with named columns of pandas, polars or pyarrow."""
    return _titles(x) is not None


def _titles(x):
    if hasattr(x, "iloc") and hasattr(x, "columns"):  # pandas
        return list(x.columns)
    if hasattr(x, "get_columns") and hasattr(x, "columns") and hasattr(x, "to_dict"):  # polars
        return list(x.columns)
    if hasattr(x, "column_names") and hasattr(x, "to_pydict"):  # pyarrow
        return list(x.column_names)
    return None


class Frame:
    """The columns of a raw table. Nothing is raw where all of them are numbers, without gaps."""

    def __init__(self, x):
        self.titles = _titles(x)
        self._x = x
        self.rows = len(x) if hasattr(x, "iloc") or hasattr(x, "__len__") else x.num_rows

    def _column(self, i):
        x = self._x
        if hasattr(x, "iloc"):
            return x.iloc[:, i]
        return x.get_columns()[i] if hasattr(x, "get_columns") else x.column(i)

    def is_raw(self, words_are):
        """Whether some column needs a recipe; `words_are`: so does one of texts alone, as the kernel takes numbers."""
        return any(_is_raw(self._column(i), words_are) for i in range(len(self.titles)))

    def is_known(self):
        """Whether it can be taken as pandas has it."""
        return hasattr(self._x, "iloc") or importlib.util.find_spec("pandas") is not None

    def read(self, plain):
        """Points of numbers and words, and what the types of the columns say; None where a column holds other objects.

        `plain`: its numbers are taken as they are.
        """
        names = [str(title) for title in self.titles]
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise ValueError(f'Input X has two columns called "{twice}": give each column a name of its own')
        parts, types = [], {}
        for i, name in enumerate(names):
            cells = _cells(self._column(i))
            if cells is None:
                return None
            values, type_ = cells
            array = isinstance(values, np.ndarray)
            parts.append((name, _core.dense_points(values.reshape(-1, 1)) if array else _core.string_points(values)))
            if plain and array:
                types[name] = "number"
            elif type_:
                types[name] = type_
        return _core.table_points(parts), types


# ---- columns of pandas ----


def _kind(column):
    """numpy's letter for what a column of pandas holds, also of its own types; "M" for dates with a time zone."""
    return getattr(column.dtype, "kind", "O")


def _is_raw(column, words_are):
    if not hasattr(column, "isna"):
        values = _values(column)
        if words_are:
            return not all(isinstance(one, numbers.Real) and one == one for one in values)
        return any(is_missing(one) or isinstance(one, (datetime.date, datetime.timedelta)) for one in values)
    kind = _kind(column)
    if kind in "mM":
        return True
    if kind in "biu" and isinstance(column.dtype, np.dtype):
        return False
    if kind == "c":
        return False
    if kind == "O" and words_are and not _is_number_object(column):
        return True
    return bool(column.isna().any())


def _is_number_object(column):
    """Numbers that stand there as objects of Python."""
    return column.dtype == object and all(isinstance(one, numbers.Real) for one in column)


def _cells(column):
    if not hasattr(column, "isna"):
        return _of_objects(_values(column), _order(column))
    kind, own = _kind(column), isinstance(column.dtype, np.dtype)
    if kind == "b":
        return _words([None if gap else str(bool(one)) for one, gap in zip(column, column.isna())]), None
    if kind in "iuf":
        return column.to_numpy(dtype=np.float64, na_value=np.nan), None
    if kind == "M":
        if not own:  # with a time zone: as the clock there shows
            column = column.dt.tz_localize(None)
        return _dates(column.to_numpy())
    if kind == "m":
        return column.to_numpy() / np.timedelta64(1, "D"), None
    if hasattr(column, "cat"):
        return _of_objects(column.astype(object).tolist(), _order(column))
    if hasattr(column.dtype, "freq"):  # a period is the day it begins on
        return _dates(column.dt.to_timestamp().to_numpy())
    return _of_objects(column.astype(object).tolist(), None)


def _order(column):
    """The levels of a categorical column, None of others; and whether they are in an order."""
    if hasattr(column, "cat") and hasattr(column.cat, "categories"):  # pandas
        return column.cat.categories.tolist(), bool(column.cat.ordered)
    kind = getattr(column, "dtype", getattr(column, "type", None))
    if type(kind).__name__ == "Enum":  # polars
        return list(kind.categories), True
    if type(kind).__name__ == "Categorical":
        return [], False
    if hasattr(kind, "index_type"):  # pyarrow
        first = column.chunk(0) if hasattr(column, "chunk") and column.num_chunks else column
        return first.dictionary.to_pylist() if hasattr(first, "dictionary") else [], bool(kind.ordered)
    return None


# ---- cells of any table ----


def _values(column):
    return column.to_pylist() if hasattr(column, "to_pylist") else column.to_list()


def _words(values):
    return ["" if one is None else one for one in values]


def _dates(values):
    """Dates as ISO 8601 has them, without a time where none has one."""
    exact = values.astype("datetime64[us]")
    present = exact[~np.isnat(exact)]
    whole = (present == present.astype("datetime64[D]")).all()
    words = np.datetime_as_string(exact.astype("datetime64[D]") if whole else exact)
    return ["" if one == "NaT" else one for one in words.tolist()], _DATE if len(np.unique(present)) > 1 else None


def _of_objects(values, levels):
    gaps = [is_missing(one) for one in values]
    present = [one for one, gap in zip(values, gaps) if not gap]
    if levels is not None:
        return _levels(values, gaps, present, *levels)
    if all(isinstance(one, (bool, np.bool_)) for one in present):
        return ["" if gap else str(bool(one)) for one, gap in zip(values, gaps)], None
    if all(isinstance(one, (numbers.Real, decimal.Decimal)) for one in present):
        return np.array([np.nan if gap else float(one) for one, gap in zip(values, gaps)]), None
    if all(isinstance(one, datetime.date) for one in present):  # a datetime is one
        return _dates(np.array([np.datetime64("NaT") if gap else np.datetime64(_local(one), "us")
                                for one, gap in zip(values, gaps)]))
    if all(isinstance(one, datetime.timedelta) for one in present):
        return np.array([np.nan if gap else one / datetime.timedelta(days=1) for one, gap in zip(values, gaps)]), None
    if all(isinstance(one, (str, numbers.Real, decimal.Decimal)) for one in present):
        return ["" if gap else str(one) for one, gap in zip(values, gaps)], None
    return None


def _local(one):
    return one.replace(tzinfo=None) if isinstance(one, datetime.datetime) else one


def _levels(values, gaps, present, levels, ordered):
    words = ["" if gap else str(one) for one, gap in zip(values, gaps)]
    if len(set(present)) < 2:
        return words, None
    names = [str(level) for level in levels]
    if ordered and len(names) > 1 and not any("<" in name or not name.strip() for name in names):
        return words, "<".join(names)
    return words, "category"
