#!/usr/bin/python3
"""Writes kernels.tsv: kernel values to 20 digits, computed with 50 digits by mpmath (Debian: python3-mpmath).

    /usr/bin/python3 make_golden.py > kernels.tsv

A line holds the kernel's text, how errors are measured, x, y, k(x,y), k(x,x) and k(y,y), separated by tabs. Errors are
"relative" to the value itself or, where a sum of signed terms may cancel, "normwise": relative to sqrt(k(x,x) k(y,y)).
Inputs and parameters are the doubles nearest to the decimals printed, which are the shortest that read back as them.
The formulas here are written from the definitions and share nothing with the library.
"""

import random

from mpmath import acos, asinh, besselk, cos, cosh, exp, gamma, log, log1p, mp, mpf, nstr, pi, sin, sinh, sqrt, tanh

mp.dps = 50


class K:
    def __init__(self, text, value, measure="relative", atom=True):
        self.text, self.value, self.measure, self.atom = text, value, measure, atom

    def factor(self):
        return self.text if self.atom else f"({self.text})"


def num(v):
    return repr(float(v)) if float(v) != int(v) or abs(v) >= 1e16 else str(int(v))


def numbers(values):
    return "[" + ", ".join(num(v) for v in values) + "]"


def dot(x, y):
    return sum((a * b for a, b in zip(x, y)), mpf(0))


def norm(x):
    return sqrt(dot(x, x))


def per_column(ell, d):
    return [mpf(e) for e in ell] if isinstance(ell, list) else [mpf(ell)] * d


def r2(x, y, ell):
    return sum((((a - b) / e) ** 2 for a, b, e in zip(x, y, per_column(ell, len(x)))), mpf(0))


def r1(x, y, ell):
    return sum((abs(a - b) / e for a, b, e in zip(x, y, per_column(ell, len(x)))), mpf(0))


def show(ell):
    return numbers(ell) if isinstance(ell, list) else num(ell)


# ---- axioms ----


def linear():
    return K("linear()", dot, "normwise")


def const(c):
    return K(f"const(c={num(c)})", lambda x, y: mpf(c))


def poly(degree, c):
    return K(f"poly(degree={degree}, c={num(c)})", lambda x, y: (dot(x, y) + mpf(c)) ** degree, "normwise")


def rbf(ell):
    return K(f"rbf(ell={show(ell)})", lambda x, y: exp(-r2(x, y, ell) / 2))


def laplace(ell):
    return K(f"laplace(ell={show(ell)})", lambda x, y: exp(-r1(x, y, ell)))


def exponential(ell):
    return K(f"exponential(ell={show(ell)})", lambda x, y: exp(-sqrt(r2(x, y, ell))))


def matern(nu, ell):
    def value(x, y):
        n = mpf(nu)
        s = sqrt(2 * n * r2(x, y, ell))
        return 2 ** (1 - n) / gamma(n) * s**n * besselk(n, s) if s else mpf(1)

    return K(f"matern(nu={num(nu)}, ell={show(ell)})", value)


def rq(ell, alpha):
    a = mpf(alpha)
    return K(f"rq(ell={show(ell)}, alpha={num(alpha)})", lambda x, y: (1 + r2(x, y, ell) / (2 * a)) ** (-a))


def periodic(period, ell):
    p, e = mpf(period), mpf(ell)
    return K(
        f"periodic(period={num(period)}, ell={num(ell)})",
        lambda x, y: exp(-2 * sum((sin(pi * (a - b) / p) ** 2 for a, b in zip(x, y)), mpf(0)) / e**2),
    )


def wave(period):
    p = mpf(period)
    return K(f"wave(period={num(period)})", lambda x, y: sum((cos(2 * pi * (a - b) / p) for a, b in zip(x, y)), mpf(0)), "normwise")


def minimum():
    def value(x, y):
        out = mpf(1)
        for a, b in zip(x, y):
            out *= min(a, b)
        return out

    return K("min()", value)


def multilinear():
    def value(x, y):
        out = mpf(1)
        for a, b in zip(x, y):
            out *= 1 + a * b
        return out

    return K("multilinear()", value, "normwise")


def quadratic(a):
    def value(x, y):
        return sum((x[i] * mpf(a[i][j]) * y[j] for i in range(len(x)) for j in range(len(y))), mpf(0))

    return K("quadratic(A=[" + ", ".join(numbers(row) for row in a) + "])", value, "normwise")


def cosine():
    return K("cosine()", lambda x, y: dot(x, y) / (norm(x) * norm(y)) if norm(x) * norm(y) else mpf(0), "normwise")


def sho(omega, q):
    def value(x, y):
        damping = 1 / (2 * mpf(q))
        out = mpf(1)
        for a, b in zip(x, y):
            u = mpf(omega) * abs(a - b)
            if damping == 1:  # critical: the limit of both
                out *= exp(-u) * (1 + u)
            elif damping < 1:
                s = sqrt(1 - damping**2)
                out *= exp(-damping * u) * (cos(s * u) + damping * sin(s * u) / s)
            else:
                s = sqrt(damping**2 - 1)
                out *= exp(-damping * u) * (cosh(s * u) + damping * sinh(s * u) / s)
        return out

    return K(f"sho(omega={num(omega)}, q={num(q)})", value, "normwise")


def wendland(k, ell):
    """By its definition: (1 - r)^l, l = floor(d/2) + k + 1, k times integrated as s f(s) from r to 1; 1 at 0."""

    def value(x, y):
        r = sqrt(r2(x, y, ell))
        if r >= 1:
            return mpf(0)
        # Coefficients of powers of (1 - s): s (1-s)^n = (1-s)^n - (1-s)^(n+1), and (1-s)^n integrates to (1-r)^(n+1) / (n+1).
        f = {len(x) // 2 + k + 1: mpf(1)}
        for _ in range(k):
            g = {}
            for n, c in f.items():
                g[n + 1] = g.get(n + 1, 0) + c / (n + 1)
                g[n + 2] = g.get(n + 2, 0) - c / (n + 2)
            f = g
        return sum(c * (1 - r) ** n for n, c in f.items()) / sum(f.values())

    return K(f"wendland(k={k}, ell={show(ell)})", value, "normwise")


def coregion(a, v):
    def value(x, y):
        i, j = int(x[0]) - 1, int(y[0]) - 1
        return mpf(a[i]) * mpf(a[j]) + (mpf(v[i]) if i == j else 0)

    return K(f"coregion(a={numbers(a)}, v={numbers(v)})", value)


def angle(x, y):
    c = dot(x, y) / (norm(x) * norm(y))
    return acos(max(mpf(-1), min(mpf(1), c)))


def kappa0(t):
    return 1 - t / pi


def kappa1(t):
    return (sin(t) + (pi - t) * cos(t)) / pi


def arccos(order):
    def value(x, y):
        if not norm(x) or not norm(y):
            return mpf(1) / 2 if order == 0 else mpf(0)
        t = angle(x, y)
        return kappa0(t) if order == 0 else norm(x) * norm(y) * kappa1(t)

    return K(f"arccos(order={order})", value, "normwise")


def ntk(depth):
    def value(x, y):
        if not norm(x) or not norm(y):
            return mpf(0)
        t = angle(x, y)
        tangent = cos(t)
        for _ in range(depth):
            tangent = tangent * kappa0(t) + kappa1(t)
            t = acos(min(mpf(1), kappa1(t)))
        return norm(x) * norm(y) * tangent

    return K(f"ntk(depth={depth})", value, "normwise")


def equal():
    return K("equal()", lambda x, y: mpf(int(x == y)))


def hamming():
    return K("hamming()", lambda x, y: mpf(sum(a == b for a, b in zip(x, y))) / len(x))


def tanimoto():
    def value(x, y):
        both = dot(x, x) + dot(y, y) - dot(x, y)
        return dot(x, y) / both if both else mpf(0)

    return K("tanimoto()", value)


def chi2(gamma_):
    def value(x, y):
        return exp(-mpf(gamma_) * sum(((a - b) ** 2 / (a + b) for a, b in zip(x, y) if a + b), mpf(0)))

    return K(f"chi2(gamma={num(gamma_)})", value)


# ---- rules ----


def either(*kernels):
    return "normwise" if any(k.measure == "normwise" for k in kernels) else "relative"


def add(*kernels):
    text = " + ".join(k.text for k in kernels)
    return K(text, lambda x, y: sum((k.value(x, y) for k in kernels), mpf(0)), either(*kernels), atom=False)


def mul(*kernels):
    def value(x, y):
        out = mpf(1)
        for k in kernels:
            out *= k.value(x, y)
        return out

    return K("*".join(k.factor() for k in kernels), value, either(*kernels), atom=False)


def scale(c, k):
    return K(f"{num(c)}*{k.factor()}", lambda x, y: mpf(c) * k.value(x, y), k.measure, atom=False)


def number(c):
    return K(num(c), lambda x, y: mpf(c))


def power(k, n):
    return K(f"{k.factor()}^{n}", lambda x, y: k.value(x, y) ** n, k.measure, atom=False)


def exponent(k):
    return K(f"exp({k.text})", lambda x, y: exp(k.value(x, y)))


def polynomial(a, k):
    return K(
        f"polynomial({numbers(a)}, {k.text})",
        lambda x, y: sum((mpf(c) * k.value(x, y) ** i for i, c in enumerate(a)), mpf(0)),
        k.measure,
    )


def normalize(k):
    def value(x, y):
        s = k.value(x, x) * k.value(y, y)
        return k.value(x, y) / sqrt(s) if s else mpf(0)

    return K(f"normalize({k.text})", value, k.measure)


def rbf_of(k, ell):
    def value(x, y):
        return exp(-(k.value(x, x) + k.value(y, y) - 2 * k.value(x, y)) / (2 * mpf(ell) ** 2))

    return K(f"rbf_of({k.text}, ell={num(ell)})", value)


def scaled(name, f, k):
    return K(f"scaled({name}, {k.text})", lambda x, y: f(x) * k.value(x, y) * f(y), "normwise")


def warp(name, f, k):
    return K(f"warp({name}, {k.text})", lambda x, y: k.value([f(a) for a in x], [f(b) for b in y]), k.measure)


def on(columns, positions, k):
    return K(
        f"on({columns}, {k.text})",
        lambda x, y: k.value([x[p] for p in positions], [y[p] for p in positions]),
        k.measure,
    )


# ---- inputs ----

source = random.Random(20240229)


def dyadic(d, low=-2.0, high=2.0, offset=0.0):
    """Multiples of 1/64: sums, differences and products of a few are exact in double precision."""
    return [offset + source.randint(int(64 * low), int(64 * high)) / 64 for _ in range(d)]


def decimal(d):
    """Full 53-bit fractions."""
    return [source.uniform(-2, 2) for _ in range(d)]


def near(x, step):
    return [v + source.choice([-1, 0, 1, 2]) * step for v in x]


def emit(k, x, y):
    xs, ys = [mpf(float(v)) for v in x], [mpf(float(v)) for v in y]
    values = [k.value(xs, ys), k.value(xs, xs), k.value(ys, ys)]
    line = [k.text, k.measure, " ".join(num(v) for v in x), " ".join(num(v) for v in y)]
    print("\t".join(line + [nstr(v, 20, min_fixed=0, max_fixed=0) if v else "0" for v in values]))


def radial(d):
    """The translation-invariant leaves at length scales where values are of order 1, whatever d."""
    s = float(int(8 * d**0.5) / 8)
    ells = [0.5 + (i % 5) * 0.75 for i in range(d)]
    out = [rbf(s), rbf(0.3 * s), laplace(s), laplace(1.7 * d), exponential(s), exponential(0.4 * s)]
    out += [matern(nu, ell) for nu in (0.5, 1.5, 2.5) for ell in (s, 0.7 * s)]
    out += [rq(s, 0.8), rq(0.6 * s, 3.0), rq(s, 1e-2), rq(s, 1e4)]
    out += [rbf(ells), laplace(ells), exponential(ells), matern(1.5, ells), matern(2.5, ells), rq(ells, 1.25)]
    out += [periodic(1.0, s), periodic(0.7, 2 * s), periodic(30.0, 1.3)]
    return out


def psd(d):
    """B'B + I with small whole entries: exact."""
    b = [[source.randint(-2, 2) for _ in range(d)] for _ in range(d)]
    return [[float(sum(b[k][i] * b[k][j] for k in range(d)) + (i == j)) for j in range(d)] for i in range(d)]


def products(d):
    out = [linear(), const(0.7), poly(1, 0.0), poly(2, 1.0), poly(3, 0.3), poly(7, 2.5), multilinear(), cosine()]
    out += [arccos(0), arccos(1), ntk(1), ntk(2), ntk(5)]
    if d <= 5:
        out.append(quadratic(psd(d)))
        out.append(quadratic([[1.0] * d] * d))  # of rank 1
    return out


def main():
    print("# kernel\terrors\tx\ty\tk(x,y)\tk(x,x)\tk(y,y)")
    for d in (1, 2, 5, 30):
        for k in radial(d):
            emit(k, dyadic(d), dyadic(d))
            emit(k, decimal(d), decimal(d))
            x = dyadic(d)
            emit(k, x, near(x, 2.0**-30))
            emit(k, x, x)
            for offset in (1e3, 1e6) if d != 5 else (-1e3, -1e6):
                emit(k, dyadic(d, offset=offset), dyadic(d, offset=offset))
        for k in products(d):
            emit(k, dyadic(d), dyadic(d))
            emit(k, decimal(d), decimal(d))
            x = decimal(d)
            emit(k, x, near(x, 2.0**-30))
            emit(k, x, [0.0] * d)
            emit(k, x, [-v for v in x])
            emit(k, x, [2 * v for v in x])
        emit(minimum(), dyadic(d, 0.0, 2.0), dyadic(d, 0.0, 2.0))
        emit(minimum(), [abs(v) for v in decimal(d)], [abs(v) for v in decimal(d)])
        emit(minimum(), dyadic(d, 0.0, 2.0), [0.0] * d)

    # Length scales far from 1, with inputs to match, and values next to the ends of the number range.
    for ell in (1e-9, 1e-3, 1e3, 1e9):
        for d in (2, 30):
            for make in (rbf, laplace, exponential, lambda e: matern(2.5, e), lambda e: rq(e, 0.8)):
                emit(make(ell), [v * ell for v in dyadic(d)], [v * ell for v in dyadic(d)])
    for make in (rbf, laplace, exponential, lambda e: matern(1.5, e), lambda e: rq(e, 0.8)):
        emit(make(1e9), dyadic(3), dyadic(3))
        emit(make(0.05), [0.0, 0.0], [1.0, 0.75])
    emit(rbf(1.0), [0.0], [37.0])  # about 1e-297
    emit(rbf(1.0), [0.0], [50.0])  # below every double
    emit(exponent(linear()), [26.0], [25.0])  # e^650

    # Widely spread columns: one of size 1e6 beside one of size 1e-6, with length scales to match.
    spread = [1e6, 1.0, 1e-6]
    for k in (rbf(spread), laplace(spread), matern(2.5, spread), rq(spread, 0.5)):
        emit(k, [v * s for v, s in zip(dyadic(3), spread)], [v * s for v, s in zip(dyadic(3), spread)])

    for d in (2, 5, 30):
        for k in composites(d):
            emit(k, dyadic(d), dyadic(d))
            emit(k, decimal(d), decimal(d))
        for k in positive_composites(d):
            emit(k, dyadic(d, 0.25, 3.0), dyadic(d, 0.25, 3.0))

    # Matern of any order: from next to 0, where 1 - k is of the size of r^(2 nu), to where k is next to nothing.
    for nu in (0.05, 0.25, 0.499, 0.8, 1.0, 1.3, 2.0, 3.0000001, 3.5, 4.75, 10.0, 20.5, 21.5, 33.3, 50.0):
        for r in (0.0, 1e-40, 1e-9, 1e-3, 0.06, 0.3, 0.99, 2.2, 5.0, 11.0, 25.0):
            emit(matern(nu, 1.25), [0.0], [r])
        emit(matern(nu, [0.5, 1.5, 4.0]), dyadic(3), dyadic(3))
        emit(matern(nu, 4.0), decimal(30), decimal(30))


def composites(d):
    s = float(int(8 * d**0.5) / 8)
    return [
        add(scale(2.0, rbf(0.5 * s)), mul(periodic(1.0, 1.3 * s), rbf(9.0)), scale(0.3, rq(1.2 * s, 0.8))),
        add(scale(2.0, rbf(s)), mul(matern(1.5, s), linear()), mul(periodic(2.0, s), rbf(2.0 * s))),
        power(add(number(1.0), linear()), 3),
        power(add(number(1.0), scale(0.1, linear())), 7),
        power(rbf(s), 3),
        power(scale(0.5, add(rbf(s), laplace(d))), 4),
        exponent(scale(0.05, linear())),
        exponent(add(rbf(s), scale(0.5, cosine()))),
        exponent(scale(2.0, exponent(scale(0.5, rbf(s))))),
        polynomial([1.0, 0.0, 2.0], linear()),
        polynomial([0.5, 1.5, 0.0, 0.25], matern(2.5, s)),
        normalize(poly(3, 1.0)),
        normalize(add(linear(), scale(2.0, rbf(s)))),
        mul(normalize(multilinear()), exponential(s)),
        normalize(exponent(scale(0.1, linear()))),
        normalize(normalize(poly(2, 0.5))),
        scaled("norm", norm, rbf(s)),
        scaled("sum", lambda x: sum(x, mpf(0)), matern(0.5, s)),
        scaled("mean", lambda x: sum(x, mpf(0)) / len(x), add(number(1.0), rbf(s))),
        warp("tanh", tanh, rbf(s)),
        warp("square", lambda v: v * v, laplace(2.0 * d)),
        warp("asinh", asinh, matern(1.5, s)),
        warp("sin", sin, poly(2, 1.0)),
        warp("cube", lambda v: v**3, warp("tanh", tanh, rq(s, 0.8))),
        warp("abs", abs, minimum()),
        warp("sigmoid", lambda v: 1 / (1 + exp(-v)), multilinear()),
        on(1, [0], rbf(0.9)),
        on("1:2", [0, 1], linear()),
        on("[2, 1]", [1, 0], rbf([0.5, 2.5])),
        mul(on(1, [0], periodic(1.5, 0.9)), on(2, [1], matern(2.5, 0.8))),
        add(on(1, [0], poly(2, 1.0)), scale(3.0, on(2, [1], on(1, [0], laplace(0.6))))),
        normalize(add(on(1, [0], linear()), on(2, [1], scaled("cos", lambda x: cos(x[0]), rbf(1.5))))),
        mul(arccos(0), rbf(s)),
        add(scale(0.25, arccos(1)), scale(0.125, ntk(2))),
    ]


def positive_composites(d):
    s = float(int(8 * d**0.5) / 8)
    return [
        warp("log", log, rbf(s)),
        warp("log1p", log1p, matern(1.5, s)),
        warp("sqrt", sqrt, minimum()),
        warp("exp", exp, laplace(5.0 * d)),
        mul(minimum(), rbf(s)),
        on(2, [1], scaled("log", lambda x: log(x[0]), minimum())),
        normalize(minimum()),
    ]


def counts():
    """Counts and categories."""
    for d in (1, 2, 5, 30):
        for k in (equal(), hamming(), tanimoto(), chi2(1.0), chi2(0.3)):
            for high in (1, 4):
                x, y = ([float(source.randint(0, high)) for _ in range(d)] for _ in range(2))
                emit(k, x, y)
                emit(k, x, x)
                emit(k, x, [0.0] * d)
            emit(k, dyadic(d, 0.0, 2.0), dyadic(d, 0.0, 2.0))


def tasks():
    """Covariances of tasks."""
    a, v = [1.5, -0.7, 0.0, 2.0], [0.1, 0.3, 1.25, 0.0]
    for i in range(4):
        for j in range(4):
            emit(coregion(a, v), [i + 1.0], [j + 1.0])


def oscillators():
    """Damped below, at and above the critical value, and next to it."""
    for q in (0.001, 0.25, 0.4999999, 0.5, 0.5000001, 0.75, 3.0, 1e6):
        for d in (1, 3):
            emit(sho(1.3, q), dyadic(d), dyadic(d))
        for r in (1e-9, 0.3, 40.0):
            emit(sho(0.7, q), [0.0], [r])


def compact():
    """Near 0, near the end of their support, and beyond it."""
    for k in (0, 1, 2, 3):
        for d in (1, 2, 3, 8):
            emit(wendland(k, 4.0), dyadic(d), dyadic(d))
            emit(wendland(k, [2.0 + i for i in range(d)]), dyadic(d, 0.0, 1.0), dyadic(d, 0.0, 1.0))
        for r in (1e-9, 0.3, 0.999, 1.5):
            emit(wendland(k, 1.25), [0.0], [1.25 * r])


def waves():
    """Within a period, and many of them apart."""
    for d in (1, 2, 5):
        emit(wave(2.5), dyadic(d), dyadic(d))
        emit(mul(wave(0.7), rbf(1.5)), dyadic(d), dyadic(d))
    for r in (1e-9, 0.3, 40.0):
        emit(wave(1.25), [0.0], [r])


def induced():
    """Distances that kernels induce."""
    for d in (1, 2, 5):
        for k in (rbf_of(linear(), 1.5), rbf_of(rbf(0.8), 0.5), rbf_of(add(linear(), poly(2, 1.0)), 4.0)):
            emit(k, dyadic(d), dyadic(d))
            x = dyadic(d)
            emit(k, x, x)


main()
counts()
induced()
tasks()
oscillators()
compact()
waves()
