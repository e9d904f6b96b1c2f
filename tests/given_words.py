"""A source of random words that are given by hand, or by a seed."""

from __future__ import annotations

import numpy as np


class Words:
    """A generator that hands out the words it was given, few at a time: what it asks for is counted."""

    def __init__(self, given: np.ndarray) -> None:
        self.given, self.at = given, 0

    def words(self, count: int) -> np.ndarray:
        made = self.given[self.at : self.at + count]
        self.at += len(made)
        return made


def stream_of(seed: int, count: int = 40_000) -> np.ndarray:
    return np.random.PCG64DXSM(seed).random_raw(count)
