"""Octomap messages, written cell by cell as the format says."""

import struct
from types import SimpleNamespace as Message

import numpy as np

LEVELS = 16


def octree(occupied, resolution, free=(), binary=True):
    """An Octomap of cells (x, y, z), 0 to 2^16 - 1 each; their tree is not pruned."""
    cells = dict.fromkeys(free, False) | dict.fromkeys(occupied, True)
    data = bytearray()
    (_binary if binary else _full)(cells, 0, data)
    return message(bytes(data), resolution, binary)


def message(data, resolution, binary, kind="OcTree"):
    numbers = np.frombuffer(data, np.int8)
    return Message(id=kind, binary=binary, resolution=resolution, data=numbers)


def _children(cells, level):
    """The cells below each child of a node."""
    parts = [{} for _ in range(8)]
    bit = LEVELS - 1 - level
    for (x, y, z), full in cells.items():
        child = (x >> bit & 1) + 2 * (y >> bit & 1) + 4 * (z >> bit & 1)
        parts[child][x, y, z] = full
    return parts


def _binary(cells, level, data):
    parts, codes = _children(cells, level), 0
    for child, part in enumerate(parts):
        if part:
            leaf = level + 1 == LEVELS
            codes |= (3 if not leaf else 2 if part.popitem()[1] else 1) << 2 * child
    data += codes.to_bytes(2, "little")
    if level + 1 < LEVELS:
        for part in filter(None, parts):
            _binary(part, level + 1, data)


def _full(cells, level, data):
    leaf = level == LEVELS
    odds = (0.4 if next(iter(cells.values())) else -0.4) if leaf else 3.5
    parts = [] if leaf else _children(cells, level)
    there = sum(bool(part) << child for child, part in enumerate(parts))
    data += struct.pack("<fB", odds, there)
    for part in filter(None, parts):
        _full(part, level + 1, data)
