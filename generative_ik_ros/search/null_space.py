"""Null-space steps: seeds beside known solutions of a redundant chain, along the solution set.

A seed beside a solution converges back to the solution set in a few iterations, but to another
point of it: the local solver takes the shortest step, so nearly all of the displacement along the
set remains. Two solutions that were found one from the other show the direction of the set; a
further step in that direction begins so near to the set that two or three iterations are enough.
"""

import math

import numpy as np

from generative_ik_ros.compiled.kernel import inlined
from generative_ik_ros.robot.rigid import TURN

# ruff: noqa: ANN001, ANN202, ANN201  (types inside compiled code are numba's, not Python's)

_CANDIDATES = 4
"""Known solutions of which the one found least often is stepped away from at random."""
STEP, STEP_ON_CURVE, STEP_IN_REGION = 0.2, 0.5, 0.7
"""Mean length of a step in a known direction, of the joint that moves furthest [rad or m]: at a
pose, where a region's solutions form curves, and where they form more. The solutions of a region
make longer sets, of which shorter steps would fill but a part."""
_VARIATION = 0.5
"""Relative variation of a step, so that a second pass along a set finds other solutions."""


@inlined
def next_step(seeds, box, pool, target, queue, t, mean, q):
    """Write a seed beside a solution of target t to `q`, and count the solution's visit.

    `mean` is the mean length of a step in a known direction.

    Returns:
        The solution that it starts from: its index for a step in a known direction, else
        -1 - index.
    """
    index, taken = target.null_space_seeds, target.queue_begin
    if taken < target.queue_end:
        target.queue_begin += 1
        base, behind = queue[t, taken, 0], queue[t, taken, 1]
        if behind < 0:
            return _step_aside(seeds, box, pool, t, base, index, q)
        unit = index * seeds.ratios[0]
        unit -= math.floor(unit)
        length = mean * (1.0 + _VARIATION * (2.0 * unit - 1.0))
        _step_beyond(box, pool, t, base, behind, length, q)
        return base
    count = pool.counts[t]
    base = (index * _CANDIDATES) % count
    for k in range(1, _CANDIDATES):
        other = (index * _CANDIDATES + k) % count
        if pool.visits[t, other] < pool.visits[t, base]:
            base = other
    return _step_aside(seeds, box, pool, t, base, index, q)


@inlined
def _step_aside(seeds, box, pool, t, base, index, q):
    """Write a seed a random step beside solution `base`; return what `next_step` does."""
    pool.visits[t, base] += 1
    for v in range(q.shape[0]):
        unit = index * seeds.ratios[v]
        unit -= math.floor(unit)
        x = pool.positions[t, base, v] + (2.0 * unit - 1.0) * box.stride[v]
        q[v] = min(max(x, box.soft_lower[v]), box.soft_upper[v])
    return -1 - base


@inlined
def queue_steps(target, queue, t, place, base):
    """Queue the steps that continue from the solution `place` that `next_step` has led to.

    After a random step, whose `base` is negative, the opposite direction is as good.
    """
    end = target.queue_end
    if end + 2 > queue.shape[1]:
        return
    other = base if base >= 0 else -1 - base
    queue[t, end, 0], queue[t, end, 1] = place, other
    end += 1
    if base < 0:
        queue[t, end, 0], queue[t, end, 1] = other, place
        end += 1
    target.queue_end = end


@inlined
def _step_beyond(box, pool, t, base, behind, length, q):
    """Write the seed that lies beyond solution `base` as seen from solution `behind`."""
    longest = 1e-9
    for v in range(q.shape[0]):
        gap = pool.positions[t, base, v] - pool.positions[t, behind, v]
        if pool.grid.circular[v]:
            gap -= TURN * np.rint(gap / TURN)
        q[v] = gap
        longest = max(longest, abs(gap))
    for v in range(q.shape[0]):
        x = pool.positions[t, base, v] + q[v] * (length / longest)
        q[v] = min(max(x, box.soft_lower[v]), box.soft_upper[v])
