"""README and guide: links that lead somewhere, examples that run, counts and a map that are true."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
GUIDE = {path.name: path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs" / "guide").glob("*.md"))}
EXAMPLES = [
    pytest.param(code, id=f"{name}-{number}")
    for name, text in {"README.md": README, **GUIDE}.items()
    if name != "theorem.md"  # a file of claims, which test_tutorial.py runs as the page says
    for number, code in enumerate(re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL))
]


@pytest.mark.parametrize("name", ["README.md", *(f"docs/guide/{name}" for name in GUIDE)])
def test_links_lead_somewhere(name):
    page = ROOT / name
    targets = re.findall(r"\]\(((?!http)[^)#]+)\)", page.read_text(encoding="utf-8"))
    assert [target for target in targets if not (page.parent / target).exists()] == []
    assert targets or name != "README.md"


def test_map_is_of_what_exists():
    block = GUIDE["development.md"]
    parts = re.findall(r"^      (\w+(?:\.py|/)) ", block, flags=re.MULTILINE)
    folders = re.findall(r"^    (\w+)/ ", block, flags=re.MULTILINE)
    assert "core/" in parts and "docs" in folders
    assert [name for name in parts if not (ROOT / "dpbench" / name).exists()] == []
    assert [name for name in folders if not (ROOT / name).is_dir()] == []


def test_counts_are_those_of_the_ledger():
    from dpbench.ledger.verify import all_claims
    from dpbench.ledger.words import HURT

    claims = [claim for paper in ("glm", "heavytail", "publicdata") for claim in all_claims() if claim.paper == paper]
    hurt = [sum((claim.hurt or "").partition(":")[0] == who for claim in claims) for who in HURT]
    row = re.findall(r"^\| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$", README, flags=re.MULTILINE)
    assert [list(map(int, each)) for each in row] == [hurt], "the row of counts by who is hurt"
    printed = [claim for claim in claims if claim.origin == "printed"]
    failed = f"{sum(hurt)} fail as printed; {hurt[-1]} of these are misprints."
    assert f"Of {len(printed)} printed statements tried, {failed}" in README
    named = re.findall(r"`((?:glm|heavytail|publicdata)\.[\w.-]+)`", README)
    assert len(named) >= 3 and set(named) <= {claim.id for claim in claims}


@pytest.mark.meta
@pytest.mark.parametrize("code", EXAMPLES)
def test_every_example_runs(code, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = {}
    exec(compile(code, "README.md", "exec"), made)
    out = capsys.readouterr().out
    if "def test_" in code:  # with the fixture's own function in the place of the fixture
        import dpbench

        (test,) = (value for name, value in made.items() if name.startswith("test_"))
        results = []
        test(lambda *args, **more: results.append(dpbench.audit(*args, **more)))
        assert [one.verdict for one in results] == ["not refuted"]
    elif "plot.save" in code:
        assert [path.name for path in tmp_path.iterdir()] == ["two.pdf"]
    elif "\nassert " in code:
        assert out  # what holds is asserted there
    elif "excess_risk" in code:
        excess = [float(line.split()[0]) for line in out.splitlines()]
        assert max(excess) < (1.0 if "PrivateGridSearch" in code else 0.1), "w = 0 has 64, the worst threshold 0.4"
    else:
        assert "refuted" in out
