"""Algorithms of "Oracle-Efficient Differentially Private Learning with Public Data" (Block, Bun, Desai, Shetty, Wu)."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dpbench.papers.publicdata.algorithms.anchored import with_anchor
    from dpbench.papers.publicdata.algorithms.averaged_perturbation import AveragedPerturbation
    from dpbench.papers.publicdata.algorithms.regularized_perturbation import RegularizedPerturbation
    from dpbench.papers.publicdata.algorithms.rrspm import RRSPM
    from dpbench.papers.publicdata.algorithms.rspm import RSPM
    from dpbench.papers.publicdata.hypotheses.constants import Constants
    from dpbench.papers.publicdata.hypotheses.cube import ParityCube
    from dpbench.papers.publicdata.hypotheses.finite import ConvexHull, FiniteClass
    from dpbench.papers.publicdata.hypotheses.halfspaces import Halfspaces
    from dpbench.papers.publicdata.hypotheses.line import Intervals, Stumps, Thresholds
    from dpbench.papers.publicdata.hypotheses.linear import LinearBall
    from dpbench.papers.publicdata.hypotheses.sklearn import LinearEstimator
    from dpbench.papers.publicdata.objective import CountedOracle, Hypotheses, Objective

_HOME = {
    "AveragedPerturbation": "dpbench.papers.publicdata.algorithms.averaged_perturbation",
    "Constants": "dpbench.papers.publicdata.hypotheses.constants",
    "ConvexHull": "dpbench.papers.publicdata.hypotheses.finite",
    "CountedOracle": "dpbench.papers.publicdata.objective",
    "FiniteClass": "dpbench.papers.publicdata.hypotheses.finite",
    "Halfspaces": "dpbench.papers.publicdata.hypotheses.halfspaces",
    "Hypotheses": "dpbench.papers.publicdata.objective",
    "Intervals": "dpbench.papers.publicdata.hypotheses.line",
    "LinearBall": "dpbench.papers.publicdata.hypotheses.linear",
    "LinearEstimator": "dpbench.papers.publicdata.hypotheses.sklearn",
    "Objective": "dpbench.papers.publicdata.objective",
    "ParityCube": "dpbench.papers.publicdata.hypotheses.cube",
    "RRSPM": "dpbench.papers.publicdata.algorithms.rrspm",
    "RSPM": "dpbench.papers.publicdata.algorithms.rspm",
    "RegularizedPerturbation": "dpbench.papers.publicdata.algorithms.regularized_perturbation",
    "Stumps": "dpbench.papers.publicdata.hypotheses.line",
    "Thresholds": "dpbench.papers.publicdata.hypotheses.line",
    "with_anchor": "dpbench.papers.publicdata.algorithms.anchored",
}

__all__ = [
    "RRSPM",
    "RSPM",
    "AveragedPerturbation",
    "Constants",
    "ConvexHull",
    "CountedOracle",
    "FiniteClass",
    "Halfspaces",
    "Hypotheses",
    "Intervals",
    "LinearBall",
    "LinearEstimator",
    "Objective",
    "ParityCube",
    "RegularizedPerturbation",
    "Stumps",
    "Thresholds",
    "with_anchor",
]


def __getattr__(name: str) -> Any:
    from dpbench.core.lazy import load

    return load(__name__, _HOME, name)
