"""The entries of the heavy-tailed paper, in its order."""

from dpbench.claims.heavytail import lemmas, privacy, rates, utility

CLAIMS = (
    *lemmas.CLAIMS,
    *privacy.CLAIMS,
    *utility.CLAIMS,
    *rates.CLAIMS,
)
