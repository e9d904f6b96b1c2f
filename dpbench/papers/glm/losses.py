"""GLM losses φ(z, y) at a prediction z = ⟨w, x⟩: a record each, and a branch each of one kernel by integer code.

An integer code with a branch inside one small kernel compiles once and is cached; functions as arguments are
not (measured). A loss is added in two modules: here a function that makes the record and a line of `BY_NAME`, in
`dpbench.convex.loss_kernels` a code and its branches; its slow twin is one entry of ``tests/naive/losses.py``.
Everything then runs on what any Lipschitz or smooth loss has; sharper constants (`loss_constants`) are optional.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from dpbench.convex.loss_kernels import (
    ABSOLUTE,
    CAPPED_LINEAR,
    HALF_SQUARED,
    HUBER,
    LINEAR,
    LOGISTIC,
    SQUARED,
    map_loss,
)
from dpbench.core import validation
from dpbench.papers.glm.loss_constants import (
    ABSOLUTE_SHARPER,
    CAPPED_SHARPER,
    GENERIC,
    LOGISTIC_SHARPER,
    RESIDUAL_SHARPER,
    Sharper,
)


@dataclass(frozen=True)
class Loss:
    """A loss with the constants that the theorems and the algorithms use.

    φ(·, y) is convex for every label, φ(−z, −y) = φ(z, y), and |φ(0, y)| does not fall as |y| grows.

    Attributes
    ----------
    name : str
    code : int
        What the kernels branch on.
    parameter : float
        κ of Huber; the end of the linear part of capped-linear; 0 elsewhere.
    smoothness : float
        H: φ' is H-Lipschitz in z; infinite where φ has a corner.
    lipschitz : float
        G: the Lipschitz constant of φ in z for every label; infinite where there is none.
    lipschitz_per_label : float
        Where `lipschitz` is infinite: G/‖Y‖, if G is finite for labels |y| ≤ ‖Y‖.
    quadratic : bool
        φ = (H/2)(z − y)², or −yz where H = 0: XᵀX, Xᵀy and yᵀy are sufficient statistics.
    nonnegative : bool
        φ ≥ 0 everywhere, as the smooth section of the GLM paper asks.
    binary : bool
        The labels are −1 and +1.
    linear_until : float
        φ'(z, y) = −y for all |z| up to this number and all labels.
    smoothing : callable, optional
        κ ↦ κφ_κ, a 1-smooth loss with φ_κ ≤ φ ≤ φ_κ + κG²/2, for a loss with a corner (at 0 of z − y); for a member
        of such a family the family, through which a solver may approach it.
    sharper : Sharper
        Constants of this loss alone.
    """

    named_by: ClassVar[tuple[str, ...]] = ("name", "parameter")  # in seeds: the other fields follow from these

    name: str
    code: int
    parameter: float
    smoothness: float
    lipschitz: float
    lipschitz_per_label: float = math.inf
    quadratic: bool = False
    nonnegative: bool = True
    binary: bool = False
    linear_until: float = 0.0
    smoothing: Callable[[float], Loss] | None = None
    sharper: Sharper = GENERIC

    @property
    def affine(self) -> bool:
        """Whether φ = −yz."""
        return self.smoothness == 0.0

    @property
    def smooth_nonnegative(self) -> bool:
        """Whether the smooth section of the GLM paper is about this loss; such a loss has |φ'| ≤ √(2Hφ)."""
        return math.isfinite(self.smoothness) and self.nonnegative

    def value(self, z: np.ndarray, y: np.ndarray) -> np.ndarray:
        """φ(z, y), element by element after broadcasting."""
        return self._map(z, y, derivative=0)

    def derivative(self, z: np.ndarray, y: np.ndarray) -> np.ndarray:
        """∂φ/∂z (a subgradient at a corner: 0), element by element after broadcasting."""
        return self._map(z, y, derivative=1)

    def _map(self, z: np.ndarray, y: np.ndarray, derivative: int) -> np.ndarray:
        z, y = np.asarray(z, dtype=np.float64), np.asarray(y, dtype=np.float64)
        shape = np.broadcast(z, y).shape
        flat_z, flat_y = (_spread(part, shape).reshape(-1) for part in (z, y))
        out = np.empty(flat_z.size)
        map_loss(self.code, self.parameter, derivative, flat_z, flat_y, out)
        return out.reshape(shape)

    def at_zero(self, y_bound: float) -> float:
        """sup of |φ(0, y)| over |y| ≤ y_bound: ‖Y‖² (smooth section) or ‖Y‖ (Lipschitz section)."""
        return _at_zero(self, y_bound)

    def lipschitz_over(self, y_bound: float) -> float:
        """G over all z and the labels |y| ≤ `y_bound`; infinite where there is none."""
        return self.lipschitz if math.isfinite(self.lipschitz) else self.lipschitz_per_label * y_bound

    def derivative_bound(self, z_bound: float, y_bound: float) -> float:
        """A bound on |φ'(z, y)| over |z| ≤ z_bound and the labels |y| ≤ y_bound that the loss is defined for.

        The supremum where `sharper` has it; else the least of G and, for a smooth loss, |φ'(0, y)| + H·z_bound, where
        |φ'(0, y)| ≤ √(2Hφ(0, y)) for φ ≥ 0.
        """
        if self.sharper.slope is not None:
            return self.sharper.slope(self, z_bound, y_bound)
        bound = self.lipschitz_over(y_bound)
        if self.smooth_nonnegative:
            rising = math.sqrt(2.0 * self.smoothness * self.at_zero(y_bound)) + self.smoothness * z_bound
            bound = min(bound, rising)
        return bound

    def span(self, z_bound: float, y_bound: float) -> tuple[float, float, float]:
        """Bounds on the infimum and the supremum of φ over |z| ≤ z_bound and |y| ≤ y_bound, and on their difference.

        Attained where `sharper` has them; else |φ(0, y)| ± z_bound·sup |φ'|, and 0 below for a loss that is not
        negative.
        """
        if self.sharper.span is not None:
            return self.sharper.span(self, z_bound, y_bound)
        high = self.at_zero(y_bound) + z_bound * self.derivative_bound(z_bound, y_bound)
        low = 0.0 if self.nonnegative else -high
        return low, high, high - low

    def check_labels(self, y: np.ndarray) -> None:
        """Refuse labels that the loss is not defined for."""
        if self.binary and not np.all(np.abs(y) == 1.0):
            bad = y[np.abs(y) != 1.0][0]
            raise validation.invalid("y", f"-1 or +1 everywhere for the {self.name} loss", float(bad))


@lru_cache(maxsize=1024, typed=True)  # asked for in every block of trials
def _at_zero(loss: Loss, y_bound: float) -> float:
    return abs(float(loss.value(np.zeros(1), np.array([y_bound]))[0]))


def squared() -> Loss:
    """(z − y)²; H = 2."""
    return Loss("squared", SQUARED, 0.0, 2.0, math.inf, quadratic=True, sharper=RESIDUAL_SHARPER)


def half_squared() -> Loss:
    """(z − y)²/2; H = 1."""
    return Loss("half-squared", HALF_SQUARED, 0.0, 1.0, math.inf, quadratic=True, sharper=RESIDUAL_SHARPER)


def logistic() -> Loss:
    """log(1 + e^(−yz)), y = ±1; H = 1/4, G = 1."""
    return Loss("logistic", LOGISTIC, 0.0, 0.25, 1.0, binary=True, sharper=LOGISTIC_SHARPER)


def huber(kappa: float = 1.0) -> Loss:
    """r²/2 for |r| ≤ κ, κ|r| − κ²/2 beyond, r = z − y; H = 1, G = κ."""
    return huber_of_any_width(validation.real("kappa", kappa, above=0.0, size=True))


def huber_of_any_width(kappa: float) -> Loss:
    """`huber` with a κ that may be as small as a solver wants it: κ times the smoothing of |r|."""
    return Loss("huber", HUBER, kappa, 1.0, kappa, smoothing=huber_of_any_width, sharper=RESIDUAL_SHARPER)


def absolute() -> Loss:
    """|z − y|; G = 1."""
    return Loss("absolute", ABSOLUTE, 0.0, math.inf, 1.0, smoothing=huber_of_any_width, sharper=ABSOLUTE_SHARPER)


def linear() -> Loss:
    """−yz: the loss that attains every gradient bound; G = max |y|. Not bounded below."""
    return Loss(
        "linear", LINEAR, 0.0, 0.0, math.inf, lipschitz_per_label=1.0, quadratic=True, nonnegative=False,
        linear_until=math.inf,
    )  # fmt: skip


def capped_linear(end: float) -> Loss:
    """Linear with slope −y up to u = sign(y)·z = `end`, ½(|y| − (u − end))² beyond: H = 1, φ ≥ 0.

    On a ball with B‖X‖ ≤ `end` all gradients are −y·x, as for the linear loss, yet the loss is convex,
    1-smooth and non-negative: the extreme admissible case for the privacy of Theorem 1 and Theorem 3.
    φ_y(0) = y²/2 + |y|·end.
    """
    end = validation.real("end", end, at_least=0.0, size=True)
    return Loss("capped-linear", CAPPED_LINEAR, end, 1.0, math.inf, linear_until=end, sharper=CAPPED_SHARPER)


def _spread(values: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """`values` broadcast to a shape, in C order."""
    if values.shape == shape:
        return np.ascontiguousarray(values).reshape(shape)
    column = np.empty(shape)
    column[...] = values
    return column


BY_NAME = {
    "squared": squared,
    "half-squared": half_squared,
    "logistic": logistic,
    "huber": huber,
    "absolute": absolute,
    "linear": linear,
}


def resolve(loss: Loss | str) -> Loss:
    """A `Loss`, or the one of that name ("huber" with κ = 1)."""
    if isinstance(loss, Loss):
        return loss
    return BY_NAME[validation.choice("loss", loss, BY_NAME)]()
