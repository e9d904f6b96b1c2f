"""A context without a store: entries of this paper are run with other arguments, and with planted errors."""

import pytest
from declared import Plain


@pytest.fixture
def context():
    return Plain()
