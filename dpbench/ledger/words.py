"""The words of the ledger: kinds of claims, their verdicts, and what a finding weighs. This module imports nothing."""

from __future__ import annotations

KINDS = ("privacy", "rate", "floor", "inequality", "stability")
UNDECIDED = "undecided"
"""Nearer to equality than the error of the computation, in some row, and nothing beyond the claim in any."""
VACUOUS = "vacuous"
"""No instance meets the hypotheses: nothing is claimed."""
VERDICTS = {
    "privacy": ("proved", "refuted", "not refuted", UNDECIDED, VACUOUS),
    "rate": ("consistent", "inconsistent", UNDECIDED, VACUOUS),
    "floor": ("proved", "refuted", "not refuted", UNDECIDED, VACUOUS),
    "inequality": ("proved", "refuted", "not refuted", UNDECIDED, VACUOUS),
    "stability": ("proved", "refuted", "not refuted", UNDECIDED, VACUOUS),
}
ROWS, GUARANTEES, PAIRS, ATTACKS = "rows", "guarantees", "pairs", "attacks"
"""Tables of evidence: the rows on which a verdict rests, those of a privacy entry by what they give."""
FAILED = ("refuted", "inconsistent")
"""Verdicts of what does not hold."""
WEIGHTS = ("statement", "range", "constant", "step", "hypothesis", "misprint")
"""What a finding against the paper weighs: see `dpbench.ledger.declaration.Declaration.weight`."""
HURT = ("use", "corner", "proof", "letter")
"""Who is hurt by what does not hold: whoever runs it as printed has less privacy than is claimed; the same, or a result
that fails, in a stated range of n, d, epsilon or of the instance; a proof, or a constant of a result; only who takes a
slip to the letter, beside which the paper has what is meant, or nothing rests on it."""
DECIDED = ("certificate", "exact", "sampled", "tried")
"""How a verdict was decided: by the checker from a certificate; here, with an error bound; at the level spent; on the
instances tried."""
LINKS = ("none", "derivation", "assumed")
"""What leads from the paper's objects to what was decided: nothing is needed; a written derivation;
somebody's word."""
GRADES = ("certificate", "exact", "sampled", "derivation", "tried", "assumed")
"""What a verdict rests on: see `dpbench.ledger.grades`."""
ORIGINS = ("printed", "corrected", "folklore", "control")
"""Whose statement an entry is: the paper's as printed, what holds instead, a known fact, or a mutant that must fail."""
