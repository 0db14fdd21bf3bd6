"""What a search keeps of a target beside solutions: the closest approach, the nearest solution.

Where there is no solution, the configuration closest to the target is kept. Where there is a seed
state, the nearest solution is drawn nearer still.

Seeds about a seed state find solutions near it, but on a continuous set of solutions none of them
is the nearest point. The local solver's step is the shortest one, so that a seed on the way from
the nearest known solution to the seed state comes back to the set nearer to the seed state.
"""

import math

import numpy as np
from numba import njit

from generative_ik_ros.search.state import DRAWN, NEAREST
from generative_ik_ros.select.turns import TURN
from generative_ik_ros.select.verify import pose_error

# ruff: noqa: ANN001, ANN202, ANN201  (types inside compiled code are numba's, not Python's)

_WAYS = 4


@njit(forceinline=True)
def turn_inside(pool, box, q):
    """Turn circular joints as near to the reference as limits allow; say whether q is inside."""
    for v in range(q.shape[0]):
        if pool.grid.circular[v]:
            x = q[v] + TURN * np.rint((box.reference[v] - q[v]) / TURN)
            if x > box.upper[v]:
                x = x - TURN if x - TURN >= box.lower[v] else box.upper[v]
            elif x < box.lower[v]:
                x = x + TURN if x + TURN <= box.upper[v] else box.lower[v]
            q[v] = x
        if not box.lower[v] <= q[v] <= box.upper[v]:
            return False
    return True


@njit(forceinline=True)
def draw(box, pool, closest, counters, t, q):
    """Write a seed between the nearest solution of target t and the seed state."""
    if counters[t, DRAWN] == 1:
        closest.squared_error[t] = np.inf
        for k in range(pool.counts[t]):
            distance = _squared_distance(box, pool.positions[t, k])
            if distance < closest.squared_error[t]:
                closest.squared_error[t] = distance
                counters[t, NEAREST] = k
        for v in range(q.shape[0]):
            closest.positions[t, v] = pool.positions[t, counters[t, NEAREST], v]
    way = 1.0 / (1 + counters[t, DRAWN] % _WAYS)
    for v in range(q.shape[0]):
        here = closest.positions[t, v]
        q[v] = here + way * (box.reference[v] - here)


@njit(forceinline=True)
def keep_closest(options, closest, t, q, position, chord):
    """Remember a configuration that solves nothing but is closer to target t than all before.

    Angles are compared, as in what the caller is told. Their chords, which the local solver makes
    small, hardly differ where the orientation is far off.
    """
    angle = 2.0 * math.asin(min(1.0, 0.5 * chord))
    error = (options.position_weight * position) ** 2 + (options.orientation_weight * angle) ** 2
    if error < closest.squared_error[t]:
        closest.squared_error[t] = error
        for v in range(q.shape[0]):
            closest.positions[t, v] = q[v]


@njit(forceinline=True)
def keep_nearest(problem, box, closest, poses, t, q):
    """Remember a configuration that is a solution and nearer than the nearest so far."""
    distance = _squared_distance(box, q)
    if distance < closest.squared_error[t]:
        position, angle = pose_error(problem.verifier, q, poses[t])
        if position <= problem.position_tolerance and angle <= problem.orientation_tolerance:
            closest.squared_error[t] = distance
            for v in range(q.shape[0]):
                closest.positions[t, v] = q[v]


@njit(forceinline=True)
def settle_nearest(problem, pool, closest, poses, counters, t):
    """Put the nearest solution in the place of the one that it came from, unless it is another.

    The grid is not told: nothing is looked up for this target any more.
    """
    place, nearest = counters[t, NEAREST], closest.positions[t]
    for k in range(pool.counts[t]):
        if k != place:
            apart = False
            for v in range(nearest.shape[0]):
                gap = abs(pool.positions[t, k, v] - nearest[v])
                if pool.grid.circular[v]:
                    gap = abs(gap - TURN * np.rint(gap / TURN))
                apart |= gap >= pool.grid.distance
            if not apart:
                return
    for v in range(nearest.shape[0]):
        pool.positions[t, place, v] = nearest[v]
    pool.errors[t, place, 0], pool.errors[t, place, 1] = pose_error(
        problem.verifier, nearest, poses[t]
    )


@njit(forceinline=True)
def _squared_distance(box, q):
    total = 0.0
    for v in range(q.shape[0]):
        total += (q[v] - box.reference[v]) ** 2
    return total
