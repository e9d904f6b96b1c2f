"""Algorithm 1 on the hardest scale of the even scaled basis: its rates in n, d, epsilon and the radius.

Every risk here is a function of B|X| and |Y| of degree 2 (in units of w, of x and of y), so a sweep in B at |X| = |Y| =
1 is one in |X|, and with the dependence on n fixes that on |Y|.
"""

from __future__ import annotations

from collections.abc import Sequence

from dpbench.ledger.harness_rates import swept
from dpbench.ledger.measurement import Context, Evidence, Row
from dpbench.papers.glm import theory
from dpbench.papers.glm.algorithms.noisy_gd import NoisyGD
from dpbench.papers.glm.populations import ScaledBasis
from dpbench.papers.glm.theorems.hard_scales import SCALES, Scale, exact_slope, hardest_scale
from dpbench.rates.nuisances import SecondTerm
from dpbench.rates.sweeps import Point

DELTA = 1e-5
H = 2.0  # squared loss; X = Y = B = 1


NO_NOISE = (SecondTerm("statistical term", "curvature term"), SCALES)
"""What Corollary 1 leaves open: √H̃B‖Y‖/√n + H̃B²/n."""
NOISE = (SecondTerm("private term", "statistical term"), SCALES)
"""What Theorem 1 leaves open: GB√(dL)/(nε) + √H̃B‖Y‖/√n; the ceiling has the larger of the two."""


def step_and_noise(n: int, dimension: int, epsilon: float | None, radius: float = 1.0) -> tuple[float, float]:
    """η of Theorem 1 and the printed σ (0 without privacy) at T = n, from the theorem's own formulas."""
    bound = theory.smooth_gradient_bound(H, 1.0, 1.0, radius)
    sigma = 0.0 if epsilon is None else theory.noisy_gd_noise(bound, n, n, epsilon, DELTA)
    return theory.noisy_gd_step_size(radius, n, H, 1.0, 1.0, sigma, dimension), sigma


def hardest(n: int, dimension: int, epsilon: float | None, radius: float = 1.0) -> tuple[Scale, Row]:
    """The scale where Algorithm 1 as printed loses most, T = n, with its ceiling, the terms of that and zero."""
    eta, sigma = step_and_noise(n, dimension, epsilon, radius)
    scale = hardest_scale("squared", n, dimension, eta, sigma, radius=radius)
    if epsilon is None:
        ceiling = theory.gradient_descent_rate(H, 1.0, 1.0, radius, n)
    else:
        ceiling = theory.noisy_gd_rate(H, 1.0, 1.0, radius, n, dimension, epsilon, DELTA)
    return scale, {
        "ceiling": ceiling, **theory.noisy_gd_terms(radius, n, H, 1.0, 1.0, sigma, dimension),
        "zero predictor": scale.zero, "active coordinates": scale.active, "fraction": scale.fraction,
    }  # fmt: skip


def run(
    context: Context, axis: str, grid: Sequence[tuple[int, int]], epsilons: float | Sequence[float] | None,
    trials: int | Sequence[int], repeats: int,
) -> Evidence:  # fmt: skip
    """Measure the mechanism on the hardest scale at each (n, d), and judge the slope along `axis`.

    `epsilons` is one for each point, one for all, or None for no privacy.
    """
    rows = []
    each = epsilons if isinstance(epsilons, Sequence) else [epsilons] * len(grid)
    for (n, d), epsilon in zip(grid, each, strict=True):
        scale, columns = hardest(n, d, epsilon)
        mechanism = (
            NoisyGD(1.0, DELTA, noise_scale=0.0) if epsilon is None else NoisyGD(epsilon, DELTA, calibration="printed")
        )
        point = Point(ScaledBasis.even("squared", d, scale.active, scale.fraction), n, mechanism)
        rows.append({axis: {"n": n, "d": d, "epsilon": epsilon}[axis], "point": point, "closed form": scale.excess}
                    | columns)  # fmt: skip
    return swept(
        context,
        rows,
        trials,
        "squared loss, B = X = Y = 1, T = n; at each point the scale (active coordinates, fraction of records) "
        "with the largest expected excess risk, by the closed form without projection, before any data are drawn",
        f"every trial draws a data set of its own and is the mean over {repeats} run(s) of the mechanism on it",
        repeats=repeats,
    )


def sweep(axis: str, grid: Sequence[tuple[int, float]], dimension: int, epsilon: float | None) -> Evidence:
    """The largest expected excess over scales at each (n, B), beside the ceiling, zero and Y²."""
    hardest_scales = [(n, radius, *hardest(n, dimension, epsilon, radius)) for n, radius in grid]
    return exact_slope(
        axis,
        [
            {"n": n, "radius": radius, "measured": scale.excess} | columns
            for n, radius, scale, columns in hardest_scales
        ],
        f"the average iterate on the hardest scale, projection left out, T = n, up to {dimension} coordinates, X = Y = "
        "1; each excess is below Y^2",
    )
