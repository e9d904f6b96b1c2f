"""Mechanisms of "Differentially Private l1-norm Linear Regression with Heavy-tailed Data" (Wang & Xu)."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dpbench.papers.heavytail.algorithms.baselines import ClippedSubgradient
    from dpbench.papers.heavytail.algorithms.exponential import ExponentialMechanism

_HOME = {
    "ClippedSubgradient": "dpbench.papers.heavytail.algorithms.baselines",
    "ExponentialMechanism": "dpbench.papers.heavytail.algorithms.exponential",
}

__all__ = ["ClippedSubgradient", "ExponentialMechanism"]


def __getattr__(name: str) -> Any:
    from dpbench.core.lazy import load

    return load(__name__, _HOME, name)
