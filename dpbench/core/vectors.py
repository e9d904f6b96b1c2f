"""Vectors of full width in a kernel.

LLVM takes 256-bit vectors on processors that have 512 bits, since some of these slow down while they use them; loops
that do nothing but multiply and add can gain all the same (noisy gradient descent does: `studies.gd_floors`, and
`dpbench bench --peers`). The width changes no bit of a loop whose turns are independent of each other, and no other
loop is made into vectors without `reassoc`.
"""

from __future__ import annotations

from typing import Any

from numba import types
from numba.extending import intrinsic, overload

ATTRIBUTE = '"prefer-vector-width"="512"'
"""What LLVM reads from a function; without effect on a processor with less."""


def wide_vectors() -> None:
    """Called anywhere in a kernel: vectors as wide as the processor has, in this function. Nothing without the JIT."""


@intrinsic
def _ask(typingctx: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        set.add(builder.function.attributes, ATTRIBUTE)  # `add` itself takes only names that llvmlite knows
        return context.get_dummy_value()

    return types.void(), generate


@overload(wide_vectors, inline="always")
def _wide_vectors() -> Any:
    def made() -> None:
        _ask()

    return made
