"""Runs in real processes: SIGKILL at random moments, Ctrl-C, edits of the code between two runs."""

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
import runs_workload as work
from interrupts import hear_interrupts
from patience import deadline, waits

import dpbench
from dpbench.runs.store import Store

pytestmark = pytest.mark.process

ROOT = Path(dpbench.__file__).parents[1]
PROGRAM = Path(work.__file__)
BLOCKS, WORKERS = 6_000, 2
PAUSE = 0.004  # seconds a block: in the 9.5 s that 20 kills leave it at most, the run cannot come to its end
IN_FLIGHT = 2 * WORKERS


def start(*arguments, root=ROOT):
    return subprocess.Popen(
        [sys.executable, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": str(root)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=hear_interrupts,
    )


def finish(process, code=0):
    with waits() as seconds:
        out, err = process.communicate(timeout=seconds)
    assert process.returncode == code, err
    return out


def wait_for(condition, process):
    with deadline() as end:
        while not condition():
            assert process.poll() is None and time.monotonic() < end, process.communicate()
            time.sleep(0.002)


def started_blocks(log):
    return [int(line) for line in log.read_text().split()] if log.exists() else []


def stored_blocks(path):
    """Read by SQLite alone, with its own check of the file's soundness."""
    if not path.exists():
        return set()
    db = sqlite3.connect(path)
    assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    has_tables = db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] > 0
    found = {row[0] for row in db.execute("SELECT number FROM block")} if has_tables else set()
    db.close()
    return found


def test_kill_at_twenty_random_moments(tmp_path):
    """Killed again and again, the run ends with the bits of an uninterrupted one, and only the blocks in
    flight at a kill are ever computed again."""
    path, log = tmp_path / "runs.sqlite", tmp_path / "log"
    moments = random.Random(20)
    before = set()
    in_the_middle = 0
    for kill in range(20):
        log.unlink(missing_ok=True)
        process = start(PROGRAM, path, WORKERS, BLOCKS, log, PAUSE)
        if kill % 4:  # while blocks are computed; otherwise anywhere from the start of Python on
            wait_for(lambda: started_blocks(log), process)
            time.sleep(moments.uniform(0.0, 0.3))
        else:
            time.sleep(moments.uniform(0.0, 1.0))
        process.kill()
        process.communicate()
        begun, after = set(started_blocks(log)), stored_blocks(path)
        assert after >= before
        assert not begun & before, "a stored block was computed again"
        assert len(begun - after) <= IN_FLIGHT
        in_the_middle += before < after < set(range(BLOCKS))
        before = after
    assert in_the_middle >= 10
    log.unlink(missing_ok=True)
    resumed = finish(start(PROGRAM, path, WORKERS, BLOCKS, log))
    assert set(started_blocks(log)) == set(range(BLOCKS)) - before
    assert resumed.strip() == work.digest([work.block_of(2.0, block) for block in range(BLOCKS)])


def stop(process):
    """Ctrl-C: what the process said when it went."""
    process.send_signal(signal.SIGINT)
    with waits() as seconds:
        _, err = process.communicate(timeout=seconds)
    assert process.returncode == 130, err
    return err


@pytest.mark.parametrize("workers", [1, 2])
def test_ctrl_c_waits_for_no_long_block(tmp_path, workers):
    """All workers are in blocks that would last a minute, each in a call that cannot be interrupted."""
    path, log = tmp_path / "runs.sqlite", tmp_path / "log"
    process = start(PROGRAM, path, workers, 100, log, 0.0, 30)
    wait_for(lambda: len(started_blocks(log)) == 30 + workers, process)
    time.sleep(0.2)
    assert stop(process) == f"interrupted: 30 blocks stored in {path}; run the same command again to resume\n"
    assert stored_blocks(path) == set(range(30))
    log.unlink()
    resumed = finish(start(PROGRAM, path, 2, 100, log))
    assert resumed.strip() == work.digest([work.block_of(2.0, b) for b in range(100)])
    assert sorted(started_blocks(log)) == list(range(30, 100))


def test_ctrl_c_keeps_the_blocks_that_are_nearly_done(tmp_path):
    """What is in flight is waited for briefly: blocks of 0.2 s end and are stored."""
    path, log = tmp_path / "runs.sqlite", tmp_path / "log"
    process = start(PROGRAM, path, 2, 100, log, 0.2)
    wait_for(lambda: len(started_blocks(log)) >= 4, process)
    stop(process)
    assert stored_blocks(path) == set(started_blocks(log))


DIGEST = "digest = hashlib.sha256(canonical(names).encode()).digest()"


@pytest.mark.parametrize(
    ("edited", "old", "new", "anew"),
    [
        ("runs_workload.py", "SHIFT = 0.0", "SHIFT = 1.0", True),
        ("dpbench/core/sampling.py", DIGEST, f"{DIGEST} + b''", True),
        ("runs_workload.py", "SHIFT = 0.0", "SHIFT = 0.0  # a comment", False),
        ("dpbench/core/kernel.py", 'return f"<kernel {self.name}>"', "return self.name", True),
        ("dpbench/papers/glm/theory.py", "return ", "return 1.0 * ", False),
    ],
)
def test_an_edit_is_computed_anew(tmp_path, edited, old, new, anew):
    """An edit of the function's own modules or of the framework, such as another build of one version has, reaches a
    user who resumes; a comment, or an edit of a paper that they do not import, does not throw the work away."""
    for package in ("dpbench", "lowerbounds"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    program = Path(shutil.copy(PROGRAM, tmp_path))
    path, log = tmp_path / "runs.sqlite", tmp_path / "log"

    def run():
        log.unlink(missing_ok=True)
        return finish(start(program, path, 1, 10, log, root=tmp_path)), len(started_blocks(log))

    first, computed = run()
    assert computed == 10
    assert run() == (first, 0)
    file = tmp_path / edited
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new))
    second, computed = run()
    assert computed == (10 if anew else 0)
    assert (second != first) == (new == "SHIFT = 1.0")


def test_the_read_only_store_of_a_killed_run(tmp_path):
    """Reports read what a killed run left in the log of SQLite."""
    path, log = tmp_path / "runs.sqlite", tmp_path / "log"
    process = start(PROGRAM, path, 2, 1000, log, 0.01)
    wait_for(lambda: len(started_blocks(log)) >= 50, process)
    process.kill()
    process.communicate()
    assert path.with_name("runs.sqlite-wal").stat().st_size > 0
    store = Store(path, read_only=True)
    found = store.blocks(1, range(1000))
    assert len(found) >= 50 - IN_FLIGHT
    assert all(work.digest([found[b]]) == work.digest([work.block_of(2.0, b)]) for b in found)
    store.close()
