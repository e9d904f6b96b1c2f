"""Grid search: parts and clipped losses against twins, the law of the choice, budgets, planted errors."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pytest
from frequencies import frequencies_agree
from naive import selection as naive
from registry import problem
from scipy import sparse

from dpbench.core import validation
from dpbench.core.sampling import stream
from dpbench.papers.glm import theory_selection as theory
from dpbench.papers.glm.algorithms import scoring
from dpbench.papers.glm.algorithms.boosting import Boosting
from dpbench.papers.glm.algorithms.grid_search import PrivateGridSearch
from dpbench.papers.glm.algorithms.noisy_gd import NoisyGD
from dpbench.papers.glm.algorithms.output_perturbation import OutputPerturbation
from dpbench.papers.glm.algorithms.scoring import clipped_risk, split
from dpbench.papers.glm.populations import ScaledBasis
from dpbench.papers.glm.problem import GLMProblem
from dpbench.papers.glm.theorems.pairs import random_record
from dpbench.papers.glm.theorems.selection_privacy import JL, NAMES
from dpbench.papers.glm.theorems.selection_privacy import problem as small_problem
from dpbench.privacy import gaussian, selection

GD = NoisyGD(1.0, 1e-5, steps=8)
SCHEMES = ("tight", "parallel", "basic")


def test_parts_are_disjoint_ordered_and_share_moments():
    data = problem("squared")
    parts = split(data, 3, (2.0, 4.0))
    assert [part[0].n for part in parts] == [13, 13, 14]
    assert np.array_equal(np.concatenate([part[0].X for part in parts]), data.X)
    assert np.array_equal(np.concatenate([part[1].y for part in parts]), data.y)
    assert [p.radius for p in parts[0]] == [2.0, 4.0] and parts[0][0].digest != parts[0][1].digest
    assert parts[0][0].moments is parts[0][1].moments
    assert split(data, 3, (2.0, 4.0)) is parts
    fresh = GLMProblem(parts[0][1].X, parts[0][1].y, loss="squared", x_bound=1.0, y_bound=1.0, radius=4.0)
    assert fresh == parts[0][1]
    with pytest.raises(validation.InvalidInput, match=r"^problem must be of at least 41 records"):
        split(data, 41, (1.0,))


def worst_choice(base, seed, tries):
    """The largest change of a score over its sensitivity, and the largest exact ε of the choice at ε = 1."""
    rng, moved, leaks = stream(seed, "glm.thm7.privacy"), 0.0, 0.0
    search = PrivateGridSearch(base, 1.0, 1e-5, candidates=3)
    for turn in range(tries):
        data = small_problem(NAMES[turn % len(NAMES)])
        index = data.n // 2 + int(rng.integers(data.n // 2))
        first, second = (data.replace_record(index, *random_record(data, rng, turn % 3 > 0)) for _ in range(2))
        lengths = 2.0 ** np.arange(1, 4) * (1.0 if turn % 2 else 10.0)
        models = []
        for length in lengths:
            w = rng.standard_normal(3)
            w[:] = np.eye(3)[rng.integers(3)] if turn % 5 == 0 else w / np.linalg.norm(w)
            models.append(rng.choice((-1.0, 1.0)) * length * w[None, :])
        scores = [search.scores(p, models)[0] for p in (first, second)]
        gammas = search.sensitivities(data)
        moved = float(np.maximum(moved, float((np.abs(scores[0] - scores[1])[1:] / gammas[1:]).max())))
        pair = selection.generalized_exponential_pair(scores[0], scores[1], gammas, 1.0, 0.25 * search.beta)
        leaks = float(np.maximum(leaks, pair.epsilon(0.0)))
    return moved, leaks


@pytest.mark.parametrize("base", [GD, JL], ids=repr)
def test_one_record_moves_a_score_by_at_most_its_sensitivity(base):
    """Models inside and outside the ball, over the JL method outside its reach too."""
    moved, leaks = worst_choice(base, 0, 70)
    assert 0.9 < moved <= 1.0 + 1e-9 and 0.3 < leaks <= 1.0


@pytest.mark.kernel
def test_the_choice_has_the_law_of_the_mechanism():
    """With a base without noise the candidates are fixed, and so are the chances; see `frequencies_agree`."""
    data = ScaledBasis.even("squared", 2, 2, 1.0, radius=1.0).draw(1_300, stream("choice data"))
    search = PrivateGridSearch(NoisyGD(1.0, 1e-5, steps=40, step_size=0.2, noise_scale=0.0), 3.0, 1e-5, candidates=3)
    trials = 20_000
    chosen, models = search.choose(data, trials, stream("choice"))
    outputs = models[chosen, np.arange(trials)]
    models = [search.mechanism(data)(part, 1, stream("x")) for part in split(data, 2, search.radii(data))[0]]
    pairs = list(zip(search.sensitivities(data), search.scores(data, models)[0], strict=True))
    chances = np.array(naive.gen_exp_mech(pairs, 3.0, 0.25 * search.beta))
    counts = np.bincount(chosen, minlength=4)
    assert 0.05 < chances[1] < 0.95, "a choice that is never open would show nothing"
    assert frequencies_agree(counts, chances)
    planted = np.array(naive.gen_exp_mech([(2.0 * gamma, q) for gamma, q in pairs], 3.0, 0.25 * search.beta))
    assert not frequencies_agree(counts, planted)
    every = np.concatenate([np.zeros((1, 2)), *models])
    assert np.allclose(outputs, every[chosen])


def test_the_right_radius_is_found_and_the_problems_own_is_not_used():
    population = ScaledBasis.even("squared", 4, 4, 1.0, radius=16.0, y_bound=64.0)
    data = population.draw(200_000, stream("adapt"))
    search = PrivateGridSearch(NoisyGD(1.0, 1e-5, steps=200, step_size=0.125), 1.0, 1e-5)
    chosen, models = search.choose(data, 64, stream("adapt run"))
    outputs = models[chosen, np.arange(64)]
    assert (chosen == 4).mean() > 0.9 and search.radii(data)[3] == 16.0
    assert population.excess_risk(outputs).mean() < 0.1 * population.excess_risk(np.zeros((1, 4)))[0]
    other = search(data.with_radius(3.0), 64, stream("adapt run"))
    assert np.array_equal(outputs, other)
    assert not np.array_equal(outputs, search(data, 64, stream("another")))


@pytest.mark.parametrize("as_sparse", [False, True])
@pytest.mark.parametrize("different", [6, 100, 5000])
def test_clipped_risk_of_repeated_records_equals_the_mean_over_all(different, as_sparse, monkeypatch):
    """5000 records, six of them different, a hundred (few of the first thousand), or all: one answer, by either way,
    inside and outside the ball."""
    rng = np.random.default_rng(8)
    kinds, labels = rng.uniform(-0.5, 0.5, (different, 3)), rng.uniform(-1.0, 1.0, different)
    kinds[0] = 0.0
    which = np.sort(np.concatenate([np.arange(different), rng.integers(0, different, 5000 - different)]))
    X = sparse.csr_array(kinds[which]) if as_sparse else kinds[which]
    data = GLMProblem(X, labels[which], loss="squared", x_bound=1.0, y_bound=1.0, radius=1.0)
    w = 4.0 * rng.standard_normal((5, 3))
    losses = np.clip((kinds[which] @ w.T - labels[which][:, None]) ** 2, 0.0, 4.0)
    assert np.allclose(clipped_risk(data, w, 1.0), losses.mean(axis=0), rtol=1e-12)
    found = scoring.different_records(data)
    assert (found is None) == (different > 64)
    if found is not None:
        assert found[0].n == different and np.allclose(sorted(found[1] * 5000), sorted(np.bincount(which)))
    # Planted: marks that take all records for one are found out by the comparison.
    monkeypatch.setattr(scoring, "_marks", lambda problem, weights: np.zeros(problem.n))
    assert np.allclose(clipped_risk(data.records(0, 5000), w, 1.0), losses.mean(axis=0), rtol=1e-12)


@pytest.mark.parametrize("count", [1, 2, 7])
def test_shares_of_the_budget(count):
    data = problem("squared")
    made = {s: PrivateGridSearch(GD, 1.0, 1e-5, candidates=count, composition=s).shares(data) for s in SCHEMES}
    assert made["basic"] == (0.5, 0.5 / count, 0.5e-5 / count)
    assert made["parallel"] == (1.0, 1.0 / count, 1e-5 / count)
    level, epsilon, delta = made["tight"]
    assert level == 1.0 and delta == 1e-5 / count
    assert gaussian.mu(epsilon, delta) * math.sqrt(count) == pytest.approx(gaussian.mu(1.0, 1e-5), rel=1e-9)
    assert epsilon >= made["parallel"][1] * (1.0 - 1e-9)
    assert PrivateGridSearch(GD, 1.0, 1e-5, candidates=count).shares(data) == made["tight"]
    printed = PrivateGridSearch(GD, 1.0, 1e-5, candidates=count, calibration="printed")
    assert printed.shares(data) == made["basic"]
    boosted = PrivateGridSearch(Boosting(GD, 1.0, 1e-5, models=2), 1.0, 1e-5, candidates=count)
    assert boosted.shares(data) == made["parallel"]


def test_guarantee_follows_what_is_in_use(monkeypatch):
    data = problem("squared")
    search = PrivateGridSearch(GD, 1.0, 1e-5, candidates=3)
    sigma = search.mechanism(data).sigma(split(data, 2, search.radii(data))[0][0])
    assert replace(search, base=replace(GD, noise_scale=0.5 * sigma)).guarantee(data).delta(1.0) > 1e-4
    exact = search.sensitivities(data)
    monkeypatch.setattr(PrivateGridSearch, "sensitivities", lambda self, problem: 0.5 * exact)
    assert search.guarantee(data).epsilon(1e-5) > 1.5, "planted: half the sensitivity is seen"


@pytest.mark.parametrize("make", [partial(PrivateGridSearch, candidates=2), partial(Boosting, models=3)])
def test_a_pair_is_charged_for_the_part_in_which_it_differs(make):
    data, search = problem("squared"), make(OutputPerturbation(1.0, 1e-5), 1.0, 1e-5)
    trained, judged = (data.replace_record(index, [0.0, 1.0, 0.0, 0.0], -1.0) for index in (0, 39))
    assert search.pair_profile(data, data).delta(0.0) == 0.0
    found = search.pair_profile(data, judged)
    assert found.epsilon(0.0) == 1.0 and found.kind == "upper"
    found = search.pair_profile(data, trained)
    assert found.mu is not None and 0.0 < found.delta(1.0) <= search.guarantee(data).delta(1.0)
    with pytest.raises(validation.InvalidInput, match="at most one record apart"):
        search.pair_profile(trained, judged)


@pytest.mark.parametrize("n", [5, 6])
def test_the_guarantee_is_that_of_the_half_that_is_trained_on(n):
    """Of an odd number the smaller half, where the same noise hides a record less."""
    data, base = problem("squared", n=n), OutputPerturbation(1.0, 1e-5, noise_scale=0.5)
    search = PrivateGridSearch(base, 1.0, 1e-5, candidates=2)
    fits = [search.mechanism(data).guarantee(part) for part in split(data, 2, search.radii(data))[0]]
    mu = math.sqrt(sum(fit.mu**2 for fit in fits))
    assert search.guarantee(data).delta(3.0) == pytest.approx(gaussian.delta(3.0, mu), rel=1e-6)


def test_number_of_candidates():
    data = problem("squared").with_radius(9.0)
    exact, printed = (PrivateGridSearch(GD, 1.0, 1e-5, calibration=c) for c in ("exact", "printed"))
    assert len(exact.radii(data)) == theory.smooth_grid_size_corrected(2.0, 1.0, 1.0, 40, 1.0) == 3
    assert len(printed.radii(data)) == theory.smooth_grid_size(2.0, 1.0, 1.0, 40, 1.0) == 4
    assert exact.radii(data) == (2.0, 4.0, 8.0)
    assert len(exact.radii(problem("absolute"))) == theory.lipschitz_grid_size(1.0, 1.0, 1.0, 40) == 3
    assert theory.smooth_grid_size_corrected(2.0, 3.0, 3.0, 40, 1.0) == 3, "no change of units changes K"


def test_printed_sensitivities_and_penalties_are_to_the_letter():
    data = problem("squared")
    made = PrivateGridSearch(GD, 1.0, 1e-5, candidates=2, calibration="printed", beta=0.1)
    assert made.sensitivities(data).tolist() == [0.0, 9.0, 33.0]
    want = [b * math.log(20.0) / 40.0 + math.sqrt(4.0 * math.log(20.0) / 40.0) for b in (9.0, 33.0)]
    assert made.penalties(data) == pytest.approx(want, rel=1e-14)
    with pytest.raises(validation.InvalidInput, match=r"^loss must be smooth and non-negative"):
        made.sample(problem("absolute"), 3)
    with pytest.raises(validation.InvalidInput, match=r"^loss must be smooth and non-negative"):
        made.sample(problem("linear"), 3)


@dataclass(frozen=True)
class NoGuarantee:
    """A record with a budget that promises nothing."""

    epsilon: float
    delta: float

    def __call__(self, problem, trials, rng):
        return np.zeros((trials, problem.d))


@pytest.mark.parametrize("make", [PrivateGridSearch, Boosting])
@pytest.mark.parametrize("base", [None, "noisy-gd", NoisyGD, 3.0, NoGuarantee(1.0, 0.1)], ids=str)
def test_bad_base_is_named(make, base):
    with pytest.raises(validation.InvalidInput, match=r"^base must be a mechanism instance.*, got "):
        make(base, 1.0, 1e-5)
