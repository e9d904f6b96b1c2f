"""`dpbench_libraries.opendp`: claims and neighbours read from OpenDP's own domains, metrics and measures. Every audit
here has a level of 1e-6."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from dpbench.core.validation import InvalidInput
from dpbench.privacy.profile import Profile
from dpbench_libraries import opendp as adapter

dp = pytest.importorskip("opendp.prelude", reason="pip install 'dpbench-libraries[libraries]'")
dp.enable_features("contrib", "idealized-numerics", "honest-but-curious")

LEVEL = {"trials": 2_000, "confidence": 1.0 - 1e-6}
PURE, CONCENTRATED = dp.max_divergence(), dp.zero_concentrated_divergence()
REAL = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)


def measurement(domain: Any, metric: Any, loss: Any = 1.0, measure: Any = PURE, scale: float = 1.0) -> Any:
    """Laplace noise of this scale around the (first) number, with this map."""

    def noisy(data: Any) -> float:
        return float(np.sum(data)) + float(np.random.laplace(scale=scale))  # noqa: NPY002

    return dp.m.make_user_measurement(domain, metric, measure, noisy, lambda d_in: loss, TO=float)


def vector(**element: Any) -> Any:
    size = element.pop("size", None)
    return dp.vector_domain(dp.atom_domain(**element), size=size)


@pytest.mark.parametrize(
    ("measure", "loss", "claim"),
    [
        (PURE, 1.5, {"epsilon": 1.5}),
        (dp.approximate(PURE), (1.0, 1e-3), {"epsilon": 1.0, "delta": 1e-3}),
        (dp.user_divergence("of mine"), 1.0, None),
        (CONCENTRATED, 0.5, {"claim": {"rho": 0.5}}),
        (dp.approximate(CONCENTRATED), (0.5, 1e-3), {"claim": {"rho": 0.5, "delta": 1e-3}}),
        (dp.renyi_divergence(), lambda a: a / 2.0, {"claim": {"rdp": {a: a / 2.0 for a in adapter.ORDERS}}}),
    ],
)
def test_the_claim_is_the_maps_in_its_own_measure(measure: Any, loss: Any, claim: Any) -> None:
    made = measurement(*REAL, loss, measure)
    if claim is None:
        with pytest.raises(InvalidInput, match="must be of a measure that an audit knows"):
            adapter.read(made)
    else:
        assert adapter.read(made).claim == claim


def test_a_curve_is_claimed_as_a_profile() -> None:
    made = dp.c.make_zCDP_to_approxDP(REAL >> dp.m.then_gaussian(scale=1.0))
    claim = adapter.read(made).claim["claim"]
    assert isinstance(claim, Profile) and claim.delta(0.5) == made.map(1.0).delta(0.5)
    assert adapter.read(made, relation="add").claim["claim"].neighbours == "add_remove"


def distance(metric: str, one: Any, other: Any) -> float:
    if "Symmetric" in metric:
        left = list(map(repr, one))
        for x in map(repr, other):
            if x in left:
                left.remove(x)
            else:
                left.append(x)
        return len(left)
    apart = np.abs(np.atleast_1d(np.array(one, dtype=float)) - np.array(other, dtype=float))
    kinds = {"L2": np.linalg.norm(apart), "LInf": apart.max(), "ChangeOne": float((apart > 0).sum()), "Discrete": 1.0}
    return float(next((value for name, value in kinds.items() if metric.startswith(name)), apart.sum()))


@pytest.mark.parametrize(
    ("domain", "metric", "d_in", "relation", "kind", "bounds"),
    [
        (*REAL, 1, None, float, None),
        (dp.atom_domain(bounds=(2, 5), T="i32"), dp.absolute_distance(T="i32"), 2, None, int, (2, 5)),
        (dp.atom_domain(T=bool), dp.discrete_distance(), 1, None, bool, None),
        (vector(T="i32", size=3), dp.l1_distance(T="i32"), 1, None, int, None),
        (vector(bounds=(0.0, 1.0), nan=False), dp.l2_distance(T=float), 1, None, float, (0, 1)),
        (vector(T="i64"), dp.linf_distance(T="i64"), 2, None, int, None),
        (vector(T="i32", bounds=(0, 9)), dp.symmetric_distance(), 1, "add_remove", int, (0, 9)),
        (vector(bounds=(0.0, 1.0), nan=False, size=6), dp.symmetric_distance(), 2, "replace", float, (0, 1)),
        (vector(T=bool, size=4), dp.change_one_distance(), 1, "replace", bool, None),
        (vector(T=float, nan=True), dp.symmetric_distance(), 1, "add_remove", float, None),
    ],
)
def test_neighbours_are_made_of_the_domain_at_the_distance(
    domain: Any, metric: Any, d_in: Any, relation: Any, kind: type, bounds: Any
) -> None:
    case = adapter.read(measurement(domain, metric), d_in)
    assert case.relation == relation and 2 <= len(case.pairs) <= adapter.PAIRS
    distances = [distance(str(metric), *pair) for pair in case.pairs]
    assert max(distances) <= d_in + 1e-9 and max(distances) > 0.99 * d_in
    for one, other in case.pairs:
        assert repr(one) != repr(other) and domain.member(one) and domain.member(other)
        low, high = bounds or adapter.UNBOUNDED
        assert all(low <= x <= high or np.isnan(x) for x in [*np.ravel(one), *np.ravel(other)])
        assert all(isinstance(x, kind) for x in (one if isinstance(one, list) else [one]))
    if "nan=true" in str(domain):
        assert any(np.isnan(x).any() for pair in case.pairs for x in pair)


MONOTONIC = dp.linf_distance(T="i64", monotonic=True)


@pytest.mark.parametrize(
    ("metric", "d_in", "right", "wrong"),
    [
        (dp.symmetric_distance(), 1, ([1, 2], [2]), ([1, 2], [1, 3])),
        (dp.symmetric_distance(), 2, ([1, 2], [3, 1]), ([1, 2], [3, 4])),
        (dp.insert_delete_distance(), 1, ([1, 1], [1]), ([1, 1], [2])),
        (dp.change_one_distance(), 1, ([1, 2], [2, 3]), ([1, 2], [1])),
        (dp.hamming_distance(), 1, ([1, 2], [1, 3]), ([1, 2], [2, 1])),
        (dp.l1_distance(T="i64"), 2, ([0, 0], [1, 1]), ([0, 0], [2, 1])),
        (dp.linf_distance(T="i64"), 1, ([0, 0], [1, -1]), ([0, 0], [1])),
        (MONOTONIC, 1, ([0, 0], [1, 1]), ([0, 0], [1, -1])),
    ],
)
def test_pairs_further_apart_than_the_claim_are_refused(metric: Any, d_in: Any, right: Any, wrong: Any) -> None:
    sized = str(metric).startswith(("ChangeOne", "Hamming"))
    made = measurement(vector(T="i64", size=2 if sized else None), metric)
    assert adapter.read(made, d_in, pairs=[right]).pairs == (right,)
    with pytest.raises(InvalidInput, match=f"of at most d_in = {d_in}, got one at|of members of"):
        adapter.read(made, d_in, pairs=[right, wrong])


@pytest.mark.parametrize(("metric", "signs"), [(MONOTONIC, 1), (dp.linf_distance(T="i64"), 2)])
def test_a_monotonic_metric_has_neighbours_of_one_sign(metric: Any, signs: int) -> None:
    """Under it the distance of others is infinite; without it they are made."""
    case = adapter.read(measurement(vector(T="i64"), metric))
    ways = [np.sign(np.subtract(other, one)) for one, other in case.pairs]
    assert max(len(set(way) - {0}) for way in ways) == signs


def test_a_mechanism_with_half_its_noise_is_refuted_and_the_right_one_is_not() -> None:
    """Planted: noise for ε = 2 under a map that says 1."""
    right, wrong = (adapter.audit(measurement(*REAL, scale=scale), **LEVEL) for scale in (1.0, 0.5))
    assert (right.verdict, wrong.verdict) == ("not refuted", "refuted")
    assert right.pair is not None and abs(right.pair[0] - right.pair[1]) == 1.0
    assert any("made of the domain" in text for text in right.assumes) and "made of the domain" in str(right)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"measurement": 3}, "measurement must be an OpenDP measurement"),
        ({"d_in": -1.0, "measurement": REAL >> dp.m.then_laplace(scale=1.0)}, "d_in must be a distance that"),
        ({"pairs": [(0.0, 0.0)]}, "neighbour must be a data set that differs"),
        ({"pairs": [(0.0,)]}, "pairs must be a sequence of"),
        ({"pairs": []}, "pairs must be at least one pair"),
        ({"pairs": 3}, "pairs must be a sequence of"),
        ({"pairs": [(0.0, 1.5)]}, "pairs must be at a AbsoluteDistance of at most d_in = 1, got one at 1.5"),
        ({"d_in": None}, "got None"),
        ({"measurement": REAL >> dp.m.then_laplace(scale=0.0)}, "d_in must be a distance at which the map claims"),
        ({"trials": 3}, "trials must be an integer >= 100"),
        ({"measurement": measurement(dp.atom_domain(T=str), dp.discrete_distance())}, "records of"),
        ({"measurement": measurement(vector(T=float, nan=False, size=3), dp.symmetric_distance())},
         "d_in must be 2 .a record replaced"),
        ({"measurement": measurement(dp.map_domain(dp.atom_domain(T=str), dp.atom_domain(T=int)),
                                     dp.l01inf_distance(dp.absolute_distance(T=int)))},
         "d_in must be a distance|must be given, neighbours at a distance of"),
    ],
)  # fmt: skip
def test_bad_input_gets_one_message(given: Any, message: str) -> None:
    options = {"measurement": measurement(*REAL), **given}
    with pytest.raises(InvalidInput, match=message):
        adapter.audit(options.pop("measurement"), options.pop("d_in", 1), **options)


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opendp", None)
    with pytest.raises(InvalidInput, match="pip install opendp"):
        adapter.audit(object())


def test_opendps_own_measurements_are_read_and_not_refuted() -> None:
    sized = vector(bounds=(0.0, 10.0), nan=False, size=6), dp.symmetric_distance()
    for made, d_in, unit in (
        (REAL >> dp.m.then_laplace(scale=1.0), 1, "epsilon"),
        (REAL >> dp.m.then_gaussian(scale=1.0), 1, "rho"),
        (sized >> dp.t.then_mean() >> dp.m.then_laplace(scale=2.0), 2, "epsilon"),
    ):
        found = adapter.audit(made, d_in, **LEVEL)
        assert found.verdict == "not refuted" and found.unit == unit and found.bound > 0.1


def test_a_monotonic_noisy_max_is_not_refuted() -> None:
    """It claims half of what it does without the word; pairs of mixed signs would refute it."""
    scores = vector(T=int), dp.linf_distance(T=int, monotonic=True)
    made = scores >> dp.m.then_noisy_max(PURE, scale=1.0)
    assert made.map(1) == 1.0 and adapter.audit(made, **LEVEL).verdict == "not refuted"
    with pytest.raises(InvalidInput, match="got one at inf"):
        adapter.audit(made, pairs=[([1, -1, 1], [0, 0, 0])])


def test_every_listed_case_can_be_read() -> None:
    cases = adapter.cases()
    assert len(cases) >= 20 and len({case.name for case in cases}) == len(cases)
