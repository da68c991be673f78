"""What arguments mean: texts of settings, kernels by their names, kinds of inputs, names of classes."""
from __future__ import annotations

import numbers

import numpy as np
from scipy import sparse

from . import _core
from ._chunked import is_chunked
from ._domains import is_missing
from ._points import as_points
from .kernels import Kernel, as_kernel, parse

# scikit-learn's checks that a weight of 2 is the point twice.
WEIGHTS_ARE_REPEATS = ("check_sample_weight_equivalence_on_dense_data",
                       "check_sample_weight_equivalence_on_sparse_data")


def documented(**texts):
    """A decorator of classes whose docstrings have {name} where they share one of these texts with others."""
    def filled(cls):
        for name, text in texts.items():
            cls.__doc__ = cls.__doc__.replace("{" + name + "}", text.strip())
        return cls
    return filled


def setting(value):
    """The text of an option, as machines take them."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    return str(value)


def from_setting(text):
    """What `setting` wrote: a truth value, a number or a text."""
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def named_kernel(name, *, gamma=1.0, degree=3, coef0=0.0):
    """scikit-learn's names for kernels: "linear", "poly" and "rbf", with its arguments.

    "rbf" is exp(-gamma |x-y|^2) and "poly" is (gamma x.y + coef0)^degree.

    >>> named_kernel("rbf", gamma=0.5)
    rbf(ell=1)
    >>> named_kernel("poly", gamma=0.5, degree=2, coef0=1)
    0.25*poly(degree=2, c=2)
    """
    if name == "linear":
        return parse("linear()")
    if name == "rbf":
        return parse("const(c=1)" if gamma == 0 else f"rbf(gamma={float(gamma)!r})")
    if name == "poly":
        if gamma == 0 or degree == 0:
            return parse(f"const(c={float(coef0) ** degree!r})")
        return parse(f"{float(gamma) ** degree!r}*poly(degree={degree}, c={float(coef0 / gamma)!r})")
    if name == "sigmoid":
        raise ValueError("kernel='sigmoid': tanh(gamma x.y + coef0) need not be positive semi-definite, so it is no "
                         "kernel; use 'rbf', or 'arccos(order=1)', which is the kernel of a layer of neurons")
    raise ValueError(f"kernel={name!r}: no kernel has this name")


def kernel_from(kernel):
    """A Kernel from a Kernel, a text of the grammar, or a name of the catalog, which means its default numbers."""
    if isinstance(kernel, str) and kernel.isidentifier() and kernel != "precomputed":
        kernel += "()"
    return as_kernel(kernel)


def is_function(kernel):
    """Whether it is a function of the user's, of which nothing is proved."""
    return callable(kernel) and not isinstance(kernel, Kernel)


def thread_count(threads):
    """How many threads the core may use; 0 leaves it to MERCER_NUM_THREADS, or one per core."""
    if threads is not None:
        if isinstance(threads, (bool, np.bool_)) or int(threads) != threads or threads < 1:
            raise ValueError(f"threads is {threads!r}; give a whole number from 1, or None for all cores")
        return int(threads)
    return 0


def is_objects(X):
    """Whether X is a sequence of texts, graphs, ...: of what is neither a number nor a row of numbers."""
    sequence = isinstance(X, (list, tuple)) or getattr(X, "ndim", None) == 1  # arrays, and columns of tables
    if not sequence or len(X) == 0:
        return False
    first = next(iter(X))
    is_text = isinstance(first, (str, bytes))  # also NumPy's, which otherwise look like arrays
    return is_text or not (isinstance(first, (numbers.Number, list, tuple)) or hasattr(first, "__array__"))


def numbers_of(points):
    """The numbers of points of the core, exactly; Points that are no numbers stay what they are."""
    if points.kind != "reals":
        return points
    axes = sparse.identity(points.dimension, format="csr")  # x.e_j is x_j
    return _core.parse("linear()").cross(points, as_points(axes))


def require_classes(y):
    """That no class is missing, said with the row: NumPy would make a class "nan" of it among texts.

    >>> require_classes(["a", None])
    Traceback (most recent call last):
    ...
    ValueError: Input y contains NaN: row 2 is None, which is no class. Remove such rows.
    """
    if not hasattr(y, "__len__") or hasattr(y, "columns") or sparse.issparse(y):  # refused, or a frame of one column
        return
    if is_chunked(y) or getattr(getattr(y, "dtype", None), "kind", None) in ("b", "i", "u"):
        return  # read later; no whole number is missing
    for i, one in enumerate(y.ravel().tolist() if isinstance(y, np.ndarray) else y):
        if is_missing(one):
            raise ValueError(f"Input y contains NaN: row {i + 1} is {one}, which is no class. Remove such rows.")


def class_names(classes):
    """Texts of classes, as model files have them: 1.0 is "1", as the command writes it."""
    return [str(int(c)) if isinstance(c, (float, np.floating)) and float(c).is_integer() else str(c) for c in classes]


def classes_from_names(names):
    """Classes of a model file: whole numbers, numbers or truth values where all names are, else texts.

    >>> classes_from_names(["-1", "1"]), classes_from_names(["cat", "dog"])
    (array([-1,  1]), array(['cat', 'dog'], dtype='<U3'))
    """
    if list(names) == ["False", "True"]:
        return np.array([False, True])
    for kind in (int, float):
        try:
            return np.array([kind(name) for name in names])
        except ValueError:
            pass
    return np.array(names)
