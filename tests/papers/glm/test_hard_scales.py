"""The hardest scales of the GLM paper's rates: how much a finer search finds beyond powers of two."""

import math

import numpy as np
import pytest

from dpbench.papers.glm.algorithms.output_perturbation import OutputPerturbation
from dpbench.papers.glm.populations import ScaledBasis
from dpbench.papers.glm.theorems.hard_scales import (
    DELTA,
    SCALES,
    hardest_scale,
    noisy_gd_excess,
    output_perturbation_envelope,
    output_perturbation_excess,
)
from dpbench.papers.glm.theorems.rates_noisy_gd import step_and_noise


def finer(excess, n, most):
    """The largest excess over eight numbers of coordinates an octave."""
    numbers = {round(2.0 ** (k / 8.0)) for k in range(int(8.0 * math.log2(most)) + 1)} | {most}
    return max(excess(active, float(p)) for active in numbers for p in np.geomspace(1.0 / n, 1.0, 40))


def test_a_finer_search_gains_less_than_what_the_rates_allow():
    """Planted: a share of 2% would be too small at n = 8,000, where output perturbation gains 2.6%."""
    gained = []
    for n, d, epsilon in ((2000, 21, 0.2), (8000, 54, 0.2), (576, 24, None)):
        eta, sigma = step_and_noise(n, d, epsilon)
        best = hardest_scale("squared", n, d, eta, sigma)
        known = best.excess
        assert best.zero == pytest.approx(best.fraction / best.active)
        found = finer(lambda k, p, n=n, e=eta, s=sigma: noisy_gd_excess("squared", n, k, p, e, s, steps=n), n, d)
        gained.append(found / known)
    for n in (4000, 8000):
        method = OutputPerturbation(0.2, DELTA)
        problem = ScaledBasis.even("squared", 2, 1, 1.0).draw(n, np.random.default_rng(0))
        lam, sigma = method.lam(problem), method.sigma(problem)

        def below_zero(k, p, n=n, lam=lam, sigma=sigma):
            made = output_perturbation_excess(n, k, p, lam, sigma)
            return made if made < p / k else 0.0

        best = output_perturbation_envelope(n, lam, sigma)
        known = best.excess
        assert best.active > 1 and best.zero == pytest.approx(best.fraction / best.active)
        gained.append(finer(below_zero, n, int(4.0 / lam) + 1) / known)
    assert min(gained) >= 1.0 and 1.02 < max(gained) < 1.0 + SCALES.share
