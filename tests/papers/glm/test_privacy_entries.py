"""The privacy entries of Theorems 1, 3 and 5: the numbers the derivations predict, and planted errors."""

from functools import partial

import numpy as np
import pytest

from dpbench.core.sampling import stream
from dpbench.papers.glm import losses
from dpbench.papers.glm.algorithms.jl import JLMethod
from dpbench.papers.glm.algorithms.noisy_gd import NoisyGD
from dpbench.papers.glm.algorithms.output_perturbation import OutputPerturbation
from dpbench.papers.glm.problem import GLMProblem
from dpbench.papers.glm.sensitivity import gradient_gap
from dpbench.papers.glm.theorems import output_perturbation_privacy
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


class Gap:
    """n·‖difference of the mean gradients‖ of two problems at points of the ball: its boundary, or inside."""

    def __init__(self, seed):
        self.rng = stream(seed, "points of the ball")

    def __call__(self, problem, neighbour):
        w = self.rng.standard_normal((8, problem.d))
        w *= problem.radius / np.linalg.norm(w, axis=1, keepdims=True)
        w[4:] *= self.rng.random((4, 1))
        sums = [p.loss.derivative(p.predictions(w), p.y) @ p.X for p in (problem, neighbour)]
        return float(np.linalg.norm(sums[0] - sums[1], axis=1).max())


@pytest.mark.slow
def test_a_search_that_finds_more_than_the_bound_leaves_no_verdict(monkeypatch):
    """Planted: a gap D, and a sensitivity, 5% too small."""
    problem = curved("squared")
    gap = gradient_gap(problem.loss, problem.x_bound, problem.y_bound, problem.radius, problem.d)
    searched(problem, Gap(0), gap, 0)
    with pytest.raises(RuntimeError, match="more than the"):
        searched(problem, Gap(0), 0.95 * gap, 0)
    pair = cancelling_pair("linear", 101, x_bound=1.0, y_bound=1.0, radius=1.0)
    mechanism = OutputPerturbation(1.0, 1e-5)
    distance = partial(output_perturbation_privacy.distance_of, mechanism)
    searched(pair[0], distance, mechanism.sensitivity(pair[0]), 0)
    with pytest.raises(RuntimeError, match="more than the"):
        searched(pair[0], distance, 0.95 * distance(*pair), 0)


@pytest.mark.parametrize("mechanism", [NoisyGD(1.0, 1e-5), JLMethod(1.0, 1e-5)], ids=repr)
def test_a_descent_charges_every_record_that_differs(mechanism):
    problem = curved("squared")
    one = problem.replace_record(0, problem.X[1], problem.y[1])
    many = GLMProblem(-problem.X, problem.y, loss="squared", x_bound=1.0, y_bound=1.0, radius=1.0)
    assert mechanism.pair_profile(problem, problem).delta(1.0) == 0.0
    assert mechanism.pair_profile(problem, one).mu == mechanism.guarantee(problem).mu
    assert mechanism.pair_profile(problem, many).mu == pytest.approx(11.0 * mechanism.guarantee(problem).mu)


def test_the_search_finds_a_worse_pair_where_there_is_one():
    """Planted: from a pair that is not the worst, the search must find a worse one."""
    worst, _ = cancelling_pair("linear", 21, x_bound=1.0, y_bound=1.0, radius=5.0)
    mild = worst.replace_record(20, 0.3 * worst.X[20], 0.5)
    leak = gradient_distance
    found = search_worse(worst, leak, stream("search"))
    assert leak(worst, mild) < 1.0 < found <= 2.0 * (1.0 + 1e-12)


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
