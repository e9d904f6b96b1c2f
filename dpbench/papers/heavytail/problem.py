"""Regression data with finite moments and no bounds: what the heavy-tailed mechanisms are run on."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from dpbench.core import validation

DOMAINS, MOMENTS = ("ball", "box"), ("norm", "coordinate")
_LARGEST = 1e100  # so that no residual or its square overflows


@dataclass(frozen=True, eq=False)
class HeavyTailedProblem:
    """A data set for ℓ1 regression, min_w E|⟨x, w⟩ − y| over W, and the moment assumed of x.

    Parameters
    ----------
    X : array_like, shape (n, d)
        Features x_i; any finite numbers, for neither x nor y is bounded.
    y : array_like, shape (n,)
        Responses y_i.
    radius : float
        R: W is the Euclidean ball of this radius about 0, or the box [−R, R]^d. R and τ lie between 1e-50 and 1e50.
    domain : {"ball", "box"}
    theta : float
        θ in (1, 2]: the order of the moment assumed.
    tau : float
        τ: E‖x‖₂^θ ≤ τ^θ (moment "norm", Assumptions 1 and 3), or E|x_j|^θ ≤ τ^θ for each j (moment
        "coordinate", Assumptions 2 and 4). A promise about the law, made before the data are seen.
    moment : {"norm", "coordinate"}

    Attributes
    ----------
    n, d : int
    diameter : float
        Δ: 2R for the ball, 2R√d for the box.
    digest : str
        SHA-256 of everything above: names the problem in seeds, stores and caches.

    Raises
    ------
    InvalidInput
        For NaN, infinities, entries beyond 1e100, wrong shapes, no records, θ outside (1, 2].
    """

    X: Any
    y: Any
    radius: float
    domain: str = "ball"
    theta: float = 2.0
    tau: float = 1.0
    moment: str = "norm"

    def __init__(
        self,
        X: Any,
        y: Any,
        *,
        radius: float,
        domain: str = "ball",
        theta: float = 2.0,
        tau: float = 1.0,
        moment: str = "norm",
    ) -> None:
        put = object.__setattr__
        put(self, "radius", validation.real("radius", radius, above=0.0, size=True))
        put(self, "domain", validation.choice("domain", domain, DOMAINS))
        put(self, "theta", order("theta", theta))
        put(self, "tau", validation.real("tau", tau, above=0.0, size=True))
        put(self, "moment", validation.choice("moment", moment, MOMENTS))
        features = validation.array("X", X, ndim=2)
        if features.shape[1] < 1:
            raise validation.invalid("X", "a matrix with at least 1 column", features)
        responses = validation.array("y", y, ndim=1)
        if responses.shape[0] != features.shape[0]:
            must_be = f"a vector of length {features.shape[0]}, one response a row of X"
            raise validation.invalid("y", must_be, responses)
        for name, values in (("X", features), ("y", responses)):
            worst = float(np.abs(values).max())
            if worst > _LARGEST:
                raise validation.invalid(name, f"made of numbers of size at most {_LARGEST:g}", worst)
            put(self, name, _frozen(values))

    @property
    def n(self) -> int:
        return int(self.X.shape[0])

    @property
    def d(self) -> int:
        return int(self.X.shape[1])

    @property
    def diameter(self) -> float:
        return 2.0 * self.radius * (math.sqrt(self.d) if self.domain == "box" else 1.0)

    @cached_property
    def digest(self) -> str:
        assumed = (self.radius, self.domain, self.theta, self.tau, self.moment, self.X.shape)
        sha = hashlib.sha256(repr(assumed).encode())
        sha.update(self.X.tobytes())
        sha.update(self.y.tobytes())
        return sha.hexdigest()

    def __hash__(self) -> int:
        return hash(self.digest)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HeavyTailedProblem) and self.digest == other.digest

    def replace_record(self, index: int, x: Any, y: float) -> HeavyTailedProblem:
        """The neighbouring data set (replace-one) whose record `index` is (x, y)."""
        if validation.integer("index", index, at_least=0) >= self.n:
            raise validation.invalid("index", f"below n = {self.n}", index)
        features, responses = self.X.copy(), self.y.copy()
        features[index] = validation.array("x", x, ndim=1, width=self.d)
        responses[index] = validation.real("y", y)
        return replace(self, X=features, y=responses)

    def records_apart(self, neighbour: Any) -> int:
        """How many records this problem and another of one declaration differ in.

        Raises
        ------
        InvalidInput
            If `neighbour` is no HeavyTailedProblem with the same domain, radius, moment, θ, τ, n and d.
        """
        if not isinstance(neighbour, HeavyTailedProblem):
            raise validation.invalid("neighbour", "a HeavyTailedProblem", neighbour)
        declared = [(p.domain, p.radius, p.moment, p.theta, p.tau, *p.X.shape) for p in (self, neighbour)]
        if declared[0] != declared[1]:
            raise validation.InvalidInput(
                "neighbour must have the same domain, radius, moment, theta, tau, n and d as problem, "
                f"got {declared[1]} beside {declared[0]}"
            )
        return int(np.count_nonzero((self.X != neighbour.X).any(axis=1) | (self.y != neighbour.y)))

    def residuals(self, w: np.ndarray) -> np.ndarray:
        """y_i − ⟨x_i, w⟩ for each row of `w`: shape (trials, n), or (n,) for one vector."""
        return self.y - np.ascontiguousarray((self.X @ np.asarray(w).T).T)

    def empirical_risk(self, w: Any) -> Any:
        """(1/n) Σ |⟨x_i, w⟩ − y_i|: a float for w of shape (d,), shape (trials,) for (trials, d)."""
        rows = validation.array("w", w, ndim=np.ndim(w) if np.ndim(w) in (1, 2) else 2, width=self.d)
        risks = np.abs(self.residuals(rows)).mean(axis=-1)
        return float(risks) if rows.ndim == 1 else risks


def heavy_tailed_problem(value: Any, name: str = "problem") -> HeavyTailedProblem:
    """The value itself, where it is a problem of this kind."""
    if not isinstance(value, HeavyTailedProblem):
        raise validation.invalid(name, "a HeavyTailedProblem", value)
    return value


def order(name: str, value: Any) -> float:
    """The order θ of a moment, in (1, 2]."""
    number = validation.real(name, value)
    if not 1.0 < number <= 2.0:
        raise validation.invalid(name, "a number in (1, 2]", value)
    return number


def _frozen(values: np.ndarray) -> np.ndarray:
    """A private, read-only version, so that no mechanism can change its input."""
    copy = values.copy() if values.flags.writeable or values.base is not None else values
    copy.flags.writeable = False
    return copy
