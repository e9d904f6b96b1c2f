"""OpenDP: a measurement holds its domain, its metric, its measure and its map, so that it needs no words of ours.

Neighbours are made of the domain at a distance of `d_in`, the claim is ``map(d_in)`` in the measure's own notion.
"""

from __future__ import annotations

import dataclasses
import itertools
import re
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from dpbench.auditing.audit import Progress, refuse_equal
from dpbench.auditing.neighbours import Domain, Pair, proposals
from dpbench.auditing.samplers import each
from dpbench.core.validation import InvalidInput, invalid
from dpbench.privacy.profile import Profile
from dpbench_libraries.case import Audited, Case, Known, audit_case, checked, difference

REQUIREMENTS: tuple[str, ...] = ()
PACKAGE = "opendp"

RECORDS = 5
"""Of a data set whose domain fixes no size."""
PAIRS = 12
"""Pairs that are looked at: ends, middles, alternating and rising values, and some at random."""
UNBOUNDED = (-10.0, 10.0)
"""Values of domains without bounds."""
ORDERS = (1.5, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
"""At which a Rényi curve is read."""

GIVE = "pairs=[(dataset, neighbour), ...]"


def audit(
    measurement: Any,
    d_in: Any = 1,
    *,
    pairs: Sequence[Pair] | None = None,
    relation: str | None = None,
    trials: int = 10_000,
    confidence: float = 0.999,
    seed: int = 0,
    progress: Progress | None = None,
) -> Audited:
    """Audit an OpenDP measurement at its own map.

    Parameters
    ----------
    measurement : opendp.mod.Measurement
    d_in : int or float
        Distance of the neighbours in the measurement's input metric. A symmetric distance of 1 is one record added or
        removed; where the domain fixes the size, a distance of 2 is one record replaced.
    pairs : sequence of pairs, optional
        Neighbours of your own, at a distance of at most `d_in`; needed for domains of frames, maps, texts and bits.
    relation : {"replace", "add", "remove", "add_remove"}, optional
        In the words of `dpbench.audit`; by default read from the metric.
    trials, confidence, seed, progress
        As in `dpbench.audit`. The noise comes from the operating system: no seed repeats it.

    Returns
    -------
    Audited
        With the pair, and in `assumes` what is taken on trust.

    Raises
    ------
    InvalidInput
    """
    case = read(measurement, d_in, pairs=pairs, relation=relation)
    return audit_case(case, trials=trials, confidence=confidence, seed=seed, progress=progress)


def read(
    measurement: Any, d_in: Any = 1, *, pairs: Sequence[Pair] | None = None, relation: str | None = None, **more: Any
) -> Case:
    """The `Case` that a measurement states: its claim at `d_in`, and neighbours of its domain."""
    opendp = library()
    if not isinstance(measurement, opendp.mod.Measurement):
        raise invalid("measurement", "an OpenDP measurement (of a transformation nothing is claimed)", measurement)
    metric = _bare(measurement.input_metric)
    try:
        loss = measurement.map(_number(measurement.input_metric, d_in))
    except (opendp.mod.OpenDPException, opendp.mod.UnknownTypeException, TypeError, ValueError) as error:
        raise InvalidInput(
            f"d_in must be a distance that the measurement's map takes, got {d_in!r}: {_first(error)}"
        ) from error
    claim = _claim(measurement.output_measure, loss, d_in)
    monotonic = "monotonic" in str(measurement.input_metric)
    said = [f"neighbours are those of {measurement.input_metric} at a distance of {d_in!r}"]
    if pairs is None:
        pairs_read = list(itertools.islice(_pairs(measurement.input_domain, metric, d_in, monotonic), PAIRS))
        said.append("they are made of the domain, some of all there are")
    else:
        pairs_read = [_given(measurement.input_domain, metric, d_in, monotonic, pair) for pair in checked(pairs)]
        said.append("the pairs given are at that distance")
    default = {"ChangeOneDistance": "replace", "HammingDistance": "replace"}.get(metric)
    if metric in ("SymmetricDistance", "InsertDeleteDistance"):
        same = all(len(one) == len(other) for one, other in pairs_read)
        default = "replace" if same else "add_remove" if d_in == 1 else None
    relation = relation or default
    if relation not in (None, "replace") and isinstance(claim.get("claim"), Profile):
        claim = {"claim": dataclasses.replace(claim["claim"], neighbours="add_remove")}
    return Case(
        **{"mechanism": "measurement", **more},
        relation=relation,
        claim=claim,
        pairs=tuple(pairs_read),
        sampler=each(lambda data, rng: _bits(measurement(data))),
        assumes=tuple(said),
    )


def _first(error: Exception) -> str:
    """What a library says, in at most a line."""
    return " ".join(str(getattr(error, "message", None) or error).split())[:120]


def _bits(output: Any) -> Any:
    """Packed bits as numbers, of which each is looked at."""
    return np.unpackbits(np.frombuffer(output, dtype=np.uint8)) if isinstance(output, bytes) else output


def library() -> Any:
    """The package, or one line that says how to get it."""
    try:
        import opendp.mod
    except ImportError as error:
        raise InvalidInput("opendp must be installed where it is audited (pip install opendp), got none") from error
    return opendp


def _bare(described: Any) -> str:
    """The name of a metric or measure without its parameters."""
    return re.split(r"[<(]", str(described.type).rpartition("::")[2])[0]


def _number(metric: Any, d_in: Any) -> Any:
    """`d_in` as the metric counts: 1 is as good as 1.0."""
    floating = str(getattr(metric, "distance_type", "")) in ("f32", "f64")
    return float(d_in) if floating and isinstance(d_in, int) else d_in


def _claim(measure: Any, loss: Any, d_in: Any) -> dict[str, Any]:
    """What the map says, in the words of `dpbench.audit`."""

    def finite(said: Any) -> float:
        if not np.isfinite(said):
            raise InvalidInput(
                f"d_in must be a distance at which the map claims something, got {d_in!r}, at which it says {said}"
            )
        return float(said)

    kind = str(measure.type).rpartition("::")[2]
    if kind == "MaxDivergence":
        return {"epsilon": finite(loss)}
    if kind == "Approximate<MaxDivergence>":
        return {"epsilon": finite(loss[0]), "delta": finite(loss[1])}
    if kind == "ZeroConcentratedDivergence":
        return {"claim": {"rho": finite(loss)}}
    if kind == "Approximate<ZeroConcentratedDivergence>":
        return {"claim": {"rho": finite(loss[0]), "delta": finite(loss[1])}}
    if kind == "SmoothedMaxDivergence":
        return {"claim": Profile("upper", "the map of the measurement", loss.delta)}
    if kind == "RenyiDivergence":
        return {"claim": {"rdp": {order: finite(loss(order)) for order in ORDERS}}}
    raise invalid(
        "the measurement",
        "of a measure that an audit knows (max, zero-concentrated or Rényi divergence, approximate ones, profiles)",
        kind,
    )


def _given(domain: Any, metric: str, d_in: Any, monotonic: bool, pair: Pair) -> Pair:
    refuse_equal(*pair)
    for data in pair:
        # A frame cannot be asked before it is used.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the library warns of what is refused here
            if _bare(domain) in ("AtomDomain", "VectorDomain") and not domain.member(data):
                raise invalid("pairs", f"of members of {domain}", data)
    apart = _distance(metric, *pair, monotonic) if _bare(domain) in ("AtomDomain", "VectorDomain") else 0.0
    if apart and apart > d_in * (1.0 + 1e-9):
        raise InvalidInput(f"pairs must be at a {metric} of at most d_in = {d_in!r}, got one at {apart:g} or more")
    return pair


def _distance(metric: str, one: Any, other: Any, monotonic: bool) -> float:
    """A lower bound on the distance of two atoms or vectors; 0 for a metric that is not known here."""
    if metric in TABLES:
        gone, new = difference(one, other)
        if metric in ("SymmetricDistance", "InsertDeleteDistance"):
            return gone + new
        if len(one) != len(other):
            return float("inf")
        if metric == "ChangeOneDistance":
            return gone
        return sum(difference([a], [b])[0] for a, b in zip(one, other, strict=True))
    if metric not in ("AbsoluteDistance", "L1Distance", "L2Distance", "LInfDistance"):
        return 0.0
    if np.shape(one) != np.shape(other):
        return float("inf")
    way = np.atleast_1d(np.subtract(other, one, dtype=float))
    if monotonic and not _one_sign(way):
        return float("inf")
    return float(np.linalg.norm(way, {"L2Distance": 2, "LInfDistance": np.inf}.get(metric, 1)))


def _one_sign(way: np.ndarray) -> bool:
    """Whether no two coordinates move against each other."""
    return bool(way.min() >= 0.0 or way.max() <= 0.0)


def _pairs(domain: Any, metric: str, d_in: Any, monotonic: bool) -> Any:
    """Neighbours of an atom's or a vector's domain, at a distance of `d_in`."""
    kind = _bare(domain)
    if kind == "AtomDomain" and metric in ("AbsoluteDistance", "DiscreteDistance"):
        return _atoms(domain, metric, d_in)
    if kind == "VectorDomain" and metric in ("L1Distance", "L2Distance", "LInfDistance"):
        return _shifted(domain, metric, d_in, monotonic)
    if kind == "VectorDomain" and metric in TABLES:
        return _tables(domain, metric, d_in)
    raise InvalidInput(
        f"{GIVE} must be given, neighbours at a distance of {d_in!r}: of {domain} with {metric} they are not made, got "
        "none"
    )


def _atoms(domain: Any, metric: str, d_in: Any) -> Any:
    kind, low, high = _values(domain)
    if metric == "DiscreteDistance":
        values = [low, high, 0.5 * (low + high)] if kind is float else list(range(int(low), int(high) + 1))
        yield from ((kind(a), kind(b)) for a, b in itertools.permutations(values, 2))
        return
    step = min(float(d_in), high - low)
    for start in dict.fromkeys((max(low, min(0.0, high - step)), low, high - step)):
        yield kind(start), kind(start + step)
        yield kind(start + step), kind(start)


def _shifted(domain: Any, metric: str, d_in: Any, monotonic: bool) -> Any:
    """A vector and itself moved by `d_in` in one coordinate, or in all of them; with either sign unless `monotonic`."""
    kind, low, high = _values(domain.element_domain)
    width = domain.size or 3
    spread = {"L1Distance": float(d_in) / width, "L2Distance": float(d_in) / np.sqrt(width)}.get(metric, float(d_in))
    spread = np.floor(spread) if kind is int else spread
    ways = [np.eye(width)[0] * float(d_in), spread * np.ones(width), spread * np.where(np.arange(width) % 2, -1, 1)]
    if metric == "LInfDistance":
        ways.append(float(d_in) * np.where(np.arange(width) == 0, 1, -1))
    for way in [w for w in ways if np.any(w) and (_one_sign(w) or not monotonic)]:
        for start in dict.fromkeys((max(low, min(0.0, high)), low)):
            one = np.clip(np.full(width, start), low - np.minimum(way, 0.0), high - np.maximum(way, 0.0))
            if ((one >= low) & (one + way <= high)).all():
                yield [kind(x) for x in one], [kind(x) for x in one + way]
                yield [kind(x) for x in one + way], [kind(x) for x in one]


TABLES = ("SymmetricDistance", "InsertDeleteDistance", "ChangeOneDistance", "HammingDistance")
"""Metrics of data sets, a record an item."""


def _tables(domain: Any, metric: str, d_in: Any) -> Any:
    counts = metric in ("SymmetricDistance", "InsertDeleteDistance")
    replaces = domain.size is not None or not counts
    needed = 2 if replaces and counts else 1
    if d_in != needed:
        why = "a record replaced, for the domain fixes the size" if replaces else "a record added or removed"
        raise InvalidInput(f"d_in must be {needed} ({why}), or {GIVE} given beside it, got {d_in!r}")
    element = domain.element_domain
    kind, low, high = _values(element)
    records = domain.size or RECORDS
    sets = Domain(
        records,
        low,
        high,
        integers=kind is not float,
        relation="replace" if replaces else "add_remove",
        nan=bool(element.nan),
    )
    for one, other in proposals(sets, 0):
        yield [kind(x) for x in one], [kind(x) for x in other]


def _values(domain: Any) -> tuple[Any, float, float]:
    """The type of an atom, and the ends of its values."""
    carrier = str(domain.carrier_type)
    if carrier == "bool":
        return (lambda x: bool(x)), 0.0, 1.0
    if not re.fullmatch(r"[iuf]\d+", carrier) or _bare(domain) != "AtomDomain":
        raise InvalidInput(f"{GIVE} must be given: records of {domain} are not made, got none")
    low, high = domain.bounds or (0.0 if carrier[0] == "u" else UNBOUNDED[0], UNBOUNDED[1])
    return (float if carrier[0] == "f" else int), float(low), float(high)


def cases() -> tuple[Case, ...]:
    """Those that ``dpbench audit-library opendp`` audits; the features that their makers ask for are enabled."""
    library()
    import opendp.prelude as dp

    dp.enable_features("contrib", "idealized-numerics", "honest-but-curious")
    atom, tables = dp.atom_domain, dp.symmetric_distance()
    real = atom(T=float, nan=False), dp.absolute_distance(T=float)
    whole = atom(T=int), dp.absolute_distance(T=int)
    scores = dp.vector_domain(atom(T=int)), dp.linf_distance(T=int)
    texts = dp.vector_domain(atom(T=str)), tables
    sized = dp.vector_domain(atom(bounds=(0.0, 10.0), nan=False), size=6), tables
    free = dp.vector_domain(atom(bounds=(0, 10))), tables
    counts = dp.map_domain(atom(T=str), atom(T=int)), dp.l01inf_distance(dp.absolute_distance(T=int))
    squared = counts[0], dp.l02inf_distance(dp.absolute_distance(T=int))
    bits = dp.bitvector_domain(max_weight=4), dp.discrete_distance()
    pure, concentrated = dp.max_divergence(), dp.zero_concentrated_divergence()
    gaussian, laplace = real >> dp.m.then_gaussian(scale=1.0), real >> dp.m.then_laplace(scale=1.0)
    curve = dp.c.make_zCDP_to_approxDP(gaussian)
    words = [(["a", "a", "b"], ["a", "a"]), (["a", "b", "c"], ["a", "b"])]
    lone, key = (["a"] * 5 + ["b"], ["a"] * 5), ({"a": 5, "b": 1}, {"a": 5})
    left_out: dict[str, Any] = {
        "trials": 15_000,
        "known": Known(
            "bug",
            "a count equal to the threshold is released, and the stated delta leaves its probability out",
            "https://github.com/opendp/opendp/issues/2922",
        ),
    }
    measurements: list[Case] = []

    def add(name: str, about: str, measurement: Any, d_in: Any = 1, *pairs: Pair, **more: Any) -> None:
        measurements.append(read(measurement, d_in, pairs=pairs or None, mechanism=name, about=about, **more))

    three = dp.vector_domain(atom(T=int), size=3), dp.l1_distance(T=int)
    reals = dp.vector_domain(atom(T=float, nan=False), size=3), dp.l2_distance(T=float)
    noise = dp.m.then_laplace(scale=1.0)
    canonical = real >> dp.m.then_canonical_noise(d_in=1.0, d_out=(1.0, 1e-3))
    quantile = dp.m.then_private_quantile(pure, candidates=[0, 2, 4, 6, 8, 10], alpha=0.5, scale=1.0)
    mean = dp.t.then_clamp((0.0, 10.0)) >> dp.t.then_mean() >> dp.m.then_laplace(scale=2.0)
    counted = texts >> dp.t.then_count_by_categories(categories=["a", "b"]) >> noise
    above = dp.m.then_laplace_threshold(scale=1.0, threshold=4)
    answers = dp.m.make_randomized_response(categories=["a", "b", "c"], prob=0.75)
    add("make_laplace", "float", laplace)
    add("make_laplace", "vector", three >> noise)
    add("make_laplace", "last bits", laplace, 1, (0.0, 1.0), bits=True)
    add("make_gaussian", "float", gaussian)
    add("make_gaussian", "int", whole >> dp.m.then_gaussian(scale=1.0))
    add("make_gaussian", "vector", reals >> dp.m.then_gaussian(scale=1.0))
    add("make_zCDP_to_approxDP", "", curve)
    add("make_fix_delta", "", dp.c.make_fix_delta(curve, delta=1e-3))
    add("make_canonical_noise", "", canonical)
    add("make_canonical_noise", "last bits", canonical, 1, (0.0, 1.0), bits=True)
    add("make_geometric", "bounds (0, 3)", whole >> dp.m.then_geometric(scale=1.0, bounds=(0, 3)))
    add("make_randomized_response_bool", "", dp.m.make_randomized_response_bool(prob=0.75))
    add("make_randomized_response", "three categories", answers, 1, ("a", "b"), ("a", "other"))
    packed = bits >> dp.m.then_randomized_response_bitvec(f=0.95)
    add("make_randomized_response_bitvec", "", packed, 1, (b"\x0f", b"\xf0"))
    add("make_noisy_max", "pure", scores >> dp.m.then_noisy_max(pure, scale=1.0))
    add("make_noisy_max", "zCDP", scores >> dp.m.then_noisy_max(concentrated, scale=1.0))
    add("make_noisy_top_k", "k = 2", scores >> dp.m.then_noisy_top_k(pure, k=2, scale=2.0))
    add("make_private_quantile", "median", free >> quantile)
    add("make_laplace_threshold", "", counts >> above, (1, 1, 1), key, **left_out)
    add("make_laplace_threshold", "a count changes", counts >> above, (1, 1, 1), ({"a": 3}, {"a": 2}))
    bell = squared >> dp.m.then_gaussian_threshold(scale=1.0, threshold=3)
    add("make_gaussian_threshold", "", bell, (1, 1, 1), key, **{**left_out, "trials": 40_000})
    add("make_count", "", free >> dp.t.then_count() >> noise)
    add("make_sum", "int", free >> dp.t.then_sum() >> dp.m.then_laplace(scale=10.0))
    add("make_mean", "size 6", sized >> mean, 2)
    add("make_variance", "size 6", sized >> dp.t.then_variance() >> dp.m.then_laplace(scale=20.0), 2)
    add("make_count_by_categories", "", counted, 1, *words)
    add("make_count_distinct", "", texts >> dp.t.then_count_distinct() >> noise, 1, *words)
    add("make_count_by", "threshold 4", texts >> dp.t.then_count_by() >> above, 1, lone, **left_out)
    add("make_composition", "two Laplace", dp.c.make_composition([laplace, laplace]))
    return tuple(measurements)
