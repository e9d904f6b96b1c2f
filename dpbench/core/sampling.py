"""Seeds, blocks, `sample` and `release`: written once, for our mechanisms and for users'.

A block of trials has its own ``Generator(PCG64DXSM)``, seeded by SHA-256 of names: the bits depend neither on the
number of workers nor on the order of the blocks, and a resumed run draws the same numbers.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from functools import cached_property, partial
from typing import Any, Protocol

import numpy as np

from dpbench.core import validation
from dpbench.core.bits import SystemGenerator
from dpbench.core.blas import one_blas_thread


class Sampler(Protocol):
    """What is itself a sampler: ``m(problem, trials, rng) -> float64[trials, width]``.

    Implement this protocol (plus `guarantee`, if the privacy is known) to bring a mechanism of your own to
    `sample` and `audit`. Its seeds name it by `stable_name` (default: its class's or function's name) and by its
    parameters: the fields of a dataclass that differ from their defaults, or the public attributes of any other
    instance as far as `canonical` can name them all. Instances it cannot tell apart share their seeds, hence
    their noise.

    Ours have a base, `dpbench.privacy.mechanism.Mechanism`, which gives all but a kernel and a guarantee.

    One that always draws whole blocks, so that a trial does not depend on how many were asked for, may have a method
    ``block(problem, width, rng) -> float64[width, ...]`` beside it, of the same law, that computes `width` trials and
    nothing beyond them: `release` calls it, and a trial of a release is no trial of a call.
    """

    def __call__(self, problem: Any, trials: int, rng: np.random.Generator) -> np.ndarray: ...


def canonical(value: Any) -> str:
    """A text that names a value exactly: equal values give equal texts on every machine.

    A dataclass is named by its stable name and by those init fields that differ from their defaults, so that a new
    field with a default changes no seed; by its `digest` where it has one; by the fields listed in its class
    attribute `named_by` where the others follow from these.
    """
    if is_dataclass(value) and not isinstance(value, type):
        digest = getattr(value, "digest", None)
        if digest is not None:
            return f"{stable_name(value)}:{digest}"
        inner = ",".join(f"{name}={canonical(getattr(value, name))}" for name in _naming_fields(value))
        return f"{stable_name(value)}({inner})"
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return float(value).hex()
    if value is None or isinstance(value, str):
        return repr(value)
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        value = value.astype(value.dtype.newbyteorder("="), copy=False)
        body = hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
        return f"array({value.dtype.str},{value.shape},{body})"
    if isinstance(value, dict):
        return "{" + ",".join(f"{k!r}:{canonical(v)}" for k, v in sorted(value.items())) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(canonical(v) for v in value) + "]"
    raise validation.invalid("a part of a seed", "a number, text, array, list, dict or dataclass", value)


def _naming_fields(value: Any) -> list[str]:
    """Fields of a dataclass that take part in its name: see `canonical`."""
    declared = getattr(type(value), "named_by", None)
    if declared is not None:
        return list(declared)
    return [f.name for f in fields(value) if f.init and not _is_default(f, getattr(value, f.name))]


def _is_default(field: Field[Any], value: Any) -> bool:
    if field.default is not MISSING:
        default = field.default
    elif field.default_factory is not MISSING:
        default = field.default_factory()
    else:
        return False
    return type(default) is type(value) and canonical(default) == canonical(value)


def stream(*names: Any) -> np.random.Generator:
    """The generator that belongs to these names: PCG64DXSM seeded by SHA-256 of `canonical(names)`."""
    digest = hashlib.sha256(canonical(names).encode()).digest()
    return np.random.Generator(np.random.PCG64DXSM(int.from_bytes(digest, "big")))


def block_width(problem: Any) -> int:
    """Trials in a block: a multiple of 8 from 64 down to 8, a function of the problem's dimension alone."""
    dimension = int(getattr(problem, "d", 1))
    return 8 * max(1, min(8, 16384 // max(dimension, 1)))


def stable_name(mechanism: Any) -> str:
    """The name that a mechanism goes by in seeds and messages; a class may fix it as `stable_name`."""
    own = getattr(mechanism, "__name__", type(mechanism).__name__)
    return str(getattr(mechanism, "stable_name", own))


def parameters(mechanism: Any) -> Any:
    """What stands for a mechanism's parameters in seeds: see `Sampler`."""
    if is_dataclass(mechanism):
        return mechanism
    attributes = public_attributes(mechanism)
    try:
        canonical(attributes)
    except (validation.InvalidInput, TypeError):  # a dict of mixed keys cannot be sorted
        return None
    return attributes


def public_attributes(value: Any) -> dict[str, Any] | None:
    """Attributes of an instance that name it: neither private ones nor cached properties; None where it has none."""
    attributes = getattr(value, "__dict__", None)
    if attributes is None:
        return None
    kind = type(value)
    return {
        name: part
        for name, part in attributes.items()
        if not str(name).startswith("_") and not isinstance(getattr(kind, str(name), None), cached_property)
    }


def sample_block(mechanism: Any, problem: Any, block: int, seed: int) -> np.ndarray:
    """Block number `block` of the trials of a mechanism, always of full width."""
    rng = stream(seed, stable_name(mechanism), parameters(mechanism), problem.digest, block)
    with one_blas_thread():
        return _outputs(mechanism, problem, block_width(problem), rng, stable_name(mechanism))


def block_of(mechanism: Any, problem: Any, width: int, rng: np.random.Generator) -> np.ndarray:
    """`width` trials side by side, from the mechanism's own `block` where it has one (see `Sampler`)."""
    block = getattr(mechanism, "block", None)
    outputs: np.ndarray = (block if callable(block) else mechanism)(problem, width, rng)
    return outputs


def _outputs(draw: Any, problem: Any, trials: int, rng: np.random.Generator, name: str) -> np.ndarray:
    """What a mechanism of that name returns, checked to be numbers, one row a trial."""
    what = f"the array that mechanism {name} returns"
    outputs = _one_row_a_trial(what, draw(problem, trials, rng), trials)
    if outputs.ndim != 2 or outputs.dtype.kind not in "fiub":
        raise validation.invalid(what, f"of numbers, of shape ({trials}, width)", outputs)
    return outputs


def _one_row_a_trial(what: str, outputs: Any, trials: int) -> np.ndarray:
    must_be = f"one whose first axis is the {trials} trials asked for"
    try:
        rows = np.asarray(outputs)
    except ValueError as error:
        raise validation.invalid(what, must_be, outputs) from error
    if rows.ndim == 0 or rows.shape[0] != trials:
        raise validation.invalid(what, must_be, rows if rows.ndim else outputs)
    return rows


def check_rng(rng: Any) -> None:
    """Refuse what is no Generator: each mechanism of ours asks this before it draws."""
    if not isinstance(rng, np.random.Generator):
        raise validation.invalid("rng", "a numpy.random.Generator", rng)


def _check(mechanism: Any, problem: Any) -> None:
    if not callable(mechanism) or isinstance(mechanism, type):
        raise validation.invalid("mechanism", "an instance, callable as mechanism(problem, trials, rng)", mechanism)
    if not isinstance(getattr(problem, "digest", None), str):
        raise validation.invalid("problem", "a GLMProblem, or a problem of yours with a text `digest`", problem)


def sample(
    mechanism: Any,
    problem: Any,
    trials: int,
    seed: int = 0,
    workers: int | Executor = 1,
    statistic: Callable[[np.ndarray], np.ndarray] | None = None,
) -> np.ndarray:
    """Independent runs of a mechanism on one problem.

    Parameters
    ----------
    mechanism : Sampler
    problem : GLMProblem or other problem
    trials : int
        Runs, at least 1.
    seed : int
        ``sample(p, 100)`` is a prefix of ``sample(p, 200)`` with the same seed.
    workers : int or concurrent.futures.Executor
        Threads of this process, or an executor of yours. The bits do not depend on it.
    statistic : callable, optional
        Applied to each block of outputs as it is made; only its result is kept, so that memory does not grow
        with the width of the outputs.

    Returns
    -------
    ndarray, shape (trials, width) or statistic's shape with first axis `trials`

    Raises
    ------
    InvalidInput
        A parameter cannot be used, or the mechanism or the statistic returns no row for each trial, or rows of
        different shapes in different blocks.
    """
    _check(mechanism, problem)
    if statistic is not None and not callable(statistic):
        raise validation.invalid("statistic", "callable on an array of shape (trials, width), or None", statistic)
    trials = validation.integer("trials", trials, at_least=1)
    seed = validation.integer("seed", seed, at_least=0)
    width = block_width(problem)
    blocks = range(-(-trials // width))

    with one_blas_thread():
        parts = map_blocks(partial(_statistic_of_block, mechanism, problem, seed, statistic), blocks, workers)
    shapes = sorted({part.shape[1:] for part in parts})
    if len(shapes) > 1:
        what = f"mechanism {stable_name(mechanism)}" if statistic is None else "statistic"
        raise validation.invalid(f"the rows that {what} returns", "of one shape in every block", shapes)
    return np.concatenate(parts)[:trials]


def _statistic_of_block(
    mechanism: Any, problem: Any, seed: int, statistic: Callable[[np.ndarray], np.ndarray] | None, block: int
) -> np.ndarray:
    outputs = sample_block(mechanism, problem, block, seed)
    if statistic is None:
        return outputs
    return _one_row_a_trial("the array that statistic returns", statistic(outputs), len(outputs))


def map_blocks(function: Callable[[Any], Any], blocks: Any, workers: int | Executor) -> list[Any]:
    """`[function(b) for b in blocks]`, on threads or on an executor; results in the order of `blocks`."""
    if isinstance(workers, Executor):
        return list(workers.map(function, blocks))
    count = validation.integer("workers", workers, at_least=1)
    if count == 1 or len(blocks) == 1:
        return [function(block) for block in blocks]
    with ThreadPoolExecutor(count) as pool:
        try:
            return list(pool.map(function, blocks))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


@dataclass(frozen=True)
class Release:
    """One output of a mechanism, with what made it.

    Of a mechanism with ``arithmetic="exact"`` and without a seed, what is released is private as its guarantee says, to
    the last bit. Of any other it is for measurement and research: its noise is floating-point. A seed makes the noise
    known to whoever knows the seed. What a run met on the way (`mechanism.diagnose`) is never in here.

    Attributes
    ----------
    output : ndarray, shape (width,)
    info : dict
        Mechanism, its parameters, the guarantee in words, and the seed (None for fresh entropy).
    """

    output: np.ndarray
    info: dict[str, Any]

    @property
    def w(self) -> np.ndarray:
        """The weight vector, where the output is one."""
        return self.output

    def predict(self, points: Any) -> np.ndarray:
        """⟨w, x⟩ for each row of `points`, shape (m, d)."""
        return validation.array("points", points, ndim=2, width=self.output.shape[0]) @ self.output


def release(mechanism: Any, problem: Any, seed: int | None = None) -> Release:
    """Run a mechanism once. `seed=None` takes all its randomness from the operating system.

    That holds of mechanisms with ``arithmetic="exact"``; those in floating point then have PCG64DXSM under fresh bits,
    which is not cryptographic. Their guarantees idealise real numbers: use them for measurement and research.
    """
    _check(mechanism, problem)
    if seed is None and getattr(mechanism, "arithmetic", "float") == "exact":
        rng: np.random.Generator = SystemGenerator()
    else:
        entropy = secrets.randbits(256) if seed is None else validation.integer("seed", seed, at_least=0)
        rng = stream("release", entropy, stable_name(mechanism), parameters(mechanism), problem.digest)
    with one_blas_thread():
        output = _outputs(partial(block_of, mechanism), problem, 1, rng, stable_name(mechanism))[0]
    info: dict[str, Any] = {"mechanism": stable_name(mechanism), "parameters": repr(mechanism), "seed": seed}
    if hasattr(mechanism, "guarantee"):
        profile = mechanism.guarantee(problem)
        info |= {"guarantee": profile.why, "kind": profile.kind, "neighbours": profile.neighbours}
    return Release(output, info)


def nothing_to_diagnose(mechanism: Any, problem: Any) -> dict[str, Any]:
    """`diagnose` of a mechanism that meets nothing on its way: {}.

    What `diagnose` returns depends on the data, is not private, and is in no release.
    """
    _check(mechanism, problem)
    return {}
