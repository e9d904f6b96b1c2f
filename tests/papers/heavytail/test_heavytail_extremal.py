"""Laws near the bounds of the heavy-tailed paper: they obey the assumptions, their excess is what is said, plants."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from declared import measured
from scipy.stats import binom

from dpbench.papers.heavytail import theory
from dpbench.papers.heavytail.algorithms.exponential import ExponentialMechanism
from dpbench.papers.heavytail.problem import HeavyTailedProblem
from dpbench.papers.heavytail.theorems import remark1, theorems1_2_bound, theorems1_2_privacy, theorems1_2_rates
from dpbench.papers.heavytail.theorems.hidden import hidden_quantile, rare_law
from dpbench.runs.context import RunContext
from lowerbounds import RarePacking, rare_packing

ORDERS = (2.0, 1.75, 1.5, 1.25)


@pytest.fixture
def context() -> Iterator[RunContext]:
    with RunContext(level="quick", seed=0, workers=1) as made:
        yield made


# The packing


def code(d: int) -> list[tuple[int, ...]]:
    """A code of {−1, 1}^d, words taken greedily, with ⟨v, v'⟩ ≤ d/2 for any two."""
    words: list[tuple[int, ...]] = []
    for v in itertools.product((-1, 1), repeat=d):
        if all(2 * sum(a * b for a, b in zip(v, u, strict=True)) <= d for u in words):
            words.append(v)
    return words


@pytest.mark.parametrize("d", [1, 2, 3, 4, 5, 8, 10])
def test_the_code_has_so_many_words(d: int) -> None:
    """The greedy code reaches the Gilbert–Varshamov bound that log M states."""
    assert len(code(d)) >= round(math.exp(rare_packing(1000, d, 1.0).log_members)) >= 2


@pytest.mark.parametrize("d", [2, 4, 8])
def test_no_point_is_good_for_two_members(d: int) -> None:
    """Excess below p·s√d/8 under one member is an excess of at least that under all others, on the unit ball."""
    words, rng = np.array(code(d), dtype=float), np.random.default_rng(0)
    near = words[rng.integers(0, len(words), 4000)] / math.sqrt(d) + 0.3 * rng.standard_normal((4000, d))
    near /= np.maximum(1.0, np.linalg.norm(near, axis=1))[:, None]
    good = (math.sqrt(d) - near @ words.T) < math.sqrt(d) / 8.0
    assert good.any() and good.sum(axis=1).max() == 1


@pytest.mark.parametrize("theta", ORDERS)
@pytest.mark.parametrize("moment", ["norm", "coordinate"])
def test_the_packing_obeys_the_moment_and_the_probabilities(theta: float, moment: str) -> None:
    for n, d, epsilon in ((1000, 4, 1.0), (10**6, 64, 0.1), (10**9, 1024, 0.01)):
        hard = rare_packing(n, d, epsilon, theta=theta, moment=moment)
        length = hard.size * (math.sqrt(d) if moment == "norm" else 1.0)
        assert hard.chance * length**theta == pytest.approx(1.0)
        missed = float(binom.sf(hard.shared, n, hard.chance))
        assert missed == pytest.approx(0.25, rel=1e-6)
        left = 1.0 - math.exp(epsilon * hard.shared - hard.log_members) - missed
        assert 0.25 - 1e-6 <= hard.probability <= left + 1e-6
        assert hard.floor == hard.probability * hard.excess <= hard.chance * hard.size * math.sqrt(d) / 8.0


# The hidden law


@pytest.mark.parametrize("theta", ORDERS)
@pytest.mark.parametrize("d", [1, 4, 1024])
def test_the_hidden_law_obeys_its_moment(theta: float, d: int) -> None:
    """E|⟨x, u⟩|^θ at most 1, or d^{θ/2} with all coordinates equal, which is E|x_j|^θ ≤ 1."""
    for bound in (1.0, d ** (0.5 * theta)):
        for iota in np.geomspace(1e-12, 0.1 / math.sqrt(d), 12):
            p, size, common = rare_law(float(iota), theta, bound)
            assert 0.0 < p < 1.0 and p * size**theta + (1.0 - p) * common**theta <= bound * (1.0 + 1e-12)


@pytest.mark.parametrize(("theta", "d"), [(2.0, 1), (1.5, 1), (2.0, 2)])
def test_the_hidden_quantile_is_the_mechanism_s(theta: float, d: int) -> None:
    """Against the enumerated law of the mechanism on data sets with each number of rare records; 3% for lattice and
    Poisson. A law at twice ε is further off."""
    n, epsilon, failure, iota = 400, 2.0, 0.05, 0.5
    p, size, common = rare_law(iota, theta)
    mechanism = ExponentialMechanism(epsilon, net_radius=0.02 * d, truncation=iota)
    excesses, masses = [], []
    for rare in range(40):
        x = np.zeros((n, d))
        x[:, 0] = np.where(np.arange(n) < rare, size, common)
        problem = HeavyTailedProblem(x, np.where(np.arange(n) < rare, size, 0.0), radius=1.0, theta=theta)
        points, logs = mechanism.log_probabilities(problem)
        w = points[:, 0]
        excesses.append(p * size * (1.0 - w) + (1.0 - p) * common * (np.abs(w) - 1.0))
        masses.append(float(binom.pmf(rare, n, p)) * np.exp(logs))
    excess, mass = np.concatenate(excesses), np.concatenate(masses)
    order = np.argsort(-excess)
    exact = float(excess[order][np.searchsorted(np.cumsum(mass[order]), failure)])
    found, spread = hidden_quantile(n, d, epsilon, failure, iota, theta, "norm")
    other, _ = hidden_quantile(n, d, 8.0 * epsilon, failure, iota, theta, "norm")
    assert found == pytest.approx(exact, rel=0.03) and other != pytest.approx(exact, rel=0.03)
    assert spread == pytest.approx(p * (2.0 * size) ** theta + (1.0 - p) * common**theta)


# Planted errors


def test_a_ceiling_that_is_too_high_is_refuted(context: RunContext, monkeypatch: pytest.MonkeyPatch) -> None:
    """(7) with an exponent smaller by 0.1, or with d for √d: no constant serves."""
    honest = theory.rate

    def slower(n: int, d: int, epsilon: float, failure: float, **sizes: Any) -> float:
        return honest(n, d, epsilon, failure, **sizes) * (n * epsilon) ** 0.1

    def wider(n: int, d: int, epsilon: float, failure: float, **sizes: Any) -> float:
        return honest(n, d, epsilon, failure, **sizes) * math.sqrt(d)

    for planted in (slower, wider):
        monkeypatch.setattr(theory, "rate", planted)
        for function in (remark1.packed, theorems1_2_rates.hidden):
            assert measured(function, context, 1, "norm")[0] == "refuted"


def test_bounds_that_are_too_small_are_refuted(context: RunContext, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = theory.utility_bound
    monkeypatch.setattr(theory, "utility_bound", lambda *a, **k: 0.01 * honest(*a, **k))
    assert measured(theorems1_2_bound.any_truncation, context, 1)[0] == "refuted"
    honest_risk = theorems1_2_privacy.truncated_risk
    monkeypatch.setattr(theorems1_2_privacy, "truncated_risk", lambda *a: 2.1 * honest_risk(*a))
    assert measured(theorems1_2_privacy.sensitivity, context, 2)[0] == "refuted"


def test_a_floor_that_is_too_high_is_refuted(context: RunContext, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RarePacking, "floor", property(lambda self: 100.0 * self.excess))
    assert measured(remark1.floor, context)[0] == "refuted"


@pytest.mark.parametrize("measurement", [theorems1_2_rates.in_epsilon, theorems1_2_rates.in_failure])
def test_an_iota_that_forgets_its_argument_is_inconsistent(
    measurement: Any, context: RunContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mechanism that takes ι at ε = 1 and η = 0.05 whatever it is asked has slopes −1 and +1 for −1/2 and +1/2."""
    honest = theory.truncation
    monkeypatch.setattr(
        ExponentialMechanism, "iota",
        lambda self, problem: honest(problem.n, problem.d, 1.0, 0.05, theta=problem.theta, tau=problem.tau,
                                     moment=problem.moment, diameter=problem.diameter),
    )  # fmt: skip
    assert measured(measurement, context, 2.0)[0] == "inconsistent"


def test_quantile_values_are_the_quantile_and_its_linearisation() -> None:
    """Exponential outputs: the mean is the quantile, the standard error √(η(1−η)/N)/density within a fifth (the
    scatter of 400 numbers is known to 4%); half the scatter would be seen."""
    part = np.random.default_rng(0).exponential(size=(400, 50))
    values = theorems1_2_rates.quantile_values(part, 0.05)
    assert values.mean() == pytest.approx(float(np.quantile(part, 0.95)), rel=1e-12)
    error, true = float(values.std()) / math.sqrt(400), math.sqrt(0.05 * 0.95 / part.size) / 0.05
    assert 0.8 * true < error < 1.2 * true


def test_planted_quantiles_that_fall_too_slowly_are_inconsistent(
    context: RunContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slower(context: Any, points: list[Any], *others: Any) -> list[np.ndarray]:
        rng = np.random.default_rng(1)
        return [point.n**-0.1 * rng.gamma(2.0, 1.0, (64, 64)) for point in points]

    monkeypatch.setattr(theorems1_2_rates, "outputs", slower)
    assert measured(theorems1_2_rates.quantile, context, 2.0)[0] == "inconsistent"
