"""The study that leaves layers of the auditor out: what it patches exists and matters, and its table is its rows'."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from dpbench import audit

pytestmark = pytest.mark.meta


@pytest.fixture
def ablation(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.setattr(sys, "path", [*sys.path, str(Path(__file__).resolve().parents[2])])
    from studies import ablation as module

    return module


def test_every_mechanism_of_the_zoos_is_there(ablation: Any) -> None:
    found = ablation.zoos()
    assert list(found) == ["first", "second", "third"] and all(len(zoo) >= 12 for zoo in found.values())


def test_a_layer_that_is_left_out_is_missed_and_comes_back(ablation: Any) -> None:
    """The parity of five bits of thirty is seen by parities alone; without them next to nothing is certified."""
    one = ablation.zoos()["second"]["parity of five of thirty"]
    whole = ablation.bounds(one, range(1), 40_000)
    less = ablation.bounds(one, range(1), 40_000, ablation.LAYERS["parities"])
    assert less[0] < 0.5 * whole[0] and ablation.bounds(one, range(1), 40_000) == whole


@pytest.mark.parametrize("kind", ["scalars", "vectors"])
def test_every_layer_can_be_left_out(ablation: Any, kind: str) -> None:
    """Of an audit that is then as valid as before: both sides alike give nothing, at an error level of 1e-9."""
    shape = (6_000,) if kind == "scalars" else (6_000, 3)

    def alike(_data: Any, trials: int, rng: np.random.Generator) -> np.ndarray:
        return rng.laplace(size=(trials, *shape[1:]))

    for layer in ablation.LAYERS.values():
        if layer.of in ("all", kind):
            with ablation.ExitStack() as stack:
                for change in layer.put():
                    stack.enter_context(change)
                assert audit(alike, 0, 1, trials=shape[0], confidence=1.0 - 1e-9).epsilon_lower == 0.0


def test_the_table_is_of_the_rows(ablation: Any) -> None:
    rows = {"second": {"a": {"lost": {"trees": [0.02, 0.01]}}, "b": {"lost": {"trees": [0.08, 0.02]}}},
            "third": {"c": {"lost": {"trees": [0.01, 0.0], "rare": [0.0, 0.0]}}}}  # fmt: skip
    made = ablation.table(rows, ablation.LAYERS)
    assert made["trees"]["mean"] == {"second": pytest.approx(0.05), "third": 0.01}
    assert made["trees"]["most"] == 0.08 and made["trees"]["where"] == "b (second zoo)" and made["trees"]["kept"]
    assert not made["rare"]["kept"] and "shapes" not in made


def test_the_joint_table_is_of_the_bounds_before_and_now(ablation: Any) -> None:
    rows = {"first": {"a": {"before": [1.0, 1.0], "now": [0.9, 1.0]}, "b": {"before": [2.0, 2.0], "now": [2.0, 2.0]}}}
    found = ablation.joint_table(rows)["first"]
    assert found["mechanisms"] == 2 and found["mean"] == pytest.approx(0.025) and found["where"] == "a"
    assert found["most"] == pytest.approx(0.05) and found["most_se"] == pytest.approx(0.05)


def test_what_the_former_code_gave_is_kept(ablation: Any) -> None:
    """Today's bounds are of the seeds and runs that are kept, whatever is asked for."""
    mechanism = ablation.zoos()["second"]["one of eight"]
    row = ablation.joint(mechanism, range(5), 10_000, {"before": [7.0, 8.0], "now": [0.0, 0.0], "trials": 2_000})
    assert row["before"] == [7.0, 8.0] and row["trials"] == 2_000
    assert row["now"] == ablation.bounds(mechanism, range(2), 2_000)


def test_each_constant_has_another_value_meanwhile(ablation: Any) -> None:
    from dpbench.auditing import events

    for name, layer in ablation.CHANGED.items():
        constant, factor = name[:-3], {"/2": 0.5, "*2": 2.0}[name[-2:]]
        value = getattr(events, constant)
        with ablation.ExitStack() as stack:
            for change in layer.put():
                stack.enter_context(change)
            assert getattr(events, constant) == factor * value
        assert getattr(events, constant) == value
