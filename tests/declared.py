"""The claims that a module declares, in the order of declaration, and what their functions measure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from types import ModuleType
from typing import Any

from dpbench.ledger.core import Claim
from dpbench.ledger.measurement import Evidence
from dpbench.ledger.registry import all_claims, by_id
from dpbench.runs.context import RunContext


def declared(*modules: ModuleType) -> list[Claim]:
    """Every claim that one of `modules` measures, module by module."""
    return [claim for module in modules for claim in all_claims() if claim.module == module.__name__]


def of_paper(name: str) -> list[Claim]:
    """Every claim of a paper."""
    return [claim for claim in all_claims() if claim.paper == name]


def measured(function: Callable[..., Any], context: RunContext, *arguments: Any, **named: Any) -> tuple[str, Evidence]:
    """The verdict and evidence of a declared function with these arguments: of the claim with them, or its first."""
    claims = [c for c in all_claims() if getattr(c.run, "func", c.run) is function]
    claim = next((c for c in claims if getattr(c.run, "keywords", {}) == named), claims[0])
    run = partial(_called, function, arguments, named)
    return replace(claim, run=run).measure(context)


def _called(function: Callable[..., Any], arguments: tuple[Any, ...], named: dict[str, Any], context: Any) -> Any:
    return function(context, *arguments, **named)


@cache
def found(name: str) -> tuple[str, Evidence]:
    """Verdict and evidence of a row at level quick, computed once in a process: nothing may be planted meanwhile."""
    with RunContext(level="quick", seed=0, workers=1) as context:
        return context.run(by_id()[name])


class Plain:
    """A context without a store, for functions that no text names."""

    level, seed = "quick", 0

    def map(self, unit: Any, function: Callable[[Any], Any], blocks: Any) -> list[Any]:
        return [function(block) for block in blocks]

    def pick(self, *, quick: Any, full: Any) -> Any:
        return quick
