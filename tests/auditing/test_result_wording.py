"""Events in words that a person can act on."""

import re

import numpy as np
import pytest

from dpbench import audit

PRINTED = {  # sampler, and how many runs of 10,000 the printed ends may miss: a learned score is printed "about"
    "booleans": (lambda d, n, r: r.random(n) < 0.3 + 0.2 * d, 0),
    "texts": (lambda d, n, r: np.where(r.random(n) < 0.3 + 0.2 * d, "yes", "no"), 0),
    "some texts": (lambda d, n, r: r.choice([*"abcde"], n, p=np.array([[3, 1, 3, 1, 2], [1, 3, 1, 3, 2]][d]) / 10), 0),
    "texts that hardly recur": (
        lambda d, n, r: np.where(r.random(n) < 0.2 + 0.4 * d, np.char.mod("%.9fw", r.random(n)), "x"), 0),
    "a rare number": (lambda d, n, r: r.integers(0, 4, n) + 2 * d * (r.random(n) < 0.1), 0),
    "two answers": (lambda d, n, r: np.column_stack([r.random(n) < 0.5, r.random(n) < 0.2 + 0.6 * d]), 0),
    "not a number": (lambda d, n, r: np.where(r.random(n) < 0.1 + 0.3 * d, np.nan, r.laplace(size=n)), 0),
    "a half-line": (lambda d, n, r: r.laplace(size=n) - d, 0),
    "another scale": (lambda d, n, r: (1.0 + 0.5 * d) * r.standard_normal(n), 100),
    "two ends": (lambda d, n, r: np.where(r.random(n) < 0.3 * d, r.choice([-1.0, 1.0], n) * r.uniform(2.0, 3.0, n),
                                          r.uniform(-3.0, 3.0, n)), 100),
}  # fmt: skip
PYTHON = (
    (r"column (\d+) of the output", r"output[\1]"),
    ("or not a number", "or output != output"),
    (" and ", " and output "),
)


@pytest.mark.parametrize("name", PRINTED)
def test_the_printed_event_evaluated_gives_the_certified_counts(name):
    """On the last outputs of each side, which certify; an end is printed with six digits, which cost a run or two. What
    has no end is open, however far out."""
    sampler, missed = PRINTED[name]
    outputs = {0: [], 1: []}

    def recorded(d, n, rng):
        outputs[d].append(sampler(d, n, rng))
        return outputs[d][-1]

    found = audit(recorded, 0, 1, delta=1e-2, trials=100_000)
    words = found.event.partition(": ")[0].partition(", about")[0]
    for words_of_events, python in PYTHON:
        words = re.sub(words_of_events, python, words)
    inside = eval(f"lambda output: {words}")
    if missed:
        assert " or " in words
        assert [inside(far) for far in (-1e9, 1e9)] == found.origin.event(np.array([-1e9, 1e9])).tolist()
    for side, hits in zip((0, 1) if found.certified.forward else (1, 0), found.certified.hits, strict=True):
        last = np.concatenate(outputs[side])[-found.certified.trials :].tolist()
        printed = sum(inside(tuple(output) if isinstance(output, list) else output) for output in last)
        assert abs(printed - hits) <= 2 + missed / 10_000 * found.certified.trials


def test_learned_scores_name_their_columns_and_show_examples():
    shift = np.array([0.0, 0.0, 1.5, 0.0, 0.0, 1.5])
    found = audit(lambda d, n, r: r.standard_normal((n, 6)) + d * shift, 0, 1, trials=20_000)
    assert re.search(r"driven by columns (2 and 5|5 and 2): ", found.event)
    examples = re.findall(r"\([^()]*\)", found.event.partition("; for example ")[2])
    assert len(examples) == 3 and all(x.count(",") == 5 for x in examples)
