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
from mutations.planted_in_the_ledger import CANNOT, FAR, NEAR, PLANTS

from dpbench.ledger.registry import all_claims

pytestmark = pytest.mark.meta

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "evidence" / "mutations.json"
FLIPS = ROOT / "evidence" / "flips.json"


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
    assert text.count(mutation.old) == 1 and mutation.old != mutation.new
    ast.parse(text.replace(mutation.old, mutation.new))
    assert mutation.tests and all(map(file_of, mutation.tests))


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
        assert text.count(mutation.old) == 1 and mutation.old != mutation.new, mutation
        ast.parse(text.replace(mutation.old, mutation.new))
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
