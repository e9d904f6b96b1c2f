"""Real data split into private records and public points."""

from __future__ import annotations

from typing import Any

from dpbench.core import validation
from dpbench.core.sampling import stream
from dpbench.papers.glm import datasets
from dpbench.papers.publicdata.problem import PublicDataProblem


def load(
    name: str, *, hypotheses: Any, loss: str = "zero-one", public: float = 0.2, seed: int = 0
) -> PublicDataProblem:
    """A real data set, a random part of which gives up its labels and becomes the public points.

    Parameters
    ----------
    name : str
        One of `dpbench.papers.glm.datasets.names()`, with its declared scaling: x = (1, u_1, …, u_k)/√(k + 1),
        ‖x‖ ≤ 1, labels in [−1, 1].
    hypotheses : object
        A class on points of shape (N, k + 1): stumps of that dimension, a linear ball.
    loss : str
        "zero-one" where the label is a class.
    public : float
        Share of the records that becomes public, in (0, 1); rounded, and at least one record on either side.
    seed : int
        Of the split. Public and private points follow one law: σ = 1.

    Raises
    ------
    InvalidInput
        For an unknown name, or the loss "zero-one" on a label that is a number.
    MissingExtra
        Where the package that holds the records is not installed.
    """
    share = validation.fraction("public", public)
    whole = datasets.load(name, loss="squared")
    if loss == "zero-one" and datasets.SETS[name].label is not None:
        raise validation.invalid("loss", f"a loss for real labels, which {name} has", loss)
    order = stream("public split", name, validation.integer("seed", seed, at_least=0)).permutation(whole.n)
    count = min(whole.n - 1, max(1, round(share * whole.n)))
    seen, kept = order[:count], order[count:]
    return PublicDataProblem(whole.X[kept], whole.y[kept], whole.X[seen], hypotheses=hypotheses, loss=loss)
