"""`each`: a sampler from a function of one call and one result."""

from __future__ import annotations

import contextlib
import inspect
import random
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpbench.auditing.flatten import Layout, learn
from dpbench.core import validation
from dpbench.core.validation import InvalidInput, invalid

PROBES = 16
"""Runs from which the layout is learned of a sampler that is called by itself."""

SLICES = 8  # parts of a block for each process

_GLOBAL = threading.RLock()


def each(
    function: Callable[..., Any],
    *,
    exceptions: str = "raise",
    processes: int | Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Each:
    """A sampler, as `dpbench.audit` takes it, from a function that is called once a run.

    Parameters
    ----------
    function : callable
        ``function(dataset, rng) -> result`` with a fresh seeded `numpy.random.Generator`, or ``function(dataset) ->
        result``: then the global generators of `random`, of NumPy and (if it is loaded) of PyTorch are seeded before
        each call, and put back after a block; noise from anywhere else (the operating system, a device) stays as it is.
        Results of any kind: an audit takes them apart, by one layout, learned from its choosing part (called by itself,
        the sampler returns them as `dpbench.encode` does, by one learned from a few runs).
    exceptions : {"raise", "output"}
        "output": an exception of a run is its result, as the text that an analyst sees ("ValueError: ..."); one that is
        raised on one data set alone tells which. By default the audit ends with it.
    processes : int or Executor, optional
        Share the calls of a block between processes (function and data sets must pickle).
    progress : callable, optional
        ``progress(done, total)`` in calls of the block at hand.

    Returns
    -------
    Each
        ``sampler(dataset, trials, rng) -> array``. The results do not depend on the number of processes.

    Examples
    --------
    >>> from dpbench import audit, each
    >>> def noisy_count(count, rng):
    ...     return {"count": count + rng.laplace(), "enough": count > 3}
    >>> audit(each(noisy_count), 3, 4, epsilon=1.0, trials=2_000).verdict
    'refuted'
    """
    if not callable(function):
        raise invalid("function", "callable as function(dataset) or function(dataset, rng)", function)
    takes_rng = takes_rng_of(function)
    if validation.choice("exceptions", exceptions, ["raise", "output"]) == "output":
        function = _Caught(function)
    if processes is not None and not isinstance(processes, Executor):
        processes = validation.integer("processes", processes, at_least=1)
    if progress is not None and not callable(progress):
        raise invalid("progress", "callable as progress(done, total), or None", progress)
    return Each(function, takes_rng, processes, progress)


@dataclass(frozen=True)
class _Caught:
    """A function whose exceptions are results."""

    function: Callable[..., Any]

    @property
    def __name__(self) -> str:
        return str(getattr(self.function, "__name__", type(self.function).__name__))

    def __call__(self, *given: Any) -> Any:
        try:
            return self.function(*given)
        except Exception as error:
            return f"{type(error).__name__}: {error}"


@dataclass
class Each:
    """What `each` returns."""

    function: Callable[..., Any]
    takes_rng: bool
    processes: int | Executor | None = None
    progress: Callable[[int, int], None] | None = None
    layout: Layout | None = None
    _lock: Any = field(default_factory=threading.Lock, repr=False, compare=False)

    def __post_init__(self) -> None:
        self.__name__ = str(getattr(self.function, "__name__", None) or type(self.function).__name__)

    def __getstate__(self) -> dict[str, Any]:
        # Other processes work on blocks of their own; pools, locks and terminals stay here.
        return {**self.__dict__, "processes": None, "progress": None, "_lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=threading.Lock())

    def __call__(self, dataset: Any, trials: int, rng: np.random.Generator) -> np.ndarray:
        with self._lock:
            if self.layout is None:
                # From seeds of its own, that the layout may not depend on which block comes first.
                probes = np.random.default_rng(0).integers(0, 2**63, size=PROBES)
                self.layout = learn(_results(self.function, self.takes_rng, dataset, probes), least=1)
        return self.layout.encode(self.results(dataset, trials, rng))

    def results(self, dataset: Any, trials: int, rng: np.random.Generator) -> list[Any]:
        """The results themselves, as an audit takes them, which learns a layout of its own from its choosing part."""
        return self._all(dataset, rng.integers(0, 2**63, size=trials))

    def _all(self, dataset: Any, seeds: np.ndarray) -> list[Any]:
        slices = self._slices(len(seeds))
        found: list[Any] = []
        with self._pool() as pool:
            parts: Iterator[list[Any]]
            if pool is None:
                parts = (_results(self.function, self.takes_rng, dataset, seeds[s]) for s in slices)
            else:
                jobs = [pool.submit(_results, self.function, self.takes_rng, dataset, seeds[s]) for s in slices]
                parts = (job.result() for job in jobs)
            for part in parts:
                found.extend(part)
                if self.progress is not None:
                    self.progress(len(found), len(seeds))
        return found

    def _slices(self, trials: int) -> list[slice]:
        if self.processes is None and self.progress is None:
            return [slice(0, trials)]
        workers = self.processes if isinstance(self.processes, int) else 4
        size = max(1, -(-trials // (workers * SLICES)))
        return [slice(start, start + size) for start in range(0, trials, size)]

    @contextlib.contextmanager
    def _pool(self) -> Iterator[Executor | None]:
        if isinstance(self.processes, int) and self.processes > 1:
            with ProcessPoolExecutor(self.processes) as pool:
                yield pool
        else:
            yield self.processes if isinstance(self.processes, Executor) else None


def _results(
    function: Callable[..., Any], takes_rng: bool, dataset: Any, seeds: Sequence[int] | np.ndarray
) -> list[Any]:
    """One call a seed."""
    if takes_rng:
        return [function(dataset, np.random.Generator(np.random.PCG64DXSM(int(seed)))) for seed in seeds]
    found = []
    with global_state_kept():
        for seed in seeds:
            seed_all(int(seed))
            found.append(function(dataset))
    return found


def seed_all(seed: int) -> None:
    random.seed(seed)
    np.random.seed(seed & 0xFFFFFFFF)  # noqa: NPY002 - the state that functions without a generator draw from
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.manual_seed(seed)


@contextlib.contextmanager
def global_state_kept() -> Iterator[None]:
    """The global generators are ours for a while: one thread at a time, and put back."""
    with _GLOBAL:
        kept = random.getstate(), np.random.get_state()  # noqa: NPY002
        try:
            yield
        finally:
            random.setstate(kept[0])
            np.random.set_state(kept[1])  # noqa: NPY002


def takes_rng_of(function: Callable[..., Any]) -> bool:
    """Whether it takes a generator after the data set; what fits neither form is refused."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return False  # a builtin: its data set alone
    plain = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    needed = [p for p in plain if p.default is p.empty]
    asked = [p for p in parameters if p.kind is p.KEYWORD_ONLY and p.default is p.empty]
    if len(needed) == 3 and needed[1].name in ("trials", "n", "size"):
        raise InvalidInput(
            "function must be of one call and one result, got a sampler (dataset, trials, rng): hand it to audit as is"
        )
    many = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    if len(needed) > 2 or asked or not (plain or many):
        raise invalid("function", "callable as function(dataset) or function(dataset, rng)", function)
    return len(needed) == 2 or (len(plain) > 1 and plain[1].name in ("rng", "generator", "random_state"))
