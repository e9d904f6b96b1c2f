"""Proofs over regions: intervals hold every value, what cancels is equal, and what is proved is true at every point."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest
from flint import fmpq

from dpbench.certificates.judge_intervals import Box, at, interval
from dpbench.certificates.judge_regions import Inequality, prove, same, simplified
from dpbench.ledger import formula
from dpbench.ledger.formula import Node, parse

KINDS = ("+", "-", "*", "/", "^", "neg", "exp", "log", "sqrt", "max", "min", "abs", "erfc", "gaussian_delta",
         "laplace_delta")  # fmt: skip
REGION = {"x": (Fraction(1, 10), Fraction(3)), "y": (Fraction(1, 2), Fraction(2))}


def tree(rng: random.Random, deep: int) -> Node:
    """A random formula in x and y."""
    if deep == 0 or rng.random() < 0.15:
        return rng.choice([("sym", "x"), ("sym", "y"), ("num", Fraction(rng.randint(1, 5), rng.randint(1, 3)))])
    kind = rng.choice(KINDS)
    if kind == "^":
        return ("^", tree(rng, deep - 1), ("num", Fraction(rng.randint(-2, 3))))
    return (kind, *(tree(rng, deep - 1) for _ in range(formula.FUNCTIONS.get(kind, 1 if kind == "neg" else 2))))


def values(node: Node, count: int, rng: random.Random, box: dict) -> list[tuple[dict[str, float], float]]:
    run = formula.compiled(("x", "y"), {}, [node])
    made = []
    for _ in range(count):
        point = {name: rng.uniform(float(low), float(high)) for name, (low, high) in box.items()}
        try:
            made.append((point, float(run(point)[0])))
        except (ArithmeticError, ValueError, TypeError):
            continue
    return made


def test_intervals_and_slopes_hold_every_value() -> None:
    """3,000 random formulas: each value in its interval; each difference quotient in the interval of the slope."""
    rng, seen = random.Random(7), 0
    for _ in range(3000):
        node = tree(rng, 4)
        low = Fraction(rng.randint(1, 20), 10)
        box = {"x": (low, low + Fraction(rng.randint(1, 10), 10)), "y": (Fraction(1, 2), Fraction(1))}
        cell = {
            n: interval(fmpq(a.numerator, a.denominator), fmpq(b.numerator, b.denominator)) for n, (a, b) in box.items()
        }
        made = Box(cell, {})(node)
        bounds = float(made.value[0]), float(made.value[1])
        run = formula.compiled(("x", "y"), {}, [node])
        for point, value in values(node, 4, rng, box):
            if not math.isfinite(value) or abs(value) > 1e12:
                continue
            slack = 1e-6 * (1.0 + abs(value))  # floating point's own error, cancellation included
            if not math.isnan(bounds[0]):
                assert bounds[0] - slack <= value <= bounds[1] + slack, (formula.write(node), point)
                seen += 1
            other = {**point, "x": rng.uniform(float(box["x"][0]), float(box["x"][1]))}
            step = other["x"] - point["x"]
            if abs(step) < 0.05 or "x" not in made.slopes:
                continue
            try:
                quotient = (run(other)[0] - value) / step
            except (ArithmeticError, ValueError, TypeError):
                continue
            a, b = (float(end) for end in made.slopes["x"])
            slack = 1e-5 * (1.0 + abs(value) + abs(quotient)) / abs(step)
            assert a - slack <= quotient <= b + slack, (formula.write(node), point, other)
    assert seen > 3000


@pytest.mark.slow
def test_what_is_the_same_is_equal() -> None:
    """Of random pairs, none that `same` accepts differs at a point; near misses of true identities are not accepted."""
    rng, positive = random.Random(11), frozenset(REGION)
    accepted = 0
    for _ in range(8000):
        left, right = tree(rng, 2), tree(rng, 2)
        if not same(left, right, {}, positive):
            continue
        accepted += 1
        pairs = zip(values(left, 5, random.Random(3), REGION), values(right, 5, random.Random(3), REGION), strict=False)
        for (at_left, a), (at_right, b) in pairs:
            if at_left == at_right and math.isfinite(a) and math.isfinite(b):
                assert a == pytest.approx(b, rel=1e-9, abs=1e-9), (formula.write(left), formula.write(right))
    assert accepted > 20


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("exp(x)/(1 + exp(x))", "1 - 1/(1 + exp(x))"), ("log(exp(x*y)/1)", "x*y"), ("exp(log(1 + x))", "1 + x"),
        ("sqrt(x^2*y)/x", "sqrt(y)"), ("(x + y)^2 - (x - y)^2", "4*x*y"), ("log(1/x)", "-log(x)"),
    ],
)  # fmt: skip
def test_identities_and_near_misses(left: str, right: str) -> None:
    assert same(parse(left), parse(right), {}, frozenset(REGION))
    assert not same(parse(left), parse(f"({right})*1000001/1000000"), {}, frozenset(REGION))
    assert not same(parse(left), parse(f"({right}) + x/1000000"), {}, frozenset(REGION))


def test_roots_of_what_may_be_negative_do_not_cancel() -> None:
    assert not same(parse("sqrt(z^2)"), parse("z"), {}, frozenset())


def test_a_simplified_inequality_has_the_same_sign() -> None:
    rng, made = random.Random(5), 0
    for _ in range(3000):
        one = Inequality(tree(rng, 2), tree(rng, 2))
        simple = simplified(one, {}, REGION)
        if simple is None:
            continue
        for point, gap in values(("-", one.right, one.left), 4, rng, REGION):
            less, more = formula.compiled(("x", "y"), {}, [simple.left, simple.right])(point)
            if abs(gap) > 1e-6 and math.isfinite(gap):
                made += 1
                assert (more > less) == (gap > 0), (formula.write(one.left), formula.write(one.right), point)
    assert made > 100


def proof(left: str, right: str, region: dict, **more) -> object:
    box = {n: (None if a is None else Fraction(a), None if b is None else Fraction(b)) for n, (a, b) in region.items()}
    given = {"definitions": {}, "conditions": [], "seconds": 1.0, **more}
    return prove([Inequality(parse(left), parse(right))], box, **given)


def test_planted_errors_are_not_proved() -> None:
    """A dip of 1e-6 in a bound, at a place that no corner shows, is found or left undecided: never proved."""
    for place in ("0.7", "1.3", "2.9"):
        made = proof(f"1 - 1e-3 + 1.000001e-3*exp(-100*(x - {place})^2)", "1", {"x": (0, 3)})
        assert not made.proved
        near = proof(f"1 - 1e-3 + 0.99e-3*exp(-100*(x - {place})^2)", "1", {"x": (0, 3)})
        assert near.proved


def test_a_slope_across_a_pole_decides_nothing() -> None:
    """1/(1 - x) grows wherever it is defined, and is negative beyond its pole."""
    assert not proof("1/2", "1/(1 - x)", {"x": (0, 2)}).proved
    assert not proof("-log(x)/log(x)^2", "10", {"x": ("1/2", 2)}).proved


def test_half_lines_and_open_ends() -> None:
    assert proof("1 - x", "exp(-x)", {"x": (None, None)}).proved
    assert proof("log(x)", "x - 1", {"x": (1, None)}).proved
    assert not proof("1/x", "10^6", {"x": (0, 1)}).proved


def test_integers_are_not_reals() -> None:
    """(n - 2)^2 + (n - 3)^2 is 1 at integers and 1/2 between."""
    real = proof("1", "(n - 2)^2 + (n - 3)^2", {"n": (0, 9)})
    whole = proof("1", "(n - 2)^2 + (n - 3)^2", {"n": (0, 9)}, whole=frozenset({"n"}))
    assert not real.proved and whole.proved


def test_conditions_leave_cells_out() -> None:
    given = [("<=", parse("x"), parse("1"))]
    assert not proof("x", "1 + 1/1000", {"x": (0, 3)}).proved
    assert proof("x", "1 + 1/1000", {"x": (0, 3)}, conditions=given).proved


def test_no_face_is_taken_where_a_condition_may_fail() -> None:
    """1 <= x is false at 3/4, where x >= 1/2 holds; on the face x = 0, where x is least, the condition is false."""
    for given in (">= 1/2", "> 1/2", ">= y/2"):
        relation, *sides = parse(f"x {given}", comparison=True)
        box = {"x": (0, 10), "y": (0, 1)}
        assert not proof("1", "x", box, conditions=[(relation, *sides)]).proved, given


def test_a_point_of_a_box_is_exact() -> None:
    value = Box({"x": at(Fraction(1, 3))}, {})(parse("3*x - 1")).value
    assert value[0] == 0 and value[1] == 0
