"""Pairs of neighbouring data sets that a search tries: a list to begin with, and mutations of what promises most.

`find_neighbours`: propose pairs of neighbouring data sets, pick the most telling one, audit it afresh.

The search looks at the choosing stage of an audit only, on streams of its own; the pair it picks is then
audited on streams that no search has seen, so the bound needs no correction for the number of pairs tried.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any

import numpy as np

from dpbench.auditing.audit import RELATIONS as ALL_RELATIONS
from dpbench.auditing.audit import (
    Progress,
    Request,
    Runs,
    Sampler,
    audit,
    check_call,
    check_relation,
    equal,
    refuse_equal,
    runs_a_side,
)
from dpbench.auditing.choose import choose
from dpbench.auditing.result import AuditResult
from dpbench.auditing.samplers import sampler_name
from dpbench.core import sampling, validation
from dpbench.core.blas import one_blas_thread
from dpbench.core.validation import invalid

RANDOM_PAIRS = 16
REPEATS = 4  # random backgrounds in which the replaced record comes to equal another, for each value repeated
FEW_VALUES = 12  # whole numbers of a domain that are all tried as repeated values
RELATIONS = ("replace", "add_remove")

Pair = tuple[Any, Any]


@dataclass(frozen=True)
class Domain:
    """What data sets look like: `records` rows with numbers in [low, high].

    Attributes
    ----------
    records : int
        n ≥ 1; data sets are float64[n], or float64[n, width] where `width` is given.
    low, high : float
    width : int or None
    integers : bool
        Only whole numbers.
    relation : {"replace", "add_remove"}
        "replace" changes one record; "add_remove" drops the last one (so n ≥ 2).
    nan, infinities : bool
        NaN, or the infinities, may stand in a record too.
    """

    records: int
    low: float = 0.0
    high: float = 1.0
    width: int | None = None
    integers: bool = False
    relation: str = "replace"
    nan: bool = False
    infinities: bool = False

    def __post_init__(self) -> None:
        validation.choice("relation", self.relation, RELATIONS)
        validation.integer("records", self.records, at_least=2 if self.relation == "add_remove" else 1)
        if self.width is not None:
            validation.integer("width", self.width, at_least=1)
        for name in ("integers", "nan", "infinities"):
            if not isinstance(getattr(self, name), (bool, np.bool_)):
                raise invalid(name, "True or False", getattr(self, name))
        low, high = validation.real("low", self.low), validation.real("high", self.high)
        for name, value in (("low", low), ("high", high)):
            if self.integers and value != np.floor(value):
                raise invalid(name, "a whole number where integers is True", value)
        if not high > low:
            raise invalid("high", f"a number > low = {low:g}", self.high)

    @property
    def shape(self) -> tuple[int, ...]:
        """Of a data set."""
        return (self.records,) if self.width is None else (self.records, self.width)

    @property
    def specials(self) -> list[float]:
        """Legal values outside [low, high]."""
        return [*([np.nan] if self.nan else []), *([np.inf, -np.inf] if self.infinities else [])]

    def draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        """Legal values at random."""
        values = rng.uniform(self.low, self.high, size=shape)
        return np.floor(values) if self.integers else values


def proposals(domain: Domain, seed: int) -> Iterator[Pair]:
    """Pairs of neighbours: extreme, middle, alternating, rising and one-hot ones, then random
    ones, each with one record replaced (or dropped); then records that come to equal others."""
    low, high = float(domain.low), float(domain.high)
    middle = 0.5 * (low + high)
    middle = float(np.floor(middle)) if domain.integers else middle
    across = np.arange(domain.records).reshape(-1, *([1] * (len(domain.shape) - 1)))
    rising = low + (high - low) * across / max(domain.records - 1, 1)
    pairs = [
        np.full(domain.shape, low),
        np.full(domain.shape, high),
        np.full(domain.shape, middle),
        np.broadcast_to(np.where(across % 2 == 0, low, high), domain.shape),
        np.broadcast_to(np.floor(rising) if domain.integers else rising, domain.shape),
        np.broadcast_to(np.where(across == 0, high, low), domain.shape),
    ]
    rng = sampling.stream(seed, "search", "pairs", 0)
    pairs += [domain.draw(rng, domain.shape) for _ in range(RANDOM_PAIRS)]
    for background in pairs:
        yield from _neighbours(domain, np.array(background, dtype=np.float64), low, high)
    if domain.records > 1:
        yield from _repeated(domain, rng, low, middle, high)


def _repeated(domain: Domain, rng: np.random.Generator, low: float, middle: float, high: float) -> Iterator[Pair]:
    """The first record comes to equal the second: at the ends, the middle, every one of few values, or at random."""
    values = [low, high, middle]
    if domain.integers and high - low < FEW_VALUES:
        values = list(np.arange(low, high + 1.0))
    for value in [*dict.fromkeys(values), None]:
        for _ in range(REPEATS):
            data = domain.draw(rng, domain.shape)
            if value is not None:
                data[1] = value
            # The record that is replaced lies last where it is dropped.
            data = data[::-1].copy() if domain.relation == "add_remove" else data
            if domain.relation == "add_remove":
                data[-1] = data[-2]
                yield data, data[:-1].copy()
            else:
                other = data.copy()
                other[0] = data[1]
                if not equal(data, other):
                    yield data, other


def _neighbours(domain: Domain, data: np.ndarray, low: float, high: float) -> Iterator[Pair]:
    if domain.relation == "add_remove":
        for last in (low, high, *domain.specials):
            whole = data.copy()
            whole[-1] = last
            yield whole, whole[:-1].copy()
        return
    for place in sorted({0, domain.records // 2, domain.records - 1}):
        for first, second in _replacements(domain, low, high)[: None if place == 0 else 1]:
            one, other = data.copy(), data.copy()
            one[place], other[place] = first, second
            yield one, other


def _replacements(domain: Domain, low: float, high: float) -> list[tuple[Any, Any]]:
    """A record and the one in its place: the extremes; half of the way; and for vectors one coordinate, or all
    of them in turn low and high."""
    middle = 0.5 * (low + high)
    special: list[tuple[Any, Any]] = [(low, value) for value in domain.specials]
    pairs: list[tuple[Any, Any]] = [(low, high), (low, float(np.floor(middle)) if domain.integers else middle)]
    if domain.width is not None and domain.width > 1:
        turns = np.where(np.arange(domain.width) % 2 == 0, low, high)
        one = np.full(domain.width, low)
        one[0] = high
        pairs += [(low, one), (turns, low + high - turns)]
        for value in domain.specials:
            one = np.full(domain.width, low)
            one[0] = value
            special.append((low, one))
    return [(first, second) for first, second in [*pairs, *special] if not np.array_equal(first, second)]


def mutated(domain: Domain, pair: Pair, rng: np.random.Generator) -> Pair:
    """A pair near this one, still of neighbours; equal to it in type and shape.

    A record, or one coordinate of a vector, gets a legal value or one of another record: on one side where the two
    differ, else on both. Or all other records are drawn again.
    """
    one, other = (np.array(x, dtype=np.float64) for x in pair)
    drop = domain.relation == "add_remove"
    differs = len(one) - 1 if drop else _replaced(one, other)
    for _ in range(20):
        sides = [one.copy()] if drop else [one.copy(), other.copy()]
        kind = int(rng.integers(5))
        if kind == 4:
            rest = np.arange(domain.records) != differs
            values = domain.draw(rng, domain.shape)[rest]
            for side in sides:
                side[rest] = values
        else:
            place = differs if kind < 2 else int(rng.integers(domain.records))
            value = _value(domain, rng) if kind % 2 == 0 else one[int(rng.integers(domain.records))]
            record = np.broadcast_to(value, domain.width or 1)
            whole = domain.width is None or rng.random() < 0.5
            column = slice(None) if whole else int(rng.integers(len(record)))
            for side in sides if place != differs else [sides[int(rng.integers(len(sides)))]]:
                side.reshape(len(side), -1)[place, column] = record[column]
        new, second = (sides[0], sides[0][:-1].copy()) if drop else sides
        if not equal(new, second):
            return new, second
    return pair


def _value(domain: Domain, rng: np.random.Generator) -> float:
    ends = [float(domain.low), float(domain.high), *domain.specials]
    return float(domain.draw(rng, ())) if rng.random() < 0.5 else ends[int(rng.integers(len(ends)))]


def _replaced(one: np.ndarray, other: np.ndarray) -> int:
    """Where the two differ (NaN equals NaN)."""
    same = (one == other) | (np.isnan(one) & np.isnan(other))
    return int(np.flatnonzero(~same.reshape(len(one), -1).all(axis=1))[0])


def pairs_of(dataset: Any, relation: str, low: float | None = None, high: float | None = None) -> list[Pair]:
    """Neighbours of one data set: its first, last and extreme records removed, added, or replaced.

    Parameters
    ----------
    dataset : list, tuple, array or data frame
        One record an item or row.
    relation : {"replace", "add", "remove", "add_remove"}
        For "add" the given data set is the larger one.
    low, high : float, optional
        For "replace": records of these numbers take a record's place, in arrays and lists of numbers or of vectors.
        Default: records of the data set take one another's place, so that no number beyond its own is tried.

    Raises
    ------
    InvalidInput
    """
    rows = len(dataset) if hasattr(dataset, "__len__") and not isinstance(dataset, (str, bytes, Mapping)) else 0
    if rows < 2:
        raise invalid("dataset", "a list, array or data frame of at least two records", dataset)
    ends = [validation.real(name, end) for name, end in (("low", low), ("high", high)) if end is not None]
    table = _table(dataset)
    if ends and (relation != "replace" or table is None or hasattr(dataset, "iloc")):
        raise invalid("low and high", 'left out but for relation="replace" and numbers', ends)
    places = _extremes(table, rows)
    if relation != "replace":
        smaller = [_kept(dataset, [k for k in range(rows) if k != gone]) for gone in places]
        return [(x, dataset) if relation == "add" else (dataset, x) for x in smaller]
    if ends:
        others = [_with(dataset, gone, end) for gone in places for end in ends]
    else:
        others = [
            _kept(dataset, [taken if k == gone else k for k in range(rows)])
            for gone in places
            for taken in places
            if gone != taken
        ]
    return [(dataset, other) for other in others if not equal(dataset, other)][: 2 * MOST_PLACES]


def range_of(dataset: Any, low: float | None = None, high: float | None = None) -> str:
    """Which records `pairs_of` puts in the place of others, in words that follow a claim."""
    ends = [end for end in (low, high) if end is not None]
    table = _table(dataset)
    if ends:
        return f" (replaced by records of {' or '.join(f'{end:g}' for end in ends)})"
    numbers = "" if table is None else f", numbers from {np.nanmin(table):g} to {np.nanmax(table):g}"
    return f" (replaced by records of the data set itself{numbers})"


MOST_PLACES = 8


def _table(dataset: Any) -> np.ndarray | None:
    """float64[records, numbers], where the records are numbers."""
    try:
        return np.asarray(dataset, dtype=np.float64).reshape(len(dataset), -1)
    except (TypeError, ValueError):
        return None


def _extremes(table: np.ndarray | None, rows: int) -> list[int]:
    """The first and last record, and those with the least and the largest number in each of the first columns."""
    places = [0, rows - 1]
    for column in () if table is None else table.T[:MOST_PLACES]:
        places += [int(np.nanargmin(column)), int(np.nanargmax(column))] if not np.isnan(column).all() else []
    return list(dict.fromkeys(places))[:MOST_PLACES]


def _with(dataset: Any, place: int, value: float) -> Any:
    """The data set with one record of this number, or of a vector of it."""
    record = np.full_like(np.asarray(dataset[place], dtype=np.float64), value)
    if isinstance(dataset, np.ndarray):
        other = dataset.copy()
        other[place] = record
        return other
    return type(dataset)(record.tolist() if k == place else x for k, x in enumerate(dataset))


def _kept(dataset: Any, places: list[int]) -> Any:
    if hasattr(dataset, "iloc"):
        return dataset.iloc[places].reset_index(drop=True)
    return dataset[places] if isinstance(dataset, np.ndarray) else type(dataset)(dataset[k] for k in places)


FINALISTS = 4  # pairs that are looked at again
AGAIN = 4  # times the runs of the first look
PARENTS = 3  # best pairs that mutations start from


def _promise(
    sampler: Sampler, seed: int, workers: int | Executor, trials: int, asked: Request, pair: Pair, rows: int, part: str
) -> float:
    """The bound that an audit of the pair by `trials` runs a side may be expected to give, by `rows` runs a side."""
    runs, _ = Runs(sampler, *pair, seed, sampler_name(sampler)).looked_at(texts=asked.own is None)
    _, first, second = runs.collect(part, rows, workers, asked.ignore)
    return choose(first, second, trials, asked.against, asked.alpha, asked.own)[0].promise


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
    mutations : int
        Pairs made from the most promising ones by changing values, repeating them, and changing the other records.
    seconds : float, optional
        Stop proposing after this long; the final audit comes on top. What is found then depends on the machine.
    progress : callable, optional
        ``progress(done, total)``, first in pairs tried, then in certifying runs of the final audit.
    relation : {"replace", "add_remove"}, optional
        As in `Domain`, of a domain that is a mapping without it; another one than the domain's is refused.

    Returns
    -------
    AuditResult
        Of the final audit, with the `pair` it was made on. Its confidence is not spent on the search.

    Raises
    ------
    InvalidInput
        A parameter or a sampler's output cannot be used, or the sampler raised on a pair of the search.
    """
    check_call(sampler, workers, progress)
    if relation is not None:
        validation.choice("relation", relation, list(ALL_RELATIONS))
    domain = _domain(domain, relation)
    if relation is not None and (relation == "replace") != (domain.relation == "replace"):
        raise invalid("relation", f"the domain's, {domain.relation!r}", relation)
    relation = domain.relation if relation is None else relation
    rows = validation.integer("search_trials", search_trials, at_least=100)
    if isinstance(trials, str):
        raise invalid("trials", "an integer >= 100 (a search takes no words)", trials)
    trials = runs_a_side(trials)
    request = Request.of(epsilon, delta, claim, confidence, score, ignore, relation)
    seed = validation.integer("seed", seed, at_least=0)
    mutations = validation.integer("mutations", mutations, at_least=0)
    if seconds is not None:
        seconds = validation.real("seconds", seconds, above=0.0)
    own_pairs = _own_pairs(pairs)
    for pair in (*own_pairs, next(proposals(domain, seed))):
        check_relation(*pair, relation)
    promise = partial(_promise, sampler, seed, workers, trials, request)
    total = len(own_pairs) + sum(1 for _ in proposals(domain, seed)) + mutations
    began = time.monotonic()
    tried: list[tuple[float, int, Pair]] = []
    with one_blas_thread():
        for number, pair in enumerate(_candidates(domain, seed, own_pairs, mutations, tried)):
            tried.append((promise(pair, rows, f"search-{number}"), number, pair))
            if progress is not None:
                progress(number + 1, total)
            if seconds is not None and time.monotonic() - began > seconds:
                break
        best = _best(tried)[:FINALISTS]
        # The first look flatters what it picks: the few best are looked at again.
        again = min(AGAIN * rows, max(rows, trials))
        one, other = max(((promise(p, again, f"again-{k}"), -k, p) for _, k, p in best), key=lambda t: t[:2])[2]
    result = audit(
        sampler, one, other, epsilon=epsilon, delta=delta, claim=claim, trials=trials, confidence=confidence, seed=seed,
        workers=workers, score=score, progress=progress, relation=relation, ignore=ignore,
    )  # fmt: skip
    return replace(result, pair=(one, other))


def telling_pair(
    sampler: Sampler, pairs: Sequence[Pair], *, trials: int = 2_000, certify: int | None = None, **given: Any
) -> Pair:
    """The pair that an audit of `given` may be expected to bound highest, by `trials` runs a side of each, on streams
    that the audit does not see (given: epsilon, delta, claim, confidence, seed, workers, score, ignore).

    `certify`: the audit's runs a side, by default as many as here.
    """
    asked = ("epsilon", "delta", "claim", "confidence", "score", "ignore")
    request = Request.of(**{name: given[name] for name in asked if name in given})
    promise = partial(_promise, sampler, given.get("seed", 0), given.get("workers", 1), certify or trials, request)
    with one_blas_thread():
        promises = [promise(pair, trials, f"pair-{k}") for k, pair in enumerate(pairs)]
    return pairs[int(np.argmax(promises))]


def own_pair(
    sampler: Sampler, dataset: Any, *, relation: str | None = None, low: float | None = None, high: float | None = None,
    **given: Any,
) -> tuple[Any, Any, str]:  # fmt: skip
    """The most telling of the pairs that `pairs_of` makes, and which records were put in the place of others."""
    relation = validation.choice("relation", relation, list(ALL_RELATIONS))
    one, other = telling_pair(sampler, pairs_of(dataset, relation, low, high), **given)
    return one, other, range_of(dataset, low, high) if relation == "replace" else ""


def _candidates(
    domain: Domain,
    seed: int,
    pairs: Sequence[Pair],
    mutations: int,
    tried: list[tuple[float, int, Pair]],
) -> Iterator[Pair]:
    """The user's pairs, the proposals, and mutations of the best of `tried`, which grows meanwhile."""
    yield from pairs
    yield from proposals(domain, seed)
    rng = sampling.stream(seed, "search", "mutations", 0)
    for k in range(mutations):
        parents = [p for _, number, p in _best(tried) if number >= len(pairs)][:PARENTS]
        yield mutated(domain, parents[k % len(parents)], rng)


def _best(tried: list[tuple[float, int, Pair]]) -> list[tuple[float, int, Pair]]:
    return sorted(tried, key=lambda t: (-t[0] if np.isfinite(t[0]) else np.inf, t[1]))


def _domain(domain: Any, relation: Any) -> Domain:
    """Checked; of a mapping that names none, the relation is the one given."""
    if isinstance(domain, Mapping):
        known = [f.name for f in fields(Domain)]
        for name in domain:
            validation.choice("a field of domain", name, known)
        if "records" not in domain:
            raise invalid("domain", "a description with the number of records", dict(domain))
        return Domain(**{"relation": relation if relation in RELATIONS else "replace", **domain})
    if not isinstance(domain, Domain):
        raise invalid("domain", "a Domain or a mapping of its fields", domain)
    return domain


def _own_pairs(pairs: Any) -> list[Pair]:
    if not isinstance(pairs, Sequence) or any(not isinstance(p, (tuple, list)) or len(p) != 2 for p in pairs):
        raise invalid("pairs", "a sequence of (dataset, neighbour)", pairs)
    for pair in pairs:
        refuse_equal(*pair)
    return [(pair[0], pair[1]) for pair in pairs]
