"""Refinement towards the seed state: the nearest solution is moved along its solution set.

Random restarts around a seed state find solutions near it, but on a continuous solution set none
of them is the nearest point. The local solver takes the shortest step, so a seed between the
nearest known solution and the seed state converges to a point of the set nearer to the seed state.
"""

import numpy as np

from generative_ik_ros.collision.verdict import Verdict
from generative_ik_ros.compiled.kernel import inlined
from generative_ik_ros.search.collisions import collision_verdict, drop
from generative_ik_ros.search.local import verified
from generative_ik_ros.select.pool import is_same, move, squared_distance

# ruff: noqa: ANN001, ANN202, ANN201  (types inside compiled code are numba's, not Python's)

_FRACTIONS = 4
"""Seeds lie at one of so many fractions of the way: all of it, a half, a third, a quarter."""


@inlined
def seed_between(box, pool, target, closest, t, q):
    """Write a seed between the nearest solution of target t and the seed state to `q`.

    The nearest solution is looked up the first time, and kept in row t of `closest`.
    """
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
            closest[t, v] = pool.positions[t, target.nearest, v]
    fraction = 1.0 / (1 + target.towards_seed_begun % _FRACTIONS)
    for v in range(q.shape[0]):
        q[v] = closest[t, v] + fraction * (box.reference[v] - closest[t, v])


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
    """
    pool, place = search.pool, target.nearest
    if not target.moved:
        return
    alone = not is_same(pool, t, place, nearest)
    for k in range(pool.counts[t]):
        usable = pool.errors[t, k, 2] != Verdict.COLLIDING.value
        if k != target.nearest and usable and is_same(pool, t, k, nearest):
            if alone and place == target.nearest:
                place = k
            else:
                drop(pool, target, t, k)
    move(pool, t, place, nearest)
    errors = pool.errors[t, place]
    pose = int(errors[3])
    errors[0], errors[1], _ = verified(search.poses, search.problem, nearest, pose, search.memory)
    target.free += errors[2] != Verdict.FREE.value
    errors[2] = Verdict.FREE.value


@inlined
def _squared_distance(box, q):
    return squared_distance(q, box.reference, box.weights)
