"""Environments with the releases that cases are drawn from, made when first asked for, and draws in them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.known_bugs.cases import Case
from dpbench.core.validation import InvalidInput

FOLDER = Path(".dpbench/known_bugs")
"""Where the environments are, by default."""

_DRAWS, _RECORDED = (Path(__file__).with_name(name) for name in ("draws.py", "recorded.py"))


@dataclass(frozen=True)
class Environment:
    """What is installed: packages with what they need, and packages alone."""

    packages: tuple[str, ...]
    alone: tuple[str, ...] = ()


ENVIRONMENTS = {
    "diffprivlib": Environment(("diffprivlib==0.6.6", "scikit-learn<1.6")),
    "nvflare": Environment(("numpy==1.23.5", "scipy<1.12"), ("nvflare==2.0.16",)),
    "nvflare-mended": Environment(("numpy==1.23.5", "scipy<1.12"), ("nvflare==2.0.18",)),
    "opendp": Environment(("numpy", "scipy", "opendp==0.16.0")),
    "smartnoise": Environment(("pandas", "scipy"), ("smartnoise-synth==1.0.5",)),
    "smartnoise-mended": Environment(("pandas", "scipy"), ("smartnoise-synth==1.0.8",)),
}


class NotInstalled(Exception):
    """An environment that cannot be made here."""


def interpreter(name: str, folder: Path) -> Path:
    """The interpreter of an environment, which is made if it is not there."""
    wanted, place = ENVIRONMENTS[name], folder.resolve() / name
    python, complete = place / "bin" / "python", place / "complete"
    if not complete.exists():
        print(
            f"known_bugs: making the environment {name} ({', '.join(wanted.packages + wanted.alone)})", file=sys.stderr
        )
        install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        commands = [[sys.executable, "-m", "venv", "--clear", str(place)], [*install, *wanted.packages]]
        commands += [[*install, "--no-deps", *wanted.alone]] if wanted.alone else []
        for command in commands:
            done = _run(command)
            if done.returncode:
                last = (done.stderr.strip().splitlines() or ["no message"])[-1]
                raise NotInstalled(f"environment {name}: {last}")
        complete.touch()
    return python


def prepare(case: Case, folder: Path) -> None:
    """Make the environments of a case, if it has some."""
    for name in case.environments:
        interpreter(name, folder)


def _run(command: list[str], path: str | None = None) -> subprocess.CompletedProcess[str]:
    """Without the modules and the constraints of this environment, but for a path of modules."""
    kept = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "PIP_CONSTRAINT")}
    kept |= {} if path is None else {"PYTHONPATH": path}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=kept)


def drawn(case: Case, version: str, trials: int, seed: int, folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """Outputs of one version of a released case on both data sets."""
    python = interpreter(case.environments[version == "mended"], folder)
    with tempfile.TemporaryDirectory() as made:
        place = Path(made, "draws.npz")
        _answer(case, [str(python), str(_DRAWS), str(place), case.name, version, str(trials), str(seed)])
        with np.load(place) as found:
            return found["0"], found["1"]


def recorded(case: Case, version: str, seed: int, folder: Path) -> dict[str, Any]:
    """The gray box's result, found in the environment itself."""
    python = interpreter(case.environments[version == "mended"], folder)
    command = [str(python), str(_RECORDED), case.name, version, repr(case.epsilon), repr(case.delta), str(seed)]
    path = str(Path(__file__).parents[2])  # the checkout: not what is installed here, which has its own numpy
    return dict(json.loads(_answer(case, command, path).splitlines()[-1]))


def _answer(case: Case, command: list[str], path: str | None = None) -> str:
    done = _run(command, path)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise InvalidInput(f"case {case.name} must be drawn by its environment, got: {last}")
    return done.stdout
