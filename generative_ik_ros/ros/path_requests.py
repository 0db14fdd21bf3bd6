"""Validation of GetIKPath requests."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from generative_ik_ros.array_types import Floats
from generative_ik_ros.errors import InvalidArgumentError, InvalidTargetError, UnknownNameError
from generative_ik_ros.paths.task import OBJECTIVES
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.region import TaskSpaceRegion
from generative_ik_ros.ros.conversions import poses_to_transforms, rows_to_transforms
from generative_ik_ros.ros.parameters import Settings
from generative_ik_ros.ros.requests import (
    Options,
    check_count,
    joint_vector,
    read_prefer,
    read_regions,
    read_seed_state,
    read_timeout,
    read_tolerances,
)
from generative_ik_ros.srv import GetIKPath
from generative_ik_ros.trajectories import limits


@dataclass(frozen=True)
class PathOptions(Options):
    """The robot-independent part of a request for a path, validated.

    Attributes:
        tip_speed: Largest speed of the tip [m/s]; None: no limit.
        region: Where the tip may be about the poses, for all of them or for each; None: exactly
            there.
    """

    tip_speed: float | None
    region: TaskSpaceRegion | list[TaskSpaceRegion] | None


def read_options(request: GetIKPath.Request, settings: Settings) -> PathOptions:
    """Validate a request and fill in the node's defaults.

    Raises:
        InvalidTargetError: Fewer than two poses, too many, or one that is no rigid transform.
        InvalidArgumentError: A number is NaN, negative or beyond the node's limits.
        UnknownNameError: There is no such objective, or nothing of that name to prefer.
    """
    if request.objective and request.objective not in OBJECTIVES:
        raise UnknownNameError("objective", request.objective, OBJECTIVES)
    position_tolerance, orientation_tolerance = read_tolerances(request, settings)
    timeout = read_timeout(request, settings)
    poses = _poses(request, settings)
    if len(poses) == 1:
        raise InvalidTargetError(
            "targets has one pose; a path needs two or more (get_ik_solutions solves single poses)"
        )
    speed = request.max_tip_speed
    if math.isnan(speed) or speed < 0.0:
        raise InvalidArgumentError(f"max_tip_speed must be zero or more m/s, got {speed}")
    return PathOptions(
        tips=request.tip_link,
        sampler=settings.sampler,
        position_tolerance=position_tolerance,
        orientation_tolerance=orientation_tolerance,
        targets_in_frame=poses,
        timeout=timeout,
        avoid_collisions=request.avoid_collisions or settings.avoid_collisions,
        prefer=read_prefer(request),
        tip_speed=speed or None,
        region=_region(request, len(poses)),
    )


def num_poses(request: GetIKPath.Request) -> int:
    """Return how many poses a request has, in whichever of the two fields."""
    return len(request.targets.poses) or len(request.poses) // 7


def _region(
    request: GetIKPath.Request, num_poses: int
) -> TaskSpaceRegion | list[TaskSpaceRegion] | None:
    """Return the region about the poses, for all of them or for each.

    Raises:
        InvalidArgumentError: As `read_regions`.
    """
    if len(request.region_lower) > 6:  # noqa: PLR2004 (a region's numbers)
        return read_regions(request, num_poses, "for all poses or six for each")
    regions = read_regions(request, 1, "for all poses or six for each")
    return None if regions is None else regions[0]


def _poses(request: GetIKPath.Request, settings: Settings) -> Floats:
    """Return the poses of a request, (B, 4, 4) [m].

    Raises:
        InvalidTargetError: None, too many, in both fields, or one that is no rigid transform.
    """
    poses, rows = list(request.targets.poses), request.poses
    if len(rows) and poses:
        raise InvalidTargetError("poses are given twice: in targets and in poses")
    check_count(num_poses(request), settings)
    return rows_to_transforms(rows) if len(rows) else poses_to_transforms(poses)


def read_search(request: GetIKPath.Request, chain: KinematicChain) -> dict[str, object]:
    """Return those arguments of `IKSolver.solve_path` that the request gives, by name.

    Raises:
        InvalidArgumentError: One has the wrong length or contains NaN.
    """
    given: dict[str, object] = {"seed_state": read_seed_state(request, chain)}
    for name in ("end_state", "joint_weights"):
        if len(values := getattr(request, name)):
            given[name] = joint_vector(name, values, chain)
    if len(request.max_step):
        given["max_step"] = _each("max_step", request.max_step, chain)
    if request.closed:
        given["closed"] = True
    if request.objective:
        given["objective"] = request.objective
    return given


def read_limits(request: GetIKPath.Request, chain: KinematicChain) -> tuple[Floats, Floats]:
    """Return the largest velocities (n,) [rad/s or m/s] and accelerations [rad/s^2 or m/s^2].

    Raises:
        InvalidArgumentError: A limit is not above 0, a factor not from 0 to 1, or neither the
            request nor the robot description has a velocity limit of a joint.
    """
    given = [
        _each(name, values, chain) if len(values := getattr(request, name)) else None
        for name in ("velocity_limits", "acceleration_limits")
    ]
    velocity = limits.velocity_limits(chain, given[0])
    acceleration = limits.acceleration_limits(chain, given[1], velocity)
    factors = [
        _factor(name, getattr(request, name))
        for name in ("max_velocity_scaling_factor", "max_acceleration_scaling_factor")
    ]
    return velocity * factors[0], acceleration * factors[1]


def _each(name: str, values: Sequence[float], chain: KinematicChain) -> Floats:
    """Return one number for each joint, (n,), of as many or of one for all."""
    repeated = np.repeat(values, chain.num_joints) if len(values) == 1 else values
    return joint_vector(name, repeated, chain)  # pyright: ignore[reportArgumentType]


def _factor(name: str, value: float) -> float:
    if not 0.0 <= value <= 1.0:
        raise InvalidArgumentError(f"{name} must be from 0 (which means 1) to 1, got {value}")
    return value or 1.0
