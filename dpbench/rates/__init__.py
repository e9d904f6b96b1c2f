"""Rates: sweeps of the excess risk over a grid, and log-log slopes with intervals."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dpbench.rates.exclusion import compatible, data_sets_needed, would_see
    from dpbench.rates.slopes import Slope, slope, theory_slope
    from dpbench.rates.sweeps import Point, sweep

_HOME = {
    "Point": "dpbench.rates.sweeps",
    "compatible": "dpbench.rates.exclusion",
    "data_sets_needed": "dpbench.rates.exclusion",
    "would_see": "dpbench.rates.exclusion",
    "Slope": "dpbench.rates.slopes",
    "slope": "dpbench.rates.slopes",
    "sweep": "dpbench.rates.sweeps",
    "theory_slope": "dpbench.rates.slopes",
}

__all__ = ["Point", "Slope", "compatible", "data_sets_needed", "slope", "sweep", "theory_slope", "would_see"]


def __getattr__(name: str) -> Any:
    from dpbench.core.lazy import load

    return load(__name__, _HOME, name)
