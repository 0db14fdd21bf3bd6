"""Arrays for compiled code that nobody counts references to."""

from numba.core import cgutils
from numba.extending import intrinsic

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
