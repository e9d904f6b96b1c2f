"""One grammar: the checker, the search's floats and the second reading take the same texts, and refuse the same."""

import json
import math
from pathlib import Path

import dpbench_check
import pytest
from flint import arb, ctx, fmpq
from naive.certificate_reading import Reading, Undefined

from dpbench.core.validation import InvalidInput
from dpbench.ledger import formula

CASES = json.loads((Path(__file__).parents[1] / "data" / "grammar.json").read_text(encoding="utf-8"))
NAMES = tuple(CASES["values"])


def by_the_checker(text):
    ctx.prec = 128
    scope = dpbench_check.Scope({name: dpbench_check.rational(v) for name, v in CASES["values"].items()}, {})
    return float(arb(dpbench_check.evaluate(dpbench_check.parse(text), scope)).mid())


def in_floats(text):
    values = {name: float(fmpq(*map(int, v.split("/"))).p) / float(fmpq(*map(int, v.split("/"))).q)
              for name, v in CASES["values"].items()}  # fmt: skip
    return float(formula.compiled(NAMES, {}, [formula.parse(text)])(values)[0])


def by_the_second_reading(text):
    return float(Reading({"definitions": []}, {"values": CASES["values"]})(text))


READERS = {
    "checker": by_the_checker, "floats": in_floats, "second reading": by_the_second_reading,
}  # fmt: skip
DECIMALS = {"1.5": "(3/2)", "1e5": "100000"}
REFUSALS = (dpbench_check.Refused, InvalidInput, KeyError, Undefined, SyntaxError)


@pytest.mark.parametrize("reader", READERS)
def test_all_texts_of_the_grammar_are_taken_and_no_others(reader):
    for text, value in CASES["takes"]:
        assert math.isclose(READERS[reader](text), value, rel_tol=1e-12, abs_tol=1e-15), text
    for text in CASES["refuses"]:
        if reader == "floats" and text in DECIMALS:
            assert formula.exact(text) == DECIMALS[text]  # statements may have them: a certificate has rationals
            continue
        with pytest.raises(REFUSALS):
            raise AssertionError(f"{text!r} is {READERS[reader](text)}")


def test_what_is_shown_reads_as_it_was_parsed():
    for text, _ in CASES["takes"]:
        node = dpbench_check.parse(text)
        assert dpbench_check.parse(dpbench_check.show(node)) == node, text
