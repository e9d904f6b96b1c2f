"""Lemmas 2, 3, 5 and 6: the closed forms and the enumerations behind the verdicts, and planted failures."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from naive import worlds as naive

from dpbench.core.sampling import stream
from dpbench.papers.glm import losses, theory
from dpbench.papers.glm.theorems import lemma5
from dpbench.papers.glm.theorems.worlds import DataSets, average_stability, build, descend, into_balls, search_case


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

    for i in range(4):
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


def within_n0(worlds):
    """The same worlds with the radius cut to n ≥ n₀ = H̃B²/‖Y‖²."""
    most = np.sqrt(worlds.at_zero * worlds.n / worlds.loss.smoothness)
    return replace(worlds, radius=np.minimum(worlds.radius, most))


def gap_margins(worlds, sets, settings, path):
    """(right − left)/right of Lemma 4: noisy descent of any step size, or an output pulled towards the records seen."""
    worlds = within_n0(worlds)
    h, n, y = worlds.loss.smoothness, worlds.n, np.sqrt(worlds.at_zero)
    if path.shape[1] % 2:
        eta = np.exp(np.clip(settings[:, 0], -4.0, 3.0)) / h
        outputs, _ = descend(worlds, sets, eta, np.sqrt(h) * (y * 10.0 ** settings[:, 1])[:, None, None] * path)
    else:
        shares = sets.counts / n - worlds.chance[:, None, :]
        pulls = shares * worlds.loss.derivative(np.zeros_like(worlds.y), worlds.y)[:, None, :]
        outputs = -(pulls @ worlds.x) / h * 10.0 ** np.clip(settings[:, 0], -3.0, 3.0)[:, None, None]
        outputs = into_balls(outputs, worlds.radius[:, None])
    weights = sets.probabilities(worlds)
    values = worlds.loss.value(outputs @ worlds.x.transpose(0, 2, 1), worlds.y[:, None, :])
    population = (weights * (values * worlds.chance[:, None, :]).sum(axis=2)).sum(axis=1)
    empirical = (weights * (values * (sets.counts / n)).sum(axis=2)).sum(axis=1)
    size = np.sqrt(h) * worlds.radius / np.sqrt(n)
    stable = 2.0 * np.sqrt(h * n) * y / worlds.radius * average_stability(worlds, sets, outputs)
    return 1.0 - (population - empirical) / (size / y * (empirical - worlds.least_risk()[0]) + stable + size * y)


def regret_margins(worlds, sets, settings, path):
    """(right − left)/right of Lemma 6 without noise."""
    worlds = within_n0(worlds)
    h, n = worlds.loss.smoothness, worlds.n
    eta = [theory.noisy_gd_step_size(b, n, h, 1.0, y, 0.0, 1)
           for b, y in zip(worlds.radius, np.sqrt(worlds.at_zero), strict=True)]  # fmt: skip
    _, risk = descend(worlds, sets, np.array(eta), 0.0 * path)
    left = (sets.probabilities(worlds) * risk).sum(axis=1) - worlds.least_risk()[1]
    return 1.0 - left / (worlds.radius**2 / (np.array(eta) * n) + 4.0 * np.array(eta) * h * worlds.at_zero)


@pytest.mark.parametrize(
    ("margins", "shapes", "shrink"),
    [
        (gap_margins, ((3, 2, 4, 5),), 2.5),
        (gap_margins, ((2, 1, 2, 4),), 3.5),
        (lemma5.stability_margins, ((4, 3, 3, 3),), 24.0),
        (regret_margins, ((3, 2, 4, 4),), 5.0),
    ],
    ids=["4 memory", "4 descent", "5", "6"],
)
def test_lemmas_hold_of_small_worlds_and_tighter_ones_do_not(margins, shapes, shrink):
    """Exact sums over all data sets; planted: the right side divided by `shrink` is beaten."""

    def planted(worlds, sets, settings, path):
        return 1.0 - shrink * (1.0 - margins(worlds, sets, settings, path))

    first, directed = search_case(margins, "test", shapes, 40, 0, 0)
    assert 0.0 < directed <= first < 1.0
    assert search_case(planted, "test", shapes, 40, 0, 0)[1] < 0.0
