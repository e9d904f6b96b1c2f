"""An audit that is stopped goes on from what its blocks gave; commits are copied in place of being built."""

from __future__ import annotations

import json
import os
import pickle
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dpbench
from dpbench.auditing import blocks
from dpbench.auditing.dependence import KEPT, Watch
from dpbench.auditing.traces import probe_of

pytestmark = pytest.mark.meta

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def bench(monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder is at the root, beside the tests; installed packages come first."""
    monkeypatch.setattr(sys, "path", [*sys.path, str(ROOT)])


def noisy(shift: float, trials: int, rng: np.random.Generator) -> np.ndarray:
    return shift + rng.laplace(size=trials)


def other(shift: float, trials: int, rng: np.random.Generator) -> np.ndarray:
    return shift + rng.laplace(size=trials)


class Counted(Executor):
    """Runs calls in this thread, and is stopped, as by Ctrl-C, before a call of `map`."""

    def __init__(self, stopped_at: int | None = None) -> None:
        self.maps, self.calls, self.stopped_at = 0, 0, stopped_at

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        raise NotImplementedError

    def map(
        self, fn: Callable[..., Any], *iterables: Iterable[Any], timeout: float | None = None, chunksize: int = 1
    ) -> Iterator[Any]:
        self.maps += 1
        if self.maps == self.stopped_at:
            raise KeyboardInterrupt
        calls = list(zip(*iterables, strict=True))
        self.calls += len(calls)
        return iter([fn(*call) for call in calls])


def test_an_audit_goes_on_where_it_was_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same result, each block computed once; a sampler of another name finds nothing."""
    from studies.kept_blocks import KeptBlocks

    monkeypatch.setattr(blocks, "BLOCK", 512)
    monkeypatch.setattr(blocks, "CHUNK", 8)
    want, whole = dpbench.audit(noisy, 0.0, 1.0, trials=10_000), Counted()
    dpbench.audit(noisy, 0.0, 1.0, trials=10_000, workers=whole)
    first, second = Counted(stopped_at=4), Counted()
    with KeptBlocks(first, tmp_path / "kept.sqlite") as kept, pytest.raises(KeyboardInterrupt):
        dpbench.audit(noisy, 0.0, 1.0, trials=10_000, workers=kept)
    with KeptBlocks(second, tmp_path / "kept.sqlite") as kept:
        assert dpbench.audit(noisy, 0.0, 1.0, trials=10_000, workers=kept) == want
        assert (kept.computed, kept.found) == (second.calls, first.calls)
    assert first.calls > 0 < second.calls and first.calls + second.calls == whole.calls
    with KeptBlocks(Counted(), tmp_path / "kept.sqlite") as kept:
        dpbench.audit(other, 0.0, 1.0, trials=10_000, workers=kept)
        assert kept.found == 0


def test_what_other_code_computed_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from studies import kept_blocks

    for code, found in (("a", 0), ("a", 3), ("b", 0)):
        monkeypatch.setattr(kept_blocks, "fingerprint", lambda code=code: code)
        with kept_blocks.KeptBlocks(Counted(), tmp_path / "kept.sqlite") as kept:
            assert list(kept.map(abs, [-1, 2, -3])) == [1, 2, 3] and kept.found == found


def test_blocks_travel_without_bits_that_nobody_reads() -> None:
    """Past `KEPT` blocks a trace is small, on the way and in memory, and the checks are those of whole traces."""
    watches = [Watch("sampler noisy"), Watch("sampler noisy")]
    first, second = (noisy(shift, 5000, np.random.default_rng(1)) for shift in (0.0, 1.0))
    probe = probe_of(first, second)
    counter = blocks.Counter((np.abs,), (np.array([1.0]),), probe.with_event((0.4, 0.5)), 1.0)
    count = blocks._Count(blocks.Runs(noisy, 0.0, 1.0, 0, "noisy"), "certify", counter, first[:0], 4096)
    for side in (0, 1):
        for block in range(KEPT - 2, KEPT + 2):
            counts, trace = count((side, block, 4096))
            assert trace is not None
            outputs = count.runs.draw("certify", side, block, 4096)
            same, whole = counter(outputs, side)
            assert np.array_equal(counts, same) and whole is not None
            assert (trace.bits.size == 0) == (block >= KEPT) and np.array_equal(trace.tables, whole.tables)
            if block >= KEPT:
                assert len(pickle.dumps(trace)) < 0.5 * len(pickle.dumps(whole)) and trace.bits.base is None
            for watch, given in zip(watches, (trace, whole), strict=True):
                watch._blocks.setdefault(("certify", side), [whole] * KEPT if block == KEPT - 2 else [])
                watch.add("certify", side, counter.probe, given)  # type: ignore[arg-type]
    for watch in watches:
        for traces in watch._blocks.values():
            assert len(traces) == KEPT + 4 and traces[-1].bits.base is None
    assert watches[0]._tables["certify", 0].tolist() == watches[1]._tables["certify", 0].tolist()


def test_what_follows_from_the_seconds_of_the_processor() -> None:
    """2e7 runs more cost workers 8 s, the client 2 s and 14 bytes; 3 s of the client and 93 bytes are of any audit."""
    from studies.scale import calculated, used

    names = ("draws", "processor_seconds_of_workers", "processor_seconds_here", "bytes_moved")
    small, large = (dict(zip(names, row, strict=True)) for row in ((10**7, 5.0, 4.0, 100), (3 * 10**7, 13.0, 6.0, 114)))
    found = calculated(small, large)
    assert (found["speed_up_of_two"], found["workers_kept_busy"], found["bytes_of_1e10"]) == (2.0, 4.0, 7100.0)
    assert found["hours_of_1e10_on_two"] * 3600.0 == pytest.approx(2003.0)
    assert found["processor_hours_here_of_1e10"] * 3600.0 == pytest.approx(1003.0)
    assert found["processor_hours_of_workers_of_1e10"] * 3600.0 == pytest.approx(4000.0)
    seconds, peak = used()
    assert seconds > 0.0 and peak > 10**7


def test_tasks_and_results_of_an_executor_are_weighed() -> None:
    """Functions among the arguments travel once and are left out."""
    from studies.scale import moved

    with ThreadPoolExecutor(1) as executor:
        counts = moved(executor)
        assert executor.submit(max, b"a" * 1000, b"b", key=len).result() == b"a" * 1000
        assert executor.submit(map, len, [b"ab"]).result() is not None
    assert 1000 < counts["task"][0] < 1200 and counts["task"][1] < 200 and 1000 < counts["result"][0] < 1200


def test_a_commit_is_copied_with_its_times(tmp_path: Path) -> None:
    from benchmarks.quick_install import PARTS, install

    source, into = tmp_path / "checkout", tmp_path / "site"
    for name in PARTS:
        (source / name).mkdir(parents=True)
        (source / name / "__init__.py").write_text(f"NAME = {name!r}")
        os.utime(source / name / "__init__.py", (1e9, 1e9))
    (into / "dpbench").mkdir(parents=True)
    (into / "dpbench" / "gone.py").write_text("")
    install(source, tmp_path / "packages", into)
    assert not (into / "dpbench" / "gone.py").exists()
    for name in PARTS:
        assert (into / name / "__init__.py").stat().st_mtime == 1e9
    assert (into / "of_the_caller.pth").read_text() == f"{tmp_path / 'packages'}\n"
    with (ROOT / "pyproject.toml").open("rb") as text:
        packages = tomllib.load(text)["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert set(PARTS) <= {Path(name).name for name in packages}


def test_the_quick_dashboard_builds_nothing(tmp_path: Path) -> None:
    from benchmarks.dashboard import quick_setup

    (tmp_path / "asv.conf.json").write_text((ROOT / "asv.conf.json").read_text())
    options, settings = quick_setup(tmp_path / "asv.conf.json")
    made = json.loads(Path(options[1]).read_text())
    assert options[0] == "--config" and made["matrix"] == {} and made["build_command"] == []
    assert made["html_dir"] == str(tmp_path / ".asv" / "html") and Path(made["repo"]) == tmp_path
    assert "quick_install.py" in made["install_command"][0]
    assert settings["NUMBA_CACHE_DIR"].startswith(str(tmp_path))
