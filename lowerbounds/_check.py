"""Checks of a family: what it declares, against its own data and losses."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpbench.core import validation
from dpbench.core.validation import invalid
from lowerbounds._toolkit import Family, Floor

_ALARM = 1e-9
"""False-alarm rate of each comparison of a draw with its law."""


@dataclass(frozen=True)
class FamilyReport:
    """What was checked of a family.

    Attributes
    ----------
    checked : tuple of str
        What was compared, with its numbers.
    failures : tuple of str
        What does not hold.
    skipped : tuple of str
        What the family declares too little for.
    """

    checked: tuple[str, ...]
    failures: tuple[str, ...]
    skipped: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Nothing failed, and something was checked."""
        return not self.failures and bool(self.checked)

    def __str__(self) -> str:
        lines = [f"holds: {said}" for said in self.checked]
        lines += [f"FAILS: {said}" for said in self.failures] + [f"not checked: {said}" for said in self.skipped]
        return "\n".join(lines)


def check_family(family: Family | Floor, *, draws: int = 200, seed: int = 0) -> FamilyReport:
    """Hold what a family declares against its own data and losses.

    Parameters
    ----------
    family : Family or Floor
    draws : int
        Data sets drawn, and outputs tried on each pair of members.
    seed : int

    Returns
    -------
    FamilyReport
        Draws against the declared law are exact binomial tests, each with a false-alarm rate of 1e-9.

    Notes
    -----
    Checked: data sets have n records, of the values and with the frequencies of `law`; `differ` is at least the total
    variation of two laws, or the number of records that do differ; `target` has the least loss among outputs tried;
    `separation` is at most the sum of two losses, and `radius` leaves each output to one member, at the targets,
    between them and around them; `score` has mean 0 and the declared information.
    """
    family = family.family if isinstance(family, Floor) else family
    if not isinstance(family, Family):
        raise invalid("family", "a Family, or a Floor of a builder", family)
    draws = validation.integer("draws", draws, at_least=10)
    rng = np.random.default_rng(validation.integer("seed", seed, at_least=0))
    members = list(family.members[:6]) or [family.sample(rng) for _ in range(4)]
    outcomes = [
        *_records(family, members, draws, rng),
        *_nearness(family, members, rng),
        *_losses(family, members, draws, rng),
        *_scores(family, rng),
    ]
    return FamilyReport(*(tuple(what for verdict, what in outcomes if verdict is kind) for kind in (True, False, None)))


Found = Iterator[tuple[bool | None, str]]
"""Whether it holds, None where nothing is declared to compare with; and what was compared."""


def _records(family: Family, members: list[Any], draws: int, rng: np.random.Generator) -> Found:
    from scipy.stats import binom

    n = family.n + family.public
    data = family.draw(members[0], rng)
    length = len(data) if hasattr(data, "__len__") else len(data.y)
    yield length == n, f"data sets have {n} records ({length} found)"
    if family.law is None:
        yield None, "draws against the law: no law declared"
        return
    for member in members[:2]:
        values, chances = family.law(member)
        total = float(sum(chances))
        yield abs(total - 1.0) < 1e-9 and min(chances) >= 0.0, f"the law of a record sums to 1 ({total:.9g})"
        names = [_key(value) for value in values]
        seen: Counter[str] = Counter()
        while seen.total() < 50 * draws:
            seen.update(_key(record) for record in family.draw(member, rng))
        count, stray = seen.total(), sum(times for name, times in seen.items() if name not in names)
        yield stray == 0, f"records have the values of the law ({stray} others)"
        odd = [
            name
            for name, chance in zip(names, chances, strict=True)
            if min(binom.sf(seen[name] - 1, count, chance), binom.cdf(seen[name], count, chance)) < 0.5 * _ALARM
        ]
        yield not odd, f"frequencies of {count} records are those of the law" + (f", not of {odd[:3]}" if odd else "")


def _nearness(family: Family, members: list[Any], rng: np.random.Generator) -> Found:
    if family.differ is None:
        yield None, "how many records differ: not declared"
        return
    margins = []
    compared = members if family.reference is None else [*members, family.reference]
    for first, second in itertools.combinations(compared, 2):
        near = family.differ(first, second)
        if isinstance(near, (int, np.integer)):
            pair = zip(family.draw(first, rng), family.draw(second, rng), strict=True)
            margins.append(float(near) - sum(_key(a) != _key(b) for a, b in pair))
        elif family.law is not None:
            p, q = (np.asarray(family.law(member)[1]) for member in (first, second))
            margins.append(float(near) - 0.5 * float(np.abs(p - q).sum()))
    if margins:
        yield min(margins) >= -1e-9, f"differ is at least what differs (least margin {min(margins):.3g})"
    else:
        yield None, "differ against the total variation of records: no law declared"


def _losses(family: Family, members: list[Any], draws: int, rng: np.random.Generator) -> Found:
    if family.target is None:
        yield None, "losses: no target declared"
        return
    targets = np.array([np.asarray(family.target(member), dtype=np.float64).reshape(-1) for member in members])
    pairs = list(itertools.combinations(range(len(members)), 2))
    spread = float(np.std(targets)) + 1e-3
    tried = [targets, targets[0] + spread * rng.standard_normal((draws, targets.shape[1]))]
    for i, j in pairs:
        shares = np.append(rng.random(draws), 0.5)[:, None]
        tried.append(targets[i] + shares * (targets[j] - targets[i]))
    outputs = np.concatenate(tried)
    table = np.array([family.loss(member, outputs) for member in members])
    own = np.diag(table[:, : len(members)])
    yield bool((table >= own[:, None] - 1e-9).all()), f"targets have the least loss of {len(outputs)} outputs"
    yield bool(table.min() >= -1e-12), "losses are at least 0"
    if family.separation is not None and pairs:
        gap = min(float((table[i] + table[j]).min()) - family.separation(members[i], members[j]) for i, j in pairs)
        yield gap >= -1e-9, f"separation is at most the sum of two losses (least margin {gap:.3g})"
    if family.radius > 0.0:
        below = int((table < family.radius * (1.0 - 1e-9)).sum(axis=0).max())
        yield below <= 1, f"no output is within the radius of two members ({below})"


def _scores(family: Family, rng: np.random.Generator) -> Found:
    if family.score is None:
        return
    member = family.sample(rng)
    needed = -(-4000 // family.n)
    scores = np.concatenate([np.asarray(family.score(member, family.draw(member, rng))) for _ in range(needed)])
    errors = scores.std(axis=0) / math.sqrt(len(scores))
    off = float((np.abs(scores.mean(axis=0)) / np.maximum(errors, 1e-300)).max())
    yield off < 7.0, f"scores have mean 0 (largest of {off:.2f} standard errors)"
    squares = (scores**2).sum(axis=1)
    error = float(squares.std()) / math.sqrt(len(scores))
    trace, largest = family.information
    high = float(np.linalg.eigvalsh(scores.T @ scores / len(scores))[-1])
    mean = float(squares.mean())
    yield mean <= trace + 7.0 * error, f"information: trace {mean:.4g}, at most {trace:g}"
    yield high <= largest * 1.25 + 7.0 * error / family.width, f"information: eigenvalue {high:.4g} of {largest:g}"


def _key(record: Any) -> str:
    array = np.asarray(record)
    return repr(array.tolist() if array.ndim else array.item())
