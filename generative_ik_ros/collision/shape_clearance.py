"""Compiled distances between the robot and everything else, by the shapes themselves.

As in `clearance.py` sphere trees say what can be near, but their leaves stand for convex pieces of
the shapes, and the distance of two leaves is that of their pieces. The two that were nearest last
are noted and measured first: what their distance rules out is mostly all the rest.
"""

import math

import numpy as np

from generative_ik_ros.collision.check import (
    BODY_INTS,
    PRIMITIVE_ROWS,
    Header,
    group_of,
    is_allowed,
    is_near,
    place_bodies,
)
from generative_ik_ros.collision.clearance import (
    BEYOND,
    BODY,
    LEAF,
    OTHER,
    OTHER_LEAF,
    PER_METRE,
    forget,
)
from generative_ik_ros.collision.convex_distance import SIMPLEX, TRIANGLE, pieces_apart
from generative_ik_ros.collision.signed_distance import signed_distance
from generative_ik_ros.collision.surfaces import BODY_PLACES
from generative_ik_ros.collision.traverse import (
    ROOT,
    TREE_ROWS,
    inverted,
    pair_at,
    primitive_seen_from,
    push_below,
    seen_from,
)
from generative_ik_ros.compiled import WIDTH
from generative_ik_ros.compiled.addresses import floats_at, ints_at
from generative_ik_ros.compiled.borrow import borrow
from generative_ik_ros.compiled.kernel import inlined, kernel
from generative_ik_ros.compiled.lanes import first_lane, lane_of, lanes_below, load, square_root

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)
# An intrinsic's first parameter is numba's own.
# pyright: reportCallIssue=false


@kernel()
def distance_many(floats, ints, pieces, places, positions, frames, stack, distances):
    """Write the distance from the nearest thing (N,) for (N, n) configurations.

    It is 0 where surfaces touch, infinite where there is nothing, NaN for NaN.
    """
    floats, ints, pieces, places = borrow(floats), borrow(ints), borrow(pieces), borrow(places)
    positions, frames, stack = borrow(positions), borrow(frames), borrow(stack)
    simplex = np.empty(SIMPLEX)
    forget(stack)
    for i in range(len(positions)):
        if math.isnan(positions[i, 0]):
            distances[i] = math.nan
            continue
        best = _distance(
            floats, ints, pieces, places, positions[i], frames, stack, borrow(simplex)
        )
        distances[i] = best if best < BEYOND else math.inf
    # Until here the memory must be there, which the compiler does not see.
    simplex[0] = 0.0


@kernel()
def distance_at(context, q_address, count):
    """Measure the configuration at an address; for compiled code, which calls it by its address.

    Args:
        context: Address of a `CheckerContext`'s places, with pieces.
        q_address: Address of the configuration.
        count: Its number of joints.

    Returns:
        The distance from the nearest thing, see `clearance_at` [pm].
    """
    there = ints_at(context, 14)
    floats, ints = floats_at(there[0], there[1]), ints_at(there[2], there[3])
    frames, stack = floats_at(there[4], there[5]), ints_at(there[6], there[7])
    pieces, places = floats_at(there[10], there[11]), ints_at(there[12], there[13])
    simplex = np.empty(SIMPLEX)
    best = _distance(
        floats, ints, pieces, places, floats_at(q_address, count), frames, stack, borrow(simplex)
    )
    simplex[0] = 0.0
    return int(best * PER_METRE)


@inlined
def _distance(floats, ints, pieces, places, q, frames, stack, simplex):
    """Return the distance for one configuration, at most `BEYOND`."""
    centres = place_bodies(floats, ints, q, frames)
    best = _noted(ints, pieces, frames, stack, simplex)
    best = _from_bodies(ints, pieces, places, frames, centres, stack, simplex, best)
    return _from_primitives(floats, ints, pieces, places, frames, centres, stack, simplex, best)


@inlined
def _noted(ints, pieces, frames, stack, simplex):
    """Return the distance of the two pieces that are noted, if any are."""
    if stack[BODY] < 0:
        return BEYOND
    body = ints[ints[Header.BODY_INTS] + BODY_INTS * stack[BODY]]
    other = ints[ints[Header.BODY_INTS] + BODY_INTS * stack[OTHER]] if stack[OTHER] >= 0 else 0
    there = seen_from(frames, body, other)
    return pieces_apart(pieces, stack[LEAF], stack[OTHER_LEAF], there, simplex, BEYOND)


@inlined
def _from_bodies(ints, pieces, places, frames, centres, stack, simplex, best):
    # The pair that looks nearest comes first, and rules most of the others out.
    first, least = 0, math.inf
    for k in range(ints[Header.PAIRS]):
        gap = _gap(ints, frames, centres, k)
        if gap < least:
            first, least = k, gap
    for turn in range(ints[Header.PAIRS]):
        k = first if turn == 0 else turn - 1 if turn <= first else turn
        if _gap(ints, frames, centres, k) >= best:
            continue
        at = ints[Header.PAIR_INTS] + 2 * k
        i, j = ints[at], ints[at + 1]
        f = ints[ints[Header.BODY_INTS] + BODY_INTS * i]
        there = seen_from(frames, f, ints[ints[Header.BODY_INTS] + BODY_INTS * j])
        nearer = _tree_from_tree(
            pieces, places, BODY_PLACES * i, BODY_PLACES * j, there, stack, simplex, best
        )
        if nearer < best:
            best, stack[BODY], stack[OTHER] = nearer, i, j
    return best


@inlined
def _gap(ints, frames, centres, k):
    """Return the distance of the spheres around a pair of bodies."""
    at = ints[Header.PAIR_INTS] + 2 * k
    a, b = centres + 4 * ints[at], centres + 4 * ints[at + 1]
    dx, dy = frames[a] - frames[b], frames[a + 1] - frames[b + 1]
    dz = frames[a + 2] - frames[b + 2]
    return math.sqrt(dx * dx + dy * dy + dz * dz) - frames[a + 3] - frames[b + 3]


@inlined
def _tree_from_tree(pieces, places, one, other, there, stack, simplex, best):
    """Return the distance between the nearest pieces of two bodies, or `best` if that is less.

    `one` and `other` are where the bodies' numbers are in `places`.
    """
    cover, other_cover = (places[one], places[one + 1]), (places[other], places[other + 1])
    back = inverted(there)
    stack[0], stack[1], stack[2], stack[3] = 0, ROOT, 0, -1
    top = 4
    while top > 0:
        top -= 4
        if stack[top + 3] / PER_METRE >= best:
            continue
        pair, x, y, z = pair_at(pieces, cover, other_cover, there, back, stack, top)
        gaps = square_root(x * x + y * y + z * z) - (load(pieces, pair.at + 3) + pair.radius)
        near = lanes_below(gaps, best)
        base, nearest, nearest_gap = top, -1, math.inf
        while near:
            lane = first_lane(near)
            near &= near - 1
            gap = lane_of(gaps, lane)
            # Another lane may have come nearer meanwhile.
            if gap >= best:
                continue
            leaf = WIDTH * pair.group + lane
            if pair.swapped:
                a, b = places[places[one + 2] + pair.node], places[places[other + 2] + leaf]
            else:
                a, b = places[places[one + 2] + leaf], places[places[other + 2] + pair.node]
            if a >= 0 and b >= 0:
                gap = pieces_apart(pieces, a, b, there, simplex, best)
                if gap >= best:
                    continue
            if not push_below(pieces, pair, lane, stack, top):
                best = _surfaces_apart(pieces, a, b, there, stack, simplex, best)
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
def _from_primitives(floats, ints, pieces, places, frames, centres, stack, simplex, best):
    for behind in range(ints[Header.MOVING]):
        b = ints[Header.MOVING] - 1 - behind
        place = centres + 4 * b
        x, y, z = frames[place], frames[place + 1], frames[place + 2]
        f = ints[ints[Header.BODY_INTS] + BODY_INTS * b]
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
                p = WIDTH * group + lane
                if is_allowed(ints, b, p) or lane_of(gaps, lane) >= frames[place + 3] + best:
                    continue
                primitive = primitive_seen_from(frames, f, floats, row, lane)
                piece = places[BODY_PLACES * ints[Header.BODIES] + p]
                nearer = _tree_from_primitive(
                    pieces, places, BODY_PLACES * b, kind, primitive, piece,
                    seen_from(frames, f, 0), stack, simplex, best,
                )  # fmt: skip
                if nearer < best:
                    best, stack[BODY], stack[OTHER], stack[OTHER_LEAF] = nearer, b, -1 - p, piece
    return best


@inlined
def _tree_from_primitive(pieces, places, one, kind, primitive, piece, there, stack, simplex, best):
    """Return the distance of the piece nearest to a primitive, or `best` if that is less."""
    stack[0] = 0
    top = 1
    while top > 0:
        top -= 1
        group = stack[top]
        at = places[one] + TREE_ROWS * group
        x, y, z = load(pieces, at), load(pieces, at + 1), load(pieces, at + 2)
        gaps = signed_distance(kind, primitive, x, y, z) - load(pieces, at + 3)
        near = lanes_below(gaps, best)
        while near:
            lane = first_lane(near)
            near &= near - 1
            if lane_of(gaps, lane) >= best:
                continue
            a = places[places[one + 2] + WIDTH * group + lane]
            if a >= 0 and pieces_apart(pieces, a, piece, there, simplex, best) >= best:
                continue
            below = WIDTH * group - (WIDTH - 2) + lane
            if below < places[one + 1]:
                stack[top] = below
                top += 1
                continue
            best = _surfaces_apart(pieces, a, piece, there, stack, simplex, best)
    return best


@inlined
def _surfaces_apart(pieces, one, other, there, stack, simplex, best):
    """Return the distance of two leaves' pieces, of the triangles in their hulls, or `best`.

    Which are nearest is noted, if they are nearer than `best`.
    """
    apart = pieces_apart(pieces, one, other, there, simplex, best)
    parts, other_parts = int(pieces[one + 3]), int(pieces[other + 3])
    if apart >= best:
        return best
    if parts == 0 and other_parts == 0:
        stack[LEAF], stack[OTHER_LEAF] = one, other
        return apart
    for i in range(max(parts, 1)):
        a = int(pieces[one + 4]) + TRIANGLE * i if parts else one
        if other_parts and pieces_apart(pieces, a, other, there, simplex, best) >= best:
            continue
        for j in range(max(other_parts, 1)):
            b = int(pieces[other + 4]) + TRIANGLE * j if other_parts else other
            apart = pieces_apart(pieces, a, b, there, simplex, best)
            if apart < best:
                best, stack[LEAF], stack[OTHER_LEAF] = apart, a, b
    return best
