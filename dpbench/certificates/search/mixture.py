"""A pair whose privacy depends on a hidden variable R: δ(ε) is E profile(R), bounded from below on a partition."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from dpbench.certificates.build import rational, round_to
from dpbench.certificates.search.formula import Values, names, program
from dpbench.certificates.search.question import FAR, Question, log_ratio
from dpbench.certificates.search.space import Exact, Space

DIGITS = 8


@dataclass(frozen=True, eq=False)
class Mixture(Question):
    """P(E) ≤ e^ε P'(E) + δ on average over R; made by `mixture`.

    Attributes
    ----------
    variable, profile, tail : str
        R, its profile given R (growing in R), and P(R > r), both in terms of `variable`.
    partition : callable
        From the values of the symbols to increasing edges.
    """

    variable: str = field(kw_only=True)
    profile: str = field(kw_only=True)
    tail: str = field(kw_only=True)
    partition: Callable[[Values], Sequence[float]] = field(kw_only=True)

    @cached_property
    def _parts(self) -> tuple[tuple[str, ...], Callable[[Values], Any], Callable[[Values], Any]]:
        """What profile and tail name; its values from those of the symbols; the two from its values and R's."""
        inner = tuple(sorted((names(self.profile) | names(self.tail)) - {self.variable}))
        once = program(self.space.symbols, self.all_definitions, inner)
        return inner, once, program((*inner, self.variable), {}, [self.profile, self.tail])

    def edges(self, values: Values) -> list[str]:
        """The edges as rationals of eight digits."""
        return [rational(round_to(edge, DIGITS, 0)) for edge in self.partition(values)]

    def lower(self, values: Values) -> float:
        """On each cell the profile at its lower end, times the cell's chance."""
        edges = [float(round_to(edge, DIGITS, 0)) for edge in self.partition(values)]
        inner, once, on_edge = self._parts
        here = dict(zip(inner, once(values), strict=True))
        pairs = [on_edge({**here, self.variable: edge}) for edge in edges]
        tails = [tail for _, tail in pairs] + [0.0]
        return sum(profile * (tails[i] - tails[i + 1]) for i, (profile, _) in enumerate(pairs))

    def look(self, values: Values) -> tuple[float, float]:
        """(how far the conditions are missed, log of the lower bound over δ)."""
        missed, _ = super().look(values)
        if missed > 0.0:
            return missed, -FAR
        try:
            claimed = self._program(values)[-1]
            return 0.0, min(max(log_ratio(self.lower(values), claimed), -FAR), FAR)
        except (ArithmeticError, ValueError, TypeError):
            return 1.0 + len(self.all_conditions), -FAR

    def _claimed(self, exact: Exact) -> Mapping[str, Any]:
        partition = self.edges(self.values(exact))
        return {"variable": self.variable, "partition": partition, "profile": self.profile, "tail": self.tail,
                **self.claim}  # fmt: skip

    def _shows(self, exact: Exact) -> dict[str, Any]:
        return {"delta": self.lower(self.values(exact))}

    @property
    def running(self) -> dict[str, str]:
        return {self.variable: "what the pair's privacy depends on"}


def mixture(
    space: Space, profile: str, tail: str, *, variable: str, partition: Callable[[Values], Sequence[float]],
    epsilon: str = "epsilon", delta: str = "delta", derivation: Sequence[str], **fields: Any,
) -> Mixture:  # fmt: skip
    """E profile(R) <= δ is claimed at ε."""
    claim = {"epsilon": epsilon, "delta": delta}
    return Mixture(
        space, "mixture", claim, (delta, delta), tuple(derivation), variable=variable, profile=profile, tail=tail,
        partition=partition, **fields,
    )  # fmt: skip
