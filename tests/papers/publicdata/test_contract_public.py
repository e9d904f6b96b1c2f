"""`check_mechanism` on public-data mechanisms: hostile records and public points, and planted aborts that it finds."""

import numpy as np
import pytest
from registry import public_problem

from dpbench.core import validation
from dpbench.papers.publicdata.algorithms.rrspm import RRSPM
from dpbench.testing import ContractBroken, check_mechanism
from dpbench.testing.hostile import hostile_pairs, tells_apart, tells_apart_on_some


@pytest.mark.parametrize("kind", ["thresholds", "halfspaces", "ball-squared", "finite"])
def test_pairs_are_neighbours_within_the_class_and_hostile(kind):
    """One record differs; what is public agrees, and is hostile in every other pair; names of points stay names."""
    p = public_problem(kind)
    pairs = list(hostile_pairs(p, 36))
    assert len(pairs) == 36
    for near, far in pairs:
        apart = (near.x != far.x).reshape(p.n, -1).any(axis=1) | (near.y != far.y)
        assert apart[1:].sum() == 0 and np.array_equal(near.public, far.public) and near.public.shape == p.public.shape
    assert {np.array_equal(near.public, p.public) for near, _ in pairs} == {True, False}
    if kind == "finite":
        assert all(np.isin(near.x, np.concatenate([p.x, p.public])).all() for near, _ in pairs)
    else:
        assert sum(0.0 < np.abs(near.x[near.x != 0.0]).min(initial=1.0) < 1e-300 for near, _ in pairs) >= 6
        assert sum(len(np.unique(near.x, axis=0)) <= 4 for near, _ in pairs) >= 12


class AbortsOnTies(RRSPM):
    """Refuses private records that are all one."""

    def __call__(self, problem, trials, rng):
        if hasattr(problem, "x") and len(np.unique(problem.x)) == 1:
            raise validation.invalid("x", "of different points", "these")
        return super().__call__(problem, trials, rng)


class AbortsOnTiny(RRSPM):
    """Fails where all private records are denormal numbers, which the fixed pairs are not."""

    def __call__(self, problem, trials, rng):
        if hasattr(problem, "x") and (problem.x != 0.0).all() and (np.abs(problem.x) < 1e-307).all():
            raise RuntimeError("no convergence")
        return super().__call__(problem, trials, rng)


def test_planted_aborts_are_found():
    p = public_problem("thresholds")
    with pytest.raises(ContractBroken, match=r"tells hostile pair \d+ apart"):
        check_mechanism(AbortsOnTies(1.0), p, trials=200)
    assert tells_apart(AbortsOnTiny(1.0), hostile_pairs(p, 40)) == ""
    said = tells_apart_on_some(AbortsOnTiny(1.0), p, 20)
    assert said.endswith("no convergence, of points times sizes [(0, 1e-310)] repeated, the first then (0, 0.0)")
    assert tells_apart_on_some(RRSPM(1.0), p, 20) == ""
