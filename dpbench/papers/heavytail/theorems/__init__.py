"""The entries of the heavy-tailed paper: one file a theorem or group of lemmas, and files of what several share.

Quotations are LaTeX of the paper as converted on the web (no arXiv source was at hand to compare): where a slip could
be the conversion's, the finding says so. Lines count in that text; "..." leaves out, and the `source` of each entry
says where the words are. Whether a later version mends a finding is not known. Entries of what is corrected have no
quotation: the words are those of the printed twin.
"""

from dpbench.ledger.paper import Paper

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
        "equations3_15", "lemma1", "lemma2", "lemmas3_6_9", "lemmas4_5_7_8_10", "theorems1_2_privacy",
        "theorems1_2_bound", "theorems1_2_moment", "theorems1_2_rates", "equation19",
    ),
)  # fmt: skip

ORDERS = {1: (2.0,), 2: (1.75, 1.5, 1.25)}
"""θ of each theorem's entries; lemmas for θ below 2 are tried at those of Theorem 2."""
FAILURE = 0.05
CONSTANT = 100.0
"""The O(·) of a refuted bound is taken this large, and could be any number."""
