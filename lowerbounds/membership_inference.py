"""The fingerprint correlation of Theorem 11 of the GLM paper as a membership test: was this record used?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from lowerbounds.instances import HardFamily, Instance, invalid


@dataclass(frozen=True, eq=False)
class Membership:
    """One target record, a data set with it, and the same data set with x = 0 in its place.

    Attributes
    ----------
    present, absent : Instance
        Neighbours: they differ in record 0.
    column : int
        The coordinate j that the target is on.
    bit, mean, scale : float
        z and μ_j of the target, and B/d'^{1/p}.
    """

    present: Instance
    absent: Instance
    column: int
    bit: float
    mean: float
    scale: float

    def score(self, outputs: np.ndarray) -> np.ndarray:
        """The target's share of the fingerprint correlation, v_j(z − μ_j), v = w/scale clipped to [0, 1]."""
        return membership_scores([self], np.zeros(len(outputs), dtype=np.int64), outputs)


def membership_scores(targets: Sequence[Membership], which: np.ndarray, outputs: np.ndarray) -> np.ndarray:
    """The score of each of `outputs` (trials, d), as in `Membership.score`, for target number which[t]: (trials,)."""
    columns = np.array([target.column for target in targets])[which]
    shares, scales = np.array([(target.bit - target.mean, target.scale) for target in targets])[which].T
    return np.asarray(np.clip(outputs[np.arange(len(which)), columns] / scales, 0.0, 1.0) * shares)


def membership(family: HardFamily, rng: np.random.Generator) -> Membership:
    """A random target of a fingerprinting family: is it in the data? The proof's correlation is the test."""
    if not isinstance(family, HardFamily) or "scale" not in family.parameters:
        raise invalid("family", "a family of `fingerprinting`", family)
    means = family.members(rng)
    base = family.instances(means, rng)
    column, scale = int(rng.integers(means.size)), float(family.parameters["scale"])
    bit = float(rng.random() < means[column])
    stored, kept = base.X.indptr[1], base.X.indices[base.X.indptr[1] :]  # of record 0, and of the others
    worlds = []
    for first, label in (([column], bit * scale * base.x_bound), ([], 0.0)):
        y = base.y.copy()
        y[0] = label
        indices = np.concatenate([np.array(first, dtype=kept.dtype), kept])
        starts = base.X.indptr + np.int32(len(first) - stored)
        starts[0] = 0
        X = sparse.csr_array((np.full(indices.size, base.x_bound), indices, starts), shape=base.X.shape)
        worlds.append(Instance(X, y, base.loss, base.x_bound, base.y_bound, base.radius))
    return Membership(worlds[0], worlds[1], column, bit, float(means[column]), scale)
