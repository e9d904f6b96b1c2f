"""Mechanisms with `arithmetic="exact"`: guarantees of what comes out, on a grid, with randomness fit for release.

`audit_bits` runs with 12,000 runs a side: level 1e-6, null: the guarantee.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from dpbench import audit_bits
from dpbench.core import sampling, validation
from dpbench.core.bits import Source, SystemGenerator
from dpbench.papers.glm.algorithms.boosting import Boosting
from dpbench.papers.glm.algorithms.grid_search import PrivateGridSearch
from dpbench.papers.glm.algorithms.jl import JLMethod
from dpbench.papers.glm.algorithms.noisy_gd import NoisyGD
from dpbench.papers.glm.algorithms.noisy_mean import NoisyMean
from dpbench.papers.glm.algorithms.output_perturbation import OutputPerturbation
from dpbench.papers.glm.problem import GLMProblem
from dpbench.papers.heavytail.algorithms.baselines import ClippedSubgradient
from dpbench.papers.heavytail.algorithms.exponential import ExponentialMechanism
from dpbench.papers.publicdata.algorithms.averaged_perturbation import AveragedPerturbation
from dpbench.papers.publicdata.algorithms.regularized_perturbation import RegularizedPerturbation
from dpbench.papers.publicdata.algorithms.rrspm import RRSPM
from dpbench.papers.publicdata.algorithms.rspm import RSPM
from dpbench.papers.publicdata.hypotheses.constants import Constants
from dpbench.papers.publicdata.hypotheses.line import Thresholds
from dpbench.papers.publicdata.problem import PublicDataProblem
from dpbench.privacy import integer_laplace, integer_noise

DELTA = 0.01
SIGNS = np.array([1.0, -1.0, 1.0, -1.0])


def linear_pair():
    """Records that cancel in the data set and not in its neighbour."""
    data = GLMProblem(np.ones((4, 1)), SIGNS, loss="linear", x_bound=1.0, y_bound=1.0, radius=64.0)
    return data, data.replace_record(3, np.ones(1), 1.0)


def constants_pair():
    labels = np.array([0.5, -0.5, 0.25, -0.25]), np.array([0.5, -0.5, 0.25, 1.0])
    made = [PublicDataProblem(np.zeros(4), z, [0.0], hypotheses=Constants(), loss="squared") for z in labels]
    return made[0], made[1]


def line_pair():
    x, points = [-0.5, 0.0, 0.25, 0.5], [-0.6, -0.1, 0.3, 0.8]
    other = SIGNS.copy()
    other[1] = 1.0
    made = [PublicDataProblem(x, z, points, hypotheses=Thresholds(), loss="zero-one") for z in (SIGNS, other)]
    return made[0], made[1]


@dataclass(frozen=True)
class Case:
    """An exact mechanism, a pair, δ, and whether `audit_bits` finds the floating-point one."""

    mechanism: Any
    pair: Callable[[], tuple[Any, Any]]
    delta: float
    porous: bool


CASES = {
    "output perturbation": Case(OutputPerturbation(1.0, DELTA, arithmetic="exact"), linear_pair, DELTA, True),
    "Algorithm 3, Gaussian": Case(RegularizedPerturbation(1.0, DELTA, arithmetic="exact"), constants_pair, DELTA, True),
    "Algorithm 3, Laplace": Case(
        RegularizedPerturbation(1.0, noise="laplace", arithmetic="exact"), constants_pair, 0.0, True
    ),
    "RRSPM, Gaussian": Case(RRSPM(1.0, DELTA, noise="gaussian", arithmetic="exact"), line_pair, DELTA, False),
    "RRSPM": Case(RRSPM(1.0, arithmetic="exact"), line_pair, 0.0, False),
}
each = pytest.mark.parametrize("name", CASES)


def floating(mechanism):
    return replace(mechanism, arithmetic="float")


@each
def test_guarantee_is_that_of_the_claim_and_costs_next_to_nothing(name):
    case = CASES[name]
    p, _ = case.pair()
    profile = case.mechanism.guarantee(p)
    assert profile.kind == "upper"
    plain = floating(case.mechanism).guarantee(p).delta(1.0)
    assert profile.delta(1.0) <= case.delta if case.delta else profile.epsilon(0.0) <= 1.0
    assert profile.delta(1.0) == pytest.approx(plain, rel=1e-4, abs=1e-12)
    if not case.delta:  # δ(1) is 0 under half of the loss as well
        assert profile.epsilon(0.0) == pytest.approx(floating(case.mechanism).guarantee(p).epsilon(0.0), rel=1e-4)
    with pytest.raises(validation.InvalidInput, match=r"^arithmetic must be one of float, exact"):
        replace(case.mechanism, arithmetic="interval")


@each
def test_float_and_exact_have_one_law(name):
    """Means and spreads of 4,000 outputs agree within six standard errors and 15%."""
    case = CASES[name]
    p, _ = case.pair()
    runs = 4000
    both = (m.sample(p, runs, seed=1)[:, 0] for m in (case.mechanism, floating(case.mechanism)))
    exact, plain = (np.clip(outputs, -9.0, 9.0) for outputs in both)  # a threshold may be infinite
    spread = float(plain.std())
    assert abs(exact.mean() - plain.mean()) < 6.0 * spread * (2.0 / runs) ** 0.5
    assert exact.std() == pytest.approx(spread, rel=0.15)


@each
def test_same_seed_prefix_and_workers(name):
    case = CASES[name]
    p, _ = case.pair()
    m = case.mechanism
    many = m.sample(p, 150, seed=2)
    assert np.array_equal(m.sample(p, 70, seed=2), many[:70])
    assert np.array_equal(m.sample(p, 150, seed=2, workers=2), many)
    assert not np.array_equal(m.sample(p, 150, seed=3), many)


@each
def test_a_release_without_a_seed_takes_the_systems_words(name, monkeypatch):
    case = CASES[name]
    p, _ = case.pair()
    asked = []

    class Counted(SystemGenerator):
        def words(self, count):
            asked.append(count)
            return super().words(count)

    monkeypatch.setattr(sampling, "SystemGenerator", Counted)
    case.mechanism.release(p)
    assert sum(asked) > 0
    asked.clear()
    case.mechanism.release(p, seed=1)
    floating(case.mechanism).release(p)
    assert not asked


@pytest.mark.slow
@each
def test_last_bits_tell_nothing(name):
    case = CASES[name]
    pair = case.pair()
    epsilon = case.mechanism.guarantee(pair[0]).epsilon(case.delta)
    settings = {"epsilon": epsilon, "delta": case.delta, "trials": 12_000, "confidence": 1.0 - 1e-6}
    assert audit_bits(case.mechanism, *pair, **settings).verdict == "not refuted"
    if case.porous:
        assert audit_bits(floating(case.mechanism), *pair, **settings).verdict == "refuted"


def test_planted_noise_from_integers_on_a_centre_that_is_not_rounded_is_found():
    """The same noise, added to the computed centre as it is: the centre's last bits show below the grid."""
    pair = linear_pair()
    m = OutputPerturbation(1.0, DELTA, arithmetic="exact")

    def unrounded(problem, trials, rng):
        grid = integer_noise.gaussian_grid(m.sigma(problem))
        noise = integer_noise.gaussian(Source(rng), grid.sigma, trials)[:, None] * grid.spacing
        return noise + m.centre(problem) + 0.1 * grid.spacing * (problem.y.sum() > 0.0)

    found = audit_bits(unrounded, *pair, epsilon=1.0, delta=DELTA, trials=12_000, confidence=1.0 - 1e-6)
    assert found.verdict == "refuted"


def test_outputs_lie_on_one_grid_whatever_the_data():
    pair, m = linear_pair(), OutputPerturbation(1.0, DELTA, arithmetic="exact")
    spacing = integer_noise.gaussian_grid(m.sigma(pair[0])).spacing
    for p in pair:
        steps = m.sample(p, 200) / spacing
        assert np.array_equal(steps, np.rint(steps))
        assert not np.array_equal(*(a := floating(m).sample(p, 200) / spacing, np.rint(a)))


def test_the_exact_pair_profile_of_output_perturbation_is_above_the_plain_one():
    pair, m = linear_pair(), OutputPerturbation(1.0, DELTA, arithmetic="exact", noise_scale=3.0)
    exact, plain = (each.pair_profile(*pair).delta(0.5) for each in (m, floating(m)))
    assert plain < exact <= plain * (1.0 + 1e-6) + 1e-15


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: RRSPM(1.0, 1e-19, noise="gaussian", arithmetic="exact").scale(line_pair()[0]), r"delta must be l"),
        (lambda: RSPM(1.0, noise_scale=0.0, arithmetic="exact"), r"noise_scale must be above 0"),
        (lambda: RegularizedPerturbation(1.0, 0.1, noise_scale=0.0, arithmetic="exact"), r"noise_scale must be above"),
        (lambda: OutputPerturbation(1.0, 1e-18, arithmetic="exact").sigma(linear_pair()[0]), r"delta must be larger"),
    ],
)
def test_what_exact_arithmetic_refuses(make, said):
    with pytest.raises(validation.InvalidInput, match=said):
        make()


GD = NoisyGD(1.0, 0.1)
FLOAT_ALONE = [
    GD, JLMethod(1.0, 0.1), AveragedPerturbation(1.0, 0.1), Boosting(GD, 1.0, 0.1), NoisyMean(1.0),
    PrivateGridSearch(JLMethod(1.0, 0.1), 1.0, 0.1), ClippedSubgradient(1.0, steps=3),
    ExponentialMechanism(1.0, net_radius=0.2, sampler="tree"),
]  # fmt: skip


@pytest.mark.parametrize("mechanism", FLOAT_ALONE)
def test_exact_arithmetic_is_refused_where_it_is_left_out(mechanism):
    with pytest.raises(validation.InvalidInput, match=r"^(arithmetic must be 'float' for a mechanism of|sampler must)"):
        replace(mechanism, arithmetic="exact")


def test_separators_refuse_losses_that_floating_point_rounds():
    p = replace(line_pair()[0], loss="absolute")
    with pytest.raises(validation.InvalidInput, match=r"loss must be zero-one where arithmetic is 'exact'"):
        RRSPM(1.0, arithmetic="exact").sample(p, 1)


def test_sums_of_the_separator_are_exact():
    """Any order of summation gives the same float: the multiples of the grid that RRSPM hands to its oracle."""
    rng = np.random.default_rng(0)
    spacing, size = integer_laplace.laplace_grid(800.0, 1.0)
    terms = np.append(0.5 * spacing * integer_laplace.laplace(Source(rng), size, 400), np.ones(1000))
    sums = {float(np.cumsum(rng.permutation(terms))[-1]) for _ in range(50)}
    assert len(sums) == 1
    rough = np.append(0.5 * rng.laplace(0.0, 800.0, 400), np.ones(1000))
    assert len({float(np.cumsum(rng.permutation(rough))[-1]) for _ in range(50)}) > 1
