"""Refinement towards the seed state: the nearest solution is moved along its solution set.

Random restarts around a seed state find solutions near it, but on a continuous solution set none
of them is the nearest point. The local solver takes the shortest step, so a seed between the
nearest known solution and the seed state converges to a point of the set nearer to the seed state.
"""

import math

import numpy as np

from generative_ik_ros.collision.verdict import Verdict
from generative_ik_ros.compiled.kernel import inlined
from generative_ik_ros.search.collisions import collision_verdict
from generative_ik_ros.search.local import verified
from generative_ik_ros.select.pool import is_same

# ruff: noqa: ANN001, ANN202, ANN201  (types inside compiled code are numba's, not Python's)

_FRACTIONS = 4
"""Seeds lie at one of so many fractions of the way: all of it, a half, a third, a quarter."""
_FIRST = 8
"""Seeds that begin so, one in each lane; of the others one of `_FRACTIONS`."""
_ALONG = 2.0, 1.5, 1.0, 0.7, 0.5, 0.25
"""How far the others go along the set, of the way on which the distance would become least."""
_LONGEST = 1.0
"""Longest of these ways [rad or m]."""
_NEAR = 0.25
"""Squared distance of a joint, in the mean, up to which a solution is near the seed state."""


@inlined
def seed_between(search, target, t, q):
    """Write a seed between the nearest solution of target t and the seed state to `q`.

    The nearest solution is looked up the first time, and kept in row t of `closest`. Once a nearer
    one was found, the two show the direction of the set, and most seeds lie along it.
    """
    box, pool, nearest = search.box, search.pool, search.closest[t]
    if target.towards_seed_begun == 1:
        target.closest_error = np.inf
        for k in range(pool.counts[t]):
            if pool.errors[t, k, 2] == Verdict.COLLIDING.value:
                continue
            distance = _squared_distance(search, pool.positions[t, k])
            if distance < target.closest_error:
                target.closest_error = distance
                target.nearest = k
        for v in range(q.shape[0]):
            nearest[v] = pool.positions[t, target.nearest, v]
    begun = target.towards_seed_begun
    if target.moved and begun > _FIRST and begun % _FRACTIONS:
        start, gain, length = pool.positions[t, target.nearest], 0.0, 0.0
        for v in range(q.shape[0]):
            along = nearest[v] - start[v]
            gain += search.weights[v] * along * (box.reference[v] - nearest[v])
            length += search.weights[v] * along * along
        if length > 0.0:
            way = min(
                max(gain / length, -_LONGEST / math.sqrt(length)), _LONGEST / math.sqrt(length)
            )
            way *= _ALONG[begun % len(_ALONG)]
            for v in range(q.shape[0]):
                q[v] = nearest[v] + way * (nearest[v] - start[v])
                q[v] = min(max(q[v], box.soft_lower[v]), box.soft_upper[v])
            return
    # Down the gradient of the distance, which is the straight way where all joints count the same.
    largest = 0.0
    for v in range(q.shape[0]):
        largest = max(largest, search.weights[v])
    fraction = 1.0 / ((1 + begun % _FRACTIONS) * largest)
    for v in range(q.shape[0]):
        q[v] = nearest[v] + fraction * search.weights[v] * (box.reference[v] - nearest[v])


@inlined
def is_near(search, t, k):
    """Say whether the k-th solution of target t is near the seed state, and may be free."""
    near = _squared_distance(search, search.pool.positions[t, k]) <= _NEAR * search.weights.sum()
    return near and search.pool.errors[t, k, 2] != Verdict.COLLIDING.value


@inlined
def keep_nearest(search, target, t, pose, q):
    """Keep a configuration if it is a solution, free, and nearer than the nearest so far."""
    distance = _squared_distance(search, q)
    if distance < target.closest_error:
        _, _, exact = verified(search.poses, search.problem, q, pose, search.memory)
        if exact and collision_verdict(search.run, q) == Verdict.FREE:
            target.moved = True
            target.closest_error = distance
            for v in range(q.shape[0]):
                search.closest[t, v] = q[v]


@inlined
def settle_nearest(search, target, nearest, t):
    """Replace the solution that the refinement began from by the nearest (n,) configuration.

    Others that are the same as that are dropped if enough are left, else it is not kept. The grid
    is left as it is, because nothing is looked up for this target any more, or hardly anything.
    """
    pool, same = search.pool, 0
    if not target.moved:
        return
    for k in range(pool.counts[t]):
        same += k != target.nearest and is_same(pool, t, k, nearest)
    if same and target.usable - same < search.criteria.num_solutions:
        return
    for k in range(pool.counts[t] - 1, -1, -1):
        if same and k != target.nearest and is_same(pool, t, k, nearest):
            _drop(search, target, t, k)
    for v in range(nearest.shape[0]):
        pool.positions[t, target.nearest, v] = nearest[v]
    errors = pool.errors[t, target.nearest]
    pose = int(errors[3])
    errors[0], errors[1], _ = verified(search.poses, search.problem, nearest, pose, search.memory)
    target.free += errors[2] != Verdict.FREE.value
    errors[2] = Verdict.FREE.value


@inlined
def _drop(search, target, t, k):
    """Drop the k-th solution of target t."""
    pool = search.pool
    verdict = pool.errors[t, k, 2]
    target.usable -= verdict != Verdict.COLLIDING.value
    target.free -= verdict == Verdict.FREE.value
    if search.run.check != 0:
        # The search may go on, in which the grid has to find what the pool has.
        pool.errors[t, k, 2] = Verdict.COLLIDING.value
        return
    last = pool.counts[t] - 1
    for v in range(pool.positions.shape[2]):
        pool.positions[t, k, v] = pool.positions[t, last, v]
    for i in range(pool.errors.shape[2]):
        pool.errors[t, k, i] = pool.errors[t, last, i]
    if target.nearest == last:
        target.nearest = k
    pool.counts[t] = last


@inlined
def _squared_distance(search, q):
    total = 0.0
    for v in range(q.shape[0]):
        total += search.weights[v] * (q[v] - search.box.reference[v]) ** 2
    return total
