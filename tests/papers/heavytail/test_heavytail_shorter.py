"""Theorem H and the fixed law of the heavy-tailed paper by a second route: sampling, and quadrature of the slope."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq

from dpbench.papers.heavytail import theory


@pytest.mark.parametrize("theta", [2.0, 1.5, 1.2])
def test_theorem_h_by_sampling_from_the_definition(theta: float) -> None:
    """x = 1, y = 1 or −1, n = 50: 2,000 outputs of exp(−λnιL̂) on a net; 3η = 0.15 may miss the bound, none does.

    A bound 30 times smaller is missed by more than 3η, so that the test can fail.
    """
    rng, n, epsilon, eta, zeta = np.random.default_rng(17), 50, 1.0, 0.05, 0.02
    net = np.arange(-1.0, 1.0 + zeta / 2, zeta)
    iota, level = 0.3, math.log(1.0 / eta)
    spread = max(0.55 * abs(1.0 - w) ** theta + 0.45 * abs(1.0 + w) ** theta for w in net)
    bound = theory.shorter_bound(iota, n, epsilon, zeta, math.log(net.size), eta, theta=theta, tau=1.0, spread=spread)
    written = zeta + 2.0 * iota ** (theta - 1.0) / theta * spread + (math.log(net.size) + 2.0 * level) / (n * iota)
    written += 2.0 * math.log(theta) * (math.log(net.size) + level) / (n * iota * epsilon)
    assert bound == pytest.approx(written, rel=1e-12)

    def psi(size: np.ndarray) -> np.ndarray:
        cut = np.minimum(size, 1.0)
        return -np.log(1.0 - cut + cut**theta / theta)

    excesses = []
    for _ in range(2000):
        ones = rng.binomial(n, 0.55)
        scores = ones * psi(iota * np.abs(1.0 - net)) + (n - ones) * psi(iota * np.abs(1.0 + net))
        weights = np.exp(-epsilon / (2.0 * math.log(theta)) * (scores - scores.min()))
        excesses.append(0.1 * (1.0 - rng.choice(net, p=weights / weights.sum())))
    assert np.mean(np.array(excesses) > bound) <= 3.0 * eta
    assert np.mean(np.array(excesses) > bound / 30.0) > 3.0 * eta


def population_excess(iota: float) -> float:
    """L − L* of the minimiser of the fixed law's truncated risk, by quadrature of the slope that truncation takes.

    Y ~ Pareto(1.1) with chance 0.3, x = √Y, y = Y; else x = 1, P(y ≤ v) = (1 + (0.15v³ + 0.55)/0.7)/2 on [−1, 1].
    """

    def lost(u: float) -> float:  # 1 − ψ'(u)
        return 0.5 * u * u / (1.0 - u + 0.5 * u * u) if u < 1.0 else 1.0

    def heavy(w: float) -> float:  # in log y
        edges = np.concatenate([[0.0], np.log(1.0 / iota) + np.array([-8.0, -4.0, -1.0, 0.0, 0.5, 2.0, 8.0, 40.0])])
        edges = np.unique(np.clip(edges, 0.0, None))

        def rate(z: float) -> float:
            y = math.exp(z)
            return lost(iota * max(y - math.sqrt(y) * w, 0.0)) * math.exp(-0.6 * z)

        return 0.3 * 1.1 * sum(quad(rate, a, b, epsabs=0.0, epsrel=1e-8)[0] for a, b in pairwise(edges))

    def light(w: float) -> float:
        atom = 0.5 * (1.0 + 0.4 / 0.7)
        inside = quad(
            lambda y: math.copysign(1.0, w - y) * lost(iota * abs(w - y)) * 0.225 * y * y / 0.7, -1.0, 1.0, points=[w]
        )[0]
        return 0.7 * (atom * lost(iota * (w + 1.0)) + inside)

    w = brentq(lambda w: 0.15 * w**3 + heavy(w) - light(w), -1.0 + 1e-9, -1e-9)
    return 0.0375 * w**4


@pytest.mark.parametrize(("exponent", "constant"), [(12, 0.2677), (16, 0.6532), (18, 1.0231), (24, 3.957)])
def test_the_fixed_law_with_its_own_tau(exponent: int, constant: float) -> None:
    """E x² = 0.3·11 + 0.7 = 4, so τ = 2 in ι and in (7): the constant passes 1 near n = 8e17."""
    sizes = {"theta": 2.0, "tau": 2.0, "moment": "norm", "diameter": 2.0}
    iota = theory.truncation(10**exponent, 1, 1.0, 0.05, **sizes)  # type: ignore[arg-type]
    rate = theory.rate(10**exponent, 1, 1.0, 0.05, **sizes)  # type: ignore[arg-type]
    assert population_excess(iota) / rate == pytest.approx(constant, rel=1e-3)


def test_the_moment_of_the_fixed_law() -> None:
    heavy = quad(lambda y: 1.1 * y**-2.1 * y, 1.0, np.inf)[0]
    assert heavy == pytest.approx(11.0, rel=1e-4)
    assert 0.3 * heavy + 0.7 == pytest.approx(4.0, rel=1e-4)
