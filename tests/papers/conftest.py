"""A context of a run, for tests of entries."""

import pytest

from dpbench.runs.context import RunContext


@pytest.fixture
def context():
    with RunContext(level="quick", seed=0, workers=1) as made:
        yield made
