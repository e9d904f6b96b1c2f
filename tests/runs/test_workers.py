"""Entries in worker processes: the same ledger, one message for whatever breaks, and nobody left behind."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
import workers_workload as work
from interrupts import hear_interrupts
from patience import deadline, waits
from runs_workload import blocks_in

import dpbench
from dpbench import cli
from dpbench.ledger import verify as ledger
from dpbench.runs import workers
from dpbench.runs.context import RunContext, by_module
from dpbench.runs.executors import WorkersLost
from dpbench.runs.progress import Silent
from dpbench.runs.store import COLUMNS, Store, StoreError, with_checksum

pytestmark = pytest.mark.process

PROGRAM = """
import sys
import workers_workload as work
from dpbench import cli
log, pause = sys.argv[1], float(sys.argv[2])
work.plant([work.claim(name, work.logging, name, log, pause) for name in ("one", "two")])
sys.argv[1:] = ["verify", "--workers", "2", "--store", sys.argv[3], "--quiet"]
cli.main()
"""  # no guard of __main__, as in a script of a user's: a worker must not run it again


@pytest.fixture(autouse=True)
def restored(monkeypatch):
    """`plant` is undone after each test."""
    for name in ("all_claims", "by_module"):
        monkeypatch.setattr(ledger, name, getattr(ledger, name))


@pytest.fixture
def log(tmp_path):
    return tmp_path / "log"


@pytest.fixture
def program(tmp_path, log):
    """Starts `PROGRAM` in a process group of its own; it is ended after the test, whatever happens."""
    (tmp_path / "program.py").write_text(PROGRAM)
    folders = str(Path(dpbench.__file__).parents[1]), str(Path(work.__file__).parent)
    started = []

    def start(pause):
        arguments = map(str, (tmp_path / "program.py", log, pause, tmp_path / "runs.sqlite"))
        started.append(
            subprocess.Popen(
                [sys.executable, *arguments],
                env={**os.environ, "PYTHONPATH": os.pathsep.join(folders)},
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                start_new_session=True,
                preexec_fn=hear_interrupts,
            )
        )
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate()


def lines(log):
    return [line.split() for line in log.read_text().splitlines()] if log.exists() else []


def both_at_work(log, process):
    """Waits until both entries have started a third block; the processes that run them."""
    with deadline() as end:
        while not {"one 2", "two 2"} <= {f"{name} {block}" for _, name, block in lines(log)}:
            assert process.poll() is None and time.monotonic() < end, process.communicate()
            time.sleep(0.02)
    found = {int(pid) for pid, *_ in lines(log)}
    assert len(found) == 2 and process.pid not in found
    return found


def gone(pid):
    """A zombie that nobody has buried yet is gone too."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def wait_until_gone(pids):
    with deadline() as end:
        while not all(map(gone, pids)):
            assert time.monotonic() < end, "a worker outlived its run"
            time.sleep(0.02)


def document(found):
    made = found.to_dict()
    for part in (made, *(entry["evidence"] for entry in made["claims"])):
        part.pop("seconds")
    for entry in made["claims"]:
        del entry["stored"]
    return made


def test_the_ledger_is_that_of_one_process(log, tmp_path):
    names = ("c", "a", "d", "b")
    broken = work.claim("broken", work.raising, "arithmetic")
    work.plant([*(work.claim(name, work.logging, name, str(log), 0.0) for name in names), broken])
    expected = document(ledger.verify(workers=1, seed=3))
    path = tmp_path / "runs.sqlite"
    log.unlink()
    for again in range(2):  # the second reads what the first has stored, and says so
        found = ledger.verify(seed=3, store=path, processes=3)
        assert [entry.stored for entry in found.entries] == [bool(again)] * 4
        assert document(found) == expected
        assert [entry.claim.id for entry in found.entries] == [f"glm.{name}.floor" for name in names]
        assert found.not_run == ({"id": "glm.broken.floor", "reason": "ArithmeticError: planted"},)
        assert len(lines(log)) == 40 and os.getpid() not in {int(pid) for pid, *_ in lines(log)}
    store = Store(path, read_only=True)
    assert {v.claim for v in store.verdicts()} == {f"glm.{name}.floor" for name in names}
    store.close()


@pytest.mark.parametrize(
    ("kind", "raised", "says"),
    [("store", StoreError, "planted"), ("type", TypeError, "planted"), ("awkward", RuntimeError, "Awkward: 1 and 2")],
)
def test_what_ends_a_run_here_ends_it_there(kind, raised, says, log, tmp_path):
    work.plant([work.claim("bad", work.raising, kind), work.claim("slow", work.logging, "slow", str(log), 60.0)])
    with pytest.raises(raised) as caught:
        ledger.verify(store=tmp_path / "runs.sqlite", processes=2)
    assert (type(caught.value), str(caught.value)) == (raised, says)
    assert "in raising" in caught.value.__notes__[0]  # for DPBENCH_DEBUG=1
    wait_until_gone({int(pid) for pid, *_ in lines(log)})


def test_a_full_disk_in_a_worker(tmp_path):
    path = tmp_path / "runs.sqlite"
    work.plant([work.claim("full", work.on_a_full_disk), work.claim("other", work.raising, "arithmetic")])
    with pytest.raises(StoreError, match=r"runs.sqlite failed: .*; what it held is kept"):
        ledger.verify(store=path, processes=2)
    assert 0 < blocks_in(path) < 100


def test_a_killed_worker_is_one_clear_message_and_the_run_resumes(log, tmp_path):
    path, flag = tmp_path / "runs.sqlite", tmp_path / "flag"
    claims = work.claim("dying", work.dying_once, str(flag)), work.claim("slow", work.logging, "s", str(log), 0.3)
    work.plant(list(claims))
    says = rf"^glm.dying.floor: a worker died \(killed, or out of memory\); \d+ blocks are stored in {path}$"
    with pytest.raises(WorkersLost, match=says):
        ledger.verify(store=path, processes=2)
    kept = blocks_in(path)
    assert kept >= 5
    wait_until_gone({int(pid) for pid, *_ in lines(log)})
    begun = len(lines(log))
    assert ledger.verify(store=path, processes=2).as_expected
    assert len(lines(log)) - begun == 15 - kept  # what was stored is not computed again


@pytest.mark.parametrize(
    ("send", "number", "code"),
    [(os.kill, signal.SIGINT, 130), (os.killpg, signal.SIGINT, 130), (os.kill, signal.SIGTERM, 143),
     (os.kill, signal.SIGHUP, 129)],
)  # fmt: skip
def test_what_ends_a_run_keeps_what_is_computed_and_leaves_no_worker(program, log, tmp_path, send, number, code):
    """To the process alone, or to its group, as a terminal does."""
    process = program(0.3)
    pids = both_at_work(log, process)
    send(process.pid, number)
    with waits() as seconds:
        out, err = process.communicate(timeout=seconds)
    path = tmp_path / "runs.sqlite"
    kept = f"{blocks_in(path)} blocks stored in {path}; run the same command again to resume"
    assert (process.returncode, out, err) == (code, "", f"dpbench: interrupted: {kept}\n")
    assert all(map(gone, pids))
    begun = len(lines(log))
    assert 4 <= blocks_in(path) >= begun - 4  # no more is lost than was in flight
    process, stored = program(0.3), blocks_in(path)
    with waits() as seconds:
        assert process.communicate(timeout=seconds) == ("", "") and process.returncode == 0
    assert len(lines(log)) - begun == 20 - stored


def test_a_verdict_that_is_read_from_a_store_says_so(log, tmp_path, monkeypatch, capsys):
    """Planted: the verdict in the store is another one, with a checksum that fits. It is not found again, and named."""
    work.plant([work.claim("one", work.logging, "one", str(log), 0.0)])
    store, out = tmp_path / "runs.sqlite", tmp_path / "out.json"
    words = ["verify", "--store", str(store), "--json", str(out), "--workers", "1", "--quiet"]
    assert cli.run(words) == 0 and not capsys.readouterr().err
    assert [entry["stored"] for entry in json.loads(out.read_text())["claims"]] == [False]
    db = sqlite3.connect(store)
    row = list(db.execute(f"SELECT {', '.join(COLUMNS)} FROM verdict").fetchone())
    row[COLUMNS.index("verdict")] = "proved"
    db.execute("UPDATE verdict SET verdict = 'proved', checksum = ?", with_checksum(tuple(row))[-1:])
    db.commit()
    db.close()
    assert cli.run(words) == 1
    assert capsys.readouterr().err.startswith(f"dpbench: 1 of 1 verdicts are of an earlier run, read from {store} ")
    (entry,) = json.loads(out.read_text())["claims"]
    assert (entry["verdict"], entry["stored"]) == ("proved", True)
    assert cli.run([*words, "--recompute"]) == 0
    assert not json.loads(out.read_text())["claims"][0]["stored"]


def test_nothing_of_the_working_folder_is_imported(monkeypatch, log, tmp_path):
    folder, ran = tmp_path / "downloads", tmp_path / "ran"
    folder.mkdir()
    for name in ("pickle", "struct", "signal", "numpy"):
        (folder / f"{name}.py").write_text(f"open({str(ran)!r}, 'a').write({name!r})\nraise SystemExit\n")
    monkeypatch.chdir(folder)
    work.plant([work.claim(name, work.logging, name, str(log), 0.0) for name in ("one", "two")])
    assert ledger.verify(store=tmp_path / "runs.sqlite", processes=2).as_expected
    assert lines(log) and not ran.exists()


def test_nobody_outlives_a_killed_run(program, log):
    process = program(0.3)
    pids = both_at_work(log, process)
    process.kill()
    wait_until_gone(pids)
    with waits() as seconds:
        assert process.communicate(timeout=seconds) == ("", "")


def test_fewer_modules_than_cores_get_threads(tmp_path):
    work.plant([work.claim("one", work.threaded, 50), work.claim("two", work.threaded, 51)])
    found = ledger.verify(store=tmp_path / "runs.sqlite", processes=5)
    assert [entry.evidence.value for entry in found.entries] == [2.0, 2.0]
    assert all(set(entry.evidence.column("blas")) == {1} for entry in found.entries)


def test_workers_started_ahead_are_used_in_their_order_or_ended(log, tmp_path):
    """The first is used and outlives nothing; the last is ended with the block; a bad import is no fault."""
    work.plant([work.claim(name, work.logging, name, str(log), 0.0) for name in ("one", "two")])
    with workers.started(3, ("json:dumps", "no_module_of_this_name:claims")):
        waiting = list(workers._WAITING)
        assert ledger.verify(store=tmp_path / "runs.sqlite", processes=2).as_expected
        assert waiting[2:] == workers._WAITING
    assert {int(pid) for pid, *_ in lines(log)} == {worker.process.pid for worker in waiting[:2]}
    assert all(worker.process.returncode is not None for worker in waiting) and not workers._WAITING


class Told(Silent):
    def __init__(self):
        self.claims: list[tuple[int, int, str]] = []
        self.shares: list[tuple[int, int]] = []

    def claim(self, done, total, name):
        self.claims.append((done, total, name))

    def blocks(self, done, total):
        self.shares.append((done, total))


def test_progress_is_that_of_all_workers(log, tmp_path):
    work.plant([work.claim(name, work.logging, name, str(log), 0.2) for name in ("a", "b", "c")])
    told = Told()
    ledger.verify(store=tmp_path / "runs.sqlite", processes=2, progress=told)
    assert [done for done, *_ in told.claims] == sorted(done for done, *_ in told.claims)
    assert {total for _, total, _ in told.claims} == {3} and len(told.claims) == 3
    assert told.claims[0][2][:11] in ("glm.a.floor", "glm.b.floor") and told.claims[1][2].endswith(" and 1 more")
    assert max(told.shares) > (0, 0) and all(done <= total for done, total in told.shares)
    assert {total for _, total in told.shares} <= {0, 10, 20}  # of the claims that are at work, which have ten each


def test_the_longest_goes_first(tmp_path):
    floor, rate, known = work.claim("a", len), work.claim("b", len, kind="rate"), work.claim("c", len)
    with RunContext(level="quick", seed=0, store=tmp_path / "runs.sqlite") as context:
        for level, seconds in (("quick", 1.5), ("quick", 0.1), ("full", 99.0)):
            context.store.record(known.id, level, int(seconds), "code", "not refuted", {"seconds": seconds})
        assert workers._longest_first([[floor], [known], [rate]], context) == [[rate], [known], [floor]]
        assert workers._longest_first([[known, floor], [rate]], context) == [[known, floor], [rate]]
    assert by_module([floor, rate, known]) == [[floor, rate, known]]
