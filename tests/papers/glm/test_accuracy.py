"""The accuracy attack and the membership attack: valid on private mechanisms, and sharp on broken ones."""

import doctest
import math
import sys
from functools import partial

import numpy as np
import pytest
from glm_instances import least_squares
from scipy.stats import binom

from dpbench.core.validation import InvalidInput
from dpbench.papers.glm.algorithms.noisy_gd import NoisyGD
from dpbench.papers.glm.algorithms.noisy_mean import NoisyMean, tripping_factor
from dpbench.papers.glm.algorithms.output_perturbation import OutputPerturbation
from dpbench.papers.glm.attacks import accuracy
from dpbench.papers.glm.attacks.accuracy import (
    Runs,
    block_count,
    epsilon_of_floor,
    error_block,
    measure_accuracy,
    upper_error,
)
from dpbench.papers.glm.attacks.membership import membership_attack
from dpbench.papers.glm.problem import GLMProblem
from dpbench.papers.glm.theorems.floors import Zero
from dpbench.privacy import gaussian
from lowerbounds import chaudhuri_hsu, fingerprinting, nonprivate, packing


def two_points(epsilon, delta=0.0, **more):
    """A pair at the best distance with n − Δ even, so that `NoisyMean` is centred on the minimisers."""
    distance = chaudhuri_hsu(200, epsilon, delta, **more).distance
    return chaudhuri_hsu(200 + distance % 2, epsilon, delta, distance=distance, **more)


def test_predicted_factors_are_the_spec_s():
    """At the best Δ: the exact constant at Δ = 1, and the tight one, which brings the Laplace factor to e at Δε = 2."""
    assert tripping_factor(1.0, 0.0) == pytest.approx(1.0 + math.e, rel=1e-12)
    assert tripping_factor(0.1, 0.0, constants="tight") == pytest.approx(math.e, rel=1e-9)


@pytest.mark.parametrize(("noise", "delta"), [("laplace", 0.0), ("gaussian", 1e-5)])
@pytest.mark.parametrize("epsilon", [0.1, 1.0])
def test_trips_within_a_tenth_of_the_predicted_factor(noise, delta, epsilon):
    """The lemma's own error (clipped 4 widths out, which changes nothing here), 20,000 runs a side, 99.9%."""
    factor = tripping_factor(epsilon, delta, noise)
    family = two_points(epsilon, delta)
    for share, verdict in ((0.9, "not refuted"), (1.1, "refuted")):
        found = measure_accuracy(NoisyMean(epsilon, delta, noise, share * factor), family, draws=20_000, margin=4.0)
        assert found.verdict == verdict
        assert found.ratio == pytest.approx(1.0 / share, rel=0.03)
        assert (found.epsilon_lower > epsilon) == (verdict == "refuted")


@pytest.mark.parametrize("shrink", [1.0, 3.0])
@pytest.mark.parametrize(("noise", "delta"), [("laplace", 0.0), ("gaussian", 1e-5)])
def test_the_control_has_the_guarantee_of_its_noise(noise, delta, shrink):
    data = GLMProblem.from_instance(two_points(0.5).instances(0))
    found = NoisyMean(0.5, delta, noise, shrink).guarantee(data)
    expected = shrink * (0.5 if noise == "laplace" else gaussian.mu(0.5, delta))
    assert (found.epsilon(0.0) if noise == "laplace" else found.mu) == pytest.approx(expected)
    assert NoisyMean(0.5, delta, noise, math.inf).guarantee(data).delta(9.0) == 1.0


def test_clipping_and_the_tight_constant_see_far_smaller_faults():
    """Rounded outputs against the tight constant: Laplace noise 1.2 times too small, 20,000 runs a side."""
    family = two_points(0.5, constants="tight")
    found = measure_accuracy(NoisyMean(0.5, shrink=1.2), family, draws=20_000, rounded=True)
    assert found.verdict == "refuted" and 0.5 < found.epsilon_lower <= 0.6
    assert measure_accuracy(NoisyMean(0.5), family, draws=20_000, rounded=True).verdict == "not refuted"


class Response:
    """The mechanism that attains the tight floor at Δ = 1: randomised response between the two targets."""

    def __init__(self, epsilon, target):
        self.chance, self.target = 1.0 / (1.0 + math.exp(-epsilon)), target

    def __call__(self, problem, trials, rng):
        sign = 1.0 if problem.y.sum() > 0 else -1.0
        return sign * self.target * np.where(rng.random((trials, 1)) < self.chance, 1.0, -1.0)


@pytest.mark.slow
def test_false_alarms_over_a_thousand_correct_mechanisms_are_within_the_level():
    """Null: at level 5% each of 1,000 attacks on private mechanisms refutes with probability at most 5%.

    Half of them attain the floor, the hardest case. Rejected by a binomial test at 1e-6, that is, beyond 86 alarms;
    noise too small by 2 makes 90 of 100 attacks refute.
    """
    rng = np.random.default_rng(11)
    alarms, broken = 0, 0
    for number in range(1000):
        epsilon = float(rng.uniform(0.2, 1.5))
        if number % 2:
            family = chaudhuri_hsu(3, epsilon, distance=1)
            mechanism = Response(epsilon, float(family.parameters["target"]))
        else:
            noise, delta = (("laplace", 0.0), ("gaussian", 1e-3))[number // 2 % 2]
            family = two_points(epsilon, delta)
            mechanism = NoisyMean(epsilon, delta, noise)
        rounded = number % 2 == 1 or number % 4 == 0
        values = error_block(mechanism, family, Runs(400, 1, number, rounded=rounded), 0)
        alarms += upper_error(family, values[:, 1], 0.0, 0.05, rounded) < family.floor
        if number < 100:
            family = two_points(epsilon)
            values = error_block(NoisyMean(epsilon, shrink=2.0), family, Runs(2000, 1, number, rounded=True), 0)
            broken += upper_error(family, values[:, 1], 0.0, 0.05, True) < family.floor
    assert binom.isf(1e-6, 1000, 0.05) == 86
    assert 10 < alarms <= 86  # 500 of them attain the floor and are near the level, so 5% is not loose
    assert broken > 90


def test_private_algorithms_do_not_trip_it_and_least_squares_does():
    family = packing(100, 4, 0.5, 1e-6)
    for mechanism in (NoisyGD(0.5, 1e-6), OutputPerturbation(0.5, 1e-6), Zero()):
        found = measure_accuracy(mechanism, family, draws=32, confidence=1.0 - 1e-6)
        assert found.verdict == "not refuted" and found.ratio > 1.0
    zero = measure_accuracy(Zero(), family, draws=8)
    assert zero.error == pytest.approx(family.parameters["zero_risk"], rel=1e-12)
    assert zero.ratio == pytest.approx(1.2715, abs=2e-3)
    broken = measure_accuracy(least_squares, family, draws=256, ceiling=1.0)
    assert broken.verdict == "refuted" and broken.error < 1e-25 and broken.epsilon_lower > 0.5
    assert broken.to_dict()["verdict"] == "refuted" and broken.ceiling == 1.0
    assert "refuted; epsilon >= " in str(broken)


def test_floors_for_every_algorithm_are_not_beaten_by_the_non_private_one():
    for family in (nonprivate(50, 4), nonprivate(50, 1, radius=10.0), nonprivate(50, theorem="16")):
        found = measure_accuracy(least_squares, family, draws=120, trials=1)
        assert found.verdict == "not refuted" and found.epsilon_lower is None
    # A floor that is twice too high is seen.
    family = nonprivate(50, 4)
    values = error_block(Zero(), family, Runs(4000, 1, 0), 0)
    assert len(values) == 8  # a block has eight members, and one of two data sets 4096 runs
    runs, pair = Runs(5000, 1, 0), two_points(0.5)
    assert [len(error_block(Zero(), pair, runs, k)) for k in range(block_count(pair, 5000))] == [4096, 904]
    found = measure_accuracy(Zero(), family, draws=400, trials=1)
    assert found.upper < 2.0 * found.error


def test_the_example_of_the_docstring():
    found = doctest.testmod(accuracy)
    assert found.attempted == 3 and found.failed == 0


def test_inverting_a_floor():
    family = two_points(0.5)
    assert epsilon_of_floor(family.floor_at, 0.0, family.floor) == pytest.approx(0.5, rel=1e-9)
    assert epsilon_of_floor(family.floor_at, 0.0, 1e9) == 0.0


def fails(problem, trials, rng):
    raise KeyError("weights")


FINGERPRINTING = fingerprinting(60, 20, 0.1, 1e-5, active=20, mass=1.0, beta=0.5, constants="tight")
ATTACKS = [
    (partial(measure_accuracy, family=packing(100, 4, 0.5)), "packing", r"\(8, 4\)"),
    (partial(membership_attack, family=FINGERPRINTING, trials=200), "fingerprinting", r"\(\d+, 20\)"),
]


@pytest.mark.parametrize(("attack", "name", "shape"), ATTACKS, ids=[name for _, name, _ in ATTACKS])
def test_an_attack_says_what_is_wrong_with_a_mechanism(attack, name, shape):
    for mechanism, message in (
        (3, "mechanism must be callable"),
        (fails, f"mechanism fails raised KeyError on {name}: 'weights'"),
        (lambda p, t, r: sys.exit(0), f"raised SystemExit on {name}"),
        (lambda p, t, r: np.zeros((t, 3)), rf"finite, of shape {shape}, got .*3\)"),
        (lambda p, t, r: np.full((t, p.d), np.nan), f"finite, of shape {shape}"),
        (lambda p, t, r: [["a"]], f"finite, of shape {shape}"),
    ):
        with pytest.raises(InvalidInput, match=message):
            attack(mechanism)
    with pytest.raises(InvalidInput, match="family must be a HardFamily"):
        attack(Zero(), family=name)


def test_families_that_an_attack_does_not_take():
    family = packing(100, 4, 0.5)
    with pytest.raises(InvalidInput, match="family must be made by lowerbounds"):
        membership_attack(Zero(), family)
    with pytest.raises(InvalidInput, match="problem must be of dimension 1"):
        measure_accuracy(NoisyMean(1.0), family)
    with pytest.raises(InvalidInput, match="targets must be an integer >= 1"):
        membership_attack(Zero(), FINGERPRINTING, targets=0)


@pytest.mark.slow
def test_membership_attack():
    """Least squares, and noisy GD with hardly any noise, are caught; the private algorithms are not."""
    attack = partial(membership_attack, family=FINGERPRINTING, epsilon=1.0, delta=1e-5)
    caught = attack(least_squares, trials=4000)
    assert caught.verdict == "refuted" and caught.epsilon_lower > 4.0
    assert attack(NoisyGD(1.0, 1e-5, noise_scale=0.01), trials=10_000).verdict == "refuted"
    for mechanism in (NoisyGD(1.0, 1e-5), OutputPerturbation(1.0, 1e-5), Zero()):
        assert attack(mechanism, trials=4000, confidence=1.0 - 1e-6).verdict == "not refuted"
