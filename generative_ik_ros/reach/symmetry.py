"""What turns of a chain's first and last revolute joints do to its poses."""

from dataclasses import dataclass, replace

import numpy as np

from generative_ik_ros.array_types import Bools, Floats
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.rigid import TURN


@dataclass(frozen=True)
class Symmetry:
    """The joints that carry one pose to others, if the chain has them.

    Attributes:
        first: Variable of a revolute joint about the base's z direction that turns the whole arm
            from a point on; -1 where there is none.
        first_sign: Its direction about z, +1 or -1.
        centre: (x, y) of its axis in the base; of the first joint where there is none [m].
        last: Variable of a last revolute joint whose axis passes through the tip; -1 likewise.
        last_sign: Its direction about `approach`, +1 or -1.
        approach: (3,) axis of the last joint in the tip's frame, z if that is prismatic.
    """

    first: int
    first_sign: float
    centre: tuple[float, float]
    last: int
    last_sign: float
    approach: Floats

    @classmethod
    def of(cls, chain: KinematicChain) -> "Symmetry":
        """Find the symmetries of a chain."""
        joint, sign, place = _first(chain)
        last, approach = _last(chain)
        variable = int(chain.joint_variable[joint]) if joint >= 0 else -1
        if variable >= 0 and variable == last:
            last = -1
        turns = float(np.sign(chain.joint_multiplier[-1]))
        return cls(variable, sign, (float(place[0]), float(place[1])), last, turns, approach)


def unlimited(chain: KinematicChain, joints: Bools) -> KinematicChain:
    """Return a chain without the limits of some joints (n,)."""
    if not joints.any():
        return chain
    arrays = {
        "lower": np.where(joints, -np.inf, chain.lower),
        "upper": np.where(joints, np.inf, chain.upper),
        "continuous": chain.continuous | joints,
    }
    for array in arrays.values():
        array.flags.writeable = False
    return replace(chain, **arrays)


def settle_turn(angle: Floats, lower: float, upper: float) -> tuple[Floats, Bools]:
    """Move angles by full turns to the middle of limits, and say which are inside [rad]."""
    if np.isinf(upper - lower):
        return np.remainder(angle + np.pi, TURN) - np.pi, np.ones(angle.shape, np.bool_)
    middle = (lower + upper) / 2.0
    angle = angle - TURN * np.rint((angle - middle) / TURN)
    return angle, (lower <= angle) & (angle <= upper)


def _alone(chain: KinematicChain, joint: int) -> bool:
    """Say whether a joint is revolute, and the only one that its variable drives."""
    drives = chain.joint_variable == chain.joint_variable[joint]
    whole = abs(chain.joint_multiplier[joint]) == 1.0
    return bool(not chain.joint_prismatic[joint] and drives.sum() == 1 and whole)


def _first(chain: KinematicChain) -> tuple[int, float, Floats]:
    """Return the joint that turns the arm about z, or -1; its sign; a point of its axis.

    Prismatic joints along z that come before it leave the arm's turns as they are.
    """
    frame = np.eye(4)
    for joint, origin in enumerate(chain.joint_origins):
        frame = frame @ origin
        axis = frame[:3, :3] @ chain.joint_axes[joint]
        if np.hypot(axis[0], axis[1]) > 1e-9:  # it is not vertical
            break
        if _alone(chain, joint):
            sign = np.sign(axis[2] * chain.joint_multiplier[joint])
            return joint, float(sign), frame[:2, 3]
        if not chain.joint_prismatic[joint]:
            break
        # A prismatic joint moves along z and so does not change what is read here.
    return -1, 1.0, chain.joint_origins[0][:2, 3]


def _last(chain: KinematicChain) -> tuple[int, Floats]:
    """Return the variable that turns the tip about its origin, or -1, and the axis."""
    if chain.joint_prismatic[-1]:
        return -1, np.array([0.0, 0.0, 1.0])
    axis, tip = chain.joint_axes[-1], chain.tip_in_last_joint
    approach = tip[:3, :3].T @ axis
    approach = np.where(np.abs(approach) < 1e-12, 0.0, approach)
    approach = approach / np.linalg.norm(approach)
    through = np.linalg.norm(np.cross(axis, tip[:3, 3])) < 1e-9
    free = through and _alone(chain, len(chain.joint_axes) - 1)
    return int(chain.joint_variable[-1]) if free else -1, approach
