"""The self-motion of a redundant arm: joint motion that leaves the tip in place.

The configurations that reach one pose form curves or surfaces when there are more joints than the
pose has coordinates. Such a curve is followed by continuation: a small step in the Jacobian's null
space, in the direction nearest to the last one (predictor), then Newton's method back onto the
pose (corrector); Allgower and Georg, "Numerical Continuation Methods", 1990, chapter 3.
"""

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from generative_ik_ros.array_types import Floats
from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.closing import gaps
from generative_ik_ros.robot.kinematic_tree import KinematicTree
from generative_ik_ros.robot.rigid import wrapped


@dataclass(frozen=True)
class StepTuning:
    """How steps along a self-motion are made."""

    rank: float = 1e-6
    """Singular values below this share of the largest are zero."""
    corrections: int = 5
    """Newton steps back to the pose."""
    exact: float = 1e-10
    """Error at which they end [m or rad]."""
    smallest_step: float = 1.0 / 64.0
    """A step is halved down to this share."""


TUNING = StepTuning()


@dataclass(frozen=True, eq=False)
class SelfMotion:
    """A continuous path of configurations that share one pose.

    Attributes:
        positions: (S, n) configurations, one small step apart [rad or m]; continuous joints go on
            beyond a turn.
        closed: Whether the last one is a step from the first, so that the path is a loop.
        start: Index of the configuration that the motion was computed from.
    """

    positions: Floats
    closed: bool
    start: int


def self_motion(
    chain: KinematicChain | KinematicTree,
    start: Floats,
    *,
    position_only: bool = False,
    step: float = 0.05,
    max_steps: int = 1000,
) -> SelfMotion:
    """Follow the self-motion through a configuration, both ways to a joint limit or around a loop.

    With one redundant degree of freedom the result is the whole connected component of the
    solution set that the configuration lies on. With more it is one curve on that set, as straight
    as possible, which ends after `max_steps`.

    Args:
        chain: The chain, or a tree whose tips all stay.
        start: (n,) configuration inside the limits [rad or m].
        position_only: Whether tips may rotate, so that only their positions are kept.
        step: Length of a step, over all joints [rad or m].
        max_steps: Largest number of steps in each direction.

    Returns:
        The path; a single configuration where the arm is not redundant.

    Raises:
        InvalidArgumentError: `start` is not a configuration of the chain, `step` not above 0, or
            a tip's pose is given in another link than the base.
    """
    start = chain.check_positions(start)
    if start.ndim != 1:
        raise InvalidArgumentError(f"start must be one configuration, not of shape {start.shape}")
    if not step > 0.0 or max_steps < 1:
        raise InvalidArgumentError(
            f"step must be above 0 and max_steps at least 1, not {step} and {max_steps}"
        )
    if set(chain.reference_links) != {chain.base_link}:
        raise InvalidArgumentError("self_motion needs tips whose poses are given in the base link")
    curve = _Continuation(chain, start, 3 if position_only else 6, step)
    forward, closed = curve.follow(curve.direction, max_steps)
    if closed:
        return SelfMotion(np.array([start, *forward]), True, 0)
    backward, _ = curve.follow(-curve.direction, max_steps)
    return SelfMotion(np.array([*backward[::-1], start, *forward]), False, len(backward))


class _Continuation:
    """Steps along the configurations that keep the first `rows` coordinates of each tip's pose.

    Attributes:
        direction: (n,) a unit vector along the set at the start; zero where there is none.
    """

    def __init__(
        self, chain: KinematicChain | KinematicTree, start: Floats, rows: int, step: float
    ):
        self._chain, self._start, self._rows, self._step = chain, start, rows, step
        self._targets, jacobian = self._tips_and_jacobian(start)
        null_space = _null_space(jacobian)
        self._dimension = len(null_space)
        self.direction = null_space[0] if len(null_space) else np.zeros_like(start)

    def _tips_and_jacobian(self, position: Floats) -> tuple[Floats, Floats]:
        """Return the K tips (K, 4, 4) and the rows that are kept (K rows and closures', n)."""
        tips, jacobian = self._chain.tip_and_jacobian(position)
        jacobian = jacobian.reshape(-1, 6, jacobian.shape[-1])[:, : self._rows]
        rows = [jacobian.reshape(-1, jacobian.shape[-1])]
        if isinstance(self._chain, KinematicTree):
            rows.append(gaps(self._chain, position[None])[1].reshape(-1, len(position)))
        return tips.reshape(-1, 4, 4), np.concatenate(rows)

    def follow(self, direction: Floats, max_steps: int) -> tuple[list[Floats], bool]:
        """Return the configurations after the start, and whether they come back to it."""
        position, passed, first, length = self._start, [], direction, 0.0
        while self._dimension and len(passed) < max_steps:
            following = self._next(position, direction)
            if following is None:
                break
            step = following - position
            length += float(np.linalg.norm(step))
            position, direction = following, step / np.linalg.norm(step)
            passed.append(position)
            if length > 3.0 * self._step and direction @ first > 0.5 and self._is_start(position):
                return passed, True
        return passed, False

    def _is_start(self, position: Floats) -> bool:
        """Whether a curve is back within a step of its start; surfaces do not have to be."""
        rest = self._start - position
        rest = np.where(self._chain.continuous, wrapped(rest), rest)
        return self._dimension == 1 and bool(np.linalg.norm(rest) <= self._step)

    def _next(self, position: Floats, direction: Floats) -> Floats | None:
        """Return the next configuration; None at a limit or where the set ends."""
        null_space = _null_space(self._tips_and_jacobian(position)[1])
        along = null_space.T @ (null_space @ direction)
        if np.linalg.norm(along) < 0.1:
            return None
        along /= np.linalg.norm(along)
        share = 1.0
        while share >= TUNING.smallest_step:
            ahead = position + share * self._step * along
            corrected = self._corrected(ahead)
            # A long correction means that the step jumped to another component of the set.
            if (
                corrected is not None
                and np.linalg.norm(corrected - ahead) < 0.5 * share * self._step
                and (corrected >= self._chain.lower).all()
                and (corrected <= self._chain.upper).all()
            ):
                return corrected
            share /= 2.0
        return None

    def _corrected(self, position: Floats) -> Floats | None:
        """Bring tips back to their poses by Newton's method; None where it does not converge."""
        for correction in range(TUNING.corrections + 1):
            tips, jacobian = self._tips_and_jacobian(position)
            turned = tips[:, :3, :3] @ self._targets[:, :3, :3].swapaxes(1, 2)
            moved = tips[:, :3, 3] - self._targets[:, :3, 3]
            error = np.hstack([moved, Rotation.from_matrix(turned).as_rotvec()])
            error = error[:, : self._rows].ravel()
            if isinstance(self._chain, KinematicTree):
                error = np.append(error, gaps(self._chain, position[None])[0])
            if np.abs(error).max() < TUNING.exact:
                return position
            if correction < TUNING.corrections:
                step = np.linalg.lstsq(jacobian, error, rcond=TUNING.rank)[0]
                position = position - step
        return None


def _null_space(jacobian: Floats) -> Floats:
    """Return an orthonormal basis of the directions that do not move the tip, one a row."""
    _, values, directions = np.linalg.svd(jacobian)
    return directions[int((values > TUNING.rank * values[0]).sum()) :]
