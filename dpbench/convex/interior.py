"""Absolute or Huber losses and a convex quadratic over a ball in numbers of many bits: slow, and certain to get there.

Minimised is F(w) = Σ c_i·h(⟨w, x_i⟩ − y_i) + ½⟨w, Aw⟩ + ⟨b, w⟩ on ‖w‖ ≤ 1, h(r) = |r| or, of Huber's loss, the least of
|r − u| + u²/2 over u. As κ falls, the minimisers over w (and u) are followed of F_κ = min_t Σ (c_i·t_i −
κ·log(t_i² − r_i²)) + Σ c_i·u_i²/2 + ½⟨w, Aw⟩ + ⟨b, w⟩ − κ·log(1 − ‖w‖²), r_i = ⟨w, x_i⟩ − y_i − u_i. F_κ/κ is
self-concordant: with decrement δ, a step of Newton's method over 1 + δ stays in the domain and takes at least
δ − log(1 + δ) from it, and from δ ≤ 1/4 on whole steps make δ fall quadratically (Nesterov & Nemirovskii 1994). So
every stage ends, for any records. At its end s_i = r_i/t_i shows that F(w) is within (2n + 2)·κ of the least value.

Floating point cannot do this: the curvatures of F_κ lie between about κ and 1/κ, and κ ends at 1e-14/n. `BITS` is
several times what their quotient has. A step takes O(n·d² + d³) operations: the Hessian in u is diagonal.
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
    X: np.ndarray, y: np.ndarray, weights: np.ndarray, bend: np.ndarray, slope: np.ndarray, huber: bool
) -> tuple[np.ndarray, np.ndarray]:
    """A minimiser w and s, rounded to floats.

    Parameters
    ----------
    X, y, weights, bend, slope : ndarray, shape (n, d), (n,), (n,), (d, d) and (d,)
        x_i, y_i, c_i > 0, A and b.
    huber : bool
        Whether h is Huber's loss.
    """
    with ctx.workprec(BITS):
        X, y, c, bend, slope = (_number(part) for part in (X, y, weights, bend, slope))
        w, u, kappa, last = 0 * slope, 0 * y, arb(1), arb(_LAST) / (2 * len(y) + 2)

        def state(w: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, arb]:
            """∇F_κ in w and in u, s, κ/(t_i·√(ρ_i² + r_i²)), which are the losses' curvatures, and 1 − ‖w‖²."""
            r, rho, room = X @ w - y - u, kappa / c, 1 - w @ w
            root = _root(rho * rho + r * r)
            s = r / (rho + root)
            in_w = (c * s) @ X + bend @ w + slope + (2 * kappa / room) * w
            return in_w, huber * c * (u - s), s, kappa / (root * (rho + root)), room

        while True:
            in_w, in_u, _, curved, room = state(w, u)
            taken = huber * curved / (curved + c)  # the share of a residual's change that u takes
            hessian = ((curved * (1 - taken))[:, None] * X).T @ X + bend + np.outer(w, w) * (4 * kappa / room**2)
            hessian = hessian + np.eye(len(w), dtype=int) * (2 * kappa / room)
            right = arb_mat([[-part] for part in in_w + (taken * in_u) @ X])
            move = _middle(np.array(arb_mat(hessian.tolist()).solve(right, algorithm="approx").entries()))
            move_u = _middle(taken * (X @ move) - (1 - taken) / c * in_u)
            square = (-(in_w @ move + in_u @ move_u) / kappa).mid()
            if not square.is_finite():
                raise FloatingPointError("the records and the objective must be finite numbers")
            share = arb(1)
            if not square < _NEAR:
                end = w + move
                ahead = state(end, u + move_u) if end @ end < 1 else None
                if ahead is None or not ahead[0] @ move + ahead[1] @ move_u <= 0:  # F_κ does not fall all the way
                    share = 1 / (1 + square.sqrt())
            w, u = _middle(w + share * move), _middle(u + share * move_u)
            if square < _NEAR:
                if kappa > last:
                    kappa = kappa * _FALL
                elif square < 2.0**-100:
                    return w.astype(float), state(w, u)[2].astype(float)
