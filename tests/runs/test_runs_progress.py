"""`verify` over a store: progress, claims that fail, verdicts kept; nothing of it on stdout."""

from __future__ import annotations

import copy
import io
import math
import re
import sys
import time
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
import runs_workload as work
from patience import deadline

from dpbench.core.validation import InvalidInput
from dpbench.ledger import verify as ledger
from dpbench.ledger.core import Claim
from dpbench.ledger.measurement import Evidence
from dpbench.runs import progress
from dpbench.runs.context import Interrupted, RunContext, compiling_told
from dpbench.runs.store import Store, StoreError, stored_verdicts


class Told:
    """A progress that writes down what it is told."""

    def __init__(self):
        self.events: list[tuple[Any, ...]] = []

    def compiling(self, done, total, name):
        self.events.append(("compiling", done, total))

    def claim(self, done, total, name):
        self.events.append(("claim", done, total, name))

    def blocks(self, done, total):
        self.events.append(("blocks", done, total))

    def close(self):
        self.events.append(("close",))


def good(context):
    values = context.map({"what": "good"}, work.number_of, range(context.pick(quick=2, full=4)))
    values += context.map({"what": "more"}, work.number_of, range(2))
    return "not refuted", Evidence(value=float(sum(values)), tables={"rows": {"v": values}})


def bad_input(context):
    raise InvalidInput("x must be y, got z")


def bad_block(context):
    context.map({"what": "bad"}, partial(work.failing, 0), range(3))
    raise AssertionError


def interrupted(context):
    raise KeyboardInterrupt


def lost(context):
    raise StoreError("the store x failed: disk full")


def claim_of(run, **more):
    name = run.__name__.replace("_", "-")
    texts = dict.fromkeys(("source", "statement", "derivation"), "planted")
    return Claim(f"glm.{name}.floor", "glm", kind="floor", expected="not refuted", run=run, **texts, **more)


def plant(monkeypatch, *claims):
    monkeypatch.setattr(ledger, "all_claims", lambda papers=None: claims)


def test_progress_is_told_of_every_step(monkeypatch):
    plant(monkeypatch, claim_of(good), claim_of(bad_input, full_only=True))
    told = Told()
    ledger.verify(workers=1, progress=told)
    events = [event for event in told.events if event[0] != "compiling"]
    assert events[0] == ("claim", 0, 1, "glm.good.floor")  # what is not run does not count
    blocks = [event[1:] for event in events if event[0] == "blocks"]
    assert blocks == [(0, 2), (1, 2), (2, 2), (2, 4), (3, 4), (4, 4)]
    assert told.events[-1] == ("close",)


def test_a_kernel_compiled_at_its_first_call_is_told_of(monkeypatch, tmp_path):
    from lowerbounds._kernels import distances as small  # any small kernel

    fresh = copy.copy(small)
    fresh._dispatcher, fresh._seen = None, False
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    told = Told()
    with RunContext(level="quick", seed=0, workers=1, progress=told) as context:
        with compiling_told(context):
            assert told.events == []
            fresh.compile()
            fresh.compile()
        assert told.events == [("compiling", 0, 1)]


def test_a_claim_that_fails_stands_beside_the_others(monkeypatch, tmp_path):
    plant(monkeypatch, claim_of(bad_input), claim_of(bad_block), claim_of(good))
    found = ledger.verify(workers=2, store=tmp_path / "runs.sqlite")
    assert [entry.claim.id for entry in found.entries] == ["glm.good.floor"]
    reasons = {item["id"]: item["reason"] for item in found.not_run}
    assert reasons["glm.bad-input.floor"] == "InvalidInput: x must be y, got z"
    assert re.fullmatch(
        r"BlockError: glm.bad-block.floor, block 0 of \{'what': 'bad'\}: ZeroDivisionError: planted",
        reasons["glm.bad-block.floor"],
    )
    assert not found.as_expected
    assert [v.claim for v in stored_verdicts(tmp_path / "runs.sqlite")] == ["glm.good.floor"]


def test_a_lost_store_ends_the_run(monkeypatch):
    plant(monkeypatch, claim_of(lost), claim_of(good))
    with pytest.raises(StoreError, match="disk full"):
        ledger.verify()


def test_ctrl_c_comes_out_after_what_was_found_is_stored(monkeypatch, tmp_path):
    path = tmp_path / "runs.sqlite"
    plant(monkeypatch, claim_of(good), claim_of(interrupted))
    told = Told()
    with pytest.raises(Interrupted) as caught:
        ledger.verify(store=path, progress=told)
    assert str(caught.value) == f"interrupted: 4 blocks stored in {path}; run the same command again to resume"
    assert told.events[-1] == ("close",)
    assert [v.claim for v in stored_verdicts(path)] == ["glm.good.floor"]


def test_a_second_run_computes_nothing_and_finds_the_same(monkeypatch, tmp_path):
    path = tmp_path / "runs.sqlite"
    plant(monkeypatch, claim_of(good))
    documents = []
    for workers in (2, 1):
        document = ledger.verify(store=path, workers=workers, seed=5).to_dict()
        document.pop("seconds")
        assert document["claims"][0]["evidence"].pop("seconds") > 0.0
        document["claims"][0].pop("stored")
        documents.append(document)
        monkeypatch.setattr("dpbench.runs.context._Flight.compute", pytest.fail)
    assert documents[0] == documents[1]
    (verdict,) = stored_verdicts(path)
    kept = dict(verdict.evidence)
    assert set(kept.pop("made_with")) == {
        "python", "dpbench", "numba", "numpy", "scipy", "scikit-learn", "processor", "machine", "framework",
    }  # fmt: skip
    assert kept.pop("seconds") > 0.0
    shown = documents[0]["claims"][0]["evidence"]
    assert kept == {key: value for key, value in shown.items() if key in kept}
    assert (verdict.verdict, verdict.level, verdict.seed) == ("not refuted", "quick", 5)
    assert verdict.code == claim_of(good).digest
    store = Store(path, read_only=True)
    assert len(store) == 4
    store.close()


def test_lines(capfd):
    """Also while one step lasts; the time left is that of the share done."""
    stream = io.StringIO()
    lines = progress.Lines(stream, first=0.02, every=0.02)
    lines.compiling(1, 3, "k")
    wait_for(stream, "dpbench: compiling 2 of 3: k\n")
    lines.claim(1, 2, "glm.a.rate")
    wait_for(stream, r"dpbench: claim 2 of 2: glm.a.rate, about \d+ s left\n")
    lines.blocks(3, 40)
    wait_for(stream, r"dpbench: claim 2 of 2: glm.a.rate, blocks 3 of 40, about \d+ s left\n")
    assert stream.getvalue().count("blocks 3 of 40") >= 1
    lines.close()
    lines.close()
    before = stream.getvalue()
    lines.blocks(4, 40)
    time.sleep(0.05)
    assert stream.getvalue() == before
    assert capfd.readouterr() == ("", "")


def test_lines_without_claims_or_readers():
    stream = io.StringIO()
    lines = progress.Lines(stream, first=0.02, every=0.02)
    lines.blocks(1, 3)
    wait_for(stream, r"dpbench: blocks 1 of 3, about \d+ s left\n")
    stream.close()
    lines._thread.join(10.0)
    assert not lines._thread.is_alive()
    lines.close()


def wait_for(stream, pattern):
    with deadline() as end:
        while not re.search(pattern, stream.getvalue()):
            assert time.monotonic() < end, stream.getvalue()
            time.sleep(0.005)


def test_a_short_run_says_nothing():
    stream = io.StringIO()
    lines = progress.Lines(stream)
    lines.claim(0, 1, "a")
    lines.blocks(1, 1)
    lines.close()
    assert stream.getvalue() == ""


def test_time_left(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    share = progress.Share()
    assert share.left() == ""
    share.claim(0, 4, "a")
    assert share.left() == ""
    now[0] = 110.0
    share.blocks(1, 2)
    assert share.left() == ", about 70 s left"
    now[0] = 400.0
    share.claim(1, 4, "b")
    assert share.left() == ", about 15 min left"
    share.blocks(0, 0)
    assert share.left() == ", about 15 min left"
    alone = progress.Share()
    alone.blocks(0, 4)
    now[0] += 10.0
    alone.blocks(1, 4)
    assert alone.left() == ", about 30 s left"


def test_what_fits_stderr(monkeypatch):
    assert isinstance(progress.on_stderr(quiet=True), progress.Silent)
    assert isinstance(progress.on_stderr(), progress.Lines)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "dumb")
    assert isinstance(progress.on_stderr(), progress.Lines)
    monkeypatch.setenv("TERM", "xterm")
    assert isinstance(progress.on_stderr(), progress.Terminal)


def test_bars_say_what_is_done_and_what_is_left(monkeypatch, capsys):
    """The last that is drawn before the end, on stderr alone; a row goes where its step is over."""
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    for name, value in (("TERM", "xterm"), ("COLUMNS", "100"), ("FORCE_COLOR", "1")):
        monkeypatch.setenv(name, value)
    begun = [("compiling", 1, 3, "fit")]
    claim = [*begun, ("claim", 0, 2, "glm.a.rate"), 30.0, ("blocks", 2, 4)]
    cases = (
        (begun, [("compiling", "2 of 3: fit")]),
        (claim, [("claims", "1 of 2: glm.a.rate, about 90 s left"), ("blocks", "2 of 4")]),
        ([*claim, ("claim", 1, 2, "glm.b.rate")], [("claims", "2 of 2: glm.b.rate, about 30 s left")]),
        ([*claim, ("compiling", 0, 1, "k"), ("blocks", 3, 4)],
         [("claims", "1 of 2: glm.a.rate, about 50 s left"), ("blocks", "3 of 4")]),
        ([("blocks", 1, 3)], [("blocks", "1 of 3")]),
    )  # fmt: skip
    for steps, expected in cases:
        bars = progress.Terminal()
        for step in steps:
            if isinstance(step, float):
                now[0] += step
            else:
                getattr(bars, step[0])(*step[1:])
        bars.close()
        bars.close()
        out, err = capsys.readouterr()
        plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", err).replace("\r", "\n")
        drawn = re.findall(r"(\w+) +[━╸╺ ]+ (.*?) *$", plain, re.M)
        assert out == "" and drawn[-len(expected) :] == expected, drawn


@pytest.mark.parametrize("change", ["nothing", "recompute", "level", "seed", "versions", "processor", "code", "edited"])
def test_a_recorded_verdict_is_read_where_nothing_that_it_rests_on_changed(change, monkeypatch, tmp_path):
    store = tmp_path / "runs.sqlite"
    plant(monkeypatch, claim_of(odd))
    first = ledger.verify(store=store, workers=1)
    assert first.reused == 0
    measured = []
    monkeypatch.setattr(Claim, "measure", lambda claim, context: measured.append(claim.id) or odd(context))
    asked = {"level": "full"} if change == "level" else {"seed": 1} if change == "seed" else {}
    match change:
        case "versions":
            monkeypatch.setattr("dpbench.runs.environment.versions", lambda: {"numpy": "0"})
        case "processor":
            monkeypatch.setattr("dpbench.runs.environment.processor_type", lambda: "another")
        case "code":
            monkeypatch.setattr(Claim, "digest", property(lambda claim: "another"))
        case "edited":
            monkeypatch.setattr("dpbench.core.sources.edited", lambda modules: (f"{__name__}.py",))
    with pytest.warns(RuntimeWarning, match="changed after") if change == "edited" else nullcontext():
        again = ledger.verify(store=store, workers=1, recompute=change == "recompute", **asked)
    assert (again.reused, measured) == ((1, []) if change == "nothing" else (0, ["glm.odd.floor"]))
    if change == "nothing":
        assert again.entries[0].to_dict() == first.entries[0].to_dict() | {"stored": True}
        assert again.entries[0].evidence.interval == (-math.inf, 2.0)


def odd(context):
    tables = {"rows": {"v": [1.0, math.inf], "w": ["a", "b"]}, "other": {"n": [1]}}
    return "not refuted", Evidence(math.nan, (-math.inf, 2.0), margin=math.inf, tables=tables, notes=("x", "y"))


def test_processes_are_used_where_there_is_enough_to_run(monkeypatch, tmp_path):
    handed = []

    def lanes(groups, context, processes, limits):
        handed.append((processes, sum(map(len, groups)), context.store.path.exists()))
        return {c.id: ("not refuted", Evidence(1.0)) for group in groups for c in group}

    def named(name):
        return replace(claim_of(good), id=f"glm.{name}.floor", entry="")

    monkeypatch.setattr("dpbench.runs.workers.run_in_workers", lanes)
    monkeypatch.setattr(ledger, "cores", lambda: 2)
    monkeypatch.setattr(Claim, "module", property(lambda claim: f"module{claim.id[-7]}"))
    monkeypatch.setattr(Claim, "outside", property(lambda claim: claim.id == "glm.theirs.floor"))
    few = [named(f"e{i}") for i in range(15)]
    plant(monkeypatch, *few)
    assert len(ledger.verify().entries) == 15 and handed == []
    theirs = named("theirs")
    plant(monkeypatch, *few, theirs)
    assert len(ledger.verify().entries) == 16 and handed == []
    plant(monkeypatch, *few, named("e15"), theirs)
    assert len(ledger.verify(workers=1).entries) == 17 and handed == []
    assert len(ledger.verify(processes=1).entries) == 17 and handed == []
    assert len(ledger.verify().entries) == 17 and handed == [(2, 16, True)]
    assert len(ledger.verify(store=tmp_path / "runs.sqlite").entries) == 17 and handed[1:] == [(2, 16, True)]
