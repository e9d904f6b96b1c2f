"""`verify`: run entries of the ledger and say what was found."""

from __future__ import annotations

import time
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from fnmatch import fnmatchcase
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, cast

from dpbench.core import validation
from dpbench.ledger import registry
from dpbench.ledger.core import Claim
from dpbench.ledger.entry import is_test, moved
from dpbench.ledger.grades import outdated
from dpbench.ledger.measurement import Evidence
from dpbench.ledger.outcome import Entry, Ledger
from dpbench.ledger.paper import Paper
from dpbench.ledger.premises import fallen, held_to
from dpbench.ledger.registry import all_claims
from dpbench.ledger.words import KINDS
from dpbench.runs.context import (
    FEW,
    Interrupted,
    Outcome,
    RunContext,
    attempt,
    by_module,
    compiling_told,
    given_limit,
    limit,
)
from dpbench.runs.executors import cores
from dpbench.runs.workers import POSSIBLE

if TYPE_CHECKING:
    from dpbench.runs.measurable import Measurable

_GLOB = frozenset("*?[")


def select(
    patterns: str | Claim | Paper | Sequence[str | Claim | Paper] | None = None,
    *,
    paper: str | Sequence[str] | None = None,
    kind: str | None = None,
) -> tuple[Claim, ...]:
    """The rows that fit any of the patterns (ids or globs; None: all), of the paper or papers and of the kind.

    The id of an entry gives all its rows, and an id that it had once (`dpbench.ledger.entry`) what it is now.
    Claims and papers may stand beside patterns; they need not be known to the registry. Where sources were named
    (`dpbench.ledger.registry.use`), theirs are the only ones that patterns find.
    """
    only = registry.named()
    one = isinstance(patterns, (str, Claim, Paper)) or not isinstance(patterns, Iterable)
    asked: list[Any] = [] if patterns is None else [patterns] if one else [*cast(Any, patterns)]
    if patterns is not None and not asked:
        raise validation.invalid("claims", "at least one id, glob, claim or paper, or None for all", patterns)
    handed = [c for item in asked for c in (item.claims if isinstance(item, Paper) else [item]) if isinstance(c, Claim)]
    named: list[Any] | None = None
    if paper is not None:
        named = [*paper] if isinstance(paper, (list, tuple)) else [paper]
    spelt = [_now(item) for item in asked if not isinstance(item, (Claim, Paper))]
    found_in, papers = _offered(spelt if asked else None, named)
    offered = {claim.id: claim for claim in found_in if only is None or claim.paper in only}
    known = tuple((offered | {claim.id: claim for claim in handed}).values())
    wanted = {claim.id for claim in handed} if asked else {claim.id for claim in known}
    for pattern in spelt:
        matching = [i for i, c in offered.items() if pattern == c.entry or fnmatchcase(i, str(pattern))]
        if not matching:
            hint = validation.did_you_mean(pattern, [c.id for c in all_claims() if only is None or c.paper in only])
            raise validation.invalid("claims", f"ids or globs of the ledger (see `dpbench list`){hint}", pattern)
        wanted.update(matching)
    if only is not None and not known:
        raise validation.InvalidInput("sources must name claims that can be used, got none beside those left out")
    papers = tuple(sorted({claim.paper for claim in known}.union(papers)))
    for name in named or ():
        validation.choice("paper", name, papers)
    if kind is not None:
        validation.choice("kind", kind, KINDS)
    chosen = tuple(
        c for c in known if c.id in wanted and (named is None or c.paper in named) and (kind is None or c.kind == kind)
    )
    if not chosen:
        raise validation.invalid("claims", "a selection that some entry fits", patterns)
    return chosen


def _now(pattern: Any) -> Any:
    """The address of today."""
    address = moved().get(pattern, pattern) if isinstance(pattern, str) else pattern
    if address != pattern and is_test(address):
        raise validation.InvalidInput(f"{pattern} is no entry any more: {address} tests it")
    return address


def _offered(patterns: Sequence[Any] | None, named: list[Any] | None) -> tuple[tuple[Claim, ...], tuple[str, ...]]:
    """The claims among which patterns select, and the papers that are known to be."""
    papers = registry.paper_names()
    alone = named if patterns is None else _papers_of(patterns)
    if not set(alone or ()) <= set(papers):
        alone = None  # the message names what there is
    return all_claims(alone), papers if alone is not None else ()


def _papers_of(patterns: Iterable[Any]) -> list[str] | None:
    """The papers that patterns are of, as ids begin with their paper's name; None where one does not say."""
    first = [pattern.partition(".")[0] if isinstance(pattern, str) else "*" for pattern in patterns]
    return None if any(set(name) & _GLOB for name in first) else first


def with_premises(selected: Sequence[Claim]) -> tuple[Claim, ...]:
    """The claims, in the order of the ledger, and all that they rest on, at any depth."""
    papers = {claim.paper for claim in selected}
    known = {claim.id: claim for claim in all_claims(papers)} | {claim.id: claim for claim in selected}
    wanted, left, everything = set[str](), [claim.id for claim in selected], False
    while left:
        name = left.pop()
        if name not in known and not everything:
            known, everything = {claim.id: claim for claim in all_claims()} | known, True
        if name in known and name not in wanted:
            wanted.add(name)
            left += known[name].rests_on
    return tuple(claim for name, claim in known.items() if name in wanted)


def verify(
    claims: str | Claim | Paper | Sequence[str | Claim | Paper] | None = None,
    *,
    paper: str | Sequence[str] | None = None,
    kind: str | None = None,
    level: str = "quick",
    workers: Any = None,
    store: Any = None,
    seed: int = 0,
    progress: Any = None,
    processes: int | None = None,
    recompute: bool = False,
    max_seconds: float | None = None,
) -> Ledger:
    """Run entries of the ledger.

    Parameters
    ----------
    claims : str, Claim, Paper, or a sequence of these, optional
        Ids or globs, for example ``"glm.*.privacy*"``, and claims and papers of your own; default all.
    paper : str or sequence of str, optional
    kind : str, optional
        Narrow the selection.
    level : {"quick", "full"}
        Sizes of the runs.
    workers : int or concurrent.futures.Executor, optional
        Threads of this process, or an executor of yours (default: `processes`, or one thread a core).
    store : path, optional
        SQLite file in which finished blocks and verdicts are kept; None keeps them for this run only.
    seed : int
    progress : Progress, optional
        Told of what is going on; see `dpbench.runs.progress`.
    processes : int, optional
        More than 1: whole entries run in so many worker processes, which take the place of `workers` (what
        `dpbench verify` does); the verdicts and the evidence are the same. Default: one a core where no `workers` are
        given and at least 16 entries of this package, of more than one module, have to run (fewer take less time
        than a process needs to start); entries of other packages then run in this process, after them.
    recompute : bool
        Run again what the store has a verdict of: by the same code, level, seed, versions and processor.
    max_seconds : float, optional
        What each entry may take; default: no limit for entries of this package, and `dpbench.runs.context.OUTSIDE` for
        those of others. One that takes longer stands in `not_run`. Without processes it is received in the main thread
        only, between two steps of Python.

    Returns
    -------
    Ledger
        A claim that raises InvalidInput, ArithmeticError or RuntimeError stands in `not_run`, with the reason; one of
        another package whatever it raises. So does a source (`dpbench.ledger.registry.use`) that cannot be used. The
        premises of a selected claim are run with it, selected or not; one that says "proved" says "not refuted" where
        they do not all stand (`dpbench.ledger.premises`).

    Raises
    ------
    InvalidInput
        For a selection that fits nothing, or a parameter or store that cannot be used.
    StoreError, WorkersLost
        If the store or the executor fails under way: nothing could be kept, or computed, any more.
    Interrupted
        A KeyboardInterrupt, after Ctrl-C; its message says what is stored.
    """
    selected = select(claims, paper=paper, kind=kind)
    validation.choice("level", level, ("quick", "full"))
    validation.integer("seed", seed, at_least=0)
    if processes is not None:
        validation.integer("processes", processes, at_least=1)
    if not isinstance(recompute, bool):
        raise validation.invalid("recompute", "True or False", recompute)
    max_seconds = given_limit(max_seconds)
    started = time.perf_counter()
    wanted = with_premises(selected)
    runnable = [claim for claim in wanted if level == "full" or not claim.full_only]
    longest = {claim.id: limit(claim, level, max_seconds) for claim in runnable}
    outcomes: dict[str, Outcome] = {}
    with ExitStack() as closing:
        if store is None and _lanes(runnable, workers, processes)[1]:
            store = closing.enter_context(_temporary())
        context = closing.enter_context(
            RunContext(level=level, seed=seed, workers=workers, store=store, progress=progress)
        )
        kept = {} if recompute else context.recorded(runnable)
        stored = {c.id: kept[c.id] for c in runnable if c.id in kept and not outdated(c, kept[c.id].verdict)}
        here = [claim for claim in runnable if claim.id not in stored]
        lanes, groups = _lanes(here, workers, processes)
        if groups:
            from dpbench.runs.workers import run_in_workers

            given = {name: seconds for name, seconds in longest.items() if seconds is not None}
            outcomes |= run_in_workers(groups, context, lanes, given)
            here = [claim for claim in here if claim.id not in outcomes]
        with compiling_told(context):
            for done, claim in enumerate(here):
                context.progress.claim(done, len(here), claim.id)
                outcomes[claim.id] = attempt(claim, context, longest[claim.id])
    outcomes |= {name: (one.verdict, Evidence.from_dict(one.evidence)) for name, one in stored.items()}
    return _assembled(selected, outcomes, level, seed, time.perf_counter() - started, stored)


@contextmanager
def _temporary() -> Iterator[Path]:
    """A file for a store in which worker processes meet, and which goes with the run."""
    with TemporaryDirectory(prefix="dpbench-") as folder:
        try:
            yield Path(folder) / "runs.sqlite"
        except Interrupted as error:
            raise Interrupted(error.blocks, None) from error


def _lanes(claims: Sequence[Claim], workers: Any, processes: int | None) -> tuple[int, list[list[Measurable]]]:
    """How many worker processes to use, and what they run, by module; none where this process does it all."""
    if processes is None:
        ours = [claim for claim in claims if not claim.outside]
        processes, claims = (cores(), ours) if workers is None and len(ours) >= FEW else (1, [])
    groups = by_module(claims)
    return processes, groups if POSSIBLE and min(processes, len(groups)) > 1 else []


def _assembled(
    selected: Sequence[Claim], outcomes: Mapping[str, Outcome], level: str, seed: int, seconds: float,
    stored: Container[str],
) -> Ledger:  # fmt: skip
    """The outcomes in the order of the ledger, each held to its premises; `stored`: what was read from the store."""
    rests_on = {claim.id: claim.rests_on for claim in with_premises(selected)}
    down = fallen(rests_on, {name: None if isinstance(one, str) else one[0] for name, one in outcomes.items()})
    entries: list[Entry] = []
    not_run: list[dict[str, str]] = []
    for claim in selected:
        outcome = outcomes.get(claim.id, "full only: run with --level full")
        if isinstance(outcome, str):
            not_run.append({"id": claim.id, "reason": outcome})
        else:
            verdict, evidence = outcome
            premises = tuple((one, down.get(claim.id, {}).get(one, "stands")) for one in claim.rests_on)
            entries.append(Entry(claim, held_to(claim.id, verdict, down), evidence, premises, claim.id in stored))
    not_run += [{"id": source, "reason": reason} for source, reason in registry.broken().items()]
    return Ledger(tuple(entries), tuple(not_run), level, seed, seconds)
