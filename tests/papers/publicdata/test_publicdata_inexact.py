"""Public data: an oracle that does not say it is exact voids every guarantee; oracle calls are counted as stated."""

from dataclasses import replace

import numpy as np
import pytest
from registry import PUBLIC_MECHANISMS, public_problem

from dpbench.core.sampling import stream
from dpbench.papers.publicdata.algorithms.averaged_perturbation import AveragedPerturbation
from dpbench.papers.publicdata.algorithms.regularized_perturbation import RegularizedPerturbation
from dpbench.papers.publicdata.algorithms.rrspm import RRSPM
from dpbench.papers.publicdata.objective import CountedOracle


class Unsure:
    """A class whose oracle does not say that it is exact."""

    width, values, convex = 1, "binary", True

    def __init__(self, base):
        self.base = base

    @property
    def digest(self):
        return "unsure " + self.base.digest

    def predict(self, parameters, points):
        return np.asarray(self.base.predict(parameters, points))

    def erm(self, points, objective):
        return np.asarray(self.base.erm(points, objective))

    def minimum_norm(self, points):
        return 1.0

    def identified_by(self, points):
        return True


@pytest.mark.parametrize("case", PUBLIC_MECHANISMS, ids=str)
def test_an_inexact_oracle_voids_every_guarantee(case):
    """A class of one's own runs, and the release says that nothing is promised; the base's own is not void."""
    base = public_problem(case.kinds[0])
    p = replace(base, hypotheses=Unsure(base.hypotheses))
    m = case.make()
    assert case.make().guarantee(base).delta(1.0) < 1.0
    for profile in (m.guarantee(p), m.pair_profile(p, p.replace_record(0, p.x[0], -p.y[0]))):
        assert profile.delta(50.0) == 1.0 and "exact" in profile.why
    made = m.release(p, seed=1)
    assert "nothing is guaranteed" in made.info["guarantee"]


def test_oracle_calls_are_counted_as_stated():
    """RRSPM: one call a trial over all points, one a different labelling of Z; equal problems do not share counts."""
    base = public_problem("thresholds")
    for _ in range(2):
        counted = CountedOracle(base.hypotheses)
        p = replace(base, hypotheses=counted)
        outputs = RRSPM(1.0)(p, 64, stream("count"))
        labellings = len(np.unique(p.hypotheses.predict(outputs, p.public), axis=0))
        assert counted.calls == 64 + labellings


@pytest.mark.parametrize(
    ("mechanism", "kind", "calls"),
    [
        (RRSPM(1.0), "thresholds", 2),
        (AveragedPerturbation(1.0, 1e-5, calls=8), "thresholds", 9),
        (RegularizedPerturbation(1.0, 1e-5), "ball-absolute", 2),
        (RegularizedPerturbation(1.0, 1e-5), "table", 2),
    ],
)
def test_a_trial_calls_the_oracle_as_often_as_documented(mechanism, kind, calls):
    """And what counts the calls changes neither the output nor the noise."""
    base = public_problem(kind)
    counted = CountedOracle(base.hypotheses)
    p = replace(base, hypotheses=counted)
    (output,) = mechanism(p, 1, stream("count"))
    assert counted.calls == calls
    assert mechanism.guarantee(p).delta(0.5) == mechanism.guarantee(base).delta(0.5)
    np.testing.assert_array_equal(output, mechanism(base, 8, stream("count"))[0])
