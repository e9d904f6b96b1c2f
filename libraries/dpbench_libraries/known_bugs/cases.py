"""The cases: a mechanism with a known bug beside its mended version, with the claim that was made for it.

An algorithm is written out here as its source gives it, for one call: ``function(data, rng) -> row of numbers``. A case
of a release names the environment it is drawn in (`releases`) and has its calls in `draws`, by its name.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri

Rng = np.random.Generator
Call = Callable[[Any, Rng], Any]

ISSUE = "https://github.com/{}/issues/{}"


@dataclass(frozen=True)
class Case:
    """A bug, its source, and both versions on one pair of neighbouring data sets.

    Attributes
    ----------
    name, bug, mend : str
        Its name, and in a few words what is wrong and what the mended version does.
    source : str
        Where it is reported.
    software : str
        The release, or "algorithm".
    relation : str
    epsilon, delta : float
        The claim, of both versions.
    pair : tuple
        Two neighbouring data sets.
    broken, mended : callable, optional
        Of an algorithm.
    environments : tuple of str
        Of a release: those of the broken and of the mended version.
    most : int
        Runs a side at most.
    bits : bool
        Whether auditors look at features of the last bits.
    """

    name: str
    bug: str
    mend: str
    source: str
    relation: str
    epsilon: float
    delta: float = 0.0
    software: str = "algorithm"
    pair: tuple[Any, Any] = (None, None)
    broken: Call | None = None
    mended: Call | None = None
    environments: tuple[str, ...] = ()
    most: int = 64_000
    bits: bool = False

    @property
    def released(self) -> bool:
        """Whether it is drawn from an installed release."""
        return bool(self.environments)


def sparse_vector(
    queries: Any, rng: Rng, *, threshold_noise: float, query_noise: float, positives: float = math.inf,
    numbers: bool = False,
) -> list[float]:  # fmt: skip
    """The frame of all variants of Lyu, Su & Li, threshold 0: 1 above, 0 below, -1 after the end.

    With `numbers`, of one positive answer: its place (-1 if there is none) and its noisy value.
    """
    threshold = rng.laplace(scale=threshold_noise)
    noisy = np.asarray(queries, dtype=float)
    if query_noise:
        noisy = noisy + rng.laplace(scale=query_noise, size=len(noisy))
    above = np.flatnonzero(noisy >= threshold)
    if numbers:
        return [float(above[0]), float(noisy[above[0]])] if len(above) else [-1.0, 0.0]
    answers = (noisy >= threshold).astype(float)
    if len(above) >= positives:
        answers[above[int(positives) - 1] + 1 :] = -1.0
    return answers.tolist()


def variant(epsilon: float, **given: Any) -> Call:
    """A variant with its noise in units of 1/epsilon."""
    scales = {name: given.pop(name) / epsilon for name in ("threshold_noise", "query_noise")}
    return lambda queries, rng: sparse_vector(queries, rng, **scales, **given)


def noisy_values(counts: Any, rng: Rng) -> np.ndarray:
    return np.asarray(counts) + rng.laplace(scale=2.0, size=len(counts))


def largest_value(counts: Any, rng: Rng) -> float:
    return float(noisy_values(counts, rng).max())


def largest_place(counts: Any, rng: Rng) -> float:
    return float(noisy_values(counts, rng).argmax())


KEYED_EPSILON, KEYED_DELTA = 1.0, 1e-3
KEYED_NOISE = math.sqrt(2.0 * math.log(1.25 / KEYED_DELTA)) / KEYED_EPSILON


def keyed_counts(threshold: float) -> Call:
    """Noisy counts of the keys that are there and exceed a threshold; one key is looked at."""

    def release(counts: dict[str, int], rng: Rng) -> list[float]:
        noisy = {key: count + rng.normal(scale=KEYED_NOISE) for key, count in counts.items()}
        shown = noisy.get("rare", -math.inf) > threshold
        return [float(shown), noisy["rare"] if shown else 0.0]

    return release


def observed_keys(counts: dict[str, int], rng: Rng) -> list[float]:
    noisy = {key: count + rng.laplace() for key, count in counts.items()}
    return [float("rare" in noisy), noisy.get("rare", 0.0), noisy["common"]]


def declared_keys(counts: dict[str, int], rng: Rng) -> list[float]:
    noisy = {key: counts.get(key, 0) + rng.laplace() for key in ("rare", "common")}
    return [1.0, noisy["rare"], noisy["common"]]


def mean_by_size(values: list[float], rng: Rng) -> float:
    """Noise for the sensitivity 1/n at this n, of values in [0, 1]."""
    return float(np.mean(values)) + rng.laplace(scale=1.0 / len(values))


def mean_by_parts(values: list[float], rng: Rng) -> list[float]:
    return [sum(values) + rng.laplace(scale=2.0), len(values) + rng.laplace(scale=2.0)]


def select(sensitivity: float) -> Call:
    """The exponential mechanism at epsilon 1, of scores that are differences of two that one record moves by 2 each."""

    def release(scores: Any, rng: Rng) -> float:
        weights = np.exp(np.asarray(scores) / (2.0 * sensitivity))
        return float(rng.choice(len(weights), p=weights / weights.sum()))

    return release


STEP_DELTA = 1e-5
STEP_NOISE = 4.0  # noise multiplier of one step: mu = 1/4 of a record added or removed


def clipped(vectors: np.ndarray, most: float = 1.0) -> np.ndarray:
    norms = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors * np.minimum(1.0, most / np.maximum(norms, 1e-12))


def batch_clipped(gradients: np.ndarray, rng: Rng) -> np.ndarray:
    """The mean gradient of a batch of 8 clipped, with the noise that clipping of each would need."""
    return clipped(gradients.sum(axis=0) / 8.0) + rng.normal(scale=STEP_NOISE / 8.0, size=gradients.shape[1])


def each_clipped(gradients: np.ndarray, rng: Rng) -> np.ndarray:
    return clipped(gradients).sum(axis=0) / 8.0 + rng.normal(scale=STEP_NOISE / 8.0, size=gradients.shape[1])


def parameters_clipped(gradients: np.ndarray, rng: Rng) -> np.ndarray:
    """Each number of a gradient clipped by itself, with the noise for one norm of all."""
    return np.clip(gradients, -1.0, 1.0).sum(axis=0) / 8.0 + rng.normal(scale=STEP_NOISE / 8.0, size=gradients.shape[1])


def normalised_by_size(gradients: np.ndarray, rng: Rng) -> np.ndarray:
    """Sum and noise divided by the number of records."""
    noisy = clipped(gradients).sum(axis=0) + rng.normal(scale=STEP_NOISE, size=gradients.shape[1])
    return noisy / len(gradients)


def normalised_by_constant(gradients: np.ndarray, rng: Rng) -> np.ndarray:
    return clipped(gradients).sum(axis=0) + rng.normal(scale=STEP_NOISE, size=gradients.shape[1])


def one_seed_twice(values: Any, rng: Rng) -> list[float]:
    """Two noisy sums whose generators begin in the same state."""
    again = copy.deepcopy(rng)
    return [values[0] + rng.laplace(scale=2.0), values[1] + again.laplace(scale=2.0)]


def one_generator(values: Any, rng: Rng) -> list[float]:
    return [values[0] + rng.laplace(scale=2.0), values[1] + rng.laplace(scale=2.0)]


def ranged_histogram(values: list[float], rng: Rng) -> list[float]:
    """Two bins over the range of the data, the edges published as they are."""
    counts, edges = np.histogram(values, bins=2)
    return [*(counts + rng.laplace(scale=2.0, size=2)), *edges]


def declared_histogram(values: list[float], rng: Rng) -> list[float]:
    return list(np.histogram(values, bins=2, range=(0.0, 10.0))[0] + rng.laplace(scale=2.0, size=2))


def _step_epsilon() -> float:
    from dpbench.privacy import gaussian

    return gaussian.epsilon(STEP_DELTA, 1.0 / STEP_NOISE)


SVT = "Lyu, Su & Li, Understanding the sparse vector technique, PVLDB 2017 (arXiv 1603.01699), {}"
MENDED_SVT = dict(threshold_noise=2.0, positives=1)
DPL = "diffprivlib 0.6.6"
FILTER_EPSILON = 0.5 + 0.5 * (2.0 * 1) ** (2.0 / 3.0) + 0.5
"""Our sum of what nvflare 2.0.16 names eps_1 = epsilon, eps_2 = eps_1 (2 c)^(2/3) and eps_3 = noise_var, at c = 1
weight sent; its documentation of that class states no total."""
OWN_RECORD = np.vstack([np.zeros((7, 16)), np.ones((1, 16))])

CASES = (
    Case("svt-numbers", "the sparse vector technique answers with the noisy value that it compared",
         "above or below only",
         SVT.format("Algorithm 3 (Roth 2011)"), "replace", 1.0, pair=([0.0] * 4 + [1.0], [1.0] * 4 + [0.0]),
         broken=variant(1.0, threshold_noise=2.0, query_noise=2.0, positives=1, numbers=True),
         mended=variant(1.0, query_noise=4.0, **MENDED_SVT)),
    Case("svt-small-noise", "noise of queries does not grow with the number of positive answers", "noise 2c/epsilon_2",
         SVT.format("Algorithm 4 (Lee & Clifton 2014)"), "replace", 1.0, pair=([0.0] * 12, [-1.0] * 6 + [1.0] * 6),
         broken=variant(1.0, threshold_noise=4.0, query_noise=4.0 / 3.0, positives=6),
         mended=variant(1.0, threshold_noise=2.0, query_noise=24.0, positives=6)),
    Case("svt-no-query-noise", "queries are compared without noise", "noise on queries, one positive answer",
         SVT.format("Algorithm 5 (Stoddard, Chen & Machanavajjhala 2014)"), "replace", 1.0,
         pair=([0.0, 1.0], [1.0, 0.0]), broken=variant(1.0, threshold_noise=2.0, query_noise=0.0),
         mended=variant(1.0, query_noise=4.0, **MENDED_SVT)),
    Case("svt-no-cutoff", "any number of positive answers", "one positive answer, noise on queries for it",
         SVT.format("Algorithm 6 (Chen, Xiao, Zhang & Xu 2015)"), "replace", 1.0,
         pair=([0.0] * 16, [1.0] * 8 + [-1.0] * 8), broken=variant(1.0, threshold_noise=2.0, query_noise=2.0),
         mended=variant(1.0, query_noise=4.0, **MENDED_SVT)),
    Case("noisy-max-value", "report noisy max returns the largest noisy value", "its index alone",
         "Ding, Wang, Wang, Zhang & Kifer, Detecting violations of differential privacy, CCS 2018 (arXiv 1805.10277)",
         "replace", 1.0, pair=([0.0] * 6, [1.0] * 6), broken=largest_value, mended=largest_place),
    Case("threshold-formula", "the threshold for rare keys has the formula of Laplace noise, and the noise is normal",
         "the normal quantile", ISSUE.format("opendp/smartnoise-sdk", 204), "add", KEYED_EPSILON, 2.0 * KEYED_DELTA,
         pair=({}, {"rare": 1}), broken=keyed_counts(1.0 - math.log(2.0 * KEYED_DELTA) / KEYED_EPSILON),
         mended=keyed_counts(1.0 - KEYED_NOISE * float(ndtri(KEYED_DELTA)))),
    Case("observed-keys", "noisy counts of the keys that occur, with no threshold", "keys declared beforehand",
         "Korolova, Kenthapadi, Mishra & Ntoulas, Releasing search queries and clicks privately, WWW 2009 (a hazard, "
         "which its threshold avoids)", "add", 1.0,
         pair=({"common": 5}, {"common": 5, "rare": 1}), broken=observed_keys, mended=declared_keys),
    Case("mean-by-size", "the sensitivity of a mean is taken at the size of the data, which is private",
         "noisy sum and noisy size", ISSUE.format("opendp/smartnoise-core", 356) + " (on a white paper's derivation "
         "for records added or removed; its authors: a proof for a known size, pull request 357)", "remove", 1.0,
         pair=([0.0, 1.0], [0.0]), broken=mean_by_size, mended=mean_by_parts),
    Case("score-sensitivity", "scores are differences of two terms; the sensitivity is that of one", "the sum of both",
         ISSUE.format("ryan112358/mbi", 65), "replace", 1.0, pair=([4.0] + [0.0] * 10, [0.0] + [4.0] * 10),
         broken=select(2.0), mended=select(4.0)),
    Case("batch-clipping", "the mean gradient of a batch is clipped, with the noise for clipping each record",
         "each record is clipped",
         ISSUE.format("bargavj/EvaluatingDPML", 22) + " (batch clipping by an earlier version, for Jayaraman & Evans, "
         "USENIX Security 2019; the present code clips each record; with this noise it is a hazard)", "add",
         _step_epsilon(), STEP_DELTA, pair=(np.zeros((8, 2)), np.vstack([np.zeros((7, 2)), [[9.0, 0.0]]])),
         broken=batch_clipped, mended=each_clipped),
    Case("parameter-clipping", "a gradient is clipped in parts, here number by number, with the noise for one norm",
         "one norm for all parameters", ISSUE.format("fedbiomed/fedbiomed", 1443) + " (open: reported as probable, of "
         "the parameters of a model)", "add", _step_epsilon(), STEP_DELTA,
         pair=(np.zeros((8, 16)), OWN_RECORD), broken=parameters_clipped, mended=each_clipped),
    Case("divided-by-size", "sum and noise of a step are divided by the size of the data", "a constant",
         ISSUE.format("meta-pytorch/opacus", 571) + " and issue 819 (both open)", "add", _step_epsilon(), STEP_DELTA,
         pair=(np.zeros((1, 16)), np.zeros((2, 16))), broken=normalised_by_size, mended=normalised_by_constant),
    Case("one-seed-twice", "two answers draw their noise from the same seed", "one generator for both",
         ISSUE.format("IBM/differential-privacy-library", 31) + " (a hazard that its maintainer named)", "replace", 1.0,
         pair=([0.0, 0.0], [1.0, 0.0]),
         broken=one_seed_twice, mended=one_generator),
    Case("range-of-the-data", "the range of the data is published as the edges of bins", "a range declared beforehand",
         "https://github.com/hazy/dpart/pull/6 (merged)", "replace", 1.0, pair=([1.0, 2.0, 3.0], [1.0, 2.0, 9.0]),
         broken=ranged_histogram, mended=declared_histogram),
    Case("linear-regression", "the sensitivity takes the lower bound of a feature twice: 0 for bounds (0, 1)",
         "the upper bound too (pull request 110)", ISSUE.format("IBM/differential-privacy-library", 105) + " and 104",
         "remove", 1.0, software=DPL, environments=("diffprivlib", "diffprivlib"), most=4_000),
    Case("quantile-nan", "a missing value makes the answer missing, without noise", "missing values at the lower bound",
         "the source's remark at `tools/quantiles.py` on issue 80 of IBM/differential-privacy-library", "replace", 1.0,
         software=DPL, environments=("diffprivlib", "diffprivlib"), most=16_000),
    Case("classes-of-the-data", "the classes of a naive Bayes model are those that occur", "classes declared",
         "the source at `models/naive_bayes.py`", "add", 1.0, software=DPL,
         environments=("diffprivlib", "diffprivlib"), most=4_000),
    Case("laplace-bits", "noise is added in floating point: the last bits tell the answer without noise",
         "its geometric mechanism", ISSUE.format("IBM/differential-privacy-library", 94) + " (arXiv 2207.13793)",
         "replace", 1.0, software=DPL, environments=("diffprivlib", "diffprivlib"), bits=True),
    Case("svt-filter", "weights that were accepted and not chosen are sent without noise",
         "release 2.0.18 mends this bug (pull request 348); the accounting was revised later (pull request 4470)",
         ISSUE.format("NVIDIA/NVFlare", 343) + " (the claim is our reading of the parameters: the sum of the code's "
         "eps_1, eps_2 and eps_3)", "replace", FILTER_EPSILON,
         software="nvflare 2.0.16", environments=("nvflare", "nvflare-mended"), most=16_000),
    Case("threshold-delta", "the probability mass at the threshold is missing in the delta reported",
         "the threshold one higher, at the same claim", ISSUE.format("opendp/opendp", 2922), "add", 1.0,
         0.004925833956035742, software="opendp 0.16.0", environments=("opendp", "opendp")),
    Case("covariance-clipping", "values are clipped, and the covariance is that of the values not clipped",
         "release 1.0.8 (pull request 624)", ISSUE.format("opendp/smartnoise-sdk", 622), "replace", 1.0,
         software="smartnoise-synth 1.0.5", environments=("smartnoise", "smartnoise-mended"), most=4_000),
)  # fmt: skip


def named(name: str) -> Case:
    """The case of this name."""
    from dpbench.core import validation

    return next(c for c in CASES if c.name == validation.choice("case", name, [c.name for c in CASES]))
