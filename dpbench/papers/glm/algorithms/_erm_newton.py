"""Newton's method for a smooth loss over a ball, and the certificate of distance that all solvers share.

Each step minimises the quadratic model over the ball exactly (Moré & Sorensen 1983: Cholesky, and
Newton on the secular equation for the multiplier ν); a line search on the derivative of the convex F
makes it global. Huber and capped-linear have a generalised second derivative (semismooth Newton).
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from dpbench.papers.glm.algorithms._erm_ball import into_ball, quadratic_over_ball
from dpbench.papers.glm.algorithms._erm_passes import Pass, Quadratic, Records, tour
from dpbench.papers.glm.losses import Loss

_EPS = float(np.finfo(float).eps)
_KEEP = 0.2  # a Hessian is kept for the next step where the last one brought the certificate down to this share,
_WORK = 2.0**22  # and where another would take so many multiplications
_AROUND = 1.5  # lengths of Newton's step around a point, in which records are sorted by what they can become
_UNDECIDED = 0.25  # of the records, at most so many are worth a search of their own,
_LONG = 16  # where a pass over all takes longer than that: so many times d² of them


class Found(NamedTuple):
    """The best point of a search, its certified distance before rounding, and the mean |φ'| there."""

    w: np.ndarray
    distance: float
    steepness: float


def certified_distance(
    residual: np.ndarray, slack: float, w: np.ndarray, regularization: float, radius: float, smoothness: float
) -> float:
    """A bound on the distance of w (‖w‖ ≤ B) from the minimiser w̃ of F over the ball.

    Let c_i be any numbers with φ_i(z) ≥ φ_i(z_i) − s_i + c_i(z − z_i) for all z, z_i = ⟨w, x_i⟩,
    `slack` the mean of s_i (0 for the derivative of a smooth loss; |r_i| − c_i·r_i for the absolute
    loss and |c_i| ≤ 1, when it is the duality gap), and v = X'c/n + λw the `residual`. For u in the
    ball and ν ≥ 0, F(u) ≥ F(w) − slack + ⟨v + νw, u − w⟩ − ν⟨w, u − w⟩ + (λ/2)‖u − w‖². Take u = w̃, ρ
    = ‖v + νw‖: by strong convexity F(w) − F(w̃) ≥ (λ/2)‖w − w̃‖², so λt² ≤ ρt + slack + ν(⟨w, w̃⟩ −
    ‖w‖²) for t = ‖w − w̃‖. With ν = 0, or on the sphere, where the last term is never positive, t ≤ (ρ
    + √(ρ² + 4λ·slack))/(2λ). A point short of the sphere by rounding is moved onto it first; v changes
    by at most (smoothness + λ)·(B − ‖w‖).
    """

    def bound(rho: float) -> float:
        return (rho + math.sqrt(rho * rho + 4.0 * regularization * slack)) / (2.0 * regularization)

    inside = bound(float(np.linalg.norm(residual)))
    norm = float(np.linalg.norm(w))
    short = abs(radius - norm)
    if not math.isfinite(radius) or short > 1e-12 * radius:
        return inside
    multiplier = max(0.0, -float(residual @ w) / norm**2)
    rho = float(np.linalg.norm(residual + multiplier * w))
    rho += (smoothness + regularization + multiplier) * short
    return min(inside, short + bound(rho))


def newton(
    data: Records, loss: Loss, lam: float, radius: float, target: float, w: np.ndarray, steps: int = 100,
    near: bool = False,
) -> Found:  # fmt: skip
    """Newton's method over the ball, until the certificate is ≤ target or stalls; its best point.

    One pass over the records a step, at the end of the step: it tells whether the step was too long (F rises
    at its end, and the certificate is not halved), in which case a shorter one is searched along the segment, from the
    predictions at its two ends. A pass that is expected to be the
    last does without the Hessian. So do, with many records, those of steps that the Hessian before them serves as well:
    each certificate is then a small part of the one before, and a pass takes half the time (measured). `near` says that
    w is close enough to begin so. Huber's loss may take a longer way with what a pass has given (`piecewise_step`).
    """
    smooth = loss.smoothness * data.x_bound**2
    keep = _KEEP if data.y.size * w.size**2 >= _WORK else 0.0
    best, stalled, origin, fall = Found(w, math.inf, 0.0), 0, None, math.inf
    kept: np.ndarray | None = None
    for _ in range(steps):
        here = tour(data, loss, w, curved=kept is None)
        gradient = here.gradient + lam * w
        distance = certified_distance(gradient, 0.0, w, lam, radius, smooth)
        if origin is not None:
            start, z, move, slope = origin
            origin, end = None, float(gradient @ move)
            if distance > 0.5 * best.distance and too_long(data, loss, lam, w, move, slope, end):
                w = start + line_search(data, loss, lam, start, move, z, here.z - z, slope, end) * move
                kept = None
                continue
        stalled = 0 if distance < 0.5 * best.distance else stalled + 1
        if math.isfinite(best.distance):
            fall, near = distance / best.distance, False
        if distance < best.distance:
            best = Found(w, distance, here.steepness)
        least, length = best.distance, math.sqrt(w @ w)
        if distance <= 0.25 * target or (stalled >= 5 and least < 1e-3 * length) or stalled >= 40:
            break
        if kept is not None and fall > 2.0 * keep:  # it does not serve
            here = tour(data, loss, w, curved=True)
        if here.hessian is not None:
            kept = here.hessian + lam * np.eye(w.size)
        assert kept is not None
        there = quadratic_over_ball(kept, kept @ w - gradient, radius)
        if keep and data.y.size >= _LONG * w.size**2:
            further = piecewise_step(data, loss, lam, radius, target, w, here, there)
            if further is not None:
                there, near = further, True
        origin = w, here.z, there - w, float(gradient @ (there - w))
        w = there
        if fall > keep and 10.0 * distance * fall**2 > 0.25 * target and not (near and keep):
            kept = None
    return best


def piecewise_step(
    data: Records, loss: Loss, lam: float, radius: float, target: float, w: np.ndarray, here: Pass, there: np.ndarray
) -> np.ndarray | None:
    """The minimiser of F in a ball around w, for Huber's loss, whose φ_i are quadratics between their corners.

    A residual r changes by at most ‖X‖·ρ within ρ = 1.5‖`there` − w‖ of w, `there` the end of Newton's step. So records
    with ||r| − κ| above that stay on their piece of φ: their sum is one quadratic, which the pass `here` at w has
    given, and the search goes on over the others alone, of which there are few. None where that brings nothing: other
    losses, many such records, or an end outside the ball; the next pass over all records makes the certificate.
    """
    if loss.smoothing is None or loss.parameter <= 0.0 or here.hessian is None:
        return None
    reach = _AROUND * math.sqrt((there - w) @ (there - w))
    other = np.flatnonzero(np.abs(np.abs(here.z - data.y) - loss.parameter) <= data.x_bound * reach)
    if other.size > _UNDECIDED * data.y.size:
        return None
    few = replace(data, X=data.X[other], y=data.y[other], far=None, settled=None)
    part = tour(few, loss, w, curved=True)
    assert part.hessian is not None
    few = replace(few, settled=Quadratic(w, here.gradient - part.gradient, here.hessian - part.hessian))
    made = newton(few, loss, lam, radius, 0.1 * target, w).w
    return made if math.sqrt((made - w) @ (made - w)) <= reach else None


def descend(data: Records, loss: Loss, lam: float, radius: float, target: float, w: np.ndarray) -> Found:
    """Accelerated projected gradient steps from w until the certificate is ≤ target; the best point met.

    Nesterov's constant momentum (√L − √λ)/(√L + √λ), L = H‖X‖² + λ. In exact arithmetic F(w_t) − F* ≤
    (1 − √(λ/L))ᵗ·(F(w) − F* + (λ/2)‖w − w̃‖²) ≤ (1 − √(λ/L))ᵗ·L‖w − w̃‖²·(1 + ν), ν the multiplier of the ball over
    L: after a number of steps that is √(L/λ) times a logarithm, w_t is so close to w̃ that the certificate, at most
    (L(1 + ν)/λ)‖w_t − w̃‖ once the step reaches the sphere where w̃ is on it, is at most τ. `steps` is well above that.
    """
    top = loss.smoothness * data.x_bound**2 + lam

    def certified(w: np.ndarray) -> Found:
        here = tour(data, loss, w, curved=False)
        return Found(w, certified_distance(here.gradient + lam * w, 0.0, w, lam, radius, top), here.steepness)

    best = certified(w)
    ratio = math.sqrt(top / lam)
    steps = math.ceil(4.0 * ratio * math.log(16.0 * (top / lam) * (1.0 + best.distance / target)))
    momentum = (ratio - 1.0) / (ratio + 1.0)
    ahead, before = w, w
    for step in range(steps):
        gradient = tour(data, loss, ahead, curved=False).gradient + lam * ahead
        w = into_ball(ahead - gradient / top, radius)
        ahead, before = w + momentum * (w - before), w
        if step % 16 == 0 or step == steps - 1:
            best = min(best, certified(w), key=lambda found: found.distance)
            if best.distance <= target:
                break
    return best


def too_long(data: Records, loss: Loss, lam: float, w: np.ndarray, move: np.ndarray, start: float, end: float) -> bool:
    """Whether F rises at the end w of a segment; a derivative that is lost in rounding does not count."""
    size = math.sqrt(w @ w)
    steepest = loss.smoothness * data.x_bound * (data.x_bound * size + data.y_bound)
    noise = 4.0 * _EPS * math.sqrt(move @ move) * (steepest + lam * size)
    return end > noise and start < -noise


def line_search(
    data: Records, loss: Loss, lam: float, w: np.ndarray, move: np.ndarray, z: np.ndarray, change: np.ndarray,
    start: float, end: float,
) -> float:  # fmt: skip
    """A step in (0, 1] along `move` from w where F' is ≤ 0 and at most half of `start`, so that F falls.

    F is convex, so its derivative along the segment rises from `start` to `end`.
    """
    outside = 0.0 if data.far is None else loss.parameter * float(data.far @ move)
    rest = data.settled

    def derivative(step: float) -> float:
        slope = loss.derivative(z + step * change, data.y)
        settled = 0.0 if rest is None else float(rest.gradient(w + step * move) @ move)
        return float(slope @ change) / data.n + outside + settled + lam * float((w + step * move) @ move)

    low, high, at_low, at_high = 0.0, 1.0, start, end
    for trial in range(80):
        fraction = at_low / (at_low - at_high) if trial % 2 == 0 else 0.5
        middle = low + (high - low) * min(max(fraction, 1e-3), 1.0 - 1e-8)
        at_middle = derivative(middle)
        if at_middle <= 0.0:
            low, at_low = middle, at_middle
            if at_low >= 0.5 * start:
                break
        else:
            high, at_high = middle, at_middle
    return low if low > 0.0 else high
