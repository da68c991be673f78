"""What stands where a value is missing."""
from __future__ import annotations

import numpy as np


def is_missing(one):
    """None, NaN, or what pandas writes for a missing value."""
    return one is None or type(one).__name__ in ("NAType", "NaTType") or (isinstance(one, float) and np.isnan(one))
