"""Selection primitives: probabilities against twins in 60 digits, draws against probabilities, privacy, utility."""

import math

import numpy as np
import pytest
from frequencies import frequencies_agree
from naive import selection as naive
from planted import wrong

from dpbench.core import validation
from dpbench.core.sampling import stream
from dpbench.privacy import _selection_kernels, selection
from dpbench.privacy._selection_kernels import selection_logs
from dpbench.privacy.discrete import pair_from_logs
from dpbench.privacy.profile import discrete_profile


def cases():
    rng = stream("selection cases")
    found = [([0.0], [0.3]), ([1.0, 1.0], [0.0, 2.0])]
    found.append(([5.0, -5.0], [1e-3, 1e3]))
    for size in (2, 3, 7):
        for scale in (0.01, 1.0, 100.0):
            q = scale * rng.standard_normal(size)
            gammas = 10.0 ** rng.uniform(-3.0, 2.0, size)
            gammas[0] = 0.0 if size == 3 else gammas[0]
            found.append((q.tolist(), gammas.tolist()))
    return found


@pytest.mark.parametrize(("scores", "gammas"), cases())
@pytest.mark.parametrize("epsilon", [0.1, 3.0])
def test_generalized_exponential_equals_its_twin(scores, gammas, epsilon):
    got = np.exp(selection.generalized_exponential(scores, gammas, epsilon, 0.05))
    want = naive.gen_exp_mech(list(zip(gammas, scores, strict=True)), epsilon, 0.05)
    assert np.allclose(got, want, rtol=1e-9, atol=1e-300)
    many = np.exp(selection.generalized_exponential([scores, scores[::-1]], gammas, epsilon, 0.05))
    assert np.array_equal(many[0], got) and many.shape == (2, len(scores))


@pytest.mark.parametrize(
    "scores", [[0.0], [1.0, 1.0], [0.0, 3.0], [0.0, 60.0], [0.3, -2.0, 5.0, 0.3], list(range(9)), [0.0, 1e-9, 7.0]]
)
@pytest.mark.parametrize("scale", [0.2, 1.0, 30.0])
def test_noisy_max_equals_its_twin(scores, scale):
    got = np.exp(selection.noisy_max(scores, scale))
    assert np.allclose(got, naive.noisy_max(scores, scale), rtol=1e-10, atol=0.0)
    assert got.sum() == pytest.approx(1.0, rel=1e-12)


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("old", "new"),
    [("apart if apart > worst", "apart if apart < worst"), ("j != i", "j > i"), ("-0.5 * epsilon", "-epsilon")],
)
def test_a_wrong_choice_is_caught(old, new):
    """Planted in the kernel `selection_logs`, whose rows are each compared with the twin."""
    gammas, shift = np.array([0.0, 0.5, 2.0]), 2.0 * math.log(3 / 0.05) / 0.8
    rows = np.array([[0.1, 0.4, -0.3], [1.0, 0.2, -6.0]])
    off = []
    for run in (selection_logs, wrong(_selection_kernels, "selection_logs", old, new)):
        out = np.empty((2, 3))
        run(rows + shift * gammas, gammas, 0.8, out)
        twins = [naive.gen_exp_mech(list(zip(gammas, row, strict=True)), 0.8, 0.05) for row in rows]
        off.append(float(np.abs(np.exp(out) - twins).max()))
    assert off[0] < 1e-13 and off[1] > 1e-3


def test_draws_follow_the_probabilities():
    scores, trials = np.array([0.3, 0.0, 0.8]), 200_000
    repeated = np.tile(scores, (trials, 1))
    logs = selection.generalized_exponential(scores, [0.0, 0.4, 1.0], 1.0, 0.5)
    drawn = np.bincount(selection.draw(np.tile(logs, (trials, 1)), stream("draw")), minlength=3)
    assert frequencies_agree(drawn, np.exp(logs))
    found = selection.report_noisy_max(repeated, 0.7, stream("noisy max"))
    chances = np.exp(selection.noisy_max(scores, 0.7))
    assert frequencies_agree(np.bincount(found, minlength=3), chances)
    # Planted: a scale 4% too small, which moves the best candidate's chance by 0.007.
    planted = selection.report_noisy_max(repeated, 0.7 * 0.96, stream("noisy max"))
    assert not frequencies_agree(np.bincount(planted, minlength=3), chances)


def test_generalized_exponential_is_private_and_a_wrong_sensitivity_is_not():
    rng = stream("selection privacy")
    worst = planted = 0.0
    for trial in range(300):
        size = int(rng.integers(2, 9))
        gammas = 10.0 ** rng.uniform(-1.0, 1.0, size)
        gammas[0] *= trial % 2
        q = gammas.max() * rng.standard_normal(size)
        moved = q + gammas * rng.choice([-1.0, 1.0], size)
        worst = max(worst, selection.generalized_exponential_pair(q, moved, gammas, 1.0, 0.1).epsilon(0.0))
        twice = q + 2.0 * (moved - q)
        planted = max(planted, selection.generalized_exponential_pair(q, twice, gammas, 1.0, 0.1).epsilon(0.0))
    assert 0.7 < worst <= 1.0 < planted <= 2.0
    assert selection.generalized_exponential_guarantee(1.0).epsilon(0.0) == 1.0
    assert selection.generalized_exponential_guarantee(1.0, 2.0).epsilon(0.0) == 2.0


def noisy_max_pair(scores, neighbour_scores, scale):
    """The exact profile of two score vectors under report noisy max, from the N probabilities of either."""
    logs = [selection.noisy_max(q, scale) for q in (scores, neighbour_scores)]
    return discrete_profile(pair_from_logs(*logs), why="probabilities of report noisy max")


def test_noisy_max_is_private_and_a_wrong_scale_is_not():
    rng = stream("noisy max privacy")
    scale = selection.noisy_max_scale(0.25, 1.0)
    assert scale == 0.5 and selection.noisy_max_guarantee(0.25, scale).epsilon(0.0) == 1.0
    worst = planted = 0.0
    for size in (2, 3, 10):
        for gap in (0.0, 1.0, 20.0):
            q = gap * rng.random(size)
            q[0] = gap + 0.25
            moved = q + 0.25
            moved[0] = q[0] - 0.25
            worst = max(worst, noisy_max_pair(q, moved, scale).epsilon(0.0))
            planted = max(planted, noisy_max_pair(q, moved, 0.8 * scale).epsilon(0.0))
    assert 0.95 < worst <= 1.0 < planted
    assert selection.noisy_max_guarantee(0.25, 0.0).delta(5.0) == 1.0
    assert selection.noisy_max_guarantee(0.0, 0.0).delta(0.0) == 0.0


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"sensitivities": [0.0, 0.0]}, "sensitivities"),
        ({"sensitivities": [-1.0, 1.0]}, "sensitivities"),
        ({"scores": [1.0, 2.0, 3.0]}, "scores"),
        ({"scores": [math.nan, 0.0]}, "scores"),
        ({"epsilon": 0.0}, "epsilon"),
    ],
)
def test_bad_input_is_named(arguments, named):
    given = {"scores": [0.0, 1.0], "sensitivities": [0.0, 1.0], "epsilon": 1.0, "beta": 0.1}
    with pytest.raises(validation.InvalidInput, match=rf"^{named} must be .*, got "):
        selection.generalized_exponential(**{**given, **arguments})
    with pytest.raises(validation.InvalidInput, match=r"^scale must be at least"):
        selection.noisy_max([0.0, 1e6], 1.0)
