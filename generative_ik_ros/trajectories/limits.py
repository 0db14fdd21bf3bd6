"""Velocity and acceleration limits of a chain's joints."""

import numpy as np
from numpy.typing import ArrayLike

from generative_ik_ros.arguments import positive_joint_array
from generative_ik_ros.array_types import Floats
from generative_ik_ros.errors import InvalidArgumentError, listed
from generative_ik_ros.robot.kinematic_tree import Kinematics

SPEED_UP = 1.0
"""Time in which a joint reaches its largest velocity, where no acceleration limit is given [s]."""


def velocity_limits(chain: Kinematics, given: ArrayLike | None) -> Floats:
    """Return the largest velocity of each joint, (n,) [rad/s or m/s].

    Args:
        chain: The chain or tree.
        given: (n,) or one number for all; None: what the robot description says.

    Raises:
        InvalidArgumentError: The description says none for a joint, or one is not above 0.
    """
    if given is not None:
        return positive_joint_array("velocity_limits", given, chain.names, single=True)
    limits = chain.velocity_limits
    unknown = [name for name, one in zip(chain.names, limits, strict=True) if np.isinf(one)]
    if unknown:
        raise InvalidArgumentError(
            f"the robot description gives no velocity limit for {listed(unknown)}; "
            "pass velocity_limits"
        )
    return limits


def acceleration_limits(chain: Kinematics, given: ArrayLike | None, velocity: Floats) -> Floats:
    """Return the largest acceleration of each joint, (n,) [rad/s^2 or m/s^2].

    Args:
        chain: The chain or tree.
        given: (n,) or one number for all; None: a joint reaches its largest velocity in
            `SPEED_UP`, for robot descriptions know no accelerations.
        velocity: (n,) largest velocities [rad/s or m/s].

    Raises:
        InvalidArgumentError: One is not above 0.
    """
    if given is None:
        return velocity / SPEED_UP
    return positive_joint_array("acceleration_limits", given, chain.names, single=True)
