"""The gray box: exact shifts from recorded runs, and no verdict where the record implies none."""

from __future__ import annotations

import copy
import json
import math
import sys
import threading
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from mpmath import mp, mpf
from threadpoolctl import threadpool_info, threadpool_limits

from dpbench.core.validation import InvalidInput
from dpbench.privacy import gaussian
from dpbench_libraries.graybox import GrayBoxResult, audit_graybox, epsilon_between

ONE, OTHER = [0.25, 1.0], [0.25, 0.0]  # the second record is replaced


def examined(function: Any, epsilon: float | None = 1.0, delta: float = 0.0, **given: Any) -> GrayBoxResult:
    return audit_graybox(function, ONE, OTHER, epsilon=epsilon, delta=delta, **given)


@pytest.mark.parametrize("scale, epsilon, verdict", [(1.0, 1.0, "not refuted"), (0.5, 2.0, "refuted")])
def test_laplace_noise_has_its_epsilon_and_half_of_it_is_refuted(scale: float, epsilon: float, verdict: str) -> None:
    found = examined(lambda values, rng: sum(values) + rng.laplace(scale=scale))
    assert found.verdict == verdict and found.exact
    assert found.epsilon_lower == pytest.approx(epsilon, rel=1e-12)
    assert [(s.kind, s.size, s.scale) for s in found.shifts] == [("laplace", 1, scale)]
    assert found.shifts[0].ratio == pytest.approx(epsilon, rel=1e-12)


@pytest.mark.parametrize("sensitivity, verdict", [(1.0, "not refuted"), (2.0, "refuted")])
def test_gaussian_noise_has_its_mu(sensitivity: float, verdict: str) -> None:
    delta = 1e-5
    noise = gaussian.noise(1.0, 1.0, delta)
    found = examined(lambda values, rng: sensitivity * sum(values) + rng.normal(0.0, noise, size=1), 1.0, delta)
    assert found.verdict == verdict and found.mu == pytest.approx(sensitivity / noise, rel=1e-9)
    assert found.epsilon_lower == pytest.approx(gaussian.epsilon(delta, sensitivity / noise), rel=1e-9)


def test_a_vector_composes_by_its_family() -> None:
    scales = np.array([1.0, 4.0])
    both = examined(lambda v, rng: {"sums": np.array([sum(v), 3.0 * v[1]]) + rng.laplace(scale=scales)}, 1.7)
    assert both.verdict == "refuted" and both.epsilon_lower == pytest.approx(1.0 + 0.75)
    normal = examined(lambda v, rng: np.array([sum(v), 3.0 * v[1]]) + rng.normal(scale=scales), 1.0, 1e-6)
    assert normal.mu == pytest.approx(math.hypot(1.0, 0.75))
    mixed = examined(lambda v, rng: [sum(v) + rng.laplace(scale=2.0), v[1] + rng.standard_normal()], None, 1e-6)
    assert mixed.verdict is None and [round(s.ratio, 9) for s in mixed.shifts] == [0.5, 1.0]
    normal_alone = gaussian.epsilon(1e-6, 1.0)
    assert (mixed.epsilon_lower, mixed.epsilon_upper) == pytest.approx((normal_alone, normal_alone + 0.5), rel=1e-6)


def test_the_same_answer_in_other_units_and_columns_is_the_same() -> None:
    """More outputs than noise, of any scale, as long as the map from noise to output is one to one."""

    def answers(values: Any, rng: Any) -> Any:
        noisy = sum(values) + rng.laplace(scale=0.5)
        return [1e9 * noisy, 1e-9 * noisy, 7.0 - noisy]

    assert examined(answers).epsilon_lower == pytest.approx(2.0, rel=1e-6)


def test_noise_used_twice_is_found() -> None:
    def answers(values: Any, rng: Any) -> Any:
        again = copy.deepcopy(rng)
        return [values[0] + rng.laplace(scale=100.0), values[1] + again.laplace(scale=100.0)]

    assert examined(answers).epsilon_lower == math.inf
    apart = examined(lambda v, rng: [v[0] + rng.laplace(scale=100.0), v[1] + rng.laplace(scale=100.0)])
    assert apart.epsilon_lower == pytest.approx(0.01)


def test_a_number_without_noise_beside_noisy_ones_is_found() -> None:
    assert (
        examined(lambda v, rng: {"sum": sum(v) + rng.laplace(scale=9.0), "largest": max(v)}).epsilon_lower == math.inf
    )
    assert examined(lambda v, rng: {"sum": sum(v) + rng.laplace(scale=9.0), "n": len(v)}).verdict == "not refuted"


def test_control_flow_that_depends_on_the_data_is_found() -> None:
    def one_a_record(values: Any, rng: Any) -> float:
        for value in values:
            if value > 0.5:
                rng.laplace()
        return sum(values) + rng.laplace()

    found = examined(one_a_record)
    assert found.verdict == "undecided" and "2 draws on one data set and 1 on the other" in found.control_flow
    assert examined(lambda v, rng: sum(v) + rng.laplace()).control_flow == ""


def test_noise_whose_scale_depends_on_the_data_has_no_epsilon() -> None:
    found = examined(lambda values, rng: rng.laplace(scale=100.0 + values[1]))
    assert found.verdict == "refuted" and found.epsilon_lower == math.inf and "scale" in found.control_flow
    later = examined(lambda values, rng: (1.0 + values[1]) * rng.laplace(scale=100.0))
    assert later.epsilon_lower == math.inf and later.control_flow == ""
    assert examined(lambda values, rng: rng.laplace(scale=100.0 + values[1]), 1.0, 1e-3).verdict == "undecided"


@pytest.mark.parametrize(
    "function, why",
    [
        (lambda v, rng: sum(v) + rng.laplace() + rng.laplace(), "post-processed"),
        (lambda v, rng: round(sum(v) + rng.laplace(scale=0.01)), "affine"),
        (lambda v, rng: sum(v) + rng.laplace(scale=0.01) > 0.5, "affine"),
        (lambda v, rng: float(np.clip(sum(v) + rng.laplace(scale=0.01), 0.0, 5.0)), "affine"),
        (lambda v, rng: max(x + rng.laplace(scale=0.01) for x in v), "affine"),
        (lambda v, rng: sorted(x + rng.laplace(scale=0.01) for x in v), "affine"),
        (lambda v, rng: v[1] if rng.normal() > -4.0 else 1.0 - v[1], "affine"),
        (lambda v, rng: v[1] * rng.laplace(scale=0.01) * rng.laplace(), "affine"),
        (lambda v, rng: v[1] if rng.random() < 0.9 else 1.0 - v[1], "other kinds"),
        (lambda v, rng: sum(x for x in v if rng.random() < 0.999) + rng.laplace(), "other kinds"),
        (lambda v, rng: v[1], "no draw was recorded"),
        (lambda v, rng: sum(v) + np.random.default_rng().laplace(), "no draw was recorded"),
        (lambda v, rng: sum(v) + rng.laplace() + np.random.default_rng().laplace(), "affine"),
        (lambda v, rng: sum(v) + type(rng)(np.random.PCG64(int(4.0 * sum(v)))).laplace(), "other noise on the other"),
        (lambda v, rng: 1e12 + sum(v) + rng.laplace(scale=0.01), "affine"),
        (lambda v, rng: [0.0] * (1 + (rng.laplace() > 0.0)), "structure"),
        (lambda v, rng: rng.laplace(size=600), "600 numbers of noise"),
        (lambda v, rng: 1.0004 * rng.laplace() if v[1] else rng.laplace(), "too little"),
        (lambda v, rng: sum(v) + rng.laplace() + math.inf, "affine"),
    ],
)
def test_what_the_record_does_not_imply_is_undecided(function: Any, why: str) -> None:
    found = examined(function, 0.01)
    assert found.verdict == "undecided" and found.epsilon_lower is None and why in found.reason


def test_a_sum_of_normal_noise_has_its_mu() -> None:
    """Post-processing of normal noise is normal: 3, 4 make 5."""
    found = examined(lambda v, rng: sum(v) + rng.normal(scale=3.0) + rng.normal(scale=4.0), 1.0, 1e-5)
    assert found.mu == pytest.approx(0.2) and found.shifts == ()


def test_generators_that_record_draw_the_same_bits() -> None:
    """Each call beside a plain generator in the same state, in the first run, whose noise is not moved."""
    calls = [
        lambda r: r.laplace(1.5, 2.5, size=(2, 3)), lambda r: r.normal([0.0, 1.0], 0.3), lambda r: r.standard_normal(),
        lambda r: r.random(3), lambda r: r.permutation(5), lambda r: r.choice(4, 2), lambda r: r.laplace(),
        lambda r: r.exponential(2.0, 2), lambda r: r.normal(),
    ]  # fmt: skip
    compared = []

    def beside(values: Any, rng: Any) -> Any:
        for call in calls * 2:
            plain = np.random.Generator(np.random.PCG64())
            plain.bit_generator.state = rng.bit_generator.state
            compared.append(np.array_equal(call(rng), call(plain)))
        return sum(values) + rng.laplace()

    examined(beside)
    assert len(compared) > 2 * len(calls) and all(compared[: 2 * len(calls)])


def test_what_is_reported_can_be_read_and_written() -> None:
    found = examined(lambda values, rng: sum(values) + rng.laplace(scale=0.5), relation="replace")
    assert "epsilon = 2 at delta = 0" in str(found) and "claim 1: refuted" in str(found)
    assert "no noise beyond the recorded" in str(found)
    assert f"at {found.runs // 2} values tried, up to 64 scales" in str(found)
    assert json.loads(json.dumps(found.to_dict()))["shifts"][0]["ratio"] == pytest.approx(2.0)


@pytest.mark.parametrize(
    "given, message",
    [
        (dict(function=3), "function must be callable"),
        (dict(neighbour=ONE), "neighbour must be a data set that differs"),
        (dict(epsilon=-1.0), "epsilon must be a finite number >= 0"),
        (dict(delta=1.0), "delta must be a number in"),
        (dict(seeds=1), "seeds must be an integer >= 2"),
        (dict(relation="near"), "relation must be one of"),
        (dict(function=lambda v: v[0]), "raised TypeError"),
        (dict(function=lambda v, rng: 1 / 0), "raised ZeroDivisionError"),
        (dict(function=lambda v, rng: sys.exit(3)), "raised SystemExit"),
        (dict(dataset=threading.Lock()), "dataset must be data sets that copy.deepcopy can copy"),
        (dict(function=lambda v, rng: (x for x in v)), "got a generator as output"),
    ],
)
def test_bad_input_is_one_clear_message(given: dict[str, Any], message: str) -> None:
    usual: dict[str, Any] = dict(function=lambda v, rng: sum(v) + rng.laplace(), dataset=ONE, neighbour=OTHER)
    with pytest.raises(InvalidInput, match=message):
        audit_graybox(**{**usual, **given})


def test_draws_in_another_order_are_undecided() -> None:
    def answers(values: Any, rng: Any) -> Any:
        first, second = rng.laplace(size=2)
        return [first, second] if values[1] > 0.5 else [second, -first]

    found = examined(answers)
    assert found.verdict == "undecided" and "another order" in found.reason


@pytest.mark.parametrize("scale", [1e3, 1e5, 1e9, 1e12, 1e14])
def test_one_noise_in_two_numbers_is_never_found_private(scale: float) -> None:
    """Their difference has no noise, however large it is."""

    def answers(values: Any, rng: Any, kind: str) -> Any:
        noise = getattr(rng, kind)(scale=scale)
        return [values[0] + noise, values[1] + noise]

    for kind, delta in (("laplace", 0.0), ("normal", 1e-5)):
        found = examined(lambda v, rng, kind=kind: answers(v, rng, kind), 1.0, delta)
        assert found.verdict == ("refuted" if scale == 1e3 else "undecided")
        assert scale == 1e3 or "rounding" in found.reason
    apart = examined(lambda v, rng: [values + rng.laplace(scale=scale) for values in v])
    assert apart.verdict == "not refuted" and apart.epsilon_lower == pytest.approx(1.0 / scale, rel=1e-2)
    beside = examined(lambda v, rng: [len(v), sum(v) + rng.laplace(scale=scale)])
    assert beside.verdict == "not refuted"
    near = examined(lambda v, rng: np.array([1000.0, 1000.05]) * v[1] + rng.laplace(scale=scale))
    assert near.verdict == "refuted" or "rounding" in near.reason
    both = examined(lambda v, rng: (sum(v) + rng.laplace(scale=3.0)) * np.array([1.0, 7.0, 1e-3 * scale]))
    assert both.verdict == "not refuted" and both.epsilon_lower == pytest.approx(1.0 / 3.0)


def test_noise_without_axes_is_moved_as_any_other() -> None:
    found = examined(lambda v, rng: sum(v) + rng.laplace(scale=0.5, size=()))
    assert found.epsilon_lower == pytest.approx(2.0)
    scipy = pytest.importorskip("scipy.stats")
    assert examined(lambda v, rng: sum(v) + scipy.norm.rvs(random_state=rng), 1.0, 1e-5).mu == pytest.approx(1.0)


def test_a_scale_that_depends_on_the_data_is_open_where_the_draw_is_not_used() -> None:
    def answers(values: Any, rng: Any, moved: float) -> float:
        rng.laplace(scale=1.0 + moved * values[1])
        return sum(values) + rng.laplace()

    found = examined(lambda v, rng: answers(v, rng, 1.0))
    assert found.verdict == "undecided" and "scale" in found.control_flow and not found.exact
    assert examined(lambda v, rng: answers(v, rng, 0.0)).verdict == "not refuted"


def test_a_shift_that_varies_between_seeds_is_left_out() -> None:
    """By less than tests of each data set alone can see among so many draws."""

    def answers(values: Any, rng: Any, varies: float) -> float:
        hidden = rng.bit_generator.state["state"]["state"] / 2.0**128  # of the seed alone
        return sum(values) + rng.normal(size=100).sum() + varies * (1.0 - values[1]) * hidden

    assert "affine" in examined(lambda v, rng: answers(v, rng, 8e-6), 1.0, 1e-5).reason
    assert examined(lambda v, rng: answers(v, rng, 0.0), 1.0, 1e-5).verdict == "not refuted"


@pytest.mark.parametrize(
    "claim, base, verdict",
    [
        (1e-7, 0.0, "refuted"), (1e-6, 0.0, "not refuted"), (0.999e-6, 0.0, "refuted"), (0.0, 0.0, "refuted"),
        (0.999e-6, 1e9, "refuted"), (0.999e-6, 1e11, "undecided"), (1.001e-6, 1e11, "undecided"),
        (1.001e-6, 1e9, "not refuted"),
    ],
)  # fmt: skip
def test_small_claims_are_told_apart_as_far_as_rounding_lets(claim: float, base: float, verdict: str) -> None:
    found = examined(lambda v, rng: base + sum(v) + rng.laplace(scale=1e6), claim)
    assert found.verdict == verdict and (verdict != "undecided" or "rounding" in found.reason)


def both_kinds(values: Any, rng: Any) -> Any:
    """A Laplace coordinate moved by 1/2 scale, and a normal one moved by 1."""
    return [sum(values) + rng.laplace(scale=2.0), values[1] + rng.standard_normal()]


def two_of_laplace(values: Any, rng: Any) -> Any:
    return values[1] + rng.laplace(scale=[1.0, 2.0])


def test_a_run_has_one_thread_of_blas() -> None:
    """Two add up in another order, so that last bits would depend on the processor's cores."""
    seen = []

    def watched(value: float, rng: Any) -> float:
        seen.append({one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"})
        return value + float(rng.laplace())

    with threadpool_limits(3, user_api="blas"):
        assert audit_graybox(watched, 0.0, 1.0, epsilon=1.0, seeds=2).verdict == "not refuted"
    assert len(seen) > 3 and all(threads == {1} for threads in seen)


@pytest.mark.parametrize(
    "function, moved, mu, delta",
    [(both_kinds, [0.5], 1.0, 1e-5), (two_of_laplace, [1.0, 0.5], 0.0, 0.1), (both_kinds, [0.5], 1.0, 0.3)],
)
def test_a_claim_between_the_bounds_is_undecided(function: Any, moved: list[float], mu: float, delta: float) -> None:
    """A thousandth beyond either bound it is not."""
    low, high = epsilon_between(delta, moved, mu)
    assert 0.0 < low < high
    for claim, verdict in ((0.999 * low, "refuted"), (0.5 * (low + high), "undecided"), (1.001 * high, "not refuted")):
        found = examined(function, claim, delta)
        assert found.verdict == verdict and found.exact
        assert (found.epsilon_lower, found.epsilon_upper) == pytest.approx((low, high), rel=1e-9)
        assert ("between the bounds" in found.reason) == (verdict == "undecided")
        assert f"epsilon >= {low:.6g} and <= {high:.6g}" in str(found)


@pytest.mark.parametrize(
    "noise, delta, epsilon",
    [
        (lambda rng: rng.laplace(scale=0.5), 0.0, 2.0),
        (lambda rng: rng.laplace(scale=0.3), 0.0, 1.0 / 0.3),
        (lambda rng: rng.laplace(scale=0.5), 0.25, 2.0 + 2.0 * math.log(0.75)),
        (lambda rng: rng.normal(scale=2.0), 1e-6, gaussian.epsilon(1e-6, 0.5)),
    ],
)
def test_noise_that_meets_its_claim_to_the_last_bit_is_not_refuted(noise: Any, delta: float, epsilon: float) -> None:
    """Nor one ulp beside it; planted: two millionths less, which is refuted."""
    for claim in (math.nextafter(epsilon, 0.0), epsilon, math.nextafter(epsilon, math.inf)):
        found = examined(lambda v, rng: sum(v) + noise(rng), claim, delta)
        assert found.verdict == "not refuted" and found.epsilon_upper == pytest.approx(epsilon, rel=1e-8)
    assert examined(lambda v, rng: sum(v) + noise(rng), epsilon * (1.0 - 2e-6), delta).verdict == "refuted"


def test_noise_that_is_not_moved_has_no_part_in_epsilon_in_any_order() -> None:
    """A least-squares solution by itself leaves 1e-17 there: of normal noise an infinite epsilon at delta = 0."""
    order = [3, 0, 5, 1, 4, 2]
    mixing = np.random.default_rng(0).normal(size=(2, 3, 3))

    def answers(values: Any, rng: Any, leaks: float) -> Any:
        quiet = mixing[0] @ rng.normal(size=3) + [5.0, 6.0, 7.0 + leaks * values[1]]
        return np.concatenate([mixing[1] @ (values[1] * np.array([0.5, 0.2, 0.1]) + rng.laplace(size=3)), quiet])[order]

    found = examined(lambda v, rng: answers(v, rng, 0.0), 0.8)
    assert found.mu == 0.0 and found.verdict == "not refuted" and found.epsilon_upper == pytest.approx(0.8)
    assert examined(lambda v, rng: answers(v, rng, 0.1), 0.8).verdict == "refuted"


def test_the_data_sets_of_the_caller_are_not_changed() -> None:
    one, other = np.array(ONE), np.array(OTHER)

    def in_place(values: Any, rng: Any) -> Any:
        values += rng.laplace(size=2)
        return values

    found = audit_graybox(in_place, one, other, epsilon=1.0)
    assert found.verdict == "not refuted" and found.epsilon_lower == pytest.approx(1.0)
    assert one.tolist() == ONE and other.tolist() == OTHER


@pytest.mark.parametrize("moved", [[0.1, 0.2], [0.1] * 10, [1.0, 1e-17], [1e16, 1.0, 1.0], [2.0], []])
def test_at_delta_0_the_exact_sum_is_between_neighbouring_doubles(moved: list[float]) -> None:
    low, high = epsilon_between(0.0, moved, 0.0)
    exact = sum(map(Fraction, moved), Fraction(0))
    assert low <= exact <= high and high <= math.nextafter(low, math.inf)
    assert (low == high) == (Fraction(float(exact)) == exact)
    assert epsilon_between(0.0, moved, 1e-300) == (math.inf, math.inf)


@pytest.mark.parametrize("size", [1e-6, 0.3, 2.0, 30.0])
@pytest.mark.parametrize("delta", [1e-280, 1e-12, 1e-5, 0.25, 0.999])
def test_one_shift_is_between_its_bounds(delta: float, size: float) -> None:
    """Of Laplace noise the closed form; of normal noise δ on both sides, in 400 digits."""
    with mp.workdps(400):
        exact = max(mpf(0), mpf(size) + 2 * mp.log1p(-mpf(delta)))
        low, high = epsilon_between(delta, [0.0, size], 0.0)
        assert low <= exact <= high and high - low <= 1e-8 * delta / (1.0 - delta) + 1e-15 * size

        def above(epsilon: float) -> bool:
            a, b = epsilon / mpf(size) - mpf(size) / 2, epsilon / mpf(size) + mpf(size) / 2
            return bool(mp.ncdf(-a) - mp.exp(epsilon) * mp.ncdf(-b) > delta)

        low, high = epsilon_between(delta, [], size)
        assert (low == 0.0 or above(low)) and not above(high) and high - low <= 1e-6 * max(size, size * size)
