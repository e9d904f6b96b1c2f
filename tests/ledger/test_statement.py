"""`Statement`: one record; its text, LaTeX and numbers follow, and what is not declared is refused."""

import math
import pickle
import re

import pytest

from dpbench.core.validation import InvalidInput
from dpbench.ledger.statement import (
    Integer,
    Real,
    Statement,
    calibrated,
    compose,
    discrete,
    event,
    gaussian,
    inequality,
    laplace,
    loss,
    mixture,
    order,
    profile,
    rate,
)
from dpbench.privacy import gaussian as exactly

PRINTED = Statement(
    about="Noise {sigma} is {claim}.",
    symbols={"n": Integer("records", 3, 10**6), "epsilon": Real("claimed", "1/100", 100),
             "delta": Real("claimed", "1e-10", "1/10")},
    where={"sigma": "sqrt(2*log(1.25/delta))/(n*epsilon)", "distance": "1/n"},
    given={"small": ("epsilon <= 1", "where it is stated")},
    claim=gaussian(shift="distance", scale="sigma"),
)  # fmt: skip


def test_the_sentence_and_the_formulas():
    assert PRINTED.sentence == "Noise sigma = sqrt(2*log((5/4)/delta))/(n*epsilon) is (epsilon, delta)-DP."
    assert "integers n in [3, 1000000]" in PRINTED.text and "where epsilon <= 1" in PRINTED.text


def test_the_numbers():
    made = PRINTED.compiled("sigma", "distance")({"n": 10.0, "epsilon": 0.5, "delta": 1e-5})
    assert made == pytest.approx((math.sqrt(2 * math.log(1.25e5)) / 5.0, 0.1))


def test_replaced_definitions_stand_behind_what_they_need():
    exact = PRINTED.replace(
        where={"sigma": "distance/mu"},
        symbols={"mu": calibrated("gaussian", "epsilon", "delta")},
        given={"small": None},
    )
    assert list(exact.where) == ["distance", "sigma"] and not exact.given
    value = exact.number("sigma", n=10, epsilon=2.0, delta=1e-5)
    assert value == pytest.approx(0.1 / exactly.mu(2.0, 1e-5), rel=1e-12)
    assert PRINTED.where["sigma"].startswith("sqrt")  # the printed one is as it was


@pytest.mark.parametrize(
    "claim",
    [
        gaussian(shift="a1", scale="a2", epsilon="a3", delta="a4"), laplace(shift="a1", scale="a2", mu="a3"),
        discrete(p=["a1", "rest"], q=["a2", "rest"], rho="a3"), event(p="a1", q="a2", epsilon="a3"),
        mixture(rate="a1", shift="a2", scale="a3", alpha="a4", tau="a5"), inequality("a1", ">=", "a2"),
        compose([{"rho": "a1"}, {"rho": "a2"}], times=("a3", "a4"), group="a5", rho="a6"),
        order("a1", to="a2", variable="a3"), order("a1", to="a2", variable="a3", moves="falls"),
        rate("a1", variable="a2"), loss(bound="a1", epsilon="a2"), profile(bound="a1"),
    ],
)  # fmt: skip
def test_each_kind_says_all_its_formulas(claim):
    assert set(re.findall(r"a\d", repr(claim))) == set(re.findall(r"a\d", claim.text()))


@pytest.mark.parametrize("family", ["gaussian", "laplace"])
def test_what_is_solved_for_meets_the_delta(family):
    shifts = Statement("", {"mu": calibrated(family, "2*e", "d"), "e": Real("", 0, 9), "d": Real("", 0, 1)},
                       inequality(f"{family}_delta(mu, 2*e)", "<=", "d"))  # fmt: skip
    for e, d in ((0.1, 0.3), (1.0, 1e-3), (2.0, 1e-6)):
        assert shifts.number(f"{family}_delta(mu, 2*e)", e=e, d=d) == pytest.approx(d, rel=1e-6)


def test_a_smaller_region_is_said():
    less = PRINTED.replace(region={"epsilon": "(0.1, 1]"})
    assert "epsilon in (1/10, 1]" in less.text


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"where": {"sigma": "1/speed"}}, "the definition of sigma"),
        ({"where": {"sigma": "1/"}}, "where.sigma: a formula"),
        ({"given": {"small": "epsilon"}}, "given.small: a formula must be a comparison"),
        ({"given": {"small": "speed <= 1"}}, "a formula of given"),
        ({"claim": gaussian(shift="speed", scale="sigma")}, "a formula of claim"),
        ({"claim": discrete(p=["1/4", "rest", "1/2"], q=["1/4", "1/2", "rest"])}, "a formula of claim"),
        ({"about": "with {speed}"}, "a hole of the sentence"),
        ({"relation": "swap"}, "relation"),
        ({"region": {"epsilon": "0 to 1"}}, "region.epsilon"),
        ({"region": {"speed": "[0, 1]"}}, "region"),
        ({"region": {"epsilon": "[200, 300]"}}, "region.epsilon"),
        ({"cells": 1}, "cells"),
        ({"computed": {"speed": "1"}}, "a computed number"),
        ({"symbols": {"exp": Real("taken", 0, 1)}}, "the name of a symbol"),
    ],
)
def test_what_is_not_declared_is_refused(changes, says):
    with pytest.raises(InvalidInput, match=says.replace(".", r"\.")):
        PRINTED.replace(**changes)


@pytest.mark.parametrize("ends", [("1", "0"), ("inf", "1"), ("x", 1), ("1/0", 2), ("1e99999", 2)])
def test_ranges_are_low_to_high(ends):
    with pytest.raises(InvalidInput):
        Real("range", *ends)


def test_an_integer_has_whole_ends():
    with pytest.raises(InvalidInput, match="integers"):
        Integer("count", "1/2", 3)


def test_what_a_statement_has_not_is_refused():
    with pytest.raises(InvalidInput, match="symbols must be one symbol or more"):
        Statement("", {}, inequality("1", "<=", "2"))
    with pytest.raises(InvalidInput, match="the claim must be one inequality"):
        _ = PRINTED.comparison
    with pytest.raises(InvalidInput, match="epsilon must be given"):
        PRINTED.number("sigma", n=10, delta=1e-5)


def test_definitions_in_a_circle_are_refused():
    with pytest.raises(InvalidInput, match="circle"):
        PRINTED.replace(where={"sigma": "distance", "distance": "sigma"})


def test_nothing_but_the_claim_is_privacy():
    plain = Statement("", {"x": Real("", 0, 1)}, inequality("x", "<=", "1"))
    assert plain.notion == "" and plain.text.endswith("x <= 1.")


@pytest.mark.parametrize(
    ("claim", "says"),
    [
        (lambda: laplace(shift="1", scale="1", epsilon="epsilon", rho="1"), "held against"),
        (lambda: discrete(p="1/2", q=["1/2", "rest"]), "p must be a list of two formulas or more"),
        (lambda: discrete(p=["1/2", "rest"], q=["1"]), "q must be a list of two formulas or more"),
        (lambda: discrete(p=["1/2", "rest"], q=["1/2", "1/4", "rest"]), "q must be of as many outcomes"),
        (lambda: inequality("1", "=", "1"), "relation must be"),
        (lambda: order("n", variable="n", moves="rises"), "moves must be"),
        (lambda: rate("n", variable="n", side="both"), "side must be"),
        (lambda: calibrated("normal", "1", "1/2"), "family must be"),
    ],
)
def test_a_claim_that_is_none_is_refused(claim, says):
    with pytest.raises(InvalidInput, match=says):
        claim()


def test_a_claim_takes_a_statement_and_its_key_follows_the_formulas():
    from dpbench.ledger.paper import Paper

    keys = set()
    for sigma in ("sqrt(2*log(1.25/delta))/(n*epsilon)", "sqrt(2*log(1.26/delta))/(n*epsilon)"):
        paper = Paper("made_up")
        declare = paper.privacy(
            "thm1",
            source="Theorem 1",
            expected="not refuted",
            because="",
            statement=PRINTED.replace(where={"sigma": sigma}),
        )
        declare(measured_nowhere)
        (claim,) = paper.claims
        assert claim.statement == claim.formal.sentence and "sigma = " in claim.statement
        keys.add(claim.digest)
    assert len(keys) == 2
    prose = PRINTED.replace(about="Other words: {sigma}.", steps=("one",))
    assert prose.key == PRINTED.key != PRINTED.replace(relation="add").key


def measured_nowhere(run):
    yield from ()


def test_a_statement_travels_without_what_it_has_compiled():
    PRINTED.compiled("sigma")
    again = pickle.loads(pickle.dumps(PRINTED))
    assert again.key == PRINTED.key and again.number("distance", n=4) == 0.25
