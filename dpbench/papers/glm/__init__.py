"""Mechanisms of "Differentially Private Generalized Linear Models Revisited" (arXiv 2205.03014)."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dpbench.papers.glm.boosting import Boosting
    from dpbench.papers.glm.grid_search import PrivateGridSearch
    from dpbench.papers.glm.jl import JLMethod
    from dpbench.papers.glm.noisy_gd import NoisyGD
    from dpbench.papers.glm.output_perturbation import OutputPerturbation

_HOME = {
    "Boosting": "dpbench.papers.glm.boosting",
    "JLMethod": "dpbench.papers.glm.jl",
    "NoisyGD": "dpbench.papers.glm.noisy_gd",
    "OutputPerturbation": "dpbench.papers.glm.output_perturbation",
    "PrivateGridSearch": "dpbench.papers.glm.grid_search",
}

__all__ = ["Boosting", "JLMethod", "NoisyGD", "OutputPerturbation", "PrivateGridSearch"]


def __getattr__(name: str) -> Any:
    from dpbench.core.lazy import load

    return load(__name__, _HOME, name)
