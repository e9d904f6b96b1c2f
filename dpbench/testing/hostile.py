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
    those of the problem in another order, so that they stay within what its loss admits. For a dataclass with a dense
    matrix X, a vector y and `x_bound`, or with private points x, labels y and public points `public`: there records are
    made of the points that it has, private and public, of which numbers that are whole throughout (names of points,
    marks) are kept, and every other pair has its public points made in the same way. Nothing for other problems.
    """
    if not (_has_public(problem) or _has_matrix(problem)):
        return
    features_of = _public_features if _has_public(problem) else _features
    for number in range(count):
        rng = stream("hostile", seed, number)
        features, name = features_of(number % 6, problem, len(problem.y), rng)
        labels = rng.permutation(problem.y)
        near, other = features.copy(), labels.copy()
        signs = rng.choice([-1.0, 0.0, 1.0])
        near[0], other[0] = (rng.permutation(features[-1]) * signs if name == "X" else features[-1]), labels[-1]
        like: Any = partial(replace, problem)
        if name == "x" and number % 2 == 1:
            like = partial(like, public=_public_features(number // 2 % 6, problem, len(problem.public), rng)[0])
        yield like(**{name: features}, y=labels), like(**{name: near}, y=other)


def _has_matrix(problem: Any) -> bool:
    X, y = getattr(problem, "X", None), getattr(problem, "y", None)
    arrays = isinstance(X, np.ndarray) and X.ndim == 2 and isinstance(y, np.ndarray)
    return arrays and not isinstance(problem, type) and is_dataclass(problem)


def _has_public(problem: Any) -> bool:
    arrays = all(isinstance(getattr(problem, name, None), np.ndarray) for name in ("x", "y", "public"))
    return arrays and not isinstance(problem, type) and is_dataclass(problem)


def _features(kind: int, problem: Any, rows: int, rng: np.random.Generator) -> tuple[np.ndarray, str]:
    features = hostile_features(kind, (rows, problem.X.shape[1]), rng)
    return _bound(problem) * features / np.maximum(np.linalg.norm(features, axis=1, keepdims=True), 1.0), "X"


def _bound(problem: Any) -> float:
    return float(getattr(problem, "x_bound", 1.0)) * (1.0 - 1e-12)


def _public_features(kind: int, problem: Any, rows: int, rng: np.random.Generator) -> tuple[np.ndarray, str]:
    pool, free = _pool(problem)
    features = pool[rng.integers(len(pool), size=rows)]
    if kind == 0:
        features = pool[rng.integers(len(pool), size=2)][rng.integers(0, 2, rows)]
    each = (rows, *[1] * (pool.ndim - 1))
    sizes = {
        1: 10.0 ** rng.integers(-12, 1, each),
        2: np.where(rng.random(each) < 0.7, 1e-310, 1.0),
        3: rng.choice([-1.0, 0.0, 1.0], each),
        4: 1.0 - 1e-15 * rng.integers(0, 4, each),
    }
    if kind == 4:
        features = np.repeat(features[:1], rows, axis=0)
    return np.where(free, features * sizes.get(kind, np.ones(each)), features), "x"


def _pool(problem: Any) -> tuple[np.ndarray, np.ndarray]:
    """The points of a problem, private and public, and which of their columns are not whole numbers throughout."""
    pool = np.concatenate([problem.x, problem.public])
    return pool, (pool != np.rint(pool)).any(axis=0)


def hostile_features(kind: int, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
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

    All records one of each size in `SIZES`, then up to six different records of entries of these sizes repeated to the
    problem's n (points of the problem times such a size, where it has public points), its labels in another order, and
    one record replaced. Nothing is searched where hypothesis (in the extra `test`) is not installed, or for a problem
    that `hostile_pairs` has nothing for.
    """
    if find_spec("hypothesis") is None or not (_has_public(problem) or _has_matrix(problem)):
        return ""
    hypothesis, st = import_module("hypothesis"), import_module("hypothesis.strategies")
    entry = st.builds(lambda size, sign: size * sign, st.sampled_from(SIZES), st.sampled_from([1.0, -1.0]))
    if _has_public(problem):
        name, (pool, free) = "x", _pool(problem)
        row = st.tuples(st.integers(0, len(pool) - 1), entry)
    else:
        name, row = "X", st.lists(entry, min_size=problem.X.shape[1], max_size=problem.X.shape[1])
    n, telling = len(problem.y), []

    def features(rows: list[Any]) -> np.ndarray:
        if name == "x":
            return np.array([np.where(free, size * pool[at], pool[at]) for at, size in rows])
        data = np.array(rows)
        return _bound(problem) * data / np.maximum(np.linalg.norm(data, axis=1, keepdims=True), 1.0)

    def compare(rows: list[Any], other: Any, order: int, label: int) -> None:
        data = features(rows)
        X, y = np.resize(data, (n, *data.shape[1:])), np.roll(problem.y, order)
        near_X, near_y = X.copy(), y.copy()
        near_X[0], near_y[0] = features([other])[0], problem.y[label]
        pair = replace(problem, **{name: X}, y=y), replace(problem, **{name: near_X}, y=near_y)
        said = tells_apart(mechanism, [pair], seed)
        if said:
            what = "points times sizes" if name == "x" else "rows"
            telling.append(f"{said}, of {what} {rows} repeated, the first then {other}")
            raise _Found

    place = st.integers(0, n - 1)
    search = hypothesis.settings(
        max_examples=examples,
        derandomize=True,
        database=None,
        deadline=None,
        report_multiple_bugs=False,
        suppress_health_check=list(hypothesis.HealthCheck),
    )(hypothesis.given(st.lists(row, min_size=1, max_size=_ROWS), row, place, place)(compare))
    one = [((0, size) if name == "x" else [size] * problem.X.shape[1]) for size in SIZES]
    for alone in reversed(one):  # all records one, which chance may miss
        search = hypothesis.example([alone], one[0], 0, 0)(search)
    try:
        search()
    except _Found:
        return str(telling[-1])  # hypothesis ends with the smallest
    return ""


class _Found(Exception):
    """A pair that is distinguished."""


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
    for relation in ("replace", "add_remove"):
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
