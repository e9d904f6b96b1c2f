"""Blocks on a real Dask scheduler with two worker processes, over TCP: same bits, killed workers, lost scheduler."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import runs_workload as work
from patience import deadline, waits
from runs_workload import blocks_in

import dpbench
from dpbench.cli.app import run
from dpbench.core.validation import InvalidInput, MissingExtra
from dpbench.runs.context import RunContext
from dpbench.runs.executors import BlockError, WorkersLost
from dpbench.runs.scheduler import fingerprint, scheduler
from dpbench.runs.store import Store

pytestmark = [
    pytest.mark.skipif(find_spec("distributed") is None, reason="distributed is not installed (extra cluster)"),
    pytest.mark.process,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # of distributed's own imports
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]

ROOT = Path(dpbench.__file__).parents[1]
UNIT = {"what": "cluster"}
BLOCKS = 60


class Farm:
    """A scheduler and its workers, each a process."""

    def __init__(self, folder):
        self.folder = folder
        self.processes: list[subprocess.Popen[bytes]] = []
        found = folder / "scheduler.json"
        self.scheduler = self._start(
            "dask_scheduler", "--port", "0", "--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", str(found)
        )
        with deadline() as end:
            while not (found.exists() and found.read_text().endswith("}")):
                assert time.monotonic() < end and self.scheduler.poll() is None
                time.sleep(0.05)
        self.address = json.loads(found.read_text())["address"]
        self.workers: list[subprocess.Popen[bytes]] = []

    def add_worker(self, **environment):
        options = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", str(self.folder))
        self.workers.append(self._start("dask_worker", self.address, *options, **environment))

    def _start(self, module, *arguments, **environment):
        process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", f"distributed.cli.{module}", *arguments],
            env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{Path(work.__file__).parent}", **environment},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.processes.append(process)
        return process

    def wait(self):
        """Until all workers are there."""
        from distributed import Client  # takes seconds: where it is used alone

        with waits() as seconds:
            client = Client(self.address, timeout=seconds, set_as_default=False)
            client.wait_for_workers(len(self.workers), timeout=seconds)
        client.close()

    def close(self):
        for process in self.processes:
            process.kill()
        for process in self.processes:
            process.wait()


def _farm(folder):
    made = Farm(folder)
    try:
        for _ in range(2):
            made.add_worker()
        made.wait()
        yield made
    finally:
        made.close()


@pytest.fixture(scope="module")
def farm(tmp_path_factory):
    """Of all tests that leave its processes alive."""
    yield from _farm(tmp_path_factory.mktemp("farm"))


@pytest.fixture
def doomed(tmp_path):
    """Of one test that kills some of them."""
    yield from _farm(tmp_path)


def later(condition, action):
    """Do something once a condition holds, while the caller goes on."""

    def watch():
        try:
            with deadline() as end:
                while not condition() and time.monotonic() < end:
                    time.sleep(0.01)
        finally:
            action()

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    return thread


def lines(log):
    return len(log.read_text().split()) if log.exists() else 0


def test_same_bits_as_threads(farm):
    function = partial(work.block_of, 2.0)
    with RunContext(level="quick", seed=0, workers=2) as context:
        expected = work.digest(context.map(UNIT, function, range(BLOCKS)))
    with scheduler(farm.address) as executor, RunContext(level="quick", seed=0, workers=executor) as context:
        found = context.map(UNIT, function, range(BLOCKS))
        ran = context.map({"what": "where"}, work.process_of, range(BLOCKS))
    assert work.digest(found) == expected
    assert len(set(ran)) == 2 and os.getpid() not in ran  # both workers computed, and we did not
    wrong = [{**value, "mean": np.nextafter(value["mean"], 9.0)} for value in found[:1]] + found[1:]
    assert work.digest(wrong) != expected


def test_a_mechanism_and_an_audit_have_the_same_bits(farm):
    def ours(workers):
        X = np.eye(4)[np.arange(40) % 4]
        problem = dpbench.GLMProblem(X, np.ones(40), loss="squared", x_bound=1.0, y_bound=1.0, radius=1.0)
        mechanism = dpbench.glm.NoisyGD(1.0, 1e-5)
        neighbour = problem.replace_record(0, -X[0], -1.0)
        result = dpbench.audit(mechanism, problem, neighbour, delta=1e-5, trials=40_000, workers=workers)
        return mechanism.sample(problem, 200, workers=workers).tobytes(), result.to_dict()

    with scheduler(farm.address) as executor:
        assert ours(executor) == ours(1)


def test_a_function_travels_once_and_not_with_every_block(farm):
    function, before = work.Counted(), work.Counted.pickled
    with scheduler(farm.address) as executor:
        futures = [executor.submit(work.call, function, block) for block in range(20)]
        with waits() as seconds:
            assert [future.result(timeout=seconds) for future in futures] == list(range(1, 21))
    assert 1 <= work.Counted.pickled - before <= 2


def test_a_worker_killed_in_the_middle_loses_nothing(doomed, tmp_path):
    log = tmp_path / "log"
    slow = partial(work.logged_block, str(log), 0.05)
    with scheduler(doomed.address) as executor:
        killer = later(lambda: lines(log) >= 10, doomed.workers[0].kill)
        with RunContext(level="quick", seed=0, workers=executor, store=tmp_path / "runs.sqlite") as context:
            found = context.map(UNIT, slow, range(BLOCKS))
        killer.join()
    assert doomed.workers[0].poll() == -signal.SIGKILL and doomed.workers[1].poll() is None
    with scheduler(doomed.address) as executor, waits() as seconds:  # one worker is enough
        assert executor.submit(work.number_of, 0).result(timeout=seconds) == work.number_of(0)
    with RunContext(level="quick", seed=0, workers=1) as context:
        assert found == context.map(UNIT, slow, range(BLOCKS))
    store = Store(tmp_path / "runs.sqlite", read_only=True)
    assert len(store) == BLOCKS
    store.close()


def test_the_scheduler_gone_keeps_what_was_stored(doomed, tmp_path):
    """It goes when ten blocks are stored; about twenty, in whatever order, are done by then, and others wait for it."""
    log, path, gate = tmp_path / "log", tmp_path / "runs.sqlite", tmp_path / "gate"
    slow = partial(work.gated_block, str(log), str(gate), 20)
    Store(path).close()
    with scheduler(doomed.address) as executor:
        killer = later(lambda: blocks_in(path) >= 10, lambda: (doomed.scheduler.kill(), gate.touch()))
        with (
            pytest.raises(WorkersLost, match="blocks are stored in") as caught,
            RunContext(level="quick", seed=0, workers=executor, store=path) as context,
        ):
            context.map(UNIT, slow, range(BLOCKS))
        killer.join()
    kept = int(str(caught.value).rsplit(";", 1)[1].split()[0])
    assert 10 <= kept < BLOCKS
    doomed.close()  # the workers, which may have begun more
    log.unlink()
    with RunContext(level="quick", seed=0, workers=1, store=path) as context:
        found = context.map(UNIT, slow, range(BLOCKS))
    assert lines(log) == BLOCKS - kept  # what was stored is not computed again
    with RunContext(level="quick", seed=0, workers=1) as context:
        assert found == context.map(UNIT, slow, range(BLOCKS))


def test_a_block_that_kills_every_worker_ends_the_run(doomed, tmp_path):
    """The message names a block whose workers died: the one that kills, or one whose result they took with them."""
    for _ in range(4):
        doomed.add_worker()
    doomed.wait()
    with (
        scheduler(doomed.address) as executor,
        pytest.raises(WorkersLost, match=r"block [0-3] of .*a worker died"),
        RunContext(level="quick", seed=0, workers=executor, store=tmp_path / "runs.sqlite") as context,
    ):
        context.map({"what": "first"}, work.number_of, range(16))  # every worker has its imports behind it
        context.map(UNIT, partial(work.dying, 3), range(4))


def test_an_error_of_a_block_is_the_blocks_own(farm):
    with (
        scheduler(farm.address) as executor,
        pytest.raises(BlockError, match=r"block 2 of .*ZeroDivisionError: planted"),
        RunContext(level="quick", seed=0, workers=executor) as context,
    ):
        context.map(UNIT, partial(work.failing, 2), range(4))


def test_another_processor_type_of_a_worker_is_refused(doomed):
    """Its last bits would be stored under the type of this process."""
    doomed.add_worker(NUMBA_CPU_NAME="generic")
    doomed.wait()
    with pytest.raises(InvalidInput, match=r"and its processor type, got .*tcp"), scheduler(doomed.address):
        pass


def test_other_code_on_a_worker_is_refused(farm, monkeypatch):
    """Before the run, and from a worker that joins later."""
    monkeypatch.setattr("dpbench.runs.scheduler.versions", lambda: {"numpy": "0"})  # in this process alone
    fingerprint.cache_clear()
    with pytest.raises(InvalidInput, match="the code and versions of this process"), scheduler(farm.address):
        pass
    monkeypatch.setattr("dpbench.runs.scheduler._check", lambda client, address: None)
    with (
        scheduler(farm.address) as executor,
        pytest.raises(WorkersLost) as caught,
        RunContext(level="quick", seed=0, workers=executor) as context,
    ):
        context.map(UNIT, work.number_of, range(2))
    assert "other code or versions" in str(caught.value.__cause__)
    fingerprint.cache_clear()


def test_from_the_command_line(farm, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    line = "verify glm.thm5.privacy --quiet --json"
    assert run([*line.split(), "there.json", "--scheduler", farm.address, "--store", "there.sqlite"]) == 0
    assert run([*line.split(), "here.json", "--workers", "1", "--store", "here.sqlite"]) == 0
    here, there = (json.loads(Path(f"{name}.json").read_text()) for name in ("here", "there"))
    for document in (here, there):
        document.pop("seconds")
        for claim in document["claims"]:
            claim["evidence"].pop("seconds")
    assert here == there


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("verify --scheduler tcp://127.0.0.1:9 ", "--scheduler must be the address of a running Dask scheduler"),
        ("bench --data diabetes --scheduler what://ever", "--scheduler must be the address of a running"),
    ],
)
def test_bad_use(line, words, monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("dpbench.runs.scheduler._PATIENCE", 1)
    assert run(line.split()) == 2
    said = capsys.readouterr().err
    assert words in said and said.count("\n") == 1


@pytest.mark.parametrize("address", [8786, None, "nonsense"])
def test_what_is_no_address_is_refused(address):
    with pytest.raises(InvalidInput, match="scheduler must be an address such as"), scheduler(address):
        pass


def test_a_missing_extra_is_named(monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtra), scheduler("tcp://127.0.0.1:1"):
        pass
    assert run(["verify", "--scheduler", "tcp://127.0.0.1:1"]) == 2
    assert "dpbench-suite[cluster]" in capsys.readouterr().err
