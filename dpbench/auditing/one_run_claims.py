"""Claims beyond (ε, δ) that the guesses of one run may rule out.

A guess set's statements about every ε, δ and μ hold together at its level (`guesses`), so a claim is refuted where one
set rules out one thing that it implies: its μ, or one point (ε, δ) of its profile. Rényi privacy implies a profile
(Canonne, Kamath & Steinke 2020, "The Discrete Gaussian for Differential Privacy", Proposition 12).
"""

from __future__ import annotations

import numpy as np
from scipy.special import betaincinv

from dpbench import bounds
from dpbench.auditing.claimed import ORDERS, Approximate, Claim, Curve, Gaussian, Renyi, ZeroConcentrated
from dpbench.auditing.guesses import Guessed

EVERY = 8
"""Of a profile's points this share is tried, and the last: any of them are valid."""

POINTS = 33
"""Values of ε at which Rényi privacy is read as a profile,"""

LEAST_DELTA = 1e-12
"""up to the one where its δ is this."""

GAIN = 1e-6
"""Below it no gain of a bound is looked for."""


def ruled_out(claim: Claim, guessed: Guessed) -> bool:
    """Whether a guess set rules the claim out at its level."""
    if isinstance(claim, Gaussian):
        return guessed.rules_out_mu(claim.mu)
    return any(guessed.rules_out(float(e), float(d)) for e, d in zip(*profile_points(claim), strict=True))


def read(claim: Claim, guessed: Guessed, least: float = 0.0) -> tuple[float, str]:
    """What a guess set shows of the loss, in the claim's unit, and the unit: the largest parameter that it rules out.

    Of a profile it is the amount by which all its ε, of Rényi privacy that by which all its divergences fall short.
    Only what is above `least` is looked for.
    """
    if isinstance(claim, Approximate):
        return guessed.epsilon(claim.delta), "epsilon"
    if isinstance(claim, Gaussian):
        return guessed.mu(), "mu"
    if isinstance(claim, ZeroConcentrated):
        unit, delta = "rho", claim.delta

        def at(level: float) -> Claim:
            return ZeroConcentrated(level, delta)
    elif isinstance(claim, Renyi):
        unit, orders, divergences = "Renyi divergence beyond the claim", claim.orders, claim.epsilons

        def at(level: float) -> Claim:
            return Renyi(orders, divergences + level)
    else:
        assert isinstance(claim, Curve)
        unit, epsilons, deltas = "epsilon beyond the profile", claim.epsilons, claim.deltas

        def at(level: float) -> Claim:
            return Curve(epsilons + level, deltas, "")

    if not ruled_out(at(least + GAIN), guessed):
        return 0.0, unit
    return bounds.largest_ruled_out(lambda level: ruled_out(at(level), guessed)), unit


def median_loss(claim: Claim, guessed: Guessed) -> float:
    """The loss, in the unit of `read`, at which a set has so many right guesses or more with probability one half.

    Of μ and ρ it is that of independent Gaussian answers; of other claims each guess is right as often as the loss
    allows a guess at one coin to be.
    """
    given = guessed.canaries, guessed.guesses, guessed.right
    if isinstance(claim, Gaussian | ZeroConcentrated):
        mu = bounds.largest_ruled_out(lambda value: bounds.one_run_p_value_gaussian(*given, value) <= 0.5)
        return mu if isinstance(claim, Gaussian) else 0.5 * mu * mu
    rate = betaincinv(guessed.right, guessed.guesses - guessed.right + 1.0, 0.5)
    level = claim.epsilon if isinstance(claim, Approximate) else 0.0
    return level + float(claim.excess(np.array([rate]), np.array([1.0 - rate]))[0])


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
