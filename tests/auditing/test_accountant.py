"""`dpbench.check_accountant`: enclosures beside closed forms and a second route, public reports, planted errors."""

from __future__ import annotations

import json
import math
from types import SimpleNamespace
from typing import Any

import mpmath
import pytest

import dpbench
from dpbench.auditing.accountant import AccountantCheck, Steps
from dpbench.cli.app import run
from dpbench.privacy import gaussian


def dpsgd(noise: float, rate: float = 1.0, steps: int = 1) -> dict[str, Any]:
    return {"noise_multiplier": noise, "sampling_rate": rate, "steps": steps}


def single_step(noise: float, rate: float, epsilon: float) -> float:
    """δ(ε) of one Poisson-sampled step, the larger of both directions, in 40 digits: the event is a half-line."""
    with mpmath.workdps(40):
        sigma, q, e = mpmath.mpf(noise), mpmath.mpf(rate), mpmath.e ** mpmath.mpf(epsilon)
        deltas = []
        if (e - 1 + q) / q > 0:
            x = mpmath.mpf(0.5) + sigma**2 * mpmath.log((e - 1 + q) / q)
            still, moved = mpmath.ncdf(-x / sigma), mpmath.ncdf((1 - x) / sigma)
            deltas.append((1 - q) * still + q * moved - e * still)
        if (1 / e - 1 + q) / q > 0:
            x = mpmath.mpf(0.5) + sigma**2 * mpmath.log((1 / e - 1 + q) / q)
            still, moved = mpmath.ncdf(x / sigma), mpmath.ncdf((x - 1) / sigma)
            deltas.append(still - e * ((1 - q) * still + q * moved))
        return float(max([mpmath.mpf(0), *deltas]))


def test_losses_that_are_all_rounded_to_one_point_have_bounds() -> None:
    """At a rate of 1e-9 a coarse grid sees no variance where a record is added: by that it once divided. The bounds
    enclose the exact δ, though they are wide."""
    found = dpbench.check_accountant(dpsgd(0.5, 1e-9), 0.5, 1e-5)
    assert found.delta[0] <= single_step(0.5, 1e-9, 0.5) <= found.delta[1] <= 1e-11
    assert found.verdict == "holds" and found.epsilon[0] == 0.0 and found.epsilon[1] < 0.01


@pytest.mark.parametrize(("noise", "rate", "epsilon"), [(1.0, 0.01, 0.5), (0.4, 0.3, 0.1), (2.0, 0.9, 4.0)])
def test_one_step_encloses_its_exact_delta(noise: float, rate: float, epsilon: float) -> None:
    found = dpbench.check_accountant(dpsgd(noise, rate), epsilon, 1e-6)
    low, high = found.delta
    assert low <= single_step(noise, rate, epsilon) <= high
    assert high - low <= 0.05 * high
    low, high = found.epsilon
    assert single_step(noise, rate, low) >= 1e-6 >= single_step(noise, rate, high)
    assert high - low < 0.01


@pytest.mark.parametrize(("relation", "sensitivity", "delta"), [("add_remove", 1.0, 1e-25), ("replace", 2.0, 1e-5)])
def test_without_sampling_it_is_gaussian(relation: str, sensitivity: float, delta: float) -> None:
    kinds = [dpsgd(8.0, steps=9), dpsgd(2.0)]
    mu = sensitivity * math.hypot(3.0 / 8.0, 0.5)
    found = dpbench.check_accountant(kinds, 1.0, delta, relation=relation)
    assert found.delta[0] <= gaussian.delta(1.0, mu) <= found.delta[1]
    assert found.epsilon[0] <= gaussian.epsilon(delta, mu) <= found.epsilon[1]
    assert found.epsilon[1] - found.epsilon[0] < 0.01


def test_many_steps_beside_dp_accounting() -> None:
    """Second route: the loss distribution of dp-accounting, whose ε is an upper bound."""
    distribution = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
    loss = distribution.from_gaussian_mechanism(1.1, sampling_prob=0.01, value_discretization_interval=1e-4)
    theirs = loss.self_compose(100).get_epsilon_for_delta(1e-6)
    low, high = dpbench.check_accountant(dpsgd(1.1, 0.01, 100), theirs, 1e-6).epsilon
    assert low <= theirs
    assert abs(theirs - high) < 0.005
    assert high - low < 0.01


def test_a_step_fewer_and_a_single_step_are_named() -> None:
    low, high = dpbench.check_accountant(dpsgd(0.8, 0.1, 2), 1.0, 1e-5).epsilon
    slips = dpbench.check_accountant(dpsgd(0.8, 0.1, 3), 0.5 * (low + high), 1e-5).slips
    assert slips == ("a step fewer",)
    low, high = dpbench.check_accountant(dpsgd(0.8, 0.1), 1.0, 1e-5).epsilon
    assert "a single step" in dpbench.check_accountant(dpsgd(0.8, 0.1, 3), 0.5 * (low + high), 1e-5).slips


def test_planted_errors_of_a_hundredth_are_refuted() -> None:
    """The ε of a mechanism with 1% more noise, or 1% less, or a step more, is wrong for the other."""
    true = dpsgd(1.0, 0.05, 4)
    low, high = dpbench.check_accountant(true, 1.0, 1e-5).epsilon
    for worse in (dpsgd(1.0, 0.0505, 4), dpsgd(1.0, 0.05, 5)):
        assert dpbench.check_accountant(worse, high, 1e-5).verdict == "refuted"
    better = dpbench.check_accountant(dpsgd(1.01, 0.05, 4), high + 0.01, 1e-5)
    assert better.verdict == "holds" and better.epsilon[1] < low
    assert dpbench.check_accountant(true, better.epsilon[1], 1e-5).verdict == "refuted"


@pytest.mark.parametrize(("noise", "rate", "epsilon"), [(1.0, 0.1, 0.5), (0.5, 0.4, 1.5)])
def test_one_replaced_record_loses_what_its_pair_does(noise: float, rate: float, epsilon: float) -> None:
    """qN(1, σ²) against qN(−1, σ²), in 30 digits: the loss rises with x, so the event is a half-line."""
    with mpmath.workdps(30):

        def tail(x: Any, centre: int) -> Any:
            return (1 - rate) * mpmath.ncdf(-x / noise) + rate * mpmath.ncdf((centre - x) / noise)

        def loss(x: Any) -> Any:
            there, here = (1 - rate + rate * mpmath.exp((2 * side * x - 1) / (2 * noise**2)) for side in (1, -1))
            return mpmath.log(there / here) - epsilon

        x = mpmath.findroot(loss, (0, 9), solver="anderson")
        exact = float(tail(x, 1) - mpmath.e**epsilon * tail(x, -1))
    found = dpbench.check_accountant(dpsgd(noise, rate), epsilon, 0.5 * exact, relation="replace")
    assert found.verdict == "refuted"
    assert 0.95 * exact <= found.delta[0] <= exact


@pytest.mark.parametrize(("relation", "mu"), [("add_remove", 0.25), ("replace", 0.5)])
def test_a_claim_without_sampling_is_named(relation: str, mu: float) -> None:
    found = dpbench.check_accountant(dpsgd(8.0, 0.1, 4), gaussian.epsilon(1e-5, mu), 1e-5, relation=relation)
    assert found.verdict in ("holds", "undecided")
    assert found.slips == ("no sampling: every record in every step",)
    assert dpbench.check_accountant(dpsgd(8.0, 1.0, 4), found.claimed[0], 1e-5, relation=relation).slips == ()


def test_replaced_records_under_sampling_never_hold() -> None:
    found = dpbench.check_accountant(dpsgd(1.0, 0.1, 3), 50.0, 1e-5, relation="replace")
    assert (found.verdict, found.epsilon[1], found.delta[1]) == ("undecided", math.inf, 1.0)
    assert found.to_dict()["epsilon"] == [found.epsilon[0], None] and str(found).count("at least") == 2
    removed = dpbench.check_accountant(dpsgd(1.0, 0.1, 3), 50.0, 1e-5)
    assert found.epsilon[0] > removed.epsilon[0]


def test_accountants_and_events() -> None:
    opacus = SimpleNamespace(history=[(3.0, 0.2, 50)], get_epsilon=lambda delta: 1.83)
    assert dpbench.check_accountant(opacus, delta=1 / 48_000).slips
    events = pytest.importorskip("dp_accounting.dp_event")
    step = events.PoissonSampledDpEvent(0.2, events.GaussianDpEvent(3.0))
    event = events.ComposedDpEvent([events.SelfComposedDpEvent(step, 4), step])
    expected = dpbench.check_accountant(dpsgd(3, 0.2, 5), 0.2, 1e-5)
    assert dpbench.check_accountant(event, 0.2, 1e-5) == expected


def test_the_command_says_what_python_says(capsys: pytest.CaptureFixture[str]) -> None:
    options = "--noise-multiplier 3 --sampling-rate 0.2 --steps 2 --delta 2e-5"
    assert run(["check-accountant", *options.split(), "--epsilon", "0.4", "--json", "-"]) == 1
    said = json.loads(capsys.readouterr().out)
    expected = dpbench.check_accountant(dpsgd(3, 0.2, 2), 0.4, 2e-5)
    assert (said["verdict"], said["schema"]) == ("refuted", 1)
    assert said["epsilon"] == pytest.approx(expected.epsilon)
    assert run(["check-accountant", *options.split(), "--epsilon", "0.5"]) == 0
    assert capsys.readouterr().out.startswith("holds")
    assert run(["check-accountant", *options.split(), "--epsilon", "x"]) == 2
    assert run(["check-accountant", *options.split(), "--epsilon", "9", "--relation", "replace"]) == 0
    assert capsys.readouterr().out.startswith("undecided")


@pytest.mark.parametrize(("steps", "epsilon", "delta"), [(dpsgd(3.0, 0.2), 1.83, 1e-5), (dpsgd(1e4), 50.0, 1e-12)])
def test_far_above_the_losses_there_are_a_claim_holds(steps: dict[str, Any], epsilon: float, delta: float) -> None:
    found = dpbench.check_accountant(steps, epsilon, delta)
    assert found.verdict == "holds" and 0.0 <= found.delta[0] <= found.delta[1] < 1e-24
    assert dpbench.check_accountant(steps, 0.0, 0.5).epsilon == (0.0, 0.0)  # no more than what δ is at 0


@pytest.mark.parametrize(
    ("bounds", "said"),
    [((1.2341, 1.2342), "1.234"), ((1.231, 1.2349), "1.23"), ((1.234, 1.236), "1.234 to 1.236"), ((1.0, 2.0), "1 to 2"),
     ((3.0, math.inf), "at least 3"), ((0.25, 1.0), "at least 0.25")],
)  # fmt: skip
def test_bounds_are_printed_as_far_as_they_agree(bounds: tuple[float, float], said: str) -> None:
    for verdict, relation, word, steps in (
        ("undecided", "replace", "replaced", ()),
        ("holds", "add_remove", "added or removed, Poisson sampling", (Steps(3.0, 0.2, 50),)),
    ):
        found = AccountantCheck(verdict, (1.5, 1e-5), bounds, bounds, relation, ("a slip",), steps)
        head, slip = str(found).splitlines()
        enclosed = " (the bounds enclose the claim)" * (verdict == "undecided")
        assert head == (
            f"{verdict}{enclosed}: claimed (1.5, 1e-05), one record {word}; exact epsilon at this "
            f"delta {said}, exact delta at this epsilon {said}"
        )
        assert slip == "as if: a slip"


def test_a_claim_that_no_slip_gives_has_none() -> None:
    found = dpbench.check_accountant(dpsgd(3, 0.2, 50), 1.78, 1 / 48_000)  # 2.7% below the central limit's
    assert (found.verdict, found.slips) == ("refuted", ())
