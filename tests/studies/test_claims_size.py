"""The count of the claims' code: what is a line, a statement and a token, and both forms of the committed evidence."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

pytestmark = pytest.mark.meta

ROOT = Path(__file__).resolve().parents[2]
TEXT = '''"""Of a module."""

import math


def half(x: float) -> float:
    """Of a function."""
    return x / 2.0  # a comment
'''


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.setattr(sys, "path", [*sys.path, str(ROOT)])
    from studies import claims_size

    return claims_size


def test_lines_statements_and_tokens(counted: ModuleType) -> None:
    """import, def and return; 2 + 10 + 4 names, numbers and operators, of the annotations too."""
    assert counted.size(TEXT) == (8, 3, 16)
    longer = TEXT.replace("Of a module.", "Of a module.\n\nAt length.").replace("# a comment", "# a longer comment")
    assert counted.size(longer) == (10, 3, 16)
    packed = TEXT.replace("import math\n\n\n", "import math\n")
    assert counted.size(packed)[1:] == (3, 16)
    more = TEXT.replace("return x / 2.0", "y = x / 2.0\n    return y")
    assert counted.size(more)[1:] == (4, 19)


def test_entries_of_both_forms_of_evidence(counted: ModuleType) -> None:
    single = json.dumps({"claims": [{"id": "glm.a.rate"}, {"id": "glm.b.rate"}, {"id": "heavytail.c.rate"}]})
    assert counted.entries(["evidence/ledger.json"], lambda path: single) == {"glm": 2, "heavytail": 1}
    paths = ["evidence/ledger/glm.a.rate.json", "evidence/ledger/glm.b.rate.json", "evidence/other.json"]
    assert counted.entries(paths, str) == {"glm": 2}


def test_now_and_a_commit_that_is_not_there(counted: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    now = counted.sizes()
    assert set(now) == set(counted.PAPERS)
    assert all(count > 50 and code.statements > 500 for count, code, _ in now.values())
    assert counted.main(["0" * 40]) == 2
    assert "commit must be one of this repository's history" in capsys.readouterr().err
