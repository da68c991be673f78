"""Reports: a page about a fitted model and data, to look at, to keep and to send."""
from __future__ import annotations

import hashlib
import html
import os
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._arguments import class_names
from ._base import KernelMachine
from ._points import as_points

__all__ = ["Report", "report"]


class Report:
    """A page, and what it shows. In a notebook it is shown where it stands.

    Attributes
    ----------
    html : str
        The page: one file of at most 2 MB that needs no network.
    document : dict
        Title, metrics with intervals, worries, pictures as numbers, and the code that gives the model again.
    """

    def __init__(self, page, document):
        self.html = page
        self.document = document

    def save(self, path):
        """Writes the page."""
        Path(path).write_text(self.html, encoding="utf-8")

    def __repr__(self):
        figures = ", ".join(f"{m['name']} {m['value']:.4g}" for m in self.document["metrics"] if m["value"] is not None)
        return f"<Report: {self.document['title']}{': ' + figures if figures else ''}>"

    def _repr_html_(self):
        # In a frame of its own the page's styles and scripts touch nothing of the notebook.
        return (f'<iframe srcdoc="{html.escape(self.html, quote=True)}" title="Report" '
                'style="width:100%;height:800px;border:0"></iframe>')


def report(model, X, y=None, title=None):
    """A report on a fitted model and data.

    Parameters
    ----------
    model : estimator, or the path of a .mercer file
        Ours, a scikit-learn pipeline whose last step is, or a search that has found one.
    X : what `predict` takes; or, with the path of a model, that of a data file
    y : the truth, where it is known; of a data file the name of its column (None: as in the training data)
    title : what stands on top (None: in words, by what the model does)

    Where X and y are the points of the fit, each of them is predicted from the others.

    >>> import mercer
    >>> X = [[0.0], [0.1], [0.2], [1.0], [1.1], [1.2]]
    >>> r = mercer.report(mercer.SVC(kernel="rbf(ell=0.5)").fit(X, list("aaabbb")), X, list("aaabbb"))
    >>> r
    <Report: Telling 2 classes of the data apart: accuracy 1, balanced_accuracy 1, f1 1, auc 1>
    >>> r.document["evidence"]
    '5 folds, fitted anew'
    """
    if isinstance(model, (str, os.PathLike)):
        if not isinstance(X, (str, os.PathLike)):
            raise TypeError("report: with the path of a model, give that of a data file; mercer.load reads a model")
        return Report(*_core.report_of_files(str(model), str(X), target=y or "", title=title or ""))
    estimator, X = _last_step(model, X)
    check_is_fitted(estimator, "model_")
    raw = estimator._inputs is not None
    if not raw:
        X = estimator._checked(X)
    if raw:
        points = estimator._whole_points(X)
    elif estimator._precomputed:
        points = as_points(np.ascontiguousarray(X, dtype=np.float64))
    elif estimator._callable is not None:
        points = as_points(estimator._rows(X))
    else:
        points = estimator._points(X)
    numbers, labels = _truth(estimator, y, len(points))
    return Report(*_core.report(estimator._whole_model(), points, numbers=numbers, labels=labels, title=title or "",
                                hash=_hash(X, y), threads=estimator._threads()))


def _last_step(model, X):
    """Our estimator, and X as it reaches it."""
    model = getattr(model, "best_estimator_", model)
    if hasattr(model, "steps"):
        return _last_step(model.steps[-1][1], model[:-1].transform(X) if len(model.steps) > 1 else X)
    if not isinstance(model, KernelMachine):
        raise TypeError(f"report: {type(model).__name__} is no estimator of Mercer's, nor a pipeline that ends in one")
    return model, X


def _truth(estimator, y, n):
    """Columns of numbers, or names of classes."""
    if y is None:
        return [], []
    y = np.asarray(y)
    if len(y) != n:
        raise ValueError(f"report: {n} points in X, and {len(y)} values in y; give one for each")
    if estimator.model_.classes or y.dtype.kind not in "fiub":
        return [], class_names(y.ravel().tolist())
    return [column.tolist() for column in y.reshape(n, -1).astype(float).T], []


def _hash(X, y):
    """Of arrays; of other inputs nothing is said."""
    if sparse.issparse(X) or not isinstance(X, np.ndarray) or X.dtype.kind not in "fiub":
        return ""
    digest = hashlib.sha256(np.ascontiguousarray(X).tobytes())
    if y is not None:
        digest.update(repr(np.asarray(y).tolist()).encode())
    return digest.hexdigest()
