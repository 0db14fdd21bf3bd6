"""How configurations in regions hold their tips, and what stops at the regions' bounds."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.robot.region_rows import FREE_ANGLE
from generative_ik_ros.robot.rigid import TURN, inverse

_NEAR = 3.0
"""A coordinate that is so many tolerances from a bound is at it: solutions keep one from it."""
_AT_REST = 1e-9
"""A coordinate that moves less, in its unit, leaves no bound."""
_SAME = 1e-6
"""Two axes of rotation are one if so little is left of the second beside the first."""


class Held:
    """How configurations hold their tips where there are no regions.

    Args:
        ways: See below.

    Attributes:
        ways: (S, 6, 6) in which ways each tip is held, or (1, 6, 6) for all; see `Freedom`.
    """

    def __init__(self, ways: NDArray[np.float64]):
        """Remember the ways."""
        self.ways = ways

    def stop(self, moved: NDArray[np.float64]) -> bool:  # noqa: ARG002 (of regions)
        """Hold what is at a bound and would leave it on the way to configurations (S, n) as well.

        Returns:
            Whether there is any that was not held.
        """
        return False


class HeldInRegion(Held):
    """How configurations hold their tips within regions.

    Args:
        check: (S, 14) regions; see `region_rows.check_row`.
        frames: (S, 4, 4) their targets, in base [m].
        forward: Returns the tips (S, 4, 4) of configurations (S, n) [m].
        positions: (S, n) the configurations [rad or m].
        weight: (6,) what a unit of each coordinate counts; 0: nothing.
        tolerance: (6,) bounds that are closer to each other than two of these leave no room.
    """

    def __init__(
        self,
        check: NDArray[np.float64],
        frames: NDArray[np.float64],
        forward: Callable[[NDArray[np.float64]], NDArray[np.float64]],
        positions: NDArray[np.float64],
        weight: NDArray[np.float64],
        tolerance: NDArray[np.float64],
    ):
        """Hold no more than what has no room."""
        self._check, self._frames, self._forward = check, frames, forward
        self._weight, self._near, self._tips = weight, _NEAR * tolerance, forward(positions)
        self._room, self._before = with_room(check, tolerance), None
        self._lower, self._upper = _bounds(check)
        stops = self._room & (np.isfinite(self._lower) | np.isfinite(self._upper))
        self._stops = stops & (weight > 0.0)
        super().__init__(self._found())

    def stop(self, moved: NDArray[np.float64]) -> bool:
        """As of `Held`; of each configuration the coordinate that would leave it furthest."""
        if not self._stops.any():
            return False
        before = self._coordinates(self._tips) if self._before is None else self._before
        by = (self._coordinates(self._forward(moved)) - before) * self._weight
        beyond = (before <= self._lower + self._near) & (by < -_AT_REST)
        beyond |= (before >= self._upper - self._near) & (by > _AT_REST)
        beyond &= self._stops
        size = np.abs(np.where(beyond, by, 0.0))
        beyond &= size == size.max(axis=1, keepdims=True)
        if not beyond.any():
            return False
        self._room, self._stops, self._before = self._room & ~beyond, self._stops & ~beyond, before
        self.ways = self._found()
        return True

    def _coordinates(self, tips: NDArray[np.float64]) -> NDArray[np.float64]:
        return _coordinates(self._check, inverse(self._frames) @ tips)

    def _found(self) -> NDArray[np.float64]:
        """Return the ways (S, 6, 6)."""
        check, frames, tips, room = self._check, self._frames, self._tips, self._room
        ways = np.zeros((len(check), 6, 6))
        ways[:, :3, :3] = frames[:, :3, :3].transpose(0, 2, 1) * ~room[:, :3, None]
        turns = _projectors(_axes(check, frames, tips) * room[:, None, 3:])
        turns[(check[:, 3:6] == -FREE_ANGLE).all(axis=1) & ~_spins(check)] = 0.0
        cone = np.flatnonzero((check[:, 12] >= 0.0) & ~_spins(check))
        k = check[cone, 12].astype(np.int64)
        normal = np.cross(frames[cone, :3, k], tips[cone, :3, k])
        normal /= np.maximum(np.linalg.norm(normal, axis=1), 1e-12)[:, None]
        normal *= ~room[cone, 3, None]
        turns[cone] = normal[:, :, None] * normal[:, None]
        ways[:, 3:, 3:] = turns
        return ways * (self._weight > 0.0)[:, None]


def with_room(check: NDArray[np.float64], tolerance: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which coordinates (S, 6) of regions (S, 14) have more than one value.

    Of cones that are an angle between axes, first, and two that turn the tip.
    """
    room = check[:, 6:12] - check[:, :6] > 2.0 * tolerance
    room[check[:, 12] >= 0.0, 3] = True
    room[:, 4:] &= ~_spins(check)[:, None]
    return room


def _spins(check: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Say which regions (S,) are cones without width, in which the tip turns about their axis."""
    return (check[:, 12] >= 0.0) & (check[:, 13] == 0.0)


def _bounds(check: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return lower and upper bounds (S, 6); of cones with width, the angle between the axes."""
    lower, upper = check[:, :6].copy(), check[:, 6:12].copy()
    free = lower[:, 3:] == -FREE_ANGLE
    lower[:, 3:][free], upper[:, 3:][free] = -np.inf, np.inf
    cone = check[:, 12] >= 0.0
    lower[cone, 3:], upper[cone, 3:] = -np.inf, np.inf
    upper[cone, 3] = np.where(check[cone, 13] > 0.0, check[cone, 13], np.inf)
    return lower, upper


def _axes(
    check: NDArray[np.float64], frames: NDArray[np.float64], tips: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the axes of roll, pitch and yaw (S, 3, 3) in columns; of cones, the tip's first."""
    axes = np.stack([tips[:, :3, 0], np.empty((len(tips), 3)), frames[:, :3, 2]], axis=2)
    in_plane = tips[:, :3, 0] - axes[:, :, 2] * (tips[:, :3, 0] * axes[:, :, 2]).sum(1)[:, None]
    size = np.linalg.norm(in_plane, axis=1)[:, None]
    # Where roll and yaw have one axis, that of pitch is the tip's, as if yaw were all of it.
    in_plane = np.where(size > _SAME, in_plane / np.maximum(size, 1e-300), tips[:, :3, 1])
    axes[:, :, 1] = np.where(size > _SAME, np.cross(axes[:, :, 2], in_plane), in_plane)
    cone = np.flatnonzero(check[:, 12] >= 0.0)
    axes[cone, :, 0] = tips[cone, :3, check[cone, 12].astype(np.int64)]
    return axes


def _projectors(axes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the projectors (S, 3, 3) onto what is normal to vectors in columns (S, 3, 3)."""
    found = np.tile(np.eye(3), (len(axes), 1, 1))
    for k in range(3):
        left = np.einsum("sij,sj->si", found, axes[:, :, k])
        size = np.linalg.norm(left, axis=1)[:, None]
        left = np.where(size > _SAME, left / np.maximum(size, 1e-300), 0.0)
        found -= left[:, :, None] * left[:, None]
    return found


def _coordinates(check: NDArray[np.float64], gaps: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return x, y, z, roll, pitch, yaw (S, 6) of tips in targets (S, 4, 4), near the bounds.

    Of cones, the angle between the axes, and NaN twice.
    """
    r, lower, upper = gaps[:, :3, :3], check[:, 3:6], check[:, 9:12]
    roll = np.arctan2(r[:, 2, 1], r[:, 2, 2])
    pitch = np.arctan2(-r[:, 2, 0], np.hypot(r[:, 0, 0], r[:, 1, 0]))
    yaw = np.arctan2(r[:, 1, 0], r[:, 0, 0])
    found = []
    for triple in ((roll, pitch, yaw), (roll + np.pi, np.pi - pitch, yaw + np.pi)):
        angles = np.stack(triple, axis=1)
        angles -= TURN * np.rint((angles - 0.5 * (lower + upper)) / TURN)
        excess = np.maximum(lower - angles, angles - upper)
        found.append((angles, np.maximum(excess, 0.0).sum(axis=1)))
    (one, off), (other, far) = found
    angles = np.where((off <= far)[:, None], one, other)
    cone = np.flatnonzero(check[:, 12] >= 0.0)
    k = check[cone, 12].astype(np.int64)
    angles[cone] = np.nan
    angles[cone, 0] = np.arccos(np.clip(r[cone, k, k], -1.0, 1.0))
    return np.concatenate([gaps[:, :3, 3], angles], axis=1)
