"""Attacks on the GLM paper's mechanisms that are run once for their counts."""

from __future__ import annotations

import numpy as np

from dpbench.certificates.attack_counts import Attack
from dpbench.papers.glm.boosting import Boosting
from dpbench.papers.glm.grid_search import PrivateGridSearch
from dpbench.papers.glm.jl import JLMethod
from dpbench.papers.glm.losses import capped_linear, linear
from dpbench.papers.glm.noisy_gd import NoisyGD
from dpbench.papers.glm.output_perturbation import OutputPerturbation
from dpbench.papers.glm.problem import GLMProblem
from dpbench.papers.glm.theorems.jl_privacy import SEEN_BY_SAMPLING
from dpbench.papers.glm.theorems.pairs import cancelling_pair


def attacks() -> dict[str, Attack]:
    """Entry to its attack."""
    line = cancelling_pair("linear", 101, x_bound=1.0, y_bound=1.0, radius=1.0)
    smooth = cancelling_pair(capped_linear(2.0), 101, x_bound=1.0, y_bound=1.0, radius=1.0)
    cancel = "all records but the last cancel in pairs; the last has opposite labels, n = 101"
    made = {
        "glm.thm5.privacy.printed": Attack(
            OutputPerturbation(4.0, 1e-2, calibration="printed"), line, 4.0, 1e-2, cancel
        ),
        "glm.thm5.privacy.exact": Attack(OutputPerturbation(1.0, 1e-1), line, 1.0, 1e-1, cancel),
        "glm.thm3.privacy.exact": Attack(OutputPerturbation(1.0, 1e-1, theorem=3), smooth, 1.0, 1e-1, cancel),
        "glm.thm1.privacy.exact": Attack(NoisyGD(1.0, 1e-1, steps=8), line, 1.0, 1e-1, cancel),
        **_selections(),
    }
    for theorem, extreme in ((10, linear()), (2, capped_linear(100.0))):
        far = cancelling_pair(extreme, 21, x_bound=1.0, y_bound=1.0, radius=20.0, dimension=6)
        epsilon, delta = SEEN_BY_SAMPLING
        jl = JLMethod(epsilon, delta, dimension=3, distortion=0.1, steps=20, step_size=0.05, theorem=theorem)
        about = cancel.replace("101", "21")
        made[f"glm.thm{theorem}.privacy.exact"] = Attack(jl, far, epsilon, delta, about, slow=True)
    return made


def _selections() -> dict[str, Attack]:
    """Grid search and boosting on a record of the last part, whose loss moves by nearly its whole range."""
    ones = GLMProblem(np.ones((100, 1)), np.ones(100), loss="linear", x_bound=1.0, y_bound=1.0, radius=1.0)
    y = np.concatenate((np.ones(20), -np.ones(20), np.where(np.arange(20) % 2 == 0, 1.0, -1.0)))
    parts = GLMProblem(np.ones((60, 1)), y, loss="linear", x_bound=1.0, y_bound=1.0, radius=1.0)
    search = PrivateGridSearch(NoisyGD(1.0, 1e-5, steps=8, step_size=10.0), 1.0, 1e-5, candidates=1)
    boosting = Boosting(NoisyGD(1.0, 1e-5, steps=8, step_size=10.0, noise_scale=0.05), 1.0, 1e-5, models=2)
    first, last = ones.replace_record(99, np.ones(1), -1.0), parts.replace_record(59, np.ones(1), 1.0)
    chunks = "chunks with labels 1, -1, and both in turn, whose last is 1 on the neighbour, n = 60"
    return {
        "glm.thm7.privacy.exact": Attack(
            search, (ones, first), 1.0, 1e-5, "labels 1, the last one -1 on the neighbour, n = 100"
        ),
        "glm.thm13.privacy.exact": Attack(boosting, (parts, last), 1.0, 1e-5, chunks),
    }
