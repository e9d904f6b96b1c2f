"""Trials in blocks, so that a trial's bits depend neither on how many are asked for nor on their order."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dpbench.core import validation
from dpbench.core.sampling import block_width, check_rng
from dpbench.papers.publicdata.problem import PublicDataProblem, public_data_problem


def in_blocks(
    run: Callable[[int, int], np.ndarray],
    problem: PublicDataProblem,
    trials: int,
    rng: np.random.Generator,
    widest: int | None = None,
) -> np.ndarray:
    """`run(width, rows)` for each block: it draws for `width` trials and returns the first `rows`, those asked for.

    `widest` bounds the width: where draws cost most, none should be made for trials not asked for.
    """
    public_data_problem(problem)
    check_rng(rng)
    trials = validation.integer("trials", trials, at_least=1)
    width = block_width(problem)
    if widest is not None:
        width = min(width, widest)
    parts = [run(width, min(width, trials - at)) for at in range(0, trials, width)]
    return np.concatenate(parts)


def one_block(
    run: Callable[[int, int], np.ndarray], problem: PublicDataProblem, width: int, rng: np.random.Generator
) -> np.ndarray:
    """`run(width, width)`: a block of `width` trials and nothing beyond them."""
    public_data_problem(problem)
    check_rng(rng)
    return run(width, width)
