"""The twelve pieces of work of `benchmarks.headline`, each call with a tenth more processor time."""

from __future__ import annotations

import time
from collections.abc import Callable

from benchmarks import headline

MORE = 0.1


def _slowed(make: Callable[[], headline.Run]) -> headline.Run:
    run = make()

    def slower(call: int) -> object:
        began = time.process_time()
        answer = run(call)
        until = time.process_time() * (1.0 + MORE) - MORE * began
        while time.process_time() < until:
            pass
        return answer

    return slower


HEADLINE = {name: (lambda make=make: _slowed(make)) for name, make in headline.HEADLINE.items()}
