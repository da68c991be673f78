"""Bags, which are sets of points, and Gaussians."""
from __future__ import annotations

import numpy as np

from .. import _core
from .groups import is_array, is_table, joined


def bags(items, name="X"):
    """Bags as points: 2-D arrays or tables with a row for each element, or lists of texts.

    A list of 2-D arrays, of tables or of lists of texts means bags anyway.

    >>> X = bags([[[1.0, 2.0]], [[3.0, 4.0], [5.0, 6.0]]])
    >>> len(X), X.kind
    (2, 'bags')
    >>> bags([["to", "be"], ["or"]]).kind
    'bags'
    """
    from .._points import as_points

    items = list(items)
    if any(_is_texts(item) for item in items):
        for i, item in enumerate(items):
            if not _is_texts(item):
                raise ValueError(f"Input {name}: bag {i + 1} is no list of one text or more, as others are")
        return _core.bag_points(as_points([text for bag in items for text in bag], name),
                                np.cumsum([0] + [len(bag) for bag in items]))
    elements, offsets = joined(items, "bag", name)
    return _core.bag_points(as_points(elements, name), offsets)


def gaussians(items, name="X"):
    """Gaussians as points: pairs (mean, covariance).

    A list of pairs of an array of one and an array of two dimensions means them anyway.

    >>> X = gaussians([(0.0, 1.0), (1.0, 4.0)])
    >>> len(X), X.kind
    (2, 'gaussians')
    """
    means, covariances = [], []
    for i, (mean, covariance) in enumerate(items):
        means.append(np.atleast_1d(np.asarray(mean, dtype=np.float64)))
        covariances.append(np.atleast_2d(np.asarray(covariance, dtype=np.float64)))
        width = len(means[0])
        if means[i].shape != (width,) or covariances[i].shape != (width, width):
            raise ValueError(f"Input {name}: Gaussian {i + 1} has a mean of shape {means[i].shape} and a covariance of "
                             f"shape {covariances[i].shape}; the first has {width} dimensions")
    if not means:
        raise ValueError(f"Input {name} holds no Gaussian")
    return _core.gaussian_points(np.array(means), np.concatenate(covariances))


def takes(values):
    return all(map(_is_bag, values)) or all(map(_is_pair, values))


def points(values, name="X"):
    return gaussians(values, name) if _is_pair(values[0]) else bags(values, name)


def _is_texts(x):
    return isinstance(x, (list, tuple)) and len(x) > 0 and all(isinstance(one, (str, bytes)) for one in x)


def _is_bag(x):
    return is_array(x) or is_table(x) or _is_texts(x)


def _is_pair(x):
    return (isinstance(x, (list, tuple)) and len(x) == 2 and not isinstance(x[0], (str, bytes))
            and np.ndim(x[0]) == 1 and np.ndim(x[1]) == 2)
