"""Kernels of the constructions against slow twins, sufficient statistics against records, and memory at n = 1e9."""

import math
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from naive import constructions as naive
from planted import wrong

from dpbench.core.kernel import KERNELS
from dpbench.papers.glm.algorithms.noisy_gd import NoisyGD
from dpbench.papers.glm.attacks.members import errors_on
from lowerbounds import (
    _kernels,
    _rare_record,
    chaudhuri_hsu,
    fingerprinting,
    large_radius,
    nonprivate,
    nonprivate_floors,
    norm_packing,
    packing,
)

pytestmark = pytest.mark.kernel

SIGMA = np.array([[1.0, -1.0, -1.0], [-1.0, 1.0, 1.0]])
MEANS = np.array([[0.1, 0.7, 0.4], [0.9, 0.5, 0.2]])
OUTPUTS = np.random.default_rng(0).normal(0.0, 1.5, (2, 5, 4))
Run = Callable[[Callable[..., Any]], list[np.ndarray]]


def compress_rows(kernel):
    columns = np.array([2, -1, 0, 0, -1, 1])
    indices, starts = np.zeros(6, dtype=np.int64), np.zeros(7, dtype=np.int64)
    kernel(columns, indices, starts)
    return [indices[: starts[-1]], starts]


def sign_block_labels(kernel):
    y = np.full((2, 20), 9.0)
    kernel(SIGMA, 6, 2, 3, -1.5, 0.7, 2.0, y)
    return [y]


def sign_block_moments(kernel):
    cross, square = np.full((2, 4), 9.0), np.full(2, 9.0)
    # Blocks of 6: two labels -1.5, three of 0.7 times the sign, one of 2; features 0.8, 20 records.
    up, down = (0.8 * (2 * -1.5 + 3 * sign * 0.7 + 2.0) / 20 for sign in (1, -1))
    total = 3 * (2 * 1.5**2 + 3 * 0.7**2 + 2.0**2) / 20
    found = [cross, square, np.array(kernel(SIGMA, up, down, total, cross, square))]
    whole, wrong_sign = np.full((2, 3), 9.0), SIGMA.copy()
    wrong_sign[1, 0] = 0.5
    found += [np.array(kernel(SIGMA, up, down, total, whole, square)), whole]
    return [*found, *(np.array(kernel(wrong_sign, up, down, total, out.copy(), square)) for out in (cross, whole))]


def twin_moments():
    columns = np.append(np.repeat(np.arange(3), 6), [-1, -1])
    made = [
        naive.moments(columns, np.full(20, 0.8), naive.block_labels(sigma, 6, 2, 3, -1.5, 0.7, 2.0, 20), 4)
        for sigma in SIGMA
    ]
    cross = np.array([m[1] for m in made])
    return [cross, np.array([m[2] for m in made]), *map(np.array, (0, 0, cross[:, :3], 1, 1))]


def draw_cube(kernel):
    rng, labels = np.random.default_rng(1), np.zeros(500)
    columns = rng.integers(0, 3, 500)
    counts = np.full((3, 2), 9)
    kernel(rng, SIGMA[0], 0.4, columns, labels, counts)
    return [columns, labels, counts, np.array(rng.random())]


def draw_fingerprints(kernel):
    rng, bits = np.random.default_rng(1), np.zeros(500)
    uniforms, columns = rng.random(500), rng.integers(0, 3, 500)
    kernel(rng, MEANS[0], 0.6, uniforms, columns, bits)
    return [columns, bits, np.array(rng.random())]


def draw_hits(kernel):
    rng, hits = np.random.default_rng(1), np.zeros(500)
    total = kernel(rng, 0.3, hits)
    return [hits, np.array(total), np.array(rng.random())]


def distances(power):
    def run(kernel):
        out = np.zeros((2, 5))
        kernel(power, MEANS, SIGMA, OUTPUTS, out)
        return [out]

    return run


def sign_distances(power):
    def run(kernel):
        out, odd = np.zeros((2, 5)), SIGMA.copy()
        odd[1, 2] = 0.5
        return [np.array(kernel(power, 0.3, 1.1, SIGMA, OUTPUTS, out)), out,
                np.array(kernel(power, 0.3, 1.1, odd, OUTPUTS, np.zeros((2, 5))))]  # fmt: skip

    return run


def twin_sign_distances(power):
    weights = np.full(SIGMA.shape[1], 0.3)
    made = [naive.distances(power, weights, 1.1 * sigma, w) for sigma, w in zip(SIGMA, OUTPUTS, strict=True)]
    return [np.array(0), np.array(made), np.array(1)]


def absolute_excess(kernel):
    out, rounded, odd = np.zeros((2, 5)), np.zeros((2, 5)), MEANS.copy()
    odd[0, 1], odd[1, 2] = -0.1, 1.1
    return [np.array(kernel(MEANS, 0.3, 1.2, False, OUTPUTS, out)), out,
            np.array(kernel(MEANS, 0.3, 1.2, True, OUTPUTS, rounded)), rounded,
            np.array(kernel(odd, 0.3, 1.2, False, OUTPUTS, out.copy()))]  # fmt: skip


def twin_absolute_excess():
    points = 1.2 * MEANS, 1.2 * np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
    made = [np.array([naive.absolute_excess(m, 0.3, 1.2, p, w) for m, p, w in zip(MEANS, each, OUTPUTS, strict=True)])
            for each in points]  # fmt: skip
    return [np.array(0), made[0], np.array(0), made[1], np.array(2)]


def two_piece_excess(kernel):
    out = np.zeros((2, 5))
    kernel(np.array([1.0, -1.0]), 0.3, 1.1, 0.9, 0.05, OUTPUTS, out)
    return [out]


def after(draw):
    """What a twin draws, and the next number of its Generator."""
    rng = np.random.default_rng(1)
    return [*map(np.asarray, draw(rng)), np.array(rng.random())]


COMPARED = [
    ("compress_rows", compress_rows, lambda: list(naive.csr(np.array([2, -1, 0, 0, -1, 1]))),
     [("columns[i] >= 0", "columns[i] > 0"), ("starts[i + 1] = stored", "starts[i + 1] = i + 1")]),
    ("sign_block_labels", sign_block_labels,
     lambda: [np.array([naive.block_labels(s, 6, 2, 3, -1.5, 0.7, 2.0, 20) for s in SIGMA])],
     [("sigma[k, j]", "sigma[0, j]"), ("start + same + changed, start + block", "start + same, start + block"),
      ("start = j * block", "start = j * (block - 1)")]),
    ("sign_block_moments", sign_block_moments, twin_moments,
     [("sigma[k, j]", "sigma[0, j]"), ("odd += abs(sign) != 1.0", "odd += 1"), ("up if sign >", "down if sign >"),
      ("odd += abs(signs[i]) != 1.0", "odd += 0"), ("up if signs[i]", "down if signs[i]"),
      ("cross[k, j] = 0.0", "cross[k, j] = 1.0"), ("= total", "= 0.0")]),
    ("draw_cube", draw_cube, lambda: after(lambda rng: naive.cube(rng, SIGMA[0], 0.4, 500)),
     [("sigma[j])", "sigma[0])"), ("0 if up else 1", "1 if up else 0")]),
    ("draw_fingerprints", draw_fingerprints, lambda: after(lambda rng: naive.fingerprints(rng, MEANS[0], 0.6, 500)),
     [("means[columns[i]]", "means[0]"), ("columns[i] = -1", "pass"), ("uniforms[i] < mass", "True")]),
    ("draw_hits", draw_hits, lambda: after(lambda rng: naive.hits(rng, 0.3, 500)),
     [("< chance", "> chance"), ("total += hit", "total += 1")]),
    ("distances", distances(2),
     lambda: [np.array([naive.distances(2, *part) for part in zip(MEANS, SIGMA, OUTPUTS, strict=True)])],
     [("centres[m, j]", "centres[0, j]"), ("gap * gap", "gap"), ("weights[m, j]", "weights[0, j]")]),
    ("distances", distances(1),
     lambda: [np.array([naive.distances(1, *part) for part in zip(MEANS, SIGMA, OUTPUTS, strict=True)])],
     [("abs(gap)", "gap"), ("power == 2", "power == 1")]),
    ("sign_distances", sign_distances(2), lambda: twin_sign_distances(2),
     [("gap * gap", "gap"), ("sigma[m, j] * target", "sigma[0, j] * target"), ("weight * total", "total"),
      ("odd += abs(sigma[m, j]) != 1.0", "odd += 0")]),
    ("sign_distances", sign_distances(1), lambda: twin_sign_distances(1),
     [("power == 2", "power == 1"), ("abs(outputs[m, t, j] - sigma[m, j] * target)", "outputs[m, t, j]")]),
    ("absolute_excess", absolute_excess, twin_absolute_excess,
     [("(1.0 - mean)", "mean"), ("abs(scale - p)", "abs(p)"), ("mean > 0.5", "mean > 0.75"), ("if rounded", "if mean"),
      ("<= 1.0", "<= 2.0")]),
    ("two_piece_excess", two_piece_excess,
     lambda: [np.array([naive.two_piece_excess(s, 0.3, 1.1, 0.9, 0.05, w)
                        for s, w in zip((1.0, -1.0), OUTPUTS, strict=True)])],
     [("* signs[m]", ""), ("near - 0.25", "near - 0.5"), ("abs(z + label)", "abs(z - label)"), ("- least", "")]),
]  # fmt: skip


def agree(one, other):
    return all(
        np.shape(a) == np.shape(b) and np.allclose(a, b, rtol=1e-12, atol=1e-14)
        for a, b in zip(one, other, strict=True)
    )


@pytest.mark.parametrize(("name", "run", "twin", "errors"), COMPARED, ids=[case[0] for case in COMPARED])
def test_kernels_are_their_twins_and_planted_errors_are_not(name, run, twin, errors):
    want = twin()
    assert agree(run(getattr(_kernels, name)), want)
    for old, new in errors:
        assert not agree(run(wrong(_kernels, name, old, new)), want), (old, new)


def test_every_kernel_of_the_constructions_is_compared():
    ours = {name.rpartition(".")[2] for name in KERNELS if name.startswith("lowerbounds._kernels.")}
    assert ours == {name for name, *_ in COMPARED}


FAMILIES = {
    "packing": lambda n: packing(n, 6, 0.5, 1e-6, x_bound=2.0, radius=0.4),
    "norm packing": lambda n: norm_packing(n, 6, 0.3, y_bound=2.0),
    "norm packing, small radius": lambda n: norm_packing(n, 1, 0.02, radius=0.01),
    "chaudhuri_hsu": lambda n: chaudhuri_hsu(n + 1, 0.5, distance=4, x_bound=2.0, y_bound=3.0),
    "cube": lambda n: nonprivate(n, 6, x_bound=2.0),
    "rare record": lambda n: nonprivate(n, 2, radius=7.0, x_bound=3.0),
    "large radius": lambda n: large_radius(n, 3, 0.2, radius=4.0, x_bound=0.9),
}


@pytest.mark.parametrize("name", FAMILIES)
def test_statistics_are_those_of_the_records(name):
    """Members drawn, then their data: both ways from equal Generators, to the last draw."""
    family = FAMILIES[name](60)
    members = [family.members(np.random.default_rng(k)) for k in range(5)]
    rngs, others = ([np.random.default_rng(k + 9) for k in range(5)] for _ in range(2))
    assert family.moments is not None
    found = family.moments(members, rngs)
    for k, (member, rng) in enumerate(zip(members, others, strict=True)):
        made = family.instances(member, rng)
        X = made.X.toarray()
        columns = np.where(X.any(axis=1), X.argmax(axis=1), -1)
        want = naive.moments(columns, X.max(axis=1), made.y, family.d)
        got = (found.second[min(k, len(found.second) - 1)], found.cross[k], found.square[k])
        for a, b in zip(got, want, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-15)
        assert (made.loss, made.x_bound, made.y_bound, made.radius) == (
            found.loss, found.x_bound, found.y_bound, found.radius
        )  # fmt: skip
        assert rng.random() == rngs[k].random()


def test_statistics_drawn_without_records_follow_their_law(monkeypatch):
    """Null: what is drawn beyond `RECORDS_DRAWN` has the means of the records, 4,000 data sets of 60 each.

    Each of 9 means within 6 standard errors (level 2e-8 in all); sees a bias or a rare chance 10% off, which are
    planted.
    """
    for module in (nonprivate_floors, _rare_record):
        monkeypatch.setattr(module, "RECORDS_DRAWN", 0)
    draws, rng = 4000, np.random.default_rng(5)
    cube, sigma = nonprivate(60, 4), np.array([1.0, -1.0, 1.0, -1.0])
    active, bias = int(cube.parameters["active"]), cube.parameters["bias"]
    assert (cube.name, active) == ("cube", 4) and cube.moments is not None
    found = cube.moments([sigma] * draws, [rng] * draws)
    assert found.second.sum(axis=1) == pytest.approx(1.0, abs=1e-12)
    counts, sums = 60.0 * found.second, 60.0 * found.cross * sigma
    np.testing.assert_array_less(np.abs(counts.mean(axis=0) - 15.0), 6.0 * math.sqrt(60.0 * 3.0 / 16.0 / draws))
    error = 6.0 * math.sqrt(15.0 / draws)
    assert np.all(np.abs(sums.mean(axis=0) - 15.0 * bias) < error)
    assert np.abs(sums.mean() - 15.0 * 1.1 * bias) > error / 2.0  # of all four together
    rare = nonprivate(60, 1, radius=7.0)
    chance, feature = rare.parameters["chance"], rare.parameters["feature"]
    assert rare.name == "rare record" and rare.moments is not None
    found = rare.moments([1] * draws, [rng] * draws)
    hits = 60.0 * (found.second[:, 0] - feature**2) / (1.0 - feature**2)
    error = 6.0 * math.sqrt(60.0 * chance * (1.0 - chance) / draws)
    assert np.abs(hits - hits.round()).max() < 1e-6
    assert abs(hits.mean() - 60.0 * chance) < error < abs(hits.mean() - 66.0 * chance)
    assert rare.moments([0], [rng]).second[0, 0] == pytest.approx(feature**2)


HUGE = {name: FAMILIES[name] for name in ("packing", "norm packing", "chaudhuri_hsu", "large radius")} | {
    "cube": lambda n: nonprivate_floors._Cube(
        name="cube", source="", how="", n=n, d=8, bounds=(1.0, 1.0, 1.0), parameters={}, active=8, bias=0.001,
        target=0.001,
    ),
    "rare record": lambda n: nonprivate(n, 1, radius=1e6),
}  # fmt: skip


def run_members(family):
    """Eight members: their statistics, runs of noisy GD and errors."""
    rngs = [np.random.default_rng(k) for k in range(8)]
    members = [family.members(rng) for rng in rngs]
    for trials in (1, 2):
        errors = errors_on(NoisyGD(0.5, 1e-9, steps=4), family, members, trials, rngs)
        assert errors.shape == (8, trials, 2) and np.isfinite(errors).all() and errors.max() > 0.0


@pytest.mark.parametrize("name", HUGE)
def test_a_billion_records_take_no_memory(name):
    """Members of n = 1e9, their statistics, runs of noisy GD and errors: a small part of 100 MB."""
    family = HUGE[name](10**9)
    assert family.n >= 10**9 and (family.name == name or name in FAMILIES)
    run_members(HUGE[name](70_000))  # compiles
    tracemalloc.start()
    try:
        run_members(family)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1e7


def test_fingerprints_of_the_family_are_the_kernel_s():
    family = fingerprinting(50, 6, 0.2, active=4, mass=0.5, beta=0.5, constants="tight")
    means = family.members(np.random.default_rng(2))
    made = family.instances(means, np.random.default_rng(3))
    columns, bits = naive.fingerprints(np.random.default_rng(3), means, 0.5, 50)
    np.testing.assert_array_equal(made.y, bits * family.parameters["scale"])
    np.testing.assert_array_equal(made.X.indices, columns[columns >= 0])
