"""Time along a joint path: as fast as the limits of joints and tip allow, from rest to rest."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from generative_ik_ros.arguments import positive_number
from generative_ik_ros.array_types import Bools, Floats, Ints
from generative_ik_ros.errors import InvalidArgumentError, listed
from generative_ik_ros.paths.result import IKPath
from generative_ik_ros.paths.task import RESOLUTION
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.kinematic_tree import check_kinematics
from generative_ik_ros.trajectories import limits
from generative_ik_ros.trajectories.curve import cut
from generative_ik_ros.trajectories.drive import Drive
from generative_ik_ros.trajectories.result import Trajectory

MAX_DEVIATION = RESOLUTION / 2.0
"""No further from the straight motion than this itself is from a point that was checked."""


@dataclass(frozen=True)
class TimingTuning:
    """How closely a trajectory follows its path."""

    same: float = 1e-9
    """Configurations no joint of which is further apart, in its unit, count as one."""
    closer: int = 8
    """Times at most that the curve is laid closer to the straight motions."""
    beyond: float = 5e-4
    """How far a joint may be beyond its limits between two poses, in its unit [rad]."""
    probes: int = 4
    """Points of each interval that are looked at, at least."""


TUNING = TimingTuning()

_Collides = Callable[[Floats], Bools]


def time_path(
    path: IKPath | ArrayLike,
    chain: KinematicChain,
    *,
    velocity_limits: ArrayLike | None = None,
    acceleration_limits: ArrayLike | None = None,
    tip_speed: float | None = None,
    max_deviation: float = MAX_DEVIATION,
    collides: _Collides | None = None,
) -> Trajectory:
    """Time a joint path: as fast as the limits allow, from rest to rest, through all its poses.

    A path has corners at its poses, at which the arm would have to stop. So it moves on a curve
    that passes through all configurations of the path, and in between stays close to the straight
    motions in joint space that `solve_path` has checked.

    Args:
        path: What `solve_path` has returned, up to where it leads, or (K, n) configurations
            [rad or m].
        chain: The chain that the path is for.
        velocity_limits: Largest velocity of each joint, (n,) or one number for all
            [rad/s or m/s]. None: those of the robot description.
        acceleration_limits: Largest accelerations likewise [rad/s^2 or m/s^2]. None: a joint
            reaches its largest velocity in 1 s.
        tip_speed: Largest speed of the tip [m/s]. The tip has this speed wherever the joints'
            limits allow it, so not at starts, ends and narrow curves. Of several tips, the fastest
            has it, each measured in its reference link.
        max_deviation: How far a joint may be from the straight motion between two poses, in its
            unit (`chain.joint_units`) [rad]. The default is half the distance between the points
            at which straight motions are checked for collisions.
        collides: Says of (P, n) configurations which collide, as
            `partial(solver.collides, scene=scene)` does. Points are as close to each other as
            on straight motions. If some collide, the curve is laid closer to these.

    Raises:
        InvalidArgumentError: A joint has no velocity limit, the path has no configuration or is
            one of other joints, another argument is unusable, or the trajectory collides, or
            leaves the joint limits by 5e-4 rad more than the path, however close it is.
    """
    check_kinematics(chain)
    corners, at_pose = _corners(path, chain)
    drive = Drive(chain, *check_limits(chain, velocity_limits, acceleration_limits, tip_speed))
    allowed = positive_number("max_deviation", max_deviation)
    return _closest(drive, corners, at_pose, allowed, collides)


def check_limits(
    chain: KinematicChain,
    velocity_limits: ArrayLike | None,
    acceleration_limits: ArrayLike | None,
    tip_speed: float | None,
) -> tuple[Floats, Floats, float]:
    """Return the limits of joints, (n,) each, and of the tip's speed; arguments of `time_path`.

    Raises:
        InvalidArgumentError: One is unusable, or a joint has no velocity limit.
    """
    velocity = limits.velocity_limits(chain, velocity_limits)
    acceleration = limits.acceleration_limits(chain, acceleration_limits, velocity)
    speed = np.inf if tip_speed is None else positive_number("tip_speed", tip_speed)
    return velocity, acceleration, speed


def _corners(path: IKPath | ArrayLike, chain: KinematicChain) -> tuple[Floats, Ints]:
    """Return the configurations (C, n) of a path that differ, and which each pose has, (K,).

    Raises:
        InvalidArgumentError: There is none, or one is unusable.
    """
    if isinstance(path, IKPath):
        if path.joint_names != chain.names:
            raise InvalidArgumentError(
                f"the path is one of the joints {listed(path.joint_names)}; those of the chain "
                f"are {listed(chain.names)}"
            )
        if not path.num_reached:
            raise InvalidArgumentError(f"the path reaches no pose: {path.reason or 'it has none'}")
    given = path.positions[: path.num_reached] if isinstance(path, IKPath) else path
    positions = chain.check_positions(given)
    if positions.ndim != 2 or not len(positions):
        raise InvalidArgumentError(
            f"a path needs one or more rows of joint positions; it has shape {positions.shape}"
        )
    apart = np.abs(np.diff(positions / chain.joint_units, axis=0)).max(axis=1) > TUNING.same
    return positions[np.r_[True, apart]], np.r_[0, np.cumsum(apart)]


def _closest(
    drive: Drive, corners: Floats, at_pose: Ints, allowed: float, collides: _Collides | None
) -> Trajectory:
    """Return the first trajectory that is good enough, each closer to the straight motions.

    Raises:
        InvalidArgumentError: None is.
    """
    chain, fault = drive.chain, ""
    if len(corners) == 1:
        still = np.zeros_like(corners)
        return Trajectory(chain.names, np.zeros(1), corners, still, still, at_pose, 0.0)
    for closer in range(TUNING.closer):
        found = drive.through(corners, at_pose, 0.9 * allowed / 2**closer)
        points = _closely(found, chain)
        if found.deviation > allowed:
            fault = f"is {found.deviation:.2g} off the straight motions, more than max_deviation"
        elif drive.excess(points) > drive.excess(corners) + TUNING.beyond:
            fault = "leaves the joint limits, however close it is to the path"
        elif collides is not None and collides(points).any():
            fault = "collides, however close it is to the path"
        else:
            return found
    raise InvalidArgumentError(f"the trajectory {fault}")


def _closely(trajectory: Trajectory, chain: KinematicChain) -> Floats:
    """Return configurations (P, n) on a trajectory, as close as on motions that are checked."""
    steps = np.abs(np.diff(trajectory.positions, axis=0) / chain.joint_units).max(axis=1)
    count = np.maximum(np.ceil(steps / RESOLUTION), TUNING.probes).astype(np.int64)
    return trajectory.at(cut(trajectory.times, count)[0])[0]
