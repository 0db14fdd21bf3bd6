"""The collision check, as the compiled search calls it: by its address, if there is one."""

from generative_ik_ros.collision.verdict import Verdict
from generative_ik_ros.compiled.addresses import call_address
from generative_ik_ros.compiled.kernel import inlined

# ruff: noqa: ANN001, ANN201  (types inside compiled code are numba's, not Python's)
# An intrinsic's first parameter is numba's own.
# pyright: reportCallIssue=false


@inlined
def collision_verdict(run, q):
    """Return the Verdict on a configuration; everything is free if there is nothing to check."""
    if run.check == 0:
        return Verdict.FREE.value
    return call_address(run.check, run.check_context, q.ctypes.data, q.shape[0])
