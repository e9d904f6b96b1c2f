"""`dpbench list` from the generated index: the rows of the claims without the claims, and never of other code."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from dpbench.ledger.registry import all_claims
from dpbench.report import listing
from dpbench.report.listing import _aligned, _said, _table

COMMITTED = json.loads(listing.index_file().read_text(encoding="utf-8"))
SCRIPT = "import sys; from dpbench.cli import app; app(['list', '--json', '-', *sys.argv[1:]], standalone_mode=False)"
LOADED = "; print('dpbench.ledger.registry' in sys.modules, file=sys.stderr)"


def test_the_committed_index_is_that_of_the_claims() -> None:
    """Stale, like evidence, after an edit of what a row shows: `dpbench evidence refresh` writes it."""
    assert listing.index()["claims"] == COMMITTED["claims"]


@pytest.fixture
def index(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An index of the present code that cannot come from the claims."""
    file = tmp_path / "index.json"
    first, second, *_ = COMMITTED["claims"]
    rows = [
        {**first, "paper": "toy", "id": "toy.one", "kind": "floor"},
        {**second, "paper": "toy", "id": "toy.two", "kind": "rate"},
    ]
    file.write_text(json.dumps({"schema": 1, "code": listing.sources.everything(), "claims": rows}))
    monkeypatch.setattr(listing, "index_file", lambda: file)
    return file


def ids(*given: object, alone: bool = True) -> list[str]:
    return [row["id"] for row in listing.listed(*given, alone=alone)]  # type: ignore[arg-type]


def test_the_index_is_read_where_it_is_of_this_code(index: Path) -> None:
    assert ids(None, None, None, None) == ["toy.one", "toy.two"]
    assert ids(["*.one"], ["toy"], None, None) == ["toy.one"] and ids(None, None, "rate", None) == ["toy.two"]
    every = [claim.id for claim in all_claims()]
    assert ids(None, None, None, None, alone=False) == every
    assert ids(["glm.lemma2.*"], None, None, None) == [name for name in every if name.startswith("glm.lemma2.")]
    index.write_text(index.read_text().replace('"code": "', '"code": "0'))
    assert ids(None, None, None, None) == every
    with pytest.raises(ValueError, match="claims must be ids or globs"):
        ids(["toy.one"], None, None, None)


@pytest.mark.process
def test_no_claim_is_imported_where_the_index_answers(tmp_path: Path) -> None:
    moved = (
        "from pathlib import Path; from dpbench.report import listing; listing.index_file = lambda: Path('i.json'); "
    )
    for step, loaded in (("listing.write_index(); ", True), ("", False)):
        done = subprocess.run(
            [sys.executable, "-c", moved + step + SCRIPT + LOADED],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stderr.split()[-1] == str(loaded)
        assert [row["id"] for row in json.loads(done.stdout)["claims"]] == [claim.id for claim in all_claims()]


LONG = [
    {"id": "toy.one.inequality", "verdict": "refuted", "expected": "refuted"},
    {"id": "toy." + "very-long-name-" * 6 + "rate.n", "verdict": None, "expected": "consistent"},
]
ROWS = {
    3: [(row["id"], _said(row), "hypothesis") for row in LONG],
    5: [(row["id"][:10], _said(row), "", "rate", "Theorem 2 and what follows from it") for row in LONG],
}
TITLES = ("claim", "verdict", "weight", "kind", "source")


def shown(text: object, width: int) -> list[str]:
    console = Console(width=width, record=True, file=io.StringIO())
    console.print(text)
    return [line.rstrip() for line in console.export_text().splitlines()]


@pytest.mark.parametrize(("columns", "width"), [(3, 60), (3, 80), (3, 119), (5, 75), (5, 200)])
def test_the_fast_layout_is_that_of_the_table(columns: int, width: int) -> None:
    fast = _aligned(TITLES[:columns], ROWS[columns], width)
    assert fast is not None
    assert shown(fast, width) == shown(_table(TITLES[:columns], ROWS[columns]), width)
    assert len(shown(fast, width)) > 3 or width in (119, 200)  # something is wrapped
    assert {str(span.style) for span in fast.spans} == {"bold", "magenta", "yellow"}


@pytest.mark.parametrize("row", [("é", "refuted", ""), ("toy", "refuted, expected proved", "")])
def test_what_the_fast_layout_cannot_show_is_left_to_the_table(row: tuple[str, str, str]) -> None:
    assert _aligned(TITLES[:3], [row], 80) is None
