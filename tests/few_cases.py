"""The mark `few(count)`: of a test's many cases the default selection meets that many, and the others are slow."""

from __future__ import annotations

from collections.abc import Iterable

import pytest


def spread(total: int, count: int) -> set[int]:
    """Places of so many of the cases, evenly over the list; all of them where there are no more."""
    return {place * total // count for place in range(count)}


def mark(items: Iterable[pytest.Item]) -> None:
    """Mark the other cases as slow; one that is asked for alone is not."""
    cases: dict[str, list[pytest.Item]] = {}
    counts: dict[str, int] = {}
    for item in items:
        if few := item.get_closest_marker("few"):
            name = item.nodeid.partition("[")[0]
            cases.setdefault(name, []).append(item)
            (counts[name],) = few.args
    for name, same in cases.items():
        kept = spread(len(same), counts[name])
        for place, item in enumerate(same):
            if place not in kept:
                item.add_marker(pytest.mark.slow)
