"""A second computation of δ(ε), in ball arithmetic, from plain numbers alone: it imports nothing of this package.

A "proved" privacy entry computes every δ of its guarantees again from `dpbench.privacy.profile.Profile.law`: kinds and
numbers, as the shift and the noise in use. An error in the formulas or the inversion that calibration and guarantee
share is one that this file does not have. What it does not see is a wrong shift: that is a premise, with an entry.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

from flint import arb, ctx

Law = tuple[Any, ...]
PRECISION = 256
AGREE = 1e-6
"""Relative difference between the routes beyond which one of them is wrong: upper profiles are rounded up by 1e-9."""

MASSES = 1e-12
"""Relative error of the masses of a discrete law, which are handed over as floats: ties are the first route's."""


def delta(law: Law, epsilon: float) -> arb | None:
    """δ(ε), ε ≥ 0, of a law; None for a kind that has no second route.

    Parameters
    ----------
    law : tuple
        ("gaussian", shift, noise), ("laplace", shift over scale), ("pure", ε₀), ("approximate", ε₀, δ₀),
        ("discrete", log p, log q), ("clipped gaussian", low, high, scale), ("sign weights", m, scale, log N),
        ("nothing",), ("lost", δ, law), ("blurred", law, distance), ("least", laws), ("largest", laws).
    epsilon : float
    """
    before = ctx.prec
    ctx.prec = PRECISION
    try:
        ball = _KINDS[law[0]](arb(epsilon), *law[1:]) if law and law[0] in _KINDS else None
    finally:
        ctx.prec = before
    return ball


def differs(law: Law | None, epsilon: float, claimed: float, reached: float) -> str:
    """What is wrong with a guarantee, seen from the second route; empty where both lie within the claim and agree.

    Parameters
    ----------
    law : tuple or None
    epsilon, claimed : float
        The claim.
    reached : float
        δ(ε) by the first route.
    """
    ball = None if law is None else delta(law, epsilon)
    if law is None or ball is None:
        return "no second route"
    second = float(ball.mid())
    slack = MASSES if law[0] == "discrete" else 0.0
    # With masses off by a relative r, the true delta is at least (1 - r) times that computed at epsilon + 2r.
    least = delta(law, epsilon + 2.0 * slack) if slack else ball
    if least is None or not least <= arb(claimed) * (1.0 + 2.0 * slack):
        return f"the second route gives {second:.6g} at epsilon = {epsilon:.6g}, beyond {claimed:.6g}"
    if abs(second - reached) > AGREE * max(second, reached) + slack:
        return f"the second route gives {second:.6g} at epsilon = {epsilon:.6g}, the first {reached:.6g}"
    return ""


def _tail(x: arb) -> arb:
    """The standard normal law's chance beyond x."""
    return (x / arb(2).sqrt()).erfc() / 2


def _gaussian(epsilon: arb, shift: float, noise: float) -> arb:
    if shift == 0.0:
        return arb(0)
    if noise == 0.0:
        return arb(1)
    apart = arb(shift) / arb(noise)
    ctx.prec = 4 * PRECISION  # the two terms cancel
    return _tail(epsilon / apart - apart / 2) - epsilon.exp() * _tail(epsilon / apart + apart / 2)


def _laplace(epsilon: arb, shift: float) -> arb:
    return arb(0) if epsilon >= arb(shift) else 1 - ((epsilon - arb(shift)) / 2).exp()


def _approximate(epsilon: arb, level: float, failure: float = 0.0) -> arb:
    lost, top = arb(failure), arb(level).exp()
    return lost if epsilon >= arb(level) else lost + (1 - lost) * (top - epsilon.exp()) / (1 + top)


def _discrete(epsilon: arb, log_p: Any, log_q: Any) -> arb:
    first, second = ([arb(float(x)).exp() if x > -math.inf else arb(0) for x in logs] for logs in (log_p, log_q))
    sums = []
    for one, other in ((first, second), (second, first)):
        sums.append(sum(((p - epsilon.exp() * q).max(arb(0)) for p, q in zip(one, other, strict=True)), arb(0)))
    return sums[0].max(sums[1])


def _clipped(epsilon: arb, low: float, high: float, scale: float) -> arb:
    return _half_line(epsilon, low, high, scale).max(_half_line(epsilon, -high, -low, scale))


def _half_line(epsilon: arb, low: float, high: float, scale: float) -> arb:
    """The largest P(high + noise ≥ t) − e^ε P(low + noise ≥ t) over t in [−1, 1]: the ratio grows with t."""
    if low == high:
        return arb(0)
    below, above, s = arb(low), arb(high), arb(scale)
    best = ((below + above) / 2 + epsilon * s * s / (above - below)).max(arb(-1)).min(arb(1))
    return (_tail((best - above) / s) - epsilon.exp() * _tail((best - below) / s)).max(arb(0))


def _sign_weights(epsilon: arb, m: int, scale: float, log_patterns: float) -> arb:
    """The smaller of N δ of a Gaussian pair 2√m/s apart, and the exponential moment of the shift 2 at its best a."""
    single = arb(1)
    if log_patterns < math.inf:
        single = arb(log_patterns).exp() * _gaussian(epsilon, 2.0 * math.sqrt(m), scale)
    low, high = math.log(1e-9), math.log(1e9)
    for _ in range(200):
        left, right = low + (high - low) / 3.0, high - (high - low) / 3.0
        if _log_moment(epsilon, m, scale, left) < _log_moment(epsilon, m, scale, right):
            high = right
        else:
            low = left
    return arb(1).min(single).min(_log_moment(epsilon, m, scale, (low + high) / 2.0).exp())


def _log_moment(epsilon: arb, m: int, scale: float, log_a: float) -> arb:
    a, s = arb(log_a).exp(), arb(scale)
    moment = m * ((2 * _tail(-2 * a / s)).log() + 2 * a * a / (s * s) + 2 * a / (s * s))
    return a * (a / (1 + a)).log() - (1 + a).log() - a * epsilon + moment


def _lost(epsilon: arb, failure: float, law: Law) -> arb | None:
    inner = _of(epsilon, law)
    return None if inner is None else (arb(failure) + inner).min(arb(1))


def _blurred(epsilon: arb, law: Law, distance: float) -> arb | None:
    inner = _of(epsilon, law)
    return None if inner is None else (inner + (1 + epsilon.exp()) * arb(distance)).min(arb(1))


def _chosen(pick: Callable[[arb, arb], arb], none: int, epsilon: arb, laws: tuple[Law, ...]) -> arb | None:
    chosen = arb(none)
    for law in laws:
        if (one := _of(epsilon, law)) is None:
            return None
        chosen = pick(chosen, one)
    return chosen


def _of(epsilon: arb, law: Law | None) -> arb | None:
    return _KINDS[law[0]](epsilon, *law[1:]) if law and law[0] in _KINDS else None


_KINDS: dict[str, Callable[..., arb | None]] = {
    "gaussian": _gaussian, "laplace": _laplace, "pure": _approximate, "approximate": _approximate,
    "discrete": _discrete, "clipped gaussian": _clipped, "sign weights": _sign_weights, "nothing": lambda _: arb(1),
    "lost": _lost, "blurred": _blurred, "least": partial(_chosen, arb.min, 1), "largest": partial(_chosen, arb.max, 0),
}  # fmt: skip
