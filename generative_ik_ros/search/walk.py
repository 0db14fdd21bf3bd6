"""Known solutions in, seeds beside them out: compiled parts of the walk along self-motions.

For an arm with joints to spare a seed beside a solution leads back to the solution set in a few
iterations, but to another place of it: the local solver's step is the shortest one, so that of the
way along the set nearly all remains. Two solutions that were found one from the other show the
direction of the set: a further step that way begins so near to it that two or three iterations do.
"""

import math

import numpy as np
from numba import njit

from generative_ik_ros.search.state import BEHIND, FRONT, WALKED
from generative_ik_ros.select.turns import TURN

# ruff: noqa: ANN001, ANN202, ANN201  (types inside compiled code are numba's, not Python's)

_CANDIDATES = 4
"""Known solutions among which the one least visited is walked away from."""
_STEP = 0.2
"""Mean length of a step on, of the joint that moves furthest [rad or m]."""
_UNEVEN = 0.5
"""By so much steps are shorter and longer, so that a second way along a set finds new places."""


@njit(forceinline=True)
def walk(seeds, box, pool, counters, steps, t, q):
    """Write a seed beside a solution of target t; return the solution it was made from."""
    index, read = counters[t, WALKED], counters[t, BEHIND]
    if read < counters[t, FRONT]:
        counters[t, BEHIND] += 1
        base, behind = steps[t, read, 0], steps[t, read, 1]
        unit = index * seeds.ratios[0]
        unit -= math.floor(unit)
        _step_on(box, pool, t, base, behind, _STEP * (1.0 + _UNEVEN * (2.0 * unit - 1.0)), q)
        return base
    count = pool.counts[t]
    base = (index * _CANDIDATES) % count
    for k in range(1, _CANDIDATES):
        other = (index * _CANDIDATES + k) % count
        if pool.visits[t, other] < pool.visits[t, base]:
            base = other
    pool.visits[t, base] += 1
    for v in range(q.shape[0]):
        unit = index * seeds.ratios[v]
        unit -= math.floor(unit)
        x = pool.positions[t, base, v] + (2.0 * unit - 1.0) * box.stride[v]
        q[v] = min(max(x, box.soft_lower[v]), box.soft_upper[v])
    return -1 - base


@njit(forceinline=True)
def go_on(counters, steps, t, place, base):
    """Put steps on from a solution that was just found beside another one into the queue.

    Args:
        counters: (T, NUM_COUNTERS); changed.
        steps: (T, Q, 2) the queues; changed.
        t: The target.
        place: The new solution.
        base: What `walk` returned: the other one, as -1 - base if there were steps on from it
            in one direction at most.
    """
    written = counters[t, FRONT]
    if written + 2 > steps.shape[1]:
        return
    other = base if base >= 0 else -1 - base
    steps[t, written, 0], steps[t, written, 1] = place, other
    written += 1
    if base < 0:
        steps[t, written, 0], steps[t, written, 1] = other, place
        written += 1
    counters[t, FRONT] = written


@njit(forceinline=True)
def _step_on(box, pool, t, base, behind, length, q):
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
