"""What bags and series share."""
from __future__ import annotations

import numpy as np


def is_array(x):
    return isinstance(x, np.ndarray) and x.ndim == 2 and x.dtype.kind in "fiub"


def is_table(x):
    return hasattr(x, "iloc") and hasattr(x, "columns")


def joined(items, what, name):
    """All elements one below the other, as an array or a table, and where each group of them begins and ends."""
    if not items:
        raise ValueError(f"Input {name} holds no {what}")
    groups = [item if is_table(item) else np.asarray(item) for item in items]
    for i, group in enumerate(groups):
        if group.ndim != 2:
            raise ValueError(f"Input {name}: {what} {i + 1} has {group.ndim} dimensions; each is an array of two, with "
                             "a row for each element")
        if group.shape[0] == 0:
            raise ValueError(f"Input {name}: {what} {i + 1} is empty; each needs at least one element")
        if group.shape[1] != groups[0].shape[1]:
            raise ValueError(f"Input {name}: {what} {i + 1} has {group.shape[1]} columns, the first has "
                             f"{groups[0].shape[1]}")
    offsets = np.cumsum([0] + [len(group) for group in groups])
    if is_table(groups[0]):
        import pandas

        return pandas.concat(groups, ignore_index=True), offsets
    return np.concatenate(groups), offsets
