"""The claims of the heavy-tailed paper: one module a theorem or group of lemmas."""

from dpbench.ledger.paper import Paper

paper = Paper(
    "heavytail",
    title="Differentially Private l1-norm Linear Regression with Heavy-tailed Data",
    authors=("Di Wang", "Jinhui Xu"),
    year=2022,
    url="https://arxiv.org/abs/2201.03204",
    version="arXiv 2201.03204",
    package=__name__,
    drawings=("dpbench.papers.heavytail.drawings",),
    certificates="dpbench.papers.heavytail.certificates",
    order=("lemmas", "minimiser", "privacy", "utility", "misprints", "sharp", "rates"),
)
