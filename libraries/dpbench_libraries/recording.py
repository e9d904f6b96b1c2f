"""Runs of a function whose random draws are recorded, replayed by their seed, and moved one at a time.

NumPy's generators, its functions with a global state, and Python's `random` and `secrets` are replaced by subclasses
that draw the same numbers and note what was asked. A draw of Laplace or normal noise is noted in units of its scale, so
that `nudges` can move it; of every other draw the method and a digest of its arguments are noted.
"""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import random
import secrets
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpbench.auditing.outputs import global_state_kept, seed_all

Source = tuple[Any, str, str]
"""A library's own noise: an object (a class, a module), the name of a function in it, and what that draws in units of
scale, "laplace" or "normal"."""

ADDITIVE = ("laplace", "normal")
_ORDERS = {"shuffle", "permutation", "permuted"}
_SETTINGS = {"seed", "get_state", "set_state", "getstate", "setstate", "spawn", "bit_generator"}


@dataclass(frozen=True)
class Draw:
    """One call of a generator.

    Attributes
    ----------
    kind : str
        "laplace", "normal", or the name of another method.
    size : int
        How many numbers were drawn.
    scale : float64[size]
        Of Laplace and normal noise; empty otherwise.
    unit : float64[size]
        The noise in units of its scale.
    arguments : str
        Of another method, as text or its digest; not of one that puts its argument, the data perhaps, in another order.
    """

    kind: str
    size: int
    scale: np.ndarray
    unit: np.ndarray
    arguments: str = ""

    @property
    def shape(self) -> tuple[str, int]:
        """What two runs must have in common for their noise to be compared."""
        return self.kind, self.size

    def __str__(self) -> str:
        scale = "" if not self.size or self.kind not in ADDITIVE else f" of scale {np.max(self.scale):.6g}"
        return f"{self.kind}, {self.size} number{'s' if self.size != 1 else ''}{scale}"


@dataclass
class Record:
    """The draws of one run, its output, and by how many scales each draw of noise was moved.

    Only the thread of the run is recorded; `threads` says that a recorded generator was used in another.
    """

    seed: int
    nudges: Mapping[int, np.ndarray]
    draws: list[Draw] = field(default_factory=list)
    output: Any = None
    streams: int = 0
    nested: bool = False
    threads: bool = False
    thread: int = field(default_factory=threading.get_ident)
    unseeded: weakref.WeakSet[Any] = field(default_factory=weakref.WeakSet)

    def entropy(self) -> np.random.SeedSequence:
        """A seed for a generator that was asked for without one, and belongs to `unseeded`."""
        self.streams += 1
        return np.random.SeedSequence([self.seed, self.streams])

    def noise(self, kind: str, value: Any, unit: Any, scale: Any) -> Any:
        """Note a draw of noise; the value with its nudge."""
        size = int(np.size(value))
        scales = np.broadcast_to(np.asarray(scale, dtype=np.float64), np.shape(value)).ravel()
        nudge = self.nudges.get(len(self.draws))
        self.draws.append(Draw(kind, size, scales.copy(), np.ravel(unit).astype(np.float64)))
        if nudge is None:
            return value
        moved = np.reshape(scales * nudge, np.shape(value))
        if isinstance(value, np.ndarray):
            value += moved  # in place: an `out` array is the caller's
            return value
        return type(value)(value + float(moved))


_record: Record | None = None  # of the run at hand, under the lock of `global_state_kept`


def _active() -> Record | None:
    """The record of the run at hand, in its own thread."""
    return _record if _record is not None and _record.thread == threading.get_ident() else None


def _elsewhere() -> bool:
    """Whether another thread has a run at hand: this one is not recorded."""
    return _record is not None and _record.thread != threading.get_ident()


def _here(recorded: Callable[..., Any], plain: Callable[..., Any]) -> Callable[..., Any]:
    """A global function, which is the plain one in other threads."""

    def drawn(*args: Any, **kwargs: Any) -> Any:
        return (plain if _elsewhere() else recorded)(*args, **kwargs)

    return drawn


def run(
    function: Callable[..., Any],
    takes_rng: bool,
    dataset: Any,
    seed: int,
    nudges: Mapping[int, np.ndarray] | None = None,
    sources: Sequence[Source] = (),
) -> Record:
    """One run on a data set; equal seeds draw equal random numbers in each sequence of equal calls."""
    global _record
    with global_state_kept(), contextlib.ExitStack() as stack:
        record = Record(seed, nudges or {})
        seed_all(seed)  # what is drawn by no recorded call, yet from a global state, is the same in both runs
        for owner, name, new in _replacements(record, sources):
            stack.enter_context(replaced(owner, name, new))
        before, _record = _record, record
        try:
            record.output = function(dataset, default_rng()) if takes_rng else function(dataset)
        finally:
            _record = before
            for generator in list(record.unseeded):  # one that is kept draws what nobody can foresee
                if isinstance(generator, np.random.Generator):
                    generator.bit_generator.state = np.random.PCG64().state
                elif isinstance(generator, _PLAIN_STATE):
                    generator.seed()
                else:
                    _PLAIN_RANDOM.seed(generator)
    return record


def default_rng(seed: Any = None) -> np.random.Generator:
    """As `numpy.random.default_rng`, recorded."""
    if _elsewhere():
        return _PLAIN_RNG(seed)
    if isinstance(seed, np.random.Generator):
        return seed
    record = _active() if seed is None else None
    seed = seed if record is None else record.entropy()
    made = RecordedGenerator(seed if isinstance(seed, np.random.BitGenerator) else np.random.PCG64(seed))
    if record is not None:
        record.unseeded.add(made)
    return made


def _replacements(record: Record, sources: Sequence[Source]) -> Iterator[tuple[Any, str, Any]]:
    """Owner, name and replacement of all that is recorded."""
    python, numpy_state = RecordedRandom(record.seed), RecordedRandomState(record.entropy().generate_state(4))
    system = RecordedSystemRandom()
    _PLAIN_RANDOM.seed(system, int(np.random.SeedSequence([record.seed, 0]).generate_state(1, np.uint64)[0]))
    record.unseeded.update((python, numpy_state, system))
    shared, kept = np.random.mtrand._rand, secrets._sysrand  # type: ignore[attr-defined]
    yield np.random, "default_rng", default_rng
    yield np.random, "RandomState", RecordedRandomState
    yield np.random.mtrand, "_rand", numpy_state
    yield secrets, "_sysrand", system
    for module, old, new in (
        (np.random, shared, numpy_state),
        (random, random._inst, python),
        (secrets, kept, system),
    ):
        for name in dir(module):
            plain = getattr(module, name)
            if getattr(plain, "__self__", None) is old and not name.startswith("_"):
                yield module, name, _here(getattr(new, plain.__name__), plain)
    yield random, "Random", RecordedRandom
    for module in (random, secrets):
        yield module, "SystemRandom", RecordedSystemRandom
    for owner, name, kind in sources:
        yield owner, name, _source(owner, name, kind)


@contextlib.contextmanager
def replaced(owner: Any, name: str, new: Any) -> Iterator[None]:
    """Another attribute for a while."""
    own = vars(owner).get(name, owner)  # a static method stays one
    setattr(owner, name, new)
    try:
        yield
    finally:
        if own is owner:
            delattr(owner, name)
        else:
            setattr(owner, name, own)


def _source(owner: Any, name: str, kind: str) -> Any:
    """A library's own noise in units of its scale, recorded."""
    plain = getattr(owner, name)

    def drawn(*args: Any, **kwargs: Any) -> Any:
        record = _active()
        if record is None or record.nested:
            return plain(*args, **kwargs)
        with _inside(record):
            value = plain(*args, **kwargs)
        return record.noise(kind, value, value, 1.0)

    return staticmethod(drawn) if isinstance(inspect.getattr_static(owner, name), staticmethod) else drawn


@contextlib.contextmanager
def _inside(record: Record) -> Iterator[None]:
    """What one call draws by others is not noted a second time."""
    record.nested = True
    try:
        yield
    finally:
        record.nested = False


def _location(loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> tuple[Any, Any]:
    return loc, scale


def _gauss(mu: Any = 0.0, sigma: Any = 1.0) -> tuple[Any, Any]:
    return mu, sigma


def _standard(*args: Any, **kwargs: Any) -> tuple[Any, Any]:
    return 0.0, 1.0


_NOISE: dict[str, tuple[str, Callable[..., tuple[Any, Any]]]] = {
    "laplace": ("laplace", _location),
    "normal": ("normal", _location),
    "standard_normal": ("normal", _standard),
    "randn": ("normal", _standard),
    "gauss": ("normal", _gauss),
    "normalvariate": ("normal", _gauss),
}


def _method(base: type, name: str) -> Callable[..., Any]:
    """The method of `base`, which draws what it drew, and notes it."""
    plain = getattr(base, name)
    kind, reading = _NOISE.get(name, (name, None))

    def drawn(self: Any, *args: Any, **kwargs: Any) -> Any:
        record = _active()
        if record is None or record.nested:
            if record is None and _record is not None:
                _record.threads = True
            return plain(self, *args, **kwargs)
        with _inside(record):
            if reading is None:
                asked = "" if name in _ORDERS else _text((args, kwargs))
                value = plain(self, *args, **kwargs)
                size = np.size(args[0] if value is None else value)  # a shuffle returns nothing
                record.draws.append(Draw(kind, int(size), np.empty(0), np.empty(0), asked))
                return value
            state = _state(self)
            value = plain(self, *args, **kwargs)
            after = _state(self)
            _state(self, state)  # the same bits once more, without location and scale
            if name in ("gauss", "normalvariate"):
                unit = plain(self, 0.0, 1.0)
            elif name == "standard_normal":
                unit = np.array(value)
            else:
                unit = getattr(base, kind)(self, size=np.shape(value))
            _state(self, after)
        return record.noise(kind, value, unit, reading(*args, **kwargs)[1])

    drawn.__name__ = name
    return drawn


def _state(generator: Any, new: Any = None) -> Any:
    """Of a generator of any of the three kinds; set where one is given."""
    if isinstance(generator, np.random.Generator):
        if new is not None:
            generator.bit_generator.state = new
        return generator.bit_generator.state if new is None else None
    read, write = (
        (generator.get_state, generator.set_state)
        if isinstance(generator, _PLAIN_STATE)
        else (generator.getstate, generator.setstate)
    )
    return read() if new is None else write(new)


def _text(value: Any) -> str:
    """Equal for equal arguments; of arrays a digest."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{value.shape}{hashlib.blake2b(value.tobytes(), digest_size=8).hexdigest()}"
    if isinstance(value, (tuple, list)):
        return f"({', '.join(map(_text, value))})"
    return f"{{{', '.join(f'{k}: {_text(v)}' for k, v in value.items())}}}" if isinstance(value, dict) else repr(value)


def _methods(base: type) -> dict[str, Any]:
    names = [n for n in dir(base) if not n.startswith("_") and n not in _SETTINGS and callable(getattr(base, n))]
    return {name: _method(base, name) for name in names}


_PLAIN_STATE, _PLAIN_RNG, _PLAIN_RANDOM, _SYSTEM = (
    np.random.RandomState,
    np.random.default_rng,
    random.Random,
    random.SystemRandom,
)


class _CopiedGenerator(np.random.Generator):
    def __reduce__(self) -> Any:  # a copy is recorded too
        return type(self), (self.bit_generator,)


RecordedGenerator: Any = type("RecordedGenerator", (_CopiedGenerator,), _methods(np.random.Generator))
"""A `numpy.random.Generator` of the same draws, bit for bit."""


class _SeededState(np.random.RandomState):
    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        if cls is RecordedRandomState and _elsewhere():
            return _PLAIN_STATE(*args, **kwargs)
        return super().__new__(cls, *args, **kwargs)

    def __init__(self, seed: Any = None) -> None:
        record = _active() if seed is None else None
        if record is not None:
            seed = record.entropy().generate_state(4)
            record.unseeded.add(self)
        super().__init__(seed)


RecordedRandomState: Any = type("RecordedRandomState", (_SeededState,), _methods(np.random.RandomState))


class _SeededRandom(random.Random):
    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        if cls in (RecordedRandom, RecordedSystemRandom) and _elsewhere():
            return (_PLAIN_RANDOM if cls is RecordedRandom else _SYSTEM)(*args, **kwargs)
        return super().__new__(cls)

    def __init__(self, x: Any = None) -> None:
        record = _active() if x is None else None
        if record is not None:
            x = int(record.entropy().generate_state(1, np.uint64)[0])
            record.unseeded.add(self)
        super().__init__(x)


RecordedRandom: Any = type("RecordedRandom", (_SeededRandom,), _methods(random.Random))


class _SeededSystem(_SeededRandom):
    """In place of `secrets.SystemRandom`: seeded in a run, that two runs draw alike, and the system's own outside."""

    def __init__(self, x: Any = None) -> None:
        super().__init__()
        record = _active()
        if record is not None:
            _PLAIN_RANDOM.seed(self, int(record.entropy().generate_state(1, np.uint64)[0]))

    def seed(self, *args: Any, **kwargs: Any) -> None:
        """Nothing, as of the system's own."""

    def random(self) -> float:
        return _SYSTEM().random() if _active() is None else super().random()

    def getrandbits(self, k: int, /) -> int:
        return _SYSTEM().getrandbits(k) if _active() is None else super().getrandbits(k)


RecordedSystemRandom: Any = type("RecordedSystemRandom", (_SeededSystem,), _methods(_SeededSystem))
