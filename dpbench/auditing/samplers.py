"""Samplers from functions of one call and one result: `each`."""

from __future__ import annotations

import contextlib
import inspect
import random
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpbench.core import validation
from dpbench.core.validation import InvalidInput, invalid

_GLOBAL = threading.RLock()


def each(function: Callable[..., Any], *, exceptions: str = "raise") -> Each:
    """A sampler, as `dpbench.audit` takes it, from a function that is called once a run.

    Parameters
    ----------
    function : callable
        ``function(dataset, rng) -> result`` with a fresh seeded `numpy.random.Generator`, or ``function(dataset) ->
        result``: then the global generators of `random`, of NumPy and (if it is loaded) of PyTorch are seeded before
        each call. After a block the first two are put back, and PyTorch's seeded afresh: no later noise is known. Noise
        from anywhere else (the operating system, a device) stays as it is.
        Results of any kind: an audit takes them apart, by one layout, learned from its choosing part.
    exceptions : {"raise", "output"}
        "output": an exception of a run is its result, as the text that an analyst sees ("ValueError: ..."); one that is
        raised on one data set alone tells which. By default the audit ends with it.

    Returns
    -------
    Each
        ``sampler(dataset, trials, rng) -> array`` of the results as they are. For calls in processes, give the audit an
        executor as ``workers``.

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
    return Each(function, takes_rng)


@dataclass(frozen=True)
class _Caught:
    """A function whose exceptions are results."""

    function: Callable[..., Any]

    @property
    def __name__(self) -> str:
        return sampler_name(self.function)

    def __call__(self, *given: Any) -> Any:
        try:
            return self.function(*given)
        except Exception as error:
            return f"{type(error).__name__}: {error}"


@dataclass(frozen=True)
class Each:
    """What `each` returns."""

    function: Callable[..., Any]
    takes_rng: bool

    @property
    def __name__(self) -> str:
        return sampler_name(self.function)

    def __call__(self, dataset: Any, trials: int, rng: np.random.Generator) -> np.ndarray:
        results = self.results(dataset, trials, rng)
        try:
            return np.array(results)
        except ValueError:
            raise invalid("results", "of one shape, where no audit takes them as they are", results) from None

    def results(self, dataset: Any, trials: int, rng: np.random.Generator) -> list[Any]:
        """The results themselves, as an audit takes them, which learns a layout from its choosing part."""
        seeds = rng.integers(0, 2**63, size=trials)
        if self.takes_rng:
            return [self.function(dataset, np.random.Generator(np.random.PCG64DXSM(int(seed)))) for seed in seeds]
        results = []
        with global_state_kept():
            for seed in seeds:
                seed_all(int(seed))
                results.append(self.function(dataset))
        return results


def sampler_name(sampler: Any) -> str:
    """What messages call a sampler or a function: its own name, or its type's."""
    return str(getattr(sampler, "__name__", None) or type(sampler).__name__)


def seed_all(seed: int) -> None:
    random.seed(seed)
    np.random.seed(seed & 0xFFFFFFFF)  # noqa: NPY002 - the state that functions without a generator draw from
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.manual_seed(seed)


@contextlib.contextmanager
def global_state_kept() -> Iterator[None]:
    """The global generators are ours for a while: one thread at a time, and none keeps a seed of ours."""
    with _GLOBAL:
        kept = random.getstate(), np.random.get_state()  # noqa: NPY002
        try:
            yield
        finally:
            random.setstate(kept[0])
            np.random.set_state(kept[1])  # noqa: NPY002
            if "torch" in sys.modules:
                sys.modules["torch"].seed()


def takes_rng_of(function: Callable[..., Any]) -> bool:
    """Whether it takes a generator after the data set; what fits neither form is refused."""
    try:
        named = [*inspect.signature(function).parameters][1:2]
    except (TypeError, ValueError):
        return False  # a builtin: its data set alone
    if accepts(function, 1):
        return accepts(function, 2) and named in (["rng"], ["generator"], ["random_state"])
    if accepts(function, 2):
        return True
    if accepts(function, 3):
        raise InvalidInput(
            "function must be of one call and one result, got a sampler (dataset, trials, rng): hand it to audit as is"
        )
    raise invalid("function", "callable as function(dataset) or function(dataset, rng)", function)


def accepts(function: Callable[..., Any], count: int) -> bool:
    """Whether it can be called with so many arguments, as far as its signature tells."""
    try:
        inspect.signature(function).bind(*[None] * count)
    except TypeError:
        return False
    except ValueError:  # it has none
        return True
    return True
