"""A refutation as a report to hand over: a Python program that stands alone, and the counts as plain numbers.

The program draws the certifying runs of both data sets again, by the seeds of the audit, counts the event, and prints
the exact bound. It asks for NumPy and SciPy, and for what the sampler asks for. What cannot be written as Python (a
sampler without a source, an event on columns that were learned) is pickled into it; it then says what it asks for.
"""

from __future__ import annotations

import ast
import base64
import inspect
import math
import pickle
import sys
import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

from dpbench.auditing.cells import EdgeTable, GridTable
from dpbench.auditing.certified import Certified, Origin
from dpbench.auditing.flatten import Layout
from dpbench.auditing.intervals import ANGLES, CAP_SHARE, FLOOR, critical_value
from dpbench.auditing.scores import Additive, Plain
from dpbench.auditing.shapes import Unimodal
from dpbench.core.validation import invalid

if TYPE_CHECKING:
    from dpbench.auditing.results import AuditResult

FEW = 5_000  # numbers of an array that are written out


def certificate(result: AuditResult) -> dict[str, Any]:
    """The claim, the pair's counts, the level of the event and of the whole audit, and the bound."""
    counts = _counts(result)
    likelier, other = ("dataset", "neighbour") if counts.forward else ("neighbour", "dataset")
    return {
        "schema": 1,
        "kind": "audit",
        "claim": result.claim or {"epsilon": result.epsilon, "delta": result.delta},
        "relation": result.relation,
        "event": result.event,
        "likelier": likelier,
        "counts": {likelier: counts.hits[0], other: counts.hits[1]},
        "runs": {likelier: counts.both[0], other: counts.both[1]},
        "level": counts.alpha,
        "angle": counts.angle,
        "confidence": result.confidence,
        "seed": result.seed,
        "epsilon_lower": result.epsilon_lower,
        "delta": result.delta,
        "bound": result.bound,
        "unit": result.unit,
        "verdict": result.verdict,
        "ignored": list(result.ignored),
        "checks": [{"what": check.what, "p_value": check.p_value} for check in result.checks],
    }


def script(result: AuditResult) -> str:
    """See `AuditResult.script`."""
    counts = _counts(result)
    origin = result.origin
    if origin is None or origin.runs is None:
        raise invalid("the result", "of an audit that ran a sampler (audit, find_neighbours)", "one of given outputs")
    runs = origin.runs
    sampler: Any = runs.sampler
    needs: list[str] = []
    event = _event(origin, needs)
    pair = ("dataset", runs.dataset), ("neighbour", runs.neighbour)
    each = hasattr(sampler, "results") and hasattr(sampler, "function")
    drawn = _callable(sampler.function if each else sampler, needs)
    claim = result.claimed if result.verdict is not None else "none"
    call = _BLOCK if not each else _EACH if sampler.takes_rng else _EACH_GLOBAL
    rows = counts.both if counts.forward else counts.both[::-1]
    return _PROGRAM.format(
        title=f"Claim: {claim}. Verdict of the audit: {result.verdict}.",
        needs="" if not needs else f"\nIt asks for {', '.join(dict.fromkeys(needs))}, beside numpy and scipy.",
        event_words=result.event.replace("\\", "/").replace('"', "`"),
        sampler=drawn,
        sides="\n".join(f"{name} = {_value(x, needs)}" for name, x in pair),
        event=event,
        call=call,
        seed=result.seed,
        part=origin.part,
        rows=rows[0],
        block=origin.block,
        forward=counts.forward,
        delta=result.delta,
        alpha=repr(counts.alpha),
        critical=repr(critical_value(counts.angle, counts.alpha)),
        angle=repr(counts.angle / ANGLES * math.pi / 2),
        floor=FLOOR,
        share=CAP_SHARE,
        hits=counts.hits,
        claimed=repr(result.epsilon),
        confidence=result.confidence,
    )


_PROGRAM = '''"""{title}

Event: {event_words}

This program draws both data sets again, counts the event, and prints the exact lower bound.{needs}
"""
import base64, hashlib, math, pickle, random

import numpy as np
from scipy.special import betaincinv, betainccinv, ndtr, ndtri

{sampler}
{sides}

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

def bound(hits, other_hits, rows={rows}):
    """A lower bound on epsilon at delta = {delta}: exact Clopper-Pearson limits, joined (each error {alpha})."""
    alpha, c, w1, w2 = {alpha}, {critical}, math.sin({angle}), math.cos({angle})
    cap = -ndtri({share} * alpha)
    edges = np.linspace(-{floor}, min((c + w2 * {floor}) / w1, cap), 257)
    low = betaincinv(hits, rows - hits + 1.0, ndtr(-edges[1:])) if hits else np.zeros(256)
    tail = ndtr(-np.minimum((c - w1 * edges[:-1]) / w2, cap))
    high = betainccinv(other_hits + 1.0, rows - other_hits, tail) if other_hits < rows else np.ones(256)
    if (low - {delta} <= high).any():
        return 0.0
    return float(np.log((low - {delta}) / high).min())

if __name__ == "__main__":
    counts = count("dataset", dataset), count("neighbour", neighbour)
    first, second = counts if {forward} else counts[::-1]
    print("runs in the event, of {rows}: dataset", counts[0], "neighbour", counts[1])
    print("in the audit, the likelier side first: {hits}")
    print("epsilon >=", bound(first, second), "at delta = {delta}, confidence {confidence}; claimed: {claimed}")
'''

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
        made.append(sampler(data))
    return made"""


def _counts(result: AuditResult) -> Certified:
    if result.certified is None:
        raise invalid("the result", "of an audit of two data sets", "a one-run audit")
    return result.certified


def _event(origin: Origin, needs: list[str]) -> str:
    """A function ``in_event(outputs) -> bool[rows]``."""
    score, event = origin.score, origin.event
    is_in = f"(score >= {event.threshold!r})" if event.above else f"(score < {event.threshold!r})"
    runs = origin.runs
    assert runs is not None
    before = ""
    names = _numbers(origin.layout, score)
    if runs.kinds:
        before = "    outputs = np.array([f'{outputs.dtype} {outputs.shape[1:]}'] * len(outputs))\n"
    if names is not None:
        lines = f"    score = np.array([{names} for output in outputs], dtype=float)\n"
        lines += "    score = np.where(np.isnan(score), -np.inf, score)\n"
        return f"def in_event(outputs):\n{lines}    return {is_in}"
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
    needs.append("dpbench (the event is on a learned score)")
    packed = _packed((origin.layout, score, runs.kinds))
    lines = f"layout, score_of, kinds = {packed}\n\ndef in_event(outputs):\n{before}"
    if origin.layout is not None:
        lines += "    outputs = layout.encode(list(outputs.tolist() if isinstance(outputs, np.ndarray) else outputs))\n"
    else:
        lines += "    outputs = outputs[:, 0] if outputs.ndim == 2 and outputs.shape[1] == 1 else outputs\n"
    return f"{lines}    score = score_of(outputs)\n    return {is_in}"


def _numbers(layout: Layout | None, score: Any) -> str | None:
    """The number that a plain score is of, as an expression of `output`; None where it is not one."""
    if layout is None or type(score) is not Plain:
        return None
    name = layout.names[score.column or 0]
    leaf = next((leaf for leaf in layout.leaves if leaf.name == name), None)
    if leaf is not None and leaf.kinds == ("number",) and "#length" not in leaf.path:
        try:
            ast.parse(name, mode="eval")
        except SyntaxError:
            return None
        return f"float({name})" if "(" not in name and " " not in name.replace("', '", "") else None
    return None


def _table(score: Any) -> str | None:
    """Lines that compute a sum of log-ratios over cells of the columns of x as `score`; None: it is another kind."""
    if isinstance(score, Unimodal):
        edges, values = score.edges, score.log_ratios
        return (
            f"    edges, values = {_literal(edges)}, {_literal(values)}\n"
            "    place = np.where(np.isnan(x[:, 0]), len(edges), np.searchsorted(edges, x[:, 0], side='right'))\n"
            "    score = values[place]\n"
        )
    if not isinstance(score, Additive) or score.view is not None:
        return None
    lines = "    score = np.zeros(len(x))\n"
    for j, table in enumerate(score.tables):
        if isinstance(table, EdgeTable):
            lines += f"    edges, values = {_literal(table.edges)}, {_literal(table.log_ratios)}\n"
            lines += f"    column = x[:, {j}]\n"
            lines += (
                "    place = np.where(np.isnan(column), len(edges), np.searchsorted(edges, column, side='right'))\n"
            )
        elif isinstance(table, GridTable):
            lines += f"    values = {_literal(table.log_ratios)}\n"
            lines += (
                f"    place = np.nan_to_num((x[:, {j}] - {float(table.low)!r}) * {float(table.scale)!r}, nan=-1.0)\n"
            )
            lines += (
                "    place = np.clip(np.floor(np.clip(place, -1.0, len(values))), 0, len(values) - 1).astype(int)\n"
            )
        lines += "    score = score + values[place]\n"
    return lines


def _literal(array: np.ndarray) -> str:
    if array.size > FEW:
        packed = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
        return f"np.frombuffer(base64.b64decode({packed!r}), dtype={array.dtype.str!r}).reshape({array.shape})"
    shown = repr(array.tolist()).replace("nan", "math.nan").replace("inf", "math.inf")
    return f"np.array({shown}, dtype={array.dtype.str!r})"


def _value(value: Any, needs: list[str]) -> str:
    """A data set as an expression."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiub":
        return _literal(value)
    if isinstance(value, np.generic):
        value = value.item()
    try:
        if ast.literal_eval(repr(value)) == value:
            return repr(value)
    except (ValueError, SyntaxError, TypeError, MemoryError):
        pass
    module = type(value).__module__.split(".")[0]
    needs.append(f"{module} (the data are pickled)")
    return _packed(value)


def _callable(function: Any, needs: list[str]) -> str:
    """Lines that bind `sampler`."""
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", None)
    if module and name and "<" not in name and module != "__main__":
        found: Any = sys.modules.get(module)
        for part in name.split("."):
            found = getattr(found, part, None)
        if found is function:
            needs.append(f"the module {module}")
            return f"from {module} import {name.split('.')[0]}\nsampler = {name}"
    source = _source(function)
    if source is not None:
        return source
    try:
        packed = _packed(function)
    except Exception:  # what a user's object raises when it is pickled
        needs.append("the sampler, to be put where the program says so")
        return f"def sampler(*given):\n    raise SystemExit('put the sampler {name or type(function).__name__} here')"
    needs.append(f"{type(function).__module__.split('.')[0]} (the sampler is pickled)")
    return f"sampler = {packed}"


def _source(function: Any) -> str | None:
    """A function or a lambda by its source, with the constants and modules that it speaks of; None: there is none."""
    code = getattr(function, "__code__", None)
    if code is None:
        return None
    tree = _parsed(function)
    if tree is None:
        return None
    found = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Lambda if function.__name__ == "<lambda>" else ast.FunctionDef)
    ]
    if function.__name__ != "<lambda>":
        found = [node for node in found if getattr(node, "name", "") == function.__name__]
    if len(found) != 1:
        return None
    inner = inspect.getclosurevars(function)
    lines = []
    spoken = {node.id for node in ast.walk(found[0]) if isinstance(node, ast.Name)}  # an attribute is no global
    for name, value in {**inner.globals, **inner.nonlocals}.items():
        if name not in spoken:
            continue
        if inspect.ismodule(value):
            lines.append(f"import {value.__name__} as {name}")
            continue
        try:
            if not (isinstance(value, np.ndarray) or ast.literal_eval(repr(value)) == value):
                return None
        except (ValueError, SyntaxError, TypeError):
            return None
        lines.append(f"{name} = {_value(value, [])}")
    node = found[0]
    if isinstance(node, ast.FunctionDef):
        node.decorator_list = []
        node.returns = None
        for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
            argument.annotation = None
        lines += [ast.unparse(node), f"sampler = {function.__name__}"]
    else:
        lines.append(f"sampler = {ast.unparse(node)}")
    return "\n".join(lines)


def _parsed(function: Any) -> ast.AST | None:
    """The syntax tree of the lines that a function stands in, which may be a part of a statement."""
    try:
        text = textwrap.dedent(inspect.getsource(function)).strip()
    except (OSError, TypeError):
        return None
    for before, behind in (("", ""), ("(", ")"), ("{", "}"), ("f(", ")")):
        try:
            return ast.parse(f"{before}{text.rstrip(',') if not behind else text}{behind}")
        except SyntaxError:
            continue
    return None


def _packed(value: Any) -> str:
    return f"pickle.loads(base64.b64decode({base64.b64encode(pickle.dumps(value)).decode()!r}))"
