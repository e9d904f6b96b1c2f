"""What ``--json`` writes has the form that ``schema.json`` says, and the schema has the words of the records."""

import copy
import json
from dataclasses import fields
from importlib import resources

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from made_up import GOOD, LONG, WRONG

from dpbench import AuditResult
from dpbench.auditing.accountant import AccountantCheck
from dpbench.auditing.one_run import Guessed
from dpbench.ledger import evidence, outcome, places, words
from dpbench.ledger.measurement import Evidence

SCHEMA = json.loads(resources.files("dpbench.report").joinpath("schema.json").read_text(encoding="utf-8"))
WHOLE = Draft202012Validator(SCHEMA)
PARTS = SCHEMA["$defs"]


def of(name):
    return Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": PARTS})


@pytest.fixture
def document(only, run, tmp_path):
    """What a command line writes as JSON; a toy ledger has a run, an unexpected verdict and one that was not run."""
    only(GOOD, WRONG, LONG)

    def written(line):
        if line.startswith("audit"):
            for name in "ab":
                np.save(tmp_path / f"{name}.npy", np.random.default_rng(ord(name)).standard_normal(200))
        else:
            run("verify --quiet --seed 3")
        code, out, err = run(f"{line} --json -")
        assert code in (0, 1), err
        return json.loads(out, parse_constant=pytest.fail)

    return written


LINES = {
    "verify": "verify --seed 3",
    "list": "list",
    "show": "show glm.one.inequality",
    "audit": "audit-arrays a.npy b.npy --epsilon 1 --curve 0,1",
    "accountant": "check-accountant --noise-multiplier 1 --epsilon 5 --delta 1e-5",
}


@pytest.mark.parametrize("name", LINES)
def test_documents_are_of_the_schema(name, document):
    made = document(LINES[name])
    assert not [f"{list(error.absolute_path)}: {error.message}" for error in of(name).iter_errors(made)]
    assert WHOLE.is_valid(made)
    others = [other["$ref"].rpartition("/")[2] for other in SCHEMA["anyOf"]]
    assert [other for other in others if of(other).is_valid(made)] == [name]  # no two forms are taken for each other
    for change in ({"schema": 99}, {"claims": 3, "entries": 3, "trials": "many"}):
        assert not of(name).is_valid(made | change)


@pytest.mark.parametrize(("noise", "steps", "relation", "epsilon"), [(1, 1, "replace", 2), (8, 4, "add_remove", 0.88)])
def test_documents_of_accountants_are_of_the_schema(noise, steps, relation, epsilon, document):
    """One without an upper bound, one with a slip."""
    line = f"check-accountant --noise-multiplier={noise} --sampling-rate=0.2 --steps={steps} --relation={relation}"
    made = document(f"{line} --epsilon={epsilon} --delta=2.08e-5")
    assert of("accountant").is_valid(made) and not of("accountant").is_valid(made | {"another": 1})
    assert (None in made["epsilon"], bool(made["slips"])) == (relation == "replace", relation != "replace")


@pytest.mark.parametrize("name", ["verify", "list", "show"])
def test_no_entry_has_a_key_that_the_schema_does_not_name(name, document):
    made = document(LINES[name])
    (listed,) = (key for key in ("claims", "entries") if key in made)
    for key in (*made[listed][0], "another"):
        changed = copy.deepcopy(made)
        if key == "another":
            changed[listed][0][key] = 1
        else:
            del changed[listed][0][key]
        assert WHOLE.is_valid(changed) == (key in ("certificate", "no_certificate"))


@pytest.mark.parametrize("paper", ["glm", pytest.param("heavytail", marks=pytest.mark.slow)])
def test_errata_and_committed_evidence_are_of_the_schema(paper, run):
    code, out, _ = run(f"errata {paper} --json -")
    made = json.loads(out)
    assert code == 0 and made["entries"]
    assert not [error.message for error in of("errata").iter_errors(made)]
    paths = sorted(places.folder().glob(f"{paper}.*.json"))
    assert paths
    for path in paths[:: 1 if paper == "glm" else 7]:
        assert of("evidence_file").is_valid(json.loads(path.read_text(encoding="utf-8"))), path


def test_the_schema_has_the_words_and_fields_of_the_records():
    Draft202012Validator.check_schema(SCHEMA)
    row = PARTS["row"]["properties"]
    claims = PARTS["verify"]["properties"]["claims"]["items"]["properties"]
    assert set(row["kind"]["enum"]) == set(words.KINDS)
    assert set(row["weight"]["enum"]) == {None, *words.WEIGHTS}
    assert set(row["origin"]["enum"]) == set(words.ORIGINS)
    assert set(PARTS["verdict"]["enum"]) == {verdict for kind in words.VERDICTS.values() for verdict in kind}
    assert set(PARTS["grade"]["enum"]) == set(words.GRADES)
    assert set(claims["decided"]["enum"]) == set(words.DECIDED)
    assert set(claims["link"]["enum"]) == set(words.LINKS)
    assert set(PARTS["evidence"]["required"]) == {field.name for field in fields(Evidence)}
    written = {field.name for field in fields(AuditResult)} - {"pair", "origin"} | {"schema"}
    assert set(PARTS["audit"]["required"]) == written == set(PARTS["audit"]["properties"]) - {"curve"}
    assert set(PARTS["guessed"]["required"]) == {field.name for field in fields(Guessed)}
    assert set(PARTS["accountant"]["required"]) == {field.name for field in fields(AccountantCheck)} | {"schema"}
    numbers = {name: PARTS[name]["properties"]["schema"]["const"] for name in ("verify", "evidence_file")}
    assert numbers == {"verify": outcome.SCHEMA, "evidence_file": evidence.SCHEMA}
