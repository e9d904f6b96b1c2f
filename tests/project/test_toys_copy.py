"""A loss is two files and its reference implementation, in a copy of the tree.

The toy loss is log cosh(z − y). It declares its Lipschitz constant and its smoothness, and nothing else: its twin,
noisy gradient descent, output perturbation and `dpbench.testing.check_mechanism` must run on what any such loss has.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dpbench.core.sources import OURS

ROOT = Path(__file__).resolve().parents[2]
LOSSES = "tests/papers/glm/test_losses.py"
pytestmark = [pytest.mark.meta, pytest.mark.process]

LOSS_RECORD = '''def log_cosh() -> Loss:
    """log cosh(z − y); H = 1, G = 1."""
    return Loss("log-cosh", LOG_COSH, 0.0, 1.0, 1.0)


BY_NAME = {
    "log-cosh": log_cosh,
'''
VALUE_DOC = '    """φ(z, y) of the loss with this code."""\n'
VALUE = """    if code == LOG_COSH:
        r = abs(z - y)
        return r + math.log1p(0.5 * math.expm1(-2.0 * r))
"""
SLOPE_DOC = '    """∂φ/∂z of the loss with this code; 0 at the corner of the absolute loss."""\n'
SLOPE = """    if code == LOG_COSH:
        return math.tanh(z - y)
"""
KERNELS = (
    ("CAPPED_LINEAR, ROUNDED_ABSOLUTE = range(8)", "CAPPED_LINEAR, ROUNDED_ABSOLUTE, LOG_COSH = range(9)"),
    (VALUE_DOC, VALUE_DOC + VALUE),
    (SLOPE_DOC, SLOPE_DOC + SLOPE),
)
LOSS = (("    LINEAR,\n", "    LINEAR,\n    LOG_COSH,\n"), ("BY_NAME = {\n", LOSS_RECORD))
TWINS = "TWINS: dict[str, tuple[Definition, Definition]] = {\n"
TWIN = """    "log-cosh": (
        lambda a, z, y, _: z - y + a.log_one_plus_exp(-2 * (z - y)) - a.log_one_plus_exp(0 * z),
        lambda a, z, y, _: 1 - 2 * a.falling(2 * (z - y)),
    ),
"""
RUN = """
import json
import numpy as np
from registry import problem
from dpbench.papers.glm import losses
from dpbench.papers.glm.algorithms.noisy_gd import NoisyGD
from dpbench.papers.glm.algorithms.output_perturbation import OutputPerturbation
from dpbench.papers.glm.populations import ScaledBasis
from dpbench.testing import check_mechanism

p = problem("log-cosh", n=12, d=2)
q = p.replace_record(0, -p.X[0], -p.y[0])
done = {}
for m in (NoisyGD(1.0, 1e-3, steps=4), OutputPerturbation(1.0, 1e-3)):
    done[type(m).__name__] = check_mechanism(m, p, neighbour=q, trials=1000)
descent = NoisyGD(1.0, 1e-3, steps=3000, noise_scale=0.0, step_size=1.0).sample(p, 1)[0]
lam = 1e-3
centre = OutputPerturbation(1.0, 1e-3, regularization=lam, noise_scale=0.0).sample(p, 1)[0]
done["risks"] = [p.empirical_risk(w) for w in (descent, centre)]
basis = ScaledBasis("log-cosh", [0.5, 0.5], [0.6, -0.2], radius=5.0)
done["slopes"] = [
    (1 + b) / 2 * np.tanh(w - 1) + (1 - b) / 2 * np.tanh(w + 1) for w, b in zip(basis.minimiser, basis.biases)
]
print(json.dumps(done))
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tree")
    for part in (*OURS, "tests"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__", "test_*.py"))
    shutil.copy(ROOT / LOSSES, folder / LOSSES)
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def edit(path, *changes):
    text = path.read_text(encoding="utf-8")
    for old, new in changes:
        assert text.count(old) == 1, f"{path.name}: {old!r}"
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")


def run(copy, *line, **environment):
    paths = os.pathsep.join((str(copy), str(copy / "tests"), str(ROOT / "checker")))
    return subprocess.run(
        [sys.executable, *line], cwd=copy, env={**os.environ, "PYTHONPATH": paths, "DPBENCH_PART": "", **environment},
        capture_output=True, text=True,
    )  # fmt: skip


def twin_passes(copy):
    """The comparisons of the toy loss with its twin, and of its constants with a grid; fails where none is run."""
    done = run(
        copy, "-m", "pytest", "-v", "-p", "no:cacheprovider", "-o", "addopts=", "--import-mode=importlib",
        "-k", "log-cosh", LOSSES, NUMBA_DISABLE_JIT="1",
    )  # fmt: skip
    assert done.returncode in (0, 1) and "log-cosh" in done.stdout, done.stdout + done.stderr
    return done.returncode == 0


def test_a_loss_is_two_files_and_its_twin(copy):
    kernels = copy / "dpbench" / "convex" / "loss_kernels.py"
    edit(kernels, *KERNELS)
    edit(copy / "dpbench" / "papers" / "glm" / "losses.py", *LOSS)
    edit(copy / "tests" / "naive" / "losses.py", (TWINS, TWINS + TWIN))
    assert twin_passes(copy)
    done = run(copy, "-c", RUN)
    assert done.returncode == 0, done.stderr
    met = json.loads(done.stdout)
    for name in ("NoisyGD", "OutputPerturbation"):
        assert {"guarantee", "audit within the guarantee", "answers on hostile data"} <= set(met[name])
    descent, centre = met["risks"]
    assert centre == pytest.approx(descent, abs=1e-3 * 0.5 * 2.0**2)  # λB²/2: two solvers, one minimum
    assert max(map(abs, met["slopes"])) < 1e-12
    edit(kernels, (SLOPE, SLOPE.replace("math.tanh", "0.999 * math.tanh")))
    assert not twin_passes(copy)
