"""Output perturbation: its sensitivity, its calibrations, its sampling and the privacy of pairs."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from regressions import ALL, problem

from dpbench.convex.solver import certificate_rounding
from dpbench.core import validation
from dpbench.papers.glm import losses, theory
from dpbench.papers.glm.algorithms import centres
from dpbench.papers.glm.algorithms.output_perturbation import OutputPerturbation
from dpbench.papers.glm.sensitivity import gradient_gap
from dpbench.papers.glm.theorems.pairs import cancelling_pair
from dpbench.privacy import gaussian
from dpbench.privacy.integer_noise import distance_from_rounded, gaussian_grid

opposite = partial(cancelling_pair, "linear", x_bound=1.0, y_bound=1.0, radius=1.0, dimension=2)
"""The worst neighbours of all: records that cancel, and one that pulls along ±e₁."""


def test_a_tolerance_out_of_reach_is_an_error_and_nothing_is_released():
    """And the refusal says the same of every data set within the bounds: a release would have told them apart."""
    said = set()
    for seed in range(5):
        with pytest.raises(validation.InvalidInput, match=r"^tolerance must be at least .*, got 1e-17$") as refused:
            stubborn = OutputPerturbation(1.0, 1e-5, tolerance=1e-17)
            stubborn(problem(losses.logistic(), seed=seed), 1, np.random.default_rng(0))
        said.add(str(refused.value))
    assert len(said) == 1


def test_a_looser_tolerance_raises_the_noise():
    p = problem(losses.logistic())
    noises = [OutputPerturbation(1.0, 1e-5, tolerance=t).sigma(p) for t in (1e-6, 1e-3, 0.1)]
    assert noises[0] < noises[1] < noises[2]
    assert noises[2] / noises[0] == pytest.approx(1.2, rel=1e-4)
    printed = OutputPerturbation(1.0, 1e-5, calibration="printed", tolerance=0.1)
    assert printed.guarantee(p).delta(1.0) > replace(printed, tolerance=1e-6).guarantee(p).delta(1.0)


def test_the_smoothing_of_a_corner_leaves_a_quarter_of_the_tolerance_to_rounding_or_is_refused():
    """κ is the least, or no larger than rounding asks for; one as wide as all predictions would leave nothing of |r|,
    and the output would be that of no data."""
    p, wide = problem(losses.absolute(), n=100), []
    for tolerance in (1e-5, 1e-8, 1e-11, 6e-12, 3e-12, 1e-13):
        m = OutputPerturbation(1.0, 1e-5, regularization=1e-3, tolerance=tolerance)
        kappa = m.smoothing(p)
        if kappa > p.x_bound * p.radius:
            wide.append(tolerance)
            with pytest.raises(validation.InvalidInput, match=r"^tolerance must be at least"):
                m.centre(p)
            continue
        rounding = certificate_rounding(1.0, 1.0 / kappa, p.x_bound, p.n, m.lam(p), p.radius)
        assert rounding <= 0.25 * m.tau(p) * (1.0 + 1e-9)
        assert kappa == 1e-6 * p.x_bound * p.radius or rounding == pytest.approx(0.25 * m.tau(p))
        assert p.empirical_risk(m.centre(p)) < 0.3 * p.empirical_risk(np.zeros(p.d))
    assert wide == [6e-12, 3e-12, 1e-13]  # at the first, rounding alone would leave half of the tolerance


def test_a_kept_centre_is_not_taken_for_that_of_another_domain():
    """One λ and τ, with and without the ball: the minimiser of all of space is mean(yx)/λ, beyond the ball."""
    p, _ = opposite(101)
    lengths = []
    for constrained in (True, False, True):
        m = OutputPerturbation(1.0, 1e-5, regularization=1e-3, constrained=constrained)
        lengths.append(float(np.linalg.norm(centres.minimiser_of(m, p).w)))
    assert lengths == pytest.approx([1.0, 1000.0 / 101.0, 1.0], rel=1e-4)


# Sensitivity


@pytest.mark.parametrize(
    ("name", "constrained"),
    [(name, True) for name in ALL] + [(name, False) for name in ("logistic", "huber", "absolute", "linear")],
)
def test_no_neighbour_moves_the_centre_further_than_declared(name, constrained):
    """Random records, and records that oppose each other at the centre, against the declared sensitivity."""
    rng, loss = np.random.default_rng(5), ALL[name]
    m = OutputPerturbation(1.0, 1e-5, constrained=constrained, tolerance=1e-7)
    for d, radius in ((1, 0.7), (2, 0.3), (3, 5.0)):
        p = problem(loss, n=15, d=d, radius=radius)
        declared = m.sensitivity(p)
        for _ in range(12):
            x = rng.standard_normal((2, d))
            x *= (rng.random((2, 1)) ** 0.2) / np.linalg.norm(x, axis=1, keepdims=True) * (1.0 - 1e-12)
            x[1] = -x[0] if rng.random() < 0.5 else x[1]
            y = rng.choice([-1.0, 1.0], 2)
            pair = [p.replace_record(0, row, label) for row, label in zip(x, y, strict=True)]
            moved = np.linalg.norm(m.centre(pair[0]) - m.centre(pair[1]))
            assert moved <= declared
            assert m.pair_profile(*pair).mu == pytest.approx(moved / m.sigma(p))
            assert m.pair_profile(*pair).delta(1.0) <= m.guarantee(p).delta(1.0)


def test_linear_loss_attains_the_sensitivity_to_the_last_digit():
    m = OutputPerturbation(1.0, 1e-5, tolerance=1e-9)
    pair = opposite(101)
    moved = np.linalg.norm(m.centre(pair[0]) - m.centre(pair[1]))
    assert moved == pytest.approx(m.sensitivity(pair[0]), rel=1e-8)
    assert m.pair_profile(*pair).delta(1.0) == pytest.approx(1e-5, rel=1e-6)
    (small, _), large = opposite(1), OutputPerturbation(20.0, 1e-5)  # λn so small that the ball's 2B is less
    assert large.sensitivity(small) == 2.0 < gradient_gap(small.loss, 1.0, 1.0, 1.0, 2) / large.lam(small)


# Calibration


@pytest.mark.parametrize("name", ALL)
def test_exact_calibration_pays_for_the_tolerance_and_no_more(name):
    p = problem(ALL[name], n=400)
    for epsilon, delta in ((0.1, 1e-8), (1.0, 1e-5), (20.0, 1e-2)):
        m = OutputPerturbation(epsilon, delta, tolerance=1e-3)
        gap = gradient_gap(p.loss, 1.0, 1.0, 1.0, 3)
        shift = gap / (m.lam(p) * 400) * (1.0 + 2e-3)
        assert m.sigma(p) == pytest.approx(min(shift, 2.0) / gaussian.mu(epsilon, delta), rel=1e-12)
        assert delta * (1.0 - 1e-6) <= m.guarantee(p).delta(epsilon) <= delta


def test_printed_parameters_are_the_theorems():
    """The formulas themselves: `test_theory`."""
    m = OutputPerturbation(0.5, 1e-5, calibration="printed")
    p, given = problem(losses.squared(), n=100, radius=2.0), (2.0, 1.0, 1.0, 2.0, 100, 0.5, 1e-5)
    assert m.lam(p) == theory.smooth_erm_regularization(*given)
    assert m.sigma(p) == theory.smooth_erm_noise(*given, m.lam(p))
    assert replace(m, noise_constant=1.0).sigma(p) == pytest.approx(0.5 * m.sigma(p), rel=1e-13)
    q = problem(losses.absolute(), n=100, radius=2.0)
    assert m.lam(q) == theory.lipschitz_erm_regularization(1.0, 1.0, 2.0, 100, 0.5, 1e-5)
    assert m.sigma(q) == theory.lipschitz_erm_noise(1.0, 1.0, 100, 0.5, 1e-5, m.lam(q))
    assert replace(m, regularization=0.3).sigma(q) == pytest.approx(m.sigma(q) * m.lam(q) / 0.3, rel=1e-13)


def test_theorem_in_use():
    for name, loss in ALL.items():
        p, m = problem(loss), OutputPerturbation(1.0, 1e-5)
        assert m.theorem_in_use(p) == (3 if name in ("squared", "half-squared", "capped-linear") else 5)
    both = problem(losses.logistic())
    assert OutputPerturbation(1.0, 1e-5, theorem=3).lam(both) != OutputPerturbation(1.0, 1e-5).lam(both)
    for theorem, loss, said in (
        (5, losses.squared(), "Lipschitz for Theorem 5"),
        (3, losses.absolute(), "smooth and non-negative for Theorem 3"),
        (3, losses.linear(), "smooth and non-negative for Theorem 3"),
        (None, replace(losses.absolute(), smoothing=None), "smooth, or one with a smoothing"),
    ):
        with pytest.raises(validation.InvalidInput, match=f"^loss must be {said}, got '{loss.name}'$"):
            OutputPerturbation(1.0, 1e-5, theorem=theorem).sigma(problem(loss))
    with pytest.raises(validation.InvalidInput, match=r"^loss must be Lipschitz where constrained is False"):
        OutputPerturbation(1.0, 1e-5, constrained=False).lam(problem(losses.squared()))


# Sampling


def test_outputs_are_the_centre_plus_scaled_noise():
    p, m = problem(losses.logistic()), OutputPerturbation(1.0, 1e-5)
    outputs = m(p, 16_384, np.random.default_rng(3))
    noise = np.random.default_rng(3).standard_normal((16_384, 3))
    assert np.allclose(outputs, m.centre(p) + m.sigma(p) * noise, rtol=1e-13, atol=1e-15)
    assert np.array_equal(m(p, 100, np.random.default_rng(3)), outputs[:100])
    doubled = replace(m, noise_scale=2.0 * m.sigma(p))(p, 5, np.random.default_rng(3))
    assert np.allclose(doubled - m.centre(p), 2.0 * (outputs[:5] - m.centre(p)), rtol=1e-12)
    assert np.array_equal(replace(m, noise_scale=0.0)(p, 2, np.random.default_rng(3)), [m.centre(p)] * 2)


def test_one_solve_for_any_number_of_trials_and_a_bounded_cache(monkeypatch):
    solved, minimise = [], centres.minimise

    def counting(*arguments):
        solved.append(arguments)
        return minimise(*arguments)

    monkeypatch.setattr(centres, "minimise", counting)
    monkeypatch.setattr(centres, "_KEPT", 3)
    centres.centres.clear()
    m, problems = OutputPerturbation(1.0, 1e-5), [problem(losses.squared(), seed=s) for s in range(5)]
    m.sample(problems[0], 500)
    m.pair_profile(problems[0], problem(losses.squared(), seed=0))
    assert len(solved) == 1
    for p in problems:
        m.centre(p)
    assert len(solved) == 5 and len(centres.centres) == 3
    m.centre(problems[0])
    assert len(solved) == 6
    with pytest.raises(ValueError, match="read-only"):
        m.centre(problems[0])[0] = 1.0


def test_rounded_noise_is_a_little_less_private_than_the_normal_law():
    """Each coordinate's law is at a distance from the rounded normal one that the guarantee counts, at every ε."""
    p, m = problem(losses.logistic()), OutputPerturbation(1.0, 1e-5, arithmetic="exact")
    distance = p.d * distance_from_rounded(gaussian_grid(m.sigma(p)).sigma)
    assert OutputPerturbation(1.0, 1e-5).guarantee(p).delta(60.0) < distance <= m.guarantee(p).delta(60.0)
