"""What the first and the last joint of a chain do to the pose of its tip.

The first joint moves the whole arm along or about its axis, the last one turns the tip about its
own, whatever the joints between do. Neither has to be searched for: a configuration of the joints
between serves all poses that differ by such motions, and both joints follow in closed form. An arm
with revolute joints at both ends has four coordinates of a pose left.
"""

import math
from typing import NamedTuple

import numpy as np

from generative_ik_ros.compiled.kernel import kernel
from generative_ik_ros.robot.chain import KinematicChain

# ruff: noqa: ANN001, ANN201, ANN202  (types inside compiled code are numba's, not Python's)

FIXED, REVOLUTE, PRISMATIC = 0, 1, 2
_POLE = 1e-9
"""Below this sine two axes count as parallel: their azimuths would be noise."""


class Ends(NamedTuple):
    """How the outer joints move the tip of the canonical chain.

    Attributes:
        first: REVOLUTE about or PRISMATIC along the first frame's z axis, or FIXED where the joint
            cannot move alone (it mimics or drives others).
        first_variable: Index of its variable.
        first_sign: +1 or -1, its direction.
        last: REVOLUTE about the last frame's z axis, or FIXED.
        last_variable: Index of its variable.
        last_sign: +1 or -1, its direction.
    """

    first: int
    first_variable: int
    first_sign: float
    last: int
    last_variable: int
    last_sign: float

    @classmethod
    def of(cls, chain: KinematicChain) -> "Ends":
        """Return the ends of a chain."""
        variables = list(chain.joint_variable)

        def kind(joint: int) -> int:
            alone = variables.count(variables[joint]) == 1
            if not alone or abs(chain.joint_multiplier[joint]) != 1.0:
                return FIXED
            return PRISMATIC if chain.joint_prismatic[joint] else REVOLUTE

        last = kind(len(variables) - 1) if len(variables) > 1 else FIXED
        return cls(
            kind(0),
            int(variables[0]),
            float(np.sign(chain.joint_multiplier[0])),
            REVOLUTE if last == REVOLUTE else FIXED,
            int(variables[-1]),
            float(np.sign(chain.joint_multiplier[-1])),
        )

    @property
    def num_coordinates(self) -> int:
        """Coordinates left of a pose: 6 less one for each end that moves."""
        return 6 - (self.first != FIXED) - (self.last != FIXED)

    @property
    def circles(self) -> tuple[bool, ...]:
        """Which of the coordinates are angles on the circle."""
        place = (False,) * (2 if self.first != FIXED else 3)
        return (*place, False, True) + (() if self.last == REVOLUTE else (True,))


@kernel()
def azimuth(ends, pose):
    """Return the azimuth that the first joint can remove, 0 if it cannot [rad]."""
    if ends.first != REVOLUTE:
        return 0.0
    x, y = pose[0, 3], pose[1, 3]
    if x * x + y * y < _POLE * _POLE:
        x, y = pose[0, 2], pose[1, 2]
        if x * x + y * y < _POLE * _POLE:
            x, y = pose[0, 0], pose[1, 0]
    return math.atan2(y, x)


@kernel()
def reduce_pose(ends, pose, turned, out):
    """Reduce a pose to what the joints between the ends have to reach.

    Rotations are given as z-y-z Euler angles, in which the first joint only changes the first and
    the last joint only the last: azimuth of the last axis, cosine of its inclination, spin.

    Args:
        ends: Ends of the chain.
        pose: (4, 4) last joint frame in the first joint frame.
        turned: (3, 4) out: the pose without its azimuth, which is returned [rad].
        out: (num_coordinates,) out: position, cosine, azimuth and spin, those that are left.
    """
    angle = azimuth(ends, pose)
    c, s = math.cos(angle), math.sin(angle)
    for k in range(4):
        turned[0, k] = c * pose[0, k] + s * pose[1, k]
        turned[1, k] = c * pose[1, k] - s * pose[0, k]
        turned[2, k] = pose[2, k]
    d = 0
    out[d] = turned[0, 3]
    d += 1
    if ends.first != REVOLUTE:
        out[d] = turned[1, 3]
        d += 1
    if ends.first != PRISMATIC:
        out[d] = turned[2, 3]
        d += 1
    out[d] = min(1.0, max(-1.0, turned[2, 2]))
    x, y = turned[0, 2], turned[1, 2]
    inclined = x * x + y * y > _POLE * _POLE
    out[d + 1] = math.atan2(y, x) if inclined else 0.0
    if ends.last != REVOLUTE:
        if inclined:
            out[d + 2] = math.atan2(turned[2, 1], -turned[2, 0])
        else:
            out[d + 2] = math.atan2(turned[1, 0], turned[0, 0])
    return angle


@kernel()
def spin_between(turned, target):
    """Return the rotation about the last axis that takes one pose closest to another [rad].

    Both are (3, 4), without their azimuths.
    """
    same, across = 0.0, 0.0
    for k in range(3):
        same += turned[k, 0] * target[k, 0] + turned[k, 1] * target[k, 1]
        across += turned[k, 1] * target[k, 0] - turned[k, 0] * target[k, 1]
    return math.atan2(across, same)
