"""Options that several commands share, and the files they write."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dpbench.core.printable import printable

if TYPE_CHECKING:
    from rich.console import Console

    from dpbench.ledger.core import Claim
    from dpbench.ledger.paper import Paper
    from dpbench.report.stored import Shown

DEFAULT_STORE = Path(".dpbench/runs.sqlite")


def whole(text: str) -> int:
    """An integer of the command line."""
    try:
        return int(text)
    except ValueError:
        raise typer.BadParameter(f"must be an integer, got {text!r}") from None


def number(text: str) -> float:
    """A number of the command line."""
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(f"must be a number, got {text!r}") from None


WHOLE: dict[str, Any] = {"parser": whole, "metavar": "INTEGER"}
NUMBER: dict[str, Any] = {"parser": number, "metavar": "NUMBER"}


def claim_ids(incomplete: str) -> list[str]:
    """Ids that begin so, for the shell's completion: of the committed evidence, whose files are named by them."""
    from dpbench.ledger.places import folder

    return sorted(path.stem for path in folder().glob("*.json") if path.stem.startswith(incomplete))


def figure_names(incomplete: str) -> list[str]:
    """Figures that begin so: every entry's own, too."""
    from dpbench.report.drawings import of_many, of_one

    names = {drawing.name for drawing in of_one()} | {drawing.name for drawing in of_many()}
    return sorted(name for name in names if name.startswith(incomplete))


def paper_ids(incomplete: str) -> list[str]:
    """Papers whose names begin so, none of which is imported."""
    from dpbench.ledger.registry import paper_names

    return [name for name in paper_names() if name.startswith(incomplete)]


def kinds(incomplete: str) -> list[str]:
    """Kinds of claims that begin so."""
    from dpbench.ledger.words import KINDS

    return [kind for kind in KINDS if kind.startswith(incomplete)]


ClaimsArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="CLAIM", help="ids or globs, e.g. 'glm.*.privacy*'; default all", autocompletion=claim_ids),
]
StoreOption = Annotated[Path, typer.Option("--store", help="SQLite file of finished work", metavar="FILE")]
SeedOption = Annotated[int, typer.Option("--seed", help="seed of all sampling", **WHOLE)]
WorkersOption = Annotated[
    int | None, typer.Option("--workers", help="threads; default one a core", show_default=False, **WHOLE)
]
ProcessesOption = Annotated[
    int | None,
    typer.Option("--workers", help="processes, each on whole entries; default one a core", show_default=False, **WHOLE),
]
SchedulerOption = Annotated[
    str | None,
    typer.Option(
        "--scheduler", help="Dask scheduler whose workers compute, instead of this machine", metavar="ADDRESS"
    ),
]
JsonOption = Annotated[
    Path | None,
    typer.Option("--json", help="write strict JSON here; - for stdout", metavar="FILE", show_default=False),
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="no progress, no table")]
PaperOption = Annotated[
    list[str] | None,
    typer.Option(
        "--paper",
        help="only this paper; may be given again",
        metavar="PAPER",
        show_default=False,
        autocompletion=paper_ids,
    ),
]
KindOption = Annotated[
    str | None,
    typer.Option("--kind", help="only this kind of claim", metavar="KIND", show_default=False, autocompletion=kinds),
]

SourcesOption = Annotated[
    list[str] | None,
    typer.Option(
        "--claims",
        help="take claims from here alone; may be given again",
        metavar="MODULE|FILE|FOLDER",
        show_default=False,
    ),
]


def use_sources(sources: list[str] | None) -> None:
    """Take claims from what ``--claims`` names; each command that reads the ledger begins with it."""
    from dpbench.ledger.registry import use

    use(sources)


def with_evidence(
    claims: list[str] | None, paper: list[str] | None, kind: str | None, store: Path, ledger: Path | None = None
) -> tuple[Sequence[Claim], dict[str, Shown], list[Paper]]:
    """The claims chosen, the verdicts of those that have one (stored, or of a file of ``verify --json``), their papers.

    Raises
    ------
    InvalidInput
        Where none has one.
    """
    from dpbench.core.validation import invalid
    from dpbench.ledger.registry import all_papers
    from dpbench.ledger.verify import select
    from dpbench.report.stored import best, known, of_document

    chosen = select(claims or None, paper=paper or None, kind=kind)
    ids, names = [claim.id for claim in chosen], {claim.paper for claim in chosen}
    results = of_document(_read(ledger)) if ledger else best(known(given_store(store), ids=ids), ids)
    mine = {name: results[name] for name in ids if name in results}
    if not mine:
        option = "--ledger" if ledger else "--store"
        raise invalid(option, "of a run of these claims (`dpbench verify` makes one)", str(ledger or store))
    return chosen, mine, [one for one in all_papers() if one.name in names]


def _read(path: Path) -> Any:
    from dpbench.core.validation import invalid

    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise invalid("--ledger", f"a file of `dpbench verify --json` ({reason})", str(path)) from error


def given_store(store: Path) -> Path | None:
    """The store to read; None where it is the default one and nothing has been run here yet."""
    return store if store.exists() or store != DEFAULT_STORE else None


def is_stdout(path: Path | None) -> bool:
    """Whether the user asked for standard output."""
    return path is not None and str(path) == "-"


@contextmanager
def chosen_workers(workers: int | None, scheduler: str | None) -> Iterator[Any]:
    """What computes the blocks: threads here (their number), or an executor on a cluster."""
    if scheduler is None:
        yield workers
        return
    from dpbench.core.validation import InvalidInput
    from dpbench.runs.scheduler import scheduler as connect

    if workers is not None:
        raise InvalidInput(f"--workers must not be given with --scheduler, got {workers} and {scheduler}")
    with connect(scheduler) as executor:
        yield executor


def check_writable(option: str, path: Path | None) -> None:
    """Refuse a file that cannot be written, before a long run and not after it."""
    if path is None or is_stdout(path):
        return
    from dpbench.core.validation import invalid

    must_be = "a file that can be written"
    try:
        if path.is_dir():
            raise invalid(option, f"{must_be} (it is a folder)", str(path))
        if path.exists():
            with open(path, "ab"):
                return
        with tempfile.TemporaryFile(dir=path.parent):
            return
    except (OSError, ValueError) as error:
        if getattr(error, "strerror", None) is None and not str(error).startswith("embedded"):
            raise
        reason = getattr(error, "strerror", None) or error
        raise invalid(option, f"{must_be} ({reason})", str(path)) from error


def write(path: Path, text: str) -> None:
    """Write a whole file or leave the old one; - is standard output, and devices are written as they are."""
    if is_stdout(path):
        say(text)
        return
    if path.exists() and not path.is_file():
        path.write_text(text + "\n", encoding="utf-8")
        return
    place = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        place.write_text(text + "\n", encoding="utf-8")
        place.replace(path)
    finally:
        place.unlink(missing_ok=True)


def write_json(path: Path, document: dict[str, Any]) -> None:
    """Strict JSON: no NaN, no infinities."""
    write(path, json.dumps(document, indent=1, allow_nan=False, ensure_ascii=is_stdout(path)))


def say(text: str, *, nl: bool = True) -> None:
    """Text on standard output, as a terminal may have it."""
    typer.echo(printable(text), nl=nl)


def console(*, stderr: bool = False) -> Console:
    """A rich console as wide as the terminal; in a file or a pipe wide enough not to wrap; text is filtered."""
    from rich.console import Console
    from rich.segment import Segment

    class Ours(Console):
        def render(self, *args: Any, **kwargs: Any) -> Iterator[Segment]:
            for segment in super().render(*args, **kwargs):
                yield segment if segment.control else Segment(printable(segment.text), segment.style)

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # rich would end the process with 1, the code of an unexpected verdict

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() or os.environ.get("COLUMNS") else 160
    return Ours(file=stream, width=width, highlight=False)


def parts(option: str, text: str, convert: Callable[[str], Any] = str) -> list[Any]:
    """The items of a comma-separated option, each converted."""
    from dpbench.core.validation import invalid

    parts_given = []
    for item in text.split(","):
        if not item.strip():
            raise invalid(option, "items separated by single commas", text)
        try:
            parts_given.append(convert(item.strip()))
        except ValueError as error:
            raise invalid(option, "numbers separated by commas", text) from error
    return parts_given
