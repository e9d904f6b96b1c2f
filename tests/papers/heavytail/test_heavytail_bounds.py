"""The tree sampler's bounds hold on every lattice point; the geometric laws that it draws from."""

import math
from itertools import product

import numpy as np
import pytest
from heavytail_instances import IOTAS, on_lattice
from heavytail_instances import heavy_tailed as problem
from naive import heavytail as naive

from dpbench.papers.heavytail import theory
from dpbench.papers.heavytail.algorithms import _bound_kernels as bounds
from dpbench.papers.heavytail.algorithms import _geometric_kernels as geometric
from dpbench.papers.heavytail.algorithms.truncation import columns, quarters, sums_at
from lowerbounds.rare_packings import rare_packing


def bound_of(p, iota, low, high, spacing, reference):
    """A and b at a reference, which `touched_bound` must give too, from what another reference left."""
    d = p.d
    b, curvature = np.empty(d), np.empty((3, d))
    sizes = np.abs(p.y) + spacing * np.abs(p.X) @ np.maximum(np.abs(low), np.abs(high))
    centre, half = 0.5 * spacing * (low + high), 0.5 * spacing * (high - low)
    buffer, sides, other = np.empty((bounds.ROWS + 4 * d, bounds.LANES)), np.empty((2, p.n)), np.empty(d)
    risk = columns(p), p.y, sizes, iota, p.theta, quarters(p.theta)
    a, chords = bounds.affine_bound(*risk, centre, half, reference, b, curvature, sides, buffer)
    bounds.affine_bound(*risk, centre, half, spacing * low, other, curvature, sides, buffer)
    again = bounds.touched_bound(*risk[:3], chords, sides, reference, other, buffer)
    assert again == pytest.approx(a, rel=1e-13, abs=1e-13) and np.allclose(other, b, rtol=1e-13, atol=1e-13)
    return float(again), other


def smallest_gap(p, iota, low, high, spacing, a,
                 b):  # fmt: skip
    """min over all lattice points of the box of S(w) − (A + ⟨b, w⟩), by the kernel; a corner by the twin."""
    axes = [np.arange(first, last + 1) for first, last in zip(low, high, strict=True)]
    k = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(axes))
    w = spacing * k
    gaps = sums_at(columns(p), p.y, w, iota, p.theta) - a - w @ b
    corner = naive.score(p.X.tolist(), p.y.tolist(), w[0].tolist(), iota, p.theta)
    size = 1.0 + abs(corner) + abs(a) + iota * float(np.abs(p.y).sum() + np.abs(p.X).sum() * np.abs(w[0]).max())
    assert gaps[0] == pytest.approx(corner - a - float(w[0] @ b), abs=1e-14 * size)
    return float(gaps.min())


def test_bounds_by_their_terms():
    """Net, bias, sampling and privacy, as (14), (26) and the docstring have them."""
    at, level = theory.Sizes(0.1, 50, 0.5, 0.02, 3.0, 0.05), math.log(20.0)
    for theta in (2.0, 1.5):
        net, bias = 3.0 * 0.02 + 0.1 * 0.02**2, 2.5 * 0.1 * 2.0
        if theta < 2.0:
            net, bias = 3.0 * 0.02, 2.0 / 1.5 * math.sqrt(0.2) * (2.0 + 0.02**1.5)
        noise = (3.0 + 4.0 * math.log(theta) / 0.5) * (3.0 + level) / (50 * 0.1)
        found = theory.utility_bound(at, theta=theta, spread=2.0, sampling=True)
        assert found == pytest.approx(net + bias + noise, rel=1e-12)
    private, level = 2.0 * math.log(2.0) * (3.0 + level) / (0.5 * 50 * 0.1), math.log(40.0)
    deviation = 8.0 / math.sqrt(50) + math.sqrt(8.0 * level / 50) + 3.0 * math.log(2.0) * level / (50 * 0.1)
    assert theory.increment_bound(at, 0.3) == pytest.approx(0.6 + 2.0 * deviation + private + 0.02, rel=1e-12)


def test_the_packing_of_remark_1_reaches_its_share_for_every_dimension_and_epsilon():
    """8 (d/(n epsilon p))^((theta - 1)/theta) <= 26 where k = floor(log(M/2)/epsilon) jumps, and at epsilon = 1."""
    n, largest_share = 10**9, 0.0
    for d in (*range(4, 40), 48, 64, 128, 256, 512, 1024):
        log_half = rare_packing(n, d, 1.0).log_members - math.log(2.0)
        for k in {1, 2, 3, 5, 10, math.ceil(log_half)}:
            epsilon = min(1.0, log_half / k * (1.0 + 1e-7))
            hard = rare_packing(n, d, epsilon)
            assert hard.probability >= 0.25
            largest_share = max(largest_share, 8.0 * math.sqrt(d / (n * epsilon * hard.chance)))
    assert 25.8 < largest_share <= 26.0


@pytest.mark.kernel
def test_bounds_of_random_boxes_hold_and_a_looser_one_is_caught():
    """300 boxes. A bound that is attained there up to its slack is caught once it is raised by 1e-9 of the scores."""
    rng = np.random.default_rng(4)
    caught, tightest = 0, math.inf
    for trial in range(300):
        d, iota, spacing = (
            int(rng.integers(1, 4)),
            *(float(rng.choice(of)) for of in (IOTAS, (0.5, 0.125, 0.1, 1.0 / 3))),
        )
        low = rng.integers(-6, 7, d)
        high = low + rng.integers(0, 7, d) * (trial % 3 > 0)
        p = on_lattice(rng, int(rng.integers(1, 40)), low, high, spacing, iota, exact=trial % 2 == 0)
        reference = spacing * (low + rng.random(d) * (high - low))
        a, b = bound_of(p, iota, low, high, spacing, reference)
        gap = smallest_gap(p, iota, low, high, spacing, a, b)
        assert gap >= 0.0
        tightest = min(tightest, gap)
        caught += smallest_gap(p, iota, low, high, spacing, a + 1e-9, b) < 0.0
    assert tightest < 1e-9 and caught >= 50


@pytest.mark.kernel
def test_a_box_of_one_point_has_the_score_for_a_bound():
    """Up to the slack and the 2e-10 a record that the series may leave (a series above ψ: test_heavytail_kernels)."""
    p, one = problem(2, n=40, exact=0.0), np.array([2, 2])
    a, b = bound_of(p, 0.4, one, one, 0.125, 0.125 * one)
    assert 0.0 <= smallest_gap(p, 0.4, one, one, 0.125, a, b) < 1e-8


@pytest.mark.kernel
def test_geometric_laws():
    """Sum, mean and variance of e^{tk}, k < count, for t of either sign; the draw is a twin's of the kernels."""
    for t, count in product((0.0, 1e-12, -1e-7, 0.3, -0.3, 5.0, -40.0, 700.0), (1, 2, 7, 60)):
        law, k, top = np.array(naive.geometric(t, count)), np.arange(count), max(0.0, t * (count - 1))
        total = top + math.log(np.exp(t * k - top).sum())
        assert geometric.log_geometric_sum(t, count) == pytest.approx(total, rel=1e-9, abs=1e-9)
        mean, variance = geometric.geometric_moments(t, count)
        assert mean == pytest.approx(float(law @ k), abs=1e-3)
        assert variance == pytest.approx(float(law @ (k - law @ k) ** 2), abs=1e-2)
        assert all(0 <= geometric.geometric_draw(t, count, u) < count for u in (0.0, np.nextafter(1.0, 0.0)))
