"""One entry imports the modules that declare it: what the sources show is what importing everything gives."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from dpbench.core.validation import InvalidInput
from dpbench.ledger import modules, registry
from dpbench.ledger.paper import Paper
from dpbench.ledger.verify import select, with_premises

FIELDS = 'source="S", statement="1 <= 2", expected="not refuted", because="B"'
FILES = {
    "__init__": """
        from dpbench.ledger import Paper
        paper = Paper("made", package=__name__, order=("written",))
        """,
    "written": f"""
        import math
        from {{package}} import paper
        @paper.inequality("plain", {FIELDS})
        @paper.inequality("plain", variant="other", {FIELDS})
        def plain(run):
            yield dict(left=math.floor(1.5), right=2.0)
        paper.variant(plain, "third", expected="not refuted")
        """,
    "looped": f"""
        from {{package}} import paper
        def one(run, k):
            yield dict(left=1.0, right=2.0)
        for k in (1, 2):
            paper.floor(f"loop{{{{k}}}}", arguments={{{{"k": k}}}}, {FIELDS})(one)
        """,
    "hidden": f"""
        from {{package}} import paper
        def two(run):
            yield dict(left=1.0, right=2.0)
        getattr(paper, "stability")("hidden", {FIELDS})(two)
        """,
}

_NUMBERS = count()


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Paper:
    """A paper of four modules, none of which but the first is imported."""
    package = f"made_{next(_NUMBERS)}"
    (tmp_path / package).mkdir()
    for name, text in FILES.items():
        lines = [line.removeprefix("        ") for line in text.format(package=package).strip("\n").splitlines()]
        (tmp_path / package / f"{name}.py").write_text("\n".join(lines) + "\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    paper: Paper = __import__(package).paper
    return paper


def loaded(paper: Paper) -> set[str]:
    return {name.rpartition(".")[2] for name in sys.modules if name.startswith(f"{paper.package}.")}


@pytest.mark.parametrize(
    ("names", "imported"),
    [
        (["plain.inequality"], {"written"}),
        (["plain.inequality.third"], {"written"}),
        (["loop2.floor", "plain.inequality.other"], {"written", "looped"}),
    ],
)
def test_the_modules_that_declare_entries_are_imported(made: Paper, names: list[str], imported: set[str]) -> None:
    ids = [f"made.{name}" for name in names]
    found = made.some(ids)
    assert found is not None and {claim.id for claim in found} == set(ids)
    assert loaded(made) == imported
    whole = {claim.id: claim for claim in made.claims}
    assert [claim.id for claim in found] == [name for name in whole if name in ids]
    assert all(claim == whole[claim.id] for claim in found)


@pytest.mark.parametrize("name", ["made.hidden.stability", "made.loop3.floor", "made.nothing.privacy"])
def test_what_the_sources_do_not_show_is_looked_for_in_the_whole_paper(made: Paper, name: str) -> None:
    assert made.some([name]) is None
    assert ("made.hidden.stability" in {claim.id for claim in made.claims}) and "hidden" in loaded(made)


def test_a_pattern_has_a_star_for_what_is_computed(made: Paper) -> None:
    told = {name: modules.patterns(f"{made.package}.{name}") for name in FILES}
    assert sorted(told["written"]) == ["plain.inequality", "plain.inequality.other", "plain.inequality.third"]
    assert told["looped"] == ("loop*.floor",) and told["hidden"] == ()


WATCH = """
import json, sys
from dpbench.ledger import modules, registry
from dpbench.ledger.paper import Paper

def caller():
    frame = sys._getframe(2)
    while frame.f_globals["__name__"] == "dpbench.ledger.paper":
        frame = frame.f_back
    return frame.f_globals["__name__"]

declared = {}
add = Paper._add
def watched_add(paper, claim):
    declared[claim.id] = caller()
    add(paper, claim)
Paper._add = watched_add
told = {}
for paper in registry.all_papers():
    names = paper._modules()
    for claim in paper.claims:
        told[claim.id] = modules.modules_of([claim.id.removeprefix(paper.name + ".")], names)
print(json.dumps({"declared": declared, "told": told}))
"""


@pytest.mark.process
def test_the_sources_show_what_importing_everything_gives() -> None:
    """Of every entry of ours the module that declares it is among those told, and the only one for nine in ten."""
    done = subprocess.run([sys.executable, "-c", WATCH], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["told"].keys() == found["declared"].keys() and len(found["told"]) > 300
    assert not [name for name, module in found["declared"].items() if module not in (found["told"][name] or ())]
    more = {name: told for name, told in found["told"].items() if len(told) > 1}
    assert len(more) < 0.1 * len(found["told"]), more


@pytest.mark.process
def test_a_run_of_one_entry_loads_few_files_and_one_paper() -> None:
    from studies.house import loaded as modules_of_a_run

    ours = modules_of_a_run("glm.thm5.privacy.printed")
    assert "dpbench.ledger.verify" in ours and len(ours) <= 120, len(ours)
    assert {name.split(".")[2] for name in ours if name.startswith("dpbench.papers.")} == {"glm"}
    commands = {name.split(".")[2] for name in ours if name.startswith("dpbench.cli.")}
    assert commands == {"app", "guard", "options", "verify"}


def test_few_entries_are_those_of_the_whole_ledger() -> None:
    names = ["publicdata.thm8.privacy", "glm.thm5.privacy.exact", "glm.lemma2.inequality"]
    few = registry.some_claims(names)
    whole = {claim.id: claim for claim in registry.all_claims()}
    assert few is not None and [claim.id for claim in few] == [name for name in whole if name in names]
    assert all(claim == whole[claim.id] and claim.digest == whole[claim.id].digest for claim in few)
    chosen = with_premises(select(names))
    needed = {premise for name in names for premise in whole[name].rests_on}
    assert {claim.id for claim in chosen} >= {*names, *needed}
    assert [claim.id for claim in chosen] == [name for name in whole if name in {claim.id for claim in chosen}]


def test_papers_of_others_are_imported_whole(made: Paper) -> None:
    try:
        registry.use([made.package])
        assert registry.some_claims(["made.plain.inequality"]) is None
        assert registry.some_claims(["glm.lemma2.inequality"]) is None  # theirs alone are offered
        assert [claim.id for claim in select("made.plain.inequality")] == ["made.plain.inequality"]
        assert loaded(made) == set(FILES) - {"__init__"}
        with pytest.raises(InvalidInput, match=r"did you mean .*made\.plain\.inequality"):
            select("made.plane.inequality")
    finally:
        registry.use(None)
    assert registry.some_claims(["made.plain.inequality"]) is None


def test_a_name_that_no_entry_has_is_still_explained() -> None:
    asked: Any = ["glm.thm5.privacy.print"]
    assert registry.some_claims(asked) is None
    with pytest.raises(InvalidInput, match=r"did you mean .*glm\.thm5\.privacy\.printed"):
        select(asked)
