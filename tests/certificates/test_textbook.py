"""`examples/textbook`: known results are not refuted, their controls are. Two of each topic; its own tests take all."""

import sys
from pathlib import Path

import pytest

from dpbench.certificates.judge import decide

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "examples" / "textbook"


@pytest.fixture(scope="module")
def results(request):
    sys.path.insert(0, str(FOLDER))
    request.addfinalizer(lambda: sys.path.remove(str(FOLDER)))
    from textbook import RESULTS

    return RESULTS


@pytest.mark.slow
def test_two_of_each_topic(results):
    topics = {}
    for one in results:
        topics.setdefault(one.topic, []).append(one)
    assert len(topics) >= 10
    for group in topics.values():
        for one in group[:2]:
            assert decide(one.must_fail, seconds=30.0).verdict == "refuted", one.id
            assert decide(one.theorem, seconds=0.3).verdict != "refuted", one.id


def test_each_has_a_source_and_a_control_that_differs(results):
    assert len({one.id for one in results}) == len(results) >= 60
    for one in results:
        assert one.source and one.statement.text != one.control.text
