"""The environments of the releases that cases are drawn from, and draws in them."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dpbench.core.validation import InvalidInput
from dpbench_libraries.environment import clean, interpreter
from dpbench_libraries.known_bugs.cases import Case

_DRAWS = Path(__file__).with_name("draws.py")


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


def prepare(case: Case, say: Callable[[str], None] | None = None) -> None:
    """Make the environments of a case, if it has some.

    Raises
    ------
    EnvironmentFailed
    """
    for name in case.environments:
        _python(name, say)


def _python(name: str, say: Callable[[str], None] | None = None) -> str:
    wanted = ENVIRONMENTS[name]
    return str(interpreter(name, wanted.packages, wanted.alone, say=say))


def drawn(case: Case, version: str, trials: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Outputs of one version of a released case on both data sets."""
    python = _python(case.environments[version == "mended"])
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "draws.npz")
        command = [python, str(_DRAWS), str(place), case.name, version, str(trials), str(seed)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=clean())
        if done.returncode:
            last = (done.stderr.strip().splitlines() or ["no message"])[-1]
            raise InvalidInput(f"case {case.name} must be drawn by its environment, got: {last}")
        with np.load(place) as arrays:
            return arrays["0"], arrays["1"]
