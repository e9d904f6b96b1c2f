"""Kernels of the heavy-tailed family's tree, each against its slow twin, and a planted error of each."""

import math

import numpy as np
import pytest
from heavytail_instances import (
    HIGH,
    IOTA,
    LOW,
    SHEAR,
    SPACING,
    THETAS,
    WEIGHT,
    in_coordinates,
    lattice_of,
    parameters,
    records,
)
from naive import heavytail as naive
from planted import after, scaled

from dpbench.papers.heavytail.algorithms import _lattice_kernels as lattice
from dpbench.papers.heavytail.algorithms import _tree_kernels as tree

pytestmark = pytest.mark.kernel


def bound(kernel, theta):
    constant, slopes, log_mass = np.empty(4), np.empty((4, 2)), np.empty(4)
    curvature, minimiser = np.empty((4, 3, 2)), np.array([0.25, 0.1])
    kernel(
        *in_coordinates(theta), *lattice_of(theta), LOW.copy(), HIGH.copy(), constant, slopes, curvature, log_mass,
        minimiser, np.arange(4),
    )  # fmt: skip
    return constant, slopes, log_mass


def check_bound_boxes(kernel):
    """The bounds lie below the score at every lattice point, their masses are sums over them, one box is outside."""
    for theta in THETAS:
        X, y = records(theta)
        constant, slopes, log_mass = bound(kernel, theta)
        for i in range(3):
            want = naive.log_mass(constant[i], slopes[i], LOW[i], HIGH[i], SPACING, WEIGHT)
            assert log_mass[i] == pytest.approx(want, rel=1e-9, abs=1e-9)
            for t in naive.lattice(LOW[i], HIGH[i]):
                w = [SPACING * j for j in naive.lift(t, SHEAR.tolist())]
                least = constant[i] + naive.dot(slopes[i], [SPACING * j for j in t])
                assert naive.score(X.T.tolist(), y.tolist(), w, IOTA, theta) >= least
        assert log_mass[3] == tree.OUTSIDE


def check_split_boxes(kernel):
    """Two parts with the points of the box, whatever steers; without curvature, halves across the longest axis."""
    rng = np.random.default_rng(1)
    for trial in range(40):
        d = int(rng.integers(1, 4))
        first = rng.integers(-9, 9, d)
        last = first + rng.integers(0, 12, d)
        last[0] += 1
        low, high = np.zeros((2, d), dtype=np.int64), np.zeros((2, d), dtype=np.int64)
        low[0], high[0] = first, last
        flat = trial < 10
        slopes = np.zeros((2, d)) if flat else 50.0 * rng.standard_normal((2, d))
        curvature = np.zeros((2, 3, d)) if flat else rng.random((2, 3, d)) * 10.0 ** rng.uniform(-3.0, 5.0)
        kernel(WEIGHT, SPACING, low, high, slopes, curvature, rng.uniform(-1.0, 1.0, d), np.zeros(1, np.int64), 1)
        parts = [naive.lattice(low[i], high[i]) for i in range(2)]
        assert all(parts) and sorted(parts[0] + parts[1]) == naive.lattice(first, last)
        if flat:
            axis = int(np.argmax(last - first))
            sizes = [high[i, axis] - low[i, axis] + 1 for i in range(2)]
            assert abs(sizes[0] - sizes[1]) <= 1 and len(parts[0]) + len(parts[1]) == np.prod(last - first + 1)


def check_propose(kernel):
    for theta in THETAS:
        X, y = records(theta)
        constant, slopes, _ = bound(tree.bound_boxes, theta)
        ours, theirs = np.random.default_rng(9), np.random.default_rng(9)
        t, k = np.empty(2, np.int64), np.empty(2, np.int64)
        for i in (0, 1, 2, 0, 2, 2):
            got = kernel(WEIGHT, SPACING, LOW, HIGH, constant, slopes, i, ours, t)
            want = naive.proposal(
                (X.T.tolist(), y.tolist()), parameters(theta), SHEAR.tolist(),
                (LOW[i], HIGH[i], constant[i], slopes[i]), theirs.random(2),
            )  # fmt: skip
            lattice.lift(t, SHEAR, k)
            assert k.tolist() == want[0]
            if want[1] > -math.inf:
                score = naive.score(X.T.tolist(), y.tolist(), (SPACING * k).tolist(), IOTA, theta)
                assert WEIGHT * (got - score) == pytest.approx(want[1], rel=1e-9, abs=1e-9)


def check_pilot(kernel):
    boxes = [0, 2, 1, 2, 0, 2]
    for theta in THETAS:
        X, y = records(theta)
        constant, slopes, _ = bound(tree.bound_boxes, theta)
        found = np.empty(len(boxes))
        kernel(
            *in_coordinates(theta), *lattice_of(theta), LOW, HIGH, constant, slopes, np.array(boxes),
            np.random.default_rng(9), found,
        )  # fmt: skip
        rng = np.random.default_rng(9)
        want = [
            math.exp(min(naive.proposal(
                (X.T.tolist(), y.tolist()), parameters(theta), SHEAR.tolist(),
                (LOW[i], HIGH[i], constant[i], slopes[i]), rng.random(2),
            )[1], 0.0))
            for i in boxes
        ]  # fmt: skip
        np.testing.assert_allclose(found, want, rtol=1e-9, atol=1e-9)


def check_draw(kernel):
    """The same uniforms in the same order: box, point, acceptance."""
    theta = 1.5
    X, y = records(theta)
    constant, slopes, log_mass = bound(tree.bound_boxes, theta)
    masses = np.exp(log_mass[:3] - log_mass[:3].max())
    cumulative = np.cumsum(masses) / masses.sum()
    ours, theirs = np.random.default_rng(3), np.random.default_rng(3)
    k, worst = np.empty(2, np.int64), np.full(1, -math.inf)
    for _ in range(20):
        made = kernel(X, y, *lattice_of(theta), LOW, HIGH, constant, slopes, cumulative, ours, 1000, k, worst)
        tries = 0
        while True:
            tries += 1
            u = theirs.random()
            i = next(i for i, top in enumerate(cumulative) if u < top)
            point, log_chance = naive.proposal(
                (X.T.tolist(), y.tolist()), parameters(theta), SHEAR.tolist(),
                (LOW[i], HIGH[i], constant[i], slopes[i]), theirs.random(2),
            )  # fmt: skip
            if math.log(1.0 - theirs.random()) < log_chance:
                break
        assert (made, k.tolist()) == (tries, point)
    assert worst[0] <= 0.0


T = tree
CASES = [
    (T.bound_boxes, check_bound_boxes, after(T.bound_boxes, lambda a: np.add(a[13], 1.0, out=a[13]))),
    (T.bound_boxes, check_bound_boxes, after(T.bound_boxes, scaled(16, 1.0 + 1e-6))),
    (T.split_boxes, check_split_boxes, after(T.split_boxes, lambda a: a[2].__setitem__((1, 0), a[2][1, 0] + 1))),
    (T.propose, check_propose, lambda *a: T.propose(*a) + 1e-6),
    (T.pilot, check_pilot, after(T.pilot, scaled(17, 1.0 - 1e-6))),
    (T.draw, check_draw, lambda *a: T.draw(*a[:5], 1.1 * a[5], *a[6:])),
]  # fmt: skip


@pytest.mark.parametrize(("kernel", "check"), {case[:2]: None for case in CASES}, ids=lambda c: c.__name__)
def test_kernel_equals_its_twin(kernel, check):
    check(kernel)


@pytest.mark.parametrize(("kernel", "check", "planted"), CASES, ids=lambda c: c.__name__)
def test_a_planted_error_is_seen(kernel, check, planted):
    with pytest.raises(AssertionError):
        check(planted)
