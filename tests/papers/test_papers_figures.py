"""Figures of entries are drawn from committed evidence of this version, and labels say the slopes of their curves."""

import re
from pathlib import Path

import numpy as np
import pytest

from dpbench.core.validation import InvalidInput
from dpbench.ledger.evidence import committed
from dpbench.report.drawings import DRAWINGS

EVIDENCE = Path(__file__).resolve().parents[2] / "evidence" / "ledger"


@pytest.mark.few(12)
@pytest.mark.parametrize("drawing", DRAWINGS, ids=lambda drawing: drawing.name)
def test_a_figure_is_drawn_from_evidence(drawing):
    evidence = committed(EVIDENCE, [drawing.claim])[drawing.claim]["evidence"]
    figure = drawing.draw(evidence)
    drawn = {label for axes in figure.axes for label in axes.get_legend_handles_labels()[1]}
    drawn |= {text.get_text() for axes in figure.axes for text in axes.texts}
    assert len(drawn) >= 2 and not [label for label in drawn if not label or label[0] in " ,;:.)"]
    for axes in figure.axes:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            for said in re.findall(r"slope (−?\d[\d.]*)", label):  # the slope of what is drawn
                line = getattr(handle, "lines", [handle])[0]
                slope = np.polyfit(*np.log(line.get_data()), 1)[0]
                assert slope == pytest.approx(float(said.replace("−", "-")), abs=0.006), label
    first_columns = {name: dict([*table.items()][:1]) for name, table in evidence["tables"].items()}
    with pytest.raises(InvalidInput, match="evidence must be of this version"):
        drawing.draw({**evidence, "tables": first_columns})
