"""A six-axis chain comes in, its closed-form solution goes out: every branch, by the textbook.

Written from the published geometry: arms like UR's (K. Hawkins, Analytic inverse kinematics for
the Universal Robots UR-5/UR-10 arms, 2013) and arms with a spherical wrist (D. Pieper, The
kinematics of manipulators under computer control, 1968). `ssik` solves these and more; a second
solution that shares nothing with it is what its branches are checked by.
"""

import numpy as np
from numpy.typing import NDArray

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.metrics.space import LARGEST, JointSpace
from generative_ik_benchmarks.peers.plain import require_turning_joints
from generative_ik_benchmarks.peers.six_axes import (
    THREE_PARALLEL,
    WRIST_PARALLEL,
    WRIST_SHOULDER,
    branches,
)
from generative_ik_benchmarks.solver import Solver, UnsupportedChainError
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.random_poses import finite_limits
from generative_ik_ros.select.verify import Verifier

_STRAIGHT = 2e-5
"""Axes no further from parallel [rad], or from meeting [m], are taken to be: descriptions round
their angles to 1e-5, and the last steps below make up for it."""
_EXACT = 1e-9
"""Errors above this [m or rad] get Newton steps."""
_ROUNDING = 1e-9
"""[rad]"""
_TURN = 2.0 * np.pi


class Analytic(Solver):
    """All branches within the limits, each at one turn, in closed form.

    Where the description's rounding keeps the arm from being exactly of its family, branches end
    with Newton steps on the exact chain.

    Args:
        chain: A six-axis arm of one of the families of `six_axes.branches`.

    Raises:
        UnsupportedChainError: The chain is another kind.
    """

    name = "closed form"
    position_tolerance = orientation_tolerance = 1e-5

    def __init__(self, chain: KinematicChain):
        """Find the family."""
        require_turning_joints(chain, (6,))
        self._chain, self._space, self._verifier = chain, JointSpace.of(chain), Verifier(chain)
        frames = [np.eye(4)]
        for origin in chain.joint_origins:
            frames.append(frames[-1] @ origin)
        self._tip_at_zero = frames[-1] @ chain.tip_in_last_joint
        moved = np.array(frames[1:])
        self._axes = np.einsum("mij,mj->mi", moved[:, :3, :3], chain.joint_axes)
        self._points = moved[:, :3, 3].copy()
        self._family = self._classify()

    def _classify(self) -> int:
        """Name the family and move the points to where axes meet."""
        parallel = [
            float(np.linalg.norm(np.cross(a, b))) < _STRAIGHT
            for a, b in zip(self._axes, self._axes[1:], strict=False)
        ]
        if parallel[1] and parallel[2] and not parallel[3] and self._meet(4, 5):
            return THREE_PARALLEL
        if self._meet(3, 4, 5):
            if parallel[1]:
                return WRIST_PARALLEL
            if self._meet(0, 1):
                return WRIST_SHOULDER
        raise UnsupportedChainError(
            "is neither like a UR arm (joints 2 to 4 parallel, 5 and 6 meet) nor has it a "
            "spherical wrist after joints 2 and 3 that are parallel or 1 and 2 that meet"
        )

    def _meet(self, *joints: int) -> bool:
        """Say whether axes meet in a point; if so make it theirs."""
        chosen = list(joints)
        across = np.eye(3) - np.einsum("mi,mj->mij", self._axes[chosen], self._axes[chosen])
        right = np.einsum("mij,mj->i", across, self._points[chosen])
        point, _, rank, _ = np.linalg.lstsq(across.sum(axis=0), right, rcond=1e-9)
        apart = np.einsum("mij,mj->mi", across, point - self._points[chosen])
        if rank < 3 or np.linalg.norm(apart, axis=1).max() > _STRAIGHT:
            return False
        self._points[chosen] = point
        return True

    def solve(self, tip_in_base: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the branches (k, 6), k at most 8, see `Solver`."""
        target = np.ascontiguousarray(tip_in_base, np.float64)
        found = branches(self._family, self._axes, self._points, self._tip_at_zero, target)
        if len(found) and max(error.max() for error in self._errors(found, target)) > _EXACT:
            found = self._polished(found, target)
        found = self._into_limits(found)
        gaps = self._space.distances(found[:, None], found[None], LARGEST)
        # At a singularity two branches are one.
        return found[~np.tril(gaps < 1e-6, -1).any(axis=1)]

    def _errors(
        self, found: NDArray[np.float64], target: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the distances and angles (N,) that are left."""
        return self._verifier.errors(found, target[None], np.zeros(len(found), np.int64))

    def _into_limits(self, found: NDArray[np.float64]) -> NDArray[np.float64]:
        """Turn joints to the turn nearest to mid limits and drop what is outside."""
        lower, upper = finite_limits(self._chain)
        middle = (lower + upper) / 2.0
        found = found - _TURN * np.rint((found - middle) / _TURN)
        # A joint exactly on its limit may come out a rounding error beyond it.
        inside = (found >= self._chain.lower - _ROUNDING) & (
            found <= self._chain.upper + _ROUNDING
        )
        kept = found[inside.all(axis=1)]
        return np.clip(kept, self._chain.lower, self._chain.upper)

    def _polished(
        self, found: NDArray[np.float64], target: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Take Newton steps (N, 6) towards the target where the closed form is not exact."""
        for _ in range(3):
            error, jacobian = self._error_and_jacobian(found, target)
            # Least squares: a branch at a singularity has no unique step.
            found = found + np.einsum("nij,nj->ni", np.linalg.pinv(jacobian, 1e-9), error)
        distance, angle = self._errors(found, target)
        return found[np.maximum(distance, angle) < self.position_tolerance / 2.0]

    def _error_and_jacobian(
        self, found: NDArray[np.float64], target: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the pose errors (N, 6) and the Jacobians (N, 6, 6), linear rows first."""
        frame = np.broadcast_to(np.eye(4), (len(found), 4, 4))
        axes, points = [], []
        for i, origin in enumerate(self._chain.joint_origins):
            frame = frame @ origin
            axis = self._chain.joint_axes[i]
            axes.append(frame[:, :3, :3] @ axis)
            points.append(frame[:, :3, 3])
            frame = frame @ _turns(axis, found[:, i])
        tip = frame @ self._chain.tip_in_last_joint
        rotation = target[:3, :3] @ tip[:, :3, :3].transpose(0, 2, 1)
        # The axis of a small rotation, times its sine.
        angular = 0.5 * np.stack(
            [
                rotation[:, 2, 1] - rotation[:, 1, 2],
                rotation[:, 0, 2] - rotation[:, 2, 0],
                rotation[:, 1, 0] - rotation[:, 0, 1],
            ],
            axis=1,
        )
        error = np.concatenate([target[:3, 3] - tip[:, :3, 3], angular], axis=1)
        linear = [np.cross(a, tip[:, :3, 3] - p) for a, p in zip(axes, points, strict=True)]
        return error, np.concatenate([np.stack(linear, axis=2), np.stack(axes, axis=2)], axis=1)


def _turns(axis: NDArray[np.float64], angles: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the transforms (N, 4, 4) of turns (N,) about one axis (3,)."""
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    matrices = np.tile(np.eye(4), (len(angles), 1, 1))
    sine, versine = np.sin(angles)[:, None, None], 1.0 - np.cos(angles)[:, None, None]
    matrices[:, :3, :3] += sine * cross + versine * (cross @ cross)
    return matrices


def contestants(case: ChainCase, wanted: int, seed: int) -> list[Solver]:
    """Return it once; it has all its solutions at once."""
    return [Analytic(case.chain)]
