"""Runs of a function whose draws are recorded, replayed by their seed, and moved one at a time.

The generator that the function is given is a `numpy.random.Generator` of the same draws, bit for bit, that notes what
was asked of it, its copies and the generators that it spawns. A draw of Laplace or normal noise is noted in units of
its scale, so that `nudges` can move it; of every other draw the method and a digest of its arguments are noted. What is
drawn from elsewhere is not recorded, and differs between runs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

ADDITIVE = ("laplace", "normal")
_ORDERS = {"shuffle", "permutation", "permuted"}
_SETTINGS = {"spawn", "bit_generator"}


@dataclass(frozen=True)
class Draw:
    """One call of the generator.

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
    """The draws of one run, its output, and by how many scales each draw of noise was moved."""

    nudges: Mapping[int, np.ndarray]
    draws: list[Draw] = field(default_factory=list)
    output: Any = None

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


_record: Record | None = None  # of the run at hand, outside the calls of NumPy's own methods


def run(
    function: Callable[..., Any], dataset: Any, seed: int, nudges: Mapping[int, np.ndarray] | None = None
) -> Record:
    """One run on a data set; equal seeds draw equal random numbers in each sequence of equal calls."""
    global _record
    record = _record = Record(nudges or {})
    try:
        record.output = function(dataset, RecordedGenerator(np.random.PCG64(seed)))
    finally:
        _record = None
    return record


def _location(loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    return scale


def _standard(*args: Any, **kwargs: Any) -> Any:
    return 1.0


_NOISE: dict[str, tuple[str, Callable[..., Any]]] = {
    "laplace": ("laplace", _location),
    "normal": ("normal", _location),
    "standard_normal": ("normal", _standard),
}
"""Of each method of noise its kind, and the scale of a call."""


def _method(name: str) -> Callable[..., Any]:
    """The method of a generator, which draws what it drew, and notes it."""
    plain = getattr(np.random.Generator, name)
    kind, scale = _NOISE.get(name, (name, None))

    def drawn(self: Any, *args: Any, **kwargs: Any) -> Any:
        global _record
        record, _record = _record, None  # what one call draws by others is not noted a second time
        try:
            bits = self.bit_generator
            before = bits.state
            value = plain(self, *args, **kwargs)
            if record is None:
                return value
            if scale is None:
                asked = "" if name in _ORDERS else _text((args, kwargs))
                size = np.size(args[0] if value is None else value)  # a shuffle returns nothing
                record.draws.append(Draw(kind, int(size), np.empty(0), np.empty(0), asked))
                return value
            unit = np.array(value)
            if scale is _location:
                after, bits.state = bits.state, before  # the same bits once more, without location and scale
                unit = getattr(np.random.Generator, kind)(self, size=np.shape(value))
                bits.state = after
            return record.noise(kind, value, unit, scale(*args, **kwargs))
        finally:
            _record = record

    drawn.__name__ = name
    return drawn


def _text(value: Any) -> str:
    """Equal for equal arguments; of arrays a digest."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{value.shape}{hashlib.blake2b(value.tobytes(), digest_size=8).hexdigest()}"
    if isinstance(value, (tuple, list)):
        return f"({', '.join(map(_text, value))})"
    return f"{{{', '.join(f'{k}: {_text(v)}' for k, v in value.items())}}}" if isinstance(value, dict) else repr(value)


class _CopiedGenerator(np.random.Generator):
    def __reduce__(self) -> Any:  # a copy is recorded too
        return type(self), (self.bit_generator,)


_NAMES = [n for n in dir(np.random.Generator) if not n.startswith("_") and n not in _SETTINGS]

RecordedGenerator: Any = type("RecordedGenerator", (_CopiedGenerator,), {name: _method(name) for name in _NAMES})
"""A `numpy.random.Generator` of the same draws, bit for bit."""
