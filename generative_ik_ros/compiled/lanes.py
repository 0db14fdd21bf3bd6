"""Numbers side by side as one numba type, whose arithmetic compiles to SIMD code.

A kernel written with `Lanes`, eight float64 or sixteen float32, reads like scalar code, keeps its
state in vector registers and needs no luck with the compiler's loop vectoriser. LLVM splits the
lanes over the registers that the machine has (one AVX-512, two AVX, four SSE or NEON registers).
"""

import operator
from collections.abc import Callable

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AbstractTemplate, Signature, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model

from generative_ik_ros.compiled import SINGLE_WIDTH, WIDTH

# An intrinsic's first parameter is numba's own.
# pyright: reportCallIssue=false

_KINDS = {
    types.float64: (ir.DoubleType(), WIDTH),
    types.float32: (ir.FloatType(), SINGLE_WIDTH),
}
_WORD = ir.IntType(32)
# Contraction gives fused multiply-adds. NaN and infinity keep their meaning.
_FLAGS = ("contract", "nsz", "arcp")


class Lanes(types.Type):
    """Numba type of lanes of one kind of number; it exists inside compiled code only."""

    def __init__(self, element: types.Float) -> None:
        """Name the type for numba's signatures."""
        self.element, self.width = element, _KINDS[element][1]
        super().__init__(name=f"Lanes({element}, {self.width})")

    @property
    def vector(self) -> ir.VectorType:
        """LLVM's type; made anew, because numba's cache writes a type's attributes to a file."""
        return ir.VectorType(_KINDS[self.element][0], self.width)

    def spread(self, context, builder, value, kind) -> ir.Value:  # noqa: ANN001
        """Emit what puts a scalar into all lanes; lanes are left as they are."""
        if kind == self:
            return value
        scalar = context.cast(builder, value, kind, self.element)
        empty = ir.Constant(self.vector, ir.Undefined)
        lane0 = builder.insert_element(empty, scalar, _WORD(0))
        zeros = ir.Constant(ir.VectorType(_WORD, self.width), [0] * self.width)
        return builder.shuffle_vector(lane0, empty, zeros)

    def pointer(self, context, builder, kind, array, row) -> ir.Value:  # noqa: ANN001
        """Emit the address of a row of a flat array."""
        data = cgutils.create_struct_proxy(kind)(context, builder, array).data
        start = builder.mul(row, ir.Constant(row.type, self.width))
        return builder.bitcast(builder.gep(data, [start]), self.vector.as_pointer())


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager, fe_type) -> None:  # noqa: ANN001
        super().__init__(manager, fe_type, fe_type.vector)


def _common(*kinds: types.Type) -> Lanes | None:
    """Return the one type of lanes among operands whose others are scalars; None: no such."""
    found = {kind for kind in kinds if isinstance(kind, Lanes)}
    if len(found) == 1 and all(isinstance(k, Lanes | types.Float | types.Integer) for k in kinds):
        return found.pop()
    return None


def _spread(lanes: Lanes, context, builder, signature, arguments) -> list[ir.Value]:  # noqa: ANN001
    return [
        lanes.spread(context, builder, value, kind)
        for value, kind in zip(arguments, signature.args, strict=True)
    ]


def _define_operator(symbol: Callable, method: str) -> None:
    """Make an operator one instruction of two operands; scalars are spread over the lanes.

    numba's plain registries know of it at once, while it compiles a function for each pair of
    operands of an `overload`.
    """

    @infer_global(symbol)  # pyright: ignore[reportOptionalCall]
    class _Operator(AbstractTemplate):
        key = symbol

        def generic(self, args, kws) -> Signature | None:  # noqa: ANN001
            lanes = _common(*args)
            return None if lanes is None else signature(lanes, *args)

    def emit(context, builder, signature, arguments):  # noqa: ANN001, ANN202
        a, b = _spread(signature.return_type, context, builder, signature, arguments)
        return getattr(builder, method)(a, b, flags=_FLAGS)

    for operands in ((Lanes, Lanes), (Lanes, types.Number), (types.Number, Lanes)):
        lower_builtin(symbol, *operands)(emit)


for _symbol, _method in (
    (operator.add, "fadd"),
    (operator.sub, "fsub"),
    (operator.mul, "fmul"),
    (operator.truediv, "fdiv"),
):
    _define_operator(_symbol, _method)


def _of_llvm(name: str):  # noqa: ANN202
    """Make the function of an LLVM intrinsic that works on each lane."""

    @intrinsic
    def operation(typing, value):  # noqa: ANN001, ANN202
        def emit(context, builder, signature, arguments):  # noqa: ANN001, ANN202
            kind = ir.FunctionType(value.vector, [value.vector])
            full_name = f"llvm.{name}.v{value.width}f{value.element.bitwidth}"
            function = cgutils.get_or_insert_function(builder.module, kind, full_name)
            return builder.call(function, arguments)

        return (value(value), emit) if isinstance(value, Lanes) else None

    return operation


square_root, nearest_integer = _of_llvm("sqrt"), _of_llvm("rint")
floor, absolute = _of_llvm("floor"), _of_llvm("fabs")


@intrinsic
def where_less(typing, a, b, x, y):  # noqa: ANN001, ANN201
    """Return in each lane x where a < b, else y."""
    lanes = _common(a, b, x, y)
    if lanes is None:
        return None

    def emit(context, builder, signature, arguments):  # noqa: ANN001, ANN202
        va, vb, vx, vy = _spread(lanes, context, builder, signature, arguments)
        return builder.select(builder.fcmp_ordered("<", va, vb), vx, vy)

    return lanes(a, b, x, y), emit


@intrinsic
def lanes_below(typing, a, b):  # noqa: ANN001, ANN201
    """Return a whole number whose bit k says whether a < b in lane k."""
    lanes = _common(a, b)
    if lanes is None:
        return None

    def emit(context, builder, signature, arguments):  # noqa: ANN001, ANN202
        va, vb = _spread(lanes, context, builder, signature, arguments)
        bits = builder.bitcast(builder.fcmp_ordered("<", va, vb), ir.IntType(lanes.width))
        return builder.zext(bits, ir.IntType(64))

    return types.int64(a, b), emit


@intrinsic
def largest_of(typing, value):  # noqa: ANN001, ANN201
    """Return the largest number in any lane; none may be NaN."""

    def emit(context, builder, signature, arguments):  # noqa: ANN001, ANN202
        kind = ir.FunctionType(value.vector.element, [value.vector])
        name = f"llvm.vector.reduce.fmax.v{value.width}f{value.element.bitwidth}"
        function = cgutils.get_or_insert_function(builder.module, kind, name)
        return builder.call(function, arguments, fastmath=("nnan", *_FLAGS))

    return (value.element(value), emit) if isinstance(value, Lanes) else None


@intrinsic
def first_lane(typing, bits):  # noqa: ANN001, ANN201
    """Return the lowest bit that is set in a whole number other than 0."""

    def emit(context, builder, signature, arguments):  # noqa: ANN001, ANN202
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), emit


@intrinsic
def lane_of(typing, value, index):  # noqa: ANN001, ANN201
    """Return the number in one lane."""

    def emit(context, builder, signature, arguments):  # noqa: ANN001, ANN202
        return builder.extract_element(*arguments)

    return (value.element(value, types.int64), emit) if isinstance(value, Lanes) else None


@intrinsic
def power_of_two(typing, biased):  # noqa: ANN001, ANN201
    """Return the float32 whose bits are these whole numbers times 2^23: 2^(biased - 127)."""

    def emit(context, builder, signature, arguments):  # noqa: ANN001, ANN202
        words = ir.VectorType(_WORD, biased.width)
        whole = builder.fptosi(arguments[0], words)
        bits = builder.shl(whole, ir.Constant(words, [23] * biased.width))
        return builder.bitcast(bits, biased.vector)

    return (biased(biased), emit) if biased == Lanes(types.float32) else None


@intrinsic
def spread(typing, value):  # noqa: ANN001, ANN201
    """Put one number into all lanes."""
    lanes = Lanes(value)

    def emit(context, builder, signature, arguments):  # noqa: ANN001, ANN202
        return lanes.spread(context, builder, arguments[0], value)

    return lanes(value), emit


@intrinsic
def load(typing, buffer, row):  # noqa: ANN001, ANN201
    """Read row `row` of a flat buffer of rows of lanes."""
    lanes = Lanes(buffer.dtype)

    def emit(context, builder, signature, arguments):  # noqa: ANN001, ANN202
        pointer = lanes.pointer(context, builder, buffer, *arguments)
        return builder.load(pointer, align=lanes.element.bitwidth // 8)

    return lanes(buffer, types.intp), emit


@intrinsic
def store(typing, buffer, row, value):  # noqa: ANN001, ANN201
    """Write lanes to row `row` of a flat buffer of such rows."""
    lanes = Lanes(buffer.dtype)

    def emit(context, builder, signature, arguments):  # noqa: ANN001, ANN202
        array, row, value = arguments
        pointer = lanes.pointer(context, builder, buffer, array, row)
        builder.store(value, pointer, align=lanes.element.bitwidth // 8)
        return context.get_dummy_value()

    return types.void(buffer, types.intp, lanes), emit
