from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, OutlierMixin, RegressorMixin
from typing_extensions import Self

from .kernels import Kernel

_KernelLike = Kernel | str | Callable[[Any, Any], ArrayLike]
_Gamma = Literal["scale", "auto"] | float
_Callback = Callable[[str, float], bool | None]
_CentreCount = int | Literal["auto"] | None
_CentresBy = Literal["rpcholesky", "uniform", "kmeans++", "thinning"]
_Numbers = NDArray[np.float64]
_CopyMap = str | Callable[[_Numbers], ArrayLike]

class _SupportVectorMachine(BaseEstimator):
    support_: NDArray[np.int32]
    support_vectors_: Any
    n_support_: NDArray[np.int32]
    dual_coef_: Any
    intercept_: _Numbers
    fit_status_: int
    shape_fit_: tuple[int, ...]
    n_features_in_: int
    model_: Any
    @property
    def n_iter_(self) -> Any: ...
    @property
    def coef_(self) -> Any: ...
    @property
    def kernel_(self) -> Kernel | None: ...
    @property
    def centres_(self) -> Any: ...
    @property
    def report_(self) -> dict[str, Any]: ...
    def save(self, path: str | PathLike[str]) -> None: ...

class _Classifier(ClassifierMixin, _SupportVectorMachine):
    classes_: NDArray[Any]
    class_weight_: _Numbers
    @property
    def probA_(self) -> _Numbers: ...
    @property
    def probB_(self) -> _Numbers: ...
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self: ...
    def decision_function(self, X: Any) -> _Numbers: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_proba(self, X: Any) -> _Numbers: ...
    def predict_log_proba(self, X: Any) -> _Numbers: ...

class SVC(_Classifier):
    def __init__(
        self, *, C: float = 1.0, kernel: _KernelLike = "rbf", degree: int = 3, gamma: _Gamma = "scale",
        coef0: float = 0.0, shrinking: bool = True, probability: bool = False, tol: float = 1e-3,
        cache_size: float | None = None, class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        verbose: int = 0, max_iter: int = -1, decision_function_shape: Literal["ovr", "ovo"] = "ovr",
        break_ties: bool = False, random_state: Any = None, callback: _Callback | None = None,
        threads: int | None = None, centres: _CentreCount = None, centres_by: _CentresBy = "rpcholesky",
        prepare: str | Sequence[str] | None = None,
        invariance: _CopyMap | Sequence[_CopyMap] | None = None) -> None: ...

class NuSVC(_Classifier):
    def __init__(
        self, *, nu: float = 0.5, kernel: _KernelLike = "rbf", degree: int = 3, gamma: _Gamma = "scale",
        coef0: float = 0.0, shrinking: bool = True, probability: bool = False, tol: float = 1e-3,
        cache_size: float | None = None, class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        verbose: int = 0, max_iter: int = -1, decision_function_shape: Literal["ovr", "ovo"] = "ovr",
        break_ties: bool = False, random_state: Any = None, callback: _Callback | None = None,
        threads: int | None = None, centres: _CentreCount = None, centres_by: _CentresBy = "rpcholesky",
        prepare: str | Sequence[str] | None = None,
        invariance: _CopyMap | Sequence[_CopyMap] | None = None) -> None: ...

class _Regressor(RegressorMixin, _SupportVectorMachine):
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self: ...
    def predict(self, X: Any) -> _Numbers: ...

class SVR(_Regressor):
    def __init__(
        self, *, kernel: _KernelLike = "rbf", degree: int = 3, gamma: _Gamma = "scale", coef0: float = 0.0,
        tol: float = 1e-3, C: float = 1.0, epsilon: float = 0.1, shrinking: bool = True,
        cache_size: float | None = None, verbose: int = 0, max_iter: int = -1, callback: _Callback | None = None,
        threads: int | None = None, centres: _CentreCount = None, centres_by: _CentresBy = "rpcholesky",
        prepare: str | Sequence[str] | None = None,
        invariance: _CopyMap | Sequence[_CopyMap] | None = None) -> None: ...

class NuSVR(_Regressor):
    def __init__(
        self, *, nu: float = 0.5, C: float = 1.0, kernel: _KernelLike = "rbf", degree: int = 3,
        gamma: _Gamma = "scale", coef0: float = 0.0, shrinking: bool = True, tol: float = 1e-3,
        cache_size: float | None = None, verbose: int = 0, max_iter: int = -1, callback: _Callback | None = None,
        threads: int | None = None, centres: _CentreCount = None, centres_by: _CentresBy = "rpcholesky",
        prepare: str | Sequence[str] | None = None,
        invariance: _CopyMap | Sequence[_CopyMap] | None = None) -> None: ...

class OneClassSVM(OutlierMixin, _SupportVectorMachine):
    def __init__(
        self, *, kernel: _KernelLike = "rbf", degree: int = 3, gamma: _Gamma = "scale", coef0: float = 0.0,
        tol: float = 1e-3, nu: float = 0.5, shrinking: bool = True, cache_size: float | None = None,
        verbose: int = 0, max_iter: int = -1, callback: _Callback | None = None,
        threads: int | None = None, centres: _CentreCount = None, centres_by: _CentresBy = "rpcholesky",
        prepare: str | Sequence[str] | None = None,
        invariance: _CopyMap | Sequence[_CopyMap] | None = None) -> None: ...
    @property
    def offset_(self) -> float: ...
    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self: ...
    def decision_function(self, X: Any) -> _Numbers: ...
    def score_samples(self, X: Any) -> _Numbers: ...
    def predict(self, X: Any) -> NDArray[np.int64]: ...
