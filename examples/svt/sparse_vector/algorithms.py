"""The variants gathered by Lyu, Su and Li: one loop with four differences; sensitivity 1, threshold 0.

Algorithms 2, 3, 6 and 7 are written from memory: of the papers only the abstracts could be read.

Above the noisy threshold a query's answer is ⊤, else ⊥. The variants differ in the scale of the threshold's noise, in
that of the queries' noise, in whether the threshold is drawn anew after each ⊤, and in what ends the run.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Variant:
    """A variant at a budget ε.

    Attributes
    ----------
    name : str
    threshold, query : float
        Scales of the Laplace noise of the threshold and of each query's answer; 0: none.
    stop : int
        The run ends with so many ⊤; 0: with the last query.
    resample : bool
        Whether each ⊤ draws a new threshold.
    """

    name: str
    threshold: float
    query: float
    stop: int
    resample: bool = False


def variant(number: int, epsilon: float, c: int) -> Variant:
    """Algorithm `number` of the paper's Figure 1 for c answers ⊤; 3 answers with numbers, see `NumericAnswers`."""
    half = 0.5 * epsilon
    return {
        1: Variant("Lyu, Su and Li 2017", 1.0 / half, 2.0 * c / half, c),
        2: Variant("Dwork and Roth 2014", c / half, 2.0 * c / half, c, resample=True),
        3: Variant("Roth 2011", 1.0 / half, c / half, c),
        4: Variant("Lee and Clifton 2014", 4.0 / epsilon, 4.0 / (3.0 * epsilon), c),
        5: Variant("Stoddard et al. 2014", 1.0 / half, 0.0, 0),
        6: Variant("Chen et al. 2015", 1.0 / half, 1.0 / half, 0),
    }[number]


@dataclass(frozen=True)
class NumericAnswers:
    """What releases a number with its first ⊤: a sampler of (queries before it, the number); none: (count, 0).

    Attributes
    ----------
    threshold, query : float
        As in `Variant`.
    answer : float
        Scale of the noise drawn anew for the number; 0: the number is the noisy answer that was compared.
    """

    threshold: float
    query: float
    answer: float = 0.0

    def __call__(self, queries: np.ndarray, trials: int, rng: np.random.Generator) -> np.ndarray:
        """Rows (index of the first ⊤, number released)."""
        bar = rng.laplace(scale=self.threshold, size=(trials, 1))
        noisy = queries + rng.laplace(scale=self.query, size=(trials, len(queries)))
        above = noisy >= bar
        first = np.where(above.any(axis=1), above.argmax(axis=1), len(queries))
        at = np.minimum(first, len(queries) - 1)
        shown = noisy[np.arange(trials), at]
        if self.answer:
            shown = np.asarray(queries)[at] + rng.laplace(scale=self.answer, size=trials)
        return np.column_stack([first, np.where(first < len(queries), shown, 0.0)])
