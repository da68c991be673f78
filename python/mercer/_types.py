"""Names of types, for annotations alone."""
from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, Optional, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._kernel import Kernel
from ._number import Number

Callback = Callable[[str, float], Optional[bool]]
CentreCount = int | Literal["auto"] | None
CentresBy = Literal["rpcholesky", "uniform", "kmeans++", "thinning"]
ClassWeight = Union[Mapping[Any, float], Literal["balanced"], None]
Inputs = Any  # arrays, sparse matrices, tables, lists of texts
KernelLike = Union[Kernel, str, Callable[[Any, Any], Any]]
Learnable = Union[Number, str, float]
Numbers = NDArray[np.float64]
Optimizer = Union[str, Callable[..., Any], None]
RandomState = Union[int, np.random.RandomState, None]
Weights = Optional[ArrayLike]
