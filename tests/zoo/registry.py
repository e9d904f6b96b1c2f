"""The one table of mechanisms with exact laws: mechanism, exact loss, least share of it certified.

`REGISTRY` is what the auditor is judged by. The exact loss of each pair is written down, and the tests compute it again
from the law, or, of mechanisms with a published wrong version, from the parameters alone. Everything here reaches the
auditor by `dpbench.audit` and `dpbench.each`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.special import expit, ndtr
from scipy.stats import cauchy, t

from . import practice, published, second, third
from .laws import (
    CELLS,
    Law,
    flipped_bits,
    laplace_below,
    law,
    noisy_max_table,
    of_cells,
    product,
    shifted_geometric,
    shifted_laplace,
    shifted_normal,
    sparse_vector_table,
)

CONFIDENCE = 0.95
RUNS = 20_000


@dataclass(frozen=True)
class Entry:
    """A mechanism on a pair of neighbours.

    Attributes
    ----------
    sampler : callable
        ``sampler(dataset, trials, rng)``, or with `each` ``function(dataset, rng)``.
    dataset, neighbour : any
    loss : float
        The exact ε of the pair at `delta`; infinite where an event has probability 0 on one side.
    share : float
        Of the loss (where it is infinite, the bound itself) that is certified at least, as a mean over twenty seeds.
    law : callable or None
        The exact law of the log-ratio.
    delta : float
    claimed : float or None
        What the mechanism states, where it has a published or common wrong version.
    runs : int
        A side.
    each : bool
    """

    sampler: Callable[..., Any]
    dataset: Any
    neighbour: Any
    loss: float
    share: float
    law: Callable[[], Law] | None = None
    delta: float = 0.0
    claimed: float | None = None
    runs: int = RUNS
    each: bool = False

    def bound(self, seed: int, runs: int | None = None, **more: Any) -> float:
        """What an audit certifies of it."""
        return float(self.audited(seed, runs, **more).epsilon_lower)

    def audited(self, seed: int, runs: int | None = None, **more: Any) -> Any:
        """The audit, at 95% unless said otherwise."""
        import dpbench

        sampler = dpbench.each(self.sampler) if self.each else self.sampler
        asked = {"delta": self.delta, "trials": runs or self.runs, "confidence": CONFIDENCE, "seed": seed, **more}
        return dpbench.audit(sampler, self.dataset, self.neighbour, **asked)

    @property
    def least(self) -> float:
        """The mean bound that is asked for."""
        return self.share * self.loss if math.isfinite(self.loss) else self.share

    @property
    def wrong(self) -> bool:
        """What it states is false on this pair."""
        return self.claimed is not None and self.loss > self.claimed * (1.0 + 1e-9)


def _moved(moves: Sequence[float], scale: float) -> Law:
    """Independent Laplace noise on answers that are moved by so much."""
    return product([shifted_laplace(m, scale) for m in moves if m], sum(moves) / scale / CELLS)


def _largest_told(shift: float, count: int) -> Law:
    edges = np.linspace(-40.0, 40.0, 20 * CELLS)
    return law(*(np.diff(laplace_below(edges - c) ** count) for c in (0.0, shift)))


def _sparse(one: tuple[float, ...], other: tuple[float, ...], *scales: Any) -> Law:
    p, q = (sparse_vector_table(x, *scales) for x in (one, other))
    return law(list(p.values()), [q[seen] for seen in p])


def _tables(table: Callable[[Any], Any], one: Any, other: Any) -> Callable[[], Law]:
    return lambda: law(table(one), table(other))


def _rates(p: float, q: float) -> Callable[[], Law]:
    return lambda: law([p, 1.0 - p], [q, 1.0 - q])


def _mixed(parts: Sequence[Callable[[np.ndarray], np.ndarray]], weights: Sequence[float]) -> Callable[..., Any]:
    return lambda x: np.sum([w * part(x) for w, part in zip(weights, parts, strict=True)], axis=0)


def _max(one: tuple[float, ...], other: tuple[float, ...], scale: float) -> Callable[[], Law]:
    return _tables(partial(noisy_max_table, scale=scale), one, other)


def _parity(bits: int, among: int) -> Callable[..., np.ndarray]:
    return partial(second.parity, bits=bits, among=among)


SIGMA = 3.730631635265318  # of the analytic Gaussian mechanism at (1, 1e-5), sensitivity 1
RATE3 = math.log(3.0)
ONES, PLUS = (0, 0, 0, 0, 0, 0), (1, 1, 1, -1, -1, -1)
TAILS = np.sinh(np.linspace(-12.0, 12.0, 8001))
AGES = (14, *third.AGES[1:])
EDGES = ((0, 1), (1, 2), (2, 3), (3, 4))
E, P, S, T, W = Entry, published, second, third, practice

REGISTRY: dict[str, Entry] = {
    # With a published or a common wrong version
    "laplace": E(P.Laplace(1.0), (0.0,), (1.0,), 1.0, 0.93, lambda: shifted_laplace(1.0, 1.0), claimed=1.0),
    "laplace, half the scale": E(
        P.Laplace(0.5), (0.0,), (1.0,), 2.0, 0.93, lambda: shifted_laplace(1.0, 0.5), claimed=1.0
    ),
    "laplace, sensitivity 1 for 2": E(
        P.Laplace(1.0), (0.0,), (2.0,), 2.0, 0.93, lambda: shifted_laplace(2.0, 1.0), claimed=1.0
    ),
    "gaussian": E(
        P.Gaussian(SIGMA), (0.0,), (1.0,), 1.0, 0.44, lambda: shifted_normal(1.0 / SIGMA), 1e-5, claimed=1.0
    ),
    "gaussian, variance for deviation": E(
        P.Gaussian(math.sqrt(SIGMA)), (0.0,), (1.0,), 2.072255586, 0.53,
        lambda: shifted_normal(1.0 / math.sqrt(SIGMA)), 1e-5, claimed=1.0,
    ),
    "geometric": E(P.Geometric(0.5), (3,), (4,), 0.5, 0.92, lambda: shifted_geometric(0.5), claimed=0.5),
    "geometric, twice the rate": E(
        P.Geometric(1.0), (3,), (4,), 1.0, 0.94, lambda: shifted_geometric(1.0), claimed=0.5
    ),
    "randomised response": E(
        P.RandomizedResponse(1.0), (0,), (1,), 1.0, 0.93, lambda: flipped_bits((0,), (1,), expit(-1.0)), claimed=1.0
    ),
    "randomised response, lies too rarely": E(
        P.RandomizedResponse(1.5), (0,), (1,), 1.5, 0.94, lambda: flipped_bits((0,), (1,), expit(-1.5)), claimed=1.0
    ),
    "rappor": E(
        P.Rappor(0.5), (1, 0, 0, 0), (0, 1, 0, 0), 2.0 * RATE3, 0.94, lambda: flipped_bits((1, 0), (0, 1), 0.25),
        claimed=2.0 * RATE3,
    ),
    "rappor, one bit counted": E(
        P.Rappor(0.5), (1, 0, 0, 0), (0, 1, 0, 0), 2.0 * RATE3, 0.94, lambda: flipped_bits((1, 0), (0, 1), 0.25),
        claimed=RATE3,
    ),
    "noisy max": E(
        P.NoisyMax(2.0), (0, 0, 0), (1, -1, -1), 0.571294749, 0.93, _max((0, 0, 0), (1, -1, -1), 2.0), claimed=1.0
    ),
    "noisy max, half the scale": E(
        P.NoisyMax(1.0), (1, 0, 0), (0, 1, 1), 1.424574342, 0.94, _max((1, 0, 0), (0, 1, 1), 1.0), claimed=1.0
    ),
    "noisy max, value told": E(
        P.NoisyMax(1.0, value=True), (0, 0, 0), (1, 1, 1), 3.0, 0.89, lambda: _largest_told(1.0, 3), claimed=1.0
    ),
    "sparse vector 1": E(
        P.SparseVector(2.0, 4.0, 1), (0, 0, 0, 0), (1, 1, -1, -1), 0.614615538, 0.79,
        lambda: _sparse((0, 0, 0, 0), (1, 1, -1, -1), 2.0, 4.0, 1), claimed=1.0,
    ),
    "sparse vector 4, noise for one answer": E(
        P.SparseVector(4.0, 4.0 / 3.0, 3), ONES, PLUS, 3.864095990, 0.53,
        lambda: _sparse(ONES, PLUS, 4.0, 4.0 / 3.0, 3), claimed=1.0,
    ),
    "sparse vector 5, answers bare": E(P.SparseVector(2.0, 0.0, None), (0, 1), (1, 0), math.inf, 6.55, claimed=1.0),
    "sparse vector 6, no limit": E(
        P.SparseVector(2.0, 2.0, None), ONES, PLUS, 2.616613615, 0.65, lambda: _sparse(ONES, PLUS, 2.0, 2.0, None),
        claimed=1.0,
    ),
    "histogram": E(P.Laplace(1.0), (5, 3, 2), (6, 3, 2), 1.0, 0.93, lambda: shifted_laplace(1.0, 1.0), claimed=1.0),
    "histogram, a record moves two cells": E(
        P.Laplace(1.0), (5, 3, 2), (6, 2, 2), 2.0, 0.92, lambda: _moved([1.0, 1.0], 1.0), claimed=1.0
    ),
    "prefix sums": E(
        P.PrefixSums(1.0, stepwise=True), (0, 0, 0, 0), (1, 0, 0, 0), 1.0, 0.92, lambda: shifted_laplace(1.0, 1.0),
        claimed=1.0,
    ),
    "prefix sums, noise a sum": E(
        P.PrefixSums(1.0, stepwise=False), (0, 0, 0, 0), (1, 0, 0, 0), 4.0, 0.86, lambda: _moved([1.0] * 4, 1.0),
        claimed=1.0,
    ),
    "noise reused": E(P.NoiseReuse(1.0), (3, 5), (3, 6), math.inf, 8.07, claimed=1.0),
    "composition, off by one": E(
        P.Laplace(1.5), (0, 0), (1, 1), 4.0 / 3.0, 0.92, lambda: _moved([1.0, 1.0], 1.5), claimed=1.0
    ),
    # Selections, sequences with an early stop, histograms and graphs
    "exponential mechanism": E(
        S.exponential, (0,) * 5, (1, -1, -1, -1, -1), 0.704605, 0.92, _tables(S.softmax, (0,) * 5, (1, -1, -1, -1, -1))
    ),
    "permute and flip": E(
        S.permute_and_flip, (0, 0, 1, 0), (1, 1, 0, 1), 0.975739, 0.93,
        _tables(S.flip_table, (0, 0, 1, 0), (1, 1, 0, 1)),
    ),
    "top two": E(
        S.top_two, (1, 0, 0, 0, 0), (0, 1, 1, 1, 1), 0.796046, 0.89,
        _tables(S.top_two_table, (1, 0, 0, 0, 0), (0, 1, 1, 1, 1)),
    ),
    "one of eight": E(S.one_of_eight, 2, 5, 2.0, 0.94, _tables(S.eight_table, 2, 5)),
    "bits until a one": E(S.until_one, 0.3, 0.4, 0.924904, 0.87, _tables(S.until_one_table, 0.3, 0.4)),
    "counts until a large one": E(S.noisy_until, 0, 1, 2.5, 0.88, S.law_of_noisy_until),
    "histogram of geometric noise": E(
        S.moved_cells, (4, 3, 0, 7, 1, 1), (3, 3, 0, 7, 2, 1), 0.8, 0.88, S.law_of_moved_cells
    ),
    "degrees of a graph": E(S.degrees, EDGES, (*EDGES, (0, 3)), 1.0, 0.83, S.law_of_degrees),
    "staircase": E(S.staircase, 7.0, 8.0, 1.0, 0.94, S.law_of_staircase),
    # Rare leaks
    "rare flag beside noise": E(S.noise_or_flag, 1, 0, math.log(100.0), 0.71, S.law_of_flag, runs=200_000),
    "rare value": E(S.rare_value, 1, 0, math.log(100.0), 0.43, _rates(2e-4, 2e-6), runs=200_000),
    "memorised word": E(S.memorised, 1, 0, math.log(10.0), 0.76, _rates(0.01, 0.001)),
    "one record in ten thousand": E(W.flag((0.0, 1e-4)), 0, 1, math.inf, 3.08, runs=1_000_000),
    "one record in a hundred": E(W.flag((0.0, 0.01)), 0, 1, math.inf, 3.79),
    "one record in a hundred, seldom another": E(
        W.flag((0.001, 0.01)), 0, 1, math.log(10.0), 0.79, _rates(0.001, 0.01), runs=30_000
    ),
    # Tails, copulas, parities
    "cauchy": E(
        S.cauchy_noise, 0.0, 1.0, 0.962423, 0.85, lambda: of_cells(cauchy.cdf, lambda x: cauchy.cdf(x - 1.0), TAILS)
    ),
    "student": E(S.student, 0.0, 1.0, 1.139235, 0.86, lambda: of_cells(t(3).cdf, lambda x: t(3).cdf(x - 1.0), TAILS)),
    "student, heavier": E(W.student, 0.0, 1.0, 1.039720, 0.87, W.law_of_student),
    "scale told": E(
        S.wider, 1.0, 1.3, 1.370061, 0.47,
        lambda: of_cells(laplace_below, lambda x: laplace_below(x, 1.3), np.linspace(-30.0, 30.0, 8001)), 1e-3,
    ),
    "normal scale told": E(W.scaled, 1.0, 1.2, 1.696609, 0.47, lambda: S.normal_scales(1.0, 1.2), 1e-3),
    "copula of six": E(S.equicorrelated, 0.0, 0.3, 3.991608, 0.70, S.law_of_equicorrelated, 1e-2),
    "correlated pair of twenty": E(S.pair_of_twenty, 0.5, -0.5, 5.561861, 0.61, S.law_of_pair, 1e-2),
    "parity of three of twelve": E(_parity(3, 12), 0, 1, 1.0, 0.94, S.response),
    "parity of five of thirty": E(_parity(5, 30), 0, 1, 1.0, 0.94, S.response),
    "parity of seven of twelve": E(_parity(7, 12), 0, 1, 1.0, 0.94, S.response),
    "parity of three of a hundred": E(_parity(3, 100), 0, 1, 1.0, 0.94, S.response),
    "product of two signs": E(W.signs, 0.0, 1.0, 1.0, 0.93, S.response),
    # Sums of clipped vectors, mixtures
    "gaussian sum": E(
        S.gaussian_sum, (0.0,) * 5, (0.6, -0.2, 0.4, 0.2, -0.6), 1.865279, 0.67,
        lambda: shifted_normal(math.sqrt(0.96) / 1.5), 1e-3,
    ),
    "laplace sum": E(S.laplace_sum, (0.0, 0.0, 0.0), (0.5, -0.3, 0.2), 1.0, 0.86, lambda: _moved([0.5, 0.3, 0.2], 1.0)),
    "spherical noise": E(S.spherical, (0.0, 0.0, 0.0), (0.6, 0.0, 0.8), 1.0, 0.69, S.law_of_spherical),
    "subsampled gaussian": E(
        S.subsampled, 0.0, 1.0, 3.717412, 0.53,
        lambda: of_cells(ndtr, _mixed((ndtr, lambda x: ndtr(x - 2.0)), (0.9, 0.1)), np.linspace(-9.0, 11.0, 8001)),
        1e-3,
    ),
    "two scales": E(
        S.two_scales, 0.0, 1.0, 0.813095, 0.81,
        lambda: of_cells(
            _mixed((laplace_below, lambda x: laplace_below(x, 5.0)), (0.5, 0.5)),
            _mixed((lambda x: laplace_below(x - 1.0), lambda x: laplace_below(x - 1.0, 5.0)), (0.5, 0.5)),
            np.linspace(-60.0, 61.0, 12001),
        ),
    ),
    "shuffled": E(S.shuffled, 10, 11, 0.437409, 0.53, _tables(S.shuffled_table, 10, 11), 1e-3),
    # Noise of other shapes, records, local responses
    "planar laplace": E(T.planar, (0.0, 0.0), (1.2, 1.6), 1.4, 0.84, T.law_of_planar),
    "censored laplace": E(T.censored, 0.0, 1.0, 1.0, 0.93, T.law_of_censored),
    "gumbel": E(T.gumbel, 0.0, 0.7, 5.606960, 0.55, T.law_of_gumbel, 1e-3),
    "uniform or laplace noise": E(T.with_edges, 0.0, 0.5, 2.971987, 0.87, T.law_of_edges),
    "normal of another scale and place": E(T.scale_and_place, 0, 1, 4.509598, 0.56, T.law_of_scale_and_place, 1e-3),
    "discrete gaussian": E(T.discrete_normal, 0, 1, 1.347066, 0.72, _tables(T.discrete_normal_table, 0, 1), 1e-3),
    "poisson count": E(T.poisson_count, 10.0, 12.0, 1.979558, 0.66, T.law_of_poisson, 1e-3),
    "category and number": E(T.category_and_number, (0, 0.0), (3, 0.8), 1.8, 0.92, T.law_of_category_and_number),
    "least and largest of five": E(T.extremes, 0.0, 0.4, 1.987886, 0.47, T.law_of_extremes),
    "median on a grid": E(T.median, T.AGES, AGES, 1.130422, 0.92, _tables(T.median_table, T.AGES, AGES)),
    "subset of four": E(T.subset, 2, 9, 1.5, 0.94, T.law_of_subset),
    "unary code of a hundred": E(T.unary, 3, 40, 1.5, 0.93, T.law_of_unary),
    "hashed response": E(T.hashed, 0, 1, 1.2, 0.91, T.law_of_hashed),
    "chain of responses": E(T.chain, 0.6, 0.75, 3.290025, 0.52, T.law_of_chain),
    # What practitioners audit
    "three sampled steps": E(
        partial(W.steps, count=3), 1.0, 0.0, 4.437686, 0.19, lambda: W.law_of_steps(3), 1e-5
    ),
    "ten sampled steps": E(
        partial(W.steps, count=10), 1.0, 0.0, 5.622985, 0.20, lambda: W.law_of_steps(10), 1e-5
    ),
    "a hundred sampled steps": E(
        partial(W.steps, count=100), 1.0, 0.0, 11.506183, 0.23, lambda: W.law_of_steps(100), 1e-5
    ),
    "a choice and its number": E(
        W.choice_and_number, (0, 0, 1), (1, 1, 0), 1.163643, 0.89,
        lambda: W.law_of_choice_and_number((0, 0, 1), (1, 1, 0)),
    ),
    "shuffled letters": E(
        W.shuffled_report, "a", "b", 0.900203, 0.20, lambda: W.law_of_shuffled_report("a", "b"), 0.01, runs=4_000,
        each=True,
    ),
}  # fmt: skip
