"""What Algorithms 4 and 5 share: the minimiser of the summed loss plus weighted 0-1 losses on random labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpbench.core import validation
from dpbench.core.bits import Source
from dpbench.papers.publicdata.algorithms.oracles import joint
from dpbench.papers.publicdata.problem import PublicDataProblem, public_data_problem
from dpbench.privacy.one_shot import StepNoise, step_noise

DISCRETE = ("discrete laplace", "discrete gaussian")
"""Laws of weights from integers."""


def weighted_minimisers(
    problem: PublicDataProblem, noise: str, scale: float, rng: np.random.Generator, width: int, rows: int
) -> np.ndarray:
    """f̃ of (19) or (148), the first `rows` of `width` draws, shape (rows, parameters): one oracle call a row.

    On f = ±1 the loss ξ·1[f(Z) ≠ Ỹ] is ξ/2 − ξỸf(Z)/2: a linear term, of either sign.

    `DISCRETE` weights are multiples of a power of two, at most 1: with the zero-one loss every number that an oracle
    adds up is one too, and sums are exact in floating point up to 2⁵³ such steps.
    """
    if noise in DISCRETE:
        discrete_weights(problem, noise, scale)
        grid, source, count = weight_grid(noise, scale), Source(rng), width * problem.m
        steps = grid.draw(source, count).reshape(width, problem.m)[:rows]
        source.more(max(0, count - source.at_hand.size))
        signs = (source.at_hand[:count] >> np.uint64(63)).astype(np.float64).reshape(width, problem.m)[:rows]
        oracle = joint(problem)
        return oracle.erm_many(oracle.objective(problem.loss, 1.0), -0.5 * grid.spacing * steps * (2.0 * signs - 1.0))
    draws = rng.laplace if noise == "laplace" else rng.normal
    xi = draws(0.0, scale, (width, problem.m))[:rows]
    labels = 2.0 * rng.integers(0, 2, (width, problem.m))[:rows] - 1.0
    oracle = joint(problem)
    return oracle.erm_many(oracle.objective(problem.loss, 1.0), -0.5 * xi * labels)


def classification(problem: Any) -> PublicDataProblem:
    """The problem itself, where its class has values ±1."""
    p = public_data_problem(problem)
    if getattr(p.hypotheses, "values", "real") != "binary":
        raise validation.invalid("hypotheses", "a class with values -1 and 1 (values = 'binary')", p.hypotheses)
    return p


def weight_grid(noise: str, scale: float) -> StepNoise:
    """`DISCRETE` weights of this scale, in steps of at most 1."""
    grid = step_noise(noise.removeprefix("discrete "), scale, 1.0)
    if grid.spacing > 1.0:
        raise validation.invalid("noise_scale", f"at most {2.0**28:g} where arithmetic is 'exact'", scale)
    return grid


def discrete_weights(problem: PublicDataProblem, noise: str, scale: float) -> None:
    """Refuses a problem unless sums over it with discrete weights of this scale are exact in floating point.

    The loss must be the zero-one loss. Weights of 2¹⁰ scales, beyond which no Laplace weight lies save with probability
    m·e^−1024 (16 standard deviations of Gaussian ones, where the sampler ends), and n records, must add up to less than
    2⁵² steps of the grid: a condition on n, m and the scale alone.
    """
    p = classification(problem)
    if p.loss != "zero-one":
        raise validation.invalid("loss", "zero-one where arithmetic is 'exact'", p.loss)
    grid = weight_grid(noise, scale)
    largest = (1024.0 if noise == DISCRETE[0] else 16.0) * grid.size
    if not p.n / grid.spacing + p.m * largest < 2.0**51:
        raise validation.invalid("noise_scale", f"of another size for n = {p.n} and m = {p.m}", scale)
