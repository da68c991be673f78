"""Inputs that are no rows of numbers: one module for each domain.

A module has `takes(values)`, whether a sequence holds such objects, and `points(values, name)`, the engine's points of
them; `name` is for errors. A list, or a column of a table, goes to the first that takes it.
"""
from __future__ import annotations

import numpy as np

from . import bags, graphs, nodes, series, strings

DOMAINS = (strings, graphs, nodes, bags, series)


def domain_of(values):
    """The module that takes these objects; None for numbers and what nobody knows."""
    sequence = isinstance(values, (list, tuple)) or (isinstance(values, np.ndarray) and values.ndim == 1)
    if not sequence or len(values) == 0:
        return None
    return next((domain for domain in DOMAINS if domain.takes(values)), None)
