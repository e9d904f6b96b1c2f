"""An audit with the defaults refutes each of twelve common mistakes, and neither a sound release nor a quiet pair.

A sound release is refuted with probability at most 1e-3 by its confidence; the seed is fixed.
"""

from __future__ import annotations

import pytest

from zoo.mistakes import AGES, MISTAKES, Mistake, keys_of_the_data, sound


@pytest.mark.few(4)
@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda m: m.release.__name__)
def test_a_mistake_is_refuted_on_the_pair_that_shows_it(mistake: Mistake) -> None:
    found = mistake.audited()
    assert found.verdict == "refuted"
    if mistake.release is keys_of_the_data:  # the decade is no key on one side
        assert found.event.startswith("output[90] < ") and " or missing or not a number: 1 of" in found.event


@pytest.mark.parametrize("mistake", [m for m in MISTAKES if m.quiet], ids=lambda m: m.release.__name__)
def test_a_quiet_pair_shows_nothing(mistake: Mistake) -> None:
    assert mistake.audited(AGES, mistake.quiet).verdict == "not refuted"


def test_a_sound_release_is_not_refuted() -> None:
    result = Mistake(sound, AGES, [*AGES[:-1], 100.0]).audited()
    assert result.verdict == "not refuted" and 1.0 < result.detectable < 2.0
