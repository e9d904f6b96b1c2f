"""The words of the ledger: kinds of claims, their verdicts, and what a finding weighs. This module imports nothing."""

from __future__ import annotations

KINDS = ("privacy", "rate", "floor", "inequality", "stability")
VERDICTS = {
    "privacy": ("proved", "refuted", "not refuted"),
    "rate": ("consistent", "inconsistent", "undecided"),
    "floor": ("refuted", "not refuted"),
    "inequality": ("refuted", "not refuted"),
    "stability": ("refuted", "not refuted"),
}
WEIGHTS = ("statement", "range", "constant", "step", "hypothesis", "misprint")
"""What a finding against the paper weighs: see `dpbench.ledger.core.Claim.weight`."""
