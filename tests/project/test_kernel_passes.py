"""Which tests of kernels CI runs again with bounds checks and with the JIT off."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

from dpbench.core import sources

pytestmark = pytest.mark.meta
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def passes() -> Any:
    spec = importlib.util.spec_from_file_location("kernel_passes", ROOT / ".ci/kernel_passes.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_kernel_that_changed_concerns_the_files_that_reach_it(passes: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: another digest of one module of kernels."""
    before, real = passes.digests(), sources.digest_of
    monkeypatch.setattr(sources, "digest_of", lambda name: "other" if name.endswith("_tree_kernels") else real(name))
    after = passes.digests()
    changed = {Path(name).name for name in before if before[name] != after[name]}
    assert "test_heavytail_tree_kernels.py" in changed
    assert not {"test_vectors.py", "test_noisy_gd.py", "test_integer_noise.py"} & changed


@dataclasses.dataclass(frozen=True)
class Item:
    """A test as pytest collects it."""

    nodeid: str
    path: Path


def kept(passes: Any, monkeypatch: pytest.MonkeyPatch, changed: list[str], commit: str) -> set[str]:
    """Tests that are run, of 800 of each of two files."""
    monkeypatch.setenv(passes.CHANGED, json.dumps(changed))
    monkeypatch.setenv(passes.DRAWN_BY, commit)
    items = [Item(f"tests/{name}.py::test_{k}", ROOT / f"tests/{name}.py") for name in "ab" for k in range(800)]
    left: list[Item] = []

    class Config:
        class hook:
            @staticmethod
            def pytest_deselected(items: list[Item]) -> None:
                left.extend(items)

    whole = set(items)
    passes.pytest_collection_modifyitems(Config, items)
    assert set(items) | set(left) == whole and len(items) + len(left) == 1_600
    return {item.nodeid for item in items}


def test_files_that_changed_are_run_whole_and_of_the_others_a_sample(
    passes: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sample has a binomial law of mean 100, beyond 50 to 150 in 1 of 1e6 commits; each commit has its own."""
    first = kept(passes, monkeypatch, ["tests/a.py"], "one")
    again = kept(passes, monkeypatch, ["tests/a.py"], "two")
    assert sum("/a.py" in name for name in first) == 800
    assert 50 < sum("/b.py" in name for name in first) < 150
    assert {name for name in first if "/b.py" in name} != {name for name in again if "/b.py" in name}
    assert kept(passes, monkeypatch, ["tests/a.py"], "one") == first
