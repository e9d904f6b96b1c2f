"""Algorithms of "Oracle-Efficient Differentially Private Learning with Public Data" (Block, Bun, Desai, Shetty, Wu)."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dpbench.papers.publicdata.anchored import with_anchor
    from dpbench.papers.publicdata.averaged_perturbation import AveragedPerturbation
    from dpbench.papers.publicdata.hypotheses_constants import Constants
    from dpbench.papers.publicdata.hypotheses_cube import ParityCube
    from dpbench.papers.publicdata.hypotheses_finite import ConvexHull, FiniteClass
    from dpbench.papers.publicdata.hypotheses_line import Intervals, Stumps, Thresholds
    from dpbench.papers.publicdata.hypotheses_linear import LinearBall
    from dpbench.papers.publicdata.hypotheses_plane import Halfspaces
    from dpbench.papers.publicdata.hypotheses_sklearn import LinearEstimator
    from dpbench.papers.publicdata.objective import CountedOracle, Hypotheses, Objective
    from dpbench.papers.publicdata.regularized_perturbation import RegularizedPerturbation
    from dpbench.papers.publicdata.rrspm import RRSPM
    from dpbench.papers.publicdata.rspm import RSPM

_HOME = {
    "AveragedPerturbation": "dpbench.papers.publicdata.averaged_perturbation",
    "Constants": "dpbench.papers.publicdata.hypotheses_constants",
    "ConvexHull": "dpbench.papers.publicdata.hypotheses_finite",
    "CountedOracle": "dpbench.papers.publicdata.objective",
    "FiniteClass": "dpbench.papers.publicdata.hypotheses_finite",
    "Halfspaces": "dpbench.papers.publicdata.hypotheses_plane",
    "Hypotheses": "dpbench.papers.publicdata.objective",
    "Intervals": "dpbench.papers.publicdata.hypotheses_line",
    "LinearBall": "dpbench.papers.publicdata.hypotheses_linear",
    "LinearEstimator": "dpbench.papers.publicdata.hypotheses_sklearn",
    "Objective": "dpbench.papers.publicdata.objective",
    "ParityCube": "dpbench.papers.publicdata.hypotheses_cube",
    "RRSPM": "dpbench.papers.publicdata.rrspm",
    "RSPM": "dpbench.papers.publicdata.rspm",
    "RegularizedPerturbation": "dpbench.papers.publicdata.regularized_perturbation",
    "Stumps": "dpbench.papers.publicdata.hypotheses_line",
    "Thresholds": "dpbench.papers.publicdata.hypotheses_line",
    "with_anchor": "dpbench.papers.publicdata.anchored",
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
