"""Absolute losses and a convex quadratic over a ball in numbers of many bits: slow, and certain to get there.

Minimised is F(w) = Σ c_i·|⟨w, x_i⟩ − y_i| + ½⟨w, Aw⟩ + ⟨b, w⟩ on ‖w‖ ≤ 1. As κ falls, the minimisers are followed of
F_κ(w) = min_t Σ (c_i·t_i − κ·log(t_i² − r_i²)) + ½⟨w, Aw⟩ + ⟨b, w⟩ − κ·log(1 − ‖w‖²), r_i the residuals. F_κ/κ is
self-concordant: with decrement δ, a step of Newton's method over 1 + δ stays in the domain and takes at least
δ − log(1 + δ) from it, and from δ ≤ 1/4 on whole steps make δ fall quadratically (Nesterov & Nemirovskii 1994). So
every stage ends, for any records. At its end s_i = r_i/t_i shows that F(w) is within (2n + 2)·κ of the least value.

Floating point cannot do this: the curvatures of F_κ lie between about κ and 1/κ, and κ ends at 1e-14/n. `BITS` is
several times what their quotient has.
"""

from __future__ import annotations

import numpy as np
from flint import arb, arb_mat, ctx

BITS = 512
_LAST = 1e-14  # (2n + 2)·κ at the end, where Σ c_i and the rest of F are about 1
_FALL = 0.1  # of κ from stage to stage
_NEAR = 1.0 / 16.0  # δ², from which whole steps are taken

_number = np.frompyfunc(arb, 1, 1)
_middle = np.frompyfunc(lambda x: x.mid(), 1, 1)
_root = np.frompyfunc(lambda x: x.sqrt(), 1, 1)


def interior_point(
    X: np.ndarray, y: np.ndarray, weights: np.ndarray, bend: np.ndarray, slope: np.ndarray, ball: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """A minimiser w and s, rounded to floats.

    Parameters
    ----------
    X, y, weights, bend, slope : ndarray, shape (n, d), (n,), (n,), (d, d) and (d,)
        x_i, y_i, c_i > 0, A and b.
    ball : ndarray of bool, shape (d,)
        The coordinates that the ball bounds; in the others A is positive definite.
    """
    with ctx.workprec(BITS):
        X, y, c, bend, slope = (_number(part) for part in (X, y, weights, bend, slope))
        bounded = _number(ball.astype(float))
        w, kappa, last = 0 * slope, arb(1), arb(_LAST) / (2 * len(y) + 2)

        def state(w: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, arb]:
            """∇F_κ, s, κ/(t_i·√(ρ_i² + r_i²)), which are the losses' curvatures, and 1 − ‖w‖²."""
            r, rho, room = X @ w - y, kappa / c, 1 - (bounded * w) @ w
            root = _root(rho * rho + r * r)
            s = r / (rho + root)
            gradient = (c * s) @ X + bend @ w + slope + (2 * kappa / room) * bounded * w
            return gradient, s, kappa / (root * (rho + root)), room

        while True:
            gradient, _, curved, room = state(w)
            short = bounded * w
            hessian = (curved[:, None] * X).T @ X + bend + np.outer(short, short) * (4 * kappa / room**2)
            hessian = hessian + np.diag(bounded) * (2 * kappa / room)
            right = arb_mat([[-part] for part in gradient])
            move = _middle(np.array(arb_mat(hessian.tolist()).solve(right, algorithm="approx").entries()))
            square = (-(gradient @ move) / kappa).mid()
            if not square.is_finite():
                raise FloatingPointError("the records and the objective must be finite numbers")
            end = _middle(w + move)
            if not square < _NEAR and not (
                (bounded * end) @ end < 1 and state(end)[0] @ move <= 0  # F_κ falls all the way
            ):
                end = _middle(w + move / (1 + square.sqrt()))
            w = end
            if square < _NEAR:
                if kappa > last:
                    kappa = kappa * _FALL
                elif square < 2.0**-100:
                    return w.astype(float), state(w)[1].astype(float)
