"""What nuisances add to a slope, against fits by normal equations; what they allow, and what they do not."""

import itertools
import math

import numpy as np
import pytest
from naive import rates as naive

from dpbench.core.sampling import stream
from dpbench.core.validation import InvalidInput
from dpbench.rates import (
    Correction,
    Logarithm,
    Ripple,
    SecondTerm,
    allowance_of,
    compatible,
    rate_verdict,
    slope,
    theory_slope,
    would_see,
)

GRIDS = ([100.0, 200.0, 400.0, 800.0], [3.0, 1000.0, 50.0], [2.0, 9.0, 10.0, 11.0, 5000.0])
"""The second is out of order."""


def parts(x):
    first, second = [5.0 / v for v in x], [0.3 / math.sqrt(v) for v in x]
    return {"ceiling": [a + b for a, b in zip(first, second, strict=True)], "first": first, "second": second}


@pytest.mark.parametrize("x", GRIDS, ids=["even", "disordered", "uneven"])
def test_the_allowance_is_the_range_of_fits_over_the_parameters(x):
    """Every nuisance alone, and all but the ripple together, over 21 values of each parameter."""
    columns, steps = parts(x), [k / 20.0 for k in range(21)]
    least, most = min(x), max(x)
    cases = {
        Logarithm(-0.5, 2.0, "", 7.0): [[math.log(7.0 * v) ** (2.5 * s - 0.5) for v in x] for s in steps],
        Correction(0.5, -0.6, 1.5): [[1.0 + (2.1 * s - 0.6) * (v / least) ** -0.5 for v in x] for s in steps],
        Correction(-1.0, 0.0, 0.4): [[1.0 + 0.4 * s * v / most for v in x] for s in steps],
        SecondTerm("first", "second", 3.0): [
            [(a + 3.0 * s * b) / (a + b) for a, b in zip(columns["first"], columns["second"], strict=True)]
            for s in steps
        ],
    }
    expected = naive.normal_equations(x, columns["ceiling"])
    assert theory_slope(x, columns["ceiling"]) == pytest.approx(expected, abs=1e-12)
    for nuisance, choices in cases.items():
        low, high = naive.slopes_of(x, columns["ceiling"], [choices])
        assert allowance_of(x, [nuisance], columns) == pytest.approx((low - expected, high - expected), abs=1e-9)
        assert high - low > 0.01
    few = [choices[::10] for choices in cases.values()]
    low, high = naive.slopes_of(x, columns["ceiling"], few)
    assert allowance_of(x, list(cases), columns) == pytest.approx((low - expected, high - expected), abs=1e-9)
    corners = [list(corner) for corner in itertools.product((1.0, 1.25), repeat=len(x))]
    low, high = naive.slopes_of(x, columns["ceiling"], [corners])
    assert allowance_of(x, [Ripple(0.25, "")], columns) == pytest.approx((low - expected, high - expected), abs=1e-9)
    assert allowance_of(x, [], columns) == (0.0, 0.0)


def test_compatible_exponents_take_out_logarithms_and_corrections():
    """Noise-free laws of a known exponent: it is the only one, or inside what the nuisances leave."""
    x = [100.0, 300.0, 1000.0, 3000.0]
    for a, b, r in ((-0.5, 0.0, 0.0), (-0.5, 1.5, 0.0), (-1.0, 0.0, 0.8), (-2.0 / 3.0, -0.5, 0.4)):
        law = [v**a * math.log(v) ** b * (1.0 + r * (v / x[0]) ** -0.5) for v in x]
        value = theory_slope(x, law)
        exact = compatible((value, value), x, [Logarithm(b, b), Correction(0.5, r, r)])
        assert exact == pytest.approx((a, a), abs=1e-9)
        low, high = compatible((value, value), x, [Logarithm(min(b, 0.0), max(b, 0.0)), Correction(0.5, 0.0, 1.0)])
        assert low - 1e-9 <= a <= high + 1e-9
        if b or r:
            assert abs(value - a) > 0.02  # what the nuisances take out
    assert compatible((-0.6, -0.4), x) == (-0.6, -0.4)


@pytest.mark.parametrize("side", ["upper", "tight"])
def test_a_second_term_of_the_declared_size_is_not_refuted_and_an_error_that_would_be_seen_is(side):
    """Null: the law is first + r·second, r at both ends of its range; 30 sweeps, each wrong with probability 1e-6.

    Planted: the same samples with an exponent off by 1.01 times what the row would see, and without the nuisance.
    """
    x = GRIDS[0]
    columns = parts(x)
    first, second = np.array(columns["first"]), np.array(columns["second"])
    expected = theory_slope(x, columns["ceiling"])
    allowance = allowance_of(x, [SecondTerm("first", "second", 2.0)], columns)
    assert allowance[0] < -0.05 and allowance[1] > 0.05
    for r, t in itertools.product((0.0, 2.0), range(15)):
        rng = stream("second term", r, t)
        samples = [m * rng.gamma(16.0, 1.0 / 16.0, 400) for m in first + r * second]
        found = slope(x, samples, resamples=200).interval
        assert rate_verdict(found, expected, side, allowance) == "consistent"
        seen = would_see(found, expected, side=side, allowance=allowance)
        for shift in (1.01 * seen, -1.01 * seen) if side == "tight" else (1.01 * seen,):
            moved = slope(x, [part * (v / x[0]) ** shift for part, v in zip(samples, x, strict=True)], resamples=200)
            assert rate_verdict(moved.interval, expected, side, allowance) == "inconsistent"
        forgotten = rate_verdict(found, expected, side)
        assert forgotten == ("inconsistent" if side == "tight" or r == 2.0 else "consistent")


TERMS = {"ceiling": [1.0] * 3, "first": [1.0] * 3, "second": [1.0] * 3}


@pytest.mark.parametrize(
    ("nuisance", "columns", "says"),
    [
        (Logarithm(0.0, 1.0), {}, "x must be above 1"),
        (SecondTerm("first", "second"), {}, "columns must be with 'ceiling'"),
        (SecondTerm("first", "second"), TERMS | {"first": [0.0] * 3}, "above 0"),
        (SecondTerm("first", "second"), TERMS | {"second": [-1e-9] * 3}, "at least 0"),
        (SecondTerm("first", "second"), TERMS | {"second": [1.0, 3.0, 2.0]}, "monotone along x"),
    ],
)
def test_what_a_nuisance_cannot_be_read_from_is_refused(nuisance, columns, says):
    with pytest.raises(InvalidInput, match=says):
        allowance_of([1.0, 2.0, 3.0], [nuisance], columns)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Logarithm(1.0, 0.0), "low must be at most high"),
        (lambda: Logarithm(0.0, 1.0, shift=0.0), "shift must be"),
        (lambda: SecondTerm("a", "b", 0.0), "most must be"),
        (lambda: Correction(0.0, 0.0, 1.0), "power must be other than 0"),
        (lambda: Correction(1.0, -1.0, 1.0), "low must be"),
        (lambda: Ripple(0.0, ""), "share must be"),
    ],
)
def test_a_range_that_is_none_is_refused(make, says):
    with pytest.raises(InvalidInput, match=says):
        make()


@pytest.mark.parametrize("shift", [1.0, 7.0, 0.25])
def test_a_logarithm_says_of_what_it_is(shift):
    inside = str(Logarithm(0.0, 1.0, "", shift)).partition("log(")[2].partition("x)^b, 0 <= b <= 1")[0]
    assert float(inside or 1.0) == shift
