"""The claims of the GLM paper: one module a theorem or group of lemmas."""

from dpbench.ledger.paper import Paper

paper = Paper(
    "glm",
    title="Differentially Private Generalized Linear Models Revisited",
    authors=("Raman Arora", "Raef Bassily", "Cristóbal Guzmán", "Michael Menart", "Enayat Ullah"),
    year=2022,
    url="https://arxiv.org/abs/2205.03014",
    version="arXiv 2205.03014v2, 6 March 2024 (first: 6 May 2022; NeurIPS 2022)",
    package=__name__,
    drawings=tuple(f"dpbench.papers.glm.drawings{name}" for name in ("", "_floors", "_risk", "_table1")),
    certificates="dpbench.papers.glm.certificates",
    renamed={
        "glm.table1.floor.nonprivate.lipschitz": "glm.table1.floor.classical.lipschitz",
        "glm.table1.rate.nonprivate.lipschitz": "glm.table1.rate.classical.lipschitz",
    },
    order=(
        "floors_two_point", "floors_packing", "crossover", "floors_fingerprinting", "floors_nonprivate", "lemmas",
        "lemma5", "theorem1_privacy", "rates_noisy_gd", "jl_privacy", "output_perturbation_privacy", "theorem5",
        "rates_output_perturbation", "selection_mechanisms", "selection_privacy", "selection_losses", "lemma11",
        "boosting_failures", "theorem13", "grid_search_oracle", "corollary2", "lemma4", "lemmas_jl", "theorem10",
        "jl_dimension", "uniform_convergence", "rates_lipschitz", "rates_selection",
    ),
)
