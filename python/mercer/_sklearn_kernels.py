"""scikit-learn's kernel objects as kernels of the grammar, so that code written for its Gaussian processes runs."""
from __future__ import annotations

import numpy as np

from .kernels import parse


def is_sklearn_kernel(kernel):
    from sklearn.gaussian_process.kernels import Kernel as Theirs

    return isinstance(kernel, Theirs)


def from_sklearn(kernel, n_features=1):
    """The Kernel that means the same, and the text of the noise that its WhiteKernel stands for, or None.

    Bounds come along, and "fixed" ones as fixed(...). A WhiteKernel is noise, no kernel, and may only be added.

    >>> from sklearn.gaussian_process.kernels import RBF, WhiteKernel
    >>> from_sklearn(2.0 * RBF(0.5, "fixed") + WhiteKernel(0.1))
    (const(c=2 in [1e-05, 100000])*rbf(ell=fixed(0.5)), '0.1 in [1e-05, 100000.0]')
    """
    if n_features > 1 and "ExpSineSquared" in repr(kernel):
        raise ValueError("ExpSineSquared of several columns need not be positive semi-definite; use Mercer's periodic, "
                         "the product over columns, or on(column, periodic(...))")
    whites, others = [], []
    for addend in _addends(kernel):
        (whites if type(addend).__name__ == "WhiteKernel" else others).append(addend)
    if len(whites) > 1:
        raise ValueError("several WhiteKernels add up to one; give one of them")
    if not others:
        raise ValueError("a WhiteKernel alone is noise and leaves nothing to predict; add a kernel to it")
    noise = None if not whites else _number(whites[0].noise_level, whites[0].noise_level_bounds)
    return parse(" + ".join(_text(one) for one in others)), noise


def _addends(kernel):
    if type(kernel).__name__ == "Sum":
        return _addends(kernel.k1) + _addends(kernel.k2)
    return [kernel]


def _number(value, bounds, change=lambda v: v):
    """`value` as the grammar writes a number with its bounds; `change` is what the grammar's number is of theirs."""
    values = np.asarray(change(np.asarray(value, dtype=float))).tolist()
    if isinstance(bounds, str):
        if bounds != "fixed":
            raise ValueError(f'bounds: a pair of numbers or "fixed" is needed, not {bounds!r}')
        return f"fixed({values!r})"
    pairs = np.unique(np.atleast_2d(np.asarray(bounds, dtype=float)), axis=0)
    if len(pairs) > 1:
        raise ValueError("bounds of each column by itself: a Mercer kernel has one range for all; give one pair")
    low, high = (float(change(end)) for end in pairs[0])
    return f"{values!r} in [{low!r}, {high!r}]"


def _text(k):
    name = type(k).__name__
    if name == "Sum":
        return f"({_text(k.k1)} + {_text(k.k2)})"
    if name == "Product":
        return f"({_text(k.k1)})*({_text(k.k2)})"
    if name == "Exponentiation":
        if int(k.exponent) != k.exponent or k.exponent < 1:
            raise ValueError(f"k**{k.exponent}: a power that is no whole number >= 1 need not be a kernel")
        return f"({_text(k.kernel)})^{int(k.exponent)}"
    if name == "ConstantKernel":
        return f"const(c={_number(k.constant_value, k.constant_value_bounds)})"
    if name == "RBF" or (name == "Matern" and k.nu == np.inf):
        return f"rbf(ell={_number(k.length_scale, k.length_scale_bounds)})"
    if name == "Matern":
        return f"matern(nu={float(k.nu)!r}, ell={_number(k.length_scale, k.length_scale_bounds)})"
    if name == "RationalQuadratic":
        return (f"rq(ell={_number(k.length_scale, k.length_scale_bounds)}, "
                f"alpha={_number(k.alpha, k.alpha_bounds)})")
    if name == "ExpSineSquared":
        return (f"periodic(period={_number(k.periodicity, k.periodicity_bounds)}, "
                f"ell={_number(k.length_scale, k.length_scale_bounds)})")
    if name == "DotProduct":
        return f"(const(c={_number(k.sigma_0, k.sigma_0_bounds, np.square)}) + linear())"
    if name == "WhiteKernel":
        raise ValueError("a WhiteKernel inside a product or a power is noise that no option expresses; add it instead")
    raise ValueError(f"{name}: no kernel of Mercer's means the same; give a Mercer kernel, or \"precomputed\"")
