"""One planted error, and a short way to write many."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mutation:
    """`old`, which stands once in the file at `path`, made `new`; and the test files that must notice it."""

    path: str
    old: str
    new: str
    tests: tuple[str, ...]

    @property
    def name(self) -> str:
        """What it is called in a table: the file and the line as it should be."""
        return f"{self.path}: {' '.join(self.old.split())}"


def planted(path: str, tests: str, *pairs: tuple[str, str]) -> list[Mutation]:
    """Errors of one file, each noticed by at least one of the tests, whose names are parted by spaces."""
    return [Mutation(path, old, new, tuple(tests.split())) for old, new in pairs]
