"""Power of the auditor at 95%, one core: means over seeds against stated figures and against oracles.

The figures are those of ``python -m studies.power``, made by the same code; what the oracle knows is checked
here against the slow twins.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from naive import first_zoo as twin

from studies import first_zoo
from studies.first_zoo import ZOO, Entry

pytestmark = pytest.mark.meta

FINITE = [e for e in ZOO if math.isfinite(e.epsilon)]


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """The modules of `benchmarks/`, found beside the tests."""
    monkeypatch.setattr(sys, "path", [*sys.path, str(Path(__file__).resolve().parents[2])])
    from studies import oracle, power

    return SimpleNamespace(oracle=oracle, power=power)


@pytest.mark.parametrize("entry", FINITE, ids=lambda e: e.name)
def test_the_oracle_knows_the_law(bench: SimpleNamespace, entry: Entry) -> None:
    """Both masses are 1, and at δ = 0 the largest log-ratio is the entry's ε."""
    known = bench.oracle.law_of(entry)
    assert known.first.sum() == pytest.approx(1.0, abs=1e-9)
    assert known.second.sum() == pytest.approx(1.0, abs=1e-9)
    if entry.delta == 0.0:
        assert known.epsilon == pytest.approx(entry.epsilon, rel=1e-3)


def test_the_oracles_tables_are_the_twins(bench: SimpleNamespace) -> None:
    one = (1, 0, 0)
    found, slow = bench.oracle.noisy_max_table(one, 1.0), twin.noisy_max_table(one, 1.0)
    assert found == pytest.approx([slow[i] for i in range(3)], rel=1e-8)
    args: tuple[Any, ...] = ((1, -1, 0), 2.0, 4.0, 1)
    table, slow_table = bench.oracle.sparse_vector_table(*args), twin.sparse_vector_table(*args)
    assert table.keys() == slow_table.keys()
    for seen, mass in table.items():
        assert mass == pytest.approx(slow_table[seen], rel=1e-8)


def test_no_event_on_the_log_ratio_beats_the_oracles(bench: SimpleNamespace) -> None:
    """Three coordinates of RAPPOR: all half-lines of the log-ratio, by hand. Planted: one that is worse."""
    known = bench.oracle.flipped_bits((1, 0, 0), (0, 1, 1), 0.25)
    best = bench.oracle.oracle(known, 20_000, 0.0, 0.05)
    by_hand = [
        bench.oracle.mean_certificate(float(p), float(q), 20_000, 0.0, 0.05)
        for p, q in zip(np.cumsum(known.first)[:-1], np.cumsum(known.second)[:-1], strict=True)
    ]
    assert best.mean == pytest.approx(max(by_hand), rel=1e-12)
    assert min(by_hand) < best.mean - 0.1


def test_the_shortfall_of_an_audit_is_measured_beside_the_oracles(bench: SimpleNamespace) -> None:
    """Two seeds of a mechanism whose best event is plain: the certified mean is within 5 errors of the oracle's."""
    entry = next(e for e in ZOO if isinstance(e.sampler, first_zoo.RandomizedResponse))
    row = bench.power.shortfall(entry, 2)
    assert row["oracle"] < entry.epsilon
    assert abs(row["mean"] - row["oracle"]) < 5.0 * (entry.epsilon - row["oracle"]) / 1.645


@pytest.mark.evidence
def test_laplace_and_gaussian_reach_the_stated_means(bench: SimpleNamespace) -> None:
    """Laplace ≥ 0.992, Gaussian (1, 1e-5) ≥ 0.73, and ≥ 0.967 read from μ, over seeds 0 to 99, 1e6 a side."""
    for name, row in bench.power.scalars().items():
        assert row["mean"] >= row["goal"], (name, row)


@pytest.mark.evidence
@pytest.mark.parametrize("entry", FINITE, ids=lambda e: e.name)
def test_the_shortfall_on_the_zoo_is_near_the_oracles(bench: SimpleNamespace, entry: Entry) -> None:
    """Mean of ε − bound over 100 seeds at most 1.3 times the oracle's, where its event has 100 expected counts."""
    row = bench.power.shortfall(entry, 100)
    assert row["count"] < bench.power.COUNTED or row["ratio"] <= bench.power.SHORTFALL, row


@pytest.mark.evidence
@pytest.mark.parametrize("name", ["prefix sums, 1e6", "prefix sums, 1e7", "twenty coordinates, 1e7"])
def test_vectors_reach_their_share_of_the_oracle(bench: SimpleNamespace, name: str) -> None:
    """Mean over 50 seeds against the best threshold on the true likelihood ratio, same intervals and split."""
    row = bench.power.vector(name, 50)
    assert row["share"] >= row["goal"], row
