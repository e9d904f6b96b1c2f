"""Whether a mechanism answers never depends on the data: every mechanism, in both arithmetics, on hostile data sets."""

from dataclasses import replace
from itertools import chain

import numpy as np
import pytest
from registry import HEAVY_MECHANISMS, MECHANISMS, PAIRS, PUBLIC_MECHANISMS, Case, problem, public_problem

from dpbench.core import validation
from dpbench.papers.glm.algorithms import centres
from dpbench.papers.glm.algorithms.noisy_mean import NoisyMean
from dpbench.papers.heavytail.algorithms.baselines import ClippedSubgradient
from dpbench.papers.heavytail.algorithms.coordinates import minimiser
from dpbench.papers.heavytail.algorithms.exponential import ExponentialMechanism
from dpbench.papers.heavytail.problem import HeavyTailedProblem
from dpbench.papers.publicdata.algorithms import regularized_perturbation
from dpbench.papers.publicdata.hypotheses.finite import ConvexHull
from dpbench.testing.hostile import hostile_pairs, tells_apart

pytestmark = pytest.mark.meta

ALL = (
    *PAIRS,
    (Case("noisy-mean", lambda **k: NoisyMean(1.0, **k), ("linear",), problem, MECHANISMS[0].neighbour), "linear"),
    (Case("clipped-subgradient", lambda **k: ClippedSubgradient(1.0, steps=3, **k), ("ball",),
          HEAVY_MECHANISMS[0].problem, HEAVY_MECHANISMS[0].neighbour), "ball"),
)  # fmt: skip
CASES = {case.name: case for case, _ in ALL}
FLOAT_ALONE = ("noisy-gd", "jl", "grid-search", "noisy-mean", "averaged-perturbation", "exponential-tree",
               "clipped-subgradient")  # fmt: skip
CERTIFIED = {"output-perturbation": ("distance", "tau"), "regularized-perturbation": ("gap", "allowed")}
"""What a solver's certificate must be at most, by the names in `diagnose`."""


MIXED = [[1e-8, -1e-8, 0.0], [1e-9, 1e-9, 0.0], [1e-7, 1e-7, -1e-7], [-1e-3, -1e-3, 0.0]]
"""Functions whose sizes make the solver's rounding visible."""


def sizes(case, kind):
    """The problem of the registry, and small and large ones; of records with a radius, a small and a large one."""
    if kind == "hull-absolute":
        yield replace(case.problem(kind), hypotheses=ConvexHull(MIXED))
    yield case.problem(kind)
    if case.problem is problem:
        yield problem(kind, n=5, d=2).with_radius(0.01)
        yield problem(kind, n=8, d=1).with_radius(100.0)
        yield problem(kind, n=200)
    elif case in PUBLIC_MECHANISMS:
        yield public_problem(kind, n=5, m=6)
        yield public_problem(kind, n=200)


def met(name, kind, arithmetic, count=12):
    """Each pair gets one answer a side, or the same refusal of parameters, within what its solver certifies."""
    case = CASES[name]
    for p, epsilon in zip(sizes(case, kind), (1.0, 10.0, 0.1, 2.0), strict=False):
        m = replace(case.make(), epsilon=epsilon, **({"arithmetic": "exact"} if arithmetic == "exact" else {}))
        pairs = [*hostile_pairs(p, count)]
        assert len(pairs) == count and (said := tells_apart(m, pairs)) == "", said
        for each in chain.from_iterable(pairs) if name in CERTIFIED and arithmetic == "float" else ():
            diagnosis = m.diagnose(each)
            reached, allowed = (diagnosis[key] for key in CERTIFIED[name])
            assert reached <= allowed, (m, each.digest, diagnosis)


@pytest.mark.parametrize(
    ("name", "kind", "arithmetic"),
    [
        (case.name, kind, arithmetic)
        for case, kind in ALL
        for arithmetic in ("float", *(() if case.name in FLOAT_ALONE else ("exact",)))
    ],
)
def test_hostile_sets(name, kind, arithmetic):
    met(name, kind, arithmetic)


HALF = 0.7071067811865468
TIED = [
    (2.0, [(-0.894427190999915, 0.4472135954999575, -1.0)] * 102 + [(HALF, -HALF, -1.0)] * 98,
     (-0.000999999999999999, 0.001999999999999998, -0.001)),
    (3.0, [(0.0, 0.0, 0.5)] * 113 + [(0.4472135954999575, 0.8944271909999150, 0.5)] * 87, (-2e-310, -2e-310, 5e-311)),
]  # fmt: skip
"""log10 of the scale, features and label of each record, and the record that replaces the last."""


@pytest.mark.parametrize(("scale", "rows", "other"), TIED)
def test_shears_by_halves_leave_single_points_tight(scale, rows, other):
    """Tied records shear the tree's lattice by 1/2: bounds of single points that had room for either rounding left an
    acceptance of 1e-13, and draws that did not end in hours."""
    m = ExponentialMechanism(0.5, net_radius=0.2, sampler="tree")
    for records in (rows, [*rows[:-1], other]):
        scaled = 10.0**scale * np.array(records)
        p = HeavyTailedProblem(scaled[:, :2], scaled[:, 2], radius=1.0, theta=1.5)
        assert np.abs(m(p, 1, np.random.default_rng(0))).max() <= 1.0


@pytest.mark.parametrize("size", [0.0, 5e-324, 1e-310, 1e-200])
def test_residuals_of_no_size_leave_the_trees_coordinates_finite(size):
    """Every residual 0 or a denormal: weights 1/r of the fit that steers the tree overflowed."""
    x = 1e3 * np.linspace(-1.0, 1.0, 200)[:, None]
    p = HeavyTailedProblem(x, np.full(200, size), radius=1.0, theta=1.5)
    assert all(np.isfinite(part).all() for part in minimiser(p, 1.0, 0.1)[:2])
    m = ExponentialMechanism(1.0, net_radius=0.2, sampler="tree")
    assert np.abs(m(p, 3, np.random.default_rng(0))).max() <= 1.0


def test_a_gap_beyond_what_stability_counts_is_noticed(monkeypatch):
    """Planted: a millionth of the allowance; rounding on `MIXED` takes a ten-thousandth of it."""
    honest = regularized_perturbation.allowed_gap
    monkeypatch.setattr(regularized_perturbation, "allowed_gap", lambda problem, eta: 1e-6 * honest(problem, eta))
    with pytest.raises(AssertionError, match="RegularizedPerturbation"):
        met("regularized-perturbation", "hull-absolute", "float")


def test_a_planted_abort_is_noticed(monkeypatch):
    """A solver that gives up on one data set of each pair: the comparison of neighbours fails."""
    minimise = centres.minimise

    def gives_up(objective, target):
        if objective.X[0, 0] > 0.0:
            raise validation.InvalidInput("tolerance must be larger, got this record")
        return minimise(objective, target)

    monkeypatch.setattr("dpbench.papers.glm.algorithms.centres.minimise", gives_up)
    centres.centres.clear()  # of the same data sets, solved by the tests before
    for arithmetic in ("float", "exact"):
        with pytest.raises(AssertionError, match="got this record"):
            met("output-perturbation", "logistic", arithmetic)
