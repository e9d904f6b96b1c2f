"""Events in words that a person can act on."""

import re

import numpy as np
import pytest

from dpbench import audit

Rng = np.random.Generator


def audited(sampler):
    return audit(sampler, 0, 1, trials=20_000)


CASES = {  # sampler, and how the event may begin: either direction of the pair may certify
    "booleans": (lambda d, n, r: r.random(n) < 0.3 + 0.2 * d, ("output in {True}: ", "output in {False}: ")),
    "texts": (
        lambda d, n, r: np.where(r.random(n) < 0.3 + 0.2 * d, "yes", "no"),
        ("output in {'yes'}", "output in {'no'}", "output not in {'yes'}", "output not in {'no'}"),
    ),
    "a rare number": (
        lambda d, n, r: r.integers(0, 4, n) + d * (r.random(n) < 0.1),
        ("output in {4}: ", "output >= 4: "),
    ),
    "two answers": (
        lambda d, n, r: np.column_stack([r.random(n) < 0.5, r.random(n) < 0.2 + 0.6 * d]),
        ("output in {(", "output not in {(", "column 1 of the output in {"),
    ),
    "a threshold": (lambda d, n, r: 3.0 * d + r.laplace(size=n), ("output >= ", "output < ")),
}


@pytest.mark.parametrize("name", CASES)
def test_events_name_values(name):
    sampler, beginnings = CASES[name]
    event = audited(sampler).event
    assert event.startswith(beginnings)
    assert "of the runs on the" in event and ("log-ratio" not in event or name == "a threshold")


def test_not_a_number_is_named_where_it_counts_as_the_lowest():
    found = audited(lambda d, n, r: np.where(r.random(n) < 0.1 + 0.3 * d, np.nan, r.laplace(size=n)))
    assert " or not a number: 0." in found.event


def test_two_sided_events_are_intervals():
    """More outputs in both outer thirds of a range: twice those of one of them, at the same ratio."""

    def outer(d, n, rng):
        return np.where(
            rng.random(n) < 0.3 * d, rng.choice([-1.0, 1.0], n) * rng.uniform(2.0, 3.0, n), rng.uniform(-3.0, 3.0, n)
        )

    found = audit(outer, 0.0, 1.0, trials=100_000)
    assert found.event.startswith("output ") and ("<=" in found.event or ">=" in found.event)


def test_learned_scores_name_their_columns_and_show_examples():
    shift = np.array([0.0, 0.0, 1.5, 0.0, 0.0, 1.5])
    found = audited(lambda d, n, r: r.standard_normal((n, 6)) + d * shift)
    assert re.search(r"driven by columns (2 and 5|5 and 2): ", found.event)
    examples = re.findall(r"\([^()]*\)", found.event.partition("; for example ")[2])
    assert len(examples) == 3 and all(x.count(",") == 5 for x in examples)


def test_an_event_of_two_tails_is_told_as_intervals():
    found = audit(lambda s, n, rng: s * rng.standard_normal(n), 1.0, 1.5, delta=1e-2, trials=100_000, confidence=0.95)
    assert found.event.startswith("output <= -") and " or output >= " in found.event
