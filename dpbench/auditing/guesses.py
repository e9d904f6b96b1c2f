"""Guess sets of a one-run audit: which coins are guessed, how many guesses are right, and what that rules out.

A guess set is a fixed number of the most extreme scores, or the longest run of guesses, most confident first, with at
most w wrong ones. Such a run of r guesses is as good as a set of r guesses fixed beforehand: let r* be the least length
whose bound would exceed the true parameter. The bound is wrong only if the run is at least r* long; then the first r*
guesses have at most w wrong ones, which has probability at most α. The number of outlying scores need not be known.

A set's statements about every ε, δ and μ hold together at its level: each says that a length or a number of right
guesses reaches a critical value, so all of them fail inside the event of the smallest one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from dpbench.auditing import one_run_bounds as bounds
from dpbench.auditing.levels import Levels

LARGEST = 50.0
"""No ε or μ above this is looked for."""

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
        return epsilon_from_guesses(self.canaries, self.guesses, self.right, delta, self.alpha, self.independent)

    def rules_out(self, epsilon: float, delta: float) -> bool:
        """Whether no (ε, δ)-private mechanism allows so many right guesses, at the level."""
        p_value = bounds.independent if self.independent else bounds.joint
        return p_value(self.canaries, self.guesses, self.right, epsilon, delta) <= self.alpha

    def rules_out_mu(self, mu: float) -> bool:
        """Whether no μ-GDP mechanism allows so many right guesses, at the level."""
        given = self.canaries, self.guesses, self.right
        if self.independent:
            return bounds.gaussian_independent(*given, mu) <= self.alpha
        return bool(bounds.gaussian_joint_rules_out(*given, np.array([mu]), self.alpha)[0])

    def delta(self, epsilons: np.ndarray) -> np.ndarray:
        """Lower bounds on δ(ε), at least 0, one for each ε."""
        of = bounds.independent_delta if self.independent else bounds.joint_delta
        return np.array([of(self.canaries, self.guesses, self.right, float(e), self.alpha) for e in epsilons])

    def mu(self) -> float:
        """A lower bound on the μ of Gaussian differential privacy, at least 0."""
        return mu_from_guesses(self.canaries, self.guesses, self.right, self.alpha, self.independent)

    def published(self, delta: float) -> dict[str, float]:
        """The ε that two published analyses, valid for any dependence, give for these guesses at this level."""
        given = self.canaries, self.guesses, self.right
        return {
            "arXiv 2305.08846, Theorem 5.2": largest(lambda e: bounds.published(*given, e, delta) <= self.alpha),
            "arXiv 2410.22235 (f-DP)": _largest_of(
                lambda grid: bounds.approximate_joint_rules_out(*given, grid, delta, self.alpha)
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
    levels: Levels,
    independent: bool,
    high: bool = True,
) -> tuple[Guessed, ...]:
    """The guess sets of a run in one direction of the scores, whose levels are drawn from `levels`.

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
        drawn = levels.split("guesses", 1.0, len(sizes))
        return tuple(
            Guessed(canaries, size, int(right[BOTH][size - 1]), BOTH, level, independent, high)
            for size, level in zip(sizes, drawn, strict=True)
        )
    made = []
    for side, how, weight in PLAN:
        if isinstance(how, float):
            size = max(2, int(how * canaries) // 2 * 2)
        else:
            wrong = np.arange(1, canaries + 1) - right[side]
            size = int(np.searchsorted(wrong, how, side="right"))
        if size > 0:
            level = levels.draw(f"guesses of {side} {how}", weight * levels.total)
            allowed = None if isinstance(how, float) else how
            made.append(Guessed(canaries, size, int(right[side][size - 1]), side, level, independent, high, allowed))
    return tuple(made)


def epsilon_from_guesses(
    canaries: int, guesses: int, right: int, delta: float, alpha: float, independent: bool = False
) -> float:
    """An ε ≥ 0 that `right` of `guesses` rule out at error probability `alpha`: the largest that bisection finds.

    Any ε whose p-value is at most `alpha` will do. Let L(v) be the one returned for v right guesses, and v* the least v
    with L(v) above the true ε. Then the bound is wrong only if V ≥ v*, and since the mechanism is (L(v*), δ)-private
    too, that has probability at most p(v*, L(v*)) ≤ alpha.
    """
    p_value = bounds.independent if independent else bounds.joint
    return largest(lambda epsilon: p_value(canaries, guesses, right, epsilon, delta) <= alpha)


def mu_from_guesses(canaries: int, guesses: int, right: int, alpha: float, independent: bool = False) -> float:
    """A μ ≥ 0 that `right` of `guesses` rule out at error probability `alpha`, as `epsilon_from_guesses`."""
    if independent:
        return largest(lambda mu: bounds.gaussian_independent(canaries, guesses, right, mu) <= alpha)
    return _largest_of(lambda grid: bounds.gaussian_joint_rules_out(canaries, guesses, right, grid, alpha))


def largest(ruled_out: Callable[[float], bool]) -> float:
    """The largest value up to `LARGEST` that is ruled out, by bisection; 0 where none is."""
    if not ruled_out(0.0):
        return 0.0
    low, high = 0.0, LARGEST
    for _ in range(30):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if ruled_out(middle) else (low, middle)
    return low


def _largest_of(ruled_out: Callable[[np.ndarray], np.ndarray]) -> float:
    """`largest` for a test of many values at once."""
    low, high = 0.0, LARGEST
    for _ in range(6):  # 32-fold each
        grid = np.linspace(low, high, 33)
        out = ruled_out(grid)
        if not out[0]:
            return 0.0
        last = int(np.flatnonzero(out)[-1])
        low, high = float(grid[last]), float(grid[min(last + 1, 32)])
    return low
