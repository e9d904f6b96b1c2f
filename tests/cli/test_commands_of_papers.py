"""Commands that papers bring: ours and anybody's, under names that the framework has not taken."""

import sys
from importlib.metadata import EntryPoint, EntryPoints

import pytest

from dpbench.cli.app import COMMANDS, homes, run

TOY = """
import typer

def toy(times: int = typer.Option(1, "--times")):
    \"\"\"Say a word several times.\"\"\"
    print("word " * times)
"""


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """A paper with a command, one whose module is not there, and one under a name of the framework."""
    (tmp_path / "toy_commands.py").write_text(TOY)
    monkeypatch.syspath_prepend(str(tmp_path))
    brought = dict.fromkeys(("toy", "verify", "bench"), "toy_commands:toy") | {"lost": "not_there:command"}
    points = [EntryPoint(name, home, "dpbench.commands") for name, home in brought.items()]
    monkeypatch.setattr(
        sys.modules["dpbench.cli.app"], "entry_points", lambda group: EntryPoints(p for p in points if p.group == group)
    )


def test_a_papers_command_runs_and_stands_in_the_help(toy, capsys):
    assert run(["toy", "--times", "3"]) == 0 and capsys.readouterr().out == "word word word \n"
    assert run(["--help"]) == 0 and "Say a word several times." in capsys.readouterr().out


def test_a_name_of_the_framework_stays_its_own(toy, capsys):
    assert homes()["verify"] == COMMANDS["verify"] and homes()["bench"].startswith("dpbench.papers.glm.")
    assert run(["verify", "--help"]) == 0 and "Say a word" not in capsys.readouterr().out


def test_a_command_that_cannot_be_imported_is_one_line(toy, capsys):
    assert run(["lost"]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "'lost'" in said and "not_there:command" in said
