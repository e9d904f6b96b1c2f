"""Sweeps: the excess risk of a mechanism at each point of a grid, every trial on a data set of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np

from dpbench.core import validation
from dpbench.core.blas import one_blas_thread
from dpbench.core.sampling import Sampler, parameters, stable_name, stream

Map = Callable[[dict[str, Any], Callable[[int], Any], Iterable[int]], list[Any]]
_RECORDS_PER_BLOCK = 2**18


class Population(Protocol):
    """A law of records: bounds, a minimum-norm minimiser, data sets, and the exact excess risk.

    Attributes
    ----------
    x_bound, y_bound, radius : float
        Bounds on ‖x‖₂, |y| and ‖w*‖₂ that hold for every record and for the minimiser.
    minimiser : ndarray, shape (d,)
        w*, the minimum-norm minimiser of the population risk.
    """

    @property
    def minimiser(self) -> np.ndarray: ...

    def draw(self, n: int, rng: np.random.Generator) -> Any:
        """A data set of n independent records, with the population's bounds."""
        ...

    def excess_risk(self, outputs: np.ndarray) -> np.ndarray:
        """L(w) − L(w*) for each row w of `outputs`, shape (trials, d): shape (trials,)."""
        ...


@dataclass(frozen=True)
class Point:
    """One point of a grid.

    Attributes
    ----------
    population : Population
        A frozen dataclass; it takes part in the seeds of the trials.
    n : int
        Records in each data set.
    mechanism : Sampler
    """

    population: Any
    n: int
    mechanism: Any

    def __post_init__(self) -> None:
        validation.integer("n", self.n, at_least=1)


def sweep(
    points: Sequence[Point],
    trials: int | Sequence[int],
    *,
    repeats: int = 1,
    seed: int = 0,
    map_blocks: Map | None = None,
) -> list[np.ndarray]:
    """Excess risks at each point, each of a data set of its own: `trials` independent data sets a point.

    Parameters
    ----------
    points : sequence of Point
    trials : int or sequence of int
        Data sets at each point, at least 2. Trial t has a generator of its own, seeded by (seed, mechanism,
        population, n, t), which draws the data and then the mechanism's noise: more trials extend the sample.
    repeats : int
        Outputs of the mechanism on each data set; a trial is their mean excess risk. More of them take out the
        mechanism's own variance, where a batch costs little more than one run.
    seed : int
    map_blocks : callable, optional
        ``map_blocks(unit, function, blocks)``, for example the `map` of a claim's context, which memoises
        blocks and runs them in parallel. Default: one after the other.

    Returns
    -------
    list of ndarray, each of shape (trials,)
    """
    each = [trials] * len(points) if np.ndim(trials) == 0 else list(trials)  # type: ignore[arg-type]
    counts = [validation.integer("trials", count, at_least=2) for count in each]
    if len(counts) != len(points):
        raise validation.invalid("trials", f"one number, or one for each of the {len(points)} points", trials)
    repeats = validation.integer("repeats", repeats, at_least=1)
    seed = validation.integer("seed", seed, at_least=0)
    run = _in_order if map_blocks is None else map_blocks
    samples = []
    for point, count in zip(points, counts, strict=True):
        width = _block_trials(point.n)
        unit = {"what": "excess risk, one data set a trial", "n": point.n, "mechanism": point.mechanism}
        parts = run(unit, partial(excess_of_block, point, repeats, seed), range(-(-count // width)))
        samples.append(np.concatenate(parts)[:count])
    return samples


def excess_of_block(point: Point, repeats: int, seed: int, block: int) -> np.ndarray:
    """The excess risks of the trials of one block; its length depends on n alone."""
    width = _block_trials(point.n)
    with one_blas_thread():
        return np.array([_excess(point, repeats, seed, t) for t in range(block * width, (block + 1) * width)])


def _excess(point: Point, repeats: int, seed: int, trial: int) -> float:
    mechanism: Sampler = point.mechanism
    population: Population = point.population
    rng = stream(seed, "rates", stable_name(mechanism), parameters(mechanism), population, point.n, trial)
    problem = population.draw(point.n, rng)
    return float(population.excess_risk(mechanism(problem, repeats, rng)).mean())


def _block_trials(n: int) -> int:
    return max(1, min(16, _RECORDS_PER_BLOCK // n))


def _in_order(unit: dict[str, Any], function: Callable[[int], Any], blocks: Iterable[int]) -> list[Any]:
    return [function(block) for block in blocks]
