"""What the first and the last joint of a chain do to the pose of its tip.

The first joint moves the whole arm along or about its axis, the last one turns the tip about its
own, whatever the joints between do. Neither has to be searched for: a configuration of the joints
between serves all poses that differ by such motions, and both joints follow in closed form
(core/src/samplers/ends.hpp). An arm with revolute joints at both ends has four coordinates of a
pose left.
"""

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from generative_ik_ros.robot.chain import KinematicChain


class End(IntEnum):
    """How an outer joint moves the tip."""

    FIXED = 0
    """It cannot move alone: it mimics or drives others."""
    REVOLUTE = 1
    PRISMATIC = 2


class Ends(NamedTuple):
    """How the outer joints move the tip of the canonical chain.

    Attributes:
        first: REVOLUTE about or PRISMATIC along the first frame's z axis, or FIXED.
        first_variable: Index of its variable.
        first_sign: +1 or -1, its direction.
        last: REVOLUTE about the last frame's z axis, or FIXED.
        last_variable: Index of its variable.
        last_sign: +1 or -1, its direction.
    """

    first: End
    first_variable: int
    first_sign: float
    last: End
    last_variable: int
    last_sign: float

    @classmethod
    def of(cls, chain: KinematicChain) -> "Ends":
        """Return the ends of a chain."""
        variables = list(chain.joint_variable)

        def kind(joint: int) -> End:
            alone = variables.count(variables[joint]) == 1
            if not alone or abs(chain.joint_multiplier[joint]) != 1.0:
                return End.FIXED
            return End.PRISMATIC if chain.joint_prismatic[joint] else End.REVOLUTE

        last = kind(len(variables) - 1) if len(variables) > 1 else End.FIXED
        return cls(
            kind(0),
            int(variables[0]),
            float(np.sign(chain.joint_multiplier[0])),
            End.REVOLUTE if last == End.REVOLUTE else End.FIXED,
            int(variables[-1]),
            float(np.sign(chain.joint_multiplier[-1])),
        )

    @property
    def circles(self) -> tuple[bool, ...]:
        """Which of the coordinates left of a pose are angles on the circle.

        There are 6 coordinates less one for each end that moves.
        """
        place = (False,) * (2 if self.first != End.FIXED else 3)
        return (*place, False, True) + (() if self.last == End.REVOLUTE else (True,))
