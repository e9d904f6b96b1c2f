"""The auditor on the registry: no bound above the exact loss, of each mechanism the least share of it, verdicts."""

from __future__ import annotations

import numpy as np
import pytest

from zoo.registry import REGISTRY

STATED = {name: entry for name, entry in REGISTRY.items() if entry.claimed is not None}
SEEDS = 2
LENIENT = 0.85
"""Of the least mean over twenty seeds that a mean of two must reach."""


@pytest.mark.parametrize("name", list(REGISTRY)[::6])
def test_the_least_share_is_certified_and_no_more_than_the_loss(name: str) -> None:
    """A sixth of the mechanisms, two seeds; the next test has all. At 95% each, both bounds are above the loss with
    probability 1/400 at most."""
    entry = REGISTRY[name]
    bounds = [entry.bound(seed) for seed in range(SEEDS)]
    assert np.mean(bounds) >= LENIENT * entry.least
    assert min(bounds) <= entry.loss


@pytest.mark.evidence
@pytest.mark.parametrize("name", REGISTRY)
def test_the_least_share_is_certified_over_twenty_seeds(name: str) -> None:
    """Means of twenty seeds. Above the loss are at most 7 bounds: of twenty at 95%, more have probability 1e-6."""
    entry = REGISTRY[name]
    bounds = [entry.bound(seed) for seed in range(20)]
    assert np.mean(bounds) >= entry.least
    assert sum(bound > entry.loss for bound in bounds) <= 7


@pytest.mark.few(4)
@pytest.mark.parametrize("name", [name for name, entry in STATED.items() if entry.wrong])
def test_every_wrong_version_is_refuted(name: str) -> None:
    result = STATED[name].audited(0, 200_000, epsilon=STATED[name].claimed, confidence=0.999)
    assert result.verdict == "refuted", str(result)


@pytest.mark.few(4)
@pytest.mark.parametrize("name", [name for name, entry in STATED.items() if not entry.wrong])
def test_no_correct_version_is_refuted(name: str) -> None:
    """False alarm 1e-6 each (the audit's own confidence); the wrong versions above are what it catches."""
    result = STATED[name].audited(0, 50_000, epsilon=STATED[name].claimed, confidence=1.0 - 1e-6)
    assert result.verdict == "not refuted", str(result)
