"""A release computes one trial: of every mechanism, and of the law of its trials."""

from dataclasses import replace

import numpy as np
import pytest
from registry import REGISTRY
from scipy.stats import ks_2samp

from dpbench.core.sampling import block_of, block_width, release, stream
from dpbench.papers.glm.algorithms.noisy_gd import NoisyGD

MECHANISMS = sorted({type(case.make()).__name__ for case in REGISTRY})
LEVEL, RUNS = 1e-6, 3_000


def of(name):
    return next((case, kind) for case in REGISTRY for kind in case.kinds if type(case.make()).__name__ == name)


@pytest.mark.parametrize("name", MECHANISMS)
def test_a_release_asks_for_a_block_of_one(name, monkeypatch):
    case, kind = of(name)
    mechanism, problem = case.make(), case.problem(kind)
    asked, own = [], type(mechanism).block

    def block(self, p, width, rng):
        asked.append(width)
        return own(self, p, width, rng)

    monkeypatch.setattr(type(mechanism), "block", block)
    monkeypatch.setattr(type(mechanism), "__call__", None)
    first, again = (release(mechanism, problem, seed=3).output for _ in range(2))
    assert asked == [1, 1] and first.ndim == 1 and np.array_equal(first, again)
    assert block_of(mechanism, problem, 3, stream("three")).shape == (3, first.size)


def test_a_base_computes_one_trial_too(monkeypatch):
    for name in ("PrivateGridSearch", "Boosting"):
        case, kind = of(name)
        mechanism = replace(case.make(), base=NoisyGD(1.0, 1e-5))
        with monkeypatch.context() as patched:
            patched.setattr(NoisyGD, "__call__", None)
            release(mechanism, case.problem(kind), seed=1)


@pytest.mark.parametrize("name", ["NoisyGD", "RRSPM"])
def test_releases_have_the_law_of_the_trials(name):
    """Two-sample Kolmogorov-Smirnov of a coordinate at 1e-6, fixed seeds; it sees noise 1.5 times too large."""
    case, kind = of(name)
    m, p = case.make(), case.problem(kind)
    single = np.array([block_of(m, p, 1, stream("single", k))[0] for k in range(RUNS)])
    many = m(p, RUNS, stream("many"))
    assert ks_2samp(single[:, 0], many[:, 0]).pvalue > LEVEL
    if name == "NoisyGD":
        centre = many[:, 0].mean()
        assert ks_2samp(centre + 1.5 * (single[:, 0] - centre), many[:, 0]).pvalue < LEVEL


def test_a_sampler_without_blocks_is_called_for_one_trial():
    case, kind = of("OutputPerturbation")
    p, asked = case.problem(kind), []

    def sampler(problem, trials, rng):
        asked.append(trials)
        return rng.random((trials, problem.d))

    assert block_of(sampler, p, 1, stream("one")).shape == (1, p.d) and asked == [1]
    assert block_width(p) > 1
