"""The joint axes of a plain chain as lines in space, and how they lie to each other."""

from dataclasses import dataclass, replace
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.robot.chain import KinematicChain

NEAR = 5e-5
"""Axes no further than this from parallel [rad], or from intersecting [shares of the arm's
length], count as such: descriptions round their angles to 1e-5, and steps of a local solver make
up for it."""


def why_not_plain(chain: KinematicChain, counts: tuple[int, ...] | None = None) -> str:
    """Say why a chain is not made of independent joints; empty if it is.

    Args:
        chain: The chain.
        counts: The numbers of joints that are taken, any when None.
    """
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
        points: (n, 3) a point on each axis [m]; of prismatic joints it is of no meaning.
        tip: (4, 4) the tip's pose [m].
        length: Of the arm, from joint to joint, and how far prismatic joints move [m]; 1 if that
            is zero.
        travel: (n,) how far prismatic joints move from zero at the most [m]; NaN of revolute ones.
        moved: By how much lines were moved to be exactly parallel or perpendicular [rad] or to
            intersect exactly [shares of the length].
    """

    axes: NDArray[np.float64]
    points: NDArray[np.float64]
    tip: NDArray[np.float64]
    length: float
    travel: NDArray[np.float64]
    moved: float = 0.0

    @classmethod
    def of(cls, chain: KinematicChain) -> "AxesAtZero":
        """Place the axes of a chain that `why_not_plain` has nothing against."""
        frames = np.array(list(accumulate(chain.joint_origins, np.matmul)))
        axes = np.einsum("mij,mj->mi", frames[:, :3, :3], chain.joint_axes)
        points, tip = frames[:, :3, 3].copy(), frames[-1] @ chain.tip_in_last_joint
        travel = np.maximum(np.abs(chain.lower), np.abs(chain.upper))
        travel = np.where(chain.prismatic, np.where(np.isfinite(travel), travel, 0.0), np.nan)
        return cls(axes, points, tip, _length(points, travel), travel)

    @property
    def prismatic(self) -> NDArray[np.bool_]:
        """(n,) which joints are prismatic."""
        return ~np.isnan(self.travel)

    def without(self, joint: int) -> "AxesAtZero":
        """Return the others, as long as the whole arm; as they are if a prismatic one goes."""
        axes, points, travel = (
            np.delete(rows, joint, axis=0) for rows in (self.axes, self.points, self.travel)
        )
        length = _length(points, travel) if self.prismatic[joint] else self.length
        return replace(self, axes=axes, points=points, travel=travel, length=length)

    @property
    def mirrored(self) -> "AxesAtZero":
        """The axes from the tip on; the joints make the opposite motion of base against tip."""
        points, travel = self.points[::-1].copy(), self.travel[::-1].copy()
        return replace(self, axes=-self.axes[::-1], points=points, travel=travel)

    def parallel(self, first: int, second: int) -> bool:
        """Return whether two axes are parallel."""
        return bool(np.linalg.norm(np.cross(self.axes[first], self.axes[second])) < NEAR)

    def perpendicular(self, first: int, second: int) -> bool:
        """Return whether two axes are at right angles."""
        return bool(abs(self.axes[first] @ self.axes[second]) < NEAR)

    def meeting(self, *joints: int) -> tuple[NDArray[np.float64], float]:
        """Return the point (3,) nearest to axes [m], and how far they are from it [shares].

        It is infinitely far where all are parallel.
        """
        chosen = list(joints)
        across = np.eye(3) - np.einsum("mi,mj->mij", self.axes[chosen], self.axes[chosen])
        right = np.einsum("mij,mj->i", across, self.points[chosen])
        point, _, rank, _ = np.linalg.lstsq(across.sum(axis=0), right, rcond=NEAR * NEAR)
        apart = np.einsum("mij,mj->mi", across, point - self.points[chosen])
        far = np.linalg.norm(apart, axis=1).max() / self.length
        return point, float(far) if rank == 3 else np.inf

    def meet(self, *joints: int) -> bool:
        """Return whether axes intersect in one point."""
        return self.meeting(*joints)[1] < NEAR

    def met(self, *joints: int) -> "AxesAtZero":
        """Return the lines with the point nearest to some as theirs."""
        point, far = self.meeting(*joints)
        points = self.points.copy()
        points[list(joints)] = point
        return replace(self, points=points, moved=max(self.moved, far))

    def aligned(self, *joints: int) -> "AxesAtZero":
        """Return the lines with one direction, or its opposite, for some that are parallel."""
        chosen = list(joints)
        signs = np.sign(self.axes[chosen] @ self.axes[chosen[0]])
        common = signs @ self.axes[chosen]
        common /= np.linalg.norm(common)
        axes = self.axes.copy()
        axes[chosen] = signs[:, None] * common
        moved = float(np.linalg.norm(axes - self.axes, axis=1).max())
        return replace(self, axes=axes, moved=max(self.moved, moved))

    def squared(self, first: int, second: int) -> "AxesAtZero":
        """Return the lines with an axis at right angles to another that nearly is."""
        axes = self.axes.copy()
        off = axes[first] @ axes[second]
        axes[first] -= off * axes[second]
        axes[first] /= np.linalg.norm(axes[first])
        return replace(self, axes=axes, moved=max(self.moved, abs(float(off))))


def _length(points: NDArray[np.float64], travel: NDArray[np.float64]) -> float:
    """Return how long an arm is, see `AxesAtZero`."""
    from_joint_to_joint = float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
    return from_joint_to_joint + float(np.nansum(travel)) or 1.0
