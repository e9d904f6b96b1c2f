"""Dependent runs are refused and explained, independent ones are not.

Null of every test: rows are independent. An audit of independent rows is refused with probability at most 1e-9.
"""

from __future__ import annotations

import numpy as np
import pytest

from dpbench import DependentOutputs, audit
from zoo.dependent import CORRECT, PLANTED, laplace, offset_a_call, own_generator

SEEDS = 5


@pytest.mark.few(8)
@pytest.mark.parametrize("name", PLANTED)
def test_planted_dependence_is_refused_and_explained(name: str) -> None:
    """2,000 runs a side, five seeds."""
    make, cause = PLANTED[name]
    for seed in range(SEEDS):
        said = rf"must be independent, got .*(choose|certify) part.*\(p-value .*likely cause is .*({cause})"
        with pytest.raises(DependentOutputs, match=said):
            audit(make(seed), 0.0, 1.0, epsilon=1.2, trials=2_000, seed=seed)


@pytest.mark.few(3)
@pytest.mark.parametrize("name", CORRECT)
def test_independent_runs_pass_and_every_check_is_told(name: str) -> None:
    """Three seeds; a check's p-value is at most 1e-6 with probability at most 1e-6 each."""
    for seed in range(3):
        found = audit(CORRECT[name], 0.0, 1.0, trials=3_000, seed=seed)
        assert len(found.checks) > 3 and all(1e-6 < check.p_value <= 1.0 for check in found.checks)
        assert found.to_dict()["checks"][0]["what"] == found.checks[0].what


def test_a_sequential_audit_refuses_too() -> None:
    with pytest.raises(DependentOutputs):
        audit(own_generator, 0.0, 1.0, epsilon=1.0, trials="auto")


@pytest.mark.slow
@pytest.mark.parametrize(("deviation", "refuted", "refused"), [(0.1, 4, 0), (0.5, 2, 20)])
def test_a_small_offset_a_call_is_refused_or_not_refuted(deviation: float, refuted: int, refused: int) -> None:
    """A correct mechanism whose calls share a draw: of 30 audits at 99.9% hardly one refutes the true claim."""
    verdicts = []
    for seed in range(30):
        try:
            verdicts.append(audit(offset_a_call(deviation), 0.0, 1.0, epsilon=1.0, trials=4_000, seed=seed).verdict)
        except DependentOutputs:
            verdicts.append("refused")
    assert verdicts.count("refuted") <= refuted and verdicts.count("refused") >= refused


def test_noise_of_a_call_in_a_later_part_is_seen() -> None:
    """Sound while the event is chosen, dependent in the calls that certify it."""
    calls = []

    def turns(d: float, trials: int, rng: np.random.Generator) -> np.ndarray:
        calls.append(trials)
        return laplace(d, trials, rng) if len(calls) < 40 else d + np.random.default_rng(7).laplace(size=trials)

    with pytest.raises(DependentOutputs):
        audit(turns, 0.0, 1.0, epsilon=1.0, trials=20_000)
