"""Expected excess risks on the even scaled basis in closed form, and the scale where they are largest.

On `ScaledBasis.even` (d' active coordinates with total mass p, |w*_j| = B/√d') a quadratic loss decouples: given
the number N of records that meet a coordinate, gradient descent is an autoregression there. Summed over the
binomial law of N this gives the expected excess risk of noisy gradient descent exactly, as long as the projection
is left out. It chooses the scale of a sweep before any data are drawn; the mechanism itself is then measured.

`crossing_dimension` gives the dimension at which the worst excess risk of noisy gradient descent reaches a level, and
`exact_slope` the evidence of a rate known exactly. Squared loss, X = y_bound = B = 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from dpbench.ledger.measurement import Evidence, Row, column
from dpbench.papers.glm import theory
from dpbench.papers.glm.algorithms.noisy_gd import exact_noise
from dpbench.papers.glm.losses import resolve, squared
from dpbench.papers.glm.sensitivity import gradient_gap
from dpbench.rates.nuisances import Ripple
from dpbench.rates.slopes import theory_slope

_SPREAD = 9.0  # standard deviations of N that the sum covers
_FRACTIONS = 40  # values of p, evenly spaced in its logarithm


SCALES = Ripple(0.03, "the hardest scale is sought among powers of two and 40 fractions: a finer search gains less")
"""What every excess on a hardest scale leaves open (`tests/papers/glm/test_hard_scales.py`)."""


@dataclass(frozen=True)
class Scale:
    """A scale of the even scaled basis.

    Attributes
    ----------
    active : int
        d'.
    fraction : float
        p.
    excess : float
        Expected excess risk there, projection left out.
    zero : float
        Excess risk of the zero predictor.
    """

    active: int
    fraction: float
    excess: float
    zero: float


def hardest_scale(
    loss: str, n: int, dimension: int, eta: float, sigma: float, *, steps: int | None = None, radius: float = 1.0
) -> Scale:
    """The (d', p) with the largest expected excess of noisy gradient descent; ‖X‖ = y_bound = 1, B = `radius`.

    d' runs over the powers of two up to `dimension` that B allows (B ≤ √d'), and `dimension`; p over a
    logarithmic grid from 1/n to 1.
    """
    powers = {2**k for k in range(dimension.bit_length())} | {dimension}
    allowed = sorted(k for k in powers if k <= dimension and radius**2 <= k * (1.0 + 1e-12))
    curvature, times = 0.5 * resolve(loss).smoothness * radius**2, n if steps is None else steps

    def excess(active: int, fraction: float) -> float:
        return noisy_gd_excess(loss, n, active, fraction, eta, sigma, steps=times, radius=radius)

    return _hardest(n, allowed, excess, curvature)


def _hardest(
    n: int, actives: Iterable[int], excess: Callable[[int, float], float], curvature: float, below_zero: bool = False
) -> Scale:
    """The (d', p) with the largest `excess`, p from 1/n to 1; below that of zero, curvature·p/d', if `below_zero`."""
    excesses = (
        Scale(active, p, excess(active, p), curvature * p / active)
        for active in actives for p in map(float, np.geomspace(1.0 / n, 1.0, _FRACTIONS))
    )  # fmt: skip
    return max((scale for scale in excesses if not below_zero or scale.excess < scale.zero), key=lambda s: s.excess)


def _mean_square(keep: np.ndarray, bias: float, hits: np.ndarray) -> np.ndarray:
    """E(w − b)², w = 1 − keep times a mean of N labels ±1 of mean b: (keep·b)² + (1 − keep)²(1 − b²)/N."""
    return (keep * bias) ** 2 + (1.0 - keep) ** 2 * (1.0 - bias**2) / np.maximum(hits, 1)


def noisy_gd_excess(
    loss: str,
    n: int,
    active: int,
    fraction: float,
    eta: float,
    sigma: float,
    *,
    steps: int,
    radius: float = 1.0,
) -> float:
    """E[L(ŵ) − L(w*)] of noisy gradient descent without projection on the even scaled basis; ‖X‖ = y_bound = 1.

    Given N records on a coordinate, a = HN/n, r = 1 − ηa, β = (1 − r^T)/(Tηa): the average iterate is
    (1 − β)·(mean label) plus noise of variance (ση/T)²·Σ_{k<T} ((1 − r^k)/(1 − r))². The mean label has mean
    b = B/√d' and variance (1 − b²)/N.
    """
    curvature, share = resolve(loss).smoothness, fraction / active
    bias = radius / math.sqrt(active)
    hits, chance = _hits(n, share)
    step = eta * curvature * hits / n
    keep = mean_power(step, steps)
    square = _mean_square(keep, bias, hits)
    square += (eta * sigma / steps) ** 2 * noise_sum(step, steps)
    return 0.5 * curvature * fraction * float(chance @ square)


@lru_cache(maxsize=1024)  # the search for a crossing asks for one n at many step sizes
def _hits(n: int, share: float) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of records that may meet a coordinate, and their probabilities."""
    from scipy.stats import binom

    reach = _SPREAD * math.sqrt(n * share * (1.0 - share)) + _SPREAD
    hits = np.arange(max(0, math.floor(n * share - reach)), min(n, math.ceil(n * share + reach)) + 1)
    return hits, binom.pmf(hits, n, share)


def mean_power(step: np.ndarray, steps: int) -> np.ndarray:
    """The mean of r^t over 0 ≤ t < T, r = 1 − step."""
    safe = np.maximum(step, 1e-300)
    return np.where(step > 0.0, -np.expm1(steps * np.log1p(-safe)) / (steps * safe), 1.0)


def noise_sum(step: np.ndarray, steps: int) -> np.ndarray:
    """Σ_{k=1}^{T−1} ((1 − r^k)/(1 − r))²; the limit (T−1)T(2T−1)/6 where T·step is tiny."""
    limit = (steps - 1) * steps * (2 * steps - 1) / 6.0
    safe = np.maximum(step, 1e-4 / steps)
    r = 1.0 - safe
    powers, squares = np.exp((steps - 1) * np.log1p(-safe)), np.exp(2 * (steps - 1) * np.log1p(-safe))
    total = (steps - 1) - 2.0 * r * (1.0 - powers) / safe + r**2 * (1.0 - squares) / (safe * (1.0 + r))
    return np.where(step > 1e-4 / steps, total / safe**2, limit)


DELTA = 1e-5
SHAPE = (2.0, 1.0, 1.0, 1.0)
"""H, ‖X‖, ‖Y‖, B of the squared loss."""
_LARGEST = math.log(1e6)  # dimensions are searched up to here
_STEPS = 40  # of that search


def noisy_gd_envelope(n: int, dimension: float, epsilon: float, calibration: str) -> Scale:
    """The scale with the largest expected excess of Algorithm 1 at T = n and Theorem 1's η; projection left out.

    A `dimension` between two integers has η in between, and as many coordinates as the lower one.
    """
    smoothness, x_bound, y, radius = SHAPE
    if calibration == "printed":
        sigma = theory.noisy_gd_noise(theory.smooth_gradient_bound(*SHAPE), n, n, epsilon, DELTA)
    else:
        sigma = exact_noise(gradient_gap(squared(), x_bound, y, radius, 2), n, n, epsilon, DELTA)
    eta = theory.noisy_gd_step_size(radius, n, smoothness, x_bound, y, sigma, dimension)
    return hardest_scale("squared", n, math.floor(dimension), eta, sigma)


def output_perturbation_envelope(n: int, lam: float, sigma: float) -> Scale:
    """The scale with the largest expected excess of Algorithm 3 below that of zero; d' to 4/λ, where all is shrunk."""
    actives = (2**k for k in range(max(1, math.ceil(math.log2(4.0 / lam))) + 1))
    return _hardest(
        n, actives, lambda active, p: output_perturbation_excess(n, active, p, lam, sigma), 1.0, below_zero=True
    )


def output_perturbation_excess(
    n: int, active: int, fraction: float, lam: float, sigma: float, *, radius: float = 1.0
) -> float:
    """E[L(ŵ) − L(w*)] of output perturbation, projection left out: p(E(w̃_j − w*_j)²·d' + σ²) with w̃_j in closed form.

    Given N records on a coordinate and a = 2N/n, w̃_j = a/(a + λ)·(mean label); the mean label has mean b = B/√d' and
    variance (1 − b²)/N.
    """
    hits, chance = _hits(n, fraction / active)
    square = _mean_square(lam / (2.0 * hits / n + lam), radius / math.sqrt(active), hits)
    return fraction * (float(chance @ square) + sigma**2)


def crossing_dimension(n: int, epsilon: float, calibration: str, level: float) -> tuple[float, float]:
    """The d where the envelope of noisy gradient descent is `level`, to 1e-3, and d log(envelope)/d log(d) there."""

    def above(log_d: float) -> float:
        return math.log(noisy_gd_envelope(n, math.exp(log_d), epsilon, calibration).excess / level)

    log_d, steepness = math.log(theory.transition_dimension(*SHAPE, n, epsilon)), 0.5
    before: tuple[float, float] | None = None
    for _ in range(_STEPS):
        if log_d >= _LARGEST:
            break
        gap = above(log_d)
        if abs(gap) < 5e-4:
            ends = max(0.0, log_d - 0.3), log_d + 0.3
            return math.exp(log_d), (above(ends[1]) - above(ends[0])) / (ends[1] - ends[0])
        if before is not None and log_d != before[0]:
            steepness = min(2.0, max(0.2, (gap - before[1]) / (log_d - before[0])))
        elif before is not None:
            break  # the same dimension again: the lowest
        before = log_d, gap
        log_d = max(0.0, log_d - gap / steepness)
    raise ArithmeticError(
        f"{_STEPS} steps find no dimension from 1 to {math.exp(_LARGEST):.0e} "
        f"with an excess risk of {level:g} at n = {n}"
    )


def exact_slope(axis: str, rows: Sequence[Row], *notes: str, at_zero: float = 1.0) -> Evidence:
    """Slope of ``measured`` along `axis`, held against that of ``ceiling``; nothing is drawn.

    Parameters
    ----------
    axis : str
        Column of the grid.
    rows : sequence of dict
        With `axis`, ``measured`` (the expected excess risk), ``ceiling`` and ``zero predictor`` (its excess risk).
    notes : str
    at_zero : float
        ‖Y‖² (‖Y‖ for a Lipschitz loss), which no useful excess risk exceeds.

    Raises
    ------
    RuntimeError
        If an excess risk is not below that of the zero predictor and `at_zero`: the rate would say nothing there.
    """
    for row in rows:
        if not row["measured"] < min(at_zero, row["zero predictor"]):
            raise RuntimeError(f"at {axis} = {row[axis]} the excess is not below Y^2 and the zero predictor's")
    table = column([{axis: row[axis]} | row | {"over ceiling": row["measured"] / row["ceiling"]} for row in rows])
    slope, expected = (theory_slope(table[axis], table[name]) for name in ("measured", "ceiling"))
    least, largest = min(table["over ceiling"]), max(table["over ceiling"])
    return Evidence(
        slope,
        interval=(slope, slope),
        reference=expected,
        tables={"rows": table},
        notes=(
            f"value: log-log slope of the excess risk in {axis}; expected {expected:+.4f}, that of the ceiling",
            f"exact expected excess risk: {least:.3g} to {largest:.3g} of the ceiling (constants 1), and below "
            "the zero predictor's at each point",
            *notes,
        ),
    )
