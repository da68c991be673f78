"""scikit-learn's kernel objects as kernels of the grammar, so that code written for its Gaussian processes runs."""
from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.gaussian_process import kernels as theirs

from ._kernel import Kernel, parse

# `RBF() + k` asks scikit-learn's class, which takes whatever is no kernel of its kind for a constant.
theirs.Kernel.register(Kernel)


def is_sklearn_kernel(kernel):
    """Whether it is one of scikit-learn's objects and nothing else: not `RBF() + mercer.rbf(ell=1)`."""
    return isinstance(kernel, theirs.Kernel) and not _holds_ours(kernel)


def is_mixed(kernel):
    """Whether it is scikit-learn's sum or product with a Mercer kernel inside."""
    return not isinstance(kernel, Kernel) and isinstance(kernel, theirs.Kernel) and _holds_ours(kernel)


def _holds_ours(kernel):
    inside = [getattr(kernel, name, None) for name in ("k1", "k2", "kernel")]
    return isinstance(kernel, Kernel) or any(_holds_ours(one) for one in inside if one is not None)


class Power(NamedTuple):
    """A number of ours as a function of one of theirs: factor times a power of it."""

    exponent: float = 1.0
    factor: float = 1.0

    def __call__(self, value):
        return self.factor * float(value) ** self.exponent


_SAME = Power()


class NotInGrammar(ValueError):
    """Of a kernel object that no text expresses; its matrices say all there is to know."""


class Translation:
    """A kernel object of scikit-learn's, the Kernel that means the same, and which number of one is which of the other.

    `noise` is the text of the variance that its WhiteKernels add up to, or None: noise belongs to the machine. With
    `bounds`, numbers carry theirs, for learning; a start outside of them is moved to the nearer one.

    >>> from sklearn.gaussian_process.kernels import RBF, WhiteKernel
    >>> t = Translation(2.0 * RBF(0.5, "fixed") + WhiteKernel(0.1))
    >>> t.kernel, t.noise
    (const(c=2 in [1e-05, 100000])*rbf(ell=fixed(0.5)), '0.1 in [1e-05, 100000.0]')
    """

    def __init__(self, kernel, n_features=1, bounds=True):
        self.theirs = clone(kernel)
        self._n_features, self._bounds = n_features, bounds
        self._theta = 0  # entries of their theta that have been passed
        self._places = []  # of each number of the text: its entry of theta (None: fixed), and its Power of theirs
        self._whites = []  # (entry of theta, level, lower, upper)
        self._outside = []  # (entry of theta, words) of starts that were moved
        text = self._sum(self.theirs) or "const(c=fixed(0))"
        self._places = self._places or [(None, _SAME)]
        self.kernel = parse(text)
        self.noise = self._noise()

    def at(self, theta):
        """The same kernel at other numbers, whatever their bounds."""
        return Translation(self.theirs.clone_with_theta(theta), self._n_features, bounds=False)

    @property
    def level(self):
        """The sum of the WhiteKernels' variances."""
        return sum(level for _, level, _, _ in self._whites)

    def learnt(self, core, noise):
        """scikit-learn's object at the numbers of a fitted kernel, and at the noise that its WhiteKernels made."""
        theta = self.theirs.theta.copy()
        for (place, power), one in zip(self._places, core.params()):
            if place is not None:
                theta[place] = np.log(one["value"] / power.factor) / power.exponent
        for (place, *_), level in zip(self._whites, self._levels(noise)):
            if place is not None:
                theta[place] = np.log(level)
        if len(theta):
            for end in self.theirs.bounds.T:  # a logarithm may have lost the last digit of a bound
                theta = np.where(np.isclose(theta, end, rtol=1e-12, atol=1e-12), end, theta)
        return self.theirs.clone_with_theta(theta)

    def slopes(self, by_kernel, by_noise):
        """From derivatives by all numbers of the kernel and by the noise to those by theta."""
        slopes = np.zeros(self._theta)
        for (place, power), one, slope in zip(self._places, self.kernel.params, by_kernel):
            if place is not None:
                slopes[place] += power.exponent * one["value"] * slope
        for place, level, _, _ in self._whites:
            if place is not None:
                slopes[place] += level * by_noise
        return slopes

    def warn_of_starts(self, learnt, stacklevel):
        """Of starts outside their bounds; numbers that have stayed at a bound are warned of for that."""
        theta, bounds = learnt.theta, learnt.bounds
        for place, words in self._outside:
            if not np.isclose(bounds[place], theta[place]).any():
                warnings.warn(words, stacklevel=stacklevel + 1)

    # ---- WhiteKernels ----

    def _noise(self):
        if not self._whites:
            return None
        if all(place is None for place, *_ in self._whites):
            return f"fixed({self.level!r})"
        if not self._bounds:
            return repr(self.level)
        lower, upper = (float(sum(one[end] for one in self._whites)) for end in (2, 3))
        return f"{self.level!r} in [{lower!r}, {upper!r}]"

    def _levels(self, total):
        """The variances of the WhiteKernels, of which the data tell no more than their sum: each moves by its room."""
        levels, lower, upper = np.array([one[1:] for one in self._whites]).T.reshape(3, -1)
        move = total - levels.sum()
        room = upper - levels if move > 0 else levels - lower
        if not room.any():
            return levels
        share = np.isinf(room).astype(float) if np.isinf(room).any() else room
        return np.clip(levels + move * share / share.sum(), lower, upper)

    # ---- texts ----

    def _sum(self, k):
        """The text of the addends, "" where all are noise."""
        if type(k) is theirs.Sum:
            return " + ".join(filter(None, [self._sum(k.k1), self._sum(k.k2)]))
        if type(k) is not theirs.WhiteKernel:
            return self._text(k)
        [place] = self._entries(k)["noise_level"]
        level = float(k.noise_level)
        lower, upper = (level, level) if place is None else map(float, np.ravel(k.noise_level_bounds))
        if self._bounds:
            [level] = self._within(k, "noise_level", [place], [level], lower, upper)
        self._whites.append((place, level, lower, upper))
        return ""

    def _text(self, k):
        kind = type(k)
        if kind is theirs.Sum:
            return f"({self._text(k.k1)} + {self._text(k.k2)})"
        if kind is theirs.Product:
            return f"({self._text(k.k1)})*({self._text(k.k2)})"
        if kind is theirs.Exponentiation:
            if int(k.exponent) != k.exponent or k.exponent < 1:
                raise ValueError(f"k**{k.exponent}: a power that is no whole number >= 1 need not be a kernel")
            return f"({self._text(k.kernel)})^{int(k.exponent)}"
        if kind is theirs.ConstantKernel:
            return self._leaf(k, "const", c="constant_value")
        if kind is theirs.RBF or (kind is theirs.Matern and k.nu == np.inf):
            return self._leaf(k, "rbf", ell="length_scale")
        if kind is theirs.Matern:
            head = f"matern(nu={float(k.nu)!r}"
            try:
                parse(f"{head})")
            except ValueError as error:
                raise NotInGrammar(str(error)) from None
            return self._leaf(k, head, ell="length_scale")
        if kind is theirs.RationalQuadratic:
            return self._leaf(k, "rq", ell="length_scale", alpha="alpha")
        if kind is theirs.ExpSineSquared:
            if self._n_features > 1:
                raise ValueError("ExpSineSquared of several columns need not be positive semi-definite; use Mercer's "
                                 "periodic, the product over columns, or on(column, periodic(...))")
            return self._leaf(k, "periodic", period="periodicity", ell="length_scale")
        if kind is theirs.DotProduct:
            return f"({self._leaf(k, 'const', {'sigma_0': Power(2.0)}, c='sigma_0')} + linear())"
        if kind is theirs.CompoundKernel:
            raise ValueError("kernel cannot be a CompoundKernel")
        if kind is theirs.PairwiseKernel:
            return self._pairwise(k)
        raise NotInGrammar(f"{type(k).__name__}: no kernel of Mercer's means the same; give a Mercer kernel")

    def _pairwise(self, k):
        """What `pairwise_kernels` computes, by the metric's name: those of it that are kernels."""
        if k.metric in ("sigmoid", "additive_chi2"):
            raise ValueError(f"PairwiseKernel: metric={k.metric!r} need not be positive semi-definite, so it is no "
                             "kernel; 'rbf', 'laplacian', 'linear', 'poly', 'cosine' and 'chi2' are")
        if k.pairwise_kernels_kwargs:
            raise NotInGrammar("PairwiseKernel with pairwise_kernels_kwargs: its matrices are what is known of it")
        if k.metric == "rbf":
            return self._leaf(k, "rbf", {"gamma": Power(-0.5, 0.5**0.5)}, ell="gamma")
        if k.metric == "laplacian":
            return self._leaf(k, "laplace", {"gamma": Power(-1.0)}, ell="gamma")
        if k.metric in ("linear", "cosine"):
            self._entries(k)  # theirs has a gamma that means nothing
            return "linear()" if k.metric == "linear" else "normalize(linear())"
        raise NotInGrammar(f"PairwiseKernel: metric={k.metric!r}: its matrices are what is known of it")

    def _leaf(self, k, name, powers={}, **arguments):
        """A kernel of the catalog: its arguments, in the catalog's order, by the names of theirs."""
        entries = self._entries(k)
        given = [f"{ours}={self._number(k, parameter, entries[parameter], powers.get(parameter, _SAME))}"
                 for ours, parameter in arguments.items()]
        return f"{name}{', ' if '(' in name else '('}{', '.join(given)})"

    def _entries(self, k):
        """For each hyper-parameter of a simple kernel, which entries of theta its numbers are; None: fixed."""
        entries = {}
        for one in k.hyperparameters:
            free = range(self._theta, self._theta + one.n_elements)
            entries[one.name] = [None] * one.n_elements if one.fixed else list(free)
            self._theta += 0 if one.fixed else one.n_elements
        return entries

    def _number(self, k, parameter, entries, power):
        """The argument of the grammar that a parameter is: its numbers, and what learning may do with them."""
        values = np.atleast_1d(np.asarray(getattr(k, parameter), dtype=float))
        free = entries[0] is not None
        ends = ""
        if free and self._bounds:
            bounds = np.unique(np.atleast_2d(np.asarray(getattr(k, f"{parameter}_bounds"), dtype=float)), axis=0)
            if len(bounds) > 1:
                raise NotInGrammar(f"{parameter}_bounds: of each column by itself; a Mercer kernel has one range")
            values = self._within(k, parameter, entries, values, *bounds[0])
            ends = " in [{!r}, {!r}]".format(*sorted(map(power, bounds[0])))
        self._places += [(entry, power) for entry in entries]
        numbers = [power(value) for value in values]
        text = repr(numbers if len(numbers) > 1 else numbers[0])  # [1.0] is one for all columns there
        return text + ends if free else f"fixed({text})"

    def _within(self, k, parameter, entries, values, lower, upper):
        """The values, those outside their bounds moved to the nearer one."""
        for entry, value in zip(entries, values):
            if not lower <= value <= upper:
                self._outside.append((entry, f"{parameter}={value:.6g} of {k} lies outside its bounds [{lower:.6g}, "
                                             f"{upper:.6g}]; learning started at the nearer one"))
        return [min(max(value, lower), upper) for value in values]


def from_sklearn(kernel, n_features=1):
    """The Kernel that means the same as a kernel object, in which Mercer kernels may be too. Refuses noise.

    >>> import mercer
    >>> from sklearn.gaussian_process.kernels import RBF
    >>> from_sklearn(RBF(0.5, "fixed") * mercer.linear())
    rbf(ell=fixed(0.5))*linear()
    """
    if isinstance(kernel, Kernel):
        return kernel
    if is_mixed(kernel):
        if isinstance(kernel, theirs.Exponentiation):
            return from_sklearn(kernel.kernel, n_features) ** kernel.exponent
        first, second = (from_sklearn(one, n_features) for one in (kernel.k1, kernel.k2))
        return first + second if isinstance(kernel, theirs.Sum) else first * second
    translation = Translation(kernel, n_features)
    if translation.noise is not None:
        raise ValueError("a WhiteKernel is noise, and noise is no kernel but belongs to the machine: leave it out "
                         "(Gaussian processes have noise=)")
    return translation.kernel
