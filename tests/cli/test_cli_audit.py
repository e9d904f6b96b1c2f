"""``dpbench audit`` and the commands beside it: each claims, curves, files, the trade-off curve."""

import importlib
import itertools
import json
from importlib import resources

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from dpbench import (
    audit,
    audit_bits,
    audit_one_run,
    audit_one_run_scores,
    audit_samples,
    each,
)
from dpbench.cli import audit_arrays, audit_inputs
from dpbench.cli.app import run
from dpbench.core.validation import InvalidInput

MODULE = """
import numpy as np

def noisy(data, trials, rng):
    return float(np.sum(data)) + rng.laplace(size=trials)

def once(data, rng):
    return {"count": float(np.sum(data)) + rng.laplace()}

def single(data, rng):
    return float(np.sum(data)) + rng.laplace()

def tagged(data, rng):
    return {"id": rng.bytes(8).hex(), "count": float(np.sum(data)) + rng.laplace()}

def total(data, trials, rng):
    return float(np.sum(data)) + rng.laplace(size=trials)

def canaries(included, rng):
    return 3.0 * included + rng.laplace(size=len(included))

def attack(outputs):
    return -outputs
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mech_of_ways.py").write_text(MODULE)
    rng = np.random.default_rng(0)
    for name, value in (("a", 0.0), ("b", 1.0)):
        np.save(tmp_path / f"{name}.npy", value)
        outputs = value + rng.laplace(size=4_000)
        np.save(tmp_path / f"outputs_{name}.npy", outputs)
        (tmp_path / f"outputs_{name}.csv").write_text("output\n" + "\n".join(map(repr, outputs.tolist())) + "\n")
    included = rng.random(500) < 0.5
    np.save(tmp_path / "included.npy", included)
    np.save(tmp_path / "scores.npy", 3.0 * included + rng.laplace(size=500))
    return tmp_path


SCHEMA = json.loads(resources.files("dpbench.report").joinpath("schema.json").read_text(encoding="utf-8"))
FORM = Draft202012Validator({"$ref": "#/$defs/audit", "$defs": SCHEMA["$defs"]})
PAIR = "audit mech_of_ways:noisy --data a.npy --neighbour b.npy --trials 4000"
LINES = {
    f"{PAIR} --claim mu=0.3": 1,
    f"{PAIR} --claim rdp=2:5,8:9": 0,
    f"{PAIR} --epsilon 0.5 --score mech_of_ways:attack": 1,
    "audit mech_of_ways:once --each --data a.npy --neighbour b.npy --trials 2000 --epsilon 0.3": 1,
    "audit-arrays outputs_a.npy outputs_b.npy --epsilon 0.5": 1,
    "audit-arrays outputs_a.csv outputs_b.csv --epsilon 1.5": 0,
    "audit-arrays outputs_a.npy outputs_b.npy --claim mu=3": 0,
    "audit-scores included.npy scores.npy --epsilon 0.5": 1,
    "audit-one-run mech_of_ways:canaries --canaries 500 --epsilon 0.5": 1,
    "audit-search mech_of_ways:noisy records=2,high=2 --trials 2000 --epsilon 1 --max-seconds 0.5": 1,
}


@pytest.mark.parametrize("line", LINES)
@pytest.mark.few(5)
def test_ways_and_their_exit_codes(line, place, capsys):
    assert run([*line.split(), "--json", "found.json"]) == LINES[line]
    found = json.loads((place / "found.json").read_text())
    assert not [error.message for error in FORM.iter_errors(found)]
    assert found["verdict"] == ("refuted" if LINES[line] else "not refuted")
    out = capsys.readouterr().out
    assert "epsilon >= " in out and found["event"][:12] in out.replace("\n", " ")


def test_claims_and_domains_in_words(tmp_path):
    claims = {
        "mu=1.5": {"mu": 1.5}, "rho=0.5": {"rho": 0.5}, "rho=0.5,delta=1e-6": {"rho": 0.5, "delta": 1e-6},
        "rdp=2:0.5,8:2": {"rdp": {2.0: 0.5, 8.0: 2.0}},
    }  # fmt: skip
    assert {text: audit_inputs.read_claim(text) for text in claims} == claims
    domain = {"records": 5, "low": -1.5, "nan": True, "relation": "add_remove"}
    (tmp_path / "domain.JSON").write_text(json.dumps(domain))
    for text in ("records=5, low=-1.5,nan=true,relation=add_remove", str(tmp_path / "domain.JSON")):
        assert audit_inputs.read_domain(text) == domain


PYTHON = {
    f"{PAIR} --epsilon 3": lambda module: audit(module.noisy, 0.0, 1.0, trials=4_000, epsilon=3.0),
    "audit-bits mech_of_ways:single --each --data a.npy --neighbour b.npy --trials 1e3 --workers 2": lambda module: (
        audit_bits(each(module.single), 0.0, 1.0, trials=1_000)
    ),
    "audit-arrays outputs_a.npy outputs_b.npy --claim mu=3": lambda module: audit_samples(
        np.load("outputs_a.npy"), np.load("outputs_b.npy"), claim={"mu": 3.0}
    ),
    "audit-one-run mech_of_ways:canaries --canaries 500": lambda module: audit_one_run(module.canaries, 500),
    "audit-scores included.npy scores.npy --epsilon 30": lambda module: audit_one_run_scores(
        np.load("included.npy"), np.load("scores.npy"), epsilon=30.0
    ),
}


@pytest.mark.parametrize("line", PYTHON)
def test_a_command_is_the_call_in_python(line, place, capsys):
    """With the same defaults; JSON is alone on stdout, with the table beside it on stderr, which --quiet leaves out.

    The table has the numbers and words of the result.
    """
    assert run([*line.split(), "--json", "-"]) == 0
    out, err = capsys.readouterr()
    result = PYTHON[line](importlib.import_module("mech_of_ways"))
    assert json.loads(out) == json.loads(json.dumps({"schema": 1, **result.to_dict()}))
    words = [f"epsilon >= {result.epsilon_lower:.4g} at", f"{result.trials:,}", result.event, *result.assumptions]
    words += [result.verdict, result.power] if result.verdict else []
    words += [f"mu >= {result.bound:.4g}"] if "--claim mu" in line else []
    words += [f"least p-value {min(check.p_value for check in result.checks):.3g}"] if result.checks else []
    assert [word for word in words if " ".join(word.split()) not in " ".join(err.split())] == []
    assert run([*line.split(), "--quiet"]) == 0
    assert capsys.readouterr() == ("", "")


TAGGED = "audit mech_of_ways:tagged --each --data a.npy --neighbour b.npy --trials 1000 --epsilon 1.5 --json found.json"


def test_an_identifier_is_left_out_by_its_path(place, capsys):
    """The claim holds. Planted: the same line without --ignore is blind, and exits with 1. Paths of no leaf,
    and of all of them, are refused: nothing would be compared."""
    for line, code, verdict in ((TAGGED, 1, "blind"), (f"{TAGGED} --ignore id", 0, "not refuted")):
        assert run(line.split()) == code
        found = json.loads((place / "found.json").read_text())
        assert found["verdict"] == verdict and found["ignored"] == (["id"] if code == 0 else [])
    capsys.readouterr()
    for others, said in (("idd", "ignore must name leaves"), ("id --ignore count", "ignore must leave something")):
        assert run(f"{TAGGED} --ignore {others}".split()) == 2
        assert said in capsys.readouterr().err


@pytest.fixture
def records(place):
    for name, held in (("three", [0.0, 1.0, 1.0]), ("two", [0.0, 1.0]), ("other", [0.0, 1.0, 0.0])):
        np.save(place / f"{name}.npy", held)
    return place


TOTAL = "audit mech_of_ways:total --trials 2000 --epsilon 1.5 --json found.json"


@pytest.mark.parametrize(
    ("pair", "relation", "code"),
    [
        ("three other", "replace", 0), ("two three", "add", 0), ("three two", "remove", 0),
        ("three two", "add_remove", 0), ("three two", "replace", 2), ("three two", "add", 2),
        ("two three", "remove", 2), ("three other", "add-remove", 2),
    ],
)  # fmt: skip
def test_a_relation_is_recorded_or_refused(pair, relation, code, records, capsys):
    one, other = pair.split()
    assert run(f"{TOTAL} --data {one}.npy --neighbour {other}.npy --relation {relation}".split()) == code
    if code == 0:
        assert json.loads((records / "found.json").read_text())["relation"] == relation
    else:
        said = capsys.readouterr().err
        assert "relation must be" in said and relation in said and not (records / "found.json").exists()


def test_csv_and_npy_give_the_same(place):
    """And one of each."""
    found = []
    for one, other in itertools.product(("npy", "csv"), repeat=2):
        assert run(f"audit-arrays outputs_a.{one} outputs_b.{other} --json found.json --quiet".split()) == 0
        found.append(json.loads((place / "found.json").read_text()))
    assert found == found[:1] * 4


def test_parquet_where_pandas_can_read_it(place, capsys):
    pandas = pytest.importorskip("pandas")
    line = "audit-arrays a.parquet b.parquet --epsilon 0.5 --quiet"
    try:
        for name in ("a", "b"):
            outputs = np.load(place / f"outputs_{name}.npy")
            pandas.DataFrame({"output": outputs}).to_parquet(place / f"{name}.parquet")
    except ImportError:
        for name in ("a", "b"):
            (place / f"{name}.parquet").write_bytes(b"PAR1")
        assert run(line.split()) == 2
        assert "OUTPUTS must be a .npy or .csv file, or pyarrow be installed" in capsys.readouterr().err
        return
    assert run(line.split()) == 1


def tables(place, header, one, other):
    for name, lines in (("a", one), ("b", other)):
        head = header.split("/")
        (place / f"table_{name}.csv").write_text("\n".join([head[0 if name == "a" else -1], *lines]) + "\n")
    return "audit-arrays table_a.csv table_b.csv --epsilon 0.5 --json found.json --quiet"


@pytest.mark.few(2)
@pytest.mark.parametrize("word", ["nan", "", "-inf", "leak"])
def test_tables_of_texts_and_of_what_is_no_number(word, place):
    """A word in half of the rows of one side alone, beside a column of numbers and as one of texts."""
    rng = np.random.default_rng(1)
    one, other = rng.integers(0, 3, (2, 1_000)).astype(str)
    other = np.where(rng.random(1_000) < 0.5, word, other)
    assert run(tables(place, "x,y", [f"{x},1" for x in one], [f"{x},1" for x in other]).split()) == 1
    assert run(tables(place, "x", [f"t{x}" for x in one], [f"t{x}" for x in other]).split()) == 1
    event = json.loads((place / "found.json").read_text())["event"]
    assert "on the neighbour, 0 on the dataset" in event  # the word alone, by its text or by its length
    assert f"'t{word}'" in event or "length of output" in event


def test_columns_are_matched_by_their_names(place):
    """The same law with columns in another order. Planted: other names, by which places count."""
    rng = np.random.default_rng(3)
    one, other = ([(x, 5.0 + y) for x, y in rng.laplace(size=(1_000, 2))] for _ in "ab")
    rows = [f"{x},{y}" for x, y in one], [f"{y},{x}" for x, y in other]
    assert run(tables(place, "x,y/y,x", *rows).split()) == 0
    assert run(tables(place, "x,y/p,q", *rows).split()) == 1


def test_a_text_in_one_table_does_not_change_how_the_numbers_of_both_are_read(place):
    """One text among 1,000 numbers of a side changes that side's kind of column; numbers that JSON does not know make
    up 40% of both. Planted: that side all texts."""
    rng = np.random.default_rng(4)
    cells = rng.choice(["+1.5", " -2e3 ", "inf", "nan", "", *["{}"] * 6], size=(2, 1_000))
    one, other = ([f"{x.format(rng.laplace())},{'pq'[rng.integers(2)]}" for x in side] for side in cells)
    line = tables(place, "x,word", one, ["none,p", *other[1:]])
    assert run(line.split()) == 0
    assert run(tables(place, "x,word", one, [f"t{row}" for row in other]).split()) == 1


LEAKS = """
import numpy as np

def mean(data, trials, rng):
    ages = data["Age"] if data.dtype.names else data[:, 0]
    return ages.clip(0, 100).mean() + rng.laplace(scale=50.0, size=trials)
"""


@pytest.mark.parametrize("header", ["Age,Income", "Age,Town"])
def test_a_missing_value_in_a_table_reaches_the_mechanism(header, place, capsys):
    """The classic leak: a mean that is NaN where a record is."""
    (place / "mech_that_leaks.py").write_text(LEAKS)
    more = "1" if header.endswith("Income") else "Rome"
    for name, cell in (("old", "40"), ("new", "")):
        (place / f"{name}.csv").write_text(f"{header}\n30,{more}\n{cell},{more}\n")
    line = "audit mech_that_leaks:mean --data old.csv --neighbour new.csv --epsilon 1 --trials 1000"
    assert run(line.split()) == 1 and "epsilon >= 4" in capsys.readouterr().out


def test_columns_of_a_data_frame():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"x": [1.0, 2.0], "word": ["a", "bb"], "mixed": [None, "c"]})
    found = audit_arrays._columns_of(frame)
    assert [column.dtype.kind for column in found.values()] == ["f", "U", "O"]


def test_pickles_are_refused(place, capsys):
    np.save(place / "objects.npy", np.array([{"a": 1}] * 200, dtype=object), allow_pickle=True)
    assert run(["audit-arrays", "objects.npy", "outputs_b.npy"]) == 2
    assert "OUTPUTS must be a sound .npy file" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["npz", "parquet"])
def test_an_array_file_that_unpacks_to_far_more_than_its_size_is_refused(kind, place, capsys, monkeypatch):
    """Zeros: a million in some kB, refused once the free size is below their 8 MB, and read below it."""
    zeros = np.zeros(1_000_000)
    if kind == "npz":
        np.savez_compressed(place / "zeros.npz", a=zeros)
        line = "audit mech_of_ways:noisy --data zeros.npz --neighbour zeros.npz --trials 200"
    else:
        pandas = pytest.importorskip("pandas")
        pytest.importorskip("pyarrow")
        pandas.DataFrame({"a": zeros}).to_parquet(place / "zeros.parquet")
        line = "audit-arrays zeros.parquet zeros.parquet --epsilon 1"
    run(line.split())
    assert "bytes" not in capsys.readouterr().err
    monkeypatch.setattr(audit_inputs, "SMALL", 7_999_999)
    assert run(line.split()) == 2
    assert "must be a file whose arrays take at most 7,999,999 bytes, got" in (capsys.readouterr().err)


def test_a_large_file_may_unpack_to_a_hundred_times_its_size(place):
    large = place / "large"
    with large.open("wb") as file:
        file.truncate(3 * 2**20)  # a hole: nothing is written
    audit_inputs.check_unpacked("OUTPUTS", str(large), 300 * 2**20)
    with pytest.raises(InvalidInput, match="OUTPUTS must be a file whose arrays take at most 314,572,800 bytes"):
        audit_inputs.check_unpacked("OUTPUTS", str(large), 300 * 2**20 + 1)


def test_the_curve_is_printed_and_written(place, capsys):
    for line in (PAIR, "audit-scores included.npy scores.npy"):
        assert run([*line.split(), "--curve", "0,0.5,1", "--json", "found.json"]) == 0
        curve = json.loads((place / "found.json").read_text())["curve"]
        assert curve["epsilon"] == [0.0, 0.5, 1.0] and curve["delta"][0] > 0.0
        assert "delta at least" in capsys.readouterr().out
