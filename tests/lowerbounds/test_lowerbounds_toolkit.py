"""Builders and families: floors against linear programmes, mechanisms that come near, attacks that refute broken ones.

Every family has all three. The linear programme (`naive.private_risk`) is over all private mechanisms of a small case
and shares no formula with the builders; it is itself held against randomised response and a closed form.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from naive import lowerbounds as naive
from naive.private_risk import private_bayes_risk
from scipy.stats import binom

from dpbench import audit
from dpbench.core.validation import InvalidInput
from lowerbounds import (
    Family,
    Floor,
    assouad,
    at_distance,
    best_distance,
    chaudhuri_hsu,
    check_family,
    curve,
    families,
    fano,
    fingerprint,
    frontier,
    large_radius,
    le_cam,
    measured_risk,
    packing_floor,
    score_attack,
)

Make = Callable[[float], Callable[..., np.ndarray]]


def strongest(floors):
    return max(floors, key=lambda floor: floor.value)


def verdict(mechanism, floor, claim, trials, distance=None):
    """Of the claim, composed over the records in which the attack's two data sets differ, at level 1e-6."""
    k = best_distance(claim, floor.family.n, purpose="attack") if distance is None else distance
    pair = floor.attack(k, np.random.default_rng(1))
    composed = at_distance(claim, pair.distance)
    given = {"claim": composed, "trials": trials, "confidence": 1.0 - 1e-6, "score": pair.score}
    return audit(mechanism, pair.dataset, pair.neighbour, **given).verdict


# --- five families and one more: floor, mechanism, attack ----------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """A floor, mechanisms at a multiple of the noise that the claim needs, and how near the full noise comes."""

    floor: Floor
    claim: Any
    make: Make
    within: float
    broken: float
    runs: int = 20_000


def mean_case(n=200, m=0, within=6.6, runs=2_500):
    """m records are public."""
    d, mu = 50, 0.2
    floor = fingerprint(families.bit_means(n, d, public=m), {"mu": mu})
    prior = 1.0 / (4.0 * (1.0 + 2.0 * floor.family.beta))

    def make(factor):
        noise = factor * math.sqrt(d) / (n * mu)
        weights = np.array([1.0 / (noise**2 + 0.25 / n), 4.0 * m])
        weights = weights / (weights.sum() + 1.0 / prior)

        def run(data, trials, rng):
            private = data[:n].mean(axis=0) + noise * rng.standard_normal((trials, d))
            public = data[n:].sum(axis=0) / max(m, 1)
            return 0.5 + weights[0] * (private - 0.5) + weights[1] * (public - 0.5)

        return run

    return Case(floor, {"mu": mu}, make, within, 0.5, runs)


def covariance_case():
    n, d, mu = 2000, 4, 0.3
    floor = strongest(assouad(families.covariance(n, d, b), {"mu": mu}) for b in np.geomspace(0.02, 0.3, 12))
    pairs = d * (d - 1) // 2
    entry = abs(float(floor.family.target(np.ones(pairs))[0]))

    def make(factor):
        def run(data, trials, rng):  # one record moves two entries by 1/(2n), or one by 1/n
            found = (data.T @ data / n)[np.triu_indices(d, 1)]
            return np.clip(found + factor / (n * mu) * rng.standard_normal((trials, pairs)), -entry, entry)

        return run

    return Case(floor, {"mu": mu}, make, 5.0, 0.5)


def sparse_case():
    n, d, epsilon = 1000, 64, 0.2
    grid = np.geomspace(0.01, 0.5, 14)
    floor = strongest(build(families.sparse_mean(n, d, b), epsilon) for b in grid for build in (packing_floor, fano))
    bias = math.sqrt(2.0 * floor.family.radius)

    def make(factor):
        def run(data, trials, rng):  # the exponential mechanism on sums, which one record moves by 2
            scores = data.sum(axis=0) * epsilon / (4.0 * factor) + rng.gumbel(size=(trials, d))
            made = np.zeros((trials, d))
            made[np.arange(trials), scores.argmax(axis=1)] = 0.3 * bias  # it is right in a third of the runs
            return made

        return run

    return Case(floor, epsilon, make, 5.5, 0.2)


def heavy_case():
    n, epsilon = 1000, 0.2
    floor = strongest(le_cam(families.heavy_mean(n, p), epsilon) for p in np.geomspace(1e-3, 0.1, 12))
    target = float(floor.family.target(1)[0])

    def make(factor):
        def run(data, trials, rng):  # a record moves the number of positive less negative ones by 2
            return np.sign(np.sign(data).sum() + factor * 2.0 / epsilon * rng.laplace(size=trials)) * target

        return run

    return Case(floor, epsilon, make, 1.1, 0.5)


def selection_case():
    n, epsilon = 100, 0.1
    floor = packing_floor(families.selection(n, 10, 20), epsilon)

    def make(factor):
        def run(data, trials, rng):
            counts = np.bincount(data, minlength=11)[1:]
            return (counts * epsilon / factor + rng.gumbel(size=(trials, 10))).argmax(axis=1) + 1

        return run

    return Case(floor, epsilon, make, 2.0, 0.4)


CASES = {
    "mean": mean_case, "covariance": covariance_case, "sparse mean": sparse_case, "heavy tails": heavy_case,
    "pure selection": selection_case, "public records": partial(mean_case, 500, 20, 6.0, 5_000),
}  # fmt: skip


@pytest.mark.few(2)
@pytest.mark.parametrize("name", CASES)
def test_a_mechanism_comes_near_the_floor_and_the_attack_refutes_a_broken_one(name):
    """Null: the mechanism with full noise is refuted with probability at most 1e-6; the one with less noise is.

    Its risk is above the floor (less 6 standard errors) and within the factor of the case.
    """
    case = CASES[name]()
    mean, error = measured_risk(case.make(1.0), case.floor, draws=400)
    assert mean + 6.0 * error >= case.floor.value > 0.0
    assert mean <= case.within * case.floor.value, mean / case.floor.value
    assert verdict(case.make(1.0), case.floor, case.claim, case.runs) == "not refuted"
    assert verdict(case.make(case.broken), case.floor, case.claim, case.runs) == "refuted"


SMALL = {
    "mean": (fingerprint, None, [[x] for x in np.linspace(0.0, 1.0, 21)]),
    "covariance": (assouad, families.covariance(3, 2, 0.6), [[x] for x in np.linspace(-0.3, 0.3, 13)]),
    "sparse mean": (packing_floor, families.sparse_mean(3, 2, 0.9), None),
    "sparse mean, information": (fano, families.sparse_mean(2, 3, 1.0), None),
    "heavy tails": (le_cam, families.heavy_mean(3, 0.4), None),
    "pure selection": (packing_floor, families.selection(2, 3, 2), None),
}


@pytest.mark.few(7)  # of three for each name: all names
@pytest.mark.parametrize("privacy", [(0.4, 0.0), (1.0, 0.0), (0.5, 0.05)])
@pytest.mark.parametrize("name", SMALL)
def test_floors_are_below_the_best_private_mechanism_of_a_small_case(name, privacy):
    build, small, outputs = SMALL[name]
    if small is None:
        with_prior = families.bit_means(2, 1, beta=2.0)
        floor = build(replace(with_prior, at_prior=None), privacy[0], privacy[1])
        assert 0.0 < floor.value <= bits_risk(2.0, 2, *privacy) * (1.0 + 1e-6)
        return
    assert check_family(small).ok
    floor = build(small, *privacy).value
    assert floor <= private_bayes_risk(small, *privacy, outputs=outputs) * (1.0 + 1e-7) + 1e-12


@pytest.mark.parametrize(
    ("build", "family"),
    [
        (assouad, families.covariance(7, 3, 0.6)), (packing_floor, families.sparse_mean(7, 3, 0.9)),
        (le_cam, families.heavy_mean(7, 0.4)), (packing_floor, families.selection(7, 3, 2)),
    ],
    ids=lambda part: getattr(part, "name", ""),
)  # fmt: skip
def test_an_attack_s_data_sets_are_as_far_apart_as_it_says_and_its_score_points_to_the_neighbour(build, family):
    """Records are compared one by one; outputs that are right about either hypothesis have scores of either sign."""
    floor = build(family, 0.4)
    first = floor.family.sample(np.random.default_rng(0)) if build is assouad else floor.family.members[0]
    second = np.append(first[:-1], -first[-1]) if build is assouad else floor.family.members[1]
    near = family.differ(first, second)
    for asked in (1, 3, 7):
        pair = floor.attack(asked, np.random.default_rng(1))
        moved = [not np.array_equal(*two) for two in zip(pair.dataset, pair.neighbour, strict=True)]
        assert (len(moved), sum(moved)) == (7, pair.distance) == (7, near if isinstance(near, int) else asked)
        scores = [pair.score(np.array([family.target(member)]))[0] for member in (first, second)]
        assert scores[0] < 0.0 < scores[1] == -scores[0]


def bits_risk(beta, n, epsilon, delta):
    """The least risk of the mean of bits, its Beta(β, β) prior replaced by 200 draws, outputs on a grid."""
    grid = np.linspace(0.0, 1.0, 21)
    family = families.bit_means(n, 1, beta=beta)
    members = [np.array([x]) for x in np.random.default_rng(0).beta(beta, beta, 200)]
    exact = replace(family, members=members, prior=None)
    return private_bayes_risk(exact, epsilon, delta, outputs=grid[:, None])


def test_linear_programme_is_randomised_response_on_two_data_sets():
    """One voter, two candidates: the best private answer errs with 1/(1 + e^ε) less half of δ's share."""
    family = replace(families.selection(1, 2, 1), members=(1, 2))
    for epsilon, delta in ((0.5, 0.0), (1.0, 0.0), (1.0, 0.1)):
        found = private_bayes_risk(family, epsilon, delta)
        assert found == pytest.approx((1.0 - delta) / (1.0 + math.exp(epsilon)), abs=1e-7)
        assert le_cam(family, epsilon, delta).value == pytest.approx(found, abs=1e-7)  # attained


@pytest.mark.parametrize("epsilon", [0.3, 1.0])
def test_two_points_with_many_records_equal_the_programme(epsilon):
    """A pair with two votes: Le Cam with the composed curve is the least private risk, the group bound is below it."""
    family = replace(families.selection(2, 2, 2), members=(1, 2))
    least = private_bayes_risk(family, epsilon)
    assert le_cam(family, epsilon).value == pytest.approx(least, abs=1e-7)
    assert least == pytest.approx(0.5 * (1.0 - naive.largest_gap(epsilon, 0.0, 2)), abs=1e-7)


def test_data_sets_that_a_family_keeps_are_not_written_into():
    kept = {m: np.full(3, float(m)) for m in (-1, 1)}
    family = replace(families.heavy_mean(3, 0.4), members=(-1, 1), draw=lambda m, rng: kept[m], law=None, couple=None)
    pair = le_cam(family, 1.0).attack(1, np.random.default_rng(1))
    assert {m: data.tolist() for m, data in kept.items()} == {-1: [-1.0] * 3, 1: [1.0] * 3}
    assert (pair.dataset != pair.neighbour).sum() == 1


def test_a_floor_that_is_too_high_is_seen():
    """Planted: twice the separation, half the distance, a third of the radius more."""
    family = families.heavy_mean(3, 0.4)
    planted = {
        "separation": replace(family, separation=lambda a, b: 2.0 * family.separation(a, b)),
        "differ": replace(family, differ=lambda a, b: 0.5 * family.differ(a, b)),
        "frequencies": replace(family, law=lambda m: (family.law(m)[0], [0.25 * (m < 0), 0.75, 0.25 * (m > 0)])),
        "least loss": replace(family, target=lambda m: -family.target(m)),
        "records": replace(family, draw=lambda m, rng: family.draw(m, rng)[1:]),
        "sums to 1": replace(
            family, law=lambda m: (family.law(m)[0], [p - 0.1 * p * (m == family.members[1]) for p in family.law(m)[1]])
        ),
        "have the values": replace(family, law=lambda m: ([v + 1.0 for v in family.law(m)[0]], family.law(m)[1])),
        "at least 0": replace(family, loss=lambda m, w: family.loss(m, w) - 1.0),
    }
    assert check_family(family).ok and len(check_family(replace(family, law=None)).skipped) == 2
    silent = check_family(replace(family, target=None, differ=None, law=None))
    assert len(silent.skipped) == 3 and str(silent).count("not checked: ") == 3
    for word, broken in planted.items():
        report = check_family(broken)
        assert not report.ok and word in " ".join(report.failures), word
        said = str(report).splitlines()
        assert [sum(line.startswith(kind) for line in said) for kind in ("holds: ", "FAILS: ")] == [
            len(report.checked), len(report.failures)
        ]  # fmt: skip
    assert 0.37 > private_bayes_risk(family, 1.0) >= le_cam(family, 1.0).value
    sparse = families.sparse_mean(3, 2, 0.9)
    assert not check_family(replace(sparse, radius=1.5 * sparse.radius)).ok


def test_scores_of_the_gaussian_mean_and_its_floor():
    """van Trees without privacy, attained by shrinkage; under μ-GDP the closed form."""
    family = families.gaussian_mean(40, 3)
    assert check_family(family).ok
    assert not check_family(replace(family, score=lambda member, records: 1.3 * (records - member))).ok
    for word, changed in {
        "mean 0": {"score": lambda member, records: records - member + 1.0},
        "trace": {"information": (2.5, 1.0)},
        "eigenvalue": {"information": (3.0, 0.4)},
    }.items():
        assert word in " ".join(check_family(replace(family, **changed)).failures)
    bayes = score_attack(family, None).value
    assert bayes == pytest.approx(3.0 / 41.0, rel=1e-12)
    mean, error = measured_risk(lambda x, t, rng: np.tile(x.sum(axis=0) / 41.0, (t, 1)), score_attack(family, None))
    assert abs(mean - bayes) < 6.0 * error
    private = score_attack(families.gaussian_mean(40, 30), {"mu": 0.05})
    expected = 30.0**2 / (math.sqrt(30.0) + 40.0 * math.sqrt(math.expm1(0.05**2))) ** 2
    assert private.value == pytest.approx(expected, rel=1e-12)
    with_public = score_attack(families.gaussian_mean(40, 30, public=10), {"mu": 0.05})
    assert 0.0 < with_public.value < private.value
    assert score_attack(families.gaussian_mean(40, 30), 0.05, 0.01).value < private.value  # no bound on scores

    pair, rng = private.attack(40, np.random.default_rng(1)), np.random.default_rng(1)
    member = private.family.sample(rng)
    private.family.draw(member, rng)
    apart = [((one - other) ** 2).sum() for one, other in itertools.combinations(private.family.draw(member, rng), 2)]
    assert ((pair.neighbour[0] - pair.dataset[0]) ** 2).sum() == pytest.approx(max(apart))  # the farthest of a pool

    def clipped(factor):
        def run(data, trials, rng):
            short = data / np.maximum(1.0, np.linalg.norm(data, axis=1) / 12.0)[:, None]
            return short.mean(axis=0) + factor * 24.0 / (40 * 0.05) * rng.standard_normal((trials, 30))

        return run

    for factor, expected in ((1.0, "not refuted"), (0.1, "refuted")):
        assert verdict(clipped(factor), private, {"mu": 0.05}, 4_000, distance=40) == expected


def test_glm_families_are_families_too():
    hard = chaudhuri_hsu(30, 0.5)
    report = check_family(families.of_hard_family(hard))
    assert report.ok and len(report.skipped) >= 2
    mean, error = measured_risk(lambda data, trials, rng: np.zeros((trials, 1)), hard, draws=10)
    assert mean == pytest.approx(hard.parameters["target"]) and error == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("hard", [chaudhuri_hsu(1000, 0.5), large_radius(100, 2, 0.5, radius=3.0)])
def test_families_of_two_data_sets_and_their_floors_are_in_the_mean_over_both(hard):
    """Randomised response at the distance is private: above `mean_floor`, and below `floor`, which is on the sum.

    Null: the mean risk is at least `mean_floor`; 6 standard errors, fixed seed. A floor twice as high is seen.
    """
    first = hard.instances(0).y

    def response(data, trials, rng):
        right = rng.random(trials) > 1.0 / (1.0 + math.exp(0.5 * hard.distance))
        at_first = right == np.array_equal(data.y, first)
        return np.where(at_first[:, None], hard.minimisers(0), hard.minimisers(1))

    family = families.of_hard_family(hard)
    floor = Floor(hard.mean_floor, family, None, "of the construction", lambda k, rng: None)
    drawn, drawn_error = measured_risk(response, floor, draws=2000, trials=100)
    both, both_error = measured_risk(response, hard, draws=2000, trials=100)
    assert hard.mean_floor == 0.5 * hard.floor
    assert abs(drawn - both) < 6.0 * math.hypot(drawn_error, both_error)
    assert hard.mean_floor - 6.0 * both_error < both < 2.0 * hard.mean_floor - 6.0 * both_error


def test_the_score_of_a_fingerprint_points_to_the_data_set_that_has_the_targets():
    pair = fingerprint(families.bit_means(40, 30), {"mu": 1.0}).attack(3, np.random.default_rng(1))
    assert pair.score(pair.neighbour.mean(axis=0)) > pair.score(pair.dataset.mean(axis=0))
    assert (pair.dataset != pair.neighbour).any(axis=1).sum() == 3 == pair.distance


@pytest.mark.parametrize(("n", "chance"), [(1, 0.1), (3, 0.2), (12, 0.05)])
def test_two_hypotheses_that_often_give_the_same_data(n, chance):
    """Of n records each differs with the chance: the mean over their number of the overlap left, which is 1 at none."""
    family, claimed = families.heavy_mean(n, chance), curve(0.7)
    left = [1.0, *(claimed.overlap(k) for k in range(1, n + 1))]
    mean = binom.pmf(range(n + 1), n, family.differ(1, -1)) @ left
    assert not family.quadratic and claimed.overlap(1) == pytest.approx(2.0 / (1.0 + math.exp(0.7)))
    assert le_cam(family, 0.7).value == pytest.approx(0.5 * family.separation(1, -1) * mean, rel=1e-9)


def test_divergences_of_sparse_means_are_those_of_their_laws():
    family = families.sparse_mean(5, 3, 0.2)
    for first, second in itertools.product((-1, 0, 2), repeat=2):
        p, q = (np.array(family.law(member)[1]) for member in (first, second))
        assert family.divergence(first, second) == pytest.approx(float((p * np.log(p / q)).sum()), abs=1e-14)
    certain = families.sparse_mean(5, 3, 1.0)
    assert certain.divergence(0, 1) == math.inf and certain.divergence(0, -1) == pytest.approx(math.log(2.0))


def test_public_records_carry_information_too():
    """Fano's floor on every algorithm, from 2 private and 3 public records, is that of 5."""
    few, all_records = families.sparse_mean(2, 40, 0.3), families.sparse_mean(5, 40, 0.3)
    assert fano(replace(few, public=3)).value == fano(all_records).value < fano(few).value


def test_frontier_gives_floor_risk_and_ceiling_of_one_risk():
    """Of a family of two data sets the floor in the mean over both."""
    from matplotlib.figure import Figure

    grid, ax = [100, 1000, 10_000], Figure().add_subplot()

    def build(n):
        return strongest(le_cam(families.heavy_mean(int(n), c / n), 0.5) for c in (1.0, 2.0, 4.0))

    def make(n):
        return lambda data, trials, rng: (
            np.sign(np.sign(data).sum() + 4.0 * rng.laplace(size=trials)) / math.sqrt(n / 2)
        )

    series = frontier(ax, build, grid, {"noisy sign": make}, ceiling=lambda n: 4.0 / math.sqrt(n), draws=100)
    assert series["n"] == grid and series["ceiling"] == [4.0 / math.sqrt(n) for n in grid]
    assert series["floor"] == [build(n).value for n in grid]
    for n, risk, error in zip(grid, series["noisy sign"], series["noisy sign standard error"], strict=True):
        assert (risk, error) == measured_risk(make(n), build(n), draws=100) and risk + 6.0 * error > build(n).value
    two = frontier(ax, lambda n: chaudhuri_hsu(int(n), 0.5), grid, {})
    assert two["floor"] == [0.5 * chaudhuri_hsu(n, 0.5).floor for n in grid]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda f: le_cam(replace(f, differ=None), 1.0), "family must be one with differ"),
        (lambda f: le_cam(replace(f, members=f.members[:1]), 1.0), "at least 2 members"),
        (lambda f: assouad(replace(f, members=(0.5, 1.0)), 1.0), "vectors of signs"),
        (lambda f: packing_floor(f, 1.0), "a radius > 0"),
        (lambda f: fano(f), "at least 3 members"),
        (lambda f: fano(replace(f, members=(-1, 0, 1), radius=1.0)), "one with divergence, where no privacy"),
        (lambda f: fingerprint(replace(f, width=2), 1.0), "Beta priors"),
        (lambda f: le_cam(replace(f, law=lambda m: ([m], [1.0])), 1.0).attack(1, None), "laws with the same records"),
        (lambda f: frontier(None, None, [0.0], {}), "grid must be positive numbers"),
        (lambda f: score_attack(f, 1.0), "family must be one with score"),
        (lambda f: le_cam(replace(f, differ=lambda a, b: 1.5), 1.0), "differ must be an integer, or a chance"),
        (lambda f: le_cam(replace(f, public=3), 1.0), "without public records"),
        (lambda f: Family("empty", 3, f.draw, f.loss), "members must be the hypotheses"),
        (lambda f: replace(f, loss=0.5), "loss must be callable"),
        (lambda f: families.covariance(3, 2, 1.0 + 1e-9), "bias must be at most 1"),
        (lambda f: measured_risk(lambda *a: 0, f), "floor must be a Floor"),
        (lambda f: check_family(3), "family must be a Family"),
        (lambda f: families.selection(3, 2, 5), "votes must be at most n"),
        (lambda f: families.of_hard_family(f), "family must be a HardFamily"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(InvalidInput, match=message):
        call(families.heavy_mean(20, 0.1))
