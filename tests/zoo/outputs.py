"""One leak in thirty kinds of output, and healthy releases with a leaf that says nothing of the data.

Each kind carries a number with Laplace noise for ε = 4 on two data sets one apart; the claim is 0.5. An audit must
refute it, or say that it is blind; it must not pass in silence.
"""

from __future__ import annotations

import collections
import dataclasses
import json
import pickle
import uuid
import zlib
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

import dpbench

Rng = np.random.Generator
Point = collections.namedtuple("Point", "x y")


@dataclasses.dataclass
class Answer:
    best: str
    count: float


def _frame(columns: dict[str, Any], **options: Any) -> Any:
    import pandas

    return pandas.DataFrame(columns, **options)


def _ragged(x: float, rng: Rng) -> Any:
    kept = [name for name in "abc" if rng.random() < 0.8]
    return _frame({"g": kept, "n": [x + rng.laplace() * 0.1 for _ in kept]})


def _shuffled(items: list[Any], rng: Rng) -> list[Any]:
    return [items[k] for k in rng.permutation(len(items))]


KINDS: dict[str, Callable[[float, Rng], Any]] = {
    "float": lambda x, rng: x,
    "tuple of arrays (histogram)": lambda x, rng: (np.array([x, 1.0]), np.array([0.0, 1.0, 2.0])),
    "list of tuples (rows with a header)": lambda x, rng: [("g", "n"), ("a", x), ("b", rng.laplace())],
    "list of dicts": lambda x, rng: [{"g": "a", "n": x}, {"g": "b", "n": rng.laplace()}],
    "list of a text and a number": lambda x, rng: ["count", x],
    "dict": lambda x, rng: {"count": x, "kind": "mean"},
    "nested dict": lambda x, rng: {"a": {"b": [1, {"c": x}]}},
    "dataclass": lambda x, rng: Answer("a", x),
    "named tuple": lambda x, rng: Point(rng.laplace(), x),
    "frame with a text column": lambda x, rng: _frame({"g": ["a", "b"], "n": [x, rng.laplace()]}),
    "frame with an index": lambda x, rng: _frame({"n": [x, rng.laplace()]}, index=["a", "b"]),
    "frame with missing rows": _ragged,
    "frame within a dict": lambda x, rng: {"t": _frame({"g": ["a"], "n": [x]}), "k": 1},
    "series": lambda x, rng: _frame({"n": [x, 0.0]}, index=["a", "b"])["n"],
    "Fraction": lambda x, rng: Fraction(x),
    "bytes of a word": lambda x, rng: b"yes" if x > 0.5 else b"no",
    "number as text": lambda x, rng: f"{x:.6f}",
    "sentence with a number": lambda x, rng: f"The answer is {x:.3f} dollars.",
    "JSON text": lambda x, rng: json.dumps({"count": x, "tags": ["a"]}),
    "ragged list, the last entry": lambda x, rng: [0.0] * (9 + int(rng.random() < 0.5)) + [x],
    "shuffled letters": lambda x, rng: _shuffled([*"abcde", "f" if x > 0.5 else "a"], rng),
    "shuffled rows": lambda x, rng: _shuffled([("g", 1), ("g", 2), ("h", 1 + (x > 0.5))], rng),
    "rows with equal keys": lambda x, rng: [{"g": "a", "n": 0.0}, {"g": "a", "n": x}],
    "none or a number": lambda x, rng: None if rng.random() < 0.5 else x,
    "pickled bytes": lambda x, rng: zlib.compress(pickle.dumps((x, rng.random(6)))),
}  # fmt: skip

HEALTHY: dict[str, tuple[str, Callable[[float, Rng], Any]]] = {
    "identifier": ("id", lambda x, rng: {"n": x, "id": str(uuid.UUID(bytes=rng.bytes(16)))}),
    "frame with an identifier": ("id", lambda x, rng: _frame({"id": [rng.bytes(8).hex()], "n": [x]})),
}


def leak(kind: str, trials: int, seed: int = 0) -> dpbench.AuditResult:
    """An audit of a claim of 0.5 where ε is 4."""
    make = KINDS[kind]
    sampler = dpbench.each(lambda d, rng: make(d + rng.laplace(scale=0.25), rng))
    return dpbench.audit(sampler, 0.0, 1.0, epsilon=0.5, trials=trials, seed=seed)


def healthy(kind: str, trials: int, ignored: bool, seed: int = 0) -> dpbench.AuditResult:
    """An audit of a claim that holds, on outputs with a leaf that says nothing."""
    path, make = HEALTHY[kind]
    sampler = dpbench.each(lambda d, rng: make(d + rng.laplace(), rng))
    ignore = [path] if ignored else []
    return dpbench.audit(sampler, 0.0, 1.0, epsilon=1.0, trials=trials, seed=seed, ignore=ignore)
