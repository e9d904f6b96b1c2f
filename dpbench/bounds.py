"""Exact bounds from counts, valid in finite samples: what an audit rests on, and nothing else of it.

- `lower`, `upper`: Clopper and Pearson's bounds on one probability.
- `joint_region`: a confidence region for two probabilities, from which ε, δ(ε) and μ are read together.
- `upper_mean`: a bound on the mean of bounded variables.
- `one_run_epsilon`, `one_run_delta`, `one_run_mu`: what the right guesses at canaries of one run rule out, and the
  p-values that they invert.

Joint regions. X ~ Bin(n, p) and Y ~ Bin(m, q) are independent. The one-sided Clopper–Pearson p-values U = P_p(X ≥ x)
and V = P_q(Y ≤ y) are each stochastically at least uniform, so any increasing combination of their normal scores
z₁ = Φ⁻¹(1 − U), z₂ = Φ⁻¹(1 − V) keeps its exact level in finite samples. The region used here is

    w₁ max(z₁, −B) + w₂ max(z₂, −B) ≤ c,    z₁ ≤ C,    z₂ ≤ C,    w₁² + w₂² = 1,

with P(Z > C) = α/50 and c solved so that two standard normals leave the region with probability α. Weights
in proportion to the two standard errors make the bound on a ratio about z_α √(s₁² + s₂²) deep, where
two bounds at α/2 each pay z_{α/2} (s₁ + s₂). The caps C keep the bound finite where one weight is small (a
zero count). The weights may depend on anything but the certifying counts.

One run. Of m canaries, each included by its own fair coin, r coins are guessed from the output alone, and V guesses are
right. Each p-value bounds P(V ≥ v) from above over every mechanism that has the privacy named, and the scores' author
may choose which r to guess. "Any dependence" assumes nothing else; "independent" assumes that, given the coins, the
output is made of m independent parts, one a canary (orthogonal canaries in a sum with independent noise; not canaries
that interfere, nor a mechanism whose noise has a random common scale).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from scipy.special import betainc, betaincc, betainccinv, betaincinv, betaln, expit, log_ndtr, ndtr, ndtri

from dpbench.core import validation
from dpbench.core.validation import invalid

# One probability, and two

FLOOR = 1.0
"""B: scores below −B count as −B, so that one lucky count cannot pay without limit for the other."""

ANGLES = 32
"""Weights are (sin, cos) of a multiple of π/2 divided by this, so that the critical values can be kept."""

CAP_SHARE = 0.02
"""Share of α at which each score is capped by itself."""

_PAD = 1e-11  # relative error that the quantiles are widened by


@dataclass(frozen=True)
class Region:
    """A confidence region for (p, q): for some k, p ≥ low[k] and q ≤ high[k].

    Everything read from one region holds simultaneously, at the region's confidence.
    """

    low: np.ndarray
    high: np.ndarray

    def epsilon(self, delta: float) -> float:
        """A lower bound on ε ≥ 0 with p ≤ e^ε q + δ."""
        above = self.low - delta
        if (above <= self.high).any():
            return 0.0
        return float(np.log(above / self.high).min())

    def delta(self, epsilons: np.ndarray) -> np.ndarray:
        """Lower bounds on δ(ε) = p − e^ε q, at least 0, one for each ε."""
        with np.errstate(over="ignore"):
            gaps = self.low[:, None] - np.exp(epsilons)[None, :] * self.high[:, None]
        return np.maximum(gaps.min(axis=0), 0.0)

    def mu(self) -> float:
        """A lower bound on Φ⁻¹(p) − Φ⁻¹(q), at least 0."""
        return max(0.0, float((ndtri(self.low) - ndtri(self.high)).min()))


def lower(hits: int, trials: int, tail: np.ndarray | float) -> np.ndarray:
    """Clopper–Pearson: a p at which `hits` or more have probability `tail` at most, and hardly less.

    The probability is at most `tail` to the accuracy of scipy's `betainc`, relative 1e-10, for at most 10⁹ trials.
    Where scipy has no inverse, for some tails below 1e-30, p is 0.
    """
    _check(hits, trials)
    if hits == 0:
        return np.zeros(np.shape(tail))
    return _outward(betaincinv, betainc, (hits, trials - hits + 1), -1, tail)


def upper(hits: int, trials: int, tail: np.ndarray | float) -> np.ndarray:
    """Clopper–Pearson: a q at which `hits` or fewer have probability `tail` at most, as `lower`; at worst 1."""
    _check(hits, trials)
    if hits == trials:
        return np.ones(np.shape(tail))
    return _outward(betainccinv, betaincc, (hits + 1, trials - hits), 1, tail)


def _check(hits: int, trials: int) -> None:
    if not 0 <= hits <= trials:
        raise invalid("hits", f"from 0 to the {trials} trials", hits)
    if trials > 1e9:
        raise invalid("trials", "at most 1e9", trials)  # beyond, scipy's betainc is too far off to check by


def _outward(
    inverse: np.ufunc, tail_of: np.ufunc, shape: tuple[int, int], side: int, tail: np.ndarray | float
) -> np.ndarray:
    """The bound by `inverse`, moved outward by `_PAD`, and by twice that and so on where its tail is above `tail`.

    scipy's inverse is off by more than `_PAD` at some counts of more than 10⁴ trials, and by factors at 10⁹.
    """
    bound = np.nan_to_num(inverse(*shape, tail), nan=max(side, 0))
    step = np.full(np.shape(tail), _PAD)
    while True:
        moved = np.minimum(bound * (1.0 + step) ** side, 1.0)
        beyond = tail_of(*shape, moved) > tail
        if not beyond.any():
            return moved
        step += beyond * step


def joint_region(hits: tuple[int, int], trials: tuple[int, int], alpha: float, angle: int, cells: int = 256) -> Region:
    """The region above, covered by `cells` corners (each cell by its worst corner, so the cover is rigorous).

    Parameters
    ----------
    hits : (int, int)
        Counts of the event on the side whose probability is bounded below, then on the other.
    trials : (int, int)
    alpha : float
        Probability of missing (p, q), at most.
    angle : int
        Weights: w₁ = sin, w₂ = cos of ``angle/ANGLES`` right angles, 0 < angle < `ANGLES` (see `best_angle`).
    cells : int
        More cells make the cover tighter: 256 lose about 1% of the shortfall.
    """
    if not (0 < angle < ANGLES and 0.0 < alpha < 1.0):
        raise invalid("angle and alpha", f"an integer from 1 to {ANGLES - 1} and a fraction", (angle, alpha))
    w1, w2 = _weights(angle)
    critical, cap = critical_value(angle, alpha), _cap(alpha)
    edges = np.linspace(-FLOOR, min((critical + w2 * FLOOR) / w1, cap), cells + 1)
    low = lower(hits[0], trials[0], ndtr(-edges[1:]))
    high = upper(hits[1], trials[1], ndtr(-np.minimum((critical - w1 * edges[:-1]) / w2, cap)))
    return Region(low, high)


def best_angle(first: float, second: float) -> int:
    """The angle whose weights are nearest in proportion to two standard errors."""
    return min(ANGLES - 1, max(1, round(ANGLES * math.atan2(first, second) / (0.5 * math.pi))))


def _weights(angle: int) -> tuple[float, float]:
    theta = 0.5 * math.pi * angle / ANGLES
    return math.sin(theta), math.cos(theta)


def _cap(alpha: float) -> float:
    return float(-ndtri(CAP_SHARE * alpha))


@lru_cache(maxsize=4096)
def critical_value(angle: int, alpha: float) -> float:
    """c such that independent standard normals leave the region with probability α, rounded up."""
    w1, w2 = _weights(angle)
    cap = _cap(alpha)

    def excess(c: float) -> float:
        return math.log(_exceedance(w1, w2, c, cap)) - math.log(alpha)

    high = (w1 + w2) * cap
    least = -(w1 + w2) * FLOOR  # nothing is smaller
    if excess(least) <= 0.0:
        return least
    low = high - 1.0
    while excess(low) < 0.0:
        low = max(low - 1.0, least)
    root = _falling_root(excess, low, high)
    return root + 1e-10 * max(1.0, abs(root))


def _falling_root(function: Callable[[float], float], low: float, high: float) -> float:
    """Where a continuous falling function, at least 0 at `low`, is 0 or just below: regula falsi (Illinois).

    scipy's brentq costs a quarter of a second at its import.
    """
    above, below, side, least = function(low), function(high), 0, -math.inf
    while least < -1e-12 and high - low > 1e-13 * max(1.0, abs(high)):
        middle = low + (high - low) * above / (above - below)
        value = function(middle)
        if value > 0.0:
            low, above = middle, value
            below *= 0.5 if side > 0 else 1.0  # the same end was kept twice
            side = 1
        else:
            high, below, least = middle, value, value
            above *= 0.5 if side < 0 else 1.0
            side = -1
    return high


def _exceedance(w1: float, w2: float, c: float, cap: float) -> float:
    """P(not in the region) for standard normals: over z₁ ≤ −B, between, and beyond the cap."""
    nodes, weights = _legendre()
    kink = (c - w2 * cap) / w1  # below it the cap on z₂ binds
    floor = (c + w2 * FLOOR) / w1  # above it nothing is inside
    cuts = [-FLOOR, *(t for t in (kink, floor) if -FLOOR < t < cap), cap]
    total = ndtr(-cap) + ndtr(-FLOOR) * ndtr(-min((c + w1 * FLOOR) / w2, cap))
    for start, stop in pairwise(sorted(cuts)):
        x = start + 0.5 * (stop - start) * (nodes + 1.0)
        reach = (c - w1 * x) / w2
        out = np.where(reach < -FLOOR, 1.0, ndtr(-np.minimum(reach, cap)))
        total += 0.5 * (stop - start) * (weights @ (np.exp(-0.5 * x * x) * out)) / math.sqrt(2.0 * math.pi)
    return total


@lru_cache(maxsize=1)
def _legendre() -> tuple[np.ndarray, np.ndarray]:
    nodes, weights = np.polynomial.legendre.leggauss(100)
    return nodes, weights


# A mean

_MOST = 0.95  # of 1/R


def upper_mean(values: np.ndarray, largest: float, alpha: float) -> float:
    """An upper bound on the mean of independent variables in [0, `largest`], by betting.

    If x_1, x_2, … lie in [0, R] and have mean at least m, given the past, then Π(1 + λ_i(m − x_i)) with 0 ≤ λ_i < 1/R
    that depends on x_1, …, x_{i−1} alone is a non-negative supermartingale, which reaches 1/α with probability at most
    α (Ville). So the least m at which it does is an upper bound on the mean, of confidence 1 − α, whatever the law;
    with λ_i near √(2 log(1/α)/(nσ²)) it is about as tight as the normal approximation. Waudby-Smith & Ramdas 2023,
    section 4.

    Parameters
    ----------
    values : float64[n]
        In the order they were drawn.
    largest : float
        R; a value outside [0, R] (beyond rounding) is refused.
    alpha : float
        Probability that the bound is below the mean, at most.
    """
    largest = validation.real("largest", largest, above=0.0)
    alpha = validation.fraction("alpha", alpha)
    x = validation.array("values", values, ndim=1) / largest
    if x.min() < -1e-9 or x.max() > 1.0 + 1e-9:
        raise invalid("values", f"in [0, {largest:g}]", float(values[np.argmax(np.abs(x - 0.5))]))
    x = np.clip(x, 0.0, 1.0)
    bets = _bets(x, alpha)
    wanted = -math.log(alpha)
    low, high = 0.0, 1.0
    if float(np.log1p(bets * (high - x)).sum()) < wanted:
        return largest
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if float(np.log1p(bets * (middle - x)).sum()) >= wanted else (middle, high)
    return high * largest


def _bets(x: np.ndarray, alpha: float) -> np.ndarray:
    """λ_i from the variance of the values before i, started at 1/4 with the weight of one value."""
    before = np.arange(x.size)
    mean = (0.5 + np.concatenate(([0.0], np.cumsum(x)[:-1]))) / (before + 1.0)
    square = (0.5 + np.concatenate(([0.0], np.cumsum(x * x)[:-1]))) / (before + 1.0)
    variance = np.maximum(square - mean * mean, 1.0 / (before + 1.0) ** 2)
    return np.minimum(_MOST, np.sqrt(2.0 * math.log(1.0 / alpha) / (x.size * variance)))


# One run

LARGEST = 50.0
"""No ε or μ above this is looked for."""

_CELLS = 2_001


def one_run_p_value_published(canaries: int, guesses: int, right: int, epsilon: float, delta: float) -> float:
    """Steinke, Nasr & Jagielski (arXiv 2305.08846), Theorem 5.2: (ε, δ), any dependence; `one_run_p_value` is sharper.

    P(W ≥ v) + 2 m δ max_{1 ≤ i ≤ v} P(v > W ≥ v − i)/i with W ~ Bin(r, e^ε/(1 + e^ε)).
    """
    from scipy.stats import binom

    rate = float(expit(epsilon))
    tail = float(binom.sf(right - 1, guesses, rate))
    if delta == 0.0 or right == 0:
        return tail
    below = np.cumsum(binom.pmf(right - np.arange(1, right + 1), guesses, rate))
    return min(1.0, tail + 2.0 * canaries * delta * float((below / np.arange(1, right + 1)).max()))


def one_run_p_value(
    canaries: int, guesses: int, right: int, epsilon: float, delta: float, independent: bool = False
) -> float:
    """P(V ≥ v) at most, under (ε, δ): for any dependence the least bound there is, or for independent canaries.

    Parameters
    ----------
    canaries, guesses, right : int
        m ≥ r ≥ v.
    epsilon, delta : float
    independent : bool
        The canaries are answered independently, given the coins.
    """
    if not 0 <= right <= guesses <= canaries:
        raise invalid("right and guesses", f"0 <= right <= guesses <= {canaries} canaries", (right, guesses))
    return (_independent if independent else _joint)(canaries, guesses, right, epsilon, delta)


def _joint(canaries: int, guesses: int, right: int, epsilon: float, delta: float) -> float:
    """(ε, δ), any dependence: β + mδ β(1 − β)/(v P(W = v)), β = P(W ≥ v), W ~ Bin(r, e^ε/(1 + e^ε)).

    Proof. Let p_k = P(V = k). For every u_0, …, u_{r−1} in [0, 1], (ε, δ) for flipping one coin, averaged over the
    coins, says Σ u_k [(k + 1) p_{k+1} − e^ε (r − k) p_k] ≤ mδ. With b_k = P(W = k), (k + 1) b_{k+1} = e^ε (r − k) b_k.
    Take U_{i−1} = rβ P(W < i)/(i b_i) for i ≤ v and r(1 − β) P(W ≥ i)/(i b_i) for i ≥ v, which rises up to i = v and
    falls from there, and u = U/U_{v−1}: then the coefficient of p_k in Σ U_k [...] is −rβ for k < v and r(1 − β) for
    k ≥ v, so r(P(V ≥ v) − β) ≤ mδ U_{v−1}. The tests find it attained by linear programming: no bound from (m, r, v)
    alone is smaller (for δ so large that it matters, it is capped at 1).
    """
    if right == 0:
        return 1.0
    rate = float(expit(epsilon))
    tail = float(betainc(right, guesses - right + 1.0, rate))
    rest = float(betainc(guesses - right + 1.0, right, expit(-epsilon)))
    if delta == 0.0 or rest == 0.0:
        return tail
    if tail > 0.0:
        log_mass = right * np.log(rate) + (guesses - right) * np.log(expit(-epsilon))
        log_mass -= betaln(right + 1.0, guesses - right + 1.0) + np.log(guesses + 1.0)
        ratio = float(np.exp(min(np.log(tail) + np.log(rest) - log_mass, 700.0)))
    else:  # both underflow, far above the mean: b_v/β >= 1 - b_{v+1}/b_v
        ratio = 1.0 / (1.0 - (guesses - right) * math.exp(epsilon) / (right + 1.0))
    return min(1.0, tail + canaries * delta * ratio / right)


def one_run_delta(
    canaries: int, guesses: int, right: int, epsilon: float, alpha: float, independent: bool = False
) -> float:
    """The largest δ that the guesses rule out at this ε and error probability `alpha`, at least 0."""
    return (_independent_delta if independent else _joint_delta)(canaries, guesses, right, epsilon, alpha)


def _joint_delta(canaries: int, guesses: int, right: int, epsilon: float, alpha: float) -> float:
    """The p-value is linear in δ."""
    if right == 0:
        return 0.0
    tail = _joint(canaries, guesses, right, epsilon, 0.0)
    if tail >= alpha:
        return 0.0
    unit = alpha / canaries  # a δ at which the p-value is not capped unless its slope is steep
    while (seen := _joint(canaries, guesses, right, epsilon, unit)) >= 1.0:
        unit *= 0.25
    slope = (seen - tail) / unit
    return (alpha - tail) / slope * (1.0 - 1e-9) if slope > 0.0 else 0.0


def _independent_delta(canaries: int, guesses: int, right: int, epsilon: float, alpha: float) -> float:
    """By bisection on log δ (0 below 1e-15)."""
    low, high = np.log(1e-15), 0.0
    if _independent(canaries, guesses, right, epsilon, float(np.exp(low))) > alpha:
        return 0.0
    for _ in range(50):
        middle = 0.5 * (low + high)
        holds = _independent(canaries, guesses, right, epsilon, float(np.exp(middle))) <= alpha
        low, high = (middle, high) if holds else (low, middle)
    return float(np.exp(low))


def _independent(canaries: int, guesses: int, right: int, epsilon: float, delta: float) -> float:
    """(ε, δ), independent: with probability δ a canary gives its coin away, else it answers at e^ε : 1.

    That pair of laws is the least private of (ε, δ); the best guesser takes the given coins first. With K ~
    Bin(m, δ) of them, P(V ≥ v) = P(K ≥ v) + Σ_{k<v} P(K = k) P(Bin(r − k, e^ε/(1 + e^ε)) ≥ v − k).
    """
    from scipy.stats import binom

    if right == 0:
        return 1.0
    last = int(min(right - 1, binom.isf(1e-20, canaries, delta)))  # more than `last` given: all counted as right
    given = np.arange(last + 1)
    tails = betainc(right - given, guesses - right + 1.0, expit(epsilon))
    return min(1.0, float(binom.sf(last, canaries, delta) + binom.pmf(given, canaries, delta) @ tails))


def one_run_p_value_gaussian(canaries: int, guesses: int, right: int, mu: float) -> float:
    """μ-GDP, independent: the law of the r most confident of m Gaussian answers, rounded up.

    Xiang, Wang, Xiao, Tian & Wang, "Tight Privacy Audit in One Run" (arXiv 2509.08704): every μ-GDP part is made from
    x ~ N(±μ/2, 1) (Blackwell), right with odds e^{μ|x|}, so the best r are those of largest |x|. Given the largest |x|
    left out, whose quantile is Beta(m − r, r + 1), the r are independent and each is right with the mean
    probability above it. The integral is an upper sum over cells: the integrand rises with that quantile. What the
    cells leave out, about 1e-130, counts as right, so that no smaller p-value is returned.
    """
    if right == 0:
        return 1.0
    if guesses == canaries:
        return float(betainc(right, guesses - right + 1.0, ndtr(0.5 * mu)))

    def log_beyond(a: np.ndarray) -> np.ndarray:  # log P(|x| > a)
        return np.logaddexp(log_ndtr(0.5 * mu - a), log_ndtr(-0.5 * mu - a))

    shape = guesses + 1, canaries - guesses
    coarse = np.linspace(0.0, 0.5 * mu + 38.0, _CELLS)
    logits = np.append(np.linspace(-20.0, 20.0, _CELLS), np.geomspace(20.1, 300.0, 200))
    a = np.interp(-np.log(betaincinv(*shape, expit(-logits))), -log_beyond(coarse), coarse)
    mass = betainc(*shape, np.exp(log_beyond(a)))  # P(the largest |x| left out > a)
    rate = expit(log_ndtr(0.5 * mu - a) - log_ndtr(-0.5 * mu - a))
    tails = betainc(right, guesses - right + 1.0, rate)
    return min(1.0, float((1.0 - mass[0]) * tails[0] - np.diff(mass) @ tails[1:] + mass[-1]))


def one_run_rules_out_gaussian(canaries: int, guesses: int, right: int, mus: np.ndarray, alpha: float) -> np.ndarray:
    """μ-GDP, any dependence: for which of `mus` P(V ≥ v) is below `alpha`, by the recursion of arXiv 2410.22235.

    Mahloujifar, Melis & Chaudhuri, "Auditing f-Differential Privacy in One Run". With A_j = Σ_{k>j} (k/m) p_k and
    B_j = Σ_{k≥j} ((r − k)/m) p_k, the event "this coin is guessed, rightly, with at least j other right guesses" and
    μ-GDP say that B_j is at least Φ(Φ⁻¹(A_j) − μ), the least probability of an event whose probability on the other
    side is A_j. From A_{v−1} = αv/m and B_v = α(r − v)/m, the least that P(V ≥ v) = α allows, down to j = 0 the least
    B_j and A_{j−1} = A_j + (j/(r − j))(B_j − B_{j+1}) follow; A + B beyond r/m, all there is, is a contradiction, which
    a larger P(V ≥ v) only makes worse.

    Returns
    -------
    bool[len(mus)]
    """
    a = np.full(len(mus), alpha * right / canaries)
    b = np.full(len(mus), alpha * (guesses - right) / canaries)
    whole = guesses / canaries * (1.0 + 1e-12)
    for j in range(right - 1, -1, -1):
        least = np.maximum(b, ndtr(ndtri(np.minimum(a, 1.0)) - mus))
        added = least - b
        if ((added <= 0.0) | (a + b > whole)).all():
            break  # where nothing was added nothing ever will be, and sums never shrink
        a, b = np.minimum(a + j / (guesses - j) * added, 2.0), least  # beyond `whole` it need not grow on
    return a + b > whole


def one_run_epsilon(
    canaries: int, guesses: int, right: int, delta: float, alpha: float, independent: bool = False
) -> float:
    """An ε ≥ 0 that `right` of `guesses` rule out at error probability `alpha`: the largest that bisection finds.

    Any ε whose p-value is at most `alpha` will do. Let L(v) be the one returned for v right guesses, and v* the least v
    with L(v) above the true ε. Then the bound is wrong only if V ≥ v*, and since the mechanism is (L(v*), δ)-private
    too, that has probability at most p(v*, L(v*)) ≤ alpha.
    """
    return largest_ruled_out(
        lambda epsilon: one_run_p_value(canaries, guesses, right, epsilon, delta, independent) <= alpha
    )


def one_run_mu(canaries: int, guesses: int, right: int, alpha: float, independent: bool = False) -> float:
    """A μ ≥ 0 that `right` of `guesses` rule out at error probability `alpha`, as `one_run_epsilon`."""
    if independent:
        return largest_ruled_out(lambda mu: one_run_p_value_gaussian(canaries, guesses, right, mu) <= alpha)
    return largest_of(lambda grid: one_run_rules_out_gaussian(canaries, guesses, right, grid, alpha))


def largest_ruled_out(ruled_out: Callable[[float], bool]) -> float:
    """The largest value up to `LARGEST` that is ruled out, by bisection; 0 where none is."""
    if not ruled_out(0.0):
        return 0.0
    low, high = 0.0, LARGEST
    for _ in range(30):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if ruled_out(middle) else (low, middle)
    return low


def largest_of(ruled_out: Callable[[np.ndarray], np.ndarray]) -> float:
    """`largest_ruled_out` for a test of many values at once."""
    low, high = 0.0, LARGEST
    for _ in range(6):  # 32-fold each
        grid = np.linspace(low, high, 33)
        out = ruled_out(grid)
        if not out[0]:
            return 0.0
        last = int(np.flatnonzero(out)[-1])
        low, high = float(grid[last]), float(grid[min(last + 1, 32)])
    return low
