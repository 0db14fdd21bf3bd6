"""Compiled lower bounds of the distance between the robot and everything else, by spheres.

Leaves can stick out of the spheres above them. What they cover is inside those spheres, too, so
that of a leaf and all above it the largest distance counts: the bound does not depend on what is
measured first.

Configurations near to each other mostly have the same two leaves nearest. Which two these were
last is noted in the last four numbers of the stack, and what is further away than these now is
passed over at first.
"""

import math

from generative_ik_ros.collision.check import (
    BODY_INTS,
    PRIMITIVE_ROWS,
    Header,
    group_of,
    is_allowed,
    is_near,
    place_bodies,
)
from generative_ik_ros.collision.signed_distance import signed_distance
from generative_ik_ros.collision.traverse import (
    ROOT,
    STACK,
    TREE_ROWS,
    inverted,
    moved,
    pair_at,
    primitive_seen_from,
    push_below,
    seen_from,
)
from generative_ik_ros.compiled import WIDTH
from generative_ik_ros.compiled.addresses import floats_at, ints_at
from generative_ik_ros.compiled.borrow import borrow
from generative_ik_ros.compiled.kernel import inlined, kernel
from generative_ik_ros.compiled.lanes import (
    first_lane,
    lane_of,
    lanes_below,
    load,
    spread,
    square_root,
)

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)
# An intrinsic's first parameter is numba's own.
# pyright: reportCallIssue=false


BEYOND = 1e6
"""Nothing is further away, but for what fills up groups of eight [m]."""
_NEARLY, _SHARE = 2e-3, 1.05
"""What is nearest is mostly no further away than what was last, by no more than that [m]."""
BODY, LEAF, OTHER, OTHER_LEAF = range(STACK - 4, STACK)
"""Where in the stack a body, the place of its nearest leaf, another body, or -1 - a primitive, and
the place of its leaf are noted."""
PER_METRE = 1e12
"""Compiled code that is called by its address returns whole numbers: picometres."""


@kernel()
def clearance_many(floats, ints, positions, frames, stack, bounds):
    """Write a lower bound of the distance from the nearest thing (N,) for (N, n) configurations.

    It is 0 where spheres overlap, infinite where there is nothing, NaN for NaN.
    """
    floats, ints, positions = borrow(floats), borrow(ints), borrow(positions)
    frames, stack = borrow(frames), borrow(stack)
    forget(stack)
    for i in range(len(positions)):
        if math.isnan(positions[i, 0]):
            bounds[i] = math.nan
            continue
        best = _bound(floats, ints, positions[i], frames, stack)
        bounds[i] = max(best, 0.0) if best < BEYOND else math.inf


@kernel()
def clearance_at(context, q_address, count):
    """Measure the configuration at an address; for compiled code, which calls it by its address.

    What is noted as nearest in the context's stack, by `recall` or by the last call, must be of
    the same world; it makes no difference to the bound.

    Args:
        context: Address of a `CheckerContext`'s places.
        q_address: Address of the configuration.
        count: Its number of joints.

    Returns:
        A lower bound of the distance from the nearest thing; below 0, how deep spheres overlap
        [pm].
    """
    there = ints_at(context, 8)
    floats, ints = floats_at(there[0], there[1]), ints_at(there[2], there[3])
    frames, stack = floats_at(there[4], there[5]), ints_at(there[6], there[7])
    best = _bound(floats, ints, floats_at(q_address, count), frames, stack)
    return int(best * PER_METRE)


@inlined
def _bound(floats, ints, q, frames, stack):
    """Return the lower bound for one configuration, at most `BEYOND`.

    Below 0 it is how deep spheres are in each other, so that it grows towards what is clear.
    """
    centres = place_bodies(floats, ints, q, frames)
    first = min(_SHARE * max(_noted(floats, ints, frames, stack), 0.0) + _NEARLY, BEYOND)
    best = first
    while True:
        # What is nearest is mostly another link, and then it rules most of the obstacles out.
        best = _from_bodies(floats, ints, frames, centres, stack, best)
        best = _from_primitives(floats, ints, frames, centres, stack, best)
        if best < first or first == BEYOND:
            return best
        best = first = BEYOND


@inlined
def forget(stack):
    """Note that nothing is known to be nearest."""
    stack[BODY] = -1


@inlined
def recall(stack, near):
    """Note what was nearest once, (4,) numbers of `keep`."""
    for k in range(4):
        stack[BODY + k] = near[k]


@inlined
def keep(stack, near):
    """Write what was nearest last to (4,) numbers."""
    for k in range(4):
        near[k] = stack[BODY + k]


@inlined
def _noted(floats, ints, frames, stack):
    """Return the distance of the two leaves, or leaf and primitive, that are noted, if any are."""
    body, other = stack[BODY], stack[OTHER]
    if body < 0:
        return BEYOND
    leaf = stack[LEAF]
    if other < 0:
        frame, p = ints[ints[Header.BODY_INTS] + BODY_INTS * body], -1 - other
        kind = ints[ints[Header.KINDS] + p // WIDTH]
        row = ints[Header.PRIMITIVE_ROW] + PRIMITIVE_ROWS * (p // WIDTH)
        primitive = primitive_seen_from(frames, frame, floats, row, p % WIDTH)
        x, y = spread(floats[leaf]), spread(floats[leaf + WIDTH])
        gap = signed_distance(kind, primitive, x, y, spread(floats[leaf + 2 * WIDTH]))
        return lane_of(gap, 0) - floats[leaf + 3 * WIDTH]
    x, y, z = _leaf_at(floats, ints, frames, body, leaf)
    a, b, c = _leaf_at(floats, ints, frames, other, stack[OTHER_LEAF])
    reach = floats[leaf + 3 * WIDTH] + floats[stack[OTHER_LEAF] + 3 * WIDTH]
    return math.sqrt((x - a) ** 2 + (y - b) ** 2 + (z - c) ** 2) - reach


@inlined
def _leaf_at(floats, ints, frames, body, leaf):
    f = 12 * ints[ints[Header.BODY_INTS] + BODY_INTS * body]
    return moved(frames[f : f + 12], floats[leaf], floats[leaf + WIDTH], floats[leaf + 2 * WIDTH])


@inlined
def _from_primitives(floats, ints, frames, centres, stack, best):
    for behind in range(ints[Header.MOVING]):
        b = ints[Header.MOVING] - 1 - behind
        place = centres + 4 * b
        x, y, z = frames[place], frames[place + 1], frames[place + 2]
        at = ints[Header.BODY_INTS] + BODY_INTS * b
        for group in range(ints[Header.GROUPS]):
            row = ints[Header.PRIMITIVE_ROW] + PRIMITIVE_ROWS * group
            if not is_near(floats, row, x, y, z, frames[place + 3] + best):
                continue
            kind = ints[ints[Header.KINDS] + group]
            gaps = signed_distance(kind, group_of(floats, row), x, y, z)
            near = lanes_below(gaps, frames[place + 3] + best)
            while near:
                lane = first_lane(near)
                near &= near - 1
                if is_allowed(ints, b, WIDTH * group + lane):
                    continue
                primitive = primitive_seen_from(frames, ints[at], floats, row, lane)
                one = _tree_from_primitive(
                    floats, ints[at + 1], ints[at + 2], kind, primitive, stack, best,
                    lane_of(gaps, lane) - frames[place + 3],
                )  # fmt: skip
                if one < best:
                    best, stack[BODY], stack[OTHER] = one, b, -1 - (WIDTH * group + lane)
    return best


@inlined
def _tree_from_primitive(floats, row, groups, kind, primitive, stack, best, above):
    """Return the distance of the leaf nearest to a primitive, or `best` if that is less.

    `above` is that of the sphere around the body.
    """
    stack[0], stack[1] = 0, int(above * PER_METRE)
    top = 2
    while top > 0:
        top -= 2
        group, above = stack[top], stack[top + 1] / PER_METRE
        if above >= best:
            continue
        at = row + TREE_ROWS * group
        x, y, z = load(floats, at), load(floats, at + 1), load(floats, at + 2)
        gaps = signed_distance(kind, primitive, x, y, z) - load(floats, at + 3)
        near = lanes_below(gaps, best)
        while near:
            lane = first_lane(near)
            near &= near - 1
            below, gap = WIDTH * group - (WIDTH - 2) + lane, max(lane_of(gaps, lane), above)
            if gap >= best:
                continue
            if below >= groups:
                best, stack[LEAF] = gap, WIDTH * at + lane
            else:
                stack[top], stack[top + 1] = below, int(gap * PER_METRE)
                top += 2
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
        above = math.sqrt(dx * dx + dy * dy + dz * dz) - frames[a + 3] - frames[b + 3]
        if above >= best:
            continue
        one, other = ints[Header.BODY_INTS] + BODY_INTS * i, ints[Header.BODY_INTS] + BODY_INTS * j
        there = seen_from(frames, ints[one], ints[other])
        covers = (ints[one + 1], ints[one + 2]), (ints[other + 1], ints[other + 2])
        back = inverted(there)
        gap = _tree_from_tree(floats, covers[0], covers[1], there, back, stack, best, above)
        if gap < best:
            best, stack[BODY], stack[OTHER] = gap, i, j
    return best


@inlined
def _tree_from_tree(floats, one, other, there, back, stack, best, above):
    """Return the distance between the nearest leaves of two trees, or `best` if that is less.

    `above` is that of the spheres around the bodies.
    """
    stack[0], stack[1], stack[2], stack[3] = 0, ROOT, 0, int(above * PER_METRE)
    top = 4
    while top > 0:
        top -= 4
        above = stack[top + 3] / PER_METRE
        if above >= best:
            continue
        pair, x, y, z = pair_at(floats, one, other, there, back, stack, top)
        gaps = square_root(x * x + y * y + z * z) - (load(floats, pair.at + 3) + pair.radius)
        near = lanes_below(gaps, best)
        base, nearest, nearest_gap = top, -1, math.inf
        while near:
            lane = first_lane(near)
            near &= near - 1
            gap = max(lane_of(gaps, lane), above)
            # Another lane may have come nearer meanwhile.
            if gap >= best:
                continue
            if not push_below(floats, pair, lane, stack, top):
                best = gap
                _note_leaves(one, other, pair, lane, stack)
                continue
            stack[top + 3] = int(gap * PER_METRE)
            if gap < nearest_gap:
                nearest, nearest_gap = top, gap
            top += 4
        if nearest >= base:
            # What is nearest is looked at first, and rules most of the others out.
            for k in range(4):
                stack[nearest + k], stack[top - 4 + k] = stack[top - 4 + k], stack[nearest + k]
    return best


@inlined
def _note_leaves(one, other, pair, lane, stack):
    """Note the places of a lane of the pair's group and of its node, the first tree's first."""
    node_row = one[0] if pair.swapped else other[0]
    node = WIDTH * (node_row + TREE_ROWS * (pair.node // WIDTH)) + pair.node % WIDTH
    leaf = WIDTH * pair.at + lane
    stack[LEAF], stack[OTHER_LEAF] = (node, leaf) if pair.swapped else (leaf, node)
