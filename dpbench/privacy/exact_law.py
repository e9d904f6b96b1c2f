"""Finite laws given as rationals or formulas, and the exact place of δ(ε) against a claimed δ.

A number is a `fractions.Fraction`, an integer, a float (read as the decimal that it prints as), or a formula in the
grammar of the certificates: integers, decimals, names, ``+ - * / ^ ( )``, ``pi`` and ``exp log sqrt abs erfc min(a, b)
max(a, b) sum(i, first, last, term)``.

What is made of rationals and of exp at rationals is a quotient of sums Σ c_k e^{r_k}. By the theorem of Lindemann and
Weierstrass such a sum is 0 only if every coefficient is, so that ties (randomised response at its own ε) are decided;
every other comparison is decided by ball arithmetic of growing precision, or not at all.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from flint import arb, ctx, fmpq

from dpbench.core import validation

Number = int | float | Fraction | str
PRECISIONS = (64, 256, 1024, 4096)
_TERMS = 20_000  # of one sum of exponentials, beyond which balls decide alone
_DECIMAL = re.compile(r"(?<![\w.])(\d+\.\d*|\.\d+|\d+(?=[eE]))([eE][+-]?\d+)?")


@dataclass(frozen=True)
class Exponentials:
    """A quotient of sums Σ c_k e^{r_k}: rational exponent to rational coefficient, without zeros."""

    over: Mapping[Fraction, Fraction]
    under: Mapping[Fraction, Fraction]

    @property
    def rational(self) -> Fraction | None:
        """The value, if no exponential is in it."""
        if not self.over:
            return Fraction(0)
        if set(self.over) == set(self.under) == {Fraction(0)}:
            return self.over[Fraction(0)] / self.under[Fraction(0)]
        return None


def exact(value: Fraction) -> Exponentials:
    """A rational."""
    return Exponentials({Fraction(0): value} if value else {}, {Fraction(0): Fraction(1)})


def read(name: str, number: Any) -> Fraction:
    """A rational from an integer, a `Fraction`, or a float as the decimal that it prints as."""
    if isinstance(number, (bool, np.bool_)) or not isinstance(number, (int, float, Fraction, np.integer, np.floating)):
        raise validation.invalid(name, "a number", number)
    try:
        if isinstance(number, (float, np.floating)):
            return Fraction(repr(float(number)))
        return number if isinstance(number, Fraction) else Fraction(int(number))
    except (ValueError, OverflowError) as error:
        raise validation.invalid(name, "a finite number", number) from error


class Quantity:
    """A number that is known exactly: as a quotient of exponentials where it is one, and as a ball at any precision.

    Parameters
    ----------
    quotient : callable
        The `Exponentials`, or None where it is none; asked once, and only where balls do not decide.
    ball : callable
        The enclosing ball, at the precision in force (`flint.ctx.prec`).
    """

    def __init__(self, quotient: Callable[[], Exponentials | None], ball: Callable[[], arb]) -> None:
        self._quotient, self._ball = quotient, ball
        self._balls: dict[int, arb] = {}

    @cached_property
    def quotient(self) -> Exponentials | None:
        """The number as a quotient of exponentials."""
        return self._quotient()

    def ball(self) -> arb:
        """The ball at the precision in force."""
        if ctx.prec not in self._balls:
            self._balls[ctx.prec] = self._ball()
        return self._balls[ctx.prec]

    def sign(self) -> int | None:
        """−1, 0 or 1; None where no precision decides it."""
        for precision in PRECISIONS:
            value = self.enclosed(precision)
            if value > 0:
                return 1
            if value < 0:
                return -1
            if precision == PRECISIONS[0] and self.quotient is not None and not self.quotient.over:
                return 0
        return None

    def enclosed(self, precision: int = 64) -> arb:
        """The ball at this precision, in bits."""
        before = ctx.prec
        ctx.prec = precision
        try:
            return self.ball()
        finally:
            ctx.prec = before

    def __float__(self) -> float:
        return float(self.enclosed(128).mid())


def quantity(name: str, number: Any, symbols: Mapping[str, Number] | None = None) -> Quantity:
    """A number or formula as a `Quantity`; `symbols` are what the names of the formula stand for."""
    if not isinstance(number, str):
        return _of_quotient(exact(read(name, number)))
    values = {key: quantity(f"{name}'s {key}", value) for key, value in (symbols or {}).items()}
    try:
        return _value(_tree(number), values)
    except (SyntaxError, KeyError, TypeError, ValueError, ZeroDivisionError, RecursionError) as error:
        raise validation.invalid(name, f"a formula in {sorted(values) or 'numbers'} ({error})", number) from error


def _of_quotient(quotient: Exponentials) -> Quantity:
    return Quantity(lambda: quotient, lambda: _summed(quotient.over) / _summed(quotient.under))


def _unknown() -> None:
    """Of what is no quotient of exponentials."""


def _summed(terms: Mapping[Fraction, Fraction]) -> arb:
    total = arb(0)
    for power, factor in terms.items():
        total += _arb(factor) * (_arb(power).exp() if power else arb(1))
    return total


def _arb(value: Fraction) -> arb:
    return arb(fmpq(value.numerator, value.denominator))


_MINUS_ONE, _ONE = (_of_quotient(exact(Fraction(k))) for k in (-1, 1))


@lru_cache(maxsize=1024)
def _tree(text: str) -> ast.expr:
    plain = _DECIMAL.sub(lambda match: f"({Fraction(match[0])})", text)
    return ast.parse(plain.replace("^", "**").strip(), mode="eval").body


def _value(node: ast.expr, names: Mapping[str, Quantity]) -> Quantity:
    match node:
        case ast.Constant(value=int() as whole) if not isinstance(whole, bool):
            return _of_quotient(exact(Fraction(whole)))
        case ast.Name(id="pi") if "pi" not in names:
            return Quantity(_unknown, lambda: arb.pi())
        case ast.Name(id=name):
            return names[name]
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return _times(_MINUS_ONE, _value(inner, names))
        case ast.UnaryOp(op=ast.UAdd(), operand=inner):
            return _value(inner, names)
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            return _power(_value(left, names), _value(right, names))
        case ast.BinOp(left=left, op=operation, right=right) if type(operation) in _OPERATIONS:
            return _OPERATIONS[type(operation)](_value(left, names), _value(right, names))
        case ast.Call(func=ast.Name(id="sum"), args=[ast.Name(id=index), first, last, term], keywords=[]):
            ends = [_integer(_value(end, names)) for end in (first, last)]
            places = (_of_quotient(exact(Fraction(place))) for place in range(ends[0], ends[1] + 1))
            return _total(_value(term, {**names, index: place}) for place in places)
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in _FUNCTIONS:
            return _FUNCTIONS[name](*(_value(argument, names) for argument in arguments))
    raise SyntaxError(f"cannot read {ast.unparse(node)}")


def _integer(value: Quantity) -> int:
    whole = None if value.quotient is None else value.quotient.rational
    if whole is None or whole.denominator != 1 or abs(whole) > _TERMS:
        raise ValueError("an integer is wanted")
    return int(whole)


def _product(a: Mapping[Fraction, Fraction], b: Mapping[Fraction, Fraction]) -> dict[Fraction, Fraction] | None:
    if len(a) * len(b) > _TERMS:
        return None
    terms: dict[Fraction, Fraction] = {}
    for power, factor in a.items():
        for other, weight in b.items():
            terms[power + other] = terms.get(power + other, Fraction(0)) + factor * weight
    return {power: factor for power, factor in terms.items() if factor}


def _added(a: Mapping[Fraction, Fraction], b: Mapping[Fraction, Fraction]) -> dict[Fraction, Fraction]:
    terms = dict(a)
    for power, factor in b.items():
        terms[power] = terms.get(power, Fraction(0)) + factor
    return {power: factor for power, factor in terms.items() if factor}


def _sum_of(a: Exponentials | None, b: Exponentials | None) -> Exponentials | None:
    if a is None or b is None:
        return None
    if a.under == b.under:
        return Exponentials(_added(a.over, b.over), a.under)
    first, second, under = _product(a.over, b.under), _product(b.over, a.under), _product(a.under, b.under)
    return None if first is None or second is None or under is None else Exponentials(_added(first, second), under)


def _product_of(a: Exponentials | None, b: Exponentials | None) -> Exponentials | None:
    if a is None or b is None:
        return None
    over, under = _product(a.over, b.over), _product(a.under, b.under)
    return None if over is None or under is None else Exponentials(over, under)


def _inverse_of(a: Exponentials | None) -> Exponentials | None:
    if a is None:
        return None
    if not a.over:
        raise ZeroDivisionError("division by 0")
    return Exponentials(a.under, a.over)


def _total(parts: Iterable[Quantity]) -> Quantity:
    """The sum, however many there are."""
    kept = tuple(parts)

    def quotient() -> Exponentials | None:
        total: Exponentials | None = exact(Fraction(0))
        for part in kept:
            total = _sum_of(total, part.quotient)
        return total

    return Quantity(quotient, lambda: sum((part.ball() for part in kept), arb(0)))


def _minus(a: Quantity, b: Quantity) -> Quantity:
    return _total((a, _times(_MINUS_ONE, b)))


def _times(a: Quantity, b: Quantity) -> Quantity:
    return Quantity(lambda: _product_of(a.quotient, b.quotient), lambda: a.ball() * b.ball())


def _divided(a: Quantity, b: Quantity) -> Quantity:
    if b.enclosed().contains(0) and b.sign() == 0:
        raise ZeroDivisionError("division by 0")
    return Quantity(lambda: _product_of(a.quotient, _inverse_of(b.quotient)), lambda: a.ball() / b.ball())


def _power(a: Quantity, b: Quantity) -> Quantity:
    whole = None if b.quotient is None else b.quotient.rational
    if whole is not None and whole.denominator == 1 and abs(whole) <= _TERMS:
        base = a if whole >= 0 else _divided(_ONE, a)
        result = _ONE
        for bit in f"{abs(int(whole)):b}":
            result = _times(result, result)
            result = _times(result, base) if bit == "1" else result
        return result
    return Quantity(_unknown, lambda: a.ball() ** b.ball())


def _exponential(a: Quantity) -> Quantity:
    power = None if a.quotient is None else a.quotient.rational
    if power is not None:
        return _of_quotient(Exponentials({power: Fraction(1)}, {Fraction(0): Fraction(1)}))
    if isinstance(a, _Logarithm):
        return a.of
    return Quantity(_unknown, lambda: a.ball().exp())


class _Logarithm(Quantity):
    """log of `of`, so that exp undoes it."""

    def __init__(self, of: Quantity) -> None:
        super().__init__(lambda: exact(Fraction(0)) if of.quotient == exact(Fraction(1)) else None, self._log)
        self.of = of

    def _log(self) -> arb:
        return self.of.ball().log()


def _root(a: Quantity) -> Quantity:
    return Quantity(_unknown, lambda: a.ball().sqrt())


def _magnitude(a: Quantity) -> Quantity:
    sign = a.sign()
    if sign is None:
        return Quantity(_unknown, lambda: abs(a.ball()))
    return a if sign >= 0 else _times(_MINUS_ONE, a)


def _greater(a: Quantity, b: Quantity) -> Quantity:
    sign = _minus(a, b).sign()
    if sign is None:
        return Quantity(_unknown, lambda: a.ball().max(b.ball()))
    return a if sign >= 0 else b


def _lesser(a: Quantity, b: Quantity) -> Quantity:
    sign = _minus(a, b).sign()
    if sign is None:
        return Quantity(_unknown, lambda: a.ball().min(b.ball()))
    return a if sign <= 0 else b


_OPERATIONS: dict[type[ast.operator], Callable[[Quantity, Quantity], Quantity]] = {
    ast.Add: lambda a, b: _total((a, b)),
    ast.Sub: _minus,
    ast.Mult: _times,
    ast.Div: _divided,
}
_FUNCTIONS: dict[str, Callable[..., Quantity]] = {
    "exp": _exponential, "log": _Logarithm, "sqrt": _root, "abs": _magnitude, "max": _greater, "min": _lesser,
    "erfc": lambda a: Quantity(_unknown, lambda: a.ball().erfc()),
}  # fmt: skip


@dataclass(frozen=True)
class ExactPair:
    """Two finite laws known exactly, judged in both directions.

    Attributes
    ----------
    p, q : tuple of Quantity
        Probabilities of the same outcomes.
    """

    p: tuple[Quantity, ...]
    q: tuple[Quantity, ...]

    def place(self, epsilon: Number, delta: Number) -> str:
        """ "within" where δ(ε) ≤ `delta`, "beyond" where it is larger, "undecided" where neither is shown.

        A float is read as the decimal that it prints as. As it may stand for a real number beside it, nothing is
        "beyond" that is within at the next floats.
        """
        return _placed(self._at, epsilon, delta)

    def _at(self, epsilon: Quantity, delta: Quantity) -> str:
        factor = _exponential(epsilon)
        places = {_excess(one, other, factor, delta) for one, other in ((self.p, self.q), (self.q, self.p))}
        return "beyond" if "beyond" in places else "undecided" if "undecided" in places else "within"

    def logarithms(self) -> tuple[np.ndarray, np.ndarray]:
        """Log-probabilities in floats, −inf for what is never given."""
        return _logs(self.p), _logs(self.q)


@dataclass(frozen=True)
class ExactLaplace:
    """Laplace noise on one coordinate whose centre moves by exactly `shift` scales: δ(ε) = 1 − e^{(ε − shift)/2} up to
    ε = `shift`, and 0 from there on.

    Attributes
    ----------
    shift : Fraction
        At least 0.

    Raises
    ------
    InvalidInput
        If `shift` is negative.
    """

    shift: Fraction

    def __post_init__(self) -> None:
        if self.shift < 0:
            raise validation.invalid("shift", "a number >= 0", self.shift)

    def __float__(self) -> float:
        return float(self.shift)

    def place(self, epsilon: Number, delta: Number) -> str:
        """As `ExactPair.place`."""
        return _placed(self._at, epsilon, delta)

    def _at(self, epsilon: Quantity, delta: Quantity) -> str:
        moved, factor, left = _exponential(quantity("shift", self.shift)), _exponential(epsilon), _minus(_ONE, delta)
        sign = _minus(factor, moved).sign()
        if (sign is not None and sign >= 0 and delta.sign() in (0, 1)) or left.sign() in (-1, 0):
            return "within"
        # Below the shift, with 1 − δ > 0: 1 − e^{(ε − shift)/2} > δ if and only if (1 − δ)² e^shift > e^ε.
        excess = _minus(_times(_times(left, left), moved), factor).sign()
        if excess is None or sign is None or left.sign() is None:
            return "undecided"
        return "beyond" if excess > 0 else "within"


def _placed(at: Callable[[Quantity, Quantity], str], epsilon: Number, delta: Number) -> str:
    """Where the law lies at numbers of which floats may stand for a real number beside them."""
    place = at(quantity("epsilon", epsilon), quantity("delta", delta))
    if place == "beyond" and (isinstance(epsilon, float) or isinstance(delta, float)):
        wider = [_next(x) if isinstance(x, float) else x for x in (epsilon, delta)]
        beyond = at(quantity("epsilon", wider[0]), quantity("delta", wider[1])) == "beyond"
        place = "beyond" if beyond else "undecided"
    return place


def _next(value: float) -> Fraction:
    """The next float above, and a little: 2^-51 of it further up."""
    exactly = Fraction(repr(float(value)))
    return exactly + abs(exactly) / 2**51


def _excess(p: Sequence[Quantity], q: Sequence[Quantity], factor: Quantity, delta: Quantity) -> str:
    """Where Σ (p − e^ε q)₊ lies, seen from δ."""
    parts, sure = [_times(_MINUS_ONE, delta)], True
    for one, other in zip(p, q, strict=True):
        term = _minus(one, _times(factor, other))
        sign = term.sign()
        if sign is None:
            sure = False  # zero or nearly: the others decide
        elif sign > 0:
            parts.append(term)
    sign = _total(parts).sign()
    if sign == 1:
        return "beyond"
    return "within" if sure and sign is not None else "undecided"


def _logs(law: Sequence[Quantity]) -> np.ndarray:
    logs = np.full(len(law), -np.inf)
    for place, mass in enumerate(law):
        if mass.sign() != 0:
            logs[place] = float(mass.enclosed(256).log().mid())
    return logs


def is_exact(law: Any) -> bool:
    """Whether a law is given as rationals or formulas: some entry is one, and none is a float."""
    if not isinstance(law, (list, tuple)) or not law:
        return False
    kinds = [isinstance(x, (str, Fraction)) for x in law]
    return any(kinds) and all(
        kind or (isinstance(x, (int, np.integer)) and not isinstance(x, bool))
        for kind, x in zip(kinds, law, strict=True)
    )


def exact_pair(p: Sequence[Number], q: Sequence[Number], symbols: Mapping[str, Number] | None = None) -> ExactPair:
    """The pair of two laws of rationals or formulas; the last entry may be ``"rest"``.

    Raises
    ------
    InvalidInput
        For what is no formula, a negative probability, or a sum that is not 1.
    """
    if len(p) != len(q):
        raise validation.invalid("q", f"a law of {len(p)} outcomes, like p", list(q))
    return ExactPair(*(_law(name, law, symbols) for name, law in (("p", p), ("q", q))))


def _law(name: str, law: Sequence[Number], symbols: Mapping[str, Number] | None) -> tuple[Quantity, ...]:
    rest = isinstance(law[-1], str) and law[-1].strip() == "rest"
    masses = [quantity(f"{name}[{place}]", one, symbols) for place, one in enumerate(law[:-1] if rest else law)]
    total = _total(masses)
    left = _minus(_ONE, total)
    if rest:
        masses.append(left)
    for place, mass in enumerate(masses):
        if mass.sign() == -1 or not mass.enclosed().is_finite():
            raise validation.invalid(f"{name}[{place}]", "a probability >= 0", law[place])
    if not rest and (left.sign() or not left.enclosed(1024).contains(0)):
        raise validation.invalid(name, "probabilities that sum to 1", f"a sum of {float(total):.17g}")
    return tuple(masses)
