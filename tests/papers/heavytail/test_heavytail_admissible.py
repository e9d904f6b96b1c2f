"""Refuted rows of the heavy-tailed paper: what their instances must obey beside the ranges that statements declare.

The same shape as for the GLM paper: a failing row that is not in `ASSUMPTIONS`, and not of formulas alone, fails.
"""

import math

import numpy as np
import pytest
from admissible import (
    assert_every_failing_row_is_listed,
    cases,
    every,
    replaced,
)
from scipy.integrate import quad
from scipy.optimize import brentq

from dpbench.papers.heavytail import theory as heavy
from dpbench.papers.heavytail.algorithms.exponential import ExponentialMechanism
from dpbench.papers.heavytail.theorems import equation19, theorems1_2
from dpbench.papers.heavytail.theorems import paper as heavytail


def two_responses(theta):
    """x ≡ 1, y = ±10/ι, W = [−1, 1]."""
    name = f"heavytail.thm{1 if theta == 2.0 else 2}.inequality.y-moment"
    probe = theorems1_2._two_responses(100, 10.0, ExponentialMechanism(1.0), 0, theta)
    return {
        "E|x|^theta <= tau^theta, tau = 1": lambda: float((np.abs(probe.X) ** theta).mean()) <= probe.tau**theta,
        "W bounded, w* in W, 0 < eta < 1": lambda: probe.radius == 1.0 and 0.0 < theorems1_2.FAILURE < 1.0,
        "the caveat after Lemma 3 is the assumption that is missing: sup E|r|^2 is not O(1)": lambda: float(
            np.abs(probe.y).min()) > 10.0,
        "the bound is the printed rate, Delta restored": every(
            name, lambda n, bound: bound == heavy.rate(
                int(n), 1, 1.0, 0.05, theta=theta, tau=1.0, moment="norm", diameter=2.0), "n", "printed_bound"),
    }  # fmt: skip


def fixed_law_moments():
    """E x² = 0.3·E Y + 0.7 and E|y| finite, E|x||y| = 0.3·E Y^{3/2} + … not; Y ≥ 1 so that Y ≥ √Y·w on W."""
    tail = theorems1_2.TAIL
    mean = quad(lambda y: tail * y**-tail, 1.0, np.inf)[0]
    return 0.3 * mean + 0.7 == pytest.approx(4.0, rel=1e-3) and 1.0 < tail < 1.5


def light_quantile(u):
    """The light part's response at level u: its distribution function is ½(1 + (0.3·E√Y + c·w³)/0.7) on [−1, 1]."""
    slope = 0.3 * theorems1_2.TAIL / (theorems1_2.TAIL - 0.5)
    if u <= 0.5 * (1.0 + (slope - theorems1_2.LIGHT) / 0.7):
        return -1.0
    return float(brentq(lambda w: 0.5 * (1.0 + (slope + theorems1_2.LIGHT * w**3) / 0.7) - u, -1.0, 1.0 + 1e-9))


def light_law():
    """The light part's distribution function is one, and its risk with the heavy part's slope is (c/4)w⁴ + constant."""
    responses = np.array([light_quantile(u) for u in (np.arange(4000) + 0.5) / 4000])
    slope = 0.3 * theorems1_2.TAIL / (theorems1_2.TAIL - 0.5)
    risks = [0.7 * float(np.abs(responses - w).mean()) - slope * w for w in (-0.9, -0.5, 0.0, 0.5, 0.9)]
    want = [theorems1_2.LIGHT / 4.0 * w**4 for w in (-0.9, -0.5, 0.0, 0.5, 0.9)]
    return bool(np.allclose(np.array(risks) - risks[2], want, atol=2e-4)) and bool((np.diff(responses) >= 0.0).all())


def nine_records(theta):
    """x ≡ 1 and y = ±1 with chances 0.55 and 0.45, W = [−1, 1]: a law that depends on nothing."""
    risk = {w: 0.55 * abs(1.0 - w) + 0.45 * abs(-1.0 - w) for w in np.linspace(-1.0, 1.0, 41).tolist()}
    spread = max(0.55 * (1.0 - w) ** theta + 0.45 * (1.0 + w) ** theta for w in risk)
    return {
        "w* = 1, and the excess is (2 0.55 - 1)(1 - w)": lambda: all(
            value - risk[1.0] == pytest.approx(0.1 * (1.0 - w)) for w, value in risk.items()),
        "E|x|^theta = 1 = tau^theta; sup E|y - xw|^theta, which the bound has, is 2^theta 0.55": lambda: (
            spread == pytest.approx(2.0**theta * 0.55)),
    }  # fmt: skip


def leaning(orders):
    """The pairs of `theorems1_2.leaning_pair`, at each θ of the theorem."""
    mechanism = ExponentialMechanism(1.0, net_radius=1.0, calibration="printed")
    return {
        "neighbours differ in one record (Definition 1)": lambda: all(
            replaced(lambda theta=theta: theorems1_2.leaning_pair(3, theta))() for theta in orders),
        "x and y are finite; iota and zeta positive": lambda: all(
            np.isfinite(side.X).all() and np.isfinite(side.y).all() and mechanism.iota(side) > 0.0
            for theta in orders for side in theorems1_2.leaning_pair(3, theta)),
        "the net is one: every point of [-1, 1] within 1 of a point": lambda: all(
            np.abs(mechanism.net(theorems1_2.leaning_pair(3, theta)[0]).points() - w).min() <= 1.0
            for theta in orders for w in (-1.0, -0.5, 0.3, 1.0)),
    }  # fmt: skip


ASSUMPTIONS = {
    "heavytail.thm1.privacy": leaning(theorems1_2.ORDERS[1]),
    "heavytail.thm2.privacy": leaning(theorems1_2.ORDERS[2]),
    "heavytail.thm1.inequality.y-moment": two_responses(2.0),
    "heavytail.thm2.inequality.y-moment": two_responses(1.5),
    "heavytail.thm1.inequality.y-moment.fixed-law": {
        "E x^2 and E|y| finite, E|x||y| infinite": fixed_law_moments,
        "the light part is a law on [-1, 1] and makes L - L* = (c/4) w^4": light_law,
        "one law for every n; iota at most 1/2": every(
            "heavytail.thm1.inequality.y-moment.fixed-law", lambda iota: 0.0 < iota <= 0.5, "iota"),
    },
    "heavytail.thm1.inequality.large-epsilon": nine_records(2.0),
    "heavytail.thm2.inequality.large-epsilon": nine_records(1.5),
    "heavytail.thm2.inequality.assumption4-truncation": {
        "E|x|^theta <= 1 and E|y|^theta <= 1, so that the caveat after Lemma 3 holds too": every(
            "heavytail.thm2.inequality.assumption4-truncation",
            lambda n: equation19.PRINTED.number("p*M^theta + (1 - p)*a^theta", n=n, long=4.0, s=0.5, epsilon=1.0,
                                                eta=0.05, theta=equation19.ORDER) <= 1.0 + 1e-12, "n"),
        "iota is the printed one": every(
            "heavytail.thm2.inequality.assumption4-truncation",
            lambda n, iota: iota == pytest.approx(
                heavy.truncation(int(n), 1, 1.0, 0.05, theta=1.5, tau=1.0, moment="coordinate", diameter=2.0,
                                 printed=True), rel=1e-12), "n", "iota"),
        "probability at least 1 - eta": every(
            "heavytail.thm2.inequality.assumption4-truncation", lambda missed: missed < 0.05, "missed"),
    },
    "heavytail.thm1.inequality.failure-probability": {
        "eta is half of what the net points with w <= 0 have at least: e^(-n epsilon/2)/2": every(
            "heavytail.thm1.inequality.failure-probability",
            lambda n, log: log == pytest.approx(-0.5 * n - math.log(4.0)), "n", "log_eta"),
    },
    "heavytail.lemma10.inequality.last-display": {
        "w in the net, x = 1, no noise: all moments 1 or 0": every(
            "heavytail.lemma10.inequality.last-display", lambda t: 1.0 < t < 2.0, "theta"),
    },
    "heavytail.lemma10.inequality.eq39": {
        "E|x|^theta = 1, theta in (1, 2)": every("heavytail.lemma10.inequality.eq39", lambda t: 1.0 < t < 2.0, "theta"),
    },
}  # fmt: skip


def test_every_failing_row_is_of_formulas_or_listed():
    assert_every_failing_row_is_listed(ASSUMPTIONS, heavytail.claims)


@pytest.mark.parametrize(("name", "assumption"), cases(ASSUMPTIONS), ids=str)
def test_the_instance_obeys(name, assumption):
    assert ASSUMPTIONS[name][assumption](), f"{name}: {assumption}"


def test_an_instance_that_breaks_an_assumption_would_be_seen():
    p, q = theorems1_2.leaning_pair(3, 2.0)
    assert not replaced(lambda: (p, p))() and replaced(lambda: (p, q))()
    assert not every("heavytail.lemma10.inequality.eq39", lambda t: t > 2.0, "theta")()
