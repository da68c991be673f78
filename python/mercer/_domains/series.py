"""Series: rows of numbers one after the other."""
from __future__ import annotations

import numpy as np

from .. import _core
from .groups import joined


def series(items, name="X"):
    """Series as points: arrays with a row for each step, of any lengths; of one dimension: a number for each step.

    >>> X = series([[1.0, 2.0, 3.0], [1.0, 2.0, 2.0, 3.0]])
    >>> len(X), X.kind
    (2, 'series')
    """
    from .._points import as_points

    arrays = [np.asarray(item) for item in items]
    steps, offsets = joined([one.reshape(-1, 1) if one.ndim == 1 else one for one in arrays], "series", name)
    return _core.series_points(as_points(steps, name), offsets)


def takes(values):
    """Arrays of one dimension; those of two mean bags unless `series` says otherwise."""
    return all(isinstance(one, np.ndarray) and one.ndim == 1 and one.dtype.kind in "fiub" for one in values)


points = series
