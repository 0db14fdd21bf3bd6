"""The truth about joint paths: CppFlow's criteria, recomputed by pinocchio and coal.

A path is valid when every pose is met within 0.1 mm and 0.1 degrees, no joint moves by more than 7
degrees or 2 cm from a pose to the next, limits are kept, and nothing collides at a pose. Between
poses CppFlow checks nothing; this does, and says so apart.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from generative_ik_benchmarks.collision_oracle import WorldOracle
from generative_ik_benchmarks.metrics.pose_error import pose_errors
from generative_ik_benchmarks.oracle import Oracle
from generative_ik_ros.array_types import Bools, Floats, Ints
from generative_ik_ros.robot.chain import KinematicChain

POSITION, ORIENTATION = 1e-4, float(np.deg2rad(0.1))
"""CppFlow's tolerances [m, rad]."""
REVOLUTE_STEP, PRISMATIC_STEP = float(np.deg2rad(7.0)), 0.02
"""CppFlow's largest step of a joint [rad, m]."""
BETWEEN = 0.005
"""Largest motion of a joint between two checks on the way from pose to pose [rad or m]."""
_ROUNDING = 1e-9


def step_limits(chain: KinematicChain) -> Floats:
    """Return the largest step of each joint, (n,) [rad or m]."""
    return np.where(chain.prismatic, PRISMATIC_STEP, REVOLUTE_STEP)


def path_length(chain: KinematicChain, path: Floats) -> float:
    """Return the sum of the Euclidean lengths of a path's steps (B, n), in `joint_units`."""
    return float(np.linalg.norm(np.diff(path, axis=0) / chain.joint_units, axis=1).sum())


def motion_points(path: Floats, spacing: Floats) -> tuple[Floats, Ints]:
    """Return points on the straight lines between neighbours, ends left out.

    Args:
        path: (B, n) configurations [rad or m].
        spacing: (n,) largest motion of each joint from one point to the next.

    Returns:
        (P, n) points, and (P,) which step of the path each belongs to.
    """
    steps = np.diff(path, axis=0)
    counts = np.ceil((np.abs(steps) / spacing).max(axis=1, initial=0.0)).astype(np.int64) - 1
    counts = np.maximum(counts, 0)
    row = np.repeat(np.arange(len(steps)), counts)
    turn = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts) + 1
    share = turn / (np.repeat(counts, counts) + 1)
    return path[row] + share[:, None] * steps[row], row


@dataclass(frozen=True)
class PathVerdict:
    """What is true of a path.

    Attributes:
        complete: Whether it has a configuration for every pose.
        position: Largest distance of the tip from its pose [m].
        orientation: Largest angle between them [rad].
        step: Largest step of a joint, over what is allowed.
        outside: Poses with a joint beyond its limits.
        colliding: Poses at which something collides.
        between: Steps on whose way something collides, though not at their ends.
    """

    complete: bool
    position: float
    orientation: float
    step: float
    outside: int
    colliding: int
    between: int

    @property
    def accurate(self) -> bool:
        """Whether every pose is met."""
        near = self.position <= POSITION * (1 + 1e-6) + _ROUNDING
        return near and self.orientation <= ORIENTATION * (1 + 1e-6) + _ROUNDING

    @property
    def valid(self) -> bool:
        """Whether CppFlow's criteria hold."""
        smooth = self.step <= 1.0 + 1e-9
        return (
            self.complete and self.accurate and smooth and not self.outside and not self.colliding
        )

    @property
    def faults(self) -> str:
        """What is wrong, in words; "" where nothing is."""
        named = {
            "incomplete": not self.complete,
            f"off a pose by {self.position:.2g} m, {self.orientation:.2g} rad": not self.accurate,
            f"a step {self.step:.3g} times too large": self.step > 1.0 + 1e-9,
            f"{self.outside} poses beyond limits": bool(self.outside),
            f"{self.colliding} poses colliding": bool(self.colliding),
            f"{self.between} steps colliding on the way": bool(self.between),
        }
        return ", ".join(fault for fault, there in named.items() if there)


class PathOracle:
    """Judges paths of a chain among obstacles, by pinocchio and coal."""

    def __init__(self, chain: KinematicChain, forward: Oracle, world: WorldOracle):
        """Remember them."""
        self._chain, self._forward, self._world = chain, forward, world

    def verdict(self, targets: Floats, path: Floats) -> PathVerdict:
        """Judge a path.

        Args:
            targets: (B, 4, 4) the poses, tip in base [m].
            path: (B, n) the configurations [rad or m]; rows of NaN are poses that it lacks.
        """
        there = np.isfinite(path).all(axis=1)
        rows = path[there]
        distances, angles = pose_errors(self._forward.forward, rows, targets[there])
        steps = np.abs(np.diff(rows, axis=0)) / step_limits(self._chain)
        beyond = (rows < self._chain.lower - _ROUNDING) | (rows > self._chain.upper + _ROUNDING)
        points, step_of = motion_points(rows, np.full(path.shape[1], BETWEEN))
        hits, at_pose = self._hits(points), self._hits(rows)
        ends = at_pose[:-1] | at_pose[1:]
        on_the_way = np.setdiff1d(step_of[hits], np.flatnonzero(ends))
        return PathVerdict(
            complete=bool(there.all()),
            position=float(distances.max(initial=0.0)),
            orientation=float(angles.max(initial=0.0)),
            step=float(steps.max(initial=0.0)),
            outside=int(beyond.any(axis=1).sum()),
            colliding=int(at_pose.sum()),
            between=len(on_the_way),
        )

    def _hits(self, rows: Iterable[Floats]) -> Bools:
        return np.array([self._world.collides(q) for q in rows], bool)
