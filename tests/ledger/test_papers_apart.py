"""A selection of papers imports the modules of these alone."""

import subprocess
import sys

import pytest

from dpbench.core.validation import InvalidInput
from dpbench.ledger import registry
from dpbench.ledger.verify import select, with_premises

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


def test_claims_of_some_papers_are_those_of_all_papers():
    some = registry.all_claims(["publicdata", "heavytail"])
    assert [one.id for one in some] == [one.id for one in registry.all_claims() if one.paper != "glm"]
    assert select(paper="publicdata") == tuple(one for one in select() if one.paper == "publicdata")
    assert set(with_premises(select(paper="glm"))) == set(select(paper="glm"))
    with pytest.raises(InvalidInput, match=r"paper must be .*glm, .*got 'glmm'"):
        select(paper=["glm", "glmm"])


def test_what_is_misspelt_is_looked_for_in_all_papers():
    with pytest.raises(InvalidInput, match=r"did you mean .*glm\.thm5\.privacy"):
        select("glmm.thm5.privacy")
    with pytest.raises(InvalidInput, match=r"paper must be"):
        select("glm.thm5.privacy", paper="heavytails")
    assert {c.paper for c in select(["*.thm1.privacy*", "glm.thm5.privacy"])} >= {"glm", "heavytail"}
