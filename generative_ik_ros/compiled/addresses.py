"""Calls of compiled code by its address: one kernel calls another without containing it.

A kernel that contains a rarely used part takes longer to compile for everyone. Called by its
address, the part is compiled when it is first used, and costs a call that is not inlined.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

# ruff: noqa: ANN001, ANN201, ANN202  (numba's own types)
# An intrinsic's first parameter is numba's own.
# pyright: reportCallIssue=false

_WORD = ir.IntType(64)


def address_of(kernel: Any, *arguments: int) -> int:  # noqa: ANN401 (a numba dispatcher)
    """Return the address of a kernel that takes and returns whole numbers only.

    Args:
        kernel: It is compiled, or loaded from the cache, if it is not yet.
        arguments: As many numbers as it takes; they are not used.
    """
    signature = tuple(types.int64 for _ in arguments)
    kernel.compile(signature)
    compiled = kernel.overloads[signature]
    name = compiled.fndesc.llvm_cfunc_wrapper_name
    return compiled.library.get_pointer_to_function(name)


@intrinsic
def call_address(typing, function, a, b, c):
    """Call code at an address, compiled here (see `address_of`) or native, with whole numbers."""

    def emit(context, builder, signature, arguments):
        kind = ir.FunctionType(_WORD, [_WORD] * 3)
        pointer = builder.inttoptr(arguments[0], kind.as_pointer())
        return builder.call(pointer, arguments[1:])

    return types.int64(types.int64, types.int64, types.int64, types.int64), emit


def _array_at(element: types.Float | types.Integer):
    """Make the function that returns the flat array of some numbers at an address."""

    @intrinsic
    def array_at(typing, address, size):
        kind = types.Array(element, 1, "C")

        def emit(context, builder, signature, arguments):
            made = context.make_array(kind)(context, builder)
            pointer = builder.inttoptr(arguments[0], context.get_data_type(element).as_pointer())
            width = context.get_constant(types.intp, element.bitwidth // 8)  # pyright: ignore[reportAttributeAccessIssue]
            size = cgutils.pack_array(builder, [arguments[1]])
            strides = cgutils.pack_array(builder, [width])
            populate_array(made, pointer, size, strides, width, meminfo=None)
            return made._getvalue()  # noqa: SLF001

        return kind(types.int64, types.int64), emit

    return array_at


floats_at, ints_at = _array_at(types.float64), _array_at(types.int64)
