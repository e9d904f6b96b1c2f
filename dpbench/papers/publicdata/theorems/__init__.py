"""What is said of the public-data paper: one module a theorem, a group of lemmas or an algorithm.

Quotations are from the HTML of arXiv:2402.09483v1 (13 February 2024), formulas as its LaTeX annotations have them; that
HTML is made by machine from the authors' source, and where a slip could be the conversion's the finding says so.
Whether a later version mends one is not known. What is corrected has none: the words are those of the printed twin.
"""

from dpbench.ledger.paper import Paper

paper = Paper(
    "publicdata",
    title="Oracle-Efficient Differentially Private Learning with Public Data",
    authors=("Adam Block", "Mark Bun", "Rathin Desai", "Abhishek Shetty", "Zhiwei Steven Wu"),
    year=2024,
    url="https://arxiv.org/abs/2402.09483",
    version="arXiv:2402.09483v1 (13 February 2024)",
    witness="one conversion of arXiv:2402.09483v1 was read; a second was not at hand",
    package=__name__,
    drawings=("dpbench.papers.publicdata.drawings",),
    order=(
        "theorem5",
        "proposition1_corollary1",
        "lemmas1_7",
        "lemmas3_9",
        "lemmas4_8_12",
        "lemma5",
        "algorithm2",
        "lemma10",
        "algorithm3",
        "lemma2",
        "lemmas13_14",
        "lemmas15_16",
        "lemmas18_19",
        "theorem8",
        "theorem4_privacy",
        "theorem4_accuracy",
        "algorithm4",
        "theorems2_6",
        "theorems3_7",
        "theorem9",
        "lemmas22_23",
        "theorem10",
    ),
)
