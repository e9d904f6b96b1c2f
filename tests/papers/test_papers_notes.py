"""Instances that stand in the notes to the authors alone, by hand: what an entry measures is tested with the entry."""

import math
import re
from pathlib import Path

import numpy as np
import pytest

import dpbench.papers
from dpbench.papers.glm.theorems import paper as glm
from dpbench.papers.glm.theorems import theorem3, theorem10
from dpbench.privacy import gaussian
from lowerbounds.regime_floors import PROVED

NOTES = {
    name: (Path(dpbench.papers.__file__).parent / name / "note.tex").read_text(encoding="utf-8")
    for name in ("glm", "heavytail", "publicdata")
}


def test_files_that_a_note_names_are_there():
    named = [name.replace("\\_", "_") for text in NOTES.values() for name in re.findall(r"\\texttt\{(\S+/\S+)\}", text)]
    assert named and all((Path(__file__).parents[2] / name).exists() for name in named)


def test_numbers_of_the_glm_note_are_those_of_its_statements():
    note, sizes = NOTES["glm"], (10**6, 10**10, 10**14)
    over = [f"{theorem3.least_excess(n, n**-0.5, 1e-15) / theorem3.remark_rate(n, n**-0.5, 1e-15):.2g}" for n in sizes]
    assert "{} and {} times the".format(*over[1:]) in note and "175 times at $r=10^6$" in note
    assert int(theorem3.least_excess(10**18, 1.0, 1e-5, 1e6) / theorem3.remark_rate(10**18, 1.0, 1e-5, 1e6)) == 175
    (lowest,) = (claim.formal for claim in glm.claims if claim.id == "glm.thm4.floor.corrected")
    assert lowest is not None and lowest.number("c") == pytest.approx(PROVED)
    assert f"{gaussian.delta(1.0, 1.0 / math.sqrt(math.log(1e5))) * 1e5:.2f}\\cdot10^{{-5}}" in note
    rate = (3.0 - math.log(4.0)) / 2.0  # log P(chi^2_k > 4k) <= -rate k
    assert f"k\\ge{1.0 / rate:.2f}\\log(2n/\\delta)$" in note
    assert math.exp(1.0 / 4.0) / 4.0 < 0.33 and "but for a chance of $0.33\\beta$" in note
    floor, _, _ = theorem10.rate_floor(10**8, 1e-4, 1)
    assert f"{math.floor(1e3 * floor) / 1e3:.3f}\\,GB" in note
    logs = math.log(2e8 / 1e-5) * math.log(1e5)
    assert floor / (1e-4 + (1.0 + math.sqrt(logs)) / 1e2) > 5.0


_STATEMENT = re.compile(r"\\begin\{statement\}(.*?)\\end\{statement\}", re.DOTALL)
_MATHEMATICS = re.compile(r"\$(.*?)\$|\\\[(.*?)\\\]|\\begin\{align\*\}(.*?)\\end\{align\*\}", re.DOTALL)
_FORMULA = re.compile(r"\\formula\{[^}]*\}\{\w+\}")


def by_hand(text):
    """Formulas of corrected statements that no `Statement` says: displays without one, and fractions and functions."""
    formulas = [next(filter(None, found)) for part in _STATEMENT.findall(text) for found in _MATHEMATICS.findall(part)]
    displays = [found for part in _STATEMENT.findall(text) for found in re.findall(r"\\\[(.*?)\\\]", part, re.DOTALL)]
    typed = [found for found in formulas if re.search(r"\\(frac|min|max|log|exp)\b", _FORMULA.sub("", found))]
    return typed + [found for found in displays if not _FORMULA.search(found)]


def test_formulas_of_corrected_statements_are_those_of_the_ledger():
    assert len(_STATEMENT.findall(NOTES["glm"])) == 8 and by_hand(NOTES["glm"]) == []


@pytest.mark.parametrize("typed", [r"\[X\sqrt{13/n}.\]", r"$\frac{Y^2}n$", r"$l=\log(2/\delta)$"])
def test_a_formula_typed_by_hand_is_seen(typed):
    statement = rf"\begin{{statement}}$d\ge2$ {typed} \[\formula{{glm.a.b}}{{c}}\]\end{{statement}}"
    assert len(by_hand(statement)) == 1


def test_after_14_a_factor_2_is_needed():
    """x = 1, y = 10 with chance 0.4, else 0, W = [−1, 1]: 0 is the minimiser; E(y − w)² at −1 against the bound."""
    models = np.linspace(-1.0, 1.0, 201)
    risk, square = (0.4 * abs(10.0 - models) ** p + 0.6 * abs(models) ** p for p in (1, 2))
    best = int(risk.argmin())
    assert models[best] == pytest.approx(0.0, abs=1e-12)
    assert square[0] == pytest.approx(49.0) and square[best] + 2.0 == pytest.approx(42.0)
    assert "$49>42$" in NOTES["heavytail"]


def test_110_does_not_hold_almost_surely():
    """Constants −1 + uτ, u in [0, 1], τ = 1/1000, all labels −1 of fair ones: f̄ by a grid, and the mended right side.

    The losses are (1 − (f + 1)/τ)₊ at 1 and (f + 1)/2 at −1. E sup ω_n is that of τuN, τE N₊ = τ/√(2π), as −N has mean
    0; λ = 1/τ.
    """
    tau, n, eta, log = 1e-3, 1e4, 1e-3, 1.0
    u = np.linspace(0.0, 1.0, 1001)
    risk = 0.5 * (1.0 - u) + 0.25 * tau * u
    objective = 0.5 * tau * u + eta * (1.0 - tau * u) ** 2
    excess = float(risk[objective.argmin()] - risk.min())
    right = 12.0 / tau / math.sqrt(n) * tau / math.sqrt(2.0 * math.pi) + 2.0 * math.sqrt(2.0 * log / n) + eta
    assert f"{excess:.5f}" == "0.49975" and f"{right:.3f}" == "0.077"
    assert "0.49975" in NOTES["publicdata"] and "0.077" in NOTES["publicdata"]
