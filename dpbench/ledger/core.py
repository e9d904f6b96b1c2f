"""`Claim`: a statement of a paper with a function of a context that measures it.

`dpbench.ledger.paper` declares both in one place; what the function is given and gives is in
`dpbench.ledger.measurement`, and what turns that into a verdict in `dpbench.ledger.harness`.
"""

from __future__ import annotations

from dpbench.ledger.declaration import Declaration
from dpbench.ledger.measurement import Context, Evidence


class Claim(Declaration):
    """An entry of the ledger; its attributes are those of `dpbench.ledger.declaration.Declaration`."""

    def measure(self, context: Context) -> tuple[str, Evidence]:
        """The verdict and the evidence, with the seed and the error level that were in force."""
        from dpbench.ledger.harness import conclude  # numpy and the auditor: for those who measure

        return conclude(self, context)
