"""``python -m studies.own_bits``: which samplers of this suite give themselves away by their last bits.

Each sampler runs on a tiny pair of neighbours on which its exact privacy is known, and `dpbench.audit_bits` bounds ε
from below at the same δ. A bound above the exact guarantee shows what floating-point noise gives away. Each runs in
both arithmetics, if it has both: of those with ``arithmetic="exact"`` none may be broken. Controls: naive Laplace noise
(Mironov, CCS 2012, broke it), the same noise rounded to a grid, and geometric noise.
"""

from __future__ import annotations

import argparse
import json
import platform
import re
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from dpbench import InvalidInput, audit_bits
from dpbench.glm import Boosting, JLMethod, NoisyGD, OutputPerturbation, PrivateGridSearch
from dpbench.heavytail import ExponentialMechanism
from dpbench.papers.glm.algorithms.noisy_mean import NoisyMean
from dpbench.papers.glm.problem import GLMProblem
from dpbench.papers.heavytail.algorithms.baselines import ClippedSubgradient
from dpbench.papers.heavytail.problem import HeavyTailedProblem
from dpbench.papers.publicdata.algorithms.anchored import with_anchor
from dpbench.papers.publicdata.problem import PublicDataProblem
from dpbench.publicdata import (
    RRSPM,
    RSPM,
    AveragedPerturbation,
    Constants,
    FiniteClass,
    RegularizedPerturbation,
    Thresholds,
)
from tests.zoo.published import Geometric
from tools.code_key import stamped

LEVEL = 1e-6
DELTA = 0.01

Rng = np.random.Generator


@dataclass(frozen=True)
class Case:
    """A sampler, a pair of neighbours, and what is exact for it: ε at δ."""

    name: str
    sampler: Any
    pair: tuple[Any, Any]
    epsilon: float
    delta: float = 0.0
    trials: int = 50_000
    control: bool = False

    @property
    def exact(self) -> bool:
        return getattr(self.sampler, "arithmetic", "float") == "exact"


@dataclass(frozen=True)
class Row:
    """What the bits of one sampler gave away."""

    name: str
    control: bool
    exact: bool
    epsilon: float
    delta: float
    epsilon_lower: float
    broken: bool
    event: str
    trials: int
    seconds: float


def naive_laplace(data: float, trials: int, rng: Rng) -> np.ndarray:
    """data + Laplace(1) as everybody writes it."""
    return data + rng.laplace(size=trials)


def rounded_laplace(data: float, trials: int, rng: Rng) -> np.ndarray:
    """The same on the grid of 2^-10, whatever the data."""
    return np.round(naive_laplace(data, trials, rng) * 1024.0) / 1024.0


def geometric(data: int, trials: int, rng: Rng) -> np.ndarray:
    """data + two-sided geometric noise at ε = 1, as doubles."""
    return np.asarray(Geometric(1.0)((data,), trials, rng), dtype=np.float64)


def _glm() -> Iterator[tuple[str, Any, tuple[Any, Any], float, int]]:
    """Name, mechanism in floating point, pair, δ and runs a side of each; the records cancel in the data set only."""
    y = np.array([1.0, -1.0, 1.0, -1.0])
    data = GLMProblem(np.ones((4, 1)), y, loss="linear", x_bound=1.0, y_bound=1.0, radius=64.0)
    pair = data, data.replace_record(3, np.ones(1), 1.0)
    base = NoisyGD(1.0, DELTA, steps=2, step_size=0.5)
    perturbed = OutputPerturbation(1.0, DELTA)
    yield "NoisyGD, 2 steps", base, pair, DELTA, 200_000
    yield "NoisyGD, 8 steps", NoisyGD(1.0, DELTA, steps=8, step_size=0.5), pair, DELTA, 200_000
    bent = replace(data, loss="logistic"), replace(pair[1], loss="logistic")
    logistic = NoisyGD(1.0, DELTA, steps=4, step_size=0.5)
    yield "NoisyGD, logistic, 4 steps", logistic, bent, DELTA, 50_000
    yield "OutputPerturbation", perturbed, pair, DELTA, 200_000
    yield "JLMethod", JLMethod(1.0, DELTA, dimension=1, steps=2), pair, DELTA, 50_000
    yield "PrivateGridSearch over NoisyGD", PrivateGridSearch(base, 1.0, DELTA, candidates=1), pair, DELTA, 50_000
    yield "Boosting over OutputPerturbation", Boosting(perturbed, 1.0, DELTA, models=2), pair, DELTA, 50_000
    yield "NoisyMean, Laplace", NoisyMean(1.0), pair, 0.0, 200_000
    yield "NoisyMean, Gaussian", NoisyMean(1.0, DELTA, "gaussian"), pair, DELTA, 200_000


def _public() -> Iterator[tuple[str, Any, tuple[Any, Any], float, int]]:
    labels = np.array([0.5, -0.5, 0.25, -0.25]), np.array([0.5, -0.5, 0.25, 1.0])
    near, far = (PublicDataProblem(np.zeros(4), z, [0.0], hypotheses=Constants(), loss="squared") for z in labels)
    y = np.array([1.0, -1.0, 1.0, -1.0])
    x, points = [-0.5, 0.0, 0.25, 0.5], [-0.6, -0.1, 0.3, 0.8]
    first, other = (PublicDataProblem(x, z, points, hypotheses=Thresholds(), loss="zero-one") for z in (y, np.abs(y)))
    patterns = FiniteClass([[1, 1, 1], [1, -1, 1], [-1, 1, -1]])
    one, two = (
        PublicDataProblem([0, 1, 2, 1], z, [0, 1, 2], hypotheses=patterns, loss="zero-one") for z in (y, np.abs(y))
    )
    algorithm = RegularizedPerturbation(1.0, DELTA)
    yield "RegularizedPerturbation, Gaussian", algorithm, (near, far), DELTA, 50_000
    yield "RegularizedPerturbation, Laplace", RegularizedPerturbation(1.0, noise="laplace"), (near, far), 0.0, 50_000
    anchored = with_anchor(near), with_anchor(far)
    yield "AveragedPerturbation", AveragedPerturbation(1.0, DELTA, calls=4), anchored, DELTA, 50_000
    yield "RRSPM, Laplace", RRSPM(1.0), (first, other), 0.0, 50_000
    yield "RRSPM, Gaussian", RRSPM(1.0, DELTA, noise="gaussian"), (first, other), DELTA, 50_000
    yield "RSPM", RSPM(1.0), (one, two), 0.0, 50_000


def _heavy() -> Iterator[tuple[str, Any, tuple[Any, Any], float, int]]:
    far = np.full((4, 1), 1e9)
    data = HeavyTailedProblem(far, far[:, 0], radius=1.0)
    pair = data, data.replace_record(0, far[0], -1e9)
    yield "ExponentialMechanism", ExponentialMechanism(1.0, net_radius=0.25), pair, 0.0, 50_000
    yield "ClippedSubgradient", ClippedSubgradient(1.0, steps=2), pair, 0.0, 50_000


def cases() -> tuple[Case, ...]:
    """Every mechanism in floating point, the same in exact arithmetic, and the controls."""
    listed = []
    for arithmetic, said in (("float", ""), ("exact", ", exact")):
        for name, plain, pair, delta, trials in (*_glm(), *_public(), *_heavy()):
            try:
                m = replace(plain, arithmetic=arithmetic)
            except InvalidInput:  # many noisy steps
                continue
            listed.append(Case(f"{name}{said}", m, pair, m.guarantee(pair[0]).epsilon(delta), delta, trials))
    for name, sampler, numbers in (
        ("naive Laplace", naive_laplace, (0.0, 1.0)),
        ("Laplace rounded to 2^-10", rounded_laplace, (0.0, 1.0)),
        ("geometric", geometric, (0, 1)),
    ):
        listed.append(Case(f"control: {name}", sampler, numbers, 1.0, trials=200_000, control=True))
    return tuple(listed)


def measure(limit: int, seed: int, pattern: str = "") -> Iterator[Row]:
    """One row after the other, of the cases whose names have a match of `pattern`, with at most `limit` runs a side."""
    for case in cases():
        if not re.search(pattern, case.name):
            continue
        trials, began = min(case.trials, limit), time.process_time()
        result = audit_bits(
            case.sampler, *case.pair, epsilon=case.epsilon, delta=case.delta, trials=trials, confidence=1.0 - LEVEL,
            seed=seed,
        )  # fmt: skip
        broken, seconds = result.verdict == "refuted", round(time.process_time() - began, 1)
        yield Row(
            case.name, case.control, case.exact, case.epsilon, case.delta, result.epsilon_lower, broken, result.event,
            trials, seconds,
        )  # fmt: skip


def main(arguments: list[str] | None = None) -> int:
    """Measure, print, write JSON if asked; 1 if a control comes out wrong, or exact arithmetic is broken."""
    parser = argparse.ArgumentParser(prog="python -m studies.own_bits", description=__doc__)
    parser.add_argument("--trials", type=int, default=200_000, help="runs a side, at most (default 200,000)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the numbers there")
    parser.add_argument("--cases", default="", metavar="REGEX", help="of these names only")
    given = parser.parse_args(arguments)
    table = Table("sampler", "exact epsilon", "at delta", "bits show epsilon >=", "broken", "runs a side")
    rows = []
    for row in measure(given.trials, given.seed, given.cases):
        print(f"{row.name}: epsilon >= {row.epsilon_lower:.4g}", file=sys.stderr, flush=True)
        rows.append(row)
        table.add_row(
            row.name, f"{row.epsilon:.4g}", f"{row.delta:g}", f"{row.epsilon_lower:.4g}", "yes" if row.broken else "",
            f"{row.trials:,}",
        )  # fmt: skip
    Console().print(table, soft_wrap=True)
    if given.json is not None:
        document = {
            "rows": [asdict(row) for row in rows], "level": LEVEL, "seed": given.seed,
            "python": platform.python_version(), "versions": {k: version(k) for k in ("numpy", "scipy", "numba")},
        }  # fmt: skip
        given.json.write_text(json.dumps(stamped("bits.json", document), indent=2) + "\n", encoding="utf-8")
    wrong = [row for row in rows if row.control and row.broken != (row.name == "control: naive Laplace")]
    return 1 if wrong or any(row.exact and row.broken for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
