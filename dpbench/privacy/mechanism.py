"""The base of our mechanisms: parameters with declared constraints, trials in blocks, guarantees by neighbours.

A mechanism is a frozen dataclass. The annotation of a field declares what the parameter must be, as a function of
`dpbench.core.validation` with its limits, and a subclass gives its kernel and its guarantee::

    @dataclass(frozen=True)
    class Noisy(Mechanism):
        epsilon: Epsilon
        steps: Count | None = None  # None is allowed, and is not checked

        checked = staticmethod(glm_problem)

        def _draw(self, problem, width, rows, rng): ...
        def _guarantee(self, problem): ...
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import numpy as np

from dpbench.core import validation
from dpbench.core.blas import one_blas_thread
from dpbench.core.sampling import block_width, check_rng, nothing_to_diagnose, release, sample
from dpbench.privacy.add_remove import MEANS, NEIGHBOURS, as_add_remove
from dpbench.privacy.profile import Profile

Check = Callable[[str, Any], Any]
"""``check(name, value)``: the value in use, as a plain float, int, bool or text, or `InvalidInput`."""


def _delta(name: str, value: Any, *, positive: bool = False) -> float:
    return validation.delta(value, name, positive=positive)


def number_of(name: str, value: Any, *, options: tuple[int, ...]) -> int:
    """One of some integers."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)) or value not in options:
        raise validation.invalid(name, " or ".join(map(str, options)), value)
    return int(value)


def _flag(name: str, value: Any) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise validation.invalid(name, "True or False", value)
    return bool(value)


def _float_alone(name: str, value: Any) -> str:
    if validation.choice(name, value, ("float", "exact")) == "exact":
        must_be = "'float' for a mechanism of many noisy steps or calls (noise that is added once has 'exact')"
        raise validation.invalid(name, must_be, value)
    return "float"


Positive = Annotated[float, partial(validation.real, above=0.0)]
Size = Annotated[float, partial(validation.real, above=0.0, size=True)]
Epsilon = Size
Delta = Annotated[float, _delta]
PositiveDelta = Annotated[float, partial(_delta, positive=True)]
Fraction = Annotated[float, validation.fraction]
NoiseScale = Annotated[float, partial(validation.real, at_least=0.0, size=True)]
Count = Annotated[int, partial(validation.integer, at_least=1)]
Flag = Annotated[bool, _flag]
Calibration = Annotated[str, partial(validation.choice, options=("exact", "printed"))]
Noise = Annotated[str, partial(validation.choice, options=("gaussian", "laplace"))]
Arithmetic = Annotated[str, partial(validation.choice, options=("float", "exact"))]
"""Whether a mechanism idealises real numbers, or is private to the last bit of what it puts out."""
FloatArithmetic = Annotated[str, _float_alone]
"""Of mechanisms of many noisy steps: exact arithmetic is for noise that is added once."""


@cache
def constraints(mechanism: Any) -> Mapping[str, tuple[Check, bool]]:
    """Of each field of a class with a declared constraint: the check, and whether None is allowed beside it."""
    declared = {}
    for name, hint in get_type_hints(mechanism, include_extras=True).items():
        parts = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
        for part in parts:
            if get_origin(part) is Annotated:
                declared[name] = part.__metadata__[0], type(None) in parts
    return declared


def single_change(problem: Any, neighbour: Any) -> None:
    """Refuse a pair that differs in more than one record."""
    apart = problem.records_apart(neighbour)
    if apart > 1:
        raise validation.invalid("neighbour", "at most one record apart", f"{apart} records")


class Mechanism:
    """What our mechanisms share; a mechanism of yours needs none of it (`dpbench.core.sampling.Sampler`)."""

    checked: Callable[[Any], Any]
    """Refuses what is no problem of the mechanism's kind, and returns what is."""

    replace_only: str = ""
    """Why there is no guarantee for a record added or removed; empty where there is one."""

    fixed: tuple[str, ...] = ()
    """The parameters that must be given for such a guarantee: n, which is not public then, sets them else."""

    sample = sample
    release = release
    diagnose = nothing_to_diagnose

    def __post_init__(self) -> None:
        """Hold each parameter to its constraint, and keep what the check returns: equal mechanisms have equal seeds."""
        kind: Any = type(self)
        for name, (check, optional) in constraints(kind).items():
            value = getattr(self, name)
            if value is not None or not optional:
                object.__setattr__(self, name, check(name, value))

    def __call__(self, problem: Any, trials: int, rng: np.random.Generator) -> np.ndarray:
        """Draw `trials` outputs, shape (trials, width)."""
        p = self.checked(problem)
        check_rng(rng)
        trials = validation.integer("trials", trials, at_least=1)
        width = self._width(p, trials)
        with one_blas_thread():
            parts = [self._draw(p, width, min(width, trials - at), rng) for at in range(0, trials, width)]
        return np.concatenate(parts) if len(parts) > 1 else parts[0]

    def block(self, problem: Any, width: int, rng: np.random.Generator) -> np.ndarray:
        """`width` trials side by side and nothing beyond them, shape (width, ...)."""
        p = self.checked(problem)
        check_rng(rng)
        with one_blas_thread():
            return self._draw(p, width, width, rng)

    def _width(self, problem: Any, trials: int) -> int:
        """Trials that are drawn together: a block of them, so that a trial does not depend on how many follow."""
        return block_width(problem)

    def _draw(self, problem: Any, width: int, rows: int, rng: np.random.Generator) -> np.ndarray:
        """The first `rows` of `width` trials: the random numbers are those of `width`."""
        raise NotImplementedError

    def guarantee(self, problem: Any, *, neighbours: str = "replace") -> Profile:
        """Upper profile over all neighbours, from the noise in use.

        Parameters
        ----------
        problem : problem of the mechanism's kind
        neighbours : {"replace", "add_remove"}
            One record replaced, or one more or less. Refused with the reason where there is no such guarantee.
        """
        p = self.checked(problem)
        if validation.choice("neighbours", neighbours, NEIGHBOURS) == "replace":
            return self._guarantee(p)
        if self.replace_only:
            raise validation.invalid("neighbours", f"'replace': {self.replace_only}", neighbours)
        missing = [name for name in self.fixed if getattr(self, name) is None]
        if missing:
            must_be = f"'replace' unless these are given, which depend on n else: {', '.join(missing)}"
            raise validation.invalid("neighbours", must_be, neighbours)
        return self._add_remove(p)

    def pair_profile(self, problem: Any, neighbour: Any) -> Profile:
        """Upper profile of one pair that differs in at most one record: the guarantee, where no more is known of it."""
        p = self.checked(problem)
        single_change(p, neighbour)
        return self._guarantee(p)

    def _guarantee(self, problem: Any) -> Profile:
        """Upper profile over all data sets that differ in one record."""
        raise NotImplementedError

    def _add_remove(self, problem: Any) -> Profile:
        """Upper profile over all data sets of which one has a record more: that of a mean over the records."""
        return as_add_remove(self._guarantee(problem), MEANS)


class BySingleTrials(Mechanism):
    """A mechanism that draws one trial after the other: a call may take all of them at once."""

    def _width(self, problem: Any, trials: int) -> int:
        return trials
