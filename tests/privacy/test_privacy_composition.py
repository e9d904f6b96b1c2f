"""Composition against enumeration, closed forms and dp-accounting; and what the bounds may never do."""

import math
from dataclasses import replace

import numpy as np
import pytest
from flint import arb, ctx
from naive import privacy as naive

from dpbench.core import validation
from dpbench.core.validation import InvalidInput, MissingExtra
from dpbench.privacy import discrete
from dpbench.privacy.composition import ACCOUNTING_ERROR, at_levels, basic, compose, optimal, parallel
from dpbench.privacy.gaussian import ROUNDING
from dpbench.privacy.profile import (
    Profile,
    approximate_profile,
    discrete_profile,
    gaussian_profile,
    laplace_profile,
    no_privacy,
    pure_profile,
)

LOWER = gaussian_profile(1.0, kind="lower", why="")
LAPLACE = laplace_profile(1.0, kind="exact", why="")
EPSILONS = [0.0, 1e-6, 0.3, 0.99, 1.7, 2.6, 3.9]


def exact(mu, neighbours="replace"):
    return gaussian_profile(mu, kind="exact", why=f"shift {mu}", neighbours=neighbours)


def unnamed(profile):
    """The same curve without its parameters, so that only numerical composition can treat it."""
    return Profile("upper", profile.why, profile.delta_of, profile.epsilon_of, profile.neighbours)


def test_gaussians_compose_in_closed_form():
    parts = [exact(mu) for mu in (0.3, 0.4, 1.2)]
    assert compose(parts).mu == pytest.approx(1.3, rel=1e-15)
    assert compose(parts).kind == "upper"
    assert compose(parts, one_pair=True).kind == "exact"
    assert compose([*parts, gaussian_profile(0.1, kind="upper", why="")], one_pair=True).kind == "upper"
    assert compose([exact(1.0, "add_remove")]).neighbours == "add_remove"


PARTS = [
    [(1.0, 0.0)] * 4,
    [(1.0, 1e-3)] * 4,
    [(0.5, 0.0), (1.5, 0.0), (2.0, 0.0)],
    [(0.5, 1e-9), (1.5, 0.1), (0.5, 0.0), (0.0, 0.01)],
    [(0.7, 0.2)],
]


@pytest.mark.parametrize("parts", PARTS)
def test_optimal_composition_against_enumeration(parts):
    profile = optimal(parts, why="")
    for epsilon in EPSILONS:
        true = float(naive.composed_response_delta(epsilon, parts))
        assert true * (1.0 - 1e-14) <= profile.delta(epsilon) <= true * (1.0 + 2.0 * ROUNDING)
    for delta in [0.3, 0.29, 1e-2, 1e-4, 1e-12]:
        found = profile.epsilon(delta)
        if found == math.inf:
            assert naive.composed_response_delta(100.0, parts) > delta
        else:  # reached there, and not a little before
            assert naive.composed_response_delta(found, parts) <= delta
            assert found == 0.0 or naive.composed_response_delta(found - min(found, 1e-7), parts) > delta


def test_optimal_composition_keeps_the_sum_to_the_bit():
    profile = optimal([(0.1, 0.0)] * 30, why="")
    assert profile.epsilon(0.0) == pytest.approx(3.0, rel=1e-15)
    assert profile.delta(profile.epsilon(0.0)) == 0.0
    assert optimal([(0.1, 1e-6)], why="").delta(0.1) == pytest.approx(1e-6, rel=1e-15)
    assert optimal([(0.0, 0.0)], why="").delta(0.0) == 0.0


def test_numerical_composition_bounds_the_gaussian_closely():
    parts = [exact(0.3), exact(0.4), exact(1.2)]
    numerical, closed = compose([unnamed(part) for part in parts], interval=2e-3), compose(parts)
    for epsilon in [0.0, 0.5, 2.0, 5.0]:
        true = closed.delta(epsilon)
        assert true <= numerical.delta(epsilon) <= true * (1.0 + 2e-5) + 2.0 * ACCOUNTING_ERROR
    assert closed.epsilon(1e-6) <= numerical.epsilon(1e-6) <= closed.epsilon(1e-6) + 1e-4
    assert numerical.epsilon(0.5 * ACCOUNTING_ERROR) == math.inf


@pytest.mark.parametrize(("level", "copies"), [(0.37, 12), (0.1, 200)])
def test_numerical_composition_bounds_the_optimum_closely(level, copies):
    part = pure_profile(level, why="")
    numerical, best = compose([part] * copies), optimal([(level, 0.0)] * copies, why="")
    for epsilon in [0.0, 1.0, 2.0, 4.0]:
        true = best.delta(epsilon) / (1.0 + ROUNDING)
        assert true <= numerical.delta(epsilon) <= true * (1.0 + 1e-6) + 3.0 * ACCOUNTING_ERROR


def test_a_curve_that_no_pair_has_is_composed_as_what_its_points_imply():
    """1 below ε = 1 and 0.3 from there on: what (1, 0.3) leaves open, attained by randomised response."""
    step = Profile("upper", "", lambda epsilon: 1.0 if epsilon < 1.0 else 0.3)
    for copies in (1, 2):
        whole, best = compose([step] * copies, interval=1e-3), optimal([(1.0, 0.3)] * copies, why="")
        for epsilon in (0.0, 0.5, 1.5):
            assert best.delta(epsilon) * (1.0 - 1e-9) <= whole.delta(epsilon) <= best.delta(epsilon) * 1.005


def test_numerical_composition_bounds_a_lopsided_pair():
    # δ of the two directions crosses, so their maximum is the curve of no pair at all.
    p, q = np.array([0.5, 0.3, 0.15, 0.05]), np.array([0.62, 0.1, 0.27, 0.01])
    part = discrete_profile(discrete.pair(p, q), why="")
    twice = discrete.pair(np.outer(p, p).ravel(), np.outer(q, q).ravel())
    crossed = discrete.pair(np.outer(p, q).ravel(), np.outer(q, p).ravel())
    whole = compose([part, part])
    for epsilon in [0.0, 0.2, 1.0, 2.0, 2.5]:
        assert whole.delta(epsilon) >= max(twice.delta(epsilon), crossed.delta(epsilon))


def test_numerical_composition_of_failures():
    whole = compose([approximate_profile(1.0, 1e-5, why=""), laplace_profile(1.0, kind="exact", why="")])
    assert whole.kind == "upper" and whole.delta(2.1) == pytest.approx(1e-5, rel=1e-4)
    assert whole.epsilon(1e-6) == math.inf
    nothing = compose([no_privacy("open"), laplace_profile(1.0, kind="exact", why="")])
    assert nothing.delta(9.0) == 1.0
    assert nothing.epsilon(0.999) == math.inf


def test_parallel_is_the_largest():
    parts = [exact(0.5), laplace_profile(1.0, kind="exact", why="noise")]
    whole = parallel(parts)
    for epsilon in EPSILONS:
        assert whole.delta(epsilon) == max(part.delta(epsilon) for part in parts)
    for delta in [0.1, 1e-3, 1e-9]:
        assert whole.epsilon(delta) == max(part.epsilon(delta) for part in parts)
    assert whole.kind == "exact"
    assert whole.mu is None
    assert parallel([exact(0.5), exact(0.7)]).mu == 0.7
    lower = gaussian_profile(0.5, kind="lower", why="")
    assert parallel([lower, exact(0.2)]).kind == "lower"
    assert parallel([pure_profile(1.0, why=""), exact(0.2)]).kind == "upper"


def test_basic_composition():
    profile = basic([(1.0, 1e-6), (2.0, 2e-6)], why="")
    assert profile.delta(3.0) == 3e-6
    assert profile.epsilon(3e-6) == 3.0
    assert profile.epsilon(2e-6) == math.inf


def test_parts_at_levels_are_gaussians_or_their_sums():
    assert at_levels([exact(0.5), exact(1.2)], [1.0, 1.0]).mu == pytest.approx(1.3)
    parts = [exact(0.5), pure_profile(2.0, why=""), laplace_profile(1.0, kind="exact", why="")]
    levels = [1.5, 2.0, 0.5]
    whole = at_levels(parts, levels)
    deltas = [part.delta(level) for part, level in zip(parts, levels, strict=True)]
    assert whole.mu is None and whole.kind == "upper"
    assert whole.delta(4.0) == pytest.approx(sum(deltas), rel=1e-12) and whole.delta(3.9) > whole.delta(4.0)
    assert at_levels([pure_profile(1.0, why="")] * 3, [0.0] * 3).delta(50.0) == 1.0  # δ(0) = 0.46 each


def test_a_composition_says_how_and_of_what_each_reason_once():
    gaussians, parts = ([replace(part, why=why) for part, why in zip(profiles, "aba", strict=True)] for profiles in (
        [exact(1.0)] * 3, [exact(1.0), LAPLACE, LAPLACE]))  # fmt: skip
    ways = [
        compose(gaussians),
        compose(parts),
        parallel(parts),
        at_levels(parts, [1.0] * 3),
        at_levels(parts, [0.0] * 3),
    ]
    said = [whole.why.partition(": ") for whole in ways]
    assert len({how for how, _, _ in said}) == len(ways) and {of for _, _, of in said} == {"a; b"}


def test_without_the_extra_the_message_names_it(monkeypatch):
    monkeypatch.setattr("importlib.import_module", lambda name: (_ for _ in ()).throw(ImportError(name)))
    with pytest.raises(MissingExtra, match=r"dpbench-suite\[accounting\]"):
        compose([laplace_profile(1.0, kind="exact", why="")] * 2)
    assert validation.MissingExtra is MissingExtra


REFUSED = {
    "parts": [
        lambda: compose([LOWER]),
        lambda: compose([exact(1.0), exact(1.0, "add_remove")]),
        lambda: parallel([LOWER, pure_profile(1.0, why="")]),
        lambda: parallel([exact(1.0), exact(1.0, "add_remove")]),
        lambda: basic([(1.0, 0.5)] * 2, why=""),
        lambda: at_levels([], []),
        lambda: at_levels([LOWER], [1.0]),
        lambda: at_levels([LOWER, LAPLACE], [1.0, 1.0]),
        lambda: at_levels([exact(1.0), exact(1.0, "add_remove")], [1.0, 1.0]),
        lambda: optimal([(k / 64.0, 0.0) for k in range(1, 23)], why=""),
    ],
    "interval": [lambda: compose([LAPLACE], interval=0.0), lambda: compose([LAPLACE], interval=1e-9)],
    "epsilons?": [lambda: at_levels([LAPLACE], [1.0, 1.0]), lambda: at_levels([LAPLACE], [-1.0])],
}


@pytest.mark.parametrize("name", REFUSED)
def test_bad_input_is_refused_by_name(name):
    for call in REFUSED[name]:
        with pytest.raises(InvalidInput, match=rf"^{name} must be"):
            call()


def _equal_responses(epsilon, level, count):
    """δ(ε) of `count` equal randomised responses in balls of 200 bits, from the least loss beyond ε upwards."""
    step, kept = (2 * arb(level)).exp(), 1 / (1 + (-arb(level)).exp())
    flips = math.floor((count - epsilon / level) / 2.0)
    mass = ((arb(count + 1).lgamma() - arb(flips + 1).lgamma() - arb(count - flips + 1).lgamma())
            + (count - flips) * kept.log() + flips * (1 - kept).log()).exp()  # fmt: skip
    total, odds, left = arb(0), kept / (1 - kept), (epsilon - (count - 2 * flips) * arb(level)).exp()
    while flips >= 0 and (mass > total * arb(1e-20) or total == 0):
        total += mass * (1 - left).max(arb(0))
        mass *= odds * flips / (count - flips + 1)
        left /= step
        flips -= 1
    return total


@pytest.mark.parametrize(("count", "level"), [(100, 0.1), (10**5, 0.01), (10**6, 0.003)])
def test_optimal_composition_of_a_million_parts_is_an_upper_bound(count, level):
    """Above the true δ by half of the widening at least. Planted: a widening by `ROUNDING` alone, below it."""
    before, ctx.prec = ctx.prec, 200
    try:
        profile = optimal([(level, 0.0)] * count, why="")
        margins = [float(((profile.delta(e) - t) / t).mid())
                   for e in (0.5, 1.0, 2.0, 3.0, 5.0) for t in [_equal_responses(e, level, count)]]  # fmt: skip
    finally:
        ctx.prec = before
    widened = ROUNDING + 1e-15 * math.lgamma(count + 1.0)
    assert 0.5 * widened <= min(margins) and max(margins) <= 2.0 * widened
    assert count < 10**6 or min(margins) - (widened - ROUNDING) < 0.5 * ROUNDING
    for epsilon in (0.5, 2.0):
        assert epsilon <= profile.epsilon(profile.delta(epsilon)) <= epsilon + 1e-6
