"""Compiled check of a straight motion in joint space at points close to each other."""

import math

from generative_ik_ros.collision.verdict import Verdict
from generative_ik_ros.compiled.borrow import borrow
from generative_ik_ros.compiled.kernel import inlined, kernel
from generative_ik_ros.search.collisions import collision_verdict

# ruff: noqa: ANN001, ANN201  (types inside compiled code are numba's, not Python's)
# A type checker does not see what an intrinsic takes and returns.
# pyright: reportCallIssue=false


@inlined
def motion_verdict(run, before, after, resolution, point):
    """Return the worst Verdict on a motion (n,) to (n,), without its beginning.

    Args:
        run: A RUN record.
        before: (n,) where the motion begins [rad or m].
        after: (n,) where it ends.
        resolution: (n,) largest motion of each joint between two checks.
        point: (n,) memory.
    """
    if run.check == 0:
        return Verdict.FREE.value
    # Most motions that collide do so at their end.
    worst = collision_verdict(run, after)
    if worst >= Verdict.INSIDE:
        return worst
    longest = 0.0
    for v in range(after.shape[0]):
        longest = max(longest, abs(after[v] - before[v]) / resolution[v])
    count = int(math.ceil(longest))
    for k in range(1, count):
        share = k / count
        for v in range(after.shape[0]):
            point[v] = before[v] + share * (after[v] - before[v])
        worst = max(worst, collision_verdict(run, point))
        if worst >= Verdict.INSIDE:
            return worst
    return worst


@kernel()
def motion_verdicts(run, before, after, resolution, point, verdicts):
    """Write the verdicts (M,) on motions from (M, n) to (M, n)."""
    run = borrow(run)[0]
    before, after, resolution = borrow(before), borrow(after), borrow(resolution)
    point = borrow(point)
    for m in range(before.shape[0]):
        verdicts[m] = motion_verdict(run, before[m], after[m], resolution, point)
