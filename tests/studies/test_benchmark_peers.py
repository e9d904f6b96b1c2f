"""The peers of `studies.mechanism_peers` do what the mechanisms do, and a peer that does not is refused."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from tests.naive import heavytail as naive

pytestmark = pytest.mark.meta

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """The folder is at the root, beside the tests; installed packages come first."""
    monkeypatch.setattr(sys, "path", [*sys.path, str(ROOT)])
    from studies import mechanism_peers, oracle_peers, plain_mechanisms

    return SimpleNamespace(command=mechanism_peers, oracles=oracle_peers, plain=plain_mechanisms)


def test_the_jl_loop_is_the_mechanism(bench: SimpleNamespace) -> None:
    """With its map and without noise; planted: a clip 1% off, and a ball that is not doubled."""
    from dpbench.papers.glm.algorithms.jl import JLMethod
    from dpbench.papers.glm.algorithms.random_map import RandomMap

    data = bench.command.problem("logistic")
    m = JLMethod(1.0, 1e-5, dimension=20, distortion=0.01, steps=40, step_size=30.0, noise_scale=0.0)
    maps = RandomMap("gaussian", 20, data.d, np.random.default_rng(1))
    phi = np.concatenate([maps.chunk(start).copy() for start in maps.starts()]).T
    run = partial(
        bench.plain.jl_trial, data.X, data.y, bench.command.SLOPES["logistic"], phi, eta=30.0, steps=40,
        noise=lambda: np.zeros(20),
    )  # fmt: skip
    want = m(data, 1, np.random.default_rng(1))[0]
    np.testing.assert_allclose(run(clip=m.norm_bound(data), radius=data.radius), want, rtol=1e-9, atol=1e-13)
    assert np.abs(run(clip=0.99 * m.norm_bound(data), radius=data.radius) - want).max() > 1e-5
    assert np.abs(run(clip=m.norm_bound(data), radius=0.5 * data.radius) - want).max() > 1e-2


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("case", [0, 1], ids=["thresholds", "stumps"])
def test_plain_rrspm_is_the_mechanism(bench: SimpleNamespace, case: int, seed: int) -> None:
    """The same weights give the same outputs; planted: a scale twice as large."""
    _, problem_of, plain_of = bench.command.RRSPM_CASES[case]
    p, m = problem_of(60, 9), bench.command.RRSPM(5.0)
    ours = m(p, 64, np.random.default_rng(seed))
    run = partial(plain_of, p.x, p.y, p.public)
    assert np.array_equal(run(m.scale(p), 64, np.random.default_rng(seed)), ours)
    assert len(np.unique(ours)) > 3
    assert not np.array_equal(run(2.0 * m.scale(p), 64, np.random.default_rng(seed)), ours)


def test_plain_weights_and_draws(bench: SimpleNamespace) -> None:
    """Weights are the twin's. 20,000 draws from five points lie within 6 standard deviations of their law.

    Null: the law. False alarms: 2e-9 a point. Smallest error: 0.02 in a probability; planted: the weights squared.
    """
    rng = np.random.default_rng(0)
    X, y, points = rng.standard_normal((30, 2)), rng.standard_normal(30), rng.uniform(-1.0, 1.0, (5, 2))
    logs = bench.plain.log_weights(X, y, points, 0.7, 1.5, 0.3)
    scores = [naive.score(X.tolist(), y.tolist(), w, 0.7, 1.5) for w in points.tolist()]
    np.testing.assert_allclose(logs, -0.3 * np.array(scores), rtol=1e-12)
    law = np.array(naive.probabilities(scores, 0.3 * math.log(1.5), 1.5, 1.0))

    def fits(given: np.ndarray) -> bool:
        found = np.bincount(bench.plain.enumerated(given, 20_000, np.random.default_rng(1)), minlength=5) / 20_000
        return bool((np.abs(found - law) < 6.0 * np.sqrt(law * (1.0 - law) / 20_000)).all())

    assert fits(logs) and not fits(2.0 * logs)


def test_the_chain_and_its_transitions(bench: SimpleNamespace) -> None:
    """The matrix leaves the law as it is, and is that of the chain: 4,000 first steps, 6 standard deviations.

    False alarms: 2e-9 a state. Planted: a chain that accepts by the square of the ratio.
    """
    from scipy.special import ndtr

    logs = np.array([0.0, 0.4, 1.0, 0.2, -1.0])
    law, at = np.exp(logs) / np.exp(logs).sum(), np.arange(5)
    jump = ndtr((at + 0.5) / 1.2) - ndtr((at - 0.5) / 1.2)
    moves = bench.plain.transitions(logs, np.abs(np.subtract.outer(at, at)), jump)
    np.testing.assert_allclose(law @ moves, law, rtol=1e-12)
    np.testing.assert_allclose(moves.sum(axis=1), 1.0, rtol=1e-12)
    count = bench.plain.steps_to(law, moves, 4, 1e-6)
    apart = [0.5 * np.abs(np.linalg.matrix_power(moves, k)[4] - law).sum() for k in (count - 1, count)]
    assert apart[1] <= 1e-6 < apart[0]

    def fits(power: float) -> bool:
        rng, ends = np.random.default_rng(2), np.zeros(5)
        for _ in range(4000):
            walk = bench.plain.chain(
                lambda k: power * logs[int(k[0]) + 2], lambda k: bool(abs(k[0]) <= 2), np.zeros(1),
                np.array([[1.2]]), 1, rng,
            )  # fmt: skip
            ends[int(walk[0, 0]) + 2] += 1.0 / 4000.0
        row = moves[2]
        return bool((np.abs(ends - row) < 6.0 * np.sqrt(row * (1.0 - row) / 4000.0)).all())

    assert fits(1.0) and not fits(2.0)


def test_autocorrelation_time_of_a_known_series(bench: SimpleNamespace) -> None:
    """x_t = x_{t−1}/2 + noise has 1 + 2Σ2⁻ᵏ = 3; independent numbers have 1."""
    rng = np.random.default_rng(3)
    noise, series = rng.standard_normal((40_000, 1)), np.zeros((40_000, 1))
    for t in range(1, 40_000):
        series[t] = 0.5 * series[t - 1] + noise[t]
    assert bench.plain.autocorrelation_time(series) == pytest.approx(3.0, rel=0.1)
    assert bench.plain.autocorrelation_time(noise) == pytest.approx(1.0, abs=0.1)


def test_oracles_and_their_peers(bench: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    """All rows are checked before they are timed; planted: a brute force that misses the least cost, and a solver that
    stops early."""
    few = [(name, h, d, 60, least, how) for name, h, d, _, least, how in bench.oracles.BINARY]
    monkeypatch.setattr(bench.oracles, "BINARY", few)
    rows = list(bench.oracles.oracle_pairs())
    assert len(rows) == 7
    for *_, peer in rows:
        peer.run()
    monkeypatch.setattr(bench.oracles, "reached", lambda *given: -1.0)
    with pytest.raises(bench.oracles.WrongAnswer, match="least cost"):
        next(bench.oracles.oracle_pairs())
    honest = bench.oracles.slsqp
    monkeypatch.setattr(bench.oracles, "slsqp", lambda *given: 0.99 * honest(*given))
    with pytest.raises(bench.oracles.WrongAnswer, match="SLSQP"):
        bench.oracles.linear_pair("squared")


def test_two_laws_are_told_apart(bench: SimpleNamespace) -> None:
    """At 1e-9, by Kolmogorov and Smirnov on 80 risks a side; planted: the JL method with ten times the noise."""
    data = bench.command.problem("logistic")
    m = bench.command.JLMethod(1.0, 1e-5, dimension=5, steps=20)
    risks = [
        data.empirical_risk(bench.command.jl_trials(data, mechanism, 80, np.random.default_rng(4)))
        for mechanism in (m, replace(m, noise_scale=10.0 * m.sigma(data), step_size=m.eta(data)))
    ]
    ours = data.empirical_risk(m(data, 80, np.random.default_rng(5)))
    assert "one law" in bench.command.one_law(ours, risks[0], "JL")
    with pytest.raises(bench.command.WrongAnswer, match="laws differ"):
        bench.command.one_law(ours, risks[1], "JL")
