"""The list of planted errors fits the code, and its last results are explained."""

from __future__ import annotations

import ast
import fnmatch
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from mutations.__main__ import NOTICED, UNDECIDED, file_of, stands
from mutations.flips import joined, to_try
from mutations.listed import MUTATIONS, SURVIVORS
from mutations.mutation import Mutation
from mutations.nearest import enclosing, ordered
from mutations.operators import EACH, EQUIVALENT, KINDS, SEED, drawn, places
from mutations.planted_in_the_ledger import CANNOT, FAR, NEAR, PLANTS

from dpbench.ledger.registry import all_claims

pytestmark = pytest.mark.meta

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "evidence" / "mutations.json"
FLIPS = ROOT / "evidence" / "flips.json"
OPERATORS = ROOT / "evidence" / "operators.json"


def test_the_list_is_long_and_spread_over_all_packages() -> None:
    assert len({mutation.name for mutation in MUTATIONS}) == len(MUTATIONS) >= 200
    packages = Counter(mutation.path.replace("/papers/", "/").split("/")[1] for mutation in MUTATIONS)
    wanted = ("privacy", "core", "glm", "heavytail", "publicdata", "auditing", "rates", "ledger", "runs")
    assert all(packages[name] >= 4 for name in wanted)
    assert sum(mutation.path.startswith("lowerbounds/") for mutation in MUTATIONS) >= 10
    assert sum("_kernels" in mutation.path for mutation in MUTATIONS) >= 20


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name[:70])
def test_each_error_fits_the_code_in_one_place(mutation: Mutation) -> None:
    text = (ROOT / mutation.path).read_text(encoding="utf-8")
    wrong = mutation.put(text)
    assert ast.dump(ast.parse(wrong)) != ast.dump(ast.parse(text))
    assert mutation.tests and all(map(file_of, mutation.tests))


def test_an_error_is_planted_however_the_code_is_broken_into_lines() -> None:
    text = "def f(a, b):\n    return g(\n        a + b,  # a sum\n        b,\n    )\n"
    assert Mutation("f.py", "g(a + b, b)", "g(a - b, b)", ()).put(text) == "def f(a, b):\n    return g(a - b, b)\n"
    for missing in ("g(a + b)", "b"):  # not there, and there four times
        with pytest.raises(LookupError, match="must stand once in the file"):
            Mutation("f.py", missing, "0", ()).put(text)


@pytest.mark.skipif(not RESULTS.exists(), reason="evidence is in a checkout")
def test_the_results_are_those_of_this_list_and_each_survivor_is_explained() -> None:
    """An error that survived before its source or its tests changed is to be tried again, and is not counted."""
    listed = {mutation.name: mutation for mutation in MUTATIONS}
    results = {name: one for name, one in json.loads(RESULTS.read_text(encoding="utf-8"))["results"].items()
               if name in listed and (one["said"] in NOTICED or stands(listed[name], {name: one}))}  # fmt: skip
    said = Counter(result["said"] for result in results.values())
    assert len({"/".join(name.split("/")[:2]) for name in results}) >= 10
    missed = {name for name, result in results.items() if result["said"] == "survives"}
    assert missed <= SURVIVORS.keys() <= listed.keys() and all(SURVIVORS.values())
    assert said[UNDECIDED] <= 0.05 * len(results)
    decided = len(results) - said[UNDECIDED]
    assert decided >= 0.9 * len(MUTATIONS) and decided - len(missed) >= 0.95 * decided


def test_errors_in_what_the_ledger_measures_fit_the_code_and_are_few() -> None:
    assert 20 <= len(PLANTS) <= 45 and len(NEAR) >= 2 * len(FAR)
    entries = {claim.id: claim for claim in all_claims()}
    for mutation in PLANTS:
        text = (ROOT / mutation.path).read_text(encoding="utf-8")
        assert ast.dump(ast.parse(mutation.put(text))) != ast.dump(ast.parse(text)), mutation
        assert all(fnmatch.filter(entries, pattern) for pattern in mutation.tests), mutation
    assert all("cannot fail" in entries[name].derivation for name in CANNOT)


@pytest.mark.skipif(not FLIPS.exists(), reason="evidence is in a checkout")
def test_the_table_of_errors_and_entries_adds_up() -> None:
    """What was turned has another verdict than the entry expects, and what is left is listed as such."""
    document = json.loads(FLIPS.read_text(encoding="utf-8"))
    entries = {claim.id: claim.expected for claim in all_claims()}
    errors = [(one["error"]["path"], one["error"]["old"], one["error"]["new"]) for one in document["errors"]]
    assert set(errors) <= {(one.path, one.old, one.new) for one in PLANTS} and len(errors) >= 5
    turned = [(name, verdict) for one in document["errors"] for name, verdict in one["turned"].items()]
    assert all(verdict and verdict != entries.get(name, verdict + "!") for name, verdict in turned)
    reached = {name for name, _ in turned} & entries.keys()
    assert len(reached) >= 0.95 * len(entries)
    assert set(document["left"]) >= entries.keys() - reached - CANNOT.keys()


def test_errors_are_tried_where_nothing_has_turned_and_results_are_joined() -> None:
    names, near, far = {name: name for name in "abcd"}, NEAR[0], FAR[0]
    seen: dict[str, Any] = {"turned": {"a": "refuted"}, "as expected": ["b"], "not run": ["c", "d"]}
    assert to_try(near, None, False, names, {"a"}) == names
    assert to_try(far, None, False, names, {"a"}).keys() == to_try(near, None, True, names, {"a"}).keys() == {*"bcd"}
    assert to_try(near, seen, False, names, {"a"}) == {}
    assert to_try(near, seen | {"left alone": True}, False, names, {"a"}) == names
    assert to_try(near, seen, True, names, {"a", "d"}).keys() == {"c"}
    after: dict[str, Any] = {"turned": {"c": "refuted"}, "as expected": [], "not run": []}
    assert joined(seen, after) == {"turned": {"a": "refuted", "c": "refuted"}, "as expected": ["b"], "not run": ["d"]}


def test_tests_nearest_to_an_error_run_first() -> None:
    text = "class Table:\n    def scale(self):\n        return 1.0\n\ndef other():\n    return 2.0\n"
    assert enclosing(text, text.index("1.0")) == ["scale", "Table"] and enclosing(text, text.index("2.0")) == ["other"]
    sources = {"a": "Table()", "b": "Table().scale()", "c": "Table(); slow", "d": "nothing", "e": "Table().scale()  "}
    order = ordered(sources, ["scale", "Table"], {"c": 0.1, "a": 0.2, "e": 100.0})
    assert order == ["b", "c", "a", "d", "e"], "named by fewer first, then the quicker; what is slow last of all"


def test_random_errors_are_the_same_each_time_and_each_is_another_program() -> None:
    errors = drawn()
    assert errors == drawn() and len({error.name for error in errors}) == len(errors)
    assert Counter(error.kind for error in errors) == dict.fromkeys(KINDS, EACH)
    for error in errors:
        text = (ROOT / error.path).read_text(encoding="utf-8")
        assert ast.dump(ast.parse(error.put(text))) != ast.dump(ast.parse(text)), error.name


def test_the_places_of_a_small_function_are_these() -> None:
    source = (
        "def f(x: int, k=3) -> int:\n"
        '    if x[0] < 2.0 and k is None:\n        raise ValueError(f"got {x + 1}" + str(4))\n'
        "    return a[1:-1] - b\n"
    )
    (function,) = ast.parse(source).body
    assert isinstance(function, ast.FunctionDef)
    found = {(one.kind, source[one.start : one.end]): one.texts for one in places(function, source.encode())}
    assert found == {
        ("comparison", "x[0] < 2.0"): ("(x[0]) <= (2.0)", "(x[0]) >= (2.0)"),
        ("comparison", "k is None"): ("(k) is not (None)",),
        ("index", "0"): ("-1", "1"),
        ("index", "1"): ("0", "2"),
        ("index", "-1"): ("-2", "0"),
        ("constant", "2.0"): ("(2.2)", "(1.8)"),
        ("dropped term", "x[0] < 2.0 and k is None"): ("((k is None))", "((x[0] < 2.0))"),
        ("dropped term", "a[1:-1] - b"): ("(a[1:-1])",),
    }


@pytest.mark.skipif(not OPERATORS.exists(), reason="evidence is in a checkout")
def test_the_random_errors_add_up_and_most_are_noticed() -> None:
    """Of the code that they were drawn from: both rates, and every survivor that is said to be no error explained."""
    document = json.loads(OPERATORS.read_text(encoding="utf-8"))
    results = document["results"]
    real = {name: one for name, one in results.items() if name not in EQUIVALENT}
    noticed = {name: one for name, one in real.items() if one["said"] in NOTICED}
    chosen = sum(one["selection"] == "default" for one in noticed.values())
    assert document["seed"] == SEED and document["tried"] == len(results) >= 120
    assert document["errors"] == len(real) and document["noticed"] == len(noticed) and len(document["commit"]) == 40
    assert document["noticed at first"] == sum(one["first"] in NOTICED for one in real.values())
    assert document["noticed by the default selection"] == chosen
    assert document["survivors"] == sorted(name for name, one in real.items() if one["said"] == "survives")
    assert all(results[name]["said"] == "no error" for name in EQUIVALENT if name in results) and all(
        EQUIVALENT.values()
    )
    assert chosen >= 0.75 * len(real) and len(noticed) >= 0.8 * len(real)
