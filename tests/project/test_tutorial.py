"""The tutorial, from an empty folder: its file is written and its commands are run, in order, as a reader would."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from loaded_plugin import LOAD

import dpbench

pytestmark = pytest.mark.meta

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guide" / "theorem.md"
ROOT = Path(dpbench.__file__).resolve().parents[1]
CHECKER = Path(__file__).resolve().parents[2] / "checker"


def blocks(kind):
    return re.findall(rf"```{kind}\n(.*?)```", GUIDE.read_text(encoding="utf-8"), flags=re.DOTALL)


@pytest.mark.process
def test_every_command_of_the_tutorial_does_what_it_says(tmp_path):
    where, said = tmp_path, {}
    (python,) = blocks("python")
    paths = os.pathsep.join([str(ROOT), str(CHECKER)])
    environment = {**os.environ, "PYTHONPATH": paths, "MPLBACKEND": "Agg", "PYTEST_ADDOPTS": ""}
    for line in [line[2:] for block in blocks("console") for line in block.splitlines()]:
        words = [word.strip("'") for word in line.split()]
        if words[0] == "cd":
            where = where / words[1]
            (where / "claims_tail.py").write_text(python, encoding="utf-8")
            continue
        programs = {"dpbench": ["dpbench.cli"], "pytest": ["pytest", *LOAD, "-p", "no:xdist"]}
        command = [sys.executable, "-m", *programs[words[0]], *words[1:]]
        done = subprocess.run(command, cwd=where, env=environment, capture_output=True, text=True)
        said[line] = done.stdout
        assert done.returncode == 0, (line, done.stdout, done.stderr)
    verdicts = "\n".join(said.values())
    assert re.search(r"mytheorem\.thm1\.privacy +refuted", verdicts)
    assert re.search(r"mytheorem\.thm1\.rate +consistent", verdicts)
    assert "3 verdicts, all as expected" in verdicts and "2 verdicts, all as expected" in verdicts
    assert "5 passed" in verdicts, "those of the file, and those that the repository names"
    made = [path.name for path in (where / "certificates").iterdir()]
    assert made == ["tail.lemma1.inequality.inequality.json"]
    table = (where / "ledger.tex").read_text(encoding="utf-8")
    assert r"\@namedef{dpverdict@tail.lemma1.inequality}{refuted}" in table
    assert len(list((where / "figures").glob("tail_*.pdf"))) == 2 and (where / "tail.zip").exists()
