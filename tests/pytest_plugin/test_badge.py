"""The badge of a session's audits: one SVG that parses, with each claim, what would have been found, and the date."""

from __future__ import annotations

import datetime
from pathlib import Path
from xml.etree import ElementTree

import pytest
from loaded_plugin import LOAD

from dpbench.report.badge import svg

pytest_plugins = ["pytester"]
DATE = datetime.date(2026, 1, 2)


def audited(verdict: str, **more: object) -> dict[str, object]:
    kept = {"name": "test_a", "claim": "(1, 0)-differential privacy", "unit": "epsilon", "detectable": 1.2345}
    return {**kept, "verdict": verdict, **more}


def texts(image: str) -> list[str]:
    return [node.text or "" for node in ElementTree.fromstring(image).iter("{http://www.w3.org/2000/svg}text")]


def test_the_worst_verdict_stands_above_with_the_date() -> None:
    found = texts(svg([audited("not refuted"), audited("refuted", detectable=None)], DATE))
    assert found == [
        "privacy audit: refuted · 2026-01-02",
        "test_a: (1, 0)-differential privacy, not refuted, detectable from epsilon 1.23",
        "test_a: (1, 0)-differential privacy, refuted",
    ]
    assert texts(svg([audited("not refuted")], DATE))[0] == "privacy audit: not refuted · 2026-01-02"
    assert texts(svg([audited("not refuted"), audited("blind")], DATE))[0] == "privacy audit: blind · 2026-01-02"
    for verdict, head in (("not refuted", "incomplete"), ("blind", "blind"), ("refuted", "refuted")):
        found = texts(svg([audited(verdict)], DATE, incomplete=True))
        assert found[0] == f"privacy audit: {head} · 2026-01-02" and len(found) == 2
    assert texts(svg([], DATE, incomplete=True)) == ["privacy audit: incomplete · 2026-01-02"]
    assert texts(svg([], DATE)) == ["privacy audit: not audited · 2026-01-02"]


def test_names_are_no_markup() -> None:
    assert 'test[<a>&"b"]: ' in texts(svg([audited("refuted", name='test[<a>&"b"]')], DATE))[1]


TESTS = """
    def noisy(count, trials, rng):
        return count + rng.laplace(size=trials)

    def test_right(dp_audit):
        dp_audit(noisy, 0.0, 1.0, epsilon=1.0)
"""
WRONG = """
    def test_wrong(dp_audit):
        dp_audit(noisy, 0.0, 2.0, epsilon=1.0)
"""


RAISES = """
    def test_raises(dp_audit):
        raise OSError("no data")
"""
ELSEWHERE = RAISES.replace("dp_audit", "")
SECOND = """
    def test_second(dp_audit):
        dp_audit(noisy, 0.0, 1.0, epsilon=1.0)
        dp_audit(noisy, 0.0, 1.0, epsilon=-1.0)
"""
STOPPED = """
    def test_stopped():
        raise KeyboardInterrupt
"""


@pytest.mark.usefixtures("numba_loaded")
@pytest.mark.parametrize(
    ("more", "head"),
    [(RAISES, "incomplete"), (SECOND, "incomplete"), (STOPPED, "incomplete"), (ELSEWHERE, "not refuted")],
    ids=["raises", "second", "stopped", "elsewhere"],
)
def test_a_session_whose_audits_did_not_all_run_is_incomplete(pytester: pytest.Pytester, more: str, head: str) -> None:
    """The healthy counterpart: a test fails that asked for no audit."""
    pytester.makepyfile(TESTS + more)
    pytester.runpytest(
        *LOAD, "--dp-trials=2000", "--dp-confidence=0.999999", "--dp-badge=badge.svg", no_reraise_ctrlc=True
    )
    found = texts(Path(pytester.path, "badge.svg").read_text(encoding="utf-8"))
    assert found[0].startswith(f"privacy audit: {head} · ") and "test_right: " in found[1]


def test_a_badge_that_cannot_be_written_is_one_line(pytester: pytest.Pytester) -> None:
    """A folder is refused before the tests; one that a test makes fails the session after them."""
    pytester.makepyfile("def test_a(): assert False, 'ran'")
    result = pytester.runpytest(*LOAD, "--dp-badge=.")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--dp-badge must be a file in a folder that exists, got .*"])
    pytester.makepyfile("from pathlib import Path\ndef test_a(): Path('badge.svg').mkdir()")
    result = pytester.runpytest(*LOAD, "--dp-badge=badge.svg")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*--dp-badge could not be written: *badge.svg*"])
    result.stdout.no_fnmatch_line("*Traceback*")


@pytest.mark.usefixtures("numba_loaded")
def test_a_session_writes_it(pytester: pytest.Pytester) -> None:
    """Planted: a second test that is refuted."""
    options = [*LOAD, "--dp-trials=2000", "--dp-confidence=0.999999", "--dp-badge=badge.svg"]
    for tests, verdict, lines in ((TESTS, "not refuted", 2), (TESTS + WRONG, "refuted", 3)):
        pytester.makepyfile(tests)
        pytester.runpytest(*options)
        found = texts(Path(pytester.path, "badge.svg").read_text(encoding="utf-8"))
        assert found[0].startswith(f"privacy audit: {verdict} · ") and len(found) == lines
        assert "test_right: (1, 0)-differential privacy, not refuted, detectable from epsilon 1." in found[1]
    result = pytester.runpytest(*LOAD, "--dp-badge=none/badge.svg")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--dp-badge must be a file in a folder that exists*"])
