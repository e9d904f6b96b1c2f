"""What a mechanism is run on: records, their enforced bounds, the loss and the radius of the domain."""

from __future__ import annotations

import copy
import hashlib
import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from dpbench.core import validation
from dpbench.core.blas import one_blas_thread
from dpbench.core.validation import InvalidInput
from dpbench.papers.glm._records import add_to, features_of, frozen, row_norms
from dpbench.papers.glm.losses import Loss, resolve

_ROUNDING = 1e-12  # relative excess over a declared bound that is rounding, and is scaled back onto the bound


@dataclass(frozen=True, eq=False)
class GLMProblem:
    """A data set for a generalised linear model, with bounds that are enforced and never trusted.

    Parameters
    ----------
    X : array_like or scipy sparse, shape (n, d)
        Features x_i. Sparse input is kept as CSR.
    y : array_like, shape (n,)
        Labels y_i.
    loss : Loss or str
        φ, for example "squared" or ``losses.huber(0.5)``.
    x_bound : float
        ‖X‖ of the paper: a bound on ‖x_i‖₂, declared before the data are seen.
    y_bound : float
        A bound on |y_i|, declared before the data are seen.
    radius : float
        B: the domain is the Euclidean ball of this radius. Bounds and radius lie between 1e-50 and 1e50, so that
        no product of them overflows.
    on_excess : {"error", "clip"}
        What happens to a record outside the bounds: refuse it, or scale x_i and cut y_i to them.

    Attributes
    ----------
    n, d : int
    digest : str
        SHA-256 of everything above: names the problem in seeds, stores and caches.

    Raises
    ------
    InvalidInput
        For NaN, infinities, wrong shapes, no records, or a record outside the declared bounds.
    """

    X: Any
    y: Any
    loss: Any
    x_bound: float
    y_bound: float
    radius: float
    on_excess: str = "error"

    def __init__(
        self,
        X: Any,
        y: Any,
        *,
        loss: Loss | str,
        x_bound: float,
        y_bound: float,
        radius: float,
        on_excess: str = "error",
    ) -> None:
        put = object.__setattr__
        put(self, "loss", resolve(loss))
        put(self, "x_bound", validation.real("x_bound", x_bound, above=0.0, size=True))
        put(self, "y_bound", validation.real("y_bound", y_bound, above=0.0, size=True))
        put(self, "radius", validation.real("radius", radius, above=0.0, size=True))
        put(self, "on_excess", validation.choice("on_excess", on_excess, ("error", "clip")))
        features = features_of(X)
        labels = validation.array("y", y, ndim=1)
        if labels.shape[0] != features.shape[0]:
            raise validation.invalid("y", f"a vector of length {features.shape[0]}, one label a row of X", labels)
        put(self, "X", self._bounded_features(features))
        put(self, "y", self._bounded_labels(labels))
        self.loss.check_labels(self.y)

    @classmethod
    def from_instance(cls, instance: Any) -> GLMProblem:
        """Wrap an instance of `lowerbounds` (X, y, loss name, bounds, radius)."""
        return cls(
            instance.X,
            instance.y,
            loss=instance.loss,
            x_bound=instance.x_bound,
            y_bound=instance.y_bound,
            radius=instance.radius,
        )

    @property
    def n(self) -> int:
        return int(self.X.shape[0])

    @property
    def d(self) -> int:
        return int(self.X.shape[1])

    @property
    def sparse(self) -> bool:
        return sparse.issparse(self.X)

    @cached_property
    def digest(self) -> str:
        sha = self._hashed.copy()
        add_to(sha, self.y)
        return str(sha.hexdigest())

    @cached_property
    def _hashed(self) -> Any:
        """The hash of all but the labels."""
        declared = (self.loss.name, self.loss.parameter, self.x_bound, self.y_bound, self.radius, self.X.shape)
        sha = hashlib.sha256(repr(declared).encode())
        add_to(sha, *((self.X.data, self.X.indices, self.X.indptr) if self.sparse else (self.X,)))
        return sha

    def __getstate__(self) -> dict[str, Any]:
        return {name: part for name, part in self.__dict__.items() if name != "_hashed"}  # which cannot be pickled

    def __hash__(self) -> int:
        return hash(self.digest)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GLMProblem) and self.digest == other.digest

    @cached_property
    def moments(self) -> tuple[np.ndarray, np.ndarray, float]:
        """Sufficient statistics of a quadratic loss: XᵀX/n (d, d), Xᵀy/n (d,), yᵀy/n."""
        with one_blas_thread():
            cross = np.ascontiguousarray(self.X.T @ self.y) / self.n
        cross.flags.writeable = False
        return self.second, cross, float(self.y @ self.y) / self.n

    @cached_property
    def second(self) -> np.ndarray:
        """XᵀX/n, shape (d, d)."""
        with one_blas_thread():
            moment = self.X.T @ self.X
            moment = np.ascontiguousarray(moment.toarray() if sparse.issparse(moment) else moment) / self.n
        moment.flags.writeable = False
        return moment

    @cached_property
    def axes(self) -> tuple[np.ndarray, np.ndarray]:
        """Eigenvalues (d,) and eigenvectors (d, d), one a column, of XᵀX/n."""
        with one_blas_thread():
            values, vectors = np.linalg.eigh(self.second)
        axes = np.maximum(values, 0.0), np.ascontiguousarray(vectors)
        for part in axes:
            part.flags.writeable = False
        return axes

    def replace_record(self, index: int, x: Any, y: float) -> GLMProblem:
        """The neighbouring data set (replace-one) whose record `index` is (x, y), under the same bounds."""
        if validation.integer("index", index, at_least=0) >= self.n:
            raise validation.invalid("index", f"below n = {self.n}", index)
        row = validation.array("x", x, ndim=1, width=self.d)
        if self.sparse:
            features = self.X.tolil(copy=True)
            features[index] = row
        else:
            features = self.X.copy()
            features[index] = row
        labels = self.y.copy()
        labels[index] = validation.real("y", y)
        return replace(self, X=features, y=labels)

    def records_apart(self, neighbour: Any) -> int:
        """How many records this problem and another of one declaration differ in.

        Raises
        ------
        InvalidInput
            If `neighbour` is no GLMProblem with the same loss, declared bounds, radius, n and d.
        """
        if not isinstance(neighbour, GLMProblem):
            raise validation.invalid("neighbour", "a GLMProblem", neighbour)
        declared = [
            (p.loss.name, p.loss.parameter, p.x_bound, p.y_bound, p.radius, p.n, p.d) for p in (self, neighbour)
        ]
        if declared[0] != declared[1]:
            raise validation.InvalidInput(
                "neighbour must have the same loss, declared bounds, radius, n and d as problem, "
                f"got {declared[1]} beside {declared[0]}"
            )
        unequal = self.X != neighbour.X
        rows = np.asarray(unequal.sum(axis=1)).reshape(-1) > 0
        return int(np.count_nonzero(rows | (self.y != neighbour.y)))

    def records(self, start: int, stop: int) -> GLMProblem:
        """The data set of the records `start` to `stop` − 1, under the same bounds."""
        return replace(self, X=self.X[start:stop], y=self.y[start:stop])

    def with_radius(self, radius: float) -> GLMProblem:
        """The same records on another ball; shares them, and the moments already computed of them."""
        other = copy.copy(self)
        other.__dict__.pop("digest", None)
        object.__setattr__(other, "radius", validation.real("radius", radius, above=0.0))
        return other

    def with_labels(self, y: Any) -> GLMProblem:
        """Other labels, checked as ever, on the same features: shares them and what was already computed of them."""
        other = copy.copy(self)
        other.__dict__.update({"_hashed": self._hashed} if "_hashed" in self.__dict__ else {})
        for name in ("digest", "moments", "different_records"):
            other.__dict__.pop(name, None)
        labels = validation.array("y", y, ndim=1, width=self.n)
        object.__setattr__(other, "y", other._bounded_labels(labels))
        other.loss.check_labels(other.y)
        return other

    def predictions(self, w: np.ndarray) -> np.ndarray:
        """⟨w, x_i⟩ for each row of `w`: shape (trials, n), or (n,) for one vector."""
        return np.ascontiguousarray((self.X @ np.asarray(w).T).T)

    def empirical_risk(self, w: Any) -> Any:
        """L̂(w; S), the mean loss: a float for w of shape (d,), shape (trials,) for (trials, d)."""
        rows = validation.array("w", w, ndim=np.ndim(w) if np.ndim(w) in (1, 2) else 2, width=self.d)
        risks = self.loss.value(self.predictions(rows), self.y).mean(axis=-1)
        return float(risks) if rows.ndim == 1 else risks

    def _bounded_features(self, X: Any) -> Any:
        # a norm that the plain sum of squares takes for too small is below every bound: bounds are at least 1e-50
        if sparse.issparse(X):
            alone = X.nnz <= X.shape[0] and np.diff(X.indptr).max() <= 1  # then a norm is that entry's size
            within = alone and float(np.abs(X.data).max(initial=0.0)) <= self.x_bound
        else:
            within = math.sqrt(np.einsum("ij,ij->i", X, X).max()) <= self.x_bound
        if within:
            return frozen(X)
        scale, sizes = row_norms(X)
        with np.errstate(over="ignore"):  # infinite only where the norm is beyond every float
            norms = sizes * scale
        over = norms > self.x_bound
        if not over.any():
            return frozen(X)
        worst = int(np.argmax(norms))
        if self.on_excess == "error" and norms[worst] > self.x_bound * (1.0 + _ROUNDING):
            raise InvalidInput(
                f"X must be made of rows with Euclidean norm at most x_bound = {self.x_bound:g}, "
                f"got {norms[worst]:.17g} at row {worst}; on_excess='clip' scales such rows"
            )
        unit = np.where(over, scale, 1.0)  # a power of 2: dividing by it is exact
        shrink = np.where(over, self.x_bound / np.where(over, sizes, 1.0) * (1.0 - 1e-15), 1.0)
        if not sparse.issparse(X):
            return frozen(X / unit[:, None] * shrink[:, None])
        scaled, stored = X.copy(), np.diff(X.indptr)
        scaled.data = X.data / np.repeat(unit, stored) * np.repeat(shrink, stored)
        return frozen(scaled)

    def _bounded_labels(self, y: np.ndarray) -> np.ndarray:
        worst = int(np.argmax(np.abs(y)))
        if self.on_excess == "error" and abs(y[worst]) > self.y_bound * (1.0 + _ROUNDING):
            raise InvalidInput(
                f"y must be at most y_bound = {self.y_bound:g} in absolute value, "
                f"got {y[worst]:.17g} at row {worst}; on_excess='clip' cuts such labels"
            )
        return frozen(np.clip(y, -self.y_bound, self.y_bound))


def glm_problem(value: Any) -> GLMProblem:
    """The value itself, where it is a problem of this kind: the check of our mechanisms on their argument."""
    if not isinstance(value, GLMProblem):
        raise validation.invalid("problem", "a GLMProblem", value)
    return value
