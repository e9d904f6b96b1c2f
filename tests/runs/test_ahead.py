"""Worker processes that are started before there is work for them."""

from __future__ import annotations

import pytest
from patience import waits

from dpbench.runs import ahead

pytestmark = pytest.mark.process


def test_workers_started_ahead_are_used_in_their_order_or_ended() -> None:
    """The first is handed out and outlives the block; the second is ended with it; a bad import is no fault."""
    with ahead.ahead(2, ("json:dumps", "no_module_of_this_name:claims")):
        waiting = list(ahead._WAITING)
        taken = ahead.worker()
        assert taken is waiting[0] and waiting[1:] == ahead._WAITING
    assert waiting[1].returncode is not None and taken.poll() is None and not ahead._WAITING
    with waits() as seconds:
        taken.communicate(timeout=seconds)  # its stdin ends: there is no more work
    assert taken.returncode == 0
