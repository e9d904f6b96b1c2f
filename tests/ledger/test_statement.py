"""`Statement`: one record; its text, LaTeX and numbers follow, and what is not declared is refused."""

import math
import pickle

import numpy as np
import pytest

from dpbench.core.validation import InvalidInput
from dpbench.ledger.statement import Integer, Real, Statement, calibrated, gaussian, inequality, laplace
from dpbench.privacy import gaussian as profile

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
    assert value == pytest.approx(0.1 / profile.mu(2.0, 1e-5), rel=1e-12)
    assert PRINTED.where["sigma"].startswith("sqrt")  # the printed one is as it was


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
        ({"about": "with {speed}"}, "a hole of the sentence"),
        ({"relation": "swap"}, "relation"),
        ({"region": {"epsilon": "0 to 1"}}, "region.epsilon"),
        ({"region": {"speed": "[0, 1]"}}, "region"),
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


def test_definitions_in_a_circle_are_refused():
    with pytest.raises(InvalidInput, match="circle"):
        PRINTED.replace(where={"sigma": "distance", "distance": "sigma"})


def test_nothing_but_the_claim_is_privacy():
    plain = Statement("", {"x": Real("", 0, 1)}, inequality("x", "<=", "1"))
    assert plain.notion == "" and plain.text.endswith("x <= 1.")


def test_one_notion_at_a_time():
    with pytest.raises(InvalidInput, match="held against"):
        laplace(shift="1", scale="1", epsilon="epsilon", rho="1")


def test_theorem_5_says_what_the_algorithm_computes():
    """Weight, noise and distance of the statement are those of `theory` and of the mechanism, at random points."""
    from dpbench.papers.glm import theory
    from dpbench.papers.glm.algorithms.output_perturbation import OutputPerturbation
    from dpbench.papers.glm.theorems.pairs import cancelling_pair
    from dpbench.papers.glm.theorems.theorem5 import PRINTED

    rng = np.random.default_rng(5)
    formulas = PRINTED.compiled("lambda", "sigma", "distance")
    for _ in range(40):
        half, (g, x, b) = int(rng.integers(1, 500)), np.exp(rng.uniform(-2, 2, 3))
        epsilon, delta = float(np.exp(rng.uniform(-3, 2))), float(np.exp(rng.uniform(-20, -3)))
        n = 2 * half + 1
        computed = formulas({"n": n, "G": g, "X": x, "B": b, "epsilon": epsilon, "delta": delta})
        weight = theory.lipschitz_erm_regularization(g, x, b, n, epsilon, delta)
        noise = theory.lipschitz_erm_noise(g, x, n, epsilon, delta, weight)
        assert computed == pytest.approx((weight, noise, 2.0 * g * x / (weight * n)), rel=1e-12)
        assert computed[1] != pytest.approx(1.001 * noise, rel=1e-4)  # a planted thousandth would be seen
    problem, neighbour = cancelling_pair("linear", 101, x_bound=1.0, y_bound=1.0, radius=1.0)
    values = {"n": 101, "G": 1.0, "X": 1.0, "B": 1.0, "epsilon": 1.0, "delta": 1e-5}
    shown = OutputPerturbation(1.0, 1e-5, calibration="printed").pair_profile(problem, neighbour)
    assert shown.mu == pytest.approx(PRINTED.number("distance/sigma", **values), rel=1e-4)  # tau is in the minimisers


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
