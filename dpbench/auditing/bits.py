"""`audit_bits`: the last bits of floating-point outputs.

Noise added in floating point is porous: which doubles can come out depends on the true answer (Mironov, "On
Significance of the Least Significant Bits for Differential Privacy", CCS 2012). A sum 1 + x keeps no bit
below the grid of its larger operand, so the place of the lowest set bit alone distinguishes the answers 0 and 1.
The audit is that of `dpbench.audit`, on features of the 64-bit pattern instead of the value.
"""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpbench.auditing.audit import Progress, Sampler, audit
from dpbench.auditing.result import AuditResult
from dpbench.auditing.samplers import sampler_name
from dpbench.core import validation

FEATURES = ("exponent of the lowest set bit", "trailing zeros", "exponent", "last three bits", "sign")


def bit_features(numbers: np.ndarray) -> np.ndarray:
    """Five integers for each double (see `FEATURES`).

    Parameters
    ----------
    numbers : float64, any shape (n,) or (n, k)

    Returns
    -------
    int16, shape (n, 5 k)
        Zero counts as a subnormal with 53 trailing zeros; infinities and NaN have exponent 1024.
    """
    columns = np.ascontiguousarray(numbers[:, None] if numbers.ndim == 1 else numbers, dtype=np.float64)
    pattern = columns.view(np.uint64)
    field = ((pattern >> np.uint64(52)) & np.uint64(0x7FF)).astype(np.int64)
    fraction = pattern & np.uint64((1 << 52) - 1)
    mantissa = np.where(field > 0, fraction | np.uint64(1 << 52), fraction)
    lowest = mantissa & (~mantissa + np.uint64(1))
    zeros = np.where(mantissa > 0, np.log2(np.maximum(lowest, 1).astype(np.float64)), 53).astype(np.int64)
    exponent = np.maximum(field, 1) - 1023
    features = [
        exponent - 52 + zeros,
        zeros,
        exponent,
        (pattern & np.uint64(7)).astype(np.int64),
        (pattern >> np.uint64(63)).astype(np.int64),
    ]
    return np.concatenate(features, axis=1).astype(np.int16)


@dataclass(frozen=True)
class BitFeatures:
    """A sampler of bit features made from a sampler of floats."""

    sampler: Sampler

    def __post_init__(self) -> None:
        # Messages speak of the user's sampler.
        object.__setattr__(self, "__name__", sampler_name(self.sampler))

    def __call__(self, dataset: Any, trials: int, rng: np.random.Generator) -> np.ndarray:
        outputs = validation.native("outputs", self.sampler(dataset, trials, rng), "floating-point numbers")
        if outputs.dtype.kind != "f":
            raise validation.invalid("outputs", "floating-point numbers in audit_bits", outputs)
        if outputs.ndim not in (1, 2) or len(outputs) != trials:
            return outputs  # refused, with the message that every audit gives
        return bit_features(outputs)


def audit_bits(
    sampler: Sampler,
    dataset: Any,
    neighbour: Any,
    *,
    epsilon: float | None = None,
    delta: float = 0.0,
    trials: int | str = 1_000_000,
    confidence: float = 0.999,
    seed: int = 0,
    workers: int | Executor = 1,
    progress: Progress | None = None,
) -> AuditResult:
    """Bound ε from below by the bit patterns of floating-point outputs.

    Parameters, returns and errors are those of `dpbench.audit`; the sampler must return floats. A refutation
    says that the implementation leaks, not that the mechanism over the real numbers does. A mechanism whose
    outputs lie on one grid whatever the data (snapped, rounded, discrete) passes.
    """
    if not callable(sampler):
        raise validation.invalid("sampler", "callable as sampler(dataset, trials, rng)", sampler)
    return audit(
        BitFeatures(sampler),
        dataset,
        neighbour,
        epsilon=epsilon,
        delta=delta,
        trials=trials,
        confidence=confidence,
        seed=seed,
        workers=workers,
        progress=progress,
    )
