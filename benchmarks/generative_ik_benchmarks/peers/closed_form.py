"""What solvers of plain revolute chains share: which chains they take, axes at zero, limits."""

from itertools import accumulate
from typing import NamedTuple

import numpy as np

from generative_ik_benchmarks.solver import Solver, UnsupportedChainError
from generative_ik_ros.array_types import Floats
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.joints import finite_limits
from generative_ik_ros.robot.rigid import TURN

_ROUNDING = 1e-9
"""A joint exactly on its limit may come out this much beyond it [rad]."""


class AxesAtZero(NamedTuple):
    """The lines of the n joint axes when all joints are at zero.

    Attributes:
        axes: (n, 3) unit directions, in the base.
        points: (n, 3) a point on each axis [m].
        tip: (4, 4) the tip's pose [m].
    """

    axes: Floats
    points: Floats
    tip: Floats

    @classmethod
    def of(cls, chain: KinematicChain) -> "AxesAtZero":
        """Place the axes of a chain of independent joints."""
        frames = np.array(list(accumulate(chain.joint_origins, np.matmul)))
        axes = np.einsum("mij,mj->mi", frames[:, :3, :3], chain.joint_axes)
        return cls(axes, frames[:, :3, 3].copy(), frames[-1] @ chain.tip_in_last_joint)


def require_revolute_joints(chain: KinematicChain, counts: tuple[int, ...] | None = None) -> None:
    """Refuse prismatic and mimic joints, and other numbers of joints than those given.

    Raises:
        UnsupportedChainError: The chain is another kind; the message says which.
    """
    if chain.prismatic.any():
        raise UnsupportedChainError("takes revolute joints only, no prismatic ones")
    moving = len(chain.joint_origins)
    mimics = moving != chain.num_joints or (chain.joint_variable != np.arange(moving)).any()
    if mimics or (chain.joint_multiplier != 1.0).any() or (chain.joint_offset != 0.0).any():
        raise UnsupportedChainError("takes no mimic joints")
    if counts is not None and chain.num_joints not in counts:
        words = " or ".join(str(count) for count in counts)
        raise UnsupportedChainError(f"takes {words} joints, not {chain.num_joints}")


class ClosedForm(Solver):
    """A solver of all branches within the limits, each at one turn.

    Raises:
        UnsupportedChainError: The chain is another kind.
    """

    name = "closed form"
    position_tolerance = orientation_tolerance = 1e-5

    def __init__(self, chain: KinematicChain, joints: int):
        """Place the joint axes at zero."""
        require_revolute_joints(chain, (joints,))
        self.lines, self._chain = AxesAtZero.of(chain), chain
        self._middle = sum(finite_limits(chain)) / 2.0

    def into_limits(self, found: Floats) -> Floats:
        """Take the turn nearest to mid limits of each joint and drop what is outside.

        Args:
            found: (k, n) branches [rad].

        Returns:
            (m, n) those within the limits.
        """
        found = found - TURN * np.rint((found - self._middle) / TURN)
        clipped = np.clip(found, self._chain.lower, self._chain.upper)
        return clipped[(np.abs(found - clipped) <= _ROUNDING).all(axis=1)]
