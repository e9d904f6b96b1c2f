"""Sweeps: the excess risk of a mechanism at each point of a grid, every trial on a data set of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from dpbench import validation
from dpbench.blas import one_blas_thread
from dpbench.populations import Population
from dpbench.sampling import Mechanism, stable_name, stream

Map = Callable[[dict[str, Any], Callable[[int], Any], Iterable[int]], list[Any]]
_RECORDS_PER_BLOCK = 2**20


@dataclass(frozen=True)
class Point:
    """One point of a grid.

    Attributes
    ----------
    population : Population
        A frozen dataclass; it takes part in the seeds of the trials.
    n : int
        Records in each data set.
    mechanism : Mechanism
    """

    population: Any
    n: int
    mechanism: Any

    def __post_init__(self) -> None:
        validation.integer("n", self.n, at_least=1)


def sweep(
    points: Sequence[Point], trials: int, *, seed: int = 0, map_blocks: Map | None = None
) -> list[np.ndarray]:
    """Excess risks at each point: `trials` independent data sets, one output of the mechanism on each.

    Parameters
    ----------
    points : sequence of Point
    trials : int
        Data sets a point, at least 2. Trial t has a generator of its own, seeded by (seed, mechanism,
        population, n, t), which draws the data and then the mechanism's noise: more trials extend the sample.
    seed : int
    map_blocks : callable, optional
        ``map_blocks(unit, function, blocks)``, for example the `map` of a claim's context, which memoises blocks
        and runs them in parallel. Default: one after the other.

    Returns
    -------
    list of ndarray, each of shape (trials,)
    """
    trials = validation.integer("trials", trials, at_least=2)
    seed = validation.integer("seed", seed, at_least=0)
    run = _in_order if map_blocks is None else map_blocks
    found = []
    for point in points:
        width = _block_trials(point.n)
        unit = {"what": "excess risk, one data set a trial", "n": point.n, "mechanism": point.mechanism}
        parts = run(unit, partial(excess_of_block, point, seed), range(-(-trials // width)))
        found.append(np.concatenate(parts)[:trials])
    return found


def excess_of_block(point: Point, seed: int, block: int) -> np.ndarray:
    """The excess risks of the trials of one block; its length depends on n alone."""
    width = _block_trials(point.n)
    with one_blas_thread():
        outputs = [_output(point, seed, trial) for trial in range(block * width, (block + 1) * width)]
    return point.population.excess_risk(np.array(outputs))


def _output(point: Point, seed: int, trial: int) -> np.ndarray:
    population: Population = point.population
    mechanism: Mechanism = point.mechanism
    rng = stream(seed, "rates", stable_name(mechanism), mechanism, population, point.n, trial)
    return mechanism(population.draw(point.n, rng), 1, rng)[0]


def _block_trials(n: int) -> int:
    return max(1, min(32, _RECORDS_PER_BLOCK // n))


def _in_order(unit: dict[str, Any], function: Callable[[int], Any], blocks: Iterable[int]) -> list[Any]:
    return [function(block) for block in blocks]
