"""The exponential mechanism beside its contract (test_contracts.py): which sampler it uses, and what it says of it."""

import math

import numpy as np
import pytest

from dpbench.core.validation import InvalidInput
from dpbench.papers.heavytail.algorithms.exponential import ExponentialMechanism
from dpbench.papers.heavytail.algorithms.truncation import truncated_risk
from dpbench.papers.heavytail.problem import HeavyTailedProblem
from dpbench.papers.heavytail.theorems.theorems1_2 import leaning_pair, privacy_loss


def test_a_net_too_large_to_enumerate_says_so_and_falls_back_to_the_guarantee():
    rng = np.random.default_rng(1)
    p = HeavyTailedProblem(rng.standard_normal((300, 4)), rng.standard_normal(300), radius=1.0)
    m = ExponentialMechanism(1.0)
    assert m.sampler_for(p) == "tree"
    with pytest.raises(InvalidInput, match=r"^net_radius must be so large"):
        m.log_probabilities(p)
    assert m.pair_profile(p, p.replace_record(0, np.ones(4), 1.0)).kind == "upper"


def test_auto_chooses_by_size():
    small = HeavyTailedProblem(np.ones((20, 1)), np.ones(20), radius=1.0)
    large = HeavyTailedProblem(np.ones((20_000, 1)), np.ones(20_000), radius=1.0)
    m = ExponentialMechanism(1.0)
    assert (m.sampler_for(small), m.sampler_for(large)) == ("enumerate", "tree")
    box = HeavyTailedProblem(np.ones((4, 3)), np.zeros(4), radius=1.0, domain="box")
    made = ExponentialMechanism(1.0, net_radius=0.5)
    assert made._cube(box) == len(made.net(box).points())  # what the choice rests on: the points of a box's net


@pytest.mark.parametrize("d", [1, 4])
def test_a_profile_says_which_neighbours_it_is_of(d):
    """Of enumerated pairs and of nets too large for it, a record replaced or taken away."""
    rng = np.random.default_rng(1)
    p = HeavyTailedProblem(rng.standard_normal((30, d)), rng.standard_normal(30), radius=1.0)
    fewer = HeavyTailedProblem(p.X[1:], p.y[1:], radius=1.0, tau=p.tau)
    m = ExponentialMechanism(1.0, net_radius=0.5 if d == 1 else 0.05, truncation=0.1)
    assert m.pair_profile(p, p.replace_record(0, np.ones(d), 1.0)).neighbours == "replace"
    assert m.pair_profile(p, fewer).neighbours == "add_remove"


def wild(rng, n, d):
    """Records of very different scales; half of the responses fit a corner of the domain without error."""
    scale = 10.0 ** rng.uniform(-2.0, 6.0)
    X = scale * rng.standard_cauchy((n, d))
    corner = rng.choice((-1.0, 0.0, 1.0), size=d) / math.sqrt(d)
    return X, np.where(rng.random(n) < 0.5, X @ corner, scale * rng.standard_cauchy(n))


@pytest.mark.parametrize("theta", [2.0, 1.75, 1.5, 1.25])
def test_no_replaced_record_moves_a_log_probability_by_more_than_epsilon(theta):
    """25 data sets with six replacements each; a weight a tenth too large is seen by the leaning pair."""
    rng = np.random.default_rng(11)
    for _ in range(25):
        n, d, epsilon = int(rng.integers(2, 12)), int(rng.integers(1, 3)), float(rng.choice((0.1, 1.0, 4.0)))
        X, y = wild(rng, n, d)
        p = HeavyTailedProblem(X, y, radius=1.0, theta=theta, domain=str(rng.choice(("ball", "box"))))
        m = ExponentialMechanism(epsilon, net_radius=0.3)
        points, before = m.log_probabilities(p)
        for _ in range(6):
            x, response = wild(rng, 1, d)
            q = p.replace_record(int(rng.integers(n)), x[0], float(response[0]))
            assert np.abs(before - m.log_probabilities(q)[1]).max() <= epsilon * (1.0 + 1e-9)
            change = np.abs(truncated_risk(p, points, m.iota(p)) - truncated_risk(q, points, m.iota(p))).max()
            assert change <= math.log(theta) / (n * m.iota(p)) * (1.0 + 1e-9)
    pair = leaning_pair(20, theta)
    assert 1.0 < 1.1 * privacy_loss(ExponentialMechanism(1.0, net_radius=1.0), *pair) <= 1.1


@pytest.mark.parametrize("theta", [2.0, 1.5])
def test_lemma_1_holds_of_the_mechanism(theta):
    """P(u <= OPT - (2 Δu/ε)(ln|R| + t)) <= e^(-t), exactly; without ln|R| it fails."""
    rng = np.random.default_rng(12)
    X = rng.standard_t(theta + 0.1, size=(30, 2))
    p = HeavyTailedProblem(X, X @ (0.5, 0.0) + rng.standard_t(1.5, 30), radius=1.0, theta=theta)
    logs = ExponentialMechanism(1.0, net_radius=0.1).log_probabilities(p)[1]

    def chance(below):
        return float(np.exp(logs[logs <= logs.max() - below]).sum())

    assert all(chance(math.log(logs.size) + t) <= math.exp(-t) for t in np.linspace(0.0, 20.0, 81))
    assert any(chance(t) > math.exp(-t) for t in np.linspace(0.0, 20.0, 81))
