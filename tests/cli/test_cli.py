"""The command line in process: what each command prints, the files it writes, and its exit codes."""

import json
import os
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from made_up import GOOD, LONG, WRONG, claim

import dpbench
from dpbench.ledger.measurement import Evidence
from dpbench.ledger.outcome import SCHEMA
from dpbench.papers.glm.comparison import ALGORITHMS
from dpbench.report.provenance import digest
from dpbench.runs.store import Store, stored_verdicts

PROGRESS = re.compile(r"dpbench: (compiling|claim) \d+ of \d+: [\w.-]+(, blocks \d+ of \d+)?(, about \d+ .+ left)?")
"""A line on stderr of a run that takes more than two seconds: see `dpbench.runs.progress.Lines`."""


def test_version_and_help(run):
    assert run("--version") == (0, f"dpbench {dpbench.__version__}\n", "")
    for line in ("", "--help"):
        code, out, err = run(line)
        assert (code, err) == (0, "")
        assert all(name in out for name in ("verify", "list", "show", "bench", "audit", "figures", "130"))


def test_verify_as_expected(only, run):
    only(GOOD, LONG)
    code, out, err = run("verify --seed 3")
    assert code == 0
    assert all(PROGRESS.fullmatch(line) for line in err.splitlines()), err  # where no cache of kernels is warm
    assert re.search(r"glm\.one\.inequality +not refuted +sampled +0\.25 +\[0\.125, 0\.5\]", out)
    assert "glm.three.inequality: full only" in out
    assert "1 verdict, all as expected; level quick, seed 3" in out
    assert Path(".dpbench/runs.sqlite").is_file()


def test_verify_unexpected_comes_first_and_fails(only, run):
    only(GOOD, WRONG)
    code, out, _ = run("verify")
    assert code == 1
    assert out.index("glm.two") < out.index("glm.one")
    assert "refuted, expected not refuted" in out and "1 unexpected" in out


def test_verify_that_runs_nothing_is_bad_use(only, run):
    only(LONG)
    code, _, err = run("verify")
    assert code == 2 and "--level full" in err
    assert run("verify --level full")[0] == 0


def test_json(only, run):
    only(GOOD, WRONG, LONG)
    code, out, err = run("verify --json -")
    document = json.loads(out, parse_constant=pytest.fail)
    assert code == 1 and "1 unexpected" in err  # the table gives way to the document
    assert document["schema"] == SCHEMA
    assert [item["verdict"] for item in document["claims"]] == ["not refuted", "refuted"]
    assert document["not_run"][0]["id"] == "glm.three.inequality"
    code, out, err = run("verify --quiet --json found.json")
    assert (code, out) == (1, "") and re.fullmatch("dpbench: 2 of 2 verdicts are of an earlier run, .*\n", err)
    for item in document["claims"]:
        item["stored"] = True
    assert json.loads(Path("found.json").read_text())["claims"] == [
        {**item, "evidence": {**item["evidence"], "seconds": pytest.approx(0, abs=5)}} for item in document["claims"]
    ]
    assert sorted(os.listdir()) == [".dpbench", "found.json"]  # no half-written file stays


def test_list(only, run):
    only(GOOD, WRONG)
    code, out, _ = run("list glm.one.*")
    assert code == 0 and re.search(r"glm\.one\.inequality +not run", out)
    assert "glm.two" not in out and "1 entry: 1 not run" in out


def test_list_has_stored_verdicts_and_who_is_hurt_within_80_columns(only, run, monkeypatch):
    name = "glm.remark4.inequality." + "long-" * 12 + "name"
    only(claim(name, "refuted", expected="not refuted", weight="hypothesis", hurt="corner: n < 9"), GOOD)
    run("verify --quiet --seed 2")
    monkeypatch.setenv("COLUMNS", "80")
    code, out, _ = run("list")
    assert code == 0 and max(map(len, out.splitlines())) <= 80
    shown = "".join(line[:58].strip() for line in out.splitlines()[1:3])
    assert shown == name and "…" not in out and " corner" in out  # no id is cut
    assert re.search(r"glm\.one\.inequality +not refuted", out)
    assert "2 entries: 1 refuted, 1 not refuted" in out and "corner 1" in out


def test_list_sorts_and_writes_json(only, run):
    only(GOOD, claim("glm.two.inequality", "refuted", expected="refuted", weight="constant"), LONG)
    run("verify --quiet")
    code, out, _ = run("list --json - --sort verdict")
    document = json.loads(out, parse_constant=pytest.fail)
    assert code == 0 and document["schema"] == 1
    told = [(row["id"].split(".")[1], row["verdict"], row["weight"]) for row in document["claims"]]
    assert told == [("two", "refuted", "constant"), ("one", "not refuted", None), ("three", None, None)]
    assert json.loads(run("list --json -")[1])["claims"][0]["id"] == "glm.one.inequality"
    assert json.loads(run("list --json - --sort weight")[1])["claims"][0]["weight"] == "constant"
    code, _, err = run("list --sort colour")
    assert code == 2 and "--sort must be one of" in err


def test_show(only, run):
    only(GOOD, WRONG)
    _, out, _ = run("show glm.one.inequality")
    assert "nothing is stored" in out and "dpbench verify glm.one.inequality" in out
    assert re.search(r"What holds instead\n +glm\.two\.inequality", out)
    run("verify --quiet")
    _, out, _ = run("show glm.two.inequality")
    for part in ("a statement", "a derivation", "Lemma 0", "refuted, expected not refuted", "- a note [of] sorts"):
        assert part in out
    assert re.search(r"What it corrects\n +glm\.one\.inequality", out) and "stale" not in out
    run("verify --quiet --seed 1")
    head, _, rest = run("show glm.two.inequality")[1].partition("\n")
    assert head.count("refuted, expected") == 1 and rest.count("seed ") == 2  # the last verdict, and all evidence


def test_show_marks_stale_evidence(only, run):
    only(GOOD)
    run("verify --quiet")
    (found,) = stored_verdicts(".dpbench/runs.sqlite")
    store = Store("old.sqlite")
    store.record(found.claim, found.level, found.seed, "older", found.verdict, found.evidence)
    store.close()
    shown = " ".join(run("show glm.one.inequality --store old.sqlite")[1].split())
    assert "stale: the code has changed since" in shown


def test_show_leaves_out_a_verdict_that_was_changed(only, run):
    only(GOOD)
    run("verify --quiet")
    with sqlite3.connect(".dpbench/runs.sqlite") as base:
        base.execute("UPDATE verdict SET verdict = 'banana'")
    base.close()
    with pytest.warns(RuntimeWarning, match=r"a verdict of glm.one.inequality in .* changed .*`dpbench verify glm.one"):
        code, out, _ = run("show glm.one.inequality")
    assert code == 0 and "banana" not in out and "nothing is stored" in out
    run("verify --quiet")
    assert "not refuted, value 0.25" in run("show glm.one.inequality")[1]
    (entry,) = json.loads(run("show glm.one.inequality --json -")[1])["entries"]
    assert entry["id"] == "glm.one.inequality" and entry["verdicts"][0]["verdict"] == "not refuted"
    assert {"Statement", "Measured", "Shown by"} <= {part["label"] for part in entry["parts"]}


@pytest.mark.parametrize(
    ("verdict", "change", "words"),
    [
        (
            "banana",
            {},
            "the verdict of glm.one.inequality must be one of proved, refuted, not refuted, undecided, vacuous, "
            "got 'banana'",
        ),
        (
            "refuted",
            {"value": None},
            "glm.one.inequality must be what `dpbench verify` writes, in its value",
        ),
        ("refuted", {"interval": [1.0]}, "in its interval too, got [1.0]"),
        ("refuted", {"tables": {"n": 3}}, "in its tables too"),
        ("refuted", {"notes": "text"}, "in its notes too"),
        ("refuted", {"seconds": "long"}, "in its seconds too"),
    ],
)
@pytest.mark.few(2)
def test_what_no_run_recorded_is_one_clear_message(only, run, verdict, change, words):
    only(GOOD)
    evidence = {**Evidence(0.25).to_dict(), **change}
    store = Store("odd.sqlite")
    store.record("glm.one.inequality", "quick", 0, "c", verdict, evidence)
    store.close()
    document = {"schema": SCHEMA, "level": "quick", "seed": 0, "versions": {}}
    items = [{"id": "glm.one.inequality", "verdict": verdict, "evidence": {**evidence, "digest": "c"}}]
    Path("odd.json").write_text(json.dumps({**document, "claims": items}))
    for line in ("show glm.one.inequality", "report", "figures"):
        code, _, err = run(f"{line} --store odd.sqlite")
        assert code == 2 and words in err and err.count("\n") == 1
    code, _, err = run("report --ledger odd.json")
    assert code == 2 and words in err


def test_bench(only, run):
    only()
    code, out, _ = run(
        "bench --data diabetes --epsilon 1,50 --trials 16 --workers 1 --seed 1 --json found.json --figure plots"
    )
    assert code == 0
    document = json.loads(Path("found.json").read_text())
    rows = {(row["algorithm"], row["epsilon"]): row for row in document["rows"]}
    assert set(rows) == {(a, e) for a in ALGORITHMS for e in (1.0, 50.0)}
    for row in rows.values():
        assert row["low"] <= row["excess"] <= row["high"]  # equal where grid search stays at w = 0
        assert row["algorithm"] == "grid-search" or row["low"] < row["high"]
    assert rows["noisy-gd", 50.0]["excess"] < rows["noisy-gd", 1.0]["excess"]
    assert document["zero_excess"] > 0.0 and document["fit"]["gap"] < 1e-9
    assert "zero predictor" in out and "95% t interval" in out
    assert Path("plots.pdf").read_bytes().startswith(b"%PDF") and Path("plots.png").stat().st_size > 10_000
    beside = json.loads(Path("plots.json").read_text())
    assert (beside["figure"], beside["evidence"]) == ("plots", digest(document)) and "None" not in beside.values()


def test_bench_of_a_csv(only, run):
    only()
    Path("mine.csv").write_text("a;b;y\n0.1;0.2;1\n0.3;0.1;0\n5;0.2;1\n")
    line = "bench --data mine.csv --target y --x-bound 1 --y-bound 1 --loss logistic --trials 8 --epsilon 1"
    assert run(line)[0] == 2
    code, out, _ = run(f"{line} --on-excess clip --algorithm noisy-gd")
    assert code == 0 and "n = 3, d = 2, logistic loss" in out


@pytest.mark.process
def test_help_loads_nothing_heavy():
    code = (
        "import sys; from dpbench import cli; cli.run(['--help']); cli.run(['--version']); cli.run(['lst'])\n"
        "print([m for m in ('numpy', 'numba', 'scipy', 'sklearn', 'matplotlib') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
