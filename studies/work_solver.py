"""Output perturbation's solver and the scores of candidates: the work that is timed."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from dpbench.papers.glm.problem import GLMProblem

N, CANDIDATES = 100_000, 64
FORMS = {"dense": 20, "sparse": 200}


LOSSES = ("logistic", "huber", "absolute")


_COMPILES = """
import importlib, sys, time
root, modules = sys.argv[1], sys.argv[2:]
kernel = importlib.import_module(f"{root}.core.kernel")
for module in modules:
    try:
        importlib.import_module(f"{root}.papers.glm.algorithms.{module}")
    except ModuleNotFoundError:  # a former layout
        importlib.import_module(f"{root}.glm.{module}")
began = time.process_time()
kernel.compile_kernels()
print(time.process_time() - began)
"""


@cache
def records(form: str) -> tuple[Any, np.ndarray]:
    """Features of norm at most 1, and labels in [−1, 1] from a linear model with noise."""
    rng = np.random.default_rng(22)
    d = FORMS[form]
    if form == "dense":
        X = rng.standard_normal((N, d))
        X /= np.maximum(1.0, np.linalg.norm(X, axis=1, keepdims=True))
    else:
        X = sparse.random_array((N, d), density=0.05, rng=rng, format="csr")
        X.data[:] = rng.standard_normal(X.nnz)
        X = sparse.csr_array(sparse.diags_array(1.0 / np.maximum(1.0, sparse.linalg.norm(X, axis=1))) @ X)
    return X, np.clip(X @ (0.7 * rng.standard_normal(d)) + 0.3 * rng.standard_normal(N), -1.0, 1.0)


def problem(form: str, loss: str, kind: Any = GLMProblem) -> Any:
    """The records under a loss, of today's class or of the former one."""
    X, y = records(form)
    y = np.where(y >= 0.0, 1.0, -1.0) if loss == "logistic" else y
    made = kind(X, y, loss=loss, x_bound=1.0, y_bound=1.0, radius=1.0)
    _ = made.digest
    return made


def solve(kept: dict[Any, Any], mechanism: Any, data: Any) -> np.ndarray:
    """One solve, without what is kept of earlier ones."""
    kept.clear()
    return np.asarray(mechanism.centre(data))


def started(root: str, where: Path) -> float:
    """Seconds of processor time to compile the GLM algorithms' kernels, in a new process with an empty cache.

    `root` is the name of the package, found in the folder `where`.
    """
    with tempfile.TemporaryDirectory() as cache_folder:
        environment = {**os.environ, "PYTHONPATH": str(where), "NUMBA_CACHE_DIR": cache_folder}
        modules = ("output_perturbation", "grid_search", "boosting", "noisy_gd", "jl")
        made = subprocess.run(
            [sys.executable, "-c", _COMPILES, root, *modules], env=environment, capture_output=True, text=True,
            check=True, cwd=cache_folder,
        )  # fmt: skip
    return float(made.stdout)
