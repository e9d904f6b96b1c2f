"""Events in words that a person can act on."""

import re

import numpy as np
import pytest

from dpbench import audit

Rng = np.random.Generator
COMPARED = {"<=": np.less_equal, "<": np.less, ">=": np.greater_equal, ">": np.greater}


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


TAILS = [  # sampler, and how many runs of 10,000 the printed ends may miss: a learned score is printed "about"
    (lambda d, n, r: r.laplace(size=n) - d, 0),
    (lambda d, n, r: r.integers(0, 4, n) + 2 * d * (r.random(n) < 0.1), 0),
    (lambda d, n, r: (1.0 + 0.5 * d) * r.standard_normal(n), 100),
    (lambda d, n, r: np.where(r.random(n) < 0.3 * d, r.choice([-1.0, 1.0], n) * r.uniform(2.0, 3.0, n),
                              r.uniform(-3.0, 3.0, n)), 100),
]  # fmt: skip


@pytest.mark.parametrize(("sampler", "missed"), TAILS)
def test_the_printed_event_evaluated_gives_the_certified_counts(sampler, missed):
    """On the last outputs of each side, which certify; an end is printed with six digits, which cost a run or two. What
    has no end is open, however far out."""
    outputs = {0: [], 1: []}

    def recorded(d, n, rng):
        outputs[d].append(sampler(d, n, rng))
        return outputs[d][-1]

    found = audit(recorded, 0, 1, delta=1e-2, trials=100_000)
    words = found.event.partition(": ")[0].partition(", about")[0].split(" or ")
    parts = [re.findall(r"(<=|<|>=|>) (-?[\d.]+)", part) for part in words]
    assert all(parts) and len(parts) >= 1 + (missed > 0)
    far = np.array([-1e9, 1e9])
    printed = sum(np.all([COMPARED[sign](far, float(end)) for sign, end in ends], axis=0) for ends in parts)
    assert printed.tolist() == found.origin.event(far).tolist()
    for side, hits in zip((0, 1) if found.certified.forward else (1, 0), found.certified.hits, strict=True):
        last = np.concatenate(outputs[side])[-found.certified.trials :]
        inside = sum(np.all([COMPARED[sign](last, float(end)) for sign, end in ends], axis=0) for ends in parts)
        assert abs(np.count_nonzero(inside) - hits) <= 2 + missed / 10_000 * found.certified.trials


def test_learned_scores_name_their_columns_and_show_examples():
    shift = np.array([0.0, 0.0, 1.5, 0.0, 0.0, 1.5])
    found = audited(lambda d, n, r: r.standard_normal((n, 6)) + d * shift)
    assert re.search(r"driven by columns (2 and 5|5 and 2): ", found.event)
    examples = re.findall(r"\([^()]*\)", found.event.partition("; for example ")[2])
    assert len(examples) == 3 and all(x.count(",") == 5 for x in examples)
