"""The theorems of the GLM paper: one file a theorem or group of lemmas, which holds all that is said of it.

Quotations, those within caveats too, are the paper's LaTeX, to the letter, " ... " where words are left out; lines
count in the first of two texts of the paper (written with B_B for the ball, as at NeurIPS 2022). Each was looked up in
the second, made from the LaTeX source of arXiv:2205.03014v2 (6 March 2024): where the two differ there is no finding.
Whether a later version mends one is not known. Where an entry holds, its quotation is the sentence or display of the
theorem; the place is the entry's `source`. Rows of what proofs use (sensitivities, composition) have the sentence that
uses it, cells of Table 1 the cell or what the text says of it; a corrected row has the words of the row it corrects.
"""

from dpbench.ledger.paper import Paper

paper = Paper(
    "glm",
    title="Differentially Private Generalized Linear Models Revisited",
    authors=("Raman Arora", "Raef Bassily", "Cristóbal Guzmán", "Michael Menart", "Enayat Ullah"),
    year=2022,
    url="https://arxiv.org/abs/2205.03014",
    witness="arXiv:2205.03014v2 (6 March 2024), from its LaTeX source, prints the same",
    version="arXiv 2205.03014v2, 6 March 2024 (first: 6 May 2022; NeurIPS 2022)",
    package=__name__,
    drawings=("dpbench.papers.glm.drawings", "dpbench.papers.glm.drawings_table1"),
    order=(
        "table1",
        "algorithm1",
        *(f"theorem{n}" for n in (1, 2, 3, 4, 5)),
        "theorems6_11",
        *(f"theorem{n}" for n in (7, 8, 9, 10, 12, 13, 15)),
        "theorems16_17",
        "corollary1",
        "corollary2",
        "lemma1",
        "lemmas2_3",
        "lemma4",
        "fact1",
        *(f"lemma{n}" for n in (5, 6, 7, 8)),
        "lemmas9_10",
        "lemma11",
        "lemma12",
    ),
)
