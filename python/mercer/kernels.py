"""Kernels as Python values: factories named as in the catalog, sums, products, powers, and numbers from them.

>>> import numpy as np
>>> k = 2 * rbf(ell=0.5) + periodic(period=1) * linear()
>>> k
2*rbf(ell=0.5) + periodic(period=1, ell=1)*linear()
>>> k(np.zeros((2, 3)))
array([[2., 2.],
       [2., 2.]])
"""
from __future__ import annotations

import inspect
import keyword
import numbers
import re

import numpy as np

from . import _core
from ._check import Check, check
from ._kernel import Kernel, as_kernel, made, parse
from ._number import Number, argument_text, bounded, fixed
from ._proof import Proof


def _catalog_words(row):
    """What the catalog says of a row: formula, inputs, conditions, theorem, source, arguments."""
    lines = [f"    k(x, y) = {row['formula']}" if not row["is_rule"] else f"    {row['formula']}", ""]
    because = row["because"] + (f" ({row['citation']})" if row["citation"] else "")
    lines.append(f"A kernel because {because}.")
    if row["conditions"]:
        lines.append(f"Conditions: {row['conditions']}.")
    if row["domain"]:
        lines.append(f"Inputs: {row['domain']}.")
    if row["arguments"] and row["name"] != "features":  # whose argument is another in texts
        lines += ["", "Arguments:"] + [f"    {line}" for line in row["arguments"]]
    return "\n".join(lines)


_ROWS = {row["name"]: row for row in _core.catalog()}


def _from_catalog(function):
    """Puts the catalog's words between the first line of a docstring and the rest."""
    head, _, rest = inspect.cleandoc(function.__doc__).partition("\n")
    function.__doc__ = f"{head}\n\n{_catalog_words(_ROWS[function.__name__])}\n{rest}"
    return function


def _signature_of(row):
    """Arguments with their defaults from the catalog's form `matern(nu=1.5, ell=1)`, other spellings by keyword."""
    kinds = dict(line.split(": ", 1) for line in row["arguments"])
    named, others = [], []
    for name, default in re.findall(r"(\w+)(?:=([^,)]+))?[,)]", row["signature"].partition("(")[2]):
        value = _default(default, kinds[name])
        spelling = name + "_" if keyword.iskeyword(name) else name  # random_walk(lambda_=0.1)
        named.append(inspect.Parameter(spelling, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=value))
        for other in re.findall(r"or (\w+)=", kinds[name]):
            others.append(inspect.Parameter(other, inspect.Parameter.KEYWORD_ONLY, default=None))
    return inspect.Signature(named + others, return_annotation="Kernel")


def _default(text, kind):
    """A default as Python has it: a number, a word, None for a kernel that may be left out; empty where there is none."""
    if not text:
        return inspect.Parameter.empty
    if text == "KERNEL":
        return None
    if not text[0].isdigit():
        return text
    return float(text) if kind.startswith(("a number", "any number")) or "." in text else int(text)


def _factory(row):
    """The function of an axiom: it writes its arguments as text and lets the grammar read them."""
    name, signature = row["name"], _signature_of(row)

    def make(*args, **kwargs):
        try:
            arguments = signature.bind(*args, **kwargs).arguments
        except TypeError as error:
            raise TypeError(f"{name}() {error}") from None
        given = []
        for argument, value in arguments.items():
            if value is None and signature.parameters[argument].default is None:
                continue
            try:
                text = str(value) if isinstance(value, Kernel) else argument_text(value)
                given.append(f"{argument.rstrip('_')}={text}")
            except (TypeError, ValueError) as error:
                raise type(error)(f"{name}(): {argument}: {error}") from None
        try:
            return Kernel(_core.parse(f"{name}({', '.join(given)})"))
        except ValueError as error:  # its place in a text that the caller has not written says nothing
            raise ValueError(re.sub(r"^(\w+: )column \d+: ", r"\1", str(error))) from None

    make.__name__ = make.__qualname__ = name
    make.__signature__ = signature
    example = re.sub(r"\b(\w+)=", lambda found: found[1] + "_=" if keyword.iskeyword(found[1]) else found[0],
                     row["example"])
    example = re.sub(r"=([a-z_]+)(?=[,)])", r'="\1"', example)  # words are texts in Python
    make.__doc__ = (f"The kernel {row['signature']}.\n\n{_catalog_words(row)}\n\n"
                    f">>> {example}\n{_core.parse(row['example'])}\n")
    return make


@_from_catalog
def features(phi, name=None):
    """The inner product of features that a Python function makes of one point, a 1-D array.

    `name` is what texts and proofs call it. The function is called once for each point, not for each pair. Kernels with
    Python functions inside pickle as these do: by the name of the function, so that it must be importable.

    >>> k = features(lambda x: [1, x[0], x[0] ** 2], name="parabola")
    >>> k
    features(parabola)
    >>> k([[2.0]], [[3.0]])
    array([[43.]])
    """
    name = _name_of(phi, name)
    return Kernel(_core.features(name, phi), (features, (phi, name)))


@_from_catalog
def quadratic(A):
    """The kernel x'Ay of a symmetric positive semi-definite matrix.

    >>> quadratic([[2, 1], [1, 2]])
    quadratic(A=[[2, 1], [1, 2]])
    """
    return Kernel(_core.quadratic(A))


@_from_catalog
def assume_psd(similarity, because):
    """A formula taken for a kernel on your word; every proof says so.

    >>> assume_psd("tanh(dot(x,y))", "the data lie where it is one")
    assume_psd(tanh(dot(x, y)), "the data lie where it is one")
    """
    reason = str(because).replace("\\", "\\\\").replace('"', '\\"')
    return parse(f'assume_psd({similarity}, "{reason}")')


@_from_catalog
def exp(k):
    """The exponential of a kernel.

    >>> exp(0.5 * linear())
    exp(0.5*linear())
    """
    return made(_core.exp(_premise(k)), exp, k)


@_from_catalog
def normalize(k):
    """A kernel divided by its diagonal, so that k(x, x) = 1.

    >>> normalize(poly(degree=3))
    normalize(poly(degree=3, c=1))
    """
    return made(_core.normalize(_premise(k)), normalize, k)


@_from_catalog
def mean_embedding(k):
    """A kernel between bags: the mean of k over pairs of their elements.

    >>> from mercer import bags
    >>> mean_embedding(rbf(ell=1))(bags([[[0.0], [2.0]], [[2.0]]])).round(3)
    array([[0.568, 0.568],
           [0.568, 1.   ]])
    """
    return made(_core.mean_embedding(_premise(k)), mean_embedding, k)


@_from_catalog
def rbf_of(k, ell=1.0):
    """The rbf kernel of the distance that k induces; of a mean embedding this is the maximum mean discrepancy.

    >>> rbf_of(mean_embedding(rbf(ell="auto")), ell=0.5)
    rbf_of(mean_embedding(rbf(ell=auto)), ell=0.5)
    """
    if isinstance(ell, numbers.Real):
        return made(_core.rbf_of(_premise(k), float(ell)), rbf_of, k, ell)
    _premise(k)
    return parse(f"rbf_of({k}, ell={argument_text(ell)})")


@_from_catalog
def random_features(k, count=1000, seed=1):
    """A kernel of `count` explicit features, drawn so that it is k in the mean: machines that take features are quick.

    >>> random_features(rbf(ell=1), count=200)
    random_features(rbf(ell=1), count=200, seed=1)
    """
    _premise(k)
    return parse(f"random_features({k}, count={argument_text(count)}, seed={argument_text(seed)})")


@_from_catalog
def polynomial(coefficients, k):
    """A polynomial of a kernel, with coefficients >= 0 from the constant one on.

    >>> polynomial([1, 0, 2], linear())
    polynomial([1, 0, 2], linear())
    """
    numbers_ = [float(one) for one in np.asarray(coefficients, dtype=np.float64).ravel()]
    return made(_core.polynomial(numbers_, _premise(k)), polynomial, numbers_, k)


@_from_catalog
def warp(phi, k, name=None):
    """A kernel of mapped points; the map is a name of the catalog or a Python function of one point, a 1-D array.

    >>> warp("tanh", rbf(ell=1))
    warp(tanh, rbf(ell=1))
    >>> warp(lambda x: x[:1], linear(), name="first")([[2.0, 5.0]])
    array([[4.]])
    """
    if isinstance(phi, str):
        return made(_core.warp(phi, _premise(k)), warp, phi, k)
    name = _name_of(phi, name)
    return Kernel(_core.warp_by(name, phi, _premise(k)), (warp, (phi, k, name)))


@_from_catalog
def scaled(f, k, name=None):
    """A kernel times a weight of each point; the weight is a name of the catalog or a Python function of one point.

    >>> scaled("norm", rbf(ell=1))
    scaled(norm, rbf(ell=1))
    >>> scaled(lambda x: x[0], rbf(ell=1), name="first")([[3.0]])
    array([[9.]])
    """
    if isinstance(f, str):
        return made(_core.scaled(f, _premise(k)), scaled, f, k)
    name = _name_of(f, name)
    return Kernel(_core.scaled_by(name, f, _premise(k)), (scaled, (f, k, name)))


@_from_catalog
def on(columns, k):
    """A kernel of some columns of the inputs, by name, by number (counted from 1) or by range.

    A text is read as the grammar reads columns: "age", "x1:x5", "2:4, dose". The items of a list are whole names,
    whatever signs they contain, and numbers.

    >>> on("age", rbf(ell=10)) * on([2, "dose (mg)"], linear())
    on(age, rbf(ell=10))*on([2, "dose (mg)"], linear())
    >>> on("1:2", rbf(ell=1))
    on(1:2, rbf(ell=1))
    """
    if isinstance(columns, str):
        return made(_core.on(columns, _premise(k)), on, columns, k)
    if isinstance(columns, numbers.Integral):
        columns = [columns]
    names = []
    for one in columns:
        if not isinstance(one, (str, numbers.Integral)) or isinstance(one, bool):
            raise TypeError(f"on(): a column is a name or a number counted from 1, not {one!r}")
        if not isinstance(one, str) and one < 1:
            raise ValueError(f"on(): there is no column {one}; columns are counted from 1")
        names.append(str(one) if isinstance(one, str) else int(one))
    if not names:
        raise ValueError("on(): no columns are named; name at least one")
    return made(_core.on_columns(names, _premise(k)), on, names, k)


def _premise(k):
    if isinstance(k, Kernel):
        return k._core
    raise TypeError(f"a Kernel is needed, not {type(k).__name__}")


def _name_of(function, name):
    """What texts and proofs call a Python function."""
    if not callable(function):
        raise TypeError(f"a function of one point is needed, not {function!r}")
    taken = re.findall(r"\w+", _ROWS["scaled"]["arguments"][0].partition("weight: ")[2])  # maps too
    if name is None:
        own = getattr(function, "__name__", "")
        return "my_" + own if own in taken else own if own.isidentifier() else "phi"
    if not isinstance(name, str) or not name.isidentifier() or name in taken:
        raise ValueError(f"the name of a function must be an identifier other than {', '.join(taken)}; not {name!r}")
    return name


# ---- the rest of the catalog ----

_WRITTEN = ("features", "quadratic", "assume_psd")
_AXIOMS = [row["name"] for row in _core.catalog() if not row["is_rule"]]
globals().update({name: _factory(_ROWS[name]) for name in _AXIOMS if name not in _WRITTEN})

# `from mercer import *` leaves Python's own min alone; mercer.min is there.
__all__ = ["Kernel", "Proof", "Check", "parse", "check", "fixed", "bounded", "exp", "normalize", "on", "polynomial",
           "warp", "scaled", "mean_embedding", "rbf_of", "random_features"] + [name for name in _AXIOMS if name != "min"]
