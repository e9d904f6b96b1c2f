"""Steps and statements of the heavy-tailed paper that are misprinted, each beside what is meant. All exact."""

from __future__ import annotations

import math
from itertools import product

from dpbench.ledger.measurement import Context, Rows
from dpbench.papers.heavytail import theory
from dpbench.papers.heavytail.theorems import paper
from dpbench.papers.heavytail.truncation import psi

ORDERS = (1.75, 1.5, 1.25)
FAILURE = 0.05
CONSTANT = 100.0
"""The O(·) of a refuted bound is taken this large, and could be any number."""


@paper.inequality(
    "lemma10", variant="last-display", source="Lemma 10, last display of its proof", expected="refuted",
    holds="heavytail.lemma10.inequality",
    statement="With probability 1 - eta, -sum psi(iota|r_i| - iota zeta|x_i|) >= -iota L + ... + log(1/eta).",
    because="Chernoff's method gives <=, and n times the terms without log(1/eta). At w = w* without noise the left "
    "side is n psi(iota zeta), about iota, which is below log(1/eta).",
)
def last_display(context: Context) -> Rows:
    """Lemma 10's last display on x ≡ 1, y = ⟨x, w*⟩ and w = w*, where −Σψ is nψ(ιζ) for certain.

    Printed: −Σψ ≥ −ιL + (2^{θ−1}/θ)((ι)^θ E|r|^θ + (ιζ)^θ E‖x‖^θ) + log(1/η), with probability 1 − η; both sides are
    negated here.
    """
    for theta, n in product(ORDERS, (100, 10_000, 1_000_000)):
        iota, zeta = _iota(n, theta), 1.0 / n
        floor = 2.0 ** (theta - 1.0) / theta * (iota * zeta) ** theta + math.log(1.0 / FAILURE)
        yield {"theta": theta, "n": float(n), "left": -n * psi(iota * zeta, theta), "right": -floor}


@paper.inequality(
    "eq39", source="Equation 39", expected="refuted", holds="heavytail.eq39.inequality.corrected",
    arguments={"kept": False},
    statement="(38) is at most exp(n(-iota L + iota^theta 2^(theta-1)/theta (E|r|^theta + zeta^theta E|x|^theta))).",
    because="iota zeta E|x| is dropped; it is of first order in zeta, what stays is of order theta.",
)
def chernoff_step(context: Context, kept: bool) -> Rows:
    """(38) against (39), logarithms divided by n, on x ≡ 1 and y = ⟨x, w*⟩, at several v = |w − w*|; both negated."""
    for theta, n in product(ORDERS, (100, 10_000, 1_000_000)):
        iota, zeta = _iota(n, theta), 1.0 / n
        for v in (0.0, 0.1 * zeta, 2.0 * zeta, 0.03, 1.5):
            exact = math.log1p(-iota * v + iota * zeta + iota**theta * abs(v - zeta) ** theta / theta)
            growth = 2.0 ** (theta - 1.0) * iota**theta / theta
            bound = -iota * v + growth * (v**theta + zeta**theta) + (iota * zeta if kept else 0.0)
            yield {"theta": theta, "n": float(n), "v": v, "left": -bound, "right": -exact}


paper.variant(
    chernoff_step, "corrected", source="Equation 39, corrected", expected="not refuted", arguments={"kept": True},
    statement="(38) is at most that with iota zeta E|x| kept in the exponent.",
    because="1 + u <= e^u, and |a - b|^theta <= 2^(theta-1)(|a|^theta + |b|^theta).",
)


@paper.inequality(
    "thm1", variant="failure-probability", source="Theorem 1, first display", expected="refuted",
    holds="heavytail.thm1.inequality.failure-probability.corrected", arguments={"meant": False},
    statement="For every eta in (0, 1), with probability 1 - eta the excess is O(zeta tau + iota zeta^2 tau^2 + iota "
    "tau^2 Delta^2 + log(N/zeta)/(n iota epsilon)).",
    because="The bound does not depend on eta, and the output has full support: an eta below the chance of a bad "
    "point breaks it. (Theorem 2 calls the failure probability zeta, as the net radius: it is eta there too.)",
)
def failure_probability(context: Context, meant: bool) -> Rows:
    """An η below the chance of the worst half of a net, on x ≡ 1, y = w* = 1, so that W reaches 2 from there.

    Σψ ≤ n·log 2, so each net point has a chance of at least e^{−nε/2}/N, and the half with w ≤ 0 one of
    e^{−nε/2}/2 or more; η is half of that, and every excess there is at least 1.
    """
    for n in (10**8, 10**10, 10**12):
        iota, zeta = _iota(n, 2.0), 1.0 / n
        log_failure, log_net = -0.5 * n - math.log(4.0), math.log(2 * n + 1)
        bound = zeta + iota * zeta**2 + 4.0 * iota
        bound += (log_net - (log_failure if meant else math.log(zeta))) / (n * iota)
        yield {
            "n": float(n), "log_failure_probability": log_failure, "left": 1.0,
            "right": bound * (1.0 if meant else CONSTANT),
        }  # fmt: skip


paper.variant(
    failure_probability, "failure-probability.corrected", source="Theorem 1, first display, corrected",
    expected="not refuted", arguments={"meant": True},
    statement="The same with log(N/eta).",
    because="Lemma 1 with t = log(1/eta) gives log(N/eta).",
)


def _iota(n: int, theta: float) -> float:
    return theory.truncation(n, 1, 1.0, FAILURE, theta=theta, tau=1.0, moment="norm", diameter=2.0)
