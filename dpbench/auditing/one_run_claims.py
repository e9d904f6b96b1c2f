"""Claims beyond (ε, δ) that the guesses of one run may rule out.

A guess set's statements about every ε, δ and μ hold together at its level (`guesses`), so a claim is refuted where one
set rules out one thing that it implies: its μ, or one point (ε, δ) of its profile. Rényi privacy implies a profile
(Canonne, Kamath & Steinke 2020, "The Discrete Gaussian for Differential Privacy", Proposition 12).
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from dpbench.auditing.claimed import ORDERS, Approximate, Claim, Curve, Gaussian, Renyi, ZeroConcentrated
from dpbench.auditing.guesses import Guessed

EVERY = 8
"""Of a profile's points this share is tried, and the last: any of them are valid."""

POINTS = 33
"""Values of ε at which Rényi privacy is read as a profile,"""

LEAST_DELTA = 1e-12
"""up to the one where its δ is this."""


def ruled_out(claim: Claim, family: Iterable[Guessed]) -> bool:
    """Whether some guess set rules the claim out at its level."""
    if isinstance(claim, Gaussian):
        return any(g.rules_out_mu(claim.mu) for g in family)
    epsilons, deltas = profile_points(claim)
    return any(g.rules_out(float(e), float(d)) for g in family for e, d in zip(epsilons, deltas, strict=True))


def profile_points(claim: Claim) -> tuple[np.ndarray, np.ndarray]:
    """Points (ε, δ) that the claim implies, at which it is tried."""
    if isinstance(claim, Approximate):
        return np.array([claim.epsilon]), np.array([claim.delta])
    if isinstance(claim, Curve):
        kept = np.append(np.arange(0, len(claim.epsilons) - 1, EVERY), len(claim.epsilons) - 1)
        return claim.epsilons[kept], claim.deltas[kept]
    if isinstance(claim, ZeroConcentrated):  # of the laws that all but δ is made of
        epsilons, deltas = profile_points(Renyi(ORDERS, claim.rho * ORDERS))
        return epsilons, claim.delta + (1.0 - claim.delta) * deltas
    assert isinstance(claim, Renyi)
    reach = claim.epsilons - np.log(LEAST_DELTA) / (claim.orders - 1.0)
    epsilons = np.linspace(0.0, float(reach.min()), POINTS)
    return epsilons, implied_deltas(claim, epsilons)


def implied_deltas(claim: Renyi, epsilons: np.ndarray) -> np.ndarray:
    """The least δ at each ε that the divergences imply: min over α of e^{(α−1)(ε_α−ε)} (1 − 1/α)^{α−1}/α, at most 1."""
    orders, divergences = claim.orders[:, None], claim.epsilons[:, None]
    logs = (orders - 1.0) * (divergences - epsilons + np.log1p(-1.0 / orders)) - np.log(orders)
    return np.asarray(np.minimum(np.exp(np.minimum(logs, 0.0)), 1.0).min(axis=0))
