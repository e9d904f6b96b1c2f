"""The least risk of all private mechanisms of a small case, by a linear programme; nothing of the project is imported.

A family is whatever has `n`, `members`, `loss`, `law` (or data sets that are not random), `target` and `width`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import lil_array


def private_bayes_risk(
    family: Any, epsilon: float, delta: float = 0.0, *, outputs: Sequence[Any] | None = None
) -> float:
    """The least mean loss over the members of all (ε, δ)-private mechanisms with these outputs: a linear programme.

    Outputs are by default the targets of all members and their mean; a finer list only lowers the risk. No private
    mechanism has less than the least over all outputs, so that a floor above this number is wrong.

    Data sets count up to order, which loses nothing: the law of a random order is symmetric, and averaging a mechanism
    over orders keeps privacy. One variable for each data set and output, and one for each excess over e^ε.
    """
    members = list(family.members) or [np.array(s) for s in itertools.product((1.0, -1.0), repeat=family.width)]
    values, laws = _data_laws(family, members)
    sets = [tuple(c) for c in _counts_of(family.n, len(values))]
    assert len(sets) <= 2000, "a small case"
    answers = _outputs(family, members, outputs)
    number = {one: i for i, one in enumerate(sets)}
    width = len(answers)
    cost = np.zeros(len(sets) * width)
    for member, law in zip(members, laws, strict=True):
        loss = np.asarray(family.loss(member, answers), dtype=np.float64)
        for one, chance in law.items():
            at = number[one] * width
            cost[at : at + width] += chance * loss / len(members)
    steps = [
        (number[one], number[other])
        for one in sets
        for a, b in itertools.permutations(range(len(values)), 2)
        if one[a] > 0 and (other := _moved(one, a, b)) in number
    ]
    size = len(sets) * width
    slack = len(steps) * width if delta > 0.0 else 0
    table = lil_array((len(steps) * width + (len(steps) if slack else 0), size + slack))
    growth, right = math.exp(epsilon), np.zeros(table.shape[0])
    for row, (here, there) in enumerate(steps):
        for w in range(width):
            table[row * width + w, here * width + w] = 1.0
            table[row * width + w, there * width + w] = -growth
            if slack:
                table[row * width + w, size + row * width + w] = -1.0
                table[len(steps) * width + row, size + row * width + w] = 1.0
        if slack:
            right[len(steps) * width + row] = delta
    sums = lil_array((len(sets), size + slack))
    for i in range(len(sets)):
        for w in range(width):
            sums[i, i * width + w] = 1.0
    solved = linprog(
        np.concatenate([cost, np.zeros(slack)]),
        A_ub=table.tocsr(),
        b_ub=right,
        A_eq=sums.tocsr(),
        b_eq=np.ones(len(sets)),
        method="highs",
    )
    return float(solved.fun)


def _outputs(family: Any, members: list[Any], outputs: Sequence[Any] | None) -> np.ndarray:
    if outputs is not None:
        made = np.asarray(outputs, dtype=np.float64)
        return made.reshape(len(made), -1)
    targets = np.array([np.asarray(family.target(member), dtype=np.float64).reshape(-1) for member in members])
    return np.concatenate([targets, targets.mean(axis=0, keepdims=True)])


def _data_laws(family: Any, members: list[Any]) -> tuple[list[str], list[dict[tuple[int, ...], float]]]:
    """The values of a record, and for each member the law of its data set as counts of these values."""
    if family.law is not None:
        values = [_key(value) for value in family.law(members[0])[0]]
        laws = []
        for member in members:
            chances = family.law(member)[1]
            laws.append({one: _multinomial(one, chances) for one in _counts_of(family.n, len(values))})
        return values, laws
    fixed = [[_key(record) for record in family.draw(member, np.random.default_rng(0))] for member in members]
    values = sorted({record for data in fixed for record in data})
    return values, [{tuple(data.count(value) for value in values): 1.0} for data in fixed]


def _counts_of(n: int, kinds: int) -> Sequence[tuple[int, ...]]:
    if kinds == 1:
        return [(n,)]
    return [(k, *rest) for k in range(n + 1) for rest in _counts_of(n - k, kinds - 1)]


def _multinomial(counts: tuple[int, ...], chances: Sequence[float]) -> float:
    made = float(math.factorial(sum(counts)))
    for count, chance in zip(counts, chances, strict=True):
        made *= chance**count / math.factorial(count)
    return made


def _moved(counts: tuple[int, ...], a: int, b: int) -> tuple[int, ...]:
    made = list(counts)
    made[a] -= 1
    made[b] += 1
    return tuple(made)


def _key(record: Any) -> str:
    made = np.asarray(record)
    return repr(made.tolist() if made.ndim else made.item())
