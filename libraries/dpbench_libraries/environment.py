"""A virtual environment for a library whose requirements exclude ours, made once, in the user's cache folder."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from platformdirs import user_cache_path

LEFT_OUT = ("PYTHONPATH", "PYTHONHOME", "PIP_CONSTRAINT", "PIP_TARGET", "PIP_PREFIX", "PIP_USER")
"""Settings of the present environment that another one must not inherit."""


class EnvironmentFailed(OSError):
    """The environment could not be made: no network, no room, or a requirement that nobody serves."""


def interpreter(
    name: str, requirements: Sequence[str], alone: Sequence[str] = (), *, say: Callable[[str], None] | None = None
) -> Path:
    """The Python of an environment with these requirements, made where it does not exist.

    Parameters
    ----------
    name : str
        Of the library.
    requirements : sequence of str
        As pip takes them; the environment is kept under them and the version of Python.
    alone : sequence of str, optional
        Installed after them and without what they require themselves (``pip install --no-deps``).
    say : callable, optional
        Told each step, for it may take a minute.

    Raises
    ------
    EnvironmentFailed
    """
    report = say or (lambda text: None)
    of = [sys.version, sys.base_prefix, *requirements, *(f"--no-deps {one}" for one in alone)]
    key = hashlib.sha256("\n".join(of).encode()).hexdigest()[:12]
    folder = user_cache_path("dpbench") / "environments" / f"{name}-{key}"
    if _python(folder).exists():
        return _python(folder)
    part = folder.with_name(f".{folder.name}.{os.getpid()}")
    try:
        report(f"making an environment for {name} in {folder}")
        _run([sys.executable, "-P", "-m", "venv", str(part)], "make an environment")
        pip = [str(_python(part)), "-I", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        for wanted, how in ((requirements, ()), (alone, ("--no-deps",))):
            if wanted:
                report(f"installing {', '.join(wanted)}")
                _run([*pip, *how, *wanted], f"install {', '.join(wanted)}")
        try:
            part.rename(folder)
        except OSError:  # another process was faster
            if not _python(folder).exists():
                raise
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return _python(folder)


def clean() -> dict[str, str]:
    """The variables of the process, without what belongs to its own environment."""
    return {name: value for name, value in os.environ.items() if name not in LEFT_OUT}


def _python(folder: Path) -> Path:
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _run(command: list[str], what: str) -> None:
    done = subprocess.run(command, env=clean(), capture_output=True, text=True)
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip() or f"exit code {done.returncode}").splitlines()[-1]
        raise EnvironmentFailed(f"could not {what}: {said}")
