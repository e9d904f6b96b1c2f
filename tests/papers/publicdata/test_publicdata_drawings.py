"""Figures of the public-data paper: drawn from evidence, and what their legends say."""

import pytest

from dpbench.core.validation import InvalidInput
from dpbench.ledger.registry import all_claims
from dpbench.report.drawings import DRAWINGS

OURS = [drawing for drawing in DRAWINGS if drawing.claim.startswith("publicdata.")]


@pytest.mark.parametrize("drawing", OURS, ids=lambda drawing: drawing.name)
def test_figures_are_drawn_from_evidence(drawing):
    assert drawing.claim in {claim.id for claim in all_claims()}
    names = (
        "m", "gaussian", "laplace", "exact", "n", "eta", "moved", "strength", "square", "printed",
        "proved", "sharp", "measured", "standard error", "erm", "erm standard error", "theory",
    )  # fmt: skip
    tables = {table: {name: [1.0, 3.0, 9.0] for name in names} for table in ("rows", "d = m", "d fixed", "linear")}
    evidence = {"value": -0.5, "interval": None, "tables": tables}
    figure = drawing.draw(evidence)
    drawn = {label for axes in figure.axes for label in axes.get_legend_handles_labels()[1]}
    drawn |= {text.get_text() for axes in figure.axes for text in axes.texts}
    assert len(drawn) >= 3
    with pytest.raises(InvalidInput, match="evidence must be of this version"):
        drawing.draw({**evidence, "tables": {}})


@pytest.mark.parametrize(("interval", "said"), [(None, "measured, slope 1.00"), ([0.6, 0.8], "measured, slope 0.70")])
def test_a_curve_says_its_own_slope_where_the_value_is_another_number(interval, said):
    """The value of an inequality is no slope; that of a rate is, and has an interval."""
    (drawing,) = (one for one in OURS if one.name == "risk_publicdata_alg3")
    names = ("n", "measured", "standard error", "erm", "erm standard error", "theory")
    evidence = {"value": 0.7, "interval": interval, "tables": {"rows": {name: [1.0, 3.0, 9.0] for name in names}}}
    assert said in drawing.draw(evidence).axes[0].get_legend_handles_labels()[1]
