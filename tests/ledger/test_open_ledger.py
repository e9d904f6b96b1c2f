"""Claims from outside: named on the command line or handed to `verify`; what is broken costs one message."""

import pickle
from collections.abc import Callable

import outside_paper
import pytest

import dpbench
from dpbench import cli
from dpbench.core.validation import InvalidInput
from dpbench.ledger import registry
from dpbench.ledger.registry import PaperNotLoaded

Run = Callable[[str], tuple[int, str, str]]

GOOD = '''
from dpbench.ledger import Paper

paper = Paper("{name}", title="T")


@paper.inequality("a", source="Lemma 1", statement="0 <= 1.", expected="not refuted", because="It is so.")
def a(run):
    """Two numbers."""
    for x in (1.0, 2.0):
        yield dict(x=x, left=0.1, right=x)
'''
CLAIM = """

@paper.floor("{name}", source="s", statement="s", expected="not refuted", because="b")
def {name}(run):
    {body}
"""


def put(folder, name, *claims):
    """A file of claims of a paper of this name: one that holds, and others by name and body."""
    text = GOOD.format(name=name) + "".join(CLAIM.format(name=claim, body=body) for claim, body in claims)
    (folder / f"claims_{name}.py").write_text(text)


@pytest.mark.slow
def test_a_file_is_listed_verified_drawn_and_reported(folder, run):
    put(folder, "mine1")
    given = "--claims claims_mine1.py"
    assert [line.split()[0] for line in run(f"list {given}")[1].splitlines()][:2] == ["claim", "mine1.a.inequality"]
    code, out, err = run(f"verify {given} --workers 1 --json found.json")
    assert code == 0 and "mine1.a.inequality" in out and "glm." not in out, err
    code, out, err = run(f"figures {given} --format svg --width 2.5 --font serif --font-size 9")
    assert (code, err) == (0, "") and (folder / "figures" / "mine1_a_inequality.svg").exists()
    code, out, err = run(f"report {given}")
    assert code == 0 and "1 of 1 entries have evidence" in out
    assert "mine1.a.inequality" in (folder / "report.html").read_text()
    code, out, _ = run(f"show mine1.a.inequality {given}")
    assert code == 0 and f"dpbench verify mine1.a.inequality {given}" in out.replace("  ", " ")
    assert run("show mine1.a.inequality")[0] == 2, "without the source it is unknown"


def test_a_folder_a_package_and_a_module_are_sources(folder, run):
    put(folder, "mine2")
    put(folder, "mine3")
    assert run("list --claims .")[1].count("mine") == 2
    package = folder / "mypackage"
    package.mkdir()
    (package / "__init__.py").write_text("from mypackage.inner import paper\n")
    (package / "inner.py").write_text(GOOD.format(name="mine4"))
    for given in ("mypackage", "mypackage.inner", "mypackage/inner.py", "mypackage/"):
        code, out, err = run(f"list --claims {given}")
        assert code == 0 and "mine4.a.inequality" in out and "mine2" not in out, (given, err)
    (folder / "empty").mkdir()
    for given, says in (
        ("nosuch.py", "--claims must be an existing file or folder, or a module, got 'nosuch.py'"),
        ("no/such", "--claims must be an existing file or folder, or a module, got 'no/such'"),
        ("empty", "--claims must be a folder with files claims_*.py, or a package, got 'empty'"),
    ):
        code, _, err = run(f"list --claims {given}")
        assert code == 2 and says in err


def test_what_is_broken_costs_one_message_and_all_others_run(folder, run):
    put(folder, "fine")
    put(folder, "twin")
    (folder / "claims_gone.py").write_text("import no_such_module\n")
    twice = CLAIM.format(name="c", body="yield {}") + CLAIM.format(name="c", body="return 1").replace("def c", "def d")
    (folder / "claims_double.py").write_text(GOOD.format(name="double") + twice)
    (folder / "claims_glm.py").write_text(GOOD.format(name="glm"))
    (folder / "claims_empty.py").write_text("x = 1\n")
    with pytest.warns(PaperNotLoaded) as said:
        code, out, _ = run("verify --claims . --workers 1 *.a.inequality")
    assert code == 1, "a source that was named and cannot be used is no success"
    assert "fine.a.inequality  not refuted" in out and "twin.a.inequality" in out
    messages = [str(one.message) for one in said]
    assert len(messages) == 4
    for name, reason in (
        ("gone", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("double", "InvalidInput: id must be new"),
        ("glm", "InvalidInput: the paper of claims_glm.py must have a name of its own"),
        ("empty", "InvalidInput: claims_empty.py must be a module that binds a dpbench.ledger.Paper"),
    ):
        assert sum(f"claims_{name}.py is left out: {reason}" in one for one in messages) == 1
        assert f"not run  claims_{name}.py: {reason}" in out


def test_two_papers_of_one_name_and_a_name_that_is_taken(folder):
    put(folder, "same")
    (folder / "claims_other.py").write_text(GOOD.format(name="same"))
    registry.use(["."])
    with pytest.warns(PaperNotLoaded, match=r"claims_same.py is left out: ValueError: another paper has the name"):
        assert [c.module for c in registry.outside_claims()] == ["claims_other"]
    (folder / "outside_paper.py").write_text(GOOD.format(name="x"))
    registry.use(["outside_paper.py"])
    with pytest.warns(PaperNotLoaded, match="must have a name of its own, got outside_paper, which is"):
        assert registry.outside_claims() == ()


@pytest.mark.slow
def test_claims_that_raise_end_or_never_end_in_this_process(folder):
    put(folder, "bad", ("raises", "return {}['x']"), ("ends", "raise SystemExit(0)"), ("never", "while True: pass"))
    registry.use(["claims_bad.py"])
    found = dpbench.verify(workers=1, max_seconds=3.0)
    assert [entry.claim.id for entry in found.entries] == ["bad.a.inequality"]
    reasons = {item["id"]: item["reason"] for item in found.not_run}
    assert reasons["bad.raises.floor"].startswith("KeyError: 'x' (claims_bad.py, line ")
    assert reasons["bad.ends.floor"].startswith("SystemExit: 0")
    assert reasons["bad.never.floor"] == "TimeUp: still running after 3 s (--max-seconds gives it more)"
    assert not found.as_expected


@pytest.mark.slow
def test_blocks_that_never_end_leave_threads_for_the_next_claim(folder):
    body = "return run.map({'what': 'w'}, forever, range(4))"
    put(folder, "hang", ("never", body), ("next", "yield dict(left=sum(run.map({'n': 1}, abs_, range(4))), right=9.0)"))
    path = folder / "claims_hang.py"
    endless = "def forever(block):\n    while True: time.sleep(0.02)\n"
    functions = f"import time\n\n\n{endless}\n\ndef abs_(block):\n    return float(block)\n"
    path.write_text(f"{path.read_text()}\n\n{functions}")
    registry.use([str(path)])
    found = dpbench.verify(workers=2, max_seconds=3.0)
    assert [entry.claim.id for entry in found.entries] == ["hang.a.inequality", "hang.next.floor"]


@pytest.mark.process
def test_the_same_in_worker_processes_and_a_claim_that_kills_its_own(folder):
    never = "import time\n    while True: time.sleep(0.1)"
    put(folder, "bad2", ("dies", "import os; os._exit(3)"), ("never", never), ("raises", "1 / {}"))
    put(folder, "fine2", ("after", "yield dict(left=0.0, right=1.0)"))
    registry.use(["."])
    found = dpbench.verify(processes=2, store=folder / "runs.sqlite", max_seconds=5.0)
    assert {e.claim.id for e in found.entries} == {"bad2.a.inequality", "fine2.a.inequality", "fine2.after.floor"}
    reasons = {item["id"]: item["reason"].partition(":")[0] for item in found.not_run}
    assert reasons == {"bad2.dies.floor": "WorkersLost", "bad2.never.floor": "TimeUp", "bad2.raises.floor": "TypeError"}


def test_what_stands_beside_a_source_goes_before_what_is_installed(folder, run, monkeypatch):
    (folder / "installed").mkdir()
    for place in (folder, folder / "installed"):
        (place / "beside_mine7.py").write_text(f"SAID = 'It stands in {place.name}.'\n")
    monkeypatch.syspath_prepend(folder / "installed")
    (folder / "claims_mine7.py").write_text(
        GOOD.format(name="mine7").replace('statement="0 <= 1."', 'statement=__import__("beside_mine7").SAID')
    )
    assert f"It stands in {folder.name}." in run("show mine7.a.inequality --claims claims_mine7.py")[1]


def test_claims_and_papers_are_handed_to_verify():
    first, half, *_ = outside_paper.paper.claims
    assert [e.claim for e in dpbench.verify(half, workers=1).entries] == [half]
    assert len(dpbench.verify(outside_paper.paper, workers=1).entries) == 4
    both = dpbench.verify([first, "glm.lemma2.inequality"], workers=1)
    assert both.as_expected and {e.claim.paper for e in both.entries} == {"glm", "toy"}
    with pytest.raises(InvalidInput, match="paper must be one of"):
        dpbench.verify(outside_paper.paper, paper="svt")
    assert pickle.loads(pickle.dumps(first)).outside and not registry.all_claims()[0].outside


def test_evidence_of_others_is_not_written_among_ours(folder, run):
    put(folder, "mine5")
    code, _, err = run("evidence status --claims claims_mine5.py")
    assert code == 2 and "--evidence must be a folder for claims of other packages (mine5.a.inequality" in err
    (folder / "kept").mkdir()
    code, out, err = run("evidence refresh --claims claims_mine5.py --evidence kept --workers 1 --quiet")
    assert code == 0 and (folder / "kept" / "mine5.a.inequality.json").exists(), err
    code, out, _ = run("evidence status --claims claims_mine5.py --evidence kept")
    assert code == 0 and "1 current, 0 stale; 0 of another environment" in out


def test_a_worker_of_a_cluster_that_lacks_the_module_is_named():
    from dpbench.runs.scheduler import Cluster

    class Client:
        """Two workers, of which one lacks it."""

        status = "running"

        def get_executor(self): ...

        def run(self, function, module):
            return {"tcp://a": function(module), "tcp://b": ""}

    assert Cluster(Client()).lacking("no.such") == "", "a text that is nowhere is empty here too"
    says = Cluster(Client()).lacking("outside_paper")
    assert says.startswith("code travels to workers by its name: tcp://b must have the module outside_paper")


def test_the_command_line_forgets_a_source(folder, run):
    put(folder, "mine6")
    assert cli.run(["list", "--claims", "claims_mine6.py"]) == 0
    assert registry.named() == {"mine6"} and registry.source("mine6") == "claims_mine6.py"
    assert run("list mine6.*")[0] == 2 and registry.named() is None
