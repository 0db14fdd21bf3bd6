"""In which ways the poses of a path hold the tip, and in which they leave it free."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.robot.region_rows import FREE_ANGLE
from generative_ik_ros.robot.rigid import TURN, inverse
from generative_ik_ros.select.verify_goals import GoalVerifier

if TYPE_CHECKING:
    from generative_ik_ros.paths.task import PathTask

_NEAR = 3.0
"""A coordinate that is so many tolerances from a bound is at it: solutions keep one from it."""
_SAME = 1e-6
"""Two axes of rotation are one if so little is left of the second beside the first."""


class Freedom:
    """Constraints of the tip's velocity at each pose, for self-motions.

    A way in which a tip is held is a row (6,) of a linear and an angular part, in the base: its
    velocity along it is 0. A pose without a region holds the tip in six.

    Args:
        task: Poses and regions.

    Attributes:
        nullity: Largest dimension of the joints' null space at any pose.
    """

    def __init__(self, task: "PathTask"):
        """Find out which coordinates of the tip have room."""
        self._task, refiner = task, task.stages.refiner
        weights = refiner.position_weight, refiner.orientation_weight
        self._counts = np.repeat(np.array(weights) > 0.0, 3)
        self._tolerance = np.repeat([refiner.position_tolerance, refiner.orientation_tolerance], 3)
        verifier, self._checks, free = task.stages.verifier, None, np.zeros((1, 6), np.bool_)
        if isinstance(verifier, GoalVerifier):
            self._checks = verifier.checks[:, 0]
            free = self._with_room(self._checks)
        self._constant = np.diag(self._counts.astype(np.float64))[None]
        held = (~free & self._counts).sum(axis=1)
        self.nullity = max(task.num_joints - int(held.min()), 0)

    def ways(
        self, positions: NDArray[np.float64], poses: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return the ways (S, 6, 6) in which configurations (S, n) are held, or (1, 6, 6) for all.

        Args:
            positions: Where the arm is [rad or m].
            poses: (S,) which pose each configuration is for.
        """
        if self._checks is None:
            return self._constant
        none = np.zeros((len(poses), 6), np.bool_)
        return self._ways(self._check_of(poses), *self._frames(positions, poses), none)

    def stopped(
        self,
        positions: NDArray[np.float64],
        moved: NDArray[np.float64],
        poses: NDArray[np.int64],
    ) -> NDArray[np.float64] | None:
        """Return the ways if coordinates at a bound are held which moves (S, n) lead beyond it.

        None if there are no such coordinates. The arguments are as for `ways`.
        """
        if self._checks is None:
            return None
        check = self._check_of(poses)
        frames, tips = self._frames(positions, poses)
        before, after = (
            self._coordinates(check, inverse(frames) @ at)
            for at in (tips, self._frames(moved, poses)[1])
        )
        lower, upper = _bounds(check)
        near = _NEAR * self._tolerance
        beyond = ((before <= lower + near) & (after < before)) | (
            (before >= upper - near) & (after > before)
        )
        beyond &= self._with_room(check) & np.isfinite(before)
        beyond[_spins(check), 3] = False
        return self._ways(check, frames, tips, beyond) if beyond.any() else None

    def _check_of(self, poses: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the numbers (S, 14) of the poses' regions; see `region_rows.check_row`."""
        assert self._checks is not None  # noqa: S101
        return self._checks[poses if len(self._checks) > 1 else np.zeros_like(poses)]

    def _frames(
        self, positions: NDArray[np.float64], poses: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return targets and tips (S, 4, 4)."""
        return self._task.targets[poses, 0], self._task.stages.chain.forward(positions)

    def _with_room(self, check: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which coordinates (S, 6) have more than one value; of cones, which rotations."""
        room = check[:, 6:12] - check[:, :6] > 2.0 * self._tolerance
        room[check[:, 12] >= 0.0, 3] = True
        room[:, 4:] &= ~_spins(check)[:, None]
        return room

    def _ways(
        self,
        check: NDArray[np.float64],
        frames: NDArray[np.float64],
        tips: NDArray[np.float64],
        stopped: NDArray[np.bool_],
    ) -> NDArray[np.float64]:
        """Return the ways (S, 6, 6), `stopped` coordinates (S, 6) held like those without room."""
        room, size = self._with_room(check) & ~stopped, len(check)
        ways = np.zeros((size, 6, 6))
        ways[:, :3, :3] = frames[:, :3, :3].transpose(0, 2, 1) * ~room[:, :3, None]
        turns = _projectors(_axes(check, frames, tips) * room[:, None, 3:])
        turns[(check[:, 3:6] == -FREE_ANGLE).all(axis=1) & ~_spins(check)] = 0.0
        cone = np.flatnonzero((check[:, 12] >= 0.0) & ~_spins(check))
        k = check[cone, 12].astype(np.int64)
        normal = np.cross(frames[cone, :3, k], tips[cone, :3, k])
        normal /= np.maximum(np.linalg.norm(normal, axis=1), 1e-12)[:, None]
        normal *= stopped[cone, 3, None]
        turns[cone] = normal[:, :, None] * normal[:, None]
        ways[:, 3:, 3:] = turns
        return ways * self._counts[:, None]

    def _coordinates(
        self, check: NDArray[np.float64], gaps: NDArray[np.float64]
    ) -> NDArray[np.float64]:
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


def _spins(check: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Say which regions (S,) are cones without width, in which the tip turns about their axis."""
    return (check[:, 12] >= 0.0) & (check[:, 13] == 0.0)


def _bounds(check: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return lower and upper bounds (S, 6); of cones, those of the angle between the axes."""
    lower, upper = check[:, :6].copy(), check[:, 6:12].copy()
    free = lower[:, 3:] == -FREE_ANGLE
    lower[:, 3:][free], upper[:, 3:][free] = -np.inf, np.inf
    cone = check[:, 12] >= 0.0
    lower[cone, 3:], upper[cone, 3:] = -np.inf, np.inf
    upper[cone, 3] = check[cone, 13]
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
