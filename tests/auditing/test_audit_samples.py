"""Audits of arrays: the bound, sizes that differ, dependence, a score of one's own."""

import numpy as np
import pytest

from dpbench import DependentOutputs, InvalidInput, audit, audit_samples


def laplace(shift, rows, seed):
    return shift + np.random.default_rng(seed).laplace(size=rows)


def test_the_bound_is_near_the_truth_and_below_it():
    found = audit_samples(laplace(0.0, 200_000, 0), laplace(1.0, 200_000, 1), epsilon=0.9)
    assert 0.95 < found.epsilon_lower < 1.0 and found.verdict == "refuted"
    assert found.trials == 200_000 and len(found.checks) > 3
    assert sum(c.alpha for c in found.family) <= 0.001 * (1.0 + 1e-9)


def test_the_same_numbers_and_seed_give_the_same_result_and_inputs_are_unchanged():
    """Numbers in whatever form: a column, a list, a stretch of a longer array."""
    one, other = laplace(0.0, 5_000, 0), laplace(1.0, 5_000, 1)
    kept = one.copy(), other.copy()
    found = audit_samples(one, other, seed=3)
    for form in (np.copy, lambda x: x[:, None], np.ndarray.tolist, lambda x: np.repeat(x, 2)[::2], tuple):
        assert audit_samples(form(one), form(other), seed=3) == found
    assert audit_samples(one, other, seed=4) != found
    assert np.array_equal(one, kept[0]) and np.array_equal(other, kept[1])


@pytest.mark.slow
@pytest.mark.parametrize("rows", [(300, 100_000), (100_000, 300)])
def test_sides_of_two_sizes(rows):
    """Frequencies are of each side's own rows; 100,000 on one side tell more than 300 on both."""
    found = audit_samples(laplace(0.0, rows[0], 0), laplace(2.0, rows[1], 1), confidence=0.95)
    assert found.trials == 300 and found.certified is not None
    likelier = rows[0] if found.certified.forward else rows[1]
    assert found.certified.both[0] == likelier - 60
    assert max(found.certified.frequencies) <= 1.0
    few = [
        [
            audit_samples(laplace(0.0, n, 10 + s), laplace(2.0, m, 50 + s), confidence=0.95).epsilon_lower
            for s in range(10)
        ]
        for n, m in (rows, (300, 300))
    ]
    assert np.mean(few[0]) > np.mean(few[1])


def test_texts_booleans_and_vectors():
    rng = np.random.default_rng(0)
    texts = [np.where(rng.random(5_000) < p, "yes", "no") for p in (0.2, 0.7)]
    assert "output in {" in audit_samples(*texts, epsilon=0.5).event
    flags = [rng.random(5_000) < p for p in (0.2, 0.7)]
    found = audit_samples(*flags, epsilon=0.5)
    assert found.verdict == "refuted" and found.event.startswith("output in {")
    rare = [np.where(rng.random(5_000) < 0.1, rng.random(5_000), flag) for flag in flags]  # numbers that never recur
    assert audit_samples(*rare, epsilon=0.5).verdict == "refuted"
    vectors = [d * np.array([0.0, 2.0, 0.0]) + rng.standard_normal((5_000, 3)) for d in (0, 1)]
    assert audit_samples(*vectors, epsilon=0.5).verdict == "refuted"
    numbers = audit_samples(rng.integers(0, 3, 5_000), rng.random(5_000) + 1.0, epsilon=0.5)
    assert numbers.verdict == "refuted"  # integers beside floats are numbers


DEPENDENT = {
    "one draw a hundred rows": lambda one, other: (np.repeat(one[:200], 100), other),
    "half of them twice": lambda one, other: (np.tile(one[:10_000], 2), other),
    "a bootstrap": lambda one, other: (one, np.random.default_rng(2).choice(other[:7_000], 20_000)),
    "the same array": lambda one, other: (one, one.copy()),
    "the same noise": lambda one, other: (one, one + 0.5),
    "sorted": lambda one, other: (np.sort(one), other),
}


@pytest.mark.parametrize("kind", DEPENDENT)
def test_dependent_rows_are_refused(kind):
    pair = DEPENDENT[kind](laplace(0.0, 20_000, 0), laplace(1.0, 20_000, 1))
    with pytest.raises(DependentOutputs, match=r"copies of others, that were sorted|runs that were copied"):
        audit_samples(*pair)


def test_values_that_recur_by_their_law_are_no_copies():
    """Rounded noise, on two grids that have no value in common."""
    one, other = laplace(0.0, 4_000, 0), laplace(1.0, 4_000, 1)
    assert audit_samples(np.round(one, 1), np.round(other, 1) + 0.05).epsilon_lower > 0.5


def pair_product(outputs):
    """An attack that knows the mechanism: the sign of a product of five columns."""
    return np.prod(np.sign(outputs[:, :5]), axis=1)


def parity(side, rows, seed):
    """Thirty signs; on the neighbour the product of five of them is 1 four times in five."""
    rng = np.random.default_rng(seed)
    signs = rng.choice([-1.0, 1.0], size=(rows, 30))
    if side:
        wanted = np.where(rng.random(rows) < 0.8, 1.0, -1.0)
        signs[:, 0] *= np.prod(signs[:, :5], axis=1) * wanted
    return signs


@pytest.mark.slow
def test_a_score_of_ones_own_is_used_and_never_worse_than_the_learned_ones():
    """True ε log(0.5/0.2) = 0.92: every bound with the right score is above 0.6, their mean not below the others'."""
    pairs = [(parity(0, 4_000, 2 * s), parity(1, 4_000, 2 * s + 1)) for s in range(3)]
    own = [audit_samples(*pair, epsilon=0.4, score=pair_product) for pair in pairs]
    assert all(0.6 < found.epsilon_lower < 0.92 and found.verdict == "refuted" for found in own)
    learned = [audit_samples(*pair).epsilon_lower for pair in pairs]
    assert np.mean([found.epsilon_lower for found in own]) > np.mean(learned) - 0.03


def yes_or_no(d, trials, rng):
    return np.where(rng.random(trials) < 0.2 + 0.5 * d, "yes", "no")


def test_a_score_is_of_the_outputs_as_they_are_and_may_be_nan():
    """Texts are no codes."""

    def is_yes(outputs):
        return outputs == "yes"

    texts = (yes_or_no(d, 2_000, np.random.default_rng(d)) for d in (0, 1))
    assert audit_samples(*texts, epsilon=0.5, score=is_yes).verdict == "refuted"
    assert audit(yes_or_no, 0, 1, epsilon=0.5, trials=2_000, score=is_yes).verdict == "refuted"
    one, other = laplace(0.0, 200, 0), laplace(1.0, 200, 1)
    assert audit_samples(one, other, score=lambda x: np.where(x > 0, np.nan, x)).epsilon_lower >= 0.0


@pytest.mark.parametrize(
    "score",
    [
        lambda x: np.full(len(x), float(x.mean() > 0.5)),  # refutes a correct claim wherever it is taken as it is
        lambda x: x - x.mean(),
        lambda x: np.argsort(np.argsort(x)),
        lambda x: np.random.default_rng().random(len(x)),
        lambda x: np.arange(len(x)),
    ],
    ids=["of the block", "centred", "ranks", "chance", "place"],
)
def test_a_score_that_is_not_of_each_output_alone_is_refused(score):
    def sampler(d, trials, rng):
        return d + rng.laplace(size=trials)

    message = "score must be a function of each output alone, .* for one output in two blocks"
    with pytest.raises(InvalidInput, match=message):
        audit(sampler, 0.0, 1.0, epsilon=1.2, trials=2_000, score=score)
    with pytest.raises(InvalidInput, match=message):
        audit_samples(laplace(0.0, 2_000, 0), laplace(1.0, 2_000, 1), epsilon=1.2, score=score)


@pytest.mark.parametrize("other", [np.full(2_000, "1.0"), np.zeros((2_000, 2))], ids=["texts", "a column more"])
def test_arrays_of_two_types_or_widths_are_refused(other):
    message = "neighbour_outputs must be of the width and type of outputs"
    for pair in ((laplace(0.0, 2_000, 0), other), (other, laplace(0.0, 2_000, 0))):
        with pytest.raises(InvalidInput, match=message):
            audit_samples(*pair, epsilon=1.0)


def test_a_score_of_single_precision_is_no_function_of_the_block():
    """Matrix products of a block round as its size: 1e-7 here, where 1e-5 is let pass."""

    def score(x):
        return (x * np.float32(1.0 + 1e-7 * (len(x) % 3))).astype(np.float32)

    assert audit_samples(laplace(0.0, 1_500, 0), laplace(1.0, 1_500, 1), score=score).epsilon_lower > 0.3


@pytest.mark.slow
@pytest.mark.parametrize(("p", "q", "rows"), [(0.01, 0.0, 2_000), (0.01, 0.001, 3_000)])
def test_small_runs_certify_the_rare_event(p, q, rows):
    """Means of 20 fixed seeds: what promises little after every charge is certified all the same."""
    found = []
    for seed in range(20):
        rng = np.random.default_rng([seed, rows])
        sides = [(rng.random(rows) < share).astype(float) for share in (p, q)]
        found.append(audit_samples(*sides, confidence=0.95, seed=seed).epsilon_lower)
    assert np.mean(found) > 0.95
