"""Commands run by forks of a warm process are what they are in a new interpreter."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import warm
from patience import deadline, waits

import dpbench

pytestmark = [pytest.mark.process, pytest.mark.skipif(not warm.FORKS, reason="forks are for Linux")]

ROOT = Path(dpbench.__file__).parents[1]
STATE = (
    "import os, sys, threading\n"
    "print(os.getcwd(), sorted(os.environ.items()), sys.argv[1:], sys.stdin.read(), threading.active_count())\n"
    "print('error', file=sys.stderr)\n"
)
SET = "import os, numba; os.environ['LEFT'] = '1'; numba.left = 1"
READ = "import os, numba; raise SystemExit(3 * ('LEFT' in os.environ or hasattr(numba, 'left')))"


def environment(**more):
    return {**os.environ, "PYTHONPATH": str(ROOT), **more}


@pytest.mark.parametrize(
    ("how", "ending"),
    [("code", ""), ("program", "sys.exit(7)"), ("module", "sys.exit('text')"), ("program", "raise ValueError('wrong')"),
     ("code", "os.kill(os.getpid(), 15)")],
)  # fmt: skip
def test_folder_environment_arguments_outputs_and_exit_code(tmp_path, how, ending):
    code = STATE + "sys.stdout.flush()\n" + ending
    (tmp_path / "stated.py").write_text(code)
    line = {"code": ["-c", code, "a", "b"], "program": ["stated.py", "a", "b"], "module": ["-m", "stated", "a", "b"]}[
        how
    ]
    given = environment(GIVEN="so")
    new = subprocess.run(
        [sys.executable, *line], cwd=tmp_path, env=given, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    with waits() as seconds:
        forked = warm.run(line, cwd=tmp_path, env=given, timeout=seconds)
    assert (forked.returncode, forked.stdout) == (new.returncode, new.stdout)
    assert forked.stderr.splitlines()[0] == "error" and forked.stderr.splitlines()[-1] == new.stderr.splitlines()[-1]


def test_nothing_is_left_of_an_earlier_command(tmp_path):
    for code in (SET, READ):
        assert warm.run(["-c", code], cwd=tmp_path, env=environment()).returncode == 0
    assert warm.run(["-c", f"{SET}\n{READ}"], cwd=tmp_path, env=environment()).returncode == 3, "READ sees what is left"


def test_a_folder_on_the_path_comes_before_what_is_installed(tmp_path):
    (tmp_path / "tomllib.py").write_text("HERE = 1")
    code = "import tomllib; raise SystemExit(tomllib.HERE)"
    assert warm.run(["-c", code], cwd=ROOT, env=environment(PYTHONPATH=str(tmp_path))).returncode == 1


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, -signal.SIGINT), (signal.SIGKILL, -signal.SIGKILL)])
def test_signals_reach_the_command_and_no_other(tmp_path, number, code):
    program = "import time; open('{}', 'w').close(); time.sleep(600)"
    both = [warm.start(["-c", program.format(n)], cwd=tmp_path, env=environment()) for n in (1, 2)]
    with deadline() as end:
        while len(list(tmp_path.iterdir())) < 2:
            assert time.monotonic() < end
            time.sleep(0.01)
    both[0].send_signal(number)
    with waits() as seconds:
        both[0].communicate(timeout=seconds)
    assert both[0].returncode == code and both[1].poll() is None
    with pytest.raises(subprocess.TimeoutExpired):
        both[1].communicate(timeout=0.1)
    both[1].kill()
    both[1].communicate()
    assert both[1].returncode == -signal.SIGKILL
