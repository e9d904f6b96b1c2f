"""The budget of code: above it the package is named; it goes down by itself, and up only by hand."""

import subprocess
import sys

import pytest

pytestmark = [
    pytest.mark.meta,
    pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="tokens are counted on Python 3.11"),
]


@pytest.fixture
def repository(tmp_path):
    """One package of 40 tokens, and one that is exempt, with their budget."""
    from tools import budget

    (tmp_path / ".ci").mkdir()
    for name, count in (("dpbench/core/a.py", 10), ("checker/b.py", 10)):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text('"""Free."""\n' + "x = y  # free\n" * count)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    subprocess.run(["git", "add", "-A"], cwd=tmp_path, check=True)
    budget.write(tmp_path / ".ci/size.toml", {})
    assert budget.main(["--lower"], tmp_path) == 0
    budget.write(tmp_path / ".ci/size.toml", budget.sizes(tmp_path))
    return tmp_path


def test_what_grows_is_named(repository, capsys):
    from tools import budget

    assert budget.sizes(repository)["dpbench/core"] == (30, 0)
    assert budget.main([], repository) == 0
    with (repository / "checker/b.py").open("a") as file:
        file.write("x = y\n" * 100)  # exempt
    with (repository / "dpbench/core/a.py").open("a") as file:
        file.write("# free\n")
    assert budget.main([], repository) == 0
    with (repository / "dpbench/core/a.py").open("a") as file:
        file.write('"a message of five words"\n')
    capsys.readouterr()
    assert budget.main([], repository) == 1
    said = capsys.readouterr().out
    assert "dpbench/core has 31 code tokens, its budget is 30 (+3.3%)" in said
    assert "dpbench/core has 5 words, its budget is 0" in said and "checker" not in said


def test_numbers_go_down_with_three_percent_to_spare(repository):
    from tools import budget

    now = {"grown": (200, 7), "shrunk": (50, 0), "same": (100, 100), "new": (1000, 0)}
    old = {"grown": (100, 7), "shrunk": (100, 3), "same": (102, 100), "gone": (5, 5)}
    assert budget.lowered(now, old) == {"grown": (100, 7), "shrunk": (51, 0), "same": (102, 100), "new": (1030, 0)}


def test_a_reason_is_worth_one_percent():
    from tools import budget

    now, most = {"a": (101, 0), "b": (101, 0), "c": (102, 0)}, {"a": (100, 0), "b": (100, 0), "c": (100, 0)}
    said = budget.exceeded(now, most, {"a": "a bound was wrong", "b": " ", "c": "too much"})
    assert [line.split()[0] for line in said] == ["b", "c"]
    assert budget.exceeded({"d": (1, 0)}, most, {}) == ["d has no budget: python -m tools.budget --lower"]
