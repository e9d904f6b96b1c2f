"""Keys of all entries in a copy of the packages that is edited: what makes none of them stale, and what makes which."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
import warm

from dpbench.core.sources import OURS
from dpbench.ledger.registry import all_claims

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """
import json
from dpbench.ledger.registry import all_claims
print(json.dumps({claim.id: claim.digest for claim in all_claims()}))
"""
CLAIM = '''

@paper.inequality(
    "added", source="nowhere", statement="0 <= 1.", expected="not refuted", because="It is so.",
)
def added(context):
    """One more entry beside the others."""
    yield {"left": 0.0, "right": 1.0}
'''

pytestmark = [pytest.mark.meta, pytest.mark.process]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    for package in OURS:
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def keys(copy: Path) -> dict[str, str]:
    environment = {**os.environ, "PYTHONPATH": str(copy)}
    done = warm.run(["-c", SCRIPT], cwd=copy, env=environment, modules=warm.LIBRARIES)
    assert done.returncode == 0, done.stderr
    found: dict[str, str] = json.loads(done.stdout)
    return found


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text, f"{path.name} has no {old!r}"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_a_comment_a_docstring_a_move_and_one_more_claim_make_nothing_stale(copy: Path) -> None:
    core, glm = copy / "dpbench" / "core", copy / "dpbench" / "papers" / "glm"
    edit(core / "validation.py", "import annotations\n", "import annotations\n\n# a comment\n\n")
    edit(core / "validation.py", '"""The one shape of every message', '"""One shape for every message')
    edit(glm / "theory.py", "import math\n", "import math\n\nfrom dpbench.papers.glm.moved import noisy_gd_step_size\n")
    text = (glm / "theory.py").read_text(encoding="utf-8")
    start = text.index("def noisy_gd_step_size(")
    end = text.index("\n\n\n", start)
    (glm / "moved.py").write_text("import math\n\n\n" + text[start:end] + "\n", encoding="utf-8")
    (glm / "theory.py").write_text(text[:start] + text[end + 3 :], encoding="utf-8")
    lemmas = glm / "theorems" / "lemma5.py"
    lemmas.write_text(lemmas.read_text(encoding="utf-8") + CLAIM, encoding="utf-8")
    now, before = keys(copy), {claim.id: claim.digest for claim in all_claims()}
    assert now.pop("glm.added.inequality")
    assert {name for name, key in now.items() if key != before[name]} == set()


def test_a_changed_definition_makes_stale_what_reaches_it_and_nothing_else(copy: Path) -> None:
    name = ("dpbench.papers.glm.theory", "noisy_gd_step_size")
    reach = {claim.id for claim in all_claims() if name in claim.closure.names}
    assert 0 < len(reach) < 100
    path = copy / "dpbench" / "papers" / "glm" / "theory.py"
    text = path.read_text(encoding="utf-8")
    body = text.index("return", text.index("def noisy_gd_step_size("))
    path.write_text(text[:body] + "return 1.0 * " + text[body + len("return ") :], encoding="utf-8")
    before = {claim.id: claim.digest for claim in all_claims()}
    assert {name for name, key in keys(copy).items() if key != before[name]} == reach


def test_a_text_counts(copy: Path) -> None:
    """A text may be a key of a table: a message makes stale what reaches it, and leaves the rest."""
    name = ("dpbench.core.sampling", "canonical")
    reach = {claim.id for claim in all_claims() if name in claim.closure.names}
    edit(copy / "dpbench" / "core" / "sampling.py", '"a part of a seed"', '"a piece of a seed"')
    before = {claim.id: claim.digest for claim in all_claims()}
    assert reach and {name for name, key in keys(copy).items() if key != before[name]} == reach
