"""The parity cube: data, exact laws, least scales, and the sampler against brute force over all v."""

import itertools
import math

import numpy as np
import pytest
from naive import parity_cube as naive

from dpbench import bounds
from dpbench.papers.publicdata.algorithms.rrspm import RRSPM
from dpbench.papers.publicdata.theorems.parity_cube import exact_profile, problem_of
from dpbench.privacy.discrete import pair_from_logs
from lowerbounds import parity_cube, parity_cubes
from lowerbounds.parity_cubes import NOISES, PAIRS


def records(data):
    return list(zip(data.x.tolist(), data.y.tolist(), strict=True))


@pytest.mark.parametrize(("noise", "delta"), [("laplace", 0.0), ("gaussian", 1e-5)])
@pytest.mark.parametrize("pair", PAIRS)
def test_the_pair_profile_of_rrspm_is_the_cubes(pair, noise, delta):
    """At weights so small that the parity tells the data sets apart."""
    cube, mechanism = parity_cube(4, 8, pair=pair), RRSPM(1.0, delta, noise=noise, noise_scale=6.0)
    found = mechanism.pair_profile(problem_of(cube), problem_of(cube, neighbour=True))
    exact = exact_profile(cube, noise, 6.0)
    assert exact.delta(0.1) > 0.01
    assert [found.delta(e) for e in (0.0, 0.1, 1.0)] == pytest.approx([exact.delta(e) for e in (0.0, 0.1, 1.0)])


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize(("bits", "public", "layout"), [(1, 1, "groups"), (3, 7, "groups"), (3, 5, "single")])
def test_laws_are_those_of_brute_force(bits, public, layout, pair, noise):
    """Clopper–Pearson intervals at 1e-6 around 1,000 runs of (19), minimised over all v, contain the exact law.

    The law at twice the scale lies outside on one side at least, for more bits than one.
    """
    cube = parity_cube(bits, public, pair=pair, layout=layout)
    trials, scale, seen = 1000, 1.0, False
    wider = cube.log_laws(noise, 2.0 * scale)
    for data, law, other in zip((cube.dataset, cube.neighbour), cube.log_laws(noise, scale), wider, strict=True):
        np.testing.assert_allclose(np.exp(law).sum(), 1.0, rtol=1e-14)
        parities = naive.parities(np.random.default_rng(11), noise, scale, cube.sizes.tolist(), records(data), trials)
        hits = parities.count(1)
        low, high = bounds.lower(hits, trials, 5e-7), bounds.upper(hits, trials, 5e-7)
        assert low <= math.exp(law[1]) <= high
        seen |= not low <= math.exp(other[1]) <= high
    assert seen


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
@pytest.mark.parametrize("d", [1, 10, 4096])
def test_laplace_attains_epsilon(d, epsilon):
    cube = parity_cube(d)
    reached = pair_from_logs(*cube.log_laws("laplace", 2.0 * d / epsilon)).epsilon(0.0)
    assert reached == pytest.approx(epsilon, rel=1e-12)
    assert cube.least_scale("laplace", epsilon) == pytest.approx(2.0 * d / epsilon, rel=1e-12)


def test_sums_of_laplace_weights_have_their_tails():
    for t in (0.1, 1.0, 7.0):
        assert parity_cubes._tail(2, t, "laplace") == pytest.approx(naive.tail_of_two(t), rel=1e-10)
    assert parity_cubes._tail(40, 0.0, "laplace") == pytest.approx(1.0, rel=1e-12)
    wide = parity_cubes._tail(4000, 3.0 * math.sqrt(8000.0), "laplace")  # nearly normal: variance 2 a weight
    assert wide == pytest.approx(math.erfc(3.0 / math.sqrt(2.0)), rel=0.01)


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("delta", [0.0, 1e-5, 0.1])
def test_least_scale_is_where_the_pair_meets_the_claim(noise, pair, delta):
    for d, m, layout in ((1, 1, "groups"), (20, 50, "groups"), (20, 50, "single")):
        cube = parity_cube(d, m, pair=pair, layout=layout)
        scale = cube.least_scale(noise, 0.8, delta)
        reached = [pair_from_logs(*cube.log_laws(noise, s * scale)).delta(0.8) for s in (1.0, 1.0 - 1e-9)]
        assert reached[0] <= delta + 1e-12 < reached[1] + 2e-12
        assert pair_from_logs(*cube.log_laws(noise, 0.99 * scale)).delta(0.8) > delta
    none = [parity_cube(3, pair=pair).least_scale(noise, 0.8, level) for level in (0.5 - 1e-9, 0.5)]
    assert none[0] > 0.0 and (none[1] > 0.0) == (pair == "simple")  # of two records δ = 1/2 allows any


def test_neighbours_differ_in_one_record():
    for pair, layout in itertools.product(PAIRS, ("groups", "single")):
        cube = parity_cube(4, 9, pair=pair, layout=layout)
        a, b = cube.dataset, cube.neighbour
        assert np.array_equal(a.x, b.x) and int((a.y != b.y).sum()) == 1 and a.x[int(np.argmax(a.y != b.y))] == 5
        assert a.x.size == 2 and set(a.public.tolist()) <= set(range(5)) and a.public.size == 9
        assert (a.y[a.x == 4] == 1.0).all() and int((a.x == 5).sum()) == (1 if pair == "simple" else 2)
        assert not a.x.flags.writeable and not a.public.flags.writeable


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("pair", lambda: parity_cube(3, pair="both")), ("layout", lambda: parity_cube(3, layout="one")),
        ("public", lambda: parity_cube(3, public=2)), ("noise", lambda: parity_cube(3).log_laws("cauchy", 1.0)),
        ("scale", lambda: parity_cube(3).log_laws("gaussian", 0.0)),
        ("epsilon", lambda: parity_cube(3).least_scale("gaussian", 0.0)),
        ("delta", lambda: parity_cube(3).least_scale("gaussian", 1.0, 1.0)),
    ],
)  # fmt: skip
def test_bad_options_are_named(name, call):
    with pytest.raises(ValueError, match=f"^{name} must be"):
        call()
