"""Each algorithm's inner loop is a kernel that a call of the mechanism reaches; where it is not, the reason stands."""

import re
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from registry import HEAVY_MECHANISMS, MECHANISMS, PUBLIC_MECHANISMS, problem

from dpbench.core.kernel import Kernel
from dpbench.papers.glm.algorithms import centres
from lowerbounds import (
    chaudhuri_hsu,
    fingerprinting,
    large_radius,
    nonprivate,
    norm_packing,
    packing,
)

pytestmark = pytest.mark.meta

CASES = {case.name: case for case in (*MECHANISMS, *PUBLIC_MECHANISMS, *HEAVY_MECHANISMS)}


def _each(kinds, kernels):
    return {kind: set(kernels) for kind in kinds}


QUADRATIC = ("squared", "half-squared", "linear")
GENERAL = ("logistic", "huber", "absolute", "capped-linear")
_CLASSES = {
    "thresholds": {"scan_thresholds"},
    "intervals": {"scan_intervals"},
    "stumps": {"scan_stumps"},
    "halfspaces": {"axis_ends", "turn"},
    "finite": {"sum_cells", "scan_table"},
    "table": {"sum_cells", "scan_table"},
    "cube": {"sum_cells", "choose_signs"},
    "ball-squared": {"least_quadratics"},
}
_CONVEX = {
    **{f"constants-{loss}": {"scan_pieces"} for loss in ("absolute", "squared", "huber")},
    "ball-huber": {"newton", "least_quadratics"},
    "hull-absolute": {"newton"},
}
INNER = {
    "noisy-gd": {
        **_each(QUADRATIC, {"noisy_gd_axes"}), **_each(GENERAL, {"noisy_gd_records"}),
    },
    "jl": {
        **_each(QUADRATIC, {"fill_map", "noisy_gd_axes"}),
        **_each(GENERAL, {"fill_map", "noisy_gd_single"}),
    },
    "output-perturbation": {**_each(("squared", "half-squared"), {"add_pass"}), **_each(GENERAL, {"newton"})},
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

_BLOCKS = {"records": {"compress_rows", "sign_block_labels"}, "moments": {"sign_block_moments"}}
CONSTRUCTIONS = {
    "packing": (lambda: packing(60, 4, 0.5, 1e-6), {**_BLOCKS, "excess": {"sign_distances"}}),
    "norm packing": (lambda: norm_packing(60, 4, 0.3), {**_BLOCKS, "excess": {"sign_distances"}}),
    "chaudhuri_hsu": (lambda: chaudhuri_hsu(31, 0.5, 1e-5, distance=3), {**_BLOCKS, "excess": {"sign_distances"}}),
    "fingerprinting": (
        lambda: fingerprinting(40, 6, 0.2, active=4, mass=0.5, beta=0.5, constants="tight"),
        {"records": {"compress_rows", "draw_fingerprints"}, "excess": {"absolute_excess"}},
    ),
    "nonprivate, cube": (
        lambda: nonprivate(60, 4),
        {"records": {"compress_rows", "draw_cube"}, "moments": {"draw_cube"}, "excess": {"sign_distances"}},
    ),
    "nonprivate, rare record": (
        lambda: nonprivate(60, 1, radius=7.0),
        {"records": {"compress_rows", "draw_hits"}, "moments": {"draw_hits"}, "excess": {"distances"}},
    ),
    "nonprivate, two pieces": (
        lambda: nonprivate(50, theorem="16", y_bound=2.0, radius=3.0),
        {"records": {"compress_rows", "draw_hits"}, "excess": {"two_piece_excess"}},
    ),
    "large radius": (lambda: large_radius(60, 2, 0.5, radius=3.0), {"records": set(), "moments": set(),
                                                                  "excess": {"distances"}}),
}  # fmt: skip
"""By construction: kernels that its records, its statistics (where the loss is quadratic) and its excess risks reach.

The records of the large-radius pair are five runs of equal numbers, which NumPy fills as fast as memory takes them, and
its statistics are five numbers."""


WITHOUT = {
    ("output-perturbation", "linear"): "closed form: one product of X' and y, and a scaling",
}
"""Where there is no loop to compile."""


@contextmanager
def reached():
    """Inside, the names of the kernels that Python calls."""
    names = set()
    call = Kernel.__call__

    def noted(self, *arguments):
        names.add(self.__name__)
        return call(self, *arguments)

    Kernel.__call__ = noted
    try:
        yield names
    finally:
        Kernel.__call__ = call


def missing(name, kind, run=None):
    """Kernels that one call of the mechanism on a problem of the kind should reach and does not."""
    centres.centres.clear()
    case = CASES[name]
    data, made = case.problem(kind), case.make()
    with reached() as names:
        if run is None:
            made(data, 1, np.random.default_rng(0))
        else:
            run(made, data)
    return INNER[name].get(kind, set()) - names


@pytest.mark.parametrize("name", CASES)
def test_the_inner_loop_of_each_algorithm_is_a_kernel(name):
    for kind in CASES[name].kinds:
        assert kind in INNER[name] or WITHOUT[name, kind]
        assert not missing(name, kind), (name, kind)


def test_sparse_records_run_in_kernels_too():
    for name, kernel in (
        ("noisy-gd", "noisy_gd_sparse"), ("output-perturbation", "newton"), ("grid-search", "add_clipped"),
    ):  # fmt: skip
        centres.centres.clear()
        with reached() as names:
            CASES[name].make()(problem("logistic", as_sparse=True), 1, np.random.default_rng(0))
        assert kernel in names


def absent(name, part, family=None):
    """Kernels that a part of a construction should reach and does not."""
    build, parts = CONSTRUCTIONS[name]
    made, rng = build() if family is None else family, np.random.default_rng(0)
    member = made.members(rng)
    with reached() as names:
        if part == "records":
            made.instances(member, rng)
        elif part == "moments":
            assert made.moments is not None
            made.moments([member], [rng])
        else:
            made.excess(member, np.zeros((2, made.d)))
    return parts[part] - names


@pytest.mark.parametrize("name", CONSTRUCTIONS)
def test_the_inner_loops_of_each_construction_are_kernels(name):
    build, parts = CONSTRUCTIONS[name]
    family = build()
    assert (family.moments is not None) == ("moments" in parts)
    for part in parts:
        assert not absent(name, part), part


def test_the_guide_s_table_of_constructions_is_this_one():
    """Each row's kernels are those asserted here; planted: a construction that leaves its kernel."""
    text = (Path(__file__).resolve().parents[2] / "docs" / "guide" / "lower_bounds.md").read_text(encoding="utf-8")
    text = text.partition("| construction |")[2].partition("\n\n")[0]
    table = re.findall(r"^\| `([a-z_, ]+)` \| [^|]+ \| (.+) \|$", text, flags=re.MULTILINE)
    rows = {name: set(re.findall(r"`(\w+)`", kernels)) for name, kernels in table}
    tested = {name: set().union(*parts.values()) for name, (_, parts) in CONSTRUCTIONS.items()}
    assert tested.pop("norm packing") == tested["packing"]
    assert rows == tested
    idle = packing(60, 4, 0.5, 1e-6)
    vars(idle)["moments"] = lambda members, rngs: None
    assert absent("packing", "moments", idle) == {"sign_block_moments"}


def test_an_algorithm_that_leaves_its_kernel_is_noticed():
    """Planted: a mechanism that answers without its loop, and an empty table."""

    def idle(made, data):
        return np.zeros((1, data.d))

    assert missing("noisy-gd", "logistic", idle) == {"noisy_gd_records"}
    assert all(kernels for kinds in INNER.values() for kernels in kinds.values())
    assert set(INNER) == set(CASES)
