"""Inputs that are no rows of numbers: one module for each domain.

A module has `takes(values)`, whether a sequence holds such objects, and `points(values, name)`, the engine's points of
them; `name` is for errors. A list, or a column of a table, goes to the first that takes it.
"""
from __future__ import annotations

import numpy as np

from . import bags, graphs, nodes, series, strings
from ._missing import is_missing

DOMAINS = (strings, graphs, nodes, bags, series)


def domain_of(values):
    """The module that takes these objects; None for numbers and what nobody knows."""
    sequence = isinstance(values, (list, tuple)) or (isinstance(values, np.ndarray) and values.ndim == 1)
    if not sequence or len(values) == 0:
        return None
    return next((domain for domain in DOMAINS if domain.takes(values)), None)


def some_are_objects(values):
    """Whether a list holds objects of a domain at all: `require_one_kind` says what is wrong with the others."""
    return isinstance(values, (list, tuple)) and any(domain_of([one]) is not None for one in values)


def require_one_kind(values, name, column=None):
    """That a sequence which holds some objects of a domain holds no others; `name` and `column` are for errors.

    NumPy would make texts of the others: "nan" of a missing value, "7" of the number 7.
    """
    where = "" if column is None else f', column "{column}"'
    missing = [i for i, one in enumerate(values) if is_missing(one)]
    gone = set(missing)
    present = [(i, one) for i, one in enumerate(values) if i not in gone]
    if missing and domain_of([one for _, one in present]) is not None:
        raise ValueError(f"Input {name} contains NaN: row {missing[0] + 1}{where}. Remove or fill missing values.")
    if any(strings.takes([one]) for _, one in present):
        for i, one in present:
            if not strings.takes([one]):
                raise ValueError(f"Input {name}: row {i + 1}{where} is {one!r} ({type(one).__name__}), and others are "
                                 "texts. Make texts of all, with str(), or numbers of all.")
