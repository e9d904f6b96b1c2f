"""Every upper rate of the heavy-tailed and the public-data paper names the nearest law known, and it is there."""

import re

from dpbench.papers.heavytail.theorems import paper as heavytail
from dpbench.papers.publicdata.theorems import paper as publicdata

CLAIMS = {claim.id: claim for paper in (heavytail, publicdata) for claim in paper.claims}
FAR = "far from tried by it", "does not try the bias"
"""Words of entries that try another thing: the printed weight and iota on noise-free designs."""


def test_every_upper_rate_names_the_nearest_family():
    upper = [
        c for name, c in CLAIMS.items() if c.side == "upper" and c.expected == "consistent" and "worst" not in name
    ]  # fmt: skip
    assert len(upper) > 20
    for claim in upper:
        if any(words in claim.derivation for words in FAR):
            continue
        named = re.findall(r"(?:heavytail|publicdata)\.[\w.-]*\w", claim.derivation)
        near = [name for name in named if re.search(r"reached|worst|necessary", name)]
        assert near, f"{claim.id} does not say how near the bound is reached"
        for name in near:
            assert CLAIMS[name].expected in ("not refuted", "consistent"), name
