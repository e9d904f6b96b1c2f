"""Constructions of the hard families against records in loops: data, minimiser, norm, distance, excess; refusals."""

import math
from functools import partial
from itertools import product

import numpy as np
import pytest
from naive import lowerbounds as naive
from naive import theorem4

from lowerbounds import chaudhuri_hsu, fingerprinting, large_radius, membership, nonprivate, norm_packing, packing


def dense(instance):
    return instance.X.toarray(), instance.y


def differing(a, b):
    """Records in which two data sets of one design order differ."""
    (xa, ya), (xb, yb) = dense(a), dense(b)
    return int(((xa != xb).any(axis=1) | (ya != yb)).sum())


BOUNDS = {"x_bound": 2.0, "y_bound": 3.0}
DESCRIBED = [
    (packing, 40, 3, 0.5, 0.9), (packing, 30, 9, 0.1, 2.5), (packing, 60, 2, 2.0, 2.0),
    (norm_packing, 40, 1, 0.5, 20.0), (norm_packing, 60, 5, 0.3, 0.4), (norm_packing, 90, 3, 1.0, 2.0),
    (norm_packing, 30, 2, 0.1, 1e-3), (norm_packing, 2, 2, 1.0, 9.0),
    (large_radius, 3, 2, 1.0, 1.5), (large_radius, 40, 4, 0.4, 6.0), (large_radius, 50, 2, 1.0, 100.0),
]  # fmt: skip


def rounded(records):
    return sorted((tuple(np.round(x, 10).tolist()), round(float(y), 10)) for x, y in records)


@pytest.mark.parametrize(("make", "n", "d", "epsilon", "radius"), DESCRIBED)
def test_members_are_the_records_described(make, n, d, epsilon, radius):
    """Against records in loops: data, minimiser of norm B (for `packing` at most), distance, excess and its largest."""
    family = make(n, d, epsilon, radius=radius, **BOUNDS)
    size = {name: round(value) for name, value in family.parameters.items()}
    if make is large_radius:
        members = family.enumerated
        made = [
            theorem4.large_radius_records(n, d, size["block"], size["pulled"], k, 2.0, 3.0, radius) for k in members
        ]
    else:
        sigma = family.members(np.random.default_rng(0))
        members = sigma, np.where(np.arange(sigma.size) == 0, -sigma, sigma)
        records = naive.packing_records if make is packing else theorem4.norm_packing_records
        more = () if make is packing else (radius,)
        sizes = n, d, size["active"], size["block"], size["distance"]
        made = [records(*sizes, [int(s) for s in member], 2.0, 3.0, *more) for member in members]
    for member, records in zip(members, made, strict=True):
        X, y = dense(family.instances(member))
        assert rounded(zip(X, y, strict=True)) == rounded(records)
        assert np.abs(y).max() <= 3.0 * (1 + 1e-12) and np.linalg.norm(X, axis=1).max() <= 2.0 * (1 + 1e-12)
        best = theorem4.minimiser(records)
        np.testing.assert_allclose(family.minimisers(member), best, atol=1e-8 * radius)
        assert np.linalg.norm(best) == pytest.approx(radius) or (make is packing and np.linalg.norm(best) < radius)
        corners = np.array(list(product(family.box, repeat=d)))
        outputs = np.append(radius * np.random.default_rng(1).standard_normal((4, d)), corners[-1:], axis=0)
        exact = [naive.squared_risk(records, w) - naive.squared_risk(records, best) for w in outputs]
        np.testing.assert_allclose(family.excess(member, outputs), exact, rtol=1e-7, atol=1e-12)
        if make is not large_radius:
            assert family.excess(member, corners).max() == pytest.approx(family.largest(*family.box))
    assert differing(*map(family.instances, members)) == family.distance


@pytest.mark.parametrize(("n", "distance"), [(10, 3), (10, 4), (7, 7), (9, 2)])
def test_two_points(n, distance):
    family = chaudhuri_hsu(n, 0.3, distance=distance, x_bound=2.0, y_bound=3.0)
    first, second = (family.instances(k) for k in family.enumerated)
    assert differing(first, second) == distance
    for member, instance in enumerate((first, second)):
        X, y = dense(instance)
        w = np.linalg.lstsq(X, y, rcond=None)[0]
        np.testing.assert_allclose(w, family.minimisers(member), atol=1e-12)
        assert abs(w[0]) <= instance.radius * (1.0 + 1e-12)
        np.testing.assert_allclose(family.excess(member, np.array([[0.7], [w[0]]])), [abs(0.7 - w[0]), 0.0], atol=1e-12)


@pytest.mark.parametrize("p", [1.0, 1.5, 2.0, math.inf])
def test_fingerprinting(p):
    family = fingerprinting(50, 6, 0.2, p=p, x_bound=2.0, radius=3.0, active=4, mass=0.5, beta=0.5, constants="tight")
    rng = np.random.default_rng(3)
    means = family.members(rng)
    scale = 3.0 / 4.0 ** (1.0 / p)
    best = family.minimisers(means)
    assert np.linalg.norm(best[:4], p) <= 3.0 * (1.0 + 1e-12) and not best[4:].any()
    outputs = rng.uniform(-scale, 2.0 * scale, (200, 6))
    risks = np.array([naive.absolute_risk(means, 0.5, 2.0, scale, w[:4]) for w in outputs])
    least = naive.absolute_risk(means, 0.5, 2.0, scale, best[:4])
    np.testing.assert_allclose(family.excess(means, outputs), risks - least, rtol=1e-9, atol=1e-12)
    assert risks.min() >= least  # no random point is below the claimed minimiser
    X, y = dense(family.instances(means, rng))
    assert set(np.unique(X)) <= {0.0, 2.0} and np.all((X > 0.0).sum(axis=1) <= 1)
    assert set(np.round(np.unique(y), 12)) <= {0.0, round(2.0 * scale, 12)} and not y[X.sum(axis=1) == 0.0].any()


hard_families = pytest.mark.parametrize(
    "family",
    [
        packing(60, 4, 0.5, 1e-6), norm_packing(60, 4, 0.3), chaudhuri_hsu(31, 0.5, 1e-5, distance=3),
        fingerprinting(40, 6, 0.2, active=4, mass=0.5, beta=0.5, constants="tight"), large_radius(200, 4, 0.5),
        nonprivate(60, 4), nonprivate(60, 1, radius=7.0), nonprivate(50, theorem="16", y_bound=2.0, radius=3.0),
    ],
    ids=lambda family: family.name,
)  # fmt: skip


@hard_families
def test_members_are_drawn_from_their_prior(family):
    """Null: 400 draws of a law with this mean and a deviation of at most `size`; 6 of its errors, false alarm 2e-9.

    Caught, and planted: six members of ten that are the largest one; and what never varies.
    """
    rng = np.random.default_rng(6)
    drawn = np.array([family.members(rng) for _ in range(400)]).reshape(400, -1)
    centre, size = (0.0, 1.0) if drawn.min() < 0.0 else (0.5, 0.5)
    planted = np.where(rng.random(drawn.shape) < 0.6, drawn.max(), drawn)
    off, seen = (np.abs(values.mean(axis=0) - centre) for values in (drawn, planted))
    assert off.max() < 6.0 * size / 20.0 < seen.min() and drawn.std(axis=0).min() > 0.1


@hard_families
def test_clipping_to_the_box_keeps_minimisers_and_raises_no_excess(family):
    rng, reached = np.random.default_rng(4), 0.0
    for _ in range(10):
        member = family.members(rng)
        best = family.minimisers(member)[None, :]
        np.testing.assert_allclose(family.clip(best), best, rtol=1e-12)
        outputs = best + 3.0 * np.abs(best).max() * rng.standard_normal((20, family.d))
        before, after = family.excess(member, outputs), family.excess(member, family.clip(outputs))
        assert (after <= before * (1.0 + 1e-9) + 1e-12).all()
        assert family.least - 1e-12 <= after.min() and after.max() <= family.largest(*family.box) * (1.0 + 1e-9)
        reached = max(reached, float(family.excess(member, np.array([*product(family.box, repeat=family.d)])).max()))
    bound = family.name in ("fingerprinting", "large radius")  # of others it is attained, at a corner
    largest = family.largest(*family.box)
    assert 0.0 < reached < largest if bound else reached == pytest.approx(largest)


def test_membership_pair_differs_in_the_target_alone():
    family = fingerprinting(40, 5, 0.2, active=5, mass=1.0, beta=0.5, constants="tight")
    target = membership(family, np.random.default_rng(8))
    assert differing(target.present, target.absent) == 1
    X, y = dense(target.present)
    assert X[0, target.column] == 1.0 and y[0] == pytest.approx(target.bit * target.scale)
    scores = target.score(np.array([[0.0] * 5, [target.scale] * 5, [9.0] * 5]))
    np.testing.assert_allclose(scores, [0.0, target.bit - target.mean, target.bit - target.mean])


@pytest.mark.parametrize("kind", ["cube", "rare record"])
def test_nonprivate_populations(kind):
    family = nonprivate(60, 4) if kind == "cube" else nonprivate(60, 1, radius=7.0)
    assert family.name == kind
    rng = np.random.default_rng(2)
    member = family.members(rng) if kind == "cube" else 1
    best = family.minimisers(member)
    outputs = best + rng.standard_normal((4, family.d))
    # The population risk is that of the whole support, weighted.
    exact = [support_risk(family, member, w) - support_risk(family, member, best) for w in outputs]
    np.testing.assert_allclose(family.excess(member, outputs), exact, rtol=1e-9)
    instance = family.instances(member, rng)
    assert np.abs(instance.y).max() <= instance.y_bound and abs(instance.X).max() <= instance.x_bound


def support_risk(family, member, w):
    p = family.parameters
    if family.name == "cube":
        sigma = np.asarray(member)
        return float(
            np.mean([sum(0.5 * (1.0 + s * b * t) * 0.5 * (v - t) ** 2 for t in (1.0, -1.0))
                     for s, v, b in zip(sigma, w, [p["bias"]] * len(sigma), strict=False)])
        )  # fmt: skip
    q, g = p["chance"], p["feature"]
    return float(0.5 * (1.0 - q) * (g * w[0] - g * 7.0) ** 2 + 0.5 * q * w[0] ** 2)


def test_two_piece_population():
    family = nonprivate(50, theorem="16", y_bound=2.0, radius=3.0)
    bias = family.parameters["bias"]
    grid = np.linspace(-2.5, 2.5, 50_001)
    risk = np.array([sum((1.0 + s * bias) / 2.0 * naive.two_piece(w - s * 2.0) for s in (1, -1)) for w in grid])
    assert family.minimisers([1.0])[0] == pytest.approx(grid[risk.argmin()], abs=2e-4)
    np.testing.assert_allclose(family.excess([1.0], grid[:, None]), risk - risk.min(), atol=1e-7)
    # Huber's loss on the doubled instance is twice the two-piece loss.
    instance = family.instances([1.0], np.random.default_rng(0))
    x, y = instance.X.toarray()[0, 0], instance.y[0]
    for w in (-1.0, 1.7, 3.0):
        r = abs(x * w - y)
        huber = 0.5 * r * r if r <= 1.0 else r - 0.5
        assert huber == pytest.approx(2.0 * naive.two_piece(w - y / 2.0))


REFUSED = [
    (lambda: packing(100, 4, 0.5, radius=3.0), "radius must be at most .* bias b exceeds 1"),
    (lambda: packing(100, 400, 0.01, radius=1.5), "radius must be at most"),
    (lambda: packing(100, 4, 0.001), "epsilon must be at least 1/n"),
    (lambda: packing(100, 4, 0.5, 0.1, constants="printed"), "delta must be at most"),
    (lambda: packing(100, 4, 1.5, constants="printed"), "epsilon must be at most 1 for the printed constant"),
    (lambda: packing(10, 1, 0.5, radius=0.01), "n must be at least .*, the records of one block"),
    (lambda: packing(100, 4, 0.5, constants="best"), "constants must be one of printed, exact, tight, got 'best'"),
    (lambda: packing(2**53 + 1, 4, 0.5), "n must be .*, got 9007199254740993"),
    (lambda: large_radius(2, 2, 0.5), "n must be"),
    (lambda: large_radius(20, 1, 0.5, radius=2.0), "d must be"),
    (lambda: large_radius(20, 2, 0.5, radius=0.5), "radius must be at least"),
    *(
        (partial(make, **{"n": 20, "d": 3, "epsilon": 0.5, "radius": 2.0} | change), next(iter(change)))
        for make in (norm_packing, large_radius)
        for change in ({"epsilon": 1.5}, {"epsilon": 1e-3}, {"constants": "printed"})
    ),
    (lambda: chaudhuri_hsu(10, 0.5, distance=11), "distance must be at most n = 10, got 11"),
    (lambda: chaudhuri_hsu(10, 2.0, constants="printed"), "distance must be at most log"),
    (lambda: chaudhuri_hsu(10, 0.5).instances(2), "member must be 0 or 1, got 2"),
    (lambda: fingerprinting(10, 4, 0.5, p=0.5), "p must be a finite number >= 1, got 0.5"),
    (lambda: fingerprinting(10, 4, 0.5, mass=1.5), "mass must be at most 1, got 1.5"),
    (lambda: fingerprinting(10, 4, 0.5, active=5), "active must be at most rank = 4, got 5"),
    (lambda: fingerprinting(10, 4, 0.5, beta=0.125), "beta must be below 1/8"),
    (lambda: fingerprinting(1000, 4, 0.5, mass=1.0, active=4), "n must be such that the floor is positive"),
    (lambda: fingerprinting(10, 4, 0.5).minimisers(np.full(4, 1.5)), "member must be a vector of 4 numbers in"),
    (lambda: membership(packing(100, 4, 0.5), np.random.default_rng(0)), "family must be a family of"),
    (lambda: fingerprinting(10, 4, 2.0, constants="printed"), "epsilon must be at most 1.2"),
    (lambda: fingerprinting(1, 49, 1.0, constants="printed"), "rank must be at most 48"),
    (lambda: fingerprinting(10, 4, 0.5, mass=1e-9, constants="printed"), "mass must be the printed default"),
    (lambda: packing(100, 4, 0.5, distance=40, constants="printed"), "distance must be the printed default"),
    (lambda: fingerprinting(10, 4, 0.5).instances(np.full(4, 0.5)), "rng must be a Generator"),
    (lambda: nonprivate(10, theorem="18"), "theorem must be one of 16, 17, cor5, got '18'"),
    (lambda: nonprivate(10, smoothness=2.0), "smoothness must be 1 for theorem '17'"),
    (lambda: nonprivate(10, radius=0.5, constants="rate"), "radius must be at least y_bound"),
    (lambda: nonprivate(10, theorem="16", y_bound=0.5), "must be at least 1 for theorem '16'"),
    (lambda: packing(100, 4, 0.5).excess(np.ones(4), np.zeros((2, 3))), "outputs must be an array of shape"),
    (lambda: packing(100, 4, 0.5).instances(np.zeros(4)), "member must be a vector of 4 signs"),
    *(
        (partial(family.excesses, members, np.zeros(shape)), message)
        for family, good in ((packing(100, 4, 0.5), np.ones(4)), (nonprivate(60, 4), np.ones(4)),
                             (fingerprinting(10, 4, 0.5, active=4), np.full(4, 0.5)))
        for members, shape, message in (
            ([good], (2, 3, 4), "outputs must be an array"), ([good], (1, 3, 5), "outputs must be an array"),
            ([good], (3, 4), "outputs must be an array"), ([good[:3]], (1, 3, 4), "member must be a vector of 4"),
            ([good, good + 1.0], (2, 3, 4), "member must be a vector of 4"),
        )
    ),
]  # fmt: skip


@pytest.mark.parametrize("case", range(len(REFUSED)))
def test_refusals(case):
    make, message = REFUSED[case]
    with pytest.raises(ValueError, match=message):
        make()
