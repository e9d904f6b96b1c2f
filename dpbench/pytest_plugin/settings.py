"""Options and ini settings of the pytest plugin."""

from __future__ import annotations

from typing import Any

import pytest

CLAIM = "dpbench_claim"
"""Under which a report keeps what became of a claim."""
# name, type, default, help; each an option --dp-NAME and a setting dp_NAME of the ini file.
SETTINGS: tuple[tuple[str, type, Any, str], ...] = (
    ("seed", int, 0, "seed of every audit (default: 0)"),
    ("trials", int, 1_000_000, "runs a side (default: 1,000,000)"),
    ("confidence", float, 0.999, "of each audit (default: 0.999)"),
    ("workers", int, 1, "threads of each audit and each claim (default: 1)"),
    ("level", str, "quick", "of each claim: quick or full (default: quick)"),
    ("store", str, "", "SQLite file of the claims' finished work (default: none)"),
    ("max-seconds", float, 0.0, "what a claim may take (default: 600, 14400 at level full)"),
)
LEAST = {"seed": 0, "trials": 100, "workers": 1, "max-seconds": 0}


def ini(name: str) -> str:
    """Name of a setting in the ini file."""
    return f"dp_{name.replace('-', '_')}"


def settings(config: pytest.Config) -> dict[str, Any]:
    """Seed, trials, confidence and workers in force.

    Raises
    ------
    pytest.UsageError
    """
    options = {}
    for name, kind, _, _ in SETTINGS:
        value, source = config.getoption(f"--dp-{name}"), f"--dp-{name}"
        if value is None:
            text, source = config.getini(ini(name)), f"{ini(name)} of the ini file"
            try:
                value = kind(text)
            except ValueError:
                must_be = "an integer" if kind is int else "a number"
                raise pytest.UsageError(f"{source} must be {must_be}, got {text!r}") from None
        if name in LEAST and value < LEAST[name]:
            kind_of = "an integer" if kind is int else "a number"
            raise pytest.UsageError(f"{source} must be {kind_of} >= {LEAST[name]}, got {value}")
        if name == "confidence" and not 0.0 < value < 1.0:
            raise pytest.UsageError(f"{source} must be a number strictly between 0 and 1, got {value}")
        if name == "level" and value not in ("quick", "full"):
            raise pytest.UsageError(f"{source} must be quick or full, got {value!r}")
        options[name.replace("-", "_")] = value
    return options
