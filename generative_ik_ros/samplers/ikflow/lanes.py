"""Sixteen float32 numbers side by side as one numba type, whose arithmetic compiles to SIMD code.

As `compiled/lanes.py` has it for the local solver's eight float64: a kernel reads like scalar
code, keeps its state in vector registers and needs no luck with LLVM's loop vectoriser. LLVM
splits the lanes over the registers that the machine has.
"""

# An intrinsic's first parameter is numba's own.
# pyright: reportCallIssue=false

import operator

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, overload, register_model

WIDTH = 16
_FLOAT, _WORD = ir.FloatType(), ir.IntType(32)
_VECTOR, _WORDS = ir.VectorType(_FLOAT, WIDTH), ir.VectorType(_WORD, WIDTH)
# Contraction gives fused multiply-adds. NaN and infinity keep their meaning.
_FLAGS = ("contract", "nsz", "arcp")


class Lanes(types.Type):
    """Numba type of sixteen float32 lanes; it exists inside compiled code only."""

    def __init__(self) -> None:
        """Name the type for numba's signatures."""
        super().__init__(name="Float32Lanes")


lanes = Lanes()


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager, fe_type) -> None:  # noqa: ANN001
        super().__init__(manager, fe_type, _VECTOR)


def _as_vector(context, builder, value, kind):  # noqa: ANN001, ANN202
    """Spread a scalar over the lanes."""
    if isinstance(kind, Lanes):
        return value
    scalar = context.cast(builder, value, kind, types.float32)
    lane0 = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), scalar, _WORD(0))
    return builder.shuffle_vector(
        lane0, ir.Constant(_VECTOR, ir.Undefined), ir.Constant(_WORDS, [0] * WIDTH)
    )


def _vectors(context, builder, signature, arguments):  # noqa: ANN001, ANN202
    return [
        _as_vector(context, builder, value, kind)
        for value, kind in zip(arguments, signature.args, strict=True)
    ]


def _overload_operator(symbol, method: str) -> None:  # noqa: ANN001
    @intrinsic
    def operation(typing, left, right):  # noqa: ANN001, ANN202
        def emit(context, builder, signature, arguments):  # noqa: ANN001, ANN202
            a, b = _vectors(context, builder, signature, arguments)
            return getattr(builder, method)(a, b, flags=_FLAGS)

        return lanes(left, right), emit

    @overload(symbol)
    def choose(left, right):  # noqa: ANN001, ANN202
        if isinstance(left, Lanes) or isinstance(right, Lanes):
            if all(isinstance(one, Lanes | types.Float) for one in (left, right)):
                return lambda left, right: operation(left, right)
        return None


for _symbol, _method in (
    (operator.add, "fadd"),
    (operator.sub, "fsub"),
    (operator.mul, "fmul"),
    (operator.truediv, "fdiv"),
):
    _overload_operator(_symbol, _method)


def _of_llvm(name: str):  # noqa: ANN202
    """Make the function of an LLVM intrinsic that works on each lane."""

    @intrinsic
    def operation(typing, value):  # noqa: ANN001, ANN202
        def emit(context, builder, signature, arguments):  # noqa: ANN001, ANN202
            kind = ir.FunctionType(_VECTOR, [_VECTOR])
            function = cgutils.get_or_insert_function(
                builder.module, kind, f"llvm.{name}.v{WIDTH}f32"
            )
            return builder.call(function, arguments)

        return lanes(lanes), emit

    return operation


square_root, floor, absolute = _of_llvm("sqrt"), _of_llvm("floor"), _of_llvm("fabs")


@intrinsic
def where_less(typing, a, b, x, y):  # noqa: ANN001, ANN201
    """Return in each lane x where a < b, else y."""

    def emit(context, builder, signature, arguments):  # noqa: ANN001, ANN202
        va, vb, vx, vy = _vectors(context, builder, signature, arguments)
        return builder.select(builder.fcmp_ordered("<", va, vb), vx, vy)

    return lanes(a, b, x, y), emit


@intrinsic
def power_of_two(typing, biased):  # noqa: ANN001, ANN201
    """Return the numbers whose bits are these whole numbers times 2^23: 2^(biased - 127)."""

    def emit(context, builder, signature, arguments):  # noqa: ANN001, ANN202
        whole = builder.fptosi(arguments[0], _WORDS)
        bits = builder.shl(whole, ir.Constant(_WORDS, [23] * WIDTH))
        return builder.bitcast(bits, _VECTOR)

    return lanes(lanes), emit


@intrinsic
def spread(typing, value):  # noqa: ANN001, ANN201
    """Put one float32 into all lanes."""

    def emit(context, builder, signature, arguments):  # noqa: ANN001, ANN202
        return _as_vector(context, builder, arguments[0], types.float32)

    return lanes(types.float32), emit


def _pointer(context, builder, array_type, array, row):  # noqa: ANN001, ANN202
    data = cgutils.create_struct_proxy(array_type)(context, builder, array).data
    start = builder.mul(row, ir.Constant(row.type, WIDTH))
    return builder.bitcast(builder.gep(data, [start]), _VECTOR.as_pointer())


@intrinsic
def load(typing, buffer, row):  # noqa: ANN001, ANN201
    """Read row `row` of a flat float32 buffer of rows of sixteen lanes."""

    def emit(context, builder, signature, arguments):  # noqa: ANN001, ANN202
        pointer = _pointer(context, builder, signature.args[0], *arguments)
        return builder.load(pointer, align=4)

    return lanes(buffer, types.intp), emit


@intrinsic
def store(typing, buffer, row, value):  # noqa: ANN001, ANN201
    """Write sixteen lanes to row `row` of a flat float32 buffer of such rows."""

    def emit(context, builder, signature, arguments):  # noqa: ANN001, ANN202
        array, row, value = arguments
        pointer = _pointer(context, builder, signature.args[0], array, row)
        builder.store(value, pointer, align=4)
        return context.get_dummy_value()

    return types.void(buffer, types.intp, lanes), emit
