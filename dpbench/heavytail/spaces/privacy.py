"""Privacy of Algorithms 1 and 2 on the line: any records, two data sets that differ in one."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dpbench.certificates.search.question import inequality, pair_event
from dpbench.certificates.search.space import Choice, Integer, Real, Space

NET = {"low": "-1", "mid": "0", "high": "1"}
ORDERS = tuple(Fraction(k, 20) for k in range(21, 40))


def _psi(x: str, y: str, w: str) -> str:
    """ψ of a residual, the truncation's scale being 1: constant from 1 on."""
    z = f"min(1, abs({y} - ({w})*{x}))"
    return f"(-log(1 - {z} + {z}^theta/theta))"


def _records(about: str, orders: tuple[int | Fraction, ...]) -> Space:
    losses = {f"{name}_{i}": _psi(f"x_{i}", f"y_{i}", w) for i in (1, 2, 3) for name, w in NET.items()}
    return Space(
        about,
        {
            "epsilon": Real("claimed", 1e-2, 20.0),
            "theta": Choice("order of the moment", orders),
            "others": Integer("copies of the common record", 1, 100),
            **{f"x_{i}": Real(f"feature of {who}", -10.0, 10.0) for i, who in enumerate(_WHO, 1)},
            **{f"y_{i}": Real(f"label of {who}", -10.0, 10.0) for i, who in enumerate(_WHO, 1)},
        },
        definitions=losses,
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
            made[f"{side}_{name}"] = f"exp(-{weight}*({own}others*{name}_3))"
    definitions = {"p": "p_low/(p_low + p_mid + p_high)", "q": "q_low/(q_low + q_mid + q_high)"}
    return pair_event(
        space, "p", "q", delta="0", derivation=_DERIVED, definitions={**made, **definitions}
    )


def _questions(theorem: str, algorithm: str, equation: str, space: Space, sharp: str) -> dict[str, Any]:
    moved = inequality(space, "abs(low_1 - low_2)", sharp, derivation=_DERIVED)
    upper = inequality(
        space, "low_1", "log(1 + z + z^theta/theta)", derivation=_DERIVED, conditions={"some": ("z > 0", "a residual")},
        definitions={"z": "min(1, abs(y_1 + x_1))"},
    )
    return {
        f"heavytail.{theorem}.privacy.printed": _output(space, "epsilon/log(theta)", False),
        f"heavytail.{theorem}.privacy.exact": _output(space, "epsilon/(2*log(theta))", False),
        f"heavytail.{theorem}.privacy.printed-add-remove": _output(space, "epsilon/log(theta)", True),
        f"heavytail.{algorithm}.stability.sensitivity": moved,
        f"heavytail.{equation}.inequality": upper,
    }  # fmt: skip


LINE = _records("Algorithm 1 on the line with a net of three points, any records", (2,))
ORDER = _records("Algorithm 2 on the line with a net of three points, any records", ORDERS)

QUESTIONS: dict[str, Any] = {
    **_questions("thm1", "alg1", "eq3", LINE, "2*log(theta)"),
    **_questions("thm2", "alg2", "eq15", ORDER, "log(theta)"),
}
