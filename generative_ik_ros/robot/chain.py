"""A robot description and two of its links in, the kinematic chain between them out."""

from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from generative_ik_ros.errors import InvalidArgumentError, UnknownNameError
from generative_ik_ros.robot.canonical import CanonicalChain
from generative_ik_ros.robot.description import RobotDescription, listed
from generative_ik_ros.robot.fold import numeric_core, only_tip
from generative_ik_ros.robot.rigid import inverse, shift, turn

_ROUNDING = 1e-9
"""Less than a full turn by so much is one [rad]: URDFs round."""


@dataclass(frozen=True, eq=False)
class KinematicChain:
    """The joints between a base and a tip link; immutable, arrays are read-only.

    A chain has n variables, the joints that a configuration q lists, and m >= 1 moving joints on
    the path from base to tip. Joint i of the path stands at
    `joint_multiplier[i] * q[joint_variable[i]] + joint_offset[i]`; m and n differ when joints
    mimic others. The tip's pose is the product over the path

        joint_origins[0] M(0) joint_origins[1] M(1) ... joint_origins[m-1] M(m-1) tip_in_last_joint

    where M(i) turns about, or shifts along, `joint_axes[i]`.

    Attributes:
        description: The robot.
        base_link: Link in whose frame poses are given.
        tip_link: Link whose pose is given.
        names: The n variables' joint names: those on the path from base to tip, then those off
            the path that a mimic joint on it follows, in the order of the first that does.
        lower: (n,) least positions [rad or m], -inf for continuous joints.
        upper: (n,) greatest positions [rad or m], inf for continuous joints.
        continuous: (n,) whether a full turn changes nothing.
        prismatic: (n,) whether the variable is in [m].
        joint_origins: (m, 4, 4) each joint's frame in the moved frame of the joint before it on
            the path, the first in the base link, with the fixed joints between folded in [m].
        joint_axes: (m, 3) unit axis in the joint's frame, negated where the path runs from
            child to parent.
        joint_prismatic: (m,) whether the joint shifts.
        joint_variable: (m,) index of the variable that drives the joint.
        joint_multiplier: (m,) factor of that variable.
        joint_offset: (m,) position at that variable's zero [rad or m].
        tip_in_last_joint: (4, 4) tip link in the last joint's moved frame [m].
    """

    description: RobotDescription
    base_link: str
    tip_link: str
    names: tuple[str, ...]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    continuous: NDArray[np.bool_]
    prismatic: NDArray[np.bool_]
    joint_origins: NDArray[np.float64]
    joint_axes: NDArray[np.float64]
    joint_prismatic: NDArray[np.bool_]
    joint_variable: NDArray[np.int64]
    joint_multiplier: NDArray[np.float64]
    joint_offset: NDArray[np.float64]
    tip_in_last_joint: NDArray[np.float64]

    @classmethod
    def from_urdf(
        cls,
        source: str | PathLike[str] | RobotDescription,
        base_link: str | None = None,
        tip_link: str | None = None,
        *,
        missing_limits: Literal["error", "continuous"] = "error",
    ) -> "KinematicChain":
        """Cut the chain between two links out of a robot.

        Only the joints on the path, and those that they mimic, have to be usable: a floating
        joint or a missing limit elsewhere does not matter.

        Args:
            source: URDF text (starts with "<"), a path, or a description read before.
            base_link: Link to give poses in; the robot's root when None.
            tip_link: Link whose pose counts. When None, the one leaf below the base that moves
                against it; leaves that coincide in every configuration count as one.
            missing_limits: What a revolute joint without limits is: an error, or continuous.

        Raises:
            RobotDescriptionError: The robot or the chain is not usable; the message says why.
            AmbiguousChainError: `tip_link` is None and several leaves move.
            UnknownNameError: The robot has no link of that name.
            InvalidArgumentError: `missing_limits` is neither of its two values.
        """
        if missing_limits not in ("error", "continuous"):
            raise InvalidArgumentError(
                f"missing_limits must be 'error' or 'continuous', not {missing_limits!r}"
            )
        if not isinstance(source, RobotDescription):
            source = RobotDescription.from_urdf(source)
        for link in (base_link, tip_link):
            if link is not None and link not in source.links:
                raise UnknownNameError("link", link, source.links)
        base = source.root if base_link is None else base_link
        tip = only_tip(source, base) if tip_link is None else tip_link
        return cls(source, base, tip, **numeric_core(source, base, tip, missing_limits))

    @property
    def joint_names(self) -> list[str]:
        """Names of the n variables' joints, in the order of a configuration."""
        return list(self.names)

    @property
    def num_joints(self) -> int:
        """Number n of variables."""
        return len(self.names)

    @cached_property
    def canonical(self) -> CanonicalChain:
        """The same chain from first to last joint frame, free of mounting and tool."""
        return CanonicalChain.of(self)

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal characters that name the canonical chain; see `CanonicalChain`."""
        return self.canonical.fingerprint

    def canonical_target(self, tip_in_base: NDArray[np.float64]) -> NDArray[np.float64]:
        """Move target poses of the tip to the canonical chain's, which knows no mounting or tool.

        Args:
            tip_in_base: (..., 4, 4) poses [m].

        Returns:
            (..., 4, 4) the canonical last joint frame in the canonical first joint frame [m].
        """
        base_in_first_joint, last_joint_in_tip = self._mounting
        return base_in_first_joint @ tip_in_base @ last_joint_in_tip

    @cached_property
    def _mounting(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        canonical = self.canonical
        return inverse(canonical.first_joint_in_base), inverse(canonical.tip_in_last_joint)

    @cached_property
    def periodic(self) -> NDArray[np.bool_]:
        """Whether a full turn of a variable, limits aside, leaves the tip where it is, (n,).

        It does not where a joint follows the variable by another factor than a whole one.
        """
        periodic = ~self.prismatic
        whole = ~self.joint_prismatic & (self.joint_multiplier == np.rint(self.joint_multiplier))
        periodic[self.joint_variable[~whole]] = False
        return periodic

    @cached_property
    def circular(self) -> NDArray[np.bool_]:
        """Whether a variable is periodic and has room for a full turn, (n,)."""
        return self.periodic & (self.upper - self.lower >= 2.0 * np.pi - _ROUNDING)

    @cached_property
    def reach(self) -> float:
        """No point further than this from the first joint's origin is ever the tip's [m]."""
        fixed = np.linalg.norm(self.joint_origins[1:, :3, 3], axis=1).sum()
        shifting = self.joint_prismatic
        variable = self.joint_variable[shifting]
        ends = np.stack([self.lower[variable], self.upper[variable]])
        ends = self.joint_multiplier[shifting] * ends + self.joint_offset[shifting]
        travel = np.abs(ends).max(axis=0).sum()
        tool = np.linalg.norm(self.tip_in_last_joint[:3, 3])
        return float(fixed + travel + tool)

    def forward(self, q: ArrayLike) -> NDArray[np.float64]:
        """Compute where the tip is; shares no code with the solvers, so that it can check them.

        Args:
            q: (..., n) joint positions [rad or m]; limits are not looked at.

        Returns:
            (..., 4, 4) tip in base [m].

        Raises:
            InvalidArgumentError: The last axis of `q` is not n long, or `q` is not numeric.
        """
        q = self._as_positions(q)
        tip_in_base = np.broadcast_to(np.eye(4), (*q.shape[:-1], 4, 4))
        for i, origin in enumerate(self.joint_origins):
            position = self.joint_multiplier[i] * q[..., self.joint_variable[i]]
            position = position + self.joint_offset[i]
            move = shift if self.joint_prismatic[i] else turn
            tip_in_base = tip_in_base @ origin @ move(self.joint_axes[i], position)
        return tip_in_base @ self.tip_in_last_joint

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
        try:
            q = np.asarray(q, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            raise InvalidArgumentError("joint positions must be an array of numbers") from None
        if q.ndim == 0 or q.shape[-1] != self.num_joints:
            raise InvalidArgumentError(
                f"joint positions have shape {q.shape}; the last axis must be "
                f"{self.num_joints} long: {listed(self.names)}"
            )
        return q

    def __repr__(self) -> str:
        return (
            f"KinematicChain('{self.description.name}', '{self.base_link}' -> "
            f"'{self.tip_link}', {self.num_joints} joints)"
        )
