"""The kinematic chain between two links of a robot, cut out of its URDF."""

from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.errors import InvalidArgumentError, UnknownNameError
from generative_ik_ros.robot.canonical import CanonicalChain
from generative_ik_ros.robot.description import RobotDescription
from generative_ik_ros.robot.fold import numeric_core, only_tip, path
from generative_ik_ros.robot.rigid import inverse
from generative_ik_ros.robot.serial import SerialChain


@dataclass(frozen=True, eq=False)
class KinematicChain(SerialChain):
    """The joints between a base and a tip link of a robot; immutable, arrays are read-only.

    `SerialChain` says what its arrays hold and how a configuration becomes a pose.

    Attributes:
        description: The robot.
        base_link: Link in whose frame poses are given.
        tip_link: Link whose pose is given.
    """

    description: RobotDescription
    base_link: str
    tip_link: str

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
        arrays = numeric_core(source, base, tip, missing_limits)
        return cls(**arrays, description=source, base_link=base, tip_link=tip)

    @cached_property
    def canonical(self) -> CanonicalChain:
        """The same chain from first to last joint frame, free of mounting and tool."""
        return CanonicalChain.of(self)

    @cached_property
    def velocity_limits(self) -> NDArray[np.float64]:
        """Largest velocity of each variable by the robot description, (n,) [rad/s or m/s].

        Joints on the path that mimic it keep theirs as well. It is inf where none is given.
        """
        joints, velocity = self.description.joint_named, np.full(self.num_joints, np.inf)
        for i, name in enumerate(self.names):
            velocity[i] = joints[name].velocity
        moving = [j for j, _ in path(self.description, self.base_link, self.tip_link) if j.moves]
        for joint, i, factor in zip(
            moving, self.joint_variable, self.joint_multiplier, strict=True
        ):
            if factor:
                velocity[i] = min(velocity[i], joint.velocity / abs(factor))
        velocity.flags.writeable = False
        return velocity

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal characters that name the canonical chain; see `CanonicalChain`."""
        return self.canonical.fingerprint

    def canonical_target(self, tip_in_base: NDArray[np.float64]) -> NDArray[np.float64]:
        """Turn poses of the tip into poses of the canonical chain, without mounting and tool.

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

    def __repr__(self) -> str:
        return (
            f"KinematicChain('{self.description.name}', '{self.base_link}' -> "
            f"'{self.tip_link}', {self.num_joints} joints)"
        )
