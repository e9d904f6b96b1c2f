"""``python -m studies.learners``: what learned classifiers add to the auditor of vectors, and at what cost, at 95%.

Each case is audited with sums of log-ratios over coordinates and whitened coordinates alone ("sums"), as the
auditor is today, which also tries short boosted trees, and with other candidates from scikit-learn: logistic regression
on standardised columns, their squares and products, and boosted trees of its own settings on all rows. A score is
learned on the choosing part alone, so that a bound stays valid whatever it is. Some cases hide their signal in an
interaction, which no sum over columns sees. Variants replace `dpbench.auditing.choose.candidates` while they are
measured.

Figures are means over seeds, gains are paired by seed, the oracle is that of `studies.oracle`, seconds are of one
processor. ``--json FILE`` keeps the rows under "learners", case by case.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import expit, ndtr
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from dpbench.auditing import choose, scores
from studies.first_zoo import ZOO, Laplace
from studies.oracle import CELLS, Law, flipped_bits, law, law_of, oracle, product, shifted_laplace
from studies.power import CONFIDENCE, audits, keep, law_of_vector, running_sums, summary

Rng = np.random.Generator
Sampler = Callable[[Any, int, Rng], np.ndarray]
TRIALS = 200_000
FIRST_SEED = 6000
SEEDS = 12
TOLD = 1.0  # ε of the randomised response behind the interactions
CORRELATION = 0.3
WIDEST = 10.0  # of the scales that a row tells of itself

# Mechanisms whose signal is an interaction


def _told(d: float, trials: int, rng: Rng) -> np.ndarray:
    """±1: the data's sign under randomised response."""
    return np.where(rng.random(trials) < expit(TOLD), 1.0, -1.0) * (1.0 if d else -1.0)


def signs_of_two(d: float, trials: int, rng: Rng) -> np.ndarray:
    """Ten normal coordinates; the product of the signs of two is the data's, under randomised response."""
    x = rng.standard_normal((trials, 10))
    x[:, 6] = np.abs(x[:, 6]) * np.sign(x[:, 2]) * _told(d, trials, rng)
    return x


def signs_of_three(d: float, trials: int, rng: Rng) -> np.ndarray:
    """The same of three signs, each around a level of its own, so that the largest and the smallest tell nothing."""
    x = rng.standard_normal((trials, 3))
    x[:, 2] = np.abs(x[:, 2]) * np.sign(x[:, 0] * x[:, 1]) * _told(d, trials, rng)
    return x + np.array([0.0, 30.0, -20.0])


def masked_bit(d: float, trials: int, rng: Rng) -> np.ndarray:
    """Twenty random bits; one of them is the mask of another, which is a randomised response."""
    x = rng.random((trials, 20)) < 0.5
    x[:, 11] = x[:, 5] ^ (_told(d, trials, rng) > 0.0)
    return x


def signed(d: float, trials: int, rng: Rng) -> np.ndarray:
    """A Laplace mechanism under a random sign that the first coordinate tells."""
    sign = np.where(rng.random(trials) < 0.5, 1.0, -1.0)
    return np.column_stack([sign * rng.uniform(1.0, 2.0, trials), sign * (d + rng.laplace(size=trials))])


def correlated(d: float, trials: int, rng: Rng) -> np.ndarray:
    """Two standard normals whose correlation has the data's sign."""
    x = rng.standard_normal((trials, 2))
    r = CORRELATION if d else -CORRELATION
    x[:, 1] = r * x[:, 0] + math.sqrt(1.0 - r * r) * x[:, 1]
    return x


def told_scale(d: float, trials: int, rng: Rng) -> np.ndarray:
    """Two Laplace coordinates whose common scale, uniform from 1 to `WIDEST`, is the first coordinate."""
    scale = rng.uniform(1.0, WIDEST, (trials, 1))
    return np.column_stack([scale, d + scale * rng.laplace(size=(trials, 2))])


def response() -> Law:
    """The law of randomised response at `TOLD`."""
    return flipped_bits((0.0,), (1.0,), float(expit(-TOLD)))


def law_of_correlated() -> Law:
    """Along the diagonals the coordinates are independent, and their variances 1 ± r change places."""
    deviations = [math.sqrt(1.0 + s * CORRELATION) for s in (1.0, -1.0)]
    edges = np.concatenate([np.linspace(0.0, 8.0 * deviations[0], CELLS + 1), [np.inf]])
    wide, narrow = (-2.0 * np.diff(ndtr(-edges / s)) for s in deviations)
    return product([Law(wide, narrow), Law(narrow, wide)], 0.005)


def law_of_told_scale(scales: int = 100) -> Law:
    """A mixture over the midpoints of a grid of scales."""
    grid = 1.0 + (WIDEST - 1.0) * (np.arange(scales) + 0.5) / scales
    parts = [product([shifted_laplace(1.0, float(s))] * 2, 2.0 / float(s) / 1000) for s in grid]
    return law(*(np.concatenate([getattr(p, side) for p in parts]) / scales for side in ("first", "second")))


@dataclass(frozen=True)
class Case:
    """A vector mechanism on two neighbours, the law of its log-ratio, and whether it is an interaction."""

    sampler: Sampler
    one: Any
    other: Any
    law: Callable[[], Law]
    interaction: bool = False


def _hidden(sampler: Sampler, known: Callable[[], Law]) -> Case:
    return Case(sampler, 0.0, 1.0, known, interaction=True)


FROM_ZOO = (
    "histogram", "histogram, a record moves two cells", "prefix sums", "prefix sums, noise a sum",
    "composition, off by one", "rappor",
)  # fmt: skip
CASES: dict[str, Case] = {
    **{
        e.name: Case(e.sampler, e.dataset, e.neighbour, lambda e=e: law_of(e))  # type: ignore[misc]
        for e in ZOO
        if e.name in FROM_ZOO
    },
    "ten prefix sums": Case(running_sums, 0.0, 1.0, lambda: law_of_vector(10, 10.0)),
    "twenty coordinates": Case(Laplace(20.0), (0.0,) * 20, (1.0,) * 20, lambda: law_of_vector(20, 20.0)),
    "signs of two of ten": _hidden(signs_of_two, response),
    "signs of three": _hidden(signs_of_three, response),
    "masked bit of twenty": _hidden(masked_bit, response),
    "laplace under a sign": _hidden(signed, lambda: shifted_laplace(1.0, 1.0)),
    "correlated normals": _hidden(correlated, law_of_correlated),
    "scale told": _hidden(told_scale, law_of_told_scale),
}

# Learned scores


@dataclass(frozen=True)
class Learned:
    """A score of an output: see `dpbench.auditing.scores`. Its scale is not taken for a log-ratio."""

    predict: Callable[[np.ndarray], np.ndarray]
    words: str

    def __call__(self, outputs: np.ndarray) -> np.ndarray:
        return self.predict(np.asarray(outputs, dtype=np.float64))


def _labelled(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return np.concatenate([first, second]).astype(np.float64), np.repeat([1, 0], [len(first), len(second)])


def logistic(first: np.ndarray, second: np.ndarray) -> Learned:
    """Logistic regression on columns (pulled in to their 0.5% quantiles, standardised), squares and products."""
    rows, side = _labelled(first, second)
    low, high = np.quantile(rows, [0.005, 0.995], axis=0)
    tame = np.clip(rows, low, high)
    centre, scale = tame.mean(axis=0), np.maximum(tame.std(axis=0), 1e-12)
    i, j = np.triu_indices(rows.shape[1])

    def features(x: np.ndarray) -> np.ndarray:
        z = (np.clip(x, low, high) - centre) / scale
        return np.hstack([z, z[:, i] * z[:, j]])

    fitted = LogisticRegression(max_iter=200).fit(features(rows), side)
    return Learned(lambda x: fitted.decision_function(features(x)), "logistic regression")


def trees(first: np.ndarray, second: np.ndarray, **options: Any) -> Learned:
    """Gradient-boosted trees; without options as scikit-learn has them (100 of 31 leaves, stopped early)."""
    fitted = HistGradientBoostingClassifier(random_state=0, **options).fit(*_labelled(first, second))
    return Learned(fitted.decision_function, "boosted trees")


Learner = Callable[[np.ndarray, np.ndarray], Any]
VARIANTS: dict[str, tuple[Learner, ...] | None] = {
    "sums": (),
    "today": None,
    "logistic": (logistic,),
    "trees": (trees,),
}


@contextmanager
def other_candidates(learners: tuple[Learner, ...] | None) -> Iterator[None]:
    """Inside, the auditor tries what these learn from vectors in the place of its trees; None: it is as it is."""
    usual: Callable[..., Any] = choose.candidates

    def replaced(first: np.ndarray, second: np.ndarray) -> list[Any]:
        if learners is None:
            return list(usual(first, second))
        sums = [score for score in usual(first, second) if not isinstance(score, scores.Trees)]
        return sums + [learn(first, second) for learn in learners if first.ndim == 2]

    choose.candidates = replaced
    try:
        yield
    finally:
        choose.candidates = usual


def measure(name: str, count: int = SEEDS, trials: int = TRIALS, variants: tuple[str, ...] = tuple(VARIANTS)) -> Any:
    """A case: of each variant (and always of sums) the mean bound, its gain on that of sums, seconds, and how many
    audits used a classifier."""
    case, seeds = CASES[name], range(FIRST_SEED, FIRST_SEED + count)
    row: dict[str, Any] = {"trials": trials, "seeds": [seeds.start, seeds.stop - 1], "interaction": case.interaction}
    usual: np.ndarray | None = None
    for variant in dict.fromkeys(("sums", *variants)):
        with threadpool_limits(1), other_candidates(VARIANTS[variant]):
            found, seconds = audits(case.sampler, case.one, case.other, delta=0.0, trials=trials, seeds=seeds)
        bounds = np.array([f.epsilon_lower for f in found])
        used = sum(f.event.startswith(("logistic regression", "boosted trees")) for f in found)
        row[variant] = {**summary(list(bounds)), "seconds": seconds, "used": used}
        if usual is None:
            certificate = found[0].certified
            assert certificate is not None
            usual, best = bounds, oracle(case.law(), certificate.trials, 0.0, 1.0 - CONFIDENCE)
            row["oracle"] = best.mean
        else:
            gain = summary(list(bounds - usual))
            row[variant] |= {"gain": gain["mean"], "gain_se": gain["se"]}
    return row


def main() -> None:
    """Measure the cases asked for, print them, keep them."""
    parser = argparse.ArgumentParser(prog="python -m studies.learners", description=__doc__)
    parser.add_argument("--case", choices=list(CASES), action="append", help="default: all")
    parser.add_argument("--variant", choices=list(VARIANTS), action="append", help="default: all")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--trials", type=int, default=TRIALS, help=f"runs a side (default {TRIALS:,})")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    for name in given.case or CASES:
        label = name if given.trials == TRIALS else f"{name}, {given.trials:,}"
        made = {label: measure(name, given.seeds, given.trials, tuple(given.variant or VARIANTS))}
        print(json.dumps(made), flush=True)
        if given.json is not None:
            keep(given.json, {"learners": made})


if __name__ == "__main__":
    main()
