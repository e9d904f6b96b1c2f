"""Grid search and boosting over the JL method (appendix C.4): scores and bounds are those of w̃ in R^k."""

import math
from dataclasses import dataclass, replace

import numpy as np
import pytest
from naive import losses as naive_losses
from naive import selection as naive
from registry import LOSSES, problem

from dpbench.core.sampling import stream
from dpbench.papers.glm.algorithms.boosting import Boosting
from dpbench.papers.glm.algorithms.grid_search import PrivateGridSearch
from dpbench.papers.glm.algorithms.jl import JLMethod
from dpbench.papers.glm.algorithms.noisy_gd import NoisyGD
from dpbench.papers.glm.algorithms.random_map import RandomMap, by_columns
from dpbench.papers.glm.algorithms.scoring import clipped_risk, loss_range, prediction_bound

JL = JLMethod(1.0, 1e-5, dimension=3, steps=8)
WIDE = replace(JL, dimension=60)
"""Its reach depends on the number of records."""


def lifted(data, size, name):
    """w̃ of norm `size` in R³, its lift Φᵀw̃, and the projected records Φx_i."""
    phi = RandomMap("gaussian", 3, data.d, stream("map", name))
    features = phi.project(by_columns(data.X))
    inner = stream("inner", name).standard_normal(3)
    inner *= size / np.linalg.norm(inner)
    return inner, phi.lift(inner), features


@pytest.mark.parametrize("name", list(LOSSES))
def test_score_is_that_of_the_inner_vector_on_the_projected_records(name):
    data = problem(name)
    reach = JL.prediction_bound(data)
    assert reach == 2.0 * data.radius * JL.norm_bound(data) > 2.0 * data.radius
    low, high = loss_range(data.loss, 1.0, reach)
    inner, w, features = lifted(data, 2.0 * data.radius, name)
    want = naive.mean_clipped_loss(
        features, data.y, inner, lambda z, y: float(naive_losses.value(name, data.loss.parameter, z, y)), low, high
    )
    assert clipped_risk(data, w[None, :], reach)[0] == pytest.approx(want, rel=1e-12)


def test_boosting_over_the_jl_method_uses_its_reach_and_gamma():
    """On chunks of 13, 14 and 14 records: the reach on those that are trained on, the sensitivity of the last."""
    data = problem("squared", n=41)
    boosted, plain = Boosting(WIDE, 1.0, 1e-5, models=2), Boosting(NoisyGD(1.0, 1e-5, steps=8), 1.0, 1e-5, models=2)
    reach = max(WIDE.prediction_bound(data.records(*ends)) for ends in ((0, 13), (13, 27)))
    assert boosted.prediction_bound(data) == reach
    assert boosted.sensitivity(data) == pytest.approx((1.0 + reach) ** 2 / 14.0)
    assert plain.prediction_bound(data) == data.radius * data.x_bound
    printed = Boosting(JL, 1.0, 1e-5, models=2, calibration="printed")
    assert printed.scale(data) == pytest.approx(math.sqrt(4.0 * (1.0 + 2.0 * (2.0 * data.radius) ** 2) / 41.0))


def test_grid_search_over_the_jl_method_uses_the_reach_of_the_half_that_is_trained_on():
    """Of 41 records 20 are trained on and 21 judge."""
    data, search = problem("squared", n=41), PrivateGridSearch(WIDE, 1.0, 1e-5, candidates=2)
    halves = [data.records(0, 20).with_radius(radius) for radius in search.radii(data)]
    reaches = [search.mechanism(data).prediction_bound(half) for half in halves]
    assert search.sensitivities(data)[1:] == pytest.approx([(1.0 + reach) ** 2 / 21.0 for reach in reaches])


@dataclass(frozen=True)
class Bare:
    """A base of someone else's: a budget and a guarantee, and no bound on its predictions."""

    epsilon: float
    delta: float

    def guarantee(self, problem):
        return NoisyGD(self.epsilon, self.delta).guarantee(problem)

    def __call__(self, problem, trials, rng):
        return np.zeros((trials, problem.d))


def test_a_base_without_a_bound_of_its_own_is_clipped_at_the_ball():
    data = problem("squared")
    assert prediction_bound(Bare(1.0, 1e-5), data) == data.radius * data.x_bound
    assert Boosting(Bare(1.0, 1e-5), 1.0, 1e-5, models=2).sample(data, 2).shape == (2, 4)
