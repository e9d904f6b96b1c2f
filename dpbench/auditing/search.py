"""`find_neighbours`: propose pairs of neighbouring data sets, pick the most telling one, audit it afresh.

The search looks at the choosing stage of an audit only, on streams of its own; the pair it picks is then
audited on streams that no search has seen, so the bound needs no correction for the number of pairs tried.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from dpbench.auditing.audit import Request, audit
from dpbench.auditing.blocks import Progress, Runs, Sampler, sampler_name
from dpbench.auditing.choose import choose
from dpbench.auditing.neighbours import Domain, Pair, mutated, proposals
from dpbench.auditing.pair import check_relation, refuse_equal, runs_a_side
from dpbench.auditing.results import AuditResult
from dpbench.core import sampling, validation
from dpbench.core.blas import one_blas_thread

FINALISTS = 4  # pairs that are looked at again
AGAIN = 4  # times the runs of the first look
PARENTS = 3  # best pairs that mutations start from


@dataclass(frozen=True)
class _Search:
    """What each pair is looked at with."""

    sampler: Sampler
    seed: int
    workers: int | Executor
    trials: int
    request: Request

    def promise(self, pair: Pair, rows: int, part: str) -> float:
        """The bound that an audit of the pair may be expected to give."""
        asked = self.request
        runs, _ = Runs(self.sampler, *pair, self.seed, sampler_name(self.sampler)).looked_at(texts=asked.own is None)
        _, first, second = runs.collect(part, rows, self.workers, asked.ignore)
        return choose(first, second, self.trials, asked.against, asked.alpha, asked.own)[0].promise


def find_neighbours(
    sampler: Sampler,
    domain: Domain | Mapping[str, Any],
    *,
    epsilon: float | None = None,
    delta: float = 0.0,
    claim: Any = None,
    trials: int = 1_000_000,
    search_trials: int = 4_000,
    confidence: float = 0.999,
    seed: int = 0,
    workers: int | Executor = 1,
    pairs: Sequence[tuple[Any, Any]] = (),
    backgrounds: Sequence[Any] = (),
    mutations: int = 48,
    seconds: float | None = None,
    score: Callable[[Any], Any] | None = None,
    progress: Progress | None = None,
    relation: str | None = None,
    ignore: Sequence[str] = (),
) -> AuditResult:
    """Search for the most distinguishable pair of neighbouring data sets, then audit that pair.

    Parameters
    ----------
    sampler : callable
        As in `dpbench.audit`; its data sets are arrays as `domain` describes.
    domain : Domain or mapping
        A mapping holds a `Domain`'s fields by name; ``nan=True`` and ``infinities=True`` make these legal records.
    epsilon, delta, claim, trials, confidence, seed, workers, score
        Of the final audit, as in `dpbench.audit`.
    search_trials : int
        Runs a side for each pair tried, at least 100.
    pairs : sequence of pairs
        Pairs of your own, tried first: neighbours in your sense, of any type that the sampler takes.
    backgrounds : sequence of float64[records] or float64[records, width]
        Data sets of your own, tried with one record replaced (or dropped) like the built-in ones.
    mutations : int
        Pairs made from the most promising ones by changing values, repeating them, and changing the other records.
    seconds : float, optional
        Stop proposing after this long; the final audit comes on top. What is found then depends on the machine.
    progress : callable, optional
        ``progress(done, total)``, first in pairs tried, then in certifying runs of the final audit.

    Returns
    -------
    AuditResult
        Of the final audit, with the `pair` it was made on. Its confidence is not spent on the search.

    Raises
    ------
    InvalidInput
        A parameter or a sampler's output cannot be used, or the sampler raised on a pair of the search.
    """
    if not callable(sampler):
        raise validation.invalid("sampler", "callable as sampler(dataset, trials, rng)", sampler)
    domain = _domain(domain)
    rows = validation.integer("search_trials", search_trials, at_least=100)
    if isinstance(trials, str):
        raise validation.invalid("trials", "an integer >= 100 (a search takes no words)", trials)
    trials = runs_a_side(trials)
    request = Request.of(epsilon, delta, claim, confidence, score, ignore, relation)
    seed = validation.integer("seed", seed, at_least=0)
    if not isinstance(workers, Executor):
        validation.integer("workers", workers, at_least=1)
    if progress is not None and not callable(progress):
        raise validation.invalid("progress", "callable as progress(done, total), or None", progress)
    mutations = validation.integer("mutations", mutations, at_least=0)
    if seconds is not None:
        seconds = validation.real("seconds", seconds, above=0.0)
    own_pairs, own_backgrounds = _own_pairs(pairs), _own_backgrounds(backgrounds, domain)
    relation = domain.relation if relation is None else relation
    for pair in own_pairs:
        check_relation(*pair, relation)
    look = _Search(sampler, seed, workers, trials, request)
    total = len(own_pairs) + sum(1 for _ in proposals(domain, seed, own_backgrounds)) + mutations
    began = time.monotonic()
    tried: list[tuple[float, int, Pair]] = []
    with one_blas_thread():
        for number, pair in enumerate(_candidates(domain, seed, own_pairs, own_backgrounds, mutations, tried)):
            tried.append((look.promise(pair, rows, f"search-{number}"), number, pair))
            if progress is not None:
                progress(number + 1, total)
            if seconds is not None and time.monotonic() - began > seconds:
                break
        best = _best(tried)[:FINALISTS]
        # The first look flatters what it picks: the few best are looked at again.
        again = min(AGAIN * rows, max(rows, trials))
        one, other = max(((look.promise(p, again, f"again-{k}"), -k, p) for _, k, p in best), key=lambda t: t[:2])[2]
    found = audit(
        sampler, one, other, epsilon=epsilon, delta=delta, claim=claim, trials=trials, confidence=confidence, seed=seed,
        workers=workers, score=score, progress=progress, relation=relation, ignore=ignore,
    )  # fmt: skip
    return replace(found, pair=(one, other))


def telling_pair(
    sampler: Sampler, pairs: Sequence[Pair], *, trials: int = 2_000, certify: int | None = None, **given: Any
) -> Pair:
    """The pair that an audit of `given` may be expected to bound highest, by `trials` runs a side of each, on streams
    that the audit does not see (given: epsilon, delta, claim, confidence, seed, workers, score, ignore).

    `certify`: the audit's runs a side, by default as many as here.
    """
    asked = ("epsilon", "delta", "claim", "confidence", "score", "ignore")
    request = Request.of(**{name: given[name] for name in asked if name in given})
    look = _Search(sampler, given.get("seed", 0), given.get("workers", 1), certify or trials, request)
    with one_blas_thread():
        promises = [look.promise(pair, trials, f"pair-{k}") for k, pair in enumerate(pairs)]
    return pairs[int(np.argmax(promises))]


def _candidates(
    domain: Domain,
    seed: int,
    pairs: Sequence[Pair],
    backgrounds: Sequence[np.ndarray],
    mutations: int,
    tried: list[tuple[float, int, Pair]],
) -> Iterator[Pair]:
    """The user's pairs, the proposals, and mutations of the best of `tried`, which grows meanwhile."""
    yield from pairs
    yield from proposals(domain, seed, backgrounds)
    rng = sampling.stream(seed, "search", "mutations", 0)
    for k in range(mutations):
        parents = [p for _, number, p in _best(tried) if number >= len(pairs)][:PARENTS]
        if not parents:
            return
        yield mutated(domain, parents[k % len(parents)], rng)


def _best(tried: list[tuple[float, int, Pair]]) -> list[tuple[float, int, Pair]]:
    return sorted(tried, key=lambda t: (-t[0] if np.isfinite(t[0]) else np.inf, t[1]))


def _domain(domain: Any) -> Domain:
    if isinstance(domain, Mapping):
        known = [f.name for f in fields(Domain)]
        for name in domain:
            validation.choice("a field of domain", name, known)
        if "records" not in domain:
            raise validation.invalid("domain", "a description with the number of records", dict(domain))
        return Domain(**domain)
    if not isinstance(domain, Domain):
        raise validation.invalid("domain", "a Domain or a mapping of its fields", domain)
    return domain


def _listed(given: Any, name: str, must_be: str) -> list[Any]:
    try:
        return list(given)
    except TypeError as error:
        raise validation.invalid(name, must_be, given) from error


def _own_pairs(pairs: Any) -> list[Pair]:
    made = []
    for pair in _listed(pairs, "pairs", "a sequence of (dataset, neighbour)"):
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise validation.invalid("pairs", "a sequence of (dataset, neighbour)", pair)
        refuse_equal(*pair)
        made.append((pair[0], pair[1]))
    return made


def _own_backgrounds(backgrounds: Any, domain: Domain) -> list[np.ndarray]:
    made = []
    for background in _listed(backgrounds, "backgrounds", f"a sequence of data sets of shape {domain.shape}"):
        try:
            data = np.asarray(background, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise validation.invalid("backgrounds", f"data sets of shape {domain.shape}", background) from error
        if data.shape != domain.shape:
            raise validation.invalid("backgrounds", f"data sets of shape {domain.shape}", data)
        made.append(data)
    return made
