"""The list of planted errors fits the code, and its last results are explained."""

from __future__ import annotations

import ast
import json
from collections import Counter
from pathlib import Path

import pytest
from mutations.listed import MUTATIONS, SURVIVORS
from mutations.mutation import Mutation

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "evidence" / "mutations.json"


def test_the_list_is_long_and_spread_over_all_packages() -> None:
    assert len({mutation.name for mutation in MUTATIONS}) == len(MUTATIONS) >= 200
    packages = Counter("/".join(mutation.path.split("/")[:2]) for mutation in MUTATIONS)
    wanted = ("privacy", "core", "glm", "heavytail", "publicdata", "auditing", "rates", "ledger", "runs")
    assert all(packages[f"dpbench/{name}"] >= 4 for name in wanted)
    assert sum(mutation.path.startswith("lowerbounds/") for mutation in MUTATIONS) >= 10
    assert sum("_kernels" in mutation.path for mutation in MUTATIONS) >= 20


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name[:70])
def test_each_error_fits_the_code_in_one_place(mutation: Mutation) -> None:
    text = (ROOT / mutation.path).read_text(encoding="utf-8")
    assert text.count(mutation.old) == 1 and mutation.old != mutation.new
    ast.parse(text.replace(mutation.old, mutation.new))
    assert mutation.tests and all((ROOT / "tests" / f"{test}.py").is_file() for test in mutation.tests)


@pytest.mark.skipif(not RESULTS.exists(), reason="evidence is in a checkout")
def test_the_results_are_of_this_list_and_each_survivor_is_explained() -> None:
    document = json.loads(RESULTS.read_text(encoding="utf-8"))
    missed = {name for name, result in document["results"].items() if result["said"] == "survives"}
    assert document["planted"] == len(document["results"]) and document["noticed"] == document["planted"] - len(missed)
    listed = {mutation.name for mutation in MUTATIONS}
    assert len(listed & document["results"].keys()) >= 0.9 * len(listed)
    assert missed & listed <= SURVIVORS.keys() and all(SURVIVORS.values())
    assert SURVIVORS.keys() <= missed
