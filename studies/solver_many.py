"""Output perturbation's solver on many small data sets: side by side, as rates solve them, and one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from dpbench.papers.glm.algorithms import _erm_centres
from dpbench.papers.glm.algorithms.output_perturbation import OutputPerturbation
from dpbench.papers.glm.peers.pairs import Work, ratio
from dpbench.papers.glm.peers.workload import WrongAnswer
from dpbench.papers.glm.problem import GLMProblem


def many_rows(pairs: int = 15) -> Iterator[dict[str, Any]]:
    """16 data sets of 512 records, 8 features, solved side by side as rates do, beside one after the other."""
    rng, mechanism = np.random.default_rng(23), OutputPerturbation(1.0, 1e-5)
    for form in ("dense", "sparse"):
        for loss in ("logistic", "huber", "absolute"):
            made = []
            for _ in range(16):
                X = rng.standard_normal((512, 8))
                X /= np.linalg.norm(X, axis=1, keepdims=True)
                y = np.clip(X @ rng.standard_normal(8) + 0.3 * rng.standard_normal(512), -1.0, 1.0)
                y = np.where(y >= 0.0, 1.0, -1.0) if loss == "logistic" else y
                X = sparse.csr_array(X * (rng.random(X.shape) < 0.3)) if form == "sparse" else X
                made.append(GLMProblem(X, y, loss=loss, x_bound=1.0, y_bound=1.0, radius=1.0))
                _ = made[-1].digest
            many, single = partial(centres_of, mechanism, made, True), partial(centres_of, mechanism, made, False)
            apart = np.linalg.norm(many() - single(), axis=1).max()
            if apart > 2.0 * mechanism.tau(made[0]):
                raise WrongAnswer(f"{form} {loss}: side by side the minimisers are {apart:.2g} off")
            found = ratio(Work(many, 16), Work(single, 16), pairs)
            yield {"what": "16 data sets", "form": form, "loss": loss, "promised": None, **asdict(found)}


def centres_of(mechanism: OutputPerturbation, problems: list[GLMProblem], together: bool) -> np.ndarray:
    """The centres of all, solved together or as they come, without what is kept of earlier solves."""
    _erm_centres.centres.clear()
    if together:
        mechanism.prepare(problems)
    return np.array([mechanism.centre(problem) for problem in problems])
