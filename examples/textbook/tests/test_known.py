"""Every control is refuted, and no true result is; the ids and sources are complete."""

from __future__ import annotations

import pytest
from textbook import RESULTS

from dpbench.certificates.judge import decide


@pytest.mark.parametrize("result", RESULTS, ids=lambda r: r.id)
def test_a_control_is_refuted_and_its_result_is_not(result) -> None:
    assert decide(result.must_fail, seconds=2.0).verdict == "refuted"
    assert decide(result.theorem, seconds=0.5).verdict != "refuted"


def test_each_result_has_a_source_and_an_id_of_its_own() -> None:
    assert len({result.id for result in RESULTS}) == len(RESULTS) >= 60
    assert all(result.source and result.topic and result.says for result in RESULTS)
