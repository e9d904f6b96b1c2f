"""Checks at the border: numbers beyond float64, masked arrays, foreign byte order, cells of CSV files."""

from fractions import Fraction

import numpy as np
import pytest
from bad_calls import GOOD, PROBLEM, X, Y

import lowerbounds
from dpbench import audit, audit_bits, audit_one_run
from dpbench.core import validation
from dpbench.core.csv_table import read_table
from dpbench.core.sampling import canonical
from dpbench.core.validation import InvalidInput
from dpbench.glm import NoisyGD
from dpbench.papers.glm.problem import GLMProblem

HUGE = (10**400, 10**5000, Fraction(10**400), -(10**400))
GD = NoisyGD(1.0, 1e-5, steps=3)
CALLS = {
    "GLMProblem.radius": lambda v: GLMProblem(X, Y, **{**GOOD, "radius": v}),
    "GLMProblem.x_bound": lambda v: GLMProblem(X, Y, **{**GOOD, "x_bound": v}),
    "Profile.epsilon": lambda v: GD.guarantee(PROBLEM).delta(v),
    "parity_cube.bits": lambda v: lowerbounds.parity_cube(v),
    "parity_cube.public": lambda v: lowerbounds.parity_cube(2, public=v),
    "two_point_constant.delta": lambda v: lowerbounds.two_point_constant(0.5, v, 1),
    "two_point_constant.epsilon": lambda v: lowerbounds.two_point_constant(v, 0.0, 1),
    "fingerprinting.p": lambda v: lowerbounds.fingerprinting(100, 10, 0.5, 1e-5, p=v),
}  # fmt: skip


@pytest.mark.parametrize("value", HUGE, ids=["10^400", "10^5000", "fraction", "negative"])
@pytest.mark.parametrize("name", CALLS)
def test_numbers_beyond_float64_are_refused_by_name(name, value):
    """They were an OverflowError, and a number of more than 4,300 digits a ValueError of the message itself."""
    with pytest.raises(InvalidInput, match=rf"^{name.rpartition('.')[2]} must be .*, got ") as caught:
        CALLS[name](value)
    assert len(str(caught.value)) < 250


def test_the_largest_integer_is_a_float():
    assert validation.integer("n", 2**1023, at_least=0) == 2**1023 and float(2**1023) < np.inf
    with pytest.raises(InvalidInput, match=r"^n must be an integer >= 0 and <= 2\^1023, got 1797"):
        validation.integer("n", 2**1024, at_least=0)
    with pytest.raises(InvalidInput, match=r"^n must be an integer >= 1 and <= 1,000, got 1001"):
        validation.integer("n", 1001, at_least=1, at_most=1000)


def test_bounds_are_open_or_closed_as_they_say():
    assert validation.real("x", 0.5, at_least=0.5) == 0.5
    with pytest.raises(InvalidInput, match=r"^x must be a finite number > 0.5, got 0.5"):
        validation.real("x", 0.5, above=0.5)
    for end in (0.0, 1.0):
        with pytest.raises(InvalidInput, match=r"^x must be a number strictly between 0 and 1, got "):
            validation.fraction("x", end)
    for inside in (1e-300, 1.0 - 1e-15):
        assert validation.fraction("x", inside) == inside
    assert validation.delta(0.0) == 0.0
    for call in (lambda: validation.delta(1.0), lambda: validation.delta(0.0, positive=True)):
        with pytest.raises(InvalidInput, match=r"^delta must be "):
            call()


def test_the_width_of_an_array_is_that_of_its_last_axis():
    assert validation.array("w", [[1.0, 2.0, 3.0]], ndim=2, width=3).shape == (1, 3)
    for wrong in ([[1.0, 2.0]] * 3, [[1.0, 2.0, 3.0, 4.0]]):
        with pytest.raises(InvalidInput, match=r"^w must be a matrix whose last axis has length 3, got "):
            validation.array("w", wrong, ndim=2, width=3)


MASKED = np.ma.masked_array([0.5, 1.0, -1.0], mask=[False, True, False])


def noise(data, trials, rng):
    return data + rng.laplace(size=trials)


def masked(data, trials, rng):
    return np.ma.masked_less(noise(data, trials, rng), 0.0)


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("X", lambda: GLMProblem(np.ma.masked_array(X, mask=X > 0.7), Y, **GOOD)),
        ("X", lambda: GLMProblem([np.ma.masked_array(row, mask=row > 0.7) for row in X], Y, **GOOD)),
        ("y", lambda: GLMProblem(X, MASKED, **GOOD)),
        ("the array that sampler masked returns", lambda: audit(masked, 0.0, 1.0, trials=1000)),
        ("outputs", lambda: audit_bits(masked, 0.0, 1.0, trials=1000)),
        (
            "the array that run returns",
            lambda: audit_one_run(lambda c, r: np.ma.masked_less(c * 1.0, 0.5), 100),
        ),
    ],
)
def test_masked_entries_are_refused(name, call):
    """Their values mean nothing, and were used."""
    with pytest.raises(InvalidInput, match=rf"{name} must be .* without masked entries"):
        call()


def test_a_mask_of_nothing_is_an_array():
    assert np.array_equal(validation.array("y", np.ma.masked_array(Y), ndim=1), Y)


def big(values):
    """The same numbers in the byte order that this processor does not have."""
    made = np.asarray(values)
    return made.astype(made.dtype.newbyteorder("S"))


def test_foreign_byte_order_changes_no_bit_of_a_problem():
    for features in (big(X), list(big(X)), np.asfortranarray(big(X))):
        other, usual = GLMProblem(features, big(Y), **GOOD), GLMProblem(X, Y, **GOOD)
        assert other.digest == usual.digest and other.y.dtype.isnative
        assert np.array_equal(GD.sample(other, 8), GD.sample(usual, 8))
    assert canonical(big(X)) == canonical(X) and canonical({"a": [big(Y)]}) == canonical({"a": [Y]})
    assert canonical(big(X)) != canonical(X + 1.0)


def test_foreign_byte_order_changes_no_audit():
    def swapped(data, trials, rng):
        return big(noise(data, trials, rng))

    def pair(data, trials, rng):
        return big(data + rng.laplace(size=(trials, 2)))

    one, other = (audit(sampler, 0.0, 1.0, trials=4000) for sampler in (noise, swapped))
    assert one.epsilon_lower == other.epsilon_lower > 0.0
    assert audit(pair, 0.0, 1.0, trials=4000).epsilon_lower > 0.0
    bits = [audit_bits(sampler, 0.0, 1.0, trials=4000).epsilon_lower for sampler in (noise, swapped)]
    assert bits[0] == bits[1]
    scores = [audit_one_run(lambda c, r, w=w: w(c + r.laplace(size=c.size)), 500) for w in (np.asarray, big)]
    assert scores[0].epsilon_lower == scores[1].epsilon_lower


@pytest.mark.parametrize("cell", ["1_000", "1_0.5", "1e1_0", "_1"])
def test_underscores_are_no_part_of_a_number(cell, tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text(f"a,b\n1,2\n3,{cell}\n")
    with pytest.raises(InvalidInput, match=f"must hold finite numbers, got '{cell}' in line 3, column 'b'"):
        read_table(path)
