"""The packages as they stood at an earlier commit, importable beside today's: for ratios to former code."""

from __future__ import annotations

import atexit
import importlib
import io
import shutil
import subprocess
import sys
import tarfile
import tempfile
from functools import cache
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parent.parent
COMMIT = "17d00e9fd4b2a277cc5be92eae5500901b464456"
"""The last one whose solver and scores were NumPy's."""


class NoHistory(RuntimeError):
    """The commit is not at hand: no git, or a checkout without its history."""


@cache
def folder(commit: str = COMMIT) -> Path:
    """A temporary folder with the two packages of the commit, renamed: ``dpbench_before``, ``lowerbounds_before``."""
    command = ["git", "-C", str(ROOT), "archive", commit, "dpbench", "lowerbounds"]
    try:
        made = subprocess.run(command, capture_output=True, check=False)
    except FileNotFoundError as missing:
        raise NoHistory(str(missing)) from None
    if made.returncode:
        raise NoHistory(made.stderr.decode(errors="replace").strip())
    where = Path(tempfile.mkdtemp(prefix="dpbench-before-"))
    atexit.register(shutil.rmtree, where, ignore_errors=True)
    with tarfile.open(fileobj=io.BytesIO(made.stdout)) as packed:
        packed.extractall(where, filter="data")
    for name in ("dpbench", "lowerbounds"):
        (where / name).rename(where / f"{name}_before")
    for path in where.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        for name in ("dpbench", "lowerbounds"):
            text = text.replace(name, f"{name}_before")
        path.write_text(text, encoding="utf-8")
    return where


def former(module: str, commit: str = COMMIT) -> ModuleType:
    """A module as it stood, by today's name: ``former("dpbench.papers.glm.problem")``; of one commit in a process."""
    where = str(folder(commit))
    if where not in sys.path:
        sys.path.append(where)
    package, _, rest = module.partition(".")
    if not (folder(commit) / f"{package}_before" / "papers").exists():  # the papers stood beside the framework
        rest = rest.removeprefix("papers.").replace("glm.peers", "peers")
    if not any((folder(commit) / f"{package}_before").rglob("algorithms")):  # they stood in their papers' own folders
        rest = rest.replace(".algorithms.", ".")
    return importlib.import_module(f"{package}_before.{rest}")
