"""Data made to break a solver, in the shape of a given problem: for tests of whether a mechanism always answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import is_dataclass, replace
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from inspect import signature
from typing import Any

import numpy as np

from dpbench.core import validation
from dpbench.core.sampling import stream


def hostile_pairs(problem: Any, count: int, seed: int = 0) -> Iterator[tuple[Any, Any]]:
    """Problems like this one whose records are made to break a solver, each with one record replaced.

    Zeros, ties, signs at the bounds, sizes from 1 to 1e-300, nearly equal and collinear records; the labels are
    those of the problem in another order, so that they stay within what its loss admits. Nothing for a problem that is
    no dataclass with a dense matrix X, a vector y and `x_bound`.
    """
    X, y = getattr(problem, "X", None), getattr(problem, "y", None)
    if not isinstance(X, np.ndarray) or X.ndim != 2 or not isinstance(y, np.ndarray):
        return
    if isinstance(problem, type) or not is_dataclass(problem):
        return
    bound = float(getattr(problem, "x_bound", 1.0)) * (1.0 - 1e-12)
    for number in range(count):
        rng = stream("hostile", seed, number)
        made = _hostile_features(number % 6, X.shape, rng)
        longest = np.linalg.norm(made, axis=1, keepdims=True)
        made = bound * made / np.maximum(longest, 1.0)
        labels = rng.permutation(y)
        near, other = made.copy(), labels.copy()
        near[0], other[0] = rng.permutation(made[-1]) * rng.choice([-1.0, 0.0, 1.0]), labels[-1]
        like: Any = partial(replace, problem)
        yield like(X=made, y=labels), like(X=near, y=other)


def _hostile_features(kind: int, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
    lattice = rng.integers(-2, 3, shape).astype(np.float64)
    if kind == 0:
        return np.asarray(lattice * 10.0 ** rng.integers(-12, 1, (shape[0], 1)))
    if kind == 1:
        return np.asarray(rng.integers(-2, 3, (shape[0], 1)) * rng.standard_normal((1, shape[1])) + 1e-9 * lattice)
    if kind == 2:
        return lattice[rng.integers(0, 2, shape[0]) % shape[0]]
    if kind == 3:
        return np.where(rng.random(shape) < 0.7, lattice * 1e-310, lattice)
    if kind == 4:
        return np.asarray(10.0 * rng.standard_normal(shape))
    return np.asarray(rng.standard_normal((1, shape[1])) + 1e-15 * lattice)


SIZES = (0.0, 5e-324, 1e-310, 1e-160, 1e-9, 0.5, 1.0)
"""Entries that a search puts together, in units of the bound."""

_ROWS = 6


def tells_apart_on_some(mechanism: Any, problem: Any, examples: int, seed: int = 0) -> str:
    """`tells_apart` on pairs that hypothesis searches for and shrinks, with the smallest found; empty where none is.

    Up to six different records of entries in `SIZES` repeated to the problem's n, its labels in another order, and one
    record replaced. Nothing is searched where hypothesis (in the extra `test`) is not installed, or for a problem that
    `hostile_pairs` has nothing for.
    """
    if find_spec("hypothesis") is None or next(hostile_pairs(problem, 1, seed), None) is None:
        return ""
    hypothesis, st = import_module("hypothesis"), import_module("hypothesis.strategies")
    (n, d), bound = problem.X.shape, float(getattr(problem, "x_bound", 1.0)) * (1.0 - 1e-12)
    entry = st.builds(lambda size, sign: size * sign, st.sampled_from(SIZES), st.sampled_from([1.0, -1.0]))
    row = st.lists(entry, min_size=d, max_size=d)
    found: list[str] = []

    def features(rows: list[list[float]]) -> np.ndarray:
        made = np.array(rows)
        return bound * made / np.maximum(np.linalg.norm(made, axis=1, keepdims=True), 1.0)

    def told(rows: list[list[float]], other: list[float], order: int, label: int) -> None:
        X, y = np.resize(features(rows), (n, d)), np.roll(problem.y, order)
        near_X, near_y = X.copy(), y.copy()
        near_X[0], near_y[0] = features([other])[0], problem.y[label]
        said = tells_apart(mechanism, [(replace(problem, X=X, y=y), replace(problem, X=near_X, y=near_y))], seed)
        if said:
            found.append(f"{said}, of rows {rows} repeated, the first then {other}")
            raise _Found

    place = st.integers(0, n - 1)
    search = hypothesis.settings(
        max_examples=examples, derandomize=True, database=None, deadline=None, report_multiple_bugs=False,
        suppress_health_check=list(hypothesis.HealthCheck),
    )(hypothesis.given(st.lists(row, min_size=1, max_size=_ROWS), row, place, place)(told))  # fmt: skip
    try:
        search()
    except _Found:
        return found[-1]  # hypothesis ends with the smallest
    return ""


class _Found(Exception):
    """A pair that is told apart."""


def tells_apart(mechanism: Any, pairs: Iterable[tuple[Any, Any]], seed: int = 0) -> str:
    """How whether a mechanism answers depends on its data, in words; empty where it answers every pair alike.

    A refusal of parameters (InvalidInput) is an answer if the neighbour gets the same one; NaN is none.
    """
    for number, pair in enumerate(pairs):
        said = []
        for each in pair:
            try:
                outputs = np.asarray(mechanism(each, 1, stream("total", seed, number)))
                said.append("nan" if outputs.dtype.kind == "f" and np.isnan(outputs).any() else "an answer")
            except validation.InvalidInput as refused:
                said.append(str(refused))
            except Exception as error:
                return f"hostile pair {number} ends in {type(error).__name__}: {error}"
        if said[0] != said[1]:
            return f"whether it answers tells hostile pair {number} apart: {said[0]!r} against {said[1]!r}"
        if "nan" in said:
            return f"NaN on hostile pair {number}"
    return ""


def misstated(mechanism: Any, problem: Any) -> str:
    """What is wrong with the neighbouring relations that a guarantee names, in words; empty where nothing is.

    `guarantee(problem)` is for "replace" unless it says otherwise; one that takes `neighbours` gives a profile of that
    relation, or refuses it.
    """
    if "neighbours" not in signature(mechanism.guarantee).parameters:
        return ""
    for relation in ("replace", "add-remove"):
        try:
            profile = mechanism.guarantee(problem, neighbours=relation)
        except validation.InvalidInput as refused:
            if relation == "replace":
                return f"guarantee(neighbours='replace') is refused: {refused}"
            continue
        if profile.neighbours != relation:
            return f"guarantee(neighbours={relation!r}) gives a profile for {profile.neighbours!r}"
        stated = mechanism.guarantee(problem)
        if relation == "replace" and any(profile.delta(e) != stated.delta(e) for e in (0.0, 0.5, 1.0)):
            return "guarantee(neighbours='replace') differs from guarantee()"
    return ""
