"""Theorem 10's step size: the floor beside the algorithm and a chain of two numbers, and planted failures."""

import math

import numpy as np
import pytest
from declared import measured
from naive.jl_step import chain, step_size

from dpbench.papers.glm import theory, theory_jl
from dpbench.papers.glm.theorems import lemma8, theorem10

N, EPSILON, DELTA = 70, 0.1, 1e-5


def test_the_corrected_step_has_no_such_floor():
    """The planted opposite: with the corrected step the same argument gives 0, at every n of the refuted entry."""
    for n in (10**20, 10**44):
        k = theory.lipschitz_jl_dimension(n, n**-0.5, DELTA)
        noise = theory.lipschitz_jl_noise(1.0, 1.0, n * n, n, n**-0.5, DELTA)
        eta = step_size(n, k, n**-0.5, DELTA)
        assert theory_jl.descent_floor(n, k, eta, noise, sharpened=True) == 0.0


@pytest.mark.parametrize(("active", "floor"), [(1, 0.4107592863), (4, 0.2490030256), (5, 0.0)])
def test_the_floor_is_what_its_terms_leave(active, floor):
    """By hand at k = 64, eta = 0.01 and sigma^2 = 78.125: of one coordinate 0.2427 + 0.3434 + 0.0031 are lost."""
    assert theory_jl.descent_floor(100, 64, 0.01, math.sqrt(78.125), active) == pytest.approx(floor, abs=1e-9)


@pytest.mark.few(1)
@pytest.mark.parametrize("corrected", [False, True])
def test_the_algorithm_the_chain_and_the_bounds(corrected):
    """Null: kernel and chain have one mean. Welch's z at 5.2 (2e-7), fixed seeds; a difference of 0.03 is seen."""
    epsilon = 1.0 if corrected else EPSILON  # k >= 3 in both; P(|Phi x| > 2|x|) is 1e-4
    kernel = np.concatenate([theorem10.repeated_record(N, epsilon, corrected, 0, block) for block in range(8)])
    if corrected:
        run = theorem10.private_descent(N, epsilon)
        k, eta, noise = run.dimension, run.step_size, run.noise_scale
    else:
        k = math.ceil(theory.lipschitz_jl_dimension(N, EPSILON, DELTA))
        eta, noise = lemma8.settings(N, k, EPSILON)
    other = chain(N, k, eta, noise, 200, np.random.default_rng(1))
    error = math.sqrt(kernel.var(ddof=1) / kernel.size + other.var(ddof=1) / other.size)
    assert abs(kernel.mean() - other.mean()) < 5.2 * error
    assert corrected or 5.2 * error < 0.03
    if not corrected:
        assert theorem10.rate_floor(N, EPSILON, 1)[0] < other.mean() + 5.2 * error


@pytest.mark.slow
def test_the_corrected_bound_holds_and_a_smaller_one_is_seen(context):
    verdict, evidence = measured(theorem10.step_corrected, context)
    assert verdict == "not refuted" and min(evidence.column("bound")) < 0.7, "not vacuous: zero has excess 1"
    assert measured(theorem10.step_corrected, context, shrink=0.08)[0] == "refuted"
    assert max(evidence.column("delta")) <= DELTA
