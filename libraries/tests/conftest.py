"""A landing runs its part of these tests, as of the others: the part in DPBENCH_PART, or all."""

from __future__ import annotations

import os

import pytest

from tools import landings


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests of the other parts."""
    landings.leave_out(config, items, os.environ.get("DPBENCH_PART", ""))
