r"""The printed scales of DPriv-Bench, read into the checker's grammar: ``python -m dpriv_bench.read QUESTIONS``.

QUESTIONS is a JSON list made from the public data set (Wang et al. 2026, arXiv 2604.15851): of each question ``topic``,
``question_id``, ``function_id`` and ``claim``, which holds ``scale`` as printed, ``factor`` (the part of the scale that
stands for the sensitivity) and ``scale_form`` (the scale with ``{factor}`` in its place). Two readings are kept where
they differ: `scale`, in which the factor is one quantity, and `printed`, in which ``e-1\cdot x`` is e - x. What is
written, `CLAIMS`, holds our formulas and the numbers of the questions, and none of their text.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from dpbench.core.validation import invalid
from dpbench.ledger.formula import compiled, parse, write

CLAIMS = Path(__file__).with_name("claims.json")
COMMANDS = {"frac": "", "sqrt": "sqrt", "log": "log", "cdot": "*", "pi": "pi", "varepsilon": "epsilon",
            "epsilon": "epsilon", "beta": "beta", "rho": "rho", "delta": "delta"}  # fmt: skip
TOKEN = re.compile(rf"\\({'|'.join(sorted(COMMANDS, key=len, reverse=True))})|(\d+)|([a-z])|([-+/^(){{}}])|(\s+)")
POINTS = ({"n": 3.0, "delta": 1.5, "epsilon": 0.7, "beta": 0.7, "rho": 0.7},
          {"n": 8.0, "delta": 2.5, "epsilon": 2.3, "beta": 2.3, "rho": 2.3})  # fmt: skip


class _Reader:
    """Recursive descent over the tokens; juxtaposition multiplies."""

    def __init__(self, text: str) -> None:
        self.text, self.place = text, 0
        self.tokens: list[str] = []
        place = 0
        while place < len(text):
            found = TOKEN.match(text, place)
            if found is None:
                raise invalid("the printed scale", "LaTeX of numbers, n, e, fractions, roots and logarithms", text)
            place = found.end()
            if found.lastindex != 5:
                self.tokens.append(f"\\{found[1]}" if found[1] else found[0])

    @property
    def next(self) -> str:
        return self.tokens[self.place] if self.place < len(self.tokens) else ""

    def take(self, wanted: str = "") -> str:
        token = self.next
        if not token or (wanted and token != wanted):
            raise invalid("the printed scale", f"LaTeX with {wanted or 'a term'!r} in this place", self.text)
        self.place += 1
        return token

    def whole(self) -> str:
        made = self.sum()
        if self.next:
            raise invalid("the printed scale", f"LaTeX without {self.next!r} in this place", self.text)
        return made

    def sum(self) -> str:
        made = f"-{self.product()}" if self.next == "-" and self.take() else self.product()
        while self.next in ("+", "-") and self.next:
            made = f"{made} {self.take()} {self.product()}"
        return made

    def product(self) -> str:
        made = self.power()
        while self.next and self.next not in ("+", "-", ")", "}"):
            sign = {"\\cdot": "*", "/": "/"}.get(self.next, "")
            if sign:
                self.take()
            made = f"{made}{sign or '*'}{self.power()}"
        return made

    def power(self) -> str:
        if self.next == "e":
            self.take()
            if self.next != "^":
                return "exp(1)"
            self.take()
            return f"exp({self.group()})"
        made = self.atom()
        if self.next != "^":
            return made
        self.take()
        return f"{made}^({self.group()})"

    def group(self) -> str:
        """What braces hold, or one token."""
        if self.next != "{":
            return self.atom()
        self.take()
        made = self.sum()
        self.take("}")
        return made

    def atom(self) -> str:
        token = self.take()
        if token == "\\frac":
            return f"(({self.group()})/({self.group()}))"
        if token == "\\sqrt":
            return f"sqrt({self.group()})"
        if token == "(" or token == "\\log":
            if token != "(":
                self.take("(")
            made = self.sum()
            self.take(")")
            return f"({made})" if token == "(" else f"log({made})"
        if token.isdigit() or token.isalpha():
            return token
        if token in ("\\pi", "\\varepsilon", "\\epsilon", "\\beta", "\\rho", "\\delta"):
            return COMMANDS[token[1:]]
        raise invalid("the printed scale", f"LaTeX without {token!r} in this place", self.text)


def formula(latex: str) -> str:
    """A printed expression in the checker's grammar.

    Raises
    ------
    InvalidInput
        If it holds anything else than numbers, names, fractions, powers, roots and logarithms.
    """
    return write(parse(_Reader(latex).whole()))


def value(text: str, point: dict[str, float]) -> float:
    """The number that a formula is at a point."""
    return compiled([*point], {}, [parse(text)])(point)[0]


def read(questions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each question's topic, number and function, and its scale in both readings where these differ."""
    rows = []
    for one in questions:
        claim = one["claim"]
        row = {"topic": one["topic"], "number": one["question_id"], "function": one["function_id"],
               "scale": formula(claim["scale_form"].replace("{factor}", f"({claim['factor']})"))}  # fmt: skip
        printed = formula(claim["scale"])
        if any(abs(value(printed, point) - value(row["scale"], point)) > 1e-9 for point in POINTS):
            row["printed"] = printed
        rows.append(row)
    return rows


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print("usage: python -m dpriv_bench.read QUESTIONS", file=sys.stderr)
        return 2
    rows = read(json.loads(Path(arguments[0]).read_text(encoding="utf-8")))
    CLAIMS.write_text("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n", encoding="utf-8")
    print(f"{len(rows)} claims read; {sum('printed' in row for row in rows)} with a second reading")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
