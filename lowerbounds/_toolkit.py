"""Families of one's own, and the arguments that turn them into floors and attacks.

A `Family` is what the textbook arguments ask for: hypotheses or a prior, the law of the data, a loss, and how near two
hypotheses are. A builder takes it with a privacy claim (any curve) and returns a `Floor`: the number, the family to run
a mechanism on, and the argument read backwards, as an attack on two data sets that differ in k records.

Data are coupled record by record: under two hypotheses K ~ Bin(n, t) records differ, t the total variation of one
record, and all else is shared. Given what is shared the mechanism sees one of two data sets at distance K, so whatever
a
curve leaves at distance k (overlap, variance of a sign), its mean over K is left (Acharya, Sun & Zhang 2021, with the
curve of the claim in place of its group bound).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpbench.core import binomial, validation
from dpbench.core.validation import invalid
from lowerbounds.curves import Curve, Privacy, bayes_variance, curve

_CELLS = 64
_POOL = 64
_MISSED = 1e-12


@dataclass(frozen=True, eq=False)
class Family:
    """A prior, the law of the data and a loss; records of any kind.

    Attributes
    ----------
    name : str
    n : int
        Records of a data set.
    draw : callable
        ``draw(member, rng)``: a data set, whose first axis (or length) is n.
    loss : callable
        ``loss(member, outputs)``: of each output, shape (trials,); at least 0.
    members : sequence
        All hypotheses, equally likely; empty where the prior is continuous.
    target : callable, optional
        ``target(member)``: an output of least loss.
    differ : callable, optional
        ``differ(member, other)``: an integer, the records in which their data sets (not random) differ; or a float, at
        least the total variation of the laws of one record.
    separation : callable, optional
        ``separation(member, other)``: at most ``loss(member, w) + loss(other, w)``, for every output w.
    quadratic : bool
        The loss is a square in every coordinate, and members that differ in one coordinate have targets as far apart as
        `separation` says: (w − τ)² + (w + τ)² ≥ 2τ².
    radius : float
        No output has a loss below it under two members.
    reference : object
        The hypothesis that a packing compares all members with; default the first.
    divergence : callable, optional
        ``divergence(member, other)``: Kullback–Leibler divergence of one record, for `fano`.
    law : callable, optional
        ``law(member)``: (records, probabilities) where a record has few values.
    couple : callable, optional
        ``couple(member, other, k)``: two data sets k records apart, each like the one member's; default from
        `law`.
    prior : callable, optional
        ``prior(rng)``: a member, where the prior is continuous.
    score : callable, optional
        ``score(member, records)``: gradients of the log-likelihood of records, shape (records, width).
    width : int
        Length of an output under `score`.
    information : (float, float)
        Trace of the Fisher information of one record, and its largest eigenvalue, averaged and largest over the prior.
    prior_information : float
        E‖∇ log prior‖².
    score_bound : float
        Largest ⟨w − θ, score⟩ over outputs w in the range of the prior; needed for δ > 0.
    public : int
        Records of the same law that are not private: ``draw`` appends them to the n private ones.
    beta : float
        Of a product of Beta(β, β) priors of means of bits, for `fingerprint`.
    at_prior : callable, optional
        ``at_prior(beta)``: the same family with another β.
    source : str
    """

    name: str
    n: int
    draw: Callable[[Any, np.random.Generator], Any]
    loss: Callable[[Any, np.ndarray], np.ndarray]
    members: Sequence[Any] = ()
    target: Callable[[Any], Any] | None = None
    differ: Callable[[Any, Any], int | float] | None = None
    separation: Callable[[Any, Any], float] | None = None
    quadratic: bool = False
    radius: float = 0.0
    reference: Any = None
    divergence: Callable[[Any, Any], float] | None = None
    law: Callable[[Any], tuple[Sequence[Any], Sequence[float]]] | None = None
    couple: Callable[[Any, Any, int], tuple[Any, Any]] | None = None
    prior: Callable[[np.random.Generator], Any] | None = None
    score: Callable[[Any, Any], np.ndarray] | None = None
    width: int = 0
    information: tuple[float, float] = (0.0, 0.0)
    prior_information: float = 0.0
    score_bound: float = math.inf
    public: int = 0
    beta: float = 0.0
    at_prior: Callable[[float], Family] | None = None
    source: str = ""

    def __post_init__(self) -> None:
        validation.integer("n", self.n, at_least=1)
        for name in ("draw", "loss"):
            if not callable(getattr(self, name)):
                raise invalid(name, "callable", getattr(self, name))
        if len(self.members) == 0 and self.prior is None:
            raise invalid("members", "the hypotheses, or a prior in their place", self.members)

    def sample(self, rng: np.random.Generator) -> Any:
        """A member from the prior."""
        return self.prior(rng) if self.prior is not None else self.members[int(rng.integers(len(self.members)))]


@dataclass(frozen=True, eq=False)
class Attack:
    """Two data sets and a score of outputs that tells them apart.

    Attributes
    ----------
    dataset, neighbour : object
        Handed to the mechanism as they are.
    distance : int
        Records in which they differ, at most.
    score : callable
        ``score(outputs)``: one number an output, shape (trials,); larger on the neighbour's outputs.
    why : str
        Where the pair and the score come from.
    """

    dataset: Any
    neighbour: Any
    distance: int
    score: Callable[[np.ndarray], np.ndarray]
    why: str


@dataclass(frozen=True, eq=False)
class Floor:
    """A lower bound on the mean loss over the prior, for every mechanism with the claim.

    Attributes
    ----------
    value : float
        On the mean over the prior, the data and the mechanism of the loss.
    family : Family
    privacy : Curve or None
        None: for every algorithm.
    argument : str
        The argument, with its numbers.
    attack : callable
        ``attack(distance, rng)``: two data sets that differ in `distance` records, and the score by which the argument
        tells them apart, as an `Attack`.
    """

    value: float
    family: Family
    privacy: Curve | None
    argument: str
    attack: Callable[[int, np.random.Generator], Attack]


def le_cam(family: Family, privacy: Privacy, delta: float = 0.0, *, pair: tuple[Any, Any] | None = None) -> Floor:
    """Two hypotheses: half their separation times the overlap that privacy leaves.

    Parameters
    ----------
    family : Family
        With `differ` and `separation`.
    privacy, delta
        As in `curve`.
    pair : (member, member), optional
        Default the first two; the floor is on the mean of their two risks.

    Notes
    -----
    E₀ loss₀ + E₁ loss₁ ≥ ∫ min(p₀, p₁)(loss₀ + loss₁) ≥ separation·overlap, and min is concave, so that the overlap is
    at least its mean over what the two data sets share.
    """
    claimed = curve(privacy, delta)
    if pair is None:
        _hypotheses(family, 2, radius=False)
    first, second = pair or family.members[:2]
    left = _left(family, claimed, first, second)
    value = 0.5 * _needs(family, "separation")(first, second) * left
    return Floor(
        value,
        replace(family, members=(first, second)),
        claimed,
        f"two hypotheses, overlap or variance left {left:.6g}",
        _two_members(family, first, second),
    )


def assouad(family: Family, privacy: Privacy, delta: float = 0.0) -> Floor:
    """A cube of hypotheses σ in {−1, 1}^d and a loss that adds up over coordinates: d times the floor of one sign.

    Parameters
    ----------
    family : Family
        Its members are all sign vectors, or it has a `prior` that draws them uniformly; `differ` and `separation` of
        members that differ in one sign.
    privacy, delta
        As in `curve`.

    Notes
    -----
    Given all other signs and what the two data sets share, the j-th sign is a fair coin and the output comes from one
    of
    two laws at distance K: its share of the loss is at least half of separation·overlap, or for a square
    separation/2·E[4π(1 − π)], π the posterior of the sign.
    """
    claimed = curve(privacy, delta)
    base = np.asarray(family.sample(np.random.default_rng(0)), dtype=np.float64)
    if base.ndim != 1 or not np.all(np.abs(base) == 1.0):
        raise invalid("family", "one whose members are vectors of signs", family.name)
    value, left = 0.0, 0.0
    kept: dict[tuple[float, float], float] = {}
    flipped = base
    for j in range(base.size):
        flipped = base.copy()
        flipped[j] *= -1.0
        gap, near = _needs(family, "separation")(base, flipped), _differ(family, base, flipped)
        if (gap, near) not in kept:
            kept[gap, near] = _left(family, claimed, base, flipped)
        left = kept[gap, near]
        value += 0.5 * gap * left
    argument = f"{base.size} signs, each with {left:.6g} of its loss left"
    return Floor(value, family, claimed, argument, _two_members(family, base, flipped))


def packing_floor(family: Family, privacy: Privacy, delta: float = 0.0) -> Floor:
    """M hypotheses with disjoint events: their mean probability is at most g∘…∘g(1/M).

    Parameters
    ----------
    family : Family
        With `members`, `differ` and `radius`.
    privacy, delta
        As in `curve`.

    Notes
    -----
    With u the reference, Σ_v P_u(A_v) ≤ 1 for A_v = {loss under v below radius}. Up to k differing records
    P_v(A_v) ≤ g^{∘k}(P_u(A_v)) + P(K > k); g^{∘k} is concave, so the mean over v is at most g^{∘k}(1/M) + P(K > k), and
    the mean loss at least radius·(1 − that); k is chosen. For pure ε this is e^{kε}/M or less (Hardt & Talwar 2010;
    Barber & Duchi 2014).
    """
    claimed = curve(privacy, delta)
    count, reference = _hypotheses(family, 2)
    near = max(_differ(family, reference, member) for member in family.members)
    if isinstance(near, (int, np.integer)):
        options = [(int(near), 0.0)]
    else:
        high = _upper_count(family.n, float(near))
        ks = np.unique(np.linspace(0, high, min(high + 1, 400)).round()).astype(int).tolist()
        options = [(k, binomial.above(k, family.n, float(near))) for k in ks]
    hit, k = min((float(claimed.most(1.0 / count, k)) + missed, k) for k, missed in options)
    return Floor(
        family.radius * max(0.0, 1.0 - hit),
        family,
        claimed,
        f"{count} disjoint events, up to {k} records apart: mean probability at most {hit:.6g}",
        _two_members(family, *family.members[:2]),
    )


def fano(family: Family, privacy: Privacy | None = None, delta: float = 0.0) -> Floor:
    """M hypotheses and the information that an output can carry: radius·(1 − (I + log 2)/log M).

    Parameters
    ----------
    family : Family
        With `members` and `radius`, and `divergence` (of the data) or `differ` (for the privacy).
    privacy, delta
        As in `curve`; None for a floor on every algorithm.

    Notes
    -----
    I is at most the largest divergence of two output laws: n times that of a record, public ones counted in n, and for
    a private mechanism the mean over K of that of the curve's pair at distance K, (Kμ)²/2 under μ-GDP and K²ρ under
    ρ-zCDP; infinite where δ > 0 at every ε.
    """
    count, reference = _hypotheses(family, 3)
    bounds = []
    if family.divergence is not None:
        records = family.n + family.public
        bounds.append(records * max(family.divergence(member, reference) for member in family.members))
    claimed = None if privacy is None else curve(privacy, delta)
    if claimed is not None:
        near = max(_differ(family, reference, member) for member in family.members)
        counts = [(k, chance) for k, chance in _counts(family.n, near, upwards=True) if k > 0]
        bounds.append(sum(chance * claimed.divergence(k) for k, chance in counts))
    if not bounds:
        raise invalid("family", "one with divergence, where no privacy is given", family.name)
    information = min(bounds)
    share = 1.0 - (information + math.log(2.0)) / math.log(count)
    return Floor(
        family.radius * max(0.0, share),
        family,
        claimed,
        f"{count} hypotheses, information at most {information:.6g}",
        _two_members(family, *family.members[:2]),
    )


def score_attack(family: Family, privacy: Privacy | None, delta: float = 0.0) -> Floor:
    """A smooth prior: the output must correlate with the records' scores, and privacy bounds each correlation.

    Parameters
    ----------
    family : Family
        With `score`, `width`, `information`, `prior_information` and, for δ > 0, `score_bound`; its loss is ‖w − θ‖².
    privacy, delta
        As in `curve`; None for a floor on every algorithm (van Trees).

    Notes
    -----
    With A_i = ⟨M − θ, score_θ(x_i)⟩, integration by parts gives Σ_i E A_i = d − E⟨M − θ, ∇ log prior⟩ (Cai, Wang &
    Zhang
    2023). On a data set with x_i replaced by a fresh record A_i has mean 0 and E A_i² ≤ λR, R the risk and λ the
    largest
    eigenvalue of the information. Between neighbours, whose laws are post-processings of the curve's P and Q,
    |E_P A − E_Q A| ≤ √(χ² E_Q A²) + ℓ·max|A|: ℓ = P(dQ = 0), χ² = Σ (p − q)²/q on the rest. So, with m public records,

        d ≤ √(R (J + m·tr I)) + n √(χ²λR) + nℓ·max|A|,    and    d ≤ √(R (J + (n + m) tr I)).
    """
    score, width = _needs(family, "score"), validation.integer("width", family.width, at_least=1)
    trace, largest = family.information
    value = width**2 / (family.prior_information + (family.n + family.public) * trace)
    argument, claimed = "the information of all records", None
    if privacy is not None:
        claimed = curve(privacy, delta)
        private = _correlated(
            width,
            math.sqrt(family.prior_information + family.public * trace),
            math.sqrt(largest),
            family.n,
            claimed,
            family.score_bound,
        )
        if private > value:
            value, argument = private, "the correlation of each private record with the output"
    return Floor(value, family, claimed, argument, _targets(family, score))


def fingerprint(family: Family, privacy: Privacy, delta: float = 0.0) -> Floor:
    """Means of bits under Beta priors: the correlation weighted by μ(1 − μ), which needs no bound on the information.

    Parameters
    ----------
    family : Family
        With `beta`, `width` (d) and records of d bits in {0, 1}; its loss is ‖w − μ‖². Where it has `at_prior`, β is
        chosen for the largest floor.
    privacy, delta
        As in `curve`.

    Notes
    -----
    With A_i = ⟨M − μ, x_i − μ⟩: Σ_i E A_i = d·v − βE⟨M − μ, 1 − 2μ⟩, v = Eμ(1 − μ) = β/(2(1 + 2β)), and
    E(1 − 2μ)² = 1/(1 + 2β), E A_i² ≤ R/4 on fresh records, |A_i| ≤ d for outputs in [0, 1]^d. As in `score_attack`,
    with
    m public records, d·v ≤ √(Rd(β²/(1 + 2β) + mv)) + n(√(χ²R)/2 + ℓd), and without privacy the same with n + m public
    ones (Bun, Ullman & Vadhan 2014; Dwork et al. 2015 for the attack).
    """
    claimed = curve(privacy, delta)
    d = validation.integer("width", family.width, at_least=1)
    if not family.beta > 0.0:
        raise invalid("family", "one with Beta priors (beta > 0)", family.name)

    def risk(beta: float) -> float:
        spread = beta / (2.0 * (1.0 + 2.0 * beta))
        prior = beta**2 / (1.0 + 2.0 * beta)
        free = math.sqrt(d * (prior + family.public * spread))
        every = d * spread**2 / (prior + (family.n + family.public) * spread)
        return max(every, _correlated(d * spread, free, 0.5, family.n, claimed, float(d)))

    beta = family.beta
    if family.at_prior is not None:
        beta = max(np.geomspace(1e-3, 1e3, 241).tolist(), key=risk)
        family = family.at_prior(beta)
    return Floor(
        risk(beta),
        family,
        claimed,
        f"fingerprints of {d} bits, beta = {beta:.4g}",
        _targets(family, lambda member, records: np.asarray(records, dtype=np.float64) - member),
    )


def _correlated(total: float, free: float, spread: float, n: int, claimed: Curve, most: float) -> float:
    """The least R with total ≤ √R·(free + n·√χ²·spread) + n·ℓ·most."""
    leak, square = claimed.leak_and_square()
    lost = n * leak * most if leak > 0.0 else 0.0
    if not lost < total:
        return 0.0
    return ((total - lost) / (free + n * math.sqrt(square) * spread)) ** 2


def _left(family: Family, claimed: Curve, first: Any, second: Any) -> float:
    """The mean over K of what the curve leaves at distance K: of the overlap, or of the variance of a sign."""
    near = _differ(family, first, second)

    def at(k: int) -> float:
        if k == 0:
            return 1.0
        return bayes_variance(claimed.pair(k)) if family.quadratic else claimed.overlap(k)

    return sum(chance * at(k) for k, chance in _counts(family.n, near))


def _counts(n: int, near: int | float, upwards: bool = False) -> Iterator[tuple[int, float]]:
    """(k, chance) of the number of differing records, rounded up to the ends of cells.

    `upwards` accounts for all of it, with what is beyond the last cell at n: for what rises with k.
    """
    if isinstance(near, (int, np.integer)):
        yield validation.integer("differ", near, at_least=0, at_most=n), 1.0
        return
    if not 0.0 <= near <= 1.0:
        raise invalid("differ", "an integer, or a chance in [0, 1]", near)
    high = _upper_count(n, near)
    ends = np.unique(np.concatenate([np.arange(min(high, 16) + 1), np.linspace(0, high, _CELLS).round()])).astype(int)
    below = 0.0
    for end in ends.tolist():
        up_to = 1.0 - binomial.above(end, n, near)
        yield end, up_to - below
        below = up_to
    if upwards and high < n:
        yield n, max(0.0, 1.0 - below)


def _upper_count(n: int, chance: float) -> int:
    """The least k with P(Bin(n, chance) > k) ≤ 1e-12."""
    low, high = 0, n
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if binomial.above(middle, n, chance) <= _MISSED else (middle + 1, high)
    return low


def _differ(family: Family, first: Any, second: Any) -> int | float:
    if family.public:
        raise invalid(
            "family", "one without public records, which a coupling of all records does not spare", family.name
        )
    return _needs(family, "differ")(first, second)


def _needs(family: Family, name: str) -> Callable[..., Any]:
    part = getattr(family, name)
    if part is None:
        raise invalid("family", f"one with {name}", family.name)
    return part


def _hypotheses(family: Family, at_least: int, radius: bool = True) -> tuple[int, Any]:
    """How many members a family has, and the one that all are compared with."""
    if len(family.members) < at_least or (radius and family.radius <= 0.0):
        raise invalid("family", f"one with at least {at_least} members" + radius * " and a radius > 0", family.name)
    return len(family.members), family.members[0] if family.reference is None else family.reference


def _two_members(family: Family, first: Any, second: Any) -> Callable[[int, np.random.Generator], Attack]:
    """The attack of two hypotheses: the loss under one less that under the other, on data of either."""

    def score(outputs: np.ndarray) -> np.ndarray:
        return np.asarray(family.loss(first, outputs)) - np.asarray(family.loss(second, outputs))

    def pair(distance: int, rng: np.random.Generator) -> Attack:
        near = family.differ(first, second) if family.differ is not None else None
        if isinstance(near, (int, np.integer)):
            here, there, distance = family.draw(first, rng), family.draw(second, rng), int(near)
        elif family.couple is not None:
            here, there = family.couple(first, second, min(distance, family.n))
        elif family.law is not None:
            here, there = _coupled(family, first, second, min(distance, family.n))
        else:
            here, there = family.draw(first, rng), family.draw(second, rng)
            there = there.copy()
            there[distance:] = here[distance:]
        return Attack(here, there, distance, score, f"{family.name}: two hypotheses, {distance} records apart")

    return pair


def _coupled(family: Family, first: Any, second: Any, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Data sets that share n − k records of the common part of two laws, and have k from what either has more of."""
    (values, p), (same, q) = _needs(family, "law")(first), _needs(family, "law")(second)
    if [repr(v) for v in values] != [repr(v) for v in same]:
        raise invalid("law", "laws with the same records in the same order", family.name)
    weights = np.asarray(p, dtype=np.float64), np.asarray(q, dtype=np.float64)
    listed = np.empty(len(values), dtype=object)
    for i, value in enumerate(values):
        listed[i] = value
    common, more = (
        np.minimum(*weights),
        (np.maximum(weights[0] - weights[1], 0.0), np.maximum(weights[1] - weights[0], 0.0)),
    )

    def records(weight: np.ndarray, count: int) -> list[Any]:
        # The expected counts, rounded: of all such data sets those that differ in nothing but the k records.
        weight = weight if weight.sum() > 1e-15 else weights[0]
        ends = np.round(count * np.cumsum(weight) / weight.sum()).astype(int)
        return [listed[i] for i in np.repeat(np.arange(len(values)), np.diff(ends, prepend=0))]

    shared = records(common, family.n - k)
    return np.array(records(more[0], k) + shared), np.array(records(more[1], k) + shared)


def _targets(family: Family, score: Callable[[Any, Any], np.ndarray]) -> Callable[[int, np.random.Generator], Attack]:
    """The tracing attack: `distance` targets are in the data, or other records in their place.

    The targets are copies of one record, and the others of another, of a pool from the prior's law, with scores as far
    apart as there are: of all groups of that size their correlations add up best.
    """

    def pair(distance: int, rng: np.random.Generator) -> Attack:
        k = min(distance, family.n)
        member = family.sample(rng)
        data, pool = family.draw(member, rng), family.draw(member, rng)[:_POOL]
        scores = score(member, pool)
        gaps = ((scores[:, None] - scores[None]) ** 2).sum(axis=2)
        i, j = np.unravel_index(int(gaps.argmax()), gaps.shape)
        inside, outside = data.copy(), data.copy()
        inside[:k], outside[:k] = pool[i], pool[j]
        direction = scores[i] - scores[j]
        return Attack(
            outside,
            inside,
            k,
            lambda outputs: (np.asarray(outputs) - np.asarray(member)) @ direction,
            f"{family.name}: correlation with {k} targets in or out, summed over coordinates",
        )

    return pair
