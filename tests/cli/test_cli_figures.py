"""`dpbench figures` in process: what it draws from stored evidence, and what it says is missing."""

import json
import os
import re
from pathlib import Path

import pytest
from made_up import GOOD, claim

from dpbench.report.drawings import DRAWINGS
from dpbench.report.plot import COLUMNS
from dpbench.report.stored import best
from dpbench.runs.store import stored_verdicts

CURVE = {
    "target_epsilon": [1.0] * 3,
    "target_delta": [1e-5] * 3,
    "epsilon": [0.5, 1.0, 2.0],
    "delta_claimed": [1e-5] * 3,
    "delta_true_printed": [1e-7, 1e-5, 1e-2],
    "delta_true_exact": [1e-5] * 3,
}
SLOPE = {"n": [100, 200, 400], "measured": [0.4, 0.2, 0.1], "standard error": [0.01] * 3, "ceiling": [4.0, 2.0, 1.0]}

FIGURED = (
    claim("glm.thm1.privacy", "refuted", "privacy", "refuted", tables={"curve": CURVE}),
    claim("glm.thm5.privacy", "refuted", "privacy", "refuted", tables={"curve": CURVE}),
    claim("glm.thm1.rate", "consistent", "rate", "consistent", tables={"rows": SLOPE}, side="upper"),
    claim("glm.thm5.rate", "consistent", "rate", "consistent", tables={"rows": SLOPE}, side="tight"),
)

DRAWN = "delta_thm1 rate_thm1 delta_thm5 rate_thm5"


def test_figures_name_what_is_missing(only, run, monkeypatch):
    """And draw the others from the store alone, as they are asked to look."""
    monkeypatch.setattr("dpbench.report.stored.committed", lambda *_: {})  # an install without evidence
    only(*FIGURED)
    run("verify --quiet glm.thm1.rate --store mine.sqlite")
    monkeypatch.setattr("dpbench.runs.context.RunContext.run", lambda *_: pytest.fail("a figure ran an entry"))
    looks = "--column icml --font serif --font-size 7.0 --height 2.0 --format pdf --no-title"
    code, out, err = run(f"figures {DRAWN} --store mine.sqlite {looks}")
    assert code == 2 and out == "figures/rate_thm1.pdf\n"
    missing = "glm.thm1.privacy glm.thm5.privacy glm.thm5.rate"
    assert f"dpbench verify {missing} --store mine.sqlite" in err
    assert set(os.listdir("figures")) == {f"rate_thm1.{kind}" for kind in ("pdf", "tex", "json")}
    beside = json.loads(Path("figures/rate_thm1.json").read_text())
    assert beside["command"].endswith(looks) and beside["entries"] == {"glm.thm1.rate": "consistent"}
    pdf = Path("figures/rate_thm1.pdf").read_bytes()
    assert beside["evidence"].encode() in pdf and b"STIXGeneral" in pdf and b"DejaVu" not in pdf
    (size,) = re.findall(rb"/MediaBox \[ 0 0 ([\d.]+) ([\d.]+) \]", pdf)
    assert [*map(float, size)] == pytest.approx([72.0 * COLUMNS["icml"], 144.0], rel=1e-5)


def test_figures_group_many_missing_entries(only, run, monkeypatch):
    monkeypatch.setattr("dpbench.report.stored.committed", lambda *_: {})
    monkeypatch.setattr("dpbench.cli.figures.FEW", 3)
    only(*FIGURED)
    code, _, err = run(f"figures {DRAWN}")
    assert code == 2 and err.count("\n") == 1 and "glm." not in err
    assert f"for 4 entries (glm 4), of figures: {', '.join(f'{name} 1' for name in DRAWN.split())};" in err
    assert err.endswith("run: dpbench verify --paper glm\n")
    monkeypatch.setattr("dpbench.cli.figures.FEW", 4)
    err = run(f"figures {DRAWN}")[2]
    assert all(f"{claim.id}, " in err or f"{claim.id};" in err for claim in FIGURED), "by name where there are so few"
    code, _, err = run("figures")  # all of our papers
    assert code == 2 and [drawing.name for drawing in DRAWINGS if f" {drawing.name} 1" not in err] == []


def test_full_evidence_goes_before_quick(only, run):
    only(GOOD)
    for line in ("verify --quiet --level full", "verify --quiet", "verify --quiet --seed 1"):
        run(line)
    shown = best(stored_verdicts(".dpbench/runs.sqlite"))["glm.one.inequality"]
    assert (shown.level, shown.stale) == ("full", False)
