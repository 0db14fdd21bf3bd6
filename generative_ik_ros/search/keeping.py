"""What becomes of a solution that a closed form has found, in compiled code.

The native core's search keeps its solutions alike (core/src/search/keeping.hpp).
"""

from generative_ik_ros.collision.verdict import Verdict
from generative_ik_ros.compiled.kernel import inlined
from generative_ik_ros.search.collisions import collision_verdict, drop
from generative_ik_ros.search.local import verified
from generative_ik_ros.search.policy import GIVE_UP
from generative_ik_ros.select.pool_kernel import (
    SAME,
    find_prevailing,
    insert,
    is_same,
    move,
    squared_distance,
)

# ruff: noqa: ANN001, ANN202, ANN201  (types inside compiled code are numba's, not Python's)


_COLLIDING_VISITS = 8
"""Null-space steps that start from a free solution before one starts from a colliding one."""
_TRIES = 24
"""Visits to a solution that collides after which what spheres cannot tell does not take its place
any more: decided to collide as well, it would be followed by the next one beside it."""


@inlined
def keep_solution(search, target, t, pose, q):
    """Keep a converged configuration if it passes verification; say whether it is new.

    `search` is a `branch_pool.Kept`. Where several are the same solution, the
    one nearest to the seed state is kept that is free; see `_settle`.
    Solutions that collide are kept to be known again while there is room; beyond that they count
    as new as long as a target without any solution would be searched.
    """
    pool, box = search.pool, search.box
    known = find_prevailing(pool, t, q, box.reference, box.weights)
    if known >= 0:
        pool.visits[t, known] += 1
        return False
    position, angle, exact = verified(search.poses, search.problem, q, pose, search.memory)
    if not exact:
        return False
    verdict, place, before = collision_verdict(search.run, q), -1, Verdict.COLLIDING.value
    if known == SAME:
        place, prevails = _settle(pool, box, target, t, q, verdict)
        if prevails:
            pool.visits[t, place] += 1
            return False
        target.doubled = target.doubled or place < 0
    elif verdict == Verdict.COLLIDING:
        if pool.counts[t] - target.usable >= search.run.most_colliding:
            return target.restarts_ended < GIVE_UP
    if place >= 0:
        before = int(pool.errors[t, place, 2])
        move(pool, t, place, q)
        pool.visits[t, place] += 1
    elif pool.counts[t] < pool.positions.shape[1]:
        place = insert(pool, t, q)
    else:
        return False
    errors = pool.errors[t, place]
    errors[0], errors[1], errors[2], errors[3] = position, angle, verdict, pose
    if verdict == Verdict.COLLIDING:
        # Null-space steps then start from others first.
        pool.visits[t, place] += _COLLIDING_VISITS
    target.usable += int(before == Verdict.COLLIDING) - int(verdict == Verdict.COLLIDING)
    target.free += int(verdict == Verdict.FREE) - int(before == Verdict.FREE)
    return before == Verdict.COLLIDING


@inlined
def _settle(pool, box, target, t, q, verdict):
    """Choose between q and the solutions of target t that are the same.

    What does not collide is kept, of several the nearest to the seed state; and two are as long
    as the nearer one may collide and the other one does not.

    Returns:
        The place that q takes, -1 for one of its own; or that of one which is kept rather than q,
        and whether it is.
    """
    place, own = -1, squared_distance(q, box.reference, box.weights)
    for k in range(pool.counts[t]):
        if is_same(pool, t, k, q):
            lead = squared_distance(pool.positions[t, k], box.reference, box.weights) - own
            known = int(pool.errors[t, k, 2])
            tried = known == Verdict.COLLIDING and pool.visits[t, k] > _TRIES
            if _gives_way(verdict, known, -lead) or (tried and verdict != Verdict.FREE):
                return k, True
            if place < 0 and _gives_way(known, verdict, lead):
                place = k
    for k in range(place + 1, pool.counts[t] if place >= 0 else 0):
        if is_same(pool, t, k, q):
            lead = squared_distance(pool.positions[t, k], box.reference, box.weights) - own
            if _gives_way(int(pool.errors[t, k, 2]), verdict, lead):
                drop(pool, target, t, k)
    return place, False


@inlined
def _gives_way(verdict, other, lead):
    """Say whether a solution is not kept beside another one that is nearer by `lead`."""
    if verdict == Verdict.COLLIDING:
        return True
    if other == Verdict.COLLIDING:
        return False
    return lead >= 0.0 and (verdict != Verdict.FREE or other == Verdict.FREE)
