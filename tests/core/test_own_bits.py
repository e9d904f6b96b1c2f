"""The benchmark that asks which of the suite's samplers their last bits give away."""

import re
import sys
from pathlib import Path

import pytest

from dpbench.papers.glm.comparison import ALGORITHMS

pytestmark = pytest.mark.meta

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def own_bits():
    """The module of `benchmarks/`, which stands beside the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [*sys.path, str(ROOT)])
        from studies import own_bits as module

        yield module


def test_every_algorithm_of_bench_is_tried_in_both_arithmetics(own_bits):
    cases = own_bits.cases()
    tried = {type(case.sampler).__name__ for case in cases}
    assert {name for _, name in ALGORITHMS.values()} | {"ExponentialMechanism", "NoisyMean", "RSPM"} <= tried
    exact = {case.name.removesuffix(", exact") for case in cases if case.exact}
    once = (case.name for case in cases if not case.exact and not case.control)
    assert exact == {name for name in once if not re.search("JL|Averaged|NoisyGD|NoisyMean|Clipped", name)}


def test_the_claims_are_exact_over_the_reals(own_bits):
    """So that a bound above them can only come from floating point."""
    for case in own_bits.cases():
        if hasattr(case.sampler, "pair_profile") and case.name.startswith(("NoisyGD", "OutputPerturbation")):
            assert case.sampler.pair_profile(*case.pair).epsilon(case.delta) <= case.epsilon * (1.0 + 1e-4)
        assert case.epsilon == pytest.approx(1.0, rel=1e-4 if case.exact else 1e-6)
