"""What a rate leaves open beside its exponent, and the slopes that this can add on a grid.

A bound C·x^a in O~ notation hides powers of logarithms; a sum of terms in O notation leaves the constant of each term
open, so that the share of the second changes along the grid; what is attained in the limit has a correction before it.
Each of them is a factor f(x; θ) of the law with θ in a stated range. The least-squares slope of log(x^a·f₁·f₂·…) over
log x is linear in the logarithms, so it is a plus the slope of each log f. The slope of log f is monotone in θ for all
factors here, and the ends of its range are the slopes at the ends of the range of θ: nothing is approximated.

- `Logarithm`: (log x)^b.
- `SecondTerm`: the sum of two terms of the theorem, whose slope rises or falls with r as its derivative in r is the
  covariance of log x with a monotone function of their ratio (Chebyshev); the ratio must be monotone along the grid.
- `Correction`: 1 + c·(x/x₀)^(−k), monotone in c for the same reason.
- `Ripple`: a factor that is known to a share and is free at each point: largest where the slope's weight is positive.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from dpbench.core import validation
from dpbench.rates.slopes import grid_weights, theory_slope

Interval = tuple[float, float]


class Nuisance(Protocol):
    """A factor of the law with a parameter in a stated range.

    Attributes
    ----------
    why : str
        Where the theorem leaves it open.
    """

    @property
    def why(self) -> str: ...

    def added(self, x: Sequence[float], columns: Mapping[str, Sequence[float]]) -> Interval:
        """The least and the largest slope that the factor adds on the grid `x`; `columns` are the evidence's."""
        ...


@dataclass(frozen=True)
class Logarithm:
    """The factor (log x)^b.

    Attributes
    ----------
    low, high : float
        The range of b.
    why : str
    shift : float
        log(shift·x) in the place of log x, above 0: 2/δ for log(2n/δ).
    """

    low: float
    high: float
    why: str = "O~ hides a power of the logarithm"
    shift: float = 1.0

    def __post_init__(self) -> None:
        _in_order("low", self.low, self.high)
        validation.real("shift", self.shift, above=0.0)

    def added(self, x: Sequence[float], columns: Mapping[str, Sequence[float]]) -> Interval:
        values = self.shift * np.asarray(x, dtype=float)
        if values.min() <= 1.0:
            raise validation.invalid("x", f"above {1.0 / self.shift:g}, where there is a logarithm", list(x))
        slope = theory_slope(x, np.log(values).tolist())
        return _sorted(self.low * slope, self.high * slope)

    def __str__(self) -> str:
        inside = "x" if self.shift == 1.0 else f"{self.shift:g} x"
        return f"log({inside})^b, {self.low:g} <= b <= {self.high:g} ({self.why})"


@dataclass(frozen=True)
class SecondTerm:
    """The law first + r·second in the place of the ceiling: terms of the theorem's sum, each with its own constant.

    Attributes
    ----------
    first, second : str
        Columns of the evidence: the two terms at each grid point, their constants those of the column "ceiling".
    most : float
        0 ≤ r ≤ `most`.
    why : str
    """

    first: str
    second: str
    most: float = 1.0
    why: str = "O leaves the constant of each term open"

    def __post_init__(self) -> None:
        validation.real("most", self.most, above=0.0)

    def added(self, x: Sequence[float], columns: Mapping[str, Sequence[float]]) -> Interval:
        missing = [name for name in ("ceiling", self.first, self.second) if name not in columns]
        if missing:
            raise validation.invalid("columns", f"with {missing[0]!r}, which a second term needs", list(columns))
        first, second = (np.asarray(columns[name], dtype=float) for name in (self.first, self.second))
        if first.min() <= 0.0 or second.min() < 0.0:
            raise validation.invalid("columns", f"with {self.first!r} above 0 and {self.second!r} at least 0", columns)
        ratio = (second / first)[np.argsort(x, kind="stable")]
        steps, rounding = np.diff(ratio), 1e-12 * ratio.max()
        if steps.min() < -rounding and steps.max() > rounding:
            raise validation.invalid("columns", f"with {self.second!r} over {self.first!r} monotone along x", columns)
        here = theory_slope(x, columns["ceiling"])
        return _sorted(*(theory_slope(x, (first + r * second).tolist()) - here for r in (0.0, self.most)))

    def __str__(self) -> str:
        return f"{self.first} + r {self.second}, 0 <= r <= {self.most:g} ({self.why})"


@dataclass(frozen=True)
class Correction:
    """The factor 1 + c·(x/x₀)^(−k), x₀ the least x: what dies away before the exponent is the limit's.

    Attributes
    ----------
    power : float
        k; negative where the correction grows along the grid, x₀ being the largest x then.
    low, high : float
        The range of c, above −1.
    why : str
    """

    power: float
    low: float
    high: float
    why: str = "the correction of the next order"

    def __post_init__(self) -> None:
        _in_order("low", self.low, self.high)
        validation.real("low", self.low, above=-1.0)
        if validation.real("power", self.power) == 0.0:
            raise validation.invalid("power", "other than 0", self.power)

    def added(self, x: Sequence[float], columns: Mapping[str, Sequence[float]]) -> Interval:
        points = np.asarray(x, dtype=float)
        start = points.min() if self.power > 0.0 else points.max()
        decay = (points / start) ** -self.power
        return _sorted(*(theory_slope(x, (1.0 + c * decay).tolist()) for c in (self.low, self.high)))

    def __str__(self) -> str:
        return f"1 + c (x/x0)^({-self.power:g}), {self.low:g} <= c <= {self.high:g} ({self.why})"


@dataclass(frozen=True)
class Ripple:
    """Any factor between 1 and 1 + `share`, free at each grid point.

    Attributes
    ----------
    share : float
        Above 0.
    why : str
    """

    share: float
    why: str

    def __post_init__(self) -> None:
        validation.real("share", self.share, above=0.0)

    def added(self, x: Sequence[float], columns: Mapping[str, Sequence[float]]) -> Interval:
        most = 0.5 * float(np.abs(grid_weights(x)).sum()) * math.log1p(self.share)  # the weights sum to 0
        return -most, most

    def __str__(self) -> str:
        return f"any factor from 1 to {1.0 + self.share:g} ({self.why})"


def allowance_of(
    x: Sequence[float], nuisances: Sequence[Nuisance], columns: Mapping[str, Sequence[Any]] | None = None
) -> Interval:
    """The least and the largest slope that the nuisances together add on the grid; (0, 0) where there are none.

    Parameters
    ----------
    x : sequence of float
    nuisances : sequence of Nuisance
    columns : mapping of str to sequence, optional
        What a `SecondTerm` reads.
    """
    ends = [nuisance.added(x, columns or {}) for nuisance in nuisances]
    low, high = sum(low for low, _ in ends), sum(high for _, high in ends)
    return float(low), float(high)


def _in_order(name: str, low: float, high: float) -> None:
    if not validation.real(name, low) <= validation.real("high", high):
        raise validation.invalid(name, f"at most high = {high:g}", low)


def _sorted(one: float, other: float) -> Interval:
    return min(one, other), max(one, other)
