"""Families for the builders: means, covariances, sparse means, heavy tails, selection, public records, those of GLMs.

Each is a `lowerbounds.Family`; a builder makes a floor of it under any privacy claim. Parameters that an argument
leaves free (a bias, a chance) are arguments here: take the largest floor over a grid of them.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from dpbench.core import validation
from dpbench.core.validation import invalid
from lowerbounds._toolkit import Family
from lowerbounds.instances import HardFamily, count, positive

_ENUMERATED = 10  # bits up to which the law of a record is listed


def bit_means(n: int, d: int, *, beta: float = 1.0, public: int = 0) -> Family:
    """Records of d bits with means μ_j from Beta(β, β); the squared error of an estimate of μ. For `fingerprint`.

    Parameters
    ----------
    n, d : int
    beta : float
    public : int
        Further records of the same law, which come last and are not private.
    """
    n, d, beta = count("n", n), count("d", d), positive("beta", beta)
    public = count("public", public, at_least=0)

    def draw(member: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return (rng.random((n + public, d)) < member).astype(np.float64)

    def law(member: np.ndarray) -> tuple[list[tuple[float, ...]], list[float]]:
        records = [tuple(map(float, bits)) for bits in itertools.product((0, 1), repeat=d)]
        return records, [float(np.prod(np.where(bits, member, 1.0 - member))) for bits in np.array(records, dtype=bool)]

    return Family(
        "means of bits", n, draw, _squared, target=lambda member: member, prior=lambda rng: rng.beta(beta, beta, d),
        width=d, beta=beta, public=public, law=law if d <= _ENUMERATED else None,
        at_prior=lambda other: bit_means(n, d, beta=other, public=public), source="Bun, Ullman & Vadhan 2014",
    )  # fmt: skip


def gaussian_mean(n: int, d: int, *, spread: float = 1.0, public: int = 0) -> Family:
    """Records N(θ, I) in d dimensions, θ ~ N(0, spread²·I); squared error. For `score_attack`.

    Parameters
    ----------
    n, d : int
    spread : float
    public : int
    """
    n, d, spread = count("n", n), count("d", d), positive("spread", spread)
    public = count("public", public, at_least=0)
    return Family(
        "Gaussian mean", n, lambda member, rng: member + rng.standard_normal((n + public, d)), _squared,
        target=lambda member: member, prior=lambda rng: spread * rng.standard_normal(d),
        score=lambda member, records: np.asarray(records) - member, width=d, information=(float(d), 1.0),
        prior_information=d / spread**2, public=public, source="Cai, Wang & Zhang 2021",
    )  # fmt: skip


def covariance(n: int, d: int, bias: float) -> Family:
    """Records (e_i + s·e_j)/√2 with s = ±1 of mean σ_ij·bias on a random pair i < j: E x_i x_j = σ_ij·bias/(2D).

    D = d(d − 1)/2; an output is the D entries above the diagonal, in the order of `numpy.triu_indices`, and the loss
    the
    squared Frobenius error of both triangles. For `assouad`.

    Parameters
    ----------
    n, d : int
    bias : float
        In (0, 1].
    """
    n, d, bias = count("n", n), count("d", d, at_least=2), _at_most_one("bias", bias)
    first, second = np.triu_indices(d, 1)
    pairs = len(first)
    entry = bias / (2.0 * pairs)

    def draw(member: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        at = rng.integers(0, pairs, n)
        signs = np.where(rng.random(n) < 0.5 * (1.0 + bias * np.asarray(member)[at]), 1.0, -1.0)
        records = np.zeros((n, d))
        records[np.arange(n), first[at]] = math.sqrt(0.5)
        records[np.arange(n), second[at]] = math.sqrt(0.5) * signs
        return records

    def law(member: np.ndarray) -> tuple[list[tuple[float, ...]], list[float]]:
        records, chances = [], []
        for j, sign in itertools.product(range(pairs), (1.0, -1.0)):
            record = np.zeros(d)
            record[first[j]], record[second[j]] = math.sqrt(0.5), sign * math.sqrt(0.5)
            records.append(tuple(record.tolist()))
            chances.append(0.5 * (1.0 + sign * bias * float(member[j])) / pairs)
        return records, chances

    return Family(
        "covariance", n, draw, lambda member, outputs: 2.0 * _squared(entry * np.asarray(member), outputs),
        target=lambda member: entry * np.asarray(member), prior=lambda rng: 2.0 * rng.integers(0, 2, pairs) - 1.0,
        differ=lambda member, other: bias / pairs * float((np.asarray(member) != np.asarray(other)).sum()),
        separation=lambda member, other: 4.0 * entry**2 * float((np.asarray(member) != np.asarray(other)).sum()),
        quadratic=True, width=pairs, law=law, source="Assouad's cube on the entries of a covariance",
    )  # fmt: skip


def sparse_mean(n: int, d: int, bias: float) -> Family:
    """Records of d signs, fair but for the v-th, whose mean is `bias`; squared error. For `packing` and `fano`.

    Parameters
    ----------
    n, d : int
    bias : float
        In (0, 1).
    """
    n, d, bias = count("n", n), count("d", d, at_least=2), _at_most_one("bias", bias)

    def means(member: int | None) -> np.ndarray:
        vector = np.zeros(d)
        if member is not None and member >= 0:
            vector[member] = bias
        return vector

    def law(member: int) -> tuple[list[tuple[float, ...]], list[float]]:
        records = list(itertools.product((1.0, -1.0), repeat=d))
        return records, [float(np.prod(0.5 * (1.0 + np.array(record) * means(member)))) for record in records]

    def couple(first: int, second: int, k: int) -> tuple[np.ndarray, np.ndarray]:
        shared = np.repeat(1.0 - 2.0 * (np.arange(n) % 2)[:, None], d, axis=1)
        here, there = shared.copy(), shared.copy()
        for records, up, down in ((here, first, second), (there, second, first)):
            records[:k, up], records[:k, down] = 1.0, -1.0
        return here, there

    high, low = 1.0 + bias, 1.0 - bias
    # Kullback–Leibler divergences of a biased sign from a fair one, and of a fair one from a biased one.
    biased = 0.5 * (high * math.log(high) + (low * math.log(low) if low > 0.0 else 0.0))
    fair = -0.5 * math.log(high * low) if low > 0.0 else math.inf

    def divergence(member: int, other: int) -> float:
        if member == other:
            return 0.0
        return biased * (member >= 0) + (fair if other >= 0 else 0.0)

    return Family(
        "sparse mean", n, lambda member, rng: np.where(rng.random((n, d)) < 0.5 * (1.0 + means(member)), 1.0, -1.0),
        lambda member, outputs: _squared(means(member), outputs), members=tuple(range(d)), target=means,
        differ=lambda member, other: 0.0 if member == other else 0.5 * bias * sum(v >= 0 for v in (member, other)),
        couple=couple, separation=_apart(bias**2), radius=0.5 * bias**2,
        reference=-1,
        divergence=divergence, width=d,
        law=law if d <= _ENUMERATED else None, source="one large coordinate of d",
    )  # fmt: skip


def heavy_mean(n: int, chance: float, *, theta: float = 2.0) -> Family:
    """x = ±s with probability p, else 0, E|x|^θ = p·s^θ = 1; the absolute error of the mean ±p·s. For `le_cam`.

    Parameters
    ----------
    n : int
    chance : float
        p; near 1/(nε) for the largest floor, of order (nε)^{−(θ−1)/θ}.
    theta : float
        Above 1.
    """
    n, chance, theta = count("n", n), _at_most_one("chance", chance), validation.real("theta", theta, above=1.0)
    size = chance ** (-1.0 / theta)
    return Family(
        "heavy-tailed mean",
        n,
        lambda member, rng: np.where(rng.random(n) < chance, member * size, 0.0),
        lambda member, outputs: np.abs(_column(outputs) - member * chance * size),
        members=(1, -1),
        target=lambda member: np.array([member * chance * size]),
        differ=_apart(chance),
        separation=_apart(2.0 * chance * size),
        width=1,
        law=lambda member: ([-size, 0.0, size], [chance * (member < 0), 1.0 - chance, chance * (member > 0)]),
        source="Barber & Duchi 2014; Kamath, Singhal & Ullman 2020",
    )


def selection(n: int, candidates: int, votes: int) -> Family:
    """Votes of n people for one of M candidates or none: `votes` for candidate v, no others. For `packing`, pure ε too.

    Records are integers: 0 for no vote. An output is a candidate, the loss 1 for the wrong one.

    Parameters
    ----------
    n, candidates, votes : int
        votes ≤ n.
    """
    n, candidates, votes = count("n", n), count("candidates", candidates, 2), count("votes", votes)
    if votes > n:
        raise invalid("votes", f"at most n = {n}", votes)

    def draw(member: int, rng: np.random.Generator) -> np.ndarray:
        ballots = np.zeros(n, dtype=np.int64)
        ballots[:votes] = member
        return ballots

    return Family(
        "selection", n, draw, lambda member, outputs: (_column(outputs) != member).astype(np.float64),
        members=tuple(range(1, candidates + 1)), target=lambda member: np.array([float(member)]),
        differ=_apart(votes),
        separation=_apart(1.0), radius=1.0, width=1,
        source="Hardt & Talwar 2010",
    )  # fmt: skip


def of_hard_family(family: HardFamily) -> Family:
    """A construction of the GLM paper as a `Family`: its prior, its data sets, its excess risk.

    For `check_family`, `measured_risk` and attacks of one's own; its floor is `family.mean_floor`, on the mean over the
    members, where `family.floor` may be on their sum.
    """
    if not isinstance(family, HardFamily):
        raise invalid("family", "a HardFamily", family)
    return Family(
        family.name, family.n, lambda member, rng: family.instances(member, rng),
        lambda member, outputs: family.excess(member, np.asarray(outputs).reshape(len(outputs), -1)),
        members=family.enumerated, prior=None if family.enumerated else family.members, target=family.minimisers,
        width=family.d, source=family.source,
    )  # fmt: skip


def _apart(value: Any) -> Callable[[Any, Any], Any]:
    """Of two members: the same for any two that differ, 0 for equal ones."""
    return lambda member, other: type(value)(0) if member == other else value


def _squared(target: np.ndarray, outputs: np.ndarray) -> np.ndarray:
    return np.asarray(((np.asarray(outputs) - target) ** 2).sum(axis=1))


def _column(outputs: Any) -> np.ndarray:
    return np.asarray(outputs).reshape(len(outputs), -1)[:, 0]


def _at_most_one(name: str, value: Any) -> float:
    number = positive(name, value)
    if number > 1.0:
        raise invalid(name, "at most 1", value)
    return number
