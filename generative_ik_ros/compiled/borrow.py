"""Arrays for compiled code that nobody counts references to."""

from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

# An intrinsic's first parameter is numba's own.
# pyright: reportCallIssue=false


@intrinsic
def borrow(typing, array):  # noqa: ANN001, ANN201
    """Return the same array without a share in its ownership.

    Compiled code counts references to owned arrays with atomic instructions wherever they are
    passed on, even from one inlined function to another, which took a third of a kernel's time.
    The borrowed array must not outlive the call that the array is an argument of.
    """

    def emit(context, builder, signature, arguments):  # noqa: ANN001, ANN202
        kind = signature.args[0]
        copy = cgutils.create_struct_proxy(kind)(context, builder, arguments[0])
        for owner in ("meminfo", "parent"):
            setattr(copy, owner, cgutils.get_null_value(getattr(copy, owner).type))
        return copy._getvalue()  # noqa: SLF001

    return array(array), emit


@intrinsic
def shaped(typing, array, shape):  # noqa: ANN001, ANN201
    """Return the first numbers of a flat array in a shape, without a share in its ownership.

    Nothing is checked. numba's `reshape` is a call of a C function, which takes as long as all
    else that it takes to unpack a problem.
    """
    kind = types.Array(array.dtype, len(shape), "C")

    def emit(context, builder, signature, arguments):  # noqa: ANN001, ANN202
        flat, kinds = signature.args
        data = context.make_array(flat)(context, builder, arguments[0]).data
        sizes = cgutils.unpack_tuple(builder, arguments[1], len(kinds))
        sizes = [
            context.cast(builder, size, of, types.intp)
            for size, of in zip(sizes, kinds, strict=True)
        ]
        width = context.get_constant(types.intp, array.dtype.bitwidth // 8)
        strides = [width]
        for size in reversed(sizes[1:]):
            strides.insert(0, builder.mul(strides[0], size))
        made = context.make_array(kind)(context, builder)
        shape, strides = (cgutils.pack_array(builder, each) for each in (sizes, strides))
        populate_array(made, data, shape, strides, width, meminfo=None)
        return made._getvalue()  # noqa: SLF001

    return kind(array, shape), emit
