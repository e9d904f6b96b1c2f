"""What the proofs of privacy of the GLM mechanisms use: sensitivities and composition, each an entry of its own.

A proved entry computes its noise and its guarantee from the same functions: a mistake in one of these would not show in
it. Each is tested here against what is computed from the definitions alone, and the proved entries rest on them.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from scipy.spatial.distance import pdist
from scipy.special import ndtr

from dpbench.core.sampling import stream
from dpbench.ledger.measurement import Context, Rows
from dpbench.papers.glm import losses
from dpbench.papers.glm.algorithms import scoring
from dpbench.papers.glm.algorithms.noisy_gd import all_iterates_profile
from dpbench.papers.glm.algorithms.output_perturbation import OutputPerturbation
from dpbench.papers.glm.losses import Loss
from dpbench.papers.glm.problem import GLMProblem
from dpbench.papers.glm.sensitivity import gradient_gap
from dpbench.papers.glm.theorems import paper
from dpbench.privacy import selection

_ROUNDING = 1.0 + 1e-9
_BALLS = ((1.0, 1.0, 1.0), (0.5, 2.0, 3.0), (3.0, 0.7, 0.2))
"""(‖X‖, bound on |y|, B)."""


def _losses() -> tuple[Loss, ...]:
    names = ("squared", "half-squared", "logistic", "huber", "absolute", "linear")
    return (*map(losses.resolve, names), losses.capped_linear(2.0))


def _labels(loss: Loss, bound: float) -> np.ndarray:
    return np.array([-1.0, 1.0]) if loss.binary else np.linspace(-bound, bound, 9)


def _directions() -> np.ndarray:
    """Unit vectors in which two most distant points of the plane are the ends, up to 1e-5 of their distance."""
    turn = np.linspace(0.0, np.pi, 360, endpoint=False)
    return np.c_[np.cos(turn), np.sin(turn)]


def minimisers(context: Context) -> Rows:
    """The largest shift of the minimiser when a record is replaced, over the declared sensitivity: at most 1.

    Random and extreme data in one dimension.
    """
    tries = context.pick(quick=60, full=1_500)
    for loss, (x_bound, y_bound, radius) in product((loss for loss in _losses() if loss.name != "absolute"), _BALLS):
        rng = stream(context.seed, "premise of output perturbation", loss.name, x_bound)
        largest = 0.0
        for _ in range(tries):
            n = int(rng.integers(2, 9))
            x, y = rng.choice([-1.0, 0.3, 1.0], n) * x_bound, rng.choice(_labels(loss, y_bound), n)
            label = max(y_bound, float(abs(y).max()))
            data = GLMProblem(x[:, None], y, loss=loss, x_bound=x_bound, y_bound=label, radius=radius)
            mechanism = OutputPerturbation(1.0, 1e-3, regularization=float(10.0 ** rng.uniform(-3.0, 1.0)))
            neighbour_x, neighbour_y, lam = x.copy(), y.copy(), mechanism.lam(data)
            neighbour_x[0], neighbour_y[0] = rng.choice([-1.0, 1.0]) * x_bound, rng.choice(_labels(loss, y_bound))
            ends = [_minimiser(loss, *records, lam, radius) for records in ((x, y), (neighbour_x, neighbour_y))]
            largest = max(largest, abs(ends[0] - ends[1]) / mechanism.sensitivity(data))
        yield {"loss": loss.name, "X": x_bound, "Y": y_bound, "B": radius, "left": largest, "right": _ROUNDING}


def _minimiser(loss: Loss, x: np.ndarray, y: np.ndarray, lam: float, radius: float) -> float:
    """argmin over |w| ≤ `radius` of the mean of φ(wx, y) + λw²/2, by Brent's method on the derivative."""
    from scipy.optimize import brentq

    def slope(w: float) -> float:
        return float((loss.derivative(w * x, y) * x).mean() + lam * w)

    if slope(-radius) >= 0.0:
        return -radius
    return radius if slope(radius) <= 0.0 else float(brentq(slope, -radius, radius, xtol=1e-15))


def clipped_losses(context: Context) -> Rows:
    """The largest difference of two losses over the ball against the width in use."""
    for loss, (x_bound, y_bound, radius) in product(_losses(), _BALLS):
        reach = x_bound * radius
        values = loss.value(np.linspace(-reach, reach, 4_001)[:, None], _labels(loss, y_bound)[None, :])
        label = 1.0 if loss.binary else y_bound
        data = GLMProblem([[x_bound]], [label], loss=loss, x_bound=x_bound, y_bound=max(label, y_bound), radius=radius)
        yield {"loss": loss.name, "X": x_bound, "Y": y_bound, "B": radius, "left": float(np.ptp(values)),
               "right": scoring.loss_width(data, reach) * _ROUNDING}  # fmt: skip


@paper.inequality(
    "sensitivity",
    row="gradients",
    source="Theorems 1 to 3, 5 and 10: what one record moves a gradient by",
    expected="not refuted",
    statement="|grad l(w; z) - grad l(w; z')| <= D for all |w| <= B and all records z, z'.",
    because="D is derived in dpbench.papers.glm.sensitivity. Here gradients of records in the plane of w, and on its "
    "line, are formed from the loss itself, and the largest distance of two of them is compared with D.",
    origin="folklore",
    quote=r"Since Algorithm 1 uses a projection step, the iterates always lie in the constraint set  $\{w: \|w\| "
    r"\leq B\}$ . Hence, the function over this constraint set is G-Lipschitz.",
    rows={
        "minimisers": {
            "measure": minimisers,
            "source": "Theorems 3 and 5: what one record moves the minimiser by",
            "statement": "The minimisers of Algorithm 3 on data sets that differ in one record are at most D/(lambda "
            "n) + 2 tau apart.",
            "because": "Strong convexity (dpbench.papers.glm.algorithms.output_perturbation). In one dimension the "
            "minimiser is a root of a monotone function, found here by bisection.",
            "origin": "folklore",
            "quote": r"Note that from a standard analysis [BE02], we get that  $\ell_2$  sensitivity of the "
            r"regularized minimizer  $\widetilde{w}$  is  $\left(\frac{2G\|\mathcal{X}\|}{n\lambda}\right)$ ,",
        },
        "losses": {
            "measure": clipped_losses,
            "source": "Algorithms 4 and 5: what one record moves a clipped loss by",
            "statement": "The losses of two records at one model, clipped to their range over the ball, differ by at "
            "most sup - inf of the loss over the ball.",
            "because": "Losses over a grid of predictions |z| <= B|X| and labels, from the loss itself.",
            "origin": "folklore",
            "quote": r"Furthermore, by Assumption 2 with probability at least  $\delta/2$  the sensitivity values "
            r"passed to GenExpMech bound sensitivity.",
        },
    },
)
def gradients(context: Context) -> Rows:
    """Every loss at three sets of bounds, d = 1 and 2: gradients of records at all angles and labels."""
    angles = np.linspace(0.0, np.pi, context.pick(quick=91, full=721))
    for loss, (x_bound, y_bound, radius), d in product(_losses(), _BALLS, (1, 2)):
        turned = np.array([0.0, np.pi]) if d == 1 else np.concatenate((angles, -angles))
        lengths = np.linspace(0.0, 1.0, 41) * x_bound if d == 1 else np.array([x_bound])
        norm, angle, y = (g.ravel() for g in np.meshgrid(lengths, turned, _labels(loss, y_bound), indexing="ij"))
        reached = 0.0
        for r in radius * np.linspace(0.0, 1.0, context.pick(quick=5, full=21)):
            slope = loss.derivative(r * norm * np.cos(angle), y)
            points = slope * norm * np.array([np.cos(angle), np.sin(angle)])
            along = _directions() @ points
            edge = points.T[np.unique((along.argmin(axis=1), along.argmax(axis=1)))]
            reached = float(np.maximum(reached, float(pdist(edge).max(initial=0.0))))
        gap = gradient_gap(loss, x_bound, y_bound, radius, d)
        yield {"loss": loss.name, "X": x_bound, "Y": y_bound, "B": radius, "d": d, "left": reached,
               "right": gap * _ROUNDING}  # fmt: skip


@paper.inequality(
    "noisy-max",
    source="Algorithm 5, report noisy max",
    expected="not refuted",
    statement="Report noisy max with the scale 2 Delta/epsilon changes no probability by more than a factor "
    "e^epsilon when every score moves by at most Delta.",
    because="The probabilities of the choices, by quadrature, before and after every score has moved by Delta up or "
    "down.",
    origin="folklore",
    quote=r"Thus conditioning on this event, from the guarantee of the report noisy max procedure, we have that it "
    r"satisfies  $(\frac{\epsilon}{2})$ -DP.",
)
def noisy_max(context: Context) -> Rows:
    """Two to four candidates, all directions of the move; attained as far apart as scores can be."""
    rng = stream(context.seed, "premise of report noisy max")
    for epsilon, count in product((0.25, 1.0, 3.0), (2, 3, 4)):
        scale, largest = selection.noisy_max_scale(1.0, epsilon), 0.0
        for apart in (0.0, 2.0, 30.0, *rng.uniform(0.0, 10.0, context.pick(quick=2, full=20))):
            scores = apart * scale * np.arange(count) / (count - 1)
            before = selection.noisy_max(scores, scale)
            for move in np.ndindex(*(2,) * count):
                after = selection.noisy_max(scores + 2.0 * np.array(move) - 1.0, scale)
                largest = float(np.maximum(largest, float(np.abs(after - before).max())))
        yield {"epsilon": epsilon, "candidates": count, "left": largest, "right": epsilon * (1.0 + 1e-8)}


@paper.inequality(
    "composition",
    source="Theorems 1, 2 and 10: T - 1 noisy steps",
    expected="not refuted",
    statement="T - 1 Gaussian steps whose means differ by D/n have at most the delta(epsilon) in use.",
    because="One step's delta is Phi(mu/2 - e/mu) - exp(e) Phi(-mu/2 - e/mu); T - 1 steps by integrating the last "
    "step's over the privacy loss of those before it, which is normal with mean half its variance.",
    origin="folklore",
    quote=r"From the analysis of Noisy (S)GD in [BST14, BFTGT19], we have that the setting of noise variance  "
    r"$\sigma^2$  ensures that the algorithm satisfies  $(\epsilon, \delta)$ -DP",
)
def composition(context: Context) -> Rows:
    """Against the last step's δ integrated over the loss of the others."""
    for steps, mu in ((2, 1.0), (3, 0.5), (11, 0.2), (101, 0.1)):
        profile = all_iterates_profile(mu, steps, 1, 1.0)
        for epsilon in (0.1, 1.0, 3.0):
            held = _composed(epsilon, mu, steps - 2)
            yield {"T": steps, "mu": mu, "epsilon": epsilon, "left": held, "right": profile.delta(epsilon) * (1 + 1e-6)}


def _composed(epsilon: float, mu: float, before: int) -> float:
    """E δ₁(ε − L), L ~ N(μ²k/2, μ²k) the privacy loss of k steps."""

    def one(e: np.ndarray) -> np.ndarray:
        return np.asarray(ndtr(mu / 2.0 - e / mu) - np.exp(e) * ndtr(-mu / 2.0 - e / mu))

    if before == 0:
        return float(one(np.array(epsilon)))
    u = np.linspace(-12.0, 12.0, 20_001)
    weights = np.exp(-0.5 * u * u) / np.sqrt(2.0 * np.pi) * (u[1] - u[0])
    return float((weights * one(epsilon - 0.5 * mu * mu * before - mu * np.sqrt(before) * u)).sum())
