"""The joint axes of a plain revolute chain as lines in space, and how they lie to each other."""

from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.robot.chain import KinematicChain

_STRAIGHT = 2e-5
"""Axes no further than this from parallel [rad], or from intersecting [m], count as such:
descriptions round their angles to 1e-5, and steps of a local solver make up for it."""


def why_not_revolute(chain: KinematicChain, counts: tuple[int, ...] | None = None) -> str:
    """Say why a chain is not made of independent revolute joints; empty if it is.

    Args:
        chain: The chain.
        counts: The numbers of joints that are taken, any when None.
    """
    if chain.prismatic.any():
        return "takes revolute joints only, no prismatic ones"
    moving = len(chain.joint_origins)
    mimics = moving != chain.num_joints or (chain.joint_variable != np.arange(moving)).any()
    if mimics or (chain.joint_multiplier != 1.0).any() or (chain.joint_offset != 0.0).any():
        return "takes no mimic joints"
    if counts is not None and chain.num_joints not in counts:
        words = " or ".join(str(count) for count in counts)
        return f"takes {words} joints, not {chain.num_joints}"
    return ""


@dataclass(frozen=True)
class AxesAtZero:
    """The lines of the n joint axes when all joints are at zero.

    Attributes:
        axes: (n, 3) unit directions, in the base.
        points: (n, 3) a point on each axis [m].
        tip: (4, 4) the tip's pose [m].
    """

    axes: NDArray[np.float64]
    points: NDArray[np.float64]
    tip: NDArray[np.float64]

    @classmethod
    def of(cls, chain: KinematicChain) -> "AxesAtZero":
        """Place the axes of a chain that `why_not_revolute` has nothing against."""
        frames = np.array(list(accumulate(chain.joint_origins, np.matmul)))
        axes = np.einsum("mij,mj->mi", frames[:, :3, :3], chain.joint_axes)
        return cls(axes, frames[:, :3, 3].copy(), frames[-1] @ chain.tip_in_last_joint)

    def parallel(self, first: int, second: int) -> bool:
        """Return whether two axes are parallel."""
        return bool(np.linalg.norm(np.cross(self.axes[first], self.axes[second])) < _STRAIGHT)

    def meeting(self, *joints: int) -> NDArray[np.float64] | None:
        """Return the point (3,) in which axes intersect [m], None if they do not."""
        chosen = list(joints)
        across = np.eye(3) - np.einsum("mi,mj->mij", self.axes[chosen], self.axes[chosen])
        right = np.einsum("mij,mj->i", across, self.points[chosen])
        point, _, rank, _ = np.linalg.lstsq(across.sum(axis=0), right, rcond=1e-9)
        apart = np.einsum("mij,mj->mi", across, point - self.points[chosen])
        if rank < 3 or np.linalg.norm(apart, axis=1).max() > _STRAIGHT:
            return None
        return point

    def met(self, *joints: int) -> "AxesAtZero | None":
        """Return the same lines with the point in which some intersect as theirs, or None."""
        point = self.meeting(*joints)
        if point is None:
            return None
        points = self.points.copy()
        points[list(joints)] = point
        return AxesAtZero(self.axes, points, self.tip)

    @property
    def flat(self) -> NDArray[np.float64]:
        """(6 n + 16,) axes, points and the tip's pose one after the other."""
        return np.concatenate([self.axes.ravel(), self.points.ravel(), self.tip.ravel()])
