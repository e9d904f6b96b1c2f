"""The formulas behind the claims, at numbers from elsewhere."""

import math
from fractions import Fraction

import pytest
from gaussian_mechanism import analytic, classical, paper

from dpbench import find_counterexample


def test_classical_at_a_known_point() -> None:
    assert classical(1.0, 1.25e-5) == pytest.approx(math.sqrt(2.0 * math.log(1e5)))


@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 1e-5), (8.0, 1e-8)])
def test_analytic_solves_the_equation_of_the_paper(epsilon: float, delta: float) -> None:
    def phi(x: float) -> float:
        return 0.5 * math.erfc(-x / math.sqrt(2.0))

    sigma = analytic(epsilon, delta)
    a, b = 0.5 / sigma, epsilon * sigma
    assert phi(a - b) - math.exp(epsilon) * phi(-a - b) == pytest.approx(delta, rel=1e-6)


def test_the_search_finds_where_the_textbook_fails_and_nothing_where_it_does_not() -> None:
    claims = {claim.id: claim for claim in paper.claims}
    beyond = find_counterexample(claims["gaussian.classical.privacy.beyond"])
    assert beyond.found and float(Fraction(beyond.instance["epsilon"])) > 2.0
    assert not find_counterexample(claims["gaussian.classical.privacy"], evaluations=4_000).found
