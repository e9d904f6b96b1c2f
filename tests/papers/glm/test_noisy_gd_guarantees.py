"""Noisy gradient descent: what it promises, against closed forms, linear algebra and simulation; bad input."""

import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import regressions
from naive import noisy_gd as naive
from scipy.stats import beta

from dpbench.core import validation
from dpbench.papers.glm import losses
from dpbench.papers.glm.algorithms.noisy_gd import NoisyGD
from dpbench.papers.glm.problem import GLMProblem
from dpbench.privacy import gaussian

problem = partial(regressions.problem, n=11, radius=60.0)
"""By default no projection is near."""


def mechanism(**changes):
    return NoisyGD(1.0, 1e-5, **{"steps": 6, "step_size": 0.4, "noise_scale": 0.2, **changes})


def one_record(loss, *, radius=1.0):
    return GLMProblem([[1.0, 0.0]], [1.0], loss=loss, x_bound=1.0, y_bound=1.0, radius=radius)


def test_printed_noise_for_a_loss_that_attains_its_lipschitz_bound():
    """μ = ε·√((T−1)/T)/√(2L)."""
    p = one_record(losses.linear())
    m = NoisyGD(2.0, 1e-5, steps=1000, calibration="printed")
    assert m.guarantee(p).mu == pytest.approx(2.0 / math.sqrt(2 * math.log(1e5)) * math.sqrt(0.999), rel=1e-12)


@pytest.mark.parametrize("steps", [2, 3, 7, 40])
@pytest.mark.parametrize("loss", [losses.linear(), losses.capped_linear(60.0)], ids=lambda x: x.name)
def test_pair_profile_is_that_of_the_unrolled_walk(loss, steps):
    """Exact linear algebra on the noises of all steps, average and all iterates; no projection is near."""
    p = problem(loss)
    q = p.replace_record(4, [0.0, -0.8, 0.6], -1.0)
    m = mechanism(steps=steps)
    gap = (p.X.T @ p.y - q.X.T @ q.y) / p.n
    for released in ("average", "all"):
        profile = m.pair_profile(p, q, released=released)
        want = naive.distance_of_releases(gap, steps, m.eta(p), m.sigma(p), averaged=released == "average")
        assert profile.mu == pytest.approx(want, rel=1e-9)
        for epsilon in (0.1, 0.5):
            assert profile.delta(epsilon) == pytest.approx(gaussian.delta(epsilon, want), rel=1e-6)
        assert profile.delta(0.1) <= m.guarantee(p).delta(0.1)
    ratio = m.pair_profile(p, q).mu / m.pair_profile(p, q, released="all").mu
    assert ratio == pytest.approx(math.sqrt(6 * steps / (4 * (2 * steps - 1))), rel=1e-12)


CHANCE_TRIALS = 40_000
LEVEL = 1e-6


def chance_is_refuted(bound, seen):
    """Clopper–Pearson at 1e-6: whether `seen` active projections say that their chance is above `bound`."""
    return seen > 0 and bool(beta.ppf(LEVEL, seen, CHANCE_TRIALS - seen + 1) > bound)


def test_chance_of_an_active_projection_is_bounded():
    """Null: the chance is at most the profile's κ. False-alarm rate 1e-6; sees a chance 15% above κ.

    Planted: without the factor 2 of Lévy's inequality the bound is P(‖S_T‖ > r) itself, and is refuted.
    """
    steps, eta, sigma, room = 60, 0.4, 0.2, 1.9
    m = mechanism(steps=steps, step_size=eta, noise_scale=sigma)
    p = problem(losses.linear())
    q = p.replace_record(4, [0.0, -0.8, 0.6], -1.0)
    drift = max(float(np.linalg.norm(data.X.T @ data.y)) / data.n for data in (p, q))
    p, q = (replace(data, radius=eta * (steps - 1) * drift + room) for data in (p, q))
    profile = m.pair_profile(p, q)
    kappa = (gaussian.delta(0.0, profile.mu) - profile.delta(0.0)) / 2.0
    assert 0.01 < kappa < 0.1
    walk = np.cumsum(np.random.default_rng(11).standard_normal((CHANCE_TRIALS, steps - 1, p.d)), axis=1)
    active = int((eta * sigma * np.linalg.norm(walk, axis=2).max(axis=1) > room).sum())
    assert not chance_is_refuted(kappa, active)
    assert not chance_is_refuted(kappa, int(np.ceil(CHANCE_TRIALS * kappa)))
    assert chance_is_refuted(kappa, int(CHANCE_TRIALS * kappa * 1.15))
    assert chance_is_refuted(kappa / 2.0, active)


def test_profiles_at_the_edges():
    p = problem(losses.linear())
    assert mechanism(noise_scale=0.0).guarantee(p).delta(3.0) == 1.0
    assert mechanism(steps=1).guarantee(p).delta(0.0) == 0.0
    curved = problem(losses.squared())
    assert mechanism().pair_profile(curved, curved).kind == "upper"
    with pytest.raises(validation.InvalidInput, match="released must be one of average, all"):
        mechanism().pair_profile(p, p, released="last")


def test_step_size_is_that_of_theorem_1():
    """η = min(B/(√T·max(√H̃·Y, σ√d)), 1/(4H̃)) with H = 2, X = 1, Y = 1 for the squared loss."""
    p = problem(losses.squared(), radius=0.5)
    for sigma in (0.0, 0.1, 10.0):
        m = NoisyGD(1.0, 1e-5, steps=25, noise_scale=sigma)
        want = min(0.5 / (5.0 * max(math.sqrt(2.0), sigma * math.sqrt(3.0))), 0.125)
        assert m.eta(p) == pytest.approx(want, rel=1e-14)


@pytest.mark.parametrize(("radius", "kind"), [(10.0, "exact"), (0.05, "upper")])
def test_without_noise_two_means_beyond_the_ball_may_give_one_output(radius, kind):
    """Where both runs end on the sphere their outputs are equal, and a profile with δ = 1 is no lower bound."""
    p = one_record(losses.linear(), radius=radius)
    q = p.replace_record(0, np.array([1.0, 0.0]), 0.5)
    m = mechanism(noise_scale=0.0)
    profile = m.pair_profile(p, q, released="all")
    assert profile.kind == kind and profile.delta(1.0) == 1.0
    last = [m(each, 1, np.random.default_rng(0)) for each in (p, q)]
    assert np.allclose(*last) is (kind == "upper")
