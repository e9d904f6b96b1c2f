"""Privacy of the JL method where ‖Φx‖ is left as it falls: over all neighbours, and of one pair exactly.

*All neighbours.* Φ does not depend on the data, so it may be thought released. Only the two records that differ
count: with ρ = (1 + α)‖X‖, the noise gives the profile that belongs to the gradients' difference at norm ρ except
where one of the two is longer. So δ(ε) ≤ min over ρ of 2·P(‖Φx‖ > ρ) + δ_Gauss(ε; μ(ρ)). For the normal map
‖Φx‖²/‖x‖² is χ²_k/k; for the others its moment generating function is at most that of χ²_k/k (Achlioptas 2003,
Lemma 9), so P(‖Φx‖² > s‖x‖²) ≤ (s·e^{1−s})^{k/2}.

*A pair on a line.* Let all features lie along one unit vector u, and let the gradients be constant with means ±g
along u in S and S'. Given the normal map Φ with r = ‖Φu‖, w̃ = ±mΦu + cξ, and s = ⟨u, Φᵀw̃⟩ = ±mr² + crN is
sufficient, with likelihood ratio exp(2ms/c²): the same for every r. Knowing Φ is of no use to a test: one event s > t
is best for all r at once, and the pair's profile is exactly E δ_Gauss(ε; μr), r² ~ χ²_k/k.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from dpbench.papers.glm.problem import GLMProblem
from dpbench.privacy import gaussian
from dpbench.privacy.profile import Profile

_STRETCHES = 1.0 + np.geomspace(1e-3, 60.0, 160)
_CELLS = 400
_NEVER = 1e-40  # chance of the stretches that are counted as lost


def log_tails(kind: str, k: int, stretches: np.ndarray) -> np.ndarray:
    """log of (a bound on) P(‖Φx‖ > stretch·‖x‖) at each stretch ≥ 1; exact for the normal map."""
    from scipy.stats import chi2

    squares = stretches * stretches
    if kind == "gaussian":
        return np.asarray(chi2.logsf(k * squares, k))
    return np.array([0.5 * k * (math.log(square) + 1.0 - square) for square in squares.tolist()])


def unclipped_profile(kind: str, k: int, mu_at: Callable[[float], float], differing: int) -> Profile:
    """Upper profile over all neighbours; `mu_at(ρ/‖X‖)` is μ for projected records of norm at most ρ.

    `differing` counts the records that matter: two for neighbours.
    """
    tails = log_tails(kind, k, _STRETCHES).tolist()
    levels = tuple(
        (differing * math.exp(min(0.0, tail)), mu_at(s)) for tail, s in zip(tails, _STRETCHES.tolist(), strict=True)
    )
    why = "as if the map were released: Gaussian steps unless a differing record's projection is longer than assumed"
    law = ("least", tuple(("lost", tail, ("gaussian", mu, 1.0)) for tail, mu in levels if tail < 1.0))
    return Profile("upper", why, partial(_least, levels), law=law)


def _least(levels: tuple[tuple[float, float], ...], epsilon: float) -> float:
    best = 1.0
    for tail, mu in levels:
        if tail < best:
            best = min(best, tail + gaussian.delta(epsilon, mu) * (1.0 + gaussian.ROUNDING))
    return best


def line_profile(k: int, mu: float, log_kappa: Callable[[float], float], longest: float) -> Profile:
    """Lower profile of a pair on a line, exact up to lost chances and the width of cells.

    Parameters
    ----------
    k : int
    mu : float
        μ at ‖Φu‖ = 1.
    log_kappa : callable
        log of a bound on the chance that a projection on the ball is ever active, at a given ‖Φu‖; it increases.
    longest : float
        Beyond this ‖Φu‖ the gradients need not be constant.
    """
    from scipy.stats import chi2

    high = min(longest, math.sqrt(float(chi2.isf(_NEVER, k)) / k))
    edges = np.linspace(0.0, high, _CELLS + 1)
    above = chi2.sf(k * edges**2, k)
    kappa = float(np.logaddexp(log_kappa(high), chi2.logsf(k * high**2, k)))
    cells = tuple((p, mu * r) for p, r in zip((above[:-1] - above[1:]).tolist(), edges.tolist(), strict=False) if p > 0)
    why = f"mixture over the map's stretch, one event best for all; lost chance <= e^{kappa:.1f}"
    return Profile("lower", why, partial(_mixture, cells, kappa), mu=mu)


def fixed_stretch_profile(mu: float, log_kappa: float) -> Profile:
    """Lower profile of a pair on a line where ‖Φu‖ is known; `mu` belongs to it."""
    why = f"known stretch, constant gradient difference; chance of an active projection <= e^{log_kappa:.1f}"
    return Profile("lower", why, partial(_mixture, ((1.0, mu),), log_kappa), mu=mu)


def _mixture(cells: tuple[tuple[float, float], ...], log_kappa: float, epsilon: float) -> float:
    """Σ p·δ_Gauss(ε; μ) at the lower ends of the cells − (1 + e^ε)κ, rounded down."""
    lost = math.exp(min(0.0, float(np.logaddexp(0.0, epsilon)) + log_kappa))
    held = math.fsum(p * gaussian.delta(epsilon, mu) for p, mu in cells if mu > 0.0)
    return max(0.0, held * (1.0 - gaussian.ROUNDING) - lost)


def drift_on_a_line(problem: GLMProblem, neighbour: GLMProblem) -> float | None:
    """‖g‖ where the mean gradients at 0 are g and −g along the line of all features, else None."""
    if problem.loss.linear_until == 0.0:
        return None
    means = [-(p.X.T @ p.y) / p.n for p in (problem, neighbour)]
    size = float(np.linalg.norm(means[0]))
    if size == 0.0 or not np.allclose(means[0], -means[1], rtol=0.0, atol=1e-12 * size):
        return None
    for p in (problem, neighbour):
        along = np.abs(p.X @ (means[0] / size))
        squares = p.X.multiply(p.X).sum(axis=1) if p.sparse else np.einsum("ij,ij->i", p.X, p.X)
        if not np.allclose(along, np.sqrt(np.asarray(squares).reshape(-1)), rtol=1e-9):
            return None
    return size * (1.0 - 1e-9)


def log_active(k: int, radius: float, drift: float, spread: float, stretch: float) -> float:
    """log of 2·P(χ²_k > (room/spread)²), room = radius − drift·stretch (Lévy's inequality); at most 0."""
    from scipy.stats import chi2

    room = radius - drift * stretch
    if room <= 0.0:
        return 0.0
    return min(0.0, math.log(2.0) + float(chi2.logsf((room / spread) ** 2, k)))
