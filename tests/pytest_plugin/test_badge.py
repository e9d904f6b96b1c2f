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
