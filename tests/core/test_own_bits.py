"""The benchmark that asks which of the suite's samplers their last bits give away."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from dpbench.papers.glm.comparison import ALGORITHMS
from dpbench.privacy.one_shot import StepNoise

pytestmark = pytest.mark.meta

ROOT = Path(__file__).resolve().parents[2]


POROUS = {
    "OutputPerturbation",
    "RegularizedPerturbation, Gaussian",
    "RegularizedPerturbation, Laplace",
    "NoisyMean, Laplace",
    "NoisyMean, Gaussian",
    "ClippedSubgradient",
}
"""What its last bits give away in floating point."""


@pytest.fixture(scope="module")
def own_bits() -> Iterator[ModuleType]:
    """The module of `benchmarks/`, which stands beside the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [*sys.path, str(ROOT)])
        from studies import own_bits as module

        yield module


def test_every_algorithm_of_bench_is_tried_in_both_arithmetics(own_bits: ModuleType) -> None:
    cases = own_bits.cases()
    tried = {type(case.sampler).__name__ for case in cases}
    assert {name for _, name in ALGORITHMS.values()} | {"ExponentialMechanism", "NoisyMean", "RSPM"} <= tried
    exact = {case.name.removesuffix(", exact") for case in cases if case.exact}
    once = (case.name for case in cases if not case.exact and not case.control)
    assert exact == {name for name in once if not re.search("JL|Averaged|NoisyGD|NoisyMean|Clipped", name)}


def test_the_committed_runs_broke_what_is_porous_and_nothing_else(own_bits: ModuleType) -> None:
    """At 50,000 runs a side and more, which the guide and the page of results name."""
    found = json.loads((ROOT / "evidence" / "bits.json").read_text(encoding="utf-8"))
    assert [row["name"] for row in found["rows"]] == [case.name for case in own_bits.cases()]
    assert found["level"] <= 1e-6 and all(row["trials"] >= 50_000 for row in found["rows"])
    assert {row["name"] for row in found["rows"] if row["broken"]} == POROUS | {"control: naive Laplace"}


def test_the_claims_are_exact_over_the_reals(own_bits: ModuleType) -> None:
    """So that a bound above them can only come from floating point."""
    for case in own_bits.cases():
        if hasattr(case.sampler, "pair_profile") and case.name.startswith(("NoisyGD", "OutputPerturbation")):
            assert case.sampler.pair_profile(*case.pair).epsilon(case.delta) <= case.epsilon * (1.0 + 1e-4)
        assert case.epsilon == pytest.approx(1.0, rel=1e-4 if case.exact else 1e-6)


def test_a_small_run_breaks_what_is_porous_and_nothing_else(own_bits: ModuleType, tmp_path: Path) -> None:
    """8,000 runs a side at level 1e-6: enough for all; of the controls naive Laplace alone is broken.

    Of those in floating point; `test_exact_arithmetic` and `test_integer_choice` have the others, and the JL method.
    """
    file, pattern = tmp_path / "bits.json", r"^(?!JLMethod|PrivateGridSearch).*(?<!, exact)$"
    assert own_bits.main(["--trials", "8000", "--json", str(file), "--cases", pattern]) == 0
    rows = json.loads(file.read_text(encoding="utf-8"))["rows"]
    assert all(row["broken"] == (row["epsilon_lower"] > row["epsilon"]) for row in rows)
    small = {row["name"] for row in rows if row["broken"]}
    assert small == POROUS | {"control: naive Laplace"}


def test_exact_arithmetic_that_is_none_fails_the_command(own_bits: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: noise of `arithmetic="exact"` that is floating point's."""
    monkeypatch.setattr(StepNoise, "around", lambda noise, centre, bound, rng, trials: (
        centre + noise.size * noise.spacing * rng.standard_normal((trials, centre.size))
    ))  # fmt: skip
    assert own_bits.main(["--trials", "5000", "--cases", "^OutputPerturbation, exact"]) == 1
