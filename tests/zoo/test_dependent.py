"""Dependent runs are refused and explained, independent ones are not, and their p-values are uniform or larger.

Null of every test: rows are independent. An audit of independent rows is refused with probability at most 1e-9.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from dpbench import DependentOutputs, audit, audit_samples
from zoo.dependent import CORRECT, PLANTED, laplace, offset_a_call, own_generator

SEEDS = 5
NOT_REFUSED = {"an offset shared": 15}


@pytest.mark.few(8)
@pytest.mark.parametrize("name", PLANTED)
def test_planted_dependence_is_refused_and_explained(name: str) -> None:
    """2,000 runs a side, five seeds."""
    make, cause = PLANTED[name]
    for seed in range(SEEDS):
        said = rf"must be independent, got .*\(p-value .*likely cause is .*({cause})"
        with pytest.raises(DependentOutputs, match=said):
            audit(make(seed), 0.0, 1.0, epsilon=1.2, trials=2_000, seed=seed)


@pytest.mark.evidence
@pytest.mark.parametrize("name", PLANTED)
def test_planted_dependence_is_refused_in_a_thousand_audits(name: str) -> None:
    refused = 0
    for seed in range(1_000):
        try:
            audit(PLANTED[name][0](seed), 0.0, 1.0, trials=2_000, seed=seed)
        except DependentOutputs:
            refused += 1
    assert refused >= 1_000 - NOT_REFUSED.get(name, 0)


@pytest.mark.few(3)
@pytest.mark.parametrize("name", CORRECT)
def test_independent_runs_pass_and_every_check_is_told(name: str) -> None:
    """Three seeds; a check's p-value is at most 1e-6 with probability at most 1e-6 each."""
    for seed in range(3):
        found = audit(CORRECT[name], 0.0, 1.0, trials=3_000, seed=seed)
        assert len(found.checks) > 3 and all(1e-6 < check.p_value <= 1.0 for check in found.checks)
        assert found.to_dict()["checks"][0]["what"] == found.checks[0].what


@pytest.mark.slow
def test_p_values_are_uniform_or_larger() -> None:
    """Each p-value of 400 audits of independent normals is at most t in no more than a share t of them: at 5% a share
    of 13% would be noticed (binomial, level 1e-6)."""
    rng = np.random.default_rng(5)
    counts: dict[str, int] = {}
    for _ in range(400):
        for check in audit_samples(rng.normal(size=600), rng.normal(size=600)).checks:
            counts[check.what] = counts.get(check.what, 0) + (check.p_value <= 0.05)
    assert len(counts) > 3 and all(binom.sf(wrong - 1, 400, 0.05) > 1e-6 for wrong in counts.values())


def test_arrays_that_were_copied_or_sorted_are_refused() -> None:
    rng = np.random.default_rng(1)
    one, other = rng.laplace(size=2_000), rng.laplace(size=2_000)
    assert audit_samples(one, other).checks
    for pair in ((one, one + 0.5), (one, one), (np.sort(one), other), (np.tile(one[:1000], 2), other)):
        with pytest.raises(DependentOutputs, match=r"copies of others, that were sorted|runs that were copied"):
            audit_samples(*pair)


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
