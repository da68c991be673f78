"""Maps of rows: what prepares pictures and other rows of numbers before a kernel sees them."""
from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._input_checks import _validate_data

__all__ = ["RowMaps"]


def map_texts(maps, argument):
    """The texts of an argument that is None, a text or a list of texts."""
    if maps is None:
        return []
    given = [maps] if isinstance(maps, str) else maps
    if not isinstance(given, (list, tuple)) or not all(isinstance(one, str) for one in given):
        raise ValueError(f"{argument} is {maps!r}; give a text such as 'deskew(28x28), unit_norm', or a list of such")
    return list(given)


def copy_maps(maps):
    """The texts and the functions, with names, of `invariance`."""
    given = [] if maps is None else [maps] if isinstance(maps, str) or callable(maps) else maps
    if not isinstance(given, (list, tuple)) or not all(isinstance(one, str) or callable(one) for one in given):
        raise ValueError(f"invariance is {maps!r}; give a text such as 'shift(28x28, 1)', a function of rows, or a list "
                         "of such")
    functions = [one for one in given if not isinstance(one, str)]
    return ([one for one in given if isinstance(one, str)],
            [(getattr(one, "__name__", type(one).__name__), one) for one in functions])


def mapped_rows(X, texts):
    """An array or a sparse matrix after the maps."""
    X = X.toarray() if hasattr(X, "toarray") else X
    return _core.mapped(_core.dense_points(X), texts)


class RowMaps(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Rows after the maps of Mercer's catalog, in their order: a step of a pipeline before any estimator.

    Each row decides for itself, so that nothing is learnt. `mercer machines --maps` and docs/machines.md list the maps.
    Support vector machines take them as their argument `prepare`, too, and keep them in model files.

    Parameters
    ----------
    maps : str or list of str, default="unit_norm"
        Such as "deskew(28x28), unit_norm".

    Examples
    --------
    >>> import mercer
    >>> mercer.RowMaps("unit_norm").fit_transform([[3.0, 4.0]])
    array([[0.6, 0.8]])
    """

    def __init__(self, maps="unit_norm"):
        self.maps = maps

    _expected_failures = {}

    def fit(self, X, y=None):
        """Looks whether X are rows that the maps take."""
        self._mapped(self._checked(X, reset=True)[:1])
        return self

    def transform(self, X):
        """The rows of X, mapped: an array of float64."""
        check_is_fitted(self, "n_features_in_")
        return self._mapped(self._checked(X, reset=False))

    def _checked(self, X, reset):
        return _validate_data(self, X, "no_validation", reset=reset, accept_sparse="csr", dtype=[np.float64, np.float32])

    def _mapped(self, X):
        return mapped_rows(X, map_texts(self.maps, "maps"))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
