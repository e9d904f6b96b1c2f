"""Text of others reaches no terminal as it is: escapes, turned directions and clipboards are written out."""

import io
import json

from dpbench.cli import options, run
from dpbench.core.printable import printable

HOSTILE = "\x1b[31mred\x1b[2J\x1b]8;;http://evil\x07click \u202e rtl \x9b8m \x1b]52;c;YQ==\x07 \r\x00 \ud800 \u2066"
"""Colours, a cleared screen, a link, a turned direction, C1 codes, the clipboard, a carriage return."""


def harmless(text):
    return all(one.isprintable() or one in "\n\t\xa0" for one in text)


def test_what_is_printable_stays():
    kept = "δ(ε) ≤ 1/√2·ε, Rényi — “ok”\n\ttab\u00a0space"
    assert printable(kept) == kept
    said = printable(HOSTILE + kept)
    assert harmless(said) and r"\x1b]52;c;" in said and r"\u202e" in said and kept in said
    assert printable(said) == said


def test_a_console_filters_what_it_draws(monkeypatch):
    from rich.table import Table
    from rich.text import Text

    stream = io.StringIO()
    monkeypatch.setattr(options.sys, "stdout", stream)
    out = options.console()
    table = Table("a")
    table.add_row(Text(HOSTILE))
    out.print(Text(HOSTILE, style="bold"), table, HOSTILE, soft_wrap=True)
    assert harmless(stream.getvalue()) and "evil" in stream.getvalue()


THEOREM = """
id = "t"
says = SAYS
[symbols]
e = {real = [0.01, 1]}
[claim.inequality]
left = "e^2"
relation = "<="
right = "2"
"""


def test_the_words_of_a_theorem(tmp_path, capsys):
    path, words = tmp_path / "t.toml", HOSTILE.replace("\ud800", "").replace("\x00", "")
    path.write_text(THEOREM.replace("SAYS", json.dumps(words, ensure_ascii=True)), encoding="utf-8")
    assert run(["judge", str(path), "--seconds", "1"]) == 0
    assert run(["judge", str(path), "--seconds", "1", "--json", "-"]) == 0
    path.write_text(THEOREM.replace("SAYS", json.dumps(words + "{speed}")).replace('"t"', json.dumps(words)))
    assert run(["judge", str(path)]) == 2
    said = capsys.readouterr()
    assert harmless(said.out) and harmless(said.err) and "click" in said.out
