"""The comparison on the same arrays: its classifier is valid and of use, its rows are tables."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from scipy.stats import binom

from studies.results import audits as measured_audits

pytestmark = pytest.mark.meta

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def arrays(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module of `benchmarks/`, found beside the tests."""
    monkeypatch.setattr(sys, "path", [*sys.path, str(ROOT)])
    from studies import arrays

    return arrays


@pytest.mark.evidence
def test_the_classifier_is_valid_and_of_use(arrays: ModuleType) -> None:
    """Null: at 80% at most 20% of 40 bounds on Laplace noise exceed ε = 1; rejected at 1e-6: beyond 22.

    Planted: a truth of 0.5, which most exceed.
    """
    found = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        found.append(arrays.sniped(1.0 + rng.laplace(size=30_000), rng.laplace(size=30_000), 0.0, 0.2))
    assert sum(f > 1.0 for f in found) <= binom.isf(1e-6, 40, 0.2) < sum(f > 0.5 for f in found)


def test_a_law_is_measured_on_the_same_arrays(arrays: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without jax-privacy: two auditors, whose row is that of the table."""
    monkeypatch.setitem(sys.modules, "jax_privacy", None)
    name = "1% against 0.1%, 3,000 rows"
    one, other = arrays.arrays(name, 0), arrays.arrays(name, 0)
    assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True)) and len(one[0]) == 3_000
    row = arrays.measure(name, 2)
    assert set(row["auditors"]) == {"dpbench", "classifier"} and row["seeds"] == 2
    text = measured_audits.arrays({"laws": {name: row}})
    assert text.count("\n") == 2 and f"{row['auditors']['dpbench']['mean']:.3f}" in text


def test_committed_figures_are_of_all_auditors(arrays: ModuleType) -> None:
    laws = json.loads((ROOT / "evidence" / "arrays.json").read_text(encoding="utf-8"))["laws"]
    assert len(laws) >= 3 and set(laws) <= set(arrays.LAWS)
    for row in laws.values():
        assert {name.split(",")[0] for name in row["auditors"]} == {"dpbench", "classifier", "jax-privacy"}
        assert row["seeds"] >= 2


def test_ours_alone_is_measured_beside_what_the_others_gave(
    arrays: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """On as many seeds as they have, so with the same mean as in a whole run; the others' columns are kept."""
    monkeypatch.setitem(sys.modules, "jax_privacy", None)
    name, file = "1% memorised, 2,000 rows", tmp_path / "arrays.json"
    command = ["arrays", "--law", name, "--json", str(file)]
    monkeypatch.setattr(sys, "argv", [*command, "--seeds", "2"])
    arrays.main()
    whole = json.loads(file.read_text(encoding="utf-8"))
    changed = json.loads(file.read_text(encoding="utf-8"))
    changed["laws"][name]["auditors"]["dpbench"]["mean"] = -1.0
    file.write_text(json.dumps(changed), encoding="utf-8")
    monkeypatch.setattr(sys, "argv", [*command, "--ours"])
    arrays.main()
    assert json.loads(file.read_text(encoding="utf-8")) == whole
