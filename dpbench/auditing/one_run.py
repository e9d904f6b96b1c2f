"""`audit_one_run`: many canaries in one run of an expensive mechanism.

Each of m canaries is included by an independent fair coin, the mechanism runs once, and the coins are guessed from
its output (Steinke, Nasr & Jagielski, "Privacy Auditing with One (1) Training Run", arXiv 2305.08846). What a number
of right guesses rules out is in `dpbench.bounds`: for (ε, δ) a bound that no other from the same counts can
improve on, sharper than their Theorem 5.2; for μ-GDP the recursion of arXiv 2410.22235; and for canaries that do not
interfere the order statistics of arXiv 2509.08704, which are tight there and wrong elsewhere.

The coins must be fair, independent, and seen by the mechanism alone; a score may depend on the whole output, but on
nothing else.

A guess set is a fixed number of the most extreme scores, or the longest run of guesses, most confident first, with at
most w wrong ones. Such a run of r guesses is as good as a set of r guesses fixed beforehand: let r* be the least length
whose bound would exceed the true parameter. The bound is wrong only if the run is at least r* long; then the first r*
guesses have at most w wrong ones, which has probability at most α. The number of outlying scores need not be known.

A set's statements about every ε, δ and μ hold together at its level: each says that a length or a number of right
guesses reaches a critical value, so all of them fail inside the event of the smallest one. So a claim beyond (ε, δ) is
refuted where one set rules out its μ, or one point (ε, δ) of its profile.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import betaincinv

from dpbench import bounds
from dpbench.auditing.audit import Request
from dpbench.auditing.certify import Approximate, Claim, Curve, Gaussian, Renyi, ZeroConcentrated, least_enough
from dpbench.auditing.independence import Check
from dpbench.auditing.result import AuditResult, Origin
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
        its profile. Of Rényi or zero-concentrated privacy, hand over the profile.
    confidence, seed : float, int
    direction : {"both", "high", "low"}
        Which scores mean "included": high ones, low ones (as losses do), or either, at half of the error probability
        each. Name it before the scores are seen, and the bound is a little larger.
    guesses : int or sequence of int, optional
        r: the r/2 highest scores are guessed included and the r/2 lowest not. Several values share the error
        probability equally. By default it is shared between m, m/4 and m/16 such guesses and the longest runs of
        guesses from one end with few wrong ones (`PLAN`), which is where memorisation shows.
    independent : bool
        Suppose that, given the coins, the output is made of independent parts, one a canary: then the bounds of
        arXiv 2509.08704 hold, which for a Gaussian sum with orthogonal canaries are nearly tight. Where canaries
        interfere they are wrong: `epsilon_lower` and the verdict then rest on this assumption.

    Returns
    -------
    AuditResult
        `trials` is the number of canaries; `assumptions` says what the bounds rest on; there is no certificate. `bound`
        is in the unit of the claim; of a profile, it is what all its ε fall short.
        `detectable` is the smallest loss at which one of the guess sets of a fixed size would have refuted the claim
        with probability one half, were each of its guesses right as often as that loss allows.
        The bound and the curve, at all ε, are one statement: they hold together at the confidence.

    Raises
    ------
    InvalidInput
    """
    if not callable(run):
        raise invalid("run", "callable as run(included, rng)", run)
    canaries = validation.integer("canaries", canaries, at_least=LEAST)
    settings = _Settings(
        epsilon=epsilon, delta=delta, claim=claim, confidence=confidence, seed=seed, direction=direction,
        guesses=guesses, independent=independent, canaries=canaries,
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
    epsilon, delta, claim, confidence, direction, guesses, independent
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
        guesses=guesses, independent=independent, canaries=len(coins),
    )  # fmt: skip
    return settings.result(coins, _checked_scores("scores", scores, len(coins)))


class _Settings:
    """Checked parameters of a one-run audit, and what they make of its canaries."""

    def __init__(
        self, *, epsilon: float | None, delta: float, claim: Any, confidence: float, seed: int,
        direction: str, guesses: int | Sequence[int] | None, independent: bool, canaries: int,
    ) -> None:  # fmt: skip
        self.request = Request.of(epsilon, delta, claim, confidence)
        if isinstance(self.request.claim, Renyi | ZeroConcentrated):
            raise invalid("claim", "of epsilon, mu or a profile in an audit of one run (hand over the profile)", claim)
        self.seed = validation.integer("seed", seed, at_least=0)
        if not isinstance(independent, (bool, np.bool_)):
            raise invalid("independent", "True or False", independent)
        self.independent = bool(independent)
        self.sizes = _sizes(guesses, canaries)
        validation.choice("direction", direction, ["both", "high", "low"])
        self.ways = (True, False) if direction == "both" else (direction == "high",)
        self.alpha = self.request.alpha / len(self.ways)

    def result(self, included: np.ndarray, scores: np.ndarray) -> AuditResult:
        # Ties are broken by fresh coins, never by position, which could carry the coins themselves.
        ties = sampling.stream(self.seed, "one run", "ties", 0).random(len(included))
        given = included, scores, ties, self.sizes, self.alpha, self.independent
        family = tuple(guessed for high in self.ways for guessed in guess_sets(*given, high))
        request, against = self.request, self.request.against
        bound, best, unit = 0.0, max(family, key=lambda g: g.right / g.guesses), ""
        for guessed in family:
            value, unit = read(against, guessed, bound)
            if value > bound:
                bound, best = value, guessed
        refuted = any(ruled_out(against, g) for g in family)
        return AuditResult(
            epsilon_lower=max(g.epsilon(request.delta) for g in family),
            epsilon=request.epsilon,
            delta=request.delta,
            confidence=1.0 - request.alpha,
            trials=len(included),
            event=best.words,
            verdict=None if request.claim is None else "refuted" if refuted else "not refuted",
            bound=bound,
            unit=unit,
            detectable=self._detectable(family),
            certified=None,
            family=family,
            seed=self.seed,
            assumptions=(COINS, INDEPENDENT) if self.independent else (COINS,),
            checks=(fair(included),),
            claim=request.words,
            origin=Origin(None, None, claim=request.claim),
        )

    def _detectable(self, family: tuple[Guessed, ...]) -> float | None:
        """The smallest loss that one of the guess sets of a fixed size finds with probability one half."""
        losses = []
        for guessed in family:
            if guessed.wrong is not None:
                continue

            def enough(right: int, guessed: Guessed = guessed) -> bool:
                return ruled_out(self.request.against, replace(guessed, right=right))

            least = least_enough(enough, guessed.guesses)
            if least is not None:
                losses.append(median_loss(self.request.against, replace(guessed, right=least)))
        return min(losses, default=None)


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
        scores = run(included.copy(), sampling.stream(seed, "one run", "mechanism", 0))
    except (Exception, SystemExit) as error:
        raise InvalidInput(f"run raised {type(error).__name__}: {error}") from error
    return _checked_scores("the array that run returns", scores, len(included))


def _checked_scores(what: str, given: Any, canaries: int) -> np.ndarray:
    must_be = f"numbers of shape ({canaries},)"
    scores = native(what, given, must_be)
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


# Guess sets


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

    @property
    def count(self) -> tuple[int, int, int]:
        """m, r and v."""
        return self.canaries, self.guesses, self.right

    def epsilon(self, delta: float) -> float:
        """A lower bound on the ε at `delta`, at least 0."""
        return bounds.one_run_epsilon(*self.count, delta, self.alpha, self.independent)

    def rules_out(self, epsilon: float, delta: float) -> bool:
        """Whether no (ε, δ)-private mechanism allows so many right guesses, at the level."""
        return bounds.one_run_p_value(*self.count, epsilon, delta, self.independent) <= self.alpha

    def rules_out_mu(self, mu: float) -> bool:
        """Whether no μ-GDP mechanism allows so many right guesses, at the level."""
        if self.independent:
            return bounds.one_run_p_value_gaussian(*self.count, mu) <= self.alpha
        return bool(bounds.one_run_rules_out_gaussian(*self.count, np.array([mu]), self.alpha)[0])

    def delta(self, epsilons: np.ndarray) -> np.ndarray:
        """Lower bounds on δ(ε), at least 0, one for each ε."""
        return np.array([bounds.one_run_delta(*self.count, float(e), self.alpha, self.independent) for e in epsilons])

    def mu(self) -> float:
        """A lower bound on the μ of Gaussian differential privacy, at least 0."""
        return bounds.one_run_mu(*self.count, self.alpha, self.independent)

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
    sets = []
    for side, how, weight in PLAN:
        if isinstance(how, float):
            size = max(2, int(how * canaries) // 2 * 2)
        else:
            wrong = np.arange(1, canaries + 1) - right[side]
            size = int(np.searchsorted(wrong, how, side="right"))
        if size > 0:
            allowed = None if isinstance(how, float) else how
            sets.append(
                Guessed(canaries, size, int(right[side][size - 1]), side, weight * alpha, independent, high, allowed)
            )
    return tuple(sets)


# What a guess set says of a claim


EVERY = 8
"""Of a profile's points this share is tried, and the last: any of them are valid."""

GAIN = 1e-6
"""Below it no gain of a bound is looked for."""


def ruled_out(claim: Claim, guessed: Guessed) -> bool:
    """Whether a guess set rules the claim out at its level."""
    if isinstance(claim, Gaussian):
        return guessed.rules_out_mu(claim.mu)
    if isinstance(claim, Approximate):
        return guessed.rules_out(claim.epsilon, claim.delta)
    assert isinstance(claim, Curve)
    kept = [*range(0, len(claim.epsilons) - 1, EVERY), -1]
    return any(guessed.rules_out(float(claim.epsilons[k]), float(claim.deltas[k])) for k in kept)


def read(claim: Claim, guessed: Guessed, least: float = 0.0) -> tuple[float, str]:
    """What a guess set shows of the loss, in the claim's unit, and the unit: the largest parameter that it rules out.

    Of a profile it is the amount by which all its ε fall short, of which only what is above `least` is looked for.
    """
    if isinstance(claim, Approximate):
        return guessed.epsilon(claim.delta), "epsilon"
    if isinstance(claim, Gaussian):
        return guessed.mu(), "mu"
    assert isinstance(claim, Curve)
    epsilons, deltas, unit = claim.epsilons, claim.deltas, "epsilon beyond the profile"

    def short_by(level: float) -> bool:
        return ruled_out(Curve(epsilons + level, deltas, ""), guessed)

    return (bounds.largest_ruled_out(short_by) if short_by(least + GAIN) else 0.0), unit


def median_loss(claim: Claim, guessed: Guessed) -> float:
    """The loss, in the unit of `read`, at which a set has so many right guesses or more with probability one half.

    Of μ it is that of independent Gaussian answers; of other claims each guess is right as often as the loss allows a
    guess at one coin to be.
    """
    if isinstance(claim, Gaussian):
        return bounds.largest_ruled_out(lambda mu: bounds.one_run_p_value_gaussian(*guessed.count, mu) <= 0.5)
    rate = betaincinv(guessed.right, guessed.guesses - guessed.right + 1.0, 0.5)
    level = claim.epsilon if isinstance(claim, Approximate) else 0.0
    return level + float(claim.excess(np.array([rate]), np.array([1.0 - rate]))[0])
