"""Committed evidence: what its files hold, how they stand to the code, what a refresh writes; two ledgers compared."""

import copy
import json
import math
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from dpbench.core.validation import InvalidInput
from dpbench.ledger import evidence as files
from dpbench.ledger.compare import compare, passes, read
from dpbench.ledger.core import Claim
from dpbench.ledger.measurement import Evidence
from dpbench.ledger.registry import all_claims
from dpbench.runs.context import made_with
from dpbench.runs.store import StoredVerdict

VALUE = 0.5


def measure(context):
    """A toy entry."""
    return "not refuted", Evidence(
        value=VALUE, tables={"rows": {"x": [1.0, 2.0]}, "times": {"seconds": [0.1]}}, notes=("value: a half",)
    )


def other(context, count=1):
    """Another toy entry, of other code."""
    return "not refuted", Evidence(value=2 * VALUE)


def claim(name="one", run=measure, **fields):
    expected = fields.pop("expected", "not refuted")
    return Claim(f"toy.{name}.inequality", "toy", "Lemma", "inequality", "", "", expected, run, **fields)


def document(made, **changes):
    verdict, found = made.run(None)
    return files.document_of(made, verdict, found.to_dict(), "full", 0) | changes


def test_a_file_says_of_what_code_and_where(tmp_path):
    files.write([document(claim())], tmp_path, [claim()])
    (found,) = files.committed(tmp_path).values()
    assert found["evidence"]["value"] == VALUE and found["code"]["key"] == claim().digest
    assert __name__ in found["code"]["modules"]
    assert {"numpy", "numba", "scikit-learn", "processor", "machine"} <= found["environment"].keys()
    assert isinstance(found["clean"], bool) and not list(tmp_path.glob(".*"))
    assert '"x": [1.0, 2.0]\n' in (tmp_path / "toy.one.inequality.json").read_text(), "a line a column"


def test_the_whole_ledger_is_committed_at_full_level_as_expected():
    found = files.committed(Path(__file__).resolve().parents[2] / "evidence" / "ledger")
    claims = {claim.id: claim.expected for claim in all_claims()}
    assert {name: one["verdict"] for name, one in found.items()} == claims
    assert {(one["level"], one["seed"]) for one in found.values()} == {("full", 0)}


def test_only_what_this_code_made_here_at_full_level_and_seed_0_is_finished():
    one, here = claim(), {"made_with": made_with()}
    good = StoredVerdict(one.id, "full", 0, one.digest, "not refuted", here, "")
    changes = [{"level": "quick"}, {"seed": 1}, {"code": "0"}, {"evidence": {"made_with": {}}}]
    assert files.finished([one], [good]) == {one.id: good}
    for change in changes:
        assert not files.finished([one], [replace(good, **change)]), change


@pytest.mark.parametrize(
    "text", ["", "[]", '{"schema": 1}', '{"schema": 99, "id": "x"}', '{"schema": 2, "id": "x", "rows": {}}']
)
def test_a_file_that_is_no_evidence_is_named(tmp_path, text):
    (tmp_path / "toy.one.inequality.json").write_text(text)
    with pytest.raises(InvalidInput, match=r"toy\.one\.inequality\.json must be evidence of an entry"):
        files.committed(tmp_path)


def test_the_files_of_other_entries_are_not_read(tmp_path):
    files.write([document(claim())], tmp_path, [claim()])
    (tmp_path / "toy.two.inequality.json").write_text("[]")
    assert files.committed(tmp_path, ["toy.one.inequality", "toy.three.inequality"]).keys() == {"toy.one.inequality"}
    with pytest.raises(InvalidInput, match=r"toy\.two\.inequality\.json must be evidence of an entry"):
        files.committed(tmp_path, iter(["toy.two.inequality"]))
    (tmp_path / "toy.one.inequality.json").rename(tmp_path / "toy.two.inequality.json")
    with pytest.raises(InvalidInput, match=r"toy\.two\.inequality\.json must be named by the entry's id"):
        files.committed(tmp_path)


def test_status_names_what_differs():
    one, two, three = claim(), claim("two", other), claim("three")
    found = {"toy.one.inequality": document(one), "toy.two.inequality": document(two)}
    assert [row.code for row in files.status([one, two, three], found)] == ["current", "current", "stale"]
    old = copy.deepcopy(found)
    old["toy.two.inequality"]["code"]["key"] = "0"
    old["toy.two.inequality"]["code"]["modules"][__name__] = "00000000"
    old["toy.one.inequality"]["environment"]["scikit-learn"] = "0.1"
    first, second, _ = files.status([one, two, three], old)
    assert (second.code, second.because, second.environment) == ("stale", (__name__,), "same")
    assert (first.code, first.because, first.environment) == ("current", (), "other")


def test_level_and_side_are_part_of_the_key_and_texts_are_not():
    assert claim().digest == replace(claim(), statement="x", derivation="y", source="z", expected="refuted").digest
    assert claim().digest != replace(claim(), level=1e-6).digest
    assert claim().digest != claim(run=partial(other, count=2)).digest != claim(run=partial(other, count=3)).digest


def test_all_that_is_bound_is_part_of_the_key():
    """A list or an array read from a file is seen where it is an argument, as the guide says."""
    bound = [[1.0, 2.0], [1.0, 3.0], {"a": 1}, {"a": 2}, np.eye(2), -np.eye(2), np.int64(1), Fraction(1, 3), None,
             (1, ("a", 2)), (1, ("a", 3)), partial(other, count=1), partial(other, count=2)]  # fmt: skip
    keys = {claim(run=partial(other, count=value)).digest for value in bound}
    assert len({*keys, claim(run=other).digest}) == len(bound) + 1
    with pytest.raises(InvalidInput, match=r"arguments of toy\.one\.inequality must be numbers"):
        claim(run=partial(other, count=object()))


def entry(value, verdict="not refuted", column=(1.0, 2.0), name="x", z=(), **evidence):
    tables = {"rows": {name: list(column)}, "times": {"seconds": [value]}, "other": {"z": list(z)}}
    found = Evidence(value=value, tables=tables, **evidence).to_dict()
    return {"verdict": verdict, "level": "full", "seed": 0, "evidence": found}


def of(found, processor, verdict="not refuted"):
    """An entry that was run on a processor."""
    return entry(verdict=verdict, **found) | {"environment": {"numpy": "2", "processor": processor, "machine": "any"}}


ID = "toy.one.inequality"
SAMPLED = {"value": 1.0, "trials": 10, "interval": (0.5, 1.5)}
PAIRS = [
    (entry(1.0), entry(1.0 + 1e-12), "same"),
    (entry(1.0), entry(1.0 + 1e-7), "differs"),
    (entry(1.0, trials=10), entry(1.0 + 1e-7, trials=10), "same"),
    (entry(1.0, trials=10), entry(1.0 + 1e-5, trials=10), "differs"),
    (entry(1.0), entry(1.0, column=(1.0, 2.1)), "differs"),
    (entry(1.0), entry(1.0, column=(1.0,)), "differs"),
    (entry(1.0), entry(1.0, column=("some", "words")), "differs"),
    (entry(1.0), entry(1.0, name="y"), "differs"),
    (entry(1.0, column=(1e-17, 2.0)), entry(1.0, column=(-3e-17, 2.0)), "same"),
    (entry(math.inf), entry(math.inf), "same"),
    (entry(math.nan), entry(math.nan), "same"),
    (entry(math.nan), entry(1.0), "differs"),
    (entry(1.0), entry(1.0, "refuted"), "verdict"),
    (entry(1.0), entry(2.0) | {"level": "quick"}, "same"),
    (entry(1.0), None, "missing"),
    (None, entry(1.0), "new"),
    (of(SAMPLED, "one"), of(SAMPLED | {"value": 1.2}, "two"), "elsewhere"),
    (of(SAMPLED, "one"), of(SAMPLED | {"value": 1.2}, "one"), "differs"),
    (of(SAMPLED, "one"), of(SAMPLED | {"name": "y"}, "two"), "differs"),
    (of(SAMPLED, "one"), of(SAMPLED | {"value": 1.2}, None), "differs"),
    (of(SAMPLED, None), of(SAMPLED | {"value": 1.2}, "one"), "differs"),
    (of(SAMPLED, "one"), of(SAMPLED | {"value": 1.6, "interval": (1.1, 1.9)}, "two"), "differs"),
    (of(SAMPLED, "one"), of(SAMPLED | {"value": 1.2, "interval": (1.1, 1.9)}, "two"), "differs"),
    (of(SAMPLED, "one"), of(SAMPLED | {"value": 1.2}, "two", "refuted"), "verdict"),
    (of(SAMPLED, "one"), of(SAMPLED | {"value": 1.2, "interval": None}, "two"), "differs"),
    (of({"value": 1.0, "trials": 9}, "one"), of({"value": 1.0, "trials": 9, "column": (1, 3)}, "two"), "elsewhere"),
    (of({"value": 1.0}, "one"), of({"value": 1.0 + 1e-7}, "two"), "differs"),
]


@pytest.mark.parametrize(("old", "new", "kind"), PAIRS)
def test_what_a_comparison_says(old, new, kind):
    sides = [{} if side is None else {ID: side} for side in (old, new)]
    (found,), (turned,) = compare(*sides, [claim()]), compare(*sides[::-1], [claim()])
    assert found.kind == kind and turned.kind == {"missing": "new", "new": "missing"}.get(kind, kind)
    assert passes([found]) is (kind in ("same", "elsewhere", "new"))


def test_a_comparison_names_the_column_that_differs_most():
    (found,) = compare({ID: entry(4.0, z=(1.0,))}, {ID: entry(4.2, column=(1.0, 3.0), z=(1.1,))}, [claim()])
    assert (found.where, found.distance) == ("x", pytest.approx(1.0 / 3.0))
    assert (found.old, found.new) == ("not refuted, 4", "not refuted, 4.2")
    (gone,) = compare({ID: entry(4.0)}, {}, [claim()])
    assert (gone.old, gone.new) == ("not refuted, 4", "")


def test_refresh_status_and_compare_from_the_command_line(only, run, tmp_path):
    one, two = claim(), claim("two", other)
    only(one, two)
    place = tmp_path / "evidence"
    assert run(f"evidence refresh --evidence {place}")[0] == 2, "the folder must exist"
    place.mkdir()
    assert "0 current, 2 stale;" in run(f"evidence status --evidence {place}")[1]
    code, out, _ = run(f"evidence refresh --evidence {place} --workers 1 --quiet")
    assert code == 0 and {path.stem for path in place.glob("*.json")} == {one.id, two.id}
    assert "2 current, 0 stale;" in run(f"evidence status --evidence {place}")[1]
    assert "no evidence is stale" in run(f"evidence refresh --evidence {place} --quiet")[1]
    kept = (place / f"{one.id}.json").read_text()
    (place / f"{one.id}.json").unlink()
    assert run(f"evidence refresh --evidence {place} --workers 1 --quiet")[0] == 0
    assert json.loads((place / f"{one.id}.json").read_text()) == json.loads(kept), "from the store, seconds and all"

    only(one, replace(two, expected="refuted", level=1e-3), claim("three"))
    said = json.loads(run(f"evidence status --evidence {place} --json -")[1])
    assert said["schema"] == files.SCHEMA and said["counts"] == {"current": 1, "stale": 2}
    assert said["entries"][1] == {
        "id": two.id, "code": "stale", "because": ["declaration"], "environment": "same",
    }  # fmt: skip
    code, out, _ = run(f"evidence refresh {two.id} --evidence {place} --workers 1 --quiet")
    assert code == 1, "an unexpected verdict"

    before = tmp_path / "before"
    before.mkdir()
    for path in place.glob("*.json"):
        (before / path.name).write_text(path.read_text())
    assert run(f"compare {before} {place}")[0] == 0
    changed = json.loads((place / f"{one.id}.json").read_text())
    changed["rows"]["printed"]["evidence"]["value"] += 0.1
    (place / f"{one.id}.json").write_text(json.dumps(changed))
    code, out, _ = run(f"compare {before} {place}")
    assert code == 1 and "differs" in out and one.id in out
    said = json.loads(run(f"compare {before} {place} --json -")[1])
    assert (said["schema"], said["passes"]) == (1, False)
    assert [(row["id"], row["kind"], row["where"]) for row in said["entries"]] == [
        (one.id, "differs", "value"), (two.id, "same", "value")]  # fmt: skip
    assert run(f"compare {before} {tmp_path / 'nothing'}")[0] == 2


def test_a_json_ledger_is_one_side_of_a_comparison(only, run, tmp_path):
    one = claim()
    only(one)
    place = tmp_path / "evidence"
    place.mkdir()
    run(f"evidence refresh --evidence {place} --workers 1 --quiet")
    code, _, _ = run(f"verify --level full --workers 1 --quiet --json {tmp_path / 'new.json'}")
    assert code == 0 and run(f"compare {place} {tmp_path / 'new.json'}")[0] == 0
    (tmp_path / "broken.json").write_text("{}")
    with pytest.raises(InvalidInput, match="a ledger must be a document of"):
        read(tmp_path / "broken.json")


def test_a_ledger_with_evidence_left_out_is_bad_use(run, tmp_path):
    path = tmp_path / "ledger.json"
    item = {"id": "toy.one.inequality", "verdict": "not refuted", "evidence": {}}
    path.write_text(json.dumps({"level": "quick", "seed": 0, "claims": [item]}))
    code, _, said = run(f"compare {path} {path}")
    assert code == 2 and "evidence of toy.one.inequality without" in said


def test_a_library_for_which_there_is_no_memory_is_the_machines_failure(capsys):
    from dpbench.cli.guard import report

    assert report(ImportError("libx.so: failed to map segment from shared object")) == 74
    assert "out of memory" in capsys.readouterr().err
    assert report(ImportError("no module named x")) == 70
