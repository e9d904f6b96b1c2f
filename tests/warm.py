"""Command lines run by forks of a process that has imported what they need: a start costs milliseconds, not a second.

For tests whose subject is what a command does in a process of its own. Where the subject is the start of Python, its
imports or what the environment changes before them, a test starts a new interpreter.
"""

from __future__ import annotations

import array
import atexit
import functools
import gc
import importlib
import json
import os
import runpy
import select
import signal
import site
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

LIBRARIES = ("numpy", "numba", "pytest")
"""For commands on an edited copy of the package."""
PACKAGE = (*LIBRARIES, "dpbench.cli.app", "dpbench.ledger.verify", "dpbench.auditing", "dpbench.ledger.registry")
"""For commands of the package: the claims of its papers are imported, too."""
FORKS = sys.platform == "linux"
"""Elsewhere libraries of the system are not safe to use after a fork: each command starts a new interpreter."""


class Process:
    """A running command, with those methods of `subprocess.Popen` that the tests use; text in and out."""

    def __init__(self, args: Sequence[str], connection: socket.socket, outputs: Sequence[int]) -> None:
        self.args, self.returncode = args, None
        self._connection, self._lock = connection, threading.Lock()
        self._replies = connection.makefile("r", encoding="ascii")
        self._texts: list[str] = ["", ""]
        self._readers = [threading.Thread(target=self._read, args=pair, daemon=True) for pair in enumerate(outputs)]
        for reader in self._readers:
            reader.start()
        self.pid = int(self._replies.readline())

    returncode: int | None

    def _read(self, number: int, descriptor: int) -> None:
        with os.fdopen(descriptor, encoding="utf-8", errors="replace") as file:
            self._texts[number] = file.read()

    def poll(self) -> int | None:
        with self._lock:
            if self.returncode is None and select.select([self._connection], [], [], 0.0)[0]:
                self.returncode = int(self._replies.readline())
                self._replies.close()
                self._connection.close()
            return self.returncode

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        if self.poll() is None and not select.select([self._connection], [], [], timeout)[0]:
            raise subprocess.TimeoutExpired(self.args, timeout or 0.0)
        self.poll()
        for reader in self._readers:
            reader.join(timeout)
            if reader.is_alive():
                raise subprocess.TimeoutExpired(self.args, timeout or 0.0)
        return self._texts[0], self._texts[1]

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def start(
    arguments: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    modules: tuple[str, ...] = PACKAGE,
    new_session: bool = False,
) -> Process | subprocess.Popen[str]:
    """`python ARGUMENTS`, where the arguments begin with ``-m MODULE``, ``-c CODE`` or the path of a program.

    Parameters
    ----------
    cwd : Path
        Folder of the process.
    env : mapping of str to str
        Its whole environment; of what Python and libraries read at their import, PYTHONPATH and NUMBA_* count.
    modules : tuple of str
        What it finds imported.
    new_session : bool
        Whether it leads a session, and so a group of processes, of its own.
    """
    words = [str(word) for word in arguments]
    if not FORKS:
        pipes: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        line = [sys.executable, *words]
        return subprocess.Popen(line, cwd=cwd, env=dict(env), text=True, start_new_session=new_session, **pipes)
    ours, theirs = socket.socketpair()
    (out, out_end), (err, err_end) = os.pipe(), os.pipe()
    with open(os.devnull, "rb") as nothing, theirs:
        sent = array.array("i", [nothing.fileno(), out_end, err_end, theirs.fileno()])
        _server(modules).sendmsg([b"!"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, sent)])
    os.close(out_end)
    os.close(err_end)
    ours.sendall(json.dumps([words, str(cwd), dict(env), new_session]).encode())
    ours.shutdown(socket.SHUT_WR)
    return Process([sys.executable, *words], ours, (out, err))


def run(arguments: Sequence[str], *, timeout: float | None = None, **how: Any) -> subprocess.CompletedProcess[str]:
    """`start`, to its end."""
    process = start(arguments, **how)
    try:
        out, err = process.communicate(timeout=timeout)
    except BaseException:
        process.kill()
        raise
    assert process.returncode is not None
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


@functools.cache
def _server(modules: tuple[str, ...]) -> socket.socket:
    """What requests are sent to; the server ends when it is closed, or with this process."""
    import dpbench

    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    root = str(Path(dpbench.__file__).parents[1])
    # a fork would lose the threads of a library
    single = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    environment = {**os.environ, **single, "PYTHONPATH": root}
    with theirs:
        server = subprocess.Popen(
            [sys.executable, __file__, *modules], stdin=theirs.fileno(), env=environment, start_new_session=True
        )

    def end() -> None:
        ours.close()
        server.wait()

    atexit.register(end)
    return ours


def _serve(requests: socket.socket) -> tuple[list[str], str, dict[str, str], bool] | None:
    """In the server: nothing, at the end of requests. In each fork that is to be a command: its request."""
    keepers = 0
    while True:
        byte, descriptors, _, _ = socket.recv_fds(requests, 1, 4)
        while keepers and os.waitpid(-1, 0 if not byte else os.WNOHANG)[0]:  # their processor time is this process's
            keepers -= 1
        if not byte:
            return None
        if os.fork() == 0:
            requests.close()
            return _keep(descriptors)
        keepers += 1
        for one in descriptors:
            os.close(one)


def _keep(descriptors: list[int]) -> tuple[list[str], str, dict[str, str], bool]:
    """Fork the command, tell its number and at its end its exit code; the request is returned in the command alone."""
    connection = socket.socket(fileno=descriptors[3])
    with connection.makefile("rb") as file:
        words, cwd, environment, session = json.loads(file.read())
    pid = os.fork()
    if pid == 0:
        connection.close()
        for number, descriptor in enumerate(descriptors[:3]):
            os.dup2(descriptor, number)
            os.close(descriptor)
        return words, cwd, environment, session
    for descriptor in (0, 1, 2, *descriptors[:3]):
        os.close(descriptor)
    connection.sendall(f"{pid}\n".encode())
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    try:
        connection.sendall(f"{code}\n".encode())
    finally:
        os._exit(0)


def _become(words: list[str], cwd: str, environment: dict[str, str], session: bool, library: list[str]) -> None:
    """Run the command as the interpreter would: its exceptions and exit code are those of this process."""
    if session:
        os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environment)
    if "numba" in sys.modules:
        sys.modules["numba"].config.reload_config()
    paths = [path for path in environment.get("PYTHONPATH", "").split(os.pathsep) if path]
    if words[0] == "-m":
        first, sys.argv = cwd, words[1:]
    elif words[0] == "-c":
        first, sys.argv = "", ["-c", *words[2:]]
    else:
        first, sys.argv = str(Path(words[0]).resolve().parent), words
    sys.path[:] = [first, *paths, *library]
    importlib.invalidate_caches()
    if words[0] == "-m":
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
    elif words[0] == "-c":
        exec(compile(words[1], "<string>", "exec"), {"__name__": "__main__"})
    else:
        runpy.run_path(words[0], run_name="__main__")


def _main() -> None:
    own = {str(Path(__file__).parent), *os.environ["PYTHONPATH"].split(os.pathsep)} - {
        *site.getsitepackages(),
        site.getusersitepackages(),
    }
    for name in sys.argv[1:]:
        importlib.import_module(name)
    if registry := sys.modules.get("dpbench.ledger.registry"):
        registry.all_claims()
        registry.forget()  # a command may find other papers on its path
    gc.freeze()
    requests = socket.socket(fileno=os.dup(0))
    request = _serve(requests)
    if request is not None:
        _become(*request, [path for path in sys.path if path not in own])


if __name__ == "__main__":
    _main()
