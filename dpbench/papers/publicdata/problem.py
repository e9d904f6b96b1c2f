"""Private records beside public unlabelled points: what the public-data mechanisms are run on."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from dpbench.core import validation
from dpbench.core.sampling import canonical, public_attributes
from dpbench.papers.publicdata.losses import loss_name, loss_value

_ENTRIES = 2**21  # predictions held at once when a risk is taken


@dataclass(frozen=True, eq=False)
class PublicDataProblem:
    """Private labelled records, public unlabelled points, a class of functions into [−1, 1] and a loss into [0, 1].

    Only the n records (x_i, y_i) are private; the points, the class, the loss and σ are public.

    Parameters
    ----------
    x : array_like, shape (n, d) or (n,)
        Private features, in the shape and the domain that the class declares (its `prepare`, where it has one,
        refuses others here, so that no release depends on whether a record is refused).
    y : array_like, shape (n,)
        Private labels in [−1, 1]; −1 or 1 for the loss "zero-one".
    public : array_like, shape (m, d) or (m,)
        Public points Z_1, …, Z_m.
    hypotheses : object
        The class F: anything with `predict(parameters, points)` and `erm(points, objective)`
        (`dpbench.papers.publicdata.objective`). What names it is its `digest`, or else its type and attributes.
    loss : {"zero-one", "absolute", "squared", "huber"}
        Scaled into [0, 1] (`dpbench.papers.publicdata.losses`).
    smoothness : float
        σ in (0, 1]: the law of x has density at most 1/σ against that of the public points. A promise that the
        learning guarantees use; privacy never depends on it.

    Attributes
    ----------
    n, m, d : int
        Private records, public points, dimension.
    digest : str
        SHA-256 of everything above: names the problem in seeds, stores and caches.

    Raises
    ------
    InvalidInput
        For NaN, infinities, wrong shapes, no records, labels out of range, σ outside (0, 1], or a class
        without an oracle or without a name.
    """

    x: Any
    y: Any
    public: Any
    hypotheses: Any
    loss: str
    smoothness: float

    def __init__(self, x: Any, y: Any, public: Any, *, hypotheses: Any, loss: str, smoothness: float = 1.0) -> None:
        put = object.__setattr__
        put(self, "loss", loss_name(loss))
        put(self, "smoothness", share("smoothness", smoothness))
        features, points = _points("x", x), _points("public", public)
        if points.shape[1:] != features.shape[1:]:
            like = "a vector" if features.ndim == 1 else f"a matrix with {features.shape[1]} columns"
            raise validation.invalid("public", f"{like}, like x", points)
        labels = validation.array("y", y, ndim=1)
        if labels.shape[0] != features.shape[0]:
            raise validation.invalid("y", f"a vector of length {features.shape[0]}, one label a row of x", labels)
        _check_labels(labels, self.loss)
        for name in ("erm", "predict"):
            if isinstance(hypotheses, type) or not callable(getattr(hypotheses, name, None)):
                raise validation.invalid("hypotheses", "an object with the methods erm and predict", hypotheses)
        _name(hypotheses)  # refuses a class that cannot be named
        for part in (features, points) if hasattr(hypotheses, "prepare") else ():
            hypotheses.prepare(part)  # refuses what the class is not declared for: no later step may refuse a record
        put(self, "hypotheses", hypotheses)
        for name, values in (("x", features), ("y", labels), ("public", points)):
            put(self, name, _frozen(values))

    @property
    def n(self) -> int:
        return int(self.x.shape[0])

    @property
    def m(self) -> int:
        return int(self.public.shape[0])

    @property
    def d(self) -> int:
        return int(self.x.shape[1]) if self.x.ndim == 2 else 1

    @cached_property
    def digest(self) -> str:
        declared = (self.loss, self.smoothness, self.x.shape, self.public.shape, _name(self.hypotheses))
        sha = hashlib.sha256(repr(declared).encode())
        for part in (self.x, self.y, self.public):
            sha.update(part.tobytes())
        return sha.hexdigest()

    def __hash__(self) -> int:
        return hash((self.loss, self.smoothness, self.x.shape, self.public.tobytes()))

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, PublicDataProblem) and self.digest == other.digest)

    def replace_record(self, index: int, x: Any, y: float) -> PublicDataProblem:
        """The neighbouring data set (replace-one) whose record `index` is (x, y)."""
        if validation.integer("index", index, at_least=0) >= self.n:
            raise validation.invalid("index", f"below n = {self.n}", index)
        features, labels = self.x.copy(), self.y.copy()
        features[index] = validation.array("x", np.atleast_1d(x), ndim=1, width=self.d).reshape(features.shape[1:])
        labels[index] = validation.real("y", y)
        return replace(self, x=features, y=labels)

    def records_apart(self, neighbour: Any) -> int:
        """How many private records this problem and another differ in that share everything public.

        Raises
        ------
        InvalidInput
            If `neighbour` is no PublicDataProblem with the same public points, class, loss, σ and n.
        """
        if not isinstance(neighbour, PublicDataProblem):
            raise validation.invalid("neighbour", "a PublicDataProblem", neighbour)
        declared = [(p.loss, p.smoothness, p.x.shape, p.public.shape, _name(p.hypotheses)) for p in (self, neighbour)]
        if declared[0] != declared[1] or not np.array_equal(self.public, neighbour.public):
            raise validation.InvalidInput(
                "neighbour must have the same public points, hypotheses, loss, smoothness and n as problem, "
                f"got {declared[1]} beside {declared[0]}"
            )
        unequal = (self.x != neighbour.x).reshape(self.n, -1).any(axis=1)
        return int(np.count_nonzero(unequal | (self.y != neighbour.y)))

    def empirical_risk(self, outputs: Any) -> np.ndarray:
        """Mean loss over the private records of each row of `outputs`, shape (trials, width): shape (trials,)."""
        rows = output_rows(outputs)
        step = max(1, _ENTRIES // self.n)
        parts = [
            loss_value(self.loss, self.hypotheses.predict(rows[at : at + step], self.x), self.y).mean(axis=1)
            for at in range(0, rows.shape[0], step)
        ]
        return np.concatenate(parts)


def output_rows(outputs: Any) -> np.ndarray:
    """Rows of parameters, shape (trials, width): numbers, infinite ones among them, but no NaN."""
    rows = np.asarray(outputs)
    if rows.dtype.kind not in "fiub" or rows.ndim != 2 or rows.shape[0] < 1 or np.isnan(rows).any():
        raise validation.invalid("outputs", "a matrix of numbers, none NaN, one row a trial", outputs)
    return rows


def public_data_problem(value: Any) -> PublicDataProblem:
    """The value itself, where it is a problem of this kind: what our mechanisms ask of their argument."""
    if not isinstance(value, PublicDataProblem):
        raise validation.invalid("problem", "a PublicDataProblem", value)
    return value


def share(name: str, value: Any) -> float:
    """A number in (0, 1]."""
    number = validation.real(name, value)
    if not 0.0 < number <= 1.0:
        raise validation.invalid(name, "a number in (0, 1]", value)
    return number


def _points(name: str, value: Any) -> np.ndarray:
    try:
        axes = np.ndim(value)
    except ValueError:  # ragged
        axes = 2
    points = validation.array(name, value, ndim=1 if axes == 1 else 2)
    if points.ndim == 2 and points.shape[1] < 1:
        raise validation.invalid(name, "a matrix with at least 1 column", points)
    return points


def _check_labels(labels: np.ndarray, loss: str) -> None:
    bad = np.abs(labels) != 1.0 if loss == "zero-one" else np.abs(labels) > 1.0
    if bad.any():
        at = int(np.argmax(bad))
        allowed = "be -1 or 1 for the loss zero-one" if loss == "zero-one" else "lie in [-1, 1]"
        raise validation.InvalidInput(f"y must {allowed}, got {labels[at]:g} at row {at}")


def _name(hypotheses: Any) -> str:
    own = getattr(hypotheses, "digest", None)
    if isinstance(own, str):
        return own
    kind = type(hypotheses)
    try:
        return f"{kind.__qualname__}{canonical(public_attributes(hypotheses))}"
    except (validation.InvalidInput, TypeError) as error:
        raise validation.invalid("hypotheses", "an object with a text `digest` that names it", hypotheses) from error


def _frozen(values: np.ndarray) -> np.ndarray:
    """A private, read-only version, so that no mechanism can change its input."""
    copy = values.copy() if values.flags.writeable or values.base is not None else values
    copy.flags.writeable = False
    return copy
