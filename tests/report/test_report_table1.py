"""Table 1 as measured, and the figures of risks: from evidence alone, new entries picked up by their id."""

import json
import math

import pytest

from dpbench.core.validation import InvalidInput
from dpbench.ledger.core import Claim
from dpbench.ledger.verify import all_claims
from dpbench.papers.glm import drawings, table1
from dpbench.papers.glm import drawings_table1 as figures_table1
from dpbench.report import figures
from dpbench.report.drawings import DRAWINGS
from dpbench.report.stored import best, known

GRID = [100.0, 200.0, 400.0]
OF_RISKS = [d for d in DRAWINGS if d.name in ("crossover", "crossover_benign", "adaptation_thm7", "failures_thm13")]
FLOOR = {"algorithm": ["noisy GD", "zero", "zero"], "ratio": [1.27, 1.5, 1.4]}


def evidence(value, exponent, axis="n", half=0.05):
    series = {axis: GRID, "measured": [3.0 * x**value for x in GRID], "ceiling": [2.0 * x**exponent for x in GRID]}
    series["zero predictor"] = [1.0, 1.0, 6.0 * GRID[-1] ** value]
    return {
        "value": value,
        "interval": None if half is None else (value - half, value + half),
        "tables": {"rows": series},
    }


@pytest.fixture
def verdicts():
    return {
        "glm.thm1.rate.d": ("consistent", evidence(0.48, 0.5, "d")),
        "glm.thm2.rate.d": ("inconsistent", evidence(0.8, 0.0, "d")),
        "glm.thm4.floor.exact": ("not refuted", {"value": 1.27, "interval": None, "tables": {"rows": FLOOR}}),
        "glm.table1.rate.crossover.printed": ("consistent", evidence(0.69, 2.0 / 3.0, half=None)),
    }


def test_rows_are_the_slopes_of_the_evidence_in_the_order_of_the_table(verdicts):
    rows = table1.rows(verdicts)
    assert [row.claim for row in rows] == [
        "glm.thm1.rate.d", "glm.thm2.rate.d", "glm.table1.rate.crossover.printed", "glm.thm4.floor.exact",
    ]  # fmt: skip
    low, high, meet, floor = rows
    assert (low.quantity, low.expected, low.measured) == ("excess in d", pytest.approx(0.5), 0.48)
    assert [row.zero for row in rows] == [pytest.approx(2.0)] * 3 + [1.4]
    assert low.interval == (pytest.approx(0.43), pytest.approx(0.53))
    assert low.cell.place == "smooth, √H a > ‖Y‖, d ≤ d*: upper"
    assert low.ratio == pytest.approx((1.5 * 400.0**-0.02, 1.5 * 100.0**-0.02)) and floor.ratio == (1.27, 1.5)
    assert high.expected == pytest.approx(0.0) and high.verdict == "inconsistent"
    assert (meet.quantity, meet.interval) == ("d* in n", None)
    assert (floor.quantity, floor.expected, floor.measured) == ("error / lower bound", None, 1.27)


def test_markdown_has_every_entry_and_marks_stale_ones(verdicts):
    lines = table1.table(verdicts, ["glm.thm1.rate.d"]).splitlines()[2:]
    assert len(lines) == len(table1.chosen()) == sum("not run" in line for line in lines) + len(verdicts)
    (low,) = (line for line in lines if "`glm.thm1.rate.d`" in line)
    assert "| +0.500 | +0.480 | +0.430, +0.530 | 1.33 to 1.37 | 2 | consistent (stale) |" in low
    assert sum("(stale)" in line for line in lines) == 1
    (floor,) = (line for line in lines if "`glm.thm4.floor.exact`" in line)
    assert "| error / lower bound | ≥ 1 | 1.270 |  | 1.27 to 1.5 | 1.4 | not refuted |" in floor


def test_every_rate_of_the_paper_is_in_it_and_every_pattern_finds_one(monkeypatch):
    rates = {claim.id for claim in all_claims() if claim.paper == "glm" and claim.kind == "rate"}
    assert rates <= set(table1.chosen())
    found = [claim.id for claim in all_claims()]
    assert all(any(table1._fits(cell, name) for name in found) for cell in table1.CELLS)
    new = "glm.thm10.rate", "glm.thm99.rate.rank"
    more = tuple(Claim(n, "glm", "Theorem", "rate", "", "", "consistent", print, side="tight") for n in new)
    monkeypatch.setattr(table1, "all_claims", lambda: (*all_claims(), *more))
    rows = table1.rows({name: ("consistent", evidence(-0.5, -0.5, "epsilon")) for name in new})
    assert [row.cell.place for row in rows] == ["Lipschitz, rank > nε: upper", "beside Table 1"]


def test_a_rate_without_a_ceiling_is_of_another_version():
    wrong = {"value": 1.0, "interval": None, "tables": {"rows": {"n": GRID}}}
    with pytest.raises(InvalidInput, match="with a column ceiling"):
        table1.rows({"glm.thm1.rate": ("consistent", wrong)})


def test_a_constant_ceiling_has_a_slope_without_a_sign(verdicts):
    """log 1.7 is no short binary fraction: a plain weighted sum of it left a rounding error, whose sign was printed."""
    for exponent, half in ((0.0, 1e-9), (-1e-9, 0.0)):
        found = evidence(exponent, 0.0, "d", half)
        found["tables"]["rows"]["ceiling"] = [1.7] * len(GRID)
        text = table1.table({"glm.thm2.rate.d": ("consistent", found)})
        (row,) = (line for line in text.splitlines() if "`glm.thm2.rate.d`" in line)
        assert "| 0.000 | 0.000 | 0.000, 0.000 | 1.76 |" in row
    assert [table1._signed(x) for x in (0.0006, -0.0006, -0.0004)] == ["+0.001", "−0.001", "0.000"]


def test_figure_of_the_table_has_each_slope_beside_its_theory(verdicts):
    figure = figures_table1.exponents(verdicts)
    axes, beside = figure.axes
    assert [tick.get_text() for tick in axes.get_yticklabels()] == [
        "Theorem 1: excess in d", "Theorem 2: excess in d", "Table 1 (low meets high, printed): d* in n",
        "Theorem 4 (exact): error / lower bound",
    ]  # fmt: skip
    points = {x for line in axes.get_lines() if line.get_marker() in "oX" for x in line.get_xdata()}
    assert points == {0.48, 0.8, 0.69}
    ends = {bar.get_y() + 0.35: (bar.get_x(), bar.get_x() + bar.get_width()) for bar in axes.patches}
    assert [ends[row][1] - 0.1 for row in (0, 1, 2)] == pytest.approx([0.5, 0.0, 2.0 / 3.0])
    sides = {claim.id: claim.side for claim in all_claims()}
    for row, name in enumerate(("glm.thm1.rate.d", "glm.thm2.rate.d", "glm.table1.rate.crossover.printed")):
        assert (ends[row][0] < axes.get_xlim()[0]) == (sides[name] == "upper")  # one-sided: open to the left
    assert {sides[name] for name in ("glm.thm1.rate.d", "glm.thm2.rate.d")} == {"tight", "upper"}
    spans = [sorted(line.get_xdata()) for line in beside.get_lines()[:4]]
    assert spans[3] == [1.27, 1.5] and beside.get_lines()[3].get_color() != beside.get_lines()[0].get_color()
    assert spans[0] == pytest.approx([1.5 * 400.0**-0.02, 1.5 * 100.0**-0.02]) and beside.get_xscale() == "log"


@pytest.fixture(scope="module")
def found():
    """The committed evidence of the entries that the figures of risks show."""
    names = {drawing.claim for drawing in OF_RISKS}
    return {name: one.evidence for name, one in best(known(None, ids=names), names, with_code=False).items()}


@pytest.mark.few(1)
@pytest.mark.parametrize("drawing", OF_RISKS, ids=lambda drawing: drawing.name)
def test_figures_of_risks(drawing, found):
    shown = json.loads(json.dumps(found[drawing.claim]))
    figure = drawing.draw(shown)
    assert figure.get_figwidth() in (figures.COLUMN, figures.PAGE)
    labels = {str(label) for axes in figure.axes for label in axes.get_legend_handles_labels()[1]}
    assert any("zero" in label for label in labels) or drawing.name == "failures_thm13"
    assert all(axes.get_xlabel() and axes.get_ylabel() for axes in figure.axes)


def test_crossing_is_drawn_where_it_was_measured(found):
    shown = found["glm.table1.rate.crossover"]
    left, right = drawings.crossover(shown).axes
    (at,) = (line.get_xdata()[0] for line in left.get_lines() if line.get_linestyle() == ":")
    rows, (n, *_) = shown["tables"]["rows"], shown["tables"]["curve"]["n"]
    assert at == dict(zip(rows["n"], rows["measured"], strict=True))[n] and math.isfinite(at)
    assert len(right.get_lines()) >= 2


def test_the_command_for_a_missing_run_is_one_that_gives_a_verdict(run, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("dpbench.report.stored.committed", lambda *_: {})  # an install without evidence
    code, _, err = run("figures rate_thm1")
    assert code == 2 and err.endswith("; run: dpbench verify glm.thm1.rate\n")
    code, _, err = run("figures rate_thm1 crossover")  # the second has no verdict at quick
    assert code == 2
    assert err.endswith("; run: dpbench verify glm.table1.rate.crossover glm.thm1.rate --level full\n")
