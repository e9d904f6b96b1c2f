"""The zoo: every exact ε by a slow road, every wrong variant refuted, no correct one, and the price of
learning."""

from __future__ import annotations

import math

import numpy as np
import pytest
from naive import first_zoo as twin

from dpbench import audit
from studies import first_zoo
from studies.first_zoo import ZOO, Entry

BY_NAME = {e.name: e for e in ZOO}
WRONG = [e for e in ZOO if e.wrong]
RIGHT = [e for e in ZOO if not e.wrong]


def slow_epsilon(entry: Entry) -> float:
    """The entry's ε again, from its parameters alone."""
    s, one, other = entry.sampler, entry.dataset, entry.neighbour
    moves = [float(b) - float(a) for a, b in zip(one, other, strict=True)]
    if isinstance(s, first_zoo.Laplace):
        return twin.shift_epsilon(moves, s.scale)
    if isinstance(s, first_zoo.Gaussian):
        return twin.gaussian_epsilon(math.hypot(*moves) / s.sigma, entry.delta)
    if isinstance(s, first_zoo.Geometric):
        return twin.geometric_epsilon(s.rate)
    if isinstance(s, first_zoo.RandomizedResponse):
        return twin.flipped_bits_epsilon(one, other, 1.0 / (1.0 + math.exp(s.rate)))
    if isinstance(s, first_zoo.Rappor):
        return twin.flipped_bits_epsilon(one, other, s.f / 2.0)
    if isinstance(s, first_zoo.NoisyMax):
        if s.value:
            return twin.noisy_max_value_epsilon(len(one), moves[0], s.scale)
        return twin.table_epsilon(twin.noisy_max_table(one, s.scale), twin.noisy_max_table(other, s.scale))
    if isinstance(s, first_zoo.SparseVector):
        scales = (s.threshold_scale, s.answer_scale, s.allowed)
        return twin.table_epsilon(twin.sparse_vector_table(one, *scales), twin.sparse_vector_table(other, *scales))
    if isinstance(s, first_zoo.PrefixSums):
        return twin.shift_epsilon(moves if s.stepwise else list(np.cumsum(moves)), s.scale)
    assert isinstance(s, first_zoo.NoiseReuse)
    return math.inf if moves[0] != moves[1] else twin.geometric_epsilon(s.rate)


SLOW = ("sparse vector 4", "sparse vector 6")  # a minute each, by quadrature over the threshold's noise


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.evidence] if name.startswith(SLOW) else []) for name in BY_NAME],
)
@pytest.mark.few(8)
def test_the_exact_epsilon_is_the_twins(name: str) -> None:
    assert BY_NAME[name].epsilon == pytest.approx(slow_epsilon(BY_NAME[name]), rel=1e-8)


def test_a_wrong_epsilon_is_seen_by_the_twin() -> None:
    """Planted: an entry whose ε is 1% off."""
    off = first_zoo.Entry("off", first_zoo.Laplace(1.0), (0.0,), (1.0,), 1.0, 0.0, 1.01)
    assert off.epsilon != pytest.approx(slow_epsilon(off), rel=1e-8)


@pytest.mark.parametrize("entry", WRONG, ids=lambda e: e.name)
@pytest.mark.few(4)
def test_every_wrong_variant_is_refuted(entry: Entry) -> None:
    found = audit(
        entry.sampler, entry.dataset, entry.neighbour, epsilon=entry.claimed, delta=entry.delta, trials=200_000
    )
    assert found.verdict == "refuted", str(found)
    assert found.epsilon_lower <= entry.epsilon


@pytest.mark.few(4)
@pytest.mark.parametrize("entry", RIGHT, ids=lambda e: e.name)
def test_no_correct_mechanism_is_refuted(entry: Entry) -> None:
    """False alarm 1e-6 each (the audit's own confidence); the wrong variants above are what it catches."""
    found = audit(
        entry.sampler,
        entry.dataset,
        entry.neighbour,
        epsilon=entry.claimed,
        delta=entry.delta,
        trials=50_000,
        confidence=1.0 - 1e-6,
    )
    assert found.verdict == "not refuted", str(found)


def test_wrong_and_right_variants_are_both_there() -> None:
    assert len(WRONG) >= 12
    assert len(RIGHT) >= 8
