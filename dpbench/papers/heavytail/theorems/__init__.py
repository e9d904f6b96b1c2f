"""The entries of the heavy-tailed paper: one file a theorem or group of lemmas, and files of what several share.

Quotations are LaTeX of the paper as converted on the web (no arXiv source was at hand to compare): where a slip could
be the conversion's, the finding says so. Lines count in that text; "..." leaves out, and the `source` of each entry
says where the words are. Whether a later version mends a finding is not known. Entries of what is corrected have no
quotation: the words are those of the printed twin.
"""

from collections.abc import Callable, Mapping
from typing import Any

from dpbench.ledger.paper import Paper
from dpbench.papers.heavytail import theory

paper = Paper(
    "heavytail",
    title="Differentially Private l1-norm Linear Regression with Heavy-tailed Data",
    authors=("Di Wang", "Jinhui Xu"),
    year=2022,
    url="https://arxiv.org/abs/2201.03204",
    version="arXiv 2201.03204",
    witness="one conversion of the paper was read; it prints formulas twice, once from their LaTeX, and both agree",
    package=__name__,
    drawings=("dpbench.papers.heavytail.drawings",),
    order=(
        "equations3_15", "lemmas1_2", "lemmas3_10", "theorems1_2", "equation19",
    ),
)  # fmt: skip

ORDERS = {1: (2.0,), 2: (1.75, 1.5, 1.25)}
"""θ of each theorem's entries; lemmas for θ below 2 are tried at those of Theorem 2."""
BELOW_2 = {1: "", 2: ".theta-below-2"}
"""What an id ends with, of an entry that has the lemma of Theorem 1 and that of Theorem 2."""
FAILURE = 0.05
CONSTANT = 100.0
"""The O(·) of a refuted bound is taken this large, and could be any number."""


def unit_rate(
    n: int, d: int, theta: float, moment: str = "norm", epsilon: float = 1.0, failure: float = FAILURE
) -> float:
    """The theorem's bound at τ = 1 and Δ = 2."""
    return theory.rate(n, d, epsilon, failure, theta=theta, tau=1.0, moment=moment, diameter=2.0)


def unit_iota(
    n: int, d: int, theta: float, moment: str = "norm", epsilon: float = 1.0, failure: float = FAILURE
) -> float:
    """ι of Theorems 1 and 2 there."""
    return theory.truncation(n, d, epsilon, failure, theta=theta, tau=1.0, moment=moment, diameter=2.0)


def entry(
    declare: Callable[..., Any], name: str, rows: Mapping[str, Mapping[str, Any]], shared: Mapping[str, Any]
) -> None:
    """Declare an entry of these rows; the first of them, with what all share, is the entry's own."""
    (row, first), *others = rows.items()
    given = {**shared, **first}
    measure = given.pop("measure")
    declare(name, row=row, rows=dict(others), **given)(measure)
