"""Equations 3 and 15 and Lemmas 1, 2, 4, 5, 7, 8 and 10 of the heavy-tailed paper."""

from __future__ import annotations

import math
from itertools import product

import numpy as np

from dpbench.auditing import intervals
from dpbench.core.sampling import stream
from dpbench.ledger.harness import margins, sampled
from dpbench.ledger.measurement import LEVEL, Context, Evidence, Row, Rows, column
from dpbench.ledger.statement import Real, Statement, inequality
from dpbench.papers.heavytail import theory
from dpbench.papers.heavytail.exponential import ExponentialMechanism
from dpbench.papers.heavytail.net import Net
from dpbench.papers.heavytail.populations import HeavyTailedPopulation
from dpbench.papers.heavytail.problem import HeavyTailedProblem
from dpbench.papers.heavytail.tails import Tail
from dpbench.papers.heavytail.theorems import paper
from dpbench.papers.heavytail.truncation import columns, psi, psi_bounds, sums_at

ORDERS = (1.75, 1.5, 1.25)
FAILURE = 0.05
_ROUNDING = 1e-14  # ψ is one of its bounds on [−1, 1]: what is left there is the rounding of two logarithms
_RECORDS = 200
_BLOCK = 100


_UNION = (
    "Markov's inequality for the exponential of the sum, with (3) or (15) in each factor, and a union over the net; "
    "noise-free Student's t design with 0.1 more degrees of freedom than theta, where risk and moments are exact."
)


_BETWEEN = (
    "psi(x) = -log(1 - x + u) on [0, 1], u = x^theta/theta: the lower bound is an equality there, and the upper one is "
    "(1 - x + u)(1 + x + u) = (1 + u)^2 - x^2 >= 1, that is u(2 + u) >= x^2.",
    "Beyond 1: psi is log(theta), the upper bound grows from log(2 + 1/theta), and 1 - x + x^theta/theta is least, "
    "1/theta, at 1. psi is odd.",
)
EQUATION_15 = Statement(
    about="-log(1 - x + |x|^theta/theta) <= psi(x) <= log(1 + x + |x|^theta/theta) for psi of (16), 1 < theta < 2: "
    "{claim} for all 0 < x <= 1, which is the upper bound there.",
    symbols={"x": Real("argument", 0, 1), "theta": Real("order of the moment", 1, 2)},
    claim=inequality("1", "<=", "x^(theta - 2)/theta*(2 + x^theta/theta)"), cells=100, steps=_BETWEEN,
)  # fmt: skip
EQUATION_3 = Statement(
    about="-log(1 - x + x^2/2) <= psi(x) <= log(1 + x + x^2/2) for psi of (6): {claim} for all 0 < x <= 1, which is "
    "the upper bound there.",
    symbols={"x": Real("argument", 0, 1)},
    claim=inequality("1", "<=", "(1/2)*(2 + x^2/2)"), cells=100, steps=_BETWEEN,
)


@paper.inequality(
    "eq3", source="Equation 3", expected="proved", arguments={"orders": (2.0,)}, statement=EQUATION_3,
    because="The lower bound is psi itself on [0, 1]; (1 + x^2/2)^2 - x^2 = 1 + x^4/4 >= 1 gives the upper one, and "
    "oddness the other side.",
)
def sandwich(context: Context, orders: tuple[float, ...]) -> Evidence:
    """The two sides of equations 3 and 15 on a dense grid: around 0 and 1, and far into the tails."""
    near = np.concatenate([np.geomspace(1e-12, 1.0, 4000), 1.0 + np.geomspace(1e-12, 1e9, 4000)])
    x = np.concatenate([-near[::-1], [0.0], near])
    worst = math.inf
    for theta in orders:
        low, high = psi_bounds(x, theta)
        value = psi(x, theta)
        gaps = np.minimum(value - low, high - value) / np.maximum(np.abs(value), 1e-12)
        worst = float(np.minimum(worst, float(gaps.min())))
    note = f"value: smallest relative margin over {x.size:,} points, theta in {orders}; 0: the bound is attained"
    same = "psi is one of its bounds on [-1, 1]"
    return margins({}, note, margin=worst, rounding=_ROUNDING, equality=same)


paper.inequality(
    "eq15", source="Equation 15", expected="proved", arguments={"orders": ORDERS}, statement=EQUATION_15,
    because="2 x^theta/theta >= x^2 on [0, 1]; 1 - x + x^theta/theta is least, 1/theta, at 1, so that log(theta) is "
    "above its lower bound beyond.",
)(sandwich)


@paper.inequality(
    "lemma1", source="Lemma 1", expected="not refuted",
    statement="Pr{u <= OPT - (2 Delta u/epsilon)(ln|R| + t)} <= e^{-t} for the exponential mechanism.",
    because="Candidates at or below the threshold weigh at most |R| e^{-(ln|R| + t)} together, the best one 1.",
)
def utility(context: Context) -> Rows:
    """Lemma 1, exactly, on the scores of heavy-tailed data and on the worst ones: all but one at a threshold."""
    rng = stream(context.seed, "heavytail.lemma1")
    cases = []
    for theta, epsilon in product((2.0, *ORDERS), (0.1, 1.0, 10.0)):
        X = rng.standard_t(theta + 0.1, size=(30, 2))
        problem = HeavyTailedProblem(X, X @ (0.5, 0.0) + rng.standard_t(1.5, 30), radius=1.0, theta=theta)
        cases.append(ExponentialMechanism(epsilon, net_radius=0.1).log_probabilities(problem)[1])
    for size, t in product((2, 100, 10_000), (0.01, 1.0, 10.0)):
        logs = np.full(size, -(math.log(size) + t))
        logs[0] = 0.0
        cases.append(logs - np.logaddexp.reduce(logs))
    for case, logs in enumerate(cases):
        # log p = εu/(2Δu) + constant, so the event is log p ≤ max log p − (ln|R| + t).
        logs = np.sort(logs)
        below = np.concatenate([[0.0], np.cumsum(np.exp(logs))])
        for t in np.linspace(0.0, 20.0, 81).tolist():
            bad = np.searchsorted(logs, logs[-1] - (math.log(logs.size) + t), side="right")
            yield {"case": case, "t": t, "left": float(below[bad]), "right": math.exp(-t)}
    return "probabilities summed exactly"


@paper.inequality(
    "lemma2", source="Lemma 2, for zeta <= Delta", expected="not refuted",
    statement="The net in use has at most (3 Delta/zeta)^d points.",
    because="A grid of spacing zeta/sqrt(d), rounded towards 0, covers; counted exactly or by volumes.",
)
def covering(context: Context) -> Rows:
    """The size of the nets in use against (3Δ/ζ)^d, for ζ ≤ Δ, in logarithms; and their covering radius."""
    for domain, d in product(("ball", "box"), range(1, 9)):
        diameter = 2.0 * (math.sqrt(d) if domain == "box" else 1.0)
        for share in (1.0, 0.7, 0.5, 0.3, 0.1, 1e-2, 1e-4):
            net = Net(d, 1.0, domain, share * diameter)
            row = {"domain": domain, "d": float(d), "net_radius": net.net_radius}
            bound = theory.covering_bound(d, diameter, net.net_radius)
            yield row | {"what": "log N", "left": net.log_size_bounds()[1], "right": bound}
            yield row | {"what": "covering radius", "left": net.covering_radius, "right": net.net_radius}


@paper.inequality(
    "lemma2", variant="any-radius", source="Lemma 2, as printed", expected="refuted",
    holds="heavytail.lemma2.inequality",
    statement="The covering number is at most (3 Delta/zeta)^d for every zeta > 0.",
    because="For zeta > 3 Delta the bound is below 1, and no net is empty: the printed lemma holds for zeta <= 3 "
    "Delta: by volumes for zeta <= Delta, which its source asks for, and by one point from there on.",
)
def covering_any(context: Context) -> Rows:
    """A net of one point against (3Δ/ζ)^d for ζ > 3Δ."""
    bound = math.exp(theory.covering_bound(2, 2.0, 8.0))
    yield {"d": 2.0, "net_radius": 8.0, "left": 1.0, "right": bound}
    return f"value: relative margin; zeta = 4 Delta, d = 2: the bound is {bound:g}, and no net is empty"


def deviation(context: Context, kind: str, orders: tuple[float, ...]) -> tuple[str, Evidence]:
    """How often the uniform deviation of `kind` (lower, upper, shifted) exceeds its bound, against η."""
    count = context.pick(quick=100, full=2000)
    rows = []
    for theta in orders:
        found = np.concatenate(sampled(context, excesses, theta, blocks=count // _BLOCK))[:, _KINDS.index(kind)]
        rows.append({"theta": theta, "failures": int((found > 0.0).sum()),
                     "largest_excess_over_bound": float(found.max())})  # fmt: skip
    return frequency(rows, count, FAILURE)


def frequency(rows: list[Row], count: int, allowed: float) -> tuple[str, Evidence]:
    """Verdict of "at most `allowed` of the data sets fail" from the ``failures`` of `count` data sets for each θ."""
    tail, tops = 0.5 * LEVEL / len(rows), []
    for row in rows:
        failures = row.pop("failures")
        row["frequency"] = failures / count
        tops.append((float(intervals.lower(failures, count, tail)), float(intervals.upper(failures, count, tail))))
    return "refuted" if max(low for low, _ in tops) > allowed else "not refuted", Evidence(
        value=max(row["frequency"] for row in rows), interval=max(tops), level=LEVEL, trials=count * len(rows),
        series=column(rows),
        notes=(
            f"value: largest frequency of a violation, {count:,} data sets of n = {_RECORDS} for each theta; the claim "
            f"is at most {allowed:g}. The bounds are far from tight on this design: only a gross error would be seen",
        ),
    )


_KINDS = ("lower", "upper", "shifted")


def excesses(theta: float, seed: int, block: int) -> np.ndarray:
    """max over the net of (left − right) in Lemmas 4 and 7 (lower), 5 and 8 (upper), 10 (shifted); a row a data set."""
    population = HeavyTailedPopulation.unit(Tail("student", theta + 0.1), np.array([0.5]), theta=theta)
    n = _RECORDS
    net = Net(1, 1.0, "ball", 1.0 / n)
    points = net.points()
    distance = np.abs(points[:, 0] - 0.5)
    risk = population.excess_risk(points)  # y = ⟨x, w*⟩: the risk at w* is 0
    spread = float((distance**theta).max())  # E|y − xw|^θ = |w − w*|^θ E|x|^θ, and τ = 1
    iota = theory.truncation(n, 1, 1.0, FAILURE, theta=theta, tau=1.0, moment="norm", diameter=2.0)
    entropy = math.log(len(points) / FAILURE) / (n * iota)
    zeta = net.net_radius
    rng = stream(seed, "heavytail.deviation", theta, block)
    # y = ⟨x, w*⟩: |r_i| is |x_i| times the distance, |r_i| − ζ|x_i| times another factor of w, and ψ is odd
    factors = np.concatenate([distance, distance - zeta])
    right = iota ** (theta - 1.0) / theta * spread + entropy
    growth = (2.0 * iota) ** (theta - 1.0) / theta
    shifted_right = -risk + zeta + growth * (spread + zeta**theta) + entropy
    found = np.empty((_BLOCK, 3))
    for row in found:
        sizes, absent = columns(population.draw(n, rng)), np.zeros(n)
        sums = np.sign(factors) * sums_at(sizes, absent, factors[:, None], iota, theta) / (n * iota)
        values, shifted = sums[: distance.size], sums[distance.size :]
        row[:] = (risk - values).max() - right, (values - risk).max() - right, (-shifted - shifted_right).max()
    return found


for lemma, kind, orders, source, states in (
    (4, "lower", (2.0,), ", equation 10", "L_iota >= L - (iota/2) sup E(y - <x,w>)^2 - log(N/eta)/(n iota)"),
    (5, "upper", (2.0,), ", equation 12", "L_iota <= L + (iota/2) sup E(y - <x,w>)^2 + log(N/eta)/(n iota)"),
    (7, "lower", ORDERS, "",
     "L_iota >= L - (iota^(theta-1)/theta) sup E|y - <x,w>|^theta - log(N/eta)/(n iota)"),
    (8, "upper", ORDERS, ", equation 22",
     "L_iota <= L + (iota^(theta-1)/theta) sup E|y - <x,w>|^theta + log(N/eta)/(n iota)"),
    (10, "shifted", ORDERS, "",
     "-(1/(n iota)) sum psi(iota|r_i| - iota zeta|x_i|) <= -L + zeta tau + ((2 iota)^(theta-1)/theta)(sup E|r|^theta + "
     "zeta^theta tau^theta) + log(N/eta)/(n iota)"),
):  # fmt: skip
    paper.inequality(
        f"lemma{lemma}", source=f"Lemma {lemma}{source}", expected="not refuted", level=LEVEL,
        arguments={"kind": kind, "orders": orders},
        statement=f"With probability 1 - eta, for all net points, {states}.",
        because=_UNION if lemma < 10 else "As Lemmas 7 and 8; (39) drops zeta tau, and the last display of the proof "
        "has >= for <= and no n: the statement, with both, is what is tried.",
    )(deviation)
