"""The table of audited libraries: in a terminal, as Markdown, with a letter where a row reads as an error; and the
committed rows."""

from __future__ import annotations

import io
from typing import Any

from rich.console import Console

from dpbench_libraries import printed
from dpbench_libraries.case import Known
from dpbench_libraries.table import Row
from tools.pages import libraries


def row(verdict: str, known: Known | None = None, bound: float = 1.5, **more: Any) -> Row:
    return Row(
        **{"library": "lib", **more}, version="1.0", mechanism="a|b", about="so", relation="replace", claim="epsilon 1",
        unit="epsilon", claimed=1.0, bound=bound, detectable=None, verdict=verdict, known=known, event="output >= 1",
        pair="[0] and [1]", assumes=("all",), runs=1_000, confidence=1.0 - 1e-6, seed=0, seconds=0.5,
        date="2026-01-02", command="dpbench audit-library lib --mechanism 'a|b (so)'",
    )  # fmt: skip


BUG, CONVENTION = Known("bug", "a *cause*", "https://example.org/1"), Known("convention", "another relation")


def document(*rows: Row) -> dict[str, Any]:
    return {"rows": [{**one.to_dict(), "unexpected": one.unexpected} for one in rows]}


def test_a_refutation_is_unexpected_where_nothing_is_known_of_it() -> None:
    found = [row("refuted"), row("refuted", BUG), row("not refuted"), row("blind", BUG)]
    assert [one.unexpected for one in found] == [True, False, False, True]


def test_conventions_are_told_from_errors_and_only_these_get_a_letter() -> None:
    made = libraries.findings(document(row("refuted", BUG, 2.5), row("refuted", CONVENTION), row("not refuted")))
    rows = [line for line in made.splitlines() if line.startswith("| lib 1.0")]
    assert len(rows) == 2
    assert "refuted too | reads as an error of the code" in rows[0] and "[issue](https://example.org/1)" in rows[0]
    assert "| not refuted | a claim for other neighbours | another relation |" in rows[1]
    assert made.count("To the maintainers of lib") == 1 and made.count("> - a\\|b") == 1
    assert "a \\*cause\\*" in made and "with probability 0.999999" in made
    assert "To the maintainers" not in libraries.findings(document(row("refuted", CONVENTION)))
    assert "we do not know the cause" in libraries.findings(document(row("refuted")))


def test_a_terminal_shows_every_row_and_what_is_known() -> None:
    out = io.StringIO()
    printed.print_rows([row("refuted", BUG), row("refuted"), row("not refuted")], Console(file=out, width=160))
    said = out.getvalue()
    assert said.count("a|b (so)") == 5 and "bug: a *cause*" in said and "nothing is known of it" in said


def test_a_library_gets_one_letter_wherever_its_rows_stand() -> None:
    made = libraries.findings(document(*(row("refuted", BUG, library=name) for name in ("lib", "other", "lib"))))
    assert made.count("To the maintainers of lib\n") == 1 and made.count("To the maintainers of other\n") == 1


def test_text_of_a_cell_is_no_markup() -> None:
    made = libraries.audits(document(row("not refuted"), row("refuted", library="other")))
    lines = [x for x in made.splitlines() if x.startswith("| a\\|b (so)")]
    assert len(lines) == 2 and made.index("**lib 1.0**") < made.index("**other 1.0**")
    assert made.count("```text\ndpbench audit-library lib --mechanism 'a|b (so)'\n```") == 2
