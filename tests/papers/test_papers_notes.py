"""Instances that stand in the notes to the authors alone, by hand: what an entry measures is tested with the entry."""

import math
import re
from pathlib import Path

import numpy as np
import pytest
from scipy.special import ndtri

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


def test_the_first_display_of_a31_has_the_cube_of_y():
    h, n, y, b, eta, steps = 3.0, 50.0, 7.0, 2.0, 0.1, 40.0
    stability = 8.0 * h * eta**2 * steps * y**2 / n  # the last term of Lemma 5's bound on its square
    whole = 2.0 * math.sqrt(h * n) * y / b * stability
    assert whole == pytest.approx(16.0 * h**1.5 * eta**2 * steps * y**3 / (math.sqrt(n) * b))


def test_the_noisy_sign_of_theorem_4_loses_at_most_what_the_note_says():
    """4g times the chance of the wrong sign, exp(-g/b)/2, is at most 2b/e; b = 2 min(r, 1) Y^2/N, Y = 1."""
    gains = np.linspace(0.0, 50.0, 50_001)
    for r, size in ((0.3, 5.0), (1.0, 100.0), (40.0, 1e4)):
        b = 2.0 * min(r, 1.0) / size
        lost = (4.0 * gains * 0.5 * np.exp(-gains / b)).max()
        assert lost <= 2.0 * b / math.e * (1.0 + 1e-9) and 2.0 * b / math.e == pytest.approx(
            min(4.0 * r, 4.0) / (math.e * size)
        )


def test_after_14_a_factor_2_is_needed():
    """x = 1, y = 10 with chance 0.4, else 0, W = [−1, 1]: 0 is the minimiser; E(y − w)² at −1 against the bound."""
    models = np.linspace(-1.0, 1.0, 201)
    risk, square = (0.4 * abs(10.0 - models) ** p + 0.6 * abs(models) ** p for p in (1, 2))
    best = int(risk.argmin())
    assert models[best] == pytest.approx(0.0, abs=1e-12)
    assert square[0] == pytest.approx(49.0) and square[best] + 2.0 == pytest.approx(42.0)
    assert "$49>42$" in NOTES["heavytail"]


def test_lemma_2_beyond_its_range_and_the_factors_of_26():
    """(3Δ/ζ)^d at ζ = 4Δ and d = 2, and what (26) has at θ = 1.5 beside what its steps give, each times θ."""
    assert (3.0 / 4.0) ** 2 == 9.0 / 16.0 and "$9/16<1$" in NOTES["heavytail"]
    assert f"{3.0 + math.sqrt(2.0):.2f}" == "4.41" and f"{2.0**1.5:.2f}" == "2.83"
    assert "4.41/\\theta" in NOTES["heavytail"] and "2.83/\\theta" in NOTES["heavytail"]


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


def test_132_is_larger_than_125_allows():
    """d = 1: γ and m of (132), constants 1, in the term (4λγ/σ)·L·√m of (125), against 4αL/σ."""
    for alpha, sigma, lam, log in ((0.1, 0.5, 2.0, 3.0), (0.01, 1.0, 0.5, 50.0)):
        gamma, m = alpha**2 * sigma / (lam**2 * min(math.sqrt(log), log)), log * lam**2 / (sigma * alpha) ** 2
        assert 4.0 * lam * gamma / sigma * log * math.sqrt(m) == pytest.approx(4.0 * alpha * log / sigma)
    assert "$4\\alpha L/\\sigma$" in NOTES["publicdata"]


def test_numbers_of_theorem_5_and_of_the_proofs():
    """b of (32) on {N, 0.9N}; the constants in the proofs of 4' and 10'."""
    assert pytest.approx(-1.0 / 9.0) == 1.0 - 0.9 / 0.81
    assert math.e * (0.015 + 0.05) + 0.1 < 0.985 / 2.0
    assert float(ndtri(0.184)) == pytest.approx(-0.9, abs=1e-3) and 0.85 * 0.184 > 1.0 / 8.0
    for log in (10.0, 100.0, 1e4):
        assert math.log(8.0) + log / 2.0 + math.sqrt(2.0 * log / math.pi) < log


def test_7_fails_as_eta_grows_to_1():
    """x = 1, y = w₀ in W at a distance of 0.01 from the net: the excess is at least that, and (7) falls to 0."""
    n, away = 10**6, 0.01
    bounds = {eta: math.sqrt(math.log(n) * math.log(1.0 / eta) / n) for eta in (0.5, 1.0 - 1e-6)}
    assert 100.0 * bounds[0.5] > away > 100.0 * bounds[1.0 - 1e-6]
    assert "vanish as $\\eta\\to1$" in NOTES["heavytail"]
