"""Random 64-bit words: where the samplers of `arithmetic="exact"` take their randomness from.

Experiments take them from a seeded generator, so that runs can be repeated. A release without a seed takes them from
the operating system's generator (`SystemGenerator`), which is made for secrets; PCG64 is not.
"""

from __future__ import annotations

import secrets
from typing import Any

import numpy as np


class SystemGenerator(np.random.Generator):
    """A Generator whose `words` are the operating system's.

    Its other draws come from PCG64DXSM under 256 fresh bits: no privacy of ``arithmetic="exact"`` rests on them.
    """

    def __init__(self) -> None:
        super().__init__(np.random.PCG64DXSM(secrets.randbits(256)))

    def words(self, count: int) -> np.ndarray:
        """`count` independent uniform words, uint64."""
        return np.frombuffer(secrets.token_bytes(8 * count), dtype=np.uint64)


def words(rng: Any, count: int) -> np.ndarray:
    """`count` words, uint64, of a numpy Generator or of one that has a method `words`."""
    own = getattr(rng, "words", None)
    drawn = rng.bit_generator.random_raw(count) if own is None else own(count)
    return np.ascontiguousarray(drawn, dtype=np.uint64)


class Source:
    """Words in order, fetched as they are needed; what a draw leaves over stays for the next one.

    A draw that meets the end of `at_hand` is begun again at its first word with more behind it: words that were
    looked at are never thrown away, which would prefer draws that need few.
    """

    def __init__(self, rng: Any) -> None:
        self._rng = rng
        self.at_hand = np.zeros(0, dtype=np.uint64)

    def more(self, count: int) -> None:
        """Fetch `count` further words."""
        self.at_hand = np.concatenate([self.at_hand, words(self._rng, count)])

    def used(self, count: int) -> None:
        """Drop the first `count` words at hand."""
        self.at_hand = self.at_hand[count:]

    def next(self) -> int:
        """The next word."""
        if self.at_hand.size == 0:
            self.more(1)
        word = int(self.at_hand[0])
        self.used(1)
        return word
