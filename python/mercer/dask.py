"""Fits and predictions over Dask arrays and dataframes, on the workers of a Dask cluster.

    from dask.distributed import Client
    import dask.dataframe, mercer.dask

    Client("scheduler:8786")                                   # or Client(), for processes of this computer
    rows = dask.dataframe.read_parquet("rows/*.parquet")
    model = mercer.dask.KernelRidge(0.1, kernel="rbf(ell=2)", centres=1000).fit(rows, "y")
    model.predict(rows.drop(columns="y")).to_zarr("answers.zarr")

The estimators are those of the package, with the same arguments, and given the same rows they find the same model, to the bit,
whatever the chunks and the number of workers. They need `centres`; what other estimators do with Dask arrays is to bring them
into memory.
"""
from __future__ import annotations

import copy
import warnings

import numpy as np

try:
    import dask.array
    import dask.dataframe
    import distributed
except ImportError as error:
    raise ImportError(f"mercer.dask needs Dask, and {error.name} is not there: pip install 'dask[array,dataframe,distributed]', or "
                      "Debian's python3-dask and python3-distributed") from None

import mercer

from ._elsewhere import RowsElsewhere, brought, client_here

__all__ = ["KernelKMeans", "KernelLogisticRegression", "KernelRidge", "KernelRidgeCV", "KernelRidgeClassifier", "Nystroem", "SVC",
           "predict"]


def predict(model, X, method="predict"):
    """What `model.predict`, or another of its methods, says at the rows of X: a Dask array, of which nothing is computed yet.

    Any fitted estimator of Mercer's, or what `mercer.load` gives. The model goes to the workers once. X: a Dask array or
    dataframe.
    """
    X = _files(X)
    if not _is_frame(X):
        _require_whole_rows(X)
    like = _answer(model, X._meta_nonempty if _is_frame(X) else np.ones((1, X.shape[1]), dtype=X.dtype), method, None)
    blocks = X.to_delayed()
    if not _is_frame(X):
        blocks = blocks.ravel()
    sizes = [np.nan] * len(blocks) if _is_frame(X) else X.chunks[0]
    sent = _sent(_light(model))
    ask = dask.delayed(_answer, pure=False)
    return dask.array.concatenate([dask.array.from_delayed(ask(sent, block, method, like[:0]), (size, *like.shape[1:]), like.dtype)
                                   for block, size in zip(blocks, sizes)], allow_unknown_chunksizes=True)


def _answer(model, rows, method, of_none):
    if len(rows) == 0:
        return of_none
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of names of columns, which Dask's arrays do not have
        return getattr(model, method)(rows)


def _light(model):
    """Without the training points, which no answer needs."""
    out = copy.copy(model)
    out.__dict__.pop("X_fit_", None)
    return out


def _sent(model):
    try:
        client = distributed.get_client()
    except ValueError:
        return dask.delayed(model)  # this process computes
    return client.scatter(model, direct=True, broadcast=True, hash=False)


# ---- what is given ----


def _is_frame(x):
    return isinstance(x, dask.dataframe.DataFrame)


def _is_dask(x):
    return isinstance(x, (dask.array.Array, dask.dataframe.DataFrame))


def _files(x):
    """Names of files, or a pattern, as a dataframe; anything else as it is."""
    names = [x] if isinstance(x, str) else x
    if not isinstance(names, (list, tuple)) or not names or not all(isinstance(one, str) for one in names):
        return x
    parquet = all(one.endswith((".parquet", ".pq")) for one in names)
    return dask.dataframe.read_parquet(list(names)) if parquet else dask.dataframe.read_csv(list(names))


def _require_whole_rows(x):
    if x.ndim != 2:
        raise ValueError(f"X is a Dask array of {x.ndim} dimensions; a row for each point, 2 are wanted")
    if len(x.chunks[1]) > 1:
        raise ValueError(f"X has its columns in {len(x.chunks[1])} chunks, and rows are read whole: X.rechunk({{1: -1}})")


def _column(frame, name, what):
    if name not in frame.columns:
        raise ValueError(f'{what}: there is no column "{name}"; there are {", ".join(map(str, frame.columns))}')
    return frame[name]


def _numbers(frame):
    wrong = [str(name) for name, kind in frame.dtypes.items() if getattr(kind, "kind", "O") not in "fiub"]
    if wrong:
        raise ValueError(f"X: no numbers in {', '.join(wrong)}; make numbers of them, or leave them out (X.drop)")


def _here(x):
    """Numbers of each row, brought to this process."""
    if not hasattr(x, "dask"):
        return x
    return np.asarray(brought(client_here(), x))


def _given(X, y, weights):
    """X as rows that stay where they are, and what there is beside it in memory."""
    names = None
    if _is_frame(X):
        columns = {}
        for what, one in (("y", y), ("sample_weight", weights)):
            if isinstance(one, str):
                columns[what] = _column(X, one, what)
        X = X.drop(columns=[one for one in (y, weights) if isinstance(one, str)])
        y, weights = columns.get("y", y), columns.get("sample_weight", weights)
        _numbers(X)
        names = [str(one) for one in X.columns]
        X = X.to_dask_array(lengths=True)  # goes through the rows once, to count them
    else:
        _require_whole_rows(X)
    return RowsElsewhere(X, names), _here(y), _here(weights)


class _OnWorkers:
    """Of an estimator that is fitted where the rows are; it stands before the one that is fitted here."""

    def fit(self, X, y, sample_weight=None):
        """Fits to a Dask array or dataframe X, or to names of files, and y: the name of a column of X, or an array, which
        is brought into memory, as are weights."""
        rows, y, weights = self._given(X, y, sample_weight)
        super().fit(rows, y, weights)
        self.__dict__.pop("X_fit_", None)
        return self

    def _given(self, X, y, weights):
        X = _files(X)
        if not _is_dask(X):
            raise ValueError(f"X: a Dask array or dataframe, or names of files, is wanted, not {type(X).__name__}; "
                             f"mercer.{type(self).__name__} takes others")
        if getattr(self, "centres", 0) is None:
            raise ValueError("centres: on a Dask cluster some of the rows stand for all; give how many, such as "
                             "centres=1000")
        return _given(X, y, weights)

    def _checked(self, X, y="no_validation", *, reset=False, **checks):
        if not isinstance(X, RowsElsewhere):
            return super()._checked(X, y, reset=reset, **checks)
        self._inputs = None
        rows_alone = isinstance(y, str) and y == "no_validation"
        checked = self._checked_pieces(X, np.zeros(len(X)) if rows_alone else y, checks)
        if X.names is not None:
            self.feature_names_in_ = np.array(X.names, dtype=object)
        return X if rows_alone else checked


def _lazy(*names):
    """A class of estimators whose methods of these names, given a Dask array or dataframe, promise an array."""
    def with_lazy(cls):
        for name in names:
            def method(self, X, _name=name, _here=getattr(cls, name)):
                return predict(self, X, _name) if _is_dask(X) else _here(self, X)

            method.__name__ = name
            method.__doc__ = f"{name} of the package's estimator; of a Dask array or dataframe an array that is not computed yet."
            setattr(cls, name, method)
        return cls

    return with_lazy


@_lazy("predict")
class KernelRidge(_OnWorkers, mercer.KernelRidge):
    """`mercer.KernelRidge` with `centres`, fitted on the workers of a Dask cluster."""


@_lazy("predict")
class KernelRidgeCV(_OnWorkers, mercer.KernelRidgeCV):
    """`mercer.KernelRidgeCV` with `centres`, fitted on the workers of a Dask cluster."""


@_lazy("predict", "decision_function")
class KernelRidgeClassifier(_OnWorkers, mercer.KernelRidgeClassifier):
    """`mercer.KernelRidgeClassifier` with `centres`, fitted on the workers of a Dask cluster."""


@_lazy("predict", "predict_proba", "predict_log_proba", "decision_function")
class KernelLogisticRegression(_OnWorkers, mercer.KernelLogisticRegression):
    """`mercer.KernelLogisticRegression` with `centres`, fitted on the workers of a Dask cluster."""


@_lazy("predict", "decision_function")
class SVC(_OnWorkers, mercer.SVC):
    """`mercer.SVC` with `centres`: the workers make the features of the rows, and the solver has all of them in memory."""

    def fit(self, X, y, sample_weight=None):
        """As KernelRidge, here."""
        if isinstance(self.kernel, str) and self.kernel in ("rbf", "poly") and self.gamma == "scale":
            raise ValueError("gamma: 'scale' is read off all rows at once; give a number, or a kernel such as "
                             "'rbf(ell=auto)'")
        return super().fit(X, y, sample_weight)


@_lazy("predict")
class KernelKMeans(_OnWorkers, mercer.KernelKMeans):
    """`mercer.KernelKMeans` with `centres`: the workers make the features of the rows, and the solver has all of them in
    memory."""

    def fit(self, X, y=None, sample_weight=None):
        """Finds the clusters of a Dask array or dataframe X, or of files. y is not looked at."""
        rows, _, weights = self._given(X, None, sample_weight)
        return mercer.KernelKMeans.fit(self, rows, None, weights)


@_lazy("transform")
class Nystroem(_OnWorkers, mercer.Nystroem):
    """`mercer.Nystroem` of rows on the workers of a Dask cluster; `centres_by="uniform"`."""

    def fit(self, X, y=None):
        """Chooses the centres among the rows of a Dask array or dataframe X, or of files."""
        if self.centres_by != "uniform":
            raise ValueError("centres_by: on a Dask cluster centres are chosen uniformly; or give mercer.Nystroem a sample of "
                             "the rows")
        rows, _, _ = self._given(X, None, None)
        return mercer.Nystroem.fit(self, rows)

    def fit_transform(self, X, y=None):
        """`fit`, and then `transform`."""
        X = _files(X)
        return self.fit(X).transform(X)
