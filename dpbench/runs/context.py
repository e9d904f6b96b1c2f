"""The context that a claim runs in: level, seed, workers, and `map` over memoised blocks."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

from dpbench import validation
from dpbench.sampling import map_blocks


class RunContext:
    """See `dpbench.claims.core.Context`."""

    def __init__(self, *, level: str, seed: int, workers: Any, store: Any, progress: Any) -> None:
        self.level = validation.choice("level", level, ("quick", "full"))
        self.seed = validation.integer("seed", seed, at_least=0)
        self.workers = (os.cpu_count() or 1) if workers is None else workers

    def __enter__(self) -> RunContext:
        return self

    def __exit__(self, *error: Any) -> None:
        return None

    def pick(self, *, quick: Any, full: Any) -> Any:
        return quick if self.level == "quick" else full

    def map(self, unit: dict[str, Any], function: Callable[[int], Any], blocks: Iterable[int]) -> list[Any]:
        return map_blocks(function, list(blocks), self.workers)

    def run(self, claim: Any) -> Any:
        return claim.run(self)
