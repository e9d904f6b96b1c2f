"""Formulas over boxes: intervals with ball-arithmetic ends, and their derivatives, for proofs over whole regions.

An interval is a pair of exact numbers (rationals where only rational operations occur, else Arb's floats rounded
outwards), infinite ends allowed. A value known to be exactly 0 stays exactly 0, so that a bound which is met at a
corner of a region can still be decided. Where a formula is undefined on part of a box, that part is left open: the
interval is the whole line.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from flint import arb, ctx, fmpq

from dpbench.ledger.formula import Node

BITS = 128
INF, MINUS_INF = arb("inf"), arb("-inf")
ZERO, ONE, TWO, HALF = fmpq(0), fmpq(1), fmpq(2), fmpq(1, 2)
End = Any
"""`fmpq`, or an exact `arb`."""


class Interval(tuple[End, End]):
    """[low, high]."""

    __slots__ = ()

    @property
    def low(self) -> End:
        return self[0]

    @property
    def high(self) -> End:
        return self[1]

    @property
    def point(self) -> bool:
        return self[0] is self[1]


def interval(low: End, high: End) -> Interval:
    return Interval((low, high))


ALL = interval(MINUS_INF, INF)
NOUGHT, UNIT = interval(ZERO, ZERO), interval(ONE, ONE)


def at(value: Any) -> Interval:
    """A rational number."""
    made = fmpq(value.numerator, value.denominator) if hasattr(value, "numerator") else value
    return interval(made, made)


def _finite(end: End) -> bool:
    return isinstance(end, fmpq) or bool(end.is_finite())


def _down(value: Any) -> End:
    """An exact number at or below a ball; a rational is itself; what is not a number is -inf."""
    if isinstance(value, fmpq):
        return value
    if value.is_nan():
        return MINUS_INF
    return value if value.is_exact() else value.lower()


def _up(value: Any) -> End:
    if isinstance(value, fmpq):
        return value
    if value.is_nan():
        return INF
    return value if value.is_exact() else value.upper()


def _least(a: End, b: End) -> End:
    return a if a <= b else b if b <= a else _down(arb(a).min(arb(b)))


def _most(a: End, b: End) -> End:
    return a if a >= b else b if b >= a else _up(arb(a).max(arb(b)))


def add(x: Interval, y: Interval) -> Interval:
    if x is NOUGHT:
        return y
    if y is NOUGHT:
        return x
    return interval(_down(x[0] + y[0]), _up(x[1] + y[1]))


def negated(x: Interval) -> Interval:
    return interval(-x[1], -x[0])


def sub(x: Interval, y: Interval) -> Interval:
    return add(x, negated(y))


def _times(a: End, b: End) -> Any:
    """A product of ends; 0 times infinity is 0, since the other factor is finite at every point of the box."""
    if a == 0 or b == 0:
        return ZERO
    return a * b


def mul(x: Interval, y: Interval) -> Interval:
    if x is NOUGHT or y is NOUGHT:
        return NOUGHT
    if x is UNIT:
        return y
    if y is UNIT:
        return x
    if x[0] >= 0 and y[0] >= 0:
        return interval(_down(_times(x[0], y[0])), _up(_times(x[1], y[1])))
    products = [_times(a, b) for a in x for b in y]
    low, high = _down(products[0]), _up(products[0])
    for product in products[1:]:
        low, high = _least(low, _down(product)), _most(high, _up(product))
    return interval(low, high)


def inverse(x: Interval) -> Interval:
    """1/x; an end at 0 is left out of the box, a zero inside leaves the whole line."""
    if x[0] == 0 and x[1] == 0:
        return ALL
    if x[0] >= 0:
        return interval(_down(_over(x[1])), INF if x[0] == 0 else _up(_over(x[0])))
    if x[1] <= 0:
        return negated(inverse(negated(x)))
    return ALL


def _over(end: End) -> Any:
    return ONE / end if isinstance(end, fmpq) else (ZERO if not end.is_finite() else 1 / end)


def div(x: Interval, y: Interval) -> Interval:
    return mul(x, inverse(y))


def rising(function: Callable[[End], Any], x: Interval) -> Interval:
    """A function that grows."""
    if x.point:
        value = function(x[0])
        return interval(*[value] * 2) if isinstance(value, fmpq) else interval(_down(value), _up(value))
    return interval(_down(function(x[0])), _up(function(x[1])))


def _exp(end: End) -> Any:
    if end == 0:
        return ONE
    if not _finite(end):
        return INF if end > 0 else ZERO
    return arb(end).exp()


def _log(end: End) -> Any:
    if end == 1:
        return ZERO
    if not _finite(end):
        return end
    return arb(end).log() if end > 0 else MINUS_INF


def _sqrt(end: End) -> Any:
    if isinstance(end, fmpq):
        if end <= 0:
            return ZERO
        p, q = math.isqrt(int(end.p)), math.isqrt(int(end.q))
        return fmpq(p, q) if p * p == end.p and q * q == end.q else arb(end).sqrt()
    return end.sqrt() if end > 0 and end.is_finite() else INF if end > 0 else ZERO


def _erfc(end: End) -> Any:
    if end == 0:
        return ONE
    if not _finite(end):
        return ZERO if end > 0 else TWO
    return arb(end).erfc()


def exp(x: Interval) -> Interval:
    return rising(_exp, x)


def log(x: Interval) -> Interval:
    return rising(_log, x) if x[0] >= 0 else ALL


def sqrt(x: Interval) -> Interval:
    return rising(_sqrt, x) if x[0] >= 0 else ALL


def erfc(x: Interval) -> Interval:
    return negated(rising(lambda end: -_erfc(end), x))


def least(x: Interval, y: Interval) -> Interval:
    return interval(_least(x[0], y[0]), _least(x[1], y[1]))


def most(x: Interval, y: Interval) -> Interval:
    return interval(_most(x[0], y[0]), _most(x[1], y[1]))


def union(x: Interval, y: Interval) -> Interval:
    return interval(_least(x[0], y[0]), _most(x[1], y[1]))


def absolute(x: Interval) -> Interval:
    if x[0] >= 0:
        return x
    if x[1] <= 0:
        return negated(x)
    return interval(ZERO, _most(-x[0], x[1]))


def whole_power(x: Interval, n: int) -> Interval:
    """x^n for an integer n."""
    if n < 0:
        return inverse(whole_power(x, -n))
    if n == 0:
        return UNIT
    if n % 2 == 0:
        x = absolute(x)

    def raised(end: End) -> Any:
        return end**n if _finite(end) else INF if end > 0 or n % 2 == 0 else MINUS_INF

    return rising(raised, x)


def power(x: Interval, y: Interval) -> Interval:
    """x^y for x >= 0."""
    if x[0] < 0:
        return ALL
    if x[0] == 1 and x[1] == 1:
        return UNIT
    return exp(mul(y, log(x)))


def density(x: Interval) -> Interval:
    """The standard normal density."""
    return div(exp(mul(at(-HALF), whole_power(x, 2))), ROOT_TWO_PI)


def mills(x: Interval) -> Interval:
    """(1 - Phi(x))/phi(x), which falls with x."""

    def fallen(end: End) -> Any:
        if not _finite(end):
            return ZERO if end > 0 else MINUS_INF
        half = arb(end) ** 2 / 2
        return -(half.exp() * (arb(end) / arb(2).sqrt()).erfc() * (arb.pi() / 2).sqrt())

    return negated(rising(fallen, x))


def _gaussian(shift: End, epsilon: End) -> Any:
    if shift == 0 or not _finite(epsilon):
        return ZERO
    if not _finite(shift):
        return ONE
    s, e = arb(shift), arb(epsilon)
    a, b, root = e / s - s / 2, e / s + s / 2, arb(2).sqrt()
    return ((a / root).erfc() - e.exp() * (b / root).erfc()) / 2


def gaussian_delta(shift: Interval, epsilon: Interval) -> Interval:
    if shift[0] < 0 or epsilon[0] < 0:
        return ALL
    low, high = _down(_gaussian(shift[0], epsilon[1])), _up(_gaussian(shift[1], epsilon[0]))
    return interval(_most(low, ZERO), _least(high, ONE))


class Dual:
    """A value and its derivatives by the symbols that are intervals; a missing one is 0."""

    __slots__ = ("slopes", "value")

    def __init__(self, value: Interval, slopes: Mapping[str, Interval] | None = None) -> None:
        self.value, self.slopes = value, slopes or {}


def _chain(x: Dual, value: Interval, slope: Callable[[], Interval]) -> Dual:
    if not x.slopes:
        return Dual(value)
    if value is ALL:  # undefined somewhere on the box: a derivative's sign says nothing across a pole
        return Dual(value, dict.fromkeys(x.slopes, ALL))
    by = slope()
    return Dual(value, {name: mul(by, part) for name, part in x.slopes.items()})


def _both(x: Dual, y: Dual, value: Interval, by_x: Callable[[], Interval], by_y: Callable[[], Interval]) -> Dual:
    made: dict[str, Interval] = {}
    if value is ALL:
        return Dual(value, dict.fromkeys({*x.slopes, *y.slopes}, ALL))
    for part, by in ((x, by_x), (y, by_y)):
        if part.slopes:
            factor = by()
            for name, slope in part.slopes.items():
                made[name] = add(made.get(name, NOUGHT), mul(factor, slope))
    return Dual(value, made)


def _between(x: Dual, y: Dual, value: Interval, first: bool, second: bool) -> Dual:
    """min or max: the slopes of the side that is taken, or of both."""
    if first or second:
        return Dual(value, (x if first else y).slopes)
    keys = {*x.slopes, *y.slopes}
    return Dual(value, {k: union(x.slopes.get(k, NOUGHT), y.slopes.get(k, NOUGHT)) for k in keys})


class Box:
    """Evaluates formulas on a box of the symbols; definitions are evaluated once."""

    def __init__(self, values: Mapping[str, Interval], definitions: Mapping[str, Node]) -> None:
        self.definitions = definitions
        self.known = {k: Dual(v, {} if v.point else {k: UNIT}) for k, v in values.items()}

    def __getitem__(self, name: str) -> Dual:
        if name not in self.known:
            self.known[name] = Dual(PI) if name == "pi" else self(self.definitions[name])
        return self.known[name]

    def __call__(self, node: Node) -> Dual:
        kind = node[0]
        if kind == "num":
            return Dual(at(node[1]))
        if kind == "sym":
            return self[node[1]]
        if kind == "sum":
            return self._sum(node)
        parts = [self(part) for part in node[1:]]
        return _RULES[kind](*parts)

    def _sum(self, node: Node) -> Dual:
        first, last = (self(part).value for part in node[2:4])
        if not (first.point and last.point and isinstance(first[0], fmpq) and isinstance(last[0], fmpq)):
            return Dual(ALL, dict.fromkeys(self.known, ALL))
        start, stop = -int((-first[0]).floor()), int(last[0].floor())
        if stop - start > 2000:
            return Dual(ALL, dict.fromkeys(self.known, ALL))
        total, name = Dual(NOUGHT), node[1][1]
        for i in range(start, stop + 1):
            inner = Box({}, self.definitions)
            inner.known = {**self.known, name: Dual(at(fmpq(i)))}
            total = _plus(total, inner(node[4]))
        return total


def _plus(x: Dual, y: Dual) -> Dual:
    slopes = dict(x.slopes)
    for name, slope in y.slopes.items():
        slopes[name] = add(slopes.get(name, NOUGHT), slope)
    return Dual(add(x.value, y.value), slopes)


def _neg(x: Dual) -> Dual:
    return Dual(negated(x.value), {k: negated(v) for k, v in x.slopes.items()})


def _mul(x: Dual, y: Dual) -> Dual:
    if x is y:
        return _chain(x, whole_power(x.value, 2), lambda: mul(at(TWO), x.value))
    return _both(x, y, mul(x.value, y.value), lambda: y.value, lambda: x.value)


def _div(x: Dual, y: Dual) -> Dual:
    under = inverse(y.value)
    value = ALL if under is ALL else mul(x.value, under)
    return _both(x, y, value, lambda: under, lambda: negated(mul(value, under)))


def _pow(x: Dual, y: Dual) -> Dual:
    n = y.value[0]
    if y.value.point and isinstance(n, fmpq) and n.q == 1 and abs(n.p) <= 10**4:
        k = int(n.p)
        return _chain(x, whole_power(x.value, k), lambda: mul(at(n), whole_power(x.value, k - 1)))
    value = power(x.value, y.value)
    return _both(
        x, y, value, lambda: mul(y.value, power(x.value, sub(y.value, UNIT))), lambda: mul(value, log(x.value))
    )


def _exp_rule(x: Dual) -> Dual:
    value = exp(x.value)
    return _chain(x, value, lambda: value)


def _sqrt_rule(x: Dual) -> Dual:
    value = sqrt(x.value)
    return _chain(x, value, lambda: mul(at(HALF), inverse(value)))


def _abs_rule(x: Dual) -> Dual:
    side = UNIT if x.value[0] >= 0 else negated(UNIT) if x.value[1] <= 0 else interval(-ONE, ONE)
    return _chain(x, absolute(x.value), lambda: side)


def _gaussian_rule(s: Dual, e: Dual) -> Dual:
    """∂δ/∂s = φ(a), ∂δ/∂ε = -φ(a) R(b), with a = s/2 - ε/s, b = s/2 + ε/s, R the Mills ratio."""
    value = gaussian_delta(s.value, e.value)
    slopes: dict[str, Interval] = {}
    if (s.slopes or e.slopes) and s.value[0] >= 0 and e.value[0] >= 0:
        half, ratio = mul(at(HALF), s.value), div(e.value, s.value)
        outside, inside = density(sub(half, ratio)), mills(add(half, ratio))
        for name in {*s.slopes, *e.slopes}:
            by = sub(s.slopes.get(name, NOUGHT), mul(inside, e.slopes.get(name, NOUGHT)))
            slopes[name] = mul(outside, by)
    else:
        slopes = dict.fromkeys({*s.slopes, *e.slopes}, ALL)
    return Dual(value, slopes)


def _laplace_rule(s: Dual, e: Dual) -> Dual:
    inside = _mul(Dual(at(HALF)), _plus(e, _neg(s)))
    grown = _plus(Dual(UNIT), _neg(_exp_rule(inside)))
    value = most(NOUGHT, grown.value)
    return _between(grown, Dual(NOUGHT), value, bool(grown.value[0] >= 0), bool(grown.value[1] <= 0))


def _beta(x: Dual, a: Dual, b: Dual) -> Dual:
    value = ALL
    if a.value.point and b.value.point and x.value[0] >= 0 and x.value[1] <= 1 and a.value[0] > 0 and b.value[0] > 0:
        value = rising(lambda end: arb(end).beta_lower(a.value[0], b.value[0], regularized=1), x.value)
    return Dual(value, dict.fromkeys({*x.slopes, *a.slopes, *b.slopes}, ALL))


def _gamma(s: Dual, x: Dual) -> Dual:
    value = ALL
    if s.value.point and s.value[0] > 0 and x.value[0] >= 0:

        def fallen(end: End) -> Any:
            return -arb(end).gamma_upper(s.value[0], regularized=1) if _finite(end) else ZERO

        value = negated(rising(fallen, x.value))
    return Dual(value, dict.fromkeys({*s.slopes, *x.slopes}, ALL))


def _erfc_rule(x: Dual) -> Dual:
    def slope() -> Interval:
        return mul(at(fmpq(-2)), div(exp(negated(whole_power(x.value, 2))), ROOT_PI))

    return _chain(x, erfc(x.value), slope)


_RULES: dict[str, Callable[..., Dual]] = {
    "+": _plus, "-": lambda x, y: _plus(x, _neg(y)), "*": _mul, "/": _div, "^": _pow, "neg": _neg,
    "exp": _exp_rule, "log": lambda x: _chain(x, log(x.value), lambda: inverse(x.value)), "sqrt": _sqrt_rule,
    "abs": _abs_rule, "erfc": _erfc_rule, "gaussian_delta": _gaussian_rule, "laplace_delta": _laplace_rule,
    "betatail": _beta, "gammatail": _gamma,
    "min": lambda x, y: _between(
        x, y, least(x.value, y.value), bool(x.value[1] <= y.value[0]), bool(y.value[1] <= x.value[0])
    ),
    "max": lambda x, y: _between(
        x, y, most(x.value, y.value), bool(x.value[0] >= y.value[1]), bool(y.value[0] >= x.value[1])
    ),
}  # fmt: skip


def _constants() -> tuple[Interval, Interval, Interval]:
    with ctx.workprec(BITS):
        pi = arb.pi()
        made = (pi, pi.sqrt(), (2 * pi).sqrt())
        return tuple(interval(_down(value), _up(value)) for value in made)  # type: ignore[return-value]


PI, ROOT_PI, ROOT_TWO_PI = _constants()
