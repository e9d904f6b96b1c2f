"""The entries on units, uniform convergence, projected descent and selection: closed forms against direct sums."""

import math

import numpy as np
import pytest
from declared import measured
from scipy.optimize import minimize

from dpbench.core.sampling import stream
from dpbench.ledger.harness import growing
from dpbench.ledger.measurement import inequality_verdict
from dpbench.papers.glm import theory
from dpbench.papers.glm.algorithms.noisy_gd import NoisyGD
from dpbench.papers.glm.algorithms.random_map import RandomMap
from dpbench.papers.glm.populations import PAD, ScaledBasis, padded, sharp, zero_excess
from dpbench.papers.glm.problem import GLMProblem
from dpbench.papers.glm.theorems import (
    algorithm1,
    corollary2,
    lemma6,
    lemma7,
    rates_selection,
    theorem9,
)


def test_growth_refutes_only_what_grows():
    """Planted: the same table with one constant for all rows is not refuted."""
    rows = [{"n": 10.0**k, "constant": 5.0**k} for k in range(1, 5)]
    assert inequality_verdict(growing(rows).margin) == "refuted"
    assert inequality_verdict(growing([row | {"constant": 7.0} for row in rows]).margin) == "not refuted"
    assert inequality_verdict(growing([*rows[:2], rows[3] | {"constant": 30.0}]).margin) == "not refuted"


def test_corollary_3_corrected_could_be_refuted(context):
    """Planted: a constant of 0.3."""
    assert measured(theorem9.corollary3, context, shrink=0.3)[0] == "refuted"


@pytest.mark.parametrize(("share", "chance", "radius"), [(0.0, 0.1, 3.0), (0.05, 0.2, 3.0), (0.6, 0.1, 2.0)])
def test_the_gap_of_a_rare_record_is_that_of_a_grid(share, chance, radius):
    w = np.linspace(-radius, radius, 200_001)

    def risk(rare):
        return rare * (1.0 + w) ** 2 + (1.0 - rare) * (w - radius) ** 2 / radius**2

    best = int(np.argmin(risk(share)))
    expected = risk(chance)[best] - risk(share)[best]
    assert theorem9.rare_gap(np.array([share]), chance, radius)[0] == pytest.approx(expected, abs=1e-3)


def test_the_misprinted_step_learns_less_than_its_statement_says():
    """The excess of NoisyGD without noise on the statement's records is at least its bound, and most of it at X^2."""
    n = 40
    x, radius = 1.0 / n, float(n)
    data = GLMProblem(np.full((n, 1), x), np.ones(n), loss="squared", x_bound=x, y_bound=1.0, radius=radius)
    for eta, learned in ((corollary2.STEP.number("eta", n=n), False), (1.0 / (8.0 * x**2), True)):
        w = NoisyGD(1.0, 1e-5, steps=n, step_size=eta, noise_scale=0.0)(data, 1, np.random.default_rng(0))
        excess = float(data.empirical_risk(w)[0])
        assert excess < 0.1 if learned else excess >= corollary2.STEP.number("excess", n=n) - 1e-12


def test_the_letter_of_lemma_6_leaves_the_excess_that_its_statement_says():
    """The mean excess of 400 runs, noise and ball included, is at least the statement's bound on it."""
    n, at = 40, {"n": 40, "L": 12.0}
    eta, sigma, excess = (lemma6.PRINTED.number(name, **at) for name in ("eta", "sigma", "excess"))
    data = GLMProblem(np.full((n, 1), 1.0 / n), np.ones(n), loss="squared", x_bound=1.0 / n, y_bound=1.0, radius=n)
    w = NoisyGD(1.0, 1e-5, steps=n, step_size=eta, noise_scale=sigma)(data, 400, np.random.default_rng(0))
    assert 0.5 < excess <= float(data.empirical_risk(w).mean())


def test_printed_descent_is_line_4():
    """Against a loop over records that subtracts the number from each coordinate."""
    data = ScaledBasis.even("squared", 4, 4, 1.0).draw(30, stream("line 4"))
    second, cross, square = (np.array([part]) for part in data.moments)
    eta = theory.noisy_gd_step_size(1.0, 30, 2.0, 1.0, 1.0, 0.0, 1)
    w, iterates = [0.0] * 4, []
    for _ in range(30):
        iterates.append(list(w))
        scores = [sum(a * b for a, b in zip(x, w, strict=True)) for x in data.X]
        risk = sum((z - y) ** 2 for z, y in zip(scores, data.y, strict=True))
        w = [part - eta * risk / 30.0 for part in w]
        size = math.sqrt(sum(part * part for part in w))
        w = [part / max(1.0, size) for part in w]
    found = algorithm1.printed_descent(second, cross, square, 30)[0]
    assert found == pytest.approx(np.mean(iterates, axis=0), rel=1e-10)


def test_theorem_9_needs_a_constant_above_1_and_labels_alone_are_summed(context):
    """Planted: the constant 1. The chance against a sum over all counts."""
    assert measured(theorem9.uniform, context, constant=1.0)[0] == "refuted"
    assert measured(theorem9.uniform, context)[0] == "not refuted"
    n, q, beta = 40, 0.3, 0.2
    rate = math.log(1.0 / beta) / n
    chances = [math.comb(n, k) * q**k * (1.0 - q) ** (n - k) for k in range(n + 1)]
    broken = [q > k / n + 0.5 * (math.sqrt(k / n * rate) + rate) for k in range(n + 1)]
    failures, least = theorem9.labels_alone(n, q, beta, 0.5)
    assert failures == pytest.approx(sum(chance for chance, bad in zip(chances, broken, strict=True) if bad))
    assert theorem9.labels_alone(n, q, beta, least * (1.0 + 1e-12))[0] <= beta
    assert theorem9.labels_alone(n, q, beta, least * (1.0 - 1e-12))[0] > beta


def test_risks_and_minimiser_over_the_ball_are_those_of_the_records():
    rng, n, active, bias = stream("ball"), 60, 5, 0.4
    hits, means = theorem9.draw_coordinates(rng, n, active, bias, 6)
    assert (hits.sum(axis=1) == n).all()
    w = theorem9.ball_minimiser(hits, means, n, 0.7)
    assert (np.linalg.norm(w, axis=1) <= 0.7 * (1.0 + 1e-9)).all()
    risk, empirical = theorem9.risks(w, hits, means, n, bias)
    for row in range(6):
        X = np.repeat(np.eye(active), hits[row], axis=0)
        ups = np.rint((means[row] + 1.0) * hits[row] / 2.0).astype(int)
        y = np.concatenate([np.where(np.arange(h) < u, 1.0, -1.0) for h, u in zip(hits[row], ups, strict=True)])
        data = GLMProblem(X, y, loss="squared", x_bound=1.0, y_bound=1.0, radius=1.0)
        assert empirical[row] == pytest.approx(data.empirical_risk(w[row : row + 1])[0], rel=1e-12)
        best = minimize(
            lambda v, data=data: float(data.empirical_risk(np.array([v]))[0]), np.zeros(active),
            constraints={"type": "ineq", "fun": lambda v: 0.49 - v @ v}, tol=1e-14,
        )  # fmt: skip
        assert empirical[row] <= best.fun + 1e-8
        population = ScaledBasis("squared", np.full(active, 1.0 / active), np.full(active, bias))
        assert risk[row] - (1.0 - bias**2) == pytest.approx(population.excess_risk(w[row : row + 1])[0], rel=1e-12)


@pytest.mark.few(1)
@pytest.mark.parametrize(("rank", "k"), [(1, 3), (7, 4), (30, 12)])
def test_risk_of_the_projected_minimiser_is_its_mean_over_maps(rank, k):
    """Null: means over 4,000 maps; |z| < 5.5 fails falsely with probability 4e-8. An error of 12% is seen."""
    w, square = np.full(rank, 1.5 / math.sqrt(rank)), []
    rng = stream("maps", rank, k)
    for _ in range(4_000):
        features = RandomMap("gaussian", k, rank, rng).project(np.eye(rank))
        square.append((features[0] @ (features.T @ w) - w[0]) ** 2)
    expected, spread = lemma7._squared_gap(rank, 1.5, k), np.std(square) / math.sqrt(len(square))
    assert abs(np.mean(square) - expected) < 5.5 * spread
    assert abs(np.mean(square) - 1.6 * expected) > 5.5 * spread


def test_sharp_populations_have_the_rank_and_the_radius_they_name():
    for population, rank, radius, share in ((sharp(6, 10, radius=3.0), 6, 3.0, 1.0), (padded(6, 10), 10, 1.0, 1 - PAD)):
        data, best = population.draw(500, stream("sharp")), population.minimiser
        assert np.linalg.matrix_rank(data.X) == rank and np.linalg.norm(best) == pytest.approx(radius)
        assert np.count_nonzero(best) == 6 and np.abs(best[:6]) == pytest.approx(radius / math.sqrt(6.0))
        missed = np.abs(data.X @ best - data.y) > 1e-12  # labels are noise where w* is 0, and exact elsewhere
        assert (missed == data.X[:, 6:].any(axis=1)).all()
        assert zero_excess(population) == pytest.approx(share * radius / math.sqrt(6.0))
        assert population.masses.sum() == pytest.approx(1.0)


def test_boosting_counts_a_quarter_of_single_runs_as_bad():
    """Null: frequency 1/4 over 4,096 runs beside a level from ten times as many; 6 deviations of both are 0.043."""
    level = rates_selection.quarter_level(1, 0, 0)
    assert abs(rates_selection.all_bad(1, level, 0, 0) - 0.25) < 0.043
    assert rates_selection.all_bad(2, rates_selection.quarter_level(2, 0, 0), 0, 0) < 0.12


def test_the_jl_methods_output_has_the_risk_of_its_inner_vector():
    """L(Φᵀw̃; D) falls with the noise, whatever the map: the entries' samples are not of zero outputs."""
    population = ScaledBasis("squared", np.ones(1), np.ones(1), radius=1.0 + 1e-12)
    quiet = lemma7._mechanism(16, 200, 0.0, 0.1, 2)
    assert lemma7.excess_block(population, quiet, 50, 0, 0).max() < 0.05
