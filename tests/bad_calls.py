"""Calls with one bad value each, and what their messages must say: problems, losses and populations."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import sparse

from dpbench.papers.glm import losses
from dpbench.papers.glm.populations import ScaledBasis
from dpbench.papers.glm.problem import GLMProblem

X = np.array([[0.6, 0.8], [0.0, 1.0], [0.5, 0.5]])
Y = np.array([1.0, -1.0, 1.0])
GOOD: dict[str, Any] = {"loss": "squared", "x_bound": 1.0, "y_bound": 1.0, "radius": 1.0}
PROBLEM = GLMProblem(X, Y, **GOOD)

Call = Callable[[], Any]
Case = tuple[str, Call, str, str]  # id, call, parameter named, what else the message holds

NOT_NUMBERS: tuple[Any, ...] = (math.nan, math.inf, -math.inf, "1", None, True, [1.0], 1j)
NOT_INTEGERS: tuple[Any, ...] = (1.5, "3", None, True, math.nan, [3])


def each(name: str, parameter: str, call: Callable[[Any], Any], values: Any) -> Iterator[Case]:
    """One case for each bad value of one parameter; the message ends with the value itself."""
    for value in values:
        shown = repr(value) if len(repr(value)) <= 80 else repr(value)[:70]
        yield f"{name}({parameter}={value!r})", lambda value=value: call(value), parameter, shown


def problem(**change: Any) -> GLMProblem:
    given = {"X": X, "y": Y, **GOOD, **change}
    return GLMProblem(given.pop("X"), given.pop("y"), **given)


def with_entry(array: np.ndarray, value: float) -> np.ndarray:
    made = array.copy()
    made.flat[0] = value
    return made


def problems() -> Iterator[Case]:
    for name in ("x_bound", "y_bound", "radius"):
        yield from each("GLMProblem", name, lambda v, name=name: problem(**{name: v}), (*NOT_NUMBERS, 0, -1.0))
    shapes: tuple[Any, ...] = (
        np.zeros(3),
        np.zeros((2, 2, 2)),
        3.0,
        "text",
        None,
        [[1.0, 2.0], [3.0]],
        [["a", "b"]] * 3,
    )
    for value in shapes:
        yield f"GLMProblem(X={value!r})", lambda v=value: problem(X=v), "X", "a matrix"
    yield "GLMProblem(X no rows)", lambda: problem(X=np.zeros((0, 2)), y=[]), "X", "at least 1 row"
    yield "GLMProblem(X no columns)", lambda: problem(X=np.zeros((3, 0))), "X", "at least 1 column"
    yield "GLMProblem(X complex)", lambda: problem(X=X * 1j), "X", "finite numbers"
    yield "GLMProblem(X objects)", lambda: problem(X=X.astype(object)), "X", "finite numbers"
    for bad in (math.nan, math.inf, -math.inf):
        yield f"GLMProblem(X has {bad})", lambda b=bad: problem(X=with_entry(X, b)), "X", "(0, 0)"
        yield f"GLMProblem(y has {bad})", lambda b=bad: problem(y=with_entry(Y, b)), "y", "index 0"
        held = sparse.csr_array(with_entry(X, bad))
        yield f"GLMProblem(sparse X has {bad})", lambda h=held: problem(X=h), "X", "finite"
    for labels in (Y[:2], np.zeros((3, 1)), "abc", None, 1.0, [[1.0], [1.0], [1.0]]):
        yield f"GLMProblem(y={labels!r})", lambda v=labels: problem(y=v), "y", "a vector"
    yield "GLMProblem(X outside)", lambda: problem(X=3.0 * X), "X", "x_bound = 1"
    yield "GLMProblem(sparse X outside)", lambda: problem(X=sparse.csr_array(3.0 * X)), "X", "x_bound = 1"
    yield "GLMProblem(y outside)", lambda: problem(y=3.0 * Y), "y", "y_bound = 1"
    yield "GLMProblem(logistic labels)", lambda: problem(loss="logistic", y=0.5 * Y), "y", "-1 or +1"
    yield "GLMProblem(loss=squred)", lambda: problem(loss="squred"), "loss", "did you mean squared?"
    yield from each("GLMProblem", "loss", lambda v: problem(loss=v), (None, 3, "", math.nan, ["squared"]))
    yield "GLMProblem(on_excess=clp)", lambda: problem(on_excess="clp"), "on_excess", "did you mean clip?"
    yield from each("GLMProblem", "on_excess", lambda v: problem(on_excess=v), (None, True, "ignore"))
    yield from each("replace_record", "index", lambda v: PROBLEM.replace_record(v, X[0], 1.0), (-1, 3, 1.0, "0", None))
    for x in (np.zeros(3), np.zeros((1, 2)), "ab", None):
        yield f"replace_record(x={x!r})", lambda v=x: PROBLEM.replace_record(0, v, 1.0), "x", "a vector"
    yield "replace_record(x has nan)", lambda: PROBLEM.replace_record(0, [math.nan, 0.0], 1.0), "x", "nan"
    yield "replace_record(x outside)", lambda: PROBLEM.replace_record(0, [1.0, 1.0], 1.0), "X", "x_bound"
    yield from each("replace_record", "y", lambda v: PROBLEM.replace_record(0, X[0], v), NOT_NUMBERS)
    for w in (np.zeros(3), np.zeros((2, 3)), "ab", None, 1.0, np.zeros((1, 1, 2))):
        yield f"empirical_risk(w={w!r})", lambda v=w: PROBLEM.empirical_risk(v), "w", "must be"
    for kappa in (*NOT_NUMBERS, 0.0, -1.0):
        yield f"huber({kappa!r})", lambda v=kappa: losses.huber(v), "kappa", repr(kappa)
    yield from each("capped_linear", "end", losses.capped_linear, (*NOT_NUMBERS, -1.0))


def extremes() -> Iterator[Case]:
    """What would overflow or underflow on the way is refused by the first check."""
    sizes = (1e51, 1e200, 1e308, 1e-51, 1e-200, 1e-320)
    for name in ("x_bound", "y_bound", "radius"):
        yield from each("GLMProblem(extreme)", name, lambda v, name=name: problem(**{name: v}), sizes)
    yield from each("huber(extreme)", "kappa", losses.huber, sizes)
    yield from each("capped_linear(extreme)", "end", losses.capped_linear, sizes)

    def even(**change: Any) -> Any:
        return ScaledBasis.even("squared", **{"dimension": 4, "active": 2, "fraction": 0.5, **change})

    yield from each("even", "active", lambda v: even(active=v), (0, -1, 1.5, "2", 5))
    yield from each("even", "dimension", lambda v: even(dimension=v), (0, -1, 1.5, "2"))
    yield from each("even", "fraction", lambda v: even(fraction=v), (math.nan, "1", None, -0.5))
    for name in ("x_bound", "y_bound", "radius"):
        yield from each("even", name, lambda v, name=name: even(**{name: v}), (0, -1.0, "1", None, 1e200))
