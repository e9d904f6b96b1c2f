"""A refutation as a Python program that stands alone, to hand over as a report.

It draws the certifying runs of both data sets again, by the seeds of the audit, counts the event, computes the exact
region for its two probabilities and the bound in the unit of the claim, and says whether that is refuted. It asks for
NumPy and SciPy, and for what the sampler asks for. What cannot be written as Python (see `as_python`; an event on
columns that were learned) is pickled into it; it then says what it imports.
"""

from __future__ import annotations

import ast
import base64
import hashlib
import math
import pickle
import random
import sys
from dataclasses import fields
from typing import Any

import numpy as np
from scipy.special import betainccinv, betaincinv, ndtr, ndtri

from dpbench.auditing import outputs
from dpbench.auditing.as_python import Writer, array
from dpbench.auditing.blocks import kind_of
from dpbench.auditing.certified import Origin, counts_of
from dpbench.auditing.choose import Additive, Plain
from dpbench.auditing.claimed import Approximate
from dpbench.auditing.outputs import Layout
from dpbench.bounds import ANGLES, CAP_SHARE, FLOOR, Region, critical_value
from dpbench.core.validation import invalid

BOUND = {
    "base64": base64, "hashlib": hashlib, "math": math, "pickle": pickle, "random": random, "sys": sys, "np": np,
    "betaincinv": betaincinv, "betainccinv": betainccinv, "ndtr": ndtr, "ndtri": ndtri,
}  # fmt: skip
"""What the program imports by itself."""

NAMES = (
    "sampler", "dataset", "neighbour", "in_event", "outputs_of", "generator", "count", "region", "counts", "first",
    "second", "claim", "value", "unit", "opened", "number", "layout", "score_of", "kinds", "annotations",
)  # fmt: skip
"""Names of its own."""


def script(result: Any) -> str:
    """The program of an `AuditResult`: see `AuditResult.script`."""
    counts = counts_of(result.certified)
    origin = result.origin
    if origin is None or origin.runs is None:
        raise invalid("the result", "of an audit that ran a sampler (audit, find_neighbours)", "one of given outputs")
    runs = origin.runs
    sampler: Any = runs.sampler
    rules = Writer(BOUND, NAMES, "dpbench")
    rules.define(Region)
    held: Any = origin.claim if origin.claim is not None else Approximate(0.0, result.delta)
    rules.define(type(held))
    event = _event(origin, rules)
    made = Writer(rules.bound, NAMES)
    each = hasattr(sampler, "results") and hasattr(sampler, "function")
    drawn = made.callable(sampler.function if each else sampler)
    sides = [f"{name} = {made.value(x)}" for name, x in (("dataset", runs.dataset), ("neighbour", runs.neighbour))]
    needs = ", ".join(dict.fromkeys([*rules.needs, *made.needs]))
    rows = counts.both if counts.forward else counts.both[::-1]
    claimed = result.verdict is not None
    return _PROGRAM.format(
        title=_quoted(f"Claim: {result.claimed if claimed else 'none'}. Verdict of the audit: {result.verdict}."),
        needs="" if not needs else f"\nIt asks for {needs}, beside numpy and scipy.",
        event_words=_quoted(result.event),
        sampler="\n".join([*made.lines, *drawn]),
        sides="\n".join(sides),
        rules="\n\n".join(rules.lines),
        event=event,
        call=_BLOCK if not each else _EACH if sampler.takes_rng else _EACH_GLOBAL,
        seed=result.seed,
        part=origin.part,
        rows=rows[0],
        block=origin.block,
        forward=counts.forward,
        alpha=repr(counts.alpha),
        critical=repr(critical_value(counts.angle, counts.alpha)),
        angle=repr(counts.angle / ANGLES * math.pi / 2),
        floor=FLOOR,
        share=CAP_SHARE,
        hits=counts.hits,
        claim=f"{type(held).__name__}({', '.join(rules.value(getattr(held, f.name)) for f in fields(held))})",
        at=f"at delta = {held.delta}, " if isinstance(held, Approximate) else "",
        confidence=result.confidence,
        end=_VERDICT.format(words=result.claimed) if claimed else 'print("claimed: nothing")',
    )


def _quoted(text: str) -> str:
    """Within a text of three quotation marks, or of one."""
    return text.replace("\\", "/").replace('"', "`")


_PROGRAM = '''"""{title}

Event: {event_words}

This program draws both data sets again, counts the event, and prints the exact lower bound.{needs}
"""
from __future__ import annotations

import base64, hashlib, math, pickle, random, sys

import numpy as np
from scipy.special import betaincinv, betainccinv, ndtr, ndtri

{sampler}
{sides}

{rules}

{event}

def generator(side, block):
    """The stream of one block of the audit."""
    digest = hashlib.sha256("[{seed},{{!r}},{{!r}},{{}}]".format(side, {part!r}, block).encode()).digest()
    return np.random.Generator(np.random.PCG64DXSM(int.from_bytes(digest, "big")))

{call}

def count(side, data, rows={rows}, block_rows={block}):
    """Runs on one data set in the event."""
    hits = 0
    for block in range(-(-rows // block_rows)):
        size = min(block_rows, rows - block * block_rows)
        hits += int(np.count_nonzero(in_event(outputs_of(data, size, generator(side, block)))))
    return hits

def region(hits, other_hits, rows={rows}):
    """Exact Clopper-Pearson limits, joined (error {alpha}): for some k, p >= low[k] and q <= high[k]."""
    alpha, c, w1, w2 = {alpha}, {critical}, math.sin({angle}), math.cos({angle})
    cap = -ndtri({share} * alpha)
    edges = np.linspace(-{floor}, min((c + w2 * {floor}) / w1, cap), 257)
    low = betaincinv(hits, rows - hits + 1.0, ndtr(-edges[1:])) if hits else np.zeros(256)
    tail = ndtr(-np.minimum((c - w1 * edges[:-1]) / w2, cap))
    high = betainccinv(other_hits + 1.0, rows - other_hits, tail) if other_hits < rows else np.ones(256)
    return Region(low * (1.0 - 1e-11), np.minimum(high * (1.0 + 1e-11), 1.0))  # beyond their rounding

if __name__ == "__main__":
    counts = count("dataset", dataset), count("neighbour", neighbour)
    first, second = counts if {forward} else counts[::-1]
    print("runs in the event, of {rows}: dataset", counts[0], "neighbour", counts[1])
    print("in the audit, the likelier side first: {hits}")
    limits, claim = region(first, second), {claim}
    value, unit = claim.read(limits)
    print(unit, ">=", value, "{at}confidence {confidence}")
    {end}
'''
_VERDICT = """print("claimed:", {words!r})
    print("refuted" if claim.excess(limits.low, limits.high).min() > 0.0 else "not refuted")"""

_BLOCK = """def outputs_of(data, rows, rng):
    return np.asarray(sampler(data, rows, rng))"""
_EACH = """def outputs_of(data, rows, rng):
    seeds = rng.integers(0, 2**63, size=rows)
    return [sampler(data, np.random.Generator(np.random.PCG64DXSM(int(seed)))) for seed in seeds]"""
_EACH_GLOBAL = """def outputs_of(data, rows, rng):
    made = []
    for seed in rng.integers(0, 2**63, size=rows):
        random.seed(int(seed))
        np.random.seed(int(seed) & 0xFFFFFFFF)
        if "torch" in sys.modules:
            sys.modules["torch"].manual_seed(int(seed))
        made.append(sampler(data))
    return made

sampler(dataset)  # what it imports while it runs is there before the first seed"""


def _event(origin: Origin, rules: Writer) -> str:
    """A function ``in_event(outputs) -> bool[rows]``."""
    score, event = origin.score, origin.event
    is_in = f"(score >= {event.threshold!r})" if event.above else f"(score < {event.threshold!r})"
    runs = origin.runs
    assert runs is not None
    before = ""
    read = _number(origin.layout, score)
    if runs.kinds:
        before = f"    outputs = np.full(len(outputs), {rules.define(kind_of)}(outputs))\n"
    if read is not None:
        rules.define(outputs.as_number)
        lines = "    score = np.array([number(output) for output in outputs])\n"
        lines += "    score = np.where(np.isnan(score), -np.inf, score)\n"
        return f"import json\n\n{_OPENED.format(read=read)}\n\ndef in_event(outputs):\n{lines}    return {is_in}"
    if origin.layout is None and type(score) is Plain and not runs.kinds:
        column = "outputs" if score.column is None else f"outputs[:, {score.column}]"
        lines = "    outputs = outputs[:, 0] if outputs.ndim == 2 and outputs.shape[1] == 1 else outputs\n"
        lines += (
            f"    score = np.asarray({column}, dtype=float)\n    score = np.where(np.isnan(score), -np.inf, score)\n"
        )
        return f"def in_event(outputs):\n{lines}    return {is_in}"
    table = _table(score)
    if origin.layout is None and table is not None:
        lines = "    x = np.asarray(outputs, dtype=float).reshape(len(outputs), -1)\n"
        return f"def in_event(outputs):\n{lines}{table}    return {is_in}"
    packed = rules.packed((origin.layout, score, runs.kinds))
    rules.needs.append("dpbench (the event is on a learned score)")
    if "dpbench" in rules.needs:
        rules.needs.remove("dpbench")
    lines = f"layout, score_of, kinds = {packed}\n\ndef in_event(outputs):\n{before}"
    if origin.layout is not None:
        lines += "    outputs = layout.encode(list(outputs.tolist() if isinstance(outputs, np.ndarray) else outputs))\n"
    else:
        lines += "    outputs = outputs[:, 0] if outputs.ndim == 2 and outputs.shape[1] == 1 else outputs\n"
    return f"{lines}    score = score_of(outputs)\n    return {is_in}"


_OPENED = '''def opened(value):
    """What a JSON text says; anything else as it is."""
    try:
        text = bytes(value).decode() if isinstance(value, (bytes, bytearray, memoryview)) else value
        return json.loads(text) if isinstance(text, str) and text[:1] in ("{{", "[") else value
    except (ValueError, RecursionError):
        return value

def number(output):
    """The number that the event is about, as the audit reads it; NaN where there is none."""
    try:
        found = as_number({read})
    except (LookupError, TypeError, ValueError, AttributeError):
        return math.nan
    return found'''


def _number(layout: Layout | None, score: Any) -> str | None:
    """The leaf that a plain score is of, as an expression of `output`; None where it is no number by itself.

    Texts and bytes on the way to it are opened as the layout does.
    """
    if layout is None or type(score) is not Plain:
        return None
    name = layout.names[score.column or 0]
    leaves = [leaf for leaf in layout.leaves if leaf.name == name]
    if len(leaves) != 1 or leaves[0].kinds != ("number",) or layout.names.count(name) != 1:
        return None
    try:
        tree = ast.parse(name, mode="eval").body
    except SyntaxError:
        return None
    return _opening(tree)


def _opening(node: ast.expr) -> str | None:
    """A name with subscripts and attributes, each of what its base says; None: it is something else."""
    if isinstance(node, ast.Name) and node.id == "output":
        return "output"
    if isinstance(node, ast.Subscript | ast.Attribute):
        base = _opening(node.value)
        if base is None:
            return None
        if isinstance(node, ast.Attribute):
            return f"opened({base}).{node.attr}"
        try:
            return f"opened({base})[{ast.literal_eval(node.slice)!r}]"
        except ValueError:
            return None
    return None


def _table(score: Any) -> str | None:
    """Lines that compute a sum of log-ratios over cells of the columns of x as `score`; None: it is another kind."""
    if not isinstance(score, Additive) or score.view is not None:
        return None
    lines = "    score = np.zeros(len(x))\n"
    for j, (edges, values) in enumerate(zip(score.edges, score.log_ratios, strict=True)):
        lines += f"    edges, values = {array(edges)}, {array(values)}\n"
        lines += f"    score = score + values[np.searchsorted(edges, x[:, {j}], side='right')]\n"
    return lines
