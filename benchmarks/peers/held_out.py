"""Accuracy on held-out real data: our algorithms and diffprivlib's at the same ε.

The two do not promise the same: diffprivlib's models are (ε, 0)-DP, ours (ε, δ)-DP. Medians, because single
fits of diffprivlib's linear regression can be off by any factor.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from benchmarks.peers.pairs import median_interval
from dpbench.core import validation
from dpbench.core.sampling import sample, stream
from dpbench.papers.glm.comparison import fit, mechanism
from dpbench.papers.glm.datasets import load
from dpbench.papers.glm.problem import GLMProblem

SETS = {"breast_cancer": "logistic", "fair": "logistic", "diabetes": "squared", "randhie": "squared"}
OURS = ("noisy-gd", "output-perturbation", "jl")
CONFIDENCE, DELTA = 0.95, 1e-5
_WORKER = Path(__file__).with_name("diffprivlib_worker.py")


@dataclass(frozen=True)
class Row:
    """One algorithm on the held-out records of one set, the median of its trials with an exact interval.

    Attributes
    ----------
    data, measure, algorithm, promise : str
        `measure` is "accuracy" (share of right labels) or "R2" (1 − mean squared error/variance of the labels).
    epsilon : float or None
        None for what is not private.
    value, low, high : float
    trials : int
    """

    data: str
    measure: str
    algorithm: str
    promise: str
    epsilon: float | None
    value: float
    low: float
    high: float
    trials: int

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def compare(
    epsilons: Sequence[float],
    trials: int,
    *,
    python: str | None = None,
    sets: Sequence[str] = tuple(SETS),
    seed: int = 0,
    workers: Any = 1,
) -> Iterator[Row]:
    """Rows of every set: the baselines that are not private, ours, and diffprivlib's where `python` has it.

    Parameters
    ----------
    epsilons : sequence of float
    trials : int
        At least 2.
    python : str, optional
        Interpreter of an environment with diffprivlib (which needs an older scikit-learn than ours).
    sets : sequence of str
        Of `SETS`.

    Raises
    ------
    InvalidInput
        If that interpreter cannot be run, or has no diffprivlib.
    """
    validation.integer("trials", trials, at_least=2)
    for name in sets:
        loss = SETS[validation.choice("sets", name, SETS)]
        train, X, y = _split(load(name, loss=loss), seed)
        classes = loss == "logistic"
        measure = "accuracy" if classes else "R2"
        for algorithm, w in _baselines(train, classes).items():
            value = float(_scores(w[None], X, y, classes)[0])
            yield Row(name, measure, algorithm, "none", None, value, value, value, 1)
        for algorithm in OURS:
            for epsilon in epsilons:
                w = sample(mechanism(algorithm, epsilon, DELTA), train, trials, seed=seed, workers=workers)
                yield _row(name, measure, algorithm, f"(epsilon, {DELTA:g})", epsilon, _scores(w, X, y, classes))
        if python is not None:
            for epsilon, w in zip(epsilons, _diffprivlib(python, train, classes, epsilons, trials), strict=True):
                yield _row(name, measure, "diffprivlib", "(epsilon, 0)", epsilon, _scores(w, X, y, classes))


def _baselines(train: GLMProblem, classes: bool) -> dict[str, np.ndarray]:
    """What is not private, as weights: fits with and without the radius, the best constant, and zero.

    The first column is constant. The fit without a radius is least squares, or scikit-learn's logistic regression
    with next to no penalty.
    """
    constant = np.zeros(train.d)
    constant[0] = (np.sign(train.y.sum()) if classes else train.y.mean()) / train.X[0, 0]
    if classes:
        model = LogisticRegression(C=1e6, fit_intercept=False, max_iter=10_000).fit(train.X, train.y)
        free = model.coef_[0]
    else:
        free = np.linalg.lstsq(train.X, train.y, rcond=None)[0]
    best = "majority class" if classes else "training mean"
    return {
        "non-private fit": fit(train).w,
        "unconstrained fit": free,
        best: constant,
        "zero predictor": np.zeros(train.d),
    }


def _split(problem: GLMProblem, seed: int) -> tuple[GLMProblem, np.ndarray, np.ndarray]:
    """Seven tenths of the records to train on; the features and labels of the others."""
    order = stream("held-out", problem.digest, seed).permutation(problem.n)
    cut = 7 * problem.n // 10
    train, test = order[:cut], order[cut:]
    return replace(problem, X=problem.X[train], y=problem.y[train]), problem.X[test], problem.y[test]


def _scores(w: np.ndarray, X: np.ndarray, y: np.ndarray, classes: bool) -> np.ndarray:
    """Accuracy (a tie counts half) or R² of each row of `w`, shape (trials, d)."""
    z = w @ X.T
    if classes:
        return np.asarray(0.5 + 0.5 * (np.sign(z) * y).mean(axis=1))
    return np.asarray(1.0 - ((z - y) ** 2).mean(axis=1) / y.var())


def _row(data: str, measure: str, algorithm: str, promise: str, epsilon: float, scores: np.ndarray) -> Row:
    low, high = median_interval(scores, CONFIDENCE)
    return Row(data, measure, algorithm, promise, float(epsilon), float(np.median(scores)), low, high, len(scores))


def _diffprivlib(python: str, train: GLMProblem, classes: bool, epsilons: Sequence[float], trials: int) -> np.ndarray:
    must_be = "the interpreter of an environment with diffprivlib"
    with tempfile.TemporaryDirectory() as folder:
        problem, weights = Path(folder, "in.npz"), Path(folder, "out.npz")
        np.savez(
            problem,
            X=train.X,
            y=train.y,
            y_bound=train.y_bound,
            classes=classes,
            epsilons=np.array(epsilons, float),
            trials=trials,
        )
        try:
            done = subprocess.run(
                [python, str(_WORKER), str(problem), str(weights)], capture_output=True, text=True, check=False
            )
        except OSError as error:
            raise validation.invalid("--python", f"{must_be} ({error.strerror})", python) from error
        if done.returncode != 0:
            message = (done.stderr.strip().splitlines() or ["no message"])[-1]
            raise validation.invalid("--python", f"{must_be} ({message})", python)
        with np.load(weights) as fitted:
            return np.asarray(fitted["w"])
