"""The benchmark of exact arithmetic: its committed numbers keep the goals, and its clock tells slow from fast."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

pytestmark = pytest.mark.meta

ROOT = Path(__file__).resolve().parents[2]
MEASURED = json.loads((ROOT / "evidence" / "exact_noise.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def exact_noise() -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [*sys.path, str(ROOT)])
        from studies import exact_noise as module

        yield module


def test_what_was_measured_keeps_the_goals(exact_noise: ModuleType) -> None:
    draws = {row["name"]: row for row in MEASURED["draws"]}
    assert all(draws[name]["nanoseconds"] <= MEASURED["goal"] == 40.0 for name in exact_noise.OURS)
    assert all(draws[f"OpenDP, discrete {law}"]["p"] > 1e-6 for law in ("Laplace", "Gaussian"))
    limits = [row["most"] for row in MEASURED["mechanisms"]]
    assert limits == [1.3, 4.0, 4.0, None, None]
    assert all(row["most"] is None or row["ratio"] <= row["most"] for row in MEASURED["mechanisms"])


def test_the_threat_model_has_these_numbers(exact_noise: ModuleType) -> None:
    said = " ".join((ROOT / "docs/guide/threat_model.md").read_text(encoding="utf-8").split())
    costs = sorted(row["nanoseconds"] for row in MEASURED["draws"] if row["name"] in exact_noise.OURS)
    ratios = [row["ratio"] for row in MEASURED["mechanisms"]]
    assert "A draw takes {:.0f} to {:.0f} ns".format(*costs) in said
    assert f"perturbation takes {ratios[0]:.2f} times" in said
    assert "noisy gradient descent {:.1f} to {:.1f} times".format(*ratios[1:3]) in said
    assert "on squared losses {:.1f} to {:.1f} times".format(*ratios[3:]) in said


def test_a_small_run(exact_noise: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """1,000 draws: all committed rows but a peer's; of two functions the one of tenfold work is slower."""
    monkeypatch.setattr(exact_noise, "DRAWS", 1_000)
    monkeypatch.setattr(exact_noise, "peers", lambda: iter(()))
    made = exact_noise.draws()
    assert [row["name"] for row in made] == [row["name"] for row in MEASURED["draws"] if row["p"] is None]
    assert all(row["nanoseconds"] > 0.0 for row in made)
    small, large = np.zeros(100_000), np.zeros(1_000_000)
    fast, slow = exact_noise.least([lambda: np.sort(small), lambda: np.sort(large)], 5)
    assert slow > 3.0 * fast > 0.0
