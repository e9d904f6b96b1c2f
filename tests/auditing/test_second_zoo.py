"""The second zoo: its laws are laws, and its samplers have them, as far as an audit can see."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from dpbench import audit

pytestmark = pytest.mark.meta


@pytest.fixture
def zoo(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module of `benchmarks/`, found beside the tests."""
    monkeypatch.setattr(sys, "path", [*sys.path, str(Path(__file__).resolve().parents[2])])
    from studies import second_zoo

    return second_zoo


def test_masses_are_one_and_epsilon_is_exact(zoo: ModuleType) -> None:
    """At the ε found, the hockey-stick divergence of the law is δ."""
    assert len(zoo.ENTRIES) >= 20
    for name, entry in zoo.ENTRIES.items():
        known = entry.law()
        assert known.first.sum() == pytest.approx(1.0, abs=1e-9), name
        assert known.second.sum() == pytest.approx(1.0, abs=1e-9), name
        true = zoo.epsilon(known, entry.delta)
        ways = ((known.first, known.second), (known.second, known.first))
        left = max(float(np.maximum(p - np.exp(true * (1.0 + 1e-6)) * q, 0.0).sum()) for p, q in ways)
        assert 0.3 < true < 6.0 and left == pytest.approx(entry.delta, abs=1e-5), name


def test_no_bound_exceeds_the_law_and_some_come_near(zoo: ModuleType) -> None:
    """One audit of 10,000 runs a side each, at confidence 1 − 1e-8: a false alarm in at most 25e-8 of all seeds.

    Planted: laws of half the ε, which a third of the audits would contradict.
    """
    near = 0
    for name, entry in zoo.ENTRIES.items():
        true = zoo.epsilon(entry.law(), entry.delta)
        found = audit(
            entry.sampler, entry.one, entry.other, delta=entry.delta, trials=10_000, confidence=1.0 - 1e-8
        ).epsilon_lower
        assert found <= true, name
        near += found > 0.5 * true
    assert 3 * near >= len(zoo.ENTRIES)
