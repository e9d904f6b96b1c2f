"""Figures of the public-data paper and of its study show what was measured: points, intervals, slopes, settings."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from dpbench.ledger.evidence import committed
from dpbench.papers.publicdata import drawings, drawings_risk

EVIDENCE = Path(__file__).resolve().parents[3] / "evidence"
STUDY = json.loads((EVIDENCE / "publicdata_risk.json").read_text(encoding="utf-8"))
max((row for row in STUDY["rows"] if row["algorithm"] == "ERM"), key=lambda row: row["n"]).update(mean=0.0, low=0.0)
LEAST = min(row["mean"] for row in STUDY["rows"] if row["mean"] > 0.0)
CONSTANT = STUDY["constant predictor"]


def numbers(text):
    return [float(said) for said in re.findall(r"-?\d+(?:\.\d+)?", text.replace("−", "-").replace(",", ""))]


def of_claim(name):
    return committed(EVIDENCE / "ledger", [name])[name]["evidence"]


def assert_bars(bars, x, middle, low, high):
    """A curve with its intervals."""
    line, _, (spans,) = bars.lines
    np.testing.assert_allclose(line.get_data(), (x, middle))
    np.testing.assert_allclose(np.array(spans.get_segments())[:, :, 1].T, (low, high))


def assert_study(bars, name, axis, floor):
    rows = [row for row in STUDY["rows"] if (row["algorithm"], row["axis"]) == (name, axis)]
    x, mean, low, high = (np.array([row[key] for row in rows]) for key in ("x", "mean", "low", "high"))
    x = 1.0 / x if axis == "sigma" else x
    assert_bars(bars, x, *(np.maximum(values, floor) for values in (mean, low, high)))
    return x[mean <= 0.0]


def said_of(name, *, proven):
    (fit,) = (item for item in STUDY["slopes"] if item["algorithm"] == name)
    if fit["value"] is None:
        return []
    return [fit["value"], *fit["interval"], *([fit["proven"]] if proven and fit["proven"] is not None else [])]


def test_risks_of_the_study_with_their_slopes():
    figure = drawings_risk.risks(STUDY)
    for axes, axis in zip(figure.axes, ("n", "sigma", "m", "epsilon"), strict=True):
        hollow = [line for line in axes.get_lines() if line.get_markerfacecolor() == "white"]
        for bars, name in zip(axes.containers, drawings_risk.ALGORITHMS, strict=True):
            none = assert_study(bars, name, axis, LEAST / 10.0**0.5)
            drawn = [line.get_xdata() for line in hollow if line.get_color() == bars.lines[0].get_color()]
            np.testing.assert_array_equal(np.concatenate([none[:0], *drawn]), none)
            assert numbers(bars.get_label().removeprefix(name)) == pytest.approx(said_of(name, proven=True), abs=0.006)
        kept = [other for other in ("n", "sigma", "m", "epsilon") if other != axis and (axis, other) != ("n", "m")]
        assert numbers(axes.get_title("left")) == [STUDY["base"][other] for other in kept]
        assert axes.get_ylim() == pytest.approx((LEAST / 10.0**0.5, 2.0 * CONSTANT))
    texts = [text.get_text() for text in figure.legends[0].get_texts()]
    assert len(texts) == 6 and "constant predictor" in texts[-1]


def test_the_risk_of_algorithm_5_beside_its_bound():
    (axes,) = drawings_risk.risk_of_rspm(STUDY).axes
    fit = next(item for item in STUDY["slopes"] if item["algorithm"] == "Algorithm 5")
    positive = [
        row["mean"] for row in STUDY["rows"] if row["algorithm"] in ("Algorithm 5", "ERM") and row["mean"] > 0.0
    ]
    for bars, name in zip(axes.containers, ("Algorithm 5", "ERM"), strict=True):
        assert_study(bars, name, "n", min(positive) / 10.0**0.5)
        late = [STUDY["late"], fit["late"]["value"], *fit["late"]["interval"]] if name == "Algorithm 5" else []
        said = numbers(bars.get_label().removeprefix(name))
        assert sorted(said) == pytest.approx(sorted(said_of(name, proven=False) + late), abs=0.006)
    (bound,) = (line for line in axes.get_lines() if "bound" in line.get_label())
    assert list(bound.get_ydata()) == fit["theory"] and axes.get_ylim()[1] == pytest.approx(2.0 * max(fit["theory"]))
    assert numbers(bound.get_label()) == pytest.approx([fit["proven"]], abs=0.006)


@pytest.mark.parametrize(
    ("claim", "draw", "table", "x", "names", "first"),
    [
        ("thm4.privacy", drawings.privacy_over_m, "d = m", "m", ("gaussian", "laplace", "exact"), 0),
        ("thm4.privacy", drawings.privacy_over_m, "d fixed", "m", ("gaussian", "laplace", "exact"), 3),
        ("lemma7.stability", drawings.stability_average, "rows", "strength", ("printed", "sharp", "square"), 0),
    ],
)
def test_curves_are_columns_of_the_evidence(claim, draw, table, x, names, first):
    evidence = of_claim(f"publicdata.{claim}")
    (axes,) = draw(evidence).axes
    for name, line in zip(names, axes.get_lines()[first:], strict=False):
        np.testing.assert_allclose(line.get_data(), [evidence["tables"][table][key] for key in (x, name)])
        assert (line.get_markerfacecolor() == "white") == (table == "d fixed")


@pytest.mark.parametrize(("claim", "options"), [("thm6.rate", None), ("thm10.rate", {"axis": "n", "title": ""})])
def test_risks_have_their_standard_errors(claim, options):
    evidence = of_claim(f"publicdata.{claim}")
    (axes,) = (drawings.nonconvex(evidence) if options is None else drawings.risk(evidence, **options)).axes
    rows = evidence["tables"]["rows"]
    n, mean, error = (np.array(rows[key]) for key in ("n", "measured", "standard error"))
    assert_bars(axes.containers[0], n, mean, mean - 1.96 * error, mean + 1.96 * error)
    if options is None:
        (plain,) = (line for line in axes.get_lines() if line.get_label().startswith("ERM"))
        assert list(plain.get_ydata()) == rows["erm"]
