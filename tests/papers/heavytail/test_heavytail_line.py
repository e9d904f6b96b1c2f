"""The envelope of a net on a line: bounds below the score at every net point, and intervals that hold each once."""

import math

import numba
import numpy as np
import pytest
from heavytail_instances import quarters
from naive import heavytail as naive
from planted import wrong

from dpbench.papers.heavytail.algorithms import _interval_kernels as kernels
from dpbench.papers.heavytail.algorithms import tree
from dpbench.papers.heavytail.algorithms.exponential import ExponentialMechanism, envelope
from dpbench.papers.heavytail.problem import HeavyTailedProblem

pytestmark = pytest.mark.kernel

INSTANCES = 20 if numba.config.DISABLE_JIT else 100
ENOUGH = 0.7


def instance(number):
    """Records (shape (1, n) and (n,)), ι, θ, c and m: residuals of 0 and kinks of ψ on net points, and far outliers."""
    rng = np.random.default_rng([7, number])
    n, m = int(rng.integers(1, 25)), int(rng.integers(1, 40))
    theta, iota = float(rng.choice([2.0, 1.75, 1.5, 1.25, 1.1])), float(rng.choice([0.05, 0.3, 1.0, 4.0]))
    x = rng.standard_t(1.5, n) * rng.choice([0.0, 1.0, 1.0, 1e3], n)
    y = x * rng.integers(-m, m + 1, n) / m + rng.choice([0.0, 0.0, 1.0 / iota, -1.0 / iota, 0.3, 1e6, 1e100], n)
    return x[np.newaxis], y, iota, theta, float(rng.choice([0.1, 1.0, 10.0])), m


def fault(cut, count):
    """What is wrong with the intervals of the first instance that has such, or ''; radius 1, spacing 1/m."""
    accepted = []
    for number in range(count):
        columns, y, iota, theta, weight, m = instance(number)
        room = 2 * m + 1
        low, high, slopes = np.empty((room, 1), np.int64), np.empty((room, 1), np.int64), np.empty((room, 1))
        constant, mass, chances = np.empty(room), np.empty(room), np.empty(room)
        made, opened = cut(
            columns, y, iota, theta, quarters(theta), weight, 1.0 / m, m, ENOUGH, low, high, constant, slopes, mass,
            chances,
        )  # fmt: skip
        held = sorted(k for i in range(made) for k in range(low[i, 0], high[i, 0] + 1))
        if held != list(range(-m, m + 1)) or not made <= opened < 2 * made:
            return f"{number}: intervals hold {held}"
        weights, bounds = [], []
        for i in range(made):
            points = range(low[i, 0], high[i, 0] + 1)
            scores = [naive.score(columns.T.tolist(), y.tolist(), [k / m], iota, theta) for k in points]
            below = [constant[i] + slopes[i, 0] * (k / m) for k in points]
            if any(b > s for b, s in zip(below, scores, strict=True)):
                return f"{number}: {below} is not below {scores}"
            if not math.isclose(math.log(math.fsum(math.exp(weight * (below[0] - b)) for b in below))
                                - weight * below[0], mass[i], rel_tol=1e-9, abs_tol=1e-9):  # fmt: skip
                return f"{number}: log-mass {mass[i]}"
            weights += [math.exp(-weight * s) for s in scores]
            bounds += [math.exp(-weight * b) for b in below]
        accepted.append(math.fsum(weights) / math.fsum(bounds))
    if min(accepted) < 0.5 or np.mean(accepted) < ENOUGH:
        return f"accepted are {sorted(accepted)[:5]}, in the mean {np.mean(accepted):.2f}"
    return ""


def test_chords_lie_below_the_score_and_waste_little():
    """Every net point of 100 problems against the twin; half of the proposals are accepted in each, and `ENOUGH` in
    the mean."""
    assert not fault(kernels.cut_line, INSTANCES)


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("kernel", "old", "new"),
    [
        ("chord_loss", "min(iota * abs(left), limit)", "0.5 * min(iota * abs(left), limit)"),
        ("chord_loss", "- rounding) < 1.0", ") < 1e300"),
        ("cut_line", "high[cut, 0], scores[1, cut] = middle, score", "high[cut, 0] = middle"),
        ("cut_line", "accepted >= enough * total", "accepted >= 0.1 * total"),
    ],
)
def test_planted_errors_are_caught(kernel, old, new):
    cut = wrong(kernels, "cut_line", old, new) if kernel == "cut_line" else wrong(kernels, "cut_line", "count", "count")
    if kernel == "chord_loss":
        cut.__globals__["chord_loss"] = wrong(kernels, "chord_loss", old, new)
    assert fault(cut, 60)


def test_a_narrow_law_on_a_long_line_takes_few_intervals():
    """2·10⁶ net points, of which some hundred have the mass: a few dozen intervals, and none at the limit of boxes."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(3000, 1))
    p = HeavyTailedProblem(x, 0.4 * x[:, 0] + 0.01 * rng.standard_t(2.2, 3000), radius=1.0)
    m = ExponentialMechanism(50.0, net_radius=1e-6, truncation=1.0, sampler="tree")
    made = envelope(m, p)
    assert made.acceptance >= tree.ENOUGH and made.opened < 100
    outputs = m(p, 500, np.random.default_rng(2))
    assert abs(np.median(outputs) - 0.4) < 0.01 and made.draw(500, np.random.default_rng(2))[1] < 2 * 500
    few = ExponentialMechanism(50.0, net_radius=1e-6, truncation=1.0, sampler="tree", boxes=3)
    assert envelope(few, p).low.shape == (3, 1)


@pytest.mark.parametrize("size", [1e12, 1e16, 1e30])
def test_huge_records_leave_proposals_accepted(size):
    """At w = 0 their residuals are exact. Planted: a bound on rounding over the whole net, acceptance 1e-15."""
    rng = np.random.default_rng(1)
    x = rng.standard_normal((500, 1))
    y = 0.5 * x[:, 0] + 0.1 * rng.standard_t(2.5, 500)
    x[:50] = size
    p = HeavyTailedProblem(x, y, radius=1.0)
    assert envelope(ExponentialMechanism(1.0, net_radius=1e-3, truncation=1.0, sampler="tree"), p).acceptance > 0.1
