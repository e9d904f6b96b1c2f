"""Rates of Theorems 5 and 10 of the GLM paper on the noise-free absolute loss: in ε, in the rank, and in B."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from dpbench.ledger.harness_rates import swept
from dpbench.ledger.measurement import Context, Evidence, Row
from dpbench.papers.glm import theory
from dpbench.papers.glm.jl import JLMethod
from dpbench.papers.glm.output_perturbation import OutputPerturbation
from dpbench.papers.glm.populations import ScaledBasis
from dpbench.papers.glm.theorems import paper
from dpbench.rates.nuisances import SecondTerm
from dpbench.rates.sweeps import Point

DELTA = 1e-5
CONSTANT = 0.002
"""The factor that Theorem 10 leaves in k = O(log(2n/δ)nε): with it the noise stays below the zero predictor's risk."""
PAD = 0.125
"""Share of the records on coordinates that only raise the rank."""


def sharp(rank: int, dimension: int, radius: float = 1.0) -> ScaledBasis:
    """Absolute loss, y = ⟨w*, x⟩ without noise, `rank` coordinates of equal mass with |w*_j| = B/√rank; X = 1."""
    on = np.arange(dimension) < rank
    signs = np.where(np.arange(dimension) % 2 == 0, 1.0, -1.0)
    size = radius / math.sqrt(rank)
    return ScaledBasis(
        "absolute", np.where(on, 1.0 / rank, 0.0), signs * on, y_bound=size, radius=radius * (1.0 + 1e-12)
    )


def padded(active: int, rank: int) -> ScaledBasis:
    """`sharp` on `active` coordinates, and `rank` coordinates in all: the others have w*_j = 0 and noisy labels."""
    on = np.arange(rank) < active
    masses = np.where(on, (1.0 - PAD) / active, PAD / max(1, rank - active))
    signs = np.where(np.arange(rank) % 2 == 0, 1.0, -1.0)
    return ScaledBasis("absolute", masses, signs * on, y_bound=1.0 / math.sqrt(active), radius=1.0 + 1e-12)


_THEOREM_10 = "Algorithm 2 has excess risk O~(GB|X|/sqrt(n) + GB|X|/sqrt(n epsilon)), with T = n^2."
_THEOREM_5 = "Algorithm 3 has excess risk O~(GB|X|/sqrt(n) + GB|X|/sqrt(n epsilon))."


@paper.rate(
    "thm10", variant="epsilon", source="Theorem 10, dependence on epsilon", expected="consistent", side="tight",
    exponent=-0.5, statement=_THEOREM_10, nuisances=(SecondTerm("private term", "statistical term"),),
    because="For epsilon <= rank/n the theorem's private term is attained on a sharp loss: with 2k coordinates of "
    "equal weight and k of order n epsilon log(n/delta) the output, confined to a random subspace of dimension k, "
    "keeps a constant fraction of B|X|/sqrt(2k) at best.",
)
def theorem10_epsilon(context: Context) -> Evidence:
    """Everything as printed, T = n²; 2k coordinates carry w*, of which no map keeps half, and the rank is 2nε."""
    n, epsilons = context.pick(quick=64, full=100), (1.0, 2.0, 4.0, 8.0)
    rows = []
    for epsilon in epsilons:
        k = math.ceil(theory.lipschitz_jl_dimension(n, epsilon, DELTA, CONSTANT))
        rank = math.ceil(2.0 * n * epsilon)
        rows.append({"epsilon": epsilon} | _theorem10(n, epsilon, 2 * k, rank) | {"rank": rank})
    return swept(
        context, rows, context.pick(quick=(176, 64, 48, 64), full=(320, 128, 80, 112)), _printed(n),
        "2k coordinates of equal weight carry w*: w = Phi^T v lies in a uniform subspace of dimension k, half of that, "
        "whose best point is a constant times B/sqrt(k) away in mean absolute prediction",
    )


@paper.rate(
    "thm10", variant="rank", source="Theorem 10, dependence on the rank", expected="consistent", side="upper",
    exponent=0.0, statement=_THEOREM_10, because="Neither k, sigma, eta nor T depends on d or on the rank.",
)
def theorem10_rank(context: Context) -> Evidence:
    """Against the rank of the design at fixed n, ε and k: from nε/25 to beyond nε."""
    n = context.pick(quick=48, full=100)
    grid = context.pick(quick=(8, 64, 512), full=(16, 64, 256, 1024))
    return swept(
        context, [{"rank": rank} | _theorem10(n, 4.0, 8, rank) for rank in grid],
        context.pick(quick=(96, 32, 96), full=(128, 48, 48, 128)), _printed(n),
        "no instance at hand could break this upper bound, in which the rank does not occur: the other coordinates "
        "change nothing but the map's columns that nobody asks for",
    )  # fmt: skip


def _theorem10(n: int, epsilon: float, active: int, rank: int) -> Row:
    """The row of `active` coordinates that carry w*, all parameters printed."""
    mechanism = JLMethod(epsilon, DELTA, calibration="printed", dimension_constant=CONSTANT)
    point = Point(padded(active, rank), n, mechanism)
    ceiling = theory.lipschitz_jl_rate(1.0, 1.0, 1.0, n, epsilon, DELTA)
    return {
        "point": point, "ceiling": ceiling, "statistical term": 1.0 / math.sqrt(n),
        "private term": ceiling - 1.0 / math.sqrt(n), "n epsilon": n * epsilon,
        "k": math.ceil(theory.lipschitz_jl_dimension(n, epsilon, DELTA, CONSTANT)),
        "zero predictor": zero_excess(point.population),
    }  # fmt: skip


def _printed(n: int) -> str:
    return (
        f"absolute loss, y = <w*, x> exactly where w* is not 0, B = X = G = 1, n = {n}, T = n^2, all parameters "
        f"printed, constant of k {CONSTANT:g}; {PAD:g} of the records are on coordinates with w*_j = 0 and labels of "
        "random sign, which raise the rank"
    )


@paper.rate(
    "thm5", variant="rank", source="Theorem 5, dependence on the rank", expected="consistent", side="tight",
    exponent=0.0, statement=_THEOREM_5,
    because="sigma and lambda have no dimension in them, and <xi, x> is normal with deviation sigma|x| in any "
    "dimension.",
)
def theorem5_rank(context: Context) -> Evidence:
    """Against the rank, from below nε = 102 to above it; everything as printed, w* on two coordinates."""
    grid = context.pick(quick=(4, 32, 256), full=(4, 16, 64, 256, 512))
    return _theorem5(context, "rank", ((rank, padded(2, rank)) for rank in grid))


@paper.rate(
    "thm5", variant="B", source="Theorem 5, dependence on B", expected="consistent", side="tight", exponent=1.0,
    statement=_THEOREM_5, because="w -> cw, y -> cy is a symmetry: lambda goes to lambda/c and sigma to c sigma.",
)
def theorem5_radius(context: Context) -> Evidence:
    """Against B = ‖w*‖."""
    grid = context.pick(quick=(0.01, 0.3, 10.0), full=(1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0))
    return _theorem5(context, "B", ((radius, sharp(8, 8, radius)) for radius in grid))


def _theorem5(context: Context, axis: str, grid: Iterable[tuple[float, ScaledBasis]]) -> Evidence:
    """Everything printed on the populations along `axis`."""
    n, epsilon = context.pick(quick=(512, 0.2), full=(2048, 0.05))
    mechanism = OutputPerturbation(epsilon, DELTA, calibration="printed", tolerance=1e-3)
    rows = []
    for at, population in grid:
        shape = (1.0, 1.0, population.radius, n, epsilon, DELTA)
        noise = theory.lipschitz_erm_noise(1.0, 1.0, n, epsilon, DELTA, theory.lipschitz_erm_regularization(*shape))
        rows.append(
            {axis: at, "point": Point(population, n, mechanism), "ceiling": theory.lipschitz_erm_rate(*shape),
             "noise term": noise * math.sqrt(2.0 / math.pi), "zero predictor": zero_excess(population)}
        )  # fmt: skip
    return swept(
        context, rows, 16,
        f"absolute loss, y = <w*, x> exactly where w* is not 0, X = G = 1, n = {n}, epsilon = {epsilon:g}, all "
        "parameters printed",
        "noise term: sigma X sqrt(2/pi) = E|<xi, x>|, which has no rank in it and is linear in B", repeats=64,
    )


def zero_excess(population: ScaledBasis) -> float:
    """Excess risk of w = 0."""
    return float(population.excess_risk(np.zeros((1, len(population.masses))))[0])
