"""Kernels of scores, geometric laws, bounds, the lattice and the tree, each against its twin, and planted errors."""

import math

import numpy as np
import pytest
from heavytail_instances import quarters
from naive import heavytail as naive
from planted import after, scaled

from dpbench.papers.heavytail.algorithms import _bound_kernels as bounds
from dpbench.papers.heavytail.algorithms import _geometric_kernels as geometric
from dpbench.papers.heavytail.algorithms import _lattice_kernels as lattice
from dpbench.papers.heavytail.algorithms import _score_kernels as scores
from dpbench.papers.heavytail.algorithms import _tree_kernels as tree

pytestmark = pytest.mark.kernel
THETAS = (2.0, 1.75, 1.5, 1.25, 1.3)
IOTA, WEIGHT, SPACING = 0.3, 0.7, 0.125
LOW, HIGH = np.array([[-3, 1], [0, 2], [5, 5], [7, 7]]), np.array([[1, 4], [0, 2], [6, 7], [8, 8]])
SHEAR = np.array([[0.0, 0.6], [0.0, 0.0]])
RESOLUTION, BALL = 10, 1  # the last box lies outside the ball, the third in part


def records():
    """Heavy-tailed features, shape (2, 70), and responses; a third of them fit w = 0.25 exactly."""
    rng = np.random.default_rng(5)
    X = rng.standard_t(1.5, (2, 70))
    return X, 0.25 * X.sum(axis=0) + np.where(np.arange(70) % 3 == 0, 0.0, rng.standard_t(1.5, 70))


def in_coordinates():
    """What the tree's kernels take first: the records in its coordinates, and their sizes."""
    X, y = records()
    features = np.ascontiguousarray(np.array(naive.unsheared(X.T.tolist(), SHEAR.tolist())).T)
    return features, y, np.abs(y) + 2.0 * np.abs(features).sum(axis=0)


def lattice_of(theta):
    """And then: the risk, and the net."""
    return IOTA, theta, quarters(theta), WEIGHT, SPACING, RESOLUTION, BALL, SHEAR


def parameters(theta):
    """The same, for the twin."""
    return IOTA, theta, WEIGHT, SPACING, RESOLUTION, BALL


def check_truncated_sum(kernel):
    for theta in THETAS:
        X, y = records()
        for w in ([0.25, 0.25], [-1.0, 0.5]):
            got = kernel(X, y, np.array(w), IOTA, theta, quarters(theta), np.empty((2, scores.LANES)))
            assert got == pytest.approx(naive.score(X.T.tolist(), y.tolist(), w, IOTA, theta), rel=1e-12)


def test_products_are_drained_before_they_underflow():
    """1,100 factors of one half a lane: 2^−1100 is 0, and its logarithm infinite."""
    n = 1100 * scores.LANES
    got = scores.truncated_sum(np.zeros((1, n)), np.full(n, 1e9), np.zeros(1), 1.0, 2.0, 8, np.empty((2, scores.LANES)))
    assert got == pytest.approx(n * math.log(2.0), rel=1e-12)


def check_multiply_complements(kernel):
    r = np.array([0.0, 1e-9, 0.5, -2.0, 1.0 / IOTA, -1.0 / IOTA, 1e9])
    for theta in THETAS:
        product = np.linspace(0.5, 1.0, r.size)
        want = [p * naive.complement(v, IOTA, theta) for p, v in zip(product, r, strict=True)]
        kernel(r, IOTA, theta, quarters(theta), product)
        assert np.allclose(product, want, rtol=1e-14, atol=0.0)


def check_drain(kernel):
    product = np.array([1.0, 0.5, 1e-150, 0.999])
    want = -math.fsum(math.log(v) for v in product)
    assert kernel(product) == pytest.approx(want, rel=1e-14)
    assert (product == 1.0).all()


def check_log_geometric_sum_of_negative(kernel):
    for t in (0.0, -1e-13, -1e-6, -0.3, -5.0, -700.0):
        for count in (1, 2, 7, 60):
            assert kernel(t, count) == pytest.approx(naive.log_geometric(t, count), rel=1e-9, abs=1e-9)


def check_geometric_draw(kernel):
    u = (np.arange(199) + 0.5) / 199.0
    for t in (0.0, 1e-12, -0.02, 0.3, -0.3, 5.0, -40.0):
        for count in (1, 2, 7, 60):
            steps = np.cumsum(naive.geometric(-abs(t), count))
            clear = [v for v in u if np.abs(steps - v).min() > 1e-9]
            assert [kernel(t, count, v) for v in clear] == [naive.geometric_quantile(t, count, v) for v in clear]


def check_psi_below(kernel):
    """Below ψ but for rounding, and by at most 2e-10: a series 1e-9 too large or too small is seen."""
    grid = np.concatenate([[0.0, 1.0, 7.0, np.nextafter(1.0, 0.0)], np.geomspace(1e-12, 1.0, 60)])
    for theta in THETAS:
        made = grid.copy()
        kernel(made, theta, quarters(theta))
        gap = np.array([naive.psi(float(x), theta) for x in grid]) - made
        assert gap.min() >= -1e-15 and gap.max() <= 2e-10


def check_least_square(kernel):
    for low, high in zip(LOW, HIGH, strict=True):
        assert kernel(low, high) == min(sum(j * j for j in k) for k in naive.lattice(low, high))


def check_lift(kernel):
    """One to one on a cube's worth of integers, and the twin's values; M = 0 leaves t as it is."""
    shear = np.array([[0.0, -0.7, 1.0], [0.0, 0.0, 0.45], [0.0, 0.0, 0.0]])
    for table in (shear, np.zeros((3, 3))):
        seen = set()
        for t in naive.lattice([-3, -3, -3], [3, 3, 3]):
            k = np.empty(3, np.int64)
            kernel(np.array(t), table, k)
            assert k.tolist() == naive.lift(t, table.tolist())
            assert table.any() or tuple(k.tolist()) == t
            seen.add(tuple(k.tolist()))
        assert len(seen) == 7**3


def check_inside(kernel):
    for k in ((3, 4), (-3, 4), (5, 0), (5, 1), (-5, 5), (0, -6)):
        for ball in (0, 1):
            assert kernel(np.array(k), 5, ball) == naive.belongs(k, 5, ball)


def check_place(kernel):
    """Never false for a box with a net point; e_j within its interval at every point; sharp where a box is a point."""
    rng = np.random.default_rng(3)
    refused = 0
    for trial in range(200):
        d = int(rng.integers(1, 4))
        shear = np.triu(rng.uniform(-1.0, 1.0, (d, d)), 1) * (trial % 4 > 0)
        low = rng.integers(-6, 6, d)
        high = low + rng.integers(0, 3, d) * (trial % 3 > 0)
        ball, offsets = trial % 2, np.empty((2, d))
        may = kernel(low, high, shear, 5, ball, offsets)
        points = [naive.lift(t, shear.tolist()) for t in naive.lattice(low, high)]
        assert may or not any(naive.belongs(k, 5, ball) for k in points)
        refused += not may
        for t, k in zip(naive.lattice(low, high), points, strict=True):
            e = np.array(k) - shear @ np.array(k) - np.array(t)
            assert (np.abs(e - offsets[0]) <= offsets[1] + 1e-12).all()
        if len(points) == 1:
            assert may == naive.belongs(points[0], 5, ball) and offsets[1].max() <= 4e-6
    assert 20 < refused < 150


def bound(kernel, theta):
    constant, slopes, log_mass = np.empty(4), np.empty((4, 2)), np.empty(4)
    curvature, minimiser = np.empty((4, 3, 2)), np.array([0.25, 0.1])
    kernel(
        *in_coordinates(), *lattice_of(theta), LOW.copy(), HIGH.copy(), constant, slopes, curvature, log_mass,
        minimiser, np.arange(4),
    )  # fmt: skip
    return constant, slopes, log_mass


def check_bound_boxes(kernel):
    """The bounds lie below the score at every lattice point, their masses are sums over them, one box is outside."""
    for theta in THETAS:
        X, y = records()
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
        X, y = records()
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
        X, y = records()
        constant, slopes, _ = bound(tree.bound_boxes, theta)
        found = np.empty(len(boxes))
        kernel(
            *in_coordinates(), *lattice_of(theta), LOW, HIGH, constant, slopes, np.array(boxes),
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
    X, y = records()
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


S, G, B, L, T = scores, geometric, bounds, lattice, tree
CASES = [
    (S.truncated_sum, check_truncated_sum, lambda *a: S.truncated_sum(*a) * (1.0 + 1e-11)),
    (S.multiply_complements, check_multiply_complements, after(S.multiply_complements, scaled(4, 1.0 + 1e-12))),
    (S.drain, check_drain, lambda product: S.drain(product) + math.log(product[0] + 1e-9)),
    (G.log_geometric_sum_of_negative, check_log_geometric_sum_of_negative,
     lambda t, count: G.log_geometric_sum_of_negative(t, count + 1)),
    (G.geometric_draw, check_geometric_draw, lambda t, count, u: G.geometric_draw(t * 1.01, count, u)),
    (B.psi_below, check_psi_below, after(B.psi_below, scaled(0, 1.0 + 1e-9))),
    (L.least_square, check_least_square, lambda low, high: int((low * low).sum())),
    (L.lift, check_lift, lambda t, shear, k: L.lift(t, np.ascontiguousarray(1.3 * shear), k)),
    (L.inside, check_inside, lambda k, resolution, ball: L.inside(k, resolution - 1, ball)),
    (L.place, check_place, after(L.place, scaled(5, 0.9))),
    (L.place, check_place, lambda *a: L.place(*a) and L.place(a[0] + 1, a[1] + 1, *a[2:])),
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
