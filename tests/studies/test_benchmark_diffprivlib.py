"""The audits of diffprivlib's mechanisms: on answers made up here, and the committed figures."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from studies.results import audits as measured_audits

pytestmark = pytest.mark.meta

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.setattr(sys, "path", [*sys.path, str(ROOT)])
    return importlib.import_module("studies.audit_diffprivlib")


def test_answers_are_audited_at_their_claims(bench: ModuleType) -> None:
    """A response at ε = 1, whose two answers have no bits to spare, and planted: one that claims half of that."""
    rng = np.random.default_rng(0)
    sides = [(rng.random(20_000) < 1.0 / (1.0 + np.exp(sign))).astype(float) for sign in (1.0, -1.0)]
    draws: dict[str, object] = {}
    for name, epsilon in (("kept", 1.0), ("broken", 0.5)):
        draws |= {f"{name}/0": sides[0], f"{name}/1": sides[1], f"{name}/claim": np.array([epsilon, 0.0])}
    rows = bench.rows(draws, 0)
    assert [(r["verdict"], r["bits_verdict"]) for r in rows] == [("not refuted",) * 2, ("refuted",) * 2]
    assert all(0.8 < r["epsilon_lower"] < 1.0 for r in rows)
    text = measured_audits.diffprivlib({"rows": rows})
    assert text.count("\n") == 3 and f"{rows[1]['bits_lower']:.3f}, refuted" in text


def test_an_interpreter_without_diffprivlib_ends_the_measurement(bench: ModuleType, tmp_path: Path) -> None:
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    with pytest.raises(subprocess.CalledProcessError):
        bench.drawn(str(broken), 10, 0)


def test_the_committed_figures() -> None:
    """No bound from the answers exceeds a claim; the last bits give away the noise that is added in floating point."""
    document = json.loads((ROOT / "evidence" / "diffprivlib.json").read_text(encoding="utf-8"))
    rows = {row["mechanism"]: row for row in document["rows"]}
    assert len(rows) == 8 and document["version"] == "0.6.6"
    assert all(row["verdict"] == "not refuted" for row in rows.values())
    assert rows["Laplace"]["bits_verdict"] == "refuted" and rows["Snapping"]["bits_verdict"] == "not refuted"
