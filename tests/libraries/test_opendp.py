"""`dpbench.libraries.opendp`: claims and neighbours read from stand-ins of each domain, metric and measure, and, where
OpenDP is installed, from its own measurements. Every audit here has a level of 1e-6."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dpbench.core.validation import InvalidInput
from dpbench.libraries import opendp as adapter
from dpbench.privacy.profile import Profile

LEVEL = {"trials": 2_000, "confidence": 1.0 - 1e-6}


class Failed(Exception):
    """Stands in for the library's own exception."""


class Unknown(Exception):
    """Stands in for the library's exception of a type that it cannot infer."""


class Measurement:
    """Laplace noise of this scale around the (first) number, with the domain, metric, measure and map given."""

    def __init__(self, domain: Any, metric: str, measure: str, loss: Any, scale: float = 1.0) -> None:
        self.input_domain, self.output_measure = domain, SimpleNamespace(type=measure)
        self.input_metric = SimpleNamespace(type=metric, distance_type="f64")
        self._loss, self._scale = loss, scale

    def map(self, d_in: Any) -> Any:
        if d_in is None:
            raise Unknown("Type of Option cannot be inferred from None")
        if d_in < 0:
            raise Failed("a distance is not negative")
        return self._loss

    def __call__(self, data: Any) -> float:
        return float(np.sum(data)) + float(np.random.laplace(scale=self._scale))  # noqa: NPY002


def atom(carrier: str = "f64", bounds: Any = None, nan: bool = False) -> Any:
    return SimpleNamespace(type=f"AtomDomain<{carrier}>", carrier_type=carrier, bounds=bounds, nan=nan,
                           member=lambda x: isinstance(x, float))  # fmt: skip


def vector(element: Any, size: int | None = None) -> Any:
    return SimpleNamespace(type=f"VectorDomain<{element.type}>", element_domain=element, size=size,
                           member=lambda x: isinstance(x, list))  # fmt: skip


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    mod = SimpleNamespace(Measurement=Measurement, OpenDPException=Failed, UnknownTypeException=Unknown)
    monkeypatch.setattr(adapter, "library", lambda: SimpleNamespace(mod=mod))


ABSOLUTE = (atom(), "AbsoluteDistance<f64>")


@pytest.mark.parametrize(
    ("measure", "loss", "claim"),
    [
        ("MaxDivergence", 1.5, {"epsilon": 1.5}),
        ("Approximate<MaxDivergence>", (1.0, 1e-3), {"epsilon": 1.0, "delta": 1e-3}),
        ("UserDivergence", 1.0, None),
        ("ZeroConcentratedDivergence", 0.5, {"claim": {"rho": 0.5}}),
        ("Approximate<ZeroConcentratedDivergence>", (0.5, 1e-3), {"claim": {"rho": 0.5, "delta": 1e-3}}),
        ("RenyiDivergence", lambda order: order / 2.0, {"claim": {"rdp": {o: o / 2.0 for o in adapter.ORDERS}}}),
    ],
)
@pytest.mark.usefixtures("stand_in")
def test_the_claim_is_the_maps_in_its_own_measure(measure: str, loss: Any, claim: Any) -> None:
    measurement = Measurement(*ABSOLUTE, measure, loss)
    if claim is None:
        with pytest.raises(InvalidInput, match="must be of a measure that an audit knows"):
            adapter.read(measurement)
    else:
        assert adapter.read(measurement).claim == claim


@pytest.mark.usefixtures("stand_in")
def test_a_curve_is_claimed_as_a_profile() -> None:
    loss = SimpleNamespace(delta=lambda epsilon: max(0.0, 0.5 - epsilon))
    claim = adapter.read(Measurement(*ABSOLUTE, "SmoothedMaxDivergence", loss)).claim["claim"]
    assert isinstance(claim, Profile) and claim.delta(0.1) == 0.4


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
    ("domain", "metric", "d_in", "relation"),
    [
        (atom(), "AbsoluteDistance<f64>", 1, None),
        (atom("i32", (2, 5)), "AbsoluteDistance<i32>", 2, None),
        (atom("bool"), "DiscreteDistance", 1, None),
        (vector(atom("i32"), 3), "L1Distance<i32>", 1, None),
        (vector(atom(bounds=(0.0, 1.0))), "L2Distance<f64>", 1, None),
        (vector(atom("i64")), "opendp::metrics::LInfDistance<i64>", 2, None),
        (vector(atom("i32", (0, 9))), "SymmetricDistance", 1, "add_remove"),
        (vector(atom(bounds=(0.0, 1.0)), 6), "SymmetricDistance", 2, "replace"),
        (vector(atom("bool"), 4), "ChangeOneDistance", 1, "replace"),
        (vector(atom(nan=True)), "SymmetricDistance", 1, "add_remove"),
    ],
)
@pytest.mark.usefixtures("stand_in")
def test_neighbours_are_made_of_the_domain_at_the_distance(domain: Any, metric: str, d_in: Any, relation: Any) -> None:
    case = adapter.read(Measurement(domain, metric, "MaxDivergence", 1.0), d_in)
    assert case.relation == relation and 2 <= len(case.pairs) <= adapter.PAIRS
    distances = [distance(metric.rpartition("::")[2], *pair) for pair in case.pairs]
    assert max(distances) <= d_in + 1e-9 and max(distances) > 0.99 * d_in
    element = getattr(domain, "element_domain", domain)
    for one, other in case.pairs:
        assert repr(one) != repr(other)
        values = [*np.ravel(one), *np.ravel(other)]
        low, high = element.bounds or adapter.UNBOUNDED
        assert all(low <= x <= high or np.isnan(x) for x in values)
        kind = {"f": float, "i": int, "b": bool}[element.carrier_type[0]]
        assert all(isinstance(x, kind) for x in (one if isinstance(one, list) else [one]))
    if element.nan:
        assert any(np.isnan(x).any() for pair in case.pairs for x in pair)


MONOTONIC = "LInfDistance<i64>(monotonic)"


@pytest.mark.parametrize(
    ("metric", "d_in", "right", "wrong"),
    [
        ("SymmetricDistance", 1, ([1, 2], [2]), ([1, 2], [1, 3])),
        ("SymmetricDistance", 2, ([1, 2], [3, 1]), ([1, 2], [3, 4])),
        ("InsertDeleteDistance", 1, ([1, 1], [1]), ([1, 1], [2])),
        ("ChangeOneDistance", 1, ([1, 2], [2, 3]), ([1, 2], [1])),
        ("HammingDistance", 1, ([1, 2], [1, 3]), ([1, 2], [2, 1])),
        ("L1Distance<i64>", 2, ([0, 0], [1, 1]), ([0, 0], [2, 1])),
        ("L2Distance<f64>", 2, ([0.0, 0.0], [1.4, 1.4]), ([0.0, 0.0], [2.0, 1.0])),
        ("LInfDistance<i64>", 1, ([0, 0], [1, -1]), ([0, 0], [1])),
        (MONOTONIC, 1, ([0, 0], [1, 1]), ([0, 0], [1, -1])),
    ],
)
@pytest.mark.usefixtures("stand_in")
def test_pairs_further_apart_than_the_claim_are_refused(metric: str, d_in: Any, right: Any, wrong: Any) -> None:
    measurement = Measurement(vector(atom("i64")), metric, "MaxDivergence", 1.0)
    assert adapter.read(measurement, d_in, pairs=[right]).pairs == (right,)
    with pytest.raises(InvalidInput, match=f"of at most d_in = {d_in}, got one at"):
        adapter.read(measurement, d_in, pairs=[right, wrong])


@pytest.mark.parametrize(("metric", "signs"), [(MONOTONIC, 1), ("LInfDistance<i64>", 2)])
@pytest.mark.usefixtures("stand_in")
def test_a_monotonic_metric_has_neighbours_of_one_sign(metric: str, signs: int) -> None:
    """Under it the distance of others is infinite; without it they are made."""
    case = adapter.read(Measurement(vector(atom("i64")), metric, "MaxDivergence", 1.0))
    ways = [np.sign(np.subtract(other, one)) for one, other in case.pairs]
    assert max(len(set(way) - {0}) for way in ways) == signs


@pytest.mark.usefixtures("stand_in")
def test_a_mechanism_with_half_its_noise_is_refuted_and_the_right_one_is_not() -> None:
    """Planted: noise for ε = 2 under a map that says 1."""
    right = adapter.audit(Measurement(*ABSOLUTE, "MaxDivergence", 1.0), **LEVEL)
    wrong = adapter.audit(Measurement(*ABSOLUTE, "MaxDivergence", 1.0, scale=0.5), **LEVEL)
    assert (right.verdict, wrong.verdict) == ("not refuted", "refuted")
    assert right.pair is not None and abs(right.pair[0] - right.pair[1]) == 1.0
    assert any("made of the domain" in text for text in right.assumes) and "made of the domain" in str(right)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (lambda: {"measurement": 3}, "measurement must be an OpenDP measurement"),
        (lambda: {"d_in": -1}, "d_in must be a distance that the measurement's map takes, got -1: a distance is not"),
        (lambda: {"pairs": [(0.0, 0.0)]}, "neighbour must be a data set that differs"),
        (lambda: {"pairs": [(0.0,)]}, "pairs must be a sequence of"),
        (lambda: {"pairs": [(0.0, "a")]}, "pairs must be of members of"),
        (lambda: {"pairs": []}, "pairs must be at least one pair"),
        (lambda: {"pairs": 3}, "pairs must be a sequence of"),
        (lambda: {"pairs": [(0.0, 1.5)]}, "pairs must be at a AbsoluteDistance of at most d_in = 1, got one at 1.5"),
        (lambda: {"d_in": None}, "got None: Type of Option cannot be inferred"),
        (lambda: {"measurement": Measurement(*ABSOLUTE, "MaxDivergence", float("inf"))},
         "d_in must be a distance at which the map claims something, got 1, at which it says inf"),
        (lambda: {"trials": 3}, "trials must be an integer >= 100"),
        (lambda: {"measurement": Measurement(atom("String"), "DiscreteDistance", "MaxDivergence", 1.0)}, "records of"),
        (lambda: {"measurement": Measurement(vector(atom(), 3), "SymmetricDistance", "MaxDivergence", 1.0)},
         "d_in must be 2 .a record replaced"),
        (lambda: {"measurement": Measurement(SimpleNamespace(type="MapDomain"), "L0", "MaxDivergence", 1.0)},
         "must be given, neighbours at a distance of 1"),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("stand_in")
def test_bad_input_gets_one_message(given: Any, message: str) -> None:
    options = {"measurement": Measurement(*ABSOLUTE, "MaxDivergence", 1.0), **given()}
    with pytest.raises(InvalidInput, match=message):
        adapter.audit(options.pop("measurement"), options.pop("d_in", 1), **options)


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opendp", None)
    with pytest.raises(InvalidInput, match="pip install opendp"):
        adapter.audit(object())


@pytest.fixture(scope="module")
def dp() -> Any:
    found = pytest.importorskip("opendp.prelude", reason="opendp is in the extra examples")
    found.enable_features("contrib", "idealized-numerics", "honest-but-curious")
    return found


@pytest.mark.slow
def test_opendps_own_measurements_are_read_and_not_refuted(dp: Any) -> None:
    space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
    sized = dp.vector_domain(dp.atom_domain(bounds=(0.0, 10.0), nan=False), size=6), dp.symmetric_distance()
    for measurement, d_in, unit in (
        (space >> dp.m.then_laplace(scale=1.0), 1, "epsilon"),
        (space >> dp.m.then_gaussian(scale=1.0), 1, "rho"),
        (sized >> dp.t.then_mean() >> dp.m.then_laplace(scale=2.0), 2, "epsilon"),
    ):
        found = adapter.audit(measurement, d_in, **LEVEL)
        assert found.verdict == "not refuted" and found.unit == unit and found.bound > 0.1


@pytest.mark.slow
def test_a_monotonic_noisy_max_is_not_refuted(dp: Any) -> None:
    """It claims half of what it does without the word; pairs of mixed signs would refute it."""
    scores = dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int, monotonic=True)
    measurement = scores >> dp.m.then_noisy_max(dp.max_divergence(), scale=1.0)
    assert measurement.map(1) == 1.0 and adapter.audit(measurement, **LEVEL).verdict == "not refuted"
    with pytest.raises(InvalidInput, match="got one at inf"):
        adapter.audit(measurement, pairs=[([1, -1, 1], [0, 0, 0])])


@pytest.mark.slow
def test_what_opendp_itself_refuses_is_one_message(dp: Any) -> None:
    space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
    for scale, d_in, message in ((1.0, None, "got None"), (0.0, 1, "the map claims something, got 1")):
        with pytest.raises(InvalidInput, match=message):
            adapter.audit(space >> dp.m.then_laplace(scale=scale), d_in)


@pytest.mark.slow
def test_a_wrong_map_is_refuted_in_opendp_itself(dp: Any) -> None:
    """Planted: the library's own Laplace noise at half its scale, under a map for the whole of it."""
    space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
    for scale, verdict in ((1.0, "not refuted"), (0.5, "refuted")):
        noise = space >> dp.m.then_laplace(scale=scale)
        made = dp.m.make_user_measurement(*space, dp.max_divergence(), noise, lambda d_in: d_in, TO=float)
        assert adapter.audit(made, **LEVEL).verdict == verdict


@pytest.mark.slow
def test_every_listed_case_can_be_read(dp: Any) -> None:
    cases = adapter.cases()
    assert len(cases) >= 20 and len({case.name for case in cases}) == len(cases)
