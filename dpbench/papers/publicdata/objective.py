"""The objectives that an ERM oracle (Definition 4) minimises, and the interface of a hypothesis class.

Every call of the paper's algorithms is one `Objective`, a sum over points of functions of f at the point alone.
A class may be any object with `erm(points, objective)` and `predict(parameters, points)`: `prepare` and the
other readers below supply what it leaves out. Of a class that does not say `exact = True` no guarantee holds.
"""

from __future__ import annotations

import hashlib
import threading
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import numpy as np

from dpbench.core import validation
from dpbench.papers.publicdata.losses import loss_name, loss_value

BATCH = 2**17
"""Numbers of a batch of objectives held at once: 1 MB, which stays in the cache, and as much again in the oracle."""


@dataclass(frozen=True, eq=False)
class Objective:
    """f ↦ Σ_i weights_i·ℓ(f(x_i), labels_i) + linear_i·f(x_i) + quadratic_i·f(x_i)² over N points.

    Parameters
    ----------
    labels : array_like, shape (N,)
        In [−1, 1]; not looked at where the weight is 0.
    weights, linear, quadratic : array_like, shape (N,), or float
        Of either sign; a number stands for N of it.
    loss : str
        ℓ: one of `dpbench.papers.publicdata.losses.LOSSES`.

    Raises
    ------
    InvalidInput
        For NaN, infinities, wrong shapes, labels outside [−1, 1], unknown losses.
    """

    labels: Any
    weights: Any = 1.0
    linear: Any = 0.0
    quadratic: Any = 0.0
    loss: str = "zero-one"

    def __post_init__(self) -> None:
        put = object.__setattr__
        labels = validation.array("labels", self.labels, ndim=1)
        worst = int(np.argmax(np.abs(labels)))
        if abs(labels[worst]) > 1.0:
            raise validation.InvalidInput(f"labels must lie in [-1, 1], got {labels[worst]:g} at index {worst}")
        put(self, "labels", labels)
        for name in ("weights", "linear", "quadratic"):
            put(self, name, _vector(name, getattr(self, name), labels.shape[0]))
        loss_name(self.loss)

    @property
    def size(self) -> int:
        """N."""
        return int(self.labels.shape[0])

    def costs(self) -> np.ndarray:
        """Value at +1 less value at −1, point by point, shape (N,): all that a class with values ±1 needs."""
        apart = loss_value(self.loss, 1.0, self.labels) - loss_value(self.loss, -1.0, self.labels)
        return np.asarray(self.weights * apart + 2.0 * self.linear)

    @cached_property
    def fixed_costs(self) -> np.ndarray:
        """`costs` but for the linear terms, shape (N,), read-only: kept, since an oracle asks for it once a batch."""
        costs = self.costs() - 2.0 * self.linear
        costs.flags.writeable = False
        return costs

    def value(self, predictions: Any) -> Any:
        """The objective at rows of f(x_1), …, f(x_N): a float for shape (N,), shape (trials,) for (trials, N)."""
        f = validation.array("predictions", predictions, ndim=np.ndim(predictions) or 1, width=self.size)
        terms = self.weights * loss_value(self.loss, f, self.labels) + (self.linear + self.quadratic * f) * f
        total = terms.sum(axis=-1)
        return float(total) if f.ndim == 1 else total


def _vector(name: str, value: Any, size: int) -> np.ndarray:
    if np.ndim(value) == 0:
        return np.full(size, validation.real(name, value))
    vector = validation.array(name, value, ndim=1)
    if vector.shape[0] != size:
        raise validation.invalid(name, f"a vector of length {size}, one entry a label", vector)
    return vector


class Prepared(Protocol):
    """An oracle with its points in place: what depends on the points alone is done once."""

    def erm(self, objective: Objective) -> np.ndarray:
        """A minimiser, shape (width,)."""
        ...

    def erm_many(self, objective: Objective, linear: np.ndarray) -> np.ndarray:
        """A minimiser for each row of `linear` (calls, N) in place of the objective's own: shape (calls, width)."""
        ...


@runtime_checkable
class Hypotheses(Protocol):
    """A class F of functions with values in [−1, 1].

    Attributes
    ----------
    width : int
        Numbers that name one function: a row of `predict`.
    values : {"binary", "real"}
        Whether all f have values in {−1, 1}.
    convex : bool
        Whether mixtures of functions of the class are in the class.
    exact : bool
        Whether `erm` returns a minimiser, and the same one whenever points and objective are the same.
    digest : str
        Names the class in seeds and stores.
    """

    width: int
    values: str
    convex: bool
    exact: bool

    @property
    def digest(self) -> str: ...

    def predict(self, parameters: Any, points: Any) -> np.ndarray:
        """f(x_i), shape (trials, N), for rows of parameters (trials, width)."""
        ...

    def erm(self, points: Any, objective: Objective) -> np.ndarray:
        """A minimiser of the objective over the class, shape (width,)."""
        ...

    def prepare(self, points: Any) -> Prepared:
        """The oracle for these points."""
        ...

    def minimum_norm(self, points: Any) -> float:
        """inf over f in F of ‖f‖_m on these points, or a lower bound on it."""
        ...


def prepare(hypotheses: Any, points: Any) -> Prepared:
    """The class's own prepared oracle, or one that calls its `erm` each time."""
    own = getattr(hypotheses, "prepare", None)
    return own(points) if own is not None else _Unprepared(hypotheses, points)


def erm_last(oracle: Prepared, objective: Objective, linear: np.ndarray) -> np.ndarray:
    """`erm_many` for linear terms of the last m points alone, (calls, m): by a method of this name, or padded by 0."""
    own = getattr(oracle, "erm_last", None)
    if own is not None:
        return np.asarray(own(objective, linear))
    calls, m = linear.shape
    step = max(1, BATCH // objective.size)
    padded = np.zeros((min(step, calls), objective.size))
    parts = []
    for at in range(0, calls, step):
        rows = linear[at : at + step]
        padded[: len(rows), objective.size - m :] = rows
        parts.append(oracle.erm_many(objective, padded[: len(rows)]))
    return np.concatenate(parts)


def is_exact(hypotheses: Any) -> bool:
    """Whether the class says that its oracle is exact; silence means no."""
    return getattr(hypotheses, "exact", False) is True


def minimum_norm(hypotheses: Any, points: Any) -> float:
    """inf over F of ‖f‖_m: 1 for binary classes, 0 for one that does not say."""
    own = getattr(hypotheses, "minimum_norm", None)
    if own is not None:
        return float(own(points))
    return 1.0 if getattr(hypotheses, "values", "real") == "binary" else 0.0


def named(*parts: Any) -> str:
    """A digest of a class: SHA-256 of the names, numbers and arrays that define it."""
    sha = hashlib.sha256()
    for part in parts:
        if isinstance(part, np.ndarray):
            sha.update(repr((part.shape, str(part.dtype))).encode())
            sha.update(np.ascontiguousarray(part).tobytes())
        else:
            sha.update(repr(part).encode())
    return sha.hexdigest()


def parameter_rows(value: Any, width: int) -> np.ndarray:
    """Rows of parameters, shape (trials, width): numbers, infinite ones among them, but no NaN."""
    array = np.asarray(value)
    if array.dtype.kind not in "fiub" or array.ndim != 2 or array.shape[1] != width or np.isnan(array).any():
        raise validation.invalid("parameters", f"a matrix of numbers, none NaN, with {width} columns", value)
    return np.ascontiguousarray(array, dtype=np.float64)


def linear_rows(objective: Any, linear: Any, size: int) -> np.ndarray:
    """The rows of an `erm_many` call, (calls, N), once they and the objective are seen to fit N points."""
    if not isinstance(objective, Objective) or objective.size != size:
        given = f"one over {objective.size}" if isinstance(objective, Objective) else objective
        raise validation.invalid("objective", f"an Objective over {size} points", given)
    return validation.array("linear", linear, ndim=2, width=size)


def last_rows(objective: Any, linear: Any, size: int) -> tuple[np.ndarray, int]:
    """The rows of an `erm_last` call, (calls, m), once they and the objective are seen to fit N points, and N − m."""
    rows = validation.array("linear", linear, ndim=2)
    if not isinstance(objective, Objective) or objective.size != size or rows.shape[1] > size:
        given = f"one over {objective.size}" if isinstance(objective, Objective) else objective
        raise validation.invalid("objective", f"an Objective over {size} points, and linear no wider", given)
    return rows, size - rows.shape[1]


def numbered_points(value: Any, count: int, name: str = "points") -> np.ndarray:
    """Integers 0, …, count − 1, shape (N,), also where they come as floats."""
    numbers = validation.array(name, value, ndim=1)
    if not ((numbers >= 0) & (numbers < count) & (numbers == np.rint(numbers))).all():
        raise validation.invalid(name, f"integers from 0 to {count - 1}", value)
    return numbers.astype(np.int64)


def continuous_loss(objective: Objective) -> None:
    """Refuse the zero-one loss, for classes with values between −1 and 1."""
    if objective.loss == "zero-one" and objective.weights.any():
        raise validation.invalid("loss", "one of absolute, squared, huber for this class", objective.loss)


class OnePrepared:
    """A prepared oracle whose single call is a row of `erm_many`."""

    def erm_many(self, objective: Objective, linear: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def erm(self, objective: Objective) -> np.ndarray:
        if not isinstance(objective, Objective):
            raise validation.invalid("objective", "an Objective", objective)
        minimiser: np.ndarray = self.erm_many(objective, objective.linear[np.newaxis])[0]
        return minimiser


class BinaryClass:
    """What our classes with values in {−1, 1} share."""

    values: str = "binary"
    convex: bool = False
    exact: bool = True

    @property
    def digest(self) -> str:
        """Of the class's name and parameters."""
        return named(self)

    def prepare(self, points: Any) -> OnePrepared:
        raise NotImplementedError

    def erm(self, points: Any, objective: Objective) -> np.ndarray:
        """A minimiser of the objective, shape (width,)."""
        return self.prepare(points).erm(objective)

    def minimum_norm(self, points: Any) -> float:
        """1: all values are ±1."""
        return 1.0


class _Unprepared:
    def __init__(self, hypotheses: Any, points: Any) -> None:
        self._hypotheses, self._points = hypotheses, points

    def erm(self, objective: Objective) -> np.ndarray:
        return np.asarray(self._hypotheses.erm(self._points, objective), dtype=np.float64)

    def erm_many(self, objective: Objective, linear: np.ndarray) -> np.ndarray:
        return np.stack([self.erm(with_linear(objective, row)) for row in linear])


def with_linear(objective: Objective, linear: Any) -> Objective:
    """The objective with another linear part."""
    return Objective(objective.labels, objective.weights, linear, objective.quadratic, objective.loss)


class CountedOracle:
    """A class whose oracle calls are counted, in `calls`; each row of `erm_many` is one. All else is the class's."""

    def __init__(self, hypotheses: Any) -> None:
        self.hypotheses = hypotheses
        self.calls = 0
        self._lock = threading.Lock()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.hypotheses, name)

    def count(self, calls: int) -> None:
        with self._lock:
            self.calls += calls

    def erm(self, points: Any, objective: Objective) -> np.ndarray:
        self.count(1)
        return np.asarray(self.hypotheses.erm(points, objective))

    def prepare(self, points: Any) -> Prepared:
        return _Counted(prepare(self.hypotheses, points), self)


class _Counted:
    def __init__(self, oracle: Prepared, counter: CountedOracle) -> None:
        self._oracle, self._counter = oracle, counter
        if hasattr(oracle, "certified"):
            self.certified = self._certified

    def _certified(self, objective: Objective, linear: np.ndarray, tau: float) -> Any:
        self._counter.count(len(linear))
        return self._oracle.certified(objective, linear, tau)  # type: ignore[attr-defined]

    def erm(self, objective: Objective) -> np.ndarray:
        self._counter.count(1)
        return self._oracle.erm(objective)

    def erm_many(self, objective: Objective, linear: np.ndarray) -> np.ndarray:
        self._counter.count(len(linear))
        return self._oracle.erm_many(objective, linear)

    def erm_last(self, objective: Objective, linear: np.ndarray) -> np.ndarray:
        self._counter.count(len(linear))
        return erm_last(self._oracle, objective, linear)
