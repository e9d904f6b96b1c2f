"""`index.json`: commands that only read say from it what they say from the claims, if it is of this code."""

import json
import subprocess
import sys

import pytest

from dpbench.ledger import index, registry
from dpbench.ledger.index import SAID, Indexed
from dpbench.ledger.places import folder
from dpbench.report.stored import best, known

COMMANDS = (
    "list --sort hurt", "list --json - --paper glm", "show heavytail.lemma10.inequality.eq39", "errata heavytail",
    "show glm.thm5.privacy heavytail.lemma7.inequality", "errata glm --latex", "errata publicdata --coverage",
)  # fmt: skip


@pytest.fixture(scope="module")
def text():
    """The index of the claims as they are."""
    return index.text(registry.own_papers())


@pytest.fixture
def written(text, tmp_path, monkeypatch):
    """Beside evidence and certificates, which are those of the checkout."""
    for place in (folder(), folder().parent / "certificates"):
        (tmp_path / place.name).symlink_to(place)
    path = tmp_path / "index.json"
    path.write_text(text, encoding="utf-8")
    monkeypatch.setattr(index, "folder", lambda: tmp_path / "ledger")
    registry.forget()
    yield path
    registry.forget()


def test_what_is_read_is_what_is_declared_and_committed(written):
    said = {claim.id: claim for claim in registry.own_claims()}
    shown = best(known(None))
    registry.forget()
    with registry.indexed():
        read = {claim.id: claim for claim in registry.own_claims()}
        assert all(isinstance(claim, Indexed) for claim in read.values()) and list(read) == list(said)
        for name, claim in said.items():
            other = read[name]
            assert all(getattr(claim, field) == getattr(other, field) for field in SAID), name
            for field in ("errata", "digest", "over_region", "in_formulas"):
                assert getattr(claim, field) == getattr(other, field), name
        brief = best(known(None))
        assert {n: (one.verdict, one.grade, one.stale) for n, one in brief.items()} == {
            n: (one.verdict, one.grade, one.stale) for n, one in shown.items()
        }
        with pytest.raises(RuntimeError, match="cannot be measured"):
            next(iter(read.values())).run(None)
        with pytest.raises(AttributeError, match="formal is not in the index"):
            _ = next(iter(read.values())).formal
    assert not any(isinstance(claim, Indexed) for claim in registry.own_claims())


def test_commands_say_the_same(written, run):
    from_index = [run(command) for command in COMMANDS]
    written.unlink()
    registry.forget()
    for command, said in zip(COMMANDS, from_index, strict=True):
        assert said == run(command) and said[0] == 0, command


def test_an_index_of_other_code_and_a_damaged_one_are_not_read(written, monkeypatch):
    assert len(index.papers()) == 3 and index.digest() in written.read_text(encoding="utf-8")
    for spoilt in (
        "",
        "{}",
        written.read_text(encoding="utf-8")[:-9],
        written.read_text(encoding="utf-8").replace(index.digest(), "0" * 64),
        json.dumps({"schema": 1, "of": index.digest(), "papers": []}),
    ):
        written.write_text(spoilt, encoding="utf-8")
        assert index.papers() == ()
    with registry.indexed():
        assert not any(paper.known for paper in registry.own_papers())


def test_the_digest_is_of_names_and_contents(tmp_path, monkeypatch):
    monkeypatch.setattr(index, "folder", lambda: tmp_path / "ledger")
    (tmp_path / "ledger").mkdir()
    (tmp_path / "certificates").mkdir()
    digests = [index.digest()]
    for name, content in (("ledger/a", "1"), ("ledger/a", "2"), ("ledger/b", "2"), ("certificates/b", "2")):
        for old in tmp_path.glob("*/*"):
            old.unlink()
        (tmp_path / f"{name}.json").write_text(content)
        digests.append(index.digest())
    assert len({*digests[:-1]}) == 4 and digests[-1] != digests[0]


@pytest.mark.process
def test_no_claim_is_imported_for_a_list(written, text):
    program = (
        "import sys; from pathlib import Path; from dpbench.ledger import index; "
        f"index.folder = lambda: Path({str(written.parent / 'ledger')!r}); from dpbench.cli import app; "
        "app(['list', 'heavytail.lemma4.inequality', '--json', '-'], standalone_mode=False); "
        "assert not [name for name in sys.modules if name.startswith('dpbench.papers.')]"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=written.parent, capture_output=True, text=True, check=True
    )
    assert [row["row"] for row in json.loads(done.stdout)["claims"]] == ["theta-2", "theta-below-2"]


@pytest.mark.evidence
def test_the_committed_index_is_of_this_code_and_evidence(text):
    """`dpbench evidence refresh` writes it; where it is of other code it is not read."""
    assert index.file().read_text(encoding="utf-8") == text, "run: dpbench evidence refresh"
