"""The kernel decorator: one signature, a slow twin for each kernel, a digest of all that a kernel uses."""

from __future__ import annotations

import ast
import importlib
import pkgutil
from pathlib import Path
from types import ModuleType

import numba
import numpy as np
import pytest

import dpbench
import lowerbounds
from dpbench.convex import loss_kernels
from dpbench.core.kernel import KERNELS, Kernel, arr, compile_kernels, f8, kernel
from dpbench.core.sources import OURS, reached
from dpbench.papers.glm import losses
from dpbench.papers.glm.algorithms._loss_tiles import to_derivatives

TESTS = Path(__file__).resolve().parents[1]
ROOT = TESTS.parent

TWINS = {
    "dpbench.privacy._integer_kernels.discrete_laplace": (
        "naive.integer_noise:discrete_laplace",
        "test_integer_noise.py",
    ),
    "dpbench.privacy._integer_kernels.discrete_gaussian": (
        "naive.integer_noise:discrete_gaussian",
        "test_integer_noise.py",
    ),
    "dpbench.convex.loss_kernels.loss_value": ("naive.losses:value", "test_losses.py"),
    "dpbench.convex.loss_kernels.loss_derivative": ("naive.losses:derivative", "test_losses.py"),
    "dpbench.convex.loss_kernels.falling_logistic": ("naive.losses:derivative", "test_losses.py"),
    "dpbench.convex.loss_kernels.map_loss": ("naive.losses:value", "test_losses.py"),
    "dpbench.papers.glm.algorithms._noisy_gd_kernels.noisy_gd_axes": ("naive.noisy_gd:noisy_gd", "test_noisy_gd.py"),
    "dpbench.papers.glm.algorithms._noisy_gd_kernels.noisy_gd_records": ("naive.noisy_gd:noisy_gd", "test_noisy_gd.py"),
    "dpbench.papers.glm.algorithms._noisy_gd_kernels.noisy_gd_sparse": ("naive.noisy_gd:noisy_gd", "test_noisy_gd.py"),
    "dpbench.papers.glm.algorithms._noisy_gd_kernels.noisy_gd_single": ("naive.noisy_gd:noisy_gd", "test_jl.py"),
    "dpbench.papers.glm.algorithms._noisy_gd_kernels.noisy_step": ("naive.noisy_gd:noisy_gd", "test_noisy_gd.py"),
    "dpbench.papers.glm.algorithms._noisy_gd_kernels.add_product": ("naive.noisy_gd:product", "test_noisy_gd.py"),
    "dpbench.papers.glm.algorithms._loss_tiles.logistic_derivative": ("naive.losses:derivative", "test_losses.py"),
    "dpbench.papers.glm.algorithms._loss_tiles.to_derivatives": ("naive.losses:derivative", "test_losses.py"),
    "dpbench.papers.glm.algorithms._loss_tiles.to_mean_derivatives": ("naive.losses:derivative", "test_losses.py"),
    "dpbench.convex.loss_kernels.loss_curvature": ("naive.losses:curvature", "test_passes.py"),
    "dpbench.convex.loss_kernels.exponential": ("naive.losses:exponential", "test_losses.py"),
    "dpbench.convex.loss_kernels.log_one_plus_exp": ("naive.losses:value", "test_losses.py"),
    "dpbench.convex._passes.add_part": ("naive.erm:sums", "test_passes.py"),
    "dpbench.convex._passes.add_pass": ("naive.erm:sums", "test_passes.py"),
    "dpbench.privacy._selection_kernels.selection_logs": ("naive.selection:gen_exp_mech", "test_selection.py"),
    "dpbench.papers.glm.algorithms._score_kernels.add_clipped": (
        "naive.selection:mean_clipped_loss",
        "test_score_kernels.py",
    ),
    "dpbench.papers.glm.algorithms.random_map.fill_map": ("naive.jl:random_map", "test_jl.py"),
    "dpbench.papers.glm.algorithms.random_map.add_columns": ("naive.jl:projected", "test_jl.py"),
    "dpbench.papers.heavytail.algorithms._exact_kernels.exponent_sums": (
        "naive.heavytail:exponents",
        "test_integer_sums.py",
    ),
    "dpbench.papers.heavytail.algorithms._score_kernels.truncated_sums": ("naive.heavytail:score", "test_heavytail.py"),
    "dpbench.papers.heavytail.algorithms._geometric_kernels.log_geometric_sum": (
        "naive.heavytail:geometric",
        "test_heavytail_bounds.py",
    ),
    "dpbench.papers.heavytail.algorithms._geometric_kernels.geometric_moments": (
        "naive.heavytail:geometric",
        "test_heavytail_bounds.py",
    ),
    "dpbench.papers.heavytail.algorithms._interval_kernels.chord_loss": (
        "naive.heavytail:score",
        "test_heavytail_line.py",
    ),
    "dpbench.papers.heavytail.algorithms._interval_kernels.cut_line": (
        "naive.heavytail:score",
        "test_heavytail_line.py",
    ),
    "dpbench.papers.heavytail.algorithms._bound_kernels.touched_bound": (
        "naive.heavytail:score",
        "test_heavytail_bounds.py",
    ),
    "dpbench.papers.heavytail.algorithms._bound_kernels.affine_bound": (
        "naive.heavytail:score",
        "test_heavytail_bounds.py",
    ),
    "dpbench.convex._newton.newton": ("naive.erm:smooth_minimiser", "test_solver.py"),
    "dpbench.convex._newton.certificate": ("naive.erm:absolute_minimiser", "test_solver.py"),
    "dpbench.convex._newton.model_minimiser": ("naive.oracles:trust_region_least", "test_gap.py"),
    "dpbench.convex._newton.least_quadratics": ("naive.oracles:trust_region_least", "test_gap.py"),
    "dpbench.papers.publicdata.hypotheses._finite_kernels.sum_cells": (
        "naive.oracles:parity_cube",
        "test_publicdata_oracles.py",
    ),
    "dpbench.papers.publicdata.hypotheses._finite_kernels.scan_table": (
        "naive.oracles:first_least",
        "test_publicdata_real.py",
    ),
    "dpbench.papers.publicdata.hypotheses._finite_kernels.choose_signs": (
        "naive.oracles:parity_cube",
        "test_publicdata_oracles.py",
    ),
    "dpbench.papers.publicdata.hypotheses._finite_kernels.scan_pieces": (
        "naive.oracles:constant",
        "test_publicdata_real.py",
    ),
    "dpbench.papers.publicdata.hypotheses._line_kernels.scan_thresholds": (
        "naive.oracles:thresholds",
        "test_publicdata_oracles.py",
    ),
    "dpbench.papers.publicdata.hypotheses._line_kernels.scan_intervals": (
        "naive.oracles:intervals",
        "test_publicdata_oracles.py",
    ),
    "dpbench.papers.publicdata.hypotheses._line_kernels.shorten": (
        "naive.oracles:intervals",
        "test_publicdata_oracles.py",
    ),
    "dpbench.papers.publicdata.hypotheses._line_kernels.scan_stumps": (
        "naive.oracles:stumps",
        "test_publicdata_oracles.py",
    ),
    "dpbench.papers.publicdata.hypotheses._plane_kernels.line_angles": (
        "naive.oracles:halfspaces",
        "test_publicdata_oracles.py",
    ),
    "dpbench.papers.publicdata.hypotheses._plane_kernels.turn_lines": (
        "naive.oracles:halfspaces",
        "test_publicdata_oracles.py",
    ),
    "lowerbounds.parity_cubes.draw_parities": ("naive.parity_cube:parities", "test_parity_cube.py"),
    **{
        f"lowerbounds._kernels.{name}": (f"naive.constructions:{twin}", "test_constructions.py")
        for name, twin in (
            ("compress_rows", "csr"),
            ("sign_block_labels", "block_labels"),
            ("sign_block_moments", "moments"),
            ("draw_cube", "cube"),
            ("draw_fingerprints", "fingerprints"),
            ("draw_hits", "hits"),
            ("distances", "distances"),
            ("sign_distances", "distances"),
            ("absolute_excess", "absolute_excess"),
            ("two_piece_excess", "two_piece_excess"),
        )
    },
    **{
        f"dpbench.papers.heavytail.algorithms.{name}": (f"naive.heavytail:{twin}", "test_heavytail_kernels.py")
        for name, twin in (
            ("_score_kernels.truncated_sum", "score"),
            ("_score_kernels.multiply_complements", "complement"),
            ("_score_kernels.drain", "complement"),
            ("_geometric_kernels.log_geometric_sum_of_negative", "log_geometric"),
            ("_geometric_kernels.geometric_draw", "geometric_quantile"),
            ("_bound_kernels.psi_below", "psi"),
            ("_lattice_kernels.least_square", "lattice"),
            ("_lattice_kernels.lift", "lift"),
            ("_lattice_kernels.inside", "belongs"),
            ("_lattice_kernels.place", "lift"),
        )
    },
    **{
        f"dpbench.papers.heavytail.algorithms.{name}": (f"naive.heavytail:{twin}", "test_heavytail_tree_kernels.py")
        for name, twin in (
            ("_tree_kernels.bound_boxes", "log_mass"),
            ("_tree_kernels.split_boxes", "lattice"),
            ("_tree_kernels.propose", "proposal"),
            ("_tree_kernels.pilot", "proposal"),
            ("_tree_kernels.draw", "proposal"),
        )
    },
}
"""Every kernel of the project: its slow twin, and the test file that compares the two."""

REACHED = {
    "dpbench.papers.heavytail.algorithms._bound_kernels": ("lanes_sum",),
    "dpbench.convex._newton": ("falls_until", "factorise", "solve_lower", "solve_upper", "inner", "into_ball"),
}  # fmt: skip
"""Kernels without a comparison of their own, by module: parts of kernels of the same family that have one."""


def ours() -> dict[str, Kernel]:
    """All kernels of the two packages, by name, once all their modules are imported."""
    for package in (dpbench, lowerbounds):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)
    return {name: made for name, made in KERNELS.items() if name.partition(".")[0] in OURS}


def test_every_kernel_has_a_twin_and_a_test_that_uses_it() -> None:
    kernels = ours()
    assert len(kernels) >= 10
    parts = {f"{module}.{name}" for module, names in REACHED.items() for name in names}
    assert not parts & set(TWINS)
    assert set(kernels) == {*TWINS, *parts}, "TWINS must name each kernel, its slow twin and the test of the two"
    for name, (twin, test) in TWINS.items():
        module, _, function = twin.partition(":")
        assert callable(getattr(importlib.import_module(module), function)), twin
        text = next(TESTS.rglob(test)).read_text(encoding="utf-8")
        assert "@pytest.mark.kernel" in text or "pytestmark = pytest.mark.kernel" in text
        assert name.rpartition(".")[2] in text, f"{test} never names {name}"
        assert f"{module.partition('.')[2]}" in text, f"{test} never uses {module}"


@pytest.mark.parametrize("path", sorted((TESTS / "naive").glob("*.py")), ids=lambda path: path.stem)
def test_twins_import_nothing_of_ours(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [str(node.module)] if isinstance(node, ast.ImportFrom) else []
        assert not {name.partition(".")[0] for name in names} & {*OURS, "numba"}, path.name


@pytest.mark.slow
@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled with the JIT off")
def test_one_signature_each_before_and_after_use() -> None:
    kernels = ours()
    reported: list[str] = []
    waiting = [name for name, made in kernels.items() if not made.signatures]
    compile_kernels(kernels.values(), report=lambda done, total, name: reported.append(f"{done} of {total} {name}"))
    assert reported == [f"{i} of {len(waiting)} {name}" for i, name in enumerate(waiting)]
    for loss in losses.BY_NAME.values():
        loss().value(np.zeros(3, dtype=np.float32), np.ones(3, dtype=np.int64))
    for made in kernels.values():
        assert len(made.signatures) == 1, made.name
        with pytest.raises(TypeError):  # an argument that no kernel takes: an error, not a second compilation
            made(*[1j] * len(made.signature.args))
        assert len(made.signatures) == 1, made.name


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="types are declared for the compiler alone")
def test_other_types_are_refused() -> None:
    y, scores = np.ones(2), np.ones((2, 3))
    for bad in (
        (scores.astype(np.float32), y),
        (np.asfortranarray(scores), y),
        (scores[0], y),
        (scores, y.astype(np.int64)),
        (scores, y.tolist()),
    ):
        with pytest.raises(TypeError):
            to_derivatives(loss_kernels.SQUARED, 0.0, bad[1], 1.0, bad[0])
    frozen = scores.copy()
    frozen.flags.writeable = False
    with pytest.raises(TypeError):
        to_derivatives(loss_kernels.SQUARED, 0.0, y, 1.0, frozen)
    y.flags.writeable = False  # an input may be read-only
    to_derivatives(loss_kernels.SQUARED, 0.0, y, 1.0, scores)
    assert len(to_derivatives.signatures) == 1


@pytest.mark.parametrize("name", sorted(TWINS))
def test_digest_covers_what_a_kernel_uses(name: str) -> None:
    """The kernels and modules that a kernel's body names are in the digest that keys its cache."""
    made = KERNELS[name]
    seen = reached(made.__module__)
    assert made.__module__ in seen
    for word in made.py_func.__code__.co_names:
        used = made.py_func.__globals__.get(word)
        home = used.__name__ if isinstance(used, ModuleType) else getattr(used, "__module__", None)
        if str(home).partition(".")[0] in OURS:
            assert home in seen, f"{name} uses {word} of {home}"


def test_kernels_describe_themselves() -> None:
    assert repr(to_derivatives) == "<kernel dpbench.papers.glm.algorithms._loss_tiles.to_derivatives>"
    assert all(made.__doc__ for made in ours().values())


@pytest.mark.kernel
def test_a_kernel_runs_with_the_jit_on_and_off() -> None:
    @kernel(f8(arr(f8, 1)))
    def total(values):
        """Sum of the entries."""
        out = 0.0
        for value in values:
            out += value
        return out

    try:
        assert total(np.arange(4.0)) == 6.0
        assert len(total.signatures) == (0 if numba.config.DISABLE_JIT else 1)
    finally:
        del KERNELS[total.name]
