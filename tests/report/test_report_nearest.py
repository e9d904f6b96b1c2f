"""The instance nearest to breaking an entry: the columns that are read, and a ratio for every GLM entry that holds."""

from __future__ import annotations

from typing import Any

import pytest

from dpbench.ledger.evidence import committed
from dpbench.ledger.premises import STANDING
from dpbench.papers.glm.theorems import paper
from dpbench.report.nearest import nearest
from dpbench.report.stored import Shown
from studies.results import ledger_tables


@pytest.mark.parametrize(
    ("series", "ratio", "instance"),
    [
        ({"n": [10, 20], "left": [1.0, 3.0], "right": [4.0, 4.0]}, 0.75, {"n": 20}),
        ({"n": [10, 20], "left": [-1.0, -3.0], "right": [-0.5, -2.9]}, 1.0 - 0.1 / 2.9, {"n": 20}),
        ({"algorithm": ["a", "b"], "floor": [1.0, 1.0], "error": [4.0, 2.0], "ratio": [4.0, 2.0]}, 0.5,
         {"algorithm": "b"}),
        ({"n": [1.0, 2.0], "excess": [0.1, 0.9], "bound": [1.0, 3.0]}, 0.3, {"n": 2.0}),
        ({"target_epsilon": [1.0, 4.0], "target_delta": [1e-5, 1e-3], "guaranteed_delta": [5e-6, 1e-3]}, 1.0,
         {"target_epsilon": 4.0}),
        ({"d": [2, 4], "measured": [1.0, 3.0], "ceiling": [2.0, 5.0], "zero predictor": [9, 9]}, 0.6, {"d": 4}),
        ({"loss": ["x", "y"], "random": [0.9, 0.8], "directed": [0.7, 0.1]}, 0.9, {"loss": "y"}),
    ],
)  # fmt: skip
def test_the_largest_ratio_and_its_row(series: dict[str, Any], ratio: float, instance: dict[str, Any]) -> None:
    found = nearest({"series": series, "margin": None})
    assert found is not None
    assert found.ratio == pytest.approx(ratio) and found.instance == instance


def test_without_such_columns_the_margin_gives_the_ratio() -> None:
    assert nearest({"series": {}, "margin": 0.25}) is not None
    found = nearest({"series": {"beta": [0.1]}, "margin": 0.25})
    assert found is not None and found.ratio == 0.75 and found.instance == {} and str(found) == "0.75"
    assert nearest({"series": {}, "margin": None}) is None


def test_it_is_a_column_of_the_ledgers_page_for_what_holds_alone() -> None:
    claims = [c for c in paper.claims if c.id in ("glm.lemma9.inequality", "glm.lemma9.inequality.corrected")]
    series = {"loss": ["squared"], "random": [0.5], "extreme": [0.125], "directed": [0.5]}
    evidence = {"value": 0.125, "interval": None, "margin": 0.125, "series": series}
    shown = {c.id: Shown(c.id, c.expected, "full", 0, evidence, False, "", {}) for c in claims}
    lines = ledger_tables.entries(claims, shown).splitlines()
    assert "nearest to breaking" in lines[0]
    told = {line.partition("claims/")[2].partition('.html"')[0]: "0.875 (loss = squared)" in line for line in lines[2:]}
    assert told == {"glm.lemma9.inequality": False, "glm.lemma9.inequality.corrected": True}


def test_every_glm_entry_that_holds_has_a_ratio_in_the_committed_evidence() -> None:
    """Attacks and the rows of Theorem 12 are stated otherwise; the list of what has none is short and named."""
    without = {
        name for name, document in committed().items()
        if name.startswith("glm.") and document["verdict"] in STANDING and nearest(document["evidence"]) is None
    }  # fmt: skip
    assert without <= {"glm.thm12.privacy.exact", "glm.thm1.rate.radius", "glm.cor1.rate.radius"}
