"""Figures of ``dpbench bench``, from the document that its ``--json`` writes."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from dpbench.core.validation import InvalidInput, invalid
from dpbench.report.provenance import draw_file

MUST_BE = "a file that `dpbench bench --json` wrote"


def read(path: Path) -> dict[str, Any]:
    """The document in a file.

    Raises
    ------
    InvalidInput
        If the file is not what ``dpbench bench --json`` writes.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise invalid("--from", f"{MUST_BE} ({error.strerror})", str(path)) from error
    except ValueError as error:
        raise invalid("--from", f"{MUST_BE} (it is not JSON)", str(path)) from error
    if not isinstance(document, dict) or not document.keys() & {"rows", "grid"}:
        raise invalid("--from", MUST_BE, str(path))
    return document


def beside(prefix: Path, radius: float | None = None) -> Path:
    """A figure's path without its ending: PREFIX, of one of several radii PREFIX_radiusR."""
    return prefix if radius is None else prefix.with_name(f"{prefix.name}_radius{radius:g}")


def draw(document: Mapping[str, Any], prefix: Path, file: Path | None) -> list[Path]:
    """Draw every figure of a document, and say beside each what it was made from.

    Parameters
    ----------
    document : mapping
        What ``--json`` writes.
    prefix : Path
        Of the files.
    file : Path, optional
        That holds the document, for what is said beside the figures.

    Returns
    -------
    list of Path
        The figures, without their endings.

    Raises
    ------
    InvalidInput
        If the document lacks what the figures need.
    """
    made = []
    source = f"--data {document.get('data')}" if file is None else f"--from {file.name}"
    command = f"dpbench bench {source} --figure {prefix.name}"
    try:
        for path, drawing, said, numbers in _drawings(document, prefix):
            draw_file(drawing, path, said, numbers, command)
            made.append(path)
    except InvalidInput:
        raise
    except (KeyError, TypeError, IndexError, AttributeError, ValueError) as error:
        raise invalid("--from", MUST_BE, f"one where {type(error).__name__}: {error}") from error
    return made


def _drawings(document: Mapping[str, Any], prefix: Path) -> Iterator[tuple[Path, Any, str, Mapping[str, Any]]]:
    from dpbench.papers.glm.drawings_comparison import comparison

    several = document.get("grid", [document])
    for one in several:
        path = beside(prefix, one["radius"] if len(several) > 1 else None)
        yield path, functools.partial(comparison, one), _said(one), one


def _said(document: Mapping[str, Any]) -> str:
    return (
        f"Empirical excess risk over ε on {Path(document['data']).stem} (n = {document['n']:,}, d = {document['d']}, "
        f"{document['loss']} loss, radius {document['radius']:g}), beside the zero predictor."
    )
