"""Compiled collision check of one configuration: free, colliding, or too close to tell.

Spheres that contain the links and are clear of everything prove a configuration free; spheres
inside the links that touch something prove it colliding. What is left between is undecided.
"""

from enum import IntEnum

from generative_ik_ros.collision.frames import place_frames
from generative_ik_ros.collision.signed_distance import positive, signed_distance
from generative_ik_ros.collision.traverse import (
    ROOT,
    TREE_ROWS,
    inverted,
    moved,
    primitive_seen_from,
    seen_from,
    touches_primitive,
    touches_tree,
)
from generative_ik_ros.collision.verdict import Verdict
from generative_ik_ros.compiled import WIDTH
from generative_ik_ros.compiled.addresses import floats_at, ints_at
from generative_ik_ros.compiled.borrow import borrow, shaped
from generative_ik_ros.compiled.kernel import inlined, kernel
from generative_ik_ros.compiled.lanes import first_lane, lanes_below, load

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)
# Arguments of compiled code come as tuples, whose length a type checker does not see.
# pyright: reportCallIssue=false

PRIMITIVE_ROWS = 17
"""Rows of a group of eight primitives: what `signed_distance` takes, and their radii."""
_RADIUS = 16
"""Row of the radii of spheres around the primitives, about their own positions."""
BODY_INTS = 8
"""Frame, cover's row and groups, inner tree's row and groups, whether exact, extremes' place and
number."""
MARGIN_SURE = 1e-6
"""Bodies that are closer to a collision or to freedom than this are not proved to be so [m]."""


class Header(IntEnum):
    """Where things are in the packed arrays of a `World`: places in its whole numbers."""

    FRAMES = 0
    BODIES = 1
    MOVING = 2
    """Bodies that move; they come first."""
    GROUPS = 3
    """Groups of eight primitives."""
    PAIRS = 4
    """Pairs of bodies that are checked against each other."""
    ALLOWED = 5
    """Pairs of a body and a primitive that are not."""
    FRAME_INTS = 6
    BODY_INTS = 7
    KINDS = 8
    PAIR_INTS = 9
    ALLOWED_INTS = 10
    FRAME_FLOATS = 11
    PRIMITIVE_ROW = 12
    PAIR_FLOATS = 13
    CORNERS = 14
    """Eight points of each primitive, as the extremes of a body."""
    SINES = 15
    """Row of eight in the memory for frames; see `place_frames`."""
    SIZE = 16


@inlined
def examine(floats, ints, q, frames, stack, found, sure):
    """Check a configuration, from the bodies near the tip to those near the base.

    Args:
        floats: A packed `World`.
        ints: Likewise.
        q: (n,) the configuration [rad or m].
        frames: Memory for frames and for the centres of bodies.
        stack: (STACK,) memory.
        found: (K, 3) where to write which pairs are not clear: a body, another body or -1 - a
            primitive, and a Verdict. If K is 0, the first collision ends the check.
        sure: What is proved to be this far from everything is free [m].

    Returns:
        A Verdict, and how many pairs were found, which may be more than K.
    """
    centres = place_bodies(floats, ints, q, frames)
    verdict, count = _against_primitives(floats, ints, frames, centres, stack, found, sure)
    if verdict == Verdict.COLLIDING and len(found) == 0:
        return verdict, count
    return _against_bodies(floats, ints, frames, centres, stack, found, sure, verdict, count)


@inlined
def place_bodies(floats, ints, q, frames):
    """Write the frames, and then the spheres around the bodies; return where these begin."""
    place_frames(
        floats[ints[Header.FRAME_FLOATS] :], ints[ints[Header.FRAME_INTS] :],
        ints[Header.FRAMES], q, frames, ints[Header.SINES],
    )  # fmt: skip
    centres = 12 * (ints[Header.FRAMES] + 1)
    for b in range(ints[Header.BODIES]):
        at = ints[Header.BODY_INTS] + BODY_INTS * b
        root = WIDTH * ints[at + 1] + ROOT
        f, place = 12 * ints[at], centres + 4 * b
        x, y, z = floats[root], floats[root + WIDTH], floats[root + 2 * WIDTH]
        for k in range(3):
            frames[place + k] = (
                frames[f + 3 * k] * x + frames[f + 3 * k + 1] * y + frames[f + 3 * k + 2] * z
                + frames[f + 9 + k]
            )  # fmt: skip
        frames[place + 3] = floats[root + 3 * WIDTH]
    return centres


@inlined
def _against_primitives(floats, ints, frames, centres, stack, found, sure):
    verdict, count = Verdict.FREE.value, 0
    margin = floats[0]
    for behind in range(ints[Header.MOVING]):
        b = ints[Header.MOVING] - 1 - behind
        place = centres + 4 * b
        x, y, z = frames[place], frames[place + 1], frames[place + 2]
        reach = frames[place + 3] + margin + sure
        for group in range(ints[Header.GROUPS]):
            row = ints[Header.PRIMITIVE_ROW] + PRIMITIVE_ROWS * group
            if not is_near(floats, row, x, y, z, reach):
                continue
            kind = ints[ints[Header.KINDS] + group]
            near = lanes_below(signed_distance(kind, group_of(floats, row), x, y, z), reach)
            while near:
                lane = first_lane(near)
                near &= near - 1
                p = WIDTH * group + lane
                one = _primitive(floats, ints, frames, b, kind, row, lane, p, margin, sure, stack)
                if one == Verdict.FREE:
                    continue
                verdict = max(verdict, one)
                if count < len(found):
                    found[count, 0], found[count, 1], found[count, 2] = b, -1 - p, one
                count += 1
                if verdict == Verdict.COLLIDING and len(found) == 0:
                    return verdict, count
    return verdict, count


@inlined
def is_near(floats, row, x, y, z, reach):
    """Say whether spheres around eight primitives come so near to a point: cheap, and often no."""
    dx, dy, dz = load(floats, row) - x, load(floats, row + 1) - y, load(floats, row + 2) - z
    far = positive(load(floats, row + _RADIUS) + reach)
    return lanes_below(dx * dx + dy * dy + dz * dz, far * far) != 0


@inlined
def group_of(floats, row):
    """Return eight primitives."""
    return (
        load(floats, row), load(floats, row + 1), load(floats, row + 2), load(floats, row + 3),
        load(floats, row + 4), load(floats, row + 5), load(floats, row + 6),
        load(floats, row + 7), load(floats, row + 8), load(floats, row + 9),
        load(floats, row + 10), load(floats, row + 11), load(floats, row + 12),
        load(floats, row + 13), load(floats, row + 14), load(floats, row + 15),
    )  # fmt: skip


@inlined
def _primitive(floats, ints, frames, b, kind, row, lane, p, margin, sure, stack):
    """Return the Verdict on a body and a primitive."""
    if is_allowed(ints, b, p):
        return Verdict.FREE.value
    at = ints[Header.BODY_INTS] + BODY_INTS * b
    primitive = primitive_seen_from(frames, ints[at], floats, row, lane)
    if not touches_primitive(
        floats, ints[at + 1], ints[at + 2], kind, primitive, margin + sure, stack
    ):
        return Verdict.FREE.value
    if ints[at + 4] == 0 or not touches_primitive(
        floats, ints[at + 3], ints[at + 4], kind, primitive, margin - MARGIN_SURE, stack
    ):
        return Verdict.UNDECIDED.value
    # An obstacle that is wholly inside a mesh does not touch the mesh itself.
    back = inverted(seen_from(frames, 0, ints[at]))
    if ints[at + 5] != 0 or _sticks_out(
        floats, ints[Header.CORNERS] + 24 * p, 8, back, ints[at + 1], ints[at + 2]
    ):
        return Verdict.COLLIDING.value
    return Verdict.INSIDE.value


@inlined
def is_allowed(ints, b, p):
    """Say whether a body may touch a primitive."""
    for k in range(ints[Header.ALLOWED]):
        at = ints[Header.ALLOWED_INTS] + 2 * k
        if ints[at] == b and ints[at + 1] == p:
            return True
    return False


@inlined
def _sticks_out(floats, points, count, frame, row, groups):
    """Say whether one of some points is outside of the eight spheres below the root of a cover.

    `frame` is the points' frame in that of the cover.
    """
    at = row + TREE_ROWS * min(groups - 1, 1)
    for k in range(count):
        p = points + 3 * k
        px, py, pz = moved(frame, floats[p], floats[p + 1], floats[p + 2])
        x, y, z = load(floats, at) - px, load(floats, at + 1) - py, load(floats, at + 2) - pz
        radius = positive(load(floats, at + 3))
        if lanes_below(x * x + y * y + z * z, radius * radius) == 0:
            return True
    return False


@inlined
def _against_bodies(floats, ints, frames, centres, stack, found, sure, verdict, count):
    for k in range(ints[Header.PAIRS]):
        at = ints[Header.PAIR_INTS] + 2 * k
        i, j, margin = ints[at], ints[at + 1], floats[ints[Header.PAIR_FLOATS] + k]
        a, b = centres + 4 * i, centres + 4 * j
        dx, dy = frames[a] - frames[b], frames[a + 1] - frames[b + 1]
        dz = frames[a + 2] - frames[b + 2]
        reach = frames[a + 3] + frames[b + 3] + margin + sure
        if dx * dx + dy * dy + dz * dz > reach * reach or reach < 0.0:
            continue
        one = _bodies(floats, ints, frames, i, j, margin, sure, stack)
        if one == Verdict.FREE:
            continue
        verdict = max(verdict, one)
        if count < len(found):
            found[count, 0], found[count, 1], found[count, 2] = i, j, one
        count += 1
        if verdict == Verdict.COLLIDING and len(found) == 0:
            break
    return verdict, count


@inlined
def _bodies(floats, ints, frames, i, j, margin, sure, stack):
    """Return the Verdict on two bodies."""
    a = ints[Header.BODY_INTS] + BODY_INTS * i
    b = ints[Header.BODY_INTS] + BODY_INTS * j
    there = seen_from(frames, ints[a], ints[b])
    back = inverted(there)
    covers = (ints[a + 1], ints[a + 2]), (ints[b + 1], ints[b + 2])
    if not touches_tree(floats, covers[0], covers[1], there, back, margin + sure, stack):
        return Verdict.FREE.value
    if ints[a + 4] == 0 or ints[b + 4] == 0:
        return Verdict.UNDECIDED.value
    inner = (ints[a + 3], ints[a + 4]), (ints[b + 3], ints[b + 4])
    if not touches_tree(floats, inner[0], inner[1], there, back, margin - MARGIN_SURE, stack):
        return Verdict.UNDECIDED.value
    if (ints[a + 5] != 0 and ints[b + 5] != 0) or (
        _sticks_out(floats, ints[a + 6], ints[a + 7], back, ints[b + 1], ints[b + 2])
        and _sticks_out(floats, ints[b + 6], ints[b + 7], there, ints[a + 1], ints[a + 2])
    ):
        return Verdict.COLLIDING.value
    return Verdict.INSIDE.value


@kernel()
def check_at(context, q_address, count):
    """Check the configuration at an address; for compiled code, which calls it by its address.

    Args:
        context: Address of a `Context`.
        q_address: Address of the configuration.
        count: Its number of joints.

    Returns:
        A Verdict.
    """
    there = ints_at(context, 10)
    floats, ints = floats_at(there[0], there[1]), ints_at(there[2], there[3])
    frames, stack = floats_at(there[4], there[5]), ints_at(there[6], there[7])
    nothing = shaped(ints_at(there[6], 0), (0, 3))
    sure = floats_at(there[8], there[9])[0]
    verdict, _ = examine(floats, ints, floats_at(q_address, count), frames, stack, nothing, sure)
    return verdict


@kernel()
def check_many(floats, ints, positions, frames, stack, found, verdicts):
    """Check (N, n) configurations: write (N,) Verdicts, and the pairs of the last one."""
    floats, ints, positions = borrow(floats), borrow(ints), borrow(positions)
    frames, stack, found = borrow(frames), borrow(stack), borrow(found)
    count = 0
    for i in range(len(positions)):
        verdicts[i], count = examine(floats, ints, positions[i], frames, stack, found, MARGIN_SURE)
    return count
