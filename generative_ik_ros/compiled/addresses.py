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


def address_of_arrays_kernel(kernel: Any, *arguments: types.Type) -> int:  # noqa: ANN401
    """Return the address of a kernel that takes arrays and returns a whole number.

    Args:
        kernel: A numba dispatcher; it is compiled, or loaded from the cache, if it is not yet.
        arguments: The types of its arguments, see `call_arrays_kernel`.
    """
    kernel.compile(arguments)
    compiled = kernel.overloads[arguments]
    return compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)


@intrinsic
def call_arrays_kernel(typing, function, a, b, c):
    """Call compiled code at an address (see `address_of_arrays_kernel`) with three arrays.

    Their types must be those that the address was asked for. Returns -1 where the code raises.
    """

    def emit(context, builder, signature, arguments):
        kinds, convention = signature.args[1:], context.call_conv
        kind = convention.get_function_type(types.int64, kinds)
        pointer = builder.inttoptr(arguments[0], kind.as_pointer())
        status, result = convention.call_function(
            builder, pointer, types.int64, kinds, arguments[1:]
        )
        return builder.select(status.is_ok, result, _WORD(-1))

    return types.int64(types.int64, a, b, c), emit


@intrinsic
def call_address(typing, function, a, b, c):
    """Call compiled code at an address (see `address_of`) with three whole numbers."""

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
