"""The auditor on the registry: no bound above the exact loss, of each mechanism the least share of it, verdicts."""

from __future__ import annotations

import numpy as np
import pytest

from zoo.registry import REGISTRY

STATED = {name: entry for name, entry in REGISTRY.items() if entry.claimed is not None}
SOME = [(name, 2, 0.85, 1) for name in list(REGISTRY)[::6]]
ALL = [pytest.param(name, 20, 1.0, 7, marks=pytest.mark.evidence) for name in REGISTRY]
"""Name, seeds, share of the least mean over twenty seeds that their mean must reach, bounds that may be above the loss:
of two bounds at 95% more have probability 1/400 at most, of twenty 1e-6."""


@pytest.mark.parametrize(("name", "seeds", "lenient", "above"), SOME + ALL)
def test_the_least_share_is_certified_and_no_more_than_the_loss(
    name: str, seeds: int, lenient: float, above: int
) -> None:
    entry = REGISTRY[name]
    bounds = [entry.bound(seed) for seed in range(seeds)]
    assert np.mean(bounds) >= lenient * entry.least
    assert sum(bound > entry.loss for bound in bounds) <= above


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
