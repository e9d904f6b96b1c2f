"""The search for counterexamples: what it finds, what it must not, and that only the checker makes a find."""

import math
from fractions import Fraction

import numpy as np
import pytest
from whole_certificates import report

from dpbench import InvalidInput, find_counterexample
from dpbench.certificates.clock import Clock
from dpbench.certificates.search import find, shrink
from dpbench.certificates.search.growth import STEPS
from dpbench.certificates.search.optimise import climb
from dpbench.certificates.search.question import Parameter, Question, chosen
from dpbench.ledger import Claim
from dpbench.ledger.formula import gaussian_delta
from dpbench.ledger.statement import Integer, Real, Statement, event, gaussian, inequality, order

NUMBERS = {"x": Real("a number", "1/100", 100), "n": Integer("a size", 1, 10**6)}


def stated(what, symbols=NUMBERS, **parts):
    given = {"apart": ("x*n >= 1", "what the toy theorem asks for")} if symbols is NUMBERS else {}
    return Statement("{claim}", symbols, what, given=given, steps=("Arithmetic.",), **parts)


def searched(one, **options):
    """What a search finds whose budget is of points: seconds would end it early on a slow machine."""
    return find_counterexample(one, **{"seconds": 3600.0} | options)


def claim(statement, kind="inequality", **fields):
    given = {"expected": "not refuted", "run": lambda run: iter(()), **fields}
    return Claim(f"toy.a.{kind}", "toy", "nowhere", kind, "a toy claim", "because", formal=statement, **given)


FALSE = stated(inequality("x^2/n", "<=", "10 + x"))
TRUE = stated(inequality("2*x", "<=", "x^2 + 1"))


def test_a_counterexample_is_found_and_shrunk_and_accepted():
    found = searched(claim(FALSE))
    assert found.found and found.margin > 0.0
    assert found.instance == {"x": "4", "n": "1"}  # x^2 > 10 + x from 3.7 on: the shortest number and the least size
    assert report(found.certificate)["accepted"]
    assert "counterexample" in str(found)


def test_nothing_is_accepted_of_a_true_claim_and_what_was_searched_is_said():
    found = searched(claim(TRUE), evaluations=4_000)
    assert not found.found and found.certificate is None
    assert found.ratio == pytest.approx(1.0, abs=1e-6) and float(Fraction(found.instance["x"])) == pytest.approx(1.0)
    assert found.evaluations > 1_000 and found.region == {"x": "[0.01, 100]", "n": "1..1000000"}
    assert "nothing found" in str(found) and "searched: x [0.01, 100]" in str(found) and "holds" not in str(found)


@pytest.mark.parametrize("evaluations", [1, 4, 40, 700])
def test_no_more_points_are_looked_at_than_asked_for(evaluations):
    """Of few points there is no evolution of a population; the nearest is said of any number."""
    found = searched(claim(TRUE), evaluations=evaluations)
    assert 1 <= found.evaluations <= evaluations and found.admissible <= found.evaluations
    assert len(found.instance) == 2 * (found.admissible > 0)


@pytest.mark.slow
def test_a_margin_that_lies_is_not_counted(monkeypatch):
    """Planted: a search to which x <= x + 1 is violated everywhere."""
    monkeypatch.setattr(Question, "look", lambda asked, values: (0.0, float(values["x"])))
    monkeypatch.setattr(Question, "surely", lambda asked, exact: (0.0, float(exact["x"])))
    found = searched(claim(stated(inequality("x", "<=", "x + 1"), {"x": NUMBERS["x"]})), evaluations=2_000)
    assert found.margin > 0.0  # the search says violated
    assert not found.found and found.certificate is None
    assert any("is false" in why for why in found.refused) and "not accepted by the checker" in str(found)


def test_a_violation_of_rounding_is_a_phantom_and_the_search_goes_on():
    """Near 0 (1 - cos) cancels in floats; balls show that nothing is violated there, and find what is violated."""
    tiny = {"x": Real("a number", "1e-12", 1)}
    kept = searched(claim(stated(inequality("(exp(x) - 1 - x)/x^2", "<=", "exp(x)/2"), tiny)), evaluations=3_000)
    assert not kept.found and kept.phantoms > 0 and "phantoms of rounding excluded" in str(kept)
    broken = searched(claim(stated(inequality("(exp(x) - 1 - x)/x^2", "<=", "7/10"), tiny)), evaluations=6_000)
    assert broken.found and float(Fraction(broken.instance["x"])) > 0.5


def test_the_same_seed_gives_the_same_result_and_another_one_other_points():
    def numbers(seed):
        made = searched(claim(TRUE), evaluations=2_000, seed=seed).to_dict()
        return {name: value for name, value in made.items() if name != "seconds"}

    assert numbers(3) == numbers(3)
    assert numbers(3)["instance"] != numbers(4)["instance"] or numbers(3)["margin"] != numbers(4)["margin"]


def test_seconds_only_cut_the_same_sequence_short():
    def looked(seconds):
        seen = []

        def look(point):
            seen.append(tuple(point))
            return 0.0, -float(np.sum((point - 0.3) ** 2))

        climb(look, 2, evaluations=3_000, clock=Clock(seconds), seed=1, threshold=1.0, worst=True)
        return seen

    whole, cut = looked(60.0), looked(0.01)
    assert len(cut) < len(whole) and whole[: len(cut)] == cut


def test_ctrl_c_keeps_the_best_so_far(monkeypatch):
    calls = iter(range(10**6))

    def look(asked, values):
        if next(calls) == 300:
            raise KeyboardInterrupt
        return 0.0, -abs(math.log(values["x"] / 7.0)) - 1.0

    monkeypatch.setattr(Question, "look", look)
    found = searched(claim(TRUE))
    assert found.cut == "interrupted" and found.evaluations >= 300 and "interrupted" in str(found)
    assert float(Fraction(found.instance["x"])) == pytest.approx(7.0, rel=0.2)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: find_counterexample("glm.nothing"), "must be ids or globs"),
        (lambda: find_counterexample("glm.lemma9*"), "claim must be the id of one claim"),
        (lambda: find_counterexample("glm.thm4.floor"), "claim must be one with a statement to search"),
        (lambda: find_counterexample(claim(None)), "claim must be one with a statement to search"),
        (lambda: find_counterexample(claim(FALSE), seconds=0), "seconds must be a finite number > 0, got 0"),
        (lambda: find_counterexample(claim(FALSE), evaluations=0), "evaluations must be"),
        (lambda: find_counterexample(3), "claim must be the id of a claim"),
        (lambda: stated(inequality("x + y", "<=", "1")), "unknown: y"),
        (lambda: stated(inequality("x + ", "<=", "1")), "a formula must be"),
        (lambda: stated(inequality("__import__('os')", "<=", "1")), "a formula must be"),
        (lambda: find_counterexample(claim(stated(order("x", variable="y")))), "claim.order.in must be"),
    ],
)
def test_bad_input_is_one_message(call, message):
    with pytest.raises(InvalidInput) as caught:
        call()
    assert message in str(caught.value) and "\n" not in str(caught.value)


def test_an_asymptotic_claim_falls_only_where_no_constant_lasts():
    grows = searched(claim(stated(order("x", to="sqrt(x)/n", variable="x"))))
    assert grows.found and grows.asymptotic and grows.ratio >= 100.0
    at = {name: float(Fraction(value)) for name, value in grows.instance.items()}
    end = at["x"] * 2.0 ** (at["power_x"] * (at["first"] + STEPS))
    assert grows.ratio == pytest.approx(math.sqrt(end) * at["n"])
    assert grows.certificate is not None and grows.certificate["kind"] == "growth"
    # x/(1 + x) grows along every path up to 1: a constant lasts, and growth on a stretch alone is no counterexample
    assert not searched(claim(stated(order("x", to="1 + x", variable="x"))), evaluations=4_000).found


def test_the_least_epsilon_at_which_a_calibration_fails():
    """The textbook's Gaussian noise, δ = 1e-5: the exact profile meets the claim up to ε of about 8.4."""
    symbols = {"epsilon": Real("claimed", "1/100", 100), "delta": Real("claimed", "1e-5", "1e-5")}
    found = searched(claim(stated(gaussian(shift="epsilon", scale="sqrt(2*log(5/4/delta))"), symbols), "privacy"))
    least = float(Fraction(found.instance["epsilon"]))
    ratio = gaussian_delta(least / math.sqrt(2.0 * math.log(1.25e5)), least) / 1e-5
    below = gaussian_delta(0.97 * least / math.sqrt(2.0 * math.log(1.25e5)), 0.97 * least) / 1e-5
    assert found.found and below < 1.0 < ratio and found.ratio == pytest.approx(ratio)


@pytest.mark.parametrize("delta", ["0", "1/100"])
def test_an_event_beyond_a_claim(delta):
    symbols = {"epsilon": Real("claimed", "1/10", 5), "twice": Integer("factor", 1, 2)}
    made = event(p="1/2", q="exp(-twice*epsilon)/2", epsilon="epsilon", delta=delta)
    found = searched(claim(stated(made, symbols), "privacy"))
    assert found.found and found.instance["twice"] == "2"
    if delta != "0":
        beyond = 0.5 * (1.0 - math.exp(-float(Fraction(found.instance["epsilon"]))))
        assert found.ratio == pytest.approx(100.0 * beyond)


def test_shrinking_keeps_the_violation_and_never_leaves_the_ranges():
    asked = find.question_of(claim(FALSE))
    start = {"x": Fraction(9876543, 100000), "n": Fraction(17)}
    shrinker = shrink.Shrinker(asked, shrink.KEEP)
    small = shrink.shrunk(asked, start, shrink.KEEP)
    assert shrinker.breaks(start) and shrinker.breaks(small) and asked.allows(small)
    assert small["n"] == 1 and small["x"].denominator == 1
    assert not shrinker.breaks({"x": Fraction(1000), "n": Fraction(1)})  # beyond the range
    assert not shrinker.breaks({"x": Fraction(50), "n": Fraction(3, 2)})  # no integer
    assert shrink.shrunk(asked, start, shrink.KEEP, Clock(-1.0)) == start  # without time it is left as it is


def test_what_a_parameter_draws_lies_within_it():
    rng = np.random.default_rng(5)
    for low, high, whole in (("1/3000000", 10**6, False), (-2, 3, False), (3, 10**9, True)):
        one = Parameter("a", Fraction(low), Fraction(high), whole)
        drawn = [one.at(float(u)) for u in (0.0, 1.0, *rng.random(200))]
        assert all(one.allows(one.near(v, digits)) for v in drawn for digits in (0, 1, 6))
        assert all(abs(float(one.near(v)) - v) <= 1e-12 * abs(v) for v in drawn)
    some = chosen("d", (1, 2, 5))
    assert some.region == "{1, 2, 5}"
    assert {some.near(some.at(float(u))) for u in rng.random(50)} == {1, 2, 5} and not some.allows(Fraction(3))
    count = Parameter("c", Fraction(3), Fraction(10**9), whole=True)
    assert count.at(0.0) == 3.0 and count.at(1.0) == 1e9
