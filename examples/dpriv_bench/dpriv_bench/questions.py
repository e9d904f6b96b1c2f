"""``python -m dpriv_bench.questions``: the 588 questions of DPriv-Bench that are made of a function and a mechanism.

The benchmark (Wang et al. 2026, arXiv 2604.15851, MIT licence) asks of 49 functions and six mechanisms, at two scales
of the noise, whether a claim of privacy holds. Each question is decided from a claim of sensitivity
(`functions`) and one of the mechanism (`mechanisms`), at the scale that `claims.json` holds in both
its readings (`read`):

    python -m dpriv_bench.questions --json evidence/functions.json [--certificates FOLDER]

No label of theirs is known here. ``--labels FILE`` decides nothing: it compares the verdicts that stand in the file of
``--json`` with a JSON object that has "topic:number" as keys and 1 where the benchmark says that the claim holds, else
0, and adds the counts, but not the labels, to that file:

    python -m dpriv_bench.questions --json evidence/functions.json --labels FILE
"""

from __future__ import annotations

import argparse
import functools
import json
import sys
import time
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import dpbench_check as check
from flint import arb, ctx, fmpq

from dpbench.certificates.judge import Judgement, decide
from dpbench.certificates.judge_toml import Theorem
from dpbench.core.validation import InvalidInput, invalid
from dpbench.ledger.statement import Integer, Real, Statement, inequality
from dpriv_bench.functions import BITS, FUNCTIONS, Function, Lemma
from dpriv_bench.mechanisms import DEVIATION, GUMBEL_HAZARD, MECHANISMS, Mechanism
from dpriv_bench.read import CLAIMS

HOLDS, FAILS, UNDECIDED = "holds", "fails", "undecided"
SHOWN_AT = 5
"""Records of a counterexample, at least: every function attains its sensitivity there, and none is degenerate."""
SLACK = arb(1) / 10**40
AS_PRINTED = "the scale as it is printed, without brackets around the factor"
AS_DEVIATION = "the second argument of the normal law is its standard deviation"


@functools.cache
def _decided(text: str, seconds: float) -> Judgement:
    return decide(Theorem("dpriv", _STATEMENTS[text], "", ""), seconds=seconds)


_STATEMENTS: dict[str, Statement] = {}


def judged(statement: Statement, seconds: float) -> Judgement:
    """The judge's verdict; one statement is decided once, whatever asks for it."""
    key = f"{statement.text} {statement.symbols}"
    _STATEMENTS.setdefault(key, statement)
    return _decided(key, seconds)


def sensitivity_at(text: str, n: int, values: Mapping[str, Fraction]) -> arb:
    """The formula of a sensitivity as a ball, at a number of records and the function's parameters."""
    scope = {name: fmpq(one.numerator, one.denominator) for name, one in values.items()} | {"n": fmpq(n)}
    with ctx.workprec(BITS):
        return arb(check.evaluate(check.parse(text), check.Scope(scope, {})))


def first_records(function: Function) -> int:
    """From where on a claim is asked to hold: for n = 1 there is no noise where the sensitivity is 0 and says so."""
    return 2 if bool(sensitivity_at(function.sensitivity, 1, function.parameters) == 0) else 1


def verdict_of(
    mechanism: Mechanism, sensitivity: str, scale: str, function: Function, seconds: float, *, positive: bool = True
) -> tuple[str, Judgement]:
    """Whether noise of this scale hides a change of this size: the verdict, and what decided it.

    Refuted of one pair means that the claim fails; proved for every n (and every number of columns) that it holds.
    """
    start = first_records(function)
    if not positive:
        sign = judged(mechanism.positive(scale, function.free, start), seconds)
        if sign.verdict == "refuted":
            return FAILS, sign
    whole = judged(mechanism.claim(sensitivity, scale, function.free, start), seconds)
    if whole.verdict == "proved":
        return HOLDS, whole
    pair = judged(mechanism.pair(sensitivity, scale, function.free, SHOWN_AT), seconds)
    return (FAILS if pair.verdict == "refuted" else UNDECIDED), pair


def counterexample(function: Function, mechanism: Mechanism, found: Judgement) -> dict[str, Any]:
    """The neighbours of a refuted claim, and the change between them, which is checked to be the sensitivity.

    Raises
    ------
    InvalidInput
        If the pair does not attain the sensitivity that the certificate is about.
    """
    values = {name: Fraction(value) for name, value in (found.counterexample or {}).items()}
    n = int(values.pop("n", Fraction(SHOWN_AT)))
    known = dict(function.parameters) | {name: one for name, one in values.items() if name in function.free}
    first, second = function.pair(n)
    change = function.change(n, known)
    if not (function.sizes(n) and bool(abs(change - sensitivity_at(function.sensitivity, n, known)) < SLACK)):
        raise invalid("the pair", f"neighbours whose values are {function.sensitivity} apart at n = {n}", change)
    made: dict[str, Any] = {mechanism.parameter: str(values[mechanism.parameter]), "n": n}
    made |= {name: str(one) for name, one in known.items()}
    rows = [[str(one) for one in records] for records in (first, second)]
    if mechanism.columns == 1:
        return made | {"data": rows[0], "neighbour": rows[1], "change": float(change.mid())}
    return made | {"columns": mechanism.columns, "first_column": rows, "other_columns": rows[::-1],
                   "change": float(change.mid())}  # fmt: skip


def readings(row: Mapping[str, Any], function: Function, verdict: str, seconds: float) -> list[dict[str, str]]:
    """Other readings and special cases, with their verdicts: those that differ, and each reading of the scale."""
    mechanism, made = MECHANISMS[row["topic"]], []
    if "printed" in row:
        found = verdict_of(mechanism, function.sensitivity, row["printed"], function, seconds, positive=False)
        made.append({"reading": AS_PRINTED, "verdict": found[0], "scale": row["printed"]})
    if row["topic"] in DEVIATION:
        found = verdict_of(DEVIATION[row["topic"]], function.sensitivity, row["scale"], function, seconds)
        made.append({"reading": AS_DEVIATION, "verdict": found[0]})
    for special in function.special:
        statement = mechanism.claim(special.sensitivity, row["scale"], function.free, special.least)
        if verdict != HOLDS and judged(statement, seconds).verdict == "proved":
            made.append({"reading": special.case, "verdict": HOLDS})
    return made


def question(row: Mapping[str, Any], seconds: float) -> tuple[dict[str, Any], Mapping[str, Any] | None]:
    """One question decided: a row of the evidence, and the certificate if the claim fails."""
    function, mechanism = FUNCTIONS[row["function"]], MECHANISMS[row["topic"]]
    verdict, found = verdict_of(mechanism, function.sensitivity, row["scale"], function, seconds)
    left, right = mechanism.holds
    reason = {
        HOLDS: f"{left} <= {right} for D = {function.sensitivity}, t = {row['scale']}",
        FAILS: f"neighbours D = {function.sensitivity} apart, and t = {row['scale']}",
    }.get(verdict, "neither proved nor refuted")
    made: dict[str, Any] = {
        "topic": row["topic"],
        "number": row["number"],
        "function": row["function"],
        "verdict": verdict,
        "grade": {HOLDS: "derivation", FAILS: "certificate"}.get(verdict, "tried"),
        "reason": reason,
        "counterexample": counterexample(function, mechanism, found) if verdict == FAILS else None,
        "readings": readings(row, function, verdict, seconds),
    }
    return made, found.certificates[0] if verdict == FAILS else None


def lemma(one: Lemma) -> Statement:
    """As a statement for the judge."""
    symbols = {name: (Integer if name == "n" else Real)("a symbol", low, high)
               for name, (low, high) in one.region.items()}  # fmt: skip
    return Statement("", symbols, inequality(one.left, "<=", one.right))


def sensitivities(seconds: float) -> list[dict[str, Any]]:
    """What is claimed of each function: its sensitivity, why, from where it is attained, and what the judge proved."""
    return [
        {
            "function": number,
            "sensitivity": one.sensitivity,
            "attained_from": one.least,
            "proof": one.proof,
            "readings": one.readings,
            "lemmas": [
                {"left": part.left, "right": part.right, "verdict": judged(lemma(part), seconds).verdict}
                for part in one.lemmas
            ],
        }
        for number, one in FUNCTIONS.items()
    ]


def decide_all(claims: list[dict[str, Any]], seconds: float, certificates: Path | None = None) -> dict[str, Any]:
    """The evidence: every question's row, every function's sensitivity, and what the selection rests on."""
    began = time.process_time()
    rows = []
    for claim in claims:
        made, sealed = question(claim, seconds)
        rows.append(made)
        if sealed is not None and certificates is not None:
            name = f"{made['topic']}.{made['number']}.json"
            (certificates / name).write_text(json.dumps(sealed, indent=1) + "\n", encoding="utf-8")
    return {
        "schema": 1,
        "command": "python -m dpriv_bench.questions --json evidence/functions.json",
        "benchmark": "DPriv-Bench, Wang et al. 2026, arXiv 2604.15851 (MIT): the questions made of functions",
        "gumbel_hazard": judged(GUMBEL_HAZARD, seconds).verdict,
        "functions": sensitivities(seconds),
        "rows": rows,
        "seconds": round(time.process_time() - began, 1),
    }


def compared(rows: list[dict[str, Any]], labels: Mapping[str, int]) -> dict[str, Any]:
    """Counts by topic, the numbers of the questions whose label differs, and what the labels say of other readings.

    Of a reading the questions are counted on which its verdict is not ours, and of these the labels that are as the
    reading has it. The labels themselves are not kept.

    Raises
    ------
    InvalidInput
        If a question has no label, or one that is neither 0 nor 1.
    """
    topics: dict[str, dict[str, Any]] = {}
    others: dict[str, dict[str, int]] = {}
    for row in rows:
        key = f"{row['topic']}:{row['number']}"
        if labels.get(key) not in (0, 1):
            raise invalid(f"the label of {key}", "0 or 1", labels.get(key))
        label = HOLDS if labels[key] else FAILS
        counts = topics.setdefault(row["topic"], {"agree": 0, "differ": []})
        if row["verdict"] == label:
            counts["agree"] += 1
        elif row["verdict"] != UNDECIDED:
            counts["differ"].append(row["number"])
        for one in row["readings"]:
            if one["verdict"] not in (row["verdict"], UNDECIDED):
                seen = others.setdefault(one["reading"], {"questions": 0, "labels": 0})
                seen["questions"] += 1
                seen["labels"] += one["verdict"] == label
    return {"topics": topics, "readings": others}


def main(arguments: list[str]) -> int:
    """Decide and write, or compare; exit 1 if a question is undecided, 2 for a file that cannot be read."""
    parser = argparse.ArgumentParser(prog="python -m dpriv_bench.questions", description=__doc__.split("\n")[0])
    parser.add_argument("--json", type=Path, required=True, help="the evidence: written, with --labels added to")
    parser.add_argument("--claims", type=Path, default=CLAIMS, help="what `python -m dpriv_bench.read` wrote")
    parser.add_argument("--certificates", type=Path, help="a folder for the certificates of claims that fail")
    parser.add_argument("--labels", type=Path, help="the benchmark's labels, a JSON object of topic:number to 0 or 1")
    parser.add_argument("--seconds", type=float, default=3.0, help="processor time for each proof (default 3)")
    options = parser.parse_args(arguments)
    try:
        if options.labels:
            made = _read(options.json)
            made["agreement"] = compared(made["rows"], _read(options.labels))
        else:
            if options.certificates:
                options.certificates.mkdir(parents=True, exist_ok=True)
            made = decide_all(_read(options.claims), options.seconds, options.certificates)
        options.json.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    except (InvalidInput, OSError, json.JSONDecodeError) as error:
        print(f"dpriv_bench: {error}", file=sys.stderr)
        return 2
    for topic in MECHANISMS:
        chosen = [row["verdict"] for row in made["rows"] if row["topic"] == topic]
        said = ", ".join(f"{chosen.count(word)} {word}" for word in (HOLDS, FAILS, UNDECIDED))
        if "agreement" in made and topic in made["agreement"]["topics"]:
            counts = made["agreement"]["topics"][topic]
            said += f"; {counts['agree']} of {len(chosen)} labels agree, these differ: {counts['differ'] or 'none'}"
        print(f"{topic:38} {said}")
    print(f"{len(made['rows'])} questions, {made['seconds']} s of processor time")
    return int(any(row["verdict"] == UNDECIDED for row in made["rows"]))


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
