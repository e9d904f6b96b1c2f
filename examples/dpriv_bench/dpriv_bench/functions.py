"""The 49 functions of DPriv-Bench, defined by us, each with its sensitivity, a proof, and neighbours that attain it.

Data sets hold n records in [0, 1]; neighbours differ in one record (n stays). The sensitivity is a formula in the
checker's grammar, an upper bound for every n from 1 that is attained (or approached) at every n of `sizes`. Functions
are evaluated exactly at rationals where they are rational there, and else in balls of 200 bits.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from flint import arb, ctx, fmpq

BITS = 200
HALF = Fraction(1, 2)
Records = Sequence[Fraction]
Values = Mapping[str, Fraction]


def ball(value: Any) -> arb:
    """A rational as a ball."""
    return arb(fmpq(value.numerator, value.denominator)) if hasattr(value, "numerator") else arb(value)


def _ints(*values: int) -> list[Fraction]:
    return [Fraction(value) for value in values]


def _alone(n: int, place: int = 1, *, others: int = 0) -> tuple[list[Fraction], list[Fraction]]:
    """The record at `place` (from 1) is 1 in the first data set and 0 in the second; all others are `others`."""
    first = _ints(*[others] * n)
    second = list(first)
    first[place - 1], second[place - 1] = Fraction(1), Fraction(0)
    return first, second


def _inner(n: int) -> tuple[list[Fraction], list[Fraction]]:
    return _alone(n, 2)


def _to_half(n: int) -> tuple[list[Fraction], list[Fraction]]:
    """The first record is 1/2 in the first data set and 0 in the second; all others are 0."""
    first, second = _alone(n)
    first[0] = HALF
    return first, second


def _full(n: int) -> tuple[list[Fraction], list[Fraction]]:
    return _alone(n, n, others=1)


def _last(n: int) -> tuple[list[Fraction], list[Fraction]]:
    return _alone(n, n)


def _majority(n: int) -> tuple[list[Fraction], list[Fraction]]:
    """Of the other n - 1 records, one half (rounded down) are 1: the first record decides the majority."""
    others = _ints(*[1] * ((n - 1) // 2 + (n + 1) % 2), *[0] * ((n - 1) // 2))
    return [Fraction(1), *others], [Fraction(0), *others]


def _between(n: int) -> tuple[list[Fraction], list[Fraction]]:
    """The other records are 1/2: the first is the largest, then the smallest."""
    return [Fraction(1), *[HALF] * (n - 1)], [Fraction(0), *[HALF] * (n - 1)]


def _upper_quarter(n: int) -> tuple[list[Fraction], list[Fraction]]:
    """n = 5: the others are 0, 0, 0, 1, and the first record moves the upper quartile from 0 to 1."""
    others = _ints(0, 0, 0, 1)
    return [Fraction(1), *others], [Fraction(0), *others]


def _mean(x: Records) -> Fraction:
    return sum(x, Fraction(0)) / len(x)


def _product(x: Records) -> Fraction:
    made = Fraction(1)
    for one in x:
        made *= one
    return made


def _median(x: Records) -> Fraction:
    """The middle record, or the mean of the two in the middle."""
    low, high = sorted(x)[(len(x) - 1) // 2], sorted(x)[len(x) // 2]
    return (low + high) / 2


def _quartiles(x: Records) -> Fraction:
    """By linear interpolation of the order statistics at 1 + (n - 1) p (Hyndman and Fan 1996, definition 7)."""

    def at(p: Fraction) -> Fraction:
        place = (len(x) - 1) * p
        low = place.numerator // place.denominator
        ordered = sorted(x)
        return ordered[low] + (place - low) * (ordered[min(low + 1, len(x) - 1)] - ordered[low])

    return at(Fraction(3, 4)) - at(Fraction(1, 4))


def _softmax_mean(x: Records) -> arb:
    weights = [ball(one).exp() for one in x]
    return sum((w * ball(one) for w, one in zip(weights, x, strict=True)), arb(0)) / sum(weights, arb(0))


def _cyclic(x: Records) -> arb:
    return ball(sum((x[i] - x[(i + 1) % len(x)]) ** 2 for i in range(len(x)))).sqrt()


def _total(term: Callable[[arb], arb]) -> Callable[[Records, Values], arb]:
    return lambda x, _: sum((term(ball(one)) for one in x), arb(0))


@dataclass(frozen=True)
class Special:
    """A special case or another convention, where the sensitivity is smaller.

    Attributes
    ----------
    case : str
    sensitivity : str
        There.
    least : int
        n is at least this, in formulas.
    """

    case: str
    sensitivity: str
    least: int = 1


@dataclass(frozen=True)
class Lemma:
    """An inequality that the proof uses, decided over the whole region by the judge.

    Attributes
    ----------
    left, right : str
        left <= right.
    region : mapping of str to tuple
        Of each symbol its ends; that of ``n`` is of integers.
    """

    left: str
    right: str
    region: Mapping[str, tuple[Any, Any]]


UNIT = (0, 1)
XY = {"x": UNIT, "y": UNIT}


@dataclass(frozen=True)
class Function:
    """A function of a data set, and its sensitivity.

    Attributes
    ----------
    value : callable
        From the records and the values of `parameters`, exact or a ball.
    sensitivity : str
        The largest change when a record is replaced: for every n from 1 an upper bound.
    proof : str
        Why no change is larger.
    pair : callable
        From n to neighbours, the change of whose values is the sensitivity.
    sizes : callable
        From n to whether `pair` attains the sensitivity at this n (and where it is 0 for n = 1, not there).
    parameters : mapping
        Values of the function's own parameters at which the sensitivity is attained.
    free : mapping
        Parameters that stand in the formula of the sensitivity, with their ends.
    readings : str
        What the question leaves open, and what we took.
    special : tuple of Special
    lemmas : tuple of Lemma
    """

    value: Callable[[Records, Values], Any]
    sensitivity: str
    proof: str
    pair: Callable[[int], tuple[list[Fraction], list[Fraction]]] = _alone
    sizes: Callable[[int], bool] = lambda n: n >= 1
    parameters: Values = field(default_factory=dict)
    free: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)
    readings: str = ""
    special: tuple[Special, ...] = ()
    lemmas: tuple[Lemma, ...] = ()

    @property
    def least(self) -> int:
        """The smallest n at which the sensitivity is attained."""
        return next(n for n in range(1, 9) if self.sizes(n))

    def change(self, n: int, parameters: Values | None = None) -> arb:
        """The change of the value between the neighbours of `pair`, as a ball."""
        values = self.parameters if parameters is None else parameters
        with ctx.workprec(BITS):
            first, second = (ball(self.value(records, values)) for records in self.pair(n))
            return abs(first - second)


def _from(least: int) -> Callable[[int], bool]:
    return lambda n: n >= least


def _count(holds: Callable[[Fraction], bool]) -> Callable[[Records, Values], Fraction]:
    return lambda x, _: Fraction(sum(map(holds, x)))


_ONE_TERM = "One term changes, and terms lie between "
_RANGE = "All values lie between 0 and 1."
_TWO_RECORDS = Special("n = 2", "1")

FUNCTIONS: dict[int, Function] = {
    1: Function(lambda x, _: sum(x), "1", _ONE_TERM + "0 and 1.", lemmas=(Lemma("x - y", "1", XY),)),
    2: Function(lambda x, _: _product(x), "1", _RANGE, _full),
    3: Function(lambda x, _: max(x), "1", _RANGE),
    4: Function(lambda x, _: min(x), "1", _RANGE, _full),
    5: Function(lambda x, _: _mean(x), "1/n", "One term of the sum changes by at most 1, and the sum is divided by n.",
                lemmas=(Lemma("x - y", "1", XY),)),
    6: Function(lambda x, _: ball(sum(one**2 for one in x)).sqrt(), "1",
                "By the triangle inequality norms differ by at most the norm of the difference, |x_i - x_i'|."),
    7: Function(lambda x, _: sum((abs(a - b) for a, b in itertools.pairwise(x)), Fraction(0)), "2",
                "At most two terms hold the record, and each changes by at most |x_i - x_i'|.", _inner, _from(3),
                special=(_TWO_RECORDS,),
                lemmas=(Lemma("abs(x - a) + abs(x - b) - abs(y - a) - abs(y - b)", "2",
                              XY | {"a": UNIT, "b": UNIT}),)),
    8: Function(lambda x, _: sum(abs(one - _mean(x)) for one in x), "2*(n - 1)/n",
                "A record's own deviation has slope at most 1 - 1/n in it, and each of the n - 1 others at most 1/n: "
                "the slope is at most 2 (n - 1)/n.", _alone, _from(2)),
    9: Function(lambda x, _: sum((one - _mean(x)) ** 2 for one in x), "(n - 1)/n",
                "With m the mean of the other records the value is (1 - 1/n) (x_i - m)^2 and what x_i does not move; "
                "the square lies between 0 and 1.", _alone, _from(2),
                readings="the question does not define x-bar: the mean",
                lemmas=(Lemma("(x - m)^2", "1", {"x": UNIT, "m": UNIT}),)),
    10: Function(lambda x, v: sum((one - v["mu"]) ** 2 for one in x), "1", _ONE_TERM + "0 and 1.", _alone,
                 parameters={"mu": Fraction(0)}, readings="for every mu in [0, 1]; attained at mu = 0",
                 special=(Special("mu = 1/2", "1/4"),),
                 lemmas=(Lemma("(x - mu)^2 - (y - mu)^2", "1", XY | {"mu": UNIT}),)),
    11: Function(lambda x, _: sum(one**2 for one in x), "1", _ONE_TERM + "0 and 1.",
                 lemmas=(Lemma("x^2 - y^2", "1", XY),)),
    12: Function(lambda x, _: sum(one**3 for one in x), "1", _ONE_TERM + "0 and 1.",
                 lemmas=(Lemma("x^3 - y^3", "1", XY),)),
    13: Function(_total(lambda x: x.sqrt()), "1", _ONE_TERM + "0 and 1.",
                 lemmas=(Lemma("sqrt(x) - sqrt(y)", "1", XY),)),
    14: Function(_total(lambda x: (1 + x).log()), "log(2)", _ONE_TERM + "0 and log(2): the logarithm rises."),
    15: Function(_total(lambda x: x.exp()), "exp(1) - 1", _ONE_TERM + "1 and e: the exponential rises."),
    16: Function(_total(lambda x: (x * arb.pi()).sin()), "1", _ONE_TERM + "0 and 1.", _to_half),
    17: Function(_total(lambda x: (x * arb.pi()).cos()), "2", _ONE_TERM + "-1 and 1."),
    18: Function(_total(lambda x: x.atan()), "pi/4", _ONE_TERM + "0 and pi/4: the arc tangent rises."),
    19: Function(lambda x, _: sum(one * (1 - one) for one in x), "1/4", _ONE_TERM + "0 and 1/4 (at 1/2).", _to_half),
    20: Function(lambda x, _: sum((one * (1 - one)) ** 2 for one in x), "1/16",
                 _ONE_TERM + "0 and 1/16 (at 1/2).", _to_half),
    21: Function(lambda x, _: _median(x), "1", _RANGE, _majority, lambda n: n % 2 == 1,
                 readings="for even n the mean of the two records in the middle; attained at every odd n",
                 special=(Special("n even, the mean of the two records in the middle", "1/2"),)),
    22: Function(lambda x, _: _quartiles(x), "1", _RANGE, _upper_quarter, lambda n: n == 5,
                 readings="quartiles by linear interpolation at 1 + (n - 1) p; attained at n = 5. Of the nine "
                          "definitions of Hyndman and Fan 1996 each attains 1 at some n"),
    23: Function(_count(lambda one: one > HALF), "1", _ONE_TERM + "0 and 1."),
    24: Function(lambda x, v: Fraction(sum(v["a"] <= one <= v["b"] for one in x)), "1", _ONE_TERM + "0 and 1.",
                 parameters={"a": HALF, "b": Fraction(1)},
                 readings="for every a and b; attained where [0, 1] has points inside and outside [a, b]",
                 special=(Special("[a, b] holds all of [0, 1], or nothing of it", "0"),)),
    25: Function(lambda x, _: sum((a * b for a, b in itertools.pairwise(x)), Fraction(0)), "2",
                 "The record is multiplied by the sum of at most two neighbours, which is at most 2.",
                 lambda n: _alone(n, 2, others=1), _from(3), special=(_TWO_RECORDS,),
                 lemmas=(Lemma("(x - y)*(a + b)", "2", XY | {"a": UNIT, "b": UNIT}),)),
    26: Function(lambda x, _: sum((a * b for a, b in itertools.combinations(x, 2)), Fraction(0)), "n - 1",
                 "The record is multiplied by the sum of the others, which is at most n - 1.", _full, _from(2),
                 lemmas=(Lemma("(x - y)*u*(n - 1)", "n - 1", XY | {"u": UNIT, "n": (2, "inf")}),)),
    27: Function(lambda x, _: sum((x[2 * i] - x[2 * i + 1] for i in range(len(x) // 2)), Fraction(0)), "1",
                 _ONE_TERM + "0 and 1 up to sign.", _alone, _from(2), lemmas=(Lemma("x - y", "1", XY),)),
    28: Function(lambda x, _: sum(x) ** 2, "2*n - 1",
                 "With s <= n - 1 the sum of the others, the change is x^2 - y^2 + 2 s (x - y) <= 1 + 2 (n - 1).",
                 _full,
                 lemmas=(Lemma("x^2 - y^2", "1", XY), Lemma("x - y", "1", XY))),
    29: Function(lambda x, _: sum(i * one for i, one in enumerate(x, 1)), "n",
                 "One term changes, by at most i <= n.", _last),
    30: Function(lambda x, _: Fraction(sum(x) > Fraction(len(x), 2)), "1", _RANGE, _majority),
    31: Function(_count(lambda one: one > Fraction(7, 10)), "1", _ONE_TERM + "0 and 1."),
    32: Function(lambda x, v: _product([Fraction(one > v["tau"]) for one in x]), "1", _RANGE, _full,
                 parameters={"tau": HALF}, readings="for every tau; attained for every tau in [0, 1)",
                 special=(Special("tau outside [0, 1)", "0"),)),
    33: Function(lambda x, _: Fraction(x[0] > x[1]), "1", _RANGE, _alone, _from(2)),
    34: Function(lambda x, _: Fraction(sum(one > HALF for one in x) % 2), "1", _RANGE,
                 readings="the sum modulo 2; were each term taken modulo 2, the function would be number 23, with the "
                          "same sensitivity"),
    35: Function(lambda x, _: ball(1 + sum(one**2 for one in x)).log(), "log(2)",
                 "With q >= 0 the sum of the other squares, (1 + q + x^2)/(1 + q + x'^2) is at most (2 + q)/(1 + q), "
                 "at most 2."),
    36: Function(lambda x, _: _cyclic(x), "sqrt(2)",
                 "By the triangle inequality norms differ by at most the norm of the difference, in which two terms "
                 "are x_i - x_i' up to sign.", _alone, _from(2),
                 readings="indices from 1, after n comes 1"),
    37: Function(lambda x, _: sum(one**2 for one in x) / (1 + sum(x)), "1/2",
                 "With s the sum of the others, a = 1 + s, and q <= s the sum of their squares, (q + x^2)/(a + x) is "
                 "convex in x: the largest value is at 0 or 1. At 1, what is above the value at x falls in q: at most "
                 "1/(a + 1) - x^2/(a + x) <= 1/2. At 0 it rises in q <= a - 1: at most "
                 "((a - 1) x - a x^2)/(a (a + x)) or, with b = 1/a, (b (1 - b) x - b x^2)/(1 + b x) <= 1/2.",
                 lemmas=(Lemma("1/(a + 1) - x^2/(a + x)", "1/2", {"x": UNIT, "a": (1, "inf")}),
                         Lemma("(b*(1 - b)*x - b*x^2)/(1 + b*x)", "1/2", {"x": UNIT, "b": UNIT}))),
    38: Function(lambda x, _: ball(-sum(one**2 for one in x)).exp(), "1 - exp(-1)",
                 "With q >= 0 the sum of the other squares the value is exp(-q) exp(-x^2): the first factor is at most "
                 "1, the second lies between exp(-1) and 1."),
    39: Function(lambda x, _: sum(1 / (1 + one**2) for one in x), "1/2", _ONE_TERM + "1/2 and 1.",
                 lemmas=(Lemma("1/(1 + x^2) - 1/(1 + y^2)", "1/2", XY),)),
    40: Function(_total(lambda x: 1 / (1 + (-x).exp())), "1/(1 + exp(-1)) - 1/2",
                 _ONE_TERM + "1/2 and 1/(1 + exp(-1)): the logistic function rises."),
    41: Function(lambda x, _: _softmax_mean(x), "exp(1)/(exp(1) + n - 1)",
                 "With A >= n - 1 the sum of the other exponentials and m in [0, 1] the mean of the others with these "
                 "weights, the value at x is m + (x - m) w(x), w(x) = e^x/(A + e^x) rising. For x > x' the difference "
                 "falls in m, so it is at most x w(x) <= e/(n - 1 + e). For x < x' it rises in m, so it is at most "
                 "(1 - x') w(x') <= 1/(n - 1 + e^x') <= 1/n, for (1 - t) e^t falls from 1; and 1/n <= e/(e + n - 1)."),
    42: Function(lambda x, _: sum(abs(one - HALF) for one in x), "1/2", _ONE_TERM + "0 and 1/2.", _to_half,
                 lemmas=(Lemma("abs(x - 1/2) - abs(y - 1/2)", "1/2", XY),)),
    43: Function(lambda x, _: sum(((a - b) ** 2 for a, b in itertools.pairwise(x)), Fraction(0)), "2",
                 "At most two terms hold the record, and each lies between 0 and 1.", _inner, _from(3),
                 special=(_TWO_RECORDS,),
                 lemmas=(Lemma("(x - a)^2 + (x - b)^2 - (y - a)^2 - (y - b)^2", "2",
                               XY | {"a": UNIT, "b": UNIT}),)),
    44: Function(lambda x, _: sum(reversed(x)), "1", "A permutation changes no sum: as number 1.",
                 readings="the permutation is public and the same for both data sets (evaluated: the reversal)",
                 lemmas=(Lemma("x - y", "1", XY),)),
    45: Function(lambda x, _: Fraction(1 + sum(one < x[0] for one in x)), "n - 1",
                 "A rank lies between 1 and n (or 0 and n - 1).", _between, _from(2),
                 readings="k fixed; the pair has no tie that concerns x_k, so that the convention for ties does not "
                          "matter, nor whether ranks begin at 0 or at 1, nor their order (evaluated: k = 1)"),
    46: Function(lambda x, _: sum(x[1::2], Fraction(0)), "1", "One term changes, or none.", _inner, _from(2),
                 lemmas=(Lemma("x - y", "1", XY),)),
    47: Function(lambda x, _: sum(one / i for i, one in enumerate(x, 1)), "1",
                 "One term changes, by at most 1/i <= 1.",
                 lemmas=(Lemma("(x - y)/i", "1", XY | {"i": (1, "inf")}),)),
    48: Function(lambda x, v: -sum((ball(one) * ball(one + v["delta"]).log() for one in x), arb(0)), "log(1 + delta)",
                 "x log(x + delta) rises in x, for log(x + delta) > 0: a term lies between -log(1 + delta) and 0.",
                 parameters={"delta": Fraction(2)}, free={"delta": (1, "inf")},
                 readings="delta is a constant above 1, and stands in the scale as well"),
    49: Function(lambda x, _: sum(abs(one - Fraction(i, len(x))) for i, one in enumerate(x, 1)), "1",
                 "One term changes, and terms lie between 0 and 1.", _last,
                 lemmas=(Lemma("abs(x - u) - abs(y - u)", "1", XY | {"u": UNIT}),)),
}  # fmt: skip
