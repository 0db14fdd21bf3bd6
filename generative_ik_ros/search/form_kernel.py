"""Closed forms' calls as compiled code reads them."""

from generative_ik_ros.compiled.borrow import borrow, shaped
from generative_ik_ros.compiled.kernel import inlined
from generative_ik_ros.search.form_call import SIZES, FormCall, Joints
from generative_ik_ros.search.local import unpack

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)
# A type checker does not see what an intrinsic takes and returns.
# pyright: reportCallIssue=false


@inlined
def unpack_form(floats, ints, flags):
    """Return the FormCall that was packed, as views into the three arrays."""
    floats, ints, flags = borrow(floats), borrow(ints), borrow(flags)
    p, n, first = ints[3], ints[4], SIZES + ints[5]
    a = p + 7 * n
    b = a + 3 * n
    o = b + 2 * n
    joints = Joints(floats[a : a + n], floats[a + n : a + 2 * n], flags[n:], floats[a + 2 * n : b])
    return FormCall(
        ints[0], floats[:p], ints[1], floats[o], ints[2] != 0,
        unpack(floats[o + 3 :], ints[first:]), shaped(floats[p:a], (7, n)), flags[:n], joints,
        floats[o + 1], floats[o + 2], shaped(floats[b:o], (2, n)), ints[SIZES:first],
    )  # fmt: skip
