"""Rates of Corollary 1 and Theorem 1 of the GLM paper, on the hardest scale of the even scaled basis."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dpbench.ledger.harness_rates import swept
from dpbench.ledger.measurement import Context, Evidence
from dpbench.papers.glm import theory
from dpbench.papers.glm.noisy_gd import NoisyGD
from dpbench.papers.glm.populations import ScaledBasis
from dpbench.papers.glm.theorems import paper
from dpbench.papers.glm.theorems.hard_scales import SCALES, hardest_scale
from dpbench.rates.nuisances import SecondTerm
from dpbench.rates.sweeps import Point

DELTA = 1e-5
H = 2.0  # squared loss; X = Y = B = 1


NO_NOISE = (SecondTerm("statistical term", "curvature term"), SCALES)
"""What Corollary 1 leaves open: √H̃B‖Y‖/√n + H̃B²/n."""
NOISE = (SecondTerm("private term", "statistical term"), SCALES)
"""What Theorem 1 leaves open: GB√(dL)/(nε) + √H̃B‖Y‖/√n; the ceiling has the larger of the two."""


def step_and_noise(n: int, dimension: int, epsilon: float | None) -> tuple[float, float]:
    """η of Theorem 1 and the printed σ (0 without privacy) at T = n, from the theorem's own formulas."""
    bound = theory.smooth_gradient_bound(H, 1.0, 1.0, 1.0)
    sigma = 0.0 if epsilon is None else theory.noisy_gd_noise(bound, n, n, epsilon, DELTA)
    return theory.noisy_gd_step_size(1.0, n, H, 1.0, 1.0, sigma, dimension), sigma


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
        scale = hardest_scale("squared", n, d, *step_and_noise(n, d, epsilon))
        if epsilon is None:
            mechanism, ceiling = NoisyGD(1.0, DELTA, noise_scale=0.0), theory.gradient_descent_rate(H, 1.0, 1.0, 1.0, n)
        else:
            mechanism = NoisyGD(epsilon, DELTA, calibration="printed")
            ceiling = theory.noisy_gd_rate(H, 1.0, 1.0, 1.0, n, d, epsilon, DELTA)
        terms = theory.noisy_gd_terms(1.0, n, H, 1.0, 1.0, step_and_noise(n, d, epsilon)[1], d)
        population = ScaledBasis.even("squared", d, scale.active, scale.fraction)
        rows.append(
            {axis: {"n": n, "d": d, "epsilon": epsilon}[axis], "point": Point(population, n, mechanism),
             "ceiling": ceiling, **terms, "closed form": scale.excess, "zero predictor": scale.zero,
             "active coordinates": scale.active, "fraction": scale.fraction}
        )  # fmt: skip
    return swept(
        context, rows, trials,
        "squared loss, B = X = Y = 1, T = n; at each point the scale (active coordinates, fraction of records) "
        "with the largest expected excess risk, by the closed form without projection, before any data are drawn",
        f"every trial draws a data set of its own and is the mean over {repeats} run(s) of the mechanism on it",
        repeats=repeats,
    )


@paper.rate(
    "cor1", source="Corollary 1", expected="consistent", side="tight", exponent=-0.5, nuisances=NO_NOISE,
    statement="Gradient descent without noise has excess risk O(sqrt(H~) B |Y|/sqrt(n)).",
    because="The envelope over scales has the exponent: a coordinate met by about 1/(eta T) of the records is learned "
    "by half, which costs about B^2/(eta T) = sqrt(H~) B |Y|/sqrt(n); with sqrt(n) such coordinates the labels' own "
    "noise costs as much.",
)
def corollary1(context: Context) -> Evidence:
    """Excess risk of gradient descent without noise against n; up to √n coordinates, as the envelope wants."""
    sizes = context.pick(quick=(64, 256, 1024, 4096), full=tuple(144 * 4**k for k in range(4)))
    trials = context.pick(quick=(480, 96, 32, 48), full=(1600, 320, 96, 112))
    return run(context, "n", [(n, math.isqrt(n)) for n in sizes], None, trials, 1)


@paper.rate(
    "thm1", variant="n", source="Theorem 1, dependence on n", expected="consistent", side="tight", exponent=-1.0,
    nuisances=NOISE,
    statement="Noisy gradient descent has excess risk O(sqrt(H~) B |Y|/sqrt(n) + G B sqrt(d log(1/delta))/(n "
    "epsilon)).",
    because="A coordinate met by about 1/(eta T) of the records is learned by half; with all d such, the bias costs "
    "about B^2/(eta T), which is the private term. For B = X = Y = 1 and squared loss the slope is -1 in the window n "
    "eps^2/2100 <= d <= (n eps/33)^(2/3).",
)
def theorem1_n(context: Context) -> Evidence:
    """Excess risk of noisy gradient descent against n, where the private term dominates."""
    epsilon, d = context.pick(quick=(1.0, 2), full=(0.1, 4))
    sizes = context.pick(quick=(128, 512, 2048), full=tuple(3_000 * 4**k for k in range(4)))
    trials = context.pick(quick=(128, 48, 48), full=(64, 32, 20, 24))
    return run(context, "n", [(n, d) for n in sizes], epsilon, trials, 32)


@paper.rate(
    "thm1", variant="d", source="Theorem 1, dependence on d", expected="consistent", side="tight", exponent=0.5,
    nuisances=NOISE,
    statement="The private term of Theorem 1 grows like sqrt(d).",
    because="As for the dependence on n: the step size falls like 1/sqrt(d) and the bias of the hardest scale is "
    "about B^2/(eta T).",
)
def theorem1_d(context: Context) -> Evidence:
    """Excess risk of noisy gradient descent against d, where the private term dominates."""
    epsilon, n = context.pick(quick=(1.0, 1_600), full=(0.25, 24_000))
    dimensions = context.pick(quick=(1, 4, 12), full=(1, 2, 4, 8, 16, 32))
    trials = context.pick(quick=(80, 32, 48), full=(50, 20, 10, 10, 10, 20))
    return run(context, "d", [(n, d) for d in dimensions], epsilon, trials, 64)


@paper.rate(
    "thm1", variant="epsilon", source="Theorem 1, dependence on epsilon", expected="consistent", side="tight",
    exponent=-1.0, nuisances=NOISE, statement="The private term of Theorem 1 falls like 1/epsilon.",
    because="As for the dependence on n, at fixed n: sigma falls like 1/epsilon, eta grows like epsilon, and the bias "
    "of the hardest scale is about B^2/(eta T).",
)
def theorem1_epsilon(context: Context) -> Evidence:
    """Excess risk of noisy gradient descent against ε, where the private term dominates."""
    n, d = context.pick(quick=(800, 1), full=(10_000, 2))
    grid = context.pick(quick=(0.0625, 0.25, 1.0), full=(0.02, 0.04, 0.08, 0.16))
    trials = context.pick(quick=(64, 16, 64), full=(128, 64, 64, 128))
    return run(context, "epsilon", [(n, d)] * len(grid), grid, trials, 64)
