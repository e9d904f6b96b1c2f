"""A refutation as a Python program, to hand over as a report.

It draws the certifying runs of both data sets again, by the seeds of the audit, counts the event, computes the exact
region for its two probabilities and the bound on ε. It asks for NumPy and SciPy, and for what the sampler asks for; for
dpbench where the claim is not (ε, δ), and where the event is not on numbers as they are.
"""

from __future__ import annotations

import base64
import math
import sys
from typing import Any

from dpbench.auditing.certified import Origin, counts_of
from dpbench.auditing.choose import Additive, Plain
from dpbench.auditing.claimed import Approximate
from dpbench.bounds import ANGLES, CAP_SHARE, FLOOR, critical_value
from dpbench.core.validation import invalid


def script(result: Any) -> str:
    """The program of an `AuditResult`: see `AuditResult.script`."""
    counts, origin = counts_of(result.certified), result.origin
    if origin is None or origin.runs is None:
        raise invalid("the result", "of an audit that ran a sampler (audit, find_neighbours)", "one of given outputs")
    runs = origin.runs
    sampler: Any = runs.sampler
    each = hasattr(sampler, "results") and hasattr(sampler, "function")
    needs: list[str] = []
    claimed = origin.claim is not None and result.verdict is not None
    if not claimed:
        end = 'print("claimed: nothing")'
    elif isinstance(origin.claim, Approximate):
        end = _VERDICT.format(words=result.claimed, claim=origin.claim.epsilon)
    else:
        end = _WHOLE.format(words=result.claimed, claim=_written(origin.claim, needs))
        needs.append("dpbench")
    rows = counts.both if counts.forward else counts.both[::-1]
    text = _PROGRAM.format(
        title=_quoted(f"Claim: {result.claimed if claimed else 'none'}. Verdict of the audit: {result.verdict}."),
        event_words=_quoted(result.event),
        needs="{needs}",
        sampler=_drawn(sampler.function if each else sampler, needs),
        dataset=_written(runs.dataset, needs),
        neighbour=_written(runs.neighbour, needs),
        event=_event(origin, needs),
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
        delta=origin.claim.delta if isinstance(origin.claim, Approximate) else result.delta,
        confidence=result.confidence,
        end=end,
    )
    asks = ", ".join(dict.fromkeys(needs))
    return text.replace("{needs}", f"\nIt asks for {asks}, beside numpy and scipy." if asks else "", 1)


def _quoted(text: str) -> str:
    """Within a text of three quotation marks, or of one."""
    return text.replace("\\", "/").replace('"', "`")


def _drawn(function: Any, needs: list[str]) -> str:
    """A line that binds `sampler`: imported by its name, else pickled by value."""
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", "")
    try:
        if module != "__main__" and "<" not in name and getattr(sys.modules.get(module or ""), name, None) is function:
            needs.append(str(module))
            return f"from {module} import {name} as sampler"
        return f"sampler = {_packed(function, needs)}"
    except Exception:  # what a user's object raises when it is pickled
        needs.append("the sampler, to be put where the program says so")
        said = name or type(function).__name__
        return f"def sampler(*given):\n    raise SystemExit('put the sampler {said} here')"


def _written(value: Any, needs: list[str]) -> str:
    """An expression for data."""
    return repr(value) if _plain(value) else _packed(value, needs)


def _plain(value: Any) -> bool:
    if type(value) in (list, tuple):
        return all(map(_plain, value))
    return type(value) in (int, str, bytes, bool, type(None)) or (type(value) is float and math.isfinite(value))


def _packed(value: Any, needs: list[str]) -> str:
    """An expression that unpickles it; raises what a user's object raises when it cannot be pickled."""
    import cloudpickle

    code = base64.b64encode(cloudpickle.dumps(value)).decode()
    needs.append(f"cloudpickle, Python {sys.version_info.major}.{sys.version_info.minor}")
    return f"pickle.loads(base64.b64decode({code!r}))"


def _event(origin: Origin, needs: list[str]) -> str:
    """A function ``in_event(outputs) -> bool[rows]``."""
    score, event, runs = origin.score, origin.event, origin.runs
    assert runs is not None
    is_in = f"(score >= {event.threshold!r})" if event.above else f"(score < {event.threshold!r})"
    if origin.layout is None and not runs.kinds and type(score) is Plain:
        lines = f"    x = np.asarray(outputs, dtype=float).reshape(len(outputs), -1)[:, {score.column or 0}]\n"
        return f"def in_event(outputs):\n{lines}    score = np.where(np.isnan(x), -np.inf, x)\n    return {is_in}"
    if origin.layout is None and not runs.kinds and isinstance(score, Additive) and score.view is None:
        lines = "    x = np.asarray(outputs, dtype=float).reshape(len(outputs), -1)\n    score = np.zeros(len(x))\n"
        for j, (edges, values) in enumerate(zip(score.edges.tolist(), score.log_ratios.tolist(), strict=True)):
            cut = [edge for edge in edges if not math.isnan(edge)]
            lines += f"    edges, values = {cut}, np.array({values})\n"
            lines += f"    score = score + values[np.searchsorted(edges, x[:, {j}], side='right')]\n"
        return f"inf = math.inf\n\ndef in_event(outputs):\n{lines}    return {is_in}"
    needs.append("dpbench")
    lines = f"layout, score_of, kinds = {_packed((origin.layout, score, runs.kinds), needs)}\n\n{_LEARNED}"
    return f"{lines}    return {is_in}"


_PROGRAM = '''"""{title}

Event: {event_words}

This program draws both data sets again, counts the event, and prints the exact lower bound.{needs}
"""
from __future__ import annotations

import base64, hashlib, math, pickle, random, sys

import numpy as np
from scipy.special import betaincinv, betainccinv, ndtr, ndtri

{sampler}
dataset = {dataset}
neighbour = {neighbour}

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
    return low * (1.0 - 1e-11), np.minimum(high * (1.0 + 1e-11), 1.0)  # beyond their rounding

if __name__ == "__main__":
    counts = count("dataset", dataset), count("neighbour", neighbour)
    first, second = counts if {forward} else counts[::-1]
    print("runs in the event, of {rows}: dataset", counts[0], "neighbour", counts[1])
    print("in the audit, the likelier side first: {hits}")
    low, high = region(first, second)
    bound = float(np.log(np.maximum((low - {delta}) / high, 1.0)).min())
    print("epsilon >=", bound, "at delta = {delta}, confidence {confidence}")
    {end}
'''
_VERDICT = """print("claimed:", {words!r})
    print("refuted" if bound > {claim!r} else "not refuted")"""

_WHOLE = """from dpbench.bounds import Region
    claim = {claim}
    print("{{1}} >= {{0}}".format(*claim.read(Region(low, high))))
    print("claimed:", {words!r})
    print("refuted" if claim.excess(low, high).min() > 0.0 else "not refuted")"""

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

_LEARNED = """def in_event(outputs):
    if kinds:
        from dpbench.auditing.blocks import kind_of
        outputs = np.full(len(outputs), kind_of(outputs))
    if layout is not None:
        outputs = layout.encode(list(outputs.tolist() if isinstance(outputs, np.ndarray) else outputs))
    elif isinstance(outputs, np.ndarray) and outputs.ndim == 2 and outputs.shape[1] == 1:
        outputs = outputs[:, 0]
    score = score_of(outputs)
"""
