"""Entries that the tests of workers run in worker processes."""

from __future__ import annotations

import os
import resource
import signal
import threading
import time
from functools import partial
from typing import Any

import numpy as np
import runs_workload as work

from dpbench.ledger import verify as ledger
from dpbench.ledger.core import Claim
from dpbench.ledger.measurement import Context, Evidence
from dpbench.runs.store import StoreError


class Awkward(Exception):
    """An error that cannot be pickled."""

    def __init__(self, first: int, second: int) -> None:
        super().__init__(f"{first} and {second}")


def block_of(name: str, log: str, pause: float, block: int) -> float:
    """A number; its process is logged, and it lasts a while, in calls of a tenth of a second."""
    with open(log, "a", encoding="utf-8") as file:
        file.write(f"{os.getpid()} {name} {block}\n")
    for _ in range(round(pause / 0.1)):
        time.sleep(0.1)
    return work.number_of(block)


def logging(name: str, log: str, pause: float, context: Context) -> tuple[str, Evidence]:
    values = context.map({"what": name}, partial(block_of, name, log, pause), range(10))
    return "not refuted", Evidence(sum(values), trials=len(values), tables={"rows": {"v": values}})


def raising(error: str, context: Context) -> tuple[str, Evidence]:
    context.map({"what": error}, work.number_of, range(3))
    if error == "awkward":
        raise Awkward(1, 2)
    errors: dict[str, type[Exception]] = {"store": StoreError, "type": TypeError, "arithmetic": ArithmeticError}
    raise errors[error]("planted")


def dying_once(flag: str, context: Context) -> tuple[str, Evidence]:
    """Kills its process after five blocks, unless the file `flag` is there."""
    values = context.map({"what": "dying"}, work.number_of, range(5))
    if not os.path.exists(flag):
        open(flag, "w").close()
        os.kill(os.getpid(), signal.SIGKILL)
    return "not refuted", Evidence(sum(values))


def large(block: int) -> Any:
    return np.zeros(200_000)


def on_a_full_disk(context: Context) -> tuple[str, Evidence]:
    """No file of this process may grow beyond what a few blocks take."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (4_000_000, 4_000_000))
    context.map({"what": "large"}, large, range(100))
    raise AssertionError


def thread_of(block: int) -> int:
    time.sleep(0.02)
    return threading.get_ident()


def threaded(blocks: int, context: Context) -> tuple[str, Evidence]:
    """How many threads computed, and how many threads each BLAS then has."""
    found = len(set(context.map({"threads of": blocks}, thread_of, range(blocks))))
    blas = [count for counts in context.map({"blas of": blocks}, work.blas_threads, range(2)) for count in counts]
    return "not refuted", Evidence(float(found), tables={"rows": {"blas": blas}})


def claim(name: str, run: Any, *arguments: Any, kind: str = "floor") -> Claim:
    texts = dict.fromkeys(("source", "statement", "derivation"), "planted")
    expected = "consistent" if kind == "rate" else "not refuted"
    side = {"side": "upper"} if kind == "rate" else {}
    bound = partial(run, *arguments)
    return Claim(f"glm.{name}.{kind}", "glm", kind=kind, expected=expected, run=bound, **texts, **side)


def plant(claims: list[Claim]) -> None:
    """A ledger of these, each in a group of its own."""
    ledger.all_claims = lambda papers=None: tuple(claims)
    ledger.by_module = lambda chosen: [[one] for one in chosen]
