"""Kernels of scores, geometric laws, bounds and the lattice, each against its slow twin, and planted errors."""

import math

import numpy as np
import pytest
from heavytail_instances import HIGH, IOTA, LOW, THETAS, quarters, records
from naive import heavytail as naive
from planted import after, scaled

from dpbench.papers.heavytail.algorithms import _bound_kernels as bounds
from dpbench.papers.heavytail.algorithms import _geometric_kernels as geometric
from dpbench.papers.heavytail.algorithms import _lattice_kernels as lattice
from dpbench.papers.heavytail.algorithms import _score_kernels as scores

pytestmark = pytest.mark.kernel


def check_truncated_sum(kernel):
    for theta in THETAS:
        X, y = records(theta)
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


S, G, B, L = scores, geometric, bounds, lattice
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
]  # fmt: skip


@pytest.mark.parametrize(("kernel", "check"), {case[:2]: None for case in CASES}, ids=lambda c: c.__name__)
def test_kernel_equals_its_twin(kernel, check):
    check(kernel)


@pytest.mark.parametrize(("kernel", "check", "planted"), CASES, ids=lambda c: c.__name__)
def test_a_planted_error_is_seen(kernel, check, planted):
    with pytest.raises(AssertionError):
        check(planted)
