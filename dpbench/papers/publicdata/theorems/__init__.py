"""The claims of the public-data paper: one module a theorem or group of lemmas."""

from dpbench.ledger.paper import Paper

paper = Paper(
    "publicdata",
    title="Oracle-Efficient Differentially Private Learning with Public Data",
    authors=("Adam Block", "Mark Bun", "Rathin Desai", "Abhishek Shetty", "Zhiwei Steven Wu"),
    year=2024,
    url="https://arxiv.org/abs/2402.09483",
    version="arXiv:2402.09483v1 (13 February 2024)",
    package=__name__,
    drawings=("dpbench.papers.publicdata.drawings",),
    certificates="dpbench.papers.publicdata.certificates",
    order=(
        "anticoncentration",
        "stability_average",
        "perturb_privacy",
        "norms",
        "algorithm2",
        "algorithm3",
        "deviations",
        "misprints",
        "rrspm_lemmas",
        "rrspm_privacy",
        "algorithm4",
        "rates_regression",
        "rates_classification",
    ),
)
