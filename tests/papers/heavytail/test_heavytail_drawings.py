"""Figures of the heavy-tailed paper and of its study show what was measured: points, intervals, slopes."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from dpbench.ledger.evidence import committed
from dpbench.papers.heavytail import drawings

EVIDENCE = Path(__file__).resolve().parents[3] / "evidence"


def assert_bars(bars, x, middle, low, high):
    line, _, (spans,) = bars.lines
    np.testing.assert_allclose(line.get_data(), (x, middle))
    np.testing.assert_allclose(np.array(spans.get_segments())[:, :, 1].T, (low, high))


def test_boxes_are_the_median_and_the_range_over_data_sets():
    study = json.loads((EVIDENCE / "heavytail_speed.json").read_text(encoding="utf-8"))
    for axes, axis, other, at in zip(drawings.boxes_opened(study).axes, "dn", "nd", (10_000, 3), strict=True):
        met = [r for r in study["rows"] if (r["theta"], r["data"], r[other]) == (2.0, "student", at)]
        columns = np.array(sorted([row[key] for key in (axis, "boxes_median", "boxes_least", "boxes")] for row in met))
        assert len(met) >= 3 and f"{at:,}" in axes.get_title("left")
        assert_bars(axes.containers[0], *columns.T)
        assert (axes.get_xscale(), axes.get_yscale()) == ("linear" if axis == "d" else "log", "log")


def test_quantiles_of_the_risk_beside_the_formula():
    name = "heavytail.thm1.rate"
    evidence = committed(EVIDENCE / "ledger", [name])[name]["evidence"]
    (axes,) = drawings.risk_quantiles(evidence, title="Theorem 1: law").axes
    rows = {key: np.array(values, dtype=float) for key, values in evidence["tables"]["rows"].items()}
    n, mean, error = rows["n"], rows["excess_risk"], rows["standard error"]
    assert_bars(axes.containers[0], n, mean, mean - 1.96 * error, mean + 1.96 * error)
    drawn = {line.get_label(): line.get_ydata() for line in axes.get_lines()}
    for label, key in (("0.95-quantile", "excess_risk_quantile"), ("median", "excess_risk_median")):
        np.testing.assert_array_equal(drawn[label], rows[key])
    ((label, scaled),) = ((label, y) for label, y in drawn.items() if "formula" in label)
    assert np.ptp(np.log(scaled / rows["theory"])) < 1e-9 and np.log(scaled / mean).mean() == pytest.approx(0.0)
    slope = float(re.findall(r"−?\d\.\d+", label)[0].replace("−", "-"))
    assert slope == pytest.approx(np.polyfit(np.log(n), np.log(scaled), 1)[0], abs=0.006)
