"""Boosting: chunks, the law of the choice, scales and guarantees with planted errors; formulas of appendix D."""

import math
from dataclasses import replace

import numpy as np
import pytest
from frequencies import frequencies_agree
from naive import selection as naive
from registry import problem
from scipy.integrate import quad

from dpbench.core import validation
from dpbench.core.sampling import stream
from dpbench.ledger.statement import Real
from dpbench.papers.glm import theory_selection as theory
from dpbench.papers.glm.algorithms.boosting import Boosting
from dpbench.papers.glm.algorithms.noisy_gd import NoisyGD
from dpbench.papers.glm.algorithms.output_perturbation import OutputPerturbation
from dpbench.papers.glm.algorithms.scoring import clipped_risk
from dpbench.papers.glm.populations import ScaledBasis
from dpbench.papers.glm.theorems import theorem15

GD = NoisyGD(1.0, 1e-5, steps=8)


def informative(n):
    return ScaledBasis.even("squared", 2, 2, 1.0, radius=1.0).draw(n, stream("boosting data", n))


@pytest.mark.kernel
def test_the_choice_has_the_law_of_report_noisy_max():
    """With a base without noise the models are fixed, and so are the chances; see `frequencies_agree`."""
    data = informative(40)
    made = Boosting(NoisyGD(1.0, 1e-5, steps=20, step_size=0.2, noise_scale=0.0), 30.0, 1e-5, models=3)
    chosen, models = made.choose(data, 20_000, stream("boosting"))
    losses = [float(clipped_risk(data.records(30, 40), w[:1], 1.0)[0]) for w in models]
    chances = np.array(naive.noisy_max(losses, made.scale(data)))
    counts = np.bincount(chosen, minlength=3)
    assert np.ptp(chances) > 0.05
    assert frequencies_agree(counts, chances)
    assert not frequencies_agree(counts, np.array(naive.noisy_max(losses, 1.5 * made.scale(data))))
    outputs = made(data, 20_000, stream("boosting"))
    assert np.array_equal(outputs, models[chosen, np.arange(20_000)])


def test_in_exact_arithmetic_a_choice_with_hardly_any_noise_is_the_best_model():
    data = informative(40)
    made = Boosting(OutputPerturbation(1.0, 1e-5, noise_scale=0.5), 1e7, 1e-5, models=3, arithmetic="exact")
    chosen, models = made.choose(data, 60, stream("exact"))
    risks = np.array([clipped_risk(data.records(30, 40), w, 1.0) for w in models])
    assert risks[chosen, np.arange(60)] == pytest.approx(risks.min(axis=0), abs=1e-5) and set(chosen) == {0, 1, 2}


@pytest.mark.kernel
def test_each_model_sees_its_own_chunk_and_none_the_last():
    data, made = informative(40), Boosting(replace(GD, noise_scale=0.0), 1.0, 1e-5, models=3)
    before = made.choose(data, 1, stream("m"))[1][:, 0]
    for chunk in range(4):
        x, y = data.X[10 * chunk], -float(data.y[10 * chunk])
        after = made.choose(data.replace_record(10 * chunk, x, y), 1, stream("m"))[1][:, 0]
        changed = [not np.array_equal(a, b) for a, b in zip(before, after, strict=True)]
        assert changed == [i == chunk for i in range(3)]


def test_scales():
    data, made = problem("squared"), Boosting(GD, 1.0, 1e-5, models=3)
    assert made.sensitivity(data) == pytest.approx(9.0 / 10.0) and made.scale(data) == pytest.approx(1.8)
    printed = Boosting(GD, 1.0, 1e-5, models=3, calibration="printed")
    assert printed.scale(data) == pytest.approx(math.sqrt(4.0 * (1.0 + 2.0 * 4.0) / 40.0))
    assert printed.mechanism().epsilon == 0.5 and printed.mechanism().delta == 1e-5
    perturbed = replace(printed, base=OutputPerturbation(1.0, 1e-5))
    sigma = perturbed.mechanism().sigma(data.records(0, 10))
    assert perturbed.scale(data) == pytest.approx(math.sqrt(4.0 * (1.0 + 2.0 * (4.0 + sigma**2)) / 40.0))
    with pytest.raises(validation.InvalidInput, match=r"^loss must be smooth and non-negative"):
        printed.sample(problem("absolute"), 3)
    assert Boosting(GD, 1.0, 1e-5).number_of_models() == theory.boosting_models_corrected(0.05) == 4
    assert replace(printed, models=None).number_of_models() == theory.boosting_models(0.05) == 18


@pytest.mark.parametrize("base", [GD, OutputPerturbation(1.0, 1e-5)], ids=repr)
def test_guarantee_follows_what_is_in_use(base):
    data, made = problem("logistic"), Boosting(base, 1.0, 1e-5, models=3)
    assert made.guarantee(data).delta(1.0) <= 1e-5
    halved = replace(made, noise_scale=0.5 * made.scale(data))
    assert halved.guarantee(data).epsilon(1e-5) == pytest.approx(2.0, rel=1e-4)
    assert replace(made, noise_scale=0.0).guarantee(data).delta(9.0) == 1.0
    sigma = made.mechanism().sigma(data.records(0, 10))
    assert replace(made, base=replace(base, noise_scale=0.5 * sigma)).guarantee(data).delta(1.0) > 1e-4


def test_moment_of_a_perturbed_point():
    """The left side of Theorem 15's condition, with a γ that is large enough to be finite."""
    moment = theorem15.MOMENT.replace(symbols={"gamma2": Real("gamma^2", 0, 100)}, where={"gamma2": None}, witness=None)
    for radius, noise, gamma in ((1.0, 0.5, 2.0), (0.3, 1.0, 2.5), (2.0, 0.01, 1.5)):
        want = quad(
            lambda z: math.exp((radius + noise * z) ** 2 / gamma**2 - 0.5 * z * z) / math.sqrt(2.0 * math.pi),  # noqa: B023
            -60.0, 60.0, epsabs=0.0, epsrel=1e-11, limit=500, points=[0.0, radius],
        )[0]  # fmt: skip
        found = moment.number(moment.claim.parts["left"], B=radius, sigma=noise, gamma2=gamma**2)
        assert found == pytest.approx(want, rel=1e-8)
    assert theorem15.MOMENT.number(moment.claim.parts["left"], B=1.0, sigma=0.0) == pytest.approx(math.e)


def test_the_corrected_rate_of_grid_search_by_hand():
    exact = theory.grid_search_rate_corrected(1.0, 9.0, 4.0, 2.0, 1_000, 10, 0.5, 0.05)
    t = math.log(800.0)
    want = math.sqrt(72.0 * t / 500) + math.sqrt(36.0 * t / 500) + 9.0 * t / 1500
    want += 4.0 * (9.0 / 500) * math.log(880.0) / 0.5
    assert exact == pytest.approx(min(4.0, 1.0 + want))
