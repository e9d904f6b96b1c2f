"""Lemma 5: the closed forms and the enumerations behind its verdict, and planted failures."""

from functools import partial

import numpy as np
import pytest
from naive import worlds as naive

from dpbench.core.sampling import stream
from dpbench.papers.glm import losses
from dpbench.papers.glm.theorems import lemma5
from dpbench.papers.glm.theorems.worlds import DataSets, average_stability, build, descend, search_case


def slope(z, y):
    return 2 * (z - y)


def value(z, y):
    return (z - y) ** 2


def sides(**at):
    """Left and right of Lemma 5 as its statement has them."""
    return [lemma5.LEMMA_5.number(lemma5.LEMMA_5.claim.parts[side], **at) for side in ("left", "right")]


@pytest.mark.parametrize(("n", "steps"), [(2, 2), (3, 4), (4, 5)])
@pytest.mark.parametrize("c", [4.0, 0.5])
def test_lemma5_closed_forms_are_the_enumerated_expectations(n, steps, c):
    """In a ball that is never met; and the statement's sides lie outside those of a ball that is."""
    atoms, noise = [((1.0,), 1.0), ((1.0,), -1.0)], [(0.0,)] * (steps - 1)
    for radius in (1 + 3 ** (steps - 1), 1):
        left, risk = naive.expectations(atoms, (0.5, 0.5), n, slope, value, radius, c / 2.0, noise)
        right = 4.0 * c**2 * steps / n * (steps / n * (risk - 1.0) + 1.0)  # L(w*) = L(0) = 1
        if radius > 1:
            assert sides(n=n, T=steps, c=c, B=1e6 * radius) == pytest.approx([left, right], rel=1e-10)
        low, high = sides(n=n, T=steps, c=c, B=radius)
        assert low <= left + 1e-12 and high >= right - 1e-12


@pytest.mark.parametrize("loss", [losses.squared(), losses.logistic(), losses.huber(0.3)], ids=lambda c: c.name)
def test_worlds_are_the_slow_twin(loss):
    m, d, n, steps = 3, 2, 3, 3
    rng = stream("worlds", loss)
    worlds = build(loss, rng.normal(0.0, 2.0, (4, m * (d + 2) + 2)), m, d, n)
    path, eta = 0.3 * rng.standard_normal((4, steps - 1, d)), np.array([0.1, 0.5, 1.0, 2.0]) / loss.smoothness
    sets = DataSets.all(m, n)
    average, risk = descend(worlds, sets, eta, path)
    stability = average_stability(worlds, sets, average)
    weights = sets.probabilities(worlds)
    np.testing.assert_allclose(weights.sum(axis=1), 1.0, rtol=1e-12)

    def scalar(f, z, y):
        return float(f(np.array([z]), np.array([y]))[0])

    for i in range(2):
        atoms = [(tuple(worlds.x[i, a]), float(worlds.y[i, a])) for a in range(m)]
        expected = naive.expectations(
            atoms,
            worlds.chance[i],
            n,
            partial(scalar, loss.derivative),
            partial(scalar, loss.value),
            worlds.radius[i],
            eta[i],
            path[i],
        )
        found = (stability[i], (weights[i] * risk[i]).sum())
        assert found == pytest.approx(expected, rel=1e-10)
    assert np.linalg.norm(worlds.x, axis=2).max() <= 1.0 + 1e-12
    assert (np.abs(worlds.y) <= worlds.y_bound[:, None]).all()


def test_least_risk_brackets_the_minimum():
    loss = losses.squared()
    worlds = build(loss, stream("least").normal(0.0, 1.5, (30, 3 * 3 + 2)), 3, 1, 4)
    high, low = worlds.least_risk()
    for i in range(30):
        grid = np.linspace(-worlds.radius[i], worlds.radius[i], 4001)
        z = grid[:, None] * worlds.x[i, :, 0]
        least = (worlds.chance[i] * (z - worlds.y[i]) ** 2).sum(axis=1).min()
        assert low[i] <= least + 1e-12
        assert high[i] <= least + 4.0 * (worlds.radius[i] / 2000) ** 2 + 2.0 * worlds.radius[i] ** 2 * 2 / 101**2


def test_lemma_5_holds_of_small_worlds_and_a_tighter_one_does_not():
    """Exact sums over all data sets; planted: the right side divided by 24 is beaten."""

    def planted(worlds, sets, settings, path):
        return 1.0 - 24.0 * (1.0 - lemma5.stability_margins(worlds, sets, settings, path))

    first, directed = search_case(lemma5.stability_margins, "test", ((4, 3, 3, 3),), 40, 0, 0)
    assert 0.0 < directed <= first < 1.0
    assert search_case(planted, "test", ((4, 3, 3, 3),), 40, 0, 0)[1] < 0.0
