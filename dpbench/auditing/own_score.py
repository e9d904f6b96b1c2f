"""A score of the user's own, tried beside the learned ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpbench.auditing.scores import Plain
from dpbench.core.validation import InvalidInput, invalid

TRIED = 256
"""Outputs a side whose scores are compared, alone with others of their side, beside the other side's, and reversed."""

CLOSE = 1e-5
"""Relative difference of scores of one output that counts as rounding."""


@dataclass(frozen=True)
class Own(Plain):
    """A number an output by a function of the user's, such as an attack; NaN counts as −infinity.

    It needs no learning here, so that its thresholds may rest on all of the choosing part, as a plain score's.
    """

    function: Callable[[np.ndarray], Any] | None = None

    @property
    def words(self) -> str:
        return f"score {getattr(self.function, '__name__', type(self.function).__name__)} of the output"

    def __call__(self, outputs: np.ndarray) -> np.ndarray:
        assert self.function is not None
        try:
            made = np.asarray(self.function(outputs.copy()))
        except (Exception, SystemExit) as error:
            raise InvalidInput(f"score raised {type(error).__name__}: {error}") from error
        if made.shape != (len(outputs),) or made.dtype.kind not in "fiub":
            raise invalid("the array that score returns", f"numbers of shape ({len(outputs)},), one a row", made)
        numbers = made.astype(np.float64)
        return np.where(np.isnan(numbers), -np.inf, numbers)

    def check_rows(self, first: np.ndarray, second: np.ndarray) -> None:
        """Refuse a score that depends on other outputs of the block, on their order, or on chance.

        Counts of its events would not be of independent runs: a score that is the same for all of a block, such as
        whether the block's mean is high, is either in an event with all of them or with none.

        Raises
        ------
        InvalidInput
        """
        sides = first[:TRIED], second[:TRIED]
        both = np.concatenate(sides)
        alone = np.concatenate([self(side) for side in sides])
        finite = alone[np.isfinite(alone)]
        with np.errstate(over="ignore"):
            room = CLOSE * float(np.ptp(finite)) if len(finite) else 0.0
        for again in (self(both), self(both[::-1])[::-1]):
            differ = ~np.isclose(alone, again, rtol=CLOSE, atol=room)
            if differ.any():
                place = int(np.argmax(differ))
                raise InvalidInput(
                    "score must be a function of each output alone, whatever the others of its block, their order, and "
                    f"chance; got {alone[place]:.6g} and {again[place]:.6g} for one output in two blocks"
                )


def as_score(score: Any) -> Own | None:
    """The user's score, checked."""
    if score is not None and not callable(score):
        raise invalid("score", "callable as score(outputs) -> numbers of shape (rows,), or None", score)
    return None if score is None else Own(function=score)
