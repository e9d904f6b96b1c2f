"""Truncations, nets and the law of the exponential mechanism against the paper in plain Python."""

import math
from dataclasses import replace

import numpy as np
import pytest
from heavytail_instances import IOTAS, on_lattice
from naive import heavytail as naive
from scipy.integrate import quad

from dpbench.core.validation import InvalidInput
from dpbench.papers.heavytail import theory
from dpbench.papers.heavytail.algorithms.exponential import ExponentialMechanism
from dpbench.papers.heavytail.algorithms.net import Net
from dpbench.papers.heavytail.algorithms.truncation import columns, psi, sums_at, truncated_risk
from dpbench.papers.heavytail.problem import HeavyTailedProblem
from dpbench.papers.heavytail.theorems.sharp import after_next, axes_population, next_term
from dpbench.papers.heavytail.theorems.theorems1_2 import leaning_pair, privacy_loss

THETAS = (2.0, 1.75, 1.5, 1.25, 1.3)
theta_each = pytest.mark.parametrize("theta", THETAS)


def problem(theta=2.0, *, n=12, d=2, seed=3, domain="ball"):
    """Heavy tails, exact fits and wild scales together."""
    rng = np.random.default_rng(seed)
    X = rng.standard_t(1.5, (n, d)) * 10.0 ** rng.uniform(-1.0, 1.0, (n, 1))
    y = X @ np.full(d, 0.25) + np.where(rng.random(n) < 0.5, 0.0, rng.standard_t(1.5, n))
    return HeavyTailedProblem(X, y, radius=1.0, theta=theta, domain=domain)


@theta_each
def test_psi_is_the_paper_s(theta):
    x = np.concatenate([np.linspace(-3.0, 3.0, 1201), [0.0, 1.0, -1.0, 1e-9, -1e-9, 1e9, np.nextafter(1.0, 0.0)]])
    assert np.allclose(psi(x, theta), [naive.psi(float(v), theta) for v in x], rtol=1e-12, atol=1e-16)
    assert psi(1.0, theta) == psi(7.0, theta) == pytest.approx(math.log(theta), rel=1e-15)


@theta_each
@pytest.mark.kernel
@pytest.mark.parametrize("n", [1, 63, 64, 65, 300])
def test_scores_equal_the_twin(theta, n):
    """truncated_sums, by way of what calls it."""
    p = problem(theta, n=n, d=3)
    w = np.random.default_rng(1).uniform(-1.0, 1.0, (4, 3))
    w[0] = 0.25
    got = sums_at(columns(p), p.y, w, 0.3, theta)
    want = [naive.score(p.X.tolist(), p.y.tolist(), row.tolist(), 0.3, theta) for row in w]
    assert np.allclose(got, want, rtol=1e-12, atol=1e-13)
    assert np.allclose(truncated_risk(p, w, 0.3), np.array(want) / (0.3 * n), rtol=1e-12, atol=1e-13)


def towards_zero(net, w):
    """A net point within `covering_radius` of each row of w."""
    return np.trunc(w / net.spacing * (1.0 - 1e-15)) * net.spacing


@pytest.mark.parametrize("domain", ["ball", "box"])
@pytest.mark.parametrize(("d", "zeta"), [(1, 0.013), (2, 0.11), (3, 0.3), (4, 0.9)])
def test_net_is_a_net(domain, d, zeta):
    net = Net(d, 1.5, domain, zeta)
    points = net.points()
    want = np.array(naive.net(d, 1.5, domain, net.resolution)) * (1.5 / net.resolution)
    assert np.allclose(points, want, rtol=0.0, atol=1e-15)
    low, high = net.log_size_bounds()
    assert low - 1e-9 <= math.log(len(points)) <= high + 1e-9
    assert net.covering_radius <= zeta
    hole = np.full(d, 0.5 * net.spacing)  # as far from the points around it as any point; half of what is promised
    assert np.linalg.norm(points - hole, axis=1).min() == pytest.approx(0.5 * net.covering_radius)
    rng = np.random.default_rng(5)
    w = rng.standard_normal((500, d))
    if domain == "ball":
        w *= 1.5 * rng.random((500, 1)) ** (1.0 / d) / np.linalg.norm(w, axis=1, keepdims=True)
        w[:100] *= 1.5 / np.linalg.norm(w[:100], axis=1, keepdims=True)  # on the boundary
    else:
        w = rng.uniform(-1.5, 1.5, (500, d))
    near = towards_zero(net, w)
    assert np.all(net.contains(np.rint(near / net.spacing).astype(np.int64)))
    assert np.linalg.norm(w - near, axis=1).max() <= zeta * (1.0 + 1e-12)
    # A net of twice the spacing does not pass: the check can fail.
    coarse = towards_zero(Net(d, 1.5, domain, 2.0 * zeta), w)
    assert np.linalg.norm(w - coarse, axis=1).max() > zeta or d == 4


def test_a_net_too_fine_for_its_integers_is_refused():
    assert Net(2, 1.0, "ball", 1e-7).resolution > 10**7
    with pytest.raises(InvalidInput, match=r"^net_radius must be at least"):
        Net(2, 1.0, "ball", 1e-8)


def test_net_counts_large_balls_between_its_bounds():
    for d in (2, 3, 5):
        exact = Net(d, 1.0, "ball", math.sqrt(d) / 150.0).log_size_bounds()
        assert exact[0] == exact[1]
        volume = 0.5 * d * math.log(math.pi) - math.lgamma(0.5 * d + 1.0)
        m = 150
        inner, outer = (volume + d * math.log(m + side * 0.5 * math.sqrt(d)) for side in (-1.0, 1.0))
        assert inner <= exact[0] <= outer


@theta_each
@pytest.mark.kernel
@pytest.mark.parametrize("domain", ["ball", "box"])
@pytest.mark.parametrize(("calibration", "share"), [("exact", 0.5), ("printed", 1.0)])
def test_law_equals_the_twin(theta, domain, calibration, share):
    p = problem(theta, domain=domain)
    mechanism = ExponentialMechanism(1.3, net_radius=0.35, calibration=calibration, truncation=0.4)
    points, logs = mechanism.log_probabilities(p)
    scores = [naive.score(p.X.tolist(), p.y.tolist(), w.tolist(), 0.4, theta) for w in points]
    want = naive.probabilities(scores, 1.3, theta, share)
    assert np.allclose(np.exp(logs), want, rtol=1e-10)
    other = naive.probabilities(scores, 1.3, theta, 1.5 - share)
    assert np.abs(np.array(other) / want - 1.0).max() > 0.01


def test_printed_loss_exceeds_its_claim_and_exact_does_not():
    pair = leaning_pair(4, 2.0)
    printed = ExponentialMechanism(1.0, net_radius=1.0, calibration="printed")
    exact = ExponentialMechanism(1.0, net_radius=1.0)
    given = {"truncation": printed.iota(pair[0])}
    assert privacy_loss(printed, *pair) >= 1.7
    assert privacy_loss(exact, *pair) <= 1.0
    assert printed.pair_profile(*pair).epsilon(0.0) == pytest.approx(privacy_loss(printed, *pair), rel=1e-9)
    assert printed.guarantee(pair[0]).epsilon(0.0) == 2.0
    assert replace(printed, **given).guarantee(pair[0], neighbours="add_remove").epsilon(0.0) == 1.0
    assert exact.guarantee(pair[0]).epsilon(0.0) == 1.0
    assert replace(exact, **given).guarantee(pair[0], neighbours="add_remove").epsilon(0.0) == 0.5


def test_pairs_of_another_size_need_public_parameters():
    p, q = problem(n=6), problem(n=7)
    with pytest.raises(InvalidInput, match=r"^neighbour must be of the same size"):
        ExponentialMechanism(1.0).pair_profile(p, q)
    for given in ({}, {"net_radius": 0.5}, {"truncation": 0.3}):
        missing = ", ".join(name for name in ("net_radius", "truncation") if name not in given)
        with pytest.raises(InvalidInput, match=rf"which depend on n else: {missing}, got"):
            ExponentialMechanism(1.0, **given).guarantee(p, neighbours="add_remove")
    points = [{tuple(w) for w in ExponentialMechanism(1.0, truncation=0.3).net(r).points()} for r in (p, q)]
    assert points[1] - points[0], "outputs that one record less can never have"
    mechanism = ExponentialMechanism(1.0, net_radius=0.5, truncation=0.3, calibration="printed")
    larger = HeavyTailedProblem(np.vstack([p.X, [[5.0, 5.0]]]), np.append(p.y, 3.0), radius=1.0)
    profile = mechanism.pair_profile(p, larger)
    assert profile.neighbours == "add_remove" and profile.epsilon(0.0) <= 1.0
    with pytest.raises(InvalidInput, match=r"^neighbour must be a problem with the same domain"):
        mechanism.pair_profile(p, problem(1.5, n=6))


@theta_each
@pytest.mark.parametrize("moment", ["norm", "coordinate"])
def test_iota_and_the_bound_are_those_of_the_theorems(theta, moment):
    """(7), (8), (18), (19) and ι, written out, with the units restored; as printed, ι has no Δ, and two other slips."""
    for n, d, epsilon, eta, tau, diameter in ((1000, 3, 0.5, 0.05, 1.0, 2.0), (2, 5, 2.0, 0.2, 3.0, 0.7)):
        given = {"theta": theta, "tau": tau, "moment": moment, "diameter": diameter}
        size, missed = n * epsilon, math.log(1.0 / eta)
        logs = missed * (math.log(n) if n > 2 else 1.0)
        ratio = logs / size * (d if moment == "norm" else 1)
        iota = ratio ** (1.0 / theta) / tau
        assert theory.truncation(n, d, epsilon, eta, **given) == pytest.approx(iota / diameter, rel=1e-12)
        if theta < 2.0:
            iota = ((d * missed / size) ** (1.0 / theta) if moment == "norm" else ratio ** (1.0 - 1.0 / theta)) / tau
        assert theory.truncation(n, d, epsilon, eta, printed=True, **given) == pytest.approx(iota, rel=1e-12)
        bound = tau * diameter * ratio ** (1.0 - 1.0 / theta) * (1 if moment == "norm" else d)
        assert theory.rate(n, d, epsilon, eta, **given) == pytest.approx(bound, rel=1e-12)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"X": np.ones((3, 0))}, "X"),
        ({"X": [[math.nan], [1.0], [1.0]]}, "X"),
        ({"X": [[1e200], [1.0], [1.0]]}, "X"),
        ({"y": [1.0, 2.0]}, "y"),
        ({"y": [1.0, 2.0, math.inf]}, "y"),
        ({"radius": 0.0}, "radius"),
        ({"domain": "cube"}, "domain"),
        ({"theta": 1.0}, "theta"),
        ({"theta": 2.1}, "theta"),
        ({"tau": 0.0}, "tau"),
        ({"moment": "second"}, "moment"),
    ],
)
def test_bad_problems_are_named(change, named):
    good = {"X": [[1.0], [2.0], [3.0]], "y": [1.0, 2.0, 3.0], "radius": 1.0}
    with pytest.raises(InvalidInput, match=rf"^{named} must be .*, got "):
        HeavyTailedProblem(**{**good, **change})


def test_problem_is_a_value():
    p = problem()
    assert p == problem() and hash(p) == hash(problem()) and p != problem(1.5)
    q = p.replace_record(3, [9.0, 9.0], 1.0)
    assert (p.X != q.X).any(axis=1).sum() == 1 and q.y[3] == 1.0 and q.theta == p.theta
    assert p.records_apart(q) == 1 and p.records_apart(q.replace_record(0, p.X[0], 1e6)) == 2
    for other in (problem(1.5), problem(domain="box"), p.X):
        with pytest.raises(InvalidInput, match=r"^neighbour must"):
            p.records_apart(other)
    assert not p.X.flags.writeable
    X, y = p.X.copy(), p.y.copy()
    own = HeavyTailedProblem(X, y, radius=1.0)
    X[0], y[0] = 9.0, 9.0
    assert own == p
    with pytest.raises(InvalidInput, match=r"^index must be below n = 12"):
        p.replace_record(12, p.X[0], 1.0)
    assert p.empirical_risk(np.zeros(2)) == pytest.approx(np.abs(p.y).mean())
    assert problem(domain="box").diameter == pytest.approx(2.0 * math.sqrt(2.0)) and p.diameter == 2.0


@pytest.mark.parametrize("theta", [2.0, 1.5])
@pytest.mark.parametrize("d", [1, 3])
def test_the_sharp_excess_is_the_mean_of_its_law(theta, d):
    """E r under r^(d − 1)·exp(−nιε·r/(2 log θ)), by quadrature."""
    rate = 1000 * 0.3 * 0.5 / (2.0 * math.log(theta))
    mean, mass = (quad(lambda r, p=p: r**p * math.exp(-rate * r), 0.0, 60.0 / rate)[0] for p in (d, d - 1))
    assert theory.sharp_excess(0.3, 1000, d, 0.5, theta) == pytest.approx(mean / mass, rel=1e-5)


@pytest.mark.parametrize("theta", [2.0, 1.5])
def test_the_correction_of_the_sharp_rate_has_no_unit(theta):
    """Records in another unit have another E|x| and E|x|^θ; the relative correction is the same."""
    once, unit = theory.sharp_correction(1000, 0.5, theta, 0.7, 1.3), math.log(theta) / (0.5 * 1000 * 0.5 * 0.7)
    assert once == pytest.approx(math.gamma(theta + 1.0) * unit ** (theta - 1.0) * 1.3 / 0.7, rel=1e-12)
    assert theory.sharp_correction(1000, 0.5, theta, 7.0, 1.3 * 10.0**theta) == pytest.approx(once, rel=1e-12)


@pytest.mark.parametrize("theta", [1.25, 1.5, 1.75])
def test_the_term_after_next_of_the_sharp_rate_is_that_of_its_law(theta):
    """E t under exp(−t + b t^θ) by quadrature, less 1 and the next term, leaves what is allowed, half of `high`."""
    n = 10**9 if theta == 1.25 else 10**7
    following = next_term(axes_population(theta, 2), n, 1.0)
    b = following / (theta * math.gamma(theta + 1.0))

    def moment(power):
        def weight(t):
            return t**power * math.exp(-t + b * t**theta)

        return quad(weight, 0.0, 60.0, epsabs=1e-15, epsrel=1e-13, limit=400)[0]

    left = moment(1) / moment(0) - 1.0 - following
    allowed = after_next(theta, n, 1.0)
    assert allowed.power == 2.0 * (theta - 1.0) and allowed.low == 0.0
    assert 0.5 * allowed.high * (1.0 + following) == pytest.approx(left, rel=0.03)


def test_the_sampler_is_chosen_by_the_size_of_the_net():
    """What is too large to be enumerated says so where its law is asked for; a profile says of which neighbours it is,
    a record replaced or taken away, by either way."""
    rng = np.random.default_rng(1)
    for d, zeta, sampler in ((1, 0.5, "enumerate"), (4, 0.05, "tree")):
        p = HeavyTailedProblem(rng.standard_normal((30, d)), rng.standard_normal(30), radius=1.0)
        fewer = HeavyTailedProblem(p.X[1:], p.y[1:], radius=1.0, tau=p.tau)
        m = ExponentialMechanism(1.0, net_radius=zeta, truncation=0.1)
        profiles = [m.pair_profile(p, other) for other in (p.replace_record(0, np.ones(d), 1.0), fewer)]
        assert m.sampler_for(p) == sampler and [made.neighbours for made in profiles] == ["replace", "add_remove"]
        assert {made.kind for made in profiles} == {"exact" if d == 1 else "upper"}
        if d == 4:
            with pytest.raises(InvalidInput, match=r"^net_radius must be so large"):
                m.log_probabilities(p)
    sizes = [HeavyTailedProblem(np.ones((n, 1)), np.ones(n), radius=1.0) for n in (20, 20_000)]
    assert [ExponentialMechanism(1.0).sampler_for(p) for p in sizes] == ["enumerate", "tree"]
    box = HeavyTailedProblem(np.ones((4, 3)), np.zeros(4), radius=1.0, domain="box")
    made = ExponentialMechanism(1.0, net_radius=0.5)
    assert made._cube(box) == len(made.net(box).points())  # what the choice rests on: the points of a box's net


@pytest.mark.parametrize("theta", [2.0, 1.75, 1.5, 1.25])
def test_no_replaced_record_moves_a_log_probability_by_more_than_epsilon(theta):
    """25 data sets with six replacements each; a weight a tenth too large is seen by the leaning pair."""
    rng = np.random.default_rng(11)
    for _ in range(25):
        n, d, epsilon = int(rng.integers(2, 12)), int(rng.integers(1, 3)), float(rng.choice((0.1, 1.0, 4.0)))
        domain, corner = str(rng.choice(("ball", "box"))), np.ones(d)
        p, others = (
            replace(on_lattice(rng, size, -corner, corner, 1.0, float(rng.choice(IOTAS)), domain=domain), theta=theta)
            for size in (n, 6)
        )
        m = ExponentialMechanism(epsilon, net_radius=0.3)
        points, before = m.log_probabilities(p)
        for x, response in zip(others.X, others.y, strict=True):
            q = p.replace_record(int(rng.integers(n)), x, float(response))
            assert np.abs(before - m.log_probabilities(q)[1]).max() <= epsilon * (1.0 + 1e-9)
            change = np.abs(truncated_risk(p, points, m.iota(p)) - truncated_risk(q, points, m.iota(p))).max()
            assert change <= math.log(theta) / (n * m.iota(p)) * (1.0 + 1e-9)
    pair = leaning_pair(20, theta)
    assert 1.0 < 1.1 * privacy_loss(ExponentialMechanism(1.0, net_radius=1.0), *pair) <= 1.1
