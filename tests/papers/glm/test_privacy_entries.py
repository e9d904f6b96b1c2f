"""The privacy entries: the numbers the derivations predict, and planted errors."""

import numpy as np
import pytest

from dpbench.core.sampling import stream
from dpbench.papers.glm import losses
from dpbench.papers.glm.algorithms.jl import JLMethod
from dpbench.papers.glm.algorithms.noisy_gd import NoisyGD
from dpbench.papers.glm.problem import GLMProblem
from dpbench.papers.glm.theorems import jl_privacy
from dpbench.papers.glm.theorems.pairs import (
    cancelling_pair,
    curved,
    gradient_distance,
    random_record,
    search_worse,
    searched,
    threshold,
    worst_real_pair,
)


@pytest.mark.parametrize("mechanism", [NoisyGD(1.0, 1e-5), JLMethod(1.0, 1e-5)], ids=repr)
def test_a_descent_charges_every_record_that_differs(mechanism):
    problem = curved("squared")
    one = problem.replace_record(0, problem.X[1], problem.y[1])
    many = GLMProblem(-problem.X, problem.y, loss="squared", x_bound=1.0, y_bound=1.0, radius=1.0)
    assert mechanism.pair_profile(problem, problem).delta(1.0) == 0.0
    assert mechanism.pair_profile(problem, one).mu == mechanism.guarantee(problem).mu
    assert mechanism.pair_profile(problem, many).mu == pytest.approx(11.0 * mechanism.guarantee(problem).mu)


def test_the_search_finds_a_worse_pair_where_there_is_one_and_then_leaves_no_verdict():
    """Planted: a pair that is not the worst, and a bound 5% too small."""
    worst, _ = cancelling_pair("linear", 21, x_bound=1.0, y_bound=1.0, radius=5.0)
    mild = worst.replace_record(20, 0.3 * worst.X[20], 0.5)
    found = search_worse(worst, gradient_distance, stream("search"))
    assert gradient_distance(worst, mild) < 1.0 < found <= 2.0 * (1.0 + 1e-12)
    assert searched(worst, gradient_distance, 2.0, 0, 100).endswith("reach 1.000 of it")
    with pytest.raises(RuntimeError, match="more than the"):
        searched(worst, gradient_distance, 1.9, 0, 100)


def test_random_records_are_admissible_and_reach_the_bounds():
    problem, _ = cancelling_pair(losses.squared(), 3, x_bound=2.0, y_bound=3.0, radius=1.0, dimension=4)
    rng = np.random.default_rng(0)
    norms = []
    for trial in range(200):
        x, y = random_record(problem, rng, extreme=trial % 2 == 0)
        problem.replace_record(0, x, y)  # refuses what is outside the bounds
        norms.append(np.linalg.norm(x))
    assert max(norms) == pytest.approx(2.0) and min(norms) < 1.0


def test_threshold_brackets():
    assert threshold(lambda e: e <= 3.25, 0.0, 10.0) == pytest.approx(3.25, abs=1e-12)


def test_the_real_pair_is_admissible_and_opposite():
    problem, neighbour = worst_real_pair("squared")
    changed = np.flatnonzero((problem.X != neighbour.X).any(axis=1) | (problem.y != neighbour.y))
    assert len(changed) == 1
    index = int(changed[0])
    before, after = (p.y[index] * p.X[index] for p in (problem, neighbour))
    assert before @ after == pytest.approx(-np.linalg.norm(before) * np.linalg.norm(after))
    assert np.linalg.norm(after) == pytest.approx(problem.x_bound * problem.y_bound)


def test_theorem2_printed_needs_no_particular_constant():
    """A constant of 1,000 in k is met by a smaller BX: the same k and the same violation."""
    for constant, radius in ((1.0, 1e-5), (1000.0, 1e-10)):
        p, q = cancelling_pair(
            losses.capped_linear(40 * radius), 1001, x_bound=1.0, y_bound=1.0, radius=radius, dimension=64
        )
        m = JLMethod(1.0, 1e-8, calibration="printed", dimension_constant=constant)
        assert m.projected_dimension(p) == 1
        assert m.pair_profile(p, q).delta(1.0) > 80e-8


def test_an_exact_noise_halved_is_not_proved(context, monkeypatch):
    """Planted: the entry with half of σ has a guarantee beyond the claim."""
    whole = JLMethod.sigma
    monkeypatch.setattr(JLMethod, "sigma", lambda self, problem: 0.5 * whole(self, problem))
    verdict, _ = jl_privacy._exact(context, 10, (losses.absolute(),))
    assert verdict != "proved"
