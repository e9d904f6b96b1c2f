"""The kernel decorator: one signature, a slow twin for each kernel, a cache that serves no stale code."""

from __future__ import annotations

import ast
import importlib
import os
import pkgutil
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numba
import numpy as np
import pytest

import dpbench
import lowerbounds
from dpbench import losses
from dpbench.glm._noisy_gd_kernels import to_derivatives
from lowerbounds._digest import OURS, reachable_sources
from lowerbounds._kernel import KERNELS, Kernel, arr, compile_kernels, f8, kernel

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent

TWINS = {
    "dpbench.losses.loss_value": ("naive.losses:value", "test_losses.py"),
    "dpbench.losses.loss_derivative": ("naive.losses:derivative", "test_losses.py"),
    "dpbench.losses.falling_logistic": ("naive.losses:derivative", "test_losses.py"),
    "dpbench.losses.map_loss": ("naive.losses:value", "test_losses.py"),
    "dpbench.glm._noisy_gd_kernels.noisy_gd_axes": ("naive.noisy_gd:noisy_gd", "test_noisy_gd.py"),
    "dpbench.glm._noisy_gd_kernels.noisy_gd_records": ("naive.noisy_gd:noisy_gd", "test_noisy_gd.py"),
    "dpbench.glm._noisy_gd_kernels.noisy_gd_sparse": ("naive.noisy_gd:noisy_gd", "test_noisy_gd.py"),
    "dpbench.glm._noisy_gd_kernels.noisy_gd_single": ("naive.noisy_gd:noisy_gd", "test_jl.py"),
    "dpbench.glm._noisy_gd_kernels.noisy_step": ("naive.noisy_gd:noisy_gd", "test_noisy_gd.py"),
    "dpbench.glm._noisy_gd_kernels.add_product": ("naive.noisy_gd:product", "test_noisy_gd.py"),
    "dpbench.glm._noisy_gd_kernels.to_derivatives": ("naive.losses:derivative", "test_losses.py"),
    "dpbench.glm._random_map.fill_map": ("naive.jl:random_map", "test_jl.py"),
    "dpbench.glm._random_map.add_columns": ("naive.jl:projected", "test_jl.py"),
    "dpbench.heavytail._score_kernels.truncated_sums": ("naive.heavytail:score", "test_heavytail.py"),
    "dpbench.heavytail._geometric_kernels.log_geometric_sum": ("naive.heavytail:geometric", "test_heavytail_tree.py"),
    "dpbench.heavytail._geometric_kernels.geometric_moments": ("naive.heavytail:geometric", "test_heavytail_tree.py"),
    "dpbench.heavytail._bound_kernels.affine_bound": ("naive.heavytail:score", "test_heavytail_tree.py"),
    "dpbench.publicdata._ball_kernels.solve_secular": ("naive.oracles:trust_region_least", "test_publicdata_convex.py"),
    "dpbench.publicdata._ball_kernels.newton_steps": ("naive.oracles:disk_least", "test_publicdata_convex.py"),
    "dpbench.publicdata._finite_kernels.sum_cells": ("naive.oracles:parity_cube", "test_publicdata_oracles.py"),
    "dpbench.publicdata._finite_kernels.scan_table": ("naive.oracles:first_least", "test_publicdata_real.py"),
    "dpbench.publicdata._finite_kernels.choose_signs": ("naive.oracles:parity_cube", "test_publicdata_oracles.py"),
    "dpbench.publicdata._finite_kernels.scan_pieces": ("naive.oracles:constant", "test_publicdata_real.py"),
    "dpbench.publicdata._line_kernels.scan_thresholds": ("naive.oracles:thresholds", "test_publicdata_oracles.py"),
    "dpbench.publicdata._line_kernels.scan_intervals": ("naive.oracles:intervals", "test_publicdata_oracles.py"),
    "dpbench.publicdata._line_kernels.scan_stumps": ("naive.oracles:stumps", "test_publicdata_oracles.py"),
    "dpbench.publicdata._plane_kernels.line_angles": ("naive.oracles:halfspaces", "test_publicdata_oracles.py"),
    "dpbench.publicdata._plane_kernels.turn_lines": ("naive.oracles:halfspaces", "test_publicdata_oracles.py"),
    "lowerbounds._parity_cube.draw_parities": ("naive.parity_cube:parities", "test_parity_cube.py"),
    **{
        f"dpbench.auditing._log_ratio_kernels.{name}": (f"naive.log_ratio:{twin}", "test_audit_log_ratio.py")
        for name, twin in (
            ("newton_steps", "newton"), ("invert", "newton"), ("fit_evidence", "evidence_fit"),
            ("grid_cell", "cell"), ("count_cells", "cell"), ("add_tables", "cell"),
        )
    },
    **{
        f"dpbench.heavytail.{name}": (f"naive.heavytail:{twin}", "test_heavytail_kernels.py")
        for name, twin in (
            ("_score_kernels.truncated_sum", "score"),
            ("_score_kernels.multiply_complements", "complement"),
            ("_score_kernels.drain", "complement"),
            ("_geometric_kernels.log_geometric_sum_of_negative", "log_geometric"),
            ("_geometric_kernels.geometric_draw", "geometric_quantile"),
            ("_bound_kernels.psi_below", "psi"),
            ("_tree_kernels.least_square", "lattice"),
            ("_tree_kernels.inner", "dot"),
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
    "dpbench.publicdata._ball_kernels": (
        "smoothed_slope", "smoothed_slopes", "barrier_gradient", "barrier_factor", "solve_factored",
    ),
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
        text = (TESTS / test).read_text(encoding="utf-8")
        assert "@pytest.mark.kernel" in text or "pytestmark = pytest.mark.kernel" in text
        assert name.rpartition(".")[2] in text, f"{test} never names {name}"
        assert f"{module.partition('.')[2]}" in text, f"{test} never uses {module}"


@pytest.mark.parametrize("path", sorted((TESTS / "naive").glob("*.py")), ids=lambda path: path.stem)
def test_twins_import_nothing_of_ours(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [str(node.module)] if isinstance(node, ast.ImportFrom) else []
        assert not {name.partition(".")[0] for name in names} & {*OURS, "numba"}, path.name


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
            to_derivatives(losses.SQUARED, 0.0, bad[1], 1.0, bad[0])
    frozen = scores.copy()
    frozen.flags.writeable = False
    with pytest.raises(TypeError):
        to_derivatives(losses.SQUARED, 0.0, y, 1.0, frozen)
    y.flags.writeable = False  # an input may be read-only
    to_derivatives(losses.SQUARED, 0.0, y, 1.0, scores)
    assert len(to_derivatives.signatures) == 1


@pytest.mark.parametrize("name", sorted(TWINS))
def test_digest_covers_what_a_kernel_uses(name: str) -> None:
    """The kernels and modules that a kernel's body names are in the digest that keys its cache."""
    made = KERNELS[name]
    seen = reachable_sources(made.__module__)
    assert made.__module__ in seen
    for word in made.py_func.__code__.co_names:
        used = made.py_func.__globals__.get(word)
        home = used.__name__ if isinstance(used, ModuleType) else getattr(used, "__module__", None)
        if str(home).partition(".")[0] in OURS:
            assert home in seen, f"{name} uses {word} of {home}"


def test_kernels_describe_themselves() -> None:
    assert repr(to_derivatives) == "<kernel dpbench.glm._noisy_gd_kernels.to_derivatives>"
    assert all(made.__doc__ for made in ours().values())


# New processes: what a user sees after an upgrade, under another flag, or without a home.


def run(script: str, *, path: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a script in a new process that imports the packages from `path`."""
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA_", "PYTHON", "COV_"))}
    return subprocess.run(
        [sys.executable, "-W", "default::RuntimeWarning", "-c", script],
        env=inherited | {"PYTHONPATH": str(path)} | environment,
        cwd=path,
        capture_output=True,
        text=True,
        timeout=120,
    )


def output(script: str, *, path: Path, **environment: str) -> str:
    done = run(script, path=path, **environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


CALLEE = """
from lowerbounds._kernel import arr, f8, kernel

@kernel(f8(f8))
def callee(x):
    return 10.0 * x
"""
CALLER = """
from lowerbounds._callee import callee
from lowerbounds._kernel import arr, f8, i8, kernel

@kernel(f8(f8))
def caller(x):
    return 2.0 * callee(x)

@kernel(f8(arr(f8, 1), i8))
def element(values, index):
    return values[index]
"""
CALL = "from lowerbounds._caller import caller as f; v = f(1.0); print(v, len(f._dispatcher.stats.cache_hits))"
ELEMENT = "import numpy as np; from lowerbounds._caller import element; element(np.zeros(3), 7); print('no check')"


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A folder with a copy of `lowerbounds` that has two kernels more, one calling the other across files."""
    site = tmp_path / "site"
    shutil.copytree(ROOT / "lowerbounds", site / "lowerbounds", ignore=shutil.ignore_patterns("__pycache__"))
    (site / "lowerbounds" / "_callee.py").write_text(CALLEE)
    (site / "lowerbounds" / "_caller.py").write_text(CALLER)
    return site


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def fix_the_key(site: Path) -> None:
    """Planted: a cache folder with the same name whatever the sources and the flag."""
    edit(site / "lowerbounds" / "_kernel.py", "return _base_folder() / key", 'return _base_folder() / "same"')


@pytest.mark.process
@pytest.mark.parametrize("planted", [False, True], ids=["keyed", "planted"])
def test_an_edited_callee_reaches_its_caller(installed: Path, tmp_path: Path, planted: bool) -> None:
    cache = str(tmp_path / "cache")
    if planted:
        fix_the_key(installed)
    assert output(CALL, path=installed, NUMBA_CACHE_DIR=cache) == "20.0 0"
    assert output(CALL, path=installed, NUMBA_CACHE_DIR=cache) == "20.0 1"  # the cache is used
    edit(installed / "lowerbounds" / "_callee.py", "10.0 * x", "15.0 * x")
    expected = "20.0 1" if planted else "30.0 0"  # planted: numba alone keeps the old callee, and this test sees it
    assert output(CALL, path=installed, NUMBA_CACHE_DIR=cache) == expected


@pytest.mark.process
def test_an_upgrade_of_the_package_reaches_its_kernels(tmp_path: Path) -> None:
    """The real kernels: the logistic derivative is edited, the tile kernel in another file must change."""
    site = tmp_path / "site"
    for package in OURS:
        shutil.copytree(ROOT / package, site / package, ignore=shutil.ignore_patterns("__pycache__"))
    script = (
        "import numpy as np; from dpbench.glm._noisy_gd_kernels import to_derivatives as f;"
        "s = np.zeros((1, 1)); f(2, 0.0, np.ones(1), 1.0, s); print(s[0, 0])"
    )
    cache = str(tmp_path / "cache")
    assert output(script, path=site, NUMBA_CACHE_DIR=cache) == "-0.5"
    edit(site / "dpbench" / "losses.py", "return 1.0 / (1.0 + p * power)", "return 1.0 / (3.0 + p * power)")
    assert output(script, path=site, NUMBA_CACHE_DIR=cache) == "-0.25"


@pytest.mark.process
@pytest.mark.parametrize("planted", [False, True], ids=["keyed", "planted"])
def test_bounds_checks_are_not_lost_to_the_cache(installed: Path, tmp_path: Path, planted: bool) -> None:
    cache = str(tmp_path / "cache")
    if planted:
        fix_the_key(installed)
    assert output(ELEMENT, path=installed, NUMBA_CACHE_DIR=cache) == "no check"
    checked = run(ELEMENT, path=installed, NUMBA_CACHE_DIR=cache, NUMBA_BOUNDSCHECK="1")
    assert ("IndexError" in checked.stderr) is not planted


@pytest.mark.process
@pytest.mark.parametrize("given", [False, True], ids=["home", "NUMBA_CACHE_DIR"])
def test_no_writable_cache_folder(installed: Path, tmp_path: Path, given: bool) -> None:
    """Works, says so once, leaves nothing. A file is where the folder would be: root writes anywhere."""
    file = tmp_path / "a file"
    file.write_text("")
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    where = {"NUMBA_CACHE_DIR": str(file / "cache")} if given else {"HOME": str(file), "XDG_CACHE_HOME": str(file)}
    done = run(f"{CALL}\n{ELEMENT}", path=installed, TMPDIR=str(temporary), **where)
    assert done.returncode == 0 and done.stdout.split() == ["20.0", "0", "no", "check"]
    assert done.stderr.count("RuntimeWarning") == 1
    assert "Set NUMBA_CACHE_DIR to a writable folder" in done.stderr
    assert not list(temporary.iterdir())


@pytest.mark.process
def test_home_is_used_without_a_word_where_it_can_be(installed: Path, tmp_path: Path) -> None:
    done = run(CALL, path=installed, HOME=str(tmp_path), XDG_CACHE_HOME=str(tmp_path / "cache"))
    assert done.stdout.split() == ["20.0", "0"] and not done.stderr
    assert list((tmp_path / "cache" / "dpbench" / "numba").rglob("*.nbi"))


@pytest.mark.process
def test_jit_off(installed: Path, tmp_path: Path) -> None:
    script = "from lowerbounds._caller import caller; print(caller(1.0), caller.signatures)"
    assert output(script, path=installed, NUMBA_DISABLE_JIT="1", NUMBA_CACHE_DIR=str(tmp_path / "cache")) == "20.0 []"
    assert not (tmp_path / "cache").exists()


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
