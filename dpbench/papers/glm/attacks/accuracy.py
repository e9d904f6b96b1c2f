"""Error against a floor: run any mechanism on a hard family; one that beats the floor is not (ε, δ)-private.

The error is aggregated as the floor is. For the verdict the outputs are clipped to the box in which all
targets of the family lie: post-processing, which keeps (ε, δ) and raises the error on no member, so the floor
applies to the clipped outputs too, and their error is bounded. So the confidence bound holds in finite
samples for every law of the outputs, and a refutation needs no assumption on the mechanism.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np

from dpbench.auditing.audit import sampler_name
from dpbench.bounds import upper, upper_mean
from dpbench.core import validation
from dpbench.core.blas import one_blas_thread
from dpbench.core.sampling import map_blocks, stream
from dpbench.papers.glm.attacks.members import Mechanism, errors_on
from dpbench.privacy.inversion import crossing
from lowerbounds.instances import HardFamily

SUM_BLOCK = 4096  # runs of a mechanism in a block, where the members are enumerated
MEAN_BLOCK = 8  # members drawn in a block, where they have a prior


@dataclass(frozen=True)
class Accuracy:
    """The error of a mechanism on a hard family, beside the floor.

    Attributes
    ----------
    mechanism, family, aggregate : str
        Who, on what, and what `error` is, in words.
    epsilon, delta : float or None
        The privacy that the floor is for; None where it holds for every algorithm.
    floor : float
    ceiling : float or None
        The upper bound of a theorem, where one was given.
    error, standard_error : float
        Of the outputs as they are.
    clipped : float
        Mean error of the outputs clipped (or rounded) as the verdict does.
    upper : float
        Upper confidence bound on the expectation of `clipped`, at `confidence`.
    confidence : float
    epsilon_lower : float or None
        At this confidence no (ε, δ) guarantee below holds; None where the floor does not depend on ε.
    runs : int
        Outputs drawn.
    seed : int
    """

    mechanism: str
    family: str
    aggregate: str
    epsilon: float | None
    delta: float | None
    floor: float
    ceiling: float | None
    error: float
    standard_error: float
    clipped: float
    upper: float
    confidence: float
    epsilon_lower: float | None
    runs: int
    seed: int

    @property
    def ratio(self) -> float:
        """Error over floor."""
        return self.error / self.floor

    @property
    def verdict(self) -> str:
        """ "refuted": the floor is beaten, at the confidence stated, and so is the claim that it rests on."""
        return "refuted" if self.upper < self.floor else "not refuted"

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and strings, ready for JSON."""
        return {**asdict(self), "ratio": self.ratio, "verdict": self.verdict}

    def __str__(self) -> str:
        bound = "" if self.epsilon_lower is None else f"; epsilon >= {self.epsilon_lower:.4g} at delta = {self.delta:g}"
        return (
            f"{self.mechanism} on {self.family}: error {self.error:.4g} = {self.ratio:.3g} x floor; clipped at most "
            f"{self.upper:.4g} at confidence {self.confidence:g}, {self.runs} runs: {self.verdict}{bound}"
        )


@dataclass(frozen=True)
class Runs:
    """How often a mechanism is run on a family, and what is made of its outputs; fields as in `measure_accuracy`."""

    draws: int
    trials: int
    seed: int
    margin: float = 0.0
    rounded: bool = False


def measure_accuracy(
    mechanism: Mechanism,
    family: HardFamily,
    *,
    draws: int = 256,
    trials: int = 8,
    confidence: float = 0.999,
    margin: float = 0.0,
    rounded: bool = False,
    ceiling: float | None = None,
    seed: int = 0,
    workers: int | Executor = 1,
    mapped: Callable[[Callable[[int], Any], Iterable[int]], list[Any]] | None = None,
) -> Accuracy:
    """Run a mechanism on a hard family and hold its error against the floor.

    Parameters
    ----------
    mechanism : callable
        ``mechanism(problem, trials, rng) -> array (trials, d)``: one of ours, or yours; (trials,) where d =
        1.
    family : HardFamily
        From `lowerbounds`.
    draws : int
        Independent values that the confidence bound rests on: members drawn from the prior (with new data
        where they are random), or, for a family of two data sets, runs on each of them.
    trials : int
        Runs on each member drawn; no influence on a family of two data sets.
    confidence : float
    margin : float
        Outputs are clipped to the box widened by this times its width: 0 is the strongest attack, a large
        value the error of the lemma as printed.
    rounded : bool
        Round each coordinate to the nearer end of the box instead: for two data sets, the best test of which
        it is for any law whose likelihood ratio is monotone.
    ceiling : float, optional
        An upper bound to report beside.
    seed : int
    workers : int or concurrent.futures.Executor
        The numbers do not depend on it.
    mapped : callable, optional
        ``mapped(function, blocks)`` in place of the workers, for a caller that keeps blocks in a store.

    Raises
    ------
    InvalidInput
        A parameter or an output cannot be used, or the mechanism raised.

    Examples
    --------
    >>> from lowerbounds import chaudhuri_hsu
    >>> def label_mean(problem, trials, rng):
    ...     return np.full(trials, problem.y.sum() / problem.X.sum())
    >>> measure_accuracy(label_mean, chaudhuri_hsu(100, epsilon=0.5)).verdict
    'refuted'
    """
    if not callable(mechanism):
        raise validation.invalid("mechanism", "callable as mechanism(problem, trials, rng)", mechanism)
    if not isinstance(family, HardFamily):
        raise validation.invalid("family", "a HardFamily of lowerbounds", family)
    draws, trials = validation.integer("draws", draws, at_least=2), validation.integer("trials", trials, at_least=1)
    confidence = validation.fraction("confidence", confidence)
    margin, rounded = validation.real("margin", margin, at_least=0.0), bool(rounded)
    seed = validation.integer("seed", seed, at_least=0)
    runs = Runs(draws, trials, seed, margin, rounded)
    function = partial(error_block, mechanism, family, runs)
    blocks = range(block_count(family, draws))
    if mapped is not None:
        parts = mapped(function, blocks)
    else:
        with one_blas_thread():
            parts = map_blocks(function, blocks, workers)
    return report(mechanism, family, parts, runs, confidence, ceiling)


def block_count(family: HardFamily, draws: int) -> int:
    """Blocks that `draws` values come in."""
    return -(-draws // (SUM_BLOCK if family.enumerated else MEAN_BLOCK))


def error_block(mechanism: Mechanism, family: HardFamily, runs: Runs, number: int) -> np.ndarray:
    """Errors of one block: column 0 of the outputs as they are, column 1 of the clipped (or rounded) ones."""
    if family.enumerated:
        size = min(SUM_BLOCK, runs.draws - number * SUM_BLOCK)
        total = np.zeros((size, 2))
        for place, member in enumerate(family.enumerated):
            rng = stream(runs.seed, "accuracy", family.name, number, place)
            total += errors_on(mechanism, family, [member], size, [rng], runs.margin, runs.rounded)[0]
        return total
    drawn = range(number * MEAN_BLOCK, min((number + 1) * MEAN_BLOCK, runs.draws))
    rngs = [stream(runs.seed, "accuracy", family.name, draw) for draw in drawn]
    members = [family.members(rng) for rng in rngs]
    return errors_on(mechanism, family, members, runs.trials, rngs, runs.margin, runs.rounded).mean(axis=1)


def report(
    mechanism: Mechanism,
    family: HardFamily,
    parts: list[np.ndarray],
    runs: Runs,
    confidence: float,
    ceiling: float | None = None,
) -> Accuracy:
    """The result, from all blocks."""
    values = np.concatenate(parts)
    bound = upper_error(family, values[:, 1], runs.margin, 1.0 - confidence, runs.rounded)
    lower = None
    if family.floor_at is not None and family.delta is not None:
        lower = epsilon_of_floor(family.floor_at, family.delta, bound)
    return Accuracy(
        mechanism=sampler_name(mechanism),
        family=f"{family.name} ({family.source})",
        aggregate=family.how,
        epsilon=family.epsilon,
        delta=family.delta,
        floor=family.floor,
        ceiling=ceiling,
        error=float(values[:, 0].mean()),
        standard_error=float(values[:, 0].std(ddof=1)) / math.sqrt(runs.draws),
        clipped=float(values[:, 1].mean()),
        upper=bound,
        confidence=confidence,
        epsilon_lower=lower,
        runs=runs.draws * (len(family.enumerated) or runs.trials),
        seed=runs.seed,
    )


def upper_error(family: HardFamily, values: np.ndarray, margin: float, alpha: float, rounded: bool = False) -> float:
    """Upper confidence bound on the expected aggregate; a value is one member's error, or the sum of all.

    Rounded outputs on two data sets miss by 0 or by the width of the box, with probabilities p and q. Of all
    p, q with one sum the chance of few misses is largest for p = q (Hoeffding 1956, below the mean), so
    Clopper-Pearson for one probability and twice the runs is a bound on (p + q)/2.
    """
    if rounded and family.name == "two-point" and alpha < 0.5:
        width = family.box[1] - family.box[0]
        misses = round(float(values.sum()) / width)
        return 2.0 * width * float(upper(misses, 2 * values.size, alpha))
    terms = max(1, len(family.enumerated))
    least, largest = family.least * terms, family.largest(*family.widened(margin)) * terms
    return least + upper_mean(values - least, largest - least, alpha)


def epsilon_of_floor(floor_at: Callable[[float, float], float], delta: float, error: float) -> float:
    """The largest ε whose floor is above `error`: no algorithm with at most this error is (ε, δ)-private
    below it."""
    return max(0.0, crossing(lambda epsilon: epsilon > 0.0 and floor_at(min(epsilon, 600.0), delta) <= error)[0])
