"""What privacy asks of n in Theorems 3 and 7: the pair whose minimisers one record moves as far as convexity allows."""

from __future__ import annotations

from collections.abc import Mapping

from dpbench.ledger.statement import Integer, Real, Statement, order
from dpbench.papers.publicdata.algorithms.clipped import clipped_gaussians
from dpbench.papers.publicdata.theorems.laplace_sums import bisected

ALPHA, BETA, LIPSCHITZ = 0.125, 0.05, 0.5
EPSILONS = (1.0, 0.1, 1e-2, 1e-3, 1e-4)

MOVED = (
    "Functions t phi, |t| <= 1, phi(x0) = 1 and phi = 1/(2 sqrt(eta n)) at the public point; |f - y|/2, balanced "
    "labels at x0. One record moves fbar from -phi to phi, all that convexity allows, and the chance of f^ = phi from "
    "1/2 to Phi(-2/s), s = 2 gamma sqrt(eta n/m). "
)


def least_spread(epsilon: float, delta: float) -> float:
    """The least s for which clip(1 + sN) and clip(−1 + sN) are (ε, δ)-indistinguishable, clip to [−1, 1]."""
    return bisected(lambda s: clipped_gaussians(-1.0, 1.0, s).delta(epsilon) <= delta)


_DIRECTION = (
    "F = {t phi: |t| <= 1}, phi = 1 at x0 and a at the public point; records at x0 with balanced labels: one record "
    "moves fbar from -phi to phi, and the chance of f^ = phi goes from 1/2 to Phi(-2/s), s = 2 gamma sqrt(eta n/m). So "
    "s = 3/(2 epsilon), and any smaller, breaks (epsilon, delta) where 1 - e^epsilon erfc(z) > 2 delta, z = sqrt(2)/s. "
    "As e^epsilon <= 1 + epsilon + epsilon^2 for epsilon <= 1 and erfc(z) <= 1 - 2 z exp(-z^2)/sqrt(pi), the left side "
    "over epsilon is at least (1 + epsilon + epsilon^2) rate - 1 - epsilon."
)


def of_small_epsilon(about: str, symbols: Mapping[str, Real], where: Mapping[str, str], step: str) -> Statement:
    """Privacy at ε = 1/u and δ = 1e-5 ε asks for `needed` records, and O(`said`) are claimed to be enough."""
    return Statement(
        about=about,
        symbols={"u": Integer("1/epsilon", 1, 10**6), "alpha": Real("accuracy", "1/1000", "1/8"), **symbols},
        where={
            "epsilon": "1/u",
            "delta": "epsilon/100000",
            "s": "3/(2*epsilon)",
            "z": "sqrt(2)/s",
            "rate": "2/sqrt(pi)*z/epsilon*exp(-z^2)",
            **where,
        },
        given={
            "broken": (
                "(1 + epsilon + epsilon^2)*rate - 1 - epsilon > 2*delta/epsilon",
                "the smaller noise breaks (epsilon, delta)",
            )
        },
        claim=order("needed", to="said", variable="u"),
        steps=(_DIRECTION, step),
    )
