"""What each letter of a string, or node of a graph, contributes to a score."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ._points import as_points

__all__ = ["Contributions", "explain_prediction"]


@dataclass(frozen=True)
class Contributions:
    """The parts of one object: `places` names them, `values` has a row for each place and a column for each score.

    `column` is the column of a table that the object stands in; empty where the inputs are the objects themselves.
    `names` tells what the columns of `values` stand for, as `mercer predict --scores` calls them, and `deciding` which
    of them to look at first: that of the predicted class (of pairs of classes, the one against its hardest rival).
    """

    column: str
    places: list
    values: np.ndarray
    names: list
    deciding: int


def explain_prediction(model, X):
    """(contributions, bias, scores) of the first of the objects X, by a fitted estimator.

    For kernels that are inner products of counts (spectrum, gapped, wl, ..., their sums, multiples and normalised
    ones, on columns): all contributions and the bias add up to the scores.

    >>> import mercer
    >>> svc = mercer.SVC(kernel="normalize(spectrum(k=2))").fit(["abab", "baba", "aabb", "bbaa"], [0, 0, 1, 1])
    >>> (part,), bias, scores = mercer.explain_prediction(svc, ["ababb"])
    >>> "".join(part.places), part.values.shape
    ('ababb', (5, 1))
    >>> bool(np.isclose(part.values.sum() + bias[0], scores[0]))
    True
    """
    parts, bias, scores, names, deciding = model.model_.explain(as_points(X)[:1])
    return [Contributions(*part, names, deciding) for part in parts], bias, scores
