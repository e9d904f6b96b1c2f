"""Rates of Theorems 2, 3 and 5 of the GLM paper: output perturbation with the printed noise, the JL method."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from dpbench.ledger.harness_rates import swept
from dpbench.ledger.measurement import Context, Evidence, Row
from dpbench.papers.glm import theory
from dpbench.papers.glm.jl import JLMethod
from dpbench.papers.glm.output_perturbation import OutputPerturbation
from dpbench.papers.glm.populations import ScaledBasis
from dpbench.papers.glm.theorems import paper
from dpbench.papers.glm.theorems.hard_scales import exact_slope, output_perturbation_excess
from dpbench.rates.nuisances import Correction, Logarithm, SecondTerm
from dpbench.rates.sweeps import Point

DELTA = 1e-5


@paper.rate(
    "thm3", variant="n", source="Theorem 3", expected="consistent", side="tight", exponent=-2.0 / 3.0, level=0.0,
    nuisances=(
        SecondTerm("private term", "statistical term"),
        Correction(2.0 / 3.0, 0.0, 0.05, "the shrinkage of w*, lambda^2 B^2/4, of higher order than the noise"),
    ),
    statement="Algorithm 3 has excess risk O~((sqrt(H) B|X||Y| + |Y|^2)/sqrt(n) + ((sqrt(H) B|X|)^(4/3)|Y|^(2/3) + H "
    "B^2|X|^2)/(n epsilon)^(2/3)).",
    because="With the printed lambda and sigma the noise term (H/2) sigma^2 |X|^2 falls like (n epsilon)^(-2/3), and "
    "for squared loss it is attained by every distribution with |x| = |X|.",
)
def theorem3(context: Context) -> Evidence:
    """Squared loss, B = X = Y = 1, one coordinate: ε so small that the private term carries the ceiling."""
    return _theorem3("n", [{"n": 10**6 * 4**k} for k in range(5)], n=0, epsilon=1e-4, d=1, radius=1.0)


@paper.rate(
    "thm3", variant="d", source="Theorem 3, dependence on d", expected="consistent", side="tight", exponent=0.0,
    level=0.0, nuisances=(
        Correction(-1.0, 0.0, 0.05, "the shrinkage of w*, lambda^2 d B^2/4 while it is far below lambda B^2"),
    ), statement="The excess risk of Algorithm 3 does not grow with d.",
    because="lambda and sigma have no dimension in them, and the noise costs (H/2) sigma^2 E|x|^2.",
)
def theorem3_d(context: Context) -> Evidence:
    """Squared loss against d, all coordinates of equal mass and weight."""
    return _theorem3("d", [{"d": 4**k} for k in range(4)], n=10**9, epsilon=1e-4, d=0, radius=1.0)


@paper.rate(
    "thm3", variant="B", source="Theorem 3, dependence on B", expected="consistent", side="tight", exponent=2.0,
    level=0.0, nuisances=(
        SecondTerm("square term", "private term less it", 1.0, "B^2 beside B^(4/3): O leaves each constant open"),
        Correction(-2.0, 0.0, 0.05, "the shrinkage of w*, lambda^2 d B^2/4 = (lambda B^2)^2/4, beside the noise"),
    ), statement="The private term of Theorem 3 grows like B^2 where sqrt(H)B|X| is large against |Y|.",
    because="sigma^2 is C(Y^2 + H^2B^2X^4)L/(lambda n epsilon)^2 with lambda^(-2) of order (B/(Y + HBX^2))^(4/3): "
    "B^(4/3) for small B and B^2 for large, as the ceiling has it, up to a factor between 1 and 2 that moves from one "
    "end to the other; hence the grid at the end of large B.",
)
def theorem3_radius(context: Context) -> Evidence:
    """Squared loss against B = ‖w*‖, where √H·B‖X‖ ≥ ‖Y‖; B² coordinates, on which the labels have no noise."""
    grid = [{"radius": float(b), "d": b * b} for b in (32, 45, 64, 91, 128)]
    return _theorem3("radius", grid, n=10**11, epsilon=2e-3, d=0, radius=0.0)


def _theorem3(axis: str, grid: Sequence[Row], **fixed: Any) -> Evidence:
    """Everything as printed, X = Y = 1, all the mass on d even coordinates; `grid` overrides `fixed`."""
    rows: list[Row] = []
    rate = theory.smooth_erm_private_rate if axis == "radius" else theory.smooth_erm_rate
    for point in grid:
        n, d, radius = ({**fixed, **point}[key] for key in ("n", "d", "radius"))
        shape = (2.0, 1.0, 1.0, radius, n, fixed["epsilon"], DELTA)
        lam = theory.smooth_erm_regularization(*shape)
        sigma = theory.smooth_erm_noise(*shape, lam)
        excess = output_perturbation_excess(n, d, 1.0, lam, sigma, radius=radius)
        rows.append(
            point
            | {"measured": excess, "ceiling": rate(*shape), "noise term": sigma**2, "lambda": lam,
               "zero predictor": radius**2 / d} | _terms(axis, shape)
        )  # fmt: skip
    return exact_slope(
        axis, rows,
        f"squared loss, X = Y = 1, epsilon = {fixed['epsilon']:g}, everything as printed, the ball left out (the "
        "regularised minimiser is inside it where the labels have no noise): a sum over the binomial number of records "
        "on a coordinate",
        "noise term: (H/2) sigma^2 X^2, exact for squared loss; n epsilon is so large that the noise is below the zero "
        "predictor's risk, and epsilon so small that the private term, and not (log n)^(3/2)/sqrt(n), carries the "
        "ceiling (over B the ceiling is the private term alone)",
    )


def _terms(axis: str, shape: tuple[float, ...]) -> Row:
    """The two terms whose constants are open: the private and the statistical one; over B, h² and the rest of it."""
    whole, private = theory.smooth_erm_rate(*shape), theory.smooth_erm_private_rate(*shape)  # type: ignore[arg-type]
    if axis != "radius":
        return {"private term": private, "statistical term": whole - private}
    square = private / (1.0 + (math.sqrt(shape[0]) * shape[3]) ** (-2.0 / 3.0))  # of h^{4/3} + h², X = Y = 1
    return {"square term": square, "private term less it": private - square}


@paper.rate(
    "thm5", variant="n", source="Theorem 5", expected="consistent", side="tight", exponent=-0.5,
    statement="Algorithm 3 has excess risk O~(GB|X|/sqrt(n) + GB|X|/sqrt(n epsilon)).",
    because="On a sharp loss the regularised minimiser is w* and the noise costs its mean absolute value, sigma |X| "
    "sqrt(2/pi) = 2B|X|L^(1/4)sqrt(2/pi)/sqrt(n epsilon).",
)
def theorem5(context: Context, constrained: bool = True) -> Evidence:
    """Absolute loss, labels without noise: the minimiser is exact, and the noise costs σ‖X‖√(2/π)."""
    epsilon, d = 0.2, 8
    sizes = context.pick(quick=(256, 1024), full=tuple(2**k for k in range(9, 16)))
    masses, biases = np.full(d, 1.0 / d), np.where(np.arange(d) % 2 == 0, 1.0, -1.0)
    radius = math.sqrt(d)
    population = ScaledBasis("absolute", masses, biases, radius=radius)
    mechanism = OutputPerturbation(epsilon, DELTA, calibration="printed", tolerance=1e-3, constrained=constrained)
    zero = float(population.excess_risk(np.zeros((1, d)))[0])
    rows = []
    for n in sizes:
        shape = (1.0, 1.0, radius, n, epsilon, DELTA)
        lam = theory.lipschitz_erm_regularization(*shape)
        sigma = theory.lipschitz_erm_noise(1.0, 1.0, n, epsilon, DELTA, lam)
        rows.append(
            {"n": n, "point": Point(population, n, mechanism), "ceiling": theory.lipschitz_erm_rate(*shape),
             "noise term": sigma * math.sqrt(2.0 / math.pi), "lambda": lam, "zero predictor": zero}
        )  # fmt: skip
    return swept(
        context, rows, context.pick(quick=16, full=32),
        f"absolute loss, epsilon = {epsilon:g}, {d} coordinates of equal mass, y = <w*, x> exactly, B = |w*|",
        "noise term: sigma X sqrt(2/pi) = E|<xi, x>|; the regularised minimiser is w* itself where lambda |w*_j| "
        "stays below the mass of a coordinate", repeats=64,
    )  # fmt: skip


paper.variant(
    theorem5, "n.unconstrained", source="Remark before Theorem 5, on the method of [JT14]", full_only=True,
    expected="consistent", arguments={"constrained": False},
    quote=r"In fact, we note that the method of [JT14] (i.e. *unconstrained* regularized ERM with output perturbation)"
    r", can obtain this rate when  $\epsilon = O(1)$  if the regularization parameter is set differently.",
    statement="With Theorem 5's lambda unconstrained regularised ERM has excess risk O~(GB|X|/sqrt(n) + GB|X|/sqrt(n "
    "epsilon)) too, at epsilon = 0.2.",
    because="The regularised minimiser is w* here, inside the ball, so that the constraint is not felt; its "
    "sensitivity is 2GX/(lambda n) with or without it.",
)


CONSTANT = 0.004
"""The factor that Theorem 2 leaves in its k = O(...)^(2/3)."""
SHAPE = (2.0, 1.0, 1.0, 1.0)
"""H, ‖X‖, ‖Y‖, B of the squared loss."""
GRID = (8, 64, 512, 4096, 32768)
"""The dimensions of a full run."""


_OPEN = (
    SecondTerm("private term", "statistical term"),
    Logarithm(-1.0, 0.0, "the JL error of A.4 has a factor log(2n/delta) that the maps here do not need", 2.0 / DELTA),
)
"""What Theorem 2 leaves open."""
_BOUND = (
    "Algorithm 2 has excess risk O~(sqrt(H)B|X||Y|/sqrt(n) + ((sqrt(H)B|X| sqrt(|Y|))^(4/3) + H B^2|X|^2)/(n "
    "epsilon)^(2/3))."
)


@paper.rate(
    "thm2", variant="n", source="Theorem 2", expected="consistent", side="tight", exponent=-2.0 / 3.0, statement=_BOUND,
    nuisances=_OPEN,
    because="The output lies in a random subspace of dimension k of order (n epsilon)^(2/3) up to a logarithm. On an "
    "even basis of 2k coordinates no point of it has less than half of B^2/(2k) on average, which is the JL error of "
    "the bound to a constant, so that there the bound's private term is attained.",
)
def in_n(context: Context) -> Evidence:
    """Everything as printed, on the even basis of 2k coordinates, of which a map to R^k cannot keep half."""
    sizes = context.pick(quick=(2048, 5792, 16384), full=tuple(2**k for k in range(12, 16)))
    trials = context.pick(quick=(384, 48, 112), full=(512, 160, 80, 104))
    return _even(context, "n", [(n, 1.0) for n in sizes], trials)


@paper.rate(
    "thm2", variant="radius", source="Theorem 2, dependence on B", expected="consistent", side="tight", full_only=True,
    statement="The private term of Theorem 2 grows like B^(4/3) where sqrt(H)B|X| is small against |Y|, and like B^2 "
    "where it is large.",
    because="The JL error B^2/k with the printed k of order (B/(|Y| + sqrt(H)B|X|))^(2/3), attained as over n.",
)
def in_radius(context: Context) -> Evidence:
    """Everything as printed, B from ‖Y‖/2 to 4‖Y‖ at one n."""
    return _even(context, "radius", [(2**15, radius) for radius in (0.5, 1.0, 2.0, 4.0)], (176, 64, 48, 112), True)


@paper.rate(
    "thm2", variant="n.small-radius", source="Table 1, H-smooth, sqrt(H)|w*||X| <= |Y|, high dimension (Theorem 2)",
    expected="consistent", side="tight", full_only=True, exponent=-2.0 / 3.0, nuisances=_OPEN,
    statement="Where sqrt(H)B|X| is below |Y| the private term of Theorem 2 is (sqrt(H)B|X|)^(4/3)|Y|^(2/3)/(n "
    "epsilon)^(2/3).",
    because="As at B|X| = |Y|, on the even basis of 2k coordinates.",
)
def small_radius(context: Context) -> Evidence:
    """B = ‖Y‖/4, so that √H·B‖X‖ = 0.35‖Y‖, against n."""
    return _even(context, "n", [(2**k, 0.25) for k in (13, 14, 15, 16)], (256, 96, 64, 80))


def _even(
    context: Context, axis: str, grid: Sequence[tuple[int, float]], trials: int | tuple[int, ...],
    private: bool = False,
) -> Evidence:  # fmt: skip
    """All parameters printed at each (n, B): the even basis of 2k coordinates, ε = 1; or the private term alone."""
    epsilon = 1.0
    mechanism = JLMethod(epsilon, DELTA, calibration="printed", dimension_constant=CONSTANT)
    rate = theory.smooth_jl_private_rate if private else theory.smooth_jl_rate
    rows = []
    for n, radius in grid:
        shape = (2.0, 1.0, 1.0, radius, n, epsilon, DELTA)
        k = math.ceil(theory.smooth_jl_dimension(*shape, CONSTANT))
        population, zero = ScaledBasis.even("squared", 2 * k, 2 * k, 1.0, radius=radius), radius**2 / (2.0 * k)
        rows.append(
            {axis: n if axis == "n" else radius, "point": Point(population, n, mechanism), "ceiling": rate(*shape),
             "private term": theory.smooth_jl_private_rate(*shape),
             "statistical term": theory.smooth_jl_rate(*shape) - theory.smooth_jl_private_rate(*shape),
             "k": k, "zero predictor": zero, "kept by no map": zero / 2}
        )  # fmt: skip
    return swept(
        context, rows, trials,
        f"squared loss, X = Y = 1, epsilon = {epsilon:g}, all parameters printed, constant of k {CONSTANT:g}, with "
        "which the noise stays below the zero predictor's risk; 2k coordinates of equal mass and equal weight at each "
        "point",
        "kept by no map: w = Phi^T v lies in a random subspace of dimension k, uniform among them, so that the best "
        "point has half of the zero predictor's excess on average, B^2/(4k): the JL error of the theorem, to a "
        "constant",
    )


@paper.rate(
    "thm2", variant="d.exact", source="Theorem 2, with sigma sqrt(k) in the step size", expected="consistent",
    side="upper", exponent=0.0,
    statement="The excess risk of Algorithm 2, with sigma sqrt(k) in eta and the exact calibration, does not grow "
    "with d.",
    because="Coordinates that no record has change neither the projected data nor the predictions.",
)
def in_d_exact(context: Context) -> Evidence:
    """η with σ√k. One coordinate has all the mass; the others are only there."""
    grid = context.pick(quick=(2, 128, 8192), full=GRID)
    trials = context.pick(quick=(48, 16, 48), full=(80, 48, 48, 48, 80))  # the ends fix a slope
    k, (n, epsilon) = 25, context.pick(quick=(1024, 6.4), full=(4096, 1.6))
    constant = k / theory.smooth_jl_dimension(*SHAPE, n, epsilon, DELTA)
    mechanism = JLMethod(epsilon, DELTA, calibration="exact", dimension=k)
    ceiling, rows = theory.smooth_jl_rate(*SHAPE, n, epsilon, DELTA), []
    for d in grid:
        point = Point(ScaledBasis.even("squared", d, 1, 1.0), n, mechanism)
        step = mechanism.eta(point.population.draw(n, np.random.default_rng(0)))
        rows.append({"d": d, "point": point, "ceiling": ceiling, "step size": step, "zero predictor": 1.0})
    return swept(
        context, rows, trials,
        f"squared loss, n = {n}, epsilon = {epsilon:g}, k = {k} (a constant of {constant:.2g} in the printed k), "
        "exact calibration; one coordinate has all the mass and the whole of w*",
        "every trial draws a data set of its own and is the mean over 4 runs of the mechanism on it",
        "an upper bound that no instance at hand could break: the empty coordinates are all that changes", repeats=4,
    )
