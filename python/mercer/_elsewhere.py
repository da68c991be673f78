"""Rows of a Dask collection, for fits that go through them where the workers have them.

The solver runs here. What it wants of the rows is an errand, a name and numbers, and each block of rows becomes a task: a pure
function of the rows, as Dask makes them, and of these numbers. So a worker that is lost is a block that is made again, and a
new one helps at once. Numbers go from here to workers and back without the scheduler, which sees nothing but small tasks. What
blocks give is added in their order, by tasks too: sums have the same bits whoever computes what.
"""
from __future__ import annotations

import asyncio
from concurrent.futures import CancelledError

import numpy as np
from dask import delayed
from distributed import Client, get_client

from . import _core
from ._chunked import RowsInPieces
from ._points import _require_finite

_ADDED = 8  # parts that one task adds
_TRIES = 5  # of a pass whose numbers were lost with a worker
_LARGE = 1 << 20  # bytes of a number that lies in the graph itself


def client_here():
    """The client that this process has, or one line."""
    try:
        return get_client()
    except ValueError:
        raise ValueError("no Dask client: start one before, such as `from dask.distributed import Client; Client()`, or "
                         "`Client(\"address of a scheduler:8786\")`") from None


def brought(client: Client, what):
    """What a collection or some tasks give, straight from the workers."""
    return client.gather(client.compute(what), direct=True)


def _points(block, first, picked, names):
    x = np.ascontiguousarray(block, dtype=np.float32 if block.dtype == np.float32 else np.float64)
    _require_finite(x, "X", names or (), first)
    points = _core.dense_points(x if picked is None else x[picked])
    return points if names is None else _core.named_points(points, names)


def _answer(block, first, names, errand, first_row, own):
    """What an errand gives for a block of rows, as a list of arrays."""
    name, setting, given = errand
    picked, of_rows = own
    return _core.errand(name, setting, given, of_rows, _points(block, first, picked, names), first_row)


def _added(total, *parts):
    total = [one.copy() for one in total]
    for part in parts:
        for one, more in zip(total, part):
            one += more
    return total


def _holds_numbers(graph):
    def size(thing, depth):
        if isinstance(thing, (tuple, list)) and depth > 0:
            return max((size(one, depth - 1) for one in thing), default=0)
        return getattr(thing, "nbytes", 0) if isinstance(thing, np.ndarray) else \
            int(thing.memory_usage().sum()) if hasattr(thing, "memory_usage") and hasattr(thing, "iloc") else 0

    return any(size(one, 3) > _LARGE for one in dict(graph).values())


class RowsElsewhere(RowsInPieces):
    """A Dask array that stays with the workers of a cluster."""

    def __init__(self, x, names=None, name="X"):
        super().__init__(x, name)
        self._client = client_here()
        self.names = None if names is None else list(names)
        # Numbers within the graph would go to the scheduler with every pass.
        self._x = self._client.persist(x) if _holds_numbers(x.__dask_graph__()) else x
        self._cut = {}
        self.elsewhere = self

    def read(self, first, end):
        return np.ascontiguousarray(brought(self._client, self._x[first:end]), dtype=self.dtype)

    def select(self, rows):
        """Some rows, which increase."""
        parts, first = [], 0
        for block, size in zip(self._blocks(self._x.chunks[0]), self._x.chunks[0]):
            some = rows[np.searchsorted(rows, first):np.searchsorted(rows, first + size)] - first
            if len(some) > 0:
                parts.append(delayed(_some_rows, pure=False)(block, first, some))
            first += size
        found = brought(self._client, parts)
        return np.ascontiguousarray(np.concatenate(found), dtype=self.dtype)

    def __getitem__(self, rows):
        """Some rows in any order."""
        ordered, place = np.unique(rows, return_inverse=True)
        return self.select(ordered)[place]

    def sum(self, errand, blocks):
        def total(parts):
            while len(parts) > 1:
                parts = [delayed(_added, pure=False)(*parts[:_ADDED]), *parts[_ADDED:]]
            return parts[0]

        return self._asked(errand, blocks, total)

    def rows(self, errand, blocks):
        return np.concatenate([one for one, in self._asked(errand, blocks, list)])

    def _asked(self, errand, blocks, wanted):
        for left in reversed(range(_TRIES)):
            try:
                return brought(self._client, wanted(self._tasks(errand, blocks)))
            except CancelledError:  # a worker went, and with it what only it had
                if left == 0:
                    raise

    def _tasks(self, errand, blocks):
        name, setting, given, of_rows = errand
        sent = self._sent([(name, setting, given)])[0]
        own = [(picked, [one[first:end] if len(one) else one for one in of_rows])
               for first, end, _, _, picked in blocks]
        if any(picked is not None or any(len(one) for one in some) for picked, some in own):
            own = self._sent(own)
        edges = sorted({0, len(self), *(edge for block in blocks for edge in block[2:4])})
        cut = self._blocks(tuple(int(size) for size in np.diff(edges)))
        place = {edge: i for i, edge in enumerate(edges)}
        task = delayed(_answer, pure=False)
        return [task(cut[place[there]], there, self.names, sent, first, mine)
                for (first, _, there, _, _), mine in zip(blocks, own)]

    def _sent(self, things):
        for left in reversed(range(_TRIES)):
            try:
                return self._client.scatter(things, direct=True, hash=False)
            except (OSError, asyncio.TimeoutError):  # a worker went just now; there may be none
                if left == 0:
                    raise
                self._client.wait_for_workers(1)

    def _blocks(self, sizes):
        if sizes not in self._cut:
            self._cut[sizes] = self._x.rechunk((sizes, self._x.shape[1:])).to_delayed().ravel()
        return self._cut[sizes]


def _some_rows(block, first, rows):
    _require_finite(block, "X", first=first)
    return block[rows]
