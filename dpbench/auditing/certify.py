"""What certified counts of an event say: of a claim, of the trade-off curve, and of what would have been refuted.

Claims are (ε, δ), a profile, μ-GDP, ρ-zCDP, and Rényi privacy at listed orders.

A claim is read on one event with probabilities p on one data set and q on the other. Its `excess` is positive where no
mechanism that keeps the claim can have such an event; it grows with p and falls with q wherever it is positive. So a
confidence region for (p, q), the corners p ≥ low and q ≤ high, refutes the claim if every corner exceeds it: different
corners may exceed it at different ε or orders.

A mechanism is f-DP if every test of one data set against its neighbour with false-positive rate α has a false-negative
rate of at least f(α) (Dong, Roth & Su 2019). An event with P(S) = p and Q(S) = q is such a test, with rates (q, 1 − p),
and read backwards one with rates (1 − p, q). f is convex with f(0) ≤ 1 and f(1) = 0, so these points bound it from
above; what a confidence region leaves open is given to f.

Upper limits for the events that were tried are what a sequential audit gives up by; no bound depends on them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from scipy.special import ndtri

from dpbench.bounds import ANGLES, Region, best_angle, joint_region, lower, upper
from dpbench.core import validation
from dpbench.core.validation import InvalidInput, invalid
from dpbench.privacy.profile import Profile

POINTS = 257
"""Values of ε at which a profile is read; any set of them is valid, a finer one refutes a little more."""

FARTHEST = 60.0  # an ε beyond which no profile is read

ORDERS = 1.0 + np.geomspace(1e-3, 1e4, 71)
"""Orders at which zero-concentrated privacy is read; any set of them is valid."""

_LEAST = 1e-300


class Claim(Protocol):
    """The privacy that a mechanism is claimed to have.

    `level`: minus the largest excess of an event that is equally likely on both data sets, so that excess + level is a
    loss: 0 where there is none, whatever is claimed.
    """

    @property
    def words(self) -> str: ...

    @property
    def level(self) -> float: ...

    def excess(self, p: np.ndarray, q: np.ndarray) -> np.ndarray:
        """By how much events of probability p against q exceed the claim; at most 0 where they do not."""
        ...

    def read(self, region: Region) -> tuple[float, str]:
        """What a region for (p, q) shows of the loss, at least 0, in the claim's own unit, and the unit."""
        ...


@dataclass(frozen=True)
class Approximate:
    """(ε, δ)-differential privacy; the excess is in ε."""

    epsilon: float
    delta: float

    @property
    def words(self) -> str:
        return f"epsilon {self.epsilon:g}, delta {self.delta:g}"

    @property
    def level(self) -> float:
        return self.epsilon

    def excess(self, p: np.ndarray, q: np.ndarray) -> np.ndarray:
        return _log_ratio(p - self.delta, q) - self.epsilon

    def read(self, region: Region) -> tuple[float, str]:
        return region.epsilon(self.delta), "epsilon"


@dataclass(frozen=True)
class Curve:
    """δ(ε) at listed ε, both directions and complements; the excess is in ε, the largest over them."""

    epsilons: np.ndarray
    deltas: np.ndarray
    words: str

    @property
    def level(self) -> float:
        return float((self.epsilons - np.log1p(-np.minimum(self.deltas, 1.0 - 1e-16))).min())

    def excess(self, p: np.ndarray, q: np.ndarray) -> np.ndarray:
        above = _log_ratio(p[..., None] - self.deltas, q[..., None]) - self.epsilons
        # The complement is likelier on the other side: 1 − q against 1 − p.
        below = _log_ratio((1.0 - q)[..., None] - self.deltas, (1.0 - p)[..., None]) - self.epsilons
        return np.maximum(above.max(axis=-1), below.max(axis=-1))

    def read(self, region: Region) -> tuple[float, str]:
        return max(least_excess(self, region), 0.0), "epsilon beyond the profile"


@dataclass(frozen=True)
class Gaussian:
    """μ-Gaussian differential privacy; the excess is in μ."""

    mu: float

    @property
    def words(self) -> str:
        return f"{self.mu:g}-GDP"

    @property
    def level(self) -> float:
        return self.mu

    def excess(self, p: np.ndarray, q: np.ndarray) -> np.ndarray:
        with np.errstate(invalid="ignore"):
            gap = ndtri(p) - ndtri(q)
        return np.where(np.isnan(gap), -np.inf, gap) - self.mu

    def read(self, region: Region) -> tuple[float, str]:
        return region.mu(), "mu"


@dataclass(frozen=True)
class Renyi:
    """Rényi differential privacy at listed orders α > 1: D_α ≤ ε_α, both directions.

    An event's excess is that of the two-point laws (p, 1 − p) and (q, 1 − q), whose divergence is at most the outputs'
    (data processing). It grows as p and q move apart, so that corners are enough.
    """

    orders: np.ndarray
    epsilons: np.ndarray

    @property
    def words(self) -> str:
        pairs = ", ".join(f"{e:g} at order {o:g}" for o, e in zip(self.orders, self.epsilons, strict=True))
        return f"Renyi divergence {pairs}"

    @property
    def level(self) -> float:
        return float(self.epsilons.min())

    def excess(self, p: np.ndarray, q: np.ndarray) -> np.ndarray:
        return np.where(p > q, (_divergences(p, q, self.orders) - self.epsilons).max(axis=-1), -self.epsilons.min())

    def read(self, region: Region) -> tuple[float, str]:
        least = _divergences(region.low, region.high, self.orders).min(axis=0)
        best = int(np.argmax(least - self.epsilons))
        return max(float(least[best]), 0.0), f"Renyi divergence at order {self.orders[best]:g}"


@dataclass(frozen=True)
class ZeroConcentrated:
    """ρ-zero-concentrated differential privacy, and δ-approximate ρ-zCDP (Bun & Steinke 2016, definitions 1.1 and 8.1).

    The excess is in ρ: the largest D_α/α of the two-point laws over a grid of orders, which is at most the outputs'.
    Where the claim is approximate, laws P and Q are mixtures of 1 − δ of P₀ and Q₀, which are ρ-zCDP, and δ of
    anything, so that P₀(A) is at least (p − δ)/(1 − δ) and Q₀(A) at most q/(1 − δ).
    """

    rho: float
    delta: float = 0.0

    @property
    def words(self) -> str:
        return f"{self.rho:g}-zCDP" if self.delta == 0.0 else f"{self.delta:g}-approximate {self.rho:g}-zCDP"

    @property
    def level(self) -> float:
        return self.rho

    def _of(self, p: np.ndarray, q: np.ndarray) -> np.ndarray:
        p, q = (p - self.delta) / (1.0 - self.delta), q / (1.0 - self.delta)
        return (_divergences(p, q, ORDERS) / ORDERS).max(axis=-1)

    def excess(self, p: np.ndarray, q: np.ndarray) -> np.ndarray:
        return self._of(p, q) - self.rho

    def read(self, region: Region) -> tuple[float, str]:
        return float(self._of(region.low, region.high).min()), "rho"


def _divergences(p: np.ndarray, q: np.ndarray, orders: np.ndarray) -> np.ndarray:
    """The larger D_α of (p, 1 − p) and (q, 1 − q) of the two directions, where p > q (else 0); orders on the last axis.

    log(p^α q^{1−α} + (1 − p)^α (1 − q)^{1−α})/(α − 1).
    """
    apart = p > q
    p, q = np.where(apart, p, 0.5)[..., None], np.where(apart, q, 0.5)[..., None]
    a, b, c, d = (np.log(np.maximum(x, _LEAST)) for x in (p, q, 1.0 - p, 1.0 - q))
    forward, back = (
        np.logaddexp(orders * x + (1.0 - orders) * y, orders * v + (1.0 - orders) * w)
        for x, y, v, w in ((a, b, c, d), (b, a, d, c))
    )
    return np.where(apart[..., None], np.maximum(forward, back) / (orders - 1.0), 0.0)


def _log_ratio(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    return np.where(p > 0.0, np.log(np.maximum(p, _LEAST)) - np.log(np.maximum(q, _LEAST)), -np.inf)


def least_excess(claim: Claim, region: Region) -> float:
    """The excess that every corner of a region has, at least: above 0 it refutes the claim."""
    return float(claim.excess(region.low, region.high).min())


def parameter(claim: Claim | None) -> float | None:
    """The claim as one number, where it is one."""
    return getattr(claim, "mu", getattr(claim, "rho", getattr(claim, "epsilon", None)))


def as_claim(claim: Any, epsilon: float | None, delta: float) -> Claim | None:
    """The claim that `audit`'s parameters make, checked.

    Parameters
    ----------
    claim : Profile, mapping, accountant or None
        A profile (exact or upper); ``{"mu": 1.0}``; ``{"rdp": {2: 0.5, 8: 2.0}}``; ``{"rho": 0.5}``, with
        ``"delta"`` of approximate zCDP; ``{"epsilon": 1.0, "delta": 1e-6}``; or what has
        ``get_delta_for_epsilon(epsilon)``, such as a privacy loss distribution of dp-accounting.
    epsilon : float or None
        Must be None beside a claim.
    delta : float
    """
    if claim is None:
        return None if epsilon is None else Approximate(epsilon, delta)
    if epsilon is not None:
        raise invalid("epsilon", "left out beside claim (the claim says it all)", epsilon)
    if isinstance(claim, Profile):
        return _of_profile(claim)
    if isinstance(claim, Mapping):
        if "epsilon" in claim and delta:
            raise invalid("delta", "left out beside a claim of epsilon (the claim says it all)", delta)
        return _of_mapping(claim)
    if callable(getattr(claim, "get_delta_for_epsilon", None)):
        return _curve(claim.get_delta_for_epsilon, f"profile of {type(claim).__name__}")
    raise invalid("claim", f"a Profile, {MAPPINGS} or a privacy loss distribution", claim)


def _of_profile(profile: Profile) -> Claim:
    if profile.kind == "lower":
        raise invalid("claim", "a Profile of kind exact or upper (a lower bound is no guarantee)", profile)
    if profile.mu is not None:
        return Gaussian(profile.mu)
    return _curve(profile.delta, f"profile: {profile.why}" if profile.why else "profile")


def _curve(given: Callable[[float], Any], words: str) -> Curve:
    """Somebody's δ(ε), which may raise what it likes, up to an ε from which on it hardly changes."""

    def delta_of(epsilon: float) -> float:
        try:
            return float(given(epsilon))
        except Exception as error:
            raise InvalidInput(
                f"claim must be a profile whose delta at epsilon {epsilon:g} is a number, got {type(error).__name__}: "
                f"{error}"
            ) from error

    end, last = 1.0 / 16.0, delta_of(FARTHEST)
    while end < FARTHEST and delta_of(end) > last + 1e-12:
        end *= 2.0
    epsilons = np.concatenate([np.linspace(0.0, min(end, FARTHEST), POINTS), [FARTHEST]])
    deltas = np.array([delta_of(float(e)) for e in epsilons])
    if not ((deltas >= 0.0) & (deltas <= 1.0)).all():
        raise invalid("claim", "a profile whose deltas lie in [0, 1]", float(deltas[np.argmax(np.abs(deltas - 0.5))]))
    if (np.diff(deltas) > 1e-9 + 1e-6 * deltas[:-1]).any():  # beyond the error of an accountant
        raise invalid("claim", "a profile whose delta does not increase with epsilon", words)
    return Curve(epsilons, deltas, words)


MAPPINGS = (
    '{"mu": number}, {"rho": number} (with "delta"), {"rdp": {order: epsilon}}, {"epsilon": number, "delta": number}'
)
"""Forms of a claim in words."""


def _of_mapping(claim: Mapping[Any, Any]) -> Claim:
    kinds = [kind for kind in claim if kind != "delta"]
    for kind in claim:
        validation.choice("the key of claim", kind, ["mu", "rho", "rdp", "epsilon", "delta"])
    if len(kinds) != 1 or ("delta" in claim and kinds[0] not in ("rho", "epsilon")):
        raise invalid("claim", f"one of {MAPPINGS}", dict(claim))
    kind, value = kinds[0], claim[kinds[0]]
    delta = validation.delta(claim.get("delta", 0.0))
    if kind == "mu":
        return Gaussian(validation.real("mu", value, at_least=0.0))
    if kind == "rho":
        return ZeroConcentrated(validation.real("rho", value, at_least=0.0), delta)
    if kind == "epsilon":
        return Approximate(validation.real("epsilon", value, at_least=0.0), delta)
    if not isinstance(value, Mapping) or not value:
        raise invalid("rdp", "a mapping from orders > 1 to epsilons, not empty", value)
    orders = np.array([validation.real("an order of rdp", o, above=1.0) for o in value])
    epsilons = np.array([validation.real(f"rdp at order {o:g}", value[o], at_least=0.0) for o in value])
    return Renyi(orders, epsilons)


@dataclass(frozen=True)
class Certified:
    """An event's counts on the certifying part.

    Attributes
    ----------
    hits : (int, int)
        On the side where the event is likelier, and on the other.
    trials : int
        Certifying runs on the likelier side.
    forward : bool
        The likelier side is the data set.
    alpha : float
        Error probability spent on it.
    angle : int
        Weights of the joint region (see `dpbench.bounds`).
    opposite : int or None
        Certifying runs on the other side, where they are not as many.
    """

    hits: tuple[int, int]
    trials: int
    forward: bool
    alpha: float
    angle: int
    opposite: int | None = None

    @property
    def both(self) -> tuple[int, int]:
        """Certifying runs on the likelier side, and on the other."""
        return self.trials, self.trials if self.opposite is None else self.opposite

    @property
    def frequencies(self) -> tuple[float, float]:
        """Of the event, on the likelier side and on the other."""
        return self.hits[0] / self.both[0], self.hits[1] / self.both[1]

    def region(self, cells: int = 256) -> Region:
        """The joint region for the event's two probabilities."""
        return joint_region(self.hits, self.both, self.alpha, self.angle, cells)

    def delta(self, epsilons: np.ndarray) -> np.ndarray:
        """Lower bounds on δ(ε), at least 0, one for each ε."""
        return self.region(128).delta(epsilons)


LEAST_RATE = 1e-9
_TAIL = np.geomspace(LEAST_RATE, 0.5, 200)
RATES = np.unique(np.concatenate([_TAIL, 1.0 - _TAIL, np.linspace(0.0, 1.0, 1001)[1:-1]]))
"""False-positive rates at which the bound is made; between them it is convex."""


def upper_bound(regions: Iterable[Region], rates: np.ndarray) -> np.ndarray:
    """Upper bounds on f at these false-positive rates, valid together wherever all regions hold.

    Parameters
    ----------
    regions : iterable of Region
        Of events, each likelier on its own first side.
    rates : float64[m]
        In [0, 1].
    """
    best = 1.0 - RATES
    for region in regions:
        best = np.minimum(best, _through(region.low, region.high))
        best = np.minimum(best, _through(1.0 - region.high, 1.0 - region.low))
    x = np.concatenate([[0.0], RATES, [1.0]])
    y = np.concatenate([[1.0], best, [0.0]])
    keep = _hull(x, y)
    return np.interp(rates, x[keep], y[keep])


def _through(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The worst over corners of the bound by lines from (0, 1) through (high, 1 − low) to (1, 0), at `RATES`."""
    apart = low > high
    if not apart.all():
        return 1.0 - RATES
    left = 1.0 - RATES[:, None] * (low / np.maximum(high, 1e-300))[None, :]
    right = (1.0 - RATES[:, None]) * ((1.0 - low) / np.maximum(1.0 - high, 1e-300))[None, :]
    return np.where(RATES[:, None] < high[None, :], left, right).max(axis=1)


def _hull(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Indices of the lower convex hull of points with increasing x (Andrew's monotone chain)."""
    kept: list[int] = []
    for k in range(len(x)):
        while len(kept) > 1:
            i, j = kept[-2], kept[-1]
            if (y[j] - y[i]) * (x[k] - x[i]) < (y[k] - y[i]) * (x[j] - x[i]):
                break
            kept.pop()
        kept.append(k)
    return np.array(kept)


CHOOSE_SHARE = 0.2  # of the runs choose the event

CURVE_SHARE = 0.05
"""Of the error probability goes to the events of the curve, where there is one; the rest is for the main event."""


def smallest_detectable(claim: Claim, event: Certified) -> float | None:
    """The smallest loss, in the unit of the claim, at which this event would have refuted it with probability one half.

    The event keeps its frequency q on the side where it is rarer (half a count, if it never came up there); on the
    other side its probability is p = e^ε' q + δ for an (ε, δ) claim, and for others what has the loss on the two-point
    laws. The number of runs in the event then is at least its median with probability one half, and that median is the
    least number from which the same bound refutes.

    Returns
    -------
    float or None
        None: no frequency of the event could have refuted the claim with so many runs.
    """
    hits, (rows, others) = event.hits[1], event.both

    def enough(count: int) -> bool:
        if count * others <= hits * rows:  # no claim is exceeded where the event is no likelier: compute no region
            return False
        return least_excess(claim, joint_region((count, hits), (rows, others), event.alpha, event.angle, 32)) > 0.0

    least = least_enough(enough, rows)
    if least is None:
        return None
    p, q = least / rows, max(hits, 0.5) / others
    return claim.read(Region(np.array([p]), np.array([q])))[0]


def runs_needed(
    epsilon: float,
    times: float = 2.0,
    *,
    delta: float = 0.0,
    rarer: float | None = None,
    probability: float = 0.5,
    confidence: float = 0.999,
) -> int | None:
    """Plan an audit: runs a side from which a mechanism of `times` the claimed ε is refuted with a probability.

    Parameters
    ----------
    epsilon, delta : float
        The claim.
    times : float
        Above 1: the mechanism's true ε' is this many times the claimed one.
    rarer : float, optional
        Probability of the event where it is rarer, such as `AuditResult.certified.frequencies[1]` of an audit made
        already. Default: (1 − δ)/(1 + e^ε'), that of the best event of randomised response.
    probability : float
        Of refuting, about: counts are taken to be normal.
    confidence : float
        Of the audit.

    Returns
    -------
    int or None
        With the fifth of them that choose the event; None: more than 10⁹ (no such event has this loss, say).

    Examples
    --------
    >>> from dpbench import runs_needed
    >>> 100 <= runs_needed(1.0, 2.0) < runs_needed(1.0, 1.1)
    True
    """
    claimed = validation.real("epsilon", epsilon, above=0.0)
    true = validation.real("times", times, above=1.0) * claimed
    delta = validation.delta(delta)
    alpha = 1.0 - validation.fraction("confidence", confidence)
    q = (1.0 - delta) / (1.0 + math.exp(min(true, 700.0)))
    if rarer is not None:
        q = validation.fraction("rarer", rarer)
    short = float(ndtri(validation.fraction("probability", probability)))
    p = math.exp(min(true, 700.0)) * q + delta
    if p > 1.0:
        return None
    claim = Approximate(claimed, delta)
    angle = best_angle(math.sqrt(p * (1.0 - p)) / max(p - delta, 1e-300), math.sqrt((1.0 - q) / q))
    turn = 0.5 * math.pi * angle / ANGLES

    def enough(rows: int) -> bool:  # counts as far from their means as the bound is moved by
        few = math.floor(p * rows - short * math.sin(turn) * math.sqrt(rows * p * (1.0 - p)))
        many = math.ceil(q * rows + short * math.cos(turn) * math.sqrt(rows * q * (1.0 - q)))
        hits = min(max(few, 0), rows), min(max(many, 0), rows)
        return least_excess(claim, joint_region(hits, (rows, rows), (1.0 - CURVE_SHARE) * alpha, angle, 64)) > 0.0

    least = least_enough(enough, 10**9)
    return None if least is None else max(100, math.ceil(least / (1.0 - CHOOSE_SHARE)))


def least_enough(enough: Callable[[int], bool], most: int) -> int | None:
    """The least whole number from 1 to `most` that is enough, where all larger ones are; None: there is none."""
    if not enough(most):
        return None
    low, high = 0, 1
    while high < most and not enough(high):
        low, high = high, min(2 * high, most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def open_excess(tried: Iterable[Certified], claim: Claim) -> float:
    """The largest excess over a claim that the counts of these events leave open, each probability at 1%."""
    limits = [[float(upper(c.hits[0], c.both[0], 0.01)), float(lower(c.hits[1], c.both[1], 0.01))] for c in tried]
    return float(claim.excess(*np.array(limits).T).max()) if limits else -math.inf
