"""Audits of other libraries: OpenDP and a DP-SGD training in JAX. Skipped, and said so, without the extra."""

import importlib.util
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from dpbench import audit, audit_one_run_scores, each

pytestmark = pytest.mark.meta

ROOT = Path(__file__).resolve().parents[2]
WITHOUT = "needs the extra `examples`: pip install 'dpbench-suite[examples]'"


@pytest.fixture(scope="module")
def opendp():
    found = pytest.importorskip("opendp.prelude", reason=WITHOUT)
    found.enable_features("contrib")
    return found


def laplace_sum(opendp):
    """OpenDP's own bounded sum of integers with discrete Laplace noise of scale 4."""
    space = opendp.vector_domain(opendp.atom_domain(bounds=(0, 4), T=int)), opendp.symmetric_distance()
    return space >> opendp.t.then_sum() >> opendp.m.then_laplace(scale=4.0)


def test_opendp_measurements_are_samplers_and_their_maps_are_claims(opendp):
    """A record of 4 more or less: the claim is the measurement's own, and it is nearly reached."""
    measurement = laplace_sum(opendp)
    claimed = measurement.map(d_in=1)
    assert claimed == pytest.approx(1.0)
    found = audit(each(measurement), [1, 2], [1, 2, 4], epsilon=claimed, trials=8_000)
    assert found.verdict == "not refuted" and found.epsilon_lower > 0.6
    two = audit(each(measurement), [1, 2], [1, 2, 4, 4], epsilon=claimed, trials=8_000)
    assert two.verdict == "refuted"  # planted: two records apart


def test_opendp_gaussian_is_held_to_a_whole_claim(opendp):
    space = opendp.atom_domain(T=float, nan=False), opendp.absolute_distance(T=float)
    measurement = space >> opendp.m.then_gaussian(scale=2.0)
    assert audit(each(measurement), 0.0, 2.0, claim={"mu": 1.0}, trials=8_000).verdict == "not refuted"
    assert audit(each(measurement), 0.0, 2.0, claim={"mu": 0.8}, trials=8_000).verdict == "refuted"


@pytest.fixture(scope="module")
def dp_sgd():
    pytest.importorskip("jax", reason=WITHOUT)
    spec = importlib.util.spec_from_file_location("dp_sgd_canaries", ROOT / "examples" / "dp_sgd_canaries.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_dp_sgd_with_canaries(dp_sgd):
    """Clipped: within the claim, and μ not above the true one. Planted: without clipping the claim falls."""
    found = dp_sgd.audited(dp_sgd.train)
    assert found.verdict == "not refuted" and found.bound is not None
    assert 0.1 < found.bound < dp_sgd.MU
    assert dp_sgd.audited(partial(dp_sgd.train, clip=False)).verdict == "refuted"


def test_scores_of_dp_sgd_as_arrays_are_gaussian_with_the_accountants_mu(dp_sgd):
    """Included less excluded: √steps·μ·noise apart (20), within six standard errors of it."""
    rng = np.random.default_rng(0)
    included = rng.random(dp_sgd.CANARIES) < 0.5
    scores = dp_sgd.train(included, rng)
    spread = dp_sgd.NOISE * np.sqrt(dp_sgd.STEPS)
    gap = (scores[included].mean() - scores[~included].mean()) / spread
    assert abs(gap - dp_sgd.MU) < 6.0 * np.sqrt(4.0 / dp_sgd.CANARIES)
    assert audit_one_run_scores(included, scores, epsilon=5.0, delta=1e-5).verdict == "not refuted"
