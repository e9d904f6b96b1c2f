"""`audit`: a lower bound on the ε of any mechanism, from samples on two neighbouring data sets.

The sample is split. One part chooses: a score, events, directions. The other, which never shares a block with
it, certifies them: counts of the chosen event on the two sides, an exact joint region for the two
probabilities, and what follows for ε, μ and δ(ε). A bound holds in finite samples at its stated confidence
for every sampler whose calls are independent; a verdict is "refuted" or "not refuted", never "private".
"""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from dpbench import validation
from dpbench.auditing.blocks import Counter, Progress, Runs, Sampler, sampler_name
from dpbench.auditing.choose import Plan, choose
from dpbench.auditing.events import Event
from dpbench.auditing.intervals import Region, joint_region
from dpbench.blas import one_blas_thread

CHOOSE_SHARE = 0.2
CHOOSE_ROWS = 2**21
CHOOSE_NUMBERS = 2 * 10**7  # numbers a side kept in memory while choosing


@dataclass(frozen=True)
class Certified:
    """An event's counts on the certifying part.

    Attributes
    ----------
    hits : (int, int)
        On the side where the event is likelier, and on the other.
    trials : int
        Certifying runs a side.
    forward : bool
        The likelier side is the data set.
    alpha : float
        Error probability spent on it.
    angle : int
        Weights of the joint region (see `intervals`).
    """

    hits: tuple[int, int]
    trials: int
    forward: bool
    alpha: float
    angle: int

    def region(self, cells: int = 256) -> Region:
        """The joint region for the event's two probabilities."""
        return joint_region(self.hits, (self.trials, self.trials), self.alpha, self.angle, cells)


@dataclass(frozen=True)
class AuditResult:
    """What an audit found.

    Attributes
    ----------
    epsilon_lower : float
        Lower bound on the ε at `delta`, at least 0, at the stated confidence, with no assumption on the
        outputs.
    epsilon : float or None
        The claim.
    delta, confidence : float
    trials : int
        Runs a side, choosing and certifying together.
    event : str
        The event behind `epsilon_lower`, in words, with its frequencies.
    verdict : {"refuted", "not refuted"} or None
        "refuted" iff `epsilon_lower` exceeds the claim; None without a claim.
    mu_lower : float or None
        Only under ``assume="gaussian"``: no μ-GDP guarantee below this holds (Dong, Roth & Su 2019). That
        much needs no assumption; reading it as an ε (`epsilon_gaussian`) does. The verdict never uses it.
    certificate : Certified
    family : tuple of Certified
        The events behind `curve`, which share one error level.
    seed : int
    """

    epsilon_lower: float
    epsilon: float | None
    delta: float
    confidence: float
    trials: int
    event: str
    verdict: str | None
    mu_lower: float | None
    certificate: Certified
    family: tuple[Certified, ...]
    seed: int

    def curve(self, epsilons: Any) -> np.ndarray:
        """Lower bounds on δ(ε), valid simultaneously for all ε ≥ 0 at the audit's confidence.

        Parameters
        ----------
        epsilons : float64[m]
            Values of ε ≥ 0, in any order.

        Returns
        -------
        float64[m]
            At least 0. Its confidence is its own: it and `epsilon_lower` are two statements.
        """
        wanted = validation.array("epsilons", np.atleast_1d(epsilons), ndim=1)
        if (wanted < 0.0).any():
            raise validation.invalid("epsilons", "values >= 0", float(wanted.min()))
        found = np.zeros_like(wanted)
        for certified in self.family:
            found = np.maximum(found, certified.region(128).delta(wanted))
        return found

    @property
    def epsilon_gaussian(self) -> float | None:
        """ε at `delta` of a Gaussian pair `mu_lower` apart: a bound only if the pair IS Gaussian."""
        if self.mu_lower is None:
            return None
        from dpbench.privacy import gaussian

        return gaussian.epsilon(self.delta, self.mu_lower)

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and strings, ready for JSON."""
        return {**asdict(self), "epsilon_gaussian": _finite(self.epsilon_gaussian)}

    def __str__(self) -> str:
        claim = "" if self.verdict is None else f"; claim {self.epsilon:g}: {self.verdict}"
        mu = "" if self.mu_lower is None else f"; assuming a Gaussian pair: mu >= {self.mu_lower:.4g}"
        return (
            f"epsilon >= {self.epsilon_lower:.4g} at delta = {self.delta:g}, confidence {self.confidence:g}, "
            f"{self.trials} runs a side ({self.event}){claim}{mu}"
        )


def _finite(value: float | None) -> float | None:
    return value if value is not None and np.isfinite(value) else None


def audit(
    sampler: Sampler,
    dataset: Any,
    neighbour: Any,
    *,
    epsilon: float | None = None,
    delta: float = 0.0,
    trials: int | str = 1_000_000,
    confidence: float = 0.999,
    seed: int = 0,
    workers: int | Executor = 1,
    assume: str | None = None,
    progress: Progress | None = None,
    gap: float = 0.05,
    budget: int = 100_000_000,
) -> AuditResult:
    """Bound the privacy loss of a mechanism from below, by sampling it on two neighbouring data sets.

    Parameters
    ----------
    sampler : callable
        ``sampler(dataset, trials, rng) -> array``, first axis `trials`: numbers or booleans of shape
        (trials,) or (trials, k), or fixed-width strings or bytes (trials,). Rows must be independent runs.
        The mechanisms of this package are such samplers.
    dataset, neighbour : any
        Two neighbouring data sets, handed to the sampler untouched.
    epsilon, delta : float, optional
        The claim. Without ε there is a bound and no verdict.
    trials : int or "auto"
        Runs on each side, at least 100. A fifth (at most 2²¹, less for wide outputs) chooses the event, the
        rest certify it. "auto" keeps sampling until the claim is refuted, the bound is within `gap` of it, or
        `budget` runs a side are spent; its bound holds at any such stop.
    confidence : float
        Of the bound; of the curve; and of μ: one statement each.
    seed : int
        Streams are seeded by (seed, side, part, block) alone, whatever the workers.
    workers : int or concurrent.futures.Executor
        Threads, or an executor of yours (for processes, sampler and data sets must pickle).
    assume : {None, "gaussian"}
        "gaussian" adds `mu_lower`.
    progress : callable, optional
        ``progress(done, total)`` in certifying runs of both sides.
    gap, budget : float, int
        For ``trials="auto"`` alone.

    Returns
    -------
    AuditResult

    Raises
    ------
    InvalidInput
        A parameter or a sampler's output cannot be used, or the sampler raised.

    Examples
    --------
    >>> def noisy_count(count, trials, rng):
    ...     return count + rng.laplace(scale=1.0, size=trials)
    >>> audit(noisy_count, 0.0, 1.0, epsilon=0.5, trials=100_000).verdict
    'refuted'
    """
    if not callable(sampler):
        raise validation.invalid("sampler", "callable as sampler(dataset, trials, rng)", sampler)
    claim = None if epsilon is None else validation.real("epsilon", epsilon, at_least=0.0)
    delta = validation.delta(delta)
    confidence = validation.fraction("confidence", confidence)
    seed = validation.integer("seed", seed, at_least=0)
    if not isinstance(workers, Executor):
        validation.integer("workers", workers, at_least=1)
    if assume is not None:
        validation.choice("assume", assume, ["gaussian"])
    runs = Runs(sampler, dataset, neighbour, seed, sampler_name(sampler))
    trials = validation.integer("trials", trials, at_least=100)
    with one_blas_thread():
        return fixed_size(runs, claim, delta, trials, 1.0 - confidence, workers, assume, progress)


def fixed_size(
    runs: Runs,
    claim: float | None,
    delta: float,
    trials: int,
    alpha: float,
    workers: int | Executor,
    assume: str | None,
    progress: Progress | None,
) -> AuditResult:
    """One split audit; arguments already checked."""
    width = np.atleast_2d(runs.draw("choose", 0, 0, 1)).shape[-1]
    rows = max(20, min(int(CHOOSE_SHARE * trials), CHOOSE_ROWS, CHOOSE_NUMBERS // width))
    first, second = runs.collect("choose", rows, workers)
    certify = trials - rows
    plan = choose(first, second, certify, delta, alpha, assume == "gaussian")
    like = first[:0].copy()
    del first, second
    thresholds = np.unique([e.threshold for e in plan.events])
    counts = runs.count("certify", certify, Counter(plan.score, thresholds), like, workers, progress)
    return report(runs.seed, plan, thresholds, counts, claim, delta, trials, certify, alpha)


def report(
    seed: int,
    plan: Plan,
    thresholds: np.ndarray,
    counts: np.ndarray,
    claim: float | None,
    delta: float,
    trials: int,
    rows: int,
    alpha: float,
) -> AuditResult:
    """The result, from counts of {score ≥ t} on the two sides."""

    def certify(event: Event, level: float) -> Certified:
        tops = counts[:, np.searchsorted(thresholds, event.threshold)]
        found = tops if event.above else rows - tops
        first, second = (int(x) for x in (found if event.forward else found[::-1]))
        return Certified((first, second), rows, event.forward, level, event.angle)

    certificate = certify(plan.main, alpha)
    bound = certificate.region().epsilon(delta)
    mu = None if plan.mu is None else certify(plan.mu, alpha).region().mu()
    family = tuple(certify(e, alpha / len(plan.curve)) for e in plan.curve)
    verdict = None if claim is None else "refuted" if bound > claim else "not refuted"
    words = _in_words(plan, certificate)
    return AuditResult(bound, claim, delta, 1.0 - alpha, trials, words, verdict, mu, certificate, family, seed)


def _in_words(plan: Plan, certificate: Certified) -> str:
    event = plan.main
    p, q = (hits / certificate.trials for hits in certificate.hits)
    likely, other = ("dataset", "neighbour") if event.forward else ("neighbour", "dataset")
    sign = ">=" if event.above else "<"
    words = getattr(plan.score, "words", "score")
    found = f"{p:.6g} of the runs on the {likely}, {q:.6g} on the {other}"
    return f"{words} {sign} {event.threshold:.6g}: {found}"
