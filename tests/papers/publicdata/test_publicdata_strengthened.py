"""`dpbench strengthened`: the text is whole, what its proofs leave to arithmetic holds, and LaTeX sets it."""

import math
import re
import shutil
import subprocess
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from dpbench.certificates.search.find import find_counterexample
from dpbench.papers.publicdata.theorems import paper
from dpbench.papers.publicdata.theorems.theorem4_accuracy import LOCALISED, PRINTED_RATE
from dpbench.report.note import body

TEXT = body(paper, "strengthened.tex")


def test_the_text_is_printed_whole_and_names_entries(run):
    code, out, err = run("strengthened")
    assert (code, err) == (0, "") and out == TEXT and "\\claim" not in TEXT and "\\formula" not in TEXT
    named = re.findall(r"\\entry\{(publicdata\S+)\}", TEXT)
    assert len(named) == 8 and {*named} <= {claim.id for claim in paper.claims}


def test_without_pdflatex_the_command_says_so(run, tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    code, out, err = run(f"strengthened --pdf {tmp_path}/a.pdf")
    assert code == 2 and out == "" and "pdflatex" in err and err.count("\n") == 1


def test_latex_runs_twice_and_its_first_complaint_is_told(run, tmp_path, monkeypatch):
    read, said = [], "This is TeX\n! Undefined.\n! Emergency stop.\n"

    def latex(command, *, cwd, **options):
        source = Path(cwd) / command[-1]
        read.append(source.read_text(encoding="utf-8"))
        source.with_suffix(".pdf").write_bytes(b"%PDF")
        return subprocess.CompletedProcess(command, int(len(read) > 2), said, "")

    monkeypatch.setattr(shutil, "which", lambda name: name)
    monkeypatch.setattr(subprocess, "run", latex)
    assert run(f"strengthened --pdf {tmp_path}/a.pdf") == (0, "", "") and read == [TEXT, TEXT]
    assert (tmp_path / "a.pdf").read_bytes() == b"%PDF"
    code, _, err = run(f"strengthened --pdf {tmp_path}/b.pdf")
    assert code == 2 and "! Undefined." in err and "Emergency" not in err and not (tmp_path / "b.pdf").exists()


def test_the_sizes_of_the_localised_proof_are_those_that_it_states():
    """u ≤ α²/(500(R + α)), 4v ≤ α/4, g ≤ α/(5√(R + α)): what it adds is at most 0.68α then."""
    grid = product((1, 7, 10**6), (1.0, 0.3, 1e-2, 1e-6), (1.0, 1e-3, 1e-12), (0.0, 0.01, 1.0), (1e-3, 1.0, 10.0))
    added = []
    for d, alpha, beta, least, epsilon in grid:
        at = {"d": d, "alpha": alpha, "beta": beta, "R": least, "epsilon": epsilon, "delta": 1e-5}
        u, v, g, reached = (LOCALISED.number(name, **at) / alpha for name in ("u", "v", "g", "added"))
        assert u <= alpha / (500.0 * (least + alpha)) and 4.0 * v <= 0.25
        assert g <= (1.0 + 1e-12) / (5.0 * math.sqrt(least + alpha))
        added.append(reached)
    r = np.geomspace(1e-9, 1e9, 1001)  # R/alpha
    roots = 2.0 * (np.sqrt(r) + np.sqrt(r + 0.75)) / np.sqrt(500.0 * (1.0 + r))
    apart = 6.0 * r + 1.5 + 64.0 / (500.0 * (1.0 + r)) + 5.0 / 16.0
    proved = roots + 4.0 / (500.0 * (1.0 + r)) + np.sqrt(apart / (1.0 + r)) / 5.0
    assert 0.5 < max(added) <= proved.max() <= 0.68


def test_the_condition_on_epsilon_is_what_keeps_the_rate_of_21():
    """d = L = 1, α = 1/8, B = 1e8, ε = d + B, where (21) without its logarithms is 0.41: a search finds such points."""
    claim = next(claim for claim in paper.claims if claim.id.endswith("two-calls.rate"))
    wide = PRINTED_RATE.replace(given={"budget": ("epsilon <= d + B", "as the note once had it")})
    at = {"d": 1, "alpha": 0.125, "epsilon": 1e8 + 1.0, "L": 1.0, "B": 1e8}
    assert PRINTED_RATE.excluded(at) and not wide.excluded(at)
    sides = ("max(n_1, n_2)", "said")
    needed, said = (wide.number(side, **at) for side in sides)
    assert needed > 20.0 * said
    assert find_counterexample(replace(claim, formal=wide), seconds=60.0, seed=1129).found


@pytest.mark.slow
def test_the_ratios_that_a_search_reached_are_those_of_the_text():
    """20,000 points each, seed 1129: 0.81 and 0.86 for the sizes, 1.00 where a bound is attained, never above.

    The rate is nearest at an end where both of its conditions are equalities, which the search does not try.
    """
    said = {"two-calls": 0.81, "two-calls.laplace": 0.81, "two-calls.localised": 0.86, "mean-sharp": 1.0, "sharp": 1.0}
    end = dict.fromkeys(("d", "alpha", "epsilon", "L", "B"), 1)
    assert PRINTED_RATE.number("max(n_1, n_2)/said", **end) == pytest.approx(0.389, abs=0.001)
    for claim, (name, ratio) in product(paper.claims, said.items()):
        if claim.id.endswith(f".{name}"):
            result = find_counterexample(claim, seconds=60.0, seed=1129, evaluations=20_000, worst=True)
            assert not result.found and result.ratio == pytest.approx(ratio, abs=0.005), claim.id


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX here")
def test_a_pdf_is_written(run, tmp_path):
    assert run(f"strengthened --pdf {tmp_path}/a.pdf")[0] == 0 and (tmp_path / "a.pdf").stat().st_size > 50_000
