"""Octomaps of octomap_msgs/Octomap messages: the occupied cells of an octree, as points.

The formats are those of the library OctoMap (A. Hornung et al. 2013, OctoMap: an efficient
probabilistic 3D mapping framework based on octrees). A tree is written node by node, each before
its children, and these in the order of their numbers, whose bits 0, 1 and 2 say which half of x,
y and z is theirs. In the binary format, inner nodes have two bits for each child; in the full
one, all nodes have the logarithm of their odds (float32) and a bit for each child.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.arguments import number_array
from generative_ik_ros.array_types import Bools, Ints
from generative_ik_ros.collision.cloud import PointCloud
from generative_ik_ros.errors import InvalidArgumentError, short, shown

KIND = "OcTree"
"""The only type of tree that MoveIt takes, too."""
LEVELS = 16
"""Levels below the root: a cell of the last one has an edge of the resolution."""
MAX_NODES = 4_000_000
"""Nodes of a tree that are read, and occupied leaves."""
MAX_CELLS = 500_000
"""Cells that stand for a tree; of one that has more, larger ones are taken."""
_FULL_NODE = np.dtype([("log_odds", "<f4"), ("children", "u1")])
_CHILD = np.arange(8)
_CORNERS = (_CHILD[:, None] >> np.arange(3)) & 1
"""(8, 3) the place of each child in its parent."""


class _Leaves(NamedTuple):
    """Occupied leaves of a tree.

    Attributes:
        corners: (N, 3) the lowest corner, in cells of the last level, from 0 to 2^16 - 1.
        levels: (N,) levels below the root.
    """

    corners: Ints
    levels: Ints


def octomap_cloud(message: Any) -> PointCloud | None:  # noqa: ANN401 (any such message)
    """Return balls around the occupied cells of an octomap_msgs/Octomap, in its own frame.

    All cells are of one size: that of the smallest ones, or of as many as are not more than
    `MAX_CELLS`. A larger cell counts as those that it consists of, and what is not known is free,
    as in MoveIt.

    Args:
        message: Such a message, or anything with the same attributes.

    Returns:
        The cloud; None if no cell is occupied.

    Raises:
        InvalidArgumentError: It is no octree, its data end early or go on below the last level,
            it is too large, or a cell is too far away.
    """
    if message.id != KIND:
        raise InvalidArgumentError(f"its type is '{short(str(message.id))}', not {KIND}")
    edges = number_array("its resolution", message.resolution)
    if edges.ndim or not 1e-6 <= (resolution := float(edges)) <= 1e3:
        raise InvalidArgumentError(f"its resolution is {shown(message.resolution)} [m]")
    size = 2 if message.binary else _FULL_NODE.itemsize
    data = _bytes(message.data, MAX_NODES * size)
    leaves = (_binary if message.binary else _full)(data[: len(data) // size * size])
    if not len(leaves.corners):
        return None
    cells, level = _alike(leaves)
    edge = resolution * 2.0 ** (LEVELS - level)
    centers = (cells + 0.5) * edge - resolution * 2.0 ** (LEVELS - 1)
    # The ball around a cell; rounding must not leave a corner outside.
    return PointCloud.of(centers, edge * np.sqrt(0.75) * (1.0 + 1e-9))


def _bytes(data: Any, most: int) -> NDArray[np.uint8]:  # noqa: ANN401 (an array or a list)
    if len(data) > most:
        raise InvalidArgumentError(f"its {len(data)} bytes are too many; at most {most}")
    try:
        numbers = np.asarray(data)
    except ValueError:  # lists in lists
        numbers = np.full(1, np.nan)
    # Files have negative numbers as floats.
    whole = numbers.dtype.kind in "if" and numbers.ndim == 1 and (numbers % 1 == 0).all()
    if not whole or not (-128 <= numbers.min() and numbers.max() <= 127):
        raise InvalidArgumentError("its data must be whole numbers from -128 to 127")
    return numbers.astype(np.int8).view(np.uint8)


def _binary(data: NDArray[np.uint8]) -> _Leaves:
    """Read the format that has inner nodes only; for a child 01 is occupied and 11 inner."""
    pairs = np.unpackbits(data.reshape(-1, 2), axis=1, bitorder="little").reshape(-1, 8, 2)
    first, second = pairs[:, :, 0] > 0, pairs[:, :, 1] > 0
    at, corners, levels = _walked(first & second)
    found = (~first & second)[at]
    if (number := int(found.sum())) > MAX_NODES:
        raise InvalidArgumentError(f"its {number} leaves are too many; at most {MAX_NODES}")
    if (levels[found.any(axis=1)] >= LEVELS).any():
        raise InvalidArgumentError(f"its tree has more than {LEVELS} levels")
    row, child = np.nonzero(found)
    below = levels[row] + 1
    return _Leaves(corners[row] + _shifts(child, below), below)


def _full(data: NDArray[np.uint8]) -> _Leaves:
    """Read the format that has all nodes: a leaf is occupied if its odds are even or better."""
    nodes = data.view(_FULL_NODE)
    children = (nodes["children"][:, None] >> _CHILD).astype(np.uint8) & 1
    at, corners, levels = _walked(children.astype(bool))
    # NaN is not below 0 either: what is in doubt is an obstacle.
    occupied = (nodes["children"][at] == 0) & ~(nodes["log_odds"][at] < 0.0)
    return _Leaves(corners[occupied], levels[occupied])


def _walked(children: Bools) -> tuple[Ints, Ints, Ints]:
    """Return index, lowest corner (K, 3) and level of each node of a tree, level by level.

    Args:
        children: (N, 8) which children of its nodes are in the list, each before its own.

    Raises:
        InvalidArgumentError: The list ends before the tree, or has too many levels.
    """
    ends = _ends(children.sum(axis=1))
    at, corners = np.zeros(1, np.int64), np.zeros((1, 3), np.int64)
    found = []
    for level in range(LEVELS + 1):
        found.append((at, corners, np.full(len(at), level)))
        following, places, after = [], [], at + 1
        for child in range(8):
            there = children[at, child]
            first = after[there]
            following.append(first)
            places.append(corners[there] + _shifts(np.full(len(first), child), level + 1))
            after[there] = ends[first]
        at, corners = np.concatenate(following), np.concatenate(places)
        if not len(at):
            break
        if level == LEVELS:
            raise InvalidArgumentError(f"its tree has more than {LEVELS} levels")
    indices, places, levels = zip(*found, strict=True)
    return np.concatenate(indices), np.concatenate(places), np.concatenate(levels)


def _ends(counts: Ints) -> Ints:
    """Return for each node of a list where what comes after it and all below it begins.

    Args:
        counts: (N,) how many children each one has.

    Raises:
        InvalidArgumentError: The list ends before the tree.
    """
    # How many nodes are owed before each place: a node pays for itself and owes its children.
    owed = np.concatenate([[0], np.cumsum(counts.astype(np.int64) - 1)])
    over = np.flatnonzero(owed < 0)
    if not len(over):
        raise InvalidArgumentError("its data end before its tree")
    number = int(over[0])
    # Its end is the first place after a node at which one less is owed; sums fall by steps of 1.
    owed = owed[: number + 1]
    places = np.arange(number + 1)
    order = np.lexsort((places, owed))
    keys = (owed[order] + 1) * (number + 1) + places[order]
    wanted = owed[:-1] * (number + 1) + places[:-1]
    return places[order][np.searchsorted(keys, wanted)]


def _shifts(child: Ints, level: Ints | int) -> Ints:
    """Return the corners (K, 3) of children, on a level, in their parents."""
    size = np.left_shift(1, np.maximum(LEVELS - np.asarray(level), 0))
    return _CORNERS[child] * np.reshape(size, (-1, 1))


def _alike(leaves: _Leaves) -> tuple[Ints, int]:
    """Return cells of one level that cover leaves, on the finest level with few enough cells."""
    numbers = np.bincount(leaves.levels, minlength=LEVELS + 1).tolist()
    fine, level = np.empty((0, 3), np.int64), LEVELS
    for level in range(LEVELS, -1, -1):
        own = leaves.corners[leaves.levels == level] >> (LEVELS - level)
        fine = _once(np.concatenate([fine >> 1, own]))
        # Python's numbers do not overflow.
        split = sum(8 ** (level - one) * numbers[one] for one in range(level))
        if len(fine) and len(fine) + split <= MAX_CELLS:
            break
    parts = [fine]
    for one in filter(numbers.__getitem__, range(level)):
        edge = 2 ** (level - one)
        inside = np.stack(np.unravel_index(np.arange(edge**3), (edge,) * 3), axis=-1)
        large = leaves.corners[leaves.levels == one] >> (LEVELS - level)
        parts.append((large[:, None] + inside).reshape(-1, 3))
    return np.concatenate(parts), level


def _once(cells: Ints) -> Ints:
    """Return each of some cells (N, 3) once."""
    x, y, z = cells.T
    # Not np.unique, whose hashes of such codes can collide.
    codes = np.sort((x << 2 * LEVELS) | (y << LEVELS) | z)
    codes = codes[np.diff(codes, prepend=-1) > 0]
    return (codes[:, None] >> (LEVELS * np.arange(2, -1, -1))) & (2**LEVELS - 1)
