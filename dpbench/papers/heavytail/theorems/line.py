"""The line, d = 1: the spaces of records that are searched there, with a net of three points, and the ι in use."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from dpbench.certificates.build import above
from dpbench.certificates.search.space import Choice, Integer, Parameter, Real, Space
from dpbench.papers.heavytail.theorems import unit_iota

NET = {"low": "-1", "mid": "0", "high": "1"}
QUARTERS: dict[str, Parameter] = {
    "half": Choice("theta is 1 + half/2 + quarter/4", (1, 0)),
    "quarter": Choice("theta is 1 + half/2 + quarter/4", (0, 1)),
}
"""Powers by roots, which are defined at a residual of 0."""


def _psi(x: str, y: str, w: str, power: str) -> str:
    """ψ of a residual z, the truncation's scale being 1: constant from 1 on; `power` is z^theta."""
    z = f"min(1, abs({y} - ({w})*{x}))"
    return f"(-log(1 - {z} + {power.format(z=z)}/theta))"


def _records(about: str, theta: str, power: str, order: Mapping[str, Parameter]) -> Space:
    losses = {f"{name}_{i}": _psi(f"x_{i}", f"y_{i}", w, power) for i in (1, 2, 3) for name, w in NET.items()}
    return Space(
        about,
        {
            "epsilon": Real("claimed", 1e-2, 20.0),
            **order,
            "others": Integer("copies of the common record", 1, 30),
            **{f"x_{i}": Real(f"feature of {who}", -10.0, 10.0) for i, who in enumerate(_WHO, 1)},
            **{f"y_{i}": Real(f"label of {who}", -10.0, 10.0) for i, who in enumerate(_WHO, 1)},
        },
        definitions={"theta": theta, **losses},
        conditions={"order": ("theta > 1", "order of the moment")},
    )


_WHO = ("the record that is replaced", "the record in its place", "the common record")
DERIVED = (
    "d = 1, net {-1, 0, 1}, features and labels in units of 1/iota: n iota L at a net point is the sum of psi of the "
    "residuals, and the output is a net point with probability proportional to exp(-weight n iota L).",
)
LINE = _records("Algorithm 1 on the line with a net of three points, any records", "2", "{z}^2", {})
ORDER = _records(
    "Algorithm 2 on the line with a net of three points, any records",
    "1 + half/2 + quarter/4",
    "{z}*sqrt({z})^half*sqrt(sqrt({z}))^quarter",
    QUARTERS,
)


def line_iota(n: int, theta: float) -> float:
    """ι of Theorems 1 and 2 at d = ε = τ = 1, η = 1/20 on [−1, 1]."""
    return unit_iota(n, 1, theta)


def truncation_in_use(n: int, theta: float) -> Fraction:
    """That ι, rounded up to four digits."""
    return above(line_iota(n, theta), 4)
