"""Our auditor beside jax-privacy's: its own side runs alone, and the missing extra has a name."""

import sys

import pytest

from benchmarks.peers import auditors
from dpbench.core.validation import MissingExtra

pytestmark = pytest.mark.meta


def test_our_side_runs_alone():
    """Two seeds; the analyses of one run in the order in which each says more."""
    rows = list(auditors.measure(("dpbench",), 2, 2))
    assert {row.task for row in rows} == {"mean bound", "false bounds", "one run"}
    means = [row.mean for row in rows if row.task == "one run"]
    assert len(means) == 2 and means == sorted(means)
    laplace = next(row for row in rows if row.mechanism.startswith("Laplace"))
    assert 0.97 < laplace.mean < 1.02


def test_a_missing_extra_is_named(monkeypatch):
    monkeypatch.setattr(auditors, "of_ours", lambda *_: {"dpbench": 0.5})
    monkeypatch.setitem(sys.modules, "jax_privacy", None)
    with pytest.raises(MissingExtra, match=r"dpbench-suite\[bench\]"):
        list(auditors.measure(("dpbench", "jax-privacy"), 2, 2))
