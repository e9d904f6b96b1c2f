"""Privacy of Algorithms 1 and 2 on the line: any records, two data sets that differ in one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpbench.certificates.search.question import inequality, pair_event
from dpbench.certificates.search.space import Choice, Integer, Parameter, Real, Space

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
_DERIVED = (
    "d = 1, net {-1, 0, 1}, features and labels in units of 1/iota: n iota L at a net point is the sum of psi of the "
    "residuals, and the output is a net point with probability proportional to exp(-weight n iota L).",
)


def _output(space: Space, weight: str, removed: bool) -> Any:
    """The chance of the net point -1 on the two data sets."""
    made = {}
    for side, record in (("p", 1), ("q", 2)):
        for name in NET:
            own = "" if removed and side == "q" else f"{name}_{record} + "
            made[f"{side}_{name}"] = f"{weight}*({own}others*{name}_3)"
    definitions = {s: f"1/(1 + exp({s}_low - {s}_mid) + exp({s}_low - {s}_high))" for s in ("p", "q")}
    return pair_event(space, "p", "q", delta="0", derivation=_DERIVED, definitions={**made, **definitions})


def _questions(theorem: str, algorithm: str, equation: str, space: Space, sharp: str) -> dict[str, Any]:
    moved = inequality(space, "abs(low_1 - low_2)", sharp, derivation=_DERIVED)
    upper = inequality(
        space,
        "low_1",
        "log(1 + z + z^theta/theta)",
        derivation=_DERIVED,
        conditions={"some": ("z > 0", "a residual")},
        definitions={"z": "min(1, abs(y_1 + x_1))"},
    )
    return {
        f"heavytail.{theorem}.privacy.printed": _output(space, "epsilon/log(theta)", False),
        f"heavytail.{theorem}.privacy.exact": _output(space, "epsilon/(2*log(theta))", False),
        f"heavytail.{theorem}.privacy.printed-add-remove": _output(space, "epsilon/log(theta)", True),
        f"heavytail.{algorithm}.stability.sensitivity": moved,
        f"heavytail.{equation}.inequality": upper,
    }  # fmt: skip


LINE = _records("Algorithm 1 on the line with a net of three points, any records", "2", "{z}^2", {})
ORDER = _records(
    "Algorithm 2 on the line with a net of three points, any records",
    "1 + half/2 + quarter/4",
    "{z}*sqrt({z})^half*sqrt(sqrt({z}))^quarter",
    QUARTERS,
)

QUESTIONS: dict[str, Any] = {
    **_questions("thm1", "alg1", "eq3", LINE, "2*log(theta)"),
    **_questions("thm2", "alg2", "eq15", ORDER, "log(theta)"),
}
