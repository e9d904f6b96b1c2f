"""Laplace, pure, approximate and discrete profiles against their 60-digit twins and dp-accounting."""

import itertools
import math
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import privacy as naive

from dpbench import runs_needed
from dpbench.auditing.certify import as_claim
from dpbench.bounds import upper_mean
from dpbench.core.validation import InvalidInput
from dpbench.privacy import (
    composition,
    discrete,
    gaussian,
    integer_laplace,
    integer_noise,
    laplace,
    profile,
    pure,
    selection,
)
from dpbench.privacy.exact_law import quantity
from dpbench.privacy.gaussian import ROUNDING

LEVELS = [1e-6, 1e-3, 0.1, 1.0, 7.3, 40.0, 500.0]
SHARES = [0.0, 1e-9, 0.2, 0.5, 0.9, 0.999999, 1.0, 1.3]
DELTAS = [1e-300, 1e-100, 1e-12, 1e-5, 0.1, 0.4]


def test_laplace_and_response_deltas():
    for share, level in itertools.product(SHARES, LEVELS):
        true = float(naive.laplace_delta(share * level, level))
        assert laplace.delta(share * level, level) == pytest.approx(true, rel=1e-13, abs=1e-300)
        for failure in [0.0, 1e-9, 0.2]:
            true = float(naive.composed_response_delta(share * level, [(level, failure)]))
            assert pure.delta(share * level, level, failure) == pytest.approx(true, rel=1e-13, abs=1e-300)


@pytest.mark.parametrize(("delta", "level"), list(itertools.product(DELTAS, LEVELS)))
def test_inverses_are_rounded_up_and_tight(delta, level):
    found = laplace.epsilon(delta, level)
    assert naive.laplace_delta(found, level) <= delta
    true = float(naive.least_epsilon(lambda e: naive.laplace_delta(e, level), delta))
    assert found == pytest.approx(true, rel=1e-12, abs=4.0 * ROUNDING * delta)
    found = pure.epsilon(delta, level)
    assert naive.composed_response_delta(found, [(level, 0.0)]) <= delta
    true = float(naive.least_epsilon(lambda e: naive.composed_response_delta(e, [(level, 0.0)]), delta))
    assert found == pytest.approx(true, rel=1e-12, abs=4.0 * ROUNDING * delta)


def test_the_pure_bound_is_kept_to_the_bit():
    for level in LEVELS:
        assert laplace.epsilon(0.0, level) == level == pure.epsilon(0.0, level)
        assert laplace.delta(level, level) == 0.0 == pure.delta(level, level)
        assert pure.epsilon(0.25, level, 0.25) == level
        assert pure.epsilon(0.24, level, 0.25) == math.inf
        assert pure.delta(level, level, 0.25) == 0.25


def random_pair(rng, size, spread):
    """Two distributions with repeated ratios, one-sided outcomes and outcomes that neither gives."""
    p, q = np.exp(spread * rng.standard_normal((2, size)))
    p[0] = q[1] = p[2] = q[2] = 0.0
    p[4], q[4] = p[3], q[3]
    return p / p.sum(), q / q.sum()


def test_discrete_delta():
    """Random pairs; at ε between the ratios and just beside them."""
    rng = np.random.default_rng(5)
    for size, spread in [(5, 0.1), (6, 1.0), (12, 3.0), (40, 8.0)]:
        p, q = random_pair(rng, size, spread)
        pair = discrete.pair(p, q)
        for epsilon in [0.0, 1e-6, *rng.uniform(0.0, 3.0 * spread, 12), 500.0]:
            assert pair.delta(epsilon) == pytest.approx(float(naive.pair_delta(epsilon, p, q)), rel=1e-12)


def exact_laws(draw, size):
    masses = draw(st.lists(st.integers(0, 9), min_size=size, max_size=size).filter(any))
    return [Fraction(mass, sum(masses)) for mass in masses]


@settings(max_examples=100, deadline=None)
@given(st.data(), st.integers(1, 5), st.fractions(1, 6, max_denominator=7), st.booleans())
def test_laws_of_rationals_are_judged_exactly(data, size, factor, rest):
    """At ε = log(factor) the oracle is a sum of fractions: within at δ(ε) itself, beyond a little below."""
    p, q = (exact_laws(data.draw, size) for _ in range(2))
    excess = max(sum(max(a - factor * b, Fraction(0)) for a, b in zip(*both, strict=True)) for both in ((p, q), (q, p)))
    pair = discrete.pair([*p[:-1], "rest"] if rest else p, [str(mass) for mass in q]).exactly
    epsilon, less = f"log({factor})", excess - Fraction(1, 10**40)
    assert pair.place(epsilon, excess) == "within" and pair.place(epsilon, excess + Fraction(1, 9)) == "within"
    assert less < 0 or pair.place(epsilon, less) == "beyond"
    for law, logs in zip((p, q), pair.logarithms(), strict=True):
        assert np.exp(logs).tolist() == pytest.approx([*map(float, law)], rel=1e-14)


FORMULAS = st.recursive(
    st.integers(0, 9).map(str),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*/"), inner).map("({0[0]} {0[1]} {0[2]})".format),
        st.tuples(inner, st.integers(-3, 3)).map("({0[0]})^({0[1]})".format),
        st.tuples(st.sampled_from(["min", "max"]), inner, inner).map("{0[0]}({0[1]}, {0[2]})".format),
        inner.map("abs({})".format),
    ),
    max_leaves=5,
)


@settings(max_examples=100, deadline=None)
@given(FORMULAS)
def test_formulas_of_rationals_are_rationals(text):
    """So that ties are decided. The oracle is Python with fractions in the place of integers."""
    try:
        exactly = eval(re.sub(r"\d+", r"Fraction(\g<0>)", text).replace("^", "**"), {"Fraction": Fraction})
    except ZeroDivisionError:
        with pytest.raises(InvalidInput, match=r"^x must be a formula"):
            quantity("x", text)
        return
    found = quantity("x", text)
    assert found.quotient.rational == exactly and found.sign() == (exactly > 0) - (exactly < 0)


EXPONENTIALS = "sum(k, 1, {0}, exp(k))"
SQUARE = f"{EXPONENTIALS} * {EXPONENTIALS} - {EXPONENTIALS}^2"


@pytest.mark.parametrize(
    "text",
    ["abs(sqrt(2)^2 - 2)", "max(sqrt(2)^2, 2) - 2", "min(2, sqrt(2)^2) - 2", "2^(1/2) * sqrt(8) - 4", "1/sqrt(4) - 0.5",
     "+3 - erfc(0) - 2", "2^exp(1) - exp(exp(1) * log(2))", "cos - (1 - sin)", SQUARE.format(142)],
)  # fmt: skip
def test_a_tie_that_no_precision_decides_is_enclosed_and_has_no_sign(text):
    """Planted: a difference of 1e-1000, which has one."""
    names = {"cos": "sqrt(3)^2", "sin": "0 - 2"}
    assert quantity("x", text, names).sign() is None
    assert [quantity("x", f"{text} {more}10^(-1000)", names).sign() for more in "+-"] == [1, -1]


def test_sums_of_any_length_are_sums():
    """Longer than what Python nests; ties are decided up to 20,000 terms of a product of exponentials."""
    assert quantity("x", "sum(k, 1, 2000, k) - 2001000").sign() == 0 == quantity("x", SQUARE.format(20)).sign()
    law = discrete.pair(["1/800"] * 800, ["1/1600", "3/1600"] * 400).exactly
    assert [law.place(0, delta) for delta in ("1/4", "1/4 - 10^(-9)")] == ["within", "beyond"]
    assert [quantity("x", f"2^{k} - 2^{k - 1} * 2").sign() for k in (20_000, 20_002)] == [0, None]
    for ends in ("1, exp(1)", "1/2, 3", "1, sqrt(4)", "1, 20001"):
        with pytest.raises(InvalidInput, match=r"^x must be a formula"):
            quantity("x", f"sum(k, {ends}, k)")


@pytest.mark.parametrize("value", [None, True, [1.0], 1j, math.nan, math.inf])
def test_what_is_no_number_has_no_place(value):
    law = discrete.pair(["1/2", "1/2"], ["1/3", "2/3"]).exactly
    for name, levels in (("epsilon", (value, 0)), ("delta", (0, value))):
        with pytest.raises(InvalidInput, match=rf"^{name} must be a (finite )?number, got "):
            law.place(*levels)


@pytest.mark.parametrize(
    ("p", "q", "says"),
    [
        (["1/2", "1/2"], ["1"], r"^q must be a law of 2 outcomes, like p"),
        (["2/3", "2/3", "rest"], ["1/3", "1/3", "rest"], r"^p\[2\] must be a probability >= 0, got 'rest'"),
        (["1/2", "1/2"], ["-1/2", "3/2"], r"^q\[0\] must be a probability >= 0, got '-1/2'"),
        (["1/2", "1/3"], ["1/2", "1/2"], r"^p must be probabilities that sum to 1, got 'a sum of 0\.8333"),
        (["exp(x)", "rest"], ["1/2", "rest"], r"^p\[0\] must be"),
    ],
)
def test_laws_that_are_none_are_refused(p, q, says):
    with pytest.raises(InvalidInput, match=says):
        discrete.pair(p, q)


@settings(max_examples=60, deadline=None)
@given(st.integers(5, 30), st.floats(0.01, 10.0), st.floats(-300.0, -0.05), st.integers(0, 2**32))
def test_discrete_epsilon_is_the_least(size, spread, log_delta, seed):
    p, q = random_pair(np.random.default_rng(seed), size, spread)
    pair, delta = discrete.pair(p, q), 10.0**log_delta
    found = pair.epsilon(delta)
    if math.isinf(found):
        assert max(p[q == 0.0].sum(), q[p == 0.0].sum()) > delta * (1.0 - 1e-12)
        return
    true = float(naive.least_epsilon(lambda e: naive.pair_delta(e, p, q), delta))
    assert pair.delta(found) <= delta
    assert found == pytest.approx(true, rel=1e-12, abs=1e-12 * spread)


def test_discrete_masses_beyond_doubles():
    # P gives the second outcome with e^{-900}, Q with e^{-1000}: as doubles both are 0.
    log_p, log_q = [0.0, -900.0], [0.0, -1000.0]
    pair = discrete.pair_from_logs(log_p, log_q)
    assert pair.epsilon(0.0) == 100.0
    assert pair.forward.log_slopes[0] == pytest.approx(-900.0)
    assert pair.delta(1e6) == 0.0


def test_discrete_special_pairs():
    same = discrete.pair([0.3, 0.7], [0.3, 0.7])
    assert same.delta(0.0) == 0.0
    assert same.epsilon(0.0) == 0.0
    disjoint = discrete.pair([1.0, 0.0], [0.0, 1.0])
    assert disjoint.delta(50.0) == 1.0
    assert disjoint.epsilon(0.999) == math.inf
    one_sided = discrete.pair([0.5, 0.5, 0.0], [0.5, 0.4, 0.1])
    assert one_sided.delta(9.0) == pytest.approx(0.1, rel=1e-15)
    assert one_sided.epsilon(0.05) == math.inf
    assert "escape 0.1" in repr(one_sided)


@pytest.mark.parametrize(
    ("p", "q"),
    [
        ([0.5, 0.6], [0.5, 0.5]),
        ([1.5, -0.5], [0.5, 0.5]),
        ([0.5, 0.5], [1.0]),
        ([[0.5, 0.5]], [0.5, 0.5]),
        ([], []),
        ([math.nan, 1.0], [0.5, 0.5]),
        ("ab", [0.5, 0.5]),
        ("10", "01"),
    ],
)
def test_bad_distributions_are_refused(p, q):
    with pytest.raises(InvalidInput, match=r"^[pq] must be (a vector|masses that sum to 1|finite)"):
        discrete.pair(p, q)


@pytest.mark.parametrize("log_p", [[0.0, 0.0], [math.nan, 0.0], [math.inf, 0.0], [], "x", [[0.0]], [-math.inf] * 2])
def test_bad_log_probabilities_are_refused(log_p):
    with pytest.raises(InvalidInput, match="log_p must be"):
        discrete.pair_from_logs(log_p, [math.log(0.5)] * 2)


HALF = discrete.pair([0.5, 0.5], [0.5, 0.5])
PROFILE = profile.gaussian_profile(1.0, kind="exact", why="")
SIZES = {  # numbers >= 0, by the name of the parameter and the function
    "epsilon of laplace.delta": lambda v: laplace.delta(v, 1.0),
    "shift of laplace.delta": lambda v: laplace.delta(1.0, v),
    "shift of laplace.epsilon": lambda v: laplace.epsilon(0.1, v),
    "epsilon of pure.delta": lambda v: pure.delta(v, 1.0),
    "level of pure.delta": lambda v: pure.delta(1.0, v),
    "level of pure.epsilon": lambda v: pure.epsilon(0.1, v),
    "mu of gaussian.delta": lambda v: gaussian.delta(1.0, v),
    "mu of gaussian.epsilon": lambda v: gaussian.epsilon(0.1, v),
    "epsilon of gaussian.mu": lambda v: gaussian.mu(v, 0.1),
    "epsilon of a pair": HALF.delta,
    "epsilon": PROFILE.delta,
    "sensitivity of gaussian.noise": lambda v: gaussian.noise(v, 1.0, 0.1),
    "mu": lambda v: profile.gaussian_profile(v, kind="upper", why=""),
    "shift": lambda v: profile.laplace_profile(v, kind="upper", why=""),
    "epsilon of pure_profile": lambda v: profile.pure_profile(v, why=""),
    "epsilon of approximate_profile": lambda v: profile.approximate_profile(v, 0.1, why=""),
    "epsilon of steps": lambda v: composition.optimal([(v, 0.1)], why=""),
    "sensitivity": lambda v: selection.noisy_max_scale(v, 1.0),
    "scale": lambda v: selection.noisy_max_guarantee(1.0, v),
    "sensitivity of a guarantee": lambda v: selection.noisy_max_guarantee(v, 1.0),
    "excess": lambda v: selection.generalized_exponential_guarantee(1.0, v),
    "distance": lambda v: integer_noise.blurred(PROFILE, v),
    **{f"{kind} of a claim": lambda v, kind=kind: as_claim({kind: v}, None, 0.0) for kind in ("epsilon", "mu", "rho")},
}
DELTAS_OF = {
    "delta of laplace.epsilon": lambda v: laplace.epsilon(v, 1.0),
    "delta of pure.epsilon": lambda v: pure.epsilon(v, 1.0),
    "failure of pure.delta": lambda v: pure.delta(1.0, 1.0, v),
    "failure": lambda v: pure.epsilon(0.1, 1.0, v),
    "delta of gaussian.epsilon": lambda v: gaussian.epsilon(v, 1.0),
    "delta of a pair": HALF.epsilon,
    "delta": PROFILE.epsilon,
    "delta of approximate_profile": lambda v: profile.approximate_profile(1.0, v, why=""),
    "delta of steps": lambda v: composition.optimal([(1.0, v)], why=""),
}
ABOVE = {
    "epsilon": lambda v: selection.noisy_max_scale(1.0, v),
    "scale": lambda v: integer_laplace.laplace_grid(v),
    "epsilon of a guarantee": lambda v: selection.generalized_exponential_guarantee(v),
    "deviation": integer_noise.gaussian_grid,
    "delta of gaussian.mu": lambda v: gaussian.mu(1.0, v),
    "scale of noisy_max": lambda v: selection.noisy_max([0.0], v),
    "largest": lambda v: upper_mean(np.zeros(3), v, 0.1),
}
SHARES_OF = {
    "alpha": lambda v: upper_mean(np.zeros(3), 1.0, v),
    "beta": lambda v: selection.generalized_exponential([0.0, 1.0], [0.0, 1.0], 1.0, v),
    **{name: lambda v, name=name: runs_needed(1.0, **{name: v}) for name in ("probability", "confidence")},
}
NONE = (-1e-9, math.nan, math.inf, -math.inf, "1", None, True)
ENDS = [
    (SIZES, 0.0, NONE),
    (DELTAS_OF, 0.0, (*NONE, 1.0)),
    (ABOVE, 1e-9, (*NONE, 0.0)),
    (SHARES_OF, 0.5, (*NONE, 0.0, 1.0)),
]


@pytest.mark.parametrize(("calls", "end", "outside"), ENDS)
def test_each_range_ends_where_it_says(calls, end, outside):
    """The end is taken, and what is just outside, no number or no finite one is refused by the parameter's name."""
    for name, call in calls.items():
        call(end)
        for value in outside:
            with pytest.raises(InvalidInput, match=rf"^{name.partition(' ')[0]} must be .*, got "):
                call(value)
