"""Mechanisms of "Differentially Private Generalized Linear Models Revisited" (arXiv 2205.03014)."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dpbench.papers.glm.algorithms.boosting import Boosting
    from dpbench.papers.glm.algorithms.grid_search import PrivateGridSearch
    from dpbench.papers.glm.algorithms.jl import JLMethod
    from dpbench.papers.glm.algorithms.noisy_gd import NoisyGD
    from dpbench.papers.glm.algorithms.output_perturbation import OutputPerturbation

_HOME = {
    "Boosting": "dpbench.papers.glm.algorithms.boosting",
    "JLMethod": "dpbench.papers.glm.algorithms.jl",
    "NoisyGD": "dpbench.papers.glm.algorithms.noisy_gd",
    "OutputPerturbation": "dpbench.papers.glm.algorithms.output_perturbation",
    "PrivateGridSearch": "dpbench.papers.glm.algorithms.grid_search",
}

__all__ = ["Boosting", "JLMethod", "NoisyGD", "OutputPerturbation", "PrivateGridSearch"]


def __getattr__(name: str) -> Any:
    from dpbench.core.lazy import load

    return load(__name__, _HOME, name)
