"""Eight float64 numbers side by side as one numba type, whose arithmetic compiles to SIMD code.

A kernel written with `Lanes` reads like scalar code, keeps its state in vector registers and
needs no luck with the compiler's loop vectoriser. LLVM splits the eight lanes over the registers
that the machine has (one AVX-512, two AVX, four SSE or NEON registers).
"""

import operator

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, overload, register_model

WIDTH = 8
# An intrinsic's first parameter is numba's own.
# pyright: reportCallIssue=false
_VECTOR = ir.VectorType(ir.DoubleType(), WIDTH)
# Contraction gives fused multiply-adds. NaN and infinity keep their meaning.
_FLAGS = ("contract", "nsz", "arcp")


class Lanes(types.Type):
    """Numba type of eight float64 lanes; it exists inside compiled code only."""

    def __init__(self) -> None:
        """Name the type for numba's signatures."""
        super().__init__(name="Lanes")


lanes = Lanes()


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager, fe_type) -> None:  # noqa: ANN001
        super().__init__(manager, fe_type, _VECTOR)


def _splat(builder: ir.IRBuilder, scalar: ir.Value) -> ir.Value:
    lane0 = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), scalar, _index(0))
    mask = ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), [0] * WIDTH)
    return builder.shuffle_vector(lane0, ir.Constant(_VECTOR, ir.Undefined), mask)


def _index(lane: int) -> ir.Constant:
    return ir.Constant(ir.IntType(32), lane)


def _as_vector(context, builder: ir.IRBuilder, value: ir.Value, kind: types.Type) -> ir.Value:  # noqa: ANN001
    if isinstance(kind, Lanes):
        return value
    return _splat(builder, context.cast(builder, value, kind, types.float64))


def _is_operand(kind: types.Type) -> bool:
    return isinstance(kind, Lanes | types.Float | types.Integer)


def _binary(method: str):  # noqa: ANN202
    """Make the intrinsic of a two-operand instruction; scalars are spread over the lanes."""

    @intrinsic
    def operation(typing, left, right):  # noqa: ANN001, ANN202
        def emit(context, builder, signature, arguments):  # noqa: ANN001, ANN202
            a, b = (
                _as_vector(context, builder, v, t)
                for v, t in zip(arguments, signature.args, strict=True)
            )
            return getattr(builder, method)(a, b, flags=_FLAGS)

        return lanes(left, right), emit

    return operation


def _overload_operator(symbol, method: str) -> None:  # noqa: ANN001
    operation = _binary(method)

    @overload(symbol)
    def choose(left, right):  # noqa: ANN001, ANN202
        if isinstance(left, Lanes) or isinstance(right, Lanes):
            if _is_operand(left) and _is_operand(right):
                return lambda left, right: operation(left, right)
        return None


for _symbol, _method in (
    (operator.add, "fadd"),
    (operator.sub, "fsub"),
    (operator.mul, "fmul"),
    (operator.truediv, "fdiv"),
):
    _overload_operator(_symbol, _method)


def _unary(llvm_name: str):  # noqa: ANN202
    """Make the function of an LLVM intrinsic that works on each lane."""

    @intrinsic
    def operation(typing, value):  # noqa: ANN001, ANN202
        def emit(context, builder, signature, arguments):  # noqa: ANN001, ANN202
            kind = ir.FunctionType(_VECTOR, [_VECTOR])
            function = cgutils.get_or_insert_function(
                builder.module, kind, f"llvm.{llvm_name}.v{WIDTH}f64"
            )
            return builder.call(function, arguments)

        return lanes(lanes), emit

    return operation


square_root = _unary("sqrt")
nearest_integer = _unary("rint")


def _compare_select(predicate: str):  # noqa: ANN202
    """Make `f(a, b, x, y)`: in each lane x where a <predicate> b, else y."""

    @intrinsic
    def operation(typing, a, b, x, y):  # noqa: ANN001, ANN202
        def emit(context, builder, signature, arguments):  # noqa: ANN001, ANN202
            va, vb, vx, vy = (
                _as_vector(context, builder, v, t)
                for v, t in zip(arguments, signature.args, strict=True)
            )
            return builder.select(builder.fcmp_ordered(predicate, va, vb), vx, vy)

        return lanes(a, b, x, y), emit

    return operation


where_less = _compare_select("<")


@intrinsic
def spread(typing, value):  # noqa: ANN001, ANN201
    """Put one float64 into all lanes."""

    def emit(context, builder, signature, arguments):  # noqa: ANN001, ANN202
        return _splat(builder, arguments[0])

    return lanes(types.float64), emit


def _lane_pointer(context, builder, array_type, array, row):  # noqa: ANN001, ANN202
    data = cgutils.create_struct_proxy(array_type)(context, builder, array).data
    start = builder.mul(row, ir.Constant(row.type, WIDTH))
    return builder.bitcast(builder.gep(data, [start]), _VECTOR.as_pointer())


@intrinsic
def load(typing, buffer, row):  # noqa: ANN001, ANN201
    """Read row `row` of a flat float64 buffer of rows of eight lanes."""

    def emit(context, builder, signature, arguments):  # noqa: ANN001, ANN202
        pointer = _lane_pointer(context, builder, signature.args[0], *arguments)
        return builder.load(pointer, align=8)

    return lanes(buffer, types.intp), emit


@intrinsic
def store(typing, buffer, row, value):  # noqa: ANN001, ANN201
    """Write eight lanes to row `row` of a flat float64 buffer of rows of eight lanes."""

    def emit(context, builder, signature, arguments):  # noqa: ANN001, ANN202
        array, row, value = arguments
        pointer = _lane_pointer(context, builder, signature.args[0], array, row)
        builder.store(value, pointer, align=8)
        return context.get_dummy_value()

    return types.void(buffer, types.intp, lanes), emit
