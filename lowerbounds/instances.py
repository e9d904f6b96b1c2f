"""Plain records of hard instances, and the checks that their constructions share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from dpbench.core import validation
from dpbench.core.validation import choice as choice
from dpbench.core.validation import invalid as invalid
from lowerbounds import _kernels as kernels

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


@dataclass(frozen=True, eq=False)
class HardFamily:
    """Instances on which no (ε, δ)-private algorithm is accurate on all, and the floor that says how accurate.

    A floor holds for the family, aggregated as `aggregate` says, never for one instance. The family is lazy:
    `members` and `instances` make one instance at a time, `moments` the statistics of many without their records.

    Attributes
    ----------
    name, source : str
        The construction, and the theorem that it proves.
    floor : float
        Lower bound on the aggregate of ``excess`` over the family, for every algorithm in question.
    aggregate : {"mean", "sum"}
        "mean": the mean over members drawn from the prior (and over the data, where they are random). "sum": the
        sum over the members `enumerated`.
    how : str
        The aggregate in words.
    epsilon, delta : float or None
        The privacy that `floor` is for; None where it holds for every algorithm, or for a privacy curve.
    n, d : int
        Records and dimension.
    distance : int
        Records in which two members differ that differ in one coordinate; 1 where the data are random.
    parameters : mapping
        The numbers of the construction, after rounding to integers.
    members : callable
        ``members(rng)``: a member drawn from the prior (σ, μ, or an index).
    instances : callable
        ``instances(member, rng=None)``: its data set; `rng` is needed where the data are random.
    minimisers : callable
        ``minimisers(member)``: the comparison point of the floor, shape (d,).
    excesses : callable
        ``excesses(members, outputs)``: risk of each of `outputs` (members, trials, d) less that of its member's
        comparison point, exact, shape (members, trials). Members that are vectors may come as one matrix, which is
        checked and read in one pass.
    box : (float, float)
        Clipping each coordinate of an output to it raises the excess on no member.
    largest : callable
        ``largest(low, high)``: the largest excess of an output with coordinates in [low, high], over all members;
        the box lies inside [low, high].
    floor_at : callable or None
        ``floor_at(epsilon, delta)``: the floor on this very family at another privacy level; None where the floor
        holds for every algorithm, private or not.
    enumerated : tuple
        All members, where they are few; else empty.
    least : float
        Lower bound on the excess: 0 where the comparison point is a minimiser.
    privacy : Curve or None
        The claim that the floor is for, as a curve; `epsilon` and `delta` are None where it is not an (ε, δ).
    at_distance : callable or None
        ``at_distance(distance=k)``: the like family whose two neighbouring members differ in k records.
    moments : callable or None
        ``moments(members, rngs)``: their `Moments`, where the loss is quadratic; one Generator a member, used where the
        data are random. Up to `RECORDS_DRAWN` records these are the moments of ``instances(member, rng)``.
    """

    name: str
    source: str
    floor: float
    aggregate: str
    how: str
    epsilon: float | None
    delta: float | None
    n: int
    d: int
    distance: int
    parameters: Mapping[str, float]
    members: Callable[[np.random.Generator], Any]
    instances: Callable[..., Instance]
    minimisers: Callable[[Any], np.ndarray]
    excesses: Callable[[Sequence[Any], np.ndarray], np.ndarray]
    box: tuple[float, float]
    largest: Callable[[float, float], float]
    floor_at: Callable[[float, float], float] | None = None
    enumerated: tuple[Any, ...] = ()
    least: float = 0.0
    moments: Callable[[Sequence[Any], Sequence[np.random.Generator]], Moments] | None = None
    privacy: Any = None
    at_distance: Callable[..., HardFamily] | None = None

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
    made = np.asarray(value, dtype=np.float64)
    if made.shape != (length,) or not np.all(np.abs(made) == 1.0):
        raise invalid("member", f"a vector of {length} signs -1 or +1", value)
    return made


def sign_rows(members: Any, length: int) -> np.ndarray:
    """Members that are vectors of ±1, shape (members, length): a matrix is taken as it is, and not yet checked."""
    made = np.ascontiguousarray(members, dtype=np.float64)
    if made.shape != (len(members), length):
        raise invalid("member", f"a vector of {length} signs -1 or +1", members)
    return made


def checked(odd: int, members: Any, length: int) -> None:
    """Refuse members of which a kernel counted `odd` entries that are no signs."""
    if odd:
        for member in members:
            signs(member, length)


def rows(outputs: Any, d: int) -> np.ndarray:
    """Outputs as a float matrix with `d` columns."""
    made = np.asarray(outputs, dtype=np.float64)
    if made.ndim != 2 or made.shape[1] != d:
        raise invalid("outputs", f"an array of shape (trials, {d})", f"shape {made.shape}")
    return made


def batch(members: Sequence[Any], outputs: Any, d: int) -> np.ndarray:
    """Outputs of shape (members, trials, d), C-ordered."""
    made = np.ascontiguousarray(outputs, dtype=np.float64)
    if made.ndim != 3 or (made.shape[0], made.shape[2]) != (len(members), d):
        raise invalid("outputs", f"an array of shape ({len(members)}, trials, {d})", f"shape {made.shape}")
    return made


def sign_distances(
    power: int, weight: float, target: float, members: Any, length: int, outputs: Any, d: int
) -> np.ndarray:
    """weight·Σ_j |outputs[m, t, j] − σ_j·target|^power of members that are vectors of ±1, shape (members, trials).

    Arrays that are what they should be go to the kernel as they are: below a thousand signs a call's time is that of
    its checks.
    """
    if type(members) is np.ndarray and type(outputs) is np.ndarray:
        try:
            out = np.empty(outputs.shape[:2])
            if kernels.sign_distances(power, weight, target, members, length, outputs, d, out) == 0:
                return out
        except (TypeError, ValueError):
            pass  # another dtype, layout or number of axes
    made, sigma = batch(members, outputs, d), sign_rows(members, length)
    out = np.empty(made.shape[:2])
    checked(kernels.sign_distances(power, weight, target, sigma, length, made, d, out), members, length)
    return out


def distance_of_each(power: int, weights: np.ndarray, centres: np.ndarray, outputs: np.ndarray) -> np.ndarray:
    """Σ_j weights[m, j]·|outputs[m, t, j] − centres[m, j]|^power, shape (members, trials); j over the centres."""
    out = np.empty(outputs.shape[:2])
    spread = np.ascontiguousarray(np.broadcast_to(weights, centres.shape))
    kernels.distances(power, spread, centres, outputs, out)
    return out
