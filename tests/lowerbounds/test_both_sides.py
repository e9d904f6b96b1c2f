"""Floors against oracles, at points on both sides of their branches, and bad arguments of every exported function."""

import itertools
import math
from functools import partial

import numpy as np
import pytest
from naive import floors as naive
from naive import lowerbounds as twins

import lowerbounds
from dpbench.core.validation import InvalidInput
from lowerbounds import (
    chaudhuri_hsu,
    corrected_minimum,
    corrected_nonprivate,
    families,
    fingerprinting,
    large_radius,
    nonprivate,
    norm_packing,
    packing,
    rare_packing,
    two_point_constant,
)
from lowerbounds.nonprivate_floors import RATE_CONSTANT

Point = tuple[float, float]
"""A floor, and what the oracle says."""


def non_private_formulas():
    for n, d, h, y in itertools.product((1, 100, 10**6), (1, 50), (1e-3, 0.2, 1.0, 7.0, 1e5), (1.0, 5.0)):
        bounds = {"y_bound": y, "x_bound": 0.5, "radius": 2.0 * h / math.sqrt(3.0), "smoothness": 3.0}
        yield corrected_nonprivate(n, theorem="16", **bounds), naive.sixteen(n, h, y)
        yield corrected_nonprivate(n, d, **bounds), naive.fifth(n, d, h, y)


def minima_of_theorem_4():
    for n, d, r, y in itertools.product((2, 1000), (1, 2, 10_000), (1e-4, 0.03, 0.5, 1.5, 4.0, 100.0), (1.0, 3.0)):
        bounds = {"radius": r * y / 2.0, "x_bound": 2.0, "y_bound": y}
        for epsilon in (0.5, 1.0):
            yield corrected_minimum(n, d, epsilon, **bounds), y * y * naive.fourth_corrected(n * epsilon, d, r)


def excess_on(family, member):
    """The excess risk on the records of a member: within its bounds, and its minimiser in the ball of radius B."""
    instance = family.instances(member)
    X, y = instance.X.toarray(), instance.y
    best = np.linalg.pinv(X) @ y
    assert np.linalg.norm(best) <= instance.radius * (1.0 + 1e-9)
    assert np.linalg.norm(X, axis=1).max() <= instance.x_bound * (1.0 + 1e-12)
    assert np.abs(y).max() <= instance.y_bound * (1.0 + 1e-12)
    return lambda w: float(((X @ w - y) ** 2).mean() - ((X @ best - y) ** 2).mean())


def differing(family, first, second):
    here, there = (family.instances(member) for member in (first, second))
    return int(((here.X.toarray() != there.X.toarray()).any(axis=1) | (here.y != there.y)).sum())


BOUNDS = {"x_bound": 2.0, "y_bound": 3.0}
SIGNS = [
    (packing, 40, 3, 0.5, 0.9),
    (packing, 30, 9, 0.1, 2.5),
    (packing, 60, 2, 2.0, 2.0),
    (packing, 30, 4, 0.3, 0.2),
    (packing, 6, 4, 1.0, 2.9),
    (partial(packing, distance=1), 30, 3, 0.1, 0.15),
    (norm_packing, 30, 2, 0.1, 0.75),
    (norm_packing, 40, 1, 0.5, 20.0),
    (norm_packing, 60, 5, 0.3, 0.4),
    (norm_packing, 90, 3, 1.0, 2.0),
    (norm_packing, 30, 2, 0.1, 1e-3),
    (norm_packing, 20, 40, 1.0, 9.0),
    (norm_packing, 60, 4, 0.9, 30.0),
    (norm_packing, 24, 12, 0.9, 1.5),
]


def packings_of_signs():
    """Zero's excess on the records, times what group privacy leaves of the variance of a sign."""
    for make, n, d, epsilon, radius in SIGNS:
        for delta in (0.0, 0.01):
            family = make(n, d, epsilon, delta, radius=radius, **BOUNDS)
            sigma = np.ones(int(family.parameters["active"]))
            other = np.where(np.arange(sigma.size) == 0, -sigma, sigma)
            distance, zero = differing(family, sigma, other), excess_on(family, sigma)(np.zeros(d))
            assert distance == family.distance
            yield family.floor, zero * naive.sign_left(naive.group(epsilon, delta, distance))


def pairs_for_a_large_radius():
    for n, d, epsilon, radius in ((3, 2, 1.0, 1.6), (12, 3, 0.4, 3.0), (30, 2, 1.0, 90.0), (20, 2, 0.06, 4.0)):
        family = large_radius(n, d, epsilon, 0.01, radius=radius, **BOUNDS)
        grid = np.linspace(0.0, radius, 20_001)
        second = math.sqrt(3.0) / 2.0 * radius
        curves = []
        for member, height in ((0, 0.0), (1, second)):  # the second coordinate costs nothing at its best
            excess = excess_on(family, member)
            points = [excess(np.array([w, height, *[0.0] * (d - 2)])) for w in (0.0, 0.5 * radius, radius)]
            curves.append(np.polyval(np.polyfit((0.0, 0.5 * radius, radius), points, 2), grid))
        law = naive.group(epsilon, 0.01, differing(family, 0, 1))
        yield family.floor, naive.least_of_two(law, grid, *curves)


def two_points_of_lemma_1():
    for epsilon, delta, distance in ((0.5, 0.0, 3), (0.5, 0.01, 4), (0.1, 0.2, 60)):
        family = chaudhuri_hsu(101, epsilon, delta, distance=distance, **BOUNDS)
        assert differing(family, 0, 1) == distance
        label = family.instances(0)
        target = float(label.y.sum()) / (2.0 * label.X.nnz)
        left = sum(min(p, q) for p, q in naive.group(epsilon, delta, distance))
        yield family.floor, 2.0 * target * left
    for epsilon, delta, distance in ((1.0, 0.0, 3), (0.1, 0.2, 30), (2.0, 0.1, 2), (800.0, 0.1, 2)):
        growth = min(epsilon, 30.0)  # beyond it the programme sees no difference
        yield two_point_constant(epsilon, delta, distance, "tight"), 1.0 - twins.largest_gap(growth, delta, distance)
    for n in (200, 5):
        yield float(chaudhuri_hsu(n, 0.1, constants="printed").distance), min(float(n), math.log(5.0) / 0.1) // 1.0
    with pytest.raises(InvalidInput, match="distance must be at most log"):
        chaudhuri_hsu(200, 5.0, constants="printed")
    for epsilon, n in ((0.1, 200), (0.1, 5), (5.0, 200)):
        values = [k * two_point_constant(epsilon, 0.0, k) for k in range(1, n + 1)]
        yield values[lowerbounds.best_distance(lowerbounds.curve(epsilon, 0.0, "exact"), n) - 1], float(np.max(values))


def fingerprints_of_theorem_11():
    for n, rank, epsilon, p in itertools.product((1, 100, 1000), (1, 20, 400), (0.01, 0.1, 1.0), (1.0, 2.0, math.inf)):
        arguments = {"n": n, "rank": rank, "epsilon": epsilon, "delta": 1e-4, "p": p}
        arguments |= {"x_bound": 2.0, "radius": 3.0}
        for constants, oracle in (("exact", naive.fingerprint_exact), ("tight", naive.fingerprint_tight)):
            family = fingerprinting(**arguments, constants=constants)
            active, mass, beta = (family.parameters[name] for name in ("active", "mass", "beta"))
            assert active <= rank and mass <= 1.0
            yield family.floor, oracle(n, int(active), mass, beta, epsilon, 1e-4, 1.0 / p, 6.0)
        if rank > 48.0 * n * epsilon:
            continue
        printed = fingerprinting(**arguments, constants="printed")
        assert printed.parameters["active"] <= rank and printed.parameters["mass"] <= 1.0
        yield printed.floor, naive.fingerprint_printed(n, rank, epsilon, 1.0 / p, 6.0)


def non_private_families():
    for n, x, y, radius in ((1, 1.0, 2.0, 3.0), (7, 2.0, 5.0, 1.5), (60, 1.0, 1.0, 1.0), (150, 1.0, 4.0, 2.0)):
        label = y if y < radius * x else radius * x
        family = nonprivate(n, theorem="16", x_bound=x, y_bound=y, radius=radius)
        yield family.floor, naive.two_piece_floor(n, label, family.parameters["bias"])
        rate = nonprivate(n, theorem="16", x_bound=x, y_bound=y, radius=radius, constants="rate")
        yield rate.floor, label / math.sqrt(n) / 16.0
    for n, d, ratio in (
        (1, 1, 0.2),
        (12, 2, 1.0),
        (12, 8, 0.3),
        (12, 8, 1.0),
        (3, 3, 3.0),
        (30, 1, 5.0),
        (8, 1, 40.0),
        (2, 1, 0.9),
    ):
        radius = ratio * 3.0 / 2.0
        family = nonprivate(n, d, radius=radius, **BOUNDS)
        made = family.parameters
        assert np.linalg.norm(family.minimisers(np.ones(int(made["active"])) if family.name == "cube" else 1)) <= radius
        if family.name == "cube":
            assert made["bias"] <= 1.0
            yield family.floor, naive.cube_floor(n, int(made["active"]), made["bias"], 3.0)
        else:
            assert made["feature"] <= 2.0 and made["feature"] * radius <= 3.0 * (1.0 + 1e-12)
            yield family.floor, twins.rare_bayes(n, made["chance"], made["feature"], 2.0, radius)
        if ratio >= 1.0:
            least = sorted((1.0, ratio**2 / n + d / n, ratio / math.sqrt(n)))[0]
            rate = nonprivate(n, d, radius=radius, constants="rate", **BOUNDS)
            yield rate.floor, RATE_CONSTANT["17"] * 9.0 * least


def rare_records():
    for n, d, epsilon, theta in ((1000, 4, 1.0, 2.0), (5, 10, 0.1, 1.5), (10**6, 64, 0.1, 1.25), (1, 1, 0.5, 2.0)):
        for moment in ("norm", "coordinate"):
            floor = rare_packing(n, d, epsilon, theta=theta, moment=moment).floor
            yield floor, naive.rare_floor(n, d, epsilon, theta, moment == "coordinate")


ORACLES = (
    non_private_formulas, minima_of_theorem_4, packings_of_signs, pairs_for_a_large_radius,
    two_points_of_lemma_1, fingerprints_of_theorem_11, non_private_families, rare_records,
)  # fmt: skip


@pytest.mark.parametrize("points", ORACLES, ids=lambda points: points.__name__)
def test_floors_are_those_of_their_oracles(points):
    for place, (floor, oracle) in enumerate(points()):
        assert floor == pytest.approx(oracle, rel=1e-6, abs=1e-12), place


GOOD = {
    "best_distance": (lowerbounds.best_distance, {"privacy": 0.5, "n": 100, "delta": 0.0}),
    "chaudhuri_hsu": (chaudhuri_hsu, {"n": 100, "epsilon": 0.5, "delta": 0.0, "distance": 2, **BOUNDS}),
    "corrected_minimum": (corrected_minimum, {"n": 100, "d": 2, "epsilon": 0.5, "radius": 1.0, **BOUNDS}),
    "corrected_nonprivate": (corrected_nonprivate, {"n": 100, "d": 2, "radius": 1.0, "smoothness": 2.0, **BOUNDS}),
    "curve": (lowerbounds.curve, {"privacy": 0.5, "delta": 0.0}),
    "fingerprinting": (
        fingerprinting,
        {"n": 100, "rank": 4, "epsilon": 0.5, "delta": 0.0, "x_bound": 1.0, "radius": 1.0, "mass": 0.01, "active": 4,
         "beta": 0.01, "p": 2.0},
    ),
    "large_radius": (large_radius, {"n": 100, "d": 2, "epsilon": 0.5, "delta": 0.0, "radius": 9.0, **BOUNDS}),
    "nonprivate": (nonprivate, {"n": 100, "d": 2, "radius": 1.0, **BOUNDS}),
    "norm_packing": (norm_packing, {"n": 100, "d": 2, "epsilon": 0.5, "delta": 0.0, "radius": 1.0, **BOUNDS}),
    "packing": (packing, {"n": 100, "d": 2, "epsilon": 0.5, "delta": 0.0, "radius": 1.0, "distance": 2, **BOUNDS}),
    "parity_cube": (lowerbounds.parity_cube, {"bits": 3, "public": 3}),
    "rare_packing": (rare_packing, {"n": 100, "d": 2, "epsilon": 0.5, "theta": 2.0}),
    "two_point_constant": (two_point_constant, {"epsilon": 0.5, "delta": 0.0, "distance": 2}),
    "bit_means": (families.bit_means, {"n": 10, "d": 2, "beta": 1.0, "public": 0}),
    "gaussian_mean": (families.gaussian_mean, {"n": 10, "d": 2, "spread": 1.0, "public": 0}),
    "covariance": (families.covariance, {"n": 10, "d": 2, "bias": 0.5}),
    "sparse_mean": (families.sparse_mean, {"n": 10, "d": 2, "bias": 0.5}),
    "heavy_mean": (families.heavy_mean, {"n": 10, "chance": 0.5, "theta": 2.0}),
    "selection": (families.selection, {"n": 10, "candidates": 3, "votes": 2}),
}  # fmt: skip
ZERO, NONE, INFINITE = {"delta", "public"}, {"distance", "mass", "active", "beta", "public", "records"}, {"p"}
"""Arguments that may be 0, None, or infinite."""


@pytest.mark.parametrize("name", GOOD)
def test_bad_arguments_are_named(name):
    make, good = GOOD[name]
    make(**good)
    for argument, bad in itertools.product(good, (math.nan, math.inf, -math.inf, -1, 0, True, "three", None)):
        allowed = (bad == 0 and bad is not False and argument in ZERO) or (bad is None and argument in NONE)
        if allowed or (bad == math.inf and argument in INFINITE):
            continue
        with pytest.raises(InvalidInput, match=rf"^(?:\w+, )?{argument} must|^(epsilon|privacy) must"):
            make(**good | {argument: bad})
