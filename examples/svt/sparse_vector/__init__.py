"""The sparse vector technique: the variants gathered by Lyu, Su and Li (2017), with the privacy that each claimed."""

from dpbench.ledger import Paper

paper = Paper(
    "svt",
    title="Understanding the Sparse Vector Technique for Differential Privacy",
    authors=("Min Lyu", "Dong Su", "Ninghui Li"),
    year=2017,
    url="https://arxiv.org/abs/1603.01699",
    version="PVLDB 10(6)",
    package="sparse_vector.theorems",
)
