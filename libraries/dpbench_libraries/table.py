"""The table of ``dpbench audit-library``: each library's cases, a row each."""

from __future__ import annotations

import datetime
import importlib
import textwrap
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from importlib import metadata
from pathlib import Path
from typing import Any

from dpbench.auditing.audit import Progress
from dpbench.core import validation
from dpbench.core.validation import InvalidInput
from dpbench_libraries.case import Case, Known, audit_case
from dpbench_libraries.worker import Drawn, Worker, chosen

LONGEST = 200
"""Characters of a data set that are shown."""

CONFIDENCE = 1.0 - 1e-6
"""Of a row, by default."""

LIBRARIES = ("opendp", "diffprivlib", "pydp", "jax_privacy", "datasynthesizer", "flower")
"""Of which there are cases; each is a module of this folder."""


@dataclass(frozen=True)
class Row:
    """A case after its audit.

    Attributes
    ----------
    library, version, mechanism, about : str
    relation : str or None
        Of the neighbours; None where they are two values or counts.
    claim : str
        In words.
    unit : str
        Of `claimed`, `bound` and `detectable`, such as "epsilon".
    claimed : float or None
        Where the claim is one number.
    bound : float
        A lower bound on the loss, at `confidence`.
    detectable : float or None
        The least loss at which the event found would have refuted the claim with probability one half.
    verdict : {"refuted", "blind", "not refuted"}
    known : Known or None
        What is known of a refutation.
    event, pair : str
        What shows the bound.
    assumes : tuple of str
        What the reading of the claim rests on.
    runs, seed : int
        Runs a side.
    confidence, seconds : float
    date, command : str
    """

    library: str
    version: str
    mechanism: str
    about: str
    relation: str | None
    claim: str
    unit: str
    claimed: float | None
    bound: float
    detectable: float | None
    verdict: str
    known: Known | None
    event: str
    pair: str
    assumes: tuple[str, ...]
    runs: int
    confidence: float
    seed: int
    seconds: float
    date: str
    command: str

    @property
    def name(self) -> str:
        """The mechanism and what is particular."""
        return f"{self.mechanism} ({self.about})" if self.about else self.mechanism

    @property
    def unexpected(self) -> bool:
        """Refuted where nothing is known of it, or blind."""
        return self.verdict == "blind" or (self.verdict == "refuted" and self.known is None)

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and strings, ready for JSON."""
        return asdict(self)


def adapter(library: str) -> Any:
    """The module of a library.

    Raises
    ------
    InvalidInput
    """
    validation.choice("library", library, LIBRARIES)
    return importlib.import_module(f"dpbench_libraries.{library}")


def select(library: str, mechanisms: Sequence[str] = ()) -> tuple[Case, ...]:
    """The cases of a library, or those of these names: of one case, or of a mechanism, or the last part of it.

    Raises
    ------
    InvalidInput
    """
    cases: tuple[Case, ...] = adapter(library).cases()
    named = {case.name: {case.name} for case in cases}
    known = {**named}
    for case in cases:
        for name in {case.mechanism, case.mechanism.rpartition(".")[2]} - set(named):
            known[name] = known.get(name, set()) | {case.name}
    for name in mechanisms:
        if name not in known:
            raise InvalidInput(
                f"mechanism must be one that {library} --list names{validation.did_you_mean(name, known)}, got {name!r}"
            )
    wanted = set().union(*(known[name] for name in mechanisms)) if mechanisms else set(named)
    return tuple(case for case in cases if case.name in wanted)


def check_python(library: str, python: str | Path | None) -> None:
    """Refuse an interpreter for a library that runs in this process.

    Raises
    ------
    InvalidInput
    """
    if not adapter(library).REQUIREMENTS and python is not None:
        raise InvalidInput(f"python must be left out for {library}, which runs in this process, got {str(python)!r}")


def rows(
    library: str,
    mechanisms: Sequence[str] = (),
    *,
    trials: int | None = None,
    confidence: float = CONFIDENCE,
    seed: int = 0,
    python: str | Path | None = None,
    say: Callable[[str], None] | None = None,
    started: Callable[[int, int, str], None] | None = None,
    progress: Progress | None = None,
) -> Iterator[Row]:
    """Audit the cases of a library, one row after the other.

    Parameters
    ----------
    library : str
        One of `LIBRARIES`.
    mechanisms : sequence of str
        Of which; none: all.
    trials : int, optional
        Runs a side of every case, in place of its own number.
    confidence, seed, progress
        Of each row, as in `dpbench.audit`.
    python : str or Path, optional
        An interpreter with the library, where it needs an environment of its own.
    say : callable, optional
        Told how the environment is made.
    started : callable, optional
        ``started(done, total, name)`` before each row.

    Raises
    ------
    InvalidInput
        A name or a number cannot be used, or the library is missing or raised.
    OSError
        The environment could not be made.
    """
    check_python(library, python)
    cases = select(library, mechanisms)
    module = adapter(library)
    with ExitStack() as stack:
        if module.REQUIREMENTS:
            worker = stack.enter_context(Worker(chosen(library, module.REQUIREMENTS, python, say)))
            version = worker.version(module.PACKAGE)
            cases = tuple(replace(case, sampler=Drawn(worker, case.sampler)) for case in cases)
        else:
            version = metadata.version(module.PACKAGE)
        for number, case in enumerate(cases):
            if started is not None:
                started(number, len(cases), f"{library} {case.name}")
            yield _row(library, version, case, trials, confidence, seed, progress)


def _row(
    library: str,
    version: str,
    case: Case,
    trials: int | None,
    confidence: float,
    seed: int,
    progress: Progress | None,
) -> Row:
    began = time.monotonic()
    result = audit_case(case, trials=trials, confidence=confidence, seed=seed, progress=progress)
    seconds = time.monotonic() - began
    name = f"'{case.name}'" if " " in case.name else case.name
    given = {"trials": trials, "confidence": None if confidence == CONFIDENCE else confidence, "seed": seed or None}
    more = "".join(f" --{key} {value}" for key, value in given.items() if value is not None)
    return Row(
        library,
        version,
        case.mechanism,
        case.about,
        case.relation,
        result.claim or _words(case.claim),
        result.unit,
        result.claimed_value,
        result.epsilon_lower if result.bound is None else result.bound,
        result.detectable,
        result.verdict or "",
        case.known,
        result.event,
        " and ".join(textwrap.shorten(str(x), LONGEST) for x in result.pair or ()),
        case.assumes,
        result.trials,
        result.confidence,
        seed,
        round(seconds, 2),
        datetime.date.today().isoformat(),
        f"dpbench audit-library {library} --mechanism {name}{more}",
    )


def _words(claim: Any) -> str:
    return f"epsilon {claim['epsilon']:g}" + (f", delta {claim['delta']:g}" if claim.get("delta") else "")
