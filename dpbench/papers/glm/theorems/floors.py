"""What the entries on floors share: algorithms on a hard family beside its floor, and the attack's power."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np

from dpbench.ledger.harness import sampled
from dpbench.ledger.measurement import LEVEL, Context, Evidence, column
from dpbench.papers.glm.algorithms.boosting import Boosting
from dpbench.papers.glm.algorithms.grid_search import PrivateGridSearch
from dpbench.papers.glm.algorithms.jl import JLMethod
from dpbench.papers.glm.algorithms.noisy_gd import NoisyGD
from dpbench.papers.glm.algorithms.noisy_mean import NoisyMean, tripping_factor
from dpbench.papers.glm.algorithms.output_perturbation import OutputPerturbation
from dpbench.papers.glm.attacks.accuracy import Accuracy, Runs, block_count, error_block, report, upper_error
from dpbench.papers.glm.problem import GLMProblem
from lowerbounds.curves import best_distance, curve
from lowerbounds.instances import HardFamily, Instance
from lowerbounds.two_points import chaudhuri_hsu

_FEW = 128  # members drawn for the costly algorithms
_DENSE = 2**14  # up to this many entries the features of an instance are made dense
_MAPS = 2  # runs of the JL method on one member: each draws a map of its own


@dataclass(frozen=True)
class Zero:
    """The predictor that never looks at the data: private at every level."""

    stable_name = "zero"
    moments_suffice = True

    def __call__(self, problem: GLMProblem, trials: int, rng: np.random.Generator) -> np.ndarray:
        return np.zeros((trials, problem.d))


@dataclass(frozen=True)
class Case:
    """A hard family, the algorithms to run on it, and what to write beside them.

    Attributes
    ----------
    build : callable
        A constructor of `lowerbounds`.
    arguments : dict
        Its arguments, all that the samples depend on: entries that differ in their constants alone share them.
    constants : dict
        The arguments that choose the constants of the floor.
    algorithms : dict
        Name to mechanism.
    beside : dict
        Further columns: where the family stands in a sweep, ceilings, other floors.
    costly : dict
        Name to mechanism, for those to run on few members: see `costly`.
    """

    build: Callable[..., HardFamily]
    arguments: dict[str, Any]
    constants: dict[str, Any]
    algorithms: dict[str, Any]
    beside: dict[str, Any]
    costly: dict[str, Any] = field(default_factory=dict)


def private(epsilon: float, delta: float) -> dict[str, Any]:
    """The algorithms of the paper at this privacy, and the zero predictor."""
    return {
        "noisy GD": NoisyGD(epsilon, delta),
        "output perturbation": OutputPerturbation(epsilon, delta),
        "zero": Zero(),
    }


def costly(epsilon: float, delta: float) -> dict[str, Any]:
    """The other three algorithms, grid search and boosting over output perturbation as in Theorems 8 and 15.

    They cost many times as much a run: entries run them at level full, on the families that a figure shows.
    """
    base = OutputPerturbation(epsilon, delta)
    selecting = {"grid search": PrivateGridSearch(base, epsilon, delta), "boosting": Boosting(base, epsilon, delta)}
    return {"JL method": JLMethod(epsilon, delta), **selecting}


def run_floor(
    context: Context, cases: Sequence[Case], trials: int = 32, quick: int = 64, full: int = 384
) -> tuple[str, Evidence]:
    """Every algorithm on every family; "refuted" if one beats a floor at the entry's level.

    `quick` and `full` are the members drawn, with `trials` runs on each; for two data sets, 4096 and 32768 runs. The
    costly algorithms have at most `_FEW` members.
    """
    tests = sum(len(case.algorithms) + len(case.costly) for case in cases)
    confidence = 1.0 - LEVEL / tests
    rows: list[dict[str, Any]] = []
    verdict, runs, sight = "not refuted", 0, 0.0
    for case in cases:
        family = case.build(**case.arguments, **case.constants)
        draws = context.pick(quick=quick, full=full)
        if family.enumerated:
            draws = context.pick(quick=4096, full=32768)
        # What the bound would say of an algorithm without any error: below 1, it would be refuted.
        fewest = min(draws, _FEW) if case.costly else draws
        sight = float(np.maximum(sight, upper_error(family, np.zeros(fewest), 0.0, LEVEL / tests) / family.floor))
        for name, mechanism in (case.algorithms | case.costly).items():
            drawn = min(draws, _FEW) if name in case.costly else draws
            each = min(trials, _MAPS) if isinstance(mechanism, JLMethod) else trials
            what, blocks = (case.build, case.arguments, mechanism, drawn, each), block_count(family, drawn)
            parts = sampled(context, floor_block, *what, blocks=blocks)
            accuracy = report(mechanism, family, parts, Runs(drawn, each, context.seed), confidence)
            verdict = "refuted" if accuracy.verdict == "refuted" else verdict
            runs += accuracy.runs
            rows.append(case.beside | _row(name, family, accuracy) | _sums(family, np.concatenate(parts)[:, 1]))
    best = min((r for r in rows if r["algorithm"] != "zero"), key=lambda r: r["ratio"])
    zero = min((r["ratio"] for r in rows if r["algorithm"] == "zero"), default=float("nan"))
    smallest = float(np.min([r["ratio"] for r in rows]))
    return verdict, Evidence(
        value=smallest,
        trials=runs,
        tables={"rows": column(rows)},
        notes=(
            f"value: the smallest ratio of a measured error to its floor; {best['algorithm']} is the best algorithm at "
            f"{best['ratio']:.4g} times the floor, the zero predictor is at {zero:.4g}",
            f"the error is the {rows[0]['aggregate']}; outputs are clipped to the family's box for the verdict, which "
            f"rests on {tests} upper bounds at {LEVEL:g}/{tests} each",
            f"an algorithm without error would be bounded by {sight:.3g} times the floor at worst"
            + ("" if sight < 1.0 else ": too many floors to see below at this size"),
        ),
    )


def floor_block(
    build: Callable[..., HardFamily], arguments: dict[str, Any], mechanism: Any, draws: int, trials: int, seed: int,
    number: int,
) -> np.ndarray:  # fmt: skip
    """`error_block` on a family named by its constructor and arguments, as stored blocks are."""
    family = _built(build, tuple(sorted(arguments.items())))
    return error_block(mechanism, family, Runs(draws, trials, seed), number)


@lru_cache(maxsize=64)
def _built(build: Callable[..., HardFamily], arguments: tuple[tuple[str, Any], ...]) -> HardFamily:
    family = build(**dict(arguments))
    if family.n * family.d > _DENSE:
        return family
    dense = copy.copy(family)
    dense.__dict__["instances"] = _Dense(family.instances)
    return dense


@dataclass(eq=False)
class _Dense:
    """Small instances with dense features: checks and steps on a few thousand entries are quicker so."""

    instances: Callable[..., Instance]
    last: tuple[Any, Any] = (None, None)  # features that members share are made dense once

    def __call__(self, member: Any, rng: np.random.Generator | None = None) -> Instance:
        instances, last = self.instances(member, rng), self.last
        if last[0] is not instances.X:
            last = self.last = instances.X, instances.X.toarray()
        return replace(instances, X=last[1])


def _sums(family: HardFamily, values: np.ndarray) -> dict[str, Any]:
    """Of the errors of clipped outputs: how many, their sum and sum of squares, and the range that they have."""
    terms = max(1, len(family.enumerated))
    least, largest = family.least * terms, family.largest(*family.box) * terms
    return {
        "runs": values.size, "total": float(values.sum()), "squares": float((values**2).sum()), "low": least,
        "high": largest,
    }  # fmt: skip


def _row(name: str, family: HardFamily, accuracy: Accuracy) -> dict[str, Any]:
    return {
        "algorithm": name, "family": family.name, "n": family.n, "d": family.d, "distance": family.distance,
        "epsilon": float("nan") if family.epsilon is None else family.epsilon, "floor": accuracy.floor,
        "error": accuracy.error, "standard error": accuracy.standard_error, "upper": accuracy.upper,
        "ratio": accuracy.ratio, "aggregate": accuracy.aggregate,
    }  # fmt: skip


PRIVACY = (("laplace", 1.0, 0.0), ("gaussian", 1.0, 1e-5))
SHRINKS = (1.0, 1.2, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0, 12.0, 15.0)
RUNS, CONFIDENCE = 2000, 0.999
STATISTICS = {"absolute error": (4.0, False), "clipped to the targets": (0.0, False), "rounded": (0.0, True)}
"""Margin and rounding of `measure_accuracy`: the lemma's own error (clipped 4 widths out), and two that lose less."""


def power(context: Context) -> tuple[dict[str, list[Any]], tuple[str, ...]]:
    """The share of attacks of 2,000 runs a side that refute, at confidence 99.9%."""
    repeats = context.pick(quick=2, full=200)
    rows = []
    for noise, epsilon, delta in PRIVACY:
        predicted = tripping_factor(epsilon, delta, noise)
        shares = sampled(context, attacks, noise, epsilon, delta, repeats, blocks=len(SHRINKS))
        for shrink, share in zip(SHRINKS, shares, strict=True):
            rows.append({"noise": noise, "shrink": shrink, "predicted": predicted} | share)
    factors = ", ".join(f"{tripping_factor(e, d, noise):.3g} ({noise}, epsilon = {e:g})" for noise, e, d in PRIVACY)
    return column(rows), (
        f"power: share of {repeats} attacks of {RUNS} runs a side that refute at {CONFIDENCE}; the expected absolute "
        f"error meets the floor where the noise is too small by {factors}; clipped or rounded outputs trip it earlier",
    )


def attacks(noise: str, epsilon: float, delta: float, repeats: int, seed: int, number: int) -> dict[str, float]:
    """Share of refuting attacks for each statistic, at one noise scale."""
    distance = best_distance(curve(epsilon, delta, "exact"), 200)
    family = chaudhuri_hsu(200 + distance % 2, epsilon, delta, distance=distance)
    mechanism = NoisyMean(epsilon, delta, noise, SHRINKS[number])
    bounds = {}
    for name, (margin, rounded) in STATISTICS.items():
        refuted = [
            upper_error(
                family,
                error_block(mechanism, family, Runs(RUNS, 1, seed * 1_000_003 + repeat, margin, rounded), 0)[:, 1],
                margin,
                1.0 - CONFIDENCE,
                rounded,
            )
            < family.floor
            for repeat in range(repeats)
        ]
        bounds[name] = float(np.mean(refuted))
    return bounds
