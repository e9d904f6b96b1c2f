"""Attacks of entries: what `audit` says, kept in the store."""

import numpy as np
import pytest

from dpbench import GLMProblem, audit
from dpbench.ledger import attacks
from dpbench.papers.glm.algorithms.noisy_mean import NoisyMean
from dpbench.runs.context import RunContext


def test_attacks_are_audits_and_a_resumed_run_repeats_none(tmp_path, monkeypatch):
    data = GLMProblem(np.ones((2, 1)), np.ones(2), loss="linear", x_bound=1.0, y_bound=1.0, radius=1.0)
    pair = data, data.replace_record(0, np.ones(1), -1.0)
    given = {"epsilon": 1.0, "delta": 0.0, "trials": 5_000}
    tried = [(NoisyMean(1.0, shrink=3.0), pair), (NoisyMean(1.0), pair)]
    with RunContext(level="quick", seed=4, workers=2, store=tmp_path / "runs.sqlite") as context:
        found = attacks.attack_bounds(context, tried, level=0.01, **given)
    assert found == [audit(m, *p, confidence=0.99, seed=4, **given).epsilon_lower for m, p in tried]
    assert found[0] > 1.0 > found[1]
    for bound in found:  # most outputs of the choosing part are not counted
        assert 0 < bound.counts["hits"] <= bound.counts["runs"] <= 5_000 and bound.counts["neighbour hits"] >= 0

    def again(*_, **__):
        raise AssertionError("the audit was repeated")

    monkeypatch.setattr(attacks, "audit", again)
    with RunContext(level="quick", seed=4, workers=1, store=tmp_path / "runs.sqlite") as context:
        assert attacks.attack_bounds(context, tried, level=0.01, **given) == found
        with pytest.raises(Exception, match="repeated"):
            attacks.attack_bounds(context, tried, level=0.02, **given)
