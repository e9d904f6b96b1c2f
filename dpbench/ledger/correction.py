"""What an errata page says of a finding beside the claim's own fields: its place, the change, caveats, the reply."""

from __future__ import annotations

from dataclasses import dataclass


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
    """

    place: str
    change: str
    caveat: str = ""
    witness: str = ""
    reply: str = ""
    effect: int = 0
