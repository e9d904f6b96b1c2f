"""Products of matrices with few columns, by blocks of the result that stay in registers.

`add_panel` adds a product to `BLOCK_ROWS` by `COLUMNS` entries of a matrix: each entry is one sum, in the order of the inner
dimension, of products that are fused where the processor can. So no bit depends on the shape of the block, nor on the
width of the vectors that it is made of: on AVX2 a row of the block is two vectors, with AVX-512 one.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

COLUMNS = 8
"""Of a block: two vectors of AVX2, one of AVX-512."""
BLOCK_ROWS = 6
"""Of a block: with two vectors of each row of B and one entry of A it needs 15 of the 16 registers of AVX2."""
DEPTH = 64
"""Of the inner dimension, before the next block: so much of B stays in the first cache."""


def add_block(A: Any, B: Any, out: Any, i: int, k: int, first: int, last: int) -> None:
    """``out[i:i+BLOCK_ROWS, k:k+COLUMNS] += A[i:i+BLOCK_ROWS, first:last] @ B[first:last, k:k+COLUMNS]``, in a kernel."""
    _add_rows(A, B, out, i, i + BLOCK_ROWS, k, first, last)


def add_row(A: Any, B: Any, out: Any, i: int, k: int, first: int, last: int) -> None:
    """The same for row i alone."""
    _add_rows(A, B, out, i, i + 1, k, first, last)


def _add_rows(A: Any, B: Any, out: Any, start: int, stop: int, k: int, first: int, last: int) -> None:
    """Without the JIT."""
    for j in range(first, last):
        out[start:stop, k : k + COLUMNS] += A[start:stop, j, None] * B[j, k : k + COLUMNS]


def _block_of(rows: int) -> Any:
    """The intrinsic for blocks of so many rows."""

    @intrinsic
    def block(typingctx: Any, A: Any, B: Any, out: Any, i: Any, k: Any, first: Any, last: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            a, b, o = (
                context.make_array(kind)(context, builder, value)
                for kind, value in zip(signature.args[:3], arguments[:3], strict=True)
            )
            i, k, first, last = arguments[3:]
            vector, scalar = ir.VectorType(ir.DoubleType(), COLUMNS), ir.DoubleType()

            def address(array: Any, row: Any, column: Any, kind: Any) -> Any:
                strides = cgutils.unpack_tuple(builder, array.strides)
                offset = builder.add(builder.mul(row, strides[0]), builder.mul(column, strides[1]))
                return cgutils.pointer_add(builder, array.data, offset, return_type=kind.as_pointer())

            places = [address(o, builder.add(i, i.type(r)), k, vector) for r in range(rows)]
            sums = [cgutils.alloca_once_value(builder, builder.load(place, align=8)) for place in places]
            with cgutils.for_range(builder, last, start=first) as loop:
                row_of_b = builder.load(address(b, loop.index, k, vector), align=8)
                for r, held in enumerate(sums):
                    entry = builder.load(address(a, builder.add(i, i.type(r)), loop.index, scalar), align=8)
                    one = builder.insert_element(ir.Constant(vector, ir.Undefined), entry, ir.IntType(32)(0))
                    same = ir.Constant(ir.VectorType(ir.IntType(32), COLUMNS), [0] * COLUMNS)
                    spread = builder.shuffle_vector(one, ir.Constant(vector, ir.Undefined), same)
                    product = builder.fmul(spread, row_of_b, flags=("contract",))
                    builder.store(builder.fadd(builder.load(held), product, flags=("contract",)), held)
            for place, held in zip(places, sums, strict=True):
                builder.store(builder.load(held), place, align=8)
            return context.get_dummy_value()

        return types.void(A, B, out, i, k, first, last), generate

    return block


_block, _row = _block_of(BLOCK_ROWS), _block_of(1)


@overload(add_block, inline="always")
def _add_block(A: Any, B: Any, out: Any, i: Any, k: Any, first: Any, last: Any) -> Any:
    def made(A: Any, B: Any, out: Any, i: Any, k: Any, first: Any, last: Any) -> None:
        _block(A, B, out, i, k, first, last)

    return made


@overload(add_row, inline="always")
def _add_row(A: Any, B: Any, out: Any, i: Any, k: Any, first: Any, last: Any) -> Any:
    def made(A: Any, B: Any, out: Any, i: Any, k: Any, first: Any, last: Any) -> None:
        _row(A, B, out, i, k, first, last)

    return made
