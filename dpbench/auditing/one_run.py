"""`audit_one_run`: many canaries in one run of an expensive mechanism.

Steinke, Nasr & Jagielski, "Privacy Auditing with One (1) Training Run" (arXiv 2305.08846), Theorem 5.2: if
each of m canaries is included by an independent fair coin and the mechanism is (ε, δ)-differentially private
for adding or removing any one of them, then of r guesses at the coins, made from the output alone, at least v
are right with probability at most

    P(W ≥ v) + 2 m δ max_{1 ≤ i ≤ v} P(v > W ≥ v − i)/i,    W ~ Bin(r, e^ε/(1 + e^ε)).

The bound on ε is where this exceeds the error probability. Its assumptions: the coins are independent and
fair and only the mechanism sees them; a score depends on the output alone; nothing else about the scores is
assumed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.special import expit
from scipy.stats import binom

from dpbench import sampling, validation
from dpbench.auditing.results import AuditResult
from dpbench.validation import InvalidInput, invalid

EPSILON_MAX = 50.0
_STEPS = 60


def audit_one_run(
    run: Callable[[np.ndarray, np.random.Generator], Any],
    canaries: int,
    *,
    epsilon: float | None = None,
    delta: float = 0.0,
    confidence: float = 0.999,
    seed: int = 0,
    guesses: int | Sequence[int] | None = None,
) -> AuditResult:
    """Bound ε from below by a single run with many canaries.

    Parameters
    ----------
    run : callable
        ``run(included, rng) -> float64[canaries]``: runs the mechanism once on the data with the canaries
        where `included` (bool[canaries]) is True, and scores each canary from the output alone; high means
        "included".
    canaries : int
        m, at least 10. ε is that of adding or removing one canary.
    epsilon, delta : float, optional
        The claim.
    confidence, seed : float, int
    guesses : int or sequence of int, optional
        r: the r/2 highest scores are guessed included and the r/2 lowest not. Several values share the error
        probability equally; the default is m, m/4 and m/16, rounded down to even numbers.

    Returns
    -------
    AuditResult
        `trials` is the number of canaries; there is no certificate and the curve is 0.

    Raises
    ------
    InvalidInput
    """
    if not callable(run):
        raise invalid("run", "callable as run(included, rng)", run)
    canaries = validation.integer("canaries", canaries, at_least=10)
    claim = None if epsilon is None else validation.real("epsilon", epsilon, at_least=0.0)
    delta = validation.delta(delta)
    confidence = validation.fraction("confidence", confidence)
    seed = validation.integer("seed", seed, at_least=0)
    sizes = _sizes(guesses, canaries)
    included = sampling.stream(seed, "one run", "coins", 0).random(canaries) < 0.5
    try:
        made = run(included.copy(), sampling.stream(seed, "one run", "mechanism", 0))
    except (Exception, SystemExit) as error:
        raise InvalidInput(f"run raised {type(error).__name__}: {error}") from error
    scores = np.asarray(made)
    if scores.shape != (canaries,) or scores.dtype.kind not in "fiub":
        raise invalid("the array that run returns", f"numbers of shape ({canaries},)", scores)
    # Ties are broken by fresh coins, never by position, which could carry the coins themselves.
    luck = sampling.stream(seed, "one run", "ties", 0).random(canaries)
    order = np.lexsort((luck, np.nan_to_num(scores.astype(np.float64))))
    best, words = 0.0, ""
    for size in sizes:
        low, high = order[: size // 2], order[canaries - size // 2 :]
        right = int(included[high].sum() + (~included[low]).sum())
        bound = epsilon_from_guesses(canaries, size, right, delta, (1.0 - confidence) / len(sizes))
        if not words or bound > best:
            best, words = bound, f"{right} of {size} guesses at {canaries} canaries are right, in one run"
    verdict = None if claim is None else "refuted" if best > claim else "not refuted"
    return AuditResult(best, claim, delta, confidence, canaries, words, verdict, None, None, (), seed)


def _sizes(guesses: int | Sequence[int] | None, canaries: int) -> list[int]:
    if guesses is None:
        return sorted({max(2, canaries // part // 2 * 2) for part in (1, 4, 16)})
    wanted = [guesses] if np.ndim(guesses) == 0 else list(guesses)  # type: ignore[arg-type]
    sizes = [validation.integer("guesses", g, at_least=2) for g in wanted]
    if not sizes or any(g % 2 or g > canaries for g in sizes):
        raise invalid("guesses", f"even numbers from 2 to the {canaries} canaries", guesses)
    return sizes


def p_value(canaries: int, guesses: int, right: int, epsilon: float, delta: float) -> float:
    """The displayed probability bound: that of at least `right` right guesses under (ε, δ)."""
    rate = float(expit(epsilon))
    tail = float(binom.sf(right - 1, guesses, rate))
    if delta == 0.0 or right == 0:
        return tail
    below = np.cumsum(binom.pmf(right - np.arange(1, right + 1), guesses, rate))
    return min(1.0, tail + 2.0 * canaries * delta * float((below / np.arange(1, right + 1)).max()))


def epsilon_from_guesses(canaries: int, guesses: int, right: int, delta: float, alpha: float) -> float:
    """The largest ε ≥ 0 that `right` of `guesses` rule out at error probability `alpha`, rounded down.

    The p-value need not grow with ε where δ > 0: every ε up to the returned one is ruled out on a grid, and
    between its points by bisection of the last step.
    """
    if p_value(canaries, guesses, right, 0.0, delta) > alpha:
        return 0.0
    grid = np.linspace(0.0, EPSILON_MAX, 2_001)
    # An ε too large puts the mass of W above v: from there on p is 1, so a passing step ends the search.
    k = 0
    while k + 1 < len(grid) and p_value(canaries, guesses, right, float(grid[k + 1]), delta) <= alpha:
        k += 1
    low, high = float(grid[k]), float(grid[min(k + 1, len(grid) - 1)])
    for _ in range(_STEPS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if p_value(canaries, guesses, right, middle, delta) <= alpha else (low, middle)
    return low
