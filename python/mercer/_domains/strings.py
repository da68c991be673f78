"""Texts: str, which kernels see as UTF-8, or bytes."""
from __future__ import annotations

from .. import _core


def takes(values):
    return all(isinstance(one, (str, bytes)) for one in values)


def points(values, name="X"):
    """Half a surrogate pair is a ValueError."""
    return _core.string_points([one.encode() if isinstance(one, str) else one for one in values])
