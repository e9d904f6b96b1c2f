"""Guess sets of a one-run audit: which coins are guessed, how many guesses are right, and what that rules out.

A guess set is a fixed number of the most extreme scores, or the longest run of guesses, most confident first, with at
most w wrong ones. Such a run of r guesses is as good as a set of r guesses fixed beforehand: let r* be the least length
whose bound would exceed the true parameter. The bound is wrong only if the run is at least r* long; then the first r*
guesses have at most w wrong ones, which has probability at most α. The number of outlying scores need not be known.

A set's statements about every ε, δ and μ hold together at its level: each says that a length or a number of right
guesses reaches a critical value, so all of them fail inside the event of the smallest one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpbench import bounds

BOTH, INCLUDED, EXCLUDED = "both", "included", "excluded"

# (side, share of the canaries guessed or wrong guesses allowed, weight); weights sum to 1. Chosen on Gaussian sums
# and on one-sided memorisation (``python -m studies.one_run``). The scores may not choose among plans: a δ > 0
# could then be spent on whichever plan it serves.
PLAN: tuple[tuple[str, float | int, float], ...] = (
    (INCLUDED, 0, 0.32), (INCLUDED, 4, 0.06), (INCLUDED, 32, 0.04), (INCLUDED, 0.125, 0.03),
    (BOTH, 1.0, 0.1), (BOTH, 0.25, 0.2), (BOTH, 0.0625, 0.15),
    (EXCLUDED, 0, 0.08), (EXCLUDED, 4, 0.02),
)  # fmt: skip


@dataclass(frozen=True)
class Guessed:
    """A guess set's count, and the level it is read at.

    Attributes
    ----------
    canaries, guesses, right : int
        m, r and v.
    side : {"both", "included", "excluded"}
        Whose coins are guessed: the highest scores' as included and the lowest as not, or one end alone.
    alpha : float
        Error probability spent on it.
    independent : bool
        Read by the bounds for independent canaries.
    high : bool
        High scores are taken for "included"; else low ones.
    wrong : int or None
        Of a run of guesses, the wrong ones allowed; None where their number was fixed beforehand.
    """

    canaries: int
    guesses: int
    right: int
    side: str
    alpha: float
    independent: bool
    high: bool = True
    wrong: int | None = None

    def epsilon(self, delta: float) -> float:
        """A lower bound on the ε at `delta`, at least 0."""
        return bounds.one_run_epsilon(self.canaries, self.guesses, self.right, delta, self.alpha, self.independent)

    def rules_out(self, epsilon: float, delta: float) -> bool:
        """Whether no (ε, δ)-private mechanism allows so many right guesses, at the level."""
        given = self.canaries, self.guesses, self.right
        return bounds.one_run_p_value(*given, epsilon, delta, self.independent) <= self.alpha

    def rules_out_mu(self, mu: float) -> bool:
        """Whether no μ-GDP mechanism allows so many right guesses, at the level."""
        given = self.canaries, self.guesses, self.right
        if self.independent:
            return bounds.one_run_p_value_gaussian(*given, mu) <= self.alpha
        return bool(bounds.one_run_rules_out_gaussian(*given, np.array([mu]), self.alpha)[0])

    def delta(self, epsilons: np.ndarray) -> np.ndarray:
        """Lower bounds on δ(ε), at least 0, one for each ε."""
        given = self.canaries, self.guesses, self.right
        return np.array([bounds.one_run_delta(*given, float(e), self.alpha, self.independent) for e in epsilons])

    def mu(self) -> float:
        """A lower bound on the μ of Gaussian differential privacy, at least 0."""
        return bounds.one_run_mu(self.canaries, self.guesses, self.right, self.alpha, self.independent)

    def published(self, delta: float) -> dict[str, float]:
        """The ε that two published analyses, valid for any dependence, give for these guesses at this level."""
        given = self.canaries, self.guesses, self.right
        return {
            "arXiv 2305.08846, Theorem 5.2": bounds.largest_ruled_out(
                lambda e: bounds.one_run_p_value_published(*given, e, delta) <= self.alpha
            ),
            "arXiv 2410.22235 (f-DP)": bounds.largest_of(
                lambda grid: bounds.one_run_rules_out_approximate(*given, grid, delta, self.alpha)
            ),
        }

    @property
    def words(self) -> str:
        """The count, in words."""
        likely, other = ("highest", "lowest") if self.high else ("lowest", "highest")
        who = {
            BOTH: f"the {likely} scores included and the {other} not",
            INCLUDED: f"the {likely} scores included",
            EXCLUDED: f"the {other} scores not included",
        }[self.side]
        return f"{self.right} of {self.guesses} guesses at {self.canaries} canaries are right, in one run ({who})"


def guess_sets(
    included: np.ndarray,
    scores: np.ndarray,
    ties: np.ndarray,
    sizes: Sequence[int] | None,
    alpha: float,
    independent: bool,
    high: bool = True,
) -> tuple[Guessed, ...]:
    """The guess sets of a run in one direction of the scores, whose levels sum to `alpha` at most.

    Parameters
    ----------
    included : bool[m]
    scores : float64[m]
    ties : float64[m]
        Breaks ties between scores; independent of the coins.
    sizes : sequence of int, optional
        Numbers of guesses, half of them at each end, at equal levels. Default: `PLAN`.
    """
    canaries = len(scores)
    order = np.lexsort((ties, scores if high else -scores))
    likely, unlikely = included[order[::-1]], ~included[order]
    both = np.stack([likely, unlikely], axis=1).ravel()[:canaries]  # from the two ends in turn
    right = {BOTH: np.cumsum(both), INCLUDED: np.cumsum(likely), EXCLUDED: np.cumsum(unlikely)}
    if sizes is not None:
        level = alpha / len(sizes)
        return tuple(
            Guessed(canaries, size, int(right[BOTH][size - 1]), BOTH, level, independent, high) for size in sizes
        )
    made = []
    for side, how, weight in PLAN:
        if isinstance(how, float):
            size = max(2, int(how * canaries) // 2 * 2)
        else:
            wrong = np.arange(1, canaries + 1) - right[side]
            size = int(np.searchsorted(wrong, how, side="right"))
        if size > 0:
            allowed = None if isinstance(how, float) else how
            made.append(
                Guessed(canaries, size, int(right[side][size - 1]), side, weight * alpha, independent, high, allowed)
            )
    return tuple(made)
