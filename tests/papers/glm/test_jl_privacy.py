"""The JL method: its parameters, what they bound, and the privacy of pairs."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from naive import jl as naive
from naive import privacy as exact
from registry import LOSSES, problem
from scipy.stats import chi2

from dpbench.core import validation
from dpbench.papers.glm import losses, theory
from dpbench.papers.glm.algorithms import _jl_profiles as profiles
from dpbench.papers.glm.algorithms._jl_profiles import log_tails
from dpbench.papers.glm.algorithms.jl import JLMethod
from dpbench.papers.glm.algorithms.noisy_gd import NoisyGD, printed_gradient_bound
from dpbench.papers.glm.algorithms.random_map import MAPS, RandomMap
from dpbench.papers.glm.sensitivity import gradient_gap
from dpbench.papers.glm.theorems.pairs import cancelling_pair, random_record
from dpbench.privacy import gaussian


def test_printed_parameters_are_the_theorems():
    """The formulas themselves: `test_theory`."""
    p, given = replace(problem("squared", n=50, d=40), radius=0.7), (2.0, 1.0, 1.0, 0.7, 50, 0.5, 1e-4)
    m = JLMethod(0.5, 1e-4, calibration="printed")
    assert (m.number_of_steps(p), m.projected_dimension(p)) == (50, math.ceil(theory.smooth_jl_dimension(*given)))
    assert m.sigma(p) == theory.noisy_gd_noise(printed_gradient_bound(p), 50, 50, 0.5, 1e-4)
    assert m.eta(p) == theory.noisy_gd_step_size(0.7, 50, 2.0, 1.0, 1.0, m.sigma(p), 40)
    q = replace(problem("absolute", n=20, d=4000), radius=0.7)
    k = math.ceil(theory.lipschitz_jl_dimension(20, 0.5, 1e-4))
    assert (m.number_of_steps(q), m.projected_dimension(q)) == (400, k)
    assert m.sigma(q) == theory.lipschitz_jl_noise(1.0, 1.0, 400, 20, 0.5, 1e-4)
    assert m.eta(q) == theory.lipschitz_jl_step_size(1.0, 1.0, 0.7, 400, 20, k, 0.5, 1e-4)
    twice = replace(m, dimension_constant=2.0)
    assert twice.projected_dimension(q) == math.ceil(theory.lipschitz_jl_dimension(20, 0.5, 1e-4, 2.0))
    assert JLMethod(100.0, 1e-4, calibration="printed").projected_dimension(p) == 40, "never above d"


def test_exact_parameters():
    p = replace(problem("squared", n=50, d=40), radius=0.7)
    m = JLMethod(0.5, 1e-4)
    k = math.ceil((2.0 * 0.7 * 50 * 0.5 / printed_gradient_bound(p)) ** (2 / 3))
    assert (m.projected_dimension(p), m.number_of_steps(p)) == (k, 50)
    assert m.norm_bound(p) == 2.0
    wide = replace(m, dimension=400)
    assert wide.norm_bound(p) == pytest.approx(1.0 + math.sqrt(math.log(100 / 1e-4) / 400))
    assert replace(m, distortion=0.25).norm_bound(p) == 1.25
    gap = gradient_gap(p.loss, 2.0, 1.0, 1.4, 40)
    assert m.sigma(p) == pytest.approx(gap / 50 * 7.0 / gaussian.mu(0.5, 1e-4))
    want = theory.noisy_gd_step_size(0.7, 50, 2.0, 2.0, 1.0, m.sigma(p), k)
    assert m.eta(p) == pytest.approx(want)
    q = problem("absolute", n=50, d=40)
    assert (m.number_of_steps(q), m.projected_dimension(q)) == (50, 25)
    assert m.eta(q) == pytest.approx(2.0 / (math.sqrt(50) * m.sigma(q) * 5.0))


@pytest.mark.parametrize("loss", sorted(LOSSES))
def test_more_budget_never_means_more_noise_when_k_follows_it(loss):
    p = problem(loss, n=60, d=200)
    for calibration in ("exact", "printed"):
        found = [JLMethod(e, 1e-5, calibration=calibration).sigma(p) for e in np.geomspace(0.01, 10.0, 80)]
        assert found == sorted(found, reverse=True)


def realised_gap(problem, rng, tries):
    """The largest ‖∇ℓ(w; z̃) − ∇ℓ(w; z̃')‖/D met: z̃ projected as the mechanism does, w in the ball of radius 2B."""
    worst = 0.0
    for trial in range(tries):
        k = 1 + trial % 6
        mechanism = JLMethod(1.0, 1e-5, dimension=k, map=MAPS[trial % 3], distortion=0.5)
        base = problem
        for index in (0, 1):
            base = base.replace_record(index, *random_record(problem, rng, extreme=trial % 4 < 3))
        phi = RandomMap(mechanism.map, k, problem.d, rng)
        projected = mechanism.projected(base, phi.project(base.X))
        w = rng.standard_normal(k)
        w *= projected.radius * (1.0 if trial % 2 else rng.random()) / np.linalg.norm(w)
        slope = problem.loss.derivative(projected.X[:2] @ w, projected.y[:2])
        difference = slope[0] * projected.X[0] - slope[1] * projected.X[1]
        most = gradient_gap(problem.loss, projected.x_bound, problem.y_bound, projected.radius, k)
        worst = float(np.maximum(worst, float(np.linalg.norm(difference)) / most))
    return worst


@pytest.mark.parametrize("loss", sorted(LOSSES))
def test_gradients_in_the_projected_space_differ_by_at_most_d(loss):
    """Measured sensitivity; planted: D at radius B and norm X, as the paper has it, is exceeded."""
    p = replace(problem(loss, n=2), radius=2.0)
    found = realised_gap(p, np.random.default_rng(1), 120)
    assert found <= 1.0
    assert found > gradient_gap(p.loss, 1.0, 1.0, 2.0, 5) / gradient_gap(p.loss, 1.5, 1.0, 4.0, 5)


@pytest.mark.few(2)
@pytest.mark.parametrize(("k", "mu", "epsilon"), [(1, 0.5, 1.0), (2, 0.5, 0.3), (5, 1.0, 1.0), (40, 1.0, 2.0)])
def test_the_profile_of_a_pair_is_that_of_its_mixture(k, mu, epsilon):
    """Against the hockey-stick of the marginal, which knows nothing of conditioning on the map."""
    p, q = cancelling_pair("linear", 11, x_bound=1.0, y_bound=1.0, radius=1.0, dimension=50)
    m = JLMethod(1.0, 1e-5, calibration="printed", dimension=k, steps=5, step_size=1e-9)
    m = replace(m, noise_scale=2.0 / 11.0 * math.sqrt(4) / mu)
    profile = m.pair_profile(p, q, released="all")
    want = naive.hockey_stick_on_a_line(k, mu, epsilon)
    assert profile.kind == "lower"
    assert 0.95 * want <= profile.delta(epsilon) <= want * (1.0 + 1e-4)
    fixed = m.pair_profile(p, q, released="all", stretch=1.5)
    assert fixed.delta(epsilon) == pytest.approx(gaussian.delta(epsilon, 1.5 * mu), rel=1e-6)
    assert m.guarantee(p).delta(epsilon) >= profile.delta(epsilon)


def test_at_a_known_stretch_the_profile_is_that_of_a_descent_in_the_projected_space():
    """In R^4 and in the ball of radius 2B, with a chance of half a percent that a projection is active."""
    p, q = cancelling_pair("linear", 11, x_bound=1.0, y_bound=1.0, radius=1.0, dimension=20)
    inner = cancelling_pair("linear", 11, x_bound=1.0, y_bound=1.0, radius=2.0, dimension=4)
    shared = {"steps": 30, "step_size": 0.2, "noise_scale": 0.35}
    m = JLMethod(1.0, 1e-5, calibration="printed", dimension=4, **shared)
    for released in ("average", "all"):
        found = m.pair_profile(p, q, stretch=1.0, released=released)
        want = NoisyGD(1.0, 1e-5, **shared).pair_profile(*inner, released=released)
        for epsilon in (0.1, 1.0, 2.0):
            assert found.delta(epsilon) == pytest.approx(want.delta(epsilon), rel=1e-6)
            assert gaussian.delta(epsilon, want.mu) - want.delta(epsilon) > 1e-3


@pytest.mark.slow
def test_the_output_on_a_line_has_the_mean_that_the_profile_assumes():
    """Null: mean of ⟨u, Φᵀw̃⟩ = η‖g‖(T − 1)/2. 4,000 trials: an error of 15% is 6 standard errors (planted)."""
    p, _ = cancelling_pair("linear", 5, x_bound=1.0, y_bound=1.0, radius=100.0, dimension=20)
    m = JLMethod(1.0, 1e-5, calibration="printed", dimension=4, steps=9, step_size=0.1, noise_scale=0.1)
    found = m(p, 4000, np.random.default_rng(8))[:, 0]
    want, error = 0.1 * 0.2 * 4.0, float(found.std() / math.sqrt(len(found)))
    assert abs(found.mean() - want) < 4.9 * error
    assert abs(found.mean() - 1.15 * want) > 4.9 * error


def test_pairs_that_are_not_on_a_line_get_the_guarantee():
    p, q = cancelling_pair("linear", 11, x_bound=1.0, y_bound=1.0, radius=1.0, dimension=3)
    printed = JLMethod(1.0, 1e-5, calibration="printed", dimension=4, steps=5, step_size=1e-6)
    off = p.replace_record(0, [0.0, 0.5, 0.0], 1.0)
    beyond = cancelling_pair(losses.capped_linear(0.1), 11, x_bound=1.0, y_bound=1.0, radius=1.0)
    beside = [data.replace_record(0, [0.0, 0.5, 0.0], 1.0).replace_record(1, [0.0, 0.5, 0.0], -1.0) for data in (p, q)]
    cases = [
        (printed, p, off),
        (printed, *beside),  # records that cancel, and are not on the line of the others
        (printed, p, p),
        (replace(printed, calibration="exact"), p, q),
        (replace(printed, map="sparse"), p, q),
        (replace(printed, steps=1), p, q),
        (printed, problem("squared"), problem("squared", seed=8)),
    ]
    for m, one, other in cases:
        assert m.pair_profile(one, other).kind == "upper"
    assert printed.pair_profile(*beyond, stretch=2.0).kind == "upper"
    assert printed.pair_profile(p, q).kind == "lower"
    assert printed.pair_profile(p, q, stretch=2.0).kind == "lower"


def test_an_active_projection_leaves_no_lower_bound():
    p, q = cancelling_pair("linear", 11, x_bound=1.0, y_bound=1.0, radius=1.0, dimension=3)
    m = JLMethod(1.0, 0.1, calibration="printed", dimension=4, steps=5, step_size=1e-6)
    assert m.pair_profile(p, q).delta(0.01) > 0.0
    assert replace(m, step_size=5.0).pair_profile(p, q).delta(0.01) == 0.0
    assert replace(m, step_size=1e6).pair_profile(p, q).delta(0.01) == 0.0


def test_tails_bound_the_chance_of_a_long_projection():
    """Every map of ±1 or 0 counted, in three dimensions and k = 3; the normal one is χ²."""
    x, stretches = np.array([0.6, 0.64, 0.48]), np.array([1.0, 1.2, 1.5, 1.7])
    for kind, values, chances in (
        ("rademacher", (-1.0, 1.0), (0.5, 0.5)),
        ("sparse", (-math.sqrt(3.0), 0.0, math.sqrt(3.0)), (1 / 6, 2 / 3, 1 / 6)),
    ):
        square = (np.array([*itertools.product(values, repeat=3)]) @ x) ** 2  # of one row of the map
        chance = np.array([*itertools.product(chances, repeat=3)]).prod(axis=1)
        length = np.sqrt(np.add.outer(np.add.outer(square, square), square) / 3.0)
        of_three = np.multiply.outer(np.multiply.outer(chance, chance), chance)
        for stretch, tail in zip(stretches, log_tails(kind, 3, stretches), strict=True):
            assert of_three[length > stretch].sum() <= math.exp(tail)
    stretches = np.array([1.01, 1.2, 2.0, 5.0])
    assert log_tails("gaussian", 3, stretches)[1] == pytest.approx(math.log(chi2.sf(3 * 1.44, 3)))
    for k in (1, 3, 30):  # Chernoff's bound, which holds of the normal map too
        over = log_tails("rademacher", k, stretches) - log_tails("gaussian", k, stretches)
        assert np.all(over >= 0.0) and np.all(over <= np.log(4.0 * (k + 2.0) * stretches**2))


def test_a_theorem_whose_conditions_do_not_hold_is_refused():
    for theorem, loss in ((2, "absolute"), (2, "linear"), (10, "squared")):
        with pytest.raises(validation.InvalidInput, match=r"^loss must be .* for Theorem"):
            JLMethod(1.0, 1e-5, theorem=theorem).sigma(problem(loss))
    p, q = cancelling_pair("linear", 11, x_bound=1.0, y_bound=1.0, radius=1.0)
    for bad in ({"released": "last"}, {"stretch": 0.0}):
        with pytest.raises(validation.InvalidInput, match=r"^(released|stretch) must be "):
            JLMethod(1.0, 1e-5).pair_profile(p, q, **bad)


@pytest.mark.parametrize("apart", [1, 3])
@pytest.mark.parametrize("k", [1, 10, 100])
def test_both_records_of_each_difference_may_be_stretched(k, apart):
    """The printed method's guarantee: a Gaussian at the stretch at which it and two tails together are least; for a
    pair that differs in three records three times as far, with six tails."""
    p, m = problem("absolute"), JLMethod(1.0, 1e-5, calibration="printed", dimension=k, steps=12)
    q = p
    for record in range(apart):
        q = q.replace_record(record, -p.X[record], -p.y[record])
    mu = 2.0 / 40.0 * math.sqrt(11) / m.sigma(p)
    tails = profiles.log_tails(m.map, k, profiles._STRETCHES)
    least = min(
        2.0 * apart * math.exp(min(0.0, tail)) + gaussian.delta(1.0, apart * s * mu)
        for tail, s in zip(tails, profiles._STRETCHES, strict=True)
    )
    assert m.pair_profile(p, q).delta(1.0) == pytest.approx(min(1.0, least), rel=1e-6)
    assert apart > 1 or m.guarantee(p).delta(1.0) == m.pair_profile(p, q).delta(1.0)
    assert replace(m, noise_scale=0.0).guarantee(p).delta(9.0) == 1.0


def test_the_bound_over_all_neighbours_is_rounded_up():
    """With no record that differs no stretch is too long, and the bound is the Gaussian one at the least stretch."""
    profile = profiles.unclipped_profile("gaussian", 20, lambda stretch: 0.3 * stretch, 0)
    for epsilon in (0.0, 0.1, 0.7):
        true = float(exact.gaussian_delta(epsilon, 0.3 * 1.001))
        assert 0.5 * gaussian.ROUNDING < profile.delta(epsilon) / true - 1.0 < 2.0 * gaussian.ROUNDING


def test_printed_noise_has_no_guarantee_where_a_record_is_added():
    """Its proof compares two records that differ; a record added is compared with the mean of all others."""
    data = problem("squared")
    fixed = {"dimension": 2, "steps": 4, "step_size": 0.1, "noise_scale": 1.0, "distortion": 0.5}
    with pytest.raises(validation.InvalidInput, match="calibration must be 'exact' where neighbours is 'add_remove'"):
        JLMethod(1.0, 1e-5, calibration="printed", **fixed).guarantee(data, neighbours="add_remove")
    assert JLMethod(1.0, 1e-5, **fixed).guarantee(data, neighbours="add_remove").neighbours == "add_remove"
