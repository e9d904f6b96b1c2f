"""Ties: mechanisms that sit exactly on their bound are never refuted, and decided where their laws are formulas."""

import math
from collections import Counter
from fractions import Fraction

import pytest

from dpbench.core.validation import InvalidInput
from dpbench.ledger import Paper
from dpbench.ledger.measurement import inequality_verdict, privacy_verdict
from dpbench.ledger.verify import verify
from dpbench.privacy.discrete import pair, pair_from_logs
from dpbench.privacy.exact_law import quantity
from dpbench.privacy.profile import discrete_profile, laplace_profile, pure_profile

EPSILONS = [k / 100 for k in range(1, 301)]
ROUNDED = 4  # outcomes on either side of 0 of the discrete Laplace law, the rest at its ends


def randomised_response(e):
    p = math.exp(e) / (1.0 + math.exp(e))
    return [p, 1.0 - p], [1.0 - p, p]


def exponential(e):
    """Scores that one record moves by 1, apart and back: the bound is approached, and is not reached."""
    laws = []
    for scores in ((0, 1, 1, 1), (1, 0, 0, 0)):
        weights = [math.exp(-e * q / 2.0) for q in scores]
        laws.append([w / sum(weights) for w in weights])
    return laws[0], laws[1]


def permute_and_flip(e):
    """Two candidates 2 apart in score against two alike: what the worse one is chosen with falls by e^ε exactly."""
    f = math.exp(-e * 2.0 / 2.0)
    return [0.5, 0.5], [1.0 - f / 2.0, f / 2.0]


def discrete_laplace(e):
    a = math.exp(-e)
    laws = []
    for centre in (0, 1):
        inner = [(1.0 - a) / (1.0 + a) * a ** abs(k - centre) for k in range(1 - ROUNDED, ROUNDED)]
        ends = [a ** (ROUNDED + centre) / (1.0 + a), a ** (ROUNDED - centre) / (1.0 + a)]
        laws.append([ends[0], *inner, ends[1]])
    return laws[0], laws[1]


def _laplace_formulas(centre):
    inner = [f"(1 - exp(-e))/(1 + exp(-e))*exp(-e)^{abs(k - centre)}" for k in range(1 - ROUNDED, ROUNDED)]
    ends = [f"exp(-e)^{ROUNDED + centre}/(1 + exp(-e))", f"exp(-e)^{ROUNDED - centre}/(1 + exp(-e))"]
    return [ends[0], *inner, ends[1]]


FLOATS = {
    "randomised response": randomised_response,
    "exponential": exponential,
    "permute-and-flip": permute_and_flip,
    "discrete Laplace": discrete_laplace,
}
FORMULAS = {
    "randomised response": (["exp(e)/(1 + exp(e))", "1/(1 + exp(e))"], ["1/(1 + exp(e))", "rest"]),
    "exponential": (
        ["1/(1 + 3*exp(-e/2))", *["exp(-e/2)/(1 + 3*exp(-e/2))"] * 3],
        ["exp(-e/2)/(3 + exp(-e/2))", *["1/(3 + exp(-e/2))"] * 3],
    ),
    "permute-and-flip": (["1/2", "1/2"], ["1 - exp(-e*2/2)/2", "exp(-e*2/2)/2"]),
    "discrete Laplace": (_laplace_formulas(0), _laplace_formulas(1)),
}


def _profile(name, e, formulas):
    made = pair(*FORMULAS[name], {"e": e}) if formulas else pair(*FLOATS[name](e))
    return discrete_profile(made, why="exact law")


@pytest.mark.slow
@pytest.mark.parametrize("name", FLOATS)
def test_true_pure_privacy_is_within_as_formulas_and_never_beyond_as_floats(name):
    """At 300 values of ε, as the profile of a pair and as a guarantee."""
    exactly, rounded = Counter(), Counter()
    for e in EPSILONS:
        formula, floats = _profile(name, e, True), _profile(name, e, False)
        exactly[formula.place(e, 0.0), privacy_verdict([(e, 0.0)], guarantees=[formula])] += 1
        exactly[privacy_verdict([(e, 0.0)], pairs=[formula])] += 1
        rounded[privacy_verdict([(e, 0.0)], pairs=[floats])] += 1
        rounded[privacy_verdict([(e, 0.0)], guarantees=[floats])] += 1
    assert exactly == {("within", "proved"): 300, "not refuted": 300}
    assert rounded["refuted"] == 0
    if name != "exponential":  # whose bound is not reached
        assert rounded["undecided"] == 600


@pytest.mark.parametrize("name", ["randomised response", "permute-and-flip", "discrete Laplace"])
def test_a_claim_too_small_by_a_billionth_is_refuted(name):
    """The planted failure: the same laws against ε (1 − 10^−9), as formulas and as floats."""
    for e in EPSILONS[::30]:
        for formulas in (True, False):
            assert privacy_verdict([(e * (1.0 - 1e-9), 0.0)], pairs=[_profile(name, e, formulas)]) == "refuted"


def test_formulas_tell_apart_what_no_float_does():
    law = discrete_profile(pair([Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]), why="")
    assert law.place("log(3)", 0) == "within"
    assert law.place("log(3) - 1/10^40", 0) == "beyond"
    assert law.place("log(3) - 1/10^40", "1/10^40") == "within"
    assert law.place(0, "1/2") == "within"
    assert law.place(0, "1/2 - 1/10^50") == "beyond"
    assert law.place(math.nextafter(math.log(3.0), 0.0), 0.0) != "beyond"  # it may stand for log 3


def test_profiles_of_floats_at_their_own_level():
    """Levels that are quotients of floats: an ulp above the claim decides nothing, a millionth does."""
    for made in (pure_profile, laplace_profile):
        profile = made(1.0 + 2.0**-52, kind="exact", why="")
        assert profile.place(1.0, 0.0) == "undecided"
        assert profile.place(1.0 - 1e-6, 0.0) == "beyond"
        assert profile.place(1.0 + 1e-6, 0.0) == "within"
    assert pure_profile(1.0, why="upper").place(1.0, 0.0) == "within"


def test_small_masses_keep_their_relative_accuracy():
    """In logarithms a δ of 1e-30 is decided to a part in 1e9."""
    logs = [math.log1p(-1e-30), math.log(1e-30)], [math.log1p(-1e-40), math.log(1e-40)]
    profile = discrete_profile(pair_from_logs(*logs), why="")
    true = profile.delta(1.0)
    assert profile.place(1.0, true * (1.0 - 1e-8)) == "beyond"
    assert profile.place(1.0, true * (1.0 + 1e-8)) == "within"


@pytest.mark.parametrize(
    ("text", "value"),
    [("2^10/3", 1024 / 3), ("0.25", 0.25), ("1e-3", 1e-3), ("-2^2", -4.0), ("sqrt(2)*exp(1)", math.sqrt(2) * math.e),
     ("sum(i, 1, 3, i*exp(0))", 6.0), ("max(1, 2) + min(1, 2)", 3.0), ("abs(1 - 3)", 2.0), ("pi", math.pi),
     ("exp(log(7))", 7.0), ("2^(-2)", 0.25), ("erfc(1)", math.erfc(1.0))],
)  # fmt: skip
def test_formulas_mean_what_they_say(text, value):
    assert float(quantity("x", text)) == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize(
    ("p", "q", "message"),
    [(["1/2", "1/3"], ["1/2", "1/2"], "p must be probabilities that sum to 1"),
     (["3/2", "rest"], ["1/2", "1/2"], r"p\[1\] must be a probability >= 0"),
     (["1/2", "x"], ["1/2", "1/2"], r"p\[1\] must be a formula"),
     (["1/2", "1/0"], ["1/2", "1/2"], r"p\[1\] must be a formula"),
     (["1/2", "open('x')"], ["1/2", "1/2"], r"p\[1\] must be a formula"),
     (["1/2", "1/2"], ["1"], "q must be a law of 2 outcomes")],
)  # fmt: skip
def test_laws_that_are_none_are_refused(p, q, message):
    with pytest.raises(InvalidInput, match=message):
        pair(p, q)


def test_ties_of_an_inequality():
    assert inequality_verdict(0.0) == inequality_verdict(0.3) == "not refuted" != inequality_verdict(-1e-12)
    assert inequality_verdict(0.0, undecided=1) == "undecided"
    assert inequality_verdict(-0.1, undecided=1) == "refuted"
    paper = Paper("ties")

    def rows(*pairs, **said):
        def measure(run):
            for left, right in pairs:
                yield {"left": left, "right": right}

        return measure

    said = {"source": "s", "statement": "left <= right", "expected": "not refuted", "because": "b"}
    cases = {
        "floats": ([(0.1 + 0.2, 0.3)], "undecided"),
        "formulas": ([("1/10 + 2/10", "3/10")], "not refuted"),
        "above": ([("1/10 + 2/10 + 1/10^30", "3/10")], "refuted"),
        "mixed": ([(0.1 + 0.2, 0.3), (2.0, 1.0)], "refuted"),
        "apart": ([(1.0, 2.0), (Fraction(1, 3), Fraction(1, 3))], "not refuted"),
    }
    for name, (pairs, _) in cases.items():
        paper.inequality(name, **said)(rows(*pairs))
    found = {entry.claim.id.split(".")[1]: entry.verdict for entry in verify(paper).entries}
    assert found == {name: verdict for name, (_, verdict) in cases.items()}
