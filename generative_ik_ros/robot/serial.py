"""A serial chain as arrays: limits, joint frames and axes, forward kinematics and the Jacobian."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from generative_ik_ros.arguments import number_array
from generative_ik_ros.errors import InvalidArgumentError, listed
from generative_ik_ros.robot.rigid import TURN, shift, turn

_ROUNDING = 1e-9
"""A range this much short of a full turn counts as one [rad]: URDFs round."""


@dataclass(frozen=True, eq=False)
class SerialChain:
    """The joints on a path through a robot, without the robot; immutable, arrays are read-only.

    A chain has n variables, the joints that a configuration q lists, and m >= 1 moving joints on
    the path from base to tip. Joint i of the path stands at
    `joint_multiplier[i] * q[joint_variable[i]] + joint_offset[i]`; m and n differ when joints
    mimic others. The tip's pose is the product over the path

        joint_origins[0] M(0) joint_origins[1] M(1) ... joint_origins[m-1] M(m-1) tip_in_last_joint

    where M(i) rotates about, or translates along, `joint_axes[i]`.
    """

    names: tuple[str, ...]
    """The n variables' joint names: those on the path from base to tip, then those off the path
    that a mimic joint on it follows, in the order of the first that does."""
    lower: NDArray[np.float64]
    """(n,) lower limits [rad or m], -inf for continuous joints."""
    upper: NDArray[np.float64]
    """(n,) upper limits [rad or m], inf for continuous joints."""
    continuous: NDArray[np.bool_]
    """(n,) whether the variable has no limits and a full turn changes nothing."""
    prismatic: NDArray[np.bool_]
    """(n,) whether the variable is in [m]."""
    joint_origins: NDArray[np.float64]
    """(m, 4, 4) each joint's frame in the moved frame of the joint before it on the path, the
    first in the base link, with the fixed joints between folded in [m]."""
    joint_axes: NDArray[np.float64]
    """(m, 3) unit axis in the joint's frame, negated where the path runs from child to parent."""
    joint_prismatic: NDArray[np.bool_]
    """(m,) whether the joint is prismatic."""
    joint_variable: NDArray[np.int64]
    """(m,) index of the variable that drives the joint."""
    joint_multiplier: NDArray[np.float64]
    """(m,) factor of that variable."""
    joint_offset: NDArray[np.float64]
    """(m,) position where that variable is zero [rad or m]."""
    tip_in_last_joint: NDArray[np.float64]
    """(4, 4) tip link in the last joint's moved frame [m]."""

    @property
    def joint_names(self) -> list[str]:
        """Names of the n variables' joints, in the order of a configuration."""
        return list(self.names)

    @property
    def num_joints(self) -> int:
        """Number n of variables."""
        return len(self.names)

    @cached_property
    def periodic(self) -> NDArray[np.bool_]:
        """Whether a full turn of a variable, limits aside, leaves the tip where it is, (n,).

        It does not where a joint follows the variable by a factor that is not whole.
        """
        periodic = ~self.prismatic
        whole = ~self.joint_prismatic & (self.joint_multiplier == np.rint(self.joint_multiplier))
        periodic[self.joint_variable[~whole]] = False
        return periodic

    @cached_property
    def circular(self) -> NDArray[np.bool_]:
        """Whether a variable is periodic and has room for a full turn, (n,)."""
        return self.periodic & (self.upper - self.lower >= TURN - _ROUNDING)

    @cached_property
    def reach(self) -> float:
        """No point further than this from the first joint's origin is ever the tip's [m]."""
        fixed = np.linalg.norm(self.joint_origins[1:, :3, 3], axis=1).sum()
        prismatic = self.joint_prismatic
        variable = self.joint_variable[prismatic]
        ends = np.stack([self.lower[variable], self.upper[variable]])
        ends = self.joint_multiplier[prismatic] * ends + self.joint_offset[prismatic]
        travel = np.abs(ends).max(axis=0).sum()
        tool = np.linalg.norm(self.tip_in_last_joint[:3, 3])
        return float(fixed + travel + tool)

    @cached_property
    def characteristic_length(self) -> float:
        """The length that counts as much as 1 rad: half the reach, 1 where that is 0 [m]."""
        return self.reach / 2.0 if 1e-9 < self.reach < np.inf else 1.0

    @cached_property
    def joint_units(self) -> NDArray[np.float64]:
        """The change of each variable that counts as 1 rad, (n,) [rad or m]."""
        return np.where(self.prismatic, self.characteristic_length, 1.0)

    def forward(self, q: ArrayLike) -> NDArray[np.float64]:
        """Compute the tip's pose; shares no code with the solvers, so that it can check them.

        Args:
            q: (..., n) joint positions [rad or m]; limits are not checked.

        Returns:
            (..., 4, 4) tip in base [m].

        Raises:
            InvalidArgumentError: The last axis of `q` is not n long, or `q` is not numeric.
        """
        last = np.eye(4)
        for frame in self._moved_frames(self._as_positions(q)):
            last = frame
        return last @ self.tip_in_last_joint

    def jacobian(self, q: ArrayLike) -> NDArray[np.float64]:
        """Compute the geometric Jacobian of the tip.

        Column j is the velocity of the tip per unit velocity of variable j, expressed in the base
        frame, with the tip's origin as the reference point (pinocchio: LOCAL_WORLD_ALIGNED).

        Args:
            q: (..., n) joint positions [rad or m]; limits are not checked.

        Returns:
            (..., 6, n): three linear rows [m/rad or m/m], then three angular rows
            [rad/rad or rad/m].

        Raises:
            InvalidArgumentError: The last axis of `q` is not n long, or `q` is not numeric.
        """
        return self.tip_and_jacobian(q)[1]

    def tip_and_jacobian(self, q: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return `forward(q)` and `jacobian(q)`, computed in one pass."""
        frames = np.stack(list(self._moved_frames(self._as_positions(q))), axis=-3)
        tip = frames[..., -1, :, :] @ self.tip_in_last_joint
        axes = np.einsum("...mij,mj->...mi", frames[..., :3, :3], self.joint_axes)
        arms = tip[..., None, :3, 3] - frames[..., :3, 3]
        prismatic = self.joint_prismatic[:, None]
        linear = np.where(prismatic, axes, np.cross(axes, arms))
        angular = np.where(prismatic, 0.0, axes)
        by_joint = np.concatenate([linear, angular], axis=-1)
        return tip, np.swapaxes(by_joint, -1, -2) @ self._joints_by_variable

    @cached_property
    def _joints_by_variable(self) -> NDArray[np.float64]:
        """(m, n) velocity of each joint on the path per unit velocity of each variable."""
        drives = np.zeros((len(self.joint_axes), self.num_joints))
        drives[np.arange(len(drives)), self.joint_variable] = self.joint_multiplier
        return drives

    def _moved_frames(self, q: NDArray[np.float64]) -> Iterator[NDArray[np.float64]]:
        """Yield the moved frame (..., 4, 4) of each joint in the base, from base to tip."""
        frame = np.broadcast_to(np.eye(4), (*q.shape[:-1], 4, 4))
        for i, origin in enumerate(self.joint_origins):
            position = self.joint_multiplier[i] * q[..., self.joint_variable[i]]
            position = position + self.joint_offset[i]
            move = shift if self.joint_prismatic[i] else turn
            frame = frame @ origin @ move(self.joint_axes[i], position)
            yield frame

    def check_positions(self, q: ArrayLike) -> NDArray[np.float64]:
        """Return `q` as float64, (..., n) and finite.

        Raises:
            InvalidArgumentError: `q` is not numeric, its last axis is not n long, or a value is
                NaN or infinite; the message names the joints.
        """
        q = self._as_positions(q)
        if not np.isfinite(q).all():
            bad = [name for i, name in enumerate(self.names) if not np.isfinite(q[..., i]).all()]
            raise InvalidArgumentError(f"joint positions are not finite: {listed(bad)}")
        return q

    def _as_positions(self, q: ArrayLike) -> NDArray[np.float64]:
        q = number_array("joint positions", q)
        if q.ndim == 0 or q.shape[-1] != self.num_joints:
            raise InvalidArgumentError(
                f"joint positions have shape {q.shape}; the last axis must be "
                f"{self.num_joints} long: {listed(self.names)}"
            )
        return q
