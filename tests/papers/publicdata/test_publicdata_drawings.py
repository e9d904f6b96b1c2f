"""Figures of the public-data paper: drawn from evidence, and what their legends say."""

import pytest

from dpbench.report.drawings import DRAWINGS

OURS = [drawing for drawing in DRAWINGS if drawing.claim.startswith("publicdata.")]


@pytest.mark.parametrize(("interval", "said"), [(None, "measured, slope 1.00"), ([0.6, 0.8], "measured, slope 0.70")])
def test_a_curve_says_its_own_slope_where_the_value_is_another_number(interval, said):
    """The value of an inequality is no slope; that of a rate is, and has an interval."""
    (drawing,) = (one for one in OURS if one.name == "risk_publicdata_alg3")
    names = ("n", "measured", "standard error", "erm", "erm standard error", "theory")
    evidence = {"value": 0.7, "interval": interval, "tables": {"rows": {name: [1.0, 3.0, 9.0] for name in names}}}
    assert said in drawing.draw(evidence).axes[0].get_legend_handles_labels()[1]
