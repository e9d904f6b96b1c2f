"""Private grid search over the radius: Algorithm 4 of the GLM paper (Theorems 7 and 8)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import lru_cache, partial
from typing import Annotated, Any

import numpy as np

from dpbench.core import validation
from dpbench.core.sampling import block_of
from dpbench.papers.glm import theory_selection as theory
from dpbench.papers.glm.algorithms.scoring import (
    Base,
    Selection,
    clipped_risk,
    loss_range,
    loss_width,
    pair_or_guarantee,
    prediction_bound,
    split,
)
from dpbench.papers.glm.problem import GLMProblem, glm_problem
from dpbench.privacy import composition, gaussian, selection
from dpbench.privacy.mechanism import (
    Calibration,
    Count,
    Epsilon,
    FloatArithmetic,
    Fraction,
    PositiveDelta,
    single_change,
)
from dpbench.privacy.profile import Profile, gaussian_profile


@dataclass(frozen=True)
class PrivateGridSearch(Selection):
    """w_j = base(S₁) at radius 2^j, j = 1, …, K, and w_0 = 0; GenExpMech picks one by its penalised loss on S₂.

    S₁ is the first half of the records, S₂ the rest. The radius of the problem is not used.

    Parameters
    ----------
    base : mechanism
        Trains one candidate, for example ``NoisyGD(1.0, 1e-5)``: a frozen dataclass whose epsilon and delta are
        replaced here, and whose radius comes from its problem. Its calibration is its own.
    epsilon, delta : float
        The (ε, δ) of the whole, δ in (0, 1).
    beta : float
        Failure probability β in (0, 1); sets the penalties.
    candidates : int, optional
        K; default the least that Theorem 7 asks for ("printed": Theorem 8's K with constant 1).
    calibration : {"exact", "printed"}
        "printed": GenExpMech's sensitivities are Δ(B_j) = ‖Y‖² + HB_j²‖X‖² of Lemma 9 though the scores are
        means, and the penalties those of line 6. "exact": (sup − inf of the loss over the ball)/|S₂|, and
        penalties for which Theorem 7's argument holds; over the JL method the ball is that of R^k (appendix C.4).
    composition : {"tight", "parallel", "basic"}, optional
        Shares of the budget. "basic" (the default of "printed"): ε/2 for the choice, (ε/2K, δ/2K) for each
        candidate, as Theorem 7 has it. "parallel": ε for the choice and (ε/K, δ/K) for each candidate, since S₁
        and S₂ are disjoint (Theorem 8). "tight" (the default of "exact"): as "parallel", and K Gaussian bases
        are composed as Gaussians, so that each gets μ(ε, δ)/√K; for another base the same as "parallel".
    arithmetic : "float"
        "exact" is refused: it is for noise that is added once.

    Notes
    -----
    Losses are clipped to their range over the ball, so that privacy does not rest on an event of high
    probability. Outputs inside the ball are never clipped. A trial costs K of the base, and K losses over S₂: O(d²)
    for a quadratic loss of outputs in the ball, whatever n.
    """

    base: Base
    epsilon: Epsilon
    delta: PositiveDelta
    _: KW_ONLY
    beta: Fraction = 0.05
    candidates: Count | None = None
    calibration: Calibration = "exact"
    composition: Annotated[str, partial(validation.choice, options=("tight", "parallel", "basic"))] | None = None
    arithmetic: FloatArithmetic = "float"

    def radii(self, problem: GLMProblem) -> tuple[float, ...]:
        """B_j = 2^j for j = 1, …, K."""
        return tuple(2.0**j for j in range(1, self._count(glm_problem(problem)) + 1))

    def shares(self, problem: GLMProblem) -> tuple[float, float, float]:
        """ε of the choice, and (ε, δ) of the base for each candidate."""
        count = self._count(glm_problem(problem))
        scheme = self.composition or ("basic" if self.calibration == "printed" else "tight")
        if scheme == "basic":
            return 0.5 * self.epsilon, 0.5 * self.epsilon / count, 0.5 * self.delta / count
        base = self.epsilon / count, self.delta / count
        if scheme == "tight":
            training, _ = self._parts(problem)
            each = replace(self.base, epsilon=base[0], delta=base[1])
            if each.guarantee(training[0]).mu is not None:
                base = gaussian_share(self.epsilon, self.delta, count)
        return self.epsilon, *base

    def sensitivities(self, problem: GLMProblem) -> np.ndarray:
        """γ_0 = 0, γ_1, …, γ_K as given to GenExpMech, shape (K + 1,)."""
        if self.calibration == "exact":
            return self._moved(glm_problem(problem))
        p, y = problem, _size(glm_problem(problem))
        if not p.loss.smooth_nonnegative:
            raise validation.invalid("loss", "smooth and non-negative for Theorem 7", p.loss.name)
        bounds = [theory.ball_loss_bound(p.loss.smoothness, p.x_bound, y, radius) for radius in self.radii(p)]
        return np.array([0.0, *bounds])

    def penalties(self, problem: GLMProblem) -> np.ndarray:
        """What is added to the losses of w_1, …, w_K, shape (K,)."""
        count = self._count(glm_problem(problem))
        if self.calibration == "printed":
            bounds, y = self.sensitivities(problem)[1:], _size(problem)
            return np.array([theory.score_penalty(b, y, problem.n, count, self.beta) for b in bounds])
        validating = self._parts(problem)[1]
        records, at_zero = validating[0].n, problem.loss.at_zero(problem.y_bound)
        values = []
        for part, reach in zip(validating, self._reaches(problem), strict=True):
            low, _ = loss_range(part.loss, part.y_bound, reach)
            width = loss_width(part, reach)
            values.append(theory.score_penalty_corrected(width, at_zero - low, records, count, self.beta))
        return np.array(values)

    def mechanism(self, problem: GLMProblem) -> Any:
        """The base at its share of the budget."""
        _, epsilon, delta = self.shares(problem)
        return replace(self.base, epsilon=epsilon, delta=delta)

    def _guarantee(self, problem: GLMProblem) -> Profile:
        """The larger of training on S₁ and choosing on S₂, which are disjoint.

        None for "add_remove": the cut between S₁ and S₂ is at ⌊n/2⌋, so that a record more may change both.
        """
        base, training = self.mechanism(problem), self._parts(problem)[0]
        fits = [base.guarantee(part) for part in training]
        levels = [base.epsilon] * len(fits)
        return composition.parallel([composition.at_levels(fits, levels), self._choice(problem)])

    def pair_profile(self, problem: GLMProblem, neighbour: GLMProblem) -> Profile:
        """An upper profile of one pair: as `guarantee`, for the half in which the two differ."""
        single_change(glm_problem(problem), neighbour)
        base = self.mechanism(problem)
        halves = zip(self._parts(problem), self._parts(neighbour), strict=True)
        (train, train_other), (judge, judge_other) = halves
        parts = [gaussian_profile(0.0, kind="upper", why="records that do not differ")]
        if train[0] != train_other[0]:
            pairs = [pair_or_guarantee(base, part, other) for part, other in zip(train, train_other, strict=True)]
            parts.append(composition.at_levels(pairs, [base.epsilon] * len(pairs)))
        if judge[0] != judge_other[0]:
            parts.append(self._choice(problem))
        return composition.parallel(parts)

    def scores(self, problem: GLMProblem, outputs: Sequence[np.ndarray]) -> np.ndarray:
        """φ₀ and the penalised losses on S₂ of the candidates w_1, …, w_K, each (trials, d): (trials, K + 1)."""
        trials, judged = outputs[0].shape[0], self._parts(problem)[1]
        reaches = np.repeat(self._reaches(problem), trials)
        risks = clipped_risk(judged[0], np.concatenate(outputs), reaches).reshape(-1, trials)
        at_zero = np.full(trials, problem.loss.at_zero(problem.y_bound))
        return np.column_stack([at_zero, risks.T + self.penalties(problem)])

    def _chosen(self, problem: GLMProblem, width: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """The number 0 stands for w = 0."""
        base, level = self.mechanism(problem), self.shares(problem)[0]
        models = [block_of(base, part, width, rng) for part in self._parts(problem)[0]]
        gammas = self.sensitivities(problem)
        logs = selection.generalized_exponential(self.scores(problem, models), gammas, level, 0.25 * self.beta)
        return selection.draw(logs, rng), np.stack([np.zeros_like(models[0]), *models])

    def _count(self, problem: GLMProblem) -> int:
        if self.candidates is not None:
            return self.candidates
        p, loss, y = problem, problem.loss, _size(problem)
        if not loss.smooth_nonnegative:
            slope = loss.derivative_bound(0.0, p.y_bound)
            return theory.lipschitz_grid_size(slope, p.x_bound, max(y, p.y_bound * slope), p.n)
        size = theory.smooth_grid_size_corrected
        if self.calibration == "printed":
            size = theory.smooth_grid_size
        return size(loss.smoothness, p.x_bound, y, p.n, self.epsilon)

    def _parts(self, problem: GLMProblem) -> tuple[tuple[GLMProblem, ...], ...]:
        """S₁ and S₂, each at every radius."""
        return split(problem, 2, self.radii(problem))

    def _moved(self, problem: GLMProblem) -> np.ndarray:
        """What one record of S₂ can move each score, shape (K + 1,)."""
        each = zip(self._parts(problem)[1], self._reaches(problem), strict=True)
        return np.array([0.0, *(loss_width(part, reach) / part.n for part, reach in each)])

    def _reaches(self, problem: GLMProblem) -> list[float]:
        """For each candidate, |⟨w, x⟩| up to which its losses are not clipped."""
        base = self.mechanism(problem)
        return [prediction_bound(base, part) for part in self._parts(problem)[0]]

    def _choice(self, problem: GLMProblem) -> Profile:
        """GenExpMech with the sensitivities in use, from the true ones."""
        excess = float((self._moved(problem)[1:] / self.sensitivities(problem)[1:]).max())
        return selection.generalized_exponential_guarantee(self.shares(problem)[0], excess)


@lru_cache(maxsize=1024)
def gaussian_share(epsilon: float, delta: float, count: int) -> tuple[float, float]:
    """(ε', δ/K) at which a Gaussian mechanism has μ(ε, δ)/√K, so that K of them compose to (ε, δ)."""
    share = gaussian.mu(epsilon, delta) / math.sqrt(count)
    return gaussian.epsilon(delta / count, share), delta / count


def _size(problem: GLMProblem) -> float:
    """‖Y‖: the root of φ(0) where the loss is smooth, φ(0) itself where it is Lipschitz only."""
    at_zero = problem.loss.at_zero(problem.y_bound)
    return math.sqrt(at_zero) if math.isfinite(problem.loss.smoothness) else at_zero
