"""One planted error, and a short way to write many."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass

_SPACE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


def _tokens(text: str) -> Iterator[tuple[str, tuple[int, int], tuple[int, int]]]:
    """What the words of a piece of code are, with where each begins and ends; no line break, no comment.

    A comma before a closing bracket is left out, so that a formatter may break a line.
    """
    before: tokenize.TokenInfo | None = None
    words = tokenize.generate_tokens(io.StringIO(text).readline)
    try:
        for word in words:
            if word.type in _SPACE:
                continue
            if before is not None and not (before.string == "," and word.string in ")]}"):
                yield before.string, before.start, before.end
            before = word
    except (tokenize.TokenError, IndentationError):
        pass  # of a piece: a bracket that is closed elsewhere
    if before is not None:
        yield before.string, before.start, before.end


def places(text: str, piece: str) -> list[tuple[int, int]]:
    """From where to where the code of `piece` stands in `text`, however either is broken into lines."""
    lines = [0]
    for line in text.splitlines(keepends=True):
        lines.append(lines[-1] + len(line))
    words, wanted = list(_tokens(text)), [word for word, _, _ in _tokens(piece)]
    said, found = [word for word, _, _ in words], []
    for first in range(len(said) - len(wanted) + 1):
        if said[first : first + len(wanted)] == wanted:
            (row, column), (last, end) = words[first][1], words[first + len(wanted) - 1][2]
            found.append((lines[row - 1] + column, lines[last - 1] + end))
    return found


@dataclass(frozen=True)
class Mutation:
    """`old`, which stands once in the file at `path`, made `new`; and the test files that must notice it.

    `old` is found by its words, so that neither a line break nor a comment moves it.
    """

    path: str
    old: str
    new: str
    tests: tuple[str, ...]

    @property
    def name(self) -> str:
        """What it is called in a table: the file and the line as it should be."""
        return f"{self.path}: {' '.join(self.old.split())}"

    def put(self, text: str) -> str:
        """The file with the error in it.

        Raises
        ------
        LookupError
            Where `old` does not stand there once.
        """
        found = places(text, self.old)
        if len(found) != 1:
            raise LookupError(f"{self.name} must stand once in the file, got {len(found)} places")
        start, end = found[0]
        return text[:start] + self.new.strip() + text[end:]


def planted(path: str, tests: str, *pairs: tuple[str, str]) -> list[Mutation]:
    """Errors of one file, each noticed by at least one of the tests, whose names are parted by spaces."""
    return [Mutation(path, old, new, tuple(tests.split())) for old, new in pairs]
