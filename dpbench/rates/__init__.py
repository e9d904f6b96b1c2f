"""Rates: sweeps of the excess risk over a grid, log-log slopes with intervals, and what they leave open."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dpbench.rates.exclusion import compatible, data_sets_needed, rate_verdict, would_see
    from dpbench.rates.nuisances import Correction, Logarithm, Ripple, SecondTerm, allowance_of
    from dpbench.rates.slopes import Slope, slope, theory_slope
    from dpbench.rates.sweeps import Point, sweep

_HOME = {
    "Correction": "dpbench.rates.nuisances",
    "Logarithm": "dpbench.rates.nuisances",
    "Point": "dpbench.rates.sweeps",
    "Ripple": "dpbench.rates.nuisances",
    "SecondTerm": "dpbench.rates.nuisances",
    "allowance_of": "dpbench.rates.nuisances",
    "compatible": "dpbench.rates.exclusion",
    "data_sets_needed": "dpbench.rates.exclusion",
    "rate_verdict": "dpbench.rates.exclusion",
    "would_see": "dpbench.rates.exclusion",
    "Slope": "dpbench.rates.slopes",
    "slope": "dpbench.rates.slopes",
    "sweep": "dpbench.rates.sweeps",
    "theory_slope": "dpbench.rates.slopes",
}

__all__ = [
    "Correction",
    "Logarithm",
    "Point",
    "Ripple",
    "SecondTerm",
    "Slope",
    "allowance_of",
    "compatible",
    "data_sets_needed",
    "rate_verdict",
    "slope",
    "sweep",
    "theory_slope",
    "would_see",
]


def __getattr__(name: str) -> Any:
    from dpbench.core.lazy import load

    return load(__name__, _HOME, name)
