"""Which of the configurations on a device are distinct from those before them."""

from collections.abc import Sequence

from generative_ik_ros.refine.torch_chain import torch

Tensor = torch.Tensor

_TURN = 2.0 * torch.pi
_TILE = 1 << 24
"""Comparisons in memory at a time."""
_MOST = 1024
"""Configurations in a tile: inside a tile half of the comparisons are for nothing."""
_PASSES = 8
"""Passes after which what is undecided is left out; each decides most of what is left."""


def first_distinct(
    positions: Tensor, valid: Tensor, circular: Sequence[bool], distance: float, known: int
) -> Tensor:
    """Return (T, C) which configurations are valid and unlike all that are kept before them.

    Tile after tile is compared with what was kept before it and with itself. Inside a tile those
    without a like one before them are kept, what is like these is dropped, and so on with the
    rest: the outcome is that of going through them one by one, and nothing is read back.

    Args:
        positions: (T, C, n) configurations [rad or m].
        valid: (T, C) which of them count; those that do not may be NaN.
        circular: n times whether a full turn is no difference.
        distance: Configurations with no joint further apart are one [rad or m].
        known: The first so many of each target are known to be distinct.
    """
    keep, count = valid.clone(), positions.shape[1]
    # Single precision tells distances of hundredths apart as well, in half the memory.
    positions = positions.to(torch.float32)
    size = min(_MOST, max(1, _TILE // max(1, len(positions) * count)))
    for first in range(known, count, size):
        tile = slice(first, min(first + size, count))
        before = _like(positions[:, tile], positions[:, :first], circular, distance)
        left = valid[:, tile] & ~(before & keep[:, None, :first]).any(-1)
        inside = _like(positions[:, tile], positions[:, tile], circular, distance).tril(-1)
        kept = torch.zeros_like(left)
        for _ in range(_PASSES):
            heads = left & ~(inside & left[:, None]).any(-1)
            kept = kept | heads
            left = left & ~heads & ~(inside & heads[:, None]).any(-1)
        keep[:, tile] = kept
    return keep


def _like(a: Tensor, b: Tensor, circular: Sequence[bool], distance: float) -> Tensor:
    """Return (T, A, B) whether (T, A, n) and (T, B, n) configurations are the same."""
    like = torch.ones(len(a), a.shape[1], b.shape[1], dtype=torch.bool, device=a.device)
    for v, turns in enumerate(circular):
        gap = torch.abs(a[:, :, None, v] - b[:, None, :, v])
        if turns:
            gap = torch.abs(gap - _TURN * torch.round(gap / _TURN))
        like = like & (gap < distance)
    return like
