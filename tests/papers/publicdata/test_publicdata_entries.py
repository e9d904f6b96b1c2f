"""The ledger of the public-data paper: numbers of the derivations, and planted errors."""

import math
from itertools import pairwise, product

import numpy as np
import pytest
from declared import found, measured
from publicdata_instances import planted

from dpbench.ledger.measurement import inequality_verdict
from dpbench.ledger.statement import inequality
from dpbench.papers.publicdata import theory
from dpbench.papers.publicdata.algorithms import regularized_perturbation, rrspm
from dpbench.papers.publicdata.theorems import (
    algorithm2,
    algorithm3,
    algorithm4,
    lemma2,
    lemmas1_7,
    lemmas3_9,
    lemmas4_8_12,
    lemmas18_19,
    lemmas22_23,
    parity_cube,
    sweeps,
    theorem4_privacy,
    theorem8,
    two_functions,
)


def test_gaussian_weights_are_refuted_exactly_and_by_sampling():
    """d = m = 4096: exact 10.55; above 2 for an m ≥ 4d; the mechanism itself at 256."""
    _, evidence = found("publicdata.thm4.privacy")
    assert evidence.value == pytest.approx(10.554, abs=0.001)
    (through,) = evidence.tables["attacks"]["attack_epsilon_lower"]
    rows = list(zip(*(evidence.column(k) for k in ("d", "m", "epsilon_tilted")), strict=True))
    assert max(e for d, m, e in rows if m >= 4 * d) > 2.0
    assert through > parity_cube.EPSILON
    equal = evidence.tables["d = m"]
    assert dict(zip(equal["m"], equal["laplace"], strict=True))[4096.0] == pytest.approx(1.0, rel=1e-10)
    assert max(equal["exact"]) <= 1.0


def test_the_sum_has_the_numbers_of_the_derivation():
    _, evidence = found("publicdata.alg3.privacy")
    assert evidence.value == pytest.approx(3.527, abs=0.001)
    at = evidence.column("n").index(10_001.0)
    assert evidence.column("atom")[at] == pytest.approx(0.5) and evidence.column("atom_neighbour")[at] < 0.015
    assert evidence.column("epsilon_reached")[0] < 1.0  # n = 1,001: no violation


def test_weights_too_small_are_not_proved(context, monkeypatch):
    honest = theory.rrspm_gaussian_scale
    monkeypatch.setattr(theory, "rrspm_gaussian_scale", lambda *a: 0.95 * honest(*a))
    assert measured(theorem4_privacy.gaussian_exact, context)[0] == "refuted"  # 5% less: beyond the pair at m = 4096
    monkeypatch.setattr(theory, "rrspm_laplace_scale", lambda m, epsilon: 1.99 * m / epsilon)
    assert measured(theorem4_privacy.laplace, context)[0] == "refuted"
    assert measured(theorem8.algorithm5, context)[0] == "refuted"


def test_a_choice_that_leaks_is_refuted(context, monkeypatch):
    """RRSPM that returns f̃ itself."""

    def leak(self, problem, trials, rng):
        scale = self.scale(problem)
        return algorithm4.weighted_minimisers(problem, "laplace", scale, rng, trials, trials)

    monkeypatch.setattr(rrspm.RRSPM, "__call__", leak)
    assert measured(algorithm4.ties_corrected, context)[0] == "refuted"


def test_too_little_noise_of_perturb_is_not_proved(context, monkeypatch):
    honest = theory.perturb_scale
    monkeypatch.setattr(theory, "perturb_scale", lambda *a: 0.999 * honest(*a))
    assert measured(lemmas3_9.exact, context, "gaussian")[0] == "refuted"
    assert measured(lemmas3_9.exact, context, "laplace")[0] == "refuted"
    assert measured(algorithm3.averaged, context)[0] != "proved"


def test_too_little_noise_of_algorithm2_is_not_proved(context, monkeypatch):
    """γ 0.1% too small has no guarantee; a quarter of (104)'s has none either; a tenth of Algorithm 2's is broken."""
    honest = theory.perturb_scale
    monkeypatch.setattr(theory, "perturb_scale", lambda *a: 0.999 * honest(*a))
    assert measured(algorithm2.averaged, context)[0] == "not refuted"
    monkeypatch.setattr(theory, "perturb_scale", lambda *a: 0.1 * honest(*a))
    assert measured(algorithm2.averaged, context)[0] == "refuted"
    printed = theory.perturb_scale_printed
    monkeypatch.setattr(theory, "perturb_scale_printed", lambda *a: 0.25 * printed(*a))
    assert measured(algorithm3.lemma11, context, "gaussian")[0] == "not refuted"
    assert measured(algorithm3.lemma11, context, "laplace")[0] == "not refuted"


def test_the_law_of_two_functions_is_that_of_the_mechanism():
    """{1, −1}, J = 3: the share of 1 in 100,000 outputs against the profile; false alarm 1e-6, errors of 0.014 caught.

    Null: the share is binomial with the chance of the profile's first outcome. Planted: a shift a tenth too large.
    """
    problem, _ = two_functions.two_signs(11, 2)
    mechanism = algorithm2.AveragedPerturbation(1.0, 1e-5, calls=3, perturbation=0.1, noise_scale=1.0)
    share = float((mechanism(problem, 100_000, np.random.default_rng(5))[:, 0] == 0.0).mean())
    allowed = 4.9 * math.sqrt(0.25 / 100_000)
    exact, planted = (
        0.5 + 0.5 * two_functions.signs_profile(shift / (11.0 * 0.1), 3, 2, 1.0).delta(0.0) for shift in (1.0, 1.1)
    )
    assert abs(share - exact) < allowed < abs(share - planted)


def test_a_worse_pair_at_one_point_is_not_found():
    """`at_one_point` is at least every pair of centres ρ apart or closer, in either direction."""
    rng = np.random.default_rng(3)
    for _ in range(300):
        rho, gamma, epsilon = rng.uniform(0.05, 2.0), 10.0 ** rng.uniform(-1.0, 1.0), 10.0 ** rng.uniform(-1.0, 0.7)
        low = rng.uniform(-1.0, 1.0 - 1e-9)
        high = min(1.0, low + rng.uniform(0.0, rho))
        pair = algorithm3.clipped_gaussians(low, high, gamma)
        assert pair.delta(epsilon) <= algorithm3.at_one_point(rho, gamma).delta(epsilon) * (1.0 + 1e-9)


def test_unions_of_intervals_exceed_lemma_22_with_constant_1():
    """All gaps with an interval for each point; with no more than the points ask for, those between unlike signs.

    At 384 intervals and 1,024 points each of 20 draws is above the bound with constant 1, and below that with 2.
    """
    gaps = [lemmas22_23.union_gap(1024, 384, np.random.default_rng(seed)) for seed in range(20)]
    bound = math.sqrt((768.0 + math.log(20.0)) / 1024.0)
    assert bound < min(gaps) and max(gaps) < 2.0 * bound
    assert lemmas22_23.union_gap(9, 10, np.random.default_rng(1)) == pytest.approx(1.0, abs=1e-12)
    rng = np.random.default_rng(2)
    x, signs = np.sort(rng.random(9)), [0, *rng.integers(0, 2, 9), 0]
    edges, asked = [0.0, *x, 1.0], sum(a < b for a, b in pairwise(signs))
    unlike = sum(edges[i + 1] - edges[i] for i in range(10) if signs[i] != signs[i + 1])
    assert lemmas22_23.union_gap(9, asked, np.random.default_rng(2)) == pytest.approx(unlike, abs=1e-12)


def test_the_noise_of_104_spends_at_most_half_of_delta():
    """What `algorithm3` proves of one and of two points, over all scales; a quarter of the noise spends more."""
    rng = np.random.default_rng(4)
    spent: dict[float, list[float]] = {1.0: [], 0.25: []}
    for _ in range(300):
        strength, epsilon, delta = (
            10.0 ** rng.uniform(-3.0, 6.0),
            10.0 ** rng.uniform(-3.0, 1.3),
            10.0 ** rng.uniform(-9, 0),
        )
        rho, twice = theory.regularized_stability(1, strength), theory.regularized_stability_printed(1, strength)
        for m, share in product((1, 2), spent):
            gamma = share * theory.perturb_scale_printed(m, twice, epsilon, 0.5 * delta, "gaussian")
            guarantee = algorithm3.at_one_point(rho, gamma) if m == 1 else algorithm3.upper_shift(m, rho, gamma)
            spent[share].append(guarantee.delta(epsilon) / delta)
    assert max(spent[1.0]) <= 0.5 < max(spent[0.25])


def test_a_stability_claimed_too_small_is_refuted(context, monkeypatch):
    honest = theory.regularized_stability
    monkeypatch.setattr(theory, "regularized_stability", lambda n, eta: 0.999 * honest(n, eta))
    assert measured(lemma2.stability, context, sharp=True)[0] == "refuted"
    assert measured(lemmas1_7.zero_norm, context)[0] == "not refuted"
    call = theory.one_call_stability
    monkeypatch.setattr(theory, "one_call_stability", lambda *a: 0.99 * call(*a))
    assert measured(lemmas1_7.zero_norm, context)[0] == "refuted"
    monkeypatch.setattr(theory, "one_call_stability", call)
    often = {"flip": "min(1, 3/strength)"}
    assert planted("lemma1.stability", where=often) == "refuted"
    assert planted("lemma7.stability.sharp", where=often) == "refuted"


def test_planted_errors_of_the_inequalities_are_refuted(context, monkeypatch):
    equal, two = "99/100*tau/(rho2*eta)*supremum", "99/100*8*tau/(rho^4*kappa^2*eta)*supremum"
    assert planted("thm5.inequality.equal-norms", where={"bound": equal}) == "refuted"  # lowered by 1%
    assert planted("prop1.inequality", where={"bound": two}) == "refuted"
    with monkeypatch.context() as plant:  # C = 0.02 for 1
        bracket = lemmas4_8_12.bracket
        plant.setattr(lemmas4_8_12, "bracket", lambda m: 0.02 * bracket(m))
        assert measured(lemmas4_8_12.comparison, context)[0] == "refuted"
    with monkeypatch.context() as plant:  # noise of three times the scale
        honest = lemmas4_8_12.laplace_norms
        plant.setattr(lemmas4_8_12, "laplace_norms", lambda *a: 3.0 * honest(*a))
        assert measured(lemmas4_8_12.laplace, context)[0] == "refuted"
    fifth = "6*lambda/(5*sqrt(n))*G + sqrt(2*log(1/beta)/n)"  # 6/5 for 6
    assert planted("lemma13.inequality.corrected", where={"bound": fifth}) == "refuted"
    less = inequality("nu", "<=", "mu/sigma^(8/10)")
    assert planted("lemma15.inequality.smoothness-sharp", claim=less) == "refuted"


def test_planted_errors_of_rrspm_s_lemmas_are_refuted(context, monkeypatch):
    assert planted("lemma19.inequality", claim=inequality("abs(r + 2) - abs(r)", "<=", "1.9")) == "refuted"
    with monkeypatch.context() as plant:  # errors that count double change a lead by more than the shift makes up for
        honest = lemmas18_19._least
        plant.setattr(lemmas18_19, "_least", lambda *a: 2.0 * honest(*a))
        assert measured(lemmas18_19.lemma18, context)[0] == "refuted"
    with monkeypatch.context() as plant:
        honest = lemmas22_23.differences
        plant.setattr(lemmas22_23, "differences", lambda *a: honest(*a) + 10.0)
        verdict, evidence = measured(lemmas22_23.classification, context, 0)
        assert verdict == "refuted" and evidence.trials == sum(evidence.column("runs"))


def test_the_sum_is_what_breaks_algorithm3(context, monkeypatch):
    """The same entry with the mean is not refuted: its check can go either way."""
    honest = regularized_perturbation.RegularizedPerturbation
    monkeypatch.setattr(
        algorithm3, "RegularizedPerturbation", lambda *a, **k: honest(*a, **{**k, "normalization": "mean"})
    )
    assert measured(algorithm3.summed, context)[0] == "not refuted"


@pytest.mark.parametrize(("mean", "spread", "verdict"), [(0.475, 1.0, "not refuted"), (0.8, 0.15, "not refuted"),
                                                         (1.5, 0.05, "refuted")])  # fmt: skip
def test_noise_about_a_mean_below_alpha_refutes_nothing(mean, spread, verdict, monkeypatch, context):
    """Sixteen data sets whose risks have a standard deviation of `spread` means: the lower limit decides."""
    drawn = 0.1 * mean * (1.0 + spread * np.tile([1.0, -1.0], 8))
    monkeypatch.setattr(sweeps, "sweep", lambda *given, **named: [drawn])
    row = sweeps.excess_shares(context, {"point": None, "theory": 0.1}, 16)
    assert row["least"] < mean < row["share"] and row["excess"] == pytest.approx(0.1 * mean)
    assert inequality_verdict(1.0 - row["least"]) == verdict
