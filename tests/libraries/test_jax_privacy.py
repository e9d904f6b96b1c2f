"""A step of jax-privacy at the sensitivity that its clipped gradient states. Every audit here has a level of 1e-6."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from dpbench.core.validation import InvalidInput, MissingExtra
from dpbench.libraries import jax_privacy as adapter

BATCH = np.zeros((4, 2), dtype=np.float32)
CANARY = np.array([[0.0, 1.0]], dtype=np.float32)
PAIR = ((np.concatenate([BATCH, CANARY]),), (BATCH,))


class Clipped:
    """The sum of records in the place of a clipped gradient, with the sensitivity that it states."""

    def __init__(self, stated: float) -> None:
        self.stated = stated

    def __call__(self, parameters: Any, x: Any) -> Any:
        return x.sum(axis=0)

    def sensitivity(self, relation: Any) -> float:
        return self.stated * (2.0 if relation.name == "REPLACE_ONE" else 1.0)


@pytest.mark.slow
def test_a_step_is_held_to_its_stated_sensitivity() -> None:
    """A canary of norm 1. Planted: half its sensitivity."""
    pytest.importorskip("jax_privacy", reason="jax-privacy is in the extra bench")
    for stated, verdict in ((1.0, "not refuted"), (0.5, "refuted")):
        found = adapter.audit(Clipped(stated), None, [PAIR], noise_multiplier=1.0, trials=10_000, confidence=1.0 - 1e-6)
        assert found.verdict == verdict and found.unit == "mu" and found.relation == "add_remove"
        assert "the pairs given are neighbours" in str(found)
        assert f"1 times the stated sensitivity {stated:g}" in str(found)
    assert len(adapter.cases()) == 3


@pytest.mark.slow
def test_bad_input_gets_one_message() -> None:
    pytest.importorskip("jax_privacy", reason="jax-privacy is in the extra bench")
    for more, message in (
        ({"noise_multiplier": 0.0}, "noise_multiplier must be a finite number > 0"),
        ({"relation": "swap"}, "relation must be one of"),
        ({"clipped": abs}, "clipped must be what jax_privacy.clipped_grad returns"),
        ({"pairs": []}, "pairs must be at least one"),
        ({"pairs": [((CANARY,),)]}, "pairs must be a sequence of"),
        ({"pairs": [(1, 2)]}, "pairs must be of batches, each a tuple of arrays, got 1"),
    ):
        given: dict[str, Any] = {"clipped": Clipped(1.0), "pairs": [PAIR], "noise_multiplier": 1.0, **more}
        with pytest.raises(InvalidInput, match=message):
            adapter.audit(given.pop("clipped"), None, given.pop("pairs"), **given)


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jax_privacy", None)
    with pytest.raises(MissingExtra, match=r"pip install 'dpbench-suite\[bench\]'"):
        adapter.audit(Clipped(1.0), None, [PAIR], noise_multiplier=1.0)
