"""The exponential mechanism over a net: Algorithms 1 (θ = 2) and 2 of the heavy-tailed paper."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from functools import lru_cache, partial
from typing import Annotated, Any

import numpy as np

from dpbench.core import validation
from dpbench.core.bits import Source
from dpbench.core.blas import one_blas_thread
from dpbench.core.sampling import Release, release
from dpbench.papers.heavytail import theory
from dpbench.papers.heavytail.algorithms import tree
from dpbench.papers.heavytail.algorithms.exact_weights import Steps, integer_exponents, steps
from dpbench.papers.heavytail.algorithms.net import Net
from dpbench.papers.heavytail.algorithms.truncation import columns, psi, quarters, sums_at
from dpbench.papers.heavytail.problem import HeavyTailedProblem, heavy_tailed_problem
from dpbench.privacy.discrete import pair_from_logs
from dpbench.privacy.integer_choice import choose
from dpbench.privacy.mechanism import Arithmetic, BySingleTrials, Calibration, Count, Epsilon, Fraction, Positive
from dpbench.privacy.profile import Profile, discrete_profile, pure_profile

SHARES = {"exact": 0.5, "printed": 1.0}
"""c·log θ/ε: half of the ε that the weights exp(−c·Σψ) are divided by in the two calibrations."""

ENUMERABLE = 2.0**24
"""Points of the cube about a net that `log_probabilities` will walk."""

_QUICK = 2.0e7  # points times records below which "auto" enumerates
_FEW = 2.0**18  # and points


@dataclass(frozen=True)
class ExponentialMechanism(BySingleTrials):
    """A net point w with probability ∝ exp(−share·ε·Σ_i ψ(ι|y_i − ⟨x_i, w⟩|)/log θ), sampled exactly.

    Σψ = nιL̂_ι(w, D). The problem's θ chooses the algorithm: 1 for θ = 2, 2 below.

    Parameters
    ----------
    epsilon : float
        The ε that the weights are calibrated to.
    net_radius : float, optional
        ζ; default 1/n.
    failure_probability : float
        η of the theorems: enters ι, has no influence on privacy.
    sampler : {"auto", "enumerate", "tree"}
        "enumerate" computes every weight; "tree" rejects from an envelope over boxes (`tree`). The law is the
        same; "auto" takes the one that the size of the net and n call for.
    calibration : {"exact", "printed"}
        "exact": share 1/2, as 0 ≤ ψ ≤ log θ makes log θ the sensitivity of Σψ. "printed": share 1, and ι as
        printed; that is 2ε-DP under replace-one, and ε-DP under add/remove where ζ and ι are given (else n sets both).
    truncation : float, optional
        ι itself, in place of `theory.truncation`; no influence on privacy.
    arithmetic : {"float", "exact"}
        "exact": every Σψ in integers, each record's part rounded and clamped, and a point drawn with exactly the
        probabilities that belong to them (`privacy.integer_choice`); for nets that can be enumerated, up to
        `ENUMERABLE` points. Larger nets are refused: the tree draws from geometric laws and accepts with a ratio of
        exponentials, both in floating point, and what they miss of their law no bound in use counts.
    boxes : int
        Boxes after which the tree sampler cuts no further: it bounds memory, and has no influence on the law.

    Notes
    -----
    Enumeration costs O(N·n·d) once a problem; the tree O(n·d) a box once a problem, and O(n·d) a proposal.
    The envelope of the last few problems is kept.

    No record is refused: the tree goes on proposing until a point is accepted, which happens with probability 1
    (`tree`). How long that takes depends on the data, and for huge records in two or more dimensions, or few of them
    with a large ε, may be longer than anyone waits; time is outside the guarantee. Where the time must not tell,
    enumerate.
    """

    epsilon: Epsilon
    _: KW_ONLY
    net_radius: Positive | None = None
    failure_probability: Fraction = 0.05
    sampler: Annotated[str, partial(validation.choice, options=("auto", "enumerate", "tree"))] = "auto"
    calibration: Calibration = "exact"
    truncation: Positive | None = None
    boxes: Count = tree.BOXES
    arithmetic: Arithmetic = "float"

    checked = staticmethod(heavy_tailed_problem)
    fixed = ("net_radius", "truncation")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.arithmetic == "exact" and self.sampler == "tree":
            raise validation.invalid("sampler", "'auto' or 'enumerate' where arithmetic is 'exact'", self.sampler)

    def net(self, problem: HeavyTailedProblem) -> Net:
        """The ζ-net in use."""
        self.checked(problem)
        radius = 1.0 / problem.n if self.net_radius is None else float(self.net_radius)
        return Net(problem.d, problem.radius, problem.domain, radius)

    def iota(self, problem: HeavyTailedProblem) -> float:
        """ι in use: `truncation`, or that of Theorems 1 and 2."""
        if self.truncation is not None:
            return float(self.truncation)
        return theory.truncation(
            problem.n, problem.d, self.epsilon, self.failure_probability, theta=problem.theta, tau=problem.tau,
            moment=problem.moment, diameter=problem.diameter, printed=self.calibration == "printed",
        )  # fmt: skip

    def weight(self, problem: HeavyTailedProblem) -> float:
        """c: net points have probabilities ∝ exp(−c·Σ_i ψ(ι|r_i|))."""
        return SHARES[self.calibration] * self.epsilon / psi(1.0, problem.theta)

    def _guarantee(self, problem: HeavyTailedProblem) -> Profile:
        """Replacing a record moves Σψ at each net point by at most log θ, and the logarithm of the normaliser by as
        much times c: 2·share·ε."""
        why = "0 <= psi <= log(theta): one record moves every log-weight, and the normaliser's log, by c log(theta)"
        return self._pure(problem, 2.0, why)

    def _add_remove(self, problem: HeavyTailedProblem) -> Profile:
        """Adding a record only raises Σψ, by at most log θ, and only lowers the normaliser, by a factor of at least
        e^{−c·log θ}: the two shifts have opposite effects, and share·ε bounds the loss."""
        if self.arithmetic == "exact" and quarters(problem.theta) == 0:
            must = "'replace' where arithmetic is 'exact' and theta is no multiple of 1/4"
            raise validation.invalid("neighbours", must, "add_remove")
        why = "a further record multiplies every weight, and the normaliser, by a factor in [exp(-c log(theta)), 1]"
        return replace(self._pure(problem, 1.0, why), neighbours="add_remove")

    def _pure(self, problem: HeavyTailedProblem, shifts: float, why: str) -> Profile:
        if self.arithmetic == "float":
            return pure_profile(shifts * SHARES[self.calibration] * self.epsilon, why=why)
        steps = self._steps(problem)
        why = "one record moves every exponent, an integer, by 0 to a known number; exactly these probabilities"
        return pure_profile(shifts * steps.largest / steps.scale * (1.0 + 1e-14), why=why)

    def pair_profile(self, problem: HeavyTailedProblem, neighbour: HeavyTailedProblem) -> Profile:
        """The exact profile of one pair where the net can be enumerated, else the guarantee.

        A neighbour of another size (add/remove) needs `net_radius` and `truncation` given: the defaults depend
        on n, which is then no longer public.
        """
        self.checked(problem)
        heavy_tailed_problem(neighbour, "neighbour")
        same = all(
            getattr(problem, name) == getattr(neighbour, name)
            for name in ("d", "radius", "domain", "theta", "tau", "moment")
        )
        if not same:
            raise validation.invalid("neighbour", "a problem with the same domain and moment assumption", neighbour)
        fixed = self.net_radius is not None and self.truncation is not None
        if neighbour.n != problem.n and not fixed:
            must_be = f"of the same size n = {problem.n} unless net_radius and truncation are given"
            raise validation.invalid("neighbour", must_be, neighbour.n)
        relation = "replace" if neighbour.n == problem.n else "add_remove"
        if self._cube(problem) > ENUMERABLE:
            return self.guarantee(problem, neighbours=relation)
        profile = pair_from_logs(self.log_probabilities(problem)[1], self.log_probabilities(neighbour)[1])
        return discrete_profile(profile, why="all probabilities of both data sets enumerated", neighbours=relation)

    def log_probabilities(self, problem: HeavyTailedProblem) -> tuple[np.ndarray, np.ndarray]:
        """All net points, shape (N, d), and their log-probabilities, shape (N,).

        Raises
        ------
        InvalidInput
            Where the net has more points than can be enumerated.
        """
        self.checked(problem)
        net = self.net(problem)
        if self._cube(problem) > ENUMERABLE:
            raise validation.invalid(
                "net_radius",
                f"so large that the net can be enumerated (at most {ENUMERABLE:g} lattice points about it)",
                net.net_radius,
            )
        points = net.points()
        if self.arithmetic == "exact":
            exponents = integer_exponents(self._steps(problem), problem, points, self.iota(problem))
            logs = -exponents / self._steps(problem).scale
            return points, logs - np.log(np.exp(logs).sum())
        sums = sums_at(columns(problem), problem.y, points, self.iota(problem), problem.theta)
        logs = -self.weight(problem) * sums
        top = logs.max()
        return points, logs - top - np.log(np.exp(logs - top).sum())

    def sampler_for(self, problem: HeavyTailedProblem) -> str:
        """The sampler in use: "enumerate" or "tree"."""
        if self.arithmetic == "exact":
            return "enumerate"
        if self.sampler != "auto":
            return self.sampler
        cube = self._cube(problem)
        return "enumerate" if cube <= _FEW and cube * problem.n <= _QUICK else "tree"

    def _draw(self, problem: HeavyTailedProblem, width: int, rows: int, rng: np.random.Generator) -> np.ndarray:
        if self.sampler_for(problem) == "tree":
            return envelope(self, problem).draw(rows, rng)[0] * self.net(problem).spacing
        if self.arithmetic == "exact":
            points, exponents = _integers(self, problem)
            return points[choose(Source(rng), exponents, self._steps(problem).scale, rows)]
        points, cumulative = _enumerated(self, problem)
        chosen = np.searchsorted(cumulative, rng.random(rows), side="right")
        return points[np.minimum(chosen, len(points) - 1)]

    def release(self, problem: HeavyTailedProblem, seed: int | None = None) -> Release:
        """`dpbench.core.sampling.release`; the info also names the sampler, ζ and ι, which n and the bounds give."""
        output = release(self, problem, seed)
        chosen = self.sampler_for(problem)
        info = {
            **output.info,
            "sampler": chosen,
            "net_radius": self.net(problem).net_radius,
            "iota": self.iota(problem),
        }
        return replace(output, info=info)

    def diagnose(self, problem: HeavyTailedProblem) -> dict[str, Any]:
        """Diagnostics of the tree sampler: they depend on the data, are not private, and are in no release.

        Returns
        -------
        dict
            "sampler" and, for the tree: "boxes_opened", "acceptance" (estimated chance that a proposal is accepted)
            and "boxes" (parts of the envelope).
        """
        self.checked(problem)
        if self.sampler_for(problem) != "tree":
            return {"sampler": "enumerate"}
        bounds = envelope(self, problem)
        return {
            "sampler": "tree",
            "boxes_opened": bounds.opened,
            "boxes": bounds.low.shape[0],
            "acceptance": bounds.acceptance,
        }

    def _steps(self, problem: HeavyTailedProblem) -> Steps:
        return steps(problem.theta, SHARES[self.calibration] * self.epsilon)

    def _cube(self, problem: HeavyTailedProblem) -> float:
        return (2.0 * self.net(problem).resolution + 1.0) ** problem.d


@lru_cache(maxsize=4)
def envelope(mechanism: ExponentialMechanism, problem: HeavyTailedProblem) -> tree.Envelope:
    """The tree sampler's envelope of a problem: a function of the data and the parameters alone."""
    with one_blas_thread():
        return tree.envelope(
            problem, mechanism.net(problem), mechanism.iota(problem), mechanism.weight(problem), boxes=mechanism.boxes
        )


@lru_cache(maxsize=4)
def _integers(mechanism: ExponentialMechanism, problem: HeavyTailedProblem) -> tuple[np.ndarray, np.ndarray]:
    if mechanism._cube(problem) > ENUMERABLE:
        mechanism.log_probabilities(problem)  # says so
    points = mechanism.net(problem).points()
    return points, integer_exponents(mechanism._steps(problem), problem, points, mechanism.iota(problem))


@lru_cache(maxsize=4)
def _enumerated(mechanism: ExponentialMechanism, problem: HeavyTailedProblem) -> tuple[np.ndarray, np.ndarray]:
    points, logs = mechanism.log_probabilities(problem)
    cumulative = np.cumsum(np.exp(logs))
    return points, cumulative / cumulative[-1]
