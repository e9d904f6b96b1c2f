"""An audit of a DP-SGD training in JAX, the example `dp_sgd_canaries.py`. Skipped, and said so, without the extra."""

import importlib.util
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from dpbench import audit_one_run_scores

pytestmark = pytest.mark.meta

ROOT = Path(__file__).resolve().parents[2]
WITHOUT = "needs the extra `examples`: pip install 'dpbench-suite[examples]'"


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
