"""Each algorithm's inner loop is a kernel that a call of the mechanism reaches; where it is not, the reason stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from registry import HEAVY_MECHANISMS, MECHANISMS, PUBLIC_MECHANISMS, problem

from dpbench.core.kernel import Kernel
from dpbench.glm import output_perturbation
from dpbench.glm.noisy_gd import NoisyGD

CASES = {case.name: case for case in (*MECHANISMS, *PUBLIC_MECHANISMS, *HEAVY_MECHANISMS)}


def _each(kinds: tuple[str, ...], kernels: set[str]) -> dict[str, set[str]]:
    return {kind: set(kernels) for kind in kinds}


QUADRATIC = ("squared", "half-squared", "linear")
GENERAL = ("logistic", "huber", "absolute", "capped-linear")
_CLASSES = {
    "thresholds": {"scan_thresholds"},
    "intervals": {"scan_intervals"},
    "stumps": {"scan_stumps"},
    "halfspaces": {"line_angles", "turn_lines"},
    "finite": {"sum_cells", "scan_table"},
    "table": {"sum_cells", "scan_table"},
    "cube": {"sum_cells", "choose_signs"},
    "ball-squared": {"solve_secular"},
}
_CONVEX = {
    **{f"constants-{loss}": {"scan_pieces"} for loss in ("absolute", "squared", "huber")},
    "ball-huber": {"newton_steps"},
    "hull-absolute": {"newton_steps"},
}
INNER: dict[str, dict[str, set[str]]] = {
    "noisy-gd": {
        **_each(QUADRATIC, {"noisy_gd_axes"}), **_each(GENERAL, {"noisy_gd_records"}),
    },
    "jl": {
        **_each(QUADRATIC, {"fill_map", "noisy_gd_axes"}),
        **_each(GENERAL, {"fill_map", "noisy_gd_single"}),
    },
    "output-perturbation": _each(("squared", "half-squared", *GENERAL), {"add_pass"}),
    "grid-search": {
        **_each(QUADRATIC, {"selection_logs"}),
        **_each(GENERAL, {"add_clipped", "selection_logs"}),
    },
    "boosting": _each((*QUADRATIC, *GENERAL), {"add_clipped"}),
    "averaged-perturbation": _CLASSES,
    "rrspm-laplace": _CLASSES,
    "rrspm-gaussian": _CLASSES,
    "rspm": _CLASSES,
    "regularized-perturbation": {**_CLASSES, **_CONVEX},
    "regularized-laplace": {**_CLASSES, **_CONVEX},
    "exponential-enumerate": _each(("ball", "box"), {"truncated_sums"}),
    "exponential-tree": _each(("ball", "box"), {"bound_boxes", "split_boxes", "pilot", "draw"}),
}  # fmt: skip
"""By mechanism and kind of problem: kernels that a call must reach."""

WITHOUT = {
    ("output-perturbation", "linear"): "closed form: one product of X' and y, and a scaling",
}
"""Where there is no loop to compile. What noisy max and the baselines of the heavy-tailed paper would gain from kernels
is measured by ``python -m benchmarks.solver --rest``."""


@contextmanager
def reached() -> Iterator[set[str]]:
    """Inside, the names of the kernels that Python calls."""
    names: set[str] = set()
    call = Kernel.__call__

    def noted(self: Kernel, *arguments: Any) -> Any:
        names.add(self.__name__)
        return call(self, *arguments)

    Kernel.__call__ = noted  # type: ignore[method-assign]
    try:
        yield names
    finally:
        Kernel.__call__ = call  # type: ignore[method-assign]


def missing(name: str, kind: str, run: Callable[[Any, Any], Any] | None = None) -> set[str]:
    """Kernels that one call of the mechanism on a problem of the kind should reach and does not."""
    output_perturbation._centres.clear()
    case = CASES[name]
    data, made = case.problem(kind), case.make()
    with reached() as names:
        if run is None:
            made(data, 1, np.random.default_rng(0))
        else:
            run(made, data)
    return INNER[name].get(kind, set()) - names


@pytest.mark.parametrize("name", CASES)
def test_the_inner_loop_of_each_algorithm_is_a_kernel(name: str) -> None:
    for kind in CASES[name].kinds:
        assert kind in INNER[name] or WITHOUT[name, kind]
        assert not missing(name, kind), (name, kind)


def test_sparse_records_run_in_kernels_too() -> None:
    for name, kernel in (
        ("noisy-gd", "noisy_gd_sparse"), ("output-perturbation", "add_pass"), ("grid-search", "add_clipped"),
    ):  # fmt: skip
        output_perturbation._centres.clear()
        with reached() as names:
            CASES[name].make()(problem("logistic", as_sparse=True), 1, np.random.default_rng(0))
        assert kernel in names


def test_an_algorithm_that_leaves_its_kernel_is_noticed() -> None:
    """Planted: a mechanism that answers without its loop, and an empty table."""

    def idle(made: NoisyGD, data: Any) -> np.ndarray:
        return np.zeros((1, data.d))

    assert missing("noisy-gd", "logistic", idle) == {"noisy_gd_records"}
    assert all(kernels for kinds in INNER.values() for kernels in kinds.values())
    assert set(INNER) == set(CASES)
