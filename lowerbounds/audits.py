"""Audits of pairs of data sets that differ in k records, by an exact test of what a privacy claim allows there.

A claim about neighbours, composed over k records, moves a test further than k times the distance of one record can
hide: Gaussian noise a tenth too small is plain at the right k where it is invisible at k = 1. The test is exact in
finite samples. An event E is chosen on runs of its own; on the others it occurs X ~ Bin(m, p) and Y ~ Bin(m, q)
times. Under the claim p ≤ G(q), G = g^{∘k}. For each q the one-sided p-values U = P(Bin(m, G(q)) ≥ X) and
V = P(Bin(m, q) ≤ Y) are stochastically at least uniform and independent, so the p-value of their weighted normal
scores is one of the claim at q, whatever the weights (they come from the runs that chose E). The claim is refuted
if that is so at every q, outside a Clopper–Pearson region that has a fiftieth of the error.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy.special import betainc, betaincc, betaincinv, ndtr, ndtri

from dpbench.core import validation
from dpbench.core.sampling import stream
from dpbench.core.validation import InvalidInput, invalid
from lowerbounds.curves import Approximate, Curve, Gaussian, Privacy, Renyi, best_distance, curve
from lowerbounds.instances import HardFamily
from lowerbounds.membership_inference import target_group

CHOOSING = 0.2
"""Share of the runs that choose the event."""

_BLOCK = 16_384
_CELLS = 400
_CAP = 0.01  # share of the error on either side of the Clopper-Pearson region


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


@dataclass(frozen=True)
class GroupAudit:
    """What an audit of a pair at a distance found.

    Attributes
    ----------
    claim : str
    distance : int
        Records in which the two data sets differ.
    refuted : bool
        At `confidence`, without an assumption on the mechanism.
    lower : float
        At `confidence` the mechanism satisfies no claim of this kind below: of μ, of ρ, or of ε at the claim's δ.
    unit : str
        "mu", "rho", "epsilon at delta = ...", "multiple of the bounds" on Rényi divergences, or "strength" (1 where the
        claim is refuted, else 0) for other curves.
    hits : (int, int)
        Certifying runs with the event, on the data set where it is likelier, and on the other.
    trials : int
        Certifying runs a side.
    allowed : float
        The most that the claim allows the first rate to be, at the second as observed.
    confidence : float
    seed : int
    why : str
        The pair and the score.
    """

    claim: str
    distance: int
    refuted: bool
    lower: float
    unit: str
    hits: tuple[int, int]
    trials: int
    allowed: float
    confidence: float
    seed: int
    why: str

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and strings, ready for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        word = "refuted" if self.refuted else "not refuted"
        first, second = (hit / self.trials for hit in self.hits)
        return (
            f"{self.claim} at distance {self.distance}: {word} at confidence {self.confidence:g}; event at {first:.4g} "
            f"against {second:.4g} ({self.allowed:.4g} allowed), {self.trials} runs a side; "
            f"{self.unit} >= {self.lower:.4g}"
        )


def group_audit(
    mechanism: Callable[..., Any],
    family: Any,
    claim: Privacy,
    *,
    delta: float = 0.0,
    distance: int | None = None,
    trials: int = 100_000,
    confidence: float = 0.999,
    seed: int = 0,
    problem: Callable[[Any], Any] | None = None,
) -> GroupAudit:
    """Run a mechanism on two data sets that differ in k records, and test the claim there.

    Parameters
    ----------
    mechanism : callable
        ``mechanism(dataset, trials, rng) -> array (trials, ...)``.
    family : HardFamily, Floor, Attack or callable
        What has pairs: a hard family, a floor of a builder, one pair, or ``family(distance, rng) -> Attack``.
    claim : float, mapping, profile or trade-off function
        As in `curve`; an ε goes with `delta`.
    distance : int, optional
        k; default the one with most power against noise slightly too small (`best_distance`).
    trials : int
        Runs on either data set; a fifth of them choose the event.
    confidence : float
    seed : int
    problem : callable, optional
        Makes what the mechanism takes from a data set of the family, for example
        ``dpbench.GLMProblem.from_instance``.

    Returns
    -------
    GroupAudit

    Raises
    ------
    InvalidInput
        A parameter or an output cannot be used, or the mechanism raised.

    Notes
    -----
    Group privacy is exact for μ-GDP (kμ) and for the composed curve of every other claim; see `lowerbounds.curves`.

    Examples
    --------
    >>> from lowerbounds import chaudhuri_hsu, group_audit
    >>> def noisy_mean(data, trials, rng):  # the sensitivity of the label mean is 2/n; half the noise of 0.1-GDP
    ...     return data.y.mean() + 0.5 * (2.0 / 1000) / 0.1 * rng.standard_normal(trials)
    >>> group_audit(noisy_mean, chaudhuri_hsu(1000, {"mu": 0.1}), {"mu": 0.1}).refuted
    True
    """
    if not callable(mechanism):
        raise invalid("mechanism", "callable as mechanism(dataset, trials, rng)", mechanism)
    made = curve(claim, delta)
    trials = validation.integer("trials", trials, at_least=100, at_most=2**40)
    alpha = 1.0 - validation.fraction("confidence", confidence)
    seed = validation.integer("seed", seed, at_least=0)
    attack = attack_of(family, made, distance, stream(seed, "group audit", "pair"))
    choosing = max(20, math.ceil(CHOOSING * trials))
    scores = []
    for side, data in enumerate((attack.dataset, attack.neighbour)):
        data = data if problem is None else problem(data)
        scores.append(
            [
                _scores(mechanism, data, attack, count, seed, side, part)
                for part, count in (("choose", choosing), ("certify", trials - choosing))
            ]
        )
    first, threshold, weights = _event(made, attack.distance, scores[0][0], scores[1][0])
    above = [int((part[1] >= threshold).sum()) for part in scores]
    size = trials - choosing
    # The event is a high score where that is likelier on the neighbour (first = 1), else a low one.
    hits = (above[1], above[0]) if first == 1 else (size - above[0], size - above[1])

    def refuted(other: Curve) -> bool:
        return bool(excluded(other, attack.distance, hits, size, alpha, weights))

    unit, lower = _lower(made, refuted)
    allowed = float(made.most(hits[1] / size, attack.distance))
    return GroupAudit(
        made.claim, attack.distance, refuted(made), lower, unit, hits, size, allowed, 1.0 - alpha, seed, attack.why
    )


def attack_of(family: Any, claim: Curve, distance: int | None, rng: np.random.Generator) -> Attack:
    """The pair of a family at a distance, by default the one with most power against the claim."""
    if isinstance(family, Attack):
        if distance not in (None, family.distance):
            raise invalid("distance", f"{family.distance}, that of the pair", distance)
        return family
    if isinstance(family, HardFamily):
        return _of_hard_family(family, claim, distance, rng)
    make = getattr(family, "attack", family)
    if not callable(make):
        raise invalid("family", "a HardFamily, a floor with attack(distance, rng), an Attack, or a callable", family)
    most = int(getattr(family, "n", 2**53))
    wanted = best_distance(claim, most, purpose="attack") if distance is None else distance
    attack = make(validation.integer("distance", wanted, at_least=1, at_most=most), rng)
    if not isinstance(attack, Attack):
        raise invalid("family", "something that makes an Attack", attack)
    return attack


def _of_hard_family(family: HardFamily, claim: Curve, distance: int | None, rng: np.random.Generator) -> Attack:
    if family.name == "fingerprinting":
        most = int(family.parameters["active"])
        wanted = best_distance(claim, min(family.n, most), purpose="attack") if distance is None else distance
        wanted = validation.integer("distance", wanted, at_least=1, at_most=min(family.n, most))
        present, absent, score = target_group(family, wanted, rng)
        return Attack(absent, present, wanted, score, f"{family.name} ({family.source}): {wanted} targets in or out")
    if family.enumerated:
        wanted = best_distance(claim, family.n, purpose="attack") if distance is None else distance
        wanted = validation.integer("distance", wanted, at_least=1)
        if wanted != family.distance:
            if family.at_distance is None:
                if distance is not None:
                    raise invalid("distance", f"{family.distance}, the only one of this family", distance)
            else:
                family = family.at_distance(distance=wanted)
        first, second = family.enumerated
        changed = family.distance
    else:
        # Flip as many signs as come nearest to the distance wanted.
        first = family.members(rng)
        if not isinstance(first, np.ndarray) or not np.all(np.abs(first) == 1.0) or family.privacy is None:
            raise invalid("family", "one whose members are two data sets or vectors of signs", family.name)
        wanted = best_distance(claim, family.n, purpose="attack") if distance is None else distance
        flips = min(len(first), max(1, round(wanted / family.distance)))
        second = first.copy()
        second[:flips] *= -1.0
        changed = flips * family.distance
    towards = family.minimisers(second) - family.minimisers(first)
    middle = 0.5 * (family.minimisers(second) + family.minimisers(first))
    return Attack(
        family.instances(first, rng),
        family.instances(second, rng),
        changed,
        lambda outputs: (outputs.reshape(len(outputs), -1) - middle) @ towards,
        f"{family.name} ({family.source}): two members {changed} records apart, outputs projected on the line between "
        "their minimisers",
    )


def _scores(
    mechanism: Callable[..., Any], data: Any, attack: Attack, count: int, seed: int, side: int, part: str
) -> np.ndarray:
    """Scores of `count` runs, in blocks with a Generator each."""
    found = []
    for block, start in enumerate(range(0, count, _BLOCK)):
        size = min(_BLOCK, count - start)
        rng = stream(seed, "group audit", side, part, block)
        try:
            outputs = np.asarray(mechanism(data, size, rng), dtype=np.float64)
        except (Exception, SystemExit) as error:
            where = "the neighbour" if side else "the data set"
            raise InvalidInput(f"mechanism raised {type(error).__name__} on {where}: {error}") from error
        if outputs.shape[:1] != (size,) or not np.isfinite(outputs).all():
            raise invalid("the array that mechanism returns", f"finite, with {size} rows", outputs)
        scored = np.asarray(attack.score(outputs), dtype=np.float64)
        if scored.shape != (size,):
            raise invalid("the array that score returns", f"of shape ({size},)", scored)
        found.append(scored)
    return np.concatenate(found)


def _event(claim: Curve, k: int, here: np.ndarray, there: np.ndarray) -> tuple[int, float, tuple[float, float]]:
    """(side of the event, threshold, weights) with the largest excess over the claim in standard errors."""
    both = np.sort(np.concatenate([here, there]))
    thresholds = np.unique(both[np.linspace(0, both.size - 1, 201).astype(int)[1:]])
    n = here.size
    up = [1.0 - np.searchsorted(np.sort(part), thresholds, side="left") / n for part in (here, there)]
    best: tuple[float, int, float, tuple[float, float]] = (-math.inf, 1, float(thresholds[0]), (1.0, 1.0))
    for first, p, q in ((1, up[1], up[0]), (0, 1.0 - up[0], 1.0 - up[1])):
        low, high = ((n * v + 2.0) / (n + 4.0) for v in (q, p))
        error = np.sqrt(low * (1.0 - low) / n)
        reach = claim.most(low, k)
        slope = (claim.most(np.minimum(low + error, 1.0), k) - reach) / error
        errors = np.sqrt(high * (1.0 - high) / n), slope * error
        excess = (high - reach) / np.hypot(*errors)
        i = int(np.argmax(excess))
        if excess[i] > best[0]:
            best = float(excess[i]), first, float(thresholds[i]), (float(errors[0][i]), float(errors[1][i]))
    return best[1], best[2], best[3]


def excluded(
    claim: Curve, k: int, hits: tuple[int, int], trials: int, alpha: float, weights: tuple[float, float] = (1.0, 1.0)
) -> bool:
    """Whether counts of an event on two data sets k records apart exclude the claim, at error `alpha`.

    Parameters
    ----------
    claim : Curve
    k : int
    hits : (int, int)
        X on the side where the event is likelier, Y on the other.
    trials : int
        m, on each side.
    alpha : float
    weights : (float, float)
        Of the two normal scores; they must not depend on `hits`.
    """
    first, second = (weight / math.hypot(*weights) for weight in weights)
    x, y = hits
    if x == 0:
        return False
    top = 1.0 if y == trials else float(betaincinv(y + 1.0, float(trials - y), 1.0 - _CAP * alpha))
    least = float(betaincinv(float(x), trials - x + 1.0, _CAP * alpha))
    tails = ndtr(np.linspace(8.0, float(ndtri(_CAP * alpha)), _CELLS))
    q = np.array([0.0]) if y == trials else betaincinv(y + 1.0, float(trials - y), 1.0 - tails)
    q = np.unique(np.concatenate([[0.0], np.minimum(q, top), [top]]))
    reach = np.asarray(claim.most(q, k))
    # Each cell by its worst corner: U grows and V falls with q.
    u = betainc(float(x), trials - x + 1.0, np.minimum(reach[1:], 1.0))
    v = betaincc(y + 1.0, float(trials - y), q[:-1]) if y < trials else np.ones(q.size - 1)
    scores = first * np.maximum(-ndtri(u), -40.0) + second * np.maximum(-ndtri(v), -40.0)
    inside = reach[1:] >= least
    return bool(np.all(scores[inside] >= -ndtri((1.0 - 2.0 * _CAP) * alpha)))


def _lower(claim: Curve, refuted: Callable[[Curve], bool]) -> tuple[str, float]:
    """(unit, largest parameter that is refuted), by bisection: a claim is weaker the larger its parameter."""
    make: Callable[[float], Curve]
    if isinstance(claim, Gaussian):
        unit, make, start = "mu", Gaussian, claim.mu
    elif isinstance(claim, Approximate):
        unit, start, fixed = f"epsilon at delta = {claim.delta:g}", claim.epsilon, claim.delta
        make = lambda value: Approximate(value, fixed)  # noqa: E731
    elif isinstance(claim, Renyi):
        unit, start = ("multiple of the bounds", 1.0) if math.isnan(claim.rho) else ("rho", claim.rho)
        make = lambda value: claim.times(value / start)  # noqa: E731
    else:
        return "strength", 1.0 if refuted(claim) else 0.0
    low, high = 0.0, start
    while refuted(make(high)) and high < 2.0**10 * start:
        low, high = high, 2.0 * high
    for _ in range(30):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if refuted(make(middle)) else (low, middle)
    return unit, low
