"""From floats to short rationals, and from there to the simplest instance that still breaks the claim.

As Hypothesis shrinks: one change at a time, kept where the margin stays above `KEEP`, until no change is left.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction

from dpbench.certificates.build import round_to
from dpbench.certificates.clock import Clock
from dpbench.certificates.search.question import Exact, Question

KEEP = 1e-3
"""A shrunk instance keeps this margin, or half of what it had."""
LOOKS = 3000
"""Instances that are looked at while shrinking."""


def simple(value: Fraction) -> tuple[int, float]:
    """How long a rational is to write, then how far its logarithm is from 0: shorter first."""
    length = len(str(abs(value.numerator))) + len(str(value.denominator)) * (value.denominator > 1)
    return length, abs(math.log(abs(value))) if value else 0.0


ROUND = tuple(sorted((Fraction(a, b) for a in (1, 2, 3, 5, 10, 20, 100, 1000) for b in (1, 2, 3, 5, 10, 100, 1000)
                      if math.gcd(a, b) == 1), key=simple))  # fmt: skip


class Shrinker:
    """Margins of exact instances of one question, at most `LOOKS` of them, while there is time."""

    def __init__(self, question: Question, keep: float, clock: Clock | None = None) -> None:
        self.question, self.keep, self.left, self.clock = question, keep, LOOKS, clock or Clock()

    def breaks(self, values: Mapping[str, Fraction]) -> bool:
        """Whether the parameters' values are admissible and break the claim by more than is to be kept."""
        if self.left <= 0 or not self.question.allows(values) or self.clock.over:
            return False
        self.left -= 1
        missed, margin = self.question.look(values)
        return missed == 0.0 and margin > self.keep


def rounded(question: Question, values: Mapping[str, float], keep: float, clock: Clock | None = None) -> Exact | None:
    """The values with as few digits as the claim's violation bears; None where floats themselves do not bear it."""
    shrinker = Shrinker(question, keep, clock)
    tried = (question.near(values, digits) for digits in (1, 2, 3, 4, 6, 8, 12, 17))
    return next((near for near in tried if shrinker.breaks(near)), None)


def shrunk(question: Question, values: Mapping[str, Fraction], keep: float, clock: Clock | None = None) -> Exact:
    """The simplest instance that was met: sizes first, then shorter numbers, the least ε (`Question.least`) last."""
    shrinker, best = Shrinker(question, keep, clock), dict(values)
    parameters = question.parameters
    order = sorted(parameters, key=lambda name: (not parameters[name].whole, name == question.least))
    changed = True
    while changed and shrinker.left > 0:
        changed = False
        for name in order:
            for value in _simpler(question, name, best[name]):
                if shrinker.breaks({**best, name: value}):
                    best[name], changed = value, True
                    break
    if question.least:
        shrinker.left = max(shrinker.left, 100)
        best[question.least] = _least(shrinker, best, question.least)
    return best


def _simpler(question: Question, name: str, value: Fraction) -> Iterator[Fraction]:
    """Simpler values of a parameter, the simplest first."""
    parameter = question.parameters[name]
    if parameter.options:
        yield from parameter.options[: parameter.options.index(value)]
        return
    if parameter.whole:
        low = int(parameter.low)
        steps = {low, *(low + (int(value) - low) // k for k in (1000, 100, 10, 4, 2)), int(value) - 1}
        powers = {10**k for k in range(len(str(int(value))))} if value > 1000 else set()
        yield from (Fraction(v) for v in sorted(steps | powers) if low <= v < value)
        return
    tidy = [*ROUND, *(round_to(float(value), digits, side) for digits in (1, 2, 3, 4) for side in (0, -1, 1))]
    for one in (*tidy, *(-v for v in ROUND), Fraction(0)):
        if simple(one) < simple(value):
            yield one


def _least(shrinker: Shrinker, best: Exact, name: str) -> Fraction:
    """The least value to two digits, by bisection of its logarithm: the claim holds below it only if margins grow."""
    low, high = max(shrinker.question.parameters[name].at(0.0), 1e-12), float(best[name])
    value = best[name]
    for _ in range(24):
        middle = math.sqrt(low * high)
        rounded = round_to(middle, 2, 0)
        if rounded < value and shrinker.breaks({**best, name: rounded}):
            value, high = rounded, middle
        else:
            low = middle
    return value
