"""Faults found by breaking the suite that no other test keeps mended: processor types, seeds, what the docs start."""

from functools import partial
from pathlib import Path

import pytest
import runs_workload as work

from dpbench.runs import context
from dpbench.runs.context import RunContext
from dpbench.runs.store import Store

pytestmark = pytest.mark.meta

ROOT = Path(__file__).resolve().parents[2]
TEXTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "examples").rglob("*.md"))]


def test_blocks_of_another_processor_type_are_not_used(tmp_path, monkeypatch):
    path, log = tmp_path / "runs.sqlite", tmp_path / "log"

    def computed():
        before = len(log.read_text().split()) if log.exists() else 0
        with RunContext(level="quick", seed=0, workers=1, store=path) as context:
            context.map({"what": "types"}, partial(work.logged_block, str(log), 0.0), range(4))
        return len(log.read_text().split()) - before

    here = context.environment()
    assert "processor" in here and (computed(), computed()) == (4, 0)
    monkeypatch.setattr(context, "environment", lambda: here | {"processor": "Another, generic"})
    assert (computed(), computed()) == (4, 0)
    monkeypatch.undo()
    assert computed() == 0
    store = Store(path, read_only=True)
    assert len(store) == 8
    store.close()


def test_what_the_docs_start_listens_on_the_loopback_address():
    lines = [line for text in TEXTS for line in text.read_text(encoding="utf-8").splitlines()]
    started = [line for line in lines if "dask scheduler" in line]
    assert started and all("--host 127.0.0.1" in line for line in started if line.startswith("    "))
    assert not any("0.0.0.0" in line for line in lines)
