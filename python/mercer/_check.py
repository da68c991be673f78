"""Is this function a kernel? A proof, or points and weights that show it is none."""
from __future__ import annotations

import re
from html import escape
from typing import Callable

from . import _core
from ._kernel import Kernel, parse


class Check:
    """What `check` found.

    `kernel` is True (proved), False (disproved) or None (no proof, and no counterexample in `tries` sets of points).
    `counterexample` is None or a dict with the points, the weights c, the matrix k(x_i, x_j) and the value c'Kc; the
    object itself is false when there is one. `match` is the catalog kernel with the same values, if there is one, and
    `proof` the Proof of a kernel, or of a formula that is one by its form.
    """

    def __init__(self, text, kernel, counterexample=None, tries=0, match=None, proof=None):
        self._text = text
        self.kernel = kernel
        self.counterexample = counterexample
        self.tries = tries
        self.match = match
        self.proof = proof

    def __bool__(self):
        return self.counterexample is None

    def __repr__(self):
        return self._text

    def _repr_html_(self):
        head = f"<p>{escape(self._text.partition(chr(10))[0])}</p>"
        if self.proof is not None:
            return head + self.proof._repr_html_()
        found = self.counterexample
        if found is None or not found["weights"]:
            return f"<pre>{escape(self._text)}</pre>"
        rows = "".join(
            f"<tr><td>{', '.join(f'{one:g}' for one in point)}</td><td>{weight:g}</td>"
            + "".join(f"<td>{value:.6g}</td>" for value in values) + "</tr>"
            for point, weight, values in zip(found["points"], found["weights"], found["gram"]))
        names = f"<tr><th>x</th><th>c</th><th colspan='{len(found['gram'])}'>k(x_i, x_j)</th></tr>"
        return f"{head}<table>{names}{rows}</table>"


def check(function: Kernel | str | Callable[..., float], *, dimension: int = 0, seed: int = 1, tries: int = 1500,
          inputs: str = "automatic") -> Check:
    """Is this a kernel? A kernel or a text of one is proved, and so is a formula in x and y that is one by its form;
    for any other formula or a Python function k(x, y) of two 1-D arrays, points and weights are searched that show it
    is none. Finding none proves nothing.

    `dimension` of the points: 0 is several that suit. `inputs`, where they lie: automatic, reals, nonnegative or
    unit_ball. `tries` is the number of random sets of points in each dimension.

    >>> from mercer import check
    >>> answer = check("sin(x)*cos(y)")
    >>> bool(answer)
    False
    >>> answer
    not a kernel: not symmetric: at x = 1, y = -1, k(x, y) = 0.454649 but k(y, x) = -0.454649
    >>> check("exp(-abs(x-y)^3)").counterexample["weights"]
    [1.0, -2.0, 1.0]
    >>> check("exp(-norm(x-y)^2)").match
    rbf(ell=0.70710678119)
    >>> check("rbf(ell=1) + linear()").kernel
    True
    >>> check("(1 + x*y)^2").kernel
    True
    """
    options = dict(dimension=int(dimension), seed=int(seed), tries=int(tries), inputs=inputs)
    if isinstance(function, str):
        function = _read(function)
    if isinstance(function, Kernel):
        return _of_kernel(function, options)
    if isinstance(function, str):
        return _found(*_core.check_formula(function, **options))
    if not callable(function):
        raise TypeError(f"check: a text, a Kernel or a function k(x, y) is needed, not {type(function).__name__}")
    return _found(*_core.check_function(function, **options))


def _read(text):
    """The Kernel that a text means, or the text itself where it speaks of the points x and y."""
    try:
        return parse(text)
    except ValueError:
        if re.search(r"(?<![\w.])[xy](?![\w.])", text):
            return text
        raise


def _found(text, found):
    match = parse(found["match"]["kernel"]) if found["match"] else None
    if not found["derived"]:
        return Check(text, found["kernel"], found["counterexample"], found["tries"], match)
    proof = parse(found["derived"]["kernel"]).proof()
    return Check(f"{text}\n{proof}", True, None, found["tries"], match, proof)


def _of_kernel(kernel, options):
    """Proved; what it assumes is searched for counterexamples."""
    proof = kernel.proof()
    assumed = _assumptions(proof.tree)
    if not assumed:
        return Check(f"a kernel: proved\n{proof}", True, proof=proof)
    text, counterexample = f"a kernel only if what it assumes is true\n{proof}", None
    for statement in assumed:
        formula = statement[statement.index("(") + 1:statement.index(', "')]
        answer = _found(*_core.check_formula(formula, **options))
        text += f"\nof the assumption {statement}:\n{answer}"
        counterexample = counterexample or answer.counterexample
    return Check(text, None, counterexample, proof=proof)


def _assumptions(step):
    own = [step["statement"]] if step["rule"] == "assume_psd" else []
    return own + [one for premise in step["premises"] for one in _assumptions(premise)]
