"""What was found, as Markdown: ``python -m dpriv_bench.tables > FOUND.md``, from the files under evidence/."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from dpbench.report.markdown import escaped, table

BEFORE = (
    "DPriv-Bench (Wang et al. 2026, [arXiv 2604.15851](https://arxiv.org/abs/2604.15851), MIT licence) asks whether "
    "claims of privacy hold. Its first category has 588 questions, of 49 functions of records in [0, 1], six "
    "mechanisms and two scales of the noise. Questions are cited by number and not copied. Each was decided from a "
    "claim of sensitivity and one of the mechanism (in `examples/dpriv_bench`, `python -m dpriv_bench.questions --json "
    "evidence/functions.json`, within a minute of the processor). A claim that fails has a certificate that "
    "the stand-alone checker accepted (`--certificates FOLDER` writes it), and two neighbouring data sets of five or "
    "more records (of selection: matrices of two or three columns) whose values were evaluated exactly. A claim that "
    "holds rests on a written proof of the sensitivity, on the law of the mechanism, and on an inequality that was "
    "proved for every number of records: its grade is a "
    "derivation.\n\n"
    "The verdicts were made without the labels: one reader copied questions and labels into separate files, and "
    'another decided from the questions alone and committed the verdicts ("DPriv-Bench: verdicts before labels") '
    "before opening the labels. That was blind to the labels and not to the design: of the two questions on a function "
    "and a mechanism one has half the noise of the other (of normal noise, half the variance), and whoever supposes "
    "that the larger is meant to be just enough can guess the labels. The program does not see the number of a "
    "question, and a changed scale changes its verdict, by test. Of these 588 none was changed after labels were read."
)
READINGS = (
    "What the questions leave open. Of each reading or special case other than ours: on how many questions its verdict "
    "would be the other one, and how many of their labels are as it has them. A claim is asked to hold for every n, "
    "every number of columns and every value of a parameter; nothing rests on n = 1, where several of the functions "
    "are constant. A factor such as e - 1 is one quantity, though it is printed without brackets in twelve questions, "
    "four of which read otherwise would be answered otherwise; the second argument of a normal law is its variance."
)
FUNCTIONS = (
    "The sensitivities, each an upper bound for every n by the proof beside it, and attained from some n on (21: at "
    "every odd n; 22: at n = 5). A brute-force search over grids, with definitions of its own, finds the same ones "
    "for up to five records (in the tests). Inequalities that proofs use were given to the judge; those that it proved "
    "over their whole region are counted."
)
DIFFER = (
    "Of its second category, 125 questions from the literature, six are here: the benchmark labels the claim true, and "
    "the stand-alone checker accepts a counterexample to it as we read it. From the algorithm to the formulas the way "
    "is in words, which the judge does not read. Each is for the authors to judge: a question may mean more than it "
    "prints."
)


def topics(document: dict[str, Any]) -> str:
    """Verdicts, grades and agreement by topic; blank where no labels were compared.

    Of the evidence it reads ``rows`` (``topic``, ``number``, ``verdict``, ``grade``) and, where there is one,
    ``agreement["topics"]``: of each topic how many labels ``agree``, and the numbers of those that ``differ``.
    """
    rows, agreement = document["rows"], document.get("agreement", {}).get("topics", {})
    made = []
    for topic in dict.fromkeys(row["topic"] for row in rows):
        chosen = [row for row in rows if row["topic"] == topic]
        made.append((topic, chosen, agreement.get(topic)))
    if len(made) > 1:
        known = [counts for _, _, counts in made if counts]
        whole = {"agree": sum(one["agree"] for one in known), "differ": [], "all": sum(len(c["differ"]) for c in known)}
        made.append(("all", rows, whole if len(known) == len(made) else None))
    return table(
        ("topic", "questions", "decided", "holds", "fails", "grade", "labels that agree", "labels that differ"),
        (
            (
                escaped(topic),
                str(len(chosen)),
                str(sum(row["verdict"] in ("holds", "fails") for row in chosen)),
                str(sum(row["verdict"] == "holds" for row in chosen)),
                str(sum(row["verdict"] == "fails" for row in chosen)),
                ", ".join(f"{count} {grade}" for grade, count in sorted(Counter(r["grade"] for r in chosen).items())),
                "" if counts is None else str(counts["agree"]),
                "" if counts is None else _numbers(counts),
            )
            for topic, chosen, counts in made
        ),
    )


def _numbers(counts: dict[str, Any]) -> str:
    if "all" in counts:
        return str(counts["all"])
    return ", ".join(map(str, counts["differ"])) or "none"


def readings(document: dict[str, Any]) -> str:
    """Other readings than ours: on how many questions they would decide otherwise, and what the labels say there."""
    seen = document.get("agreement", {}).get("readings", {})
    counted = Counter(
        one["reading"]
        for row in document["rows"]
        for one in row["readings"]
        if one["verdict"] not in (row["verdict"], "undecided")
    )
    return table(
        ("reading or case", "questions on which it would decide otherwise", "labels that are as it has them"),
        (
            (escaped(name), str(count), str(seen[name]["labels"]) if name in seen else "")
            for name, count in counted.most_common()
        ),
    )


def sensitivities(document: dict[str, Any]) -> str:
    """One row a function: its sensitivity, from which n it is attained, why none is larger, and how it was read."""
    return table(
        ("function", "sensitivity", "attained from n", "why no change is larger", "inequalities proved", "our reading"),
        (
            (
                str(one["function"]),
                f"`{one['sensitivity']}`",
                str(one["attained_from"]),
                escaped(one["proof"]),
                _proved(one["lemmas"]),
                escaped(one["readings"]),
            )
            for one in document["functions"]
        ),
    )


def _proved(lemmas: list[dict[str, Any]]) -> str:
    return f"{sum(one['verdict'] == 'proved' for one in lemmas)} of {len(lemmas)}" if lemmas else ""


def differences(document: dict[str, Any]) -> str:
    """The claims labelled true that a certificate contradicts: the instance, and what speaks for the label."""
    return table(
        ("question", "claim", "counterexample", "note"),
        (
            (str(one["question"]), escaped(one["title"]), escaped(one["reason"]), escaped(one["note"]))
            for one in document["questions"]
        ),
    )


def page(evidence: Path) -> str:
    """All tables, each below what it needs to be read."""
    names = "functions", "literature"
    functions, literary = (json.loads((evidence / f"{name}.json").read_text(encoding="utf-8")) for name in names)
    parts = [
        (BEFORE, topics(functions)), (DIFFER, differences(literary)), (READINGS, readings(functions)),
        (FUNCTIONS, sensitivities(functions)),
    ]  # fmt: skip
    return "# DPriv-Bench, decided\n\n" + "\n\n".join(f"{before}\n\n{shown}" for before, shown in parts) + "\n"


if __name__ == "__main__":
    sys.stdout.write(page(Path(__file__).resolve().parents[1] / "evidence"))
