"""Compiled dynamic programming over layers of configurations, one layer for each pose.

Motions are checked for collisions only where they would be taken: a configuration's predecessors
are tried in the order of the length of the path through them until one motion is not known to
collide.
"""

import math

import numpy as np

from generative_ik_ros.collision.verdict import Verdict
from generative_ik_ros.compiled.borrow import borrow
from generative_ik_ros.compiled.kernel import inlined, kernel
from generative_ik_ros.paths.motion_check import motion_verdict
from generative_ik_ros.paths.records import NOT_CHECKED

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)
# A type checker does not see what an intrinsic takes and returns.
# pyright: reportCallIssue=false


@kernel(error_model="numpy")
def shortest_kernel(
    positions, usable, edges, bounds, weight, longest, bottleneck, run, point, cost, parent
):
    """Find the shortest path to each configuration.

    Args:
        positions: (K, B, n) configuration k of pose t [rad or m].
        usable: (K, B) whether there is one that may be used.
        edges: (B, K, K) verdict on the motion from configuration k of pose t to j of the next, as
            far as it is known, else NOT_CHECKED; what is found out is written there.
        bounds: (4, n) as in `follow_kernel`.
        weight: (n,) what a unit of each joint's motion counts.
        longest: Motions with a joint's weighted motion above this are left out.
        bottleneck: Whether a path counts by its longest motion of a joint, not by its length.
        run: A RUN record, for the collision check.
        point: (n,) memory.
        cost: (B, K) what is found: the length of the shortest path, inf where there is none. Its
            first row is given.
        parent: (B, K) what is found: the configuration before, -1 where there is none.

    Returns:
        The last pose that is reached, -1 if none is.
    """
    positions, usable, edges = borrow(positions), borrow(usable), borrow(edges)
    bounds, weight, run, point = borrow(bounds), borrow(weight), borrow(run)[0], borrow(point)
    cost, parent = borrow(cost), borrow(parent)
    num, poses = positions.shape[0], positions.shape[1]
    last = -1
    for k in range(num):
        if usable[k, 0] and cost[0, k] < np.inf:
            last = 0
        else:
            cost[0, k] = np.inf
    for t in range(poses - 1):
        if last < t:
            break
        for j in range(num):
            cost[t + 1, j], parent[t + 1, j] = np.inf, -1
            if not usable[j, t + 1]:
                continue
            while True:
                best, found = np.inf, -1
                for i in range(num):
                    if not usable[i, t] or not cost[t, i] < best:
                        continue
                    known = edges[t, i, j]
                    if known != NOT_CHECKED and known >= Verdict.INSIDE:
                        continue
                    through = _through(
                        cost[t, i], positions[i, t], positions[j, t + 1], bounds[2], weight,
                        longest, bottleneck,
                    )  # fmt: skip
                    if through < best:
                        best, found = through, i
                if found < 0:
                    break
                if edges[t, found, j] == NOT_CHECKED:
                    edges[t, found, j] = motion_verdict(
                        run, positions[found, t], positions[j, t + 1], bounds[3], point
                    )
                if edges[t, found, j] < Verdict.INSIDE:
                    cost[t + 1, j], parent[t + 1, j] = best, found
                    last = t + 1
                    break
    return last


@inlined
def _through(cost, before, after, max_step, weight, longest, bottleneck):
    """Return the cost of a path that goes on with a motion; inf if that is too long."""
    total, largest = 0.0, 0.0
    for v in range(after.shape[0]):
        motion = abs(after[v] - before[v])
        if not motion <= max_step[v]:
            return np.inf
        motion *= weight[v]
        total += motion * motion
        largest = max(largest, motion)
    if largest > longest:
        return np.inf
    return max(cost, largest) if bottleneck else cost + math.sqrt(total)
