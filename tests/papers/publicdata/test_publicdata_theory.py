"""Stability, noise and settings of the public-data paper: what is said to be proved holds and is near tight."""

import math
from dataclasses import replace

import numpy as np
import pytest
from naive import publicdata as naive
from naive.lowerbounds import gaussian_delta

from dpbench.core.sampling import stream
from dpbench.papers.publicdata import theory, theory_settings
from dpbench.papers.publicdata.algorithms.averaged_perturbation import AveragedPerturbation
from dpbench.papers.publicdata.algorithms.regularized_perturbation import RegularizedPerturbation, allowed_gap
from dpbench.papers.publicdata.algorithms.rrspm import RRSPM, patterns
from dpbench.papers.publicdata.complexity import gaussian_complexity
from dpbench.papers.publicdata.hypotheses.constants import Constants
from dpbench.papers.publicdata.hypotheses.finite import ConvexHull, FiniteClass
from dpbench.papers.publicdata.hypotheses.halfspaces import Halfspaces
from dpbench.papers.publicdata.hypotheses.line import Intervals, Stumps, Thresholds
from dpbench.papers.publicdata.hypotheses.linear import LinearBall
from dpbench.papers.publicdata.hypotheses.sklearn import LinearEstimator
from dpbench.papers.publicdata.objective import CountedOracle, Objective, prepare
from dpbench.papers.publicdata.problem import PublicDataProblem
from dpbench.papers.publicdata.theorems.lemma10 import side_condition
from dpbench.privacy import gaussian
from dpbench.privacy.discrete import pair_from_logs
from lowerbounds import parity_cube


def moved(p, q, m):
    return float(np.linalg.norm(m.centre(p) - m.centre(q))) / math.sqrt(p.m)


@pytest.mark.parametrize("loss", ["absolute", "squared", "huber"])
@pytest.mark.parametrize("normalization", ["mean", "sum"])
def test_regularized_stability_holds_on_random_neighbours(loss, normalization):
    rng = np.random.default_rng(4)
    for n, eta in ((1, 0.3), (2, 1.0), (7, 0.2), (30, 0.01), (30, 2.0)):
        m = RegularizedPerturbation(1.0, 1e-5, regularization=eta, normalization=normalization)
        for _ in range(15):
            p = PublicDataProblem(np.zeros(n), rng.uniform(-1, 1, n), np.zeros(3), hypotheses=Constants(), loss=loss)
            q = p.replace_record(0, 0.0, float(rng.choice([-1.0, 1.0])))
            assert moved(p, q, m) <= m.stability(p) * (1.0 + 1e-9)
        x = rng.standard_normal((n, 2))
        x /= np.linalg.norm(x, axis=1, keepdims=True)
        p = PublicDataProblem(x, rng.choice([-1.0, 1.0], n), x[:3], hypotheses=LinearBall(2), loss=loss)
        assert moved(p, p.replace_record(0, x[-1], -p.y[0]), m) <= m.stability(p) * (1.0 + 1e-9)


def test_regularized_stability_is_attained_and_half_of_what_is_printed():
    """Constants at ηn = 1/4: one record moves f̄ from −1 to 1; any smaller bound would be false."""
    m = RegularizedPerturbation(1.0, 1e-5, regularization=0.25)
    p = PublicDataProblem([0.0], [1.0], np.zeros(2), hypotheses=Constants(), loss="absolute")
    assert moved(p, p.replace_record(0, 0.0, -1.0), m) == pytest.approx(2.0) == theory.regularized_stability(1, 0.25)
    assert theory.regularized_stability_printed(1000, 0.1) == 2.0 * theory.regularized_stability(1000, 0.1)
    assert theory.regularized_stability(1000, 0.1, gap=1e-11) == pytest.approx(0.1 + 2e-5)
    assert theory.regularized_stability(4, 0.01) == theory.DIAMETER


def test_solvers_gap_is_paid_for():
    x = np.array([[0.6, 0.0], [0.0, 0.7]])
    p = PublicDataProblem(x, [1.0, -1.0], x, hypotheses=LinearBall(2), loss="huber")
    m = RegularizedPerturbation(1.0, 1e-5, regularization=10.0)
    for normalization, eta in (("mean", 10.0), ("sum", 5.0)):  # beside the mean of two losses
        gap, same_gap = allowed_gap(p, eta), replace(m, normalization=normalization).stability(p)
        assert gap > 0.0 and same_gap == theory.regularized_stability(2, eta, gap)
    assert m.guarantee(p).delta(1.0) <= 1e-5
    same = PublicDataProblem([0.0, 0.0], [1.0, -1.0], [0.0], hypotheses=Constants(), loss="huber")
    assert m.stability(same) == theory.regularized_stability(2, 10.0)
    assert m.diagnose(same) == {"gap": 0.0, "allowed": 0.0}


def two_functions(n, gap):
    """f = 1 or f = −1 (r = 2), n records; the losses differ by `gap`/n, and on the neighbour by (gap − 2)/n."""
    y = np.where(np.arange(n) < (n + gap) // 2, 1.0, -1.0)
    p = PublicDataProblem(np.zeros(n), y, np.zeros(4), hypotheses=FiniteClass([[1.0], [-1.0]]), loss="zero-one")
    return p, p.replace_record(0, 0, -1.0)


def test_one_call_of_algorithm_2_is_as_stable_as_proved():
    """Two functions: E‖f̄ − f̄'‖²_m is r² times the probability that 2ηN falls between the two gaps of the losses.

    The bound, with S = (r/2)·E|N|, is that as n grows: 1% less would be false.
    """
    n, eta = 100, 5.0
    p, q = two_functions(n, 2)
    m = AveragedPerturbation(1.0, 1e-5, calls=1, perturbation=eta)
    centres = [m.centres(d, 20_000, stream("pairs")) for d in (p, q)]
    measured = float(((centres[0] - centres[1]) ** 2).mean())
    switched = math.erf(0.02 / (2.0 * eta * math.sqrt(2.0))) / 2.0
    # Null: mean of 20,000 variables in {0, 4} of mean 4·switched; 6 sd, false alarm below 1e-8.
    assert abs(measured - 4.0 * switched) < 6.0 * 4.0 * math.sqrt(switched / 20_000)
    bound = theory.one_call_stability(n, eta, math.sqrt(2.0 / math.pi))
    assert 4.0 * switched <= bound < 4.0 * switched * 1.01
    assert gaussian_complexity(p.hypotheses, p.public) >= math.sqrt(2.0 / math.pi)


@pytest.mark.parametrize("seed", range(6))
def test_one_call_stability_holds_for_random_classes_of_any_norm(seed):
    """Neighbours of random finite classes, functions of norm near 0 among them: measured mean, less 6 of its standard
    errors, against the bound."""
    rng = np.random.default_rng(seed)
    table = rng.uniform(-1.0, 1.0, (6, 5)) * rng.uniform(0.0, 1.0, (6, 1))
    n, eta = 12, 0.05 * 4.0 ** (seed % 3)
    x, y = rng.integers(0, 5, n), rng.choice([-1.0, 1.0], n)
    p = PublicDataProblem(x, y, np.arange(5), hypotheses=FiniteClass(table), loss="absolute")
    q = p.replace_record(0, float(rng.integers(5)), -y[0])
    m = AveragedPerturbation(1.0, 1e-5, calls=1, perturbation=eta)
    first, second = (m.centres(d, 6000, stream(seed)) for d in (p, q))
    squares = ((first - second) ** 2).mean(axis=1)
    error = float(squares.std()) / math.sqrt(6000)
    size = gaussian_complexity(p.hypotheses, p.public)
    assert squares.mean() - 6.0 * error <= theory.one_call_stability(n, eta, size)


def test_average_exceeds_its_radius_as_rarely_as_stated():
    """Null: exceedances have probability at most 0.02; above 300 of 8,000 the false alarm is below 1e-6. A radius ten
    times too small is caught: one switch of 16 already moves the average by 1/8."""
    n, eta, calls = 10, 2.0, 16
    p, q = two_functions(n, 2)
    size = gaussian_complexity(p.hypotheses, p.public)
    rho = theory.averaged_stability(n, eta, size, calls, 0.02)
    m = AveragedPerturbation(1.0, 1e-5, calls=calls, perturbation=eta)
    first, second = (m.centres(d, 8000, stream("average")) for d in (p, q))
    distances = np.sqrt(((first - second) ** 2).mean(axis=1))
    assert (distances > rho).sum() <= 300
    alone = theory.averaged_stability(n, eta, size, 1, 0.02)
    assert alone == theory.DIAMETER and rho < alone
    assert (distances > 0.1 * rho).sum() > 300
    previous = theory.DIAMETER
    for calls in (4, 64, 1024, 10**8):
        radius = theory.averaged_stability(10**4, 0.5, 1.0, calls, 1e-6)
        assert radius <= previous
        previous = radius
    assert previous == pytest.approx(math.sqrt(theory.one_call_stability(10**4, 0.5, 1.0)), rel=0.1)


@pytest.mark.parametrize("noise", ["gaussian", "laplace"])
def test_printed_scale_solves_the_printed_condition(noise):
    for m, rho, epsilon, delta in ((1, 0.3, 1.0, 1e-5), (64, 0.01, 0.2, 1e-6), (1000, 2.0, 3.0, 0.1)):
        gamma = theory.perturb_scale_printed(m, rho, epsilon, delta, noise)
        assert theory.perturb_epsilon_printed(m, rho, gamma, delta, noise) == pytest.approx(epsilon, rel=1e-12)


def test_printed_formulas_at_numbers_taken_by_hand():
    e1 = math.exp(-1.0)
    assert theory.lemma10_stability_printed(8, 1.0, 3.0, 4, 2.0 * e1) == pytest.approx(6.0 + 0.5)
    side = math.log(16.0) ** 2 / 4.0 * 3.0 + math.sqrt((math.log(math.log(16.0)) + 1.0) / 16.0)
    assert side_condition(16, 3.0, e1) == pytest.approx(side, rel=1e-12)
    assert theory.rrspm_laplace_scale(10, 0.5) == 40.0
    assert theory.rrspm_gaussian_scale_printed(16, 2.0, e1, 3.0) == pytest.approx(6.0)
    classical = 32.0 * math.sqrt(2.0 * math.log(1.25e5))
    assert theory.rrspm_gaussian_scale_printed(256, 1.0, 1e-5) == pytest.approx(classical)


def test_settings_are_those_of_the_theorems():
    """(127) to (133), Theorem 10, (20), (21) and Remark 1 in x = λ/σ, where each of the maxima counts."""
    rng, counted = np.random.default_rng(1), set()

    def most(what, *terms):
        counted.add((what, int(np.argmax(terms))))
        return max(terms)

    for _ in range(200):
        epsilon, alpha, sigma = (10.0 ** rng.uniform(-1.0, 0.0, 3)).tolist()
        lam, d, b, c = (10.0 ** rng.uniform((-1.0, 0.0, -1.0, -1.0), (1.0, 4.0, 1.5, 1.5))).tolist()
        delta, beta, x = math.exp(-c), math.exp(-b), lam / sigma
        given = alpha, beta, d, sigma, lam
        m, gamma = most("m", d, b) * (x / alpha) ** 2, alpha / (x * math.sqrt(b))
        calls = most("calls", d * b / alpha**2, (x / alpha) ** 8 * d**2 * b**4 * c / epsilon**2,
                     (x / alpha) ** 6 * d**2 * b**3 * c**2 / epsilon**2)  # fmt: skip
        n = most("6", x**12 * b**6 / alpha**14, x**9 * b**4.5 * c**1.5 / alpha**10) * d**5 / epsilon**3
        expected = gamma, alpha / math.sqrt(d), m, calls, n
        assert theory_settings.theorem6(epsilon, delta, *given) == pytest.approx(expected, rel=1e-9)
        n = lam * d / epsilon * most("7", x**4 * b**2 / alpha**5, x**3 * b**1.5 * math.sqrt(c) / alpha**4)
        assert theory_settings.theorem7(epsilon, delta, *given) == pytest.approx((gamma, alpha, m, n), rel=1e-9)
        n = lam * x**5 / (epsilon * alpha**6) * most("7 pure", d**2 * math.sqrt(b), b**2.5)
        gamma = alpha**2 / (lam * x) * most("gamma", 1.0 / (d * math.sqrt(b)), 1.0 / b)
        assert theory_settings.theorem7(epsilon, 0.0, *given) == pytest.approx((gamma, alpha, m, n), rel=1e-9)
        expected = (d + b) / (alpha * sigma) ** 2, d**2 * b / (alpha**5 * sigma**4 * epsilon)
        assert theory_settings.theorem10(epsilon, alpha, beta, d, sigma) == pytest.approx(expected, rel=1e-9)
        for realizable, level, power in ((False, delta, 4.0), (False, 0.0, 5.0), (True, delta, 2.5), (True, 0.0, 3.0)):
            found = theory_settings.theorem4_records(epsilon, level, alpha, beta, d, realizable=realizable)
            root = math.sqrt(c) if level else 1.0
            assert found == pytest.approx(d**2 * b * root / (epsilon * alpha**power), rel=1e-9)
    assert len(counted) == 13


@pytest.mark.parametrize("epsilon", [0.05, 0.5, 1.0, 3.0])
def test_gaussian_weights_bound_is_above_the_integral_it_bounds(epsilon):
    """One weight: log_delta is an upper bound on E(1 − e^{ε − ℓ})₊ by quadrature, and within a factor of 8 of it."""
    for scale in (0.7, 2.0, 6.0):
        exact = naive.shift_bound(epsilon, scale)
        bound = math.exp(theory.rrspm_log_delta(epsilon, 1, scale))
        assert exact <= bound * (1.0 + 1e-9)
        assert bound <= 8.0 * exact or bound == 1.0 or exact < 1e-12


@pytest.mark.parametrize(("bits", "public"), [(1, 1), (3, 3), (16, 16), (16, 40), (256, 256), (64, 4096)])
@pytest.mark.parametrize("pair", ["simple", "tilted"])
@pytest.mark.parametrize("layout", ["groups", "single"])
def test_gaussian_weights_bound_is_above_every_exact_profile_of_the_cube(bits, public, pair, layout):
    cube = parity_cube(bits, public, pair=pair, layout=layout)
    for epsilon, delta in ((1.0, 1e-5), (0.2, 1e-3), (3.0, 1e-8)):
        scale = theory.rrspm_gaussian_scale(public, epsilon, delta)
        for factor in (0.3, 1.0, 2.0):
            exact = pair_from_logs(*cube.log_laws("gaussian", factor * scale))
            for e in (0.0, 0.5 * epsilon, epsilon):
                bound = theory.rrspm_log_delta(e, public, factor * scale)
                assert exact.delta(e) <= math.exp(bound) * (1.0 + 1e-9)
        assert cube.least_scale("gaussian", epsilon, delta) <= scale


def test_gaussian_weights_bound_is_nearly_attained():
    """One public point a bit, tilted pair: its least scale is within 20% at d = m = 256 and 5% at 4,096, so a noise
    less by that much is refuted; and the scale is about 1.6m/ε."""
    for size, slack in ((256, 1.2), (4096, 1.05)):
        scale = theory.rrspm_gaussian_scale(size, 1.0, 1e-5)
        assert scale <= slack * parity_cube(size).least_scale("gaussian", 1.0, 1e-5)
        assert 1.5 * size < scale < 2.0 * size
        assert theory.rrspm_gaussian_scale_printed(size, 1.0, 1e-5) < 0.5 * scale


@pytest.mark.parametrize(
    ("hypotheses", "points"),
    [
        (Thresholds(), np.random.default_rng(0).random(9)), (Intervals(), np.random.default_rng(1).random(9)),
        (Stumps(2), np.random.default_rng(2).random((9, 2))),
        (Halfspaces(dimension=3), np.random.default_rng(3).random((9, 3))),
        (FiniteClass(np.random.default_rng(4).uniform(-1, 1, (7, 9))), np.arange(9)), (Constants(), np.zeros(9)),
        (LinearBall(2), np.random.default_rng(5).random((9, 2)) / 2.0),
        (ConvexHull(np.random.default_rng(6).uniform(-1, 1, (3, 9))), np.arange(9)),
    ],
    ids=lambda v: type(v).__name__ if not isinstance(v, np.ndarray) else "",
)  # fmt: skip
def test_gaussian_complexity_is_an_upper_bound(hypotheses, points):
    """E sup ω_m by the class's own oracle: mean of 400 draws."""
    draws = 60 if isinstance(hypotheses, ConvexHull) else 400
    xi = np.random.default_rng(9).standard_normal((draws, 9))
    oracle, none = prepare(hypotheses, points), Objective(np.ones(9), 0.0, loss="squared")
    sups = -(hypotheses.predict(oracle.erm_many(none, xi), points) * xi).sum(axis=1) / 3.0
    bound = gaussian_complexity(hypotheses, points)
    assert sups.mean() - 6.0 * sups.std() / math.sqrt(draws) <= bound <= 4.0 * sups.mean()
    assert bound <= math.sqrt(18.0 / math.pi) and gaussian_complexity(CountedOracle(hypotheses), points) == bound


def test_unknown_classes_get_the_trivial_complexity_or_their_own():
    class Own:
        def gaussian_complexity(self, points):
            return 0.25

    assert gaussian_complexity(object(), np.zeros(8)) == pytest.approx(math.sqrt(16.0 / math.pi))
    assert gaussian_complexity(Own(), np.zeros(8)) == 0.25


def test_defaults_balance_what_they_say_they_balance():
    """η minimises η + A/√η, and 2ηG + A/√η: a third more or less is worse; both at most 1."""
    args, mu = (10_000, 3, 0.5, 0.2, 1.0, 1e-5), gaussian.mu(1.0, 1e-5)
    eta = theory.regularization(*args)
    reach = 0.5 / mu * math.sqrt(3.0 / (0.2 * 10_000))
    assert all(eta + reach / eta**0.5 < other + reach / other**0.5 for other in (0.75 * eta, 1.3 * eta))
    assert eta == pytest.approx(theory.regularization(80_000, *args[1:]) * 2.0)
    assert theory.regularization(1, 3, 0.5, 0.2, 1e-3, 1e-5) == 1.0
    args = (1.5, 0.5, 1.0, 1.0, 1e-5)
    eta = theory.perturbation(10**6, *args)
    reach = 2.0 * 0.5 / mu * math.sqrt(2.0 * 1.5 / 10**6)
    assert all(3.0 * eta + reach / eta**0.5 < 3.0 * other + reach / other**0.5 for other in (0.75 * eta, 1.3 * eta))
    assert theory.perturbation(125_000, *args) == pytest.approx(2.0 * eta)
    m = RegularizedPerturbation(1.0, 1e-5)
    p = PublicDataProblem(np.zeros(500), np.ones(500), np.zeros(4), hypotheses=Constants(), loss="squared")
    assert replace(m, normalization="sum").eta(p) == pytest.approx(500.0 * m.eta(p))
    assert replace(m, normalization="sum").stability(p) == pytest.approx(m.stability(p))


def union_scale(m, epsilon, delta, patterns):
    """The s at which N times the profile of a pair 2√m/s apart is δ, by bisection."""
    low, high = 1e-3, 1e9
    for _ in range(200):
        middle = math.sqrt(low * high)
        within = patterns * gaussian_delta(epsilon, 2.0 * math.sqrt(m) / middle) <= delta
        low, high = (low, middle) if within else (middle, high)
    return high


@pytest.mark.parametrize(("m", "d"), [(100, 1), (10_000, 1), (100_000, 10)])
def test_the_scale_is_the_smaller_of_two(m, d):
    log_patterns = d * math.log(math.e * m / d)
    got = theory.rrspm_gaussian_scale(m, 1.0, 1e-5, log_patterns)
    alone = theory.rrspm_gaussian_scale(m, 1.0, 1e-5)
    assert got == pytest.approx(min(alone, union_scale(m, 1.0, 1e-5, math.exp(log_patterns))), rel=1e-6)


def test_the_mechanism_takes_the_smaller_scale():
    points = np.linspace(0.0, 1.0, 2000)
    problem = PublicDataProblem(points[:50], np.ones(50), points, hypotheses=Thresholds(), loss="zero-one")
    mechanism = RRSPM(1.0, 1e-5, noise="gaussian")
    assert patterns(problem) == pytest.approx(math.log(2001))
    assert mechanism.scale(problem) == pytest.approx(union_scale(2000, 1.0, 1e-5, 2001.0), rel=1e-6)
    assert mechanism.scale(problem) < 0.25 * theory.rrspm_gaussian_scale(2000, 1.0, 1e-5)
    assert mechanism.guarantee(problem).delta(1.0) <= 1e-5
    assert mechanism.guarantee(problem).delta(1.0) > 0.99e-5
    weaker = RRSPM(1.0, 1e-5, noise="gaussian", noise_scale=0.9 * mechanism.scale(problem))
    assert weaker.guarantee(problem).delta(1.0) > 1e-5
    assert RRSPM(1.0, 1e-5, noise="gaussian", noise_scale=1e-3).guarantee(problem).delta(1.0) == 1.0


def test_a_class_of_unknown_size_keeps_the_bound_for_all():
    from sklearn.linear_model import LogisticRegression

    points = np.random.default_rng(0).standard_normal((20, 2))
    problem = PublicDataProblem(
        points, np.ones(20), points, hypotheses=LinearEstimator(LogisticRegression(), 2), loss="zero-one"
    )
    assert patterns(problem) == math.inf
