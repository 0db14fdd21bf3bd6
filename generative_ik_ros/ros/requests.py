"""Validation of GetIKSolutions requests."""

import math
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from generative_ik_ros.array_types import Floats
from generative_ik_ros.errors import InvalidArgumentError, InvalidTargetError, UnknownNameError
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.region import TaskSpaceRegion
from generative_ik_ros.ros.conversions import poses_to_transforms
from generative_ik_ros.ros.parameters import Settings
from generative_ik_ros.ros.solvers import Tips
from generative_ik_ros.samplers.registry import sampler_names
from generative_ik_ros.search.approximate import PREFERRED
from generative_ik_ros.select.preferences import CLEARANCE, DIVERSE, NEAREST, ORDERS
from generative_ik_ros.srv import GetIKPath, GetIKSolutions

Request: TypeAlias = GetIKSolutions.Request | GetIKPath.Request
"""What the fields that both have in common are read from."""


@dataclass(frozen=True)
class Options:
    """What requests for solutions and for paths both ask for, with defaults filled in.

    Attributes:
        tips: Tip link, empty for the node's default; or several tips.
        sampler: Name of the sampler.
        position_tolerance: Largest distance from the target [m]; inf: position is free.
        orientation_tolerance: Largest angle from the target [rad]; inf: orientation is free.
        targets_in_frame: (B, 4, 4) target poses in the frame of the request [m]; (B, K, 4, 4)
            for several tips, those with a reference link of their own in that.
        timeout: Timeout of the whole request [s].
        avoid_collisions: Whether solutions must be free of collisions.
        prefer: What is met exactly where a target has no solution; None: nothing.
    """

    tips: Tips
    sampler: str
    position_tolerance: float
    orientation_tolerance: float
    targets_in_frame: Floats
    timeout: float
    avoid_collisions: bool
    prefer: str | None

    def time_left(self, deadline: float) -> float:
        """Return the solver's timeout [s] for a deadline by `time.perf_counter`."""
        # It has to be positive, also for a deadline that has passed.
        return min(self.timeout, max(deadline - time.perf_counter(), 1e-6))


@dataclass(frozen=True)
class SolveOptions(Options):
    """The robot-independent part of a request for solutions, validated.

    Attributes:
        regions: One for each tip; None: exactly at the targets.
        goal_set: Whether the targets are alternatives.
        num_solutions: Distinct solutions wanted for each target.
        random_seed: Seed of the random generator.
        order_by: Which solutions come first; None: nearest with a seed state, else diverse.
        optimize: Whether the best ones are moved along self-motions.
    """

    regions: list[TaskSpaceRegion] | None
    goal_set: bool
    num_solutions: int
    random_seed: int
    order_by: str | None
    optimize: bool

    @property
    def wanted(self) -> dict[str, Any]:
        """The arguments of `IKSolver.solve` that say which solutions are wanted."""
        names = "num_solutions", "random_seed", "order_by", "optimize", "goal_set"
        return {name: getattr(self, name) for name in names}


def read_options(request: GetIKSolutions.Request, settings: Settings) -> SolveOptions:
    """Validate a request and fill in the node's defaults.

    Raises:
        InvalidTargetError: No targets, too many, or one that is not a rigid transform.
        InvalidArgumentError: A number is NaN, negative or beyond the node's limits.
        UnknownNameError: The sampler, the order or what is preferred does not exist.
    """
    samplers = ("auto", *sampler_names())
    if request.sampler and request.sampler not in samplers:
        raise UnknownNameError("sampler", request.sampler, samplers)
    position_tolerance, orientation_tolerance = read_tolerances(request, settings)
    timeout = read_timeout(request, settings)
    poses, tips = list(request.targets.poses), read_tips(request)
    several = 0 if isinstance(tips, str) else len(tips)
    if several and len(poses) % several:
        raise InvalidTargetError(
            f"targets has {len(poses)} poses for {several} tip_links; it needs one for each of "
            "them, target after target"
        )
    num_targets = len(poses) // max(several, 1)
    check_count(num_targets, settings)
    num_solutions = request.num_solutions or settings.num_solutions
    solved = 1 if request.goal_set else num_targets
    if num_solutions * solved > settings.max_solutions:
        raise InvalidArgumentError(
            f"{num_solutions} solutions for each of {solved} targets exceed the node's "
            f"max_solutions, {settings.max_solutions} per request"
        )
    avoid_collisions = request.avoid_collisions or settings.avoid_collisions
    return SolveOptions(
        tips=tips,
        sampler=request.sampler or settings.sampler,
        position_tolerance=position_tolerance,
        orientation_tolerance=orientation_tolerance,
        targets_in_frame=poses_to_transforms(poses).reshape(
            (num_targets, several, 4, 4) if several else (num_targets, 4, 4)
        ),
        regions=read_regions(request, max(several, 1), "for each tip"),
        goal_set=request.goal_set,
        num_solutions=num_solutions,
        timeout=timeout,
        random_seed=request.random_seed if request.random_seed >= 0 else secrets.randbits(63),
        avoid_collisions=avoid_collisions,
        order_by=read_order(request, avoid_collisions),
        optimize=request.optimize,
        prefer=read_prefer(request),
    )


def read_prefer(request: Request) -> str | None:
    """Return what is met exactly where a target has no solution; None: nothing.

    Raises:
        UnknownNameError: It is neither the position nor the orientation.
    """
    if request.prefer and request.prefer not in PREFERRED:
        raise UnknownNameError("prefer", request.prefer, PREFERRED)
    return request.prefer or None


def read_tips(request: GetIKSolutions.Request) -> Tips:
    """Return the tips of a request.

    Raises:
        InvalidArgumentError: It names one tip and several, or references without tips.
    """
    links, references = list(request.tip_links), list(request.reference_links)
    if request.tip_link and links:
        raise InvalidArgumentError("fill tip_link or tip_links, not both")
    if len(references) not in (0, len(links)):
        raise InvalidArgumentError(
            f"{len(references)} reference_links for {len(links)} tip_links; give one for each "
            "('' for the base link), or none"
        )
    if not links:
        return request.tip_link
    return tuple(zip(links, references or [""] * len(links), strict=True))


def read_regions(request: Request, count: int, whose: str) -> list[TaskSpaceRegion] | None:
    """Return the regions of a request, `count` of them, or None if there are none.

    `whose` says what they are of.

    Raises:
        InvalidArgumentError: There are not six numbers for each, or the bounds are bad.
    """
    lower, upper = request.region_lower, request.region_upper
    if not len(lower) and not len(upper):
        return None
    if len(lower) != 6 * count or len(upper) != 6 * count:
        raise InvalidArgumentError(
            f"region_lower has {len(lower)} and region_upper {len(upper)} numbers; both need six "
            f"{whose}, {6 * count}: x y z [m], roll pitch yaw [rad]"
        )
    rows = zip(np.reshape(lower, (-1, 6)), np.reshape(upper, (-1, 6)), strict=True)
    return [TaskSpaceRegion(*row) for row in rows]


def read_order(request: GetIKSolutions.Request, avoid_collisions: bool) -> str | None:
    """Return which solutions come first; None: the default.

    Raises:
        UnknownNameError: There is no such order.
        InvalidArgumentError: It needs another field, or `optimize` does not go with it.
    """
    order, seeded = request.order_by, bool(len(request.seed_state))
    if order and order not in ORDERS:
        raise UnknownNameError("order", order, ORDERS)
    if order == NEAREST and not seeded:
        raise InvalidArgumentError("order 'nearest' needs a seed_state")
    if order == CLEARANCE and not avoid_collisions:
        raise InvalidArgumentError("order 'clearance' needs avoid_collisions")
    if request.optimize and order in ((DIVERSE,) if seeded else ("", DIVERSE)):
        raise InvalidArgumentError(
            "optimize needs an order_by with a score: nearest, manipulability, limit_margin, "
            "clearance or likelihood"
        )
    return order or None


def read_tolerances(request: Request, settings: Settings) -> tuple[float, float]:
    """Return the largest distance [m] and angle [rad], by default the node's.

    Raises:
        InvalidArgumentError: One is NaN or negative.
    """
    position = _tolerance("position", request.position_tolerance, "m")
    orientation = _tolerance("orientation", request.orientation_tolerance, "rad")
    return position or settings.position_tolerance, orientation or settings.orientation_tolerance


def read_timeout(request: Request, settings: Settings) -> float:
    """Return the timeout of a request [s], by default the node's.

    Raises:
        InvalidArgumentError: It is NaN, negative, or longer than the node allows.
    """
    timeout = request.timeout
    if math.isnan(timeout) or timeout < 0.0:
        raise InvalidArgumentError(f"timeout must be zero or more seconds, got {timeout}")
    if timeout > settings.max_timeout:
        raise InvalidArgumentError(
            f"timeout {timeout} s exceeds the node's max_timeout, {settings.max_timeout} s"
        )
    return timeout or settings.timeout


def check_count(count: int, settings: Settings) -> None:
    """Check how many targets a request has.

    Raises:
        InvalidTargetError: None, or more than the node allows.
    """
    if count == 0:
        raise InvalidTargetError("targets has no poses; at least one is needed")
    if count > settings.max_targets:
        raise InvalidTargetError(
            f"{count} targets exceed the node's max_targets, {settings.max_targets}"
        )


def client_timeout(request: Request, settings: Settings) -> float:
    """Return how long the client of a request waits [s]; `read_options` refuses invalid values."""
    valid = 0.0 < request.timeout <= settings.max_timeout
    return request.timeout if valid else settings.timeout


def _tolerance(part: str, value: float, unit: str) -> float:
    if math.isnan(value) or value < 0.0:
        raise InvalidArgumentError(
            f"{part}_tolerance must be zero (the node's default) or more {unit}, got {value}"
        )
    return value


def read_seed_state(request: Request, chain: KinematicChain) -> Floats | None:
    """Return the seed state in the chain's joint order, (n,) [rad or m], or None if not given.

    Raises:
        InvalidArgumentError: It has the wrong length, repeats or lacks a joint, or contains NaN.
    """
    values, names = request.seed_state, list(request.seed_joint_names)
    if not len(values):
        if names:
            raise InvalidArgumentError(
                f"seed_joint_names has {len(names)} names but seed_state is empty"
            )
        return None
    if not names:
        return joint_vector("seed_state", values, chain)
    if len(names) != len(values):
        raise InvalidArgumentError(
            f"seed_state has {len(values)} entries for {len(names)} seed_joint_names"
        )
    by_name = dict(zip(names, values, strict=True))
    if len(by_name) != len(names):
        repeated = sorted({name for name in names if names.count(name) > 1})
        raise InvalidArgumentError(f"seed_joint_names repeats {', '.join(repeated)}")
    missing = [name for name in chain.joint_names if name not in by_name]
    if missing:
        raise InvalidArgumentError(
            f"seed_joint_names lacks {', '.join(missing)}; the chain's joints are: "
            + ", ".join(chain.joint_names)
        )
    return joint_vector("seed_state", [by_name[name] for name in chain.joint_names], chain)


def read_other_joints(request: Request, chain: KinematicChain) -> dict[str, float]:
    """Return the positions of joints outside the chain that the seed state names [rad or m]."""
    names, values = request.seed_joint_names, request.seed_state
    return {
        name: float(value)
        for name, value in zip(names, values, strict=False)
        if name not in chain.joint_names
    }


def read_consistency_limits(
    request: GetIKSolutions.Request, chain: KinematicChain
) -> Floats | None:
    """Return the largest distance of each joint from the seed state, (n,) [rad or m], or None.

    Raises:
        InvalidArgumentError: Wrong length, a NaN or negative entry, or no seed state.
    """
    if not len(request.consistency_limits):
        return None
    if not len(request.seed_state):
        raise InvalidArgumentError("consistency_limits require a seed_state")
    limits = joint_vector("consistency_limits", request.consistency_limits, chain, infinite=True)
    if (limits < 0.0).any():
        joint = int(np.argmax(limits < 0.0))
        raise InvalidArgumentError(
            f"consistency_limits must not be negative, got {limits[joint]} for joint "
            f"{chain.joint_names[joint]}"
        )
    return limits


def joint_vector(
    name: str, values: Sequence[float], chain: KinematicChain, infinite: bool = False
) -> Floats:
    """Return values as one float64 for each joint, finite or also infinite.

    Raises:
        InvalidArgumentError: The length is wrong, or a value is NaN.
    """
    vector = np.array(values, dtype=np.float64)
    if len(vector) != chain.num_joints:
        raise InvalidArgumentError(
            f"{name} needs {chain.num_joints} entries, one for each of "
            f"{', '.join(chain.joint_names)}; got {len(vector)}"
        )
    wrong = np.isnan(vector) if infinite else ~np.isfinite(vector)
    if wrong.any():
        joint = int(np.argmax(wrong))
        raise InvalidArgumentError(
            f"{name} is {vector[joint]} for joint {chain.joint_names[joint]}"
        )
    return vector
