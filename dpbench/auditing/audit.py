"""`audit`: a lower bound on the ε of any mechanism, from samples on two neighbouring data sets.

The sample is split. One part chooses: a score, events, directions. The other, which never shares a block with
it, certifies them: counts of the chosen event on the two sides, an exact joint region for the two
probabilities, and what follows for ε, μ and δ(ε). A bound holds in finite samples at its stated confidence
for every sampler whose calls are independent; a verdict is "refuted" or "not refuted", never "private".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from typing import Any

from threadpoolctl import threadpool_limits

from dpbench.auditing.blocks import Progress, Runs, Sampler, sampler_name
from dpbench.auditing.certified import Certified
from dpbench.auditing.claimed import as_claim
from dpbench.auditing.dependence import Watch
from dpbench.auditing.levels import Levels
from dpbench.auditing.outputs import paths
from dpbench.auditing.pair import check_relation, refuse_equal, runs_a_side
from dpbench.auditing.results import AuditResult
from dpbench.auditing.scores import as_score
from dpbench.auditing.split import Request, split_audit
from dpbench.core import validation
from dpbench.core.blas import one_blas_thread

__all__ = ["AuditResult", "Certified", "audit"]


def audit(
    sampler: Sampler,
    dataset: Any,
    neighbour: Any,
    *,
    epsilon: float | None = None,
    delta: float = 0.0,
    claim: Any = None,
    relation: str | None = None,
    trials: int | str = 1_000_000,
    confidence: float = 0.999,
    seed: int = 0,
    workers: int | Executor = 1,
    assume: str | None = None,
    score: Callable[[Any], Any] | None = None,
    max_seconds: float | None = None,
    progress: Progress | None = None,
    gap: float = 0.05,
    budget: int = 100_000_000,
    ignore: Sequence[str] = (),
) -> AuditResult:
    """Bound the privacy loss of a mechanism from below, by sampling it on two neighbouring data sets.

    Parameters
    ----------
    sampler : callable
        ``sampler(dataset, trials, rng) -> array``, first axis `trials`: numbers or booleans of shape
        (trials,) or (trials, k), or fixed-width strings or bytes (trials,). Rows must be independent runs, those
        of the two data sets independent of each other too.
        The mechanisms of this package are such samplers.
    dataset, neighbour : any
        Two neighbouring data sets, handed to the sampler untouched; equal ones are refused.
    epsilon, delta : float, optional
        The claim. Without ε there is a bound and no verdict.
    claim : Profile, mapping or privacy loss distribution, optional
        A whole claim in place of ε: a `dpbench.Profile` (exact or upper), ``{"mu": 1.0}`` for Gaussian differential
        privacy, ``{"rho": 0.5}`` for zero-concentrated privacy (approximate with a ``"delta"`` beside it), ``{"rdp":
        {2: 0.5, 8: 2.0}}`` for Rényi divergences at listed orders, or what has ``get_delta_for_epsilon``, as
        dp-accounting's privacy loss distributions. The result's `bound` is in the claim's unit, `epsilon_lower` still
        at `delta`.
    relation : {"replace", "add", "remove", "add_remove"}, optional
        How the neighbour comes from the data set, for which the claim is made; it is said in the result, and compared
        with the sizes of lists and arrays.
    trials : int or "auto"
        Runs on each side, at least 100. A fifth (at most 2²¹, less for wide outputs) chooses the event, the
        rest certify it. "auto" keeps sampling until the claim is refuted, the bound is within `gap` of it,
        `budget` runs a side are spent, or (from 200,000 runs on) an upper limit for every event tried lies below the
        claim; its bound holds at any such stop.
    confidence : float
        Of the bound, the curve and μ together: their error probabilities sum to at most 1 − `confidence`.
    seed : int
        Streams are seeded by (seed, side, part, block) alone, whatever the workers.
    workers : int or concurrent.futures.Executor
        Threads, or an executor of yours (for processes, sampler and data sets must pickle).
    assume : {None, "gaussian"}
        "gaussian" adds `mu_lower`.
    score : callable, optional
        A score of your own, such as an attack: ``score(outputs) -> numbers of shape (rows,)``, of a block of outputs
        and nothing else. It is tried beside the learned ones, and used where it promises most.
    max_seconds : float, optional
        Time in which to end, about: fewer runs are made where the sampler is slow, how many is fixed before the first
        certifying run. What comes out then depends on the machine.
    progress : callable, optional
        ``progress(done, total)`` in certifying runs of both sides.
    gap, budget : float, int
        For ``trials="auto"`` alone. `gap` is in the unit of the claim: ε (of a profile too), μ, or a Rényi divergence.
    ignore : sequence of str
        Where outputs are of any kind (`dpbench.each`, texts): leaves to leave out, by their paths such as ``"id"``,
        identifiers and times that say nothing of the data.

    Returns
    -------
    AuditResult

    Raises
    ------
    InvalidInput
        A parameter or a sampler's output cannot be used, or the sampler raised.
    DependentOutputs
        The runs are seen not to be independent, at a level of 1e-9 an audit: no bound would be valid. Where an output
        or a column never changes in a call, 16 calls for one run each are compared with it.

    Examples
    --------
    >>> from dpbench import audit
    >>> def noisy_count(count, trials, rng):
    ...     return count + rng.laplace(scale=1.0, size=trials)
    >>> audit(noisy_count, 0.0, 1.0, epsilon=0.5, trials=100_000).verdict
    'refuted'
    """
    if not callable(sampler):
        raise validation.invalid("sampler", "callable as sampler(dataset, trials, rng)", sampler)
    level = None if epsilon is None else validation.real("epsilon", epsilon, at_least=0.0)
    delta = validation.delta(delta)
    confidence = validation.fraction("confidence", confidence)
    seed = validation.integer("seed", seed, at_least=0)
    if not isinstance(workers, Executor):
        validation.integer("workers", workers, at_least=1)
    if assume is not None:
        validation.choice("assume", assume, ["gaussian"])
    if progress is not None and not callable(progress):
        raise validation.invalid("progress", "callable as progress(done, total), or None", progress)
    if max_seconds is not None:
        max_seconds = validation.real("max_seconds", max_seconds, above=0.0)
    gap = validation.real("gap", gap, above=0.0)
    budget = validation.integer("budget", budget, at_least=1000)
    rows = None if isinstance(trials, str) and trials == "auto" else runs_a_side(trials)
    refuse_equal(dataset, neighbour)
    relation = check_relation(dataset, neighbour, relation)
    ignore = paths(ignore)
    runs = Runs(sampler, dataset, neighbour, seed, sampler_name(sampler))
    held = None if claim is None else as_claim(claim, epsilon, delta)
    request = Request(
        level, delta, workers, assume is not None, progress, held, as_score(score), max_seconds, ignore, relation
    )
    levels = Levels(1.0 - confidence)
    # One OpenMP thread too, for a sampler of scikit-learn's: a team would not survive a fork.
    with one_blas_thread(), threadpool_limits(1, user_api="openmp"):
        if rows is not None:
            return split_audit(runs, request, rows, levels, Watch(f"sampler {runs.name}"))
        against = as_claim(None, level, delta) if held is None else held
        if against is None:
            raise validation.invalid("epsilon", 'given with trials="auto" (it, or claim, is when to stop)', epsilon)
        from dpbench.auditing.sequential import until_decided

        return until_decided(runs, request, against, gap, budget, levels)
