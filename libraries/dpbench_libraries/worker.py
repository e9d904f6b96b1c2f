"""A library in an environment of its own: a process there calls it, and is a sampler here."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from dpbench.auditing.neighbours import Domain, Pair, proposals
from dpbench.core.validation import InvalidInput
from dpbench_libraries.case import Audited, Case, audit_case
from dpbench_libraries.environment import EnvironmentFailed, clean, interpreter

RECORDS, PAIRS = 5, 12
"""Of a data set, and pairs that are looked at."""

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""Small fits lose by more."""

SCRIPT = Path(__file__).with_name("_serve.py")


@dataclass(frozen=True)
class Call:
    """What is called, in the words of `_serve`: it says what each field means.

    Attributes
    ----------
    make : str
    keywords : mapping
    seed : str or None
        The keyword that takes the seed of a run; None: the library takes none.
    method, into : str or None
    take : tuple of str
    form : {"value", "array", "features and target"}
        What a data set, a list of records, is made.
    """

    make: str
    keywords: Mapping[str, Any] = field(default_factory=dict)
    seed: str | None = None
    method: str | None = None
    into: str | None = None
    take: tuple[str, ...] = ()
    form: str = "value"

    def request(self, data: Any, seeds: list[int]) -> dict[str, Any]:
        """What is asked of the process."""
        return {
            "make": self.make,
            "keywords": dict(self.keywords),
            "seed": self.seed,
            "method": self.method,
            "into": self.into,
            "take": list(self.take),
            "form": self.form,
            "data": data,
            "seeds": seeds,
        }


class Worker:
    """The process, from its first question until it is closed.

    Parameters
    ----------
    python : str or Path
        The interpreter of the library's environment.
    """

    def __init__(self, python: str | Path) -> None:
        self._command = [str(python), "-I", str(SCRIPT)]
        self._process: subprocess.Popen[str] | None = None
        self._asked = 0
        self._lock = threading.Lock()

    def ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to one request.

        Raises
        ------
        InvalidInput
            The interpreter cannot be started, or the process ended or gave what is no answer to this request.
        RuntimeError
            The library raised; its type and its message.
        """
        with self._lock:
            process = self._started()
            assert process.stdin is not None and process.stdout is not None
            self._asked += 1
            try:
                process.stdin.write(json.dumps({"number": self._asked, **request}) + "\n")
                process.stdin.flush()
                line = process.stdout.readline()
            except BrokenPipeError:
                line = ""
            if not line:
                raise self._unfit(f"ended with code {process.wait()}")
            try:
                answer: dict[str, Any] = json.loads(line)
                right = answer["number"] == self._asked
            except (ValueError, TypeError, KeyError):
                right = False
            if not right:
                raise self._unfit(f"answered {line.strip()[:80]!r}")
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer

    def version(self, package: str) -> str:
        """Of an installed distribution there.

        Raises
        ------
        InvalidInput
            It is not installed.
        """
        try:
            return str(self.ask({"version": package})["version"])
        except RuntimeError as error:
            must_be = f"an interpreter with {package} (pip install {package})"
            raise InvalidInput(f"python must be {must_be}, got {self._command[0]!r} ({error})") from error

    def _unfit(self, which: str) -> InvalidInput:
        must_be = "an interpreter that can run the library"
        return InvalidInput(f"python must be {must_be}, got {self._command[0]!r}, which {which}")

    def _started(self) -> subprocess.Popen[str]:
        if self._process is None:
            pipe = subprocess.PIPE
            try:
                self._process = subprocess.Popen(
                    self._command,
                    stdin=pipe,
                    stdout=pipe,
                    stderr=subprocess.DEVNULL,
                    text=True,
                    errors="replace",
                    env=clean() | ONE_THREAD,
                )
            except OSError as error:
                raise InvalidInput(f"python must be an interpreter, got {self._command[0]!r} ({error})") from error
        return self._process

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None


@dataclass(frozen=True)
class Drawn:
    """A sampler, as `dpbench.audit` takes it, of what a worker calls; each run has a seed from `rng`."""

    worker: Worker = field(repr=False)
    call: Call

    def __post_init__(self) -> None:
        object.__setattr__(self, "__name__", self.call.make)

    def __call__(self, dataset: Any, trials: int, rng: np.random.Generator) -> Any:
        return self.results(dataset, trials, rng)

    def results(self, dataset: Any, trials: int, rng: np.random.Generator) -> list[Any]:
        """One result a run, as lists and numbers."""
        seeds = [int(seed) for seed in rng.integers(0, 2**32, size=trials)]
        results: list[Any] = self.worker.ask(self.call.request(dataset, seeds))["results"]
        return results


def chosen(
    library: str, requirements: Sequence[str], python: str | Path | None, say: Callable[[str], None] | None
) -> str | Path:
    """`python`, or without one the interpreter of the library's environment.

    Raises
    ------
    EnvironmentFailed
    """
    if python is not None:
        return python
    try:
        return interpreter(library, requirements, say=say)
    except EnvironmentFailed as error:
        raise EnvironmentFailed(f"{error} (--python names an interpreter that has it)") from error


def audit_there(
    library: str,
    requirements: Sequence[str],
    case: Case,
    *,
    python: str | Path | None = None,
    say: Callable[[str], None] | None = None,
    **settings: Any,
) -> Audited:
    """Audit what a library has under a name, under `python` or in its environment.

    Parameters
    ----------
    library, requirements
        As for `dpbench_libraries.environment.interpreter`.
    case : Case
        Of a `Call`.
    python, say
        As for `dpbench_libraries.diffprivlib.audit`.
    **settings
        Of `dpbench_libraries.case.audit_case`; by default 10,000 runs a side at 0.999.

    Raises
    ------
    InvalidInput
    EnvironmentFailed
    """
    settings = {"trials": 10_000, "confidence": 0.999, **settings}
    with Worker(chosen(library, requirements, python, say)) as worker:
        return audit_case(replace(case, sampler=Drawn(worker, case.sampler)), **settings)


def pairs_within(low: float, high: float, relation: str, *, integers: bool = False) -> tuple[Pair, ...]:
    """Neighbours with numbers between bounds, as lists: of ends, middles, alternating and rising values."""
    domain = Domain(RECORDS, low, high, integers=integers, relation=relation)
    kind = int if integers else float
    return tuple(
        ([kind(x) for x in one], [kind(x) for x in other]) for one, other in islice(proposals(domain, 0), PAIRS)
    )
