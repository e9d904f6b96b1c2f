"""The exact privacy profile of two finite distributions, from probabilities or log-probabilities.

For P against Q with log-ratios L₁ ≥ L₂ ≥ … (L = log p − log q), δ(ε) = Σ (p − e^ε q)₊. On L_{j+1} ≤ ε ≤ L_j
it is

    δ(ε) = δ_j + A_j (1 − e^{ε − L_j}),   A_j = Σ_{i ≤ j} p_i e^{L_j − L_i},
    δ_{j+1} = δ_j + A_j (1 − e^{L_{j+1} − L_j}),

with δ₁ the mass that only P has. All terms are positive, so nothing cancels, and both δ(ε) and ε(δ) are one
binary search after one sort. Everything is kept in logs, so masses far below the least double count in ε(δ). δ(ε)
itself underflows, so a claim of δ = 0 is decided by ε(0) (`Profile.place`).

Between floats a tie cannot be decided: near δ(ε) = 0 the number is a difference that cancels, whose error is absolute
(`Pair.error`). Laws of rationals or formulas are exact (`dpbench.privacy.exact_law`), and so are ties between them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from dpbench.core import validation

if TYPE_CHECKING:
    from dpbench.privacy.exact_law import ExactPair, Number

_MASS_TOLERANCE = 1e-9
RELATIVE_ERROR = 1e-12
"""Relative error that the masses of a law in floats are taken to have: a few rounding units of their logarithms."""
ABSOLUTE_ERROR = 2.0**-53
"""What a probability given as a float is taken to be off by at least: it may be 1 less the sum of the others."""

UNDERFLOW = 1e-300  # a δ below this cannot be told from one that has underflowed


@dataclass(frozen=True, eq=False)
class HockeyStick:
    """The curve δ(ε) = Σ (p − e^ε q)₊ of one direction; build it with `hockey_stick`.

    Attributes
    ----------
    losses : ndarray, shape (m,)
        L_1 > L_2 > … > L_m, the finite log-ratios.
    log_deltas, log_slopes : ndarray, shape (m,)
        log δ_j and log A_j.
    log_escape : float
        log of the mass that only P has: δ never falls below it.
    """

    losses: np.ndarray
    log_deltas: np.ndarray
    log_slopes: np.ndarray
    log_escape: float

    def __repr__(self) -> str:
        top = f"{self.losses[0]:.6g}" if self.losses.size else "none"
        return f"HockeyStick({self.losses.size} losses up to {top}, escape {math.exp(self.log_escape):.3g})"

    def delta(self, epsilon: float) -> float:
        """δ(ε), ε any finite number; never above 1.

        The relative error is that of a few rounding units in the masses and in the log-ratios.
        """
        j = int(np.searchsorted(-self.losses, -epsilon, side="left")) - 1
        if j < 0:
            return min(1.0, math.exp(self.log_escape))
        left = math.log(-math.expm1(epsilon - self.losses[j]))
        return min(1.0, math.exp(float(np.logaddexp(self.log_deltas[j], self.log_slopes[j] + left))))

    def epsilon(self, delta: float) -> float:
        """The least ε ≥ 0 with δ(ε) ≤ `delta`, solved in its segment; infinite if more mass escapes."""
        target = math.log(delta) if delta > 0.0 else -math.inf
        if self.log_escape > target:
            return math.inf
        # The last j with δ_j ≤ delta: the answer lies in the segment below L_j.
        j = int(np.searchsorted(self.log_deltas, target, side="right")) - 1
        if j < 0 or self.losses[j] <= 0.0:
            return 0.0
        top = float(self.losses[j])
        slope = self.log_slopes[j]
        room = math.exp(min(target - slope, 700.0)) - math.exp(self.log_deltas[j] - slope)
        root = max(0.0, top + math.log1p(-room)) if room < 1.0 else 0.0
        step = math.ulp(top)
        while root < top and self.delta(root) > delta:
            root = min(top, root + step)
            step *= 2.0
        return root


@dataclass(frozen=True)
class Pair:
    """Two finite distributions, judged in both directions.

    Attributes
    ----------
    forward, backward : HockeyStick
    logs : (ndarray, ndarray)
        The log-probabilities.
    off : float
        Absolute error of each probability, beside the relative `RELATIVE_ERROR`.
    exactly : ExactPair or None
        The same laws as rationals or formulas, where they were given so.
    """

    forward: HockeyStick
    backward: HockeyStick
    logs: tuple[np.ndarray, np.ndarray] = field(repr=False, compare=False)
    off: float = 0.0
    exactly: ExactPair | None = field(default=None, repr=False, compare=False)

    def delta(self, epsilon: float) -> float:
        """The larger δ(ε) of the two directions, ε ≥ 0."""
        epsilon = validation.real("epsilon", epsilon, at_least=0.0)
        return max(self.forward.delta(epsilon), self.backward.delta(epsilon))

    def epsilon(self, delta: float) -> float:
        """The least ε ≥ 0 with δ(ε) ≤ `delta` in both directions."""
        delta = validation.delta(delta)
        return max(self.forward.epsilon(delta), self.backward.epsilon(delta))

    def error(self, epsilon: float) -> float:
        """A bound on the absolute error of `delta`: that of the masses of every outcome that may count at this ε."""
        first, second = self.logs
        return max(_error(first, second, epsilon, self.off), _error(second, first, epsilon, self.off))


def _error(log_p: np.ndarray, log_q: np.ndarray, epsilon: float, off: float) -> float:
    """Σ of the errors of p and of e^ε q, over the outcomes with p > e^ε q but for these errors.

    At least `UNDERFLOW` where log p and ε + log q are the same but for their errors, however small the masses.
    """
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        first, second = np.exp(log_p), np.exp(np.minimum(log_q + epsilon, 700.0))
        error = RELATIVE_ERROR * (first + second)
        error += off * ((first > 0.0) + np.exp(min(epsilon, 700.0)) * (second > 0.0))
        counts = first - second > -error
        tied = np.abs(log_p - log_q - epsilon) <= 2.0 * RELATIVE_ERROR
    if tied.any():
        return float(max(UNDERFLOW, error[counts & (first > 0.0)].sum()))
    return float(error[counts & (first > 0.0)].sum())


def pair(p: Any, q: Any, symbols: Mapping[str, Number] | None = None) -> Pair:
    """The pair of two probability vectors over the same outcomes, each summing to 1.

    Vectors of `fractions.Fraction` and of formulas (``"exp(epsilon)/(1 + exp(epsilon))"``, with `symbols` for their
    names) are exact, and so is every comparison with a claim, ties included; floats are rounded. The last formula may
    be ``"rest"``.

    Raises
    ------
    InvalidInput
        For a negative, infinite or missing entry, different lengths, or a sum off 1 by more than 1e-9.
    """
    from dpbench.privacy.exact_law import exact_pair, is_exact

    if is_exact(p) and is_exact(q):
        exactly = exact_pair(p, q, symbols)
        profile = pair_from_logs(*exactly.logarithms())
        return Pair(profile.forward, profile.backward, profile.logs, exactly=exactly)
    p, q = validation.array("p", p, ndim=1), validation.array("q", q, ndim=1)
    for name, values in (("p", p), ("q", q)):
        if values.min() < 0.0:
            raise validation.invalid(name, "a vector of probabilities >= 0", float(values.min()))
    with np.errstate(divide="ignore"):
        profile = _from_logs(np.log(p), np.log(q), "p", "q")
    return Pair(profile.forward, profile.backward, profile.logs, off=ABSOLUTE_ERROR)


def pair_from_logs(log_p: Any, log_q: Any) -> Pair:
    """The pair of two vectors of log-probabilities; −inf marks an outcome that a distribution never gives."""
    return _from_logs(log_p, log_q, "log_p", "log_q")


def _from_logs(log_p: Any, log_q: Any, first: str, second: str) -> Pair:
    log_p, log_q = _log_masses(first, log_p), _log_masses(second, log_q)
    if log_p.shape != log_q.shape:
        raise validation.invalid(second, f"a vector of length {log_p.size}, like {first}", log_q)
    return Pair(_direction(log_p, log_q), _direction(log_q, log_p), (log_p, log_q))


def hockey_stick(losses: np.ndarray, log_masses: np.ndarray, log_escape: float = -math.inf) -> HockeyStick:
    """The curve from finite log-ratios, in any order, repeats allowed, and P's log-masses of them."""
    order = np.argsort(-losses, kind="stable")
    losses, log_masses = losses[order], log_masses[order]
    first = np.flatnonzero(np.diff(losses, prepend=math.inf))
    if first.size == 0:
        return HockeyStick(losses, losses, losses, log_escape)
    log_masses = np.logaddexp.reduceat(log_masses, first)
    losses = losses[first]
    # log A_j = L_j + log Σ_{i ≤ j} q_i, with log q = log p − L.
    log_slopes = losses + np.logaddexp.accumulate(log_masses - losses)
    with np.errstate(divide="ignore"):
        rises = log_slopes[:-1] + np.log(-np.expm1(np.diff(losses)))
    log_deltas = np.logaddexp.accumulate(np.concatenate([[log_escape], rises]))
    return HockeyStick(losses, log_deltas, log_slopes, log_escape)


def _direction(log_p: np.ndarray, log_q: np.ndarray) -> HockeyStick:
    given = log_p > -math.inf
    both = given & (log_q > -math.inf)
    escape = log_p[given & ~both]
    log_escape = float(np.logaddexp.reduce(escape)) if escape.size else -math.inf
    return hockey_stick(log_p[both] - log_q[both], log_p[both], log_escape)


def _log_masses(name: str, values: Any) -> np.ndarray:
    try:
        logs = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        logs = np.empty(0)
    if logs.ndim != 1 or logs.size == 0:
        raise validation.invalid(name, "a vector of log-probabilities", values)
    if not np.all(logs < math.inf):
        raise validation.invalid(name, "a vector of finite log-probabilities or -inf", values)
    total = float(np.logaddexp.reduce(logs))
    if not abs(total) <= _MASS_TOLERANCE:
        raise validation.invalid(name, "masses that sum to 1", f"a sum of exp({total:.6g})")
    return logs
