"""A bound above the truth is as rare as stated, in each condition, and a wrong auditor would be noticed."""

from __future__ import annotations

import numpy as np
import pytest

from dpbench import audit
from zoo import validity
from zoo.validity import CONDITIONS, chance, many_values

ALARM = 1e-6
QUICK = ("response, a hundred runs", "mu", "arrays", "one run, tied")
"""One of each way to audit."""


ALL = [pytest.param(name, 75, marks=pytest.mark.evidence) for name in CONDITIONS]


@pytest.mark.parametrize(("name", "audits"), [*((name, 24) for name in QUICK), *ALL])
def test_false_statements_are_as_rare_as_stated(name: str, audits: int) -> None:
    """Audits at confidence 0.9. Of 24 are 12 wrong with probability 1e-6 under it, and a rate of 0.7 is caught with
    probability 0.98; of 75 are 20 wrong with 1e-6, and a rate of 0.4 is caught with 0.99."""
    assert chance(validity.wrong(name, audits), audits) > ALARM


def test_an_audit_at_another_confidence_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The negative control of the tests above: audits at confidence 0.05 are counted under a rate of 0.1."""
    usual = audit

    def lax(*given: object, **asked: object) -> object:
        return usual(*given, **{**asked, "confidence": 0.05})  # type: ignore[arg-type]

    monkeypatch.setattr("dpbench.audit", lax, raising=False)
    assert chance(validity.wrong("response, a hundred runs", 15), 15) < ALARM


def test_a_score_that_chooses_on_certifying_rows_is_refused() -> None:
    """The split is kept: a score that remembers what it saw is no function of an output, and is refused."""
    seen: set[float] = set()

    def remembers(outputs: np.ndarray) -> np.ndarray:
        known = np.array([float(x) in seen for x in outputs])
        seen.update(outputs.tolist())
        return known

    with pytest.raises(ValueError, match=r"score must be a function of each output alone|must be independent"):
        audit(many_values, 0.0, 1.0, trials=2_000, score=remembers)
