"""A selection of papers imports the modules of these alone."""

import subprocess
import sys

import pytest

PROGRAM = """
import sys
from dpbench.ledger.verify import select, with_premises

for patterns, asked, papers in (
    (None, ["heavytail"], {"heavytail"}), (["publicdata.thm4.privacy", "publicdata.lemma*"], None, {"publicdata"}),
):
    claims = with_premises(select(patterns, paper=asked))
    assert {claim.paper for claim in claims} == papers
    loaded = {name.split(".")[2] for name in sys.modules if name.startswith("dpbench.papers.") and ".theorems." in name}
    assert loaded == papers | {"heavytail"}, loaded
assert "scipy.stats" not in sys.modules
"""


@pytest.mark.process
def test_modules_of_other_papers_are_not_imported():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
