"""Mechanisms of "Differentially Private Generalized Linear Models Revisited" (arXiv 2205.03014)."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dpbench.glm.jl import JLMethod
    from dpbench.glm.noisy_gd import NoisyGD
    from dpbench.glm.output_perturbation import OutputPerturbation

_HOME = {
    "JLMethod": "dpbench.glm.jl",
    "NoisyGD": "dpbench.glm.noisy_gd",
    "OutputPerturbation": "dpbench.glm.output_perturbation",
}

__all__ = ["JLMethod", "NoisyGD", "OutputPerturbation"]


def __getattr__(name: str) -> Any:
    from dpbench._lazy import load

    return load(__name__, _HOME, name)
