"""Parts of what is shown of an entry, each by what a reader sees: cells, verdicts, grades, titles, what was chosen."""

import json
import math
from dataclasses import replace

import pytest
from made_up import GOOD, WRONG, claim
from matplotlib.figure import Figure

from dpbench.cli import evidence as evidence_command
from dpbench.cli import verify as verify_command
from dpbench.core.validation import InvalidInput
from dpbench.ledger import Paper, all_claims
from dpbench.ledger.measurement import Evidence
from dpbench.ledger.statement import Integer, Real, Statement, inequality
from dpbench.report import archive, figures, page
from dpbench.report.listing import listed
from dpbench.report.stored import Shown, best
from dpbench.report.view import ENTRY, ERRATA, NOTE, view
from dpbench.runs.store import StoredVerdict

STORED = {
    "value": 0.25,
    "interval": None,
    "level": 0.0,
    "trials": 0,
    "seed": 0,
    "seconds": 1.5,
    "notes": ["why", "more"],
}


def shown(name, verdict="not refuted", **more):
    return Shown(name, verdict, "quick", 7, {**STORED, "tables": {}, **more}, False, "", {})


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "True"), ("inf", "inf"), (1234567, "1,234,567"), (0, "0"), (1 / 3, "0.33333"), (1e-9, "1e-09"),
        (12345678.0, "1.2346e+07"), (-2.5, "-2.5"),
    ],
)  # fmt: skip
def test_a_cell_of_a_table_has_five_digits_and_whole_numbers_in_full(value, text, only):
    only(GOOD)
    tables = {"rows": {"column": [value]}}
    made = page.page([GOOD], {GOOD.id: shown(GOOD.id, tables=tables)})
    assert f">{text}<" in made


def test_a_page_says_what_was_found_and_what_is_unexpected_stale_or_not_run(only):
    wrong = replace(WRONG, weight="range", hurt="use", consequence="The noise is too small. It is half of it.")
    only(GOOD, wrong)
    evidence = {"value": 1.23456, "interval": [0.12345, 2.0], "level": 1e-6, "notes": ["<script>alert(1)</script>"]}
    found = replace(shown(wrong.id, "refuted", **evidence), stale=True, made_with={"machine": "<b>"})
    made = " ".join(page.page([GOOD, wrong], {wrong.id: found}).split())
    assert "1 with another verdict than the expected one" in made and f"expected {wrong.expected}" in made
    assert f'href="#{GOOD.id}"' in made and "not run" in made and "1 stale" in made and "seed 7" in made
    assert '1.235 <span class="interval">[0.123, 2]</span>' in made and "1.0e-06" in made
    assert "</strong> The noise is too small.</li>" in made
    assert "<script>alert" not in made and "&lt;b&gt;" in made
    as_expected = page.page([wrong], {wrong.id: shown(wrong.id)})
    assert "with another verdict than the expected one" not in as_expected
    assert "not run" not in as_expected.split("<script")[0]


def test_a_page_shows_forty_rows_of_a_table_and_says_how_many_there_are(only):
    only(GOOD)
    made = page.page([GOOD], {GOOD.id: shown(GOOD.id, tables={"rows": {"n": list(range(5000, 5041))}})})
    assert ">5,039<" in made and ">5,040<" not in made and "41" in made


def test_an_archive_has_the_claims_that_were_run_and_names_the_others(only):
    only(GOOD, WRONG)
    files = archive.contents([GOOD, WRONG], {WRONG.id: shown(WRONG.id, "refuted")}, [Paper("toy", title="A toy")])
    ledger = json.loads(files["ledger.json"])
    assert [one["id"] for one in ledger["claims"]] == [WRONG.id] and ledger["not_run"] == [GOOD.id]
    assert b"2 claims of A toy." in files["README.txt"]
    assert [name for name in files if name.startswith("evidence/")] == [f"evidence/{WRONG.id}.json"]


def test_the_rows_of_a_list_are_of_the_papers_that_are_asked_for():
    for papers in (["heavytail"], ["heavytail", "publicdata"]):
        assert {row["id"].partition(".")[0] for row in listed(["*.privacy*"], papers, None, None)} == set(papers)


def test_workers_are_told_the_claims_of_the_papers_that_are_asked_for():
    every = verify_command._of_papers(None)
    assert every == [f"dpbench.papers.{name}.theorems:paper.claims" for name in ("glm", "heavytail", "publicdata")]
    assert verify_command._of_papers(["heavytail", "another"]) == every[1:2] and verify_command._of_papers(["x"]) == []


def test_a_shown_verdict_has_the_grade_that_it_rests_on(only):
    sampled, known = claim("glm.one.inequality", "not refuted"), claim("glm.two.inequality", "not refuted")
    only(sampled, known)
    kept = {**STORED, "tables": {}}
    stored = [
        StoredVerdict(name, "quick", 0, "c", "not refuted", {**kept, "level": level}, "")
        for name, level in ((sampled.id, 1e-6), (known.id, 0.0), ("glm.gone.inequality", 0.0))
    ]
    found = best(stored, with_code=False)
    assert (found[sampled.id].grade, found[known.id].grade) == ("sampled", "tried")
    assert found["glm.gone.inequality"].grade == ""  # of what is not known nothing is said


def test_each_part_says_what_the_entry_declares(only):
    one = replace(GOOD, quote="a quotation", consequence="What follows.", derivation="A reason.", full_only=True)
    only(one, replace(WRONG, holds=one.id))
    said = {part.label: part.lines for part in view(one, [shown(one.id, interval=[0.0, 1.0], trials=2000)])}
    assert said["Statement"] == (one.statement,) and said["As printed"] == ("a quotation",)
    assert said["Where"] == (one.source,) and said["Why"] == ("A reason.",) and said["Expected"] == (one.expected,)
    assert said["What it means"] == ("What follows.",) and said["What it corrects"] == (WRONG.id,)
    assert said["Shown by"] == (f"dpbench verify {one.id} --level full",)
    head, *notes = said["Measured"]
    assert head.startswith("not refuted, value 0.25 [0, 1]; grade tried (decided: tried; link: ")
    assert "level quick, seed 7, 2,000 trials, nothing rests on sampling, 1.5 s" in head and notes == ["why", "more"]
    assert "Reply of the authors" not in said and "Weight" not in said and "Row" not in said
    weighed = view(replace(one, weight="step", hurt="corner: n > 3"), scope=ENTRY)
    words = {part.label: part.lines[0] for part in weighed}
    assert words["Who is hurt"] == "Fails in a stated range: n > 3" and words["Reply of the authors"] == "not yet asked"
    assert words["Weight"].startswith("step: A step of a proof fails")
    counts = [len(view(one, [shown(one.id)], scope=scope)) for scope in (NOTE, ERRATA, ENTRY)]
    assert counts[0] < counts[1] < counts[2]


def test_the_title_of_a_figure_is_the_paper_and_what_was_found():
    figure = figures.named(figures.new_axes()[0], "glm.thm5.privacy", "an epsilon of 3")
    assert figure.get_suptitle() == "glm: an epsilon of 3"
    assert figures.named(figure, "heavytail.thm1.privacy", "another").get_suptitle() == "glm: an epsilon of 3"
    assert figures.named(figures.new_axes()[0], "glm.thm5.privacy").get_suptitle() == ""
    wide = figures.named(Figure(figsize=(6.0, 1.0)), "glm.thm5.privacy", "a long finding " * 3).get_suptitle()
    assert "\n" not in wide
    with figures.look(width=2.0):
        long = figures.named(figures.new_axes()[0], "glm.thm5.privacy", "a long finding " * 6).get_suptitle()
    assert long.count("\n") >= 2 and " ".join(long.split()) == "glm: " + ("a long finding " * 6).strip()


def test_evidence_is_refreshed_for_claims_of_this_package_unless_a_folder_is_given(tmp_path, only):
    chosen = evidence_command._chosen(["glm.thm5.privacy*"], None, None)
    assert "glm.thm5.privacy" in {claim.id for claim in chosen} and all(claim.paper == "glm" for claim in chosen)
    every = evidence_command._chosen(None, None, None)
    assert {claim.id for claim in every} == {claim.id for claim in all_claims() if not claim.outside}
    assert {claim.paper for claim in evidence_command._chosen(None, ["heavytail"], None)} == {"heavytail"}
    from dpbench.ledger import registry

    registry.use(["outside_paper"])
    try:
        with pytest.raises(InvalidInput, match="--evidence must be a folder for claims of other packages"):
            evidence_command._chosen(None, None, None)
        outside = evidence_command._chosen(None, None, tmp_path)
    finally:
        registry.use(None)
    assert outside and all(claim.outside for claim in outside)
    only(GOOD, outside[0])  # installed, and not meant where none is named
    assert evidence_command._chosen(None, None, None) == (GOOD,)
    with pytest.raises(InvalidInput, match=rf"--evidence must be a folder .* \({outside[0].id}, say\)"):
        evidence_command._chosen([outside[0].id], None, None)
    assert len(evidence_command._chosen(None, None, tmp_path)) == 2


def test_evidence_of_numbers_keeps_infinities(only):
    kept = Evidence(math.inf, tables={"rows": {"x": [1.0, math.inf]}}).to_dict()
    assert kept["value"] == "inf" and kept["tables"]["rows"]["x"] == [1.0, "inf"]
    (infinite,) = figures.columns({"tables": kept["tables"]}, "x")
    assert infinite.tolist() == [1.0, math.inf]


def test_an_entry_says_every_range_and_hypothesis_of_its_formulas():
    """Its sentence may leave them out; prose has no such part."""
    statement = Statement(
        about="x is below {bound}.", symbols={"x": Real("a number", 0, 3), "n": Integer("a count", 2, "inf")},
        where={"bound": "n*x"}, given={"far": ("x >= 1/n", "else nothing is said")}, region={"x": "(0, 3]"},
        claim=inequality("x", "<=", "bound"),
    )  # fmt: skip
    parts = {part.label: part.lines for part in view(replace(GOOD, statement=statement.sentence, formal=statement))}
    assert parts["Statement"] == ("x is below bound = n*x.",)
    said = "For all real x in (0, 3], integers n in [2, inf), with bound = n*x, where x >= 1/n: x <= bound."
    assert parts["In formulas"] == (said,)
    assert "In formulas" not in {part.label for part in view(GOOD)}
    regions = [replace(GOOD, formal=statement.replace(cells=cells)).over_region for cells in (0, 8)]
    assert regions == ["", said] and GOOD.over_region == ""
