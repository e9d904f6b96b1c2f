"""Noise that is added once, from integers: a centre rounded to a grid, whole steps of noise, and their privacy.

An output is a function of the integers round(c_j/g) + N_j, so that the guarantee is of the numbers that come out:
whatever floating point computes of them afterwards sees nothing else of the records. Rounding moves each of two
centres by at most half a step in each of m coordinates: they end up at most √m·g further apart in ℓ2, m·g in ℓ1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpbench.core import validation
from dpbench.core.bits import Source
from dpbench.privacy import integer_laplace, integer_noise
from dpbench.privacy.profile import Profile, pure_profile, shifted_gaussian

_UP = 1.0 + 1e-14  # above the rounding of a distance


@dataclass(frozen=True)
class StepNoise:
    """A law of noise in whole steps of a grid.

    Attributes
    ----------
    noise : {"gaussian", "laplace"}
    spacing : float
        g, a power of two.
    size : float
        In steps: σ of the discrete Gaussian, or t, an integer, of the discrete Laplace law.
    """

    noise: str
    spacing: float
    size: float

    def draw(self, source: Source, count: int) -> np.ndarray:
        """`count` variables in steps, int64."""
        if self.noise == "gaussian":
            return integer_noise.gaussian(source, self.size, count)
        return integer_laplace.laplace(source, int(self.size), count)

    def around(self, centre: np.ndarray, bound: float, rng: Any, trials: int) -> np.ndarray:
        """The centre, whose coordinates are cut to ±`bound`, plus noise, `trials` times: shape (trials, m)."""
        steps = integer_noise.to_grid(centre, self.spacing, bound)
        draws = self.draw(Source(rng), trials * centre.size).reshape(trials, -1)
        return np.asarray((steps + draws) * self.spacing)

    def profile(self, moved: float, m: int, why: str) -> Profile:
        """Upper profile for centres of m coordinates that are `moved` apart, in ℓ2 (Gaussian) or ℓ1 (Laplace)."""
        if self.noise == "gaussian":
            apart = (moved + math.sqrt(m) * self.spacing) * _UP
            plain = shifted_gaussian(apart, self.size * self.spacing, kind="upper", why=f"{why}, rounded to a grid")
            return integer_noise.blurred(plain, m * integer_noise.distance_from_rounded(self.size))
        lost = (moved + m * self.spacing) / (self.size * self.spacing) * (1.0 + 1e-12)
        return pure_profile(lost, why=f"{why}, rounded to a grid")


def step_noise(noise: str, scale: float, finest: float = 1e300) -> StepNoise:
    """Noise of this standard deviation (Gaussian) or at least this scale (Laplace, steps of at most `finest`)."""
    if noise == "gaussian":
        grid = integer_noise.gaussian_grid(scale)
        return StepNoise(noise, grid.spacing, grid.sigma)
    spacing, size = integer_laplace.laplace_grid(scale, finest)
    return StepNoise(noise, spacing, float(size))


def scale_for(noise: str, moved: float, m: int, epsilon: float, delta: float) -> float:
    """A scale whose `StepNoise.profile` satisfies (ε, δ).

    A step of the Laplace grid is at most 2⁻¹⁹ of the scale b: (moved + m·b·2⁻¹⁹)/b ≤ ε for b ≥ moved/(ε − m·2⁻¹⁹).

    Raises
    ------
    InvalidInput
        Where rounding m coordinates to the grid costs ε or more (Laplace), or δ or more (Gaussian).
    """
    if noise == "gaussian":
        return integer_noise.gaussian_deviation(moved, math.sqrt(m), m, epsilon, delta)
    rounding = m * integer_laplace.LARGEST_STEP
    room = epsilon * (1.0 - 1e-9) - rounding
    if not room > 0.0:
        what = f"above {rounding:.3g} for {m} coordinates of exact Laplace noise"
        raise validation.invalid("epsilon", what, epsilon)
    return moved / room
