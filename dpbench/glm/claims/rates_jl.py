"""Rates of Theorem 2 of the GLM paper: the JL method against n, B and d."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from dpbench.glm import theory
from dpbench.glm.claims import paper
from dpbench.glm.jl import JLMethod
from dpbench.glm.populations import ScaledBasis
from dpbench.ledger.core import Context, Evidence
from dpbench.ledger.harness_rates import judge
from dpbench.rates.sweeps import Point, sweep

DELTA = 1e-5
CONSTANT = 0.004
"""The factor that Theorem 2 leaves in its k = O(...)^(2/3)."""
SHAPE = (2.0, 1.0, 1.0, 1.0)
"""H, ‖X‖, ‖Y‖, B of the squared loss."""
GRID = (8, 64, 512, 4096, 32768)
"""The dimensions of a full run."""


_BOUND = (
    "Algorithm 2 has excess risk O~(sqrt(H)B|X||Y|/sqrt(n) + ((sqrt(H)B|X| sqrt(|Y|))^(4/3) + H B^2|X|^2)/(n "
    "epsilon)^(2/3))."
)


@paper.rate(
    "thm2", variant="n", source="Theorem 2", expected="consistent", side="tight", exponent=-2.0 / 3.0,
    statement=_BOUND,
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
    expected="consistent", side="tight", full_only=True, exponent=-2.0 / 3.0,
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
    shapes = [(2.0, 1.0, 1.0, radius, n, epsilon, DELTA) for n, radius in grid]
    dimensions = [math.ceil(theory.smooth_jl_dimension(*shape, CONSTANT)) for shape in shapes]
    points = [
        Point(ScaledBasis.even("squared", 2 * k, 2 * k, 1.0, radius=radius), n, mechanism)
        for k, (n, radius) in zip(dimensions, grid, strict=True)
    ]
    samples = sweep(points, trials, seed=context.seed, map_blocks=context.map)
    zero = [radius**2 / (2.0 * k) for k, (_, radius) in zip(dimensions, grid, strict=True)]
    columns: dict[str, list[Any]] = {"k": dimensions, "zero predictor": zero, "kept by no map": [z / 2 for z in zero]}
    notes = (
        f"squared loss, X = Y = 1, epsilon = {epsilon:g}, all parameters printed, constant of k {CONSTANT:g}, with "
        "which the noise stays below the zero predictor's risk; 2k coordinates of equal mass and equal weight at each "
        "point",
        "kept by no map: w = Phi^T v lies in a random subspace of dimension k, uniform among them, so that the best "
        "point has half of the zero predictor's excess on average, B^2/(4k): the JL error of the theorem, to a "
        "constant",
    )
    rate = theory.smooth_jl_private_rate if private else theory.smooth_jl_rate
    ceiling = [rate(*shape) for shape in shapes]
    return judge(axis, [point[axis != "n"] for point in grid], samples, ceiling, columns, *notes)


@paper.rate(
    "thm2", variant="d.exact", source="Theorem 2, with sigma sqrt(k) in the step size", expected="consistent",
    side="upper", exponent=0.0,
    statement="The excess risk of Algorithm 2, with sigma sqrt(k) in eta and the exact calibration, does not grow "
    "with d.",
    because="Coordinates that no record has change neither the projected data nor the predictions.",
)
def in_d_exact(context: Context) -> Evidence:
    """η with σ√k."""
    grid = context.pick(quick=(2, 128, 8192), full=GRID)
    trials = context.pick(quick=(48, 16, 48), full=(80, 48, 48, 48, 80))  # the ends fix a slope
    return _in_d(context, "exact", grid, trials)


def _in_d(
    context: Context, calibration: str, grid: tuple[int, ...], trials: int | tuple[int, ...], repeats: int = 4
) -> Evidence:
    """One coordinate has all the mass; the others are only there."""
    k, (n, epsilon) = 25, context.pick(quick=(1024, 6.4), full=(4096, 1.6))
    constant = k / theory.smooth_jl_dimension(*SHAPE, n, epsilon, DELTA)
    mechanism = JLMethod(epsilon, DELTA, calibration=calibration, dimension=k)
    points = [Point(ScaledBasis.even("squared", d, 1, 1.0), n, mechanism) for d in grid]
    samples = sweep(points, trials, repeats=repeats, seed=context.seed, map_blocks=context.map)
    ceiling = [theory.smooth_jl_rate(*SHAPE, n, epsilon, DELTA)] * len(grid)
    problems = [point.population.draw(n, np.random.default_rng(0)) for point in points]
    columns: dict[str, list[Any]] = {
        "step size": [mechanism.eta(p) for p in problems],
        "zero predictor": [1.0] * len(grid),
    }
    notes = (
        f"squared loss, n = {n}, epsilon = {epsilon:g}, k = {k} (a constant of {constant:.2g} in the printed k), "
        f"{calibration} calibration; one coordinate has all the mass and the whole of w*",
        f"every trial draws a data set of its own and is the mean over {repeats} run(s) of the mechanism on it",
        "an upper bound that no instance at hand could break: the empty coordinates are all that changes",
    )
    return judge("d", grid, samples, ceiling, columns, *notes)
