"""Composition: several mechanisms run on the same records (in sequence, adaptively) or on disjoint ones.

Sources: Dwork, Rothblum & Vadhan 2010 (basic); Dong, Roth & Su 2019 (Corollary 2, Gaussian); Kairouz, Oh &
Viswanath 2015 (Theorem 3.3, optimal from the parameters alone); Zhu, Dong & Wang 2022 (dominating pairs
compose) and Doroshenko et al. 2022 ("connect the dots") for the rest; McSherry 2009 (parallel).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.special import gammaln

from dpbench.core import validation
from dpbench.privacy.discrete import HockeyStick, hockey_stick
from dpbench.privacy.gaussian import ROUNDING
from dpbench.privacy.profile import Profile, approximate_profile, gaussian_profile, no_privacy

ACCOUNTING_ERROR = 1e-10
"""Added to every δ of a numerical composition: rounding in its Fourier transforms stays below (measured)."""

_MOST_ATOMS = 2**20
_TAIL = 1e-13  # mass of a part's privacy loss beyond the grid, counted as a loss of infinity
_LOG_GAMMA = 1e-15  # relative error of a mass of binomial law, over the log-gamma function that it is computed from
_FAR = 1e6  # an ε beyond which a profile's δ no longer falls


def compose(parts: Sequence[Profile], *, one_pair: bool = False, interval: float | None = None) -> Profile:
    """The profile of running every part on the same records, each free to see the earlier outputs.

    Gaussian parts compose in closed form, μ² = Σ μ_i². With others among them each profile is replaced by a
    discrete privacy loss that dominates it (exact at the multiples of `interval`, connected by chords) and
    the losses are convolved by dp-accounting.

    Parameters
    ----------
    parts : sequence of Profile
        Exact or upper, all for the same neighbours.
    one_pair : bool
        Says that exact Gaussian parts all speak of one pair of data sets and draw independent noise, so that
        their composition is exact too. Otherwise the result is an upper profile.
    interval : float, optional
        Step of the loss grid; δ is too large by a relative amount of the order of ``interval`` squared. Default:
        1/5000 of the shortest part's range of losses, or 1/100,000 of the longest if that is more.

    Raises
    ------
    InvalidInput
        For no parts, a lower profile, mixed neighbours, or a grid of more than 2^20 points.
    MissingExtra
        Where dp-accounting is needed and absent (the `accounting` extra).
    """
    parts, neighbours = _profiles(parts)
    for part in parts:
        if part.kind == "lower":
            raise validation.invalid("parts", "exact or upper profiles: lower ones do not compose", part)
    shifts = [part.mu for part in parts if part.mu is not None]
    others = [part for part in parts if part.mu is None]
    whole = gaussian_profile(
        math.hypot(*shifts),
        kind="exact" if one_pair and all(part.kind == "exact" for part in parts) else "upper",
        why="composition of Gaussian mechanisms: " + _reasons(parts),
        neighbours=neighbours,
    )
    if not others:
        return whole
    if any(part.delta(_FAR) > 1.0 - 1e-9 for part in others):
        return no_privacy("a part promises nothing: " + _reasons(parts), neighbours)
    why = "numerical composition of dominating pairs: " + _reasons(parts)
    if interval is not None:
        validation.real("interval", interval, above=0.0)
    loss = _convolved([whole, *others] if shifts else others, interval)
    return Profile("upper", why, partial(_accounted_delta, loss), None, neighbours)


def basic(parts: Sequence[tuple[float, float]], *, why: str, neighbours: str = "replace") -> Profile:
    """Basic composition of (ε_i, δ_i) guarantees: (Σ ε_i, Σ δ_i), and what that implies at every other ε."""
    levels, failures = _parameters(parts)
    if math.fsum(failures) >= 1.0:
        raise validation.invalid("parts", "(epsilon, delta) pairs whose deltas sum to less than 1", parts)
    return approximate_profile(math.fsum(levels), math.fsum(failures), why=why, neighbours=neighbours)


def at_levels(parts: Sequence[Profile], epsilons: Sequence[float]) -> Profile:
    """Every part run on the same records: Gaussian parts by their μ, others by basic composition at given levels.

    Parameters
    ----------
    parts : sequence of Profile
        Exact or upper, all for the same neighbours.
    epsilons : sequence of float
        One for each part: where its δ is taken, if some part is not Gaussian.

    Raises
    ------
    InvalidInput
        As `compose`, and for another number of levels than of parts.
    """
    known, neighbours = _profiles(parts)
    if len(epsilons) != len(known):
        raise validation.invalid("epsilons", f"{len(known)} numbers, one for each part", epsilons)
    if all(part.mu is not None for part in known):
        return compose(known)
    if any(part.kind == "lower" for part in known):
        raise validation.invalid("parts", "exact or upper profiles: lower ones do not compose", parts)
    pairs = [(float(epsilon), part.delta(float(epsilon))) for part, epsilon in zip(known, epsilons, strict=True)]
    if math.fsum(delta for _, delta in pairs) >= 1.0:
        return no_privacy("a part promises nothing: " + _reasons(known), neighbours)
    return basic(pairs, why="basic composition: " + _reasons(known), neighbours=neighbours)


def optimal(parts: Sequence[tuple[float, float]], *, why: str, neighbours: str = "replace") -> Profile:
    """The best bound for a composition of (ε_i, δ_i) guarantees that those numbers alone allow.

    It is attained by randomised responses, whose composed privacy loss takes Π (k_j + 1) values for k_j parts
    with the j-th distinct ε. At Σ ε_i it gives 1 − Π (1 − δ_i).

    Raises
    ------
    InvalidInput
        Where the loss takes more than 2^20 values: compose profiles of `approximate_profile` instead.
    """
    levels, failures = _parameters(parts)
    counts = Counter(level for level in levels if level > 0.0)
    if math.prod(count + 1 for count in counts.values()) > _MOST_ATOMS:
        raise validation.invalid("parts", "parts whose composed loss takes at most 2^20 values", parts)
    losses, log_masses, rounding = np.zeros(1), np.zeros(1), ROUNDING
    for level, count in counts.items():
        flipped = np.arange(count + 1.0)
        choose = gammaln(count + 1.0) - gammaln(flipped + 1.0) - gammaln(count - flipped + 1.0)
        honest = -math.log1p(math.exp(-level))
        mass = choose + count * honest - flipped * level
        losses = np.add.outer(losses, (count - 2.0 * flipped) * level).ravel()
        log_masses = np.add.outer(log_masses, mass).ravel()
        rounding += _LOG_GAMMA * float(gammaln(count + 1.0))
    failure = -math.expm1(math.fsum(math.log1p(-f) for f in failures))
    law = _Optimal(math.fsum(levels), failure, hockey_stick(losses, log_masses), rounding)
    return Profile("upper", why, law.delta, law.epsilon, neighbours)


def parallel(parts: Sequence[Profile]) -> Profile:
    """The profile of running each part on records of its own: the largest, at every ε.

    The split must not depend on the records' values, and for neighbours "add_remove" not on their number or
    order: a record belongs to its part whatever the others are. All exact parts give an exact profile (each
    of them the supremum over its own neighbours); any lower one gives a lower one and then no part may be
    upper.
    """
    parts, neighbours = _profiles(parts)
    kinds = {part.kind for part in parts}
    if {"upper", "lower"} <= kinds:
        raise validation.invalid("parts", "profiles that bound to one side: upper and lower do not mix", sorted(kinds))
    kind = "upper" if "upper" in kinds else "lower" if "lower" in kinds else "exact"
    shifts = [part.mu for part in parts if part.mu is not None]
    return Profile(
        kind,
        "disjoint records: " + _reasons(parts),
        partial(_largest, [part.delta for part in parts]),
        partial(_largest, [part.epsilon for part in parts]),
        neighbours,
        max(shifts) if kind != "lower" and len(shifts) == len(parts) else None,
        ("largest", tuple(part.law for part in parts)),
    )


@dataclass(frozen=True)
class _Optimal:
    """Composed randomised responses: all is lost with probability `failure`, nothing else past `level`.

    δ of the responses is widened by the relative `rounding` of their masses.
    """

    level: float
    failure: float
    responses: HockeyStick
    rounding: float

    def delta(self, epsilon: float) -> float:
        if epsilon >= self.level:
            return self.failure
        exact = self.failure + (1.0 - self.failure) * self.responses.delta(epsilon)
        return min(1.0, exact * (1.0 + self.rounding))

    def epsilon(self, delta: float) -> float:
        if delta < self.failure:
            return math.inf
        room = (delta / (1.0 + self.rounding) - self.failure) / (1.0 - self.failure)
        return self.level if room <= 0.0 else min(self.level, self.responses.epsilon(room))


def _convolved(parts: Sequence[Profile], interval: float | None) -> Any:
    """The privacy loss of the composition, as a dp-accounting mass function."""
    pmf = validation.extra("dp_accounting.pld.pld_pmf", "accounting")
    distinct = list({id(part): part for part in parts}.values())
    reaches = [_reach(part) for part in distinct]
    step = max(min(reaches) / 5e3, max(reaches) / 1e5) if interval is None else interval
    if max(reaches) > 0.5 * _MOST_ATOMS * step:
        raise validation.invalid("interval", f"at least {2.0 * max(reaches) / _MOST_ATOMS:.3g} here", interval)
    whole = None
    for part, reach in zip(distinct, reaches, strict=True):
        copies = sum(other is part for other in parts)
        loss = _dominating(pmf, part, max(1, math.ceil(reach / step)), step)
        if copies > 1:
            loss = loss.self_compose(copies, _TAIL)
        whole = loss if whole is None else pmf.compose_pmfs(whole, loss, _TAIL)
    return whole


def _reach(part: Profile) -> float:
    """The largest loss to keep: beyond it δ falls by at most `_TAIL` more."""
    return max(part.epsilon(part.delta(_FAR) + _TAIL), 1e-6)


def _dominating(pmf: Any, part: Profile, points: int, interval: float) -> Any:
    """A discrete privacy loss whose curve lies above that of every pair the profile covers.

    As a function of γ = e^ε the curve H of a pair is convex, and H(1/γ) = 1 − 1/γ + H'(γ)/γ with H' that of
    the pair turned round. So δ bounds H at the grid's points on both sides of γ = 1; the greatest convex
    minorant of these bounds still does, and its chords bound H between them. A change of slope by s at γ is
    a mass of γs at log γ, and by the symmetry of the bound one of s at −log γ.
    """
    from scipy.optimize import isotonic_regression

    losses = interval * np.arange(points + 1)
    gamma = np.exp(losses)
    curve = np.array([part.delta(loss) for loss in losses])
    # The chords between 1/γ and γ bound H(1).
    curve[0] = np.min(curve + (1.0 - curve) * np.tanh(0.5 * losses))
    widths = np.diff(gamma)
    slopes = np.minimum(isotonic_regression(np.diff(curve) / widths, weights=widths).x, 0.0)
    turned = np.diff(slopes, append=0.0)
    masses = dict(enumerate(gamma[1:] * turned, start=1))
    masses |= {-k: mass for k, mass in enumerate(turned, start=1)}
    masses[0] = max(0.0, 1.0 - curve[-1] - math.fsum(masses.values()))
    return pmf.create_pmf(masses, interval, float(curve[-1]), True)


def _accounted_delta(loss: Any, epsilon: float) -> float:
    return min(1.0, float(loss.get_delta_for_epsilon(epsilon)) + ACCOUNTING_ERROR)


def _largest(functions: Sequence[Any], argument: float) -> float:
    return max(function(argument) for function in functions)


def _parameters(parts: Sequence[tuple[float, float]]) -> tuple[list[float], list[float]]:
    try:
        pairs = [(level, failure) for level, failure in parts]
    except (TypeError, ValueError):  # no sequence, or not of pairs
        pairs = []
    if not pairs:
        raise validation.invalid("parts", "a sequence of at least one (epsilon, delta) pair", parts)
    levels = [validation.real("epsilon", level, at_least=0.0) for level, _ in pairs]
    return levels, [validation.delta(failure) for _, failure in pairs]


def _profiles(parts: Iterable[Profile]) -> tuple[list[Profile], str]:
    """The parts as a list, and the one neighbouring relation that they are for."""
    profiles = list(parts) if isinstance(parts, Iterable) else []
    if not profiles or not all(isinstance(part, Profile) for part in profiles):
        raise validation.invalid("parts", "a sequence of at least one Profile", parts)
    relations = {part.neighbours for part in profiles}
    if len(relations) > 1:
        raise validation.invalid("parts", "profiles for one neighbouring relation", sorted(relations))
    return profiles, profiles[0].neighbours


def _reasons(parts: Sequence[Profile]) -> str:
    return "; ".join(dict.fromkeys(part.why for part in parts))
