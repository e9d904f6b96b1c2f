"""Choices from integers: exact laws against rational arithmetic, sensitivity in integers, and who uses them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import mpmath
import numpy as np
import pytest
from given_words import Words, stream_of
from naive import integer_noise as naive
from scipy import stats

from dpbench.core import validation
from dpbench.core.bits import Source
from dpbench.papers.glm.algorithms import scoring
from dpbench.papers.glm.algorithms.boosting import Boosting
from dpbench.papers.glm.algorithms.output_perturbation import OutputPerturbation
from dpbench.papers.glm.problem import GLMProblem
from dpbench.papers.heavytail.algorithms.exact_weights import integer_exponents
from dpbench.papers.heavytail.algorithms.exponential import ExponentialMechanism
from dpbench.papers.heavytail.problem import HeavyTailedProblem
from dpbench.privacy import integer_choice


@dataclass(frozen=True)
class _Plain:
    """A base without exact arithmetic."""

    epsilon: float
    delta: float

    def guarantee(self, problem):
        return None

    def __call__(self, problem, trials, rng):
        return None


EXPONENTS = np.array([0, 3, 900, 1000, 17_000, 10**9], dtype=np.int64)


@pytest.mark.parametrize("scale", [1, 1000, 2**31 + 1])
def test_choices_against_rational_arithmetic(scale):
    given = stream_of(scale % 997)
    made = integer_choice.choose(Source(Words(given)), EXPONENTS, scale, 300)
    exact = naive.choices(given.tolist(), EXPONENTS.tolist(), scale, 300)
    assert exact == made.tolist()
    assert naive.choices(given.tolist(), EXPONENTS.tolist(), 3 * scale, 300) != exact or scale == 2**31 + 1


def test_draws_do_not_depend_on_how_many_are_asked_for():
    given = stream_of(4)
    many = integer_choice.choose(Source(Words(given)), EXPONENTS, 1000, 200)
    source = Source(Words(given))
    assert [int(integer_choice.choose(source, EXPONENTS, 1000, 1)[0]) for _ in range(200)] == many.tolist()


def test_the_last_place_of_a_candidate_and_the_first_of_the_next():
    """The places 0 to w₀ − 1 are those of candidate 0, to the last: no sample sees one place in 2^59."""
    exponents, scale = np.array([0, 700], dtype=np.int64), 1000
    weights, _ = naive.choice_weights([0, 700], scale)
    for place, expected in ((weights[0] - 1, 0), (weights[0], 1)):
        words = np.array([place, *[0] * 43], dtype=np.uint64)  # a coin of 0 accepts both
        assert integer_choice.choose(Source(Words(words)), exponents, scale, 1).tolist() == [expected]


def test_a_coin_near_its_threshold_is_decided_by_rational_arithmetic():
    """Two candidates; the coin of the second at its chance: the words behind it decide."""
    exponents, scale = np.array([0, 700], dtype=np.int64), 1000
    weights, bits = naive.choice_weights([0, 700], scale)
    chance = math.exp(-0.7) * 2.0**bits / weights[1]
    inside = np.uint64(weights[0] + 5)
    for shift, expected in ((-1, 1), (1, 0)):
        coin = np.uint64(int(chance * 2**40) + shift) << np.uint64(24)
        words = np.array([inside, coin, 0, 0, *[0] * 40], dtype=np.uint64)
        assert integer_choice.choose(Source(Words(words)), exponents, scale, 1).tolist() == [expected]


def test_noisy_max_has_its_exact_law_and_guarantee():
    """Three integer scores, t = 3: probabilities summed in high precision, within 2Δ/t of the neighbour's, not less."""
    scores, t, reach = [0, 2, 5], 3, range(-150, 151)
    one = [mpmath.exp(-mpmath.mpf(abs(z)) / t) * mpmath.tanh(mpmath.mpf(1) / (2 * t)) for z in reach]
    above = [mpmath.mpf(0)] * (len(one) + 1)  # P(Z >= reach[k])
    for k in range(len(one) - 1, -1, -1):
        above[k] = above[k + 1] + one[k]

    def over(z):
        return above[min(max(z + 150, 0), len(one))]

    def law(scores):
        found = []
        for i, q in enumerate(scores):
            ahead = [(other, 1 if j < i else 0) for j, other in enumerate(scores) if j != i]
            found.append(
                mpmath.fsum(
                    p * mpmath.fprod(over(q + z - r + tie) for r, tie in ahead) for z, p in zip(reach, one, strict=True)
                )
            )
        return found

    here = law(scores)
    draws = integer_choice.report_noisy_max(Source(np.random.default_rng(5)), np.tile(np.array(scores), (60_000, 1)), t)
    counts, p = np.bincount(draws, minlength=3), np.array([float(x) for x in here])
    assert p.sum() == pytest.approx(1.0, abs=1e-12)
    assert stats.chisquare(counts, counts.sum() * p / p.sum()).pvalue > 1e-6
    worst = 0.0
    for moves in np.ndindex(3, 3, 3):
        near = law([q + move - 1 for q, move in zip(scores, moves, strict=True)])
        worst = max(worst, *(abs(float(mpmath.log(a / b))) for a, b in zip(here, near, strict=True)))
    assert 0.8 * 2.0 / t < worst <= 2.0 / t


def glm_pair(n=24):
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    data = GLMProblem(np.ones((n, 1)), y, loss="linear", x_bound=1.0, y_bound=1.0, radius=1.0)
    return data, data.replace_record(n - 1, np.ones(1), 1.0)


ONE = OutputPerturbation(1.0, 1e-5)
BOOSTING = Boosting(ONE, 1.0, 1e-3, models=2, arithmetic="exact")


def test_boosting_keeps_its_claim():
    p, _ = glm_pair()
    assert BOOSTING.guarantee(p).delta(1.0) <= 1e-3 and BOOSTING.mechanism().arithmetic == "exact"
    assert BOOSTING._choice(p).epsilon(0.0) == pytest.approx(1.0, rel=1e-5)
    with pytest.raises(validation.InvalidInput, match="base must be a mechanism with a field arithmetic"):
        replace(BOOSTING, base=_Plain(1.0, 1e-5))


@pytest.mark.parametrize("loss", ["squared", "logistic", "linear", "huber"])
def test_sums_of_losses_are_clamped_in_integers(loss):
    """Models far outside the ball and NaN: one record moves the sum by at most the width, and by no less than half."""
    rng = np.random.default_rng(9)
    X, y = rng.uniform(-1, 1, (7, 1)), rng.choice([-1.0, 1.0], 7)
    p = GLMProblem(X, y, loss=loss, x_bound=1.0, y_bound=1.0, radius=2.0)
    grid = scoring.loss_grid(p, 2.0)
    w = np.array([[0.3], [-2.0], [1e9], [-1e300], [math.nan], [math.inf]])
    largest = 0
    with np.errstate(all="ignore"):
        for x, label in ((1.0, 1.0), (-1.0, 1.0), (0.0, -1.0)):
            near = p.replace_record(2, np.array([x]), label)
            moved = scoring.integer_risk(p, w, grid) - scoring.integer_risk(near, w, grid)
            largest = max(largest, int(np.abs(moved).max()))
    assert 0.4 * grid.width <= largest <= grid.width
    plain = scoring.clipped_risk(p, w[:2], 2.0) * p.n
    sums = scoring.integer_risk(p, w[:2], grid) * grid.spacing
    assert sums + p.n * grid.least == pytest.approx(plain, abs=p.n * grid.spacing)


@pytest.mark.parametrize("radius", [1e-9, 1e-17, 1e-50])
def test_sums_of_losses_of_a_small_ball_do_not_wrap(radius):
    """The logistic loss is log 2 and hardly moves: counted from 0, its steps leave int64. Planted: `least` of 0."""
    p = GLMProblem(np.ones((7, 1)), np.ones(7), loss="logistic", x_bound=1.0, y_bound=1.0, radius=radius)
    grid = scoring.loss_grid(p, radius)
    best, worst = scoring.integer_risk(p, np.array([[1.0], [-1.0]]), grid)
    assert (best, worst) == (0, 7 * grid.width)
    assert np.all(scoring.integer_risk(p, np.array([[1.0], [-1.0]]), grid._replace(least=0.0)) == 7 * grid.width)


HEAVY = ExponentialMechanism(1.0, net_radius=0.2, truncation=0.7, arithmetic="exact")


def heavy_pair(n=6):
    x, y = np.linspace(-1.0, 2.0, n)[:, None], np.linspace(3.0, -1.0, n)
    near = y.copy()
    near[0] = -40.0
    made = [HeavyTailedProblem(x, labels, radius=1.0) for labels in (y, near)]
    return made[0], made[1]


@pytest.mark.parametrize("calibration", ["exact", "printed"])
def test_the_exponential_mechanism_in_integers_has_its_exact_profiles(calibration):
    """Replace-one and add/remove, all probabilities enumerated: within the guarantee, which is that of the claim."""
    m, (p, near) = replace(HEAVY, calibration=calibration), heavy_pair()
    fewer = HeavyTailedProblem(p.X[1:], p.y[1:], radius=1.0)
    for other, relation in ((near, "replace"), (fewer, "add_remove")):
        guarantee = m.guarantee(p, neighbours=relation)
        claimed = replace(m, arithmetic="float").guarantee(p, neighbours=relation).epsilon(0.0)
        assert (1.0 - 1e-4) * claimed <= guarantee.epsilon(0.0) <= claimed
        assert m.pair_profile(p, other).epsilon(0.0) <= guarantee.epsilon(0.0)
    plain = replace(m, arithmetic="float")
    assert np.exp(m.log_probabilities(p)[1]) == pytest.approx(np.exp(plain.log_probabilities(p)[1]), rel=1e-4)
    points, logs = m.log_probabilities(p)
    draws = m.sample(p, 40_000, seed=1)[:, 0]
    counts = [(draws == point).sum() for point in points[:, 0]]
    assert stats.chisquare(counts, 40_000 * np.exp(logs)).pvalue > 1e-6


def test_one_record_moves_an_exponent_by_no_more_than_its_limit():
    """Records of any size, NaN residuals included, by the declared number of steps at every point of the net."""
    m, (p, _) = HEAVY, heavy_pair()
    steps, points = m._steps(p), m.net(p).points()

    def raw(problem):
        with_least = integer_exponents(steps, problem, points, 0.7)
        return np.asarray(with_least)

    for y in (1e100, -1e100, 0.0, 5e-324):
        moved = raw(p) - raw(HeavyTailedProblem(p.X, np.append(p.y[:-1], y), radius=1.0))
        assert np.ptp(moved) <= 2 * steps.largest  # both have their least value taken off
    alone = HeavyTailedProblem([[1.0]], [1e100], radius=1.0)
    assert np.array_equal(raw(alone), np.zeros(len(points))), "one record beyond reach counts the same everywhere"


def test_the_exponential_mechanism_refuses_what_it_cannot_enumerate():
    with pytest.raises(validation.InvalidInput, match="sampler must be 'auto' or 'enumerate'"):
        replace(HEAVY, sampler="tree")
    with pytest.raises(validation.InvalidInput, match="net_radius must be so large that the net can be enumerated"):
        replace(HEAVY, net_radius=4e-8)(heavy_pair()[0], 1, np.random.default_rng(0))
