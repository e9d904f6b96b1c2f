"""`audit_one_run`: many canaries in one run of an expensive mechanism.

Each of m canaries is included by an independent fair coin, the mechanism runs once, and the coins are guessed from
its output (Steinke, Nasr & Jagielski, "Privacy Auditing with One (1) Training Run", arXiv 2305.08846). What a number
of right guesses rules out is in `one_run_bounds`: for (ε, δ) a bound that no other from the same counts can
improve on, sharper than their Theorem 5.2; for μ-GDP the recursion of arXiv 2410.22235; and for canaries that do not
interfere the order statistics of arXiv 2509.08704, which are tight there and wrong elsewhere.

The coins must be fair, independent, and seen by the mechanism alone; a score may depend on the whole output, but on
nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dpbench.auditing.claimed import Approximate, as_claim
from dpbench.auditing.dependence import Check
from dpbench.auditing.detectable import least_enough, one_run_sentence
from dpbench.auditing.guesses import INCLUDED, PLAN, Guessed, guess_sets
from dpbench.auditing.one_run_claims import median_loss, read, ruled_out
from dpbench.auditing.results import AuditResult
from dpbench.core import sampling, validation
from dpbench.core.validation import InvalidInput, invalid, native

LEAST = 10
"""Canaries, at least."""

UNFAIR = 1e-9
"""Probability under fair coins below which a number of included canaries is refused."""

COINS = "the coins are fair, independent, and reach the scores through the mechanism's output alone"
INDEPENDENT = "given the coins, the output is made of independent parts, one a canary"


def audit_one_run(
    run: Callable[[np.ndarray, np.random.Generator], Any],
    canaries: int,
    *,
    epsilon: float | None = None,
    delta: float = 0.0,
    claim: Any = None,
    confidence: float = 0.999,
    seed: int = 0,
    direction: str = "both",
    guesses: int | Sequence[int] | None = None,
    assume: str | None = None,
    independent: bool = False,
) -> AuditResult:
    """Bound ε from below by a single run with many canaries.

    Parameters
    ----------
    run : callable
        ``run(included, rng) -> float64[canaries]``: runs the mechanism once on the data with the canaries
        where `included` (bool[canaries]) is True, and scores each canary from the output alone.
    canaries : int
        m, at least 10. ε is that of adding or removing one canary.
    epsilon, delta : float, optional
        The claim.
    claim : Profile, mapping or privacy loss distribution, optional
        A whole claim in place of ε, as in `dpbench.audit`: refuted where a guess set rules out its μ, or a point of
        its profile (of Rényi divergences, of the profile that they imply).
    confidence, seed : float, int
    direction : {"both", "high", "low"}
        Which scores mean "included": high ones, low ones (as losses do), or either, at half of the error probability
        each. Name it before the scores are seen, and the bound is a little larger.
    guesses : int or sequence of int, optional
        r: the r/2 highest scores are guessed included and the r/2 lowest not. Several values share the error
        probability equally. By default it is shared between m, m/4 and m/16 such guesses and the longest runs of
        guesses from one end with few wrong ones (`guesses.PLAN`), which is where memorisation shows.
    assume : {None, "gaussian"}
        "gaussian" adds `mu_lower`: no μ-GDP guarantee below it holds (reading it as an ε supposes that the
        mechanism is Gaussian). The verdict never uses it.
    independent : bool
        Suppose that, given the coins, the output is made of independent parts, one a canary: then the bounds of
        arXiv 2509.08704 hold, which for a Gaussian sum with orthogonal canaries are nearly tight. Where canaries
        interfere they are wrong: `epsilon_lower` and the verdict then rest on this assumption.

    Returns
    -------
    AuditResult
        `trials` is the number of canaries; `assumptions` says what the bounds rest on; there is no certificate. `bound`
        is in the unit of the claim; of a profile and of Rényi privacy, it is what all its ε or divergences fall short.
        `detectable` is the smallest loss at which one of the guess sets of a fixed size would have refuted the claim
        with probability one half, were each of its guesses right as often as that loss allows.
        The bound, μ and the curve, at all ε, are one statement: they hold together at the confidence. `beside` holds
        what two published analyses make of the same guesses.

    Raises
    ------
    InvalidInput
    """
    if not callable(run):
        raise invalid("run", "callable as run(included, rng)", run)
    canaries = validation.integer("canaries", canaries, at_least=LEAST)
    settings = _Settings(
        epsilon=epsilon, delta=delta, claim=claim, confidence=confidence, seed=seed, direction=direction,
        guesses=guesses, assume=assume, independent=independent, canaries=canaries,
    )  # fmt: skip
    included = sampling.stream(settings.seed, "one run", "coins", 0).random(canaries) < 0.5
    return settings.result(included, _scores(run, included, settings.seed))


def audit_one_run_scores(
    included: Any,
    scores: Any,
    *,
    epsilon: float | None = None,
    delta: float = 0.0,
    claim: Any = None,
    confidence: float = 0.999,
    seed: int = 0,
    direction: str = "both",
    guesses: int | Sequence[int] | None = None,
    assume: str | None = None,
    independent: bool = False,
) -> AuditResult:
    """Bound ε from below by the canaries of one run that was made elsewhere.

    Parameters
    ----------
    included : bool[m]
        Which of the m ≥ 10 canaries were in the data: True or False, or 1 or 0. Each must have been decided by its own
        fair coin; a fixed number of included canaries is not that.
    scores : float64[m]
        A score of each canary from the output alone. Infinities are legal, NaN is not.
    epsilon, delta, claim, confidence, direction, guesses, assume, independent
        As in `audit_one_run`.
    seed : int
        Breaks ties between scores.

    Returns
    -------
    AuditResult
        As of `audit_one_run`.

    Raises
    ------
    InvalidInput
        Among others where the number of included canaries has probability below 1e-9 under fair coins.

    Examples
    --------
    >>> import numpy as np
    >>> from dpbench import audit_one_run_scores
    >>> rng = np.random.default_rng(0)
    >>> included = rng.random(1000) < 0.5
    >>> audit_one_run_scores(included, 3.0 * included + rng.laplace(size=1000), epsilon=1.0).verdict
    'refuted'
    """
    coins = _coins(included)
    settings = _Settings(
        epsilon=epsilon, delta=delta, claim=claim, confidence=confidence, seed=seed, direction=direction,
        guesses=guesses, assume=assume, independent=independent, canaries=len(coins),
    )  # fmt: skip
    return settings.result(coins, _checked_scores("scores", scores, len(coins)))


class _Settings:
    """Checked parameters of a one-run audit, and what they make of its canaries."""

    def __init__(
        self, *, epsilon: float | None, delta: float, claim: Any, confidence: float, seed: int,
        direction: str, guesses: int | Sequence[int] | None, assume: str | None, independent: bool, canaries: int,
    ) -> None:  # fmt: skip
        self.claim = None if epsilon is None else validation.real("epsilon", epsilon, at_least=0.0)
        self.delta = validation.delta(delta)
        self.held = None if claim is None else as_claim(claim, epsilon, self.delta)
        self.against = self.held or Approximate(self.claim or 0.0, self.delta)
        self.confidence = validation.fraction("confidence", confidence)
        self.seed = validation.integer("seed", seed, at_least=0)
        if assume is not None:
            validation.choice("assume", assume, ["gaussian"])
        self.assume = assume
        if not isinstance(independent, (bool, np.bool_)):
            raise invalid("independent", "True or False", independent)
        self.independent = bool(independent)
        self.sizes = _sizes(guesses, canaries)
        validation.choice("direction", direction, ["both", "high", "low"])
        self.ways = (True, False) if direction == "both" else (direction == "high",)

    def result(self, included: np.ndarray, scores: np.ndarray) -> AuditResult:
        # Ties are broken by fresh coins, never by position, which could carry the coins themselves.
        ties = sampling.stream(self.seed, "one run", "ties", 0).random(len(included))
        alpha = (1.0 - self.confidence) / len(self.ways)
        family = tuple(
            g
            for high in self.ways
            for g in guess_sets(included, scores, ties, self.sizes, alpha, self.independent, high)
        )
        bound, best, unit = 0.0, max(family, key=lambda g: g.right / g.guesses), ""
        for guessed in family:
            value, unit = read(self.against, guessed, bound)
            if value > bound:
                bound, best = value, guessed
        claimed = self.claim is not None or self.held is not None
        refuted = any(ruled_out(self.against, g) for g in family)
        return AuditResult(
            epsilon_lower=max(g.epsilon(self.delta) for g in family),
            epsilon=self.claim,
            delta=self.delta,
            confidence=self.confidence,
            trials=len(included),
            event=best.words,
            verdict=None if not claimed else "refuted" if refuted else "not refuted",
            bound=bound,
            unit=unit,
            claim_value=getattr(self.held, "mu", getattr(self.held, "rho", getattr(self.held, "epsilon", None))),
            detectable=self._detectable(family),
            mu_lower=None if self.assume is None else max(g.mu() for g in family),
            certified=None,
            family=family,
            seed=self.seed,
            assumptions=(COINS, INDEPENDENT) if self.independent else (COINS,),
            checks=(fair(included),),
            claim="" if self.held is None else self.held.words,
            excludes=self._excludes(len(included)),
        )

    def _detectable(self, family: tuple[Guessed, ...]) -> float | None:
        """The smallest loss that one of the guess sets of a fixed size finds with probability one half."""
        losses = []
        for guessed in family:
            if guessed.wrong is not None:
                continue

            def enough(right: int, guessed: Guessed = guessed) -> bool:
                return ruled_out(self.against, replace(guessed, right=right))

            least = least_enough(enough, guessed.guesses)
            if least is not None:
                losses.append(median_loss(self.against, replace(guessed, right=least)))
        return min(losses, default=None)

    def _excludes(self, canaries: int) -> str:
        """What of the scores alone would have refuted the claim, whatever the other guess sets say."""
        if self.sizes is not None:
            return ""
        weight = next(weight for side, how, weight in PLAN if (side, how) == (INCLUDED, 0)) / len(self.ways)

        def enough(right: int) -> bool:
            alpha = weight * (1.0 - self.confidence)
            return ruled_out(self.against, Guessed(canaries, right, right, INCLUDED, alpha, self.independent))

        return one_run_sentence(canaries, enough, self.claim is not None or self.held is not None)


def _coins(included: Any) -> np.ndarray:
    """bool[m] from truth values or zeros and ones."""
    must_be = f"at least {LEAST} values True or False (or 1 or 0), one for each canary"
    coins = native("included", included, must_be)
    if coins.ndim != 1 or len(coins) < LEAST or coins.dtype.kind not in "biuf" or not np.isin(coins, (0, 1)).all():
        raise invalid("included", must_be, coins if coins.ndim != 1 else included)
    coins = coins.astype(bool)
    chance = fair(coins).p_value
    if chance < UNFAIR:
        raise InvalidInput(
            f"included must be decided by fair coins, got {int(coins.sum())} of {len(coins)} canaries included, which "
            f"fair coins give with probability {chance:.2g}"
        )
    return coins


def fair(coins: np.ndarray) -> Check:
    """The exact binomial test of the number of included canaries.

    Their order is not looked at: arrays may be sorted, since ties between scores are broken by fresh coins.
    """
    from scipy.stats import binomtest

    return Check("number of included canaries", float(binomtest(int(coins.sum()), len(coins)).pvalue))


def _scores(run: Callable[[np.ndarray, np.random.Generator], Any], included: np.ndarray, seed: int) -> np.ndarray:
    try:
        made = run(included.copy(), sampling.stream(seed, "one run", "mechanism", 0))
    except (Exception, SystemExit) as error:
        raise InvalidInput(f"run raised {type(error).__name__}: {error}") from error
    return _checked_scores("the array that run returns", made, len(included))


def _checked_scores(what: str, made: Any, canaries: int) -> np.ndarray:
    must_be = f"numbers of shape ({canaries},)"
    scores = native(what, made, must_be)
    if scores.shape != (canaries,) or scores.dtype.kind not in "fiub":
        raise invalid(what, must_be, scores)
    scores = scores.astype(np.float64)
    if np.isnan(scores).any():
        place = int(np.flatnonzero(np.isnan(scores))[0])
        raise invalid(what, "numbers without NaN (give what has no score a value of its own)", f"NaN at index {place}")
    return scores


def _sizes(guesses: int | Sequence[int] | None, canaries: int) -> list[int] | None:
    if guesses is None:
        return None
    wanted = [guesses] if np.ndim(guesses) == 0 else list(guesses)  # type: ignore[arg-type]
    sizes = [validation.integer("guesses", g, at_least=2) for g in wanted]
    if not sizes or any(g % 2 or g > canaries for g in sizes):
        raise invalid("guesses", f"even numbers from 2 to the {canaries} canaries", guesses)
    return sizes
