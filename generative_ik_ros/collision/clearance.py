"""Compiled lower bounds of the distance between the robot and everything else, by spheres."""

import math

from generative_ik_ros.collision.check import (
    BODY_INTS,
    PRIMITIVE_ROWS,
    Header,
    group_of,
    is_allowed,
    place_bodies,
)
from generative_ik_ros.collision.signed_distance import signed_distance
from generative_ik_ros.collision.traverse import (
    ROOT,
    TREE_ROWS,
    inverted,
    pair_at,
    primitive_seen_from,
    push_below,
    seen_from,
)
from generative_ik_ros.compiled.addresses import floats_at, ints_at
from generative_ik_ros.compiled.borrow import borrow
from generative_ik_ros.compiled.kernel import inlined, kernel
from generative_ik_ros.compiled.lanes import (
    WIDTH,
    first_lane,
    lane_of,
    lanes_below,
    load,
    square_root,
)

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)
# An intrinsic's first parameter is numba's own.
# pyright: reportCallIssue=false


_BEYOND = 1e6
"""Nothing is further away, but for what fills up groups of eight [m]."""
PER_METRE = 1e12
"""Compiled code that is called by its address returns whole numbers: picometres."""


@kernel()
def clearance_many(floats, ints, positions, frames, stack, bounds):
    """Write a lower bound of the distance from the nearest thing (N,) for (N, n) configurations.

    It is 0 where spheres overlap, infinite where there is nothing, NaN for NaN.
    """
    floats, ints, positions = borrow(floats), borrow(ints), borrow(positions)
    frames, stack = borrow(frames), borrow(stack)
    for i in range(len(positions)):
        if math.isnan(positions[i, 0]):
            bounds[i] = math.nan
            continue
        best = _bound(floats, ints, positions[i], frames, stack)
        bounds[i] = best if best < _BEYOND else math.inf


@kernel()
def clearance_at(context, q_address, count):
    """Measure the configuration at an address; for compiled code, which calls it by its address.

    Args:
        context: Address of a `CheckerContext`'s places.
        q_address: Address of the configuration.
        count: Its number of joints.

    Returns:
        A lower bound of the distance from the nearest thing [pm].
    """
    there = ints_at(context, 8)
    floats, ints = floats_at(there[0], there[1]), ints_at(there[2], there[3])
    frames, stack = floats_at(there[4], there[5]), ints_at(there[6], there[7])
    best = _bound(floats, ints, floats_at(q_address, count), frames, stack)
    return int(best * PER_METRE)


@inlined
def _bound(floats, ints, q, frames, stack):
    """Return the lower bound for one configuration, at least 0 and at most `_BEYOND`.

    Leaves can stick out of the spheres above them, so that the bound depends a little on what is
    measured first. That must not depend on earlier configurations, or calls would not repeat.
    """
    centres = place_bodies(floats, ints, q, frames)
    # What is nearest is mostly another link, and then it rules most of the obstacles out.
    best = _from_bodies(floats, ints, frames, centres, stack, _BEYOND)
    return max(_from_primitives(floats, ints, frames, centres, stack, best), 0.0)


@inlined
def _from_primitives(floats, ints, frames, centres, stack, best):
    for behind in range(ints[Header.MOVING]):
        b = ints[Header.MOVING] - 1 - behind
        place = centres + 4 * b
        x, y, z = frames[place], frames[place + 1], frames[place + 2]
        at = ints[Header.BODY_INTS] + BODY_INTS * b
        for group in range(ints[Header.GROUPS]):
            row = ints[Header.PRIMITIVE_ROW] + PRIMITIVE_ROWS * group
            kind = ints[ints[Header.KINDS] + group]
            gaps = signed_distance(kind, group_of(floats, row), x, y, z)
            near = lanes_below(gaps, frames[place + 3] + best)
            while near:
                lane = first_lane(near)
                near &= near - 1
                if is_allowed(ints, b, WIDTH * group + lane):
                    continue
                primitive = primitive_seen_from(frames, ints[at], floats, row, lane)
                best = _tree_from_primitive(
                    floats, ints[at + 1], ints[at + 2], kind, primitive, stack, best
                )
    return best


@inlined
def _tree_from_primitive(floats, row, groups, kind, primitive, stack, best):
    """Return the distance of the leaf nearest to a primitive, or `best` if that is less."""
    stack[0] = 0
    top = 1
    while top > 0:
        top -= 1
        group = stack[top]
        at = row + TREE_ROWS * group
        x, y, z = load(floats, at), load(floats, at + 1), load(floats, at + 2)
        gaps = signed_distance(kind, primitive, x, y, z) - load(floats, at + 3)
        near = lanes_below(gaps, best)
        while near:
            lane = first_lane(near)
            near &= near - 1
            below = WIDTH * group - (WIDTH - 2) + lane
            if below >= groups:
                best = min(best, lane_of(gaps, lane))
            else:
                stack[top] = below
                top += 1
    return best


@inlined
def _from_bodies(floats, ints, frames, centres, stack, best):
    # The pair that looks nearest comes first, and rules most of the others out.
    first, least = 0, math.inf
    for k in range(ints[Header.PAIRS]):
        at = ints[Header.PAIR_INTS] + 2 * k
        a, b = centres + 4 * ints[at], centres + 4 * ints[at + 1]
        dx, dy = frames[a] - frames[b], frames[a + 1] - frames[b + 1]
        dz = frames[a + 2] - frames[b + 2]
        gap = math.sqrt(dx * dx + dy * dy + dz * dz) - frames[a + 3] - frames[b + 3]
        if gap < least:
            first, least = k, gap
    for turn in range(ints[Header.PAIRS]):
        k = first if turn == 0 else turn - 1 if turn <= first else turn
        at = ints[Header.PAIR_INTS] + 2 * k
        i, j = ints[at], ints[at + 1]
        a, b = centres + 4 * i, centres + 4 * j
        dx, dy = frames[a] - frames[b], frames[a + 1] - frames[b + 1]
        dz = frames[a + 2] - frames[b + 2]
        if math.sqrt(dx * dx + dy * dy + dz * dz) - frames[a + 3] - frames[b + 3] >= best:
            continue
        one, other = ints[Header.BODY_INTS] + BODY_INTS * i, ints[Header.BODY_INTS] + BODY_INTS * j
        there = seen_from(frames, ints[one], ints[other])
        covers = (ints[one + 1], ints[one + 2]), (ints[other + 1], ints[other + 2])
        best = _tree_from_tree(floats, covers[0], covers[1], there, inverted(there), stack, best)
    return best


@inlined
def _tree_from_tree(floats, one, other, there, back, stack, best):
    """Return the distance between the nearest leaves of two trees, or `best` if that is less."""
    stack[0], stack[1], stack[2] = 0, ROOT, 0
    top = 3
    while top > 0:
        top -= 3
        pair, x, y, z = pair_at(floats, one, other, there, back, stack, top)
        gaps = square_root(x * x + y * y + z * z) - (load(floats, pair.at + 3) + pair.radius)
        near = lanes_below(gaps, best)
        base, nearest, nearest_gap = top, -1, math.inf
        while near:
            lane = first_lane(near)
            near &= near - 1
            gap = lane_of(gaps, lane)
            # Another lane may have come nearer meanwhile.
            if gap >= best:
                continue
            if not push_below(floats, pair, lane, stack, top):
                best = gap
                continue
            if gap < nearest_gap:
                nearest, nearest_gap = top, gap
            top += 3
        if nearest >= base:
            # What is nearest is looked at first, and rules most of the others out.
            for k in range(3):
                stack[nearest + k], stack[top - 3 + k] = stack[top - 3 + k], stack[nearest + k]
    return best
