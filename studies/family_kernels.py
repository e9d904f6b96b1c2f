"""``python -m studies.family_kernels``: `excesses` and `moments` of families through the API, beside NumPy's batch.

Members come as one matrix, outputs as one array, in both. Sizes are numbers of coordinates, 64 to 1e6; 25 alternating
pairs in one process, one thread, median ratio of processor times. NumPy's batch checks nothing and makes no record.
The statistics of families with random data are draws, which NumPy makes as fast, and are left out. Exit 1 if a ratio is
below 2.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from rich.table import Table

from dpbench.core.blas import one_blas_thread
from lowerbounds import HardFamily, fingerprinting, nonprivate, packing
from studies.command import Measured, command

SIZES = (64, 1_000, 10_000, 100_000, 1_000_000)
PAIRS = 25
PROMISED = 2.0


def packing_excesses(family: HardFamily, sigma: np.ndarray, outputs: np.ndarray) -> np.ndarray:
    """The display of `packing`'s docstring, in array calls."""
    p = family.parameters
    gaps = outputs[:, :, : sigma.shape[1]] - sigma[:, None, :] * p["target"]
    return p["fraction"] / p["active"] * (gaps**2).sum(axis=2)


def cube_excesses(family: HardFamily, sigma: np.ndarray, outputs: np.ndarray) -> np.ndarray:
    """Theorem 17's cube with x_bound = 1: half the mean over coordinates of the squared distance."""
    gaps = outputs[:, :, : sigma.shape[1]] - sigma[:, None, :] * family.parameters["target"]
    return 0.5 / sigma.shape[1] * (gaps**2).sum(axis=2)


def fingerprint_excesses(family: HardFamily, means: np.ndarray, outputs: np.ndarray) -> np.ndarray:
    """Theorem 11 with x_bound = 1: mean absolute error of bits times the scale, less that of the minimiser."""
    p, mean = family.parameters, means[:, None, :]
    w, scale = outputs[:, :, : means.shape[1]], p["scale"]
    best = scale * np.minimum(mean, 1.0 - mean)
    risk = mean * np.abs(scale - w) + (1.0 - mean) * np.abs(w)
    return p["mass"] / p["active"] * (risk - best).sum(axis=2)


def numpy_moments(family: HardFamily, sigma: np.ndarray, d: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Diagonal of XᵀX/n, Xᵀy/n and yᵀy/n for x_bound = y_bound = 1."""
    p, n = family.parameters, family.n
    second, cross = np.zeros((1, d)), np.zeros((len(sigma), d))
    second[0, : sigma.shape[1]] = p["block"] / n
    cross[:, : sigma.shape[1]] = sigma * p["distance"] / n
    return second, cross, np.full(len(sigma), p["fraction"])


def ratio(ours: Callable[[], Any], peer: Callable[[], Any], size: int) -> tuple[float, float, float]:
    """Median ratio of the peer's time to ours, and both medians in microseconds."""
    repeats = max(1, 20_000 // size)
    taken = np.empty((PAIRS, 2))
    for pair in taken:
        for place, run in enumerate((ours, peer)):
            start = time.process_time_ns()
            for _ in range(repeats):
                run()
            pair[place] = (time.process_time_ns() - start) / repeats / 1e3
    return float(np.median(taken[:, 1] / taken[:, 0])), *map(float, np.median(taken, axis=0))


def signs(rng: np.random.Generator, members: int, active: int) -> np.ndarray:
    """Members that are vectors of signs."""
    return 2.0 * rng.integers(0, 2, (members, active)) - 1.0


CASES: dict[str, tuple[HardFamily, Callable[..., np.ndarray], Callable[..., np.ndarray]]] = {
    "packing": (packing(2000, 16, 0.5, 1e-9), signs, packing_excesses),
    "cube": (nonprivate(2000, 16), signs, cube_excesses),
    "fingerprinting": (fingerprinting(2000, 16, 0.5, 1e-9, comparison="minimiser", constants="tight"),
                       lambda rng, members, active: rng.random((members, active)), fingerprint_excesses),
}  # fmt: skip


def runs(name: str, size: int) -> dict[str, tuple[Callable[[], Any], Callable[[], Any]]]:
    """Ours and NumPy's, held against each other before they are timed."""
    family, draw, peer = CASES[name]
    rng, active = np.random.default_rng(0), int(family.parameters["active"])
    chosen = draw(rng, max(1, size // active), active)
    outputs = rng.standard_normal((len(chosen), 1, family.d))
    np.testing.assert_allclose(family.excesses(chosen, outputs), peer(family, chosen, outputs), rtol=1e-9, atol=1e-12)
    found: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
        "excesses": (lambda: family.excesses(chosen, outputs), lambda: peer(family, chosen, outputs))
    }
    if name == "packing":
        moments = family.moments
        assert moments is not None
        made = moments(chosen, ())
        for mine, other in zip(
            (made.second, made.cross, made.square), numpy_moments(family, chosen, family.d), strict=True
        ):
            np.testing.assert_allclose(mine, other, rtol=1e-12, atol=1e-15)
        found["moments"] = (lambda: moments(chosen, ())), (lambda: numpy_moments(family, chosen, family.d))
    return found


def measured() -> Measured:
    """Every function at every size."""
    table = Table("family", "function", "coordinates", "ours, us", "NumPy, us", "ratio")
    rows = []
    with one_blas_thread():
        for name in CASES:
            for size in SIZES:
                for function, (ours, peer) in runs(name, size).items():
                    median, mine, theirs = ratio(ours, peer, size)
                    rows.append({"family": name, "function": function, "coordinates": size, "ours": mine,
                                 "numpy": theirs, "ratio": median})  # fmt: skip
                    table.add_row(name, function, f"{size:,}", f"{mine:.1f}", f"{theirs:.1f}", f"{median:.2f}")
    return {"promised": PROMISED, "rows": rows}, (table,), all(row["ratio"] >= PROMISED for row in rows)


def main(arguments: list[str] | None = None) -> int:
    """The command; 1 if a ratio is below the promised one."""
    return command("studies.family_kernels", __doc__, arguments, measured, {})


if __name__ == "__main__":
    sys.exit(main())
