"""The Lipschitz columns of the GLM paper's Table 1: rank at most nε, both non-private cells, and where the two meet.

Upper bounds of low rank are cited there from [SSTT20], the non-private ones from [NY83]. Absolute loss, B = X = G = 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from dpbench.ledger.harness_rates import swept
from dpbench.ledger.measurement import Context, Evidence, Row, Rows
from dpbench.papers.glm import theory
from dpbench.papers.glm.noisy_gd import NoisyGD
from dpbench.papers.glm.populations import ScaledBasis
from dpbench.papers.glm.theorems import paper
from dpbench.papers.glm.theorems.hard_scales import exact_slope
from dpbench.papers.glm.theorems.rates_lipschitz import zero_excess
from dpbench.rates.nuisances import Correction, SecondTerm
from dpbench.rates.sweeps import Point, sweep

DELTA = 1e-5
STEPS = 256
"""T of noisy gradient descent: its private term does not depend on it as long as σ√rank stays above G."""
_REACH = 1.25  # ηTp/B, how far a run could go without noise: the hardest instances have it at 1 and beyond
_BIASES = np.geomspace(0.05, 3.0, 60)  # of the labels, in units of 1/√n
FLOOR = 0.25
"""The constant of the floor BX/√n, below every exact Bayes risk from n = 2 on."""

_CELL = r"$\frac{G\ w^*\ \ \mathcal{X}\ \sqrt{\operatorname{rank}}}{n\epsilon}$"


def hardest(n: int, rank: int, epsilon: float) -> ScaledBasis:
    """w* = e_1, on so few records that noisy gradient descent reaches it only at its last steps; the rest pad the rank.

    With η = B/(σ√(rank·T)) and mass p on e_1 a run moves by ηTp in all: p = B/(ηT) is the scale of half learned, and
    pB/2 = Bσ√rank/(2√T) the private term.
    """
    share = min(0.9, _REACH * math.sqrt(8.0 * rank * math.log(1.0 / DELTA)) / (n * epsilon))
    masses = np.full(rank, (1.0 - share) / max(1, rank - 1))
    masses[0] = share
    return ScaledBasis("absolute", masses, np.arange(rank) == 0, radius=1.0 + 1e-12)


def descent(n: int, rank: int, epsilon: float) -> Row:
    """Noisy gradient descent on `hardest`, noise printed: its point and the zero predictor's excess."""
    population = hardest(n, rank, epsilon)
    point = Point(population, n, NoisyGD(epsilon, DELTA, steps=STEPS, calibration="printed"))
    return {"point": point, "zero predictor": zero_excess(population)}


_STEP = SecondTerm(
    "ceiling", "step term", 1.0, "the regret is B sqrt(G^2 + sigma^2 rank)/sqrt(T), of which the cell has the noise"
)


def _step_term(n: int, rank: int, epsilon: float) -> float:
    """What √(G²X² + σ²·rank) adds to σ√rank, in units of the cell: (√(1 + G²X²/(σ²·rank)) − 1) times the cell."""
    cell = theory.lipschitz_low_rank_rate(1.0, 1.0, 1.0, n, rank, epsilon, DELTA)
    noise = theory.noisy_gd_noise(1.0, STEPS, n, epsilon, DELTA)
    return cell * (math.sqrt(1.0 + 1.0 / (noise**2 * rank)) - 1.0)


def _low_rank(context: Context, axis: str, grid: Sequence[tuple[int, float]], trials: Any) -> Evidence:
    n = 256
    return swept(
        context,
        [{axis: rank if axis == "rank" else e, "n epsilon": n * e, **descent(n, rank, e),
          "ceiling": theory.lipschitz_low_rank_rate(1.0, 1.0, 1.0, n, rank, e, DELTA),
          "step term": _step_term(n, rank, e)} for rank, e in grid], trials,
        f"absolute loss, n = {n}, T = {STEPS}, sigma printed, w* = e_1 met by the few records that make it hardest; "
        "the other coordinates have w*_j = 0 and labels of random sign",
        "noisy gradient descent in R^rank stands for the method of [SSTT20]; the ceiling is the cell, the non-private "
        "term left out: the labels on e_1 have no noise", repeats=4,
    )  # fmt: skip


@paper.rate(
    "table1", variant="lipschitz.epsilon", source="Table 1, G-Lipschitz, rank <= n epsilon", expected="consistent",
    side="tight", exponent=-1.0, full_only=True, quote=_CELL, nuisances=(_STEP,),
    statement="For rank <= n epsilon the private term is GB|X|sqrt(rank)/(n epsilon), over epsilon.",
    because="The bias of the instance whose w* a run barely reaches is B^2/(2 eta T) = B sigma sqrt(rank)/(2 sqrt(T)), "
    "that term, and the same over the rank.",
)
def low_rank_epsilon(context: Context) -> Evidence:
    """Rank 16, nε from 64 to 512."""
    return _low_rank(context, "epsilon", [(16, e) for e in (0.25, 0.5, 1.0, 2.0)], (96, 64, 96, 192))


@paper.rate(
    "table1", variant="lipschitz.rank", source="Table 1, G-Lipschitz, rank <= n epsilon", expected="consistent",
    side="tight", exponent=0.5, full_only=True, quote=_CELL, nuisances=(_STEP,),
    statement="For rank <= n epsilon the private term is GB|X|sqrt(rank)/(n epsilon), over the rank.",
    because="As over epsilon: eta falls like 1/sqrt(rank).",
)
def low_rank_rank(context: Context) -> Evidence:
    """nε = 512, ranks from 16 to 256."""
    return _low_rank(context, "rank", [(rank, 2.0) for rank in (16, 64, 256)], (128, 40, 40))


@paper.rate(
    "table1", variant="crossover.lipschitz", source="Table 1, G-Lipschitz: rank <= n epsilon meets rank > n epsilon",
    expected="consistent", side="tight", exponent=1.0, full_only=True,
    statement="Low and high rank meet at rank* = n epsilon up to a constant: below it noisy GD has the smaller worst "
    "excess risk, above it Algorithm 3.",
    because="GB|X|sqrt(rank)/(n epsilon) = GB|X|/sqrt(n epsilon) at rank = n epsilon; the constant depends on both "
    "calibrations and is reported.",
)
def crossover(context: Context) -> Rows:
    """The rank where noisy gradient descent, measured near it, costs what output perturbation does: σX√(2/π)."""
    n = 256
    for product in (64, 128, 256, 512):
        epsilon, near = product / n, max(2, round(0.3 * product))
        level, run = erm_cost(n, epsilon), descent(n, near, epsilon)
        (part,) = sweep([run["point"]], 64, repeats=4, seed=context.seed, map_blocks=context.map)
        # The cost grows like √rank there (glm.table1.rate.lipschitz.rank), so that each trial gives rank·(level/cost)².
        crossed = near * (level / part.mean()) ** 2 * (1.0 - 2.0 * (part / part.mean() - 1.0))
        yield {
            "n epsilon": product, "samples": crossed, "ceiling": float(product), "rank measured": near,
            "ratio": float(crossed.mean()) / product, "excess at the crossing": level, "zero predictor": 1.0,
            "zero predictor of the descent": run["zero predictor"], "excess of the descent": float(part.mean()),
        }  # fmt: skip
    return (
        f"absolute loss, n = {n}, both printed; noisy GD on its hardest instance (T = {STEPS}), measured at about 0.3 "
        "n epsilon coordinates and carried to the crossing along sqrt(rank), as far as its errors in first order; "
        "output perturbation on w* = e_1 met by every record, where the noise costs sigma X sqrt(2/pi) exactly",
        "zero predictor: of output perturbation's instance; that of the descent's has a column of its own",
    )


def erm_cost(n: int, epsilon: float) -> float:
    """E|⟨ξ, x⟩| = σX√(2/π) of Algorithm 3 as Theorem 5 prints it: its excess where the minimiser is w* itself."""
    lam = theory.lipschitz_erm_regularization(1.0, 1.0, 1.0, n, epsilon, DELTA)
    return theory.lipschitz_erm_noise(1.0, 1.0, n, epsilon, DELTA, lam) * math.sqrt(2.0 / math.pi)


def majority_risk(n: int, bias: float) -> float:
    """2ρB·P(the majority of n labels is wrong), ties one half: the excess of ERM, and the Bayes risk of the pair.

    x = X, y = ±B with P(y = σB) = (1 + ρ)/2, σ = ±1 uniform: L(w) = B − σρw on [−B, B], so that the excess of w is
    ρ(B − σw), and no rule for σ errs less often than the likelihood's, which is the majority.
    """
    from scipy.stats import binom

    tie = float(binom.pmf(n // 2, n, 0.5 * (1.0 + bias))) if n % 2 == 0 else 0.0
    return 2.0 * bias * (float(binom.cdf((n - 1) // 2, n, 0.5 * (1.0 + bias))) + 0.5 * tie)


def hardest_bias(n: int) -> tuple[float, float]:
    """The label bias at which `majority_risk` is largest on a grid around 1/√n, and the risk there."""
    biases = [float(u) / math.sqrt(n) for u in _BIASES if u < math.sqrt(n)]
    return max(((rho, majority_risk(n, rho)) for rho in biases), key=lambda found: found[1])


@paper.rate(
    "table1", variant="classical.lipschitz", source="Table 1, non-private, G-Lipschitz [NY83]", expected="consistent",
    side="tight", level=0.0, exponent=-0.5,
    nuisances=(Correction(1.0, -1.0 / 16.0, 1.0 / 16.0, "the binomial law beside the normal one, of order 1/n"),),
    statement="Without privacy the excess risk of empirical risk minimisation is O(GB|X|/sqrt(n)).",
    because="On labels of bias 1/sqrt(n) the empirical minimiser, the majority, is wrong with constant probability, "
    "and then costs 2B|X|/sqrt(n).",
)
def nonprivate(context: Context) -> Evidence:
    """ERM on the absolute loss in one dimension, at the hardest label bias: exact."""
    rows: list[Row] = []
    for n in (16, 64, 256, 1024, 4096, 16384):
        bias, risk = hardest_bias(n)
        ceiling = theory.nonprivate_lipschitz_rate(1.0, 1.0, 1.0, n)
        rows.append({"n": n, "measured": risk, "ceiling": ceiling, "zero predictor": bias, "label bias": bias})
    return exact_slope("n", rows, "absolute loss, x = X, y = +-B: a binomial sum; the risk is also the Bayes risk of "
                       "the pair of signs, so that no algorithm does better on both")  # fmt: skip


@paper.floor(
    "table1", variant="classical.lipschitz", source="Table 1, non-private, G-Lipschitz: tight [NY83]",
    expected="not refuted",
    statement=f"Whatever the algorithm, some distribution costs it {FLOOR:.3g} GB|X|/sqrt(n) (n >= 2, d = 1).",
    because="The paper has no constant. The mean excess over two signs of a label bias of order 1/sqrt(n) is at least "
    "the exact Bayes risk, that of the majority.",
)
def nonprivate_floor(context: Context) -> Rows:
    """The constant beside the exact Bayes risk at the hardest bias."""
    for n in (2, 3, 5, 10, 31, 100, 1000, 10_000, 100_000):
        _, risk = hardest_bias(n)
        yield {"n": n, "left": FLOOR / math.sqrt(n), "right": risk, "ratio": risk * math.sqrt(n) / FLOOR}
    return "value: the smallest margin of the Bayes risk over the constant's floor"

