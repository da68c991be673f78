"""The type Kernel; `kernels` has the functions that make kernels."""
from __future__ import annotations

import math
import numbers
import operator
import re
from html import escape
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from . import _core
from ._number import Number, is_number
from ._points import as_points
from ._proof import Proof

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


class Kernel:
    """A function proved symmetric and positive semi-definite. Immutable; made by the functions of this module.

    Sums, products and powers of kernels are kernels; differences are not, and say so.
    `repr(k)` is its text in the grammar, and `parse` reads it back.

    >>> from mercer import linear, parse, rbf
    >>> k = 2 * rbf(ell=0.5) + linear()
    >>> k
    2*rbf(ell=0.5) + linear()
    >>> parse(repr(k)) == k
    True
    >>> k - linear()
    Traceback (most recent call last):
        ...
    TypeError: a difference of kernels need not be positive semi-definite, so it is no kernel; sums, products and \
non-negative multiples are
    """

    __slots__ = ("_core", "_recipe")
    __array_ufunc__ = None  # numpy numbers leave 2 * k to us

    def __init__(self, core, recipe=None):
        object.__setattr__(self, "_core", core)
        # (function, arguments) that make it again, where no text can: of kernels with Python functions inside.
        object.__setattr__(self, "_recipe", recipe)

    def __setattr__(self, name, value):
        raise AttributeError("kernels do not change; k.with_params(...) makes a new one")

    def __delattr__(self, name):
        raise AttributeError("kernels do not change")

    def __repr__(self) -> str:
        return str(self._core)

    def _repr_html_(self):
        proof = self.proof()._repr_html_()
        return f"<details><summary><code>{escape(repr(self))}</code> is a kernel</summary>{proof}</details>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Kernel) and self._core == other._core and _functions(self) == _functions(other)

    def __hash__(self) -> int:
        return hash(self._core)

    def __reduce__(self):
        if self._recipe is None:
            parse(repr(self))  # a kernel with Python functions that came out of a model has no text either: say so now
        return self._recipe or (parse, (repr(self),))

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    # ---- closure rules ----

    def __add__(self, other: Any) -> Kernel:
        other = _one_of_ours(other)
        if isinstance(other, Kernel):
            return made(self._core.add(other._core), operator.add, self, other)
        if is_number(other):
            return made(self._core.add(float(other)), operator.add, self, other)
        return _refuse_function(other)

    def __radd__(self, other: Any) -> Kernel:
        return self if isinstance(other, int) and other == 0 and not isinstance(other, bool) else self + other  # sum()

    def __mul__(self, other: Any) -> Kernel:
        if isinstance(other, Number):
            return self._scaled_by(other)
        other = _one_of_ours(other)
        if isinstance(other, Kernel):
            return made(self._core.multiply(other._core), operator.mul, self, other)
        if is_number(other):
            return made(self._core.multiply(float(other)), operator.mul, self, other)
        return _refuse_function(other)

    __rmul__ = __mul__

    def __pow__(self, degree: int) -> Kernel:
        if not isinstance(degree, numbers.Integral) or isinstance(degree, bool):
            raise TypeError("k**n needs a whole number n >= 1: other powers of a kernel need not be kernels")
        return made(self._core.power(int(degree)), operator.pow, self, int(degree))

    def __sub__(self, other: object) -> NoReturn:
        raise TypeError(_core.refusal("a difference"))

    __rsub__ = __sub__

    def __neg__(self) -> NoReturn:
        raise TypeError(_core.refusal("a negative multiple"))

    def __truediv__(self, other: float) -> Kernel:
        if is_number(other) and other > 0:
            return self * (1 / other)
        raise TypeError(_core.refusal("a quotient"))

    def __rtruediv__(self, other: object) -> NoReturn:
        raise TypeError(_core.refusal("a quotient"))

    def _scaled_by(self, number):
        if self._recipe:
            raise ValueError(f"{number}: a kernel with Python functions inside has no text to write this into; "
                             "multiply a catalog kernel by it, or use a plain number")
        return parse(f"{number._standing}*({self!r})")

    # ---- numbers ----

    def __call__(self, X: Any, Y: Any = None) -> np.ndarray:
        """K(X, X), symmetric to the last bit, or K(X, Y): a row for each point of X, a column for each of Y.

        Arrays of float32 give a matrix of float32, and `precision` says what it is computed in.

        >>> from mercer import rbf
        >>> rbf(ell=1)([[0.0], [1.0]], [[0.0]])
        array([[1.        ],
               [0.60653066]])
        """
        x = as_points(X)
        return self._core.gram(x) if Y is None or Y is X else self._core.cross(x, _beside(x, Y))

    def precision(self, X: Any, Y: Any = None) -> str:
        """What K(X, Y) is computed in: "float32" where X and Y are that, the kernel is a multiple of rbf, linear or
        poly, and entries of rbf stay within 1e-5 of what they are; else "float64", rounded once where float32 is asked.

        >>> from mercer import matern, rbf
        >>> x = np.linspace(0, 1, 6, dtype=np.float32).reshape(-1, 2)
        >>> rbf(ell=1).precision(x), matern(ell=1).precision(x), rbf(ell=1).precision(x.astype(float))
        ('float32', 'float64', 'float64')
        """
        x = as_points(X)
        return self._core.precision(x, x if Y is None or Y is X else _beside(x, Y))

    def diag(self, X: Any) -> np.ndarray:
        """k(x, x) of each point.

        >>> from mercer import linear
        >>> linear().diag([[1, 2], [0, 3]])
        array([5., 9.])
        """
        return self._core.diagonal(as_points(X))

    def gradient(self, X: Any, W: ArrayLike, Y: Any = None) -> np.ndarray:
        """d sum_ij W_ij k(x_i, x_j) / d parameter, for every parameter in the order of `params`; with Y, k(x_i, y_j).

        >>> from mercer import linear
        >>> (2 * linear()).gradient([[1.0], [3.0]], [[1, 0], [0, 1]])  # 2 (x_1^2 + x_2^2), by the 2
        array([10.])
        """
        x = as_points(X)
        return self._core.gradient(x, W) if Y is None else self._core.gradient(x, _beside(x, Y), W)

    def input_gradient(self, X: Any, Y: Any, W: ArrayLike) -> np.ndarray:
        """d sum_ij W_ij k(x_i, y_j) / d X, with Y held fixed: a row for each point of X.

        >>> from mercer import linear
        >>> linear().input_gradient([[1.0]], [[3.0]], [[1]])
        array([[3.]])
        """
        x = as_points(X)
        return self._core.input_gradient(x, _beside(x, Y), W)

    # ---- parameters ----

    @property
    def params(self) -> list[dict[str, Any]]:
        """Every number of the kernel in the order of its text: path, value, lower, upper, fixed, auto."""
        return self._core.params()

    @property
    def values(self) -> dict[str, Any]:
        """Parameters and options by name: the last part of the path where that is unique, else the whole path.

        >>> from mercer import rbf
        >>> (2 * rbf(ell=[1, 3])).values
        {'scale': 2.0, 'ell': [1.0, 3.0]}
        >>> (rbf(ell=1) + rbf(ell="auto")).values
        {'rbf.ell': 1.0, 'rbf2.ell': 'auto'}
        >>> from mercer import spectrum
        >>> spectrum(k=4).values
        {'k': 4, 'alphabet': 'bytes', 'reverse_complement': 'no'}
        """
        values = {}
        for path, members in _groups(self.params).items():
            numbers = ["auto" if one["auto"] else one["value"] for one in members]
            values[path] = numbers if members[0]["path"].endswith("]") else numbers[0]
        values.update({path: _option_value(text) for path, text in self._core.options()})
        last = [path.rsplit(".", 1)[-1] for path in values]
        return {short if last.count(short) == 1 else path: value for short, (path, value) in zip(last, values.items())}

    def with_params(self, **values: ArrayLike) -> Kernel:
        """The same expression at other values, by the names of `values` or by whole paths.

        >>> from mercer import rbf
        >>> (2 * rbf(ell=1)).with_params(ell=3, scale=0.5)
        0.5*rbf(ell=3)
        >>> (rbf(ell=1) + rbf(ell=2)).with_params(**{"rbf2.ell": 5})
        rbf(ell=1) + rbf(ell=5)
        >>> rbf(ell=[1, 2]).with_params(ell=[3, 4])
        rbf(ell=[3, 4])
        >>> from mercer import spectrum
        >>> spectrum(k=3).with_params(k=5)
        spectrum(k=5)
        """
        numbers = [pair for name, value in values.items() for pair in _settings(self, name, value)]
        return _with_numbers(self, numbers)

    @property
    def theta(self) -> np.ndarray:
        """The coordinates of the numbers that learning may change, in the order of `params`.

        The coordinate is the logarithm of a number that is positive, a number of any sign itself, and of one between
        two ends a and b, log((v - a) / (b - v)).

        >>> from mercer import fixed, rbf
        >>> (1 * rbf(ell=fixed(3))).theta
        array([0.])
        """
        return self._coordinates()[:, 0]

    @property
    def bounds(self) -> np.ndarray:
        """Coordinates of the bounds of each number of `theta`, a row for each; -inf and inf where there is none.

        >>> from mercer import bounded, rbf
        >>> rbf(ell=bounded(1, 0.1, 10)).bounds.round(3)
        array([[-2.303,  2.303]])
        """
        return self._coordinates()[:, 1:3]

    def clone_with_theta(self, theta: ArrayLike) -> Kernel:
        """The same expression at other coordinates: exp(theta) for the positive numbers that learning may change.

        >>> import numpy as np
        >>> from mercer import fixed, rbf
        >>> (1 * rbf(ell=fixed(3))).clone_with_theta(np.log([2]))
        2*rbf(ell=fixed(3))
        """
        free, theta = self._free(), np.asarray(theta, dtype=float)
        if theta.shape != (len(free),):
            raise ValueError(f"theta: {len(free)} numbers are needed, of {', '.join(one['path'] for one in free)}; "
                             f"not an array of shape {theta.shape}")
        return _with_numbers(self, [(one["path"], self._value_at(one, t)) for one, t in zip(free, theta)])

    def _free(self):
        automatic = [one["path"] for one in self.params if one["auto"]]
        if automatic:
            raise ValueError(f"{automatic[0]} is auto, which has no coordinate; k.resolve(X) reads it off the data")
        return [one for one in self.params if not one["fixed"]]

    def _coordinates(self):
        """Of each number that learning may change: its coordinate, those of its bounds, d value / d coordinate."""
        self._free()
        return self._core.coordinates()[[not one["fixed"] for one in self.params]]

    def _value_at(self, parameter, coordinate):
        """The value there; a bound whose last digit the coordinate has lost is that bound again."""
        value = self._core.value_at(parameter["path"], coordinate)
        for end in (parameter["lower"], parameter["upper"]):
            if math.isclose(value, end, rel_tol=1e-12):
                return end
        return value

    def resolve(self, X: Any) -> Kernel:
        """Every `auto` replaced by a number read off the data: 0.6 of the median distance between points.

        >>> from mercer import rbf
        >>> rbf(ell="auto").resolve([[0.0], [1.0], [3.0]])
        rbf(ell=1.2)
        """
        return self._at(self._core.resolve(as_points(X)))

    def _at(self, core):
        """A core that this kernel has become at other numbers, by a fit for example, as a Kernel."""
        pairs = [(one["path"], one["value"]) for one in core.params()]
        if len(pairs) != len(self.params):  # [auto] has become a list, which no path of this kernel leads to
            return Kernel(core)
        return made(core, _with_numbers, self, pairs)

    # ---- why ----

    def proof(self) -> Proof:
        """Why it is a kernel: a tree of theorems, each with its side conditions and its source.

        >>> from mercer import linear
        >>> print(linear().proof())
        linear()   an inner product is a kernel: c'Kc = |sum_i c_i x_i|^2 (Aronszajn 1950)
        """
        return Proof(self._core.proof(), self._core.proof_text())


def made(core, function, *arguments):
    """A kernel that remembers how it was made if it has a Python function inside."""
    inside = any(isinstance(one, Kernel) and one._recipe for one in arguments)
    return Kernel(core, (function, arguments) if inside else None)


def _one_of_ours(other):
    """A kernel object of scikit-learn's as a Kernel; anything else as it is."""
    if isinstance(other, Kernel) or not hasattr(other, "clone_with_theta"):
        return other
    from ._sklearn_kernels import from_sklearn

    return from_sklearn(other)


def _refuse_function(other):
    """NotImplemented for what is no kernel; a Python function might be one, and nothing proves it."""
    if callable(other):
        raise TypeError("a Python function is no kernel, as nothing proves it to be one: make it of features, "
                        "mercer.features(phi), or give the estimator the whole sum or product as one function, "
                        "kernel=lambda X, Y: k(X, Y) + f(X, Y)")
    return NotImplemented


def _functions(kernel):
    """The Python functions inside, which the core tells apart by name only."""
    if kernel._recipe is None:
        return []
    inside = [_functions(one) if isinstance(one, Kernel) else [one] * callable(one) for one in kernel._recipe[1]]
    return [function for part in inside for function in part]


def _with_numbers(kernel, pairs):
    """The kernel with other numbers at some paths."""
    core = kernel._core
    for path, number in pairs:
        core = core.with_option(path, number) if isinstance(number, str) else core.with_value(path, number)
    return made(core, _with_numbers, kernel, pairs)


def _beside(x, Y):
    """The points of Y, whose columns must be those of x."""
    y = as_points(Y, name="Y")
    if x.columns and y.columns and x.columns != y.columns:
        raise ValueError(f"The feature names should match in X and Y: X has {x.columns}, Y has {y.columns}")
    return y


def _groups(params):
    """Parameters by path, those of a list together."""
    groups = {}
    for one in params:
        groups.setdefault(re.sub(r"\[\d+\]$", "", one["path"]), []).append(one)
    return groups


def _settings(kernel, name, value):
    """(path, number) of each number that `name` stands for; of an option (path, text)."""
    groups = _groups(kernel.params)
    choices = [path for path, _ in kernel._core.options()]
    if name not in groups and any(path == name or path.endswith("." + name) for path in choices):
        return [(name, value if isinstance(value, str) else f"{float(value):.17g}")]
    found = [path for path in groups if path == name or path.endswith("." + name)]
    if len(found) > 1 and name not in found:
        raise ValueError(f'parameter "{name}": {len(found)} of them; name one whole: {", ".join(groups)}')
    if is_number(value):
        return [(name, float(value))]  # the core knows more names, and what to say of those it does not
    if isinstance(value, (list, tuple, np.ndarray)):
        members = groups[found[0]] if found else []
        if len(members) == len(value) and members[0]["path"].endswith("]"):
            return [(one["path"], float(number)) for one, number in zip(members, value)]
        raise ValueError(f'parameter "{name}": {kernel} has no list of {len(value)} numbers of this name')
    raise TypeError(f'parameter "{name}": a number or a list of numbers is needed, not {value!r}')


def _option_value(text):
    """An option as Python has it: a number, whole where it is, or a word."""
    try:
        number = float(text)
    except ValueError:
        return text
    return int(number) if number.is_integer() else number


# ---- texts ----


def parse(text: str) -> Kernel:
    """The kernel that a text of the grammar means.

    >>> parse("2*rbf(gamma=0.02) + on(age, linear())")
    2*rbf(ell=5) + on(age, linear())
    """
    if not isinstance(text, str):
        raise TypeError(f"parse: a text such as 'rbf(ell=1)' is needed, not {type(text).__name__}")
    return Kernel(_core.parse(text))


def as_kernel(kernel: Kernel | str) -> Kernel | str:
    """A Kernel from a Kernel, a text of the grammar, or "precomputed", which stays as it is."""
    if isinstance(kernel, Kernel) or (isinstance(kernel, str) and kernel == "precomputed"):
        return kernel
    if isinstance(kernel, str):
        return parse(kernel)
    raise TypeError(
        f"kernel: a Kernel, a text such as 'rbf(ell=1)' or \"precomputed\" is needed, not {type(kernel).__name__}")
