"""A step of jax-privacy at the sensitivity that its clipped gradient states. Every audit here has a level of 1e-6."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from dpbench.core.validation import InvalidInput, MissingExtra
from dpbench_libraries import jax_privacy as adapter

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # its dependencies move
X, Y = np.zeros((4, 2), dtype=np.float32), np.zeros(4, dtype=np.float32)
CANARY = np.array([[0.0, 9.0]], dtype=np.float32)
PAIR = ((np.concatenate([X, CANARY]), np.append(Y, np.float32(9.0))), (X, Y))
WEIGHTS = np.zeros(2, dtype=np.float32)


@pytest.fixture(scope="module")
def clipped() -> Any:
    """The gradient of a linear regression, clipped to norm 1."""
    library = pytest.importorskip("jax_privacy", reason="pip install 'dpbench-libraries[libraries]'")
    return library.clipped_grad(lambda w, x, y: 0.5 * ((x @ w - y) ** 2).sum(), l2_clip_norm=1.0, batch_argnums=(1, 2))


class Halved:
    """Planted: it states half of its sensitivity."""

    def __init__(self, clipped: Any) -> None:
        self._clipped = clipped

    def __call__(self, *given: Any) -> Any:
        return self._clipped(*given)

    def sensitivity(self, relation: Any) -> float:
        return 0.5 * self._clipped.sensitivity(relation)


def test_a_step_is_held_to_its_stated_sensitivity(clipped: Any) -> None:
    for made, verdict, stated in ((clipped, "not refuted", 1.0), (Halved(clipped), "refuted", 0.5)):
        found = adapter.audit(made, WEIGHTS, [PAIR], noise_multiplier=1.0, trials=10_000, confidence=1.0 - 1e-6)
        assert found.verdict == verdict and found.unit == "mu" and found.relation == "add_remove"
        assert "the pairs given are neighbours" in str(found)
        assert f"1 times the stated sensitivity {stated:g}" in str(found)
    assert len(adapter.cases()) == 3


def test_bad_input_gets_one_message(clipped: Any) -> None:
    for more, message in (
        ({"noise_multiplier": 0.0}, "noise_multiplier must be a finite number > 0"),
        ({"relation": "swap"}, "relation must be one of"),
        ({"clipped": abs}, "clipped must be what jax_privacy.clipped_grad returns"),
        ({"pairs": []}, "pairs must be at least one"),
        ({"pairs": [((CANARY,),)]}, "pairs must be a sequence of"),
        ({"pairs": [(1, 2)]}, "pairs must be of batches, each a tuple of arrays, got 1"),
    ):
        given: dict[str, Any] = {"clipped": clipped, "pairs": [PAIR], "noise_multiplier": 1.0, **more}
        with pytest.raises(InvalidInput, match=message):
            adapter.audit(given.pop("clipped"), WEIGHTS, given.pop("pairs"), **given)


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jax_privacy", None)
    with pytest.raises(MissingExtra, match=r"pip install 'dpbench-suite\[bench\]'"):
        adapter.audit(abs, None, [PAIR], noise_multiplier=1.0)
