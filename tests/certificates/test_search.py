"""The search for counterexamples: what it finds, what it must not, and that only the checker makes a find."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from typing import Any

import dpbench_check
import numpy as np
import pytest

import dpbench
from dpbench import InvalidInput, find_counterexample
from dpbench.certificates import build
from dpbench.certificates.search import find, formula, shrink
from dpbench.certificates.search.audited import Audited
from dpbench.certificates.search.growth import order
from dpbench.certificates.search.optimise import climb
from dpbench.certificates.search.question import Question, event_margin, inequality, pair_event, pair_shift
from dpbench.certificates.search.space import Choice, Integer, Real, Space, vector
from dpbench.core.validation import MissingExtra
from dpbench.ledger import Claim
from dpbench.ledger.formula import gaussian_delta

NUMBERS = Space(
    "a number and a size",
    {"x": Real("a number", 0.01, 100.0), "n": Integer("a size", 1, 10**6)},
    conditions={"apart": ("x*n >= 1", "what the toy theorem asks for")},
)
WHY = ("Arithmetic.",)
SHIFTED = 0.5 * (math.erfc(0.5 / math.sqrt(2.0)) - math.e * math.erfc(1.5 / math.sqrt(2.0)))
TEXTBOOK = {"epsilon": Real("claimed", 0.01, 100.0), "delta": Choice("claimed", (Fraction(1, 10**5),))}


def searched(one: Claim, **options: Any) -> find.SearchResult:
    """What a search finds whose budget is of points: seconds would end it early on a slow machine."""
    return find_counterexample(one, **{"seconds": 3600.0} | options)


def claim(question: Any, kind: str = "inequality", **fields: Any) -> Claim:
    given: dict[str, Any] = {"expected": "not refuted", "run": lambda run: iter(()), **fields}
    return Claim(f"toy.a.{kind}", "toy", "nowhere", kind, "a toy claim", "because", space=question, **given)


FALSE = inequality(NUMBERS, "x^2/n", "10 + x", derivation=WHY)
TRUE = inequality(NUMBERS, "2*x", "x^2 + 1", derivation=WHY)


def test_a_counterexample_is_found_and_shrunk_and_accepted() -> None:
    found = searched(claim(FALSE))
    assert found.found and found.margin > 0.0 and found.first > 0
    assert found.instance == {"x": "4", "n": "1"}  # x^2 > 10 + x from 3.7 on: the shortest number and the least size
    assert dpbench_check.report_on(json.dumps(found.certificate))["accepted"]
    assert "counterexample" in str(found)


def test_nothing_is_accepted_of_a_true_claim_and_what_was_searched_is_said() -> None:
    found = searched(claim(TRUE), evaluations=4_000)
    assert not found.found and found.certificate is None
    assert found.ratio == pytest.approx(1.0, abs=1e-6) and float(Fraction(found.instance["x"])) == pytest.approx(1.0)
    assert found.evaluations > 1_000 and found.region == {"x": "[0.01, 100]", "n": "1..1000000"}
    assert "nothing found" in str(found) and "searched: x [0.01, 100]" in str(found) and "holds" not in str(found)


@pytest.mark.slow
def test_a_margin_that_lies_is_not_counted() -> None:
    lying = inequality(NUMBERS, "x", "x + 1", derivation=WHY, margin=lambda values: values["x"])
    found = searched(claim(lying))
    assert found.first > 0 and found.margin > 0.0  # the search says violated
    assert not found.found and found.certificate is None
    assert any("is false" in why for why in found.refused) and "not accepted by the checker" in str(found)


@pytest.mark.slow
def test_a_checker_that_refuses_all_leaves_no_find(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find, "report", lambda one: {"accepted": False, "because": "planted"})
    assert not searched(claim(FALSE)).found


def test_without_the_checker_the_search_names_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match="need their checker"):
        searched(claim(FALSE))


def test_the_same_seed_gives_the_same_result_and_another_one_other_points() -> None:
    def numbers(seed: int) -> dict[str, Any]:
        made = searched(claim(TRUE), evaluations=2_000, seed=seed).to_dict()
        return {name: value for name, value in made.items() if name != "seconds"}

    assert numbers(3) == numbers(3)
    assert numbers(3)["instance"] != numbers(4)["instance"] or numbers(3)["margin"] != numbers(4)["margin"]


def test_seconds_only_cut_the_same_sequence_short() -> None:
    def looked(seconds: float) -> list[tuple[float, ...]]:
        seen: list[tuple[float, ...]] = []

        def look(point: np.ndarray) -> tuple[float, float]:
            seen.append(tuple(point))
            return 0.0, -float(np.sum((point - 0.3) ** 2))

        climb(look, 2, evaluations=3_000, seconds=seconds, seed=1, threshold=1.0, worst=True)
        return seen

    whole, cut = looked(60.0), looked(0.01)
    assert len(cut) < len(whole) and whole[: len(cut)] == cut


def test_ctrl_c_keeps_the_best_so_far() -> None:
    calls = iter(range(10**6))

    def margin(values: Any) -> float:
        if next(calls) == 300:
            raise KeyboardInterrupt
        return -abs(math.log(values["x"] / 7.0)) - 1.0

    found = searched(claim(inequality(NUMBERS, "x", "x + 1", derivation=WHY, margin=margin)))
    assert found.cut == "interrupted" and found.evaluations >= 300 and "interrupted" in str(found)
    assert float(Fraction(found.instance["x"])) == pytest.approx(7.0, rel=0.2)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: find_counterexample("glm.nothing"), "must be ids or globs"),
        (lambda: find_counterexample("glm.thm4.floor"), "claim must be one with a space to search"),
        (lambda: find_counterexample(claim(None)), "claim must be one with a space to search"),
        (lambda: find_counterexample(claim("a space")), "space must be a question"),
        (lambda: find_counterexample(claim(FALSE), seconds=0), "seconds must be a finite number > 0, got 0"),
        (lambda: find_counterexample(claim(FALSE), evaluations=0), "evaluations must be"),
        (lambda: find_counterexample(3), "claim must be the id of a claim"),
        (lambda: Real("a", 2.0, 1.0), "finite, low below high"),
        (lambda: inequality(NUMBERS, "x + y", "1", derivation=WHY), "unknown: y"),
        (lambda: inequality(NUMBERS, "x + ", "1", derivation=WHY), "a formula must be"),
        (lambda: inequality(NUMBERS, "__import__('os')", "1", derivation=WHY), "a formula must be"),
        (lambda: inequality(NUMBERS, "x", "1", derivation=()), "derivation must be"),
        (lambda: inequality(NUMBERS, "x", "1", derivation=WHY, least="y"), "least must be"),
        (lambda: order(NUMBERS, "x", "1", scalable=("y",), derivation=WHY), "scalable must be"),
        (lambda: formula.comparison("x <= y <= z"), "a comparison such as"),
    ],
)
def test_bad_input_is_one_message(call: Any, message: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        call()
    assert message in str(caught.value) and "\n" not in str(caught.value)


def test_an_asymptotic_claim_falls_only_where_no_constant_lasts() -> None:
    grows = searched(claim(order(NUMBERS, "x", "sqrt(x)*n", scalable=("x", "n"), derivation=WHY)))
    assert grows.found and grows.asymptotic and grows.ratio >= 100.0 and grows.certificate["kind"] == "growth"
    # x/(1 + x) grows along every path up to 1: a constant lasts, and growth on a stretch alone is no counterexample
    lasts = order(NUMBERS, "x", "1 + x", scalable=("x",), derivation=WHY)
    assert not searched(claim(lasts), evaluations=4_000).found


def test_the_least_epsilon_at_which_a_calibration_fails() -> None:
    """The textbook's Gaussian noise, δ = 1e-5: the exact profile meets the claim up to ε of about 8.4."""
    space = Space("the textbook's noise", TEXTBOOK)
    made = pair_shift(
        space, "epsilon", "sqrt(2*log(5/4/delta))", derivation=WHY, least="epsilon",
    )  # fmt: skip
    found = searched(claim(made, "privacy"))
    least = float(Fraction(found.instance["epsilon"]))
    ratio = gaussian_delta(least / math.sqrt(2.0 * math.log(1.25e5)), least) / 1e-5
    below = gaussian_delta(0.97 * least / math.sqrt(2.0 * math.log(1.25e5)), 0.97 * least) / 1e-5
    assert found.found and below < 1.0 < ratio


def test_an_event_beyond_a_pure_claim() -> None:
    space = Space("a geometric ratio", {"epsilon": Real("claimed", 0.1, 5.0), "twice": Choice("factor", (1, 2))})
    made = pair_event(space, "1/2", "exp(-twice*epsilon)/2", delta="0", derivation=WHY)
    found = searched(claim(made, "privacy"))
    assert found.found and found.instance["twice"] == "2"
    assert event_margin(0.5, 0.5 * math.exp(-1.0), 1.0, 0.0) == pytest.approx(0.0)
    assert event_margin(0.6, 0.1, 1.0, 0.01) == pytest.approx(math.log((0.6 - 0.1 * math.e) / 0.01))


def test_vectors_are_ranged_over() -> None:
    space = Space("two signs", vector("v", 2, -1.0, 1.0, "a vector"))
    found = searched(claim(inequality(space, "abs(v_1 - v_2)", "3/2", derivation=WHY)))
    assert found.found
    gap = Fraction(found.instance["v_1"]) - Fraction(found.instance["v_2"])
    assert abs(gap) > Fraction(3, 2)


def test_shrinking_keeps_the_violation_and_never_leaves_the_space() -> None:
    start = {"x": Fraction(9876543, 100000), "n": Fraction(17)}
    shrinker = shrink.Shrinker(FALSE, shrink.KEEP)
    small = shrink.shrunk(FALSE, start, shrink.KEEP)
    assert shrinker.breaks(start) and shrinker.breaks(small) and NUMBERS.allows(small)
    assert small["n"] == 1 and small["x"].denominator == 1
    assert not shrinker.breaks({"x": Fraction(1000), "n": Fraction(1)})  # beyond the range
    assert not shrinker.breaks({"x": Fraction(50), "n": Fraction(3, 2)})  # no integer


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("-2^2 + 3*x", 2.0), ("2^-1 + x^(1/2)", 0.5 + math.sqrt(2.0)),
        ("sum(j, 1, 4, j*x^(j - 1))", 49.0),
        ("min(x, 1) + max(x, 3) - abs(-x)", 2.0), ("erfc(x/sqrt(2))/2", 0.0227501319481792),
        ("betatail(1/4, 2, 3)", 0.26171875), ("gammatail(1, x)", math.exp(-2.0)), ("exp(log(x))/pi", 2.0 / math.pi),
        ("gaussian_delta(1, 1)", SHIFTED), ("laplace_delta(x, 1)", 1.0 - math.exp(-0.5)),
    ],
)  # fmt: skip
def test_formulas_in_floats_agree_with_known_values_and_with_the_checker(text: str, value: float) -> None:
    (found,) = formula.program(("x",), {}, [text])({"x": 2.0})
    scope = dpbench_check.Scope({"x": dpbench_check.fmpq(2)}, {"pi": ("pi",)})
    exact = dpbench_check.evaluate(dpbench_check.parse(text), scope)
    assert found == pytest.approx(value, rel=1e-9) and found == pytest.approx(_number(exact), rel=1e-12)


def _number(value: Any) -> float:
    return float(value.p) / float(value.q) if isinstance(value, dpbench_check.fmpq) else float(value.mid())


def test_what_a_space_draws_lies_within_it() -> None:
    rng = np.random.default_rng(5)
    for parameter in (Real("a", 1e-6, 1e6), Real("b", -2.0, 3.0), Integer("c", 3, 10**9), Choice("d", (1, 2, 5))):
        drawn = [parameter.at(float(u)) for u in (0.0, 1.0, *rng.random(200))]
        assert all(parameter.allows(Fraction(v)) or math.isclose(v, 1e-6) for v in drawn)
    assert Integer("c", 3, 10**9).at(0.0) == 3.0 and Integer("c", 3, 10**9).at(1.0) == 1e9


def leaky(data: np.ndarray, trials: int, rng: np.random.Generator) -> np.ndarray:
    return 3.0 * float(np.clip(data, 0.0, 1.0).sum()) + rng.laplace(size=trials)


def honest(data: np.ndarray, trials: int, rng: np.random.Generator) -> np.ndarray:
    return leaky(data, trials, rng) + rng.laplace(scale=3.0, size=trials)


@pytest.mark.slow
def test_a_mechanism_under_audit_counts_only_on_fresh_runs() -> None:
    sizes = {"epsilon": 1.0, "trials": 4_000, "search_trials": 100, "mutations": 0}
    made = Audited(leaky, {"records": 2}, **sizes)
    found = searched(claim(made, "privacy"))
    assert found.found and found.audit is not None and found.audit["verdict"] == "refuted" and found.margin > 0.0
    assert found.certificate is None and "counterexample, audit: refuted" in str(found)
    json.dumps(found.to_dict(), allow_nan=False)
    kept = Audited(honest, {"records": 2}, **sizes)
    assert not searched(claim(kept, "privacy")).found


def test_the_public_name_is_the_function() -> None:
    assert dpbench.find_counterexample is find_counterexample
    assert isinstance(FALSE, Question)
