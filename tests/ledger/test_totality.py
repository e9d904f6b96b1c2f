"""Whether a mechanism answers never depends on the data: hostile data sets and their neighbours, each mechanism.

By default 200 data sets a case, half of them neighbours of the others, and 12 with n = 200 of a few cases. The full
size (for each mechanism and loss or class, 100,000 data sets with n ≤ 8 and d ≤ 3; for each case 1,000 with n = 200) is

    pytest -m evidence tests/ledger/test_totality.py --counts evidence/totality.json [--seconds 60]

which goes on where the file stops, and keeps in it what each case has completed: data sets, half of them neighbours of
the others, and seconds of processor time; with ``--seconds`` a case stops when it has taken that long in all. A
mechanism in both arithmetics is one mechanism: each arithmetic meets its own half of the 100,000.
"""

from __future__ import annotations

import gc
import itertools
import json
import math
import time
from pathlib import Path
from typing import Any

import hostile_cases
import numpy as np
import pytest
from hostile import BLOCK, KINDS, bounded, records
from hostile_cases import CASES, drawn

from dpbench.convex.solver import Objective
from dpbench.core import validation
from dpbench.core.blas import one_blas_thread
from dpbench.papers.glm.algorithms import centres
from dpbench.papers.heavytail.algorithms.coordinates import minimiser
from dpbench.papers.heavytail.algorithms.exponential import ExponentialMechanism
from dpbench.papers.heavytail.problem import HeavyTailedProblem
from dpbench.papers.publicdata.algorithms import regularized_perturbation

pytestmark = pytest.mark.meta

SOLVERS = ("output perturbation", "Algorithm 3", "exponential mechanism, theta = 1.5, tree")
FULL: dict[str, tuple[int, int | None]] = {"n <= 8": (100_000, None), "n = 200": (1_000, 200)}
STEP = 20
"""Blocks between two writings of the file."""


def mechanism(name: str) -> str:
    """The case's name without its arithmetic."""
    return name.removesuffix(", float").removesuffix(", exact")


def share(name: str, size: str) -> tuple[int, int]:
    """The pairs of data sets that a case is to meet, and the number of the first of them.

    Small data sets are shared out, in whole blocks, between the arithmetics of a mechanism.
    """
    pairs = FULL[size][0] // 2
    kin = [case for case in CASES if mechanism(case) == mechanism(name)]
    if FULL[size][1] is not None:
        return pairs, 0
    own = -(-pairs // (len(kin) * BLOCK)) * BLOCK
    return min(own, pairs - own * kin.index(name)), own * kin.index(name)


FAMILIES: dict[tuple[str, ...], list[str]] = {}
for _name, _case in CASES.items():
    FAMILIES.setdefault(_case.family, []).append(_name)


@pytest.mark.parametrize("name", CASES)
def test_hostile_sets(name: str) -> None:
    CASES[name](100)
    if name.startswith(SOLVERS) or name.endswith("logistic"):
        CASES[name](6, 200)


@pytest.mark.parametrize("number", [266, 392])
def test_shears_by_halves_leave_single_points_tight(number: int) -> None:
    """Tied records shear the tree's lattice by 1/2: bounds of single points that had room for either rounding left an
    acceptance of 1e-13, and draws that did not end in hours."""
    rng = np.random.default_rng([3, number])
    d = int(rng.integers(1, 3))
    X, y = records(KINDS[number % len(KINDS)], (200, d), rng)
    other = records(KINDS[int(rng.integers(len(KINDS)))], (200, d), rng)
    scale, X = 10.0 ** rng.integers(-3, 4), bounded(X)
    near_X, near_y = X.copy(), y.copy()
    near_X[0], near_y[0] = bounded(other[0])[0], other[1][0]
    m = ExponentialMechanism(float(rng.choice((0.1, 0.5, 2.0, 10.0))), net_radius=0.2, sampler="tree")
    for features, labels in ((X, y), (near_X, near_y)):
        p = HeavyTailedProblem(scale * features, scale * labels, radius=1.0, theta=1.5)
        assert np.abs(m(p, 1, np.random.default_rng(0))).max() <= 1.0


@pytest.mark.parametrize("size", [0.0, 5e-324, 1e-310, 1e-200])
def test_residuals_of_no_size_leave_the_trees_coordinates_finite(size: float) -> None:
    """Every residual 0 or a denormal: weights 1/r of the fit that steers the tree overflowed."""
    x = 1e3 * np.linspace(-1.0, 1.0, 200)[:, None]
    p = HeavyTailedProblem(x, np.full(200, size), radius=1.0, theta=1.5)
    made = minimiser(p, 1.0, 0.1)
    assert np.isfinite(made[0]).all() and np.isfinite(made[1]).all()
    m = ExponentialMechanism(1.0, net_radius=0.2, sampler="tree")
    assert np.abs(m(p, 3, np.random.default_rng(0))).max() <= 1.0


@pytest.mark.evidence
@pytest.mark.parametrize("size", FULL)
@pytest.mark.parametrize("family", FAMILIES, ids=", ".join)
def test_hostile_sets_in_full(family: tuple[str, ...], size: str, request: pytest.FixtureRequest) -> None:
    file, most = request.config.getoption("--counts"), request.config.getoption("--seconds")
    n = FULL[size][1]
    done = {name: _kept(file, name, size) for name in FAMILIES[family]}
    shares = {name: share(name, size) for name in done}
    gc.disable()
    with one_blas_thread():
        for block in range(-(-max(asked for asked, _ in shares.values()) // BLOCK)):
            for name, (pairs, seconds) in done.items():
                asked, first = shares[name]
                count = min(BLOCK, asked - pairs)
                if pairs > block * BLOCK or count <= 0 or (most is not None and seconds >= most):
                    continue
                drawn(family, n, first // BLOCK + block)
                began = time.process_time()
                CASES[name](count, n, first + pairs)
                done[name] = pairs + count, seconds + time.process_time() - began
            if block % STEP == STEP - 1:
                _keep(file, size, done)
                gc.collect()
    gc.enable()
    _keep(file, size, done)


def _kept(file: Path | None, name: str, size: str) -> tuple[int, float]:
    """Pairs and seconds that the file has of a case."""
    held = json.loads(file.read_text(encoding="utf-8"))["cases"] if file is not None and file.exists() else {}
    row = held.get(name, {}).get(size, {"sets": 0, "seconds": 0.0})
    return int(row["sets"]) // 2, float(row["seconds"])


def _keep(file: Path | None, size: str, done: dict[str, tuple[int, float]]) -> None:
    if file is None:
        return
    made: dict[str, Any] = {
        "command": "pytest -m evidence tests/ledger/test_totality.py --counts evidence/totality.json",
        "asked": {key: sets for key, (sets, _) in FULL.items()},
        "cases": {},
    }
    if file.exists():
        made["cases"] = json.loads(file.read_text(encoding="utf-8"))["cases"]
    for name, (pairs, seconds) in done.items():
        made["cases"].setdefault(name, {})[size] = {"sets": 2 * pairs, "seconds": round(seconds, 1)}
    made["cases"] = {key: made["cases"][key] for key in CASES if key in made["cases"]}
    file.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")


def test_the_committed_counts_are_of_these_cases() -> None:
    held = json.loads((Path(__file__).resolve().parents[2] / "evidence" / "totality.json").read_text("utf-8"))
    assert held["asked"] == {size: sets for size, (sets, _) in FULL.items()}
    assert set(held["cases"]) <= set(CASES)
    for name, met in held["cases"].items():
        assert 200 <= met["n <= 8"]["sets"] <= 2 * share(name, "n <= 8")[0]
        assert set(met) <= set(FULL)


def test_the_arithmetics_of_a_mechanism_share_the_pairs_that_are_asked() -> None:
    held: dict[str, list[tuple[int, int]]] = {}
    for name in CASES:
        held.setdefault(mechanism(name), []).append(share(name, "n <= 8"))
    for parts in held.values():
        met = sorted((first, first + asked) for asked, first in parts)
        assert met[0][0] == 0 and met[-1][1] == FULL["n <= 8"][0] // 2
        assert all(before[1] == after[0] for before, after in itertools.pairwise(met)), met


def test_a_gap_beyond_what_stability_counts_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: an allowance of 1e-11, which rounding on tables with rows of sizes 1 to 1e-9 does not meet."""
    monkeypatch.setattr(regularized_perturbation, "GAP", 1e-11)
    with pytest.raises(AssertionError):
        CASES["Algorithm 3, hull-absolute"](200)


def test_a_planted_abort_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A solver that gives up on one data set of each pair: the comparison of neighbours fails."""
    minimise = centres.minimise

    def gives_up(objective: Objective, target: float) -> Any:
        if objective.X[0, 0] > 0.0:
            raise validation.InvalidInput("tolerance must be larger, got this record")
        return minimise(objective, target)

    monkeypatch.setattr("dpbench.papers.glm.algorithms.centres.minimise", gives_up)
    centres.centres.clear()  # of the same data sets, solved by the tests before
    with pytest.raises(AssertionError, match="OutputPerturbation"):
        CASES["output perturbation, logistic, exact"](60)
    with pytest.raises(validation.InvalidInput, match="got this record"):
        CASES["output perturbation, squared"](60)


def test_a_planted_refusal_or_nan_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A data set in three is refused, one in three gets NaN: noticed of a descent and of a public mechanism."""

    def sometimes(mechanism: Any, problem: Any, trials: int, rng: Any) -> Any:
        kind = sum(problem.digest.encode()) % 3
        if kind == 0:
            raise validation.InvalidInput("steps must be fewer, got this record")
        return np.full((trials, 1), [math.nan, 0.0][kind - 1])

    for owner, name in (("NoisyGD", "noisy GD, squared, float"), ("RSPM", "RSPM, finite, float")):
        with monkeypatch.context() as patch, pytest.raises(AssertionError):
            patch.setattr(getattr(hostile_cases, owner), "__call__", sometimes)
            CASES[name](60)
