"""The same cases under pytest-benchmark: ``pytest benchmarks --benchmark-only``."""

from __future__ import annotations

from typing import Any

from benchmarks.bench_cases import CASES


def pytest_generate_tests(metafunc: Any) -> None:
    """One test for each case (no import of pytest: asv imports every file here, without the test extra)."""
    metafunc.parametrize("name", list(CASES))


def test_speed(benchmark: Any, name: str) -> None:
    case = CASES[name]()
    case.check()
    answer = benchmark.pedantic(case.run, rounds=5, warmup_rounds=1)
    benchmark.extra_info.update(trials=case.trials, quality=case.quality(answer))
