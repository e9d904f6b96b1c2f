"""The exponential mechanism beside its contract (test_contracts.py): which sampler it uses, and what it says of it."""

from __future__ import annotations

import numpy as np
import pytest
from registry import heavy_problem

from dpbench.core.validation import InvalidInput
from dpbench.papers.heavytail.algorithms.exponential import ExponentialMechanism
from dpbench.papers.heavytail.problem import HeavyTailedProblem


def test_a_net_too_large_to_enumerate_says_so_and_falls_back_to_the_guarantee() -> None:
    rng = np.random.default_rng(1)
    p = HeavyTailedProblem(rng.standard_normal((300, 4)), rng.standard_normal(300), radius=1.0)
    m = ExponentialMechanism(1.0)
    assert m.sampler_for(p) == "tree"
    with pytest.raises(InvalidInput, match=r"^net_radius must be so large"):
        m.log_probabilities(p)
    assert m.pair_profile(p, p.replace_record(0, np.ones(4), 1.0)).kind == "upper"


def test_auto_chooses_by_size() -> None:
    small = HeavyTailedProblem(np.ones((20, 1)), np.ones(20), radius=1.0)
    large = HeavyTailedProblem(np.ones((20_000, 1)), np.ones(20_000), radius=1.0)
    m = ExponentialMechanism(1.0)
    assert (m.sampler_for(small), m.sampler_for(large)) == ("enumerate", "tree")
    box = HeavyTailedProblem(np.ones((4, 3)), np.zeros(4), radius=1.0, domain="box")
    made = ExponentialMechanism(1.0, net_radius=0.5)
    assert made._cube(box) == len(made.net(box).points())  # what the choice rests on: the points of a box's net


@pytest.mark.parametrize("sampler", ["enumerate", "tree"])
def test_release_names_its_sampler(sampler: str) -> None:
    p, m = heavy_problem("ball"), ExponentialMechanism(1.0, sampler=sampler)
    made = m.release(p, seed=5)
    assert np.array_equal(made.output, m.release(p, seed=5).output)
    assert made.info["sampler"] == sampler and made.info["kind"] == "upper"
    assert set(made.info) == {
        "mechanism", "parameters", "seed", "guarantee", "kind", "neighbours", "sampler", "net_radius", "iota"
    }  # fmt: skip
    assert np.allclose(made.predict(p.X[:3]), p.X[:3] @ made.w)
    outputs = {tuple(m.release(p).output) for _ in range(20)}
    assert len(outputs) > 1


@pytest.mark.parametrize("d", [1, 4])
def test_a_profile_says_which_neighbours_it_is_of(d: int) -> None:
    """Of enumerated pairs and of nets too large for it, a record replaced or taken away."""
    rng = np.random.default_rng(1)
    p = HeavyTailedProblem(rng.standard_normal((30, d)), rng.standard_normal(30), radius=1.0)
    fewer = HeavyTailedProblem(p.X[1:], p.y[1:], radius=1.0, tau=p.tau)
    m = ExponentialMechanism(1.0, net_radius=0.5 if d == 1 else 0.05, truncation=0.1)
    assert m.pair_profile(p, p.replace_record(0, np.ones(d), 1.0)).neighbours == "replace"
    assert m.pair_profile(p, fewer).neighbours == "add-remove"
