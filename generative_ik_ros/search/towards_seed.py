"""Refinement towards the seed state: the nearest solution is moved along its solution set.

Random restarts around a seed state find solutions near it, but on a continuous solution set none
of them is the nearest point. The local solver takes the shortest step, so a seed between the
nearest known solution and the seed state converges to a point of the set nearer to the seed state.
"""

import math

import numpy as np

from generative_ik_ros.collision.verdict import Verdict
from generative_ik_ros.compiled.kernel import inlined
from generative_ik_ros.search.collisions import collision_verdict, drop
from generative_ik_ros.search.local import verified
from generative_ik_ros.select.pool import is_same, move, squared_distance

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
            distance = _squared_distance(box, pool.positions[t, k])
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
            counts = box.weights[v] ** 2
            gain += counts * along * (box.reference[v] - nearest[v])
            length += counts * along * along
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
        largest = max(largest, box.weights[v] ** 2)
    fraction = 1.0 / ((1 + begun % _FRACTIONS) * largest)
    for v in range(q.shape[0]):
        part = fraction * box.weights[v] ** 2
        q[v] = nearest[v] + part * (box.reference[v] - nearest[v])


@inlined
def is_near(search, t, k):
    """Say whether the k-th solution of target t is near the seed state, and may be free."""
    box, far = search.box, 0.0
    for v in range(box.weights.shape[0]):
        far += _NEAR * box.weights[v] ** 2
    near = _squared_distance(box, search.pool.positions[t, k]) <= far
    return near and search.pool.errors[t, k, 2] != Verdict.COLLIDING.value


@inlined
def keep_nearest(search, target, t, pose, q):
    """Keep a configuration if it is a solution, free, and nearer than the nearest so far."""
    distance = _squared_distance(search.box, q)
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

    Where that has come to another solution, this one is replaced, and the first one is left.
    Others that are the same are dropped if enough are left, else the nearest is not kept.
    """
    pool, place, same = search.pool, target.nearest, 0
    if not target.moved:
        return
    alone = not is_same(pool, t, place, nearest)
    for k in range(pool.counts[t]):
        if _is_other(pool, target, t, k, nearest):
            same += 1
            if alone and place == target.nearest:
                place = k
    if same > alone and target.usable - (same - alone) < search.criteria.num_solutions:
        return
    for k in range(pool.counts[t]):
        if k != place and _is_other(pool, target, t, k, nearest):
            drop(pool, target, t, k)
    move(pool, t, place, nearest)
    errors = pool.errors[t, place]
    pose = int(errors[3])
    errors[0], errors[1], _ = verified(search.poses, search.problem, nearest, pose, search.memory)
    target.free += errors[2] != Verdict.FREE.value
    errors[2] = Verdict.FREE.value


@inlined
def _is_other(pool, target, t, k, nearest):
    """Say whether the k-th solution, not the one refined, may be free and is the same as that."""
    usable = pool.errors[t, k, 2] != Verdict.COLLIDING.value
    return k != target.nearest and usable and is_same(pool, t, k, nearest)


@inlined
def _squared_distance(box, q):
    return squared_distance(q, box.reference, box.weights)
