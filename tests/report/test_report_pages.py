"""The documentation's pages: the committed evidence and nothing else, stale rows marked, read back as numbers."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from dpbench.core.validation import InvalidInput
from dpbench.ledger.evidence import document_of, write
from dpbench.ledger.measurement import Evidence
from dpbench.ledger.verify import all_claims
from dpbench.ledger.words import GRADES, HURT
from dpbench.report import errata
from dpbench.report.markdown import escaped
from dpbench.report.stored import Shown
from studies.results import dpriv_bench as benchmark
from studies.results import ledger_tables, pages

ROOT = Path(__file__).resolve().parents[2]
EVIDENCE = ROOT / "evidence"
CLAIMS = all_claims()


def shown(name: str, verdict: str, value: float | str = 1.5, *, stale: bool = False) -> Shown:
    return Shown(name, verdict, "full", 0, {"value": value, "interval": None}, stale, "", {}, "tried")


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def words(html: str) -> str:
    """HTML without its tags."""
    return re.sub(r"<[^>]*>", "", html)


@pytest.fixture(scope="module")
def evidence(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The evidence folder, with entries made up for all claims but the last: their committed ones change."""
    folder = tmp_path_factory.mktemp("pages") / "evidence"
    shutil.copytree(EVIDENCE, folder, ignore=shutil.ignore_patterns("ledger*"))
    (folder / pages.LEDGER).mkdir()
    for number, claim in enumerate(CLAIMS[:-1]):
        grid = {axis: [1.0, 2.0, 4.0] for axis in ("n", "measured", "ceiling")} if claim.kind == "rate" else {}
        found = Evidence(1.0 / (number + 1), (0.0, 1.0) if number % 2 else None, series=grid)
        write(document_of(claim, claim.expected, found.to_dict(), "full", 0), folder / pages.LEDGER)
    return folder


@pytest.fixture(scope="module")
def made(evidence: Path) -> dict[str, str]:
    return pages.texts(evidence)


def test_the_home_has_one_number_of_each_library_of_peers_and_of_power(made: dict[str, str]) -> None:
    """Counted here from the files again."""
    read = {name: json.loads((ROOT / "evidence" / f"{name}.json").read_text()) for name in
            ("diffprivlib", "peers", "audit", "bits")}  # fmt: skip
    broken = [row["mechanism"] for row in read["diffprivlib"]["rows"] if row["bits_verdict"] == "refuted"]
    fast = next(r for r in read["peers"]["parts"]["speed"] if (r["loss"], r["peer"]) == ("logistic", "jax"))
    laws = [row for part in ("scalars", "zoo", "vectors") for row in read["audit"][part].values()]
    ratios = [row["ratio"] for row in laws if "ratio" in row]
    exact = [row["broken"] for row in read["bits"]["rows"] if row["exact"] and not row["control"]]
    for said in (
        f"{len(broken)} of {len(read['diffprivlib']['rows'])} mechanisms",
        f"{fast['median']:.2f} times as many trials",
        f"on {len([r for r in ratios if r <= 1.3])} of {len(ratios)} laws",
        f"{exact.count(True)} of {len(exact)} in exact arithmetic",
    ):
        assert said in made["index.md"], said


def test_every_page_has_its_title_its_tables_and_a_place_in_the_index(made: dict[str, str]) -> None:
    assert set(made) == {"index.md", *(f"{page.name}.md" for page in pages.PAGES)}
    audited = json.loads((ROOT / "evidence" / "libraries.json").read_text())["rows"]
    tables = {"failures": 0, "libraries": 1 + len({row["library"] for row in audited})}  # those have one a library
    for page in pages.PAGES:
        text = made[f"{page.name}.md"]
        assert f"\n# {page.title}\n" in text and f"\n{page.name}\n" in made["index.md"]
        assert text.count("\n|---") == tables.get(page.name, len(page.parts))
        for table in text.split("\n\n"):
            if table.startswith("|"):
                rows = table.splitlines()
                assert len(rows) > 2 and len({len(cells(row)) for row in rows}) == 1, rows[0]


def test_the_ledger_page_has_the_committed_values(made: dict[str, str]) -> None:
    rows = {words(row[0]): row for row in map(cells, made["ledger.md"].splitlines()) if len(row) == 6}
    for number, claim in enumerate(CLAIMS[:-1]):
        row = rows[claim.id]
        verdict, grade = row[2].rstrip(")").split(" (")
        assert verdict == claim.expected and grade in GRADES
        assert float(row[3]) == pytest.approx(1.0 / (number + 1), rel=1e-3)
        assert f'href="claims/{claim.id}.html"' in row[0]
    assert rows[CLAIMS[-1].id][2:] == ["not run", "", "", ""]
    wrong = [claim for claim in CLAIMS[:-1] if claim.expected in ("refuted", "inconsistent")]
    assert wrong and all(f'claims/{claim.id}.html"' in made["failures.md"] for claim in wrong)
    assert all(f"`{claim.id}`" in made["table1.md"] for claim in CLAIMS if claim.id.startswith("glm.thm1.rate"))


def test_stale_and_missing_rows_are_marked() -> None:
    found = {claim.id: shown(claim.id, claim.expected) for claim in CLAIMS}
    assert "stale)" not in ledger_tables.entries(CLAIMS, found)
    found[CLAIMS[0].id] = shown(CLAIMS[0].id, "proved", stale=True)
    rows = ledger_tables.entries(CLAIMS, found).splitlines()
    assert [CLAIMS[0].id in words(row) for row in rows if ", stale)" in row] == [True]
    assert ledger_tables.entries(CLAIMS, {}).count("| not run |") == len(CLAIMS)


def test_what_does_not_hold_stands_beside_its_corrected_version() -> None:
    wrong = next(claim for claim in CLAIMS if claim.holds and claim.weight)
    found = {wrong.id: shown(wrong.id, "refuted"), wrong.holds: shown(wrong.holds, "proved")}
    heading, finding = ledger_tables.failures(CLAIMS, found).split("\n\n")
    assert heading == f"## {errata.HURTS[wrong.hurt.partition(':')[0]]} (1)"
    assert "refuted (tried), 1.5" in words(finding) and f"instead. {wrong.holds} (proved (tried))" in words(finding)
    assert finding.startswith("<div") and "\n" not in finding, "an empty line would end a block of HTML"
    found[wrong.id] = shown(wrong.id, "not refuted")
    assert ledger_tables.failures(CLAIMS, found) == ""
    infinite = ledger_tables.failures([wrong], {wrong.id: shown(wrong.id, "refuted", "inf")})
    assert "refuted (tried), inf" in words(infinite)


def test_findings_stand_by_who_is_hurt() -> None:
    hurt = [claim.hurt.partition(":")[0] for claim in CLAIMS if claim.expected in errata.FAILED]
    page = ledger_tables.failures(CLAIMS, {claim.id: shown(claim.id, claim.expected) for claim in CLAIMS})
    headings = [part for part in page.split("\n\n") if part.startswith("## ")]
    assert headings == [f"## {errata.HURTS[who]} ({hurt.count(who)})" for who in HURT]


def test_text_of_a_claim_is_no_markup() -> None:
    assert escaped("|w| <= 2*y_1 `a`\n[b](c) ~ \\d") == r"\|w\| \<= 2\*y\_1 \`a\` \[b\](c) \~ \\d"
    assert escaped("plain, ε ≥ 1 (a)") == "plain, ε ≥ 1 (a)"


def test_the_command_writes_what_has_changed_alone(
    evidence: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "new" / "results"
    line = [str(folder), "--evidence", str(evidence)]
    assert pages.main(line) == 0 and f"{len(pages.PAGES) + 1} pages" in capsys.readouterr().out
    first = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    (folder / "bits.md").write_text("old")
    assert pages.main(line) == 0
    changed = {path.name for path in folder.iterdir() if path.stat().st_mtime_ns != first[path.name]}
    assert changed == {"bits.md"} and "\n# Last bits" in (folder / "bits.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("content", [None, "{", "[]", '{"rows": [{"name": "a"}]}', "7"])
@pytest.mark.few(1)
def test_evidence_that_cannot_be_used(
    evidence: Path, content: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(evidence, tmp_path / "evidence")
    file = tmp_path / "evidence" / "bits.json"
    file.unlink()
    if content is not None:
        file.write_text(content)
    assert pages.main([str(tmp_path / "out"), "--evidence", str(tmp_path / "evidence")]) == 2
    said = capsys.readouterr().err
    assert "bits.json" in said and said.count("\n") == 1 and not list((tmp_path / "out").iterdir())


def test_an_entry_that_is_no_evidence_is_refused(tmp_path: Path) -> None:
    (tmp_path / pages.LEDGER).mkdir()
    (tmp_path / pages.LEDGER / "a.json").write_text(json.dumps({"schema": 99}))
    with pytest.raises(InvalidInput, match=r"a\.json must be evidence of an entry, of schema 1"):
        pages.committed(tmp_path)


def test_a_benchmark_shows_what_differs_what_is_open() -> None:
    row = {"topic": "a_b", "number": 1, "verdict": "holds", "grade": "derivation", "readings": []}
    rows = [row, {**row, "number": 7, "verdict": "fails", "grade": "certificate"},
            {**row, "number": 8, "verdict": "undecided", "grade": "tried"}]  # fmt: skip
    rows[1]["readings"] = [{"reading": "n = 1", "verdict": "holds"}, {"reading": "n = 2", "verdict": "undecided"}]
    assert cells(benchmark.topics({"rows": rows}).splitlines()[2])[-2:] == ["", ""]
    document = {"rows": rows, "agreement": {"topics": {"a_b": {"agree": 1, "differ": [7]}},
                                            "readings": {"n = 1": {"questions": 1, "labels": 1}}}}  # fmt: skip
    (shown_row,) = benchmark.topics(document).splitlines()[2:]
    assert cells(shown_row) == [r"a\_b", "3", "2", "1", "1", "1 certificate, 1 derivation, 1 tried", "1", "7"]
    assert [cells(one) for one in benchmark.readings(document).splitlines()[2:]] == [["n = 1", "1", "1"]]
    later = [{**one, "topic": "c"} for one in rows]
    agreement = {"a_b": {"agree": 1, "differ": [7]}, "c": {"agree": 2, "differ": []}}
    both = benchmark.topics({"rows": rows + later, "agreement": {"topics": agreement}})
    assert cells(both.splitlines()[-1])[-2:] == ["3", "1"]


def test_a_benchmarks_second_part_says_what_was_first_and_what_differs() -> None:
    counts = {"questions": 3, "decided": 2, "agreement": 1, "proof": 0, "derivation": 1, "certificate": 1}
    document = {
        "decided": 2, "agreement": 1, "topics": [{"topic": "a_b", **counts}, {"topic": "all", **counts}],
        "disagreements": [{"question": 7, "kind": "reading", "note": "n is public"}],
        "first_verdicts": {"decided": 2, "agreement": 0, "corrected": {"5": "a sum taken as a mean"}},
    }  # fmt: skip
    made = [cells(one) for one in benchmark.literature(document).splitlines()[2:]]
    assert made == [[name, "3", "2", "1", "0", "1", "1"] for name in (r"a\_b", "all")]
    assert cells(benchmark.differences(document).splitlines()[2]) == ["7", "reading", "n is public"]
    first = benchmark.first_verdicts(document)
    assert cells(first.splitlines()[2]) == ["5", "a sum taken as a mean"] and "2 and 1." in first
    assert "2 decided, 0 of them" in first
