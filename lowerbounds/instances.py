"""Plain records of hard instances, and the checks that their constructions share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy import sparse

from dpbench.core import validation
from dpbench.core.validation import choice as choice
from dpbench.core.validation import invalid as invalid
from lowerbounds import _kernels as kernels
from lowerbounds.curves import Claim, Curve, of_claim

RECORDS_DRAWN = 2**16
"""Up to so many records the statistics of random data are those of the data set that the same Generator makes; beyond,
they are drawn themselves, in time and memory that do not depend on n."""

CONSTANTS = ("printed", "exact", "tight")


@dataclass(frozen=True, eq=False)
class Instance:
    """A data set with the bounds it declares.

    Attributes
    ----------
    X : csr_array, shape (n, d)
        Features; at most one stored entry a row, as every design here is a scaled basis.
    y : ndarray, shape (n,)
        Labels; 0 where the row of X is zero.
    loss : str
        Name of the loss: "squared" (z − y)², "half-squared" (z − y)²/2, "absolute" |z − y|, "huber" (κ = 1).
    x_bound, y_bound : float
        Bounds on ‖x_i‖₂ and |y_i|.
    radius : float
        Bound on ‖w*‖₂ for every member of the family.
    """

    X: sparse.csr_array
    y: np.ndarray
    loss: str
    x_bound: float
    y_bound: float
    radius: float


class Moments(NamedTuple):
    """Sufficient statistics of a batch of members under a quadratic loss, made without their records.

    Attributes
    ----------
    second : ndarray, shape (members, d), or (1, d) where all members share their features
        The diagonal of XᵀX/n; the rest of it is 0, as every design is a scaled basis.
    cross : ndarray, shape (members, d)
        Xᵀy/n.
    square : ndarray, shape (members,)
        yᵀy/n.
    loss, x_bound, y_bound, radius
        As in `Instance`.
    """

    second: np.ndarray
    cross: np.ndarray
    square: np.ndarray
    loss: str
    x_bound: float
    y_bound: float
    radius: float


@dataclass(frozen=True, eq=False, kw_only=True)
class HardFamily:
    """Instances on which no (ε, δ)-private algorithm is accurate on all, and the floor that says how accurate.

    A floor holds for the family, aggregated as `how` says, never for one instance. The family is lazy:
    `members` and `instances` make one instance at a time, `moments` the statistics of many without their records.
    A construction is a subclass: its data sets, their excess risk, and in `left` the floor.

    Attributes
    ----------
    name, source : str
        The construction, and the theorem that it proves.
    how : str
        The aggregate in words.
    n, d : int
        Records and dimension.
    bounds : (float, float, float)
        ‖X‖, Y and B of the instances.
    claim : Claim or None
        The privacy that the floor is for; None where it holds for every algorithm.
    distance : int
        Records in which two members differ that differ in one coordinate; 1 where the data are random.
    parameters : mapping
        The numbers of the construction, after rounding to integers.
    printed : float, optional
        A floor that a theorem prints, in place of the construction's own.
    enumerated : tuple
        All members, where they are few: the floor is on the sum over them. Else empty: it is on the mean over members
        drawn from the prior (and over the data, where they are random).
    loss : str
        As in `Instance`.
    """

    name: str
    source: str
    how: str
    n: int
    d: int
    bounds: tuple[float, float, float]
    parameters: Mapping[str, float]
    claim: Claim | None = None
    distance: int = 1
    printed: float | None = None

    enumerated: ClassVar[tuple[Any, ...]] = ()
    loss: ClassVar[str] = "squared"
    moments: ClassVar[Any] = None
    """``moments(members, rngs)``: their `Moments`, where the loss is quadratic; one Generator a member, used where the
    data are random. Up to `RECORDS_DRAWN` records these are the moments of ``instances(member, rng)``."""

    def members(self, rng: np.random.Generator) -> Any:
        """A member drawn from the prior (σ, μ, or an index)."""
        raise NotImplementedError

    def instances(self, member: Any, rng: np.random.Generator | None = None) -> Instance:
        """The data set of a member; `rng` is needed where the data are random."""
        raise NotImplementedError

    def minimisers(self, member: Any) -> np.ndarray:
        """The comparison point of the floor, shape (d,)."""
        raise NotImplementedError

    def excesses(self, members: Sequence[Any], outputs: np.ndarray) -> np.ndarray:
        """Risk of each of `outputs` (members, trials, d) less that of its member's comparison point, exact, shape
        (members, trials). Members that are vectors may come as one matrix, which is checked and read in one pass."""
        raise NotImplementedError

    def largest(self, low: float, high: float) -> float:
        """The largest excess of an output with coordinates in [low, high], over all members; the box lies inside."""
        raise NotImplementedError

    def left(self, privacy: Curve | None) -> float:
        """The floor on this family that a privacy curve leaves; of every algorithm, whatever the curve."""
        raise NotImplementedError

    @property
    def box(self) -> tuple[float, float]:
        """Clipping each coordinate of an output to it raises the excess on no member."""
        raise NotImplementedError

    @property
    def least(self) -> float:
        """Lower bound on the excess: 0 where the comparison point is a minimiser."""
        return 0.0

    @cached_property
    def floor(self) -> float:
        """Lower bound on the aggregate of `excess` over the family, for every algorithm in question."""
        if self.printed is not None:
            return self.printed
        return self.left(None if self.claim is None else self.claim.curve)

    @property
    def mean_floor(self) -> float:
        """Lower bound on the mean of `excess` over the members: of one risk, as the ceilings of theorems are."""
        return self.floor / max(1, len(self.enumerated))

    @property
    def floor_at(self) -> Callable[..., float] | None:
        """``floor_at(epsilon, delta)``: the floor on this very family at another privacy level; None where the floor
        holds for every algorithm, private or not."""
        claim = self.claim
        if claim is None or self.printed is not None:
            return None
        return lambda epsilon, delta=0.0: self.left(of_claim(epsilon, delta, claim.constants).curve)

    @property
    def epsilon(self) -> float | None:
        """Of the claim; None for a curve, and where the floor holds for every algorithm."""
        return None if self.claim is None else self.claim.epsilon

    @property
    def delta(self) -> float | None:
        """As `epsilon`."""
        return None if self.claim is None else self.claim.delta

    def excess(self, member: Any, outputs: np.ndarray) -> np.ndarray:
        """`excesses` of one member: of each row of `outputs` (trials, d), shape (trials,)."""
        return self.excesses([member], rows(outputs, self.d)[None])[0]

    def clip(self, outputs: np.ndarray, margin: float = 0.0) -> np.ndarray:
        """Outputs with coordinates clipped to the box widened by `margin` times its width on either side.

        Post-processing, so as private as the outputs; on no member of the family does it raise the excess.
        """
        low, high = self.widened(margin)
        return np.clip(outputs, low, high)

    def widened(self, margin: float) -> tuple[float, float]:
        """The box, widened by `margin` times its width on either side."""
        low, high = self.box
        return low - margin * (high - low), high + margin * (high - low)

    def _instance(self, X: sparse.csr_array, y: np.ndarray) -> Instance:
        return Instance(X, y, self.loss, *self.bounds)

    def _moments(self, second: np.ndarray, cross: np.ndarray, square: np.ndarray) -> Moments:
        return Moments(second, cross, square, self.loss, *self.bounds)


@dataclass(frozen=True, eq=False, kw_only=True)
class PairOfData(HardFamily):
    """Two data sets, 0 and 1; the floor is on the sum of the two mean risks."""

    enumerated: ClassVar[tuple[Any, ...]] = (0, 1)

    def members(self, rng: np.random.Generator) -> Any:
        return int(rng.integers(2))


def bit(member: Any) -> int:
    """A member that is 0 or 1."""
    if member not in (0, 1):
        raise invalid("member", "0 or 1", member)
    return int(member)


def basis_rows(columns: np.ndarray, value: float, n: int, d: int) -> sparse.csr_array:
    """CSR matrix (n, d) whose i-th row is ``value``·e_{columns[i]}, or zero where columns[i] < 0."""
    indices, starts = np.empty(n, dtype=np.int64), np.empty(n + 1, dtype=np.int64)
    kernels.compress_rows(columns, indices, starts)
    stored = int(starts[n])
    index = np.int32 if max(n, d) < 2**31 else np.int64
    parts = (np.full(stored, value), indices[:stored].astype(index), starts.astype(index))
    return sparse.csr_array(parts, shape=(n, d))


def positive(name: str, value: Any) -> float:
    """A finite number > 0, of a size whose squares and products stay finite."""
    return validation.real(name, value, above=0.0, size=True)


def count(name: str, value: Any, at_least: int = 1) -> int:
    """An integer with a lower bound, small enough for a size."""
    return validation.integer(name, value, at_least=at_least, at_most=2**53)


def probability(name: str, value: Any) -> float:
    """A number in [0, 1)."""
    return validation.delta(value, name)


def needed(rng: np.random.Generator | None) -> np.random.Generator:
    """The Generator of a family whose data are random."""
    if rng is None:
        raise invalid("rng", "a Generator: the data of this family are random", rng)
    return rng


def signs(value: Any, length: int) -> np.ndarray:
    """A member that is a vector of ±1 of this length."""
    vector = np.asarray(value, dtype=np.float64)
    if vector.shape != (length,) or not np.all(np.abs(vector) == 1.0):
        raise invalid("member", f"a vector of {length} signs -1 or +1", value)
    return vector


def sign_rows(members: Any, length: int) -> np.ndarray:
    """Members that are vectors of ±1 as a matrix (members, length), not yet checked."""
    rows = np.ascontiguousarray(members, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1] != length:
        raise invalid("member", f"a vector of {length} signs -1 or +1", members)
    return rows


def checked(odd: int, members: Any, length: int) -> None:
    """Refuse members of which a kernel counted `odd` entries that are no signs."""
    if odd:
        for member in members:
            signs(member, length)


def rows(outputs: Any, d: int) -> np.ndarray:
    """Outputs as a float matrix with `d` columns."""
    array = np.asarray(outputs, dtype=np.float64)
    if array.ndim != 2 or array.shape[1] != d:
        raise invalid("outputs", f"an array of shape (trials, {d})", f"shape {array.shape}")
    return array


def batch(members: Sequence[Any], outputs: Any, d: int) -> np.ndarray:
    """Outputs of shape (members, trials, d), C-ordered."""
    array = np.ascontiguousarray(outputs, dtype=np.float64)
    if array.ndim != 3 or (array.shape[0], array.shape[2]) != (len(members), d):
        raise invalid("outputs", f"an array of shape ({len(members)}, trials, {d})", f"shape {array.shape}")
    return array


def sign_distances(
    power: int, weight: float, target: float, members: Any, length: int, outputs: Any, d: int
) -> np.ndarray:
    """weight·Σ_j |outputs[m, t, j] − σ_j·target|^power of members that are vectors of ±1, shape (members, trials)."""
    stacked, sigma = batch(members, outputs, d), sign_rows(members, length)
    out = np.empty(stacked.shape[:2])
    checked(kernels.sign_distances(power, weight, target, sigma, stacked, out), members, length)
    return out


def distance_of_each(power: int, weights: np.ndarray, centres: np.ndarray, outputs: np.ndarray) -> np.ndarray:
    """Σ_j weights[m, j]·|outputs[m, t, j] − centres[m, j]|^power, shape (members, trials); j over the centres."""
    out = np.empty(outputs.shape[:2])
    spread = np.ascontiguousarray(np.broadcast_to(weights, centres.shape))
    kernels.distances(power, spread, centres, outputs, out)
    return out
