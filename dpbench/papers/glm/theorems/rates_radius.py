"""Corollary 1 and Theorem 1 of the GLM paper against B, and Theorem 1 at small B, in closed form.

Every risk here is a function of B|X| and |Y| of degree 2 (in units of w, of x and of y), so a sweep in B at |X| = |Y| =
1 is one in |X|, and with the dependence on n fixes that on |Y|.
"""

from __future__ import annotations

from collections.abc import Sequence

from dpbench.ledger.measurement import Context, Evidence, Row
from dpbench.papers.glm import theory
from dpbench.papers.glm.theorems import paper
from dpbench.papers.glm.theorems.hard_scales import exact_slope, hardest_scale
from dpbench.papers.glm.theorems.rates_noisy_gd import NO_NOISE, NOISE

H, DELTA = 2.0, 1e-5


def sweep(axis: str, grid: Sequence[tuple[int, float]], dimension: int, epsilon: float | None) -> Evidence:
    """The largest expected excess over scales at each (n, B), beside the ceiling, zero and Y²."""
    rows: list[Row] = []
    for n, radius in grid:
        bound = theory.smooth_gradient_bound(H, 1.0, 1.0, radius)
        sigma = 0.0 if epsilon is None else theory.noisy_gd_noise(bound, n, n, epsilon, DELTA)
        eta = theory.noisy_gd_step_size(radius, n, H, 1.0, 1.0, sigma, dimension)
        scale = hardest_scale("squared", n, dimension, eta, sigma, radius=radius)
        ceiling = theory.gradient_descent_rate(H, 1.0, 1.0, radius, n)
        terms = theory.noisy_gd_terms(radius, n, H, 1.0, 1.0, sigma, dimension)
        if epsilon is not None:
            ceiling = theory.noisy_gd_rate(H, 1.0, 1.0, radius, n, dimension, epsilon, DELTA)
        rows.append(
            {"n": n, "radius": radius, "measured": scale.excess, "ceiling": ceiling, "zero predictor": scale.zero,
             **terms, "active coordinates": scale.active, "fraction": scale.fraction}
        )  # fmt: skip
    return exact_slope(
        axis, rows,
        f"the average iterate on the hardest scale, projection left out, T = n, up to {dimension} coordinates, X = Y = "
        "1; each excess is below Y^2",
    )


@paper.rate(
    "cor1", variant="radius", side="tight", exponent=1.0, level=0.0, source="Corollary 1, dependence on |w*|",
    nuisances=NO_NOISE,
    statement="Gradient descent without noise has excess risk O(sqrt(H~) B |Y|/sqrt(n)): linear, not quadratic, in B.",
    expected="consistent",
    because="The hardest scale has m of order B|X|sqrt(n)/|Y| coordinates with label means b = B|X|/(|Y|sqrt(m)), "
    "where the labels' noise costs m|Y|^2/n and the bias b^2|Y|^2, both of order B|X||Y|/sqrt(n).",
)
def corollary1(run: Context) -> Evidence:
    """B from |Y|/8 to 4|Y|."""
    n, dimension = run.pick(quick=(1024, 512), full=(4096, 2048))
    return sweep("radius", [(n, radius) for radius in (0.125, 0.25, 0.5, 1.0, 2.0, 4.0)], dimension, None)


@paper.rate(
    "thm1", variant="radius", side="tight", level=0.0, source="Theorem 1, dependence on |w*|",
    nuisances=NOISE,
    statement="The private term of Theorem 1 is GB sqrt(d log(1/delta))/(n epsilon): linear in B for sqrt(H)B|X| below "
    "|Y|, quadratic above.",
    expected="consistent",
    because="G = 2|Y|sqrt(H)|X| + 2HB|X|^2; the bias of the hardest scale is about B^2/(eta T), which is that term.",
)
def theorem1(run: Context) -> Evidence:
    """B from |Y|/8 to 2|Y|, where the private term dominates."""
    return sweep("radius", [(20_000, radius) for radius in (0.125, 0.25, 0.5, 1.0, 2.0)], 8, 0.2)


@paper.rate(
    "thm1", variant="n.small-radius", side="tight", exponent=-1.0, level=0.0, nuisances=NOISE,
    source="Table 1, H-smooth, sqrt(H)|w*||X| <= |Y|, low dimension (Theorem 1)",
    statement="Where sqrt(H)B|X| is below |Y| the private term of Theorem 1 is sqrt(H)B|X||Y| sqrt(d log(1/delta))/(n "
    "epsilon).",
    expected="consistent",
    because="G is then of order |Y|sqrt(H)|X|; the bias of the hardest scale is about B^2/(eta T), which is that term.",
)
def small_radius(run: Context) -> Evidence:
    """B = |Y|/8, so that √H·B|X| = 0.18 |Y|: against n where the private term dominates."""
    return sweep("n", [(22_000 * 3**k, 0.125) for k in range(5)], 8, 0.1)
