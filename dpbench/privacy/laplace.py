"""The Laplace privacy profile: one coordinate with Laplace noise of scale b, its centre moved by `shift`·b.

δ(ε) = 1 − e^{(ε − shift)/2} for ε ≤ shift, else 0: the set {y ≤ 0} and its translates are the best events,
and the log-ratio is `shift` with probability 1/2, so that shift-DP holds purely and is attained.

Several coordinates with independent noise have the pure guarantee of their summed shift, `pure` in this
folder; `composition.compose` of the single coordinates is sharper where a bound for each coordinate is
known.
"""

from __future__ import annotations

import math

from dpbench.core import validation
from dpbench.privacy.gaussian import ROUNDING
from dpbench.privacy.inversion import crossing


def delta(epsilon: float, shift: float) -> float:
    """δ(ε), ε ≥ 0, of a Laplace pair `shift` ≥ 0 scales apart, to a few rounding units."""
    epsilon = validation.real("epsilon", epsilon, at_least=0.0)
    shift = validation.real("shift", shift, at_least=0.0)
    return -math.expm1(min(0.0, 0.5 * (epsilon - shift)))


def epsilon(delta: float, shift: float) -> float:
    """The least ε ≥ 0 with δ(ε)·(1 + `ROUNDING`) ≤ `delta`; `shift` itself for `delta` = 0."""
    bound = validation.delta(delta)
    shift = validation.real("shift", shift, at_least=0.0)
    return crossing(lambda e: _rounded_up(e, shift) <= bound)[1]


def _rounded_up(epsilon: float, shift: float) -> float:
    return delta(epsilon, shift) * (1.0 + ROUNDING)
