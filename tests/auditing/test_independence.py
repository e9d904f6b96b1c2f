"""What the tests of independence keep of rows, against slow twins."""

import math

import numpy as np
import pytest
from naive import traces as twin
from scipy.stats import binom, hypergeom

from dpbench.auditing.choose import identity
from dpbench.auditing.independence import DependentOutputs, Watch, dispersion, neighbours, probe_of, tails
from dpbench.core import sampling


def test_keys_of_rows_are_the_twins():
    """Floats with every kind of NaN and both zeros, and whole numbers of both signs."""
    odd = np.array([math.nan, -math.nan, math.inf, -math.inf, 0.0, -0.0, 5e-324, -1.5, 1e300])
    payload = np.array([0x7FF0000000000001, 0xFFFFFFFFFFFFFFFF], dtype=np.uint64).view(np.float64)
    pool = np.concatenate([odd, payload])
    floats = np.random.default_rng(1).choice(pool, size=(60, 3))
    whole = np.random.default_rng(2).integers(-(2**62), 2**62, size=(60, 3))
    for rows in (floats, whole):
        assert identity(rows).tolist() == [twin.key(row) for row in rows.tolist()]


def test_tables_of_neighbouring_rows_are_the_twins():
    """Bits in runs; a width that no byte divides."""
    rng = np.random.default_rng(3)
    runs = np.repeat(rng.random((3, 400)) < 0.5, 8, axis=1) ^ (rng.random((3, 3200)) < 0.2)
    found = neighbours(np.packbits(runs[:, :3144], axis=1))
    assert found.tolist() == [list(twin.neighbours(bits.tolist())) for bits in runs[:, :3144]]
    assert (found[:, 0] > 0).all() and (found[0] != found[1]).any()


def test_p_values_of_counts_over_calls_are_the_twins():
    """Calls of several sizes, and bits from never to always set."""
    rng = np.random.default_rng(4)
    sizes = rng.integers(1, 60, size=20)
    hits = rng.binomial(sizes, np.array([[0.0], [0.003], [0.2], [0.5], [0.97], [1.0]]))
    uniforms = sampling.stream("dispersion", sizes.tolist()).random(20)
    want = [twin.dispersion(some, sizes.tolist(), uniforms) for some in hits.tolist()]
    assert dispersion(hits, sizes) == pytest.approx(want)


def test_unevenness_is_of_the_event_alone():
    """Planted: an event that holds, on the neighbour, in every second call."""
    rng, sizes = np.random.default_rng(5), [64] * 12
    events = (
        rng.random((2, 12, 64)) < 0.5,
        np.stack([rng.random((12, 64)) < 0.5, np.arange(12)[:, None] % 2 < np.ones(64)]),
    )
    uniforms = sampling.stream("dispersion", sizes).random(12)
    for planted, inside in zip((False, True), events, strict=True):
        watch, outputs = Watch("planted"), rng.standard_normal((2, 12, 64))
        probe = probe_of(*outputs.reshape(2, -1))
        for side, call in np.ndindex(2, 12):
            watch.add("certify", side, probe.trace(outputs[side, call], inside[side, call]))
        want = 2.0 * min(twin.dispersion(side.sum(axis=1).tolist(), sizes, uniforms) for side in inside)
        assert watch.uneven("certify") == pytest.approx(want, rel=1e-6, abs=1e-250)
        assert (want < 1e-9) == planted


@pytest.mark.parametrize(("pairs", "first", "second"), [(40, 20, 20), (200, 7, 150), (1000, 480, 530)])
def test_tails_of_tables_are_p_values(pairs, first, second):
    """By enumeration: a bound at most t has probability at most t; small ones are near the tail."""
    both = np.arange(max(0, first + second - pairs), min(first, second) + 1)
    bounds = tails(np.column_stack([both, *(np.full(len(both), x) for x in (first, second, pairs))]))
    law = hypergeom(pairs, first, second)
    chances = law.pmf(both)
    for level in np.unique(bounds):
        assert chances[bounds <= level].sum() <= level * (1.0 + 1e-9)
    exact = 2.0 * np.minimum(law.cdf(both), law.sf(both - 1))
    small = (exact < 1e-3) & (exact > 1e-250)
    assert small.any() and (bounds[small] < 2.0 * exact[small]).all()


def test_independent_runs_have_p_values_of_every_kind():
    """Each kind's p-value pays for all of its tests.

    Null: at most 0.1 with probability 0.1, 200 audits; false alarms 1e-6 a kind. Planted: without it, more than half.
    """
    rng, small = np.random.default_rng(6), dict[str, int]()
    for _ in range(200):
        outputs, watch = rng.standard_normal((2, 512)), Watch("independent")
        for side in (0, 1):
            watch.add_all("", side, probe_of(*outputs), outputs[side], 64)
        for check in watch.examine():
            small[check.what] = small.get(check.what, 0) + (check.p_value <= 0.1)
    assert len(small) == 5 and max(small.values()) <= binom.isf(1e-6, 200, 0.1), small


def test_rows_that_the_sides_share_late_in_a_call_are_refused():
    rng, watch = np.random.default_rng(8), Watch("planted")
    outputs = rng.standard_normal((2, 4096))
    outputs[1, 1024:] = outputs[0, 1024:]
    for side in (0, 1):
        watch.add_all("", side, probe_of(*outputs), outputs[side], 4096)
    with pytest.raises(DependentOutputs, match="rows of the dataset and of the neighbour that go together"):
        watch.examine()


def test_rows_that_recur_at_a_distance_are_refused():
    rng, watch = np.random.default_rng(7), Watch("planted")
    outputs = np.tile(rng.standard_normal(100), 5), rng.standard_normal(500)
    for side, rows in enumerate(outputs):
        watch.add_all("", side, probe_of(*outputs), rows, 500)
    with pytest.raises(DependentOutputs, match="row 100 places"):
        watch.examine()
