"""The checker's regions: bounds hold every value and slope, and no cell, face, pole or cut lets a falsehood through."""

from __future__ import annotations

import itertools
import json
import random
from typing import Any

import dpbench_check as checker
import mpmath
import pytest
from flint import arb, ctx, fmpq
from naive.certificate_reading import Reading, Undefined
from whole_certificates import certificate

KINDS = ("+", "-", "*", "/", "^", "exp", "log", "sqrt", "max", "min", "abs", "erfc")


def text(rng: random.Random, deep: int) -> str:
    """A random formula in x and y."""
    if deep == 0 or rng.random() < 0.15:
        return rng.choice(("x", "y", str(rng.randint(1, 5)), f"({rng.randint(1, 5)}/{rng.randint(2, 3)})"))
    kind, a, b = rng.choice(KINDS), text(rng, deep - 1), text(rng, deep - 1)
    if kind == "^":
        return f"({a})^{rng.choice(('2', '3', '(-1)', '(1/2)', '(-3/2)', '(y)'))}"
    if kind in "+-*/":
        return f"({a}) {kind} ({b})"
    return f"{kind}({a}, {b})" if kind in ("max", "min") else f"{kind}({a})"


def bounds(formula: str, sides: dict[str, tuple[Any, Any]]) -> Any:
    ctx.prec = 128
    checker.renew()
    cell = {n: (arb(fmpq(*a)) if isinstance(a, tuple) else a, arb(fmpq(*b)) if isinstance(b, tuple) else b)
            for n, (a, b) in sides.items()}  # fmt: skip
    return checker.Cell(cell, checker.Scope({}, {}), set(sides)).of(checker.parse(formula))


def plain(formula: str, x: Any, y: Any) -> Any:
    """By mpmath, from the text."""
    empty = {"definitions": {}}
    return Reading(empty, {"values": {}}, x=x, y=y)(formula)  # type: ignore[arg-type]


def test_bounds_and_slopes_hold_every_value() -> None:
    """2,000 random formulas on cells with dyadic ends: values in the interval, difference quotients in the slope's."""
    rng, seen, sloped = random.Random(11), 0, 0
    for _ in range(2000):
        formula = text(rng, 4)
        low = rng.randint(0, 16)
        sides = {"x": ((low, 8), (low + rng.randint(1, 8), 8)), "y": ((1, 2), (1, 1))}
        (least, most), slopes = bounds(formula, sides)
        by = slopes.get("x", (arb(0), arb(0)))
        points = [mpmath.mpf(low) / 8 + (mpmath.mpf(sides["x"][1][0]) - low) / 8 * mpmath.mpf(k) / 5 for k in range(6)]
        y, values = mpmath.mpf(rng.uniform(0.5, 1)), []
        for x in points:
            try:
                values.append((x, plain(formula, x, y)))
            except (Undefined, OverflowError, ZeroDivisionError):
                continue
        for x, value in values:
            if abs(value) < mpmath.mpf(10) ** 12:
                slack = mpmath.mpf(10) ** -9 * (1 + abs(value))
                assert float(least) - slack <= value <= float(most) + slack, (formula, x)
                seen += 1
        for (x, a), (z, b) in itertools.pairwise(values):
            if max(abs(a), abs(b)) < mpmath.mpf(10) ** 9:
                quotient = (b - a) / (z - x)
                slack = mpmath.mpf(10) ** -6 * (1 + abs(quotient) + abs(a))
                assert float(by[0]) - slack <= quotient <= float(by[1]) + slack, (formula, x, z)
                sloped += 1
    assert seen > 3000 and sloped > 2000


def report(left: str, relation: str, right: str, region: Any, cuts: Any = ("",), given: Any = ()) -> dict[str, Any]:
    claim = {"region": region, "cuts": list(cuts), "given": list(given), "left": left, "relation": relation,
             "right": right}  # fmt: skip
    made = certificate("region", claim, verdict="proved", symbols=dict.fromkeys(region if isinstance(region, dict) else
                       "x", "s"))  # fmt: skip
    said: dict[str, Any] = checker.report_on(json.dumps(made))
    return said


TRUE = (
    ("1 + x", "<=", "exp(x)", {"x": ["-inf", "inf"]}, ("x 0", "", "")),
    ("sqrt(2) + x", "<=", "2 + 2*x", {"x": ["0", "inf"]}, ("",)),
    ("log(x)", "<=", "x - 1", {"x": ["0", "inf"]}, ("x 1", "", "")),
    ("abs(x + 2) - abs(x)", "<=", "2", {"x": ["-inf", "inf"]}, ("x 0", "", "")),
    ("x*y", "<", "2", {"x": ["0", "1"], "y": ["0", "3/2"]}, ("",)),
)
FALSE = (
    ("x/x", "<=", "1/2 + x", {"x": ["0", "1/4"]}, ("",), ()),  # a face on which nothing is defined
    ("1", "<=", "x", {"x": ["0", "10"]}, ("",), ("x >= 1/2",)),  # a face on which what is given is false
    ("1", "<=", "x + y", {"x": ["0", "10"], "y": ["0", "1"]}, ("",), ("x >= y/2",)),
    ("1/2", "<=", "1/(1 - x)", {"x": ["0", "2"]}, ("",), ()),  # a slope across a pole
    ("0", "<=", "x*log(x)", {"x": ["0", "1"]}, ("",), ()),
    ("x", "<=", "10^6", {"x": ["0", "inf"]}, ("x 10^5", "", ""), ()),
    ("x", "<=", "10^6", {"x": ["0", "inf"]}, ("",), ()),
    ("0", "<", "x", {"x": ["0", "1"]}, ("",), ()),  # met at an end
    ("0", "<=", "x^3", {"x": ["-1", "1"]}, ("x 0", "", ""), ()),
    ("1/x", "<=", "10^9", {"x": ["0", "1"]}, ("",), ()),
    ("0", "<=", "min(x, 1 - x) - 1/1000", {"x": ["0", "1"]}, ("x 1/2", "", ""), ()),
    ("sqrt(x - 1)", "<=", "1", {"x": ["0", "3"]}, ("",), ()),
)


@pytest.mark.parametrize("case", TRUE)
def test_what_is_true_on_a_region_is_seen(case: Any) -> None:
    said = report(*case)
    assert said["accepted"] or said["because"].startswith("vacuous"), said["because"]


@pytest.mark.parametrize("case", FALSE)
def test_what_is_false_at_a_point_is_not(case: Any) -> None:
    said = report(*case)
    assert not said["accepted"] and not said["because"].startswith("vacuous")


@pytest.mark.parametrize(
    "cuts", [(), ("", ""), ("x 1/2", ""), ("x 1/2", "", "", ""), ("x 2", "", ""), ("x 0", "", ""), ("z 1/2", "", ""),
             ("x", "", ""), ("x one", "", ""), "x", (1,)]
)  # fmt: skip
def test_cuts_are_a_tree_of_the_region(cuts: Any) -> None:
    assert not report("x*y", "<=", "2", {"x": ["0", "1"], "y": ["0", "1"]}, cuts)["accepted"]


@pytest.mark.parametrize(
    "region", [{}, {"x": []}, {"x": ["0"]}, {"x": ["1", "0"]}, {"x": ["0", "0"]}, {"x": ["inf", "-inf"]},
               {"x": ["-inf", "-inf"]}, {"x": ["inf", "inf"]}, {"x": ["0", "1", "2"]}, {"x": ["0", 1]}, [], "x",
               {"x": ["0", "nan"]}, {"x": ["0", "1.5"]}]
)  # fmt: skip
def test_a_region_has_sides(region: Any) -> None:
    assert not report("x^2", "<=", "2", region)["accepted"]


def test_given_is_no_equality() -> None:
    assert not report("x", "<=", "2", {"x": ["0", "4"]}, given=("x = 1",))["accepted"]
