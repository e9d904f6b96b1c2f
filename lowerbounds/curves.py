"""Privacy as a curve, and what it says of two data sets that differ in k records.

A trade-off curve bounds tests: an event of probability p on one data set has at most probability g(p) on a neighbour.
At distance k it has at most g∘…∘g (k times), and at every p some private mechanism attains this: on the i-th data set
of a chain it outputs 1 with probability g^{∘i}(p) (Dong, Roth & Su 2022, Theorem 2.14 for 1 − g). For μ-GDP the
composed curve is that of two unit Gaussians kμ apart. Any other curve is replaced by finitely many of its supporting
lines, which can only lower a floor, and these are composed exactly. (ε, δ) is one such pair of lines,

    g(p) = min(e^ε p + δ, 1 − e^{−ε}(1 − p − δ), 1).

Its group bound (kε, δ_k), δ_k = δ(e^{kε} − 1)/(e^ε − 1), is kept as `constants="exact"`, a weaker statement that many
proofs use: as ε → 0 at fixed kε = x, δ = 0, the composed curve is that of two Laplace laws x scales apart, with overlap
e^{−x/2}, where the group bound has 2/(1 + e^x). Bounds on Rényi divergences allow an
event of probability p what they allow two coins, D_α(q ‖ p) and D_α(p ‖ q) ≤ τ; such q form an interval whose end g(p)
is concave, as D_α is jointly quasi-convex (van Erven & Harremoës 2014, Theorem 13). The chain attains g∘…∘g here too,
so that it is at most what the bound k²ρ on groups gives under ρ-zCDP.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from dpbench.core import validation
from dpbench.core.validation import invalid

Pair = tuple[np.ndarray, np.ndarray]
Privacy = Any
"""What `curve` reads: an ε, or a curve in its place."""

_LEVELS = np.concatenate([[0.0], np.geomspace(1e-4, 60.0, 600)])  # ε at which a curve δ(ε) gives a line
_TESTS = np.concatenate([[0.0], ndtr(np.linspace(-5.0, 5.0, 301)), [1.0]])  # p at which a trade-off function is read
_ORDERS = np.concatenate([1.0 + np.geomspace(1e-3, 1e4, 106), [2.0]])  # α at which zero-concentrated privacy is read
_LARGEST = 700.0  # exponents beyond it overflow; e^-700 is 0 in every sum here
_MAPPINGS = "{'mu': m}, {'rho': r}, {'rdp': {alpha: tau}} or {'epsilon': e, 'delta': d}"
_MUST_BE = f"a number > 0, a mapping {_MAPPINGS}, an object with delta(epsilon), or f(alpha)"


class Curve:
    """What a floor asks of a privacy claim; k is the number of records in which two data sets differ."""

    @property
    def scale(self) -> float:
        """An ε of the same strength: data sets 1/ε apart are as easy to tell apart as under pure ε-DP."""
        k = 1
        while self.overlap(k) > math.exp(-0.5) and k < 2**20:
            k *= 2
        return -2.0 * math.log(max(self.overlap(k), 1e-300)) / k

    def pair(self, k: int) -> Pair:
        """Weights of two laws P, Q of which all output laws at distance k are post-processings (or blurred ones).

        This holds of two data sets in either order, so that P and Q may change places in a bound. Small masses of P
        lie near 0 and are as exact as floats there; small masses of Q are differences of numbers near 1.

        For sums of functions of (p, q) that are homogeneous of degree 1 and smooth.
        """
        raise NotImplementedError

    def most(self, p: Any, k: int) -> Any:
        """The largest probability at distance k of an event that has probability p."""
        raise NotImplementedError

    def overlap(self, k: int) -> float:
        """1 − TV at distance k: the least sum of the two error probabilities of a test."""
        return overlap(self.pair(k))

    def divergence(self, k: int) -> float:
        """A bound on the Kullback–Leibler divergence at distance k."""
        p, q = self.pair(k)
        if q[p <= 0.0].sum() > 0.0:
            return math.inf
        both = q > 0.0
        return float((q[both] * np.log(q[both] / p[both])).sum())

    def leak_and_square(self) -> tuple[float, float]:
        """(ℓ, χ²) of neighbours: Q = P but for mass ℓ beside P, and a χ² divergence of the rest of at most χ²."""
        p, q = self.pair(1)
        shared = p > 0.0
        return float(q[~shared].sum()), float(((q - p)[shared] ** 2 / p[shared]).sum())


def group_delta(epsilon: float, delta: float, distance: int) -> float:
    """δ_k = δ(e^{kε} − 1)/(e^ε − 1) at distance k, at most 1."""
    exponent = distance * epsilon
    if delta == 0.0:
        return 0.0
    return 1.0 if exponent > _LARGEST else min(1.0, delta * math.expm1(exponent) / math.expm1(epsilon))


def overlap(pair: Pair) -> float:
    """1 − TV(P, Q): the smallest sum of the two error probabilities of a test."""
    return float(np.minimum(*pair).sum())


def bayes_variance(pair: Pair) -> float:
    """E[4π(1 − π)], π the posterior of a fair coin that chose P or Q: the least mean squared error of a sign."""
    p, q = pair
    total = p + q
    return float((2.0 * p * q / np.where(total > 0.0, total, 1.0)).sum())


@dataclass(frozen=True)
class Approximate(Curve):
    """(ε, δ): `constants` "exact" is the group bound (kε, δ_k), "tight" the composed curve."""

    epsilon: float
    delta: float
    constants: str = "tight"

    @property
    def scale(self) -> float:
        return self.epsilon

    @cached_property
    def _neighbours(self) -> Lines:
        return _two_lines(self.epsilon, self.delta)

    def _at(self, k: int) -> tuple[Lines, int]:
        """A curve, and how often it is composed: the group bound is another curve of neighbours."""
        if self.constants == "tight":
            return self._neighbours, k
        return _two_lines(k * self.epsilon, group_delta(self.epsilon, self.delta, k)), 1

    def pair(self, k: int) -> Pair:
        lines, times = self._at(k)
        return lines.pair(times)

    def overlap(self, k: int) -> float:
        if self.constants == "tight":
            return super().overlap(k)
        return 2.0 * (1.0 - group_delta(self.epsilon, self.delta, k)) * logistic(-k * self.epsilon)

    def most(self, p: Any, k: int) -> Any:
        lines, times = self._at(k)
        return lines.most(p, times)


@dataclass(frozen=True)
class Gaussian(Curve):
    """μ-GDP: at distance k exactly kμ-GDP."""

    mu: float

    @property
    def scale(self) -> float:
        return -2.0 * math.log(max(self.overlap(1), 1e-300)) if self.mu > 1.0308 else self.mu / 1.0308

    def pair(self, k: int) -> Pair:
        # A trapezium rule on a function that is analytic within π/m of the line: its error is below 1e-15.
        m = k * self.mu
        x, step = np.linspace(-10.0, m + 10.0, math.ceil((m + 20.0) * max(m, 5.0) / 0.5), retstep=True)
        density = float(step) / math.sqrt(2.0 * math.pi)
        return density * np.exp(-0.5 * x * x), density * np.exp(-0.5 * (x - m) ** 2)

    def overlap(self, k: int) -> float:
        return float(2.0 * ndtr(-0.5 * k * self.mu))

    def most(self, p: Any, k: int) -> Any:
        return ndtr(ndtri(p) + k * self.mu)

    def divergence(self, k: int) -> float:
        return 0.5 * (k * self.mu) ** 2

    def leak_and_square(self) -> tuple[float, float]:
        return 0.0, math.expm1(min(self.mu**2, 700.0))


@dataclass(frozen=True, eq=False)
class Lines(Curve):
    """The least of finitely many lines, given by its corners: g(x[i]) = y[i], linear between, g = 1 from x[-1] on."""

    x: np.ndarray
    y: np.ndarray
    _forward: list[np.ndarray] = field(default_factory=list, repr=False)
    _backward: list[np.ndarray] = field(default_factory=list, repr=False)

    def most(self, p: Any, k: int) -> Any:
        for _ in range(k):
            p = np.interp(p, self.x, self.y)
        return p

    def _corners(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Points of the composed curve among which are all its corners: those whose orbit meets a corner of g."""
        if not self._forward:
            self._forward.append(self.x)
            self._backward.append(self.x)
        while len(self._forward) <= k:
            self._forward.append(np.interp(self._forward[-1], self.x, self.y))
            self._backward.append(np.interp(self._backward[-1], self.y, self.x))
        starts = np.concatenate([*self._backward[:k], [0.0, 1.0]])
        tops = np.concatenate([*self._forward[k:0:-1], [self.most(0.0, k), 1.0]])
        # Where the way back was cut off at 0 the orbit is another one.
        tops[starts == 0.0] = tops[-2]
        return starts, tops

    def pair(self, k: int) -> Pair:
        starts, tops = self._corners(k)
        order = np.lexsort((tops, starts))
        starts, tops = starts[order], np.maximum.accumulate(tops[order])
        return np.maximum(np.diff(starts, prepend=0.0), 0.0), np.maximum(np.diff(tops, prepend=0.0), 0.0)

    def overlap(self, k: int) -> float:
        starts, tops = self._corners(k)
        return 1.0 - float((tops - starts).max())


@dataclass(frozen=True, eq=False)
class Renyi(Lines):
    """D_α(P ‖ Q) ≤ τ_α for neighbours in either order: at listed α, or τ_α = ρα for all; but for mass δ.

    `rho` is NaN where orders are listed; `taus` are at `orders`.
    """

    rho: float = math.nan
    delta: float = 0.0
    orders: np.ndarray = field(default_factory=lambda: np.empty(0), repr=False)
    taus: np.ndarray = field(default_factory=lambda: np.empty(0), repr=False)

    def divergence(self, k: int) -> float:
        if self.delta > 0.0:
            return super().divergence(k)
        if not math.isnan(self.rho):
            return k * k * self.rho  # Bun & Steinke 2016, Proposition 1.9, as α → 1
        return float(self.taus.min()) if k == 1 else super().divergence(k)

    def leak_and_square(self) -> tuple[float, float]:
        above = self.taus[self.orders >= 2.0]  # D_2 ≤ D_α
        if self.delta > 0.0 or not above.size:
            return super().leak_and_square()
        return 0.0, math.expm1(min(float(above.min()), 700.0))


def curve(privacy: Any, delta: Any = 0.0, constants: str = "tight") -> Curve:
    """The curve of a claim on data sets of one size that differ in the values of records.

    Parameters
    ----------
    privacy : float, mapping, object or callable
        ε, with `delta`; ``{"mu": m}`` or ``{"epsilon": e, "delta": d}``; ``{"rho": r}``, zero-concentrated privacy,
        with ``"delta"`` the approximate one; ``{"rdp": {alpha: tau}}``, bounds on Rényi divergences of orders above 1;
        an object with ``delta(epsilon)`` (such as `dpbench.Profile`), whose ``mu``, where it has one, is taken
        for Gaussian differential privacy; or a trade-off function ``f(alpha)``: the least type II error of a test of
        level alpha, neighbours in either order, convex and not increasing.
    delta : float
        Of an ε; 0 beside everything else.
    constants : {"tight", "exact"}
        Of an ε: see `Approximate`.

    Raises
    ------
    InvalidInput
        The claim cannot be read, is a lower bound on δ or for other neighbours than replaced records, or is no curve.
    """
    if isinstance(privacy, Curve):
        return privacy
    if isinstance(privacy, (bool, str)) or privacy is None:
        raise invalid("privacy", _MUST_BE, privacy)
    if isinstance(privacy, Mapping):
        return _of_mapping(privacy, constants)
    if isinstance(privacy, (int, float, np.integer, np.floating)):
        return Approximate(validation.real("epsilon", privacy, above=0.0), validation.delta(delta), constants)
    if not (callable(privacy) or callable(getattr(privacy, "delta", None))):
        raise invalid("epsilon", _MUST_BE, privacy)
    if delta != 0.0:
        raise invalid("delta", "0 beside a privacy curve", delta)
    if getattr(privacy, "kind", "upper") == "lower":
        raise invalid("privacy", "a guarantee (a profile of kind 'exact' or 'upper')", privacy)
    if getattr(privacy, "neighbours", "replace") != "replace":
        raise invalid("privacy", "for neighbours 'replace' (a replaced record is one removed and one added)", privacy)
    mu = getattr(privacy, "mu", None)
    if mu is not None:
        return Gaussian(validation.real("mu", mu, above=0.0))
    return _of_profile(privacy) if callable(getattr(privacy, "delta", None)) else _of_trade_off(privacy)


@dataclass(frozen=True)
class _Composed:
    """A claim composed over records: the profile of the pair of laws that it leaves."""

    pair: Pair

    def get_delta_for_epsilon(self, epsilon: float) -> float:
        p, q = self.pair
        return float(np.maximum(q - math.exp(min(epsilon, 700.0)) * p, 0.0).sum())


def at_distance(privacy: Any, distance: int, delta: float = 0.0) -> Any:
    """What a claim says of two data sets that differ in `distance` records, as `dpbench.audit` takes a `claim`.

    Its δ(ε) is the largest g∘…∘g(p) − e^ε·p over p, for (ε, δ) to an absolute error of about 2e-16 times the distance.
    A trade-off function that is not its own inverse gives another δ(ε) when read backwards. That holds too and is not
    used.

    Examples
    --------
    >>> from lowerbounds import at_distance
    >>> at_distance({"mu": 0.25}, 8)
    {'mu': 2.0}
    """
    claimed, distance = curve(privacy, delta), validation.integer("distance", distance, at_least=1)
    return {"mu": distance * claimed.mu} if isinstance(claimed, Gaussian) else _Composed(claimed.pair(distance))


class Claim(NamedTuple):
    """What a floor is for.

    Attributes
    ----------
    curve : Curve
    strength : float
        ε, or that of the curve (`Curve.scale`).
    epsilon, delta : float or None
        None beside a curve.
    constants : str
        "exact", "tight" or "printed".
    """

    curve: Curve
    strength: float
    epsilon: float | None
    delta: float | None
    constants: str


def of_claim(epsilon: Any, delta: Any, constants: str) -> Claim:
    """The claim of the arguments of a construction."""
    if isinstance(epsilon, (int, float, np.integer, np.floating)) and not isinstance(epsilon, bool):
        epsilon, delta = validation.real("epsilon", epsilon, above=0.0), validation.delta(delta)
        kept = Approximate(epsilon, delta, "exact" if constants == "exact" else "tight")
        return Claim(kept, epsilon, epsilon, delta, constants)
    if constants == "printed":
        raise invalid("constants", "'exact' or 'tight' beside a privacy curve", constants)
    claimed = curve(epsilon, delta)
    return Claim(claimed, claimed.scale, None, None, constants)


def logistic(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-x)) if x > -700.0 else 0.0


def _of_mapping(claim: Mapping[str, Any], constants: str) -> Curve:
    if set(claim) == {"mu"}:
        return Gaussian(validation.real("mu", claim["mu"], above=0.0))
    if "epsilon" in claim and set(claim) <= {"epsilon", "delta"}:
        return curve(claim["epsilon"], claim.get("delta", 0.0), constants)
    if "rho" in claim and set(claim) <= {"rho", "delta"}:
        rho, delta = validation.real("rho", claim["rho"], above=0.0), validation.delta(claim.get("delta", 0.0))
        return _of_renyi(rho, delta, _ORDERS, rho * _ORDERS)
    if set(claim) == {"rdp"} and isinstance(claim["rdp"], Mapping) and claim["rdp"]:
        orders = np.array([validation.real("an order alpha of rdp", order, above=1.0) for order in claim["rdp"]])
        taus = np.array([validation.real("a bound tau of rdp", tau, above=0.0) for tau in claim["rdp"].values()])
        return _of_renyi(math.nan, 0.0, orders, taus)
    raise invalid("privacy", _MAPPINGS, dict(claim))


def _two_lines(epsilon: float, delta: float) -> Lines:
    """The corners of g of the module: at 0, where its two lines meet, and where it reaches 1."""
    corner = (1.0 - delta) / (1.0 + math.exp(min(epsilon, _LARGEST)))
    return Lines(np.array([0.0, corner, 1.0 - delta]), np.array([delta, 1.0 - corner, 1.0]))


def _of_renyi(rho: float, delta: float, orders: np.ndarray, taus: np.ndarray) -> Renyi:
    shared = 1.0 - delta
    inside = np.minimum(_TESTS / shared, 1.0)
    most = delta + shared * _two_coins(inside, orders, taus, 0.0 if math.isnan(rho) else rho)
    lines = _of_values(np.minimum(most, 1.0))
    return Renyi(lines.x, lines.y, rho=rho, delta=delta, orders=orders, taus=taus)


def _two_coins(p: np.ndarray, orders: np.ndarray, taus: np.ndarray, divergence: float) -> np.ndarray:
    """The largest q with D_α(q ‖ p) ≤ τ and D_α(p ‖ q) ≤ τ at every order, by bisection rounded up.

    `divergence`, where above 0, bounds the Kullback–Leibler divergences too, the limit at α = 1.
    """
    low, high = p.copy(), np.ones_like(p)
    a, tau = orders[:, None], taus[:, None]
    for _ in range(52):
        q = 0.5 * (low + high)
        fits = np.ones(p.shape, dtype=bool)
        with np.errstate(divide="ignore", invalid="ignore"):
            for x, y in ((q, p), (p, q)):
                lx, ly, rx, ry = np.log(x), np.log(y), np.log1p(-x), np.log1p(-y)
                sums = np.logaddexp(a * lx + (1.0 - a) * ly, a * rx + (1.0 - a) * ry)
                fits &= (sums <= (a - 1.0) * tau).all(axis=0)
                if divergence > 0.0:
                    fits &= x * (lx - ly) + (1.0 - x) * (rx - ry) <= divergence
        low, high = np.where(fits, q, low), np.where(fits, high, q)
    # What one of the coins never shows the other may not show: infinite divergences. At 0 and 1 nothing moves.
    return np.where((p <= 0.0) | (p >= 1.0), p, high)


def _of_profile(profile: Any) -> Lines:
    levels = _LEVELS
    if callable(getattr(profile, "epsilon", None)):
        # Where δ(ε) reaches its last value it has a corner, and pure and approximate guarantees are nothing else.
        last = float(profile.epsilon(min(float(profile.delta(levels[-1])), 0.5)))
        if 0.0 < last < levels[-1]:
            levels = np.unique(np.concatenate([levels, np.linspace(0.0, last, 200), [last]]))
    values = [float(profile.delta(float(epsilon))) for epsilon in levels]
    if not all(0.0 <= value <= 1.0 for value in values) or any(np.diff(values) > 1e-12):
        raise invalid("privacy", "a profile whose delta(epsilon) lies in [0, 1] and does not increase", profile)
    return _least(np.exp(levels), np.array(values))


def _of_trade_off(f: Callable[[float], float]) -> Lines:
    read = 1.0 - np.array([float(f(float(p))) for p in _TESTS])
    if not ((read >= -1e-12) & (read <= 1.0 + 1e-12)).all() or (np.diff(read) < -1e-12).any():
        raise invalid("privacy", "a trade-off function with values in [0, 1] that does not increase", f)
    slopes = np.diff(read) / np.diff(_TESTS)
    if (np.diff(slopes) > 1e-6 * (1.0 + slopes[1:])).any():
        raise invalid("privacy", "a convex trade-off function", f)
    return _of_values(read)


def _of_values(read: np.ndarray) -> Lines:
    """The least curve that is above every concave one with these values at `_TESTS`, but for finitely many corners."""
    slopes = np.diff(read) / np.diff(_TESTS)
    # On each interval a concave function lies below the chords of the intervals on either side, continued.
    x, y = _TESTS, read
    before, after = slopes[:-2], slopes[2:]
    gap = before - after
    at = (y[2:-1] - y[1:-2] + before * x[1:-2] - after * x[2:-1]) / np.where(gap > 1e-12, gap, 1.0)
    at = np.where(gap > 1e-12, np.clip(at, x[1:-2], x[2:-1]), x[1:-2])
    top = y[1:-2] + before * (at - x[1:-2])
    last = x[-2] + (1.0 - y[-2]) / slopes[-2] if slopes[-2] > 0.0 else x[-2]
    ends = [(0.0, y[1] - slopes[1] * x[1]), (min(last, 1.0), 1.0), (1.0, 1.0)]
    points = np.array([*zip(x, y, strict=True), *zip(at, top, strict=True), *ends])
    return _hull(np.clip(points, 0.0, 1.0))


def _hull(points: np.ndarray) -> Lines:
    """The least concave function above these points."""
    kept: list[np.ndarray] = []
    for point in points[np.lexsort((-points[:, 1], points[:, 0]))]:
        if kept and point[0] == kept[-1][0]:
            continue
        while len(kept) > 1 and _turn(kept[-2], kept[-1], point) >= 0.0:
            kept.pop()
        kept.append(point)
    return _rising(*np.array(kept).T)


def _turn(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> float:
    """Above 0 if b lies below the line from a to c."""
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def _least(growth: np.ndarray, deltas: np.ndarray) -> Lines:
    """The curve that (log growth, delta) at every level leaves: each gives two lines."""
    slopes = np.concatenate([growth, 1.0 / growth, [0.0]])
    heights = np.concatenate([deltas, 1.0 - (1.0 - deltas) / growth, [1.0]])
    return _envelope(slopes, heights)


def _envelope(slopes: np.ndarray, heights: np.ndarray) -> Lines:
    """The least of the lines slopes·p + heights on [0, 1], by its corners."""
    order = np.lexsort((heights, -slopes))
    kept: list[tuple[float, float]] = []
    for slope, height in zip(slopes[order].tolist(), heights[order].tolist(), strict=True):
        if kept and kept[-1][0] - slope <= 1e-15 * max(1.0, slope):
            continue  # as steep as the line before, and higher
        while len(kept) > 1 and _meet(kept[-2], (slope, height)) <= _meet(kept[-2], kept[-1]):
            kept.pop()
        kept.append((slope, height))
    at = np.array([_meet(a, b) for a, b in pairwise(kept)])
    x = np.concatenate([[0.0], at[(at > 0.0) & (at < 1.0)], [1.0]])
    least = (np.outer(x, [slope for slope, _ in kept]) + [height for _, height in kept]).min(axis=1)
    return _rising(x, np.maximum(least, x))


def _rising(x: np.ndarray, y: np.ndarray) -> Lines:
    """The corners up to the first at which the curve is 1."""
    y = np.maximum.accumulate(np.clip(y, 0.0, 1.0))
    full = int(np.argmax(y >= 1.0 - 1e-15))
    x, y = x[: full + 1].copy(), y[: full + 1].copy()
    y[-1] = 1.0
    rising = np.concatenate([[True], np.diff(y) > 0.0])
    return Lines(x[rising], y[rising])


def _meet(a: tuple[float, float], b: tuple[float, float]) -> float:
    return (b[1] - a[1]) / (a[0] - b[0])


def best_distance(privacy: Any, n: int, delta: float = 0.0, *, purpose: str = "floor") -> int:
    """The number of records in which a pair of data sets should differ.

    Parameters
    ----------
    privacy, delta
        The claim, as in `curve`.
    n : int
        Records; the distance is at most n.
    purpose : {"floor", "attack"}
        "floor": the largest k·overlap(k), as targets k records apart differ by a multiple of k. "attack": the
        distance at which a noise scale slightly too small moves the sum of the two error probabilities by most
        standard errors: where the overlap falls fastest in log k, beside its binomial error.

    Returns
    -------
    int
    """
    n = validation.integer("n", n, at_least=1)
    validation.choice("purpose", purpose, ("floor", "attack"))
    claimed = curve(privacy, delta)
    most = min(n, max(2, math.ceil(12.0 / claimed.scale)))
    dense = np.arange(1, min(most, 64) + 1)
    grid = np.unique(np.concatenate([dense, np.geomspace(1, most, 200).round()])).astype(int).tolist()

    def worth(k: int) -> float:
        overlap = claimed.overlap(k)
        if purpose == "floor":
            return k * overlap
        return k * (overlap - claimed.overlap(k + 1)) / math.sqrt(max(overlap * (2.0 - overlap), 1e-300))

    best = max(grid, key=worth)
    return max(range(max(1, best - 32), min(most, best + 32) + 1), key=worth)
