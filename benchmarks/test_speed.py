"""The pieces of work under pytest-benchmark: ``pytest benchmarks --benchmark-only``."""

from __future__ import annotations

from itertools import count
from typing import Any

from benchmarks.headline import HEADLINE


def pytest_generate_tests(metafunc: Any) -> None:
    """One test for each piece (no import of pytest: asv imports every file here, without the test extra)."""
    metafunc.parametrize("name", list(HEADLINE))


def test_speed(benchmark: Any, name: str) -> None:
    work = HEADLINE[name]()
    calls = count()
    benchmark.pedantic(lambda: work(next(calls)), rounds=5, warmup_rounds=1)
