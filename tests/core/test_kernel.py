"""The kernel decorator: one signature, a slow twin for each kernel, a digest of all that a kernel uses."""

import ast
import importlib
import pkgutil
import re
from pathlib import Path
from types import ModuleType

import numba
import numpy as np
import pytest

import dpbench
import lowerbounds
from dpbench.convex import loss_kernels
from dpbench.core.kernel import KERNELS, arr, compile_kernels, f8, kernel
from dpbench.core.sources import OURS, reached
from dpbench.papers.glm import losses
from dpbench.papers.glm.algorithms._loss_tiles import to_derivatives

TESTS = Path(__file__).resolve().parents[1]

PARTS = {"lanes_sum", "falls_until", "factorise", "solve_lower", "solve_upper", "inner", "into_ball"}
"""Kernels without a comparison of their own: parts of kernels of the same module that have one."""


def ours():
    """All kernels of the two packages, by name, once all their modules are imported."""
    for package in (dpbench, lowerbounds):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)
    return {name: made for name, made in KERNELS.items() if name.partition(".")[0] in OURS}


def test_every_kernel_is_compared_with_a_reference_implementation():
    """It is named in a file of tests of kernels, which run with the JIT on and off, that imports from `naive`."""
    texts = [path.read_text(encoding="utf-8") for path in TESTS.rglob("test_*.py") if path != Path(__file__)]
    compared = "".join(text for text in texts if "mark.kernel" in text and re.search("^from naive", text, re.MULTILINE))
    names = {name.rpartition(".")[2] for name in ours()}
    assert names - set(re.findall(r"\w+", compared)) <= PARTS <= names


@pytest.mark.parametrize("path", sorted((TESTS / "naive").glob("*.py")), ids=lambda path: path.stem)
def test_twins_import_nothing_of_ours(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [str(node.module)] if isinstance(node, ast.ImportFrom) else []
        assert not {name.partition(".")[0] for name in names} & {*OURS, "numba"}, path.name


@pytest.mark.slow
@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled with the JIT off")
def test_one_signature_each_before_and_after_use():
    kernels = ours()
    reported = []
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
def test_other_types_are_refused():
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


def test_digest_covers_what_a_kernel_uses():
    """The kernels and modules that a kernel's body names are in the digest that keys its cache."""
    for name, made in ours().items():
        seen = reached(made.__module__)
        assert made.__module__ in seen
        for word in made.py_func.__code__.co_names:
            used = made.py_func.__globals__.get(word)
            home = used.__name__ if isinstance(used, ModuleType) else getattr(used, "__module__", None)
            if str(home).partition(".")[0] in OURS:
                assert home in seen, f"{name} uses {word} of {home}"


@pytest.mark.kernel
def test_a_kernel_runs_with_the_jit_on_and_off():
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
