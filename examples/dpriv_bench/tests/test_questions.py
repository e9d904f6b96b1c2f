"""DPriv-Bench: sensitivities beside a slow twin, laws beside quadrature, planted errors, and the committed verdicts."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from dpriv_bench import mechanisms
from dpriv_bench import questions as bench
from dpriv_bench.functions import FUNCTIONS
from dpriv_bench.mechanisms import MECHANISMS
from dpriv_bench.read import CLAIMS, formula, read, value
from naive_sensitivity import FUNCTIONS as TWINS
from naive_sensitivity import largest_change
from scipy import integrate, stats

from dpbench.certificates.build import report
from dpbench.core.validation import InvalidInput

ROWS = json.loads(CLAIMS.read_text(encoding="utf-8"))
EVIDENCE = Path(__file__).resolve().parents[1] / "evidence" / "functions.json"
GRIDS = {1: 21, 2: 21, 3: 11, 4: 5, 5: 5}
SELECTIONS = [topic for topic in MECHANISMS if topic.startswith("selection")]
ADDITIVE = [topic for topic in MECHANISMS if topic not in SELECTIONS]


def claimed(number: int, n: int, text: str = "") -> float:
    function = FUNCTIONS[number]
    return float(bench.sensitivity_at(text or function.sensitivity, n, function.parameters).mid())


def row(topic: str, number: int) -> dict:
    return next(one for one in ROWS if (one["topic"], one["number"]) == (topic, number))


def verdict(one: dict, sensitivity: str = "") -> str:
    function = FUNCTIONS[one["function"]]
    return bench.verdict_of(
        MECHANISMS[one["topic"]], sensitivity or function.sensitivity, one["scale"], function, seconds=1.0
    )[0]


@pytest.mark.parametrize("number", FUNCTIONS)
def test_the_largest_change_on_a_grid_is_the_sensitivity_where_it_is_attained(number: int) -> None:
    for n, points in GRIDS.items():
        found = largest_change(TWINS[number], n, np.linspace(0, 1, points))
        assert found <= claimed(number, n) + 1e-12
        assert (abs(found - claimed(number, n)) < 1e-12) == (FUNCTIONS[number].sizes(n) or claimed(number, n) == 0)


@pytest.mark.parametrize(
    ("number", "wrong"),
    [(7, "1"), (8, "(n - 1)/n"), (17, "1"), (26, "n - 2"), (28, "2*n - 2"), (36, "1"), (41, "1/n"), (48, "log(delta)")],
)
def test_a_planted_smaller_sensitivity_is_exceeded_on_the_grid(number: int, wrong: str) -> None:
    found = largest_change(TWINS[number], 3, np.linspace(0, 1, GRIDS[3]))
    assert found > claimed(number, 3, wrong) + 1e-3


@pytest.mark.parametrize(("number", "wrong"), [(9, "1"), (16, "2"), (37, "1"), (42, "1"), (45, "n")])
def test_a_planted_larger_sensitivity_has_no_pair(number: int, wrong: str) -> None:
    function = replace(FUNCTIONS[number], sensitivity=wrong)
    mechanism = MECHANISMS["laplace_mechanism"]
    scale = row("laplace_mechanism", 2 * number)["scale"]
    found = bench.judged(mechanism.pair(wrong, scale, {}, bench.SHOWN_AT), 1.0)
    with pytest.raises(InvalidInput, match="the pair must be neighbours"):
        bench.counterexample(function, mechanism, found)


@pytest.mark.parametrize("number", FUNCTIONS)
def test_pairs_are_neighbours_of_records_between_0_and_1(number: int) -> None:
    for n in (bench.SHOWN_AT, 5, 7):
        if FUNCTIONS[number].sizes(n):
            first, second = FUNCTIONS[number].pair(n)
            assert len(first) == len(second) == n and sum(a != b for a, b in zip(first, second, strict=True)) == 1
            assert all(isinstance(one, Fraction) and 0 <= one <= 1 for one in (*first, *second))
    assert FUNCTIONS[number].sizes(bench.SHOWN_AT)


def test_every_definition_of_quartiles_has_sensitivity_1() -> None:
    """The nine of Hyndman and Fan 1996, by NumPy: data sets of zeros and ones, up to eight records."""
    methods = ("inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf", "hazen",
               "weibull", "linear", "median_unbiased", "normal_unbiased")  # fmt: skip
    for method in methods:
        ranges = {(n, ones): float(np.subtract(*np.quantile([0.0] * (n - ones) + [1.0] * ones, [0.75, 0.25],
                                                            method=method)))
                  for n in range(2, 9) for ones in range(n + 1)}  # fmt: skip
        steps = [abs(ranges[n, k] - ranges[n, k + 1]) for n, k in ranges if (n, k + 1) in ranges]
        assert max(steps) == pytest.approx(1.0), method


LAWS = (
    (mechanisms.gumbel_three, stats.gumbel_r, 2),
    (mechanisms.laplace_three, stats.laplace, 2),
    (mechanisms.exponential_two, stats.expon, 1),
)


def _wins(noise, others: int, ahead: float) -> float:
    """The chance that a score wins which is `ahead` of `others` equal ones, by quadrature."""
    low, high = float(noise.ppf(1e-15)), float(noise.isf(1e-15))
    kinks = sorted({min(max(one, low), high) for one in (0.0, -ahead)})
    return integrate.quad(lambda z: noise.pdf(z) * noise.cdf(z + ahead) ** others, low, high, points=kinks,
                          epsabs=1e-12, limit=500)[0]  # fmt: skip


@pytest.mark.parametrize(("laws", "noise", "others"), LAWS)
@pytest.mark.parametrize("h", [0.01, 0.3, 1.0, 2.5])
def test_laws_of_the_selection_beside_quadrature(laws, noise, others: int, h: float) -> None:
    above, below = (value(text, {"h": h}) for text in laws("h"))
    assert above == pytest.approx(_wins(noise, others, h), rel=1e-7)
    assert below == pytest.approx(_wins(noise, others, -h), rel=1e-7)
    assert above <= np.exp(2 * h) * below * (1 + 1e-12)


@pytest.mark.parametrize(("laws", "noise", "others"), LAWS)
def test_a_factor_of_two_is_needed_with_many_columns(laws, noise, others: int) -> None:
    """With a thousand columns the pair's loss is within 5% of twice the shift: no smaller constant will do."""
    loss = np.log(_wins(noise, 1000, 0.5) / _wins(noise, 1000, -0.5))
    assert 0.95 < loss <= 1.0 + 1e-6


def _contradicted(mechanism, topic: str) -> bool:
    """A rule that proves a claim, a pair of which the checker refutes, at one of the printed scales of number 1."""
    for one in (row(topic, 1), row(topic, 2)):
        whole = bench.judged(mechanism.claim("1", one["scale"], {}, 1), 1.0).verdict
        pair = bench.judged(mechanism.pair("1", one["scale"], {}, 5), 1.0).verdict
        if (whole, pair) == ("proved", "refuted"):
            return True
    return False


WRONG = {
    "laplace_mechanism": ("D/(2*t)", "epsilon"),
    "gaussian_mechanism_GDP": ("D^2/(2*t)", "beta^2"),
    "gaussian_mechanism_zCDP": ("D^2/(4*t)", "rho"),
    "selection_mechanism_expoMech_pureDP": ("D/t", "epsilon"),
    "selection_mechanism_LaplaceRNM_pureDP": ("D/t", "epsilon"),
    "selection_mechanism_PF_pureDP": ("D*t", "epsilon"),
}


@pytest.mark.parametrize("topic", MECHANISMS)
def test_a_planted_rule_of_a_mechanism_is_contradicted_by_a_pair(topic: str) -> None:
    assert not _contradicted(MECHANISMS[topic], topic)
    assert _contradicted(replace(MECHANISMS[topic], holds=WRONG[topic]), topic)


@pytest.mark.parametrize("topic", MECHANISMS)
def test_verdicts_follow_the_scale_and_not_the_number(topic: str) -> None:
    """What holds fails with less noise, what fails holds with more; of selection the pair shows 3/5 of the noise."""
    less, more = ("0.99", "2.02") if topic in ADDITIVE else ("3/5", "2.02")
    if topic.endswith("PF_pureDP"):
        less, more = "5/3", "1/2.02"
    tight, half = (dict(row(topic, number)) for number in (1, 2))
    assert (verdict(tight), verdict(half)) == ("holds", "fails")
    assert verdict(tight | {"number": 2, "scale": f"{less}*({tight['scale']})"}) == "fails"
    assert verdict(half | {"number": 1, "scale": f"{more}*({half['scale']})"}) == "holds"
    assert verdict(tight, sensitivity="2") == "fails"


def test_printed_scales_are_read_in_both_ways() -> None:
    at = {"n": 4.0, "epsilon": 0.5, "delta": 2.0, "rho": 3.0}
    for latex, number in ((r"2\cdotn-1/(\varepsilon)", 6.0), (r"\frac{2(n-1)}{n}\cdot\frac{1}{2\varepsilon}", 1.5),
                          (r"(\sqrt{2})^{2}\cdot\frac{1}{2\rho}", 1 / 3), (r"\log(1+\delta)", np.log(3)),
                          (r"(1-e^{-1})", 1 - np.exp(-1)), (r"e-1", np.e - 1)):  # fmt: skip
        assert value(formula(latex), at) == pytest.approx(number)
    one = {"topic": "t", "question_id": 1, "function_id": 1,
           "claim": {"scale": r"n-1\cdot\frac{1}{\varepsilon}", "factor": "n-1",
                     "scale_form": r"{factor}\cdot\frac{1}{\varepsilon}"}}  # fmt: skip
    (made,) = read([one])
    assert value(made["scale"], at) == 6.0 and value(made["printed"], at) == 2.0
    for bad in (r"\gamma", "1+", r"\frac{1}", "(1", "1)", "f(x)#"):
        with pytest.raises(InvalidInput, match="the printed scale must be LaTeX"):
            formula(bad)


def test_the_committed_verdicts_are_of_every_question_and_come_out_again() -> None:
    evidence = json.loads(EVIDENCE.read_text(encoding="utf-8"))
    kept = {(one["topic"], one["number"]): one for one in evidence["rows"]}
    assert len(kept) == len(ROWS) == 588 and {one["verdict"] for one in kept.values()} == {"holds", "fails"}
    assert evidence["gumbel_hazard"] == "proved"
    assert all(part["verdict"] == "proved" for one in evidence["functions"] for part in one["lemmas"])
    for claim in ROWS[:: 588 // 24]:
        made, certificate = bench.question(claim, seconds=3.0)
        there = kept[claim["topic"], claim["number"]]
        assert {**made, "counterexample": None} == {**there, "counterexample": None}
        assert (made["counterexample"] is None) == (there["counterexample"] is None) == (certificate is None)
        if certificate is not None:
            assert report(certificate)["accepted"]


def test_labels_are_compared_and_a_planted_difference_is_listed(tmp_path: Path, capsys) -> None:
    evidence = tmp_path / "evidence.json"
    evidence.write_text(EVIDENCE.read_text(encoding="utf-8"), encoding="utf-8")
    rows = json.loads(evidence.read_text(encoding="utf-8"))["rows"]
    labels = {f"{one['topic']}:{one['number']}": int(one["verdict"] == "holds") for one in rows}
    labels["laplace_mechanism:30"] = 1
    file = tmp_path / "labels.json"
    file.write_text(json.dumps(labels), encoding="utf-8")
    assert bench.main(["--json", str(evidence), "--labels", str(file)]) == 0
    agreement = json.loads(evidence.read_text(encoding="utf-8"))["agreement"]["topics"]
    assert agreement["laplace_mechanism"] == {"agree": 97, "differ": [30]}
    assert "97 of 98 labels agree, these differ: [30]" in capsys.readouterr().out
    file.write_text(json.dumps({**labels, "laplace_mechanism:30": 2}), encoding="utf-8")
    assert bench.main(["--json", str(evidence), "--labels", str(file)]) == 2
    assert "the label of laplace_mechanism:30 must be 0 or 1, got 2" in capsys.readouterr().err
    assert bench.main(["--json", str(tmp_path / "nothing.json"), "--labels", str(file)]) == 2
