"""The five tasks of a new user: what follows links and copies code, on pages made here."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from studies import tasks

pytestmark = pytest.mark.meta


@pytest.fixture
def site(tmp_path: Path) -> Path:
    (tmp_path / "guide").mkdir()
    (tmp_path / "index.html").write_text(
        "<a href='https://elsewhere.html'>guide</a><a href='guide/one.html#here'>the\n guide</a>"
        "<pre>print('hello')\n$ print(1)</pre>"
    )
    (tmp_path / "guide" / "one.html").write_text("<a href='../index.html'>home</a>")
    return tmp_path


def test_links_are_followed_by_their_words_and_counted(site: Path) -> None:
    one = tasks.Visitor(site)
    one.click("guide")
    assert one.page.name == "one.html" and one.clicks == 1
    one.click("home")
    assert one.page.name == "index.html" and one.clicks == 2
    with pytest.raises(tasks.Lost, match=r"index\.html has no link 'elsewhere'"):
        one.click("elsewhere")
    with pytest.raises(tasks.Lost, match="has no link 'guide' two"):
        one.click("guide", to="two")


def test_code_is_copied_without_prompts_and_must_do_what_the_page_says(site: Path) -> None:
    one = tasks.Visitor(site)
    code = one.copy("hello")
    assert code == "print('hello')\nprint(1)\n"
    one.type([sys.executable, "-c", code], site, "hello\n1")
    assert one.seconds > 0.0
    with pytest.raises(tasks.Lost, match="ended with 0, without 'goodbye'"):
        one.type([sys.executable, "-c", code], site, "goodbye")
    with pytest.raises(tasks.Lost, match="has no code with 'goodbye'"):
        one.copy("goodbye")


def test_a_visitor_who_is_lost_is_exit_1(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert tasks.main([str(site)]) == 1
    assert "Find the gravest finding of the first paper, and check its certificate: index.html has no" in (
        capsys.readouterr().err
    )
    with pytest.raises(SystemExit):
        tasks.main([str(site / "guide")])
