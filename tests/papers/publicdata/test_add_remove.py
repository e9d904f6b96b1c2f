"""Guarantees under add/remove: exact laws where they are finite or Gaussian, and who has none."""

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from dpbench.core import validation
from dpbench.papers.glm.algorithms.boosting import Boosting
from dpbench.papers.glm.algorithms.grid_search import PrivateGridSearch
from dpbench.papers.glm.algorithms.jl import JLMethod
from dpbench.papers.glm.algorithms.noisy_gd import NoisyGD
from dpbench.papers.glm.algorithms.noisy_mean import NoisyMean
from dpbench.papers.glm.algorithms.output_perturbation import OutputPerturbation
from dpbench.papers.glm.problem import GLMProblem
from dpbench.papers.heavytail.algorithms.baselines import ClippedSubgradient
from dpbench.papers.heavytail.algorithms.exponential import ExponentialMechanism
from dpbench.papers.heavytail.problem import HeavyTailedProblem
from dpbench.papers.publicdata.algorithms.anchored import with_anchor
from dpbench.papers.publicdata.algorithms.averaged_perturbation import AveragedPerturbation
from dpbench.papers.publicdata.algorithms.regularized_perturbation import RegularizedPerturbation
from dpbench.papers.publicdata.algorithms.rrspm import RRSPM, parity_law
from dpbench.papers.publicdata.algorithms.rspm import RSPM
from dpbench.papers.publicdata.hypotheses.constants import Constants
from dpbench.papers.publicdata.hypotheses.cube import ParityCube
from dpbench.papers.publicdata.hypotheses.finite import FiniteClass
from dpbench.papers.publicdata.hypotheses.linear import LinearBall
from dpbench.papers.publicdata.problem import PublicDataProblem
from dpbench.privacy.discrete import pair_from_logs
from dpbench.privacy.profile import discrete_profile

GD = NoisyGD(1.0, 1e-3, steps=2, step_size=1.0, noise_scale=0.5)
OUTPUT = OutputPerturbation(1.0, 1e-3, regularization=0.3, noise_scale=0.5)
LOSSES = ("squared", "logistic", "huber", "linear")


def one_more(loss, seed):
    """Data of 1 to 5 extreme records in one dimension, and the same without the last one added."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 6))
    X, y = rng.choice([-1.0, 0.5, 1.0], (n + 1, 1)), rng.choice([-1.0, 1.0], n + 1)
    small, large = (GLMProblem(X[:k], y[:k], loss=loss, x_bound=1.0, y_bound=1.0, radius=2.0) for k in (n, n + 1))
    return small, large


@pytest.mark.parametrize("loss", LOSSES)
def test_one_noisy_step_on_one_record_more(loss):
    """The law of one step is Gaussian around the mean gradient at 0: its μ is within the guarantee of either side."""
    largest = 0.0
    for seed in range(60):
        pair = one_more(loss, seed)
        means = [float((p.loss.derivative(np.zeros(p.n), p.y) * p.X[:, 0]).mean()) for p in pair]
        for p in pair:
            profile = GD.guarantee(p, neighbours="add_remove")
            assert profile.neighbours == "add_remove" and profile.mu is not None
            largest = max(largest, abs(means[0] - means[1]) / 0.5 / profile.mu)
    assert 0.2 < largest <= 1.0 + 1e-12


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("arithmetic", ["float", "exact"])
def test_minimisers_of_one_record_more(loss, arithmetic):
    """The computed centres lie within what the guarantee of either side counts; the larger one's attains half of it."""
    largest, m = 0.0, replace(OUTPUT, arithmetic=arithmetic)
    for seed in range(60):
        pair = one_more(loss, seed)
        apart = abs(float(m.centre(pair[0])[0] - m.centre(pair[1])[0]))
        for p in pair:
            profile = m.guarantee(p, neighbours="add_remove")
            counted = m._one_record(p) + m.tau(p) * (1.0 + p.n / max(p.n - 1, 1))
            largest = max(largest, apart / min(counted, 4.0))
            assert profile.delta(1.0) >= m._profile(p, apart, "upper", "this pair").delta(1.0)
    assert 0.3 < largest <= 1.0


def cube(labels):
    """Records on the parity's point; three bits, four public points each."""
    points = np.repeat([0.0, 1.0, 2.0], 4)
    x = np.full(len(labels), 4.0)
    return PublicDataProblem(x, labels, points, hypotheses=ParityCube(3), loss="zero-one")


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_the_exact_law_of_parities_on_one_record_more(noise):
    """RRSPM on the parity cube, all records but one cancelling: within the guarantee."""
    reached = 0.0
    for scale in (2.0, 12.0):
        m = RRSPM(1.0, 0.01, noise=noise, noise_scale=scale)
        for labels in ([1.0], [1.0, -1.0], [1.0, 1.0, -1.0]):
            small, large = cube(labels), cube([*labels, 1.0])
            laws = [parity_law(p, noise, scale) for p in (small, large)]
            assert laws[0] is not None and laws[1] is not None
            profile = discrete_profile(pair_from_logs(laws[0], laws[1]), why="the two laws of the parity")
            guarantee = m.guarantee(small, neighbours="add_remove")
            for epsilon in (0.0, 0.05, 0.3):
                assert profile.delta(epsilon) <= guarantee.delta(epsilon)
            reached = max(reached, profile.delta(0.0) / max(guarantee.delta(0.0), 1e-300))
            twice = m.guarantee(small)
            assert all(guarantee.delta(e) <= twice.delta(e) for e in (0.0, 0.3, 1.0))
    assert reached > 0.05


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_records_that_cancel_leave_both_parities_alike(noise):
    """No law is known where a bit has no public point, the parity has one, or a record lies on a bit."""
    p = cube([1.0, -1.0])
    for unknown in ({"public": p.public[4:]}, {"public": np.append(p.public, 4.0)}, {"x": [0.0, 4.0]}):
        assert parity_law(replace(p, **unknown), noise, 2.0) is None
    for scale in (2.0, 12.0):
        law = parity_law(cube([1.0, -1.0]), noise, scale)
        assert law == pytest.approx([math.log(0.5)] * 2, rel=1e-12)
        law = parity_law(cube([1.0]), noise, scale)
        assert law is not None and law[0] < math.log(0.5) < law[1] and np.exp(law).sum() == pytest.approx(1.0)


def test_half_the_shift_is_half_the_loss():
    p = cube([1.0, -1.0])
    for mechanism, arithmetic in product((RRSPM, RSPM), ("float", "exact")):
        m = mechanism(1.0, arithmetic=arithmetic)
        assert m.guarantee(p, neighbours="add_remove").epsilon(0.0) == pytest.approx(0.5, rel=1e-3)
        assert m.guarantee(p).epsilon(0.0) == pytest.approx(1.0, rel=1e-3)


@pytest.mark.parametrize("normalization", ["mean", "sum"])
def test_averages_of_one_record_more(normalization):
    """Algorithm 2 under common ω: f̄ of 10 and of 11 records lie within the ρ of either, and attain a seventh of it.

    ρ bounds all but δ/2 = 0.1 of the runs: of 400, more than 81 beyond it have a probability below 1e-6.
    """
    eta = 1.0 if normalization == "mean" else 10.0
    m = AveragedPerturbation(1.0, 0.2, perturbation=eta, noise_scale=1.0, normalization=normalization)
    x, y, two = np.zeros(11, dtype=int), np.array([1.0, -1.0] * 5 + [1.0]), FiniteClass([[1, 1, 1], [-1, -1, -1]])
    pair = [PublicDataProblem(x[:k], y[:k], [0, 1, 2], hypotheses=two, loss="zero-one") for k in (10, 11)]
    first, second = (m.centres(p, 400, np.random.default_rng(3)) for p in pair)
    moved = np.sqrt(((first - second) ** 2).mean(axis=1))
    for p in pair:
        rho = m.stability(p)
        assert np.count_nonzero(moved > rho) <= 81 and moved.max() > rho / 7.0
        profile = m.guarantee(p, neighbours="add_remove")
        assert profile.neighbours == "add_remove" and 1.0 > profile.delta(1.0) >= m.guarantee(p).delta(1.0)


@pytest.mark.parametrize("arithmetic", ["float", "exact"])
@pytest.mark.parametrize("normalization", ["mean", "sum"])
def test_minimisers_of_an_iteration_on_one_record_more(arithmetic, normalization):
    """Algorithm 3 on a ball: f̄ of n and n + 1 records lie within the ρ of either; a sum's gaps are those of n ± 1."""
    m = RegularizedPerturbation(
        1.0, 0.01, regularization=0.5, noise_scale=0.3, arithmetic=arithmetic, normalization=normalization
    )
    rng, largest = np.random.default_rng(4), 0.0
    for _ in range(20):
        x, y = rng.choice([-1.0, 1.0], (5, 2)) / 1.5, rng.choice([-1.0, 1.0], 5)
        pair = [PublicDataProblem(x[:k], y[:k], np.eye(2), hypotheses=LinearBall(2), loss="squared") for k in (4, 5)]
        moved = float(np.sqrt(((m.centre(pair[0]) - m.centre(pair[1])) ** 2).mean()))
        for p in pair:
            rho = m.stability(p, neighbours="add_remove")
            assert rho >= m.stability(p) and (rho > m.stability(p)) == (normalization == "sum")
            assert m.guarantee(p, neighbours="add_remove").delta(0.5) >= m.guarantee(p).delta(0.5)
            largest = max(largest, moved / rho)
    assert 0.1 < largest <= 1.0


PLAIN = GLMProblem(np.ones((4, 1)), [1.0, -1.0, 1.0, 1.0], loss="absolute", x_bound=1.0, y_bound=1.0, radius=1.0)
JL = JLMethod(1.0, 1e-3, dimension=1, distortion=1.0, steps=3, step_size=0.5, noise_scale=0.7)


@pytest.mark.parametrize(
    ("mechanism", "said"),
    [
        (NoisyGD(1.0, 1e-3), "which depend on n else: steps, step_size, noise_scale"),
        (replace(JL, distortion=None), "which depend on n else: distortion"),
        (OutputPerturbation(1.0, 1e-3), "which depend on n else: regularization, noise_scale"),
        (OUTPUT, "'replace' for a loss with a corner: n sets its smoothing"),
        (NoisyMean(1.0), "'replace': n sets the scale of the noise"),
        (Boosting(GD, 1.0, 1e-3, models=2), "'replace': the parts that the records are cut into follow n"),
        (PrivateGridSearch(GD, 1.0, 1e-3, candidates=2), "'replace': the parts that the records are cut into follow n"),
        (ClippedSubgradient(1.0), "'replace': n sets the noise of a mean"),
        (ExponentialMechanism(1.0, net_radius=0.5, truncation=1.0, arithmetic="exact"), "theta is no multiple of 1/4"),
    ],
)
def test_who_has_none_says_why(mechanism, said):
    heavy = isinstance(mechanism, (ClippedSubgradient, ExponentialMechanism))
    p = HeavyTailedProblem([[1.0], [2.0]], [0.0, 1.0], radius=1.0, theta=1.6) if heavy else PLAIN
    with pytest.raises(validation.InvalidInput, match=said):
        mechanism.guarantee(p, neighbours="add_remove")
    assert mechanism.guarantee(p, neighbours="replace").neighbours == "replace"
    with pytest.raises(validation.InvalidInput, match="neighbours must be one of replace, add_remove"):
        mechanism.guarantee(p, neighbours="swap")


def test_the_others_have_one():
    assert JL.guarantee(PLAIN, neighbours="add_remove").neighbours == "add_remove"
    anchored = with_anchor(PublicDataProblem([0.0], [1.0], [0.0], hypotheses=Constants(), loss="squared"))
    m = AveragedPerturbation(1.0, 0.01, perturbation=3.0, noise_scale=1.0)
    assert m.guarantee(anchored, neighbours="add_remove").neighbours == "add_remove"
    with pytest.raises(validation.InvalidInput, match="else: perturbation"):
        replace(m, perturbation=None).guarantee(anchored, neighbours="add_remove")
