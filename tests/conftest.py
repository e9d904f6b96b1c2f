"""Fixtures of the tests of the command line, and options of the tests on hostile data."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from dpbench import cli
from dpbench.ledger import verify as ledger
from dpbench.ledger.core import Claim


def pytest_addoption(parser: pytest.Parser) -> None:
    """Where the tests on hostile data keep their counts, and how long a case of them may take."""
    parser.addoption("--counts", type=Path, default=None, metavar="FILE", help="counts of test_totality.py, kept there")
    parser.addoption("--seconds", type=float, default=None, help="processor time a case of test_totality.py")


@pytest.fixture
def only(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., None]:
    """An empty working directory, and a ledger of the claims given."""
    monkeypatch.chdir(tmp_path)

    def put(*claims: Claim) -> None:
        monkeypatch.setattr(ledger, "all_claims", lambda papers=None: claims)

    return put


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[[str], tuple[int, str, str]]:
    """A command line, run in process: exit code, output, errors."""

    def call(line: str) -> tuple[int, str, str]:
        code = cli.run(line.split())
        return code, *capsys.readouterr()

    return call
