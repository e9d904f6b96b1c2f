"""The size of what chooses the auditor's event."""

from __future__ import annotations

import pytest

from studies import auditor_size

pytestmark = pytest.mark.meta

SOURCES = {
    "choose": "from dpbench.auditing.second import B\nfrom dpbench.auditing import blocks, far\nSHARE = 0.5\nT = 'a'\n",
    "second": "B = (1, -2.0 / 3)\nclass One:\n    _LEAST: int = 4\n    word = 3\n",
    "far": "def f():\n    from dpbench.auditing.second import B\n    LOCAL = 1\n",
    "blocks": "from dpbench.auditing.away import A\nA = 1\n",
    "away": "A = 1\n",
}


def test_what_choosing_imports_is_counted_and_what_lies_apart_is_not_followed() -> None:
    """Three modules: constants are SHARE, B and _LEAST; `away` is reached through `blocks` alone."""
    assert auditor_size.sizes(SOURCES) == {"choosing": (3, 11, 3), "the auditor": (5, 14, 5)}


def test_arrays_made_of_numbers_are_no_single_constant_and_names_in_small_letters_none() -> None:
    assert auditor_size.constants("A = 1\nb = 2\nC = [1]\nD = True\nE = -1e-3\nF = ()\nG: float = 2.0**16\n") == [
        "A",
        "E",
        "G",
    ]
