"""The command line when something breaks on the way: exit codes, one line each, and nothing half-written."""

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from interrupts import hear_interrupts
from made_up import GOOD
from patience import deadline, waits

import dpbench
from dpbench.cli import options
from dpbench.ledger import verify as ledger
from dpbench.ledger.core import Claim
from dpbench.runs.context import Interrupted
from dpbench.runs.store import StoreError


@pytest.mark.parametrize(
    ("error", "code", "says"),
    [
        (KeyboardInterrupt(), 130, "run the same command again"),
        (Interrupted(7, Path("x.sqlite")), 130, "7 blocks stored in x.sqlite; run the same command again"),
        (RuntimeError("odd\nthing"), 70, "unexpected RuntimeError: odd thing; please report; run with DPBENCH_DEBUG=1"),
        (OSError(errno.ENOSPC, "No space left on device", "a.json"), 74, "No space left on device: a.json"),
        (StoreError("the store failed: disk full"), 74, "disk full"),
        (MemoryError(), 74, "out of memory"),
        (SystemExit(0), 70, "unexpected SystemExit: 0"),
        (SystemExit(1), 70, "unexpected SystemExit: 1"),
    ],
)
def test_what_breaks_on_the_way(error, code, says, only, run, monkeypatch):
    only(GOOD)

    def breaks(*_, **__):
        raise error

    monkeypatch.setattr(ledger, "verify", breaks)
    found, out, err = run("verify")
    assert (found, out) == (code, "")
    assert says in err and "Traceback" not in err and err.count("\n") == bool(says)
    monkeypatch.setenv("DPBENCH_DEBUG", "1")
    assert "Traceback" in run("verify")[2]


def test_an_entry_that_raises_is_our_error(only, run):
    def broken(context):
        raise TypeError("planted")

    only(Claim("glm.bad.inequality", "glm", "x", "inequality", "x", "x", "refuted", broken))
    code, _, err = run("verify --json a.json")
    assert code == 70 and "planted" in err and "Traceback" not in err
    assert not Path("a.json").exists()


def test_ctrl_c_in_an_audit_says_that_nothing_is_stored(only, run):
    only()
    Path("mech_stop.py").write_text("def stop(data, trials, rng):\n    raise KeyboardInterrupt\n")
    np.save("a.npy", 0.0)
    np.save("b.npy", 1.0)
    before = list(sys.path)
    code, _, err = run("audit mech_stop:stop --data a.npy --neighbour b.npy --workers 1")
    sys.path[:] = before
    assert code == 130 and "an audit stores nothing" in err


def test_full_disk(only, run):
    only(GOOD)
    if not Path("/dev/full").exists():
        pytest.skip("needs /dev/full")
    code, _, err = run("verify --quiet --json /dev/full")
    assert code == 74 and "No space left" in err
    assert run("show glm.one.inequality")[1].count("level quick, seed 0") == 1  # the verdict itself is stored


def test_a_pipe_is_written_as_it_is():
    reader, writer = os.pipe()
    options.write(Path(f"/dev/fd/{writer}"), "text")
    os.close(writer)
    with os.fdopen(reader) as text:
        assert text.read() == "text\n"


def test_a_file_is_written_whole_or_stays_as_it_was(tmp_path):
    old = tmp_path / "found.json"
    for text in ("one", "two"):
        options.write(old, text)
        assert old.read_text() == f"{text}\n"
    with pytest.raises(UnicodeEncodeError):
        options.write(old, "three \ud800")
    assert old.read_text() == "two\n" and [*tmp_path.iterdir()] == [old]


@pytest.fixture
def process(tmp_path):
    root = str(Path(dpbench.__file__).parent.parent)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([root, os.environ.get("PYTHONPATH", "")])}
    started = []

    def start(line, **more):
        command = [sys.executable, "-m", "dpbench.cli", *line.split()]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more}
        started.append(
            subprocess.Popen(command, cwd=tmp_path, env=environment, text=True, preexec_fn=hear_interrupts, **pipes)
        )
        return started[-1]

    yield start
    for one in started:
        one.kill()
        one.communicate()


@pytest.mark.process
def test_a_closed_pipe_is_no_error_of_ours(process):
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as out:
        one = process("list", stdout=out)
        with waits() as seconds:
            _, err = one.communicate(timeout=seconds)
    assert (one.returncode, err) == (141, "")


@pytest.mark.process
def test_ctrl_c_in_a_real_process(process, tmp_path):
    (tmp_path / "mech_slow.py").write_text(
        "import time\ndef slow(data, trials, rng):\n    open('started', 'w').close()\n"
        "    time.sleep(0.2)\n    return rng.random(trials)\n"
    )
    np.save(tmp_path / "a.npy", 0.0)
    np.save(tmp_path / "b.npy", 1.0)
    one = process("audit mech_slow:slow --data a.npy --neighbour b.npy --trials 100000000 --workers 2")
    with deadline() as end:
        while not (tmp_path / "started").exists() and time.monotonic() < end and one.poll() is None:
            time.sleep(0.05)
    one.send_signal(signal.SIGINT)
    with waits() as seconds:
        _, err = one.communicate(timeout=seconds)
    assert one.returncode == 130 and "stores nothing" in err and "Traceback" not in err


INTERRUPTED_IN_EXEC = """
from importlib import import_module

app = import_module("dpbench.cli.app")

def stopped(**_):
    exec("raise KeyboardInterrupt")

app.app = stopped
app.main()
"""


@pytest.mark.process
def test_ctrl_c_inside_an_exec_of_text_ends_with_130(tmp_path):
    """As in the import of a dataclass: CPython would end `python -m` by the signal, and its parent see no exit code."""
    (tmp_path / "interrupted.py").write_text(INTERRUPTED_IN_EXEC)
    command = [sys.executable, "-m", "interrupted"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (130, "dpbench: interrupted\n")
