"""Products of matrices with few columns, by blocks of the result that stay in registers.

Each entry is one sum, in the order of the inner dimension, of products that are fused where the processor can: no bit
depends on the shape of the block, nor on the width of the vectors that it is made of (of a row of the block AVX2 makes
two, AVX-512 one).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

COLUMNS = 8
"""Of a block."""
BLOCK_ROWS = 6
"""Of a block: with a row of B and an entry of A it needs 15 of the 16 registers that AVX2 has."""
DEPTH = 64
"""Of the inner dimension, before the next block: so much of B stays in the first cache."""


def _adds(rows: int) -> Callable[..., None]:
    """``out[i:i+rows, k:k+COLUMNS] += A[i:i+rows, first:last] @ B[first:last, k:k+COLUMNS]``, for kernels.

    One definition has what runs without the JIT and what is compiled, so that whoever asks what code a kernel rests on
    finds both. Indices are not checked: the caller's loops keep them inside.
    """

    def add(A: Any, B: Any, out: Any, i: int, k: int, first: int, last: int) -> None:
        for j in range(first, last):
            out[i : i + rows, k : k + COLUMNS] += A[i : i + rows, j : j + 1] * B[j, k : k + COLUMNS]

    @intrinsic
    def block(typingctx: Any, A: Any, B: Any, out: Any, i: Any, k: Any, first: Any, last: Any) -> Any:
        scalar, numbers = ir.DoubleType(), ir.VectorType(ir.IntType(32), COLUMNS)
        vector = ir.VectorType(scalar, COLUMNS)
        nothing = ir.Constant(vector, ir.Undefined)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            operands = zip(signature.args[:3], arguments[:3], strict=True)
            left, right, result = (context.make_array(kind)(context, builder, value) for kind, value in operands)
            i, k, first, last = arguments[3:]

            def place(array: Any, row: Any, column: Any, kind: Any) -> Any:
                by_row, by_column = cgutils.unpack_tuple(builder, array.strides)
                offset = builder.add(builder.mul(row, by_row), builder.mul(column, by_column))
                return cgutils.pointer_add(builder, array.data, offset, return_type=kind.as_pointer())

            each = [builder.add(i, i.type(r)) for r in range(rows)]
            places = [place(result, row, k, vector) for row in each]
            sums = [cgutils.alloca_once_value(builder, builder.load(where, align=8)) for where in places]
            with cgutils.for_range(builder, last, start=first) as loop:
                factors = builder.load(place(right, loop.index, k, vector), align=8)
                for row, held in zip(each, sums, strict=True):
                    entry = builder.load(place(left, row, loop.index, scalar), align=8)
                    one = builder.insert_element(nothing, entry, ir.IntType(32)(0))
                    spread = builder.shuffle_vector(one, nothing, ir.Constant(numbers, [0] * COLUMNS))
                    product = builder.fmul(spread, factors, flags=("contract",))
                    builder.store(builder.fadd(builder.load(held), product, flags=("contract",)), held)
            for where, held in zip(places, sums, strict=True):
                builder.store(builder.load(held), where, align=8)
            return context.get_dummy_value()

        return types.void(A, B, out, i, k, first, last), generate

    @overload(add, inline="always")
    def compiled(A: Any, B: Any, out: Any, i: Any, k: Any, first: Any, last: Any) -> Any:
        def call(A: Any, B: Any, out: Any, i: Any, k: Any, first: Any, last: Any) -> None:
            block(A, B, out, i, k, first, last)

        return call

    return add


add_block, add_row = _adds(BLOCK_ROWS), _adds(1)
