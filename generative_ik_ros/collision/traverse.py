"""Compiled search of sphere trees for spheres that touch something, eight spheres at a time."""

from typing import NamedTuple

from generative_ik_ros.collision.signed_distance import signed_distance
from generative_ik_ros.compiled import WIDTH
from generative_ik_ros.compiled.kernel import inlined
from generative_ik_ros.compiled.lanes import first_lane, lanes_below, load

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)
# An intrinsic's first parameter is numba's own.
# pyright: reportCallIssue=false

ROOT = WIDTH - 1
"""The root's node: lane 7 of group 0; see `SphereTree.packed`."""
TREE_ROWS = 4
"""Rows of a group of eight siblings: x, y, z and radius."""
STACK = 1536
"""Entries of the stack that the functions below need, and those of `clearance.py`."""


@inlined
def touches_primitive(floats, row, groups, kind, primitive, margin, stack):
    """Say whether a leaf of a tree is nearer to a primitive than `margin`.

    Args:
        floats: Where the tree is packed.
        row: Its first row there.
        groups: Its number of groups.
        kind: As `signed_distance` takes it.
        primitive: Likewise, in the frame of the tree.
        margin: [m]; below 0, how deep leaf and primitive have to be in each other.
        stack: (STACK,) memory.
    """
    stack[0] = 0
    top = 1
    while top > 0:
        top -= 1
        group = stack[top]
        at = row + TREE_ROWS * group
        x, y, z = load(floats, at), load(floats, at + 1), load(floats, at + 2)
        gap = signed_distance(kind, primitive, x, y, z)
        near = lanes_below(gap, load(floats, at + 3) + margin)
        while near:
            below = WIDTH * group - (WIDTH - 2) + first_lane(near)
            near &= near - 1
            if below >= groups:
                return True
            stack[top] = below
            top += 1
    return False


@inlined
def touches_tree(floats, one, other, there, back, margin, stack):
    """Say whether leaves of two trees are nearer to each other than `margin`.

    Args:
        floats: Where the trees are packed.
        one: Row and number of groups of one tree.
        other: Those of the other one.
        there: Rotation (9) and position (3) of the other tree's frame in that of the first.
        back: Those of the first tree's frame in that of the other.
        margin: As above.
        stack: (STACK,) memory.
    """
    # A group of one tree, a node of the other, and which of them is the group's.
    stack[0], stack[1], stack[2] = 0, ROOT, 0
    top = 3
    while top > 0:
        top -= 3
        pair, x, y, z = pair_at(floats, one, other, there, back, stack, top)
        reach = load(floats, pair.at + 3) + (pair.radius + margin)
        # Empty spheres have radii far below 0, whose squares must not count.
        near = lanes_below(x * x + y * y + z * z, reach * reach) & lanes_below(0.0, reach)
        while near:
            lane = first_lane(near)
            near &= near - 1
            if not push_below(floats, pair, lane, stack, top):
                return True
            top += 3
    return False


class Pair(NamedTuple):
    """A group of one tree, and a node of the other.

    Attributes:
        group: The group.
        groups: Number of groups of its tree.
        at: The group's first row.
        node: The node.
        nodes: Number of groups of its tree.
        radius: Of the node [m].
        swapped: 1 if the group is of the other tree, else 0.
    """

    group: int
    groups: int
    at: int
    node: int
    nodes: int
    radius: float
    swapped: int


@inlined
def pair_at(floats, one, other, there, back, stack, place):
    """Return the pair that is at a place of the stack, and the way from the node to the group.

    Arguments are those of `touches_tree`. The way is from centre to centre, in lanes.
    """
    group, node, swapped = stack[place], stack[place + 1], stack[place + 2]
    row, groups = (other[0], other[1]) if swapped else (one[0], one[1])
    node_row, nodes = (one[0], one[1]) if swapped else (other[0], other[1])
    frame = back if swapped else there
    at = WIDTH * (node_row + TREE_ROWS * (node // WIDTH)) + node % WIDTH
    radius = floats[at + 3 * WIDTH]
    cx, cy, cz = moved(frame, floats[at], floats[at + WIDTH], floats[at + 2 * WIDTH])
    at = row + TREE_ROWS * group
    x, y, z = load(floats, at) - cx, load(floats, at + 1) - cy, load(floats, at + 2) - cz
    return Pair(group, groups, at, node, nodes, radius, swapped), x, y, z


@inlined
def push_below(floats, pair, lane, stack, top):
    """Push the pair below a sphere of the group and the node; False if both are leaves."""
    below, node_below = WIDTH * pair.group - (WIDTH - 2) + lane, pair.node - (WIDTH - 2)
    leaf, node_leaf = below >= pair.groups, node_below >= pair.nodes
    if leaf and node_leaf:
        return False
    larger = floats[WIDTH * (pair.at + 3) + lane] >= pair.radius
    if node_leaf or (larger and not leaf):
        stack[top], stack[top + 1], stack[top + 2] = below, pair.node, pair.swapped
    else:
        stack[top], stack[top + 1] = node_below, WIDTH * pair.group + lane
        stack[top + 2] = 1 - pair.swapped
    return True


@inlined
def moved(frame, x, y, z):
    """Return a point in the frame outside `frame`: rotation (9), then position (3)."""
    return (
        frame[0] * x + frame[1] * y + frame[2] * z + frame[9],
        frame[3] * x + frame[4] * y + frame[5] * z + frame[10],
        frame[6] * x + frame[7] * y + frame[8] * z + frame[11],
    )


@inlined
def seen_from(frames, f, g):
    """Return rotation (9) and position (3) of frame g in frame f."""
    a, b = 12 * f, 12 * g
    x, y, z = (
        frames[b + 9] - frames[a + 9],
        frames[b + 10] - frames[a + 10],
        frames[b + 11] - frames[a + 11],
    )
    return (
        _column_dot(frames, a, 0, frames, b, 0), _column_dot(frames, a, 0, frames, b, 1),
        _column_dot(frames, a, 0, frames, b, 2), _column_dot(frames, a, 1, frames, b, 0),
        _column_dot(frames, a, 1, frames, b, 1), _column_dot(frames, a, 1, frames, b, 2),
        _column_dot(frames, a, 2, frames, b, 0), _column_dot(frames, a, 2, frames, b, 1),
        _column_dot(frames, a, 2, frames, b, 2),
        frames[a] * x + frames[a + 3] * y + frames[a + 6] * z,
        frames[a + 1] * x + frames[a + 4] * y + frames[a + 7] * z,
        frames[a + 2] * x + frames[a + 5] * y + frames[a + 8] * z,
    )  # fmt: skip


@inlined
def _column_dot(left, a, i, right, b, j):
    return (
        left[a + i] * right[b + j]
        + left[a + 3 + i] * right[b + 3 + j]
        + left[a + 6 + i] * right[b + 6 + j]
    )


@inlined
def inverted(frame):
    """Return the inverse of a rotation (9) and position (3)."""
    x, y, z = frame[9], frame[10], frame[11]
    return (
        frame[0], frame[3], frame[6], frame[1], frame[4], frame[7], frame[2], frame[5], frame[8],
        -(frame[0] * x + frame[3] * y + frame[6] * z),
        -(frame[1] * x + frame[4] * y + frame[7] * z),
        -(frame[2] * x + frame[5] * y + frame[8] * z),
    )  # fmt: skip


@inlined
def primitive_seen_from(frames, f, floats, row, lane):
    """Return a primitive, one lane of sixteen rows in frame 0, in frame f."""
    a, p = 12 * f, WIDTH * row + lane
    x = floats[p] - frames[a + 9]
    y = floats[p + WIDTH] - frames[a + 10]
    z = floats[p + 2 * WIDTH] - frames[a + 11]
    return (
        frames[a] * x + frames[a + 3] * y + frames[a + 6] * z,
        frames[a + 1] * x + frames[a + 4] * y + frames[a + 7] * z,
        frames[a + 2] * x + frames[a + 5] * y + frames[a + 8] * z,
        _turned(frames, a, floats, p, 0, 0), _turned(frames, a, floats, p, 0, 1),
        _turned(frames, a, floats, p, 0, 2), _turned(frames, a, floats, p, 1, 0),
        _turned(frames, a, floats, p, 1, 1), _turned(frames, a, floats, p, 1, 2),
        _turned(frames, a, floats, p, 2, 0), _turned(frames, a, floats, p, 2, 1),
        _turned(frames, a, floats, p, 2, 2),
        floats[p + 12 * WIDTH], floats[p + 13 * WIDTH], floats[p + 14 * WIDTH],
        floats[p + 15 * WIDTH],
    )  # fmt: skip


@inlined
def _turned(frames, a, floats, p, i, j):
    """Return entry (i, j) of a frame's inverse rotation times a primitive's rotation."""
    return (
        frames[a + i] * floats[p + (3 + j) * WIDTH]
        + frames[a + 3 + i] * floats[p + (6 + j) * WIDTH]
        + frames[a + 6 + i] * floats[p + (9 + j) * WIDTH]
    )
