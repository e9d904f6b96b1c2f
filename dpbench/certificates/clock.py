"""Processor time that a search or a proof may take."""

from __future__ import annotations

import math
import time


class Clock:
    """A budget of seconds; once it is over it stays so, and the time is looked at no more."""

    def __init__(self, seconds: float = math.inf) -> None:
        self._until = time.process_time() + seconds if math.isfinite(seconds) else math.inf

    @property
    def left(self) -> float:
        """Seconds, 0 where they are over."""
        if math.isfinite(self._until):
            left = self._until - time.process_time()
            if left > 0.0:
                return left
            self._until = -math.inf
        return max(self._until, 0.0)

    @property
    def over(self) -> bool:
        return self.left <= 0.0
