"""Whole claims with trials="auto" and in one run; what one run's results say was checked."""

import numpy as np
import pytest
from scipy.stats import binom
from zoo.validity import laplace, normal

from dpbench import audit, audit_one_run, audit_one_run_scores
from dpbench.privacy.profile import laplace_profile, pure_profile

Rng = np.random.Generator


# trials="auto"


@pytest.mark.parametrize(
    "claim",
    [{"mu": 0.8}, {"rdp": {2.0: 0.3}}, laplace_profile(0.8, kind="upper", why="")],
    ids=["mu", "rdp", "profile"],
)
def test_a_false_claim_is_refuted_early(claim):
    found = audit(normal, 0.0, 1.0, claim=claim, trials="auto", budget=2_000_000)
    assert found.verdict == "refuted" and found.trials < 300_000 and found.epsilon is None and found.claim


@pytest.mark.slow
def test_it_gives_up_far_below():
    """Laplace noise of scale 1 under ε = 3: every event's upper limit is below the claim."""
    far = audit(laplace, 0.0, 1.0, claim=pure_profile(3.0, why=""), trials="auto", budget=10_000_000)
    assert far.verdict == "not refuted" and 200_000 <= far.trials < 600_000


# One run


def canaries(shift, count, seed):
    """A sum with noise of deviation 1, orthogonal canaries of length `shift`: μ = `shift` each."""
    rng = np.random.default_rng(seed)
    included = rng.random(count) < 0.5
    return included, shift * included + rng.standard_normal(count)


def test_a_profile_falls_by_one_point_where_another_stands():
    """δ at ε = 0 is 1, all others are 0: the points that fall are the profile's own."""
    from dpbench import Profile

    included, scores = canaries(3.0, 2_000, 2)
    lopsided = Profile("upper", "", lambda e: float(e == 0.0))
    assert audit_one_run_scores(included, scores, claim=lopsided).verdict == "refuted"
    assert audit_one_run_scores(included, scores, claim=Profile("upper", "", lambda e: 1.0)).verdict == "not refuted"


def test_one_run_says_what_it_checked():
    def run(included, rng):
        return included + rng.standard_normal(len(included))

    (check,) = audit_one_run(run, 500, seed=3).checks
    included, scores = canaries(1.0, 500, 4)
    (other,) = audit_one_run_scores(included, scores).checks
    assert check.what == other.what == "number of included canaries"
    inside = int(included.sum())
    low = min(inside, 500 - inside)
    assert other.p_value == pytest.approx(min(1.0, 2.0 * binom.cdf(low, 500, 0.5)), rel=1e-9)
    assert 0.0 < check.p_value <= 1.0
