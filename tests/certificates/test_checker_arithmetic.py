"""The checker's rules for half-lines, powers and factors, beside plain numbers: drawn errors that no test noticed."""

import itertools
import json
import math
from pathlib import Path

import dpbench_check as checker
import dpbench_records
import mpmath
import pytest
from flint import arb, fmpq

POINTS = (2, 2.5, 4, 9, 40, 333, 1000)
"""Logarithms to base 2 of the points of the half-line t >= 4 at which a bound is held against the value."""
MOVING = (
    "t/8", "t + sqrt(t)", "1/(t + sqrt(t))", "t/(3 + t)", "(t + 1)/(t^2 + t)", "t^2 - t", "log(t)", "log(3*t)",
    "log(t^2/3)", "log(1/t)", "log(3/t)", "log(100*t^(1/10)/log(t))", "log(100*t^(1/10)/log(t))^2", "t*log(t)^2",
    "min(t/8, t^2)", "min(3*t, sqrt(t))", "min(t^2/64, t/2)", "max(t/8, 5)", "max(1/t, 1/t^2)", "exp(-t)", "exp(1/t)",
    "1/exp(t/8)", "sqrt(t)/log(t)", "t^2*exp(-t/2)", "log(2 + t)/t",
    "sqrt(exp(-t))",
)  # fmt: skip
ROUNDING = mpmath.mpf("1e-13")
"""The middles of balls of 53 bits are compared."""
KNOWN = ("log(1/t)", "log(3/t)", "log(3*t)", "1/(t + sqrt(t))", "min(t/8, t^2)", "t/(3 + t)")
"""Of which both ends say something."""


def half_line():
    return checker.HalfLine("t", 2, checker.Scope({}, {}))


def value(text, t):
    """By mpmath, from the text."""
    names = {"t": t, "log": mpmath.log, "exp": mpmath.exp, "sqrt": mpmath.sqrt, "min": min, "max": max}
    return eval(text.replace("^", "**").replace("1/10", "mpmath.mpf(1)/10"), {"mpmath": mpmath, **names})


def bound(m, t):
    """c t^a log(t)^b, c by its middle."""
    c = mpmath.mpf(m[0].mid().str(30, radius=False)) if m[0].is_finite() else mpmath.inf
    powers = [mpmath.mpf(int(q.p)) / int(q.q) for q in map(fmpq, m[1:])]
    return c * t ** powers[0] * mpmath.log(t) ** powers[1]


@pytest.mark.parametrize("text", MOVING)
def test_bounds_on_a_half_line_hold_what_they_enclose(text):
    sign, low, high = half_line().of(checker.parse(text))
    with mpmath.workdps(40):
        for power in POINTS:
            t = mpmath.mpf(2) ** power
            size = sign * value(text, t)
            assert bound(low, t) <= size * (1 + ROUNDING) and size <= bound(high, t) * (1 + ROUNDING), (text, power)


@pytest.mark.parametrize("text", KNOWN)
def test_bounds_on_a_half_line_say_something(text):
    _, low, high = half_line().of(checker.parse(text))
    assert low[0] > 0 and high[0].is_finite()


@pytest.mark.parametrize("c", [fmpq(0), fmpq(1, 3)])
def test_the_ends_of_a_power_are_its_supremum_and_infimum(c):
    """Of c t^a log(t)^b for t >= 4, beside its values at 200 points, eight in a doubling."""
    for a, b in itertools.product((-2, fmpq(-1, 2), 0, fmpq(1, 2)), (-1, 0, 3)):
        one = arb(c), fmpq(a), fmpq(b)
        values = [bound(one, mpmath.mpf(2) ** (2 + mpmath.mpf(k) / 8)) for k in range(200)]
        rises, falls = (a, b) > (0, 0) and c > 0, (a, b) < (0, 0)
        top, bottom = float(half_line().top(one)), float(half_line().bottom(one))
        assert top == pytest.approx(math.inf if rises else float(max(values)), rel=1e-3), (a, b)
        assert bottom == pytest.approx(0.0 if falls else float(min(values)), rel=1e-3), (a, b)


@pytest.mark.parametrize("text", ["t - 6", "6 - t", "sqrt(t) - 3", "1/t - 1/6", "log(t) - 2"])
def test_a_difference_that_changes_its_sign_beyond_4_is_refused(text):
    with pytest.raises(checker.Refused, match="sign of a difference is not decided"):
        half_line().of(checker.parse(text))


@pytest.mark.parametrize("text", ["1/exp(-t)", "exp(-t)^(-1/2)", "1/min(exp(-t), 1/t)"])
def test_what_has_no_bound_below_has_no_negative_power(text):
    with pytest.raises(checker.Refused, match=r"(division|negative power) .*what may be 0"):
        half_line().of(checker.parse(text))


def test_an_exponential_falls_faster_than_any_power():
    assert half_line().of(checker.parse("exp(-t)"))[2][1] < -1


def test_powers_of_numbers_below_one():
    root = checker.power(fmpq(1, 2), fmpq(1, 2))
    assert root.is_finite() and (root**2).overlaps(arb(fmpq(1, 2)))
    assert checker.power(fmpq(2, 3), fmpq(2)) == fmpq(4, 9)


def test_rational_factors_of_a_product_are_drawn_out():
    powers, scope = {}, checker.Scope({}, {})
    assert checker.factors(checker.parse("3*exp(1)/2"), scope, fmpq(1), powers) == fmpq(3, 2)
    assert powers == {"exp(1)": 1}
    assert checker.factors(checker.parse("2"), scope, fmpq(1, 2), powers) == 1
    assert powers == {"exp(1)": 1, "2": fmpq(1, 2)}


def test_the_checker_of_records_reads_what_it_is_given(capsys):
    record = next(iter(sorted((Path(__file__).parents[2] / "evidence" / "records").glob("*.json"))), None)
    if record is None:
        pytest.skip("evidence is in a checkout")
    assert dpbench_records.main([str(record)]) == 0 and "1 of 1 consistent" in capsys.readouterr().out
    assert dpbench_records.main([str(record), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["files"][0]["accepted"]
    assert dpbench_records.main(["--json"]) == 2 and "usage" in capsys.readouterr().err
