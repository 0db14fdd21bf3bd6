"""The distance between two convex pieces, compiled (Gilbert, Johnson, Keerthi 1988).

A piece is the hull of a few points, or a cylinder, with everything that is near enough to it: the
point of a ball, the line of a capsule, the corners of a box, a triangle of a mesh. The difference
of two pieces is convex, too, and the point of it nearest to the origin is their distance. It is
approached by simplices of points that lie furthest towards the origin, each of which bounds the
distance from below: what cannot be nearer than something else is left after the first.

Here are the steps for one pair; `shape_clearance.py` finds the pairs.
"""

import math

from generative_ik_ros.collision.traverse import moved
from generative_ik_ros.compiled import WIDTH
from generative_ik_ros.compiled.kernel import called, inlined
from generative_ik_ros.compiled.lanes import (
    first_lane,
    lane_of,
    lanes_below,
    largest_of,
    load,
    spread,
    where_less,
)

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)
# Arguments of compiled code come as tuples, whose length a type checker does not see.
# pyright: reportCallIssue=false

HEAD = WIDTH
"""Numbers of a piece before its points: how many these are, how far what is near enough reaches
around their hull [m], the radius of a cylinder [m], how many triangles the hull is that of, where
the first of these pieces is, and a point inside the piece. Without triangles it is the piece
itself. Pieces begin at multiples of eight, and eight and more points come in groups of eight."""
INSIDE = 5
"""The place of the point inside."""
CYLINDER = 0
"""How many points a cylinder is said to have. It has one, the end of its axis; the point inside is
its middle."""
TRIANGLE = HEAD + 2 * WIDTH
"""Numbers of a triangle."""
SIMPLEX = 30
"""Numbers of the memory for a simplex: four corners, and three of two of its faces each."""
_TRIAL, _BEST = 12, 21
_ITERATIONS, _ALONG = 48, 1e-8
_CLOSE = 1e-7
"""How far the distance may be below the true one, as a share of it."""


@called
def pieces_apart(floats, one, other, there, simplex, best):
    """Return the distance between two pieces, or `best` if that is not more.

    Args:
        floats: Where the pieces are.
        one: The place of one of them.
        other: That of the other one.
        there: Rotation (9) and position (3) of the other's frame in that of the first.
        simplex: (SIMPLEX,) memory.
        best: [m].

    Returns:
        A lower bound that is exact but for rounding, 0 where the pieces meet [m].
    """
    around = floats[one + 1] + floats[other + 1]
    a, b = one + INSIDE, other + INSIDE
    p, q, r = moved(there, floats[b], floats[b + 1], floats[b + 2])
    x, y, z = floats[a] - p, floats[a + 1] - q, floats[a + 2] - r
    simplex[0], simplex[1], simplex[2] = x, y, z
    size, square, bound = 1, x * x + y * y + z * z, 0.0
    for _ in range(_ITERATIONS):
        if size == 4 or square <= around * around:
            return min(0.0, best)
        p, q, r = _difference(floats, one, other, there, -x, -y, -z)
        along = p * x + q * y + r * z
        bound = max(bound, along / math.sqrt(square))
        if bound - around >= best:
            return best
        if square - along <= _CLOSE * square:
            break
        place = 3 * size
        simplex[place], simplex[place + 1], simplex[place + 2] = p, q, r
        before = square
        size, x, y, z = _nearest(simplex, size + 1)
        square = x * x + y * y + z * z
        if square >= before:
            break  # What is left is rounding.
    return min(max(bound - around, 0.0), best)


@inlined
def _difference(floats, one, other, there, x, y, z):
    """Return the point of the pieces' difference that is furthest in a direction."""
    a, b, c = _furthest(floats, one, x, y, z)
    # The other piece's furthest point the other way, in its own frame.
    p, q, r = _furthest(
        floats, other,
        -(there[0] * x + there[3] * y + there[6] * z),
        -(there[1] * x + there[4] * y + there[7] * z),
        -(there[2] * x + there[5] * y + there[8] * z),
    )  # fmt: skip
    return (
        a - (there[0] * p + there[1] * q + there[2] * r + there[9]),
        b - (there[3] * p + there[4] * q + there[5] * r + there[10]),
        c - (there[6] * p + there[7] * q + there[8] * r + there[11]),
    )


@inlined
def _furthest(floats, piece, x, y, z):
    count, at = int(floats[piece]), piece + HEAD
    if count == CYLINDER:
        return _of_cylinder(floats, piece, x, y, z)
    if count >= WIDTH:
        return _of_groups(floats, at // WIDTH, count // WIDTH, x, y, z)
    best, far = at, floats[at] * x + floats[at + 1] * y + floats[at + 2] * z
    for k in range(1, count):
        place = at + 3 * k
        reach = floats[place] * x + floats[place + 1] * y + floats[place + 2] * z
        if reach > far:
            best, far = place, reach
    return floats[best], floats[best + 1], floats[best + 2]


@inlined
def _of_groups(floats, row, groups, x, y, z):
    far = load(floats, row) * x + load(floats, row + 1) * y + load(floats, row + 2) * z
    which = spread(0.0)
    for g in range(1, groups):
        at = row + 3 * g
        reach = load(floats, at) * x + load(floats, at + 1) * y + load(floats, at + 2) * z
        which = where_less(far, reach, float(g), which)
        far = where_less(far, reach, reach, far)
    lane = first_lane(lanes_below(far, largest_of(far)) ^ ((1 << WIDTH) - 1))
    at = WIDTH * (row + 3 * int(lane_of(which, lane))) + lane
    return floats[at], floats[at + WIDTH], floats[at + 2 * WIDTH]


@inlined
def _of_cylinder(floats, piece, x, y, z):
    middle, end = piece + INSIDE, piece + HEAD
    u, v = floats[end] - floats[middle], floats[end + 1] - floats[middle + 1]
    w = floats[end + 2] - floats[middle + 2]
    along, whole = x * u + y * v + z * w, u * u + v * v + w * w
    share = along / whole if whole > 0.0 else 0.0
    p, q, r = x - share * u, y - share * v, z - share * w
    out = math.sqrt(p * p + q * q + r * r)
    # Along the axis the whole end is furthest; what is left beside it would be rounding.
    least = _ALONG * math.sqrt(x * x + y * y + z * z)
    out = floats[piece + 2] / out if out > least else 0.0
    up = 1.0 if along >= 0.0 else -1.0
    return (
        floats[middle] + up * u + out * p,
        floats[middle + 1] + up * v + out * q,
        floats[middle + 2] + up * w + out * r,
    )


@inlined
def _nearest(s, size):
    """Return the point of a simplex nearest to the origin, and how many points hold it.

    These become the simplex: 4 where the origin is inside.
    """
    if size == 2:
        return _of_segment(s, 0, 0, 3)
    if size == 3:
        return _of_triangle(s, 0, 0, 3, 6)
    # The origin was not beyond the face without the last point.
    best, x, y, z, count = math.inf, 0.0, 0.0, 0.0, 4
    for face in range(3):
        i, j = (3 if face == 1 else 0), (3 if face == 0 else 6)
        if not _is_beyond(s, i, j, 9, 9 - i - j):
            continue
        found, p, q, r = _of_triangle(s, _TRIAL, i, j, 9)
        square = p * p + q * q + r * r
        if square < best:
            best, x, y, z, count = square, p, q, r, found
            for k in range(9):
                s[_BEST + k] = s[_TRIAL + k]
    if count < 4:
        for k in range(9):
            s[k] = s[_BEST + k]
    return count, x, y, z


@inlined
def _is_beyond(s, i, j, k, opposite):
    """Say whether the origin is not on the side of a face where the opposite corner is."""
    ux, uy, uz = s[j] - s[i], s[j + 1] - s[i + 1], s[j + 2] - s[i + 2]
    vx, vy, vz = s[k] - s[i], s[k + 1] - s[i + 1], s[k + 2] - s[i + 2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    origin = -(s[i] * nx + s[i + 1] * ny + s[i + 2] * nz)
    corner = origin + s[opposite] * nx + s[opposite + 1] * ny + s[opposite + 2] * nz
    return origin * corner <= 0.0


@inlined
def _of_segment(s, to, i, j):
    """Return what `_nearest` does of two corners, at places i and j; write them to another one."""
    ax, ay, az, bx, by, bz = s[i], s[i + 1], s[i + 2], s[j], s[j + 1], s[j + 2]
    dx, dy, dz = bx - ax, by - ay, bz - az
    t = -(ax * dx + ay * dy + az * dz)
    whole = dx * dx + dy * dy + dz * dz
    if t <= 0.0 or t >= whole:
        if t > 0.0:
            ax, ay, az = bx, by, bz
        s[to], s[to + 1], s[to + 2] = ax, ay, az
        return 1, ax, ay, az
    t /= whole
    s[to], s[to + 1], s[to + 2] = ax, ay, az
    s[to + 3], s[to + 4], s[to + 5] = bx, by, bz
    return 2, ax + t * dx, ay + t * dy, az + t * dz


@inlined
def _of_triangle(s, to, i, j, k):
    """Return the same of three corners, after Ericson, Real-Time Collision Detection, 5.1.5."""
    ax, ay, az, bx, by, bz = s[i], s[i + 1], s[i + 2], s[j], s[j + 1], s[j + 2]
    cx, cy, cz = s[k], s[k + 1], s[k + 2]
    ux, uy, uz, vx, vy, vz = bx - ax, by - ay, bz - az, cx - ax, cy - ay, cz - az
    d1, d2 = -(ux * ax + uy * ay + uz * az), -(vx * ax + vy * ay + vz * az)
    d3, d4 = -(ux * bx + uy * by + uz * bz), -(vx * bx + vy * by + vz * bz)
    d5, d6 = -(ux * cx + uy * cy + uz * cz), -(vx * cx + vy * cy + vz * cz)
    va, vb, vc = d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2
    whole = va + vb + vc
    # A side says itself whether one of its ends is nearest.
    at_a, at_b, at_c = d1 <= 0.0 and d2 <= 0.0, d3 >= 0.0 and d4 <= d3, d6 >= 0.0 and d5 <= d6
    if at_a or at_b or (vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0):
        return _of_segment(s, to, i, j)
    if at_c or (vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0):
        return _of_segment(s, to, i, k)
    if (va <= 0.0 and d4 >= d3 and d5 >= d6) or whole <= 0.0:
        return _of_segment(s, to, j, k)
    p, q = vb / whole, vc / whole
    s[to], s[to + 1], s[to + 2] = ax, ay, az
    s[to + 3], s[to + 4], s[to + 5] = bx, by, bz
    s[to + 6], s[to + 7], s[to + 8] = cx, cy, cz
    return 3, ax + p * ux + q * vx, ay + p * uy + q * vy, az + p * uz + q * vz
