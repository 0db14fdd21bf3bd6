"""A configuration of an arm with joints to spare in, the motion that leaves its tip in place out.

The configurations that reach one pose form curves or surfaces when there are more joints than the
pose has coordinates. A walk along one: a small step in the Jacobian's null space, in the direction
nearest to the last one, then Newton's method back onto the pose by the shortest way (predictor and
corrector: Allgower and Georg, "Numerical Continuation Methods", 1990, chapter 3).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.rigid import shift, turn

_RANK = 1e-6
"""Singular values below this share of the largest are zero."""
_CORRECTIONS = 5
_EXACT = 1e-10
_SMALLEST_STEP = 1.0 / 64.0


@dataclass(frozen=True, eq=False)
class SelfMotion:
    """A continuous path of configurations that share one pose.

    Attributes:
        positions: (S, n) configurations, one small step apart [rad or m]; continuous joints go on
            beyond a turn.
        closed: Whether the last one is a step from the first, so that the path goes round.
        start: Which one the walk began with.
    """

    positions: NDArray[np.float64]
    closed: bool
    start: int


def self_motion(
    chain: KinematicChain,
    start: NDArray[np.float64],
    *,
    position_only: bool = False,
    step: float = 0.05,
    max_steps: int = 1000,
) -> SelfMotion:
    """Walk from a configuration in both directions, each until a limit, or once around.

    With one joint to spare that is the whole connected piece of the solution set that the
    configuration lies on. With more it is one curve on it, as straight as it can be, and ends
    after `max_steps`.

    Args:
        chain: The chain.
        start: (n,) configuration inside the limits [rad or m].
        position_only: Whether the tip may turn, and only its place counts.
        step: Length of a step, over all joints [rad or m].
        max_steps: Most steps in each direction.

    Returns:
        The path; a single configuration where the arm has no freedom to move.

    Raises:
        InvalidArgumentError: `start` is not a configuration of the chain, or `step` not above 0.
    """
    start = chain.check_positions(start)
    if start.ndim != 1:
        raise InvalidArgumentError(f"start must be one configuration, not of shape {start.shape}")
    if not step > 0.0 or max_steps < 1:
        raise InvalidArgumentError(
            f"step must be above 0 and max_steps at least 1, not {step} and {max_steps}"
        )
    walk = _Walk(chain, start, 3 if position_only else 6, step)
    forward, closed = walk.go(walk.first_direction, max_steps)
    if closed:
        return SelfMotion(np.array([start, *forward]), True, 0)
    backward, _ = walk.go(-walk.first_direction, max_steps)
    return SelfMotion(np.array([*backward[::-1], start, *forward]), False, len(backward))


class _Walk:
    """Steps along the set of configurations that keep the tip where it is at the start."""

    def __init__(self, chain: KinematicChain, start: NDArray[np.float64], rows: int, step: float):
        self._chain, self._start, self._rows, self._step = chain, start, rows, step
        self._target, jacobian = tip_and_jacobian(chain, start)
        free = _null_space(jacobian[:rows])
        self._dimension = len(free)
        self.first_direction = free[0] if len(free) else np.zeros_like(start)

    def go(
        self, direction: NDArray[np.float64], max_steps: int
    ) -> tuple[list[NDArray[np.float64]], bool]:
        """Return the configurations after the start, and whether they come back to it."""
        position, passed = self._start, []
        if not self._dimension:
            return passed, False
        first, gone = direction, 0.0
        while len(passed) < max_steps:
            taken = self._take_step(position, direction)
            if taken is None:
                break
            gone += float(np.linalg.norm(taken - position))
            position, direction = taken, (taken - position) / np.linalg.norm(taken - position)
            rest = self._start - position
            rest = np.where(
                self._chain.continuous, np.remainder(rest + np.pi, 2 * np.pi) - np.pi, rest
            )
            if (
                self._dimension == 1
                and gone > 3.0 * self._step
                and np.linalg.norm(rest) <= self._step
                and direction @ first > 0.5
            ):
                return [*passed, position], True
            passed.append(position)
        return passed, False

    def _take_step(
        self, position: NDArray[np.float64], direction: NDArray[np.float64]
    ) -> NDArray[np.float64] | None:
        """Return the next configuration; None at a limit or where the set ends."""
        _, jacobian = tip_and_jacobian(self._chain, position)
        free = _null_space(jacobian[: self._rows])
        along = free.T @ (free @ direction)
        if np.linalg.norm(along) < 0.1:
            return None
        along /= np.linalg.norm(along)
        share = 1.0
        while share >= _SMALLEST_STEP:
            ahead = position + share * self._step * along
            corrected = self._corrected(ahead)
            # A long way back means that the step jumped to another piece of the set.
            if (
                corrected is not None
                and np.linalg.norm(corrected - ahead) < 0.5 * share * self._step
                and (corrected >= self._chain.lower).all()
                and (corrected <= self._chain.upper).all()
            ):
                return corrected
            share /= 2.0
        return None

    def _corrected(self, position: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """Bring the tip back to its pose by the shortest way; None where it does not get there."""
        for _ in range(_CORRECTIONS):
            tip, jacobian = tip_and_jacobian(self._chain, position)
            error = self._error(tip)[: self._rows]
            if np.abs(error).max() < _EXACT:
                return position
            position = position - np.linalg.lstsq(jacobian[: self._rows], error, rcond=_RANK)[0]
        tip, _ = tip_and_jacobian(self._chain, position)
        return position if np.abs(self._error(tip)[: self._rows]).max() < _EXACT else None

    def _error(self, tip: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how far the tip is from its pose (6,): distance [m], sine of the turn."""
        turned = tip[:3, :3] @ self._target[:3, :3].T
        axis = (
            turned[2, 1] - turned[1, 2],
            turned[0, 2] - turned[2, 0],
            turned[1, 0] - turned[0, 1],
        )
        return np.array([*(tip[:3, 3] - self._target[:3, 3]), *np.multiply(axis, 0.5)])


def _null_space(jacobian: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return an orthonormal basis of the directions that do not move the tip, one a row."""
    _, values, directions = np.linalg.svd(jacobian)
    return directions[int((values > _RANK * values[0]).sum()) :]


def tip_and_jacobian(
    chain: KinematicChain, position: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Compute where the tip is, and how it moves with the joints.

    Args:
        chain: The chain.
        position: (n,) configuration [rad or m].

    Returns:
        (4, 4) tip in base [m], and (6, n) its velocity for each joint's: linear, then angular, in
        the base frame.
    """
    frame = np.eye(4)
    axes, origins = np.empty((2, len(chain.joint_axes), 3))
    for i, origin in enumerate(chain.joint_origins):
        frame = frame @ origin
        axes[i], origins[i] = frame[:3, :3] @ chain.joint_axes[i], frame[:3, 3]
        driver = position[chain.joint_variable[i]]
        moved = chain.joint_multiplier[i] * driver + chain.joint_offset[i]
        frame = frame @ (shift if chain.joint_prismatic[i] else turn)(chain.joint_axes[i], moved)
    tip = frame @ chain.tip_in_last_joint
    slides = chain.joint_prismatic[:, None]
    linear = np.where(slides, axes, np.cross(axes, tip[:3, 3] - origins))
    columns = np.concatenate([linear, np.where(slides, 0.0, axes)], axis=1)
    jacobian = np.zeros((6, chain.num_joints))
    np.add.at(jacobian.T, chain.joint_variable, chain.joint_multiplier[:, None] * columns)
    return tip, jacobian
