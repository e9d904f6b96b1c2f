"""The passes of the convex solver against their definition, and errors planted in them."""

import itertools

import numpy as np
import pytest
from naive import erm as naive
from naive import losses as naive_losses
from planted import wrong
from regressions import SMOOTH
from regressions import problem as regression
from scipy import sparse

from dpbench.convex import _passes, loss_kernels
from dpbench.convex._passes import ROWS, add_part, add_pass
from dpbench.convex.loss_kernels import ROUNDED_ABSOLUTE, loss_curvature, loss_derivative, loss_value

pytestmark = pytest.mark.kernel
each = pytest.mark.parametrize("name", SMOOTH)


def disagreement(run, name, n, d, seed):
    """Largest difference to the slow twin of what the kernel adds, over the sums of the sizes.

    Dense and in compressed rows, with weights and without.
    """
    p, rng = regression(SMOOTH[name], n=n, d=d, seed=seed), np.random.default_rng(seed)
    X, weights, wide = p.X * (rng.random(p.X.shape) < 0.7), rng.exponential(size=n), d + -d % 4
    w = np.zeros(wide)
    w[:d] = rng.standard_normal(d)
    none, indices = np.empty(0), np.empty(0, dtype=np.int64)
    rows = sparse.csr_array(X)
    forms = (
        (X, none, indices, indices),
        (np.empty((0, d)), rows.data, rows.indices.astype(np.int64), rows.indptr.astype(np.int64)),
    )
    worst = 0.0
    for stored, counts, curved in itertools.product(forms, (none, weights), (True, False)):
        z, sums, square = np.full(n, np.nan), np.full((3, wide), np.nan), np.full((wide, wide), np.nan)
        sums[1] = 0.0
        fixed = (p.loss.code, p.loss.parameter, curved, *stored, p.y, counts, w)
        steep = run(*fixed, z, sums, square, np.full((5, ROWS), np.nan), np.zeros((wide, ROWS)))
        scores, gradient, hessian, steepness = naive.sums(
            name, p.loss.parameter, X, p.y, w[:d], counts if counts.size else np.ones(n)
        )
        lower = np.tril(square[:d, :d] - hessian) if curved else np.where(np.isnan(square), 0.0, np.inf)
        gaps = (z - scores, sums[0, :d] - gradient, lower, steep - steepness, np.append(sums[0, d:], 0.0))
        worst = max(worst, *(float(np.nan_to_num(np.abs(gap), nan=np.inf).max()) for gap in gaps))
    return worst / n


@each
@pytest.mark.few(10)
@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (ROWS, 4), (ROWS + 1, 3), (2 * ROWS + 7, 6)], ids=str)
def test_a_pass_equals_its_definition(name, shape):
    assert disagreement(add_pass, name, *shape, seed=shape[0]) < 1e-14


PLANTED = [
    ("steepness += abs(slopes[k])", "steepness += slopes[k]"),
    ("heavy[k] = kept[k] * column[k]", "heavy[k] = column[k]"),
    ("bent += 1", "bent = k + 1"),
    ("range(low, entry + 1)", "range(low, entry)"),
    ("part[j] += slopes[k]", "part[j] += 1.001 * slopes[k]"),
    ("curvatures[k] *= weights[start + k]", "curvatures[k] *= 1.0"),
]


@pytest.mark.parametrize("planted", PLANTED, ids=lambda planted: planted[1])
def test_a_wrong_pass_is_caught(planted):
    changed = wrong(_passes, "add_pass", *planted)
    assert any(disagreement(changed, name, ROWS + 5, 5, seed=1) > 1e-6 for name in ("huber", "logistic"))


@each
def test_slopes_and_curvatures_at_corners_and_far_out_equal_the_definition(name):
    """One record a data set, x = 1: what is added is φ' and φ'' themselves."""
    loss, rng = SMOOTH[name], np.random.default_rng(3)
    y = np.where(rng.random(ROWS) < 0.5, 1.0, -1.0)
    z = rng.standard_normal(ROWS) * 10.0 ** rng.uniform(-3, 2, ROWS)
    z[:4] = y[:4] + np.array([loss.parameter, -loss.parameter, 0.0, 2.0 * loss.parameter])
    none, indices = np.empty(0), np.empty(0, dtype=np.int64)
    for k in range(ROWS):
        sums, square = np.zeros((3, 4)), np.zeros((4, 4))
        add_pass(
            loss.code, loss.parameter, True, np.ones((1, 1)), none, indices, indices, y[k : k + 1], none,
            np.array([z[k], 0.0, 0.0, 0.0]), np.empty(1), sums, square, np.zeros((5, ROWS)), np.zeros((4, ROWS)),
        )  # fmt: skip
        arguments = (name, loss.parameter, float(z[k]), float(y[k]))
        assert sums[0, 0] == pytest.approx(float(naive_losses.derivative(*arguments)), rel=1e-14, abs=1e-16)
        want = naive_losses.curvature(*arguments)
        assert square[0, 0] == pytest.approx(want, rel=1e-11, abs=1e-16)
        assert loss_curvature(loss.code, loss.parameter, z[k], y[k]) == pytest.approx(want, rel=1e-13, abs=1e-16)


def test_parts_are_added_without_growing_rounding():
    """10,000 parts of 0.1: within 2 roundings of 1,000; planted: without the compensation 400 times more."""
    off = []
    for run in (add_part, wrong(_passes, "add_part", "- lost[j]\n        whole", "\n        whole")):
        total, lost = np.zeros(2), np.zeros(2)
        for _ in range(10_000):
            part = np.array([0.1, -0.3])
            run(part, lost, total)
            assert not part.any()
        off.append(abs(total[0] - 1000.0))
    assert off[0] <= 2.0 * np.spacing(1000.0) and off[1] > 100.0 * np.spacing(1000.0)


def rounded_disagreement(value, derivative, curvature):
    """Largest relative difference of the rounded absolute loss to its definition, near its corner and far from it."""
    worst = 0.0
    for r, rho in itertools.product((-3.0, -1e-3, 0.0, 1e-9, 0.2, 50.0), (1e-9, 0.1, 2.0)):
        arguments = ("rounded-absolute", rho, r, 0.0)
        for kernel, twin in (
            (value, naive_losses.value), (derivative, naive_losses.derivative), (curvature, naive_losses.curvature)
        ):  # fmt: skip
            want = float(twin(*arguments))
            worst = max(worst, abs(kernel(ROUNDED_ABSOLUTE, rho, r, 0.0) - want) / (abs(want) + 1e-9 * rho))
    return worst


def test_the_rounded_absolute_loss_equals_its_definition():
    """Values within what cancellation leaves of ρ near 0; planted: a ρ that is twice as large."""
    kernels = loss_value, loss_derivative, loss_curvature
    assert rounded_disagreement(*kernels) < 1e-6
    for place, name in enumerate(("loss_value", "loss_derivative", "loss_curvature")):
        planted = wrong(loss_kernels, name, "parameter * parameter", "4.0 * parameter * parameter")
        assert rounded_disagreement(*kernels[:place], planted, *kernels[place + 1 :]) > 1e-2
