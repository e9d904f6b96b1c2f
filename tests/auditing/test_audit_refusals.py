"""What `audit` does not refuse; `tests/cli/test_bad_inputs.py` has what it does."""

import math

import numpy as np
import pytest
from zoo.validity import laplace

from dpbench import InvalidInput, audit
from dpbench.auditing.audit import MOST_RUNS


def test_a_length_that_differs_between_the_sides_is_an_event_and_a_type_is_not():
    """Types are not read: 1 and 1.0 are one number."""
    of_type = audit(lambda d, n, r: np.zeros(n, dtype="f4" if d else "f8"), 0.0, 1.0, epsilon=1.0, trials=1_000)
    assert of_type.verdict == "not refuted"
    found = audit(lambda d, n, r: np.zeros((n, 2 + int(d))), 0.0, 1.0, epsilon=1.0, trials=1_000)
    assert found.verdict == "refuted" and found.epsilon_lower > 4.0


class Silent:
    """Of a type that cannot say what is equal."""

    __hash__ = None

    def __eq__(self, other):
        raise RuntimeError("of the user")


@pytest.mark.parametrize(
    "pair",
    [(1.0, 2.0), ([1], [1, 1]), (np.zeros(2), np.zeros(3)), ({"a": 1}, {"b": 1}), (np.zeros(2), [0.0, 0.0]),
     (Silent(), Silent())],
)  # fmt: skip
def test_other_data_sets_are_not_taken_for_equal(pair):
    assert audit(lambda d, n, r: r.laplace(size=n), *pair, trials=1_000).epsilon_lower == 0.0


def test_a_whole_number_of_runs_may_be_a_float():
    assert audit(laplace, 0.0, 1.0, trials=1e3) == audit(laplace, 0.0, 1.0, trials=1_000)
    for other in (99, 1e3 + 0.5, True, "100", None, MOST_RUNS + 1, 1e300, 10**400, math.inf, math.nan):
        with pytest.raises(InvalidInput, match=r"^trials must be"):
            audit(laplace, 0.0, 1.0, trials=other)


def test_any_confidence_between_0_and_1_ends():
    assert audit(laplace, 0.0, 1.0, trials=1_000, confidence=5e-324).epsilon_lower < 2.0
    assert audit(laplace, 0.0, 1.0, trials=1_000, confidence=1.0 - 2.0**-53).epsilon_lower < 1.0


def test_the_message_names_the_sampler_and_keeps_the_cause():
    def counts_wrongly(d, trials, rng):
        raise RuntimeError("no such table")

    with pytest.raises(
        InvalidInput, match="counts_wrongly raised RuntimeError on the dataset: no such table"
    ) as caught:
        audit(counts_wrongly, 0.0, 1.0, trials=1_000)
    with pytest.raises(InvalidInput, match="does the sampler return anything"):
        audit(lambda d, trials, rng: None, 0.0, 1.0, trials=1_000)
    assert isinstance(caught.value.__cause__, RuntimeError)
