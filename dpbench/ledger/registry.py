"""Where papers come from: the folders of this package, and the entry points of installed ones.

A paper of ours is a folder of `dpbench.papers` with a subpackage ``theorems`` that has a `Paper` named ``paper``; found
by its place, it needs no installation. A paper of anybody else is an entry point of the group ``dpbench.papers`` whose
value names a `Paper`, as ``package.module:paper``, or is named on the command line (`use`; see
`dpbench.ledger.sources`).
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from dpbench.core.sources import importing
from dpbench.ledger import sources
from dpbench.ledger.core import Claim
from dpbench.ledger.paper import Paper

GROUP = "dpbench.papers"
_TOP = __name__.partition(".")[0]
_NAMED: tuple[str, ...] = ()
_BROKEN: dict[str, str] = {}
_INDEX: tuple[Paper, ...] = ()


class PaperNotLoaded(UserWarning):
    """A paper that could not be used; the message says which and why. All others are there."""


def all_claims(papers: Collection[str] | None = None) -> tuple[Claim, ...]:
    """Every claim of every paper, or of those named: ours first, each in the order of its declarations.

    The modules of the papers not named are not imported.
    """
    wanted = (paper for paper, _ in _papers() if papers is None or paper.name in papers)
    return tuple(claim for paper in wanted for claim in _loaded(paper.name) or ())


def all_papers() -> tuple[Paper, ...]:
    """Every paper that could be loaded."""
    return tuple(paper for paper, _ in _papers() if _loaded(paper.name) is not None)


def paper_names() -> tuple[str, ...]:
    """The names of all papers; imports no claims."""
    return tuple(paper.name for paper, _ in _papers())


def use(names: Sequence[str] | None) -> None:
    """Take claims from these modules, files and folders, too; `select` then offers no others.

    Parameters
    ----------
    names : sequence of str or None
        None and nothing: the papers of this package and of installed ones alone.

    Raises
    ------
    InvalidInput
        For a path that is not there. A source that cannot be imported is one warning: see `broken`.
    """
    global _NAMED
    wanted = sources.expanded(names) if names else ()
    if wanted != _NAMED:
        _NAMED = wanted
        forget()


def named() -> frozenset[str] | None:
    """Names of the papers of the sources given to `use`; None where none were."""
    return frozenset(paper.name for paper, source in _papers() if source) if _NAMED else None


def source(paper: str) -> str:
    """What was given to `use` that this paper is of; empty where it is installed."""
    return next((origin for one, origin in _papers() if one.name == paper), "")


def broken() -> dict[str, str]:
    """Of the sources given to `use`, those that cannot be used, with the reason."""
    for name in paper_names() if _NAMED else ():
        _loaded(name)
    return dict(_BROKEN)


def own_papers() -> tuple[Paper, ...]:
    """The papers of this package."""
    return tuple(paper for paper, _ in _papers() if _ours(paper))


def own_claims() -> tuple[Claim, ...]:
    """Claims of the papers of this package."""
    return tuple(claim for paper in own_papers() for claim in _loaded(paper.name) or ())


def outside_claims() -> tuple[Claim, ...]:
    """Claims of other packages; of the sources given to `use` alone, where there are some."""
    only = named()
    return tuple(c for c in all_claims() if c.outside and (only is None or c.paper in only))


def drawings(kind: str, *, outside: bool = False) -> tuple[Any, ...]:
    """`kind`, "DRAWINGS" or "SUMMARIES", of all modules that the papers name; imports no claims.

    Parameters
    ----------
    kind : str
    outside : bool
        Those of other packages' papers (of the sources given to `use` alone, where there are some), instead of ours.
    """
    drawn: list[Any] = []
    only = named()
    for paper, _ in _papers():
        if _ours(paper) == outside or (outside and only is not None and paper.name not in only):
            continue
        with nullcontext() if _ours(paper) else left_out(f"paper {paper.name!r}, its drawings"):
            for name in paper.drawings:
                drawn += getattr(importlib.import_module(name), kind, ())
    return tuple(drawn)


@cache
def by_id() -> dict[str, Claim]:
    """Every claim by its id."""
    return {claim.id: claim for claim in all_claims()}


def forget() -> None:
    """Look for papers anew when they are next asked for."""
    _papers.cache_clear()
    _loaded.cache_clear()
    by_id.cache_clear()
    _BROKEN.clear()


@cache
def _papers() -> tuple[tuple[Paper, str], ...]:
    """Each paper, with the source given to `use` that it is of, or nothing."""
    ours = _INDEX or [point.load() for point in _own()]  # a fault of ours is raised
    papers_by_name = {paper.name: (paper, "") for paper in ours}
    for name in _NAMED:
        with left_out(f"claims {name}", name):
            for paper in sources.papers(name):
                _add(paper, name, papers_by_name)
    for point in _installed():
        with left_out(f"paper {point.name!r} ({point.value})"):
            importing(point.module)
            paper = point.load()
            if not isinstance(paper, Paper):
                raise TypeError(f"it is a {type(paper).__name__}, not a dpbench.ledger.Paper")
            _add(paper, "", papers_by_name)
    return tuple(papers_by_name.values())


def _add(paper: Paper, source: str, papers_by_name: dict[str, tuple[Paper, str]]) -> None:
    known, _ = papers_by_name.setdefault(paper.name, (paper, source))
    if known is not paper:
        raise ValueError(f"another paper has the name {paper.name!r} already")


@cache
def _loaded(name: str) -> tuple[Claim, ...] | None:
    """The claims of a paper; None where they cannot be imported."""
    paper, source = next((one, source) for one, source in _papers() if one.name == name)
    with nullcontext() if _ours(paper) else left_out(f"paper {paper.name!r}", source):
        return paper.claims
    return None


def _ours(paper: Paper) -> bool:
    return paper.package.partition(".")[0] == _TOP


@contextmanager
def indexed() -> Iterator[None]:
    """Our papers as the index has them, if it is of this code and no paper is loaded yet: to read, not to run."""
    global _INDEX
    if not _papers.cache_info().currsize:
        from dpbench.ledger import index

        _INDEX = index.papers()
    try:
        yield
    finally:
        if _INDEX:
            _INDEX = ()
            forget()


@contextmanager
def left_out(what: str, source: str = "") -> Iterator[None]:
    """Whatever somebody else's module raises costs one message, `PaperNotLoaded` of `what`."""
    try:
        yield
    except (Exception, SystemExit) as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        if source:
            _BROKEN[source] = reason
        warnings.warn(f"{what} is left out: {reason}", PaperNotLoaded, stacklevel=4)


def _own() -> list[EntryPoint]:
    folders = importlib.import_module(GROUP).__path__
    places = sorted(place.parent.parent.name for f in folders for place in Path(f).glob("*/theorems/__init__.py"))
    return [EntryPoint(name, f"{GROUP}.{name}.theorems:paper", GROUP) for name in places]


def _installed() -> list[EntryPoint]:
    """Those of other packages, by name: ours are found by their place, even where an older version is installed."""
    return sorted(
        (p for p in entry_points(group=GROUP) if p.value.partition(".")[0] != _TOP), key=lambda p: (p.name, p.value)
    )
