"""What a number of right guesses rules out: p-values for `audit_one_run`.

Of m canaries, each included by its own fair coin, r coins are guessed from the output alone, and V guesses are right.
Each function bounds P(V ≥ v) from above over every mechanism that has the privacy named, and the scores' author may
choose which r to guess. "Any dependence" assumes nothing else; "independent" assumes that, given the coins, the output
is made of m independent parts, one a canary (orthogonal canaries in a sum with independent noise; not canaries that
interfere, nor a mechanism whose noise has a random common scale).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import betainc, betaincinv, betaln, expit, log_ndtr, ndtr, ndtri

_CELLS = 2_001
_FAR = 9.0  # standard deviations


def published(canaries: int, guesses: int, right: int, epsilon: float, delta: float) -> float:
    """Steinke, Nasr & Jagielski (arXiv 2305.08846), Theorem 5.2: (ε, δ), any dependence; `joint` is sharper.

    P(W ≥ v) + 2 m δ max_{1 ≤ i ≤ v} P(v > W ≥ v − i)/i with W ~ Bin(r, e^ε/(1 + e^ε)).
    """
    from scipy.stats import binom

    rate = float(expit(epsilon))
    tail = float(binom.sf(right - 1, guesses, rate))
    if delta == 0.0 or right == 0:
        return tail
    below = np.cumsum(binom.pmf(right - np.arange(1, right + 1), guesses, rate))
    return min(1.0, tail + 2.0 * canaries * delta * float((below / np.arange(1, right + 1)).max()))


def joint(canaries: int, guesses: int, right: int, epsilon: float, delta: float) -> float:
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
    tail, rest = (
        float(f)
        for f in (
            betainc(right, guesses - right + 1.0, rate),
            betainc(guesses - right + 1.0, right, expit(-epsilon)),
        )
    )
    if delta == 0.0 or rest == 0.0:
        return tail
    if tail > 0.0:
        log_mass = right * np.log(rate) + (guesses - right) * np.log(expit(-epsilon))
        log_mass -= betaln(right + 1.0, guesses - right + 1.0) + np.log(guesses + 1.0)
        ratio = float(np.exp(min(np.log(tail) + np.log(rest) - log_mass, 700.0)))
    else:  # both underflow, far above the mean: b_v/β >= 1 - b_{v+1}/b_v
        ratio = 1.0 / (1.0 - (guesses - right) * float(np.exp(epsilon)) / (right + 1.0))
    return min(1.0, tail + canaries * delta * ratio / right)


def joint_delta(canaries: int, guesses: int, right: int, epsilon: float, alpha: float) -> float:
    """The largest δ that `joint` rules out at this ε: it is linear in δ."""
    if right == 0:
        return 0.0
    tail = joint(canaries, guesses, right, epsilon, 0.0)
    if tail >= alpha:
        return 0.0
    unit = alpha / canaries  # a δ at which the p-value is not capped unless its slope is steep
    while (seen := joint(canaries, guesses, right, epsilon, unit)) >= 1.0:
        unit *= 0.25
    slope = (seen - tail) / unit
    return (alpha - tail) / slope * (1.0 - 1e-9) if slope > 0.0 else 0.0


def independent_delta(canaries: int, guesses: int, right: int, epsilon: float, alpha: float) -> float:
    """The largest δ that `independent` rules out at this ε, by bisection on log δ (0 below 1e-15)."""
    low, high = np.log(1e-15), 0.0
    if independent(canaries, guesses, right, epsilon, float(np.exp(low))) > alpha:
        return 0.0
    for _ in range(50):
        middle = 0.5 * (low + high)
        holds = independent(canaries, guesses, right, epsilon, float(np.exp(middle))) <= alpha
        low, high = (middle, high) if holds else (low, middle)
    return float(np.exp(low))


def independent(canaries: int, guesses: int, right: int, epsilon: float, delta: float) -> float:
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


def gaussian_independent(canaries: int, guesses: int, right: int, mu: float) -> float:
    """μ-GDP, independent: the law of the r most confident of m Gaussian answers, rounded up.

    Xiang, Wang, Xiao, Tian & Wang, "Tight Privacy Audit in One Run" (arXiv 2509.08704): every μ-GDP part is made from
    x ~ N(±μ/2, 1) (Blackwell), right with odds e^{μ|x|}, so the best r are those of largest |x|. Given the largest |x|
    left out, whose quantile is Beta(m − r, r + 1), the r are independent and each is right with the mean
    probability above it. The integral is an upper sum over cells: the integrand rises with that quantile.
    """
    if right == 0:
        return 1.0
    if guesses == canaries:
        return float(betainc(right, guesses - right + 1.0, ndtr(0.5 * mu)))

    def below(a: np.ndarray) -> np.ndarray:  # P(|x| <= a)
        return ndtr(a - 0.5 * mu) - ndtr(-a - 0.5 * mu)

    shape = float(canaries - guesses), guesses + 1.0
    coarse = np.linspace(0.0, 0.5 * mu + _FAR, _CELLS)
    a = np.interp(betaincinv(*shape, expit(np.linspace(-20.0, 20.0, _CELLS))), below(coarse), coarse)
    mass = betainc(*shape, below(a))
    rate = expit(log_ndtr(0.5 * mu - a) - log_ndtr(-0.5 * mu - a))
    tails = betainc(right, guesses - right + 1.0, rate)
    return min(1.0, float(mass[0] * tails[0] + np.diff(mass) @ tails[1:] + 1.0 - mass[-1]))


def gaussian_joint_rules_out(canaries: int, guesses: int, right: int, mus: np.ndarray, alpha: float) -> np.ndarray:
    """μ-GDP, any dependence: for which of `mus` P(V ≥ v) is below `alpha` (`_joint_rules_out`)."""

    def least(a: np.ndarray) -> np.ndarray:
        return ndtr(ndtri(np.minimum(a, 1.0)) - mus)

    return _joint_rules_out(canaries, guesses, right, least, len(mus), alpha)


def approximate_joint_rules_out(
    canaries: int, guesses: int, right: int, epsilons: np.ndarray, delta: float, alpha: float
) -> np.ndarray:
    """(ε, δ), any dependence, by the same recursion, for each of `epsilons`; `joint` is sharper."""
    ratio = np.exp(epsilons)

    def least(a: np.ndarray) -> np.ndarray:
        return np.maximum(np.maximum((a - delta) / ratio, 1.0 - delta - ratio * (1.0 - a)), 0.0)

    return _joint_rules_out(canaries, guesses, right, least, len(epsilons), alpha)


def _joint_rules_out(
    canaries: int, guesses: int, right: int, least_of: Callable[[np.ndarray], np.ndarray], count: int, alpha: float
) -> np.ndarray:
    """For which of `count` trade-off curves P(V ≥ v) is below `alpha`, by the recursion of arXiv 2410.22235.

    Mahloujifar, Melis & Chaudhuri, "Auditing f-Differential Privacy in One Run". With A_j = Σ_{k>j} (k/m) p_k and
    B_j = Σ_{k≥j} ((r − k)/m) p_k, the event "this coin is guessed, rightly, with at least j other right guesses" and
    f-DP say that B_j is at least the least probability of an event whose probability on the other side is A_j:
    `least_of` (Φ(Φ⁻¹(A_j) − μ) for μ-GDP). From A_{v−1} = αv/m and B_v = α(r − v)/m, the least that P(V ≥ v) = α
    allows, down to j = 0 the least B_j and A_{j−1} = A_j + (j/(r − j))(B_j − B_{j+1}) follow; A + B beyond r/m, all
    there is, is a contradiction, which a larger P(V ≥ v) only makes worse.

    Returns
    -------
    bool[count]
    """
    a = np.full(count, alpha * right / canaries)
    b = np.full(count, alpha * (guesses - right) / canaries)
    whole = guesses / canaries * (1.0 + 1e-12)
    for j in range(right - 1, -1, -1):
        least = np.maximum(b, least_of(a))
        added = least - b
        if ((added <= 0.0) | (a + b > whole)).all():
            break  # where nothing was added nothing ever will be, and sums never shrink
        a, b = np.minimum(a + j / (guesses - j) * added, 2.0), least  # beyond `whole` it need not grow on
    return a + b > whole
