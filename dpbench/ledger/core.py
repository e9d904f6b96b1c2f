"""`Claim`: a declaration that is measured. The verdict rules need declarations alone, so imports make no circle."""

from __future__ import annotations

from dpbench.ledger.declaration import Declaration
from dpbench.ledger.measurement import Context, Evidence


class Claim(Declaration):
    """A row of an entry of the ledger; its attributes are those of `dpbench.ledger.declaration.Declaration`."""

    def measure(self, context: Context) -> tuple[str, Evidence]:
        """The verdict and the evidence, with the seed and the error level that were in force."""
        from dpbench.ledger.harness import conclude  # numpy and the auditor: for those who measure

        return conclude(self, context)
