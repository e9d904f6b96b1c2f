"""Vectors of full width in a kernel.

LLVM takes 256-bit vectors on processors that have 512 bits, since some of these slow down while they use them; loops
that do nothing but multiply and add can gain all the same (noisy gradient descent does: `studies.gd_floors`, and
`dpbench bench --peers`). The width changes no bit of a loop whose turns are independent of each other, and no other
loop is made into vectors without `reassoc`.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
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


SIDE_BY_SIDE = 4
"""Vectors of a loop whose turns are long chains of operations: while one waits, the others go on."""


def map_scaled(function: Any, share: float, label: float, row: Any) -> None:
    """``row[k] = share * function(row[k], label)`` for every k, in a kernel, by `SIDE_BY_SIDE` vectors at a time.

    LLVM does so by itself where it counts registers enough, which with AVX2 it does not.
    """
    for k in range(row.shape[0]):
        row[k] = share * function(row[k], label)


@intrinsic
def _mapped(typingctx: Any, function: Any, share: Any, label: Any, row: Any) -> Any:
    inner = function.get_call_type(typingctx, (types.float64, types.float64), {})

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        _, share, label, given = arguments
        call = context.get_function(signature.args[0], inner)
        context.add_linking_libs(getattr(call, "libs", ()))
        row = context.make_array(signature.args[3])(context, builder, given)
        count = builder.extract_value(row.shape, 0)
        before, loop, after = (builder.append_basic_block(name) for name in ("before", "map", "after"))
        builder.branch(before)
        builder.position_at_end(before)
        builder.cbranch(builder.icmp_signed(">", count, count.type(0)), loop, after)
        builder.position_at_end(loop)
        k = builder.phi(count.type)
        k.add_incoming(count.type(0), before)
        place = builder.gep(row.data, [k])
        value = builder.fmul(share, call(builder, (builder.load(place), label)))
        builder.store(value, place)
        following = builder.add(k, count.type(1), flags=("nsw",))
        k.add_incoming(following, builder.block)
        again = builder.cbranch(builder.icmp_signed("<", following, count), loop, after)
        wanted = builder.module.add_metadata(["llvm.loop.interleave.count", ir.IntType(32)(SIDE_BY_SIDE)])
        mark = builder.module.add_metadata([wanted])
        mark.operands = (mark, wanted)  # as LLVM wants the mark of a loop
        again.set_metadata("llvm.loop", mark)
        builder.position_at_end(after)
        return context.get_dummy_value()

    return types.void(function, types.float64, types.float64, row), generate


@overload(map_scaled, inline="always")
def _map_scaled(function: Any, share: Any, label: Any, row: Any) -> Any:
    def made(function: Any, share: Any, label: Any, row: Any) -> None:
        _mapped(function, share, label, row)

    return made
