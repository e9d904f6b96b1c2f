"""Small parts of the auditor beside their definitions: drawn errors that no other test noticed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import hypergeom

from dpbench.auditing.flatten import text_number
from dpbench.auditing.goals import mu_goal
from dpbench.auditing.interactions import KNOTS, NormalScores, fitted
from dpbench.auditing.neighbours import MOST_PLACES, Domain, pairs_of, proposals
from dpbench.auditing.pair_tables import most_alike, tails
from dpbench.auditing.scores import cautious_log_ratio


def test_tails_of_pair_tables_are_above_the_exact_ones_and_near() -> None:
    """Over every table of at most 12 pairs; the bound is a geometric series, doubled."""
    for pairs in range(2, 13):
        for first in range(pairs + 1):
            for second in range(pairs + 1):
                law = hypergeom(pairs, first, second)
                support = range(max(0, first + second - pairs), min(first, second) + 1)
                found = tails(np.array([[both, first, second, pairs] for both in support]))
                for both, bound in zip(support, found, strict=True):
                    one_sided = min(law.cdf(both), law.sf(both - 1))
                    assert min(1.0, 2.0 * one_sided) <= bound * (1.0 + 1e-9)
                    assert bound <= 1.0
    assert tails(np.array([[3, 3, 3, 6]]))[0] == pytest.approx(2.0 / math.comb(6, 3), rel=1e-3)


def test_the_distance_at_which_bits_agree_most_is_found() -> None:
    """Every seventh bit set: also where another distance has nearly as many agreements."""
    rng = np.random.default_rng(3)
    bits = (rng.random(700) < 0.5).astype(np.float64)
    bits[13:] = np.where(rng.random(687) < 0.6, bits[:-13], bits[13:])
    centred = bits - bits.mean()
    found = [abs(float(centred[lag:] @ centred[:-lag])) / math.sqrt(700 - lag) for lag in range(1, 351)]
    assert most_alike(bits) == (1 + int(np.argmax(found)), 350) and np.argmax(found) == 12


def test_normal_scores_are_linear_between_their_knots() -> None:
    knots = np.sort(np.random.default_rng(0).normal(size=KNOTS))
    scores = NormalScores(np.array([0]), knots[np.newaxis])
    rows = np.linspace(knots[0], knots[-1], 101)[:, np.newaxis]
    assert scores(rows)[:, 0] == pytest.approx(np.interp(rows[:, 0], knots, ndtri((np.arange(KNOTS) + 0.5) / KNOTS)))


def test_correlations_that_may_not_differ_are_the_mean_of_both_sides() -> None:
    rng = np.random.default_rng(1)
    first = rng.normal(size=(4000, 3))
    second = first @ np.array([[1.0, 0.6, 0.0], [0.0, 0.8, 0.3], [0.0, 0.0, 0.9]]) + rng.normal(size=(4000, 3))
    apart = np.eye(3, dtype=bool) | (np.add.outer(range(3), range(3)) == 1)
    form = fitted(np.arange(3), apart, first, second)
    assert form is not None
    moments = [form.scores(side).T @ form.scores(side) / 4000 for side in (first, second)]
    mean = (moments[0] + moments[1]) / 2.0
    one, other = (np.linalg.inv(np.where(apart, m, mean) + 1e-3 * np.eye(3)) for m in moments)
    assert form.matrix == pytest.approx((other - one) / 2.0)
    assert not np.allclose(moments[0], moments[1], atol=0.05)


def test_a_log_ratio_of_counts_is_drawn_in_by_one_standard_error() -> None:
    found = cautious_log_ratio(np.array([100, 3, 10]), np.array([10, 2, 100]))
    away = math.log(100.5 / 10.5) - math.sqrt(1.0 / 100.5 + 1.0 / 10.5)
    assert found == pytest.approx([away, 0.0, -away])


def test_pairs_of_one_data_set_replace_a_record_by_another_of_it() -> None:
    records = np.random.default_rng(2).normal(size=(12, 5))
    made = pairs_of(records, "replace")
    assert len(made) == 2 * MOST_PLACES
    for one, other in made:
        assert np.array_equal(one, records) and (one != other).any(axis=1).sum() == 1
        assert all((row == records).all(axis=1).any() for row in other)


def test_vectors_of_alternating_ends_are_proposed() -> None:
    low, high = 0.0, 1.0
    turns = np.array([low, high, low, high])
    seen = [pair for pair, _ in zip(proposals(Domain(2, low, high, width=4), 0), range(200), strict=False)]
    rows = [row for one, other in seen for side in (one, other) for row in side]
    assert any(np.array_equal(row, turns) for row in rows) and any(np.array_equal(row, 1.0 - turns) for row in rows)


def test_numbers_in_texts_are_read_in_any_notation() -> None:
    texts = {"0x1.8p+1": 3.0, "-0x1.8p1": -3.0, "12.5": 12.5, "nan": math.nan, "-inf": -math.inf, "0xzzp": None}
    for text, number in texts.items():
        assert repr(text_number(text)) == repr(number)


def test_the_goal_in_mu_is_finite_for_events_that_always_happen() -> None:
    goal = mu_goal()
    value = goal.value(np.array([1.0, 0.5]), np.array([0.5, 0.0]))
    assert np.isfinite(goal.value(np.array([0.5]), np.array([1.0]))).all()
    errors = goal.errors(np.array([1.0, 0.5]), np.array([0.5, 0.0]))
    assert np.isfinite(value).all() and all(np.isfinite(side).all() for side in errors) and (value > 6.0).all()
