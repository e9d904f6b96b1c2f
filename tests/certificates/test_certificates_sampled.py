"""Records made from columns alone: counts, sums in a range, means with errors; planted errors are refused."""

import json
from fractions import Fraction
from pathlib import Path

import dpbench_records
import numpy as np
import pytest
from certificate_mutations import changed, of_number
from naive.records import true

from dpbench import bounds
from dpbench.ledger.registry import by_id
from tools import records
from tools.records import Recorder, entries, rates, recorded, recorders, sampled, samples

NAME = "glm.thm9.inequality.corrected"  # any sampled entry: its columns are replaced
RNG = np.random.Generator(np.random.PCG64DXSM(20))


def of_columns(monkeypatch, verdict, series):
    """The certificate of an entry with this verdict and these columns, if there is one."""
    record = entries()[NAME] | {"id": NAME, "verdict": verdict, "evidence": {"level": 1e-6, "tables": {"rows": series}}}
    record |= {"level": "full", "seed": 0, "environment": {}}
    monkeypatch.setattr(sampled, "entries", lambda: {NAME: record})
    monkeypatch.setattr(records, "entries", lambda: {NAME: record})
    draft = sampled.draft(NAME)
    return None if draft is None else recorded(Recorder(NAME, "sample-mean", lambda: draft))


def accepted(certificate):
    return bool(dpbench_records.report_on(json.dumps(certificate))["accepted"])


def mutated_records(record):
    """Each value and each end of an enclosure moved, the verdict and the relation turned, the counts out of range."""
    made = []
    for at, instance in enumerate(record["instances"]):
        for name, text in instance["values"].items():
            made += [changed(record, ("instances", at, "values", name), one) for one in (*of_number(text), "-1", "0")]
        for name, pair in instance["shows"].items():
            for end, text in enumerate(pair):
                made += [changed(record, ("instances", at, "shows", name, end), one) for one in of_number(text)]
    made.append(changed(record, ("verdict",), "not refuted" if record["verdict"] == "refuted" else "refuted"))
    made.append(changed(record, ("claim", "relation"), ">=" if record["claim"]["relation"] == "<=" else "<="))
    return made


def sums(values, **more):
    row = {"runs": values.size, "total": values.sum(), "squares": (values**2).sum(), "low": 0.0, "high": 1.0, **more}
    return {name: [float(value)] for name, value in row.items()}


VALUES = RNG.beta(3.0, 7.0, 5_000)
"""Of mean 0.3."""


@pytest.mark.parametrize(
    ("family", "verdict", "series"),
    [
        ("range", "refuted", sums(VALUES, allowed=0.25)),
        ("range", "refuted", sums(VALUES, floor=0.5)),
        ("range", "not refuted", sums(VALUES, allowed=0.4)),
        ("range", "not refuted", sums(VALUES, floor=0.2)),
        ("count", "refuted", {"runs": [1000], "hits": [400], "allowed": [0.3]}),
        ("normal", "refuted", {"error": [0.5], "standard error": [0.001], "floor": [0.6]}),
    ],
)
def test_no_mutation_of_a_sample_is_accepted_that_is_not_true(monkeypatch, family, verdict, series):
    made = of_columns(monkeypatch, verdict, series)
    assert made is not None and made["claim"]["family"] == family and accepted(made) and true(made)
    assert of_columns(monkeypatch, "not refuted" if verdict == "refuted" else "refuted", series) is None
    fared = [(accepted(mutated), true(mutated)) for mutated in mutated_records(made)]
    assert len(fared) >= 20
    assert not [one for one in fared if one == (True, False)]
    assert sum(not taken for taken, _ in fared) >= 0.6 * len(fared)


def test_bounds_are_those_of_the_auditor():
    row = sampled.Row("count", {"runs": 5000, "hits": 700}, 0)
    low, high = (float(sampled.bound_of(row, relation, 1e-6)[0]) for relation in ("<=", ">="))
    assert low == pytest.approx(float(bounds.lower(700, 5000, 1e-6)), rel=1e-5)
    assert high == pytest.approx(float(bounds.upper(700, 5000, 1e-6)), rel=1e-5)
    values = RNG.random(1000)
    given = sampled.Row("range", {name: one[0] for name, one in sums(values).items()}, 0)
    reach = np.sqrt(2.0 * values.var(ddof=1) * np.log(2e6) / 1000) + 7.0 * np.log(2e6) / (3.0 * 999)
    assert float(sampled.bound_of(given, "<=", 1e-6)[0]) == pytest.approx(values.mean() - reach, rel=1e-6)
    assert float(sampled.bound_of(given, ">=", 1e-6)[0]) == pytest.approx(values.mean() + reach, rel=1e-6)


@pytest.mark.parametrize(("hits", "relation", "bound"), [(0, "<=", 0), (50, ">=", 1)])
def test_a_bound_at_the_end_of_the_range_is_free_and_no_other(hits, relation, bound):
    row = sampled.Row("count", {"runs": 50, "hits": hits}, 0)
    assert sampled.bound_of(row, relation, 1e-6) == (bound, {})


def test_a_free_bound_does_not_refute(monkeypatch):
    made = of_columns(monkeypatch, "not refuted", {"runs": [50], "hits": [0], "allowed": [0.1]})
    assert made is not None and accepted(made) and true(made)
    out_of_range = {"bound": ["1/5"], "level": ["0", "1", "2"], "runs": ["1", "101/2"], "hits": ["-1", "51"]}
    for name, value in ((name, value) for name, values in out_of_range.items() for value in values):
        assert not accepted(changed(made, ("instances", 0, "values", name), value)), (name, value)


def test_slopes_are_the_ledgers():
    """The interval that a rate's record lists is the entry's own, or barely wider."""
    tried = 0
    for maker in (one for one in recorders() if one.kind == "rate"):
        evidence = entries()[maker.id]["evidence"]
        if evidence["interval"] is None or not evidence["level"]:
            continue
        shows = maker.draft().instances[0][1]
        width = evidence["interval"][1] - evidence["interval"][0]
        assert evidence["interval"][0] - 2e-4 * width <= shows["slope_low"] <= evidence["interval"][0] + 2e-4 * width
        assert abs(shows["slope_high"] - evidence["interval"][1]) <= 2e-4 * width, maker.id
        tried += 1
    assert tried >= 30


def test_an_undecided_or_contradicted_rate_has_no_record(monkeypatch):
    name = "glm.thm1.rate"
    assert by_id()[name].side == "tight"
    record = json.loads(json.dumps(entries()[name]))
    rows = record["evidence"]["tables"]["rows"]
    rows["ceiling"] = [y * x for x, y in zip(rows["n"], rows["ceiling"], strict=True)]
    monkeypatch.setattr(rates, "entries", lambda: {name: record})
    assert rates.draft(name) is None
    record["verdict"] = "inconsistent"
    assert rates.draft(name) is not None


FOLDER = Path(__file__).resolve().parents[2] / "evidence" / "records"
COMMITTED = {path.name: json.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.json"))}


def test_every_committed_record_is_consistent_and_says_what_would_have_refuted():
    assert len(COMMITTED) >= 110
    refused = [name for name, one in COMMITTED.items() if not accepted(one)]
    assert not refused
    assert all(one["made"]["would_refute"] and one["made"]["command"] for one in COMMITTED.values())
    assert {one["verdict"] for one in COMMITTED.values()} <= {"refuted", "not refuted", "consistent", "inconsistent"}


def test_a_second_reading_agrees_on_a_tenth_of_them():
    assert [name for name, one in list(COMMITTED.items())[::10] if not true(one)] == []


def refused(record):
    return str(dpbench_records.report_on(json.dumps(record))["because"])


ATTACKED = {"runs": [8000, 160_000, 50], "hits": [2210, 83_213, 0], "neighbour hits": [153, 7679, 2],
            "target_epsilon": [4.0, 1.0, 1.0], "target_delta": [0.1, 1e-5, 0.0]}  # fmt: skip


def of_attacks(monkeypatch, verdict, rows):
    table = {name: [values[row] for row in rows] for name, values in ATTACKED.items()}
    entry = entries()[NAME] | {"verdict": verdict, "evidence": {"level": 1e-6, "tables": {"attacks": table}}}
    for module in (records, samples):
        monkeypatch.setattr(module, "entries", lambda: {NAME: entry})
    return recorded(Recorder(NAME, "sample", lambda: samples.draft(NAME)))


@pytest.mark.parametrize(("verdict", "rows"), [("proved", [0]), ("refuted", [1]), ("refuted", [1, 2])])
def test_counts_of_attacks(monkeypatch, verdict, rows):
    """An attack whose event was not met on the first data set says nothing."""
    made = of_attacks(monkeypatch, verdict, rows)
    assert accepted(made) and true(made) and len(made["instances"]) == 1
    assert made["verdict"] == ("refuted" if verdict == "refuted" else "not refuted")
    other = "not refuted" if verdict == "refuted" else "refuted"
    assert not accepted(changed(made, ("verdict",), other))


def test_the_level_pays_for_both_tails_of_a_pair(monkeypatch):
    """At a level that each tail keeps by itself, and the two together do not."""
    for row in (0, 1):
        record = of_attacks(monkeypatch, "proved" if row == 0 else "refuted", [row])
        tails = [[Fraction(end) for end in pair] for pair in record["instances"][0]["shows"].values()]
        alone, both = max(high for _, high in tails), sum(low for low, _ in tails)
        assert alone < both
        less = changed(record, ("instances", 0, "values", "level"), str((alone + both) / 2))
        assert refused(less).startswith("the level pays for both tails"), refused(less)


def test_a_slope_is_held_to_what_is_claimed():
    """The other verdict, and another expected slope, on either side where the claim is tight."""
    tried = 0
    for name, record in COMMITTED.items():
        if record["kind"] != "rate":
            continue
        fits = record["verdict"] == "consistent"
        other = changed(record, ("verdict",), "inconsistent" if fits else "consistent")
        assert refused(other) == "the slope decides otherwise", name
        for moved in (-5, 5) if fits and record["claim"]["side"] == "tight" else (-5,) if fits else ():
            away = changed(record, ("claim", "expected"), f"{record['claim']['expected']} + {moved}")
            assert refused(away) == "the slope decides otherwise", (name, moved)
            tried += 1
    assert tried >= 60


def test_each_sampled_entry_has_its_record_and_no_other():
    assert {(one.id, one.kind) for one in recorders()} == {(one["id"], one["kind"]) for one in COMMITTED.values()}


def test_the_fewest_hits_are_checked(monkeypatch):
    made = of_columns(monkeypatch, "not refuted", {"runs": [50], "hits": [0], "allowed": [0.1]})
    assert made is not None
    (fewest,) = made["made"]["fewest"]
    assert 0 < fewest <= 50 and f"{fewest} hits of 50" in made["made"]["would_refute"]
    for wrong in (fewest - 1, fewest + 1, None, 51, True):
        one = json.loads(json.dumps(made))
        one["made"]["fewest"] = [wrong]
        assert not accepted(changed(one, ("id",), NAME)), wrong


def test_what_even_all_hits_would_not_refute_is_said(monkeypatch):
    made = of_columns(monkeypatch, "not refuted", {"runs": [4], "hits": [4], "allowed": [0.05]})
    assert made is not None and made["made"]["fewest"] == [None]
    assert made["made"]["would_refute"] == "nothing: all 4 hits would not"


def test_a_record_is_never_a_proof(monkeypatch):
    made = of_columns(monkeypatch, "proved", {"runs": [50], "hits": [0], "allowed": [0.1]})
    assert made is not None and made["verdict"] == "not refuted"
    assert not accepted(changed(made, ("verdict",), "proved"))
    assert not accepted(changed(changed(made, ("made", "fewest"), []), ("instances",), []))
