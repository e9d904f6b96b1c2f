"""Vectors of full width in a kernel.

LLVM takes 256-bit vectors on processors that have 512 bits, since some of these slow down while they use them; loops
that do nothing but multiply and add can gain all the same (noisy gradient descent does: ``python -m
benchmarks.peers``). The width changes no bit of a loop whose turns are independent of each other, and no other
loop is made into vectors without `reassoc`.
"""

from __future__ import annotations

from collections.abc import Callable
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
    def mark() -> None:
        _ask()

    return mark


SIDE_BY_SIDE = 4
"""Vectors of a loop whose turns are long chains of operations: while one waits, the others go on."""


def _mapper() -> Callable[..., None]:
    """``row[k] = share * function(row[k], label)`` for every k, by `SIDE_BY_SIDE` vectors at a time, for kernels.

    LLVM does so by itself where it has registers enough, which with AVX2 it has not. One definition has what runs
    without the JIT and what is compiled, so that whoever asks what code a kernel rests on finds both.
    """

    def scaled(function: Any, share: float, label: float, row: Any) -> None:
        for k in range(row.shape[0]):
            row[k] = share * function(row[k], label)

    @intrinsic
    def loop(typingctx: Any, function: Any, share: Any, label: Any, row: Any) -> Any:
        inner = function.get_call_type(typingctx, (types.float64, types.float64), {})

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            _, share, label, given = arguments
            call = context.get_function(function, inner)
            context.add_linking_libs(getattr(call, "libs", ()))
            row = context.make_array(signature.args[3])(context, builder, given)
            count = builder.extract_value(row.shape, 0)
            before = builder.block
            turn, after = builder.append_basic_block("map"), builder.append_basic_block("mapped")
            builder.cbranch(builder.icmp_signed(">", count, count.type(0)), turn, after)
            builder.position_at_end(turn)
            k = builder.phi(count.type)
            k.add_incoming(count.type(0), before)
            place = builder.gep(row.data, [k])
            builder.store(builder.fmul(share, call(builder, (builder.load(place), label))), place)
            following = builder.add(k, count.type(1), flags=("nsw",))
            k.add_incoming(following, builder.block)
            again = builder.cbranch(builder.icmp_signed("<", following, count), turn, after)
            wanted = builder.module.add_metadata(["llvm.loop.interleave.count", ir.IntType(32)(SIDE_BY_SIDE)])
            mark = builder.module.add_metadata([wanted])
            mark.operands = (mark, wanted)  # names itself, as LLVM wants the mark of a loop
            again.set_metadata("llvm.loop", mark)
            builder.position_at_end(after)
            return context.get_dummy_value()

        return types.void(function, types.float64, types.float64, row), generate

    @overload(scaled, inline="always")
    def compiled(function: Any, share: Any, label: Any, row: Any) -> Any:
        def call(function: Any, share: Any, label: Any, row: Any) -> None:
            loop(function, share, label, row)

        return call

    return scaled


map_scaled = _mapper()
