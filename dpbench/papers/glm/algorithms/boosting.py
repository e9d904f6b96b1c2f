"""Boosting of the confidence: Algorithm 5 of the GLM paper (Theorems 13 to 15)."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

import numpy as np

from dpbench.core import validation
from dpbench.core.bits import Source
from dpbench.core.sampling import block_of
from dpbench.papers.glm import theory_selection as theory
from dpbench.papers.glm.algorithms.jl import JLMethod
from dpbench.papers.glm.algorithms.output_perturbation import OutputPerturbation
from dpbench.papers.glm.algorithms.scoring import (
    Base,
    LossGrid,
    Selection,
    clipped_risk,
    integer_risk,
    loss_grid,
    loss_width,
    pair_or_guarantee,
    prediction_bound,
    split,
)
from dpbench.papers.glm.problem import GLMProblem, glm_problem
from dpbench.privacy import composition, integer_choice, selection
from dpbench.privacy.mechanism import (
    Arithmetic,
    Calibration,
    Count,
    Epsilon,
    Fraction,
    NoiseScale,
    PositiveDelta,
    single_change,
)
from dpbench.privacy.profile import Profile, gaussian_profile


@dataclass(frozen=True)
class Boosting(Selection):
    """m models on the first m of m + 1 chunks; report noisy max of their losses on the last picks one.

    Parameters
    ----------
    base : mechanism
        Trains one model: a frozen dataclass whose epsilon and delta are replaced here.
    epsilon, delta : float
        The (ε, δ) of the whole, δ in (0, 1).
    beta : float
        Failure probability β in (0, 1): sets m.
    models : int, optional
        m; default ⌈log₄(4/β)⌉ ("printed": ⌈4 log(4/β)⌉).
    calibration : {"exact", "printed"}
        "printed": base at (ε/2, δ) and the Laplace scale σ̃ = √(4(‖Y‖² + H̃γ²‖X‖²)/(nε)) of Theorem 13, with
        γ = B, for output perturbation √(B² + σ²), for the JL method 2B. "exact": base at (ε, δ), as the chunks are
        disjoint, and the scale 2Δ/ε, Δ = (sup − inf of the loss over the ball)/|last chunk|.
    noise_scale : float, optional
        The Laplace scale itself, in place of either calibration.
    arithmetic : {"float", "exact"}
        "exact": the base in exact arithmetic, losses summed in integers and discrete Laplace noise, of a scale rounded
        up by at most a step (`privacy.integer_choice`).

    Notes
    -----
    The printed algorithm also trains a model on the last chunk, which can never be selected: it is not trained
    here, and the law of the output is the same. Losses are clipped to their range over the ball: condition 3 of
    Theorem 13 bounds them for a random record only, where privacy needs the worst one.

    A trial costs m runs of the base on n/(m + 1) records, and m losses.
    """

    base: Base
    epsilon: Epsilon
    delta: PositiveDelta
    _: KW_ONLY
    beta: Fraction = 0.05
    models: Count | None = None
    calibration: Calibration = "exact"
    noise_scale: NoiseScale | None = None
    arithmetic: Arithmetic = "float"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.arithmetic == "exact":
            if not hasattr(self.base, "arithmetic"):
                must_be = "a mechanism with a field arithmetic where that is 'exact'"
                raise validation.invalid("base", must_be, self.base)
            replace(self.base, arithmetic="exact")  # or it is refused in the base's words

    def number_of_models(self) -> int:
        """m."""
        if self.models is not None:
            return self.models
        count = theory.boosting_models if self.calibration == "printed" else theory.boosting_models_corrected
        return count(self.beta)

    def mechanism(self) -> Any:
        """The base at its share of the budget."""
        epsilon = 0.5 * self.epsilon if self.calibration == "printed" else self.epsilon
        exact = {"arithmetic": "exact"} if self.arithmetic == "exact" else {}
        return replace(self.base, epsilon=epsilon, delta=self.delta, **exact)

    def prediction_bound(self, problem: GLMProblem) -> float:
        """|⟨w, x⟩| up to which no loss is clipped: the largest that the base has on a chunk."""
        base = self.mechanism()
        return max(prediction_bound(base, chunk) for chunk in self._chunks(problem)[:-1])

    def sensitivity(self, problem: GLMProblem) -> float:
        """Δ: what one record of the last chunk can move a clipped mean loss."""
        last = self._chunks(problem)[-1]
        if self.arithmetic == "exact":
            grid = self._grid(problem)
            return grid.width * grid.spacing / last.n
        return loss_width(last, self.prediction_bound(problem)) / last.n

    def scale(self, problem: GLMProblem) -> float:
        """The Laplace scale in use."""
        if self.noise_scale is not None:
            return self.noise_scale
        if self.calibration == "exact":
            return selection.noisy_max_scale(self.sensitivity(problem), self.epsilon)
        p = glm_problem(problem)
        if not p.loss.smooth_nonnegative:
            raise validation.invalid("loss", "smooth and non-negative for Theorem 13", p.loss.name)
        y = math.sqrt(p.loss.at_zero(p.y_bound))
        return theory.boosting_scale(p.loss.smoothness, p.x_bound, y, self._sub_gaussian(p), p.n, self.epsilon)

    def _guarantee(self, problem: GLMProblem) -> Profile:
        """The largest over the chunks, which are disjoint.

        None for "add_remove": the cuts are at ⌊in/(m + 1)⌋, so that a record more moves one record across nearly every
        cut, and no part of the budget is shared any longer.
        """
        base, chunks = self.mechanism(), self._chunks(problem)
        trained = {chunk.n: base.guarantee(chunk) for chunk in chunks[:-1]}
        return composition.parallel([*trained.values(), self._choice(problem)])

    def pair_profile(self, problem: GLMProblem, neighbour: GLMProblem) -> Profile:
        """An upper profile of one pair: as `guarantee`, for the chunk in which the two differ."""
        single_change(glm_problem(problem), neighbour)
        base, chunks, others = self.mechanism(), self._chunks(problem), self._chunks(neighbour)
        parts = [gaussian_profile(0.0, kind="upper", why="records that do not differ")]
        parts += [
            pair_or_guarantee(base, chunk, other)
            for chunk, other in zip(chunks[:-1], others[:-1], strict=True)
            if chunk != other
        ]
        if chunks[-1] != others[-1]:
            parts.append(self._choice(problem))
        return composition.parallel(parts)

    def _chosen(self, problem: GLMProblem, width: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        base, chunks = self.mechanism(), self._chunks(problem)
        candidates = np.stack([block_of(base, chunk, width, rng) for chunk in chunks[:-1]])
        if self.arithmetic == "exact":
            sums = np.column_stack([integer_risk(chunks[-1], w, self._grid(problem)) for w in candidates])
            return integer_choice.report_noisy_max(Source(rng), sums, self._steps(problem)), candidates
        reach = self.prediction_bound(problem)
        losses = clipped_risk(chunks[-1], candidates.reshape(-1, problem.d), reach).reshape(len(candidates), -1)
        return selection.report_noisy_max(np.ascontiguousarray(losses.T), self.scale(problem), rng), candidates

    def _chunks(self, problem: GLMProblem) -> list[GLMProblem]:
        radius = glm_problem(problem).radius
        return [parts[0] for parts in split(problem, self.number_of_models() + 1, (radius,))]

    def _sub_gaussian(self, problem: GLMProblem) -> float:
        """γ as Theorems 14 and 15 have it."""
        base = self.mechanism()
        if isinstance(base, JLMethod):  # w̃ lies in the ball of radius 2B
            return 2.0 * problem.radius
        if not isinstance(base, OutputPerturbation):
            return problem.radius
        return theory.perturbed_sub_gaussian(problem.radius, base.sigma(self._chunks(problem)[0]))

    def _grid(self, problem: GLMProblem) -> LossGrid:
        return loss_grid(self._chunks(problem)[-1], self.prediction_bound(problem))

    def _steps(self, problem: GLMProblem) -> int:
        """The scale of the noise in steps of the grid."""
        last = self._chunks(problem)[-1]
        return integer_choice.noisy_max_scale(self.scale(problem) * last.n / self._grid(problem).spacing)

    def _choice(self, problem: GLMProblem) -> Profile:
        if self.arithmetic == "exact":
            return selection.noisy_max_guarantee(self._grid(problem).width, self._steps(problem))
        return selection.noisy_max_guarantee(self.sensitivity(problem), self.scale(problem))
