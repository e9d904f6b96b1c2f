"""What an errata page says of a finding beside the claim's own fields: its place, the change, caveats, the reply."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dpbench.ledger.paper import Paper


@dataclass(frozen=True)
class Correction:
    r"""One line of an errata page.

    Attributes
    ----------
    place : str
        Where the quoted words stand: theorem, section, equation, line of a listing.
    change : str
        What a reader writes into their copy, as "for ... read ..." or "add ...".
    caveat : str
        What the paper itself says that bears on the quotation; empty where it says nothing.
    witness : str
        How the quotation was checked against a second text of the paper; empty where there is none.
    reply : str
        The authors' reply, with its date; empty until they are asked and answer.
    effect : int
        What the finding changes in practice: 2, a result or what an algorithm does; 1, a number; 0, nothing. Orders the
        findings of one weight.
    line : int
        First line of the quotation in the text that was read, to find it again; no page prints it.
    """

    place: str
    change: str
    caveat: str = ""
    witness: str = ""
    reply: str = ""
    effect: int = 0
    line: int = 0


@dataclass(frozen=True)
class Findings:
    """What is said of the rows of a paper that do not hold: called once a row, it writes the ledger and the errata.

    Parameters
    ----------
    paper : Paper
    witness : str
        That of every correction.

    Attributes
    ----------
    corrections : dict of str to Correction
        By id.
    """

    paper: Paper
    witness: str
    corrections: dict[str, Correction] = field(default_factory=dict)

    def __call__(
        self, name: str, *, place: str, line: int, change: str, weight: str = "", quote: str = "",
        consequence: str = "", caveat: str = "", effect: int = 0,
    ) -> None:  # fmt: skip
        """Record what is said of the row `name`, its id without the paper's name; see `Claim` and `Correction`.

        What is empty of weight, quotation and consequence stands in the row's declaration.
        """
        row, said = f"{self.paper.name}.{name}", {"weight": weight, "quote": quote, "consequence": consequence}
        self.paper.finding(row, **{key: text for key, text in said.items() if text})
        self.corrections[row] = Correction(place, change, caveat, self.witness, effect=effect, line=line)
